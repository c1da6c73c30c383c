"""Rules from short to long, with what they cost in errors."""

from imli.learning.path.display import RulePathDisplay
from imli.learning.path.result import RulePath, RulePoint

__all__ = ["RulePath", "RulePathDisplay", "RulePoint"]
