"""The file itself: how it reads, that it is written whole or not at all, and what reading it loads.

``python tests/models/test_files.py`` writes the golden file anew.
"""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imli
from imli import DecisionListClassifier, Model, ModelFileError, parse_rule
from imli.models import Check, ClauseCheck
from imli.models.checks import figures_of
from imli.models.files import layout, parse

GOLDEN = Path(__file__).parent.parent / "golden" / "model.json"


def golden_model():
    """Made up: who needs help, by age, city, stairs and the day they moved in."""
    rng = np.random.default_rng(5)
    age, stairs = rng.integers(20, 95, 400), rng.random(400) < 0.4
    city = rng.choice(["Bath", "Cork", "Oslo", "Rome", "Zürich"], 400)
    moved = np.datetime64("2015-01-01") + rng.integers(0, 3000, 400)
    weight = np.where(rng.random(400) < 0.1, np.nan, rng.normal(75, 12, 400).round(1))
    need = np.where(
        (age > 70) & stairs, "much", np.where(np.isin(city, ["Oslo", "Zürich"]) & (age > 60), "some", "none")
    )
    table = {"age": age, "stairs": stairs, "city": city, "moved in": moved, "weight": weight}
    clf = DecisionListClassifier(n_clauses=3, lam=2, effort=0.1, class_weight={"much": 2.0}, never=["weight"])
    model = clf.fit(table, need).to_model()
    confusion = np.array([[40.0, 3.0, 0.0], [1.0, 303.0, 0.0], [0.0, 2.0, 51.0]])
    clauses = [ClauseCheck(0.88, 1.0, 41.0, 0.975), ClauseCheck(0.5, 1.0, 0.0, is_lost=True)]
    check = {"kind": "cv", "accuracy": 0.985, "rows": 400, "folds": 5, "standard_error": 0.006, "clauses": clauses}
    model = model.with_check(check | figures_of(confusion, model.labels, None))
    versions = dict.fromkeys(model.card.versions, "1.0")
    card = replace(model.card, created="2026-01-02T03:04:05Z", seconds=0.5, versions=versions, notes="An example.")
    return replace(model, card=card)


def test_the_golden_file(tmp_path):
    model = golden_model()
    imli.save(model, tmp_path / "model.json")
    assert (tmp_path / "model.json").read_text(encoding="utf-8") == GOLDEN.read_text(encoding="utf-8")
    assert imli.load(GOLDEN) == model
    longest = max(map(len, GOLDEN.read_text(encoding="utf-8").splitlines()))
    assert longest <= 300


def test_a_file_of_before():
    """A file without cuts and counts of columns, and with a check that has only the accuracy."""
    model = imli.load(GOLDEN.with_name("model_before.json"))
    assert (model.rule, model.labels) == (imli.load(GOLDEN).rule, imli.load(GOLDEN).labels)
    assert model.columns["age"].cuts == model.columns["age"].counts == ()
    assert model.card.checks == (Check("cv", 0.985, 400, 5, 0.006),)
    assert Model.from_dict(model.to_dict()) == model


plain = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(max_size=10) | st.sampled_from(["test", "\u2028", '"', "\\", "a\x00"])
documents = st.recursive(
    plain | texts, lambda part: st.lists(part, max_size=5) | st.dictionaries(texts, part, max_size=5), max_leaves=40
)


@given(documents)
@settings(max_examples=100, deadline=None)
def test_the_layout_is_the_same_json(document):
    assert repr(json.loads(layout(document))) == repr(document)
    assert repr(json.loads(layout({"deeper": [document]}))) == repr({"deeper": [document]})


def test_each_literal_has_a_line_of_its_own():
    rule = parse_rule("IF age > 60 AND smoker OR city is Bath or Rome THEN yes ELSE no")
    lines = layout(Model.of_rule(rule).to_dict()).splitlines()
    literals = [json.loads(line.strip().rstrip(",")) for line in lines if '"test"' in line]
    assert literals == [literal.to_dict() for literal in rule.literals]


def test_numbers_are_exact(tmp_path):
    numbers = [0.1 + 0.2, 1 / 3, 5e-324, 1.7976931348623157e308, 2**63 - 1, -(2**63), 2**53 + 1, -1e-7, 123456789.123]
    for number in numbers:
        rule = imli.DNF.from_clauses([imli.Compare("x", ">", number)])
        imli.save(rule, tmp_path / "rule.json")
        assert repr(imli.load(tmp_path / "rule.json").rule.literals[0]) == repr(rule.literals[0])


def test_a_very_long_file(tmp_path):
    values = tuple(f"category {n}" for n in range(100_000))
    clauses = [[imli.IsIn("code", values)], *([imli.Compare("x", ">", n)] for n in range(1000))]
    imli.save(imli.DNF.from_clauses(*clauses), tmp_path / "rule.json")
    model = imli.load(tmp_path / "rule.json")
    assert len(model.rule.clauses) == 1001
    assert model.predict({"code": ["category 7", "x"], "x": [0, 0]}).tolist() == [True, False]


def test_a_save_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    file = tmp_path / "model.json"
    imli.save(parse_rule("age > 60"), file)
    before = file.read_bytes()
    with pytest.raises(ModelFileError) as error:
        imli.save(parse_rule("`a\ud800` > 60"), file)
    assert str(error.value).startswith("At rule.slots[0][0].column: 'a\\ud800' is not text.")
    with pytest.raises(TypeError):
        imli.save(object(), file)
    card = replace(Model.of_rule(parse_rule("age > 60")).card, notes=b"bytes")
    with pytest.raises(ModelFileError) as error:
        imli.save(Model(parse_rule("age > 60"), (False, True), card=card), file)
    assert str(error.value) == (
        "At card.notes: A model holds text, numbers, true, false, null, lists and objects. Got b'bytes'."
    )
    with pytest.raises(FileNotFoundError):
        imli.save(parse_rule("age > 60"), tmp_path / "none" / "model.json")
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.json"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which nobody can make files")
def test_a_folder_that_cannot_be_written_to(tmp_path):
    """The kernel lets nobody make files there, not even root."""
    with pytest.raises(OSError) as error:
        imli.save(parse_rule("age > 60"), "/proc/model.json")
    assert error.value.filename == "/proc/model.json"


READ = """
import imli, sys
model = imli.load({file!r})
table = {{"age": [80, 30], "stairs": [True, False], "city": ["Oslo", None], "moved in": [None, None]}}
assert model.predict(table).tolist() == ["much", "none"]
assert model.predict_proba(table).shape == (2, 3)
assert str(model) and model._repr_html_() and model.kinds
imli.save(model, {again!r})
assert not {{name for name in sys.modules if name.split(".")[0] in {heavy!r}}}, sys.modules
"""


def test_reading_and_deciding_loads_no_learner(tmp_path):
    heavy = {"sklearn", "pandas", "polars", "pyarrow", "scipy", "pysat", "joblib"}
    code = READ.format(file=str(GOLDEN), again=str(tmp_path / "again.json"), heavy=heavy)
    code += 'assert "imli._kernel" not in sys.modules\nassert "imli.estimators" not in sys.modules\n'
    subprocess.run([sys.executable, "-c", code], check=True)
    assert (tmp_path / "again.json").read_bytes() == GOLDEN.read_bytes()


def test_reading_executes_nothing():
    """Whatever a file names stays text until someone asks for the learner, and then only imli's own are built."""
    document = golden_model().to_dict()
    document["card"]["learner"] = "os.system"
    document["card"]["parameters"] = {"strategy": {"object": "__import__('os').abort()"}}
    model = Model.from_dict(parse(layout(document).encode()))
    with pytest.raises(ValueError) as error:
        model.estimator()
    assert str(error.value) == (
        "The learner 'os.system' is not one of imli's, which are CNFClassifier, ChecklistClassifier, "
        "DNFClassifier, DecisionListClassifier, DecisionSetClassifier, RuleClassifier, ScoreClassifier."
    )


if __name__ == "__main__":
    imli.save(golden_model(), GOLDEN)
