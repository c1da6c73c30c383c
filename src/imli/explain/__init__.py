"""What a model decides, as rules: of all that it decides, or around one row."""

from imli.explain.conjunctions import Tally
from imli.explain.explanation import Explanation
from imli.explain.local_explanation import LocalExplanation
from imli.explain.locality import local
from imli.explain.surrogates import surrogate

__all__ = ["Explanation", "LocalExplanation", "Tally", "local", "surrogate"]
