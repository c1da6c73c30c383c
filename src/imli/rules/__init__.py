"""Rules: what is learned, read, checked and put to work."""

from imli.rules.cnf import CNF
from imli.rules.conditions import Clause
from imli.rules.counts import Counts, count_rows
from imli.rules.decision_list import DecisionList
from imli.rules.decision_set import DecisionSet
from imli.rules.dnf import DNF
from imli.rules.formula import Formula
from imli.rules.pairs import Pair, PairRule
from imli.rules.probabilities import region_probabilities
from imli.rules.reading import rule_from_dict
from imli.rules.rule import Label, Rule

__all__ = [
    "CNF",
    "DNF",
    "Clause",
    "Counts",
    "DecisionList",
    "DecisionSet",
    "Formula",
    "Label",
    "Pair",
    "PairRule",
    "Rule",
    "count_rows",
    "region_probabilities",
    "rule_from_dict",
]
