"""Rules from short to long, with what they cost in errors."""

from imli.paths.display import RulePathDisplay
from imli.paths.path import RulePath
from imli.paths.point import RulePoint

__all__ = ["RulePath", "RulePathDisplay", "RulePoint"]
