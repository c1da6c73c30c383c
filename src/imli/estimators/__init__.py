"""The scikit-learn face."""

from imli.errors import ConstantRuleWarning, PathInterrupted
from imli.estimators.classifiers import (
    ChecklistClassifier,
    CNFClassifier,
    DecisionListClassifier,
    DecisionSetClassifier,
    DNFClassifier,
    ScoreClassifier,
    rule_path,
)
from imli.estimators.encoder import LiteralEncoder
from imli.estimators.rule_classifier import RuleClassifier
from imli.learning.path.search import PathProgress

__all__ = [
    "CNFClassifier",
    "ChecklistClassifier",
    "ConstantRuleWarning",
    "DNFClassifier",
    "DecisionListClassifier",
    "DecisionSetClassifier",
    "LiteralEncoder",
    "PathInterrupted",
    "PathProgress",
    "RuleClassifier",
    "ScoreClassifier",
    "rule_path",
]
