"""Learners that have a package of their own: RIPPER, CORELS, STreeD, RUG, EBM, and the paper's prototype.

CORELS and the prototype learn on the paper's bits, CORELS also on their complements. STreeD makes its own bits: five
thresholds of each number, at quantiles, and up to five groups of each text; its conditions are those on the way to each
positive leaf of an optimal tree, of depth three if nothing else is asked for.

The prototype, ``pyrulelearn``, imports Orange, feature_engine and CPLEX for parts that learn no formula with MaxSAT.
Where they are missing, empty modules stand for them. It calls a MaxSAT program by the name of ``open-wbo``: the setting
``solver`` is the path of Open-WBO or clasp, by default the one of them that is on the path.
"""

import io
import os
import shutil
import sys
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from .forms import (
    Adapter,
    Binary,
    BoolArray,
    Conjunction,
    Fitted,
    Matrix,
    NotInstalledError,
    Numeric,
    Plain,
    Settings,
    count_conjunctions,
    crossed_grid,
    is_text,
    shortened,
    to_floats,
    to_texts,
)


def fit_ripper(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:
    import wittgenstein

    plain = Plain(X)

    model = wittgenstein.RIPPER(**{"random_state": seed, **settings})
    model.fit(plain(X), y, pos_class=True)
    rules = [
        [(plain.titles[condition.feature], condition.val) for condition in rule.conds] for rule in model.ruleset_.rules
    ]
    size = sum(len(rule) for rule in rules)
    n_conditions = sum(len({name for name, _ in rule}) for rule in rules)
    text = shortened(["IF " + " AND ".join(f"{name} is {value}" for name, value in rule) for rule in rules])

    def predict(frame: pd.DataFrame) -> BoolArray:
        return np.array(model.predict(plain(frame)), dtype=np.bool_)

    return Fitted(predict, n_conditions, size, text)


def fit_corels(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:  # noqa: ARG001
    import corels

    binary = Binary(X)
    model = corels.CorelsClassifier(**{"verbosity": [], **settings})
    model.fit(binary(X).astype(np.uint8), y.astype(np.uint8), [f"b{place}" for place in range(len(binary.bits))])
    listed = [(_read_antecedents(rule["antecedents"]), bool(rule["prediction"])) for rule in model.rl_.rules]

    def predict(frame: pd.DataFrame) -> BoolArray:
        table = binary(frame)
        decided = np.zeros(len(table), dtype=np.bool_)
        for rule, decision in reversed(listed):
            decided[rule.holds(table)] = decision
        return decided

    n_conditions, size = count_conjunctions([rule for rule, _ in listed], binary.bits)
    lines = [f"IF {rule.to_text(binary.bits)} THEN {'yes' if decision else 'no'}" for rule, decision in listed]
    return Fitted(predict, n_conditions, size, shortened(lines))


def _read_antecedents(antecedents: list[int]) -> Conjunction:
    """Return a rule from its numbers: bits from 1 on, below zero where they must be 0; a single 0 is the default."""
    ones = tuple(number - 1 for number in antecedents if number > 0)
    return Conjunction(ones, tuple(-number - 1 for number in antecedents if number < 0))


def fit_streed(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:
    from pystreed import STreeDClassifier

    plain = Plain(X)

    settings = dict(settings)
    if "max_num_nodes" in settings:  # no more than a tree of the depth can have
        settings["max_num_nodes"] = min(settings["max_num_nodes"], 2 ** settings.get("max_depth", 3) - 1)
    model = STreeDClassifier(**{"random_seed": seed, **settings})
    model.fit(plain(X), y.astype(int))
    names = [str(name) for name in model.feature_names_in_]  # of its bits, such as "c3 <= 12.5"
    ways = _positive_ways(model.get_tree())
    size = sum(len(way) for way in ways)
    lines = [
        "IF " + " AND ".join(_bit_text(names, feature, holds, plain.titles) for feature, holds in way) for way in ways
    ]

    def predict(frame: pd.DataFrame) -> BoolArray:
        return np.asarray(model.predict(plain(frame)) == 1)

    return Fitted(predict, size, size, shortened(lines))


def _positive_ways(tree: Any) -> list[list[tuple[int, bool]]]:
    """Return the way to each positive leaf, as (bit, whether it holds)."""
    found = []
    ahead: list[tuple[Any, list[tuple[int, bool]]]] = [(tree, [])]
    while ahead:
        node, way = ahead.pop()
        if not node.is_leaf_node():
            ahead += [
                (node.right_child, [*way, (node.feature, True)]),
                (node.left_child, [*way, (node.feature, False)]),
            ]
        elif node.label == 1:
            found.append(way)
    return found


def _bit_text(names: list[str], feature: int, holds: bool, titles: dict[str, str]) -> str:
    short, _, test = names[feature].partition(" ")
    text = f"{titles.get(short, short)} {test}".strip()
    return text if holds else f"not ({text})"


def fit_ruleopt(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:
    from ruleopt import RUGClassifier

    matrix = Matrix(X)
    # without a depth its rules are those of full trees; its authors' examples have three
    model = RUGClassifier(**{"max_depth": 3, "random_state": seed, **settings})
    model.fit(matrix(X), y.astype(int))
    rules = [rule for rule in model.decision_rules_.values() if rule.weight > 0]
    rules.sort(key=lambda rule: -rule.weight)
    tests = [
        [(matrix.columns[j], bounds["lb"], bounds["ub"]) for j, bounds in rule.to_dict().items()] for rule in rules
    ]
    size = sum(int(np.isfinite(low)) + int(np.isfinite(high)) for rule in tests for _, low, high in rule)
    n_conditions = sum(len(rule) for rule in tests)
    lines = [
        f"{rule.weight:.3g} for {'yes' if rule.label == 1 else 'no'} IF "
        + " AND ".join(_interval_text(*test) for test in part)
        for rule, part in zip(rules, tests, strict=True)
    ]

    def predict(frame: pd.DataFrame) -> BoolArray:
        return np.asarray(model.predict(matrix(frame)) == 1)

    return Fitted(predict, n_conditions, size, shortened(lines))


def _interval_text(column: Numeric, low: float, high: float) -> str:
    if column.value is not None:
        return str(column) if np.isfinite(low) else f"{column.column} is not {column.value}"
    if not np.isfinite(low):
        return f"{column} <= {high:.6g}"
    return f"{low:.6g} < {column} <= {high:.6g}" if np.isfinite(high) else f"{column} > {low:.6g}"


def fit_ebm(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:
    from interpret.glassbox import ExplainableBoostingClassifier

    texts = [is_text(X[name]) for name in X.columns]

    def table(frame: pd.DataFrame) -> pd.DataFrame:
        """Return columns as EBM reads them, with missing numbers as they are."""
        cells = [
            to_texts(frame[name]) if text else to_floats(frame[name])
            for name, text in zip(X.columns, texts, strict=True)
        ]
        return pd.DataFrame({f"c{place}": column for place, column in enumerate(cells)})

    kinds = ["nominal" if text else "continuous" for text in texts]
    model = ExplainableBoostingClassifier(
        **{"random_state": seed, "n_jobs": 1, "feature_types": kinds, **settings},
    )
    model.fit(table(X), y)

    def predict(frame: pd.DataFrame) -> BoolArray:
        return np.asarray(model.predict(table(frame)), dtype=np.bool_)

    return Fitted(predict)


# clasp breaks its answer into several lines, of which the prototype would read only the last one. It is told to work
# from unsatisfiable cores, as Open-WBO does; otherwise one batch takes all the time there is.
_CLASP = """#!/bin/sh
timeout "${{2#-cpu-lim=}}" {program} --outf=1 --opt-strategy=usc "$1" |
awk '/^v / {{ v = v substr($0, 2); next }} {{ print }} END {{ print "v" v }}'
"""


def fit_prototype(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:  # noqa: ARG001
    program = settings.get("solver") or shutil.which("open-wbo") or shutil.which("clasp")
    if program is None:
        raise NotInstalledError(
            "The prototype needs a MaxSAT program: open-wbo or clasp. On Debian: apt install clasp."
        )
    learner = _import()
    lam = settings.get("lam", 1)  # both of its weights are whole numbers
    model = learner.imli(
        num_clause=settings.get("k", 5),
        data_fidelity=max(1, round(1 / lam)),
        weight_feature=max(1, round(lam)),
        batchsize=settings.get("batch_size", 400),
        rule_type=settings.get("rule_type", "CNF"),
        timeout=settings.get("timeout", 100),  # its own default, in seconds
    )
    binary = Binary(X)
    path = os.environ.get("PATH", "")
    with TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        _install(Path(program), Path(folder) / "open-wbo")
        model.workDir = folder
        os.environ["PATH"] = folder + os.pathsep + path  # it asks a shell to find the program
        try:
            model.fit(binary(X).astype(int), y.astype(int))
        finally:
            os.environ["PATH"] = path
    model.get_rule([f"b{place}" for place in range(len(binary.bits))])  # which leaves the literals in `names`
    clauses = [_read_names(names) for names in model.names]
    n_conditions, size = count_conjunctions(clauses, binary.bits)
    between, inside = (" AND\n", " OR ") if model.ruleType == "CNF" else (" OR\n", " AND ")
    text = between.join(clause.to_text(binary.bits).replace(" AND ", inside) for clause in clauses)

    def predict(frame: pd.DataFrame) -> BoolArray:
        return np.asarray(model.predict(binary(frame).astype(int)), dtype=np.bool_)

    return Fitted(predict, n_conditions, size, shortened(text.splitlines()))


def _import() -> Any:
    for name in ("Orange", "cplex", "feature_engine", "feature_engine.discretisers"):
        try:
            __import__(name)
        except ImportError:
            sys.modules[name] = ModuleType(name)
    if not hasattr(sys.modules["feature_engine"], "discretisers"):
        setattr(sys.modules["feature_engine"], "discretisers", sys.modules["feature_engine.discretisers"])  # noqa: B010
    import pyrulelearn.imli

    return pyrulelearn.imli


def _install(program: Path, place: Path) -> None:
    """Give a program the name that the prototype calls."""
    if program.name == "clasp":
        place.write_text(_CLASP.format(program=quote(str(program))))
        place.chmod(0o755)
    else:
        place.symlink_to(program.resolve())


def _read_names(names: list[str]) -> Conjunction:
    """Return a clause from the names of its literals: ``b3``, or ``not b3``."""
    ones = tuple(int(name[1:]) for name in names if name.startswith("b"))
    return Conjunction(ones, tuple(int(name.removeprefix("not b")) for name in names if name.startswith("not ")))


# The paper's parameters. Of CORELS: literals of a rule, share of the rows it must have, price of a rule. Of the
# prototype: clauses, the errors that a literal must save, rows of a batch. For RIPPER the paper varies the rows of a
# leaf, which this one has no parameter for, so it is how much is pruned. The others are not in the paper.
_GRIDS: dict[str, dict[str, tuple[Any, ...]]] = {
    "ripper": {"prune_size": (0.2, 0.33, 0.5), "k": (1, 2, 3), "dl_allowance": (16, 64, 256)},
    "corels": {
        "max_card": (2, 3, 4, 5),
        "min_support": (0.01, 0.17, 0.33, 0.5),
        "c": (0.005, 0.01, 0.015, 0.02, 0.025, 0.03),
    },
    "streed": {"max_depth": (2, 3, 4), "max_num_nodes": (3, 7, 15), "n_thresholds": (5, 10)},
    "ruleopt": {"max_depth": (2, 3, 4, 6), "max_rmp_calls": (5, 10, 20)},
    "prototype": {
        "k": (1, 2, 3, 4, 5),
        "lam": (0.0001, 0.00178, 0.0316, 0.562, 10.0),
        "batch_size": (50, 100, 200, 400),
    },
    "ebm": {"learning_rate": (0.005, 0.015, 0.04), "interactions": (0, 0.5, 0.9)},
}
# The last release of CORELS is of 2019: its sources compile with no newer Python, and use names that numpy 1.24 took
# away. They are built without isolation, which would fetch the newest numpy. With the headers of GMP it is quicker.
_FOR_CORELS = (
    "python==3.10", "numpy==1.23.5", "pandas<2.3", "setuptools<70", "wheel", "--no-build-isolation", "corels==1.1.29",
)  # fmt: skip
_FOR_PROTOTYPE = ("pyrulelearn==1.1.1", "scikit-learn", "tqdm")  # it declares none of what it imports


def _grid(name: str) -> Any:
    return partial(crossed_grid, _GRIDS[name])


ADAPTERS = {
    "ripper": Adapter("RIPPER", fit_ripper, _grid("ripper"), True, ("wittgenstein==0.3.5",), 10_000),
    "corels": Adapter("CORELS", fit_corels, _grid("corels"), True, _FOR_CORELS, 5_000),
    "streed": Adapter("STreeD", fit_streed, _grid("streed"), True, ("pystreed==1.4.0",)),
    "ruleopt": Adapter("RUG (ruleopt)", fit_ruleopt, _grid("ruleopt"), True, ("ruleopt==1.2.1",), 20_000),
    "prototype": Adapter(
        "IMLI (prototype)", fit_prototype, _grid("prototype"), True, _FOR_PROTOTYPE, 500,
        quick_settings={"timeout": 50},  # seconds for all its queries, of 100
    ),
    # The curves of EBM are looked at one by one, its decisions are not read. Of 14 bags, and of nine pairs for ten
    # columns, which take 15 times as long as all the rest.
    "ebm": Adapter(
        "EBM", fit_ebm, _grid("ebm"), False, ("interpret-core==0.7.8",), 2_000,
        quick_settings={"outer_bags": 2, "interactions": 0},
    ),
}  # fmt: skip
