from dataclasses import replace

import pytest

from imli import CNF, DNF, parse_rule
from imli.rules.literals import IsTrue

PEOPLE = {"age": [70, 65, 70, 30, 30, 20, 40, 50], "smoker": [True, True, False, True, False, False, False, False]}
RISKS = ["high", "high", "low", "high", "low", "low", "low", "high"]


def shown(text):
    """What is written about a rule, without the indent of this file."""
    return "\n".join(line.removeprefix("        ") for line in text.strip("\n").splitlines()).rstrip()


def test_a_formula():
    rule = parse_rule("IF age > 60 OR smoker THEN risk is high ELSE risk is low").counted_on(PEOPLE, RISKS)
    assert str(rule) == shown("""
        IF    age > 60
           OR smoker
        THEN  risk is high   (75 % of the 4 rows it covers)
        ELSE  risk is low    (75 % of 4)
    """)
    assert rule.to_text(clauses=True) == shown("""
        IF    age > 60
                (covers 3 rows, 67 % correct)
           OR smoker
                (covers 3 rows, 100 % correct; 1 of them is caught by no other clause)
        THEN  risk is high   (75 % of the 4 rows it covers)
        ELSE  risk is low    (75 % of 4)
    """)
    assert rule.to_text(counts=False) == str(rule.with_counts(None))


def test_a_cnf_clause_rules_rows_out():
    rule = parse_rule("IF (age > 60) AND (smoker) THEN risk is high ELSE risk is low").counted_on(PEOPLE, RISKS)
    assert rule.to_text(clauses=True) == shown("""
        IF    (age > 60)
                (rules out 5 rows, 60 % correct)
          AND (smoker)
                (rules out 5 rows, 80 % correct; 1 of them is ruled out by no other clause)
        THEN  risk is high   (100 % of the 2 rows it covers)
        ELSE  risk is low    (67 % of 6)
    """)


def test_a_list():
    text = "IF age > 100 THEN high ELSE IF age > 60 AND smoker THEN high ELSE low"
    rule = parse_rule(text).counted_on(PEOPLE, RISKS)
    assert str(rule) == shown("""
        IF      age > 100
        THEN    high   (no rows)
        ELSE IF age > 60 AND smoker
        THEN    high   (100 % of the 2 rows it covers)
        ELSE    low    (67 % of 6)
    """)
    assert rule.to_text(clauses=True) == shown("""
        IF      age > 100
                  (covers no rows)
        THEN    high
        ELSE IF age > 60 AND smoker
                  (covers 2 rows, 100 % correct; 2 of them are correct only because of it)
        THEN    high
        ELSE    low   (67 % of the 6 rows it covers)
    """)


def test_a_set():
    rule = parse_rule("IF age > 60 THEN high IF smoker THEN high OTHERWISE low").counted_on(PEOPLE, RISKS)
    assert str(rule) == shown("""
        IF age > 60 THEN high   (67 % of the 3 rows it covers)
        IF smoker THEN high     (100 % of 3)
        OTHERWISE low           (75 % of 4; 2 rows are covered by several clauses)
    """)
    assert rule.to_text(clauses=True) == shown("""
        IF age > 60 THEN high
             (covers 3 rows, 67 % correct)
        IF smoker THEN high
             (covers 3 rows, 100 % correct; 1 of them is correct only because of it)
        OTHERWISE low   (75 % of the 4 rows it covers; 2 rows are covered by several clauses)
    """)


def test_one_row_is_a_row_and_weights_make_fractions():
    rule = parse_rule("IF age > 60 THEN high IF smoker THEN high OTHERWISE low")
    table = {"age": [70, 30], "smoker": [True, True]}
    assert str(rule.counted_on(table, ["high", "low"])) == shown("""
        IF age > 60 THEN high   (100 % of the 1 row it covers)
        IF smoker THEN high     (50 % of 2)
        OTHERWISE low           (no rows; 1 row is covered by several clauses)
    """)
    weighted = rule.counted_on(table, ["high", "low"], [1200.04, 0.25])
    assert "(99.9 % of 1,200.3)" in str(weighted)


def test_long_clauses_go_on_in_the_next_line():
    text = "IF age > 60 AND city is Bath, York or Ely AND smoker OR fit THEN risk is high ELSE risk is low"
    rule = parse_rule(text)
    assert rule.to_text(width=40) == shown("""
        IF    age > 60
                AND (city is Bath, York or Ely)
                AND smoker
           OR fit
        THEN  risk is high
        ELSE  risk is low
    """)
    people = PEOPLE | {"city": ["Bath"] * 8, "fit": [False] * 8}
    assert rule.counted_on(people, RISKS).to_text(width=40) == shown("""
        IF    age > 60
                AND (city is Bath, York or Ely)
                AND smoker
           OR fit
        THEN  risk is high
                (100 % of the 2 rows it covers)
        ELSE  risk is low
                (67 % of 6)
    """)


def test_ascii_on_request():
    rule = parse_rule("IF größe > 180 AND stadt is Köln or Bonn THEN höhe is groß ELSE höhe is klein")
    assert rule.to_text(ascii=True) == shown(r"""
        IF    `gr\u00f6\u00dfe` > 180 AND (stadt is "K\u00f6ln" or Bonn)
        THEN  `h\u00f6he` is "gro\u00df"
        ELSE  `h\u00f6he` is klein
    """)
    assert parse_rule(rule.to_text(ascii=True)) == rule


def test_constants_are_words():
    assert str(DNF()).startswith("IF    never\n")
    assert str(DNF(((),))).startswith("IF    always\n")
    assert str(CNF()).startswith("IF    (always)\n")
    assert str(CNF(((), (IsTrue("a"),)))).startswith("IF    (never)\n  AND (a)\n")
    counted = DNF().counted_on({"x": [1, 2]}, [True, False])
    assert counted.to_text(clauses=True).splitlines()[1:] == [
        "THEN  true    (no rows)",
        "ELSE  false   (50 % of the 2 rows it covers)",
    ]


@pytest.mark.parametrize(
    ("right", "percent"),
    [(0, "0 %"), (1, "0.1 %"), (99, "0.9 %"), (100, "1 %"), (8650, "86 %"), (9900, "99 %"), (9949, "99.4 %"),
     (9999, "99.9 %"), (10_000, "100 %")],
)  # fmt: skip
def test_percents_are_whole_except_close_to_all_and_none(right, percent):
    counts = parse_rule("IF a THEN 1 ELSE 0").counted_on({"a": [True]}, [1]).counts
    counts = replace(counts, regions=((10_000 - right, right), (0, 0)))
    rule = parse_rule("IF a THEN 1 ELSE 0").with_counts(counts)
    assert f"({percent} of the 10,000 rows it covers)" in str(rule)


def test_clauses_need_counts():
    with pytest.raises(ValueError) as error:
        parse_rule("a").to_text(clauses=True)
    assert str(error.value) == "This rule has no counts to show of its clauses. Call rule.counted_on(X, y) first."


def test_a_line_has_room_for_something():
    with pytest.raises(ValueError) as error:
        parse_rule("a").to_text(width=0)
    assert str(error.value) == "width must be a positive number of signs, or None. Got 0."
