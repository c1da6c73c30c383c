"""What a rule is exported to decides every row as the rule does: in the real engines, and in Python."""

import ast
import json

from exported import cases
from hypothesis import HealthCheck, given, settings

from imli import rule_from_dict
from imli.exports import export

thorough = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def decided(rule, columns):
    return rule.predict({column.name: column.as_read for column in columns}).tolist()


@thorough
@given(cases())
def test_sql_decides_as_the_rule_does(engine, case):
    columns, rules = case
    stored = [(column.name, column.types[engine.dialect], column.cells) for column in columns]
    expressions = [rule.to_sql(engine.dialect) for rule in rules]
    answers = engine.decide(stored, expressions)
    for rule, expression, answer in zip(rules, expressions, answers, strict=True):
        assert answer == decided(rule, columns), expression


@thorough
@given(cases())
def test_python_decides_as_the_rule_does(case):
    columns, rules = case
    rows = [{column.name: column.cell(n) for column in columns} for n in range(len(columns[0].cells))]
    for rule in rules:
        source = rule.to_python("judge")
        ast.parse(source, feature_version=(3, 8))
        space = {}
        exec(source, space)
        assert [space["judge"](row) for row in rows] == decided(rule, columns), source


@settings(max_examples=30, deadline=None)
@given(cases())
def test_json_is_the_rule(case):
    for rule in case[1]:
        assert rule_from_dict(json.loads(export(rule, "json"))) == rule
