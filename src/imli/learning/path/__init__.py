"""Paths: rules from short to long, with the errors of each."""

from imli.learning.path.display import RulePathDisplay
from imli.learning.path.result import RulePath, RulePoint

__all__ = ["RulePath", "RulePathDisplay", "RulePoint"]
