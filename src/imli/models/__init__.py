"""Models: a rule with all that is known about it, and files that hold one."""

from imli.errors import ModelFileError
from imli.models.card import Card
from imli.models.checks import Check, ClassCheck, ClauseCheck
from imli.models.comparison import Comparison
from imli.models.files import load, save
from imli.models.model import Model
from imli.table.summaries import ColumnStatistics, DataCard

__all__ = [
    "Card",
    "Check",
    "ClassCheck",
    "ClauseCheck",
    "ColumnStatistics",
    "Comparison",
    "DataCard",
    "Model",
    "ModelFileError",
    "load",
    "save",
]
