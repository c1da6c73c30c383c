"""Rules as Python functions that need nothing but Python."""

import keyword
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from imli.exports.dialects import Joined, join, rounded, rounds_cells, single
from imli.rules import Clause, DecisionList, DecisionSet, Formula, PairRule, Rule
from imli.rules.literals import Compare, CompareDate, InInterval, IsIn, IsMissing, IsTrue, Literal
from imli.table.dates import time_of
from imli.table.frame import Value

# Names that the function uses itself.
_OWN = {"row", "cell", "moment", "held", "max", "float", "isinstance", "date", "datetime", "timezone"}

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
    """The rule as the source of a function; ``Rule.to_python`` says what it expects.

    >>> from imli import parse_rule
    >>> print(write(parse_rule("IF smoker THEN high ELSE low")))
    def decide(row):
        \"\"\"Decide for a row, a mapping from column names to values, of which None and NaN are missing.
    <BLANKLINE>
        IF    smoker
        THEN  high
        ELSE  low
        \"\"\"
    <BLANKLINE>
        def cell(name):
            value = row[name]
            return None if value != value else value  # NaN is not even equal to itself
    <BLANKLINE>
        smoker = cell("smoker")
    <BLANKLINE>
        if smoker == 1:
            return "high"
        return "low"
    <BLANKLINE>
    """
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"name must be a name that a Python function can have. Got {name!r}.")
    writer = _Writer(rule)
    return "".join(
        [
            f"def {name}(row):\n",
            f'    """{_docstring(rule)}\n    """\n',
            "    from datetime import date, datetime, timezone\n" if writer.dates else "",
            _CELL if rule.columns else "",
            _MOMENT if writer.dates else "",
            "\n",
            *(f"    {line}\n" for line in writer.cells()),
            "\n" if rule.columns else "",
            *(f"    {line}\n" for line in _body(rule, writer)),
        ]
    )


def _docstring(rule: Rule) -> str:
    text = "Decide for a row, a mapping from column names to values, of which None and NaN are missing.\n\n" + str(rule)
    lines = "".join(map(_escape, text)).replace('"""', r"\"\"\"").split("\n")
    return "\n".join(f"    {line}" if line else "" for line in lines).lstrip()


def _escape(sign: str) -> str:
    if sign == "\\" or not (sign.isprintable() or sign == "\n"):
        return sign.encode("unicode_escape").decode()
    return sign


def _quoted(value: Value) -> str:
    """A value as Python reads it, text between double quotes."""
    if not isinstance(value, str):
        return repr(value)
    inner = repr('"' + value)[2:-1]  # the quote makes Python choose single quotes, and escape them
    return '"' + inner.replace(r"\'", "'").replace('"', r"\"") + '"'


def _body(rule: Rule, writer: "_Writer") -> Iterator[str]:
    if isinstance(rule, Formula):
        yield from _formula(rule, writer)
    elif isinstance(rule, DecisionList):
        for condition, label in _pair_conditions(rule, writer):
            yield f"if {condition}:"
            yield f"    return {label}"
        yield f"return {_quoted(rule.default)}"
    elif isinstance(rule, DecisionSet):
        yield from _set(rule, writer)
    else:
        raise TypeError(f"There is no Python for rules of the kind {rule.kind!r}.")


def _formula(rule: Formula, writer: "_Writer") -> Iterator[str]:
    negative, positive = map(_quoted, rule.classes)
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


def _set(rule: DecisionSet, writer: "_Writer") -> Iterator[str]:
    yield "held = []  # what the clauses that hold decide for"
    for condition, label in _pair_conditions(rule, writer):
        yield f"if {condition}:"
        yield f"    held.append({label})"
    # the first of those that are said most often
    yield f"return max(held, key=held.count) if held else {_quoted(rule.default)}"


def _pair_conditions(rule: PairRule, writer: "_Writer") -> Iterator[tuple[str, str]]:
    classes = {label: label for label in rule.classes}  # 1 and True are the same class, whichever stands first
    for clause, label in rule.pairs:
        yield writer.clause(clause, "and").inside("and") or "True", _quoted(classes[label])


class _Writer:
    """Writes clauses of one rule, each column as a variable."""

    def __init__(self, rule: Rule) -> None:
        self.dates = {literal.column for literal in rule.literals if isinstance(literal, CompareDate)}
        self.variables = _variables(rule.columns)

    def cells(self) -> Iterator[str]:
        """The lines that look the columns up."""
        for column, variable in self.variables.items():
            yield f"{variable} = {'moment' if column in self.dates else 'cell'}({_quoted(column)})"

    def clause(self, clause: Clause, word: str) -> Joined:
        """A clause with this word between its literals; no conditions if it has none."""
        return join(word, map(self.test, clause))

    def test(self, literal: Literal) -> Joined:
        if type(literal) not in TESTS:
            raise TypeError(f"There is no Python for the literal '{literal}'.")
        test: Joined = TESTS[type(literal)](self, literal)
        return test

    def _present(self, literal: Literal, test: Joined) -> Joined:
        """A test that cannot be asked of None."""
        variable = self.variables[literal.column]
        if literal.or_missing:
            return join("or", [single(f"{variable} is None"), test])
        return join("and", [single(f"{variable} is not None"), test])

    def _any(self, literal: IsIn | IsTrue, test: Joined) -> Joined:
        """A test that None fails or, if it is negated, passes."""
        return test if literal.negated == literal.or_missing else self._present(literal, test)

    def compare(self, literal: Compare) -> Joined:
        variable = self.variables[literal.column]
        return self._present(literal, single(_comparison(variable, literal.operator, literal.threshold)))

    def date(self, literal: CompareDate) -> Joined:
        time = time_of(literal.cuts[0])
        parts = [time.year, time.month, time.day, time.hour, time.minute, time.second, time.microsecond]
        while len(parts) > 3 and not parts[-1]:
            parts.pop()
        written = f"datetime({', '.join(map(str, parts))})"
        return self._present(literal, single(f"{self.variables[literal.column]} {literal.operator} {written}"))

    def interval(self, literal: InInterval) -> Joined:
        variable, low, high = self.variables[literal.column], literal.low, literal.high
        if _is_plain(low) and _is_plain(high):
            return self._present(literal, single(f"{'not ' * literal.negated}{low!r} <= {variable} < {high!r}"))
        ends = (("<", low), (">=", high)) if literal.negated else ((">=", low), ("<", high))
        comparisons = tuple(_comparison(variable, *end) for end in ends)
        return self._present(literal, Joined("or" if literal.negated else "and", comparisons))

    def values(self, literal: IsIn) -> Joined:
        variable, values = self.variables[literal.column], literal.values
        plain = [_quoted(value) for value in values if isinstance(value, str) or _is_plain(value)]
        large = [value for value in values if not isinstance(value, str) and not _is_plain(value)]
        equal = "!=" if literal.negated else "=="
        conditions = [_comparison(variable, equal, value) for value in large]
        if len(plain) == 1:
            conditions.append(f"{variable} {equal} {plain[0]}")
        elif plain:
            conditions.append(f"{variable} {'not in' if literal.negated else 'in'} ({', '.join(plain)})")
        test = Joined("and" if literal.negated else "or", tuple(conditions))
        return self._present(literal, test) if large else self._any(literal, test)

    def truth(self, literal: IsTrue) -> Joined:
        equal = "!=" if literal.negated else "=="
        return self._any(literal, single(f"{self.variables[literal.column]} {equal} 1"))

    def missing(self, literal: IsMissing) -> Joined:
        return single(f"{self.variables[literal.column]} is {'' if literal.or_missing else 'not '}None")


TESTS: dict[type[Literal], Callable[[_Writer, Any], Joined]] = {
    Compare: _Writer.compare,
    CompareDate: _Writer.date,
    InInterval: _Writer.interval,
    IsIn: _Writer.values,
    IsMissing: _Writer.missing,
    IsTrue: _Writer.truth,
}


def _is_plain(number: int | float) -> bool:
    """Whether Python compares with this number as ``Literal.holds`` does."""
    return not rounds_cells(number) and rounded(number) is None


def _comparison(variable: str, operator: str, number: int | float) -> str:
    if rounds_cells(number):
        return f"float({variable}) {operator} {number!r}"
    if (nearest := rounded(number)) is not None:
        return f"{variable} {operator} ({nearest!r} if isinstance({variable}, float) else {number!r})"
    return f"{variable} {operator} {number!r}"


def _variables(columns: Iterable[str]) -> dict[str, str]:
    """A name for each column that Python takes, as near as possible to its own."""
    found: dict[str, str] = {}
    for number, column in enumerate(columns):
        # Python reads names in this form, so others that become the same are the same to it
        base = re.sub(r"\W+", "_", unicodedata.normalize("NFKC", column)).strip("_")
        variable = next(name for name in (base, f"x_{base or number}", f"x_{number}") if name.isidentifier())
        while variable in found.values() or variable in _OWN or keyword.iskeyword(variable):
            variable = f"{variable}_{number}"
        found[column] = variable
    return found
