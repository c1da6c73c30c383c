import re
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.generated import COLUMNS, counted, literals, pair_rules, point_rules, rules, tables

from imli import CNF, DNF, DecisionSet, parse_literal, parse_rule
from imli.errors import RuleSyntaxError
from imli.rules.literals import OPERATORS, Compare, CompareDate, InInterval, IsIn, IsMissing, IsTrue
from imli.rules.notation import listing, write_name, write_value
from imli.rules.parse import parse_pairs


@given(literals())
def test_reading_is_the_inverse_of_printing_literals(literal):
    assert parse_literal(str(literal)) == literal


@given(rules() | rules(names=COLUMNS))
def test_reading_is_the_inverse_of_printing_rules(rule):
    assert parse_rule(str(rule)) == rule


@given(point_rules() | point_rules(names=COLUMNS))
def test_reading_is_the_inverse_of_printing_scores_and_checklists(rule):
    assert parse_rule(str(rule)) == rule


@given(pair_rules() | pair_rules(names=COLUMNS))
def test_reading_is_the_inverse_of_printing_lists_and_sets(rule):
    assert parse_rule(str(rule), kind=rule.kind) == rule
    if rule.kind == "set" or len(rule.pairs) != 1:  # a list of one clause reads like a DNF
        assert parse_rule(str(rule)) == rule


@given(rules(names=COLUMNS) | pair_rules(names=COLUMNS) | point_rules(names=COLUMNS), tables())
def test_a_rule_that_was_read_decides_alike(rule, table):
    read = parse_rule(str(rule), kind=rule.kind)
    assert np.array_equal(read.predict(table), rule.predict(table))


@given(rules() | pair_rules())
def test_a_printed_rule_has_no_sign_that_cannot_be_seen(rule):
    assert str(rule).replace("\n", "").isprintable()


def test_a_name_that_is_a_date_is_quoted():
    literal = CompareDate("2024-01-01", ">", "2024-02-02")
    assert str(literal) == "`2024-01-01` > 2024-02-02"
    assert parse_literal(str(literal)) == literal


def without_brackets(text):
    return re.sub(r'("(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)|[()]', lambda found: found[1] or "", text)


def printed_earlier(literal):
    """The literal as imli printed it before "neither … nor" and "(or missing)"."""
    if isinstance(literal, IsMissing):
        return str(literal)
    text = str(literal.opposite() if getattr(literal, "negated", False) else literal).removesuffix(" or missing")
    if isinstance(literal, IsIn):
        verb = "is not" if literal.negated else "is"
        text = f"{write_name(literal.column)} {verb} {listing(map(write_value, literal.values))}"
    elif getattr(literal, "negated", False):
        text = f"not {without_missing(literal.opposite())}"
    return f"{text} or missing" if literal.or_missing else text


def without_missing(literal):
    return str(literal).removesuffix(" or missing")


# words that could be taken for part of the notation, as names and as values
TRAPS = ["a", "b", "missing", "or missing", "a or missing", "(or missing)", "not a", "neither", "nor",
         "neither a nor b", "a, b", "", "3", "not a (or missing)", "a is b", "covers 5 rows"]  # fmt: skip


def trap_literals():
    """Some thousand different literals whose texts could be mixed up."""
    lists = [(value,) for value in TRAPS] + list(permutations(TRAPS, 2)) + list(permutations(["a", "b", "nor"], 3))
    numbers = [(3,), (3, 4), (4, 3), (3, 4, 5)]
    for column, negated, or_missing in product(TRAPS, [False, True], [False, True]):
        yield IsTrue(column, negated, or_missing=or_missing)
        yield InInterval(column, 3, 4, negated, or_missing=or_missing)
        for values in [*numbers, *(lists if column in ("a", "nor") else lists[: len(TRAPS)])]:
            yield IsIn(column, values, negated, or_missing=or_missing)
    for column, or_missing in product(TRAPS, [False, True]):
        yield IsMissing(column, or_missing=or_missing)
        for operator in OPERATORS:
            yield Compare(column, operator, 3, or_missing=or_missing)
            yield CompareDate(column, operator, "2021-01-01", or_missing=or_missing)


def test_no_two_literals_print_alike_and_none_is_read_as_another():
    some = list(trap_literals())
    assert len({without_brackets(str(literal)) for literal in some}) == len(set(some)) == len(some)
    for literal in some:
        text = str(literal)
        assert parse_literal(text) == parse_literal(f"({text})") == parse_literal(without_brackets(text)) == literal


def test_literals_as_they_were_printed_earlier():
    for literal in trap_literals():
        assert parse_literal(printed_earlier(literal)) == literal


@given(literals(), literals())
def test_different_literals_print_differently(one, other):
    assert (without_brackets(str(one)) == without_brackets(str(other))) == (one == other)


@given(rules() | pair_rules())
def test_rules_as_they_were_printed_earlier(rule):
    clauses = [f" {rule.inner} ".join(map(printed_earlier, clause)) or rule.empty_clause for clause in rule.clauses]
    if rule.kind in ("cnf", "dnf"):
        texts = [f"({clause})" for clause in clauses] if rule.kind == "cnf" else clauses
        no, yes = map(write_value, rule.classes)
        nothing = "(always)" if rule.kind == "cnf" else "never"
        assert type(rule)(rule.clauses, rule.classes) == parse_rule(
            f"IF {f' {rule.outer} '.join(texts) or nothing} THEN {yes} ELSE {no}"
        )
    else:
        joint = "ELSE " if rule.kind == "list" else ""
        texts = [
            f"IF {clause} THEN {write_value(label)} "
            for clause, label in zip(clauses, rule.region_classes[:-1], strict=True)
        ]
        default = f"{'ELSE' if rule.kind == 'list' else 'OTHERWISE'} {write_value(rule.region_classes[-1])}"
        assert type(rule)(rule.pairs, rule.region_classes[-1]) == parse_rule(
            joint.join(texts) + default, kind=rule.kind
        )


@given(
    counted(rules() | pair_rules() | point_rules()),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.none() | st.integers(1, 90),
)
def test_what_is_said_about_a_rule_is_no_part_of_it(rule, counts, clauses, in_ascii, width):
    text = rule.to_text(counts=counts, clauses=clauses, ascii=in_ascii, width=width)
    assert parse_rule(text, kind=rule.kind) == rule
    assert text.isascii() or not in_ascii


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("age>40", Compare("age", ">", 40)),
        ("40 < age", Compare("age", ">", 40)),
        ("capital_gain > 5,013.5 or missing", Compare("capital_gain", ">", 5013.5, or_missing=True)),
        ("0.1<=mean radius<0.2", InInterval("mean radius", 0.1, 0.2)),
        ("not 1 <= x < 2", InInterval("x", 1, 2, negated=True)),
        ("education is Bachelors, Masters or Prof-school", IsIn("education", ("Bachelors", "Masters", "Prof-school"))),
        ("income is not <=50K", IsIn("income", ("<=50K",), negated=True)),
        ("pclass is 1, 2 or 3 or missing", IsIn("pclass", (1, 2, 3), or_missing=True)),
        ('code is "3"', IsIn("code", ("3",))),
        ("smoker", IsTrue("smoker")),
        ("smoker is false", IsTrue("smoker", negated=True)),
        ("smoker is True", IsTrue("smoker")),
        ("bmi > .5", Compare("bmi", ">", 0.5)),
        ("not smoker or missing", IsTrue("smoker", negated=True, or_missing=True)),
        ("age is missing", IsMissing("age")),
        ("age is not missing", IsMissing("age", or_missing=False)),
        ('`the "odd" one` > -1e-3', Compare('the "odd" one', ">", -0.001)),
        ("city is not Bath (or missing)", IsIn("city", ("Bath",), negated=True, or_missing=True)),
        ("city is neither Bath nor York", IsIn("city", ("Bath", "York"), negated=True)),
        ("(city is Bath, York or missing)", IsIn("city", ("Bath", "York"), or_missing=True)),
        ("age > 40 ( or missing )", Compare("age", ">", 40, or_missing=True)),
        ("city is neither Bath nor York or missing", IsIn("city", ("Bath", "York"), negated=True, or_missing=True)),
        # these were the texts of other literals before
        ("answer is neither", IsIn("answer", ("neither",))),
        ("answer is not neither or both", IsIn("answer", ("neither", "both"), negated=True)),
        ("nor is nor", IsIn("nor", ("nor",))),
    ],
)
def test_literals_as_people_type_them(text, literal):
    assert parse_literal(text) == literal


def test_rules_as_people_type_them():
    a, b, c = IsTrue("a"), IsTrue("b"), Compare("c", ">", 1)
    assert parse_rule("a AND b OR c > 1") == DNF(((a, b), (c,)))
    assert parse_rule("(a OR b) AND (c > 1)") == CNF(((a, b), (c,)))
    assert parse_rule("always") == DNF(((),))
    assert parse_rule("(never)") == CNF(((),))
    assert parse_rule("never") == DNF()
    assert parse_rule("(always)") == CNF()
    assert parse_rule("IF a THEN risk is high ELSE risk is low") == DNF(((a,),), ("low", "high"), "risk")
    assert parse_rule("(a AND b) OR (c > 1)") == DNF(((a, b), (c,)))
    a_or_missing = IsTrue("a", or_missing=True)
    assert parse_rule("(a or missing) AND b") == DNF(((a_or_missing, b),))
    assert parse_rule("a (or missing) AND b") == DNF(((a_or_missing, b),))
    assert parse_rule("(a or missing) AND (b)") == CNF(((a_or_missing,), (b,)))
    assert parse_rule("((a or missing) AND (b))") == DNF(((a_or_missing, b),))
    assert parse_rule("((a or missing) OR b) AND (b)") == CNF(((a_or_missing, b), (b,)))


def test_remarks_as_people_type_them():
    a, b = IsTrue("a"), IsTrue("b")
    assert parse_rule("IF a THEN 1 (quite sure) ELSE 0(less so)") == DNF(((a,),), (0, 1))
    assert parse_rule("IF a (covers 90 rows) OR b THEN 1 (sure) ELSE 0") == DNF(((a,), (b,)), (0, 1))
    assert parse_rule("IF a THEN x is 1 (see IF) OTHERWISE x is 2 (no rows)") == DecisionSet((((a,), 1),), 2, "x")
    # where a clause can stand, a bracket is one
    assert parse_rule("(covers OR rules) AND (covers)") == CNF(
        ((IsTrue("covers"), IsTrue("rules")), (IsTrue("covers"),))
    )


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("1 < a < 2", ">", "<"),
        ("1 < a <= 2", ">", "<="),
        ("1 <= a <= 2", ">=", "<="),
        ("1<a<=2 or missing", ">", "<="),
    ],
)
def test_two_ends_of_a_range_are_two_literals(text, low, high):
    or_missing = "missing" in text
    ends = Compare("a", low, 1, or_missing=or_missing), Compare("a", high, 2, or_missing=or_missing)
    assert parse_rule(f"b AND {text}") == DNF(((IsTrue("b"), *ends),))
    assert parse_rule(f"IF b AND {text} THEN 1 OTHERWISE 2") == DecisionSet((((IsTrue("b"), *ends), 1),), 2)


def test_one_end_closed_and_the_other_open_is_one_literal():
    assert parse_rule("1 <= a < 2") == DNF(((InInterval("a", 1, 2),),))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("age > old", "Expected a number in 'age > old'. Got 'old'."),
        ("3 > 4", "Expected a column name in '3 > 4'. Got the number 4."),
        ("a > 1 AND b", "Cannot read 'a > 1 AND b' as one literal: it has more than one part."),
        (
            "1 < a < 2",
            "Cannot read '1 < a < 2' here: it is two literals joined by AND, 'a > 1' and 'a < 2'. "
            "Write one of them, or '1 <= a < 2', which is one literal.",
        ),
        ("not 1 < a < 2", "Cannot read 'not 1 < a < 2'. Write 'name < number' or 'number <= name < number'."),
        ("2 > a > 1", "Cannot read '2 > a > 1'. Write 'name < number' or 'number <= name < number'."),
        ("age = 3", "Cannot read '=' in 'age = 3'. Write 'name is value' or 'name is not value'."),
        ("age==3", "Cannot read '=' in 'age==3'. Write 'name is value' or 'name is not value'."),
        (
            "color is red,blue",
            "Put a space after each comma in 'color is red,blue', or the value between double quotes.",
        ),
        (r"`a\q` > 3", r"Cannot read `a\q` in '`a\\q` > 3': write a backslash as two."),
        ('a is "b', "Cannot read '\"b': a quote is not closed."),
        (
            "",
            "Expected a column name in ''. Got nothing. Names with special signs or words go between backticks, "
            "values between double quotes.",
        ),
    ],
)
def test_what_is_not_a_literal(text, sentence):
    with pytest.raises(RuleSyntaxError) as error:
        parse_literal(text)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("IF a THEN 1", "A rule with THEN needs an ELSE. Add 'ELSE' and the other class."),
        ("IF a THEN x is 1 ELSE y is 0", "THEN and ELSE must name the same column. Got 'x' and 'y'."),
        ("IF a THEN 1 OTHERWISE x is 2", "All decisions must name the same column. Got None and 'x'."),
        ("a THEN 1 OTHERWISE 2", "Each clause of a decision set starts with IF. Got 'a THEN 1 OTHERWISE 2'."),
        ("IF a ELSE IF b THEN 1 ELSE 2", "Write each clause of 'IF a ELSE IF b THEN 1 ELSE 2' as IF … THEN …."),
        ("(a OR b) (c)", "Expected AND between the brackets in '(a OR b) (c)'. Got '('."),
        ("(a OR b) (covers c)", "Expected AND between the brackets in '(a OR b) (covers c)'. Got '('."),
        (
            "(b OR 1 < a <= 2 or missing)",
            "Cannot read '1 < a <= 2 or missing' here: it is two literals joined by AND, 'a > 1 or missing' "
            "and 'a <= 2 or missing'. Write one of them, or '1 <= a < 2', which is one literal.",
        ),
        ("(a OR b", "Put every clause of '(a OR b' in brackets, like (a OR b) AND (c)."),
        ("(a AND b) AND (c)", "Cannot read 'a AND b' as one literal: it has more than one part."),
        ("(a OR b) AND c OR d", "Cannot read 'a OR b' as one literal: it has more than one part."),
        ("(a OR b) AND c", "Put every clause of '(a OR b) AND c' in brackets, like (a OR b) AND (c)."),
    ],
)
def test_what_is_not_a_rule(text, sentence):
    with pytest.raises(RuleSyntaxError) as error:
        parse_rule(text)
    assert str(error.value) == sentence


def test_clauses_of_lists_and_sets_without_a_default():
    old, smoker = Compare("age", ">", 60), IsTrue("smoker")
    expected = (((old, smoker), "high"), ((), "low"))
    for text in (
        "IF age > 60 AND smoker THEN high IF always THEN low",
        "IF age > 60 AND smoker THEN risk is high ELSE IF always THEN risk is low ELSE risk is high",
        "IF age > 60 AND smoker THEN high IF always THEN low OTHERWISE high",
    ):
        assert parse_pairs(text) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("age > 60", "Write each clause of 'age > 60' as IF … THEN …."),
        ("", "Write each clause of '' as IF … THEN …."),
        ("IF age > 60", "Write each clause of 'IF age > 60' as IF … THEN …."),
        ("IF a THEN x IF b", "Write each clause of 'IF a THEN x IF b' as IF … THEN …."),
        ("IF a THEN r is x IF b THEN x", "All decisions must name the same column. Got None and 'r'."),
    ],
)
def test_what_is_not_a_clause_with_a_class(text, sentence):
    with pytest.raises(RuleSyntaxError) as error:
        parse_pairs(text)
    assert str(error.value) == sentence
