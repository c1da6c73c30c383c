"""Checks of the parameters of estimators, and the constraints and rules that are read from them."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from numbers import Integral, Real
from typing import Any, get_args

import numpy as np
from joblib import cpu_count, effective_n_jobs
from sklearn.utils import check_random_state

from imli.errors import RuleSyntaxError, UnknownColumnError, brief, suggest
from imli.learning.constraints import Constraints, Every, Locked, as_words, resolve, resolve_all
from imli.learning.deadline import Deadline
from imli.learning.parameter_table import BinningName, IntervalsName
from imli.learning.query import Query
from imli.learning.vocabulary import Binning
from imli.rules import (
    FORMULAS,
    PAIR_RULES,
    POINT_RULES,
    RULES,
    Clause,
    Formula,
    Kind,
    Label,
    PairRule,
    PointRule,
    Rule,
)
from imli.rules.literals import IsTrue, Literal, plain_value
from imli.rules.parse import parse_items, parse_pairs, parse_rule
from imli.table.frame import Frame


def require_integer(owner: str, name: str, value: Any, least: int = 1) -> int:
    """Return an integer of at least ``least``, or raise ValueError."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        allowed = "a positive integer" if least == 1 else f"an integer of at least {least}"
        raise ValueError(f"{owner}: {name} must be {allowed}. Got {brief(value)}.")
    return int(value)


def require_number(
    owner: str, name: str, value: Any, positive: bool = False, also: str = "", infinite: bool = False
) -> float:
    """Return a number of at least 0, or raise ValueError; ``also`` names other values in the message."""
    if (
        isinstance(value, bool)
        or not isinstance(value, Real)
        or not (math.isfinite(value) or (infinite and value == math.inf))
        or value < 0
        or (positive and value == 0)
    ):
        allowed = "a positive number" if positive else "a number of at least 0"
        raise ValueError(f"{owner}: {name} must be {allowed}{also}. Got {brief(value)}.")
    return float(value)


def read_deadline(owner: str, time_limit: Any) -> Deadline:
    """Return the deadline after ``time_limit`` seconds from now; None is no limit."""
    if time_limit is None:
        return Deadline()
    return Deadline.after(require_number(owner, "time_limit", time_limit, positive=True, also=" of seconds"))


def read_seed(random_state: Any) -> int:
    """Return a seed drawn from ``random_state``; 0 for None, since a rule that people sign off must come again."""
    return 0 if random_state is None else int(check_random_state(random_state).randint(2**31))


def count_threads(n_jobs: Any) -> int:
    """Return the number of threads; for None all cores, or inside a worker of joblib its share of them."""
    # A backend of joblib may count workers on other machines, which can run no threads of this process.
    asked = int(effective_n_jobs(-1 if n_jobs is None else n_jobs))
    return int(min(asked, max(cpu_count(), n_jobs or 1)))


def require_choice(owner: str, name: str, value: Any, *choices: Any) -> None:
    """Raise ValueError if the value is none of the choices."""
    if value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{owner}: {name} must be one of {listed}. Got {brief(value)}.")


def require_flag(owner: str, name: str, value: Any) -> bool:
    """Return True or False, or raise ValueError for any other value."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{owner}: {name} must be True or False. Got {brief(value)}.")
    return bool(value)


def require_mapping(owner: str, name: str, value: Any) -> Mapping[Any, Any]:
    """Return the dict, an empty one for None, or raise TypeError."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f"{owner}: {name} must be a dict. Got {brief(value)}.")
    return value


def read_binning(owner: str, bins: Any, binning: Any, intervals: Any, negations: Any = True) -> Binning:
    """Return the binning of these parameters, or raise ValueError."""
    require_choice(owner, "binning", binning, *get_args(BinningName))
    require_choice(owner, "intervals", intervals, *get_args(IntervalsName))
    return Binning(
        require_integer(owner, "bins", bins, least=2), binning, intervals, require_flag(owner, "negations", negations)
    )


def read_constraints(clf: Any, frame: Frame, locked: tuple[Locked, ...]) -> tuple[Constraints, float]:
    """Return the constraints of a classifier's parameters, and the cost of using a column in a further clause."""
    owner, columns = type(clf).__name__, frame.names
    given = (clf.always,) if isinstance(clf.always, Every) else as_words(clf.always, f"{owner}: always")
    every = tuple(_every(owner, word, frame) for word in given if isinstance(word, Every))
    is_soft = clf.disjoint is not None and not isinstance(clf.disjoint, bool | np.bool_)
    for column, direction in (monotone := require_mapping(owner, "monotone", clf.monotone)).items():
        if column not in columns:
            raise UnknownColumnError.named(str(column), columns)
        require_choice(owner, f"monotone[{brief(column)}]", direction, 1, -1)
        if frame[column].kind == "text":
            raise ValueError(f"{owner}: monotone names {brief(column)}, which holds text and so has no direction.")
    return Constraints(
        never=resolve_all(clf.never, columns, f"{owner}: never"),
        always=resolve_all([word for word in given if not isinstance(word, Every)], columns, f"{owner}: always"),
        every=every,
        disjoint=bool(clf.disjoint) and not is_soft,
        max_literals=None
        if clf.max_literals is None
        else require_integer(owner, "max_literals", clf.max_literals, least=0),
        min_rows=None if clf.min_rows is None else require_integer(owner, "min_rows", clf.min_rows),
        monotone=dict(monotone),
        locked=locked,
    ), require_number(owner, "disjoint", clf.disjoint, also=", or True") if is_soft else 0.0


def read_use(clf: Any, frame: Frame, constraints: Constraints, literals: Iterable[Literal]) -> frozenset[str]:
    """Return the columns that the parameters ask for: those in ``use``, and those of conditions to have or to price."""
    owner = type(clf).__name__
    for name in as_words(clf.use, f"{owner}: use"):
        if name not in frame.columns:
            raise UnknownColumnError.named(str(name), frame.names)
    words = [*as_words(clf.use, f"{owner}: use"), *constraints.always, *read_feature_costs(clf, frame)]
    named = [*literals, *constraints.every, *(word for word in words if isinstance(word, Literal))]
    columns = [word for word in words if isinstance(word, str)]
    return frozenset([*columns, *constraints.monotone, *(literal.column for literal in named)])


def _every(owner: str, word: Every, frame: Frame) -> Literal:
    parameter = f"{owner}: always"
    found = resolve(word.literal, frame.names, parameter)
    if isinstance(found, str):  # the name of a column of truth values is also a literal
        if not set(frame[found].cells().tolist()) <= {0, 1, None}:
            raise ValueError(f"{parameter}: Every needs a literal, such as '{found} > 1'. Got the column {found!r}.")
        return IsTrue(found)
    return found


def read_feature_costs(clf: Any, frame: Frame) -> dict[str | Literal, float]:
    """Return the factors on λ for the columns and literals in a classifier's ``feature_costs``."""
    owner = type(clf).__name__
    return {
        resolve(word, frame.names, f"{owner}: feature_costs"): require_number(
            owner, f"feature_costs[{str(word)!r}]", cost
        )
        for word, cost in require_mapping(owner, "feature_costs", clf.feature_costs).items()
    }


def read_start(
    parameter: str,
    given: Any,
    kind: Kind,
    classes: tuple[Label, ...],
    columns: Iterable[str],
    positive: Label | None = None,
) -> Rule:
    """Return a rule of this kind, given as a rule or as text, after a check of its columns and classes.

    A formula must describe the positive class, unless that is None.
    """
    if not isinstance(given, str | Rule):
        raise TypeError(f"{parameter} must be a {RULES[kind].title} or its text. Got {brief(given)}.")
    with _naming(parameter):
        rule = given if isinstance(given, Rule) else _read(given, kind)
    if rule.kind != kind:
        text = " ".join(str(rule).split())
        raise ValueError(f"{parameter} must be a {RULES[kind].title}. Got a {rule.title}: {brief(text)}.")
    described = _described(given, rule, classes)
    names_classes = isinstance(rule, PairRule) or described is not None
    _check_names(parameter, rule.clauses, rule.classes if names_classes else (), classes, columns)
    if described is not None and positive is not None and described != positive:
        raise ValueError(
            f"{parameter} describes the class {described!r}, but the rule that is learned describes {positive!r}. "
            f"Write it for that class, or give positive={described!r}."
        )
    return rule


def _described(given: Any, rule: Rule, classes: tuple[Label, ...]) -> Label | None:
    """Return the class that a formula or score names; None for a list or set, and for one that fits any classes."""
    if not isinstance(rule, Formula | PointRule):
        return None
    if all(isinstance(label, bool) for label in rule.classes) and rule.classes[1]:  # as a formula without THEN has
        has_flags = all(isinstance(label, bool) for label in classes)
        if not has_flags or (isinstance(given, str) and "THEN" not in given.split()):
            return None
    return rule.classes[1]


def describes(rule: Rule, positive: Label) -> bool:
    """Return True if the rule can be one that describes this class, as a list or set always can."""
    return not isinstance(rule, Formula | PointRule) or rule.classes[1] == positive


# The names of two classes of which the second is meant by "it is so".
_USUAL = {("0", "1"), ("-1", "1"), ("false", "true"), ("no", "yes"), ("n", "y"), ("neg", "pos"),
          ("negative", "positive")}  # fmt: skip


def choose_positive(
    clf: Any,
    classes: tuple[Label, ...],
    class_weights: Sequence[float],
    columns: tuple[str, ...],
    known: Label | None = None,
) -> Label:
    """Return the positive class: the one that the parameter names, else the ``known`` one of the rule before.

    Else it is the class that a formula in ``locked`` or ``start`` describes, the second of two such as no and yes, the
    rarer of two others, and the last of more.
    """
    owner = type(clf).__name__
    if clf.positive is not None:
        return _find_class(f"{owner}: positive", clf.positive, classes)
    if known is not None and known in classes:
        return classes[classes.index(known)]
    if len(classes) != 2:
        return classes[-1]
    if clf._kind not in PAIR_RULES:
        parts = [("locked", part) for part in _parts(clf.locked)]
        for name, given in [*parts, *([] if clf.start is None else [("start", clf.start)])]:
            if clf._kind in POINT_RULES and isinstance(given, str) and "THEN" not in given.split():
                continue  # items alone name no class
            rule = read_start(f"{owner}: {name}", given, clf._kind, classes, columns)
            if (described := _described(given, rule, classes)) is not None:
                return described
    first, second = (f"{label:g}" if isinstance(label, float) else str(label).lower() for label in classes)
    if (first, second) in _USUAL or (second, first) in _USUAL:
        return classes[1 if (first, second) in _USUAL else 0]
    return classes[0 if class_weights[0] < class_weights[1] else 1]


def _find_class(parameter: str, label: Any, classes: tuple[Label, ...]) -> Label:
    """Return the class that equals the label, or raise ValueError."""
    try:
        return classes[classes.index(plain_value(label))]
    except (TypeError, ValueError):
        near = suggest(label, map(str, classes)) if isinstance(label, str) else ""
        raise ValueError(f"{parameter} must be one of the classes {list(classes)}. Got {brief(label)}.{near}") from None


def _parts(given: Any) -> list[Any]:
    """Return the rules or texts in ``locked``; nothing where it is none of these, which is refused later."""
    several = (given,) if isinstance(given, str | Rule) else given
    return list(several) if isinstance(several, Sequence) else []


def read_locked(
    parameter: str,
    given: Any,
    kind: Kind,
    classes: tuple[Label, ...],
    columns: Iterable[str],
    positive: Label | None = None,
) -> tuple[Locked, ...]:
    """Return the clauses of a rule of this kind, given as a rule, its text or texts of clauses."""
    several = (given,) if isinstance(given, str | Rule) else given
    if not isinstance(several, Iterable):
        raise TypeError(
            f"{parameter} must be a {RULES[kind].title}, its text, or texts of clauses. Got {brief(given)}."
        )
    known, locked = tuple(columns), list[Locked]()
    for part in several:
        if isinstance(part, str) and kind in POINT_RULES and "THEN" not in part.split():
            with _naming(parameter):
                items = parse_items(part, kind)
            _check_names(parameter, [clause for clause, _ in items], (), classes, known)
            locked += items
            continue
        if isinstance(part, str) and kind in PAIR_RULES:
            with _naming(parameter):
                pairs = parse_pairs(part)
            _check_names(parameter, [clause for clause, _ in pairs], [label for _, label in pairs], classes, known)
        else:
            rule = read_start(parameter, part, kind, classes, known, positive)
            if isinstance(rule, Formula):
                locked += [(clause, None) for clause in rule.clauses]
                continue
            if isinstance(rule, PointRule):
                locked += rule.items
                continue
            assert isinstance(rule, PairRule)
            pairs = rule.pairs
        locked += [(clause, classes[classes.index(label)]) for clause, label in pairs]
    return tuple(locked)


def around_locked(query: Query, rule: Rule) -> Rule:
    """Return the rule over the query's literals, with the locked clauses in front of its other clauses."""
    if isinstance(rule, Formula):
        locked = {frozenset(clause) for clause in query.locked_clauses}
        learned = (clause for clause in rule.clauses if frozenset(clause) not in locked)
        return query.rule((*query.locked_clauses, *learned))
    if isinstance(rule, PointRule):
        there = {frozenset(clause) for clause in query.locked_clauses}
        items = (item for item in rule.items if frozenset(item[0]) not in there)
        return query.point_rule((*query.locked_items, *items), rule.threshold)
    assert isinstance(rule, PairRule)
    pairs = [(clause, query.classes.index(label)) for clause, label in rule.pairs]
    taken = {(frozenset(clause), position) for clause, position in query.locked_pairs}
    others = [(clause, position) for clause, position in pairs if (frozenset(clause), position) not in taken]
    return query.pair_rule([*query.locked_pairs, *others], query.classes.index(rule.default))


def require_room(owner: str, query: Query, start: Rule, room: str = "n_clauses") -> None:
    """Raise ValueError if the start has more clauses than may be learned."""
    if len(start.clauses) > query.n_clauses:
        locked = f" beside {query.n_locked} locked" if query.n_locked else ""
        raise ValueError(
            f"{owner}: start has {len(start.clauses) - query.n_locked} clauses{locked}, but {room}={query.n_free}. "
            "Raise it, or shorten the start."
        )


@contextmanager
def _naming(parameter: str) -> Iterator[None]:
    """Prefix the name of the parameter to the message about a text that is no rule."""
    try:
        yield
    except RuleSyntaxError as error:
        raise ValueError(f"{parameter}: {error}") from None


def _read(text: str, kind: Kind) -> Rule:
    if kind not in FORMULAS:
        return parse_rule(text, kind)
    rule = parse_rule(text)
    if kind == "cnf" and rule.kind == "dnf":
        with suppress(RuleSyntaxError):  # else the caller refuses its kind
            return parse_rule(f"({text})")  # users leave out the brackets around a single clause
    return rule


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
            raise ValueError(f"{parameter} names the class {brief(label)}, but the classes are {list(classes)}.")
