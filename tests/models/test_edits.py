"""What people change in a model file by hand works, and is noticed where it is the rule."""

import json
from dataclasses import replace

import pytest

import imli
from imli import DecisionListClassifier, DNFClassifier, Model

TABLE = {
    "age": [25, 32, 47, 51, 62, 70] * 10,
    "city": ["Bath", "Rome", "Cork", "York", "Oslo", "Rome"] * 10,
    "smoker": [True, False, False, True, True, False] * 10,
}
RULE = "IF age > 60 AND city is Oslo or Rome OR age <= 30 AND smoker THEN risk is raised ELSE risk is low"
RISK = ["raised", "low", "low", "low", "raised", "raised"] * 10


@pytest.fixture(scope="module")
def learned():
    """A model that was learned, whose rule is known."""
    clf = DNFClassifier(n_clauses=1, locked=RULE, effort=0.01, lam=9, random_state=1).fit(TABLE, RISK)
    assert len(clf.rule_.clauses) == 2
    model = clf.to_model()
    return replace(model, card=replace(model.card, created="2026-01-02T03:04:05Z"))


@pytest.fixture
def file(learned, tmp_path):
    imli.save(learned, tmp_path / "model.json")
    return tmp_path / "model.json"


def changed(file, old, new, times=None):
    """The file with this text instead of that, as an editor would do it."""
    text = file.read_text(encoding="utf-8")
    assert old in text
    assert times is None or text.count(old) == times
    file.write_text(text.replace(old, new), encoding="utf-8")
    return imli.load(file)


ROWS = {"age": [66, 61, 20, 20], "city": ["Rome", "Oslo", "Cork", "York"], "smoker": [False, False, True, False]}
BEFORE = ["raised", "raised", "raised", "low"]


def test_nothing_is_changed(file, learned):
    model = imli.load(file)
    assert model == learned
    assert model.predict(ROWS).tolist() == BEFORE
    assert str(model) == (
        "IF    age > 60 AND (city is Oslo or Rome)\n"
        "   OR age <= 30 AND smoker\n"
        "THEN  raised   (100 % of the 30 rows it covers)\n"
        "ELSE  low      (100 % of 30)\n\n"
        "Learned by DNFClassifier from 60 rows and 3 columns on 2026-01-02. "
        f"{model.card.answer(model.rule)}"
    )


EDITED = (
    "Learned by DNFClassifier from 60 rows and 3 columns on 2026-01-02. "
    "The rule was edited by hand after it was learned, so its counts, cost and bound no longer speak of it."
)


def require_edited(model, rule):
    assert model.is_edited
    assert model.rule.counts is None
    assert str(model) == f"{rule}\n\n{EDITED}"
    assert EDITED in model._repr_html_()
    assert "proven" not in str(model) + model._repr_html_()
    assert Model.from_dict(model.to_dict()) == model
    assert Model.from_dict(model.to_dict()).is_edited
    with pytest.raises(ValueError) as error:
        model.predict_proba(ROWS)
    assert str(error.value) == (
        "This model has no counts of training rows since the rule was edited by hand, so it knows no probabilities. "
        "Count the rule anew: model.with_rule(model.rule.counted_on(X, y))."
    )


def test_another_threshold(file):
    model = changed(file, '"threshold": 60}', '"threshold": 65}', 1)
    require_edited(
        model,
        "IF    age > 65 AND (city is Oslo or Rome)\n   OR age <= 30 AND smoker\nTHEN  raised\nELSE  low",
    )
    assert model.predict(ROWS).tolist() == ["raised", "low", "raised", "low"]


def test_the_same_threshold_in_other_words(file, learned):
    assert changed(file, '"threshold": 60}', '"threshold": 60.0}', 1) == learned
    assert changed(file, '"threshold": 60.0}', '"threshold":  6e1 }', 1) == learned


def test_another_category(file):
    model = changed(file, '"values": ["Oslo", "Rome"]', '"values": ["Oslo", "Cork", "Zürich"]', 1)
    require_edited(
        model, "IF    age > 60 AND (city is Oslo, Cork or Zürich)\n   OR age <= 30 AND smoker\nTHEN  raised\nELSE  low"
    )
    assert model.predict(ROWS).tolist() == ["low", "raised", "raised", "low"]


def with_slots(file, change):
    document = json.loads(file.read_text(encoding="utf-8"))
    change(document["rule"]["slots"])
    file.write_text(json.dumps(document), encoding="utf-8")
    return imli.load(file)


def test_a_literal_is_removed(file):
    model = with_slots(file, lambda slots: slots[1].pop())
    require_edited(model, "IF    age > 60 AND (city is Oslo or Rome)\n   OR age <= 30\nTHEN  raised\nELSE  low")


def test_a_literal_is_added_on_a_new_column(file):
    new = {"test": "date", "column": "signed", "or_missing": False, "operator": ">=", "moment": "2024-02-29"}
    model = with_slots(file, lambda slots: slots[1].append(new))
    require_edited(
        model,
        "IF    age > 60 AND (city is Oslo or Rome)\n   OR age <= 30 AND smoker AND signed >= 2024-02-29\n"
        "THEN  raised\nELSE  low",
    )
    assert model.kinds == {"age": "number", "city": "text", "smoker": "flag", "signed": "date"}


def test_a_clause_is_removed(file):
    require_edited(with_slots(file, lambda slots: slots.pop(0)), "IF    age <= 30 AND smoker\nTHEN  raised\nELSE  low")


def test_a_clause_is_added(file):
    new = [{"test": "missing", "column": "age", "or_missing": True}]
    model = with_slots(file, lambda slots: slots.append(new))
    require_edited(
        model,
        "IF    age > 60 AND (city is Oslo or Rome)\n   OR age <= 30 AND smoker\n   OR age is missing\n"
        "THEN  raised\nELSE  low",
    )


def test_all_clauses_are_removed(file):
    model = with_slots(file, lambda slots: slots.clear())
    require_edited(model, "IF    never\nTHEN  raised\nELSE  low")
    assert model.predict(ROWS).tolist() == ["low"] * 4


def test_an_unused_slot_changes_nothing(file, learned):
    model = with_slots(file, lambda slots: slots.insert(1, None))
    assert not model.is_edited
    assert model.rule == learned.rule
    assert model.rule.counts == learned.rule.counts


def test_another_name_for_a_label(file):
    model = changed(file, '"raised"', '"erhöht"')
    require_edited(
        model, "IF    age > 60 AND (city is Oslo or Rome)\n   OR age <= 30 AND smoker\nTHEN  erhöht\nELSE  low"
    )
    assert model.labels == ("low", "erhöht")
    assert model.predict(ROWS).tolist() == ["erhöht", "erhöht", "erhöht", "low"]


def test_another_name_for_a_label_in_one_place_only(file):
    with pytest.raises(imli.ModelFileError) as error:
        changed(file, '"labels": ["low", "raised"]', '"labels": ["low", "erhöht"]', 1)
    assert str(error.value) == (
        f"In {str(file)!r}, at labels: The rule decides for 'raised', which is not among the labels ['low', 'erhöht']. "
        "Add it there."
    )


def test_the_decisions_are_swapped(file):
    model = changed(file, '"classes": ["low", "raised"]', '"classes": ["raised", "low"]', 1)
    assert model.is_edited
    assert model.predict(ROWS).tolist() == ["low", "low", "low", "raised"]


def test_a_label_more(tmp_path):
    clf = DecisionListClassifier(effort=0.02, lam=1, class_weight="balanced").fit(TABLE, RISK)
    document = clf.to_model().to_dict()
    new = {"test": "compare", "column": "age", "or_missing": False, "operator": ">", "threshold": 99}
    document["rule"]["pairs"].insert(0, {"clause": [new], "class": "unknown"})
    document["labels"].append("unknown")
    model = Model.from_dict(document)
    assert model.is_edited
    assert model.class_factors is None
    assert model.predict(TABLE | {"age": [100] * 60}).tolist() == ["unknown"] * 60


def test_notes(file, learned):
    model = changed(file, '"created":', '"notes": "Signed off by\\nDr. Ødegård",\n    "created":', 1)
    assert not model.is_edited
    assert model.card.notes == "Signed off by\nDr. Ødegård"
    assert str(model) == f"{learned} Notes: Signed off by Dr. Ødegård"
    imli.save(model, file)
    assert imli.load(file) == model


def test_spaces_order_and_a_byte_order_mark(file, learned):
    def turned(value):
        if isinstance(value, dict):
            return {name: turned(part) for name, part in reversed(value.items())}
        return [turned(part) for part in value] if isinstance(value, list) else value

    document = turned(json.loads(file.read_text(encoding="utf-8")))
    for options in ({}, {"indent": 8}, {"ensure_ascii": False}, {"separators": (",", ":")}):
        text = json.dumps(document, **options).replace("\n", "\r\n")
        file.write_bytes(b"\xef\xbb\xbf" + text.encode())
        assert imli.load(file) == learned


def test_the_card_is_removed(file, learned):
    document = learned.to_dict()
    del document["card"]
    model = Model.from_dict(document)
    assert model.card is None
    assert str(model) == str(learned.rule)
    assert model.rule.counts == learned.rule.counts
    del document["statistics"], document["columns"]
    assert Model.from_dict(document).predict(ROWS).tolist() == BEFORE


def test_an_edit_of_a_saved_rule(tmp_path):
    rule = imli.parse_rule(RULE).counted_on(TABLE, RISK)
    imli.save(rule, tmp_path / "rule.json")
    model = changed(tmp_path / "rule.json", '"threshold": 60}', '"threshold": 61}', 1)
    assert str(model).endswith("The rule was edited by hand after it was saved, so its counts no longer speak of it.")


def test_an_edited_rule_can_be_counted_anew(file):
    model = changed(file, '"threshold": 60}', '"threshold": 65}', 1)
    counted = model.with_rule(model.rule.counted_on(TABLE, RISK))
    assert counted.is_edited
    assert counted.predict_proba(ROWS).shape == (4, 2)
    imli.save(counted, file)
    again = imli.load(file)
    assert again == counted
    assert again.rule.counts == counted.rule.counts
    assert "THEN  raised   (100 % of the 20 rows it covers)" in str(again)


def test_a_rule_of_its_own_is_a_model(tmp_path):
    rule = imli.parse_rule(RULE)
    for known in (rule, rule.counted_on(TABLE, RISK)):
        (tmp_path / "rule.json").write_text(json.dumps(known.to_dict()))
        model = imli.load(tmp_path / "rule.json")
        assert model.rule == known
        assert model.rule.counts == known.counts
        assert model.card is None
        assert not model.is_edited
        assert model.predict(ROWS).tolist() == BEFORE
    assert model.predict_proba(ROWS).shape == (4, 2)
