"""Rules as SQL expressions.

NULL is missing. Each condition is true, or else false or NULL, which AND, OR, WHEN and WHERE treat alike; so only
single comparisons are negated. Thresholds are written so that columns of all numeric types are compared with the
results of ``Literal.holds``: fractions in double precision, whole numbers exactly.
"""

from collections.abc import Iterable
from typing import ClassVar

from imli.exports.conditions import EXACT, ConditionWriter, Joined, join, single
from imli.exports.dialects import DIALECTS, Dialect
from imli.rules import Clause, Formula, PairRule, PointRule, Rule
from imli.rules.literals import Compare, CompareDate, InInterval, IsIn, IsMissing, IsTrue, Literal
from imli.rules.notation import listing
from imli.table.frame import Value


def write(rule: Rule, *, dialect: str = "duckdb", nan_is_missing: bool = True) -> str:
    """Write the rule as an SQL expression, as documented for ``Rule.to_sql``."""
    if dialect not in DIALECTS:
        known = listing([repr(name) for name in DIALECTS])
        raise ValueError(f"dialect must be {known}. Got {dialect!r}.")
    engine = DIALECTS[dialect]
    engine.check_names(rule.columns)
    writer = _SQLWriter(engine, rule, nan_is_missing)
    labels = _write_labels(rule, engine)
    if isinstance(rule, Formula):
        return _write_formula(rule, writer, labels)
    if isinstance(rule, PointRule):
        return _write_points(rule, writer, labels)
    if not isinstance(rule, PairRule):
        raise TypeError(f"There is no SQL for rules of the kind {rule.kind!r}.")
    # where all clauses of a set vote for one class, their order does not matter
    is_vote = rule.kind == "set" and len({label for _, label in rule.pairs}) > 1
    return _write_set(rule, writer, labels) if is_vote else _write_list(rule, writer, labels)


def _write_formula(rule: Formula, writer: "_SQLWriter", labels: dict[Value, str]) -> str:
    always, never = writer.dialect.true, writer.dialect.false
    found = [writer.clause(clause, rule.inner) for clause in rule.clauses]
    around = rule.outer if len(found) > 1 else rule.inner  # one clause alone needs no parentheses
    empty = always if rule.inner == "AND" else never
    clauses = [clause.inside(around) or empty for clause in found] or [always if rule.outer == "AND" else never]
    negative, positive = (labels[label] for label in rule.classes)
    return "\n".join(
        [
            "CASE",
            f"  WHEN {clauses[0]}",
            *(f"{rule.outer:>6} {clause}" for clause in clauses[1:]),
            f"  THEN {positive}",
            f"  ELSE {negative}",
            "END",
        ]
    )


def _write_points(rule: PointRule, writer: "_SQLWriter", labels: dict[Value, str]) -> str:
    """Write the sum of a CASE for each item, compared with the threshold."""
    tests = [writer.clause(clause, "AND").inside("AND") or writer.dialect.true for clause in rule.clauses]
    parts = [f"CASE WHEN {test} THEN {points} ELSE 0 END" for test, points in zip(tests, rule.points, strict=True)]
    first, *others = parts or ["0"]
    negative, positive = (labels[label] for label in rule.classes)
    return "\n".join(
        [
            "CASE",
            f"  WHEN {first}",
            *(f"     + {part}" for part in others),
            f"    >= {rule.threshold}",
            f"  THEN {positive}",
            f"  ELSE {negative}",
            "END",
        ]
    )


def _write_list(rule: PairRule, writer: "_SQLWriter", labels: dict[Value, str]) -> str:
    if not rule.pairs:
        return f"CASE\n  WHEN {writer.dialect.true} THEN {labels[rule.default]}\nEND"
    lines = [f"  WHEN {clause} THEN {labels[label]}" for clause, label in _pair_conditions(rule, writer)]
    return "\n".join(["CASE", *lines, f"  ELSE {labels[rule.default]}", "END"])


def _write_set(rule: PairRule, writer: "_SQLWriter", labels: dict[Value, str]) -> str:
    """Write a subquery of the class of most clauses that hold; among equals, of the one whose clause is first."""
    # in some engines these names would hide columns of the table with the same name
    taken = {name.lower() for name in rule.columns}
    clause, label = (_free_name(name, taken) for name in ("clause", "label"))
    first, *others = (
        (f"{number}", labels[decided], condition)
        for number, (condition, decided) in enumerate(_pair_conditions(rule, writer), start=1)
    )
    lines = [
        "COALESCE(",
        f"  (SELECT {label}",
        "   FROM (",
        f"     SELECT {first[0]} AS {clause}, {first[1]} AS {label} WHERE {first[2]}",
        *(f"     UNION ALL SELECT {number}, {decided} WHERE {condition}" for number, decided, condition in others),
        "   ) AS holding",
        f"   GROUP BY {label}",
        f"   ORDER BY COUNT(*) DESC, MIN({clause})",
        "   LIMIT 1),",
        f"  {labels[rule.default]}",
        ")",
    ]
    return "\n".join(lines)


def _pair_conditions(rule: PairRule, writer: "_SQLWriter") -> Iterable[tuple[str, Value]]:
    for clause, label in rule.pairs:
        yield writer.clause(clause, "AND").inside("AND") or writer.dialect.true, label


def _free_name(name: str, taken: Iterable[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _write_labels(rule: Rule, dialect: Dialect) -> dict[Value, str]:
    """Return the text of the rule's classes, all of one SQL type."""
    classes = rule.classes
    kinds = {next(kind for kind in (bool, str, int | float) if isinstance(label, kind)): label for label in classes}
    if len(kinds) > 1:
        shown = listing([repr(label) for label in kinds.values()], "and")
        raise ValueError(
            f"The classes {shown} are of different types, but an SQL column has one type. "
            "Make all of them text, all numbers or all truth values."
        )
    if bool in kinds:
        return {label: dialect.true if label else dialect.false for label in classes}
    if str in kinds:
        return {label: dialect.text(str(label)) for label in classes}
    numbers = [label for label in classes if not isinstance(label, str)]
    as_double = any(isinstance(number, float) for number in numbers)
    for number in numbers:
        if float(number) != number if as_double else not -(2**63) <= number < 2**63:
            held = "double precision, like the other classes" if as_double else "64 bits"
            raise ValueError(f"SQL cannot hold the class {number} in {held}. Rename it.")
    return {number: dialect.double(float(number)) if as_double else str(number) for number in numbers}


class _SQLWriter(ConditionWriter):
    """A writer of the clauses of one rule in one dialect: conditions are true, or else false or NULL."""

    language: ClassVar[str] = "SQL"

    def __init__(self, dialect: Dialect, rule: Rule, nan_is_missing: bool) -> None:
        self.dialect = dialect
        self.nan = dialect.nan if nan_is_missing else None
        self.kinds = {literal.column: literal.reads for literal in rule.literals if not isinstance(literal, _ANY_TYPE)}

    def clause(self, clause: Clause, word: str) -> Joined:
        tests = [self.test(literal) for literal in clause]
        # an upper end excludes NaN, also for the lower end, of which the comparison suffices then
        bounded = {literal.column for literal in clause if _has_upper_end(literal)} if word == "AND" else set()
        for place, literal in enumerate(clause):
            if literal.column in bounded and _is_lower_end(literal):
                tests[place] = single(tests[place].conditions[0])
        return join(word, tests)

    def with_missing(self, literal: Literal, test: Joined, accepts_nan: bool | None = None) -> Joined:
        """Return a test completed for missing cells; ``accepts_nan`` is None if NaN needs nothing."""
        name = self.dialect.name(literal.column)
        lacking = []
        if literal.or_missing:
            lacking.append(f"{name} IS NULL")
        if self.nan and accepts_nan is not None and accepts_nan != literal.or_missing:
            lacking.append(f"{name} {'=' if literal.or_missing else '<>'} {self.nan}")
        word = "OR" if literal.or_missing else "AND"
        return join(word, [test, Joined(word, tuple(lacking))]) if lacking else test

    def compare(self, literal: Compare) -> Joined:
        """Return a comparison with a number."""
        condition = self.dialect.comparison(self.dialect.name(literal.column), literal.operator, literal.threshold)
        # the engines sort NaN above all numbers
        return self.with_missing(literal, single(condition), accepts_nan=literal.direction > 0)

    def date(self, literal: CompareDate) -> Joined:
        """Return a comparison with a date."""
        name = self.dialect.name(literal.column)
        return self.with_missing(literal, single(self.dialect.date_comparison(name, literal.operator, literal.moment)))

    def interval(self, literal: InInterval) -> Joined:
        """Return the test of an interval."""
        operators = ("<", ">=") if literal.negated else (">=", "<")
        name = self.dialect.name(literal.column)
        ends = (self.dialect.comparison(name, *end) for end in zip(operators, (literal.low, literal.high), strict=True))
        test = Joined("OR" if literal.negated else "AND", tuple(ends))
        return self.with_missing(literal, test, accepts_nan=literal.negated)

    def values(self, literal: IsIn) -> Joined:
        """Return the test of a list of values."""
        name, dialect = self.dialect.name(literal.column), self.dialect
        if literal.reads == "text":
            texts = [dialect.text(str(value)) for value in literal.values]
            return self.with_missing(literal, single(dialect.choice(name + dialect.collation, texts, literal.negated)))
        numbers = [value for value in literal.values if not isinstance(value, str)]
        written = [dialect.number(value) for value in numbers if abs(value) < EXACT]
        if self.nan and literal.negated != literal.or_missing:
            written.append(self.nan)
        conditions = [dialect.choice(name, written, literal.negated)] if written else []
        # one by one, since the numbers of a list would be rounded to one type
        operator = "<>" if literal.negated else "="
        conditions += [dialect.comparison(name, operator, value) for value in numbers if abs(value) >= EXACT]
        return self.with_missing(literal, Joined("AND" if literal.negated else "OR", tuple(conditions)))

    def truth(self, literal: IsTrue) -> Joined:
        """Return the test of a truth value."""
        or_nan = self.nan is not None and literal.negated != literal.or_missing
        name = self.dialect.name(literal.column)
        return self.with_missing(literal, single(self.dialect.truth(name, literal.negated, or_nan)))

    def missing(self, literal: IsMissing) -> Joined:
        """Return the test for missing cells."""
        name, is_missing = self.dialect.name(literal.column), literal.or_missing
        word = "OR" if is_missing else "AND"
        null = single(f"{name} IS {'' if is_missing else 'NOT '}NULL")
        kind = self.kinds.get(literal.column)
        if self.nan is None or kind in ("text", "date"):
            return null
        if kind == "number":
            return join(word, [null, single(self.dialect.choice(name, [self.nan], not is_missing))])
        return join(word, [null, self.dialect.nan_in_any_type(name, not is_missing)])


# Literals for columns of several types, which do not show the type of their column.
_ANY_TYPE = (IsMissing, IsTrue)


def _is_lower_end(literal: Literal) -> bool:
    return isinstance(literal, Compare) and not literal.or_missing and literal.direction > 0


def _has_upper_end(literal: Literal) -> bool:
    is_upper = isinstance(literal, Compare) and literal.direction < 0
    is_inside = isinstance(literal, InInterval) and not literal.negated
    return (is_upper or is_inside) and not literal.or_missing
