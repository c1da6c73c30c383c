"""What a model decides, as rules: of all that it decides, or around one row."""

from imli.explain.anchors import Tally
from imli.explain.local_rules import LocalExplanation, local
from imli.explain.surrogates import Explanation, surrogate

__all__ = ["Explanation", "LocalExplanation", "Tally", "local", "surrogate"]
