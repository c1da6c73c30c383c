"""Rules: literals, the kinds of rules, their text and their JSON."""

from imli.rules.counts import Counts, count_rows, region_probabilities
from imli.rules.formula import CNF, DNF, Formula
from imli.rules.json import FORMULAS, PAIR_RULES, RULES, rule_from_dict
from imli.rules.literals import Clause
from imli.rules.pairs import DecisionList, DecisionSet, Pair, PairRule
from imli.rules.rule import Kind, Label, Rule
from imli.rules.score import POINT_RULES, Checklist, Item, PointRule, Score

__all__ = [
    "CNF",
    "DNF",
    "FORMULAS",
    "PAIR_RULES",
    "POINT_RULES",
    "RULES",
    "Checklist",
    "Clause",
    "Counts",
    "DecisionList",
    "DecisionSet",
    "Formula",
    "Item",
    "Kind",
    "Label",
    "Pair",
    "PairRule",
    "PointRule",
    "Rule",
    "Score",
    "count_rows",
    "region_probabilities",
    "rule_from_dict",
]
