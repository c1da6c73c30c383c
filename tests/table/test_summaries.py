"""Summaries of parts add up to those of the whole, and literals come from them alone."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imli.learning.vocabulary import Binning, finer_in, windows_of
from imli.rules.literals import Compare
from imli.table import summaries as valuecounts
from imli.table.read import as_frame
from imli.table.summaries import Summary, ValueCounts, summarize

NUMBERS = st.sampled_from(["normal", "wide", "whole", "halves", "odd"])


def numbers_of(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    if kind == "normal":
        return rng.normal(size=n)
    if kind == "wide":
        return rng.normal(size=n) * 10.0 ** rng.integers(-200, 200, n)
    if kind == "whole":
        return rng.integers(-500, 500, n)
    if kind == "halves":
        return rng.integers(-9, 9, n) / 2
    return rng.choice([np.inf, -np.inf, 0.0, -0.0, 1.5, 1e300, 5e-324], n)


@settings(max_examples=300, deadline=None)
@given(NUMBERS, st.integers(1, 300), st.integers(2, 60), st.integers(0, 10**6), st.booleans(), st.booleans())
def test_counts_of_parts_are_those_of_the_whole(kind, n, most, seed, with_labels, with_weights):
    rng = np.random.default_rng(seed)
    numbers = numbers_of(kind, n, rng)
    weights = rng.integers(1, 4, n) if with_weights else np.ones(n, dtype=np.int64)
    labels, n_classes = (rng.integers(0, 3, n), 3) if with_labels else (None, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(valuecounts, "MOST_VALUES", most)

        def counted(rows):
            return ValueCounts.of(
                numbers[rows], weights[rows], None, None if labels is None else labels[rows], n_classes
            )

        whole = counted(slice(None))
        part_of = rng.integers(0, 4, n)
        found = reduce(ValueCounts.merge, [counted(part_of == part) for part in rng.permutation(4)])
        # and that order does not matter either, since a part has no say in how finely another is counted
        assert found.level == whole.level
        for name in ("low", "high", "weights"):
            assert np.array_equal(getattr(found, name), getattr(whole, name))
    assert len(whole) <= most
    assert whole.totals.sum() == weights.sum()
    assert (whole.low <= whole.high).all()
    assert (whole.high[:-1] < whole.low[1:]).all()
    if len(np.unique(numbers)) <= most:
        assert whole.level == 0
        assert whole.low.tolist() == sorted(set(numbers.tolist()))
    for low, high, total in zip(whole.low, whole.high, whole.totals, strict=True):
        assert weights[(numbers >= low) & (numbers <= high)].sum() == total


@st.composite
def tables(draw):
    n = draw(st.integers(4, 200))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    gaps = rng.random(n) < draw(st.sampled_from([0.0, 0.02, 0.3]))

    def with_gaps(values, gap=None):
        return [gap if is_gap else value for value, is_gap in zip(values.tolist(), gaps, strict=True)]

    columns = {
        "number": numbers_of(draw(NUMBERS), n, rng),
        "whole": with_gaps(rng.integers(0, 300, n)),
        "text": with_gaps(rng.choice(list("abcdefgh"), n)),
        "flag": with_gaps(rng.random(n) < 0.5),
        "date": rng.integers(10**9, 10**9 + 10**7, n).astype("datetime64[s]"),
        "nothing": [None] * n,
    }
    frame = as_frame(columns)
    weights = rng.integers(1, 4, n) if draw(st.booleans()) else np.ones(n, dtype=np.int64)
    labels = np.append(rng.integers(0, 3, n - 1), 2)  # so that all three classes are known to be there
    return frame, weights, labels, rng.integers(0, 3, n)


@pytest.mark.parametrize("binning", ["quantile", "uniform", "supervised"])
@pytest.mark.parametrize("intervals", ["open", "closed"])
@settings(max_examples=40, deadline=None)
@given(tables(), st.sampled_from([7, 20, 2**16]))
def test_literals_of_parts_are_those_of_the_whole(binning, intervals, table, most):
    frame, weights, labels, part_of = table
    binning = Binning(6, binning, intervals)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(valuecounts, "MOST_VALUES", most)
        parts = []
        for part in range(3):
            some = np.flatnonzero(part_of == part)
            if len(some):
                by_class = binning.looks_at_classes
                parts.append(summarize(frame.take(some), weights[some], labels[some], 3, classes_of_numbers=by_class))
        literals = binning.literals(frame, weights.astype(float), labels)
        whole = {name: reduce(Summary.merge, [part[name] for part in parts]) for name in frame.names}
        assert binning.literals_of(whole) == literals
        used = [literal for literal in literals if isinstance(literal, Compare)][:3]
        windows = windows_of(used, literals)
        rows = [(frame.take(np.flatnonzero(part_of == part)), weights[part_of == part]) for part in range(3)]
        counts = [reduce(ValueCounts.merge, [window.counts(*part) for part in rows]) for window in windows]
        assert finer_in(windows, counts) == binning.finer(frame, weights.astype(float), used, literals)


def test_a_column_of_two_kinds_is_refused():
    ones = np.ones(2, dtype=np.int64)
    number, text = (Summary.of(as_frame({"age": cells})["age"], ones) for cells in ([1, 2], ["a", "b"]))
    with pytest.raises(TypeError, match="'age' holds numbers in some parts of the data and text in others"):
        number.merge(text)
