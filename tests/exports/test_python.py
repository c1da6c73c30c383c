"""The Python that rules are exported to."""

from datetime import date, datetime, timedelta, timezone

import pytest

from imli import DNF, parse_rule
from imli.rules.literals import Compare, IsIn, IsTrue


def function(rule, name="decide"):
    space = {}
    exec(rule.to_python(name), space)
    return space[name]


def test_it_reads_like_this():
    rule = parse_rule("""
        IF 33 < age <= 50 AND smoker
        OR signed >= 2021-01-01 AND city is not Bath or York
        OR `dose (mg)` > 0.1 or missing
        THEN risk is high ELSE risk is low
    """)
    assert (
        "\n" + rule.to_python("risk")
        == '''
def risk(row):
    """Decide for a row, a mapping from column names to values, of which None and NaN are missing.

    IF    33 < age <= 50 AND smoker
       OR signed >= 2021-01-01 AND city is neither Bath nor York
       OR `dose (mg)` > 0.1 or missing
    THEN  risk is high
    ELSE  risk is low
    """
    from datetime import date, datetime, timezone

    def cell(name):
        value = row[name]
        return None if value != value else value  # NaN is not even equal to itself

    def moment(name):
        value = cell(name)
        if isinstance(value, date) and not isinstance(value, datetime):
            return datetime(value.year, value.month, value.day)
        if value is not None and value.tzinfo is not None:
            return value.astimezone(timezone.utc).replace(tzinfo=None)
        return value

    age = cell("age")
    smoker = cell("smoker")
    signed = moment("signed")
    city = cell("city")
    dose_mg = cell("dose (mg)")

    if (
        (age is not None and age > 33 and age <= 50 and smoker == 1)
        or (signed is not None and signed >= datetime(2021, 1, 1) and city is not None and city not in ("Bath", "York"))
        or (dose_mg is None or dose_mg > 0.1)
    ):
        return "high"
    return "low"
'''
    )


def test_a_set_reads_like_this():
    rule = parse_rule("IF age > 60 THEN high\nIF fit THEN low\nOTHERWISE low", "set")
    assert (
        rule.to_python().partition("held")[2]
        == """ = []  # what the clauses that hold decide for
    if age is not None and age > 60:
        held.append("high")
    if fit == 1:
        held.append("low")
    return max(held, key=held.count) if held else "low"
"""
    )


def test_odd_names_make_different_variables():
    columns = ["a b", "a_b", "a-b", "class", "row", "float", "1st", "", "ſ", "s", "年齢", "²", "__", "print"]
    rule = DNF(tuple((Compare(column, ">", 0),) for column in columns))
    lines = rule.to_python().splitlines()
    names = [line.split()[0] for line in lines if "= cell(" in line]
    assert names == [
        "a_b", "a_b_1", "a_b_2", "class_3", "row_4", "float_5", "x_1st", "x_7", "s", "s_9", "年齢",
        "x_2", "x_12", "print",
    ]  # fmt: skip
    decide = function(rule)
    for column in columns:
        assert decide({name: 1 if name == column else 0 for name in columns})
    assert not decide(dict.fromkeys(columns, 0))


def test_text_of_all_sorts_stays_itself():
    values = ['"""', "'", '\\"', "\\", "a\nb", "\ud800", "\u2028", "{x}", "\0", "end\\", "# no", '"']
    for value in values:
        decide = function(DNF(((IsIn(value, (value, "other")),),), (value + "no", value)))
        assert decide({value: value}) == value
        assert decide({value: None}) == value + "no"
        assert str(DNF(((IsIn(value, (value, "other")),),), (value + "no", value))).splitlines()[0] in decide.__doc__


def test_dates_with_and_without_a_time_and_a_zone():
    decide = function(parse_rule("signed >= 2021-01-01"))
    assert decide({"signed": date(2021, 1, 1)})
    assert not decide({"signed": date(2020, 12, 31)})
    assert decide({"signed": datetime(2021, 1, 1)})
    east = timezone(timedelta(hours=1))
    assert not decide({"signed": datetime(2021, 1, 1, 0, 30, tzinfo=east)})
    assert decide({"signed": datetime(2021, 1, 1, 1, 0, tzinfo=east)})
    assert not decide({"signed": None})


def test_a_column_that_is_not_there_is_a_key_error():
    with pytest.raises(KeyError, match="smoker"):
        function(parse_rule("age > 60 OR smoker"))({"age": 70})


@pytest.mark.parametrize("name", ["", "1st", "my rule", "class", None])
def test_a_name_that_no_function_can_have(name):
    with pytest.raises(ValueError) as error:
        DNF(((IsTrue("x"),),)).to_python(name)
    assert str(error.value) == f"name must be a name that a Python function can have. Got {name!r}."
