"""Tables that are never all in memory: the same rules as from those that are."""

import logging

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest
from support.clusters import two_workers
from support.large_tables import KINDS, measurements, tumours, visits, write_parts

from imli import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier, FindingWarning, load, save
from imli.errors import InfeasibleError, UnknownColumnError
from imli.learning.rows.on_cluster import PackedOnCluster

CLASSIFIERS = dict(
    zip(KINDS, (CNFClassifier, DNFClassifier, DecisionListClassifier, DecisionSetClassifier), strict=True)
)
TABLES = {
    "tumours": (tumours, "diagnosis", None, {"effort": 0.02}),
    "visits": (visits, "ill", "weight", {"effort": 0.02, "class_weight": "balanced"}),
    "measurements": (measurements, "alarm", None, {"effort": 0.02, "bins": 12, "n_clauses": 4}),
}


@pytest.fixture(scope="module")
def client():
    with two_workers() as found:
        yield found


@pytest.fixture(scope="module", params=TABLES)
def problem(request, tmp_path_factory):
    make, target, weight, options = TABLES[request.param]
    table = make()
    return table, write_parts(table, tmp_path_factory.mktemp("parts") / request.param), target, weight, options


def learned_in_memory(classifier, table, target, weight):
    X = table.drop(columns=[name for name in (target, weight) if name is not None])
    return classifier.fit(X, table[target], None if weight is None else table[weight])


def assert_same(large, small):
    assert large.rule_ == small.rule_
    assert str(large.rule_) == str(small.rule_)
    assert large.answer_.cost == small.answer_.cost
    assert large.answer_.bound == small.answer_.bound
    assert large.literals_ == small.literals_
    assert large.lam_ == small.lam_
    assert large.classes_.tolist() == small.classes_.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_rule_and_cost_on_a_cluster(kind, problem, client):
    table, pattern, target, weight, options = problem
    small = learned_in_memory(CLASSIFIERS[kind](random_state=3, **options), table, target, weight)
    frame = dd.read_parquet(pattern)
    assert frame.npartitions > 1
    assert_same(CLASSIFIERS[kind](random_state=3, **options).fit(frame, target, weight), small)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_rule_and_cost_in_memory_and_in_parts(kind, problem):
    table, pattern, target, weight, options = problem
    classifier = CLASSIFIERS[kind]
    small = learned_in_memory(classifier(random_state=3, **options), table, target, weight)
    in_parts = classifier(random_state=3, **options).fit(pattern, target, weight)
    assert_same(in_parts, small)
    assert small.rule_.literals
    model, same = in_parts.to_model(), small.to_model()
    assert model.columns == same.columns
    assert (model.card.data.rows, model.card.data.columns) == (same.card.data.rows, same.card.data.columns)


def test_counts_add_up_to_those_of_all_rows(problem):
    table, pattern, target, weight, options = problem
    large = DNFClassifier(random_state=0, **options).fit(pattern, target, weight)
    weights = None if weight is None else table[weight]
    counts = large.rule_.counted_on(table, table[target], weights).counts
    assert large.rule_.counts.covered == pytest.approx(counts.covered)
    assert np.allclose(large.rule_.counts.regions, counts.regions)


def write_csv(folder, table, n_files):
    paths = [folder.parent / f"part-{n}-of-{n_files}.csv" for n in range(n_files)]
    for path, rows in zip(paths, np.array_split(np.arange(len(table)), n_files), strict=True):
        table.iloc[rows].to_csv(path, index=False)
    return paths


FORMS = {
    "a folder": lambda folder, table: folder,
    "paths": lambda folder, table: sorted(folder.glob("*.parquet")),
    "a pattern": lambda folder, table: f"{folder}/part-*.parquet",
    "a dataset": lambda folder, table: pa.dataset.dataset(folder),
    "a CSV file": lambda folder, table: write_csv(folder, table, 1)[0],
    "CSV files": lambda folder, table: write_csv(folder, table, 3),
    "frames of pandas": lambda folder, table: (table.iloc[n : n + 211] for n in range(0, len(table), 211)),
    "frames of polars": lambda folder, table: iter(pl.from_pandas(table).iter_slices(500)),
    "tables of arrow": lambda folder, table: map(pa.Table.from_pandas, (table.iloc[:5], table.iloc[5:])),
    "a frame of Dask": lambda folder, table: dd.from_pandas(table, npartitions=7),
}  # fmt: skip


@pytest.fixture(scope="module")
def tumour_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tumours") / "files"
    write_parts(tumours(), folder)
    return folder


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_rule(form, tumour_files):
    table = tumours()
    small = learned_in_memory(DNFClassifier(effort=0.02), table, "diagnosis", None)
    large = DNFClassifier(effort=0.02).fit(FORMS[form](tumour_files, table), "diagnosis")
    assert_same(large, small)
    assert large.feature_names_in_.tolist() == small.feature_names_in_.tolist()
    assert large.rule_.target == "diagnosis"


@pytest.mark.parametrize("form", FORMS)
def test_decisions_are_those_of_the_rule_in_memory(form, tumour_files):
    table = tumours()
    clf = learned_in_memory(DNFClassifier(effort=0.02), table, "diagnosis", None)
    decided = clf.predict(FORMS[form](tumour_files, table))
    assert np.asarray(decided).tolist() == clf.predict(table.drop(columns="diagnosis")).tolist()


def test_arrays_of_dask_have_no_names(client):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 3))
    y = (X[:, 0] > 0.2) & (X[:, 2] < 0.9)
    small = DNFClassifier(effort=0.02).fit(X, y)
    rows, labels = da.from_array(X, chunks=(200, 2)), da.from_array(y, chunks=200)
    large = DNFClassifier(effort=0.02).fit(rows, labels)
    assert_same(large, small)
    assert not hasattr(large, "feature_names_in_")
    assert large.n_features_in_ == 3
    assert large.predict(rows).compute().tolist() == small.predict(X).tolist()


def test_labels_and_weights_of_dask_may_stand_beside_the_table(client):
    table = visits(800)
    X = table.drop(columns=["ill", "weight"])
    small = DNFClassifier(effort=0.02).fit(X, table.ill, table.weight)
    frame = dd.from_pandas(table, npartitions=3)
    large = DNFClassifier(effort=0.02).fit(frame[list(X.columns)], frame.ill, frame.weight)
    assert_same(large, small)


def test_a_part_without_rows_is_as_if_absent(client):
    table = tumours()
    frame = dd.from_pandas(table, npartitions=4)
    some = frame[frame["mean radius"] > 14]
    small = learned_in_memory(DNFClassifier(effort=0.02), table[table["mean radius"] > 14], "diagnosis", None)
    assert_same(DNFClassifier(effort=0.02).fit(some, "diagnosis"), small)


def test_a_filtered_dataset_has_the_rows_that_are_left(tumour_files):
    table = tumours()
    some = pa.dataset.dataset(tumour_files).filter(pa.dataset.field("mean radius") > 12)
    small = learned_in_memory(DNFClassifier(effort=0.02), table[table["mean radius"] > 12], "diagnosis", None)
    assert_same(DNFClassifier(effort=0.02).fit(some, "diagnosis"), small)


def test_a_worker_that_dies_changes_nothing_and_is_told_of_in_a_line(client, caplog, monkeypatch, tmp_path):
    table = measurements(140_000)
    pattern = write_parts(table, tmp_path / "parts", 4)
    options = {"effort": 0.02, "bins": 8, "n_clauses": 3}
    small = learned_in_memory(DNFClassifier(**options), table, "alarm", None)
    total, calls = PackedOnCluster.total, []
    workers = client.run(lambda: __import__("os").getpid())

    def total_with_a_death(self, sums):
        calls.append(sums)
        if len(calls) == 2:  # the bits are packed, and the search is under way
            import os
            import signal

            os.kill(next(iter(workers.values())), signal.SIGKILL)
        return total(self, sums)

    monkeypatch.setattr(PackedOnCluster, "total", total_with_a_death)
    with caplog.at_level(logging.WARNING, logger="imli"):
        large = DNFClassifier(**options).fit(dd.read_parquet(pattern), "alarm")
    assert len(calls) > 2
    assert_same(large, small)
    lost = next(iter(workers))
    assert [record.getMessage() for record in caplog.records if record.name == "imli"] == [
        f"Worker {lost} is gone. Dask made anew what it held of the rows; the rule stays the same."
    ]
    client.wait_for_workers(2)


def test_conditions_are_kept(tumour_files):
    table, pattern = tumours(), str(tumour_files)
    conditions = {
        "never": ["mean area"],
        "always": ["mean texture"],
        "min_rows": 20,
        "max_literals": 4,
        "feature_costs": {"mean radius": 2.0},
        "effort": 0.02,
    }
    for classifier in CLASSIFIERS.values():
        small = learned_in_memory(classifier(**conditions), table, "diagnosis", None)
        assert_same(classifier(**conditions).fit(pattern, "diagnosis"), small)
        assert "mean texture" in small.rule_.columns


def test_conditions_in_conflict_are_named():
    parts = [pd.DataFrame({"age": [20, 30, 40], "height": [1, 2, 1], "y": [0, 1, 1]}) for _ in range(3)]
    with pytest.raises(InfeasibleError) as refusal:
        DNFClassifier(min_rows=20, always=["age"]).fit(iter(parts), "y")
    assert "min_rows=20" in str(refusal.value)


def test_a_model_of_a_large_table_is_saved_and_goes_on_learning(tumour_files, tmp_path):
    table = tumours()
    clf = DNFClassifier(effort=0.02).fit(tumour_files, "diagnosis")
    save(clf, tmp_path / "model.json")
    model = load(tmp_path / "model.json")
    assert model.rule == clf.rule_
    assert model.card.data.hash is None
    X = table.drop(columns="diagnosis")
    assert clf.partial_fit(X.iloc[:50], table.diagnosis.iloc[:50]).rule_.literals


def test_fit_twice_is_fit_once(tumour_files):
    clf = DNFClassifier(effort=0.02).fit(tumour_files, "diagnosis")
    first = clf.rule_
    assert clf.fit(tumour_files, "diagnosis").rule_ == first


REFUSED = [
    ({"lam": "cv"}, "lam='cv'"),
    ({"prove": True}, "prove"),
    ({"strategy": "exact"}, "strategy Exact and backend 'rc2'"),
    ({"backend": "cpsat"}, "backend 'cpsat'"),
    ({"memory": 10}, "memory=10"),
]


@pytest.mark.parametrize(("options", "reason"), REFUSED)
def test_what_needs_all_rows_is_refused(options, reason, tumour_files):
    with pytest.raises(ValueError) as refusal:
        DNFClassifier(**options).fit(str(tumour_files), "diagnosis")
    assert str(refusal.value) == (
        f"DNFClassifier: {reason} needs all rows in memory, but this table is read in parts. "
        "Leave it out, or learn from some of the rows."
    )


def test_mistakes_get_one_sentence(tumour_files, tmp_path):
    clf = DNFClassifier()
    with pytest.raises(UnknownColumnError, match="No column 'diagnosys' in the data. Did you mean 'diagnosis'?"):
        clf.fit(str(tumour_files), "diagnosys")
    with pytest.raises(FileNotFoundError) as missing:
        clf.fit(str(tmp_path / "nowhere" / "*.parquet"), "y")
    assert str(missing.value).startswith("There is no such file: ")
    (tmp_path / "text.parquet").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="cannot be read as Parquet: "):
        clf.fit(str(tmp_path / "text.parquet"), "b")
    with pytest.raises(TypeError) as unnamed:
        clf.fit(str(tumour_files), [1, 2])
    assert str(unnamed.value) == ("Of a table that is read in parts, y is the name of a column. Got [1, 2].")
    with pytest.raises(ValueError, match="The data has no rows."):
        clf.fit(iter([]), "b")
    with pytest.raises(ValueError, match="DNFClassifier needs rows of two classes, but y has one class only: 'a'"):
        clf.fit(iter([pd.DataFrame({"x": [1, 2], "y": ["a", "a"]})]), "y")
    assert not hasattr(clf, "rule_")


def test_rows_without_a_label_are_left_out(tmp_path):
    table = pd.DataFrame({"x": [1, 2, 3, 4] * 20, "y": ["a", "b", None, "b"] * 20})
    with pytest.warns(FindingWarning, match=r"^20 of 80 rows have no 'y', and are left out\.$"):
        clf = DNFClassifier(lam=2).fit(iter([table]), "y")
    assert sum(map(sum, clf.rule_.counts.regions)) == 60


def test_columns_of_two_kinds_are_refused(client):
    parts = [pd.DataFrame({"x": [1, 2], "y": [0, 1]}), pd.DataFrame({"x": ["a", "b"], "y": [0, 1]})]
    with pytest.raises(ValueError, match="These 2 files, from .* on, cannot be read as Parquet: "):
        DNFClassifier().fit(iter(parts), "y")
    mixed = dd.from_delayed([dask.delayed(part) for part in parts], meta=parts[0], verify_meta=False)
    with pytest.raises(TypeError) as refusal:
        DNFClassifier().fit(mixed, "y")
    assert str(refusal.value) == (
        "Column 'x' holds numbers in some parts of the data and text in others. "
        "Convert all of its cells to one of the two."
    )


@pytest.mark.parametrize("binning", ["quantile", "supervised"])
def test_a_part_may_lack_classes(binning):
    """Rows in the order of their class, so that no part has all three, and the first part lacks the first class."""
    rng = np.random.default_rng(0)
    y = np.repeat(["b", "c", "a"], [60, 140, 100])
    x = rng.normal(size=300) + np.repeat([0, 1, 3], [60, 140, 100])
    city = np.where(rng.random(300) < 0.8, np.repeat(["Bath", "York", "Oslo"], [60, 140, 100]), "Rome")
    table = pd.DataFrame({"x": x, "city": city, "y": y})
    options = {"effort": 0.02, "binning": binning, "class_weight": "balanced"}
    small = learned_in_memory(DecisionListClassifier(**options), table, "y", None)
    assert_same(DecisionListClassifier(**options).fit(dd.from_pandas(table, npartitions=4), "y"), small)


def test_a_part_may_have_no_bits():
    """Rows that are alike in all literals, one of each class, count for nothing, so their part has no words left."""
    table = pd.DataFrame({"x": [5, 5, *range(20)], "y": [0, 1, *(n // 10 for n in range(20))]})
    small = learned_in_memory(DNFClassifier(lam=0.1, effort=0.02), table, "y", None)
    parts = dd.concat([dd.from_pandas(table[:2], npartitions=1), dd.from_pandas(table[2:], npartitions=2)])
    assert_same(DNFClassifier(lam=0.1, effort=0.02).fit(parts, "y"), small)


def test_whole_numbers_fractions_and_nothing_are_one_column():
    parts = [pd.DataFrame({"x": [1, 2, 3], "y": [0, 0, 0]}), pd.DataFrame({"x": [2.5, 4.5, 5.0], "y": [0, 1, 1]}),
             pd.DataFrame({"x": [None, None, None], "y": [1, 1, 0]})]  # fmt: skip
    small = DNFClassifier(lam=0.1).fit(pd.concat(parts)[["x"]].astype(float), pd.concat(parts).y)
    assert_same(DNFClassifier(lam=0.1).fit(iter(parts), "y"), small)


@pytest.mark.parametrize("binning", ["quantile", "uniform", "supervised"])
@pytest.mark.parametrize("intervals", ["open", "closed"])
def test_every_binning_adds_up(binning, intervals, tmp_path):
    table = visits(1200)
    pattern = write_parts(table, tmp_path / "visits")
    options = {"binning": binning, "intervals": intervals, "effort": 0.02}
    small = learned_in_memory(DecisionListClassifier(**options), table, "ill", "weight")
    assert_same(DecisionListClassifier(**options).fit(pattern, "ill", "weight"), small)


def test_progress_names_the_file_and_the_share_of_the_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("imli.learning.rows.on_disk._OFTEN", 0.0)
    monkeypatch.setattr("imli.table.sources.ROWS_AT_A_TIME", 50)
    parts = write_parts(tumours(), tmp_path / "parts")
    told = []
    DNFClassifier(effort=0.02, callback=told.append).fit(parts, "diagnosis")
    reading = [progress.done for progress in told if progress.done]
    n_files = len(list((tmp_path / "parts").rglob("*.parquet")))
    assert n_files > 1
    for number in range(1, n_files + 1):
        assert any(text.startswith(f"reading file {number} of {n_files}, ") for text in reading)
    assert reading[-1].endswith("100 % of 569 rows")
    assert any(not progress.done and progress.cost < np.inf for progress in told)  # and then of the search
