"""Rules for what a random forest decides, beside those of others.

surrogates: how often rules decide rows held out as the forest does, beside trees of no fewer conditions. The forest is
    fitted on one half of the rows; what it decides is learned and held out on the other half, which it has not seen.
local: rules for single rows, beside anchors. Both explain the same forest and the same rows, and are measured alike.
"""

import argparse
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import pandas as pd
from imli import DNF
from imli.explain import local, surrogate
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from imli_bench.adapters.anchors import Anchors, requirements
from imli_bench.adapters.scikit_learn import positive_conditions
from imli_bench.data_sets import load_frame
from imli_bench.internals import Compare, IsIn, Neighbourhood, read_row, read_template
from imli_bench.measures import Measure
from imli_bench.results import Recorder
from imli_bench.workers import environment

TEXT = ["category", "object", "str"]
SURROGATES = ("adult", "magic", "credit_default")
LOCAL = ("adult", "credit_default", "titanic")
KINDS = ("dnf", "list")
LOCAL_SEED = 8  # of the split and the rows; no setting was chosen with it
TARGET = 0.95
N_DRAWS = 2000


def _halves(problem: str, folder: Path | None, seed: int) -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame]:
    """Return rows to fit the forest on, their labels, and rows that it has not seen."""
    X, y = load_frame(problem, folder)
    X, y = _filled(X), y.to_numpy().astype(int)
    first, second = train_test_split(np.arange(len(X)), test_size=0.5, random_state=seed, stratify=y)
    return X.iloc[first].reset_index(drop=True), y[first], X.iloc[second].reset_index(drop=True)


def _measure_surrogates(recorder: Recorder, options: argparse.Namespace) -> None:
    for problem in options.problems or SURROGATES:
        for seed in options.seeds:
            X, y, others = _halves(problem, options.data, seed)
            forest = make_pipeline(
                make_column_transformer(
                    (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
                     make_column_selector(dtype_include=TEXT)),
                    remainder="passthrough",
                ),
                RandomForestClassifier(random_state=seed, n_jobs=1),
            ).fit(X, y)  # fmt: skip
            decided = forest.predict(others)
            for kind in KINDS:
                began = perf_counter()
                found = surrogate(forest, others, kind=kind, random_state=seed)
                seconds = perf_counter() - began
                test = np.array(found.held_out)
                train = np.setdiff1d(np.arange(len(others)), test)
                n_conditions = found.trial.n_conditions
                measures = {"fidelity_percent": 100 * found.fidelity, "n_conditions": n_conditions, "seconds": seconds}
                recorder.add(problem, kind, measures, seed=seed, settings="surrogates")
                for count in ("nodes", "paths"):
                    tree = _smallest_tree(others.iloc[train], decided[train], n_conditions, count, seed)
                    fidelity = 100 * float(np.mean(tree.predict(others.iloc[test]) == decided[test]))
                    measures = {"fidelity_percent": fidelity, "n_conditions": _counted(tree, count)}
                    recorder.add(problem, f"cart for {kind}, {count}", measures, seed=seed, settings="surrogates")
        recorder.write()


def _filled(X: pd.DataFrame) -> pd.DataFrame:
    """Return the table with missing texts as a category of their own."""
    texts = X.select_dtypes(include=TEXT)
    return X.assign(**{name: texts[name].astype(object).where(texts[name].notna(), "missing") for name in texts})


def _encoded(tree: DecisionTreeClassifier) -> Pipeline:
    """Return a tree that reads categories one-hot."""
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), make_column_selector(dtype_include=TEXT)),
        remainder="passthrough",
    )
    return make_pipeline(encode, tree)


def _smallest_tree(X: pd.DataFrame, labels: np.ndarray, n_conditions: int, count: str, seed: int) -> object:
    """Return the smallest tree that has at least so many conditions."""
    n_leaves = 2
    while True:
        tree = _encoded(DecisionTreeClassifier(max_leaf_nodes=n_leaves, random_state=seed)).fit(X, labels)
        missing = n_conditions - _counted(tree, count)
        if missing <= 0:
            return tree
        n_leaves += missing if count == "nodes" else 1


def _counted(tree: object, count: str) -> int:
    """Return the conditions of a tree: its inner nodes, or those on the way to each leaf of the second class."""
    return int(tree[-1].tree_.n_leaves) - 1 if count == "nodes" else positive_conditions(tree[-1].tree_)


def _measure_local(recorder: Recorder, options: argparse.Namespace) -> None:
    python = environment(requirements(), Path(options.environment))
    for problem in options.problems or LOCAL:
        X, y, others = _halves(problem, options.data, LOCAL_SEED)
        texts = [name for name in X if X[name].dtype.kind not in "biuf"]
        encode = make_column_transformer(
            (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), texts), remainder="passthrough"
        )
        encode.set_output(transform="default")
        forest = RandomForestClassifier(random_state=0, n_jobs=1).fit(encode.fit_transform(X), y)
        model = make_pipeline(encode, forest)
        rows = np.random.default_rng(LOCAL_SEED).choice(len(others), options.rows, replace=False)
        names = [*texts, *(name for name in X if name not in texts)]
        categories = dict(zip(texts, encode.named_transformers_["ordinalencoder"].categories_, strict=True))
        rival = Anchors(python, encode.transform(X), len(texts), forest, options.patience)
        ours, theirs = [], []
        for place in rows:  # by turns, so that both meet the same moods of the machine
            began = perf_counter()
            clause = local(model, others.iloc[[place]], X, precision=TARGET, n_jobs=1).rule.clauses[0]
            seconds = perf_counter() - began
            anchor = rival.explain(encode.transform(others.iloc[[place]])[0])
            if anchor is None:
                break
            ours.append((clause, seconds))
            theirs.append((_to_clause(anchor["conditions"], names, categories), anchor["seconds"]))
        rival.close()
        for method, found in (("imli", ours), ("anchor-exp", theirs)):
            recorder.add(problem, method, _measured(found, model, X, others, rows), settings="local", seed=LOCAL_SEED)
        recorder.write()


def _to_clause(conditions: list, names: list[str], categories: dict[str, np.ndarray]) -> tuple:
    """Return an anchor as a clause of imli."""
    literals = []
    for j, operator, value in conditions:
        if operator == "eq":
            literals.append(IsIn(names[j], (str(categories[names[j]][int(value)]),)))
        else:
            literals.append(Compare(names[j], "<=" if operator == "leq" else ">", value))
    return tuple(dict.fromkeys(literals))


def _measured(found: list, model: object, X: pd.DataFrame, others: pd.DataFrame, rows: np.ndarray) -> dict[str, float]:
    """Return how clauses do, each on rows that are drawn in one way for all methods, and on rows held out."""
    table, decided = read_template(X), model.predict(others)
    held = read_template(others).frame
    shares = {name: [] for name in ("precision", "around", "held", "coverage", "held_coverage")}
    for number, ((clause, _), place) in enumerate(zip(found, rows, strict=False)):
        source, at = read_row("benchmark", others.iloc[[place]], table)
        hood = Neighbourhood(source, at, np.arange(table.n_rows), np.random.default_rng([number, 1]))
        within, near = hood.within(clause, N_DRAWS), hood.near(N_DRAWS)
        alike = model.predict(source.gather(np.concatenate([within, near]))) == decided[place]
        covered = DNF((clause,)).decide(source.gather_frame(near))
        held_covered = DNF((clause,)).decide(held)
        held_covered[place] = False  # the row itself
        shares["precision"].append(alike[:N_DRAWS].mean())
        shares["around"].append(alike[N_DRAWS:][covered].mean() if covered.any() else np.nan)
        shares["held"].append((decided[held_covered] == decided[place]).mean() if held_covered.any() else np.nan)
        shares["coverage"].append(DNF((clause,)).decide(table.frame).mean())
        shares["held_coverage"].append(held_covered.mean())
    shares["reached"] = np.array(shares["precision"]) >= TARGET
    return {f"{name}_percent": 100 * float(np.nanmean(values)) for name, values in shares.items()} | {
        "n_conditions": float(np.mean([DNF((clause,)).n_conditions for clause, _ in found])),
        "seconds": median(seconds for _, seconds in found),
        "n_rows": len(found),
    }


PARTS = {"surrogates": _measure_surrogates, "local": _measure_local}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what is explained, how often, and for how long."""
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--problems", nargs="+")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--rows", type=int, default=100, help="how many rows of each data set to explain")
    parser.add_argument("--patience", type=float, default=600, help="seconds for the local rules of a data set; the "
                        "rows that both have ended are compared")  # fmt: skip
    parser.add_argument("--environment", default=Path(tempfile.gettempdir()) / "imli-anchors", metavar="FOLDER",
                        help="for the Python environment of the rival")  # fmt: skip


def measure_explain(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure surrogates, local rules, or both."""
    for part in options.parts:
        PARTS[part](recorder, options)


MEASURES = {
    "explain": Measure(
        "rules for what a random forest decides: surrogates beside CART, local rules beside anchors",
        measure_explain,
        add_options,
    )
}
