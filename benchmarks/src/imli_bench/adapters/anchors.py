"""Anchors (Ribeiro, Singh and Guestrin, 2018) by their own implementation, as a process in an environment of its own.

python …/adapters/anchors.py FOLDER reads FOLDER/problem.npz and FOLDER/model.joblib. Then it answers each line that it
is given, the cells of a row, by a line: the conditions of its anchor, and how long that took.
"""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from time import perf_counter
from typing import Any


def requirements() -> tuple[str, ...]:
    """Return the package, and the versions of scikit-learn and the like that models are made with here."""
    return ("anchor-exp==0.0.2.0", *(f"{name}=={version(name)}" for name in ("scikit-learn", "numpy", "joblib")))


class Anchors:
    """The process, which knows a table of codes and a forest, and is asked row by row."""

    def __init__(self, python: Path, train: Any, n_texts: int, forest: Any, seconds: float) -> None:
        import joblib
        import numpy as np

        with TemporaryDirectory() as name:
            folder = Path(name)
            np.savez(folder / "problem.npz", train=train.astype(float), categorical=np.arange(n_texts))
            joblib.dump(forest, folder / "model.joblib")
            self._process = subprocess.Popen(
                [python, __file__, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            self._process.stdout.readline()  # it has read the files
        self._end = Timer(seconds, self._process.kill)
        self._end.start()

    def explain(self, row: Any) -> dict[str, Any] | None:
        """Return the anchor of a row; None if the time for all of them is up."""
        try:
            self._process.stdin.write(json.dumps(row.astype(float).tolist()) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return None
        answer = self._process.stdout.readline()
        return json.loads(answer) if answer else None

    def close(self) -> None:
        """End the process."""
        self._end.cancel()
        self._process.kill()
        self._process.communicate()


def serve(folder: Path) -> None:
    """Answer each row that standard input gives by its anchor."""
    import joblib
    import numpy as np
    from anchor.anchor_base import AnchorBaseBeam
    from anchor.anchor_tabular import AnchorTabularExplainer

    out, sys.stdout = sys.stdout, sys.stderr  # what the package prints is no answer
    problem, model = np.load(folder / "problem.npz"), joblib.load(folder / "model.joblib")
    train, categorical = problem["train"], problem["categorical"].tolist()
    categories = {j: [str(code) for code in range(int(train[:, j].max()) + 1)] for j in categorical}
    explainer = AnchorTabularExplainer(["0", "1"], [f"x{j}" for j in range(train.shape[1])], train, categories)
    cuts = dict(zip([j for j in range(train.shape[1]) if j not in categorical], explainer.disc.bins(train, None),
                    strict=True))  # fmt: skip
    np.random.seed(0)
    print("ready", file=out, flush=True)
    for line in sys.stdin:
        row = np.array(json.loads(line))
        began = perf_counter()
        # what explain_instance does, but for the names, which are rounded
        sample, mapping = explainer.get_sample_fn(row, model.predict)
        anchor = AnchorBaseBeam.anchor_beam(sample, delta=0.1, epsilon=0.15, batch_size=100, desired_confidence=0.95)
        seconds = perf_counter() - began
        conditions = []
        for place in anchor["feature"]:
            j, operator, value = mapping[place]
            conditions.append((int(j), operator, float(value if operator == "eq" else cuts[j][int(value)])))
        print(json.dumps({"conditions": conditions, "seconds": seconds}), file=out, flush=True)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
