"""Local rules: they hold for their row, keep their word, and are the same again."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from support.explain_tables import MODELS, by_hand, mixed, outcome, pipeline, to_polars

import imli
from imli import DNFClassifier
from imli.explain import local

TABLE = mixed()


@pytest.mark.parametrize("name", MODELS)
def test_the_rule_holds_for_its_row_and_says_what_the_model_says(name):
    model = MODELS[name](TABLE)
    decide = getattr(model, "predict", model)
    for place in range(0, 300, 100):
        found = local(model, place, TABLE, n_samples=200, random_state=place)
        own = TABLE.iloc[[place]]
        assert found.decision == decide(own)[0]
        assert found.rule.predict(own)[0] == found.decision
        assert len(found.rule.clauses) == 1


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    age=st.none() | st.floats(0, 100),
    visits=st.integers(0, 12),
    city=st.none() | st.sampled_from(["Bath", "Ulm", "Oslo"]),
    smoker=st.booleans(),
    day=st.integers(0, 900),
    seed=st.integers(0, 3),
)
def test_it_holds_for_rows_that_the_table_does_not_have(age, visits, city, smoker, day, seed):
    since = pd.Timestamp("2020-01-01") + pd.Timedelta(days=day)
    row = {"age": age, "visits": visits, "city": city, "smoker": smoker, "since": since}
    found = local(by_hand, row, TABLE, n_samples=100, random_state=seed)
    own = pd.DataFrame({name: pd.Series([cell], dtype=TABLE[name].dtype) for name, cell in row.items()})
    assert found.decision == outcome(own)[0]
    assert found.rule.predict(own)[0] == found.decision


class Recording:
    """A model that keeps what it was asked, and what it said."""

    def __init__(self, decide):
        self.decide, self.asked, self.said = decide, [], []

    def predict(self, table):
        self.asked.append(table)
        self.said.append(self.decide(table))
        return self.said[-1]


def test_neighbours_have_the_types_and_values_of_the_table():
    model = Recording(by_hand)
    local(model, 7, TABLE, n_samples=300)
    for asked in model.asked:
        assert list(asked.columns) == list(TABLE.columns)
        assert (asked.dtypes == TABLE.dtypes).all()
        for name in TABLE:
            seen = set(TABLE[name].dropna())
            assert set(asked[name].dropna()) <= seen
    around = model.asked[-1][300:]
    n_same = sum((around[name] == TABLE[name][7]) | (around[name].isna() & pd.isna(TABLE[name][7])) for name in TABLE)
    assert n_same.mean() > 2.5  # of five cells: about half are those of the row, and some more by chance
    assert set(range(6)) == set(n_same)  # from far to near


def test_it_is_asked_few_times_about_many_rows():
    model = Recording(by_hand)
    local(model, 7, TABLE, n_samples=300)
    assert len(model.asked) <= 12
    assert max(map(len, model.asked)) <= 1 + 2 * 300


def test_precision_coverage_and_fidelity_are_as_counted_by_hand():
    model = Recording(by_hand)
    found = local(model, 3, TABLE, n_samples=500)
    asked, alike = model.asked[-1], np.asarray(model.said[-1]) == found.decision
    holds = found.rule.predict(asked) == found.decision
    assert holds[:500].all()  # drawn such that the rule holds
    assert found.precision == np.mean(alike[:500])
    assert found.fidelity == pytest.approx(np.mean(alike[500:] == holds[500:]))
    assert (found.around.n_covered, found.around.n_right) == (holds[500:].sum(), (holds & alike)[500:].sum())
    covered = found.rule.predict(TABLE) == found.decision
    right = by_hand(TABLE) == found.decision
    assert found.coverage == covered.mean()
    assert found.on_rows.precision == right[covered].mean()
    assert found.rule.counts.covered == (covered.sum(),)
    assert found.size == found.rule.size


def test_the_fresh_neighbours_are_not_those_it_was_learned_from():
    model = Recording(by_hand)
    local(model, 3, TABLE, n_samples=500)
    first, last = model.asked[0][301:], model.asked[-1][500:]
    assert not first.reset_index(drop=True).equals(last.reset_index(drop=True))


def test_a_planted_rule_is_found():
    def model(table):
        return (table["visits"] > 6) & table["smoker"]

    row = {"age": 50, "visits": 9, "city": "Rome", "smoker": True, "since": pd.Timestamp("2021-01-01")}
    found = local(model, row, TABLE)
    assert str(found).split("\n\n")[1] == "IF    visits > 6 AND smoker\nTHEN  true"
    assert (found.precision, found.on_rows.precision) == (1.0, 1.0)
    other = local(model, {**row, "smoker": False}, TABLE)
    assert str(other).split("\n\n")[1] == "IF    not smoker\nTHEN  false"
    gone = local(lambda table: table["age"].isna(), {**row, "age": None}, TABLE)
    assert str(gone).split("\n\n")[1] == "IF    age is missing\nTHEN  true"


def test_the_target_is_reached_where_it_can_be_and_wider_rules_where_it_is_lower():
    model = pipeline(TABLE)
    strict = [local(model, place, TABLE, precision=0.98) for place in range(3)]
    loose = [local(model, place, TABLE, precision=0.7) for place in range(3)]
    assert np.mean([found.precision for found in strict]) >= 0.97
    assert sum(found.coverage for found in loose) > sum(found.coverage for found in strict)


def test_a_small_spot_is_found_and_nothing_is_said_that_the_target_does_not_need():
    X = np.random.default_rng(0).random((400, 8)).round(3)

    def model(table):
        return (np.abs(table - 0.5) < 0.15).sum(axis=1) >= 7

    assert model(X).sum() <= 1
    found = local(model, [0.5] * 8, X, n_samples=300)
    assert (found.decision, found.precision) == (True, 1.0)
    assert len(found.rule.literals) == 2 * 7  # above and below, for seven of the eight columns


def test_the_same_question_gets_the_same_answer():
    model = pipeline(TABLE)
    first, again = (local(model, 5, TABLE, n_samples=300, n_jobs=n_jobs) for n_jobs in (None, 1))
    assert first.to_dict() == again.to_dict()
    drawn = [Recording(by_hand) for _ in range(3)]
    for seed, each in zip((0, 1, 1), drawn, strict=True):
        local(each, 5, TABLE, n_samples=300, random_state=seed)
    assert drawn[1].asked[-1].equals(drawn[2].asked[-1])
    assert not drawn[0].asked[-1].equals(drawn[1].asked[-1])


def test_a_row_can_be_given_in_many_ways():
    model = pipeline(TABLE)
    expected = local(model, TABLE.iloc[4].to_dict(), TABLE, n_samples=200).to_dict()
    for row in (TABLE.iloc[4], TABLE.iloc[[4]], TABLE.iloc[4].tolist(), to_polars(TABLE).row(4, named=True)):
        assert local(model, row, TABLE, n_samples=200).to_dict() == expected


def test_tables_of_all_libraries():
    frame, iris = to_polars(TABLE), load_iris()

    def of_polars(table):
        assert isinstance(table, pl.DataFrame)
        assert table.schema == frame.schema
        return table["visits"].to_numpy() > 6

    for row in (2, frame.row(2, named=True), frame[2]):
        assert local(of_polars, row, frame, n_samples=200).rule.columns == ("visits",)
    forest = RandomForestClassifier(20, random_state=0).fit(iris.data, iris.target)
    found = local(forest, iris.data[60], iris.data)
    assert (found.decision, found.rule.classes) == (1, ("other than 1", 1))

    def of_lists(table):
        assert isinstance(table, list)
        return [row[2] > 2.5 for row in table]

    assert local(of_lists, 3, iris.data.tolist(), n_samples=200).rule.columns == ("x2",)

    def of_columns(table):
        assert isinstance(table["city"], list)
        return [city == "Ulm" for city in table["city"]]

    columns = {"city": ["Ulm", "Bath", None, "Rome"] * 20, "age": np.arange(80)}
    found = local(of_columns, {"city": "Bath", "age": 3}, columns, n_samples=200)
    assert found.decision is False
    arrow = frame.to_arrow()
    assert local(lambda table: table["visits"].to_numpy() > 6, 2, arrow, n_samples=200).rule.columns == ("visits",)


def test_rules_and_models_of_ours_are_models_too():
    labels = outcome(TABLE) == "high"
    classifier = DNFClassifier(effort=0.1).fit(TABLE, labels)
    for model in (classifier, classifier.to_model(), classifier.rule_):
        found = local(model, 11, TABLE, n_samples=200)
        assert found.decision == bool(classifier.predict(TABLE.iloc[[11]])[0])
        assert found.precision >= 0.95


def test_large_tables_are_looked_at_in_part():
    table = mixed(5000)
    found = local(by_hand, 4321, table, n_samples=400)
    assert found.on_rows.n_rows == 400
    assert found.row["visits"] == table["visits"][4321]


def test_conditions_of_the_user():
    model = pipeline(TABLE)
    found = local(model, 8, TABLE, never=["age", "smoker"], max_literals=2)
    assert not set(found.rule.columns) & {"age", "smoker"}
    assert len(found.rule.literals) <= 2
    assert local(model, 8, TABLE, time_limit=0.001).rule.predict(TABLE.iloc[[8]])[0] == model.predict(TABLE)[8]


def test_in_words_and_as_plain_values():
    found = local(lambda table: np.where(table["visits"] > 6, "often", "seldom"), 2, TABLE, target="comes")
    lines = str(found).splitlines()
    assert lines[0] == f"The model predicts comes is {found.decision} for this row."
    assert lines[2].startswith("IF    visits ")
    assert lines[3] == f"THEN  comes is {found.decision}"
    assert [line.split(":")[0] for line in lines[5:]] == ["Precision", "Coverage", "Fidelity"]
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert imli.rule_from_dict(content["rule"]) == found.rule
    assert content["precision"] == found.precision
    assert content["row"]["since"] == str(TABLE["since"][2].date())
    html = found._repr_html_()
    assert "<b>comes is" in html
    assert "Precision" in html
    assert "ELSE" not in html
    assert repr(found).startswith("<LocalExplanation, precision 1.000, coverage ")


def test_what_was_asked_for_and_could_not_be_had_is_said():
    noise = np.random.default_rng(0)
    found = local(lambda table: noise.random(len(table)) < 0.5, 0, TABLE, n_samples=200)
    said = "A precision of 95 % was asked for, but no rule was found that reaches it for certain."
    assert str(found).splitlines()[-1] == said


def test_a_constant_model():
    found = local(lambda table: ["yes"] * len(table), 0, TABLE)
    assert str(found).startswith("The model predicts yes for this row.\n\nIF    always\nTHEN  yes\n")
    assert (found.precision, found.coverage, found.fidelity, found.size) == (1.0, 1.0, 1.0, 0)


ROW = {"age": 50, "visits": 9, "city": "Rome", "smoker": True, "since": pd.Timestamp("2021-01-01")}


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (300, "local: row must be a place in X, 0 to 299, or cells. Got 300."),
        (-1, "local: row must be a place in X, 0 to 299, or cells. Got -1."),
        ({**ROW, "agee": 3}, "No column 'agee' in the data. Did you mean 'age'?"),
        ({"age": 50}, "local: the row has no column 'visits'. Give it a cell for each column of X."),
        ([1, 2, 3], "local: the row has 3 cells, but X has 5 columns."),
        ({**ROW, "age": "old"}, "local: the row holds 'old' in column 'age', but there X holds numbers."),
        (TABLE[:2], "local: row must be one row. Got a table of 2."),
        ("first", "local: row must be a place in X, or the cells of a row. Got 'first'."),
        (None, "local: row must be a place in X, or the cells of a row. Got None."),
    ],
)
def test_rows_that_are_refused(row, sentence):
    with pytest.raises((ValueError, TypeError)) as caught:
        local(by_hand, row, TABLE)
    assert str(caught.value) == sentence


def test_a_category_that_a_type_does_not_have_is_refused():
    table = TABLE.assign(city=TABLE["city"].astype("category"))
    with pytest.raises(ValueError) as caught:
        local(by_hand, {**ROW, "city": "Oslo"}, table)
    assert str(caught.value) == (
        "The row holds 'Oslo' in column 'city', which is none of the categories that the column has. Add it to them."
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"precision": 1.0}, "local: precision must be between 0 and 1, such as 0.95. Got 1.0."),
        ({"precision": 0}, "local: precision must be a positive number. Got 0."),
        ({"n_samples": 5}, "local: n_samples must be an integer of at least 100. Got 5."),
        ({"time_limit": -1}, "local: time_limit must be a positive number of seconds. Got -1."),
        ({"max_literals": 0}, "local: max_literals must be a positive integer. Got 0."),
        ({"never": "agee > 3"}, "No column 'agee' in the data. Did you mean 'age'?"),
        ({"X": TABLE[:0]}, "local: X has no rows. Neighbours are made of its cells."),
        ({"model": 3}, "local: model must be a function of a table, or have a method predict. Got 3."),
        (
            {"model": lambda table: [0, 1]},
            "local: the model must give one label for each of the 1,301 rows. Got shape (2,).",
        ),
        (
            {"model": lambda table: np.zeros((len(table), 2))},
            "local: the model must give one label for each of the 1,301 rows. Got shape (1301, 2). "
            "If these are probabilities, give a function that picks a class.",
        ),
        (
            {"model": lambda table: table["age"]},
            "local: the model gives no label for 131 of 1,301 rows, the first of them row 3. "
            "A rule needs a decision for each.",
        ),
        (
            {"model": lambda table: np.array([1, *["b"] * (len(table) - 1)], dtype=object)},
            "local: the model's labels must be text, numbers or truth values, all of one kind.",
        ),
    ],
)
def test_refusals(changes, sentence):
    given = {"model": by_hand, "row": ROW, "X": TABLE} | changes
    with pytest.raises((ValueError, TypeError)) as caught:
        local(given.pop("model"), given.pop("row"), given.pop("X"), **given)
    if "no label" in sentence:  # how many there are is left to chance
        assert str(caught.value).startswith("local: the model gives no label for ")
    else:
        assert str(caught.value) == sentence


def test_a_regression_is_refused():
    with pytest.raises(ValueError) as caught:
        local(lambda table: table["age"].fillna(0) * 1.37, 0, TABLE)
    assert "different values, but rules are about a few classes, 50 at most." in str(caught.value)
