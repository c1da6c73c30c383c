from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imli.table.dates import EARLIEST, LATEST, moment_of, read_moment, short_moment, write_moment

moments = st.integers(EARLIEST, LATEST) | st.datetimes(datetime(1960, 1, 1), datetime(2030, 1, 1)).map(moment_of)


@given(moments)
def test_text_reads_back_as_the_same_moment(moment):
    assert read_moment(write_moment(moment)) == moment


@given(moments, moments, moments)
def test_a_short_moment_separates(one, other, near):
    low, high = sorted((one, other))
    if low < high:
        assert low < short_moment(low, high) <= high
        assert low < short_moment(low, high, near) <= high


def test_the_shortest_is_found():
    for low, high, expected in [
        ("2019-12-31", "2020-12-31", "2020-01-01"),
        ("2020-01-01", "2020-12-31", "2020-12-01"),
        ("2020-12-01", "2020-12-03", "2020-12-03"),
        ("2020-12-01", "2020-12-01 23:59", "2020-12-01 23:00"),
        ("2020-12-01 10:00", "2020-12-01 10:05:30", "2020-12-01 10:05"),
    ]:
        assert write_moment(short_moment(read_moment(low), read_moment(high))) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("2021", "A date is written like 2024-12-31 or 2024-12-31 23:59. Got '2021'."),
        ("2021-02-30", "There is no date '2021-02-30'."),
    ],
)
def test_what_is_not_a_date(text, sentence):
    with pytest.raises(ValueError) as error:
        read_moment(text)
    assert str(error.value) == sentence
