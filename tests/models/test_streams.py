"""Models that go on: what they remember comes back from the file, and what cannot be is refused."""

import json

import numpy as np
import pytest

import imli
from imli import DecisionListClassifier, DNFClassifier, Model, ModelFileError

TABLE = {
    "age": [25, None, 47, 51, 62, 70] * 10,
    "score": [0.5, 1.5, float("inf"), -2.25, 3.0, 1.0] * 10,
    "smoker": [True, False] * 30,
    "city": ["Bath", "Rome", "York", None, "Oslo", "Rome"] * 10,
    "signed": np.array(["2020-01-01", "NaT", "2022-02-02T12:30"] * 20, dtype="datetime64[s]"),
    "empty": [None] * 60,
}
RISK = ["high" if age and age > 50 else "low" for age in TABLE["age"]]


def learned(kind=DNFClassifier, **parameters):
    clf = kind(**({"effort": 0.02, "lam": 1.0, "memory": 40} | parameters))
    return clf.partial_fit(TABLE, RISK).partial_fit(TABLE, RISK)


@pytest.mark.parametrize("kind", [DNFClassifier, DecisionListClassifier])
def test_what_is_remembered_comes_back_from_the_file(kind, tmp_path):
    clf = learned(kind)
    imli.save(clf, tmp_path / "model.json")
    model = imli.load(tmp_path / "model.json")
    assert model == clf.to_model()
    one, other = model.stream.memory, clf._stream.memory
    for name, column in other.frame.columns.items():
        assert one.frame[name].kind == column.kind or name == "empty"
        assert one.frame[name].cells().tolist() == column.cells().tolist(), name
    for name in ("positions", "weights", "counts", "draws", "totals"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist(), name
    assert model.stream.log == clf.drift_
    assert f"It holds {one.n_rows} rows of data, to go on learning from." in str(model)


@pytest.mark.parametrize("kind", [DNFClassifier, DecisionListClassifier])
def test_a_model_goes_on_where_it_was(kind, tmp_path):
    clf = learned(kind)
    imli.save(clf, tmp_path / "model.json")
    again = imli.load(tmp_path / "model.json").resume()
    assert again.predict(TABLE).tolist() == clf.predict(TABLE).tolist()
    assert again.get_params()["memory"] == 40
    assert again.to_model() == clf.to_model()
    flipped = ["low" if risk == "high" else "high" for risk in RISK]
    again.partial_fit(TABLE, flipped)
    assert len(again.drift_) == 3
    assert again.drift_[-1].is_drift
    assert again.score(TABLE, flipped) > 0.9


def test_a_model_that_remembers_nothing_goes_on_from_its_rule(tmp_path):
    clf = DNFClassifier(effort=0.02, lam=1.0).fit(TABLE, RISK)
    imli.save(clf, tmp_path / "model.json")
    model = imli.load(tmp_path / "model.json")
    assert model.stream is None
    again = model.resume(memory=20)
    again.partial_fit(TABLE, RISK)
    assert again.drift_[0].moved == 0
    assert again.drift_[0].n_remembered <= 20


def test_given_literals_stay_over_the_file(tmp_path):
    clf = DNFClassifier(effort=0.02, lam=1.0, refine=False)
    clf.partial_fit(TABLE, RISK, vocabulary=["age > 50", "smoker", "city is Bath or Rome"])
    imli.save(clf, tmp_path / "model.json")
    again = imli.load(tmp_path / "model.json").resume().partial_fit(TABLE, RISK)
    assert [str(literal) for literal in again.literals_] == ["age > 50", "smoker", "city is Bath or Rome"]


def test_an_edited_rule_is_where_it_goes_on_from(tmp_path):
    content = learned().to_model().to_dict()
    content["rule"]["slots"] = imli.parse_rule("smoker").to_dict()["slots"]
    model = Model.from_dict(json.loads(json.dumps(content)))
    assert model.is_edited
    again = model.resume()
    assert again.to_model() == model  # nothing is claimed of a rule that nobody has priced
    assert again.to_model().is_edited
    assert str(again.rule_.literals[0]) == "smoker"
    again.partial_fit(TABLE, RISK)
    assert again.score(TABLE, RISK) == 1.0


def test_a_rule_alone_has_no_learner_to_go_on():
    with pytest.raises(ValueError) as error:
        Model.of_rule(imli.parse_rule("age > 60")).resume()
    assert str(error.value) == "The card of this model names no learner, so there is no classifier to build."


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda stream: stream["memory"]["seen"].pop(), "stream.memory: seen must have a number for each of the 2"),
        (
            lambda stream: stream["memory"]["labels"].pop(),
            "stream.memory: The rows that are remembered need a label, a",
        ),
        (lambda stream: stream["memory"].pop("draws"), "stream.memory: The rows that are remembered need the field 'd"),
        (lambda stream: stream["columns"].append("age"), "stream.columns: The columns must differ. Got ['age', 'sco"),
        (lambda stream: stream["columns"].remove("age"), "stream.columns: The rule looks at 'age', which is not among"),
        (lambda stream: stream["memory"]["cells"]["smoker"]["cells"].__setitem__(0, 3), "stream.memory.cells.smoker.c"),
        (lambda stream: stream["memory"]["weights"].__setitem__(0, 0), "stream.memory: The weights and draws of rows"),
        (
            lambda stream: stream["memory"]["counts"].__setitem__(0, 0.5),
            "stream.memory: The weights and draws of rows m",
        ),
        (
            lambda stream: stream["memory"]["labels"].__setitem__(0, 2**63),
            "stream.memory: A label must be the position of one of the 2 labels. Got 9223372036854775808.",
        ),
        (lambda stream: stream["batches"][0].pop("moved"), "stream.batches[0]: A batch needs the field 'moved'"),
        (lambda stream: stream["memory"].__setitem__("seen", [1, 1]), "stream.memory: More rows of a label are remem"),
    ],
)
def test_what_no_stream_can_be_is_refused_with_its_place(change, sentence):
    content = json.loads(json.dumps(learned().to_model().to_dict()))
    change(content["stream"])
    with pytest.raises(ModelFileError) as error:
        Model.from_dict(content)
    assert str(error.value).startswith(f"At {sentence}")


def test_lam_by_folds_goes_on_as_what_the_folds_have_found():
    clf = DNFClassifier(effort=0.02, lam="cv", cv=2, n_clauses=1).fit(TABLE, RISK)
    again = clf.to_model().resume().partial_fit(TABLE, RISK)
    assert (again.lam, again.lam_) == ("cv", clf.lam_)
    assert clf.to_model().resume(lam=2).partial_fit(TABLE, RISK).lam_ == 2
