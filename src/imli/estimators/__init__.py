"""The scikit-learn face."""

from imli.errors import ConstantRuleWarning, PathInterrupted
from imli.estimators.classifiers import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier
from imli.estimators.encoder import LiteralEncoder
from imli.estimators.paths import rule_path
from imli.learning.path.search import PathProgress

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
