"""What is not a model is refused with a sentence that names the place."""

import copy
import json
import math

import pytest

import imli
from imli import DNFClassifier, Model, ModelFileError, parse_rule

TABLE = {"age": [25, 32, 47, 51, 62, 70] * 10, "city": ["Bath", "Rome", "Cork", "York", "Oslo", "Rome"] * 10}
RISK = ["low", "low", "low", "high", "high", "high"] * 10
RULE = "IF age > 60 OR city is Oslo or York AND signed >= 2020-01-01 THEN risk is high ELSE risk is low"


@pytest.fixture(scope="module")
def document():
    rule = parse_rule(RULE).counted_on(TABLE | {"signed": [None] * 60}, RISK)
    model = DNFClassifier(effort=0.01).fit(TABLE, RISK).to_model()
    found = Model(rule, rule.classes, model.columns, (1.0, 2.0), model.card).to_dict()
    found["card"]["fingerprint"] = found["statistics"]["fingerprint"]
    return found


TEXTS = [
    (b"", "In {file}: The file is empty."),
    (b" \n\t", "In {file}: The file is empty."),
    (b"IF age > 60 THEN high", "In {file}: Line 1, column 1 is not JSON. Expecting value."),
    (b'{\n  "imli": "model"\n  "format": 1}', "In {file}: Line 3, column 3 is not JSON. Expecting ',' delimiter."),
    (b'{"imli": "model"', "In {file}: Line 1, column 17 is not JSON. Expecting ',' delimiter."),
    (
        b'{\n"imli": "mod\xe8l"}',
        "In {file}: Line 2 is not text in UTF-8. Save the file in that encoding, or check that it is a model file.",
    ),
    (b"[" * 200_000, "In {file}: Lists and objects are nested more than 40 levels deep. No model is."),
    (b"[1]", 'In {file}: This is not a model, which is a JSON object with "imli": "model".'),
    (b'"model"', 'In {file}: This is not a model, which is a JSON object with "imli": "model".'),
    (b'{"name": "x"}', 'In {file}: This is not a model, which is a JSON object with "imli": "model".'),
    (b'{"imli": "report"}', 'In {file}: This is not a model, which is a JSON object with "imli": "model".'),
    (
        b'{"imli": "model", "format": 1, "format": 1}',
        "In {file}: The key 'format' is there twice. Remove one of them.",
    ),
    (
        b'{"imli": "model", "format": 1, "rule": {"a": {"x": 1, "x": 2}}}',
        "In {file}, at rule.a: The key 'x' is there twice. Remove one of them.",
    ),
    (
        b'{"imli": "model", "format": 7}',
        "In {file}, at format: This model has format 7, this version of imli reads format 1. Install a newer imli.",
    ),
    (
        b'{"imli": "model", "format": "1"}',
        "In {file}, at format: This model has format '1', this version of imli reads format 1.",
    ),
    (
        b'{"imli": "model"}',
        "In {file}, at format: This model has format None, this version of imli reads format 1.",
    ),
    (b'{"imli": "model", "format": 1}', "In {file}: A model needs the field 'rule', which is missing."),
    (
        b'{"format": 2, "kind": "dnf"}',
        "In {file}, at format: This rule has format 2, this version of imli reads format 1. Install a newer imli.",
    ),
]


@pytest.mark.parametrize(("content", "sentence"), TEXTS, ids=range(len(TEXTS)))
def test_files_that_are_no_models(content, sentence, tmp_path):
    file = tmp_path / "model.json"
    file.write_bytes(content)
    with pytest.raises(ModelFileError) as error:
        imli.load(file)
    assert str(error.value) == sentence.format(file=repr(str(file)))


VALUES = [
    ("rule.slots[1][0].values", 3, "A literal's values must be a list. Got 3."),
    ("rule.slots[1][0].values", [], "'is' needs one or more different values. Got []."),
    ("rule.slots[0][0].threshold", "60", "A literal's threshold must be a number. Got '60'."),
    ("rule.slots[0][0].threshold", None, "A literal's threshold must be a number. Got None."),
    ("rule.slots[0][0].threshold", [60], "A literal's threshold must be a number. Got [60]."),
    ("rule.slots[0][0].operator", "=>", "A comparison is one of <, <=, >, >=. Got '=>'."),
    ("rule.slots[0][0].or_missing", 0, "A literal's or_missing must be true or false. Got 0."),
    ("rule.slots[0][0].column", 3, "A literal's column must be a name. Got 3."),
    ("rule.slots[1][1].moment", "2020-02-30", "There is no date '2020-02-30'."),
    ("rule.slots[1][1].moment", 2020, "A literal's moment must be a date as text, like 2024-12-31. Got 2020."),
    (
        "rule.slots[1][0].test",
        "equals",
        "Unknown test 'equals' in a literal. Known: compare, date, interval, is, true, missing.",
    ),
    ("rule.slots[1]", 3, "A rule's slots must be a list of clauses, each a list of literals or null. Got 3."),
    ("rule.classes", ["high"], "A formula decides between two different classes. Got ['high']."),
    ("rule.target", 3, "A rule's target must be a column name. Got 3."),
    ("rule.kind", "tree", "Unknown kind of rule 'tree'. Known: cnf, dnf, list, set, score, checklist."),
    ("rule.format", 2, "This rule has format 2, this version of imli reads format 1. Install a newer imli."),
    (
        "rule.counts",
        {},
        "In a model file the counts are under statistics. Remove them here.",
    ),
    ("labels", "high", "This must be a list. Got 'high'."),
    ("labels[0]", None, "A category or label must be text, a number or a truth value. Got None."),
    ("statistics.counts.overlap", -1, "Counts must be numbers from 0 to 1e300; overlap is not. Got [-1]."),
    (
        "statistics.counts.covered",
        [1e301, 0],
        "Counts must be numbers from 0 to 1e300; covered is not. Got [1e+301, 0].",
    ),
    ("statistics.class_factors", [1.0], "There must be a number for each of the 2 labels. Got 1."),
    ("statistics.class_factors[1]", -1, "This must be a number of at least 0. Got -1."),
    ("columns.age.kind", "numbers", "This must be one of 'number', 'flag', 'text', 'date'. Got 'numbers'."),
    ("columns.age.n_missing", 1.5, "This must be a whole number of at least 0. Got 1.5."),
    ("columns.age.least", "2020-01-01", "This does not fit a column of kind 'number'. Got '2020-01-01'."),
    ('columns["mean age"]', 3, "What is said of a column must be a JSON object. Got 3."),
    ("card.created", "yesterday", "This must be a time like 2024-12-31T23:59:59Z. Got 'yesterday'."),
    ("card.cost", "cheap", "This must be a number. Got 'cheap'."),
    ("card.status", "best", "This must be one of 'optimal', 'feasible', 'interrupted'. Got 'best'."),
    ("card.data.rows", -3, "This must be a whole number of at least 0. Got -3."),
    ("card.notes", ["x"], "This must be text. Got ['x']."),
    ("card.is_clause_optimal", "no", "This must be true or false. Got 'no'."),
    ("card.checks", [{}], None),
    ("card.versions.imli", 1, "This must be text. Got 1."),
    ("card.seconds", math.nan, "A number must be below 1e308. Got nan."),
    ("card.lam", 10**400, "A number must be below 1e308. Got a number of 401 digits."),
    (
        "card.notes",
        "half \ud800",
        "'half \\ud800' is not text. A key or text is made of whole characters, not of lone surrogates like \\ud800.",
    ),
    ("card.parameters.never", {1, 2}, "A model holds text, numbers, true, false, null, lists and objects. Got {1, 2}."),
]


@pytest.mark.parametrize(("place", "value", "sentence"), VALUES, ids=[place for place, _, _ in VALUES])
def test_values_that_do_not_fit(document, place, value, sentence):
    broken = copy.deepcopy(document)
    *path, last = [int(part) if part.isdigit() else part for part in _split(place)]
    holder = broken
    for part in path:
        holder = holder[part]
    holder[last] = value
    if sentence is None:
        place, sentence = f"{place}[0]", "A check needs the field 'kind', which is missing."
    with pytest.raises(ModelFileError) as error:
        Model.from_dict(broken)
    assert str(error.value) == f"At {place}: {sentence}"


def _split(place):
    return place.replace('["', ".").replace('"]', "").replace("[", ".").replace("]", "").split(".")


UNKNOWN = [
    ((), "A model has no field 'x'. Its fields are imli, format, rule, labels, card, statistics, columns, stream."),
    (
        ("rule",),
        "At rule: A rule has the fields classes, format, kind, slots, target. "
        "Got classes, format, kind, slots, target, x.",
    ),
    (
        ("rule", "slots", 0, 0),
        "At rule.slots[0][0]: A literal with test 'compare' has the fields column, operator, or_missing, threshold. "
        "Got column, operator, or_missing, threshold, x.",
    ),
    (
        ("statistics",),
        "At statistics: The object of statistics has no field 'x'. Its fields are fingerprint, counts, class_factors.",
    ),
    (
        ("statistics", "counts"),
        "At statistics.counts: The object of counts has no field 'x'. "
        "Its fields are covered, right, only_here, regions, overlap.",
    ),
    (
        ("card", "data"),
        "At card.data: What is said of the data has no field 'x'. Its fields are rows, columns, hash, weight.",
    ),
]


@pytest.mark.parametrize(("path", "sentence"), UNKNOWN, ids=["".join(map(str, path)) for path, _ in UNKNOWN])
def test_unknown_fields(document, path, sentence):
    broken = copy.deepcopy(document)
    holder = broken
    for part in path:
        holder = holder[part]
    holder["x"] = 1
    with pytest.raises(ModelFileError) as error:
        Model.from_dict(broken)
    assert str(error.value) == sentence


def test_numbers_that_json_does_not_know(document, tmp_path):
    file = tmp_path / "model.json"
    text = json.dumps(document)
    for number, complaint in [
        ("NaN", "NaN is not a number that JSON knows. Write a finite one."),
        ("-Infinity", "-Infinity is not a number that JSON knows. Write a finite one."),
        ("1e999", "A number must be below 1e308. Got 1e999."),
        ("9" * 5000, "A number must be below 1e308. Got a number of 5,000 digits."),
    ]:
        file.write_text(text.replace('"threshold": 60', f'"threshold": {number}'))
        with pytest.raises(ModelFileError) as error:
            imli.load(file)
        assert str(error.value) == f"In {str(file)!r}, at rule.slots[0][0].threshold: {complaint}"


def test_half_a_character_is_refused_wherever_it_is(document, tmp_path):
    for place in ('"age"', '"high"', '"risk"'):
        file = tmp_path / "model.json"
        file.write_text(json.dumps(document).replace(place, '"a\\ud800"'))
        with pytest.raises(ModelFileError) as error:
            imli.load(file)
        assert "is not text. A key or text is made of whole characters" in str(error.value)
    # and is not written either
    with pytest.raises(ModelFileError):
        imli.save(parse_rule("`a\ud800` > 3"), tmp_path / "other.json")
    assert not (tmp_path / "other.json").exists()


def test_nesting_that_is_just_deep(document):
    nested = []
    for _ in range(60):
        nested = [nested]
    broken = copy.deepcopy(document)
    broken["card"]["parameters"]["never"] = nested
    with pytest.raises(ModelFileError) as error:
        Model.from_dict(broken)
    assert str(error.value).endswith(": Lists and objects are nested more than 40 levels deep. No model is.")
    nested.append(nested)  # no end at all
    with pytest.raises(ModelFileError):
        Model.from_dict(broken)


def test_counts_without_the_rule_they_belong_to(document):
    broken = copy.deepcopy(document)
    del broken["statistics"]["fingerprint"]
    with pytest.raises(ModelFileError) as error:
        Model.from_dict(broken)
    assert str(error.value) == (
        "At statistics: The statistics need the fingerprint of the rule that their counts belong to. Remove both."
    )


def test_what_the_file_system_says(tmp_path):
    with pytest.raises(OSError) as error:
        imli.load(tmp_path)
    assert str(error.value.filename) == str(tmp_path)
    with pytest.raises(FileNotFoundError):
        imli.load(tmp_path / "none.json")


def test_a_model_by_hand():
    rule = parse_rule("IF age > 60 THEN high ELSE low")
    with pytest.raises(ValueError) as error:
        Model(rule, ("high",))
    assert str(error.value) == "The rule decides for 'low', which is not among the labels ['high']. Add it there."
    with pytest.raises(ValueError) as error:
        Model(rule, ("high", "low", "low"))
    assert str(error.value) == "The labels must differ. Got ['high', 'low', 'low']."
    with pytest.raises(TypeError) as type_error:
        Model("age > 60", ("high", "low"))
    assert str(type_error.value) == "A model needs a rule. Got 'age > 60'."
    assert issubclass(ModelFileError, ValueError)
