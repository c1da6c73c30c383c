"""Anchors (Ribeiro, Singh and Guestrin, 2018) by their own implementation, as a process in an environment of its own.

python benchmarks/rivals/anchors.py FOLDER reads FOLDER/problem.npz and FOLDER/model.joblib, and writes
FOLDER/anchors.json: for each row the conditions of its anchor, and how long it took.
"""

import json
import subprocess
import sys
import venv
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

PACKAGE = "anchor-exp==0.0.2.0"


def environment(folder: Path) -> Path:
    """The Python of an environment that has the package, and the scikit-learn that the models were made with."""
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True, clear=True)
        wanted = [PACKAGE, *(f"{name}=={version(name)}" for name in ("scikit-learn", "numpy", "joblib"))]
        subprocess.run([python, "-m", "pip", "install", "-q", *wanted], check=True, stderr=subprocess.DEVNULL)
        (folder / "ready").touch()
    return python


def explain(folder: Path) -> None:
    import joblib
    import numpy as np
    from anchor.anchor_base import AnchorBaseBeam
    from anchor.anchor_tabular import AnchorTabularExplainer

    problem, model = np.load(folder / "problem.npz"), joblib.load(folder / "model.joblib")
    train, rows, categorical = problem["train"], problem["rows"], problem["categorical"].tolist()
    categories = {j: [str(code) for code in range(int(train[:, j].max()) + 1)] for j in categorical}
    explainer = AnchorTabularExplainer(["0", "1"], [f"x{j}" for j in range(train.shape[1])], train, categories)
    cuts = dict(zip([j for j in range(train.shape[1]) if j not in categorical], explainer.disc.bins(train, None),
                    strict=True))  # fmt: skip
    np.random.seed(0)
    found = []
    for row in rows:
        began = perf_counter()
        # what explain_instance does, but for the names, which are rounded
        sample, mapping = explainer.get_sample_fn(row, model.predict)
        anchor = AnchorBaseBeam.anchor_beam(sample, delta=0.1, epsilon=0.15, batch_size=100, desired_confidence=0.95)
        seconds = perf_counter() - began
        conditions = []
        for place in anchor["feature"]:
            j, operator, value = mapping[place]
            conditions.append((int(j), operator, float(value if operator == "eq" else cuts[j][int(value)])))
        found.append({"conditions": conditions, "seconds": seconds})
    (folder / "anchors.json").write_text(json.dumps(found))


if __name__ == "__main__":
    explain(Path(sys.argv[1]))
