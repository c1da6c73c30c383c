"""Hypothesis strategies for tables as SQL engines hold them, and rules on them."""

import math
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import pairwise, product

import numpy as np
from hypothesis import strategies as st
from support.generated import odd_texts

from imli.rules import CNF, DNF, Checklist, DecisionList, DecisionSet, Score
from imli.rules.literals import OPERATORS, Compare, CompareDate, InInterval, IsIn, IsMissing, IsTrue
from imli.table.dates import moment_of, write_moment

# no NUL, which no engine takes, and no two that differ only in case
names = st.sampled_from(
    ["age", "mean radius", "select", "Order", 'quo"te', '"', "`tick`", "o'clock", "a.b", "--", "/* x */", ";", "%s",
     "?", "$1", "{x}", ":y", "line\nbreak", "back\\slash", "Ünï", "年齢", "ſ", "s", " ", " lead", "42", "true", "NULL",
     "label", "clause", "holding", "row", "cell", "\u2028", "\U0001f600", "n" * 63]
)  # fmt: skip
texts = odd_texts.map(lambda text: text.replace("\0", "")) | st.sampled_from(
    ["NaN", "nan", "null", "A", "A ", "o'clock", "--", "%s", ":x", "\r\n", "\t", "\\", "\\n", "a\\'b", "\U0001f600"]
)

_DOUBLES = [0.0, -0.0, 1.0, 0.1, 0.3, -2.5, 1e300, 5e15, 2.0**53, 2.0**63, -(2.0**63), math.inf, -math.inf]
_DOUBLES += [math.nextafter(0.1, 1), math.nextafter(0.1, 0), math.nextafter(1, 2), math.nextafter(1, 0)]
_WHOLE = [0, 1, -1, 2**53, 2**53 + 1, 2**53 + 2, -(2**53) - 1, 2**62 + 1, 2**63 - 1, 2**63 - 512, -(2**63), 16777217]
_DAYS = [date(1, 1, 1), date(1969, 12, 31), date(2020, 2, 29), date(2021, 1, 1), date(2021, 1, 2), date(9999, 12, 31)]
_TIMES = [
    *(datetime(day.year, day.month, day.day) for day in _DAYS),
    datetime(2020, 2, 29, 12, 30), datetime(2020, 2, 29, 12, 30, 1), datetime(2020, 2, 29, 12, 30, 0, 500000),
    datetime(2021, 1, 1, 0, 0, 0, 1), datetime(9999, 12, 31, 23, 59, 59, 999999),
]  # fmt: skip

# By kind of column, cells that are worth a look.
EXAMPLES = {
    "double": [*_DOUBLES, None, math.nan],
    "single": [np.float32(x) for x in (0.1, 0.3, -2.5, 1, 2**24, 2**24 + 2, 2**53, 2**63, 3e38, math.inf, math.nan)],
    "large": _WHOLE,  # without a gap, which would have a table round them
    "small": [-3, -1, 0, 1, 2, None],
    "decimal": [*map(Decimal, ["0.1", "0.3", "-2.5", "0", "1", "1000.001"]), None],
    "flag": [True, False, None],
    "text": ["a", "A", "A ", "", "NaN", "nan", "o'clock", 'q"q', "a\r\nb", "back\\slash", "%s", "年齢", "\u2028", None],
    "day": [*_DAYS, None],
    "time": [*_TIMES, None],
}
_OTHERS = {
    "double": st.floats(allow_nan=False),
    "single": st.floats(width=32).map(np.float32),
    "large": st.integers(-(2**63), 2**63 - 1),
    "small": st.integers(-3, 3),
    "decimal": st.integers(-(10**6), 10**6).map(lambda n: Decimal(n) / 1000),
    "text": texts,
}
_CELLS = {kind: st.sampled_from(cells) | _OTHERS.get(kind, st.sampled_from(cells)) for kind, cells in EXAMPLES.items()}


def literals_on(kind):
    """Each test that differs from the others on these cells, for a column named x."""
    both, missing = (False, True), [{"or_missing": True}, {"or_missing": False}]
    yield from (IsMissing("x", **m) for m in missing)
    if kind == "text":
        values = [cell for cell in EXAMPLES[kind] if cell is not None]
        chosen = [(value,) for value in values] + [tuple(values[::2])]
        yield from (IsIn("x", some, negated, **m) for some, negated, m in product(chosen, both, missing))
        return
    if kind in ("day", "time"):
        moments = [*map(_write_time, _TIMES)]
        yield from (CompareDate("x", *test, **m) for *test, m in product(OPERATORS, moments, missing))
        return
    yield from (IsTrue("x", negated, **m) for negated, m in product(both, missing))
    if kind == "flag":
        return
    cells = [float(cell) for cell in EXAMPLES[kind] if cell is not None]
    cuts = sorted({cut for cut in [0.5, *_DOUBLES, *_WHOLE, *cells] if math.isfinite(cut)})
    yield from (Compare("x", *test, **m) for *test, m in product(OPERATORS, cuts, missing))
    # a literal keeps whole numbers as integers, of which two may be the same
    ends = [(low, high) for low, high in pairwise(cuts) if _kept(low) < _kept(high)]
    yield from (InInterval("x", *pair, negated, **m) for pair, negated, m in product(ends, both, missing))
    chosen = [(cut,) for cut in cuts] + [tuple(cuts[::3]), (1, 0.5), (2**70 + 1, 0)]
    yield from (IsIn("x", some, negated, **m) for some, negated, m in product(chosen, both, missing))


@dataclass
class Column:
    """A column: its cells as a table has them, and which of an engine's types it has."""

    name: str
    kind: str
    cells: list
    choice: int = 0

    @property
    def as_read(self):
        return np.array(self.cells, dtype=np.float32) if self.kind == "single" else self.cells

    def cell(self, row):
        """A cell as a plain value of Python."""
        cell = self.cells[row]
        return float(cell) if isinstance(cell, np.generic | Decimal) else cell


@st.composite
def columns(draw, n_rows):
    found = []
    for name in draw(st.lists(names, min_size=1, max_size=4, unique=True)):
        kind = draw(st.sampled_from(sorted(_CELLS)))
        cells = draw(st.lists(_CELLS[kind], min_size=n_rows, max_size=n_rows))
        found.append(Column(name, kind, cells, draw(st.integers(0, 9))))
    return found


@st.composite
def _literal(draw, column):
    """A test of this column, mostly around what is in it."""
    or_missing, negated = draw(st.booleans()), draw(st.booleans())
    if draw(st.integers(0, 5)) == 0:
        return IsMissing(column.name, or_missing=or_missing)
    if column.kind == "text":
        values = st.sampled_from([cell for cell in column.cells if cell is not None] or ["a"]) | texts
        chosen = draw(st.lists(values, min_size=1, max_size=3, unique=True))
        return IsIn(column.name, tuple(chosen), negated, or_missing=or_missing)
    if column.kind in ("day", "time"):
        moment = _write_time(draw(st.sampled_from(_TIMES)))
        return CompareDate(column.name, draw(st.sampled_from(OPERATORS)), moment, or_missing=or_missing)
    if column.kind == "flag" or draw(st.integers(0, 5)) == 0:
        return IsTrue(column.name, negated, or_missing=or_missing)
    number = _numbers_around(column)
    test = draw(st.sampled_from([Compare, InInterval, IsIn]))
    if test is Compare:
        return Compare(column.name, draw(st.sampled_from(OPERATORS)), draw(number), or_missing=or_missing)
    values = draw(st.lists(number, min_size=2, max_size=3, unique=True))
    if test is IsIn:
        return IsIn(column.name, tuple(values), negated, or_missing=or_missing)
    low, high = sorted(values)[:2]
    if not _kept(low) < _kept(high):
        high = 1.5e308
    return InInterval(column.name, low, high, negated, or_missing=or_missing)


def _write_time(time):
    return write_moment(moment_of(time))


def _kept(number):
    return Compare("x", "<", number).threshold


def _numbers_around(column):
    cells = [float(cell) if column.kind != "large" else cell for cell in column.cells if cell is not None]
    near = [cell for cell in cells if math.isfinite(cell)]
    near += [math.nextafter(cell, way) for cell in near for way in (-math.inf, math.inf)]
    others = [number for number in [0, 1, 0.5, *_DOUBLES] if math.isfinite(number)]
    others += _WHOLE if column.kind in ("large", "double", "single") else []
    return st.sampled_from([number for number in near + others if _is_exact(number)])


def _is_exact(number):
    # as documented, SQLite reads smaller ones inexactly; and rules take none that are larger
    return number == 0 or 1e-290 < abs(number) < 1.7e308


_LABELS = [
    texts,
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False).filter(_is_exact) | st.integers(-5, 5).map(float),
]


@st.composite
def rules(draw, some_columns):
    """Any rule on these columns, with classes of one type."""
    literal = st.sampled_from(some_columns).flatmap(_literal)
    clause = st.lists(literal, max_size=3).map(tuple)
    label = draw(st.sampled_from(_LABELS))
    kind = draw(st.sampled_from([CNF, DNF, DecisionList, DecisionSet, Score, Checklist]))
    if kind in (Score, Checklist):
        classes = draw(st.lists(label, min_size=2, max_size=2, unique=True))
        points = st.sampled_from([-2, -1, 1, 3]) if kind is Score else st.just(1)
        items = draw(st.lists(st.tuples(clause, points), max_size=4))
        return kind(tuple(items), draw(st.integers(-3, 5)), tuple(classes))
    if kind in (CNF, DNF):
        classes = draw(st.lists(label, min_size=2, max_size=2, unique=True))
        return kind(tuple(draw(st.lists(st.none() | clause, max_size=4))), tuple(classes))
    classes = st.sampled_from(draw(st.lists(label, min_size=1, max_size=3, unique=True)))
    return kind(tuple(draw(st.lists(st.tuples(clause, classes), max_size=5))), draw(classes))


@st.composite
def cases(draw, n_rules=8):
    """A table, and rules on it."""
    found = draw(columns(draw(st.integers(1, 12))))
    return found, draw(st.lists(rules(found), min_size=n_rules, max_size=n_rules))
