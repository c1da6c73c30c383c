import datetime
import sys

import numpy as np
import pytest

from imli import RuleDisplay, parse_rule

TABLE = {
    "age": [*range(20, 60), None],
    "city": ["Bath", "York", "Ely", None] * 10 + ["Bath"],
    "smoker": [True, False] * 20 + [True],
    "seen": [datetime.date(2024, 1, 1) + datetime.timedelta(days=10 * n) for n in range(41)],
}
RISKS = ["low"] * 20 + ["high"] * 21
RULE = parse_rule("IF age > 40 AND smoker OR 30 < age <= 35 OR (city is Ely or missing) THEN high ELSE low")


@pytest.fixture(autouse=True)
def closed():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield
    pyplot.close("all")


def texts(ax):
    return [" ".join(label.get_text().split()) for label in ax.get_yticklabels()]


def strokes(ax):
    """The parts of a column that conditions accept, from the first clause to the last."""
    lines = sorted(ax.lines, key=lambda line: -line.get_ydata()[0])
    return [tuple(round(float(end), 1) for end in line.get_xdata()) for line in lines]


def test_bars_of_the_counts_that_a_rule_has():
    display = RULE.counted_on(TABLE, RISKS).plot()
    assert isinstance(display, RuleDisplay)
    (ax,) = display.axes_
    assert texts(ax) == [
        "1: IF age > 40 AND smoker", "2: OR 30 < age <= 35", "3: OR city is Ely or missing", "THEN high", "ELSE low",
    ]  # fmt: skip
    right, wrong = ([bar.get_width() for bar in bars] for bars in ax.containers)
    assert (right, wrong) == ([9, 0, 10, 14, 8], [0, 5, 10, 12, 7])
    assert [note.get_text() for note in ax.texts] == [
        "100 % of 9",
        "0 % of 5",
        "50 % of 20",
        "54 % of 26",
        "53 % of 15",
    ]
    assert ax.get_xlabel() == "rows"
    assert display.figure_ is ax.figure.figure


def test_columns_are_drawn_with_what_each_clause_accepts():
    bars, age, smoker, city = RULE.plot(TABLE, RISKS).axes_
    assert len(texts(bars)) == 5
    assert [ax.get_title(loc="left") for ax in (age, smoker, city)] == ["age (1 missing)", "smoker", "city"]
    (low, high), (start, end) = strokes(age)
    assert (low, start, end) == pytest.approx((40, 30, 35), abs=0.2)
    assert high == pytest.approx(age.get_xlim()[1], abs=0.1)
    assert [text.get_text() for text in age.texts] == ["2", "1"]  # from below
    assert [label.get_text() for label in smoker.get_xticklabels()] == ["false", "true"]
    assert strokes(smoker) == [(0.6, 1.4)]
    assert [label.get_text() for label in city.get_xticklabels()] == ["Bath", "Ely", "York", "missing"]
    assert strokes(city) == [(0.6, 1.4), (2.6, 3.4)]
    for ax in (smoker, city):  # the bars of a class are shares of its rows
        assert [sum(bar.get_height() for bar in bars) for bars in ax.containers] == pytest.approx([1, 1])


def test_decisions_stand_with_the_clauses_of_lists_and_sets():
    lines = ["1: IF age > 50 THEN high", "2: ELSE IF smoker THEN low", "ELSE high"]
    of_list = parse_rule("IF age > 50 THEN high ELSE IF smoker THEN low ELSE high")
    assert texts(of_list.plot(TABLE, RISKS).axes_[0]) == lines
    of_set = parse_rule("IF age > 50 THEN high IF smoker THEN low OTHERWISE high")
    assert texts(of_set.plot(TABLE, RISKS).axes_[0]) == [
        "1: IF age > 50 THEN high",
        "2: IF smoker THEN low",
        "OTHERWISE high",
    ]


def test_a_cnf_says_whose_rows_its_bars_are():
    bars, age, smoker = parse_rule("IF (age > 40 OR smoker) THEN high ELSE low").plot(TABLE, RISKS).axes_
    assert bars.get_xlabel() == "rows, for a clause those that it rules out"
    assert (len(strokes(age)), strokes(smoker)) == (1, [(0.6, 1.4)])


def test_dates_and_odd_columns():
    rule = parse_rule("IF seen >= 2024-06-01 AND n is not missing AND code > 1 AND none is missing THEN high ELSE low")
    rows = np.arange(41.0)
    table = {**TABLE, "n": np.where(rows > 30, np.nan, rows**9), "code": [1, 2] * 20 + [3], "none": [None] * 41}
    _, seen, n, code, none = rule.plot(table, RISKS).axes_
    ((start, _),) = strokes(seen)
    assert datetime.date(1970, 1, 1) + datetime.timedelta(days=start) == datetime.date(2024, 6, 1)
    assert n.get_title(loc="left") == "n (10 missing)"
    assert [label.get_text() for label in code.get_xticklabels()] == ["1", "2", "3"]
    assert [label.get_text() for label in none.get_xticklabels()] == ["missing"]


def test_of_many_values_the_named_and_the_frequent_are_shown():
    table = {"code": [f"c{n}" for n in range(20) for _ in range(n + 1)]}
    labels = [n % 2 for n in range(len(table["code"]))]
    (_, ax) = parse_rule("IF code is c0 THEN 1 ELSE 0").plot(table, labels).axes_
    assert ax.get_title(loc="left") == "code (10 rarer not shown)"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["c0", *(f"c{n}" for n in range(11, 20))]


@pytest.mark.parametrize("text", ["always", "never"])
def test_a_constant_rule(text):
    display = parse_rule(text).plot({"age": [1, 2, 3]}, [True, False, True])
    assert len(display.axes_) == 1


def test_what_is_missing_is_said(monkeypatch):
    with pytest.raises(ValueError) as error:
        RULE.plot()
    assert str(error.value) == "This rule has no counts to draw. Call rule.plot(X, y) with a table and its labels."
    with pytest.raises(ValueError) as error:
        RULE.plot(TABLE)
    assert str(error.value) == "A rule is drawn with both a table X and its labels y, or with neither."
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ModuleNotFoundError) as error:
        RULE.plot(TABLE, RISKS)
    assert str(error.value) == 'Drawing a rule needs matplotlib. Install it with: pip install "imli[plot]".'
