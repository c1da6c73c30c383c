import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.generated import COLUMNS, literals, pair_rules, rules

from imli import CNF, DNF, parse_rule
from imli.logic.simplify import shorter
from imli.rules.literals import Compare, InInterval, IsIn, IsMissing

labels = st.sampled_from(["a", "b", "c"])
formulas = rules(COLUMNS, labels=st.sampled_from(["a", "b"]))


@st.composite
def rules_on_one_column(draw):
    """Formulas that say much about one column, so that much can be merged."""
    cuts = st.sampled_from([10, 20, 30, 40])
    literal = st.one_of(
        st.builds(Compare, st.just("x"), st.sampled_from(["<", "<=", ">", ">="]), cuts, or_missing=st.booleans()),
        st.sampled_from([(10, 20), (20, 30), (30, 40), (10, 30), (20, 40)]).flatmap(
            lambda ends: st.builds(InInterval, st.just("x"), *map(st.just, ends), st.booleans())
        ),
        st.builds(IsIn, st.just("x"), st.lists(cuts, min_size=1, max_size=3, unique=True).map(tuple), st.booleans()),
        st.builds(IsMissing, st.just("x"), or_missing=st.booleans()),
        st.builds(
            IsIn, st.just("c"), st.lists(st.sampled_from("AB"), min_size=1, unique=True).map(tuple), st.booleans()
        ),
    )
    clauses = draw(st.lists(st.lists(literal, max_size=4).map(tuple), max_size=4))
    return draw(st.sampled_from([CNF, DNF]))(tuple(clauses))


@settings(deadline=None, max_examples=200)
@given(formulas | pair_rules(COLUMNS, labels=labels) | rules_on_one_column())
def test_a_simplified_rule_decides_the_same_and_is_no_larger(rule):
    simple = rule.simplified()
    assert rule.equivalent(simple)
    assert simple.n_conditions <= rule.n_conditions
    assert simple.size <= rule.size
    assert (simple.kind, simple.target) == (rule.kind, rule.target)
    assert set(simple.classes) <= set(rule.classes)
    assert simple.simplified() == simple


@settings(deadline=None, max_examples=100)
@given(formulas | rules_on_one_column())
def test_a_formula_is_simplified_to_a_constant_if_it_is_one_and_has_no_unused_slots(rule):
    simple = rule.simplified()
    assert simple.classes == rule.classes
    assert None not in simple.slots
    for constant in (type(rule)((), rule.classes), type(rule)(((),), rule.classes)):
        assert rule.equivalent(constant) == (simple.slots == constant.slots)


@pytest.mark.parametrize(
    ("given", "simple"),
    [
        # literals that others in the clause imply
        ("x > 5 AND x > 3", "x > 5"),
        ("x > 5 AND x is not missing", "x > 5"),
        ("(x > 5 OR x > 3)", "(x > 3)"),
        ("20 <= x < 30 AND x >= 10 AND x < 25", "20 <= x < 25"),
        ("city is A or B AND city is B or C", "city is B"),
        # several that one can say
        ("city is not A AND city is not B", "city is neither A nor B"),
        ("(city is A OR city is B OR city is C)", "(city is A, B or C)"),
        ("x >= 20 AND x < 30", "20 <= x < 30"),
        ("x > 20 AND x < 30", "x > 20 AND x < 30"),
        ("(20 <= age < 30 OR 30 <= age < 40)", "(20 <= age < 40)"),
        ("(age < 20 OR 20 <= age < 30)", "(age < 30)"),
        ("(age < 20 OR age > 20)", "(age is not 20)"),
        ("not 20 <= age < 30 AND age >= 20", "age >= 30"),
        ("x is 1, 2 or 3 AND x <= 2", "x is 1 or 2"),
        # the missing cell
        ("(smoker OR smoker is missing)", "(smoker or missing)"),
        ("smoker or missing AND smoker is not missing", "smoker"),
        ("x > 3 or missing AND x <= 7 or missing AND x is not missing", "x > 3 AND x <= 7"),
        ("x < 3 OR x >= 3", "x is not missing"),
        ("x < 3 OR x >= 3 or missing", "always"),
        ("x is missing OR x > 3 or missing AND smoker", "x is missing OR x > 3 AND smoker"),
        # clauses
        ("age > 40 AND smoker OR smoker", "smoker"),
        ("a AND not a OR b", "b"),
        ("city is not A AND a OR b", "city is not A AND a OR b"),
        ("20 <= age < 30 AND a OR 30 <= age < 40 AND a", "20 <= age < 40 AND a"),
        ("city is A AND a OR city is B AND a", "(city is A or B) AND a"),
        ("(city is not A OR a) AND (city is not B OR a)", "(city is neither A nor B OR a)"),
        ("x > 3 AND a OR x <= 3 AND a OR x is missing AND a AND b", "x is not missing AND a OR a AND b"),
        ("x < 20 OR x >= 10 AND x < 30 AND a OR x >= 15", "x is not missing"),
        ("age >= 40 OR 20 <= age < 40 AND smoker", "age >= 40 OR age >= 20 AND smoker"),
        ("(a) AND (a or missing OR b)", "(a)"),
        # constants
        ("a OR not a or missing", "always"),
        ("a AND not a", "never"),
        ("(a) AND (not a)", "(never)"),
        ("(always)", "(always)"),
    ],
)
def test_formulas(given, simple):
    assert str(parse_rule(given).simplified()) == str(parse_rule(simple))


@pytest.mark.parametrize(
    ("given", "simple"),
    [
        # no row reaches the third clause, and the fourth decides what the default does
        (
            "IF a THEN red ELSE IF b THEN green ELSE IF a AND b THEN blue ELSE IF c THEN grey ELSE grey",
            "IF a THEN red ELSE IF b THEN green ELSE grey",
        ),
        # what the first has decided, the second need not ask again
        ("IF x > 5 THEN red ELSE IF x <= 5 AND x > 3 THEN green ELSE grey",
         "IF x > 5 THEN red ELSE IF x > 3 THEN green ELSE grey"),
        ("IF city is A THEN red ELSE IF city is B THEN red ELSE IF a THEN green ELSE grey",
         "IF city is A or B THEN red ELSE IF a THEN green ELSE grey"),
        # the clause between them decides otherwise
        ("IF city is A THEN red ELSE IF a THEN green ELSE IF city is B THEN red ELSE grey",
         "IF city is A THEN red ELSE IF a THEN green ELSE IF city is B THEN red ELSE grey"),
        # two votes for red outdo one for green
        ("IF a THEN red IF a THEN red IF b THEN green OTHERWISE grey",
         "IF a THEN red IF b THEN green OTHERWISE grey"),
        ("IF b THEN green IF a THEN red IF a THEN red OTHERWISE grey",
         "IF b THEN green IF a THEN red IF a THEN red OTHERWISE grey"),
        ("IF city is A THEN red IF city is B THEN red OTHERWISE grey", "IF city is A or B THEN red OTHERWISE grey"),
        ("IF a AND not a THEN red IF b THEN grey OTHERWISE grey", "OTHERWISE grey"),
        ("IF a THEN red ELSE IF x > 1 THEN green ELSE IF x <= 1 or missing THEN blue ELSE grey",
         "IF a THEN red ELSE IF x > 1 THEN green ELSE blue"),
    ],
)  # fmt: skip
def test_lists_and_sets(given, simple):
    assert str(parse_rule(given).simplified()) == str(parse_rule(simple))


def test_large_numbers_are_not_taken_for_their_neighbours():
    # over whole numbers either of the two would do; over floats, where the first cut is rounded down, only the first
    rule = parse_rule("x <= 9007199254740992 AND x < 9007199254740993")
    assert rule.simplified() == parse_rule("x < 9007199254740993")
    between = parse_rule("x <= 9007199254740993 AND x > 9007199254740992")  # which no float is
    assert between.simplified() == between


def test_text_beside_numbers_is_refused():
    with pytest.raises(ValueError) as error:
        parse_rule("c is A OR c > 3").simplified()
    assert str(error.value) == (
        "Column 'c' is compared with text in 'c is A' and with numbers in 'c > 3', but no column holds both. "
        "Remove one of the two."
    )


def test_the_result_does_not_depend_on_the_hash_seed():
    code = """if True:
        from imli import parse_rule
        text = "a AND b OR a AND c is X OR b AND c is Y OR c is not X or Y AND a AND b OR x < 3 AND a OR x >= 3 AND a"
        print(parse_rule(text).simplified())"""
    printed = set()
    for seed in ("0", "1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        )
        printed.add(run.stdout)
    assert len(printed) == 1


def test_a_set_that_always_speaks_for_a_class_has_it_for_its_default():
    rule = parse_rule("IF a AND b THEN 0 IF always THEN 1 OTHERWISE 0", "set")
    assert str(rule.simplified()).splitlines() == ["IF a AND b THEN 0", "OTHERWISE 1"]
    first = parse_rule("IF always THEN 1 IF a AND b THEN 0 OTHERWISE 0", "set")  # which wins the tie
    assert str(first.simplified()) == "OTHERWISE 1"


def test_a_new_default_makes_clauses_superfluous():
    rule = parse_rule("IF a THEN x\nIF b THEN y\nIF b THEN x\nIF always THEN y\nOTHERWISE x")
    assert rule.simplified() == parse_rule("IF a THEN x\nOTHERWISE y")


@given(literals())
def test_a_part_of_a_literal_is_smaller(literal):
    for part in shorter(literal):
        assert part.size < literal.size
        assert (part.column, part.or_missing) == (literal.column, literal.or_missing)
