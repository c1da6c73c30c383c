"""The scikit-learn face."""

from imli.estimators.encoder import LiteralEncoder
from imli.estimators.formula import CNFClassifier, DNFClassifier

__all__ = ["CNFClassifier", "DNFClassifier", "LiteralEncoder"]
