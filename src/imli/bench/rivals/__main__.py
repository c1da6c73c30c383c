"""Learns what it is asked to, in the environment of a rival: python …/rivals/__main__.py ADAPTER.

It answers each line that it reads by a line: {"data": path} is rows to learn from and to decide, and {"settings": …,
"seed": …, "also": …} to learn from them. What the rival itself prints goes to standard error.
"""

import ast
import json
import os
import sys
import warnings
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    # imli may not be installed here, so this folder is a package of its own. Last, since it has neighbours with names
    # that others may have, too.
    sys.path = [*sys.path[1:], str(Path(__file__).parent.parent)]
    taskdata, adapter = import_module("rivals.taskdata"), import_module(f"rivals.{sys.argv[1]}")
    NotInstalledError = import_module("rivals.not_installed").NotInstalledError
    import_beforehand(adapter)
    print(json.dumps({"versions": versions(adapter.REQUIRES)}), file=answers)
    rows = labels = held_out = truth = None
    for line in sys.stdin:
        asked = json.loads(line)
        if "data" in asked:
            X, y, train, test = taskdata.read(Path(asked["data"]))
            rows, labels = X.iloc[train].reset_index(drop=True), y[train]
            held_out, truth = X.iloc[test].reset_index(drop=True), y[test]
            print(json.dumps({"rows": len(y)}), file=answers)
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a rival, which nobody here can do anything about
                answer = learn(adapter, asked, rows, labels, held_out, truth)
        except NotInstalledError as error:
            answer = {"not_installed": str(error)}
        except Exception as error:
            last = (str(error) or type(error).__name__).strip().splitlines()[-1]
            answer = {"failed": f"{type(error).__name__}: {last}"[:300]}
        print(json.dumps(answer), file=answers)


def import_beforehand(adapter: ModuleType) -> None:
    """What the adapter and its siblings import when they learn, so that it takes no part of that time."""
    siblings = [module for name, module in sys.modules.items() if name.startswith("rivals.")]
    for module in dict.fromkeys([adapter, *siblings]):
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
                names = [node.module]
            for name in names:
                with suppress(ImportError):  # it may be for a case that does not come, and is told when it does
                    import_module(name)


def learn(adapter: Any, asked: dict[str, Any], rows: Any, labels: Any, held_out: Any, truth: Any) -> dict[str, Any]:
    began = perf_counter()
    fitted = adapter.fit(rows, labels, asked["settings"], asked["seed"])
    seconds = perf_counter() - began
    answer = {
        "seconds": seconds,
        "accuracy": 100 * float((fitted.predict(held_out) == truth).mean()),
        "n_conditions": fitted.n_conditions,
        "size": fitted.size,
    }
    if "train_accuracy" in asked["also"]:
        answer["train_accuracy"] = 100 * float((fitted.predict(rows) == labels).mean())
    if "text" in asked["also"]:
        answer["text"] = fitted.text
    return answer


def versions(requires: tuple[str, ...]) -> str:
    """Of what learns: the packages asked for, or what the harness has."""
    wanted = [text.split("==")[0].split(">")[0].split("<")[0].split("[")[0] for text in requires]
    found = []
    for name in wanted or ("imli", "scikit-learn"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:  # a Python, or a package by another name
            continue
    return ", ".join(found)


if __name__ == "__main__":
    main()
