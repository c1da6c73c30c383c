"""Ten thousand broken model files: each is refused in a sentence, or is a model that works."""

import json
import random
from collections import Counter

import numpy as np
import pytest
from support.mutations import as_python, as_text, with_wrong_bytes, with_wrong_values

import imli
from imli import DecisionListClassifier, DecisionSetClassifier, DNFClassifier, Model, ModelFileError, parse_rule
from imli.models import ClauseCheck
from imli.models.checks import figures_of
from imli.models.files import layout, parse

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]
AGES = [25, None, 47, 51, 62, 70] * 4
TABLE = {
    "age": AGES,
    "smoker": [True, False] * 12,
    "city": ["Bath", "Rome", "York", None, "Oslo", "Rome"] * 4,
    "signed": np.array(["2020-01-01", "2021-06-01", "2022-02-02"] * 8, dtype="datetime64[D]"),
}
TEXT = """
    IF age > 60 OR 20 <= age < 30 AND city is Bath or Rome OR not smoker AND signed >= 2021-01-01
    OR age is missing OR age is 47 AND city is not York or missing THEN risk is high ELSE risk is low
"""


def documents():
    """Models of every kind of rule and literal, with labels of every type."""
    risk = ["high" if age and age > 50 else "low" for age in AGES]
    kind = [n % 3 for n in range(24)]
    rule = parse_rule(TEXT)
    models = [
        Model.of_rule(rule),
        Model.of_rule(parse_rule("age > 60 AND smoker")),
        Model.of_rule(~rule.counted_on(TABLE, risk)),
        Model.of_rule(rule.counted_on(TABLE, risk)),
        DNFClassifier(effort=0.01, lam=0.5).fit(TABLE, risk).to_model(),
        DecisionListClassifier(effort=0.01, lam=0.5, class_weight={0: 2.0}).fit(TABLE, kind).to_model(),
        DecisionSetClassifier(effort=0.01, lam=0.5).fit(TABLE, np.array(kind) * 1.0).to_model(),
    ]
    stream = DecisionListClassifier(effort=0.01, lam=0.5, memory=12).partial_fit(TABLE, risk, ["high", "low", "none"])
    models.append(stream.partial_fit(TABLE, risk).to_model())
    models.append(
        DNFClassifier(effort=0.01, lam=0.5).partial_fit(TABLE, risk, vocabulary=["age > 50", "smoker"]).to_model()
    )
    figures = figures_of(np.array([[10.0, 2.0], [1.0, 11.0]]), ("high", "low"), "high")
    clauses = [ClauseCheck(0.4, 0.9, 12.0, 0.7), ClauseCheck(0.0, 1.0, 0.0, is_lost=True)]
    check = {"kind": "cv", "accuracy": 0.9, "rows": 24, "folds": 5, "standard_error": 0.02, "clauses": clauses}
    checked = models[4].with_check(check | figures)
    return [*(model.to_dict() for model in (*models, checked)), rule.counted_on(TABLE, risk).to_dict()]


def small_table(rule):
    """A few rows with the columns of the rule, of the kinds that it compares them with."""
    cells = {
        "number": [1.0, None, 60, -1e308],
        "text": ["Bath", None, "", "x"],
        "date": [None, *np.array(["2021-01-01", "0001-01-01", "9999-12-31"], "datetime64[us]").tolist()],
    }
    table = {"another": [0, 0, 0, 0]}
    for column in rule.columns:
        kinds = {literal.reads for literal in rule.literals if literal.column == column} - {None}
        # a rule that compares a column with text and with numbers can decide only rows where it is missing
        table[column] = cells[kinds.pop()] if len(kinds) == 1 else [None] * 4
    return table


def require_that_it_works(model):
    assert Model.from_dict(model.to_dict()) == model
    assert Model.from_dict(parse(layout(model.to_dict()).encode())) == model
    table = small_table(model.rule)
    assert len(model.predict(table)) == 4
    assert json.dumps(model.check(table).summary, allow_nan=False)
    if model.rule.counts is not None:
        probabilities = model.predict_proba(table)
        assert probabilities.shape == (4, len(model.labels))
        assert np.isfinite(probabilities).all()
    str(model).encode()
    model._repr_html_().encode()
    repr(model)
    assert set(model.kinds) >= set(model.columns)
    if model.card is not None and model.card.learner:
        try:
            model.estimator()
        except ValueError as error:
            assert str(error).endswith(".")  # noqa: PT017


def read(content, file):
    """The model, from a file or from the text itself."""
    if file is None:
        return Model.from_dict(parse(content))
    file.write_bytes(content)
    return imli.load(file)


@pytest.fixture(scope="module")
def originals():
    return documents()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_thousand_broken_files(seed, originals, tmp_path):
    rng = random.Random(seed)
    outcomes = Counter()
    for number in range(1000):
        document = rng.choice(originals)
        file = None if number % 10 > 1 else tmp_path / "model.json"
        if number % 2:
            content = as_text(rng, with_wrong_values(rng, document))
        else:
            content = with_wrong_bytes(rng, (layout(document) if number % 4 else json.dumps(document)).encode())
        try:
            model = read(content, file)
        except ModelFileError as error:
            sentence = str(error)
            assert sentence.startswith(f"In {str(file)!r}" if file else ""), sentence
            assert sentence.endswith("."), sentence
            assert len(sentence) < 500 + len(str(file)), sentence
            outcomes["refused"] += 1
            continue
        require_that_it_works(model)
        outcomes["edited" if model.is_edited else "loaded"] += 1
        if file:
            imli.save(model, file)
            assert imli.load(file) == model
    assert min(outcomes["refused"], outcomes["edited"], outcomes["loaded"]) > 30


@pytest.mark.parametrize("seed", SEEDS)
def test_a_thousand_broken_rules(seed, originals):
    rng = random.Random(seed)
    rules = [document.get("rule", document) for document in originals] + [originals[-1]] * 4
    outcomes = Counter()
    for _ in range(1000):
        content = as_python(with_wrong_values(rng, rng.choice(rules)))
        try:
            rule = imli.rule_from_dict(content)
        except (ValueError, TypeError) as error:
            sentence = str(error)
            assert sentence.endswith("."), sentence
            assert len(sentence) < 500
            outcomes["refused"] += 1
            continue
        assert imli.rule_from_dict(rule.to_dict()) == rule
        assert imli.rule_from_dict(rule.to_dict()).counts == rule.counts
        assert len(rule.predict(small_table(rule))) == 4
        assert str(rule)
        assert rule._repr_html_()
        outcomes["read"] += 1
    assert min(outcomes.values()) > 100
