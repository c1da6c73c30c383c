"""Classification rules that a person can read, check and sign off.

A rule is a formula over named literals; a query says which rule we want; a backend answers it.
Everything else chooses queries or renders rules.
"""

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from imli import explain as explain
    from imli.answer import Answer as Answer
    from imli.answer import Progress as Progress
    from imli.backends import ExternalSolver as ExternalSolver
    from imli.backends import Native as Native
    from imli.constraints import Every as Every
    from imli.estimators import CNFClassifier as CNFClassifier
    from imli.estimators import ConstantRuleWarning as ConstantRuleWarning
    from imli.estimators import DecisionListClassifier as DecisionListClassifier
    from imli.estimators import DecisionSetClassifier as DecisionSetClassifier
    from imli.estimators import DNFClassifier as DNFClassifier
    from imli.estimators import LiteralEncoder as LiteralEncoder
    from imli.estimators import PathInterrupted as PathInterrupted
    from imli.estimators import PathProgress as PathProgress
    from imli.estimators import rule_path as rule_path
    from imli.models import Model as Model
    from imli.models import ModelFileError as ModelFileError
    from imli.models import load as load
    from imli.models import save as save
    from imli.parsing import parse_literal as parse_literal
    from imli.parsing import parse_rule as parse_rule
    from imli.paths import RulePath as RulePath
    from imli.paths import RulePathDisplay as RulePathDisplay
    from imli.paths import RulePoint as RulePoint
    from imli.query import Query as Query
    from imli.report import Report as Report
    from imli.report import make_report as make_report
    from imli.rules import CNF as CNF
    from imli.rules import DNF as DNF
    from imli.rules import Counts as Counts
    from imli.rules import DecisionList as DecisionList
    from imli.rules import DecisionSet as DecisionSet
    from imli.rules import rule_from_dict as rule_from_dict
    from imli.strategies import Exact as Exact
    from imli.strategies import Iterative as Iterative
    from imli.strategies import Joint as Joint
    from imli.strategies import MiniBatch as MiniBatch

__version__ = _version("imli")

# Where each public name lives. They are reached when first asked for, so that `import imli` is light
# and applying a rule needs no learner.
_HOMES = {
    "Answer": "imli.answer",
    "CNF": "imli.rules",
    "CNFClassifier": "imli.estimators",
    "ConstantRuleWarning": "imli.estimators",
    "Counts": "imli.rules",
    "DNF": "imli.rules",
    "DNFClassifier": "imli.estimators",
    "Every": "imli.constraints",
    "Exact": "imli.strategies",
    "ExternalSolver": "imli.backends",
    "LiteralEncoder": "imli.estimators",
    "MiniBatch": "imli.strategies",
    "Model": "imli.models",
    "ModelFileError": "imli.models",
    "Iterative": "imli.strategies",
    "Joint": "imli.strategies",
    "Native": "imli.backends",
    "PathInterrupted": "imli.estimators",
    "PathProgress": "imli.estimators",
    "Progress": "imli.answer",
    "DecisionSet": "imli.rules",
    "DecisionList": "imli.rules",
    "DecisionSetClassifier": "imli.estimators",
    "DecisionListClassifier": "imli.estimators",
    "Query": "imli.query",
    "load": "imli.models",
    "save": "imli.models",
    "Report": "imli.report",
    "make_report": "imli.report",
    "parse_literal": "imli.parsing",
    "parse_rule": "imli.parsing",
    "RulePath": "imli.paths",
    "RulePathDisplay": "imli.paths",
    "RulePoint": "imli.paths",
    "rule_from_dict": "imli.rules",
    "rule_path": "imli.estimators",
}

# Packages of public names that are reached the same way.
_PACKAGES = ("explain",)

__all__ = [
    "__version__",
    *_HOMES,
    *_PACKAGES,
]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"imli.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'imli' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
