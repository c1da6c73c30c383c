"""Rules that users write: one for the search to start from, and clauses that stay."""

from collections.abc import Iterable
from typing import Any

from imli.constraints import Locked
from imli.frames import UnknownColumnError
from imli.parsing import RuleSyntaxError, parse_pairs, parse_rule
from imli.query import Kind, Query
from imli.rules import Clause, Formula, Label, PairRule, Rule

_NAMES = {"cnf": "a CNF rule", "dnf": "a DNF rule", "list": "a decision list", "set": "a decision set"}


def read_start(parameter: str, given: Any, kind: Kind, classes: tuple[Label, ...], columns: Iterable[str]) -> Rule:
    """A rule of this kind, from itself or its text, over known columns and classes."""
    if not isinstance(given, str | Rule):
        raise TypeError(f"{parameter} must be {_NAMES[kind]} or its text. Got {given!r}.")
    rule = given if isinstance(given, Rule) else _read(parameter, given, kind)
    _check(parameter, rule, kind, classes, columns)
    return rule


def read_locked(
    parameter: str, given: Any, kind: Kind, classes: tuple[Label, ...], columns: Iterable[str]
) -> tuple[Locked, ...]:
    """Clauses of this kind of rule: from a rule, its text, or several texts of clauses."""
    several = (given,) if isinstance(given, str | Rule) else given
    if not isinstance(several, Iterable):
        raise TypeError(f"{parameter} must be {_NAMES[kind]}, its text, or texts of clauses. Got {given!r}.")
    known, locked = tuple(columns), list[Locked]()
    for part in several:
        if isinstance(part, str) and kind in ("list", "set"):
            pairs = _read_pairs(parameter, part)
            _check_names(parameter, [clause for clause, _ in pairs], [label for _, label in pairs], classes, known)
        else:
            rule = read_start(parameter, part, kind, classes, known)
            if isinstance(rule, Formula):
                locked += [(clause, None) for clause in rule.clauses]
                continue
            assert isinstance(rule, PairRule)
            pairs = rule.pairs
        locked += [(clause, classes[classes.index(label)]) for clause, label in pairs]
    return tuple(locked)


def around_locked(query: Query, rule: Rule) -> Rule:
    """The rule in the query's own words, with the locked clauses in front of the others that it has."""
    if isinstance(rule, Formula):
        locked = {frozenset(clause) for clause in query.locked_clauses}
        learned = (clause for clause in rule.clauses if frozenset(clause) not in locked)
        return query.rule((*query.locked_clauses, *learned))
    assert isinstance(rule, PairRule)
    pairs = [(clause, query.classes.index(label)) for clause, label in rule.pairs]
    taken = {(frozenset(clause), position) for clause, position in query.locked_pairs}
    others = [(clause, position) for clause, position in pairs if (frozenset(clause), position) not in taken]
    return query.pair_rule([*query.locked_pairs, *others], query.classes.index(rule.default))


def require_room(owner: str, query: Query, start: Rule) -> None:
    """Refuse a start with more clauses than may be learned."""
    if len(start.clauses) > query.n_clauses:
        locked = f" beside {query.n_locked} locked" if query.n_locked else ""
        raise ValueError(
            f"{owner}: start has {len(start.clauses) - query.n_locked} clauses{locked}, but n_clauses={query.n_free}. "
            "Raise it, or shorten the start."
        )


def _read(parameter: str, text: str, kind: Kind) -> Rule:
    try:
        if kind in ("list", "set"):
            return parse_rule(text, kind)
        rule = parse_rule(text)
        if kind == "cnf" and rule.kind == "dnf":
            try:
                return parse_rule(f"({text})")  # one clause, for which nobody thinks of brackets
            except RuleSyntaxError:
                return rule  # which is not of the kind
        return rule
    except RuleSyntaxError as error:
        raise ValueError(f"{parameter}: {error}") from None


def _read_pairs(parameter: str, text: str) -> tuple[tuple[Clause, Label], ...]:
    try:
        return parse_pairs(text)
    except RuleSyntaxError as error:
        raise ValueError(f"{parameter}: {error}") from None


def _check(parameter: str, rule: Rule, kind: Kind, classes: tuple[Label, ...], columns: Iterable[str]) -> None:
    if rule.kind != kind:
        raise ValueError(f"{parameter} must be {_NAMES[kind]}. Got {_NAMES[rule.kind]}: {_in_one_line(rule)!r}.")
    # a formula between false and true says nothing about classes, or the same as all: it describes the second
    is_silent = isinstance(rule, Formula) and all(isinstance(label, bool) for label in rule.classes) and rule.classes[1]
    _check_names(parameter, rule.clauses, () if is_silent else rule.classes, classes, columns)
    if isinstance(rule, Formula) and not is_silent and rule.classes != classes:
        raise ValueError(
            f"{parameter} describes the class {rule.classes[1]!r}, but a rule that is learned describes the second "
            f"class, {classes[1]!r}. Write it for that one."
        )


def _check_names(
    parameter: str,
    clauses: Iterable[Clause],
    labels: Iterable[Label],
    classes: tuple[Label, ...],
    columns: Iterable[str],
) -> None:
    known = tuple(columns)
    for literal in (literal for clause in clauses for literal in clause):
        if literal.column not in known:
            raise UnknownColumnError.named(literal.column, known)
    for label in labels:
        if label not in classes:
            raise ValueError(f"{parameter} names the class {label!r}, but the classes are {list(classes)}.")


def _in_one_line(rule: Rule) -> str:
    return " ".join(str(rule).split())
