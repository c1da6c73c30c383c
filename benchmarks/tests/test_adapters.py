"""Adapters: all obey their contract, and those that need nothing but scikit-learn learn here and now.

With IMLI_TEST_RIVALS set to a folder, the others learn too, in environments that are made in it.
"""

import ast
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_tables import breast_cancer, passengers

from imli_bench import adapters
from imli_bench.adapters import find_adapter
from imli_bench.adapters.forms import Fitted, crossed_grid, linear_grid, logarithmic_grid
from imli_bench.adapters.scikit_learn import fit_cart
from imli_bench.workers import environment

FOLDER = Path(adapters.__file__).parent
OWN = ("cart", "logistic_regression", "linear_svm", "knn", "random_forest", "gradient_boosting")


@pytest.mark.parametrize("name", adapters.NAMES)
def test_adapters_obey_the_contract(name):
    rival = find_adapter(name)
    assert isinstance(rival.title, str)
    assert rival.title
    assert isinstance(rival.requires, tuple)
    assert all(isinstance(package, str) for package in rival.requires)
    assert isinstance(rival.is_readable, bool)
    assert isinstance(rival.quick_rows, int)
    assert rival.quick_rows >= 0
    assert list(inspect.signature(rival.fit).parameters) == ["X", "y", "settings", "seed"]
    for n in (1, 2, 5, 100):
        grid = rival.grid(n)
        assert 1 <= len(grid) <= n
        assert grid[0] == {}
        texts = [json.dumps(settings, sort_keys=True) for settings in grid]
        assert len(set(texts)) == len(texts)


def test_titles_differ():
    assert len({find_adapter(name).title for name in adapters.NAMES}) == len(adapters.NAMES)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_modules_of_adapters_import_nothing_that_an_environment_may_not_have(path):
    if path.stem == "__main__":
        return
    allowed = set(sys.stdlib_module_names) | {"numpy", "pandas"}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            assert {alias.name.split(".")[0] for alias in node.names} <= allowed
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            assert node.module.split(".")[0] in allowed


def test_grids():
    assert linear_grid("a", 1, 300, 1) == [{}]
    assert linear_grid("a", 1, 300, 2) == [{}, {"a": 1}]
    assert linear_grid("a", 1, 301, 5) == [{}, {"a": 1}, {"a": 101}, {"a": 201}, {"a": 301}]
    assert linear_grid("a", 1, 2, 6) == [{}, {"a": 1}, {"a": 2}]
    assert logarithmic_grid("C", -3, 3, 4) == [{}, {"C": 0.001}, {"C": 1.0}, {"C": 1000.0}]
    crossed = crossed_grid({"a": (1, 2, 3, 4), "b": (1, 2, 3, 4), "c": (1, 2, 3, 4, 5, 6)}, 1000)
    assert len(crossed) == 1 + 4 * 4 * 6
    assert crossed_grid({"a": (1, 2, 3, 4), "b": (1, 2, 3, 4), "c": (1, 2, 3, 4, 5, 6)}, 9) == crossed[:9]
    for name, n in (("a", 4), ("b", 4), ("c", 6)):  # of eight combinations, each value is in some
        assert len({settings[name] for settings in crossed[1:9]}) == n


def check(name, fitted, frame, y, lowest):
    assert isinstance(fitted, Fitted)
    decided = fitted.predict(frame)
    assert isinstance(decided, np.ndarray)
    assert decided.dtype == np.bool_
    assert decided.shape == (len(frame),)
    assert (decided == y).mean() >= lowest
    assert len(fitted.text) <= 4000
    if find_adapter(name).is_readable:
        assert 1 <= fitted.n_conditions <= fitted.size
        assert fitted.text
    else:
        assert fitted.n_conditions is None
        assert fitted.size is None


@pytest.mark.parametrize("name", OWN)
def test_numbers_are_learned(name):
    X, y = breast_cancer()
    check(name, find_adapter(name).fit(X[::2], y[::2], {}, 0), X[1::2], y[1::2], 0.9)


@pytest.mark.parametrize("name", OWN)
def test_texts_truth_values_and_missing_cells_are_learned(name):
    X, y = passengers()
    fitted = find_adapter(name).fit(X, y, {}, 0)
    unseen, labels = passengers(seed=1)
    check(name, fitted, unseen, labels, 0.85)
    unseen = unseen.assign(port=pd.Series(np.full(len(unseen), "Oslo", dtype=object), dtype=object))
    check(name, fitted, unseen, labels, 0.85)
    again = find_adapter(name).fit(X, y, {}, 0)
    assert (again.predict(unseen) == fitted.predict(unseen)).all()
    assert again.text == fitted.text


@pytest.mark.parametrize("name", OWN)
def test_settings_of_the_grid_are_taken(name):
    X, y = passengers(200)
    for settings in find_adapter(name).grid(3):
        assert find_adapter(name).fit(X, y, settings, 0).predict(X).dtype == np.bool_


@pytest.mark.parametrize("name", ["knn", "random_forest", "gradient_boosting"])
def test_cores_are_a_setting(name):
    X, y = passengers(200)
    one, two = (find_adapter(name).fit(X, y, {"n_jobs": n}, 0).predict(X) for n in (1, 2))
    assert (one == two).all()


def test_a_tree_is_the_largest_of_so_many_conditions():
    X, y = breast_cancer()
    trees = {n: fit_cart(X, y, {"max_leaf_nodes": n}, 0) for n in range(2, 30)}
    for most in (1, 2, 3, 10, 20, 31):
        chosen = fit_cart(X, y, {"most_conditions": most}, 0)
        largest = max(n for n, tree in trees.items() if tree.n_conditions <= most)
        assert chosen.text == trees[largest].text
        assert chosen.n_conditions == trees[largest].n_conditions <= most
    assert fit_cart(X, y, {"most_conditions": 0}, 0).n_conditions == 0
    whole = fit_cart(X, y, {"most_conditions": 10_000}, 0)
    assert whole.n_conditions == fit_cart(X, y, {"max_leaf_nodes": None}, 0).n_conditions
    assert (whole.predict(X) == y).all()


def test_a_tree_in_words():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": pd.Series(["x", "x", "x", "z"], dtype=object)})
    assert fit_cart(X, np.array([True, True, False, False]), {}, 0).text == "IF a <= 2.5"
    assert fit_cart(X[["b"]], np.array([False, False, False, True]), {}, 0).text in ("IF b is not x", "IF b is z")


# for rivals that take minutes for any table, or until a time limit
SHORT = {
    "brl": {"max_iter": 2000},
    "brs": {"maxlen": 2, "n_rules": 500, "num_iterations": 500},
    "prototype": {"batch_size": 50, "k": 1},
    "ebm": {"max_rounds": 300, "outer_bags": 2},
}

# run in the environment of the rival, as the comparison runs it: without imli, by the name of the package
LEARN = """
import json, sys
import numpy as np, pandas as pd
from importlib import import_module
module, name, folder, settings = sys.argv[1:]
rival = import_module(f"adapters.{module}").ADAPTERS[name]
for part in ("numbers", "mixed"):
    train, test = (pd.read_csv(f"{folder}/{part}-{which}.csv", keep_default_na=False, na_values=[""])
                   for which in ("train", "test"))
    for frame in (train, test):
        for column in frame:
            if frame[column].dtype.kind not in "bif":
                cells = frame[column].astype(object)
                frame[column] = pd.Series(cells.where(cells.notna(), None), dtype=object)
    labels = train.pop("label").to_numpy()
    test.pop("label")
    fitted, again = (rival.fit(train, labels, json.loads(settings), 0) for _ in range(2))
    decided = fitted.predict(test)
    assert decided.dtype == np.bool_, decided.dtype
    assert (again.predict(test) == decided).all() and again.text == fitted.text, "another model for the same seed"
    print(json.dumps([decided.tolist(), fitted.n_conditions, fitted.size, fitted.text]))
"""


@pytest.mark.skipif("IMLI_TEST_RIVALS" not in os.environ, reason="makes environments and learns for many minutes")
@pytest.mark.parametrize("name", adapters.NAMES)
def test_all_rivals_learn_in_their_environments(name, tmp_path):
    python = environment(find_adapter(name).requires, Path(os.environ["IMLI_TEST_RIVALS"]))
    X, y = breast_cancer()
    tables = {
        "numbers-train": (X[::2], y[::2]), "numbers-test": (X[1::2], y[1::2]),
        "mixed-train": passengers(300), "mixed-test": passengers(300, seed=1),
    }  # fmt: skip
    for part, (frame, labels) in tables.items():
        frame.assign(label=labels).to_csv(tmp_path / f"{part}.csv", index=False)
    result = subprocess.run(
        [python, "-c", LEARN, adapters.MODULES[name], name, tmp_path, json.dumps(SHORT.get(name, {}))],
        env=os.environ | {"PYTHONPATH": str(FOLDER.parent)}, capture_output=True, text=True,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    answers = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("[[")]
    for part, lowest, (decided, *counted) in zip(("numbers", "mixed"), (0.75, 0.7), answers, strict=True):
        frame, labels = tables[f"{part}-test"]
        fitted = Fitted(lambda _, decided=decided: np.array(decided), *counted)
        check(name, fitted, frame, labels, lowest)
