"""Models: a rule with all that is known about it, and files that hold one."""

from imli.models.card import Card, Check, DataCard
from imli.models.columns import ColumnStatistics
from imli.models.errors import ModelFileError
from imli.models.files import load, save
from imli.models.model import Model

__all__ = ["Card", "Check", "ColumnStatistics", "DataCard", "Model", "ModelFileError", "load", "save"]
