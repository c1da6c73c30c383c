"""The table of exports, which the command line offers."""

import pytest

from imli import parse_rule
from imli.exports import EXPORTS, export, python, sql
from imli.exports.conditions import TESTS
from imli.exports.dialects import DIALECTS
from imli.rules import DNF
from imli.rules.literals import Compare, CompareDate, InInterval, IsIn, IsMissing, IsTrue, Literal

ALLOWED = "A rule can be exported to html, json, markdown, python, sql, text."
RULE = parse_rule("IF age > 60 THEN high ELSE low")

EXAMPLES = {
    Compare: Compare("x", ">", 1),
    CompareDate: CompareDate("x", ">", "2021-01-01"),
    InInterval: InInterval("x", 1, 2),
    IsIn: IsIn("x", ("a", "b")),
    IsMissing: IsMissing("x"),
    IsTrue: IsTrue("x"),
}


def final_kinds(kind):
    return set().union(*map(final_kinds, kind.__subclasses__())) or {kind}


def test_every_literal_has_an_example():
    # without the kinds that other tests add
    assert set(EXAMPLES) == {kind for kind in final_kinds(Literal) if kind.__module__.startswith("imli.")}


@pytest.mark.parametrize("literal", EXAMPLES.values(), ids=lambda literal: literal.test)
def test_every_export_takes_every_literal(literal):
    rule = DNF(((literal,), (~literal,)))
    for to in EXPORTS:
        options = [{"dialect": dialect} for dialect in DIALECTS] if to == "sql" else [{}]
        for chosen in options:
            assert "x" in export(rule, to, **chosen)


@pytest.mark.parametrize("language", [sql, python])
def test_a_literal_that_is_not_known_is_refused(language, monkeypatch):
    monkeypatch.delitem(TESTS, Compare)
    with pytest.raises(TypeError) as error:
        language.write(RULE)
    assert str(error.value) == f"There is no {'SQL' if language is sql else 'Python'} for the literal 'age > 60'."


def test_exports_are_what_the_rule_says_itself():
    assert {to: export(RULE, to) for to in EXPORTS} == {
        "html": RULE._repr_html_(),
        "json": export(RULE, "json"),
        "markdown": RULE.to_markdown(),
        "python": RULE.to_python(),
        "sql": RULE.to_sql(),
        "text": RULE.to_text(),
    }
    assert export(RULE, "text", width=10) == RULE.to_text(width=10)
    assert export(RULE, "python", name="risk") == RULE.to_python("risk")


@pytest.mark.parametrize(
    ("to", "options", "sentence"),
    [
        (
            "sqll",
            {},
            "A rule can be exported to html, json, markdown, python, sql, text. Got 'sqll'. Did you mean 'sql'?",
        ),
        ("pmml", {}, "A rule can be exported to html, json, markdown, python, sql, text. Got 'pmml'."),
        ("sql", {"dialekt": 1}, "The export to sql has no option 'dialekt'. Its options are dialect, nan_is_missing."),
        ("html", {"name": "x"}, "The export to html has no option 'name'. It has none."),
    ],
)
def test_what_cannot_be_exported(to, options, sentence):
    with pytest.raises(ValueError) as error:
        export(RULE, to, **options)
    assert str(error.value) == sentence
