"""Classification rules that a person can read, check and sign off.

A rule is a formula over named literals; a query says which rule we want; a backend answers it.
Everything else chooses queries or renders rules.
"""

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from imli import explain as explain
    from imli.errors import ConstantRuleWarning as ConstantRuleWarning
    from imli.errors import FindingWarning as FindingWarning
    from imli.errors import InfeasibleError as InfeasibleError
    from imli.errors import Interrupted as Interrupted
    from imli.errors import ModelFileError as ModelFileError
    from imli.errors import PathInterrupted as PathInterrupted
    from imli.errors import RefusedError as RefusedError
    from imli.errors import RuleSyntaxError as RuleSyntaxError
    from imli.errors import SolverError as SolverError
    from imli.errors import UnknownColumnError as UnknownColumnError
    from imli.estimators import ChecklistClassifier as ChecklistClassifier
    from imli.estimators import CNFClassifier as CNFClassifier
    from imli.estimators import DecisionListClassifier as DecisionListClassifier
    from imli.estimators import DecisionSetClassifier as DecisionSetClassifier
    from imli.estimators import DNFClassifier as DNFClassifier
    from imli.estimators import LiteralEncoder as LiteralEncoder
    from imli.estimators import RuleClassifier as RuleClassifier
    from imli.estimators import ScoreClassifier as ScoreClassifier
    from imli.estimators import rule_path as rule_path
    from imli.exports.plot import RuleDisplay as RuleDisplay
    from imli.learning.answer import Answer as Answer
    from imli.learning.answer import Progress as Progress
    from imli.learning.backends import ExternalSolver as ExternalSolver
    from imli.learning.backends import Native as Native
    from imli.learning.constraints import Every as Every
    from imli.learning.inspection import InspectedColumn as InspectedColumn
    from imli.learning.inspection import Inspection as Inspection
    from imli.learning.inspection import inspect as inspect
    from imli.learning.path import RulePath as RulePath
    from imli.learning.path import RulePathDisplay as RulePathDisplay
    from imli.learning.path import RulePoint as RulePoint
    from imli.learning.path.search import PathProgress as PathProgress
    from imli.learning.query import Query as Query
    from imli.learning.strategies import Exact as Exact
    from imli.learning.strategies import Iterative as Iterative
    from imli.learning.strategies import Joint as Joint
    from imli.learning.strategies import MiniBatch as MiniBatch
    from imli.logic.domains import Domain as Domain
    from imli.logic.what_if import Change as Change
    from imli.logic.what_if import WhatIf as WhatIf
    from imli.logic.why import Why as Why
    from imli.models import Model as Model
    from imli.models import load as load
    from imli.models import save as save
    from imli.report import Report as Report
    from imli.report import make_report as make_report
    from imli.rules import CNF as CNF
    from imli.rules import DNF as DNF
    from imli.rules import Checklist as Checklist
    from imli.rules import Counts as Counts
    from imli.rules import DecisionList as DecisionList
    from imli.rules import DecisionSet as DecisionSet
    from imli.rules import Score as Score
    from imli.rules import rule_from_dict as rule_from_dict
    from imli.rules.literals import Compare as Compare
    from imli.rules.literals import CompareDate as CompareDate
    from imli.rules.literals import InInterval as InInterval
    from imli.rules.literals import IsIn as IsIn
    from imli.rules.literals import IsMissing as IsMissing
    from imli.rules.literals import IsTrue as IsTrue
    from imli.rules.literals import Literal as Literal
    from imli.rules.parse import parse_literal as parse_literal
    from imli.rules.parse import parse_rule as parse_rule
    from imli.table.findings import Finding as Finding

__version__ = _version("imli")

# The public names by the module where they live. They are reached when first asked for, so that `import imli` is light
# and applying a rule needs no learner.
_NAMES = {
    "imli.errors": ("ConstantRuleWarning", "FindingWarning", "InfeasibleError", "Interrupted", "ModelFileError",
                    "PathInterrupted", "RefusedError", "RuleSyntaxError", "SolverError", "UnknownColumnError"),
    "imli.estimators": ("ChecklistClassifier", "CNFClassifier", "DecisionListClassifier", "DecisionSetClassifier",
                        "DNFClassifier", "LiteralEncoder", "rule_path", "RuleClassifier", "ScoreClassifier"),
    "imli.exports.plot": ("RuleDisplay",),
    "imli.learning.answer": ("Answer", "Progress"),
    "imli.learning.backends": ("ExternalSolver", "Native"),
    "imli.learning.constraints": ("Every",),
    "imli.learning.inspection": ("inspect", "InspectedColumn", "Inspection"),
    "imli.learning.path": ("RulePath", "RulePathDisplay", "RulePoint"),
    "imli.learning.path.search": ("PathProgress",),
    "imli.learning.query": ("Query",),
    "imli.learning.strategies": ("Exact", "Iterative", "Joint", "MiniBatch"),
    "imli.logic.domains": ("Domain",),
    "imli.logic.what_if": ("Change", "WhatIf"),
    "imli.logic.why": ("Why",),
    "imli.models": ("Comparison", "load", "Model", "save"),
    "imli.report": ("make_report", "Report"),
    "imli.rules": ("Checklist", "CNF", "Counts", "DecisionList", "DecisionSet", "DNF", "rule_from_dict", "Score"),
    "imli.rules.literals": ("Compare", "CompareDate", "InInterval", "IsIn", "IsMissing", "IsTrue", "Literal"),
    "imli.rules.parse": ("parse_literal", "parse_rule"),
    "imli.table.findings": ("Finding",),
}  # fmt: skip
_HOMES = {name: home for home, names in _NAMES.items() for name in names}

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
