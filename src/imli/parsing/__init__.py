"""Text as rules: the inverse of printing, also for rules that people type."""

from imli.parsing.rules import parse_literal, parse_pairs, parse_rule
from imli.parsing.tokens import RuleSyntaxError

__all__ = ["RuleSyntaxError", "parse_literal", "parse_pairs", "parse_rule"]
