"""Rules: what is learned, read, checked and put to work."""

from imli.rules.counts import Counts, count_rows, region_probabilities
from imli.rules.formula import CNF, DNF, Formula
from imli.rules.json import rule_from_dict
from imli.rules.pairs import DecisionList, DecisionSet, Pair, PairRule
from imli.rules.rule import Kind, Label, Rule
from imli.rules.text import Clause

__all__ = [
    "CNF",
    "DNF",
    "Clause",
    "Counts",
    "DecisionList",
    "DecisionSet",
    "Formula",
    "Kind",
    "Label",
    "Pair",
    "PairRule",
    "Rule",
    "count_rows",
    "region_probabilities",
    "rule_from_dict",
]
