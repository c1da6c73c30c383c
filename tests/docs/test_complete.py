"""Nothing that is public is left out of the documentation."""

import inspect
import re
import runpy

import pytest
from support.pages import FOLDER, examples

import imli
from imli import (
    ChecklistClassifier,
    CNFClassifier,
    DecisionListClassifier,
    DecisionSetClassifier,
    DNFClassifier,
    LiteralEncoder,
    RuleClassifier,
    ScoreClassifier,
)

ESTIMATORS = [
    CNFClassifier,
    DNFClassifier,
    DecisionListClassifier,
    DecisionSetClassifier,
    LiteralEncoder,
    RuleClassifier,
    ScoreClassifier,
    ChecklistClassifier,
]


def text_of(folder):
    return "\n".join(page.read_text(encoding="utf-8") for page in sorted((FOLDER / folder).glob("*.md")))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: estimator.__name__)
def test_every_parameter_has_a_section_with_an_example(estimator):
    sections = dict(re.findall(r"^## `(\w+)`\n(.*?)(?=^## |\Z)", text_of("parameters"), re.MULTILINE | re.DOTALL))
    with_example = {name for name, text in sections.items() if f"{name}" in "".join(re.findall(r"^>>>.*", text, re.M))}
    assert set(inspect.signature(estimator).parameters) <= with_example


def test_every_section_is_about_a_parameter_and_begins_with_its_description_in_the_table():
    known = {name for estimator in ESTIMATORS for name in inspect.signature(estimator).parameters}
    sections = re.findall(r"^## `(\w+)`\n\n(.*)", text_of("parameters"), re.MULTILINE)
    assert {name for name, first in sections if first == f"{{{{ {name} }}}}"} == known
    assert {name for name, _ in sections} == known | {"Every"}


def test_every_public_name_is_in_the_reference():
    listed = set(re.findall(r"^\.\. (?:auto\w+|py:data):: imli\.(\w+)$", text_of("api"), re.MULTILINE))
    assert set(imli.__all__) <= listed


def test_the_passengers_are_those_that_the_script_makes(tmp_path):
    names = runpy.run_path(str(FOLDER / "data" / "passengers.py"))
    names["write"](tmp_path / "passengers.csv")
    assert (tmp_path / "passengers.csv").read_text() == (FOLDER / "data" / "passengers.csv").read_text()


def test_the_page_about_numbers_quotes_what_is_printed():
    page = (FOLDER / "reading.md").read_text(encoding="utf-8")
    printed = next(examples(page)).printed
    explained = page[page.index("## The rule") : page.index("## Other commands")]
    quoted = [" ".join(text.split()) for text in re.findall(r'"([^"]*\d[^"]*)"', explained)]
    assert len(quoted) >= 8
    assert [text for text in quoted if text not in printed] == []
