"""Learn what standard input asks for, in the environment of a rival: python …/adapters/__main__.py MODULE NAME.

Each line that is read is answered by a line: {"data": path} is rows to learn from and to decide, and {"settings": …,
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
from typing import Any


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    # imli_bench may not be installed here, so this folder is a package of its own. Last, since it has neighbours with
    # names that others may have, too.
    sys.path = [*sys.path[1:], str(Path(__file__).parent.parent)]
    forms, adapter = import_module("adapters.forms"), import_module(f"adapters.{sys.argv[1]}").ADAPTERS[sys.argv[2]]
    import_beforehand(f"adapters.{sys.argv[1]}", "adapters.forms")
    print(json.dumps({"versions": versions(adapter.requires)}), file=answers)
    rows = labels = held_out = truth = None
    for line in sys.stdin:
        asked = json.loads(line)
        if "data" in asked:
            X, y, train, test = forms.read_task(Path(asked["data"]))
            rows, labels = X.iloc[train].reset_index(drop=True), y[train]
            held_out, truth = X.iloc[test].reset_index(drop=True), y[test]
            print(json.dumps({"rows": len(y)}), file=answers)
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a rival, which nobody here can do anything about
                answer = learn(adapter, asked, rows, labels, held_out, truth)
        except forms.NotInstalledError as error:
            answer = {"not_installed": str(error)}
        except Exception as error:
            last = (str(error) or type(error).__name__).strip().splitlines()[-1]
            answer = {"failed": f"{type(error).__name__}: {last}"[:300]}
        print(json.dumps(answer), file=answers)


def import_beforehand(*modules: str) -> None:
    """Import what these modules import when they learn, so that it takes no part of that time."""
    for module in modules:
        path = str(sys.modules[module].__file__)
        for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
                names = [node.module]
            for name in names:
                with suppress(ImportError):  # it may be of a sibling, and is told when it is needed
                    import_module(name)


def learn(adapter: Any, asked: dict[str, Any], rows: Any, labels: Any, held_out: Any, truth: Any) -> dict[str, Any]:
    """Return what is known of a model that the adapter learns from the rows."""
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
    """Return the versions of what learns: of the packages required, or of imli and scikit-learn."""
    wanted = [text.split("==")[0].split(">")[0].split("<")[0].split("[")[0] for text in requires]
    found = []
    for name in wanted or ("imli", "scikit-learn"):
        with suppress(PackageNotFoundError):  # of a Python, or of a package by another name
            found.append(f"{name} {version(name)}")
    return ", ".join(found)


if __name__ == "__main__":
    main()
