"""Rules: what is learned, read, checked and put to work."""

from imli.rules.cnf import CNF
from imli.rules.dnf import DNF
from imli.rules.formula import Clause, Formula
from imli.rules.reading import rule_from_dict
from imli.rules.rule import Label, Rule

__all__ = ["CNF", "DNF", "Clause", "Formula", "Label", "Rule", "rule_from_dict"]
