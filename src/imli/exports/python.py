"""Rules as Python functions that need only Python."""

import keyword
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import ClassVar

from imli.exports.conditions import ConditionWriter, Joined, join, rounded, rounds_cells, single
from imli.rules import Formula, PairRule, PointRule, Rule
from imli.rules.literals import Compare, CompareDate, InInterval, IsIn, IsMissing, IsTrue, Literal
from imli.table.dates import time_of
from imli.table.frame import Value

# Names that the written function uses.
_OWN = {"row", "cell", "moment", "held", "total", "max", "float", "isinstance", "date", "datetime", "timezone"}

_CELL = """
    def cell(name):
        value = row[name]
        return None if value != value else value  # NaN is not even equal to itself
"""
_MOMENT = """
    def moment(name):
        value = cell(name)
        if isinstance(value, date) and not isinstance(value, datetime):
            return datetime(value.year, value.month, value.day)
        if value is not None and value.tzinfo is not None:
            return value.astimezone(timezone.utc).replace(tzinfo=None)
        return value
"""


def write(rule: Rule, *, name: str = "decide") -> str:
    """Write the rule as the source of a function, as documented for ``Rule.to_python``."""
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"name must be a name that a Python function can have. Got {name!r}.")
    writer = _PythonWriter(rule)
    body = _write_body(rule, writer)
    return "".join(
        [
            f"def {name}(row):\n",
            f'    """{_write_docstring(rule)}\n    """\n',
            "    from datetime import date, datetime, timezone\n" if writer.dates else "",
            _CELL if rule.columns else "",
            _MOMENT if writer.dates else "",
            "\n",
            *(f"    {line}\n" for line in writer.cells()),
            "\n" if rule.columns else "",
            *(f"    {line}\n" for line in body),
        ]
    )


def _write_body(rule: Rule, writer: "_PythonWriter") -> Iterator[str]:
    if isinstance(rule, Formula):
        return _write_formula(rule, writer)
    if isinstance(rule, PairRule):
        return _write_pairs(rule, writer)
    if isinstance(rule, PointRule):
        return _write_points(rule, writer)
    raise TypeError(f"There is no Python for rules of the kind {rule.kind!r}.")


def _write_docstring(rule: Rule) -> str:
    text = "Decide for a row, a mapping from column names to values, of which None and NaN are missing.\n\n" + str(rule)
    lines = "".join(map(_escape, text)).replace('"""', r"\"\"\"").split("\n")
    return "\n".join(f"    {line}" if line else "" for line in lines).lstrip()


def _escape(sign: str) -> str:
    if sign == "\\" or not (sign.isprintable() or sign == "\n"):
        return sign.encode("unicode_escape").decode()
    return sign


def _quote(value: Value) -> str:
    """Return a value as Python source, text between double quotes."""
    if not isinstance(value, str):
        return repr(value)
    inner = repr('"' + value)[2:-1]  # the quote makes Python choose single quotes, and escape them
    return '"' + inner.replace(r"\'", "'").replace('"', r"\"") + '"'


def _write_formula(rule: Formula, writer: "_PythonWriter") -> Iterator[str]:
    negative, positive = map(_quote, rule.classes)
    inner, outer = rule.inner.lower(), rule.outer.lower()
    clauses = [writer.clause(clause, inner) for clause in rule.clauses]
    if not clauses:
        yield f"return {positive if outer == 'and' else negative}"
        return
    empty = str(inner == "and")
    if len(clauses) == 1:
        yield f"if {clauses[0].inside(inner) or empty}:"
    else:
        first, *others = (clause.inside(outer) or empty for clause in clauses)
        yield from ["if (", f"    {first}", *(f"    {outer} {clause}" for clause in others), "):"]
    yield f"    return {positive}"
    yield f"return {negative}"


def _write_points(rule: PointRule, writer: "_PythonWriter") -> Iterator[str]:
    negative, positive = map(_quote, rule.classes)
    yield "total = 0"
    for clause, points in rule.items:
        yield f"if {writer.clause(clause, 'and').inside('and') or 'True'}:"
        yield f"    total += {points}"
    yield f"return {positive} if total >= {rule.threshold} else {negative}"


def _write_pairs(rule: PairRule, writer: "_PythonWriter") -> Iterator[str]:
    is_set = rule.kind == "set"
    if is_set:
        yield "held = []  # what the clauses that hold decide for"
    classes = {label: label for label in rule.classes}  # 1 and True are the same class, written as the first of them
    for clause, label in rule.pairs:
        decided = _quote(classes[label])
        yield f"if {writer.clause(clause, 'and').inside('and') or 'True'}:"
        yield f"    held.append({decided})" if is_set else f"    return {decided}"
    # max returns the first of the classes with most votes
    yield f"return {'max(held, key=held.count) if held else ' if is_set else ''}{_quote(rule.default)}"


class _PythonWriter(ConditionWriter):
    """A writer of the clauses of one rule, with a variable for each column."""

    language: ClassVar[str] = "Python"

    def __init__(self, rule: Rule) -> None:
        self.dates = {literal.column for literal in rule.literals if isinstance(literal, CompareDate)}
        self.variables = _name_variables(rule.columns)

    def cells(self) -> Iterator[str]:
        """Yield the lines that read the cells of the columns."""
        for column, variable in self.variables.items():
            yield f"{variable} = {'moment' if column in self.dates else 'cell'}({_quote(column)})"

    def _present(self, literal: Literal, test: Joined) -> Joined:
        """Return a test completed with one for None, on which it would fail with an error."""
        variable = self.variables[literal.column]
        if literal.or_missing:
            return join("or", [single(f"{variable} is None"), test])
        return join("and", [single(f"{variable} is not None"), test])

    def _any(self, literal: IsIn | IsTrue, test: Joined) -> Joined:
        """Return a test that None fails or, if it is negated, passes, completed where that is wrong."""
        return test if literal.negated == literal.or_missing else self._present(literal, test)

    def compare(self, literal: Compare) -> Joined:
        """Return a comparison with a number."""
        variable = self.variables[literal.column]
        return self._present(literal, single(_compare(variable, literal.operator, literal.threshold)))

    def date(self, literal: CompareDate) -> Joined:
        """Return a comparison with a date."""
        time = time_of(literal.cuts[0])
        parts = [time.year, time.month, time.day, time.hour, time.minute, time.second, time.microsecond]
        while len(parts) > 3 and not parts[-1]:
            parts.pop()
        written = f"datetime({', '.join(map(str, parts))})"
        return self._present(literal, single(f"{self.variables[literal.column]} {literal.operator} {written}"))

    def interval(self, literal: InInterval) -> Joined:
        """Return the test of an interval."""
        variable, low, high = self.variables[literal.column], literal.low, literal.high
        if _is_plain(low) and _is_plain(high):
            return self._present(literal, single(f"{'not ' * literal.negated}{low!r} <= {variable} < {high!r}"))
        ends = (("<", low), (">=", high)) if literal.negated else ((">=", low), ("<", high))
        comparisons = tuple(_compare(variable, *end) for end in ends)
        return self._present(literal, Joined("or" if literal.negated else "and", comparisons))

    def values(self, literal: IsIn) -> Joined:
        """Return the test of a list of values."""
        variable, values = self.variables[literal.column], literal.values
        plain = [_quote(value) for value in values if isinstance(value, str) or _is_plain(value)]
        large = [value for value in values if not isinstance(value, str) and not _is_plain(value)]
        equal = "!=" if literal.negated else "=="
        conditions = [_compare(variable, equal, value) for value in large]
        if len(plain) == 1:
            conditions.append(f"{variable} {equal} {plain[0]}")
        elif plain:
            conditions.append(f"{variable} {'not in' if literal.negated else 'in'} ({', '.join(plain)})")
        test = Joined("and" if literal.negated else "or", tuple(conditions))
        return self._present(literal, test) if large else self._any(literal, test)

    def truth(self, literal: IsTrue) -> Joined:
        """Return the test of a truth value."""
        equal = "!=" if literal.negated else "=="
        return self._any(literal, single(f"{self.variables[literal.column]} {equal} 1"))

    def missing(self, literal: IsMissing) -> Joined:
        """Return the test for missing cells."""
        return single(f"{self.variables[literal.column]} is {'' if literal.or_missing else 'not '}None")


def _is_plain(number: int | float) -> bool:
    """Return True if comparisons with a number in Python have the results of ``Literal.holds``."""
    return not rounds_cells(number) and rounded(number) is None


def _compare(variable: str, operator: str, number: int | float) -> str:
    if rounds_cells(number):
        return f"float({variable}) {operator} {number!r}"
    if (nearest := rounded(number)) is not None:
        return f"{variable} {operator} ({nearest!r} if isinstance({variable}, float) else {number!r})"
    return f"{variable} {operator} {number!r}"


def _name_variables(columns: Iterable[str]) -> dict[str, str]:
    """Return for each column a Python name that is close to its own."""
    found: dict[str, str] = {}
    for number, column in enumerate(columns):
        # Python normalizes names to this form, so names with the same form would collide
        base = re.sub(r"\W+", "_", unicodedata.normalize("NFKC", column)).strip("_")
        variable = next(name for name in (base, f"x_{base or number}", f"x_{number}") if name.isidentifier())
        while variable in found.values() or variable in _OWN or keyword.iskeyword(variable):
            variable = f"{variable}_{number}"
        found[column] = variable
    return found
