"""The decisions of rules on every possible row: equivalence, shorter rules, reasons for decisions and their changes."""
