"""Hypothesis strategies for names, literals, rules and tables, odd ones included."""

import math
from datetime import date, datetime

import numpy as np
from hypothesis import strategies as st

from imli.rules import CNF, DNF, Checklist, Counts, DecisionList, DecisionSet, Score
from imli.rules.literals import OPERATORS, Compare, CompareDate, InInterval, IsIn, IsMissing, IsTrue
from imli.table.dates import EARLIEST, LATEST, write_moment
from imli.table.read import as_frame

odd_texts = st.sampled_from(
    ["a", "mean radius", "is", "a or b", "NOT", "`tick`", 'quo"te', "x < 3", "42", "1,000", "", " lead", "two  spaces",
     "line\nbreak", "back\\slash", "(b)", "Ünï", "年齢", "and,", "missing", "IF", "a.b-c", "ſ", "\u2028", "-5", ">50K",
     "neither", "nor", "neither a nor b", "or missing", "a (or missing)", "covers 5 rows"]
)  # fmt: skip
# words of the grammar of rules, and others that could be taken for one
grammar = st.sampled_from(
    ["IF", "if", "THEN", "ELSE", "OTHERWISE", "AND", "OR", "or", "and", "not", "is", "neither", "nor",
     "missing", "true", "False", "always", "never", "<", "<=", ">", ">=", "=", "12", "-3", "1,234.5", "1e5",
     ".5", "5.", "nan", "inf", "2024-01-01", "2024-02-30", "10:00", "0x1f", "１２", "²", "(", ")", "(or",
     "missing)", "`", '"', ",", "a", "b", "a,", "covers", "rules", "out", "5", "rows", "a<b", "age>3",
     "\u202e", "\u200b", "\x1b[2J", "\xa0", "--", "#", "$"]
)  # fmt: skip
phrases = st.builds(str.join, st.sampled_from([" ", "", "  "]), st.lists(grammar, max_size=4))
texts = odd_texts | st.text(max_size=8) | phrases

numbers = st.integers(-(10**6), 10**6) | st.floats(allow_nan=False, allow_infinity=False)

# each kind of column under a name of its own, so that literals and tables fit together
COLUMNS = {"number": "mean radius", "text": 'odd "name"', "flag": "is it so?", "date": "signed on"}
moments = ["1969-12-31", "2020-02-29 12:30", "2021-01-01", "2021-01-01 00:00:00.000001"]
category_values = ["red", "dark blue", "3", "or", ">50K", "missing", "nor"]


def literals(names=None):
    """Any literal; with ``names``, on columns of the right kind."""
    number, text, flag, date = (st.just(name) if names else texts for name in COLUMNS.values())
    moment = st.sampled_from(moments) if names else st.integers(EARLIEST, LATEST).map(write_moment)
    cut = st.sampled_from([-1.5, 0, 1, 2.25, 1e300]) if names else numbers
    categories = st.sampled_from(category_values) if names else texts
    return st.one_of(
        st.builds(Compare, number, st.sampled_from(OPERATORS), cut, or_missing=st.booleans()),
        st.tuples(cut, cut)
        .filter(lambda ends: ends[0] < ends[1])
        .flatmap(
            lambda ends: st.builds(InInterval, number, *map(st.just, ends), st.booleans(), or_missing=st.booleans())
        ),
        st.builds(
            IsIn,
            text,
            st.lists(categories, min_size=1, max_size=4, unique=True).map(tuple),
            st.booleans(),
            or_missing=st.booleans(),
        ),
        st.builds(
            IsIn,
            number,
            st.lists(cut, min_size=1, max_size=4, unique=True).map(tuple),
            st.booleans(),
            or_missing=st.booleans(),
        ),
        st.builds(CompareDate, date, st.sampled_from(OPERATORS), moment, or_missing=st.booleans()),
        st.builds(IsTrue, flag, st.booleans(), or_missing=st.booleans()),
        st.builds(IsMissing, number | text | flag | date, or_missing=st.booleans()),
    )


labels = st.booleans() | texts | st.integers(-5, 5) | st.floats(allow_nan=False, allow_infinity=False)


def rules(names=None, labels=labels):
    """Any CNF or DNF, with unused slots, empty clauses and odd class names."""
    clause = st.lists(literals(names), max_size=4).map(tuple)
    return st.builds(
        lambda kind, slots, classes, target: kind(tuple(slots), classes, target),
        st.sampled_from([CNF, DNF]),
        st.lists(st.none() | clause, max_size=4),
        st.tuples(labels, labels).filter(lambda pair: pair[0] != pair[1]),
        st.none() | texts,
    )


def pair_rules(names=None, labels=labels):
    """Any decision list or set."""
    clause = st.lists(literals(names), max_size=3).map(tuple)
    return st.builds(
        lambda kind, pairs, default, target: kind(tuple(pairs), default, target),
        st.sampled_from([DecisionList, DecisionSet]),
        st.lists(st.tuples(clause, labels), max_size=4),
        labels,
        st.none() | texts,
    )


def point_rules(names=None, labels=labels):
    """Any score or checklist."""
    clause = st.lists(literals(names), max_size=3).map(tuple)
    points = st.integers(-5, 5).filter(bool) | st.sampled_from([-1000, 1000])
    classes = st.tuples(labels, labels).filter(lambda pair: pair[0] != pair[1])
    rest = st.integers(-1500, 1500) | st.integers(-3, 4), classes, st.none() | texts
    return st.builds(Score, st.lists(st.tuples(clause, points), max_size=4).map(tuple), *rest) | st.builds(
        Checklist, st.lists(st.tuples(clause, st.just(1)), max_size=4).map(tuple), *rest
    )


@st.composite
def counted(draw, some_rules):
    """The same rules with counts, as whole numbers or fractions, none of which need fit together."""
    rule = draw(some_rules)
    count = st.integers(0, 10**6).map(float) | st.floats(0, 1e6)
    n_clauses, n_classes, n_regions = len(rule.clauses), len(rule.classes), len(rule.region_classes)
    by_clause = st.lists(count, min_size=n_clauses, max_size=n_clauses).map(tuple)
    right, wrong, only_here = draw(by_clause), draw(by_clause), draw(by_clause)
    covered = tuple(map(sum, zip(right, wrong, strict=True)))
    region = st.lists(count, min_size=n_classes, max_size=n_classes).map(tuple)
    if n_regions > 50:  # of which most are alike
        regions = st.lists(region, min_size=1, max_size=9).map(lambda some: tuple((some * n_regions)[:n_regions]))
    else:
        regions = st.lists(region, min_size=n_regions, max_size=n_regions).map(tuple)
    return rule.with_counts(Counts(rule.classes, covered, right, only_here, draw(regions), draw(count)))


@st.composite
def tables(draw):
    """A table with the columns of COLUMNS, missing cells and infinities included."""
    n_rows = draw(st.integers(1, 8))
    cells = {
        "number": st.sampled_from([-1.5, -1.0, 0.0, 1.0, 2.0, 2.25, math.inf, -math.inf, math.nan]),
        "text": st.sampled_from([*category_values, "unseen", None]),
        "flag": st.sampled_from([True, False, None]),
        "date": st.sampled_from([*map(datetime.fromisoformat, moments), date(2020, 2, 29), None]),
    }
    data = {}
    for kind, name in COLUMNS.items():
        drawn = draw(st.lists(cells[kind], min_size=n_rows, max_size=n_rows))
        column = np.empty(n_rows, dtype=object)
        column[:] = drawn
        data[name] = column.astype(float) if kind == "number" else column
    # a column of nothing but missing cells has no kind of its own
    data[COLUMNS["text"]] = _with_one(data[COLUMNS["text"]], "red")
    return as_frame(data)


def _with_one(cells, value):
    if all(cell is None for cell in cells):
        cells[0] = value
    return cells
