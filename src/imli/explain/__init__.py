"""Explanations of other models as rules: one rule for all decisions of a model, or one for a single row."""

from imli.explain.anchors import Tally
from imli.explain.local_rules import LocalExplanation, local
from imli.explain.surrogates import Explanation, surrogate

__all__ = ["Explanation", "LocalExplanation", "Tally", "local", "surrogate"]
