"""What a rule is exported to decides every row as the rule does: in the real engines, and in Python."""

import ast
import json
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from support.engines import TYPES
from support.exported import EXAMPLES, Column, cases, literals_on

from imli import CNF, DNF, rule_from_dict
from imli.exports import export

thorough = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def decided(rule, columns):
    return rule.predict({column.name: column.as_read for column in columns}).tolist()


def stored(column, engine):
    """The column in one of the types that the engine has for it."""
    types = TYPES[engine.dialect][column.kind]
    return column.name, types[column.choice % len(types)], column.cells


def function(rule):
    space = {}
    exec(rule.to_python(), space)
    return space["decide"]


def rules_on(kind):
    """Each literal by itself, and beside others on the same column, which may spare it a word on NaN."""
    literals = list(literals_on(kind))
    yield from (DNF(((literal,),)) for literal in literals)
    for first, second in zip(literals, literals[7:], strict=False):
        yield DNF(((first, second),))
        yield CNF(((first, second),))


def batched(items, size):
    return [items[start : start + size] for start in range(0, len(items), size)]


@pytest.mark.parametrize("kind", EXAMPLES)
def test_sql_has_each_literal_as_it_is(engine, kind):
    cells = [cell for cell in EXAMPLES[kind] for _ in range(2)]
    rules = list(rules_on(kind))
    Random(0).shuffle(rules)
    n_types = len(TYPES[engine.dialect][kind])
    for choice in range(n_types):
        column = Column("x", kind, cells, choice)
        some = rules if len(rules) < 300 else rules[choice::n_types]  # else a share of them for each type
        for group in batched(some, 250):
            answers = engine.decide([stored(column, engine)], [rule.to_sql(engine.dialect) for rule in group])
            for rule, answer in zip(group, answers, strict=True):
                assert answer == decided(rule, [column]), rule


@pytest.mark.parametrize("kind", EXAMPLES)
def test_python_has_each_literal_as_it_is(kind):
    column = Column("x", kind, EXAMPLES[kind])
    for rule in rules_on(kind):
        judge = function(rule)
        assert [judge({"x": column.cell(row)}) for row in range(len(column.cells))] == decided(rule, [column]), rule


@thorough
@given(cases())
def test_sql_decides_as_the_rule_does(engine, case):
    columns, rules = case
    expressions = [rule.to_sql(engine.dialect) for rule in rules]
    answers = engine.decide([stored(column, engine) for column in columns], expressions)
    for rule, expression, answer in zip(rules, expressions, answers, strict=True):
        assert answer == decided(rule, columns), expression


@thorough
@given(cases())
def test_python_decides_as_the_rule_does_and_json_is_the_rule(case):
    columns, rules = case
    rows = [{column.name: column.cell(n) for column in columns} for n in range(len(columns[0].cells))]
    for rule in rules:
        ast.parse(rule.to_python(), feature_version=(3, 8))
        judge = function(rule)
        assert [judge(row) for row in rows] == decided(rule, columns), rule.to_python()
        assert rule_from_dict(json.loads(export(rule, "json"))) == rule
