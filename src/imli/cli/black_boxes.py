"""Models that others made: from a pickle, or by the name of something that can be imported."""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from imli.frames import Frame, UnknownColumnError
from imli.places import brief

_PICKLES = (".joblib", ".pkl", ".pickle")


def open_model(name: str, is_trusted: bool) -> Any:
    """The model of a JSON file of ours, of a pickle, or of ``module:name``."""
    if name.endswith(".json"):
        from imli.models import load

        return load(name)
    if name.endswith(_PICKLES):
        return _unpickled(name, is_trusted)
    if ":" in name:
        return _imported(name)
    raise ValueError(
        f"MODEL must be a file that ends in .json, .joblib or .pkl, or module:name of something that can be imported "
        f"here. Got {name!r}."
    )


def _unpickled(path: str, is_trusted: bool) -> Any:
    with Path(path).open("rb"):  # a file that is not there is the first thing to say
        pass
    if not is_trusted:
        raise ValueError(
            f"{path!r} is a pickle, which can run any code when it is opened. Add --trust if you know who made it."
        )
    import joblib

    try:
        return joblib.load(path)
    except Exception as error:  # a pickle can fail in any way
        raise ValueError(f"{path!r} cannot be opened: {_said(error)}") from None


def _imported(name: str) -> Any:
    module, _, path = name.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        found: Any = import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise ValueError(f"There is no module {module!r} in this folder, and none that is installed.") from None
    finally:
        sys.path.pop(0)
    for part in path.split("."):
        if not hasattr(found, part):
            raise ValueError(f"Module {module!r} has no {path!r}.")
        found = getattr(found, part)
    return found


def with_failures_in_words(model: Any, source: str) -> Callable[[Any], Any]:
    """The model as a function. Whatever it raises becomes a sentence."""
    decide = getattr(model, "predict", model)
    if not callable(decide):
        raise TypeError(f"MODEL must be a function of a table, or have a method predict. Got {brief(model)}.")

    def asked(table: Any) -> Any:
        try:
            return decide(table)
        except Exception as error:  # a model can fail in any way
            raise ValueError(
                f"The model cannot decide the rows of {source}: {_said(error)} Are they the columns that it knows? "
                "--target takes one out."
            ) from None

    return asked


def _said(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:200]}{'' if text.endswith('.') else '.'}"


def columns_for(model: Any, names: tuple[str, ...], target: str | None) -> list[str]:
    """Those that the model says that it knows, or all but the target."""
    if target is not None and target not in names:
        raise UnknownColumnError.named(target, names)
    known = getattr(model, "feature_names_in_", None)
    wanted = [name for name in names if name != target] if known is None else [str(name) for name in known]
    for name in wanted:
        if name not in names:
            raise UnknownColumnError.named(name, names)
    if not wanted:
        raise ValueError(f"There is no column besides {target!r} to decide by.")
    return wanted


def to_native(frame: Frame) -> Any:
    """A table that models know: of pandas, as ``read_csv`` would make it, or of polars if only that is installed."""
    import numpy as np

    columns = {}
    for name, column in frame.columns.items():
        cells = column.cells()
        if column.missing.any():
            cells = column.values.astype(float) if column.kind == "number" else cells.astype(object)
            cells[column.missing] = np.datetime64("NaT") if column.kind == "date" else np.nan
        columns[name] = cells.astype("datetime64[us]") if column.kind == "date" else cells
    if find_spec("pandas") is not None:
        texts = {name: cells.astype(object) for name, cells in columns.items() if cells.dtype.kind == "U"}
        return import_module("pandas").DataFrame(columns | texts)
    if find_spec("polars") is not None:
        return import_module("polars").DataFrame(
            {name: column.cells().tolist() for name, column in frame.columns.items()}
        )
    raise ImportError("imli explain gives rows to models in frames. Install one with: pip install pandas.")
