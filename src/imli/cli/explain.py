"""``imli explain``: the decisions of a model as rules, for all rows or for single ones."""

import argparse
import os
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from imli.cli.data import format_of, open_table
from imli.cli.learner import make_classifier
from imli.cli.screen import print_json, progress_of, remarks_of_warnings, say
from imli.errors import brief
from imli.models import Model
from imli.rules import Kind
from imli.table.frame import Frame

if TYPE_CHECKING:
    from imli.table.sample import Source

_PICKLES = (".joblib", ".pkl", ".pickle")


def open_model(name: str, is_trusted: bool) -> Any:
    """Return the model in a JSON file of imli, in a pickle, or under ``module:name``."""
    if name.endswith(".json"):
        from imli.models import load

        return load(name)
    if name.endswith(_PICKLES):
        return _unpickled(name, is_trusted)
    if ":" in name:
        return _imported(name)
    raise ValueError(
        f"MODEL must be a file that ends in .json, .joblib or .pkl, or module:name of something that can be imported "
        f"here. Got {brief(name)}."
    )


def _unpickled(path: str, is_trusted: bool) -> Any:
    with Path(path).open("rb"):  # an absent file is refused before --trust is asked for
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
    """Return the model as a function whose errors are sentences."""
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


def columns_for(model: Any, table: "Source", target: str | None) -> list[str]:
    """Return the columns that the model knows by name, or all but the target."""
    table.require([] if target is None else [target])
    known = getattr(model, "feature_names_in_", None)
    wanted = [name for name in table.columns if name != target] if known is None else [str(name) for name in known]
    table.require(wanted)
    if not wanted:
        raise ValueError(f"There is no column besides {brief(target)} to decide by.")
    return wanted


def to_native(frame: Frame) -> Any:
    """Return a data frame of pandas, as ``read_csv`` would make it, or of polars if only that is installed."""
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
        cells_of = {name: column.cells().tolist() for name, column in frame.columns.items()}
        return import_module("polars").DataFrame(cells_of)
    raise ImportError("imli explain gives rows to models in frames. Install one with: pip install pandas.")


# The parameters of a local rule, and those of a surrogate that must not be repeated as parameters of its classifier.
_OF_LOCAL = ("precision", "n_samples", "never", "max_literals", "bins", "random_state", "n_jobs", "time_limit")
_NOT_TWICE = ("callback", "verbose", "random_state", "time_limit")


def run(options: argparse.Namespace) -> int:
    """Explain a model on the rows of a table and return the exit status."""
    model = open_model(options.model, options.trust)
    is_ours = isinstance(model, Model)
    if options.keep and not (is_ours and options.row):
        raise ValueError("--keep is about the rows of a model of imli. Give a .json file, and --row.")
    table = open_table(options.data, format_of(options, model.readings if is_ours else None))
    if is_ours and options.row:
        rows = [_cells(model, table, number) for number in options.row]
        found = [part for row in rows for part in (model.why(row), model.what_if(row, keep=options.keep or []))]
        return _show(options, options.row, found)
    columns = columns_for(model, table, options.target)
    native = to_native(table.frame(columns))
    decide = with_failures_in_words(model, table.title)
    with remarks_of_warnings(), progress_of("Explaining", options.time_limit):
        if options.row:
            places = [_place(number, len(native), table.title) for number in options.row]
            return _show(options, options.row, [_local(decide, place, native, options) for place in places])
        return _show(options, None, [_surrogate(decide, native, options)])


def _cells(model: Model, table: "Source", number: int) -> dict[str, Any]:
    """Return the cells of a row that a rule of imli uses."""
    frame = table.frame(model.rule.columns)
    place = _place(number, frame.n_rows, table.title)
    return {name: column.cells()[place : place + 1].tolist()[0] for name, column in frame.columns.items()}


def _place(number: int, n_rows: int, source: str) -> int:
    if not 1 <= number <= n_rows:
        raise ValueError(f"--row must be from 1 to {n_rows:,}, the rows of {source}. Got {number}.")
    return number - 1


def _local(decide: Any, place: int, native: Any, options: argparse.Namespace) -> Any:
    from imli.explain import local

    given = {name: value for name in _OF_LOCAL if (value := getattr(options, name)) is not None}
    return local(decide, place, native, target=options.name, **given)


def _surrogate(decide: Any, native: Any, options: argparse.Namespace) -> Any:
    from imli.explain import surrogate
    from imli.explain.black_box import Box, plain_labels

    labels = Box.around("surrogate", decide).labels(native, len(native))
    classes = plain_labels(labels)
    label = None
    if options.label is not None:
        if options.positive is not None:
            raise ValueError("--label already names the class that the rule describes. Remove --positive.")
        by_text = {str(each): each for each in classes}
        if options.label not in by_text:
            raise ValueError(f"--label must be a class of the model: {', '.join(by_text)}. Got {options.label!r}.")
        label = by_text[options.label]
    kind: Kind = options.kind or ("dnf" if label is not None or len(classes) <= 2 else "list")
    classifier = make_classifier(options, kind, classes)
    plain = type(classifier)().get_params()
    changed = {name: value for name, value in classifier.get_params().items()
               if name not in _NOT_TWICE and value is not plain[name] and value != plain[name]}  # fmt: skip
    return surrogate(
        lambda _: labels,
        native,
        kind=kind,
        label=label,
        target=options.name,
        random_state=options.random_state,
        time_limit=options.time_limit,
        **({} if options.test_size is None else {"test_size": options.test_size}),
        **changed,
    )


def _show(options: argparse.Namespace, rows: list[int] | None, found: list[Any]) -> int:
    if options.json:
        contents = [each.to_dict() for each in found]
        print_json(contents[0] if rows is None else {"rows": rows, "explanations": contents})
        return 0
    is_many = rows is not None and len(rows) > 1
    per_row = 1 if rows is None else len(found) // len(rows)
    for number, each in enumerate(found):
        if number:
            say()
        if is_many and rows is not None and number % per_row == 0:
            say(f"Row {rows[number // per_row]}.")
        say(str(each))
    return 0
