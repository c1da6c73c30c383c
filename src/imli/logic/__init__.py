"""What a rule does on every possible row: equal rules, shorter rules, reasons for a decision and ways to change it."""
