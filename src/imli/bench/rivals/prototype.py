"""The paper's own prototype, ``pyrulelearn``, on the paper's bits.

It imports Orange, feature_engine and CPLEX for parts that learn no formula with MaxSAT. Where they are missing, empty
modules stand for them. It calls a MaxSAT program by the name of ``open-wbo``: the setting ``solver`` is the path of
Open-WBO or clasp, by default the one of them that is on the path.
"""

import io
import os
import shutil
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import grids
from .binary import Binary, Conjunction, counts
from .columns import shortened
from .fitted import Fitted
from .not_installed import NotInstalledError

TITLE = "IMLI (prototype)"
REQUIRES: tuple[str, ...] = ("pyrulelearn==1.1.1", "scikit-learn", "tqdm")  # it declares none of what it imports
IS_READABLE = True
QUICK_ROWS = 500
QUICK_SETTINGS = {"timeout": 50}  # seconds for all its queries, of 100

# clasp breaks its answer into several lines, of which the prototype would read only the last one. It is told to work
# from unsatisfiable cores, as Open-WBO does; otherwise one batch takes all the time there is.
_CLASP = """#!/bin/sh
timeout "${{2#-cpu-lim=}}" {program} --outf=1 --opt-strategy=usc "$1" |
awk '/^v / {{ v = v substr($0, 2); next }} {{ print }} END {{ print "v" v }}'
"""


def grid(n: int) -> list[dict[str, Any]]:
    """The paper's three parameters: clauses, the errors that a literal must save, rows of a batch."""
    lam = (0.0001, 0.00178, 0.0316, 0.562, 10.0)
    return grids.crossed({"k": (1, 2, 3, 4, 5), "lam": lam, "batch_size": (50, 100, 200, 400)}, n)


def fit(X: pd.DataFrame, y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Fitted:  # noqa: ARG001
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
    with TemporaryDirectory() as folder, warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        _install(Path(program), Path(folder) / "open-wbo")
        model.workDir = folder
        os.environ["PATH"] = folder + os.pathsep + path  # it asks a shell to find the program
        try:
            model.fit(binary(X).astype(int), y.astype(int))
        finally:
            os.environ["PATH"] = path
    model.get_rule([f"b{place}" for place in range(len(binary.bits))])  # which leaves the literals in `names`
    clauses = [_read(names) for names in model.names]
    n_conditions, size = counts(clauses, binary.bits)
    between, inside = (" AND\n", " OR ") if model.ruleType == "CNF" else (" OR\n", " AND ")
    text = between.join(clause.to_text(binary.bits).replace(" AND ", inside) for clause in clauses)

    def predict(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
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


def _read(names: list[str]) -> Conjunction:
    """The literals of a clause: ``b3``, or ``not b3``."""
    ones = tuple(int(name[1:]) for name in names if name.startswith("b"))
    return Conjunction(ones, tuple(int(name.removeprefix("not b")) for name in names if name.startswith("not ")))
