"""The scikit-learn face."""

from imli.estimators.encoder import LiteralEncoder
from imli.estimators.formula import CNFClassifier, DNFClassifier
from imli.estimators.pairs import DecisionListClassifier, DecisionSetClassifier
from imli.estimators.path import rule_path
from imli.estimators.pathfinding import PathInterrupted, PathProgress
from imli.estimators.surprises import ConstantRuleWarning

__all__ = [
    "CNFClassifier",
    "ConstantRuleWarning",
    "DNFClassifier",
    "DecisionListClassifier",
    "DecisionSetClassifier",
    "LiteralEncoder",
    "PathInterrupted",
    "PathProgress",
    "rule_path",
]
