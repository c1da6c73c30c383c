"""``imli explain``: what a model decides, as rules."""

import argparse
from typing import TYPE_CHECKING, Any

from imli.cli.black_boxes import columns_for, open_model, to_native, with_failures_in_words
from imli.cli.classifiers import make_classifier
from imli.cli.outputs import print_json
from imli.cli.screen import progress_of, remarks_of_warnings, say
from imli.cli.tables import open_table, reading_of
from imli.models import Model

if TYPE_CHECKING:
    from imli.cli.tables import Table

# What only a surrogate has, and what the parameters of its classifier must not repeat.
_OF_LOCAL = ("never", "max_literals", "bins", "random_state", "n_jobs", "time_limit")
_NOT_TWICE = ("callback", "verbose", "random_state", "time_limit")


def run(options: argparse.Namespace) -> int:
    model = open_model(options.model, options.trust)
    is_ours = isinstance(model, Model)
    if options.keep and not (is_ours and options.row):
        raise ValueError("--keep is about the rows of a model of imli. Give a .json file, and --row.")
    table = open_table(options.data, reading_of(options, model.kinds if is_ours else None))
    if is_ours and options.row:
        keep = options.keep or []
        found = [part for number in options.row for part in explain_own(model, _cells(model, table, number), keep)]
        return _show(options, options.row, found)
    columns = columns_for(model, table.names, options.target)
    native = to_native(table.frame(columns))
    decide = with_failures_in_words(model, table.source)
    with remarks_of_warnings(), progress_of("Explaining", options.time_limit):
        if options.row:
            places = [_place(number, len(native), table.source) for number in options.row]
            return _show(options, options.row, [_local(decide, place, native, options) for place in places])
        return _show(options, None, [_surrogate(decide, native, options)])


def explain_own(model: Model, row: dict[str, Any], keep: list[str]) -> list[Any]:
    """Why a model of ours decides a row as it does, and what would change that."""
    return [model.why(row), model.what_if(row, keep=keep)]


def _cells(model: Model, table: "Table", number: int) -> dict[str, Any]:
    """The cells of a row that a rule of ours looks at."""
    frame = table.frame(model.rule.columns)
    place = _place(number, frame.n_rows, table.source)
    return {name: column.cells()[place : place + 1].tolist()[0] for name, column in frame.columns.items()}


def _place(number: int, n_rows: int, source: str) -> int:
    if not 1 <= number <= n_rows:
        raise ValueError(f"--row must be from 1 to {n_rows:,}, the rows of {source}. Got {number}.")
    return number - 1


def _local(decide: Any, place: int, native: Any, options: argparse.Namespace) -> Any:
    from imli.explain import local

    given = {name: getattr(options, name) for name in ("precision", "n_samples", *_OF_LOCAL)}
    return local(decide, place, native, target=options.name, **{k: v for k, v in given.items() if v is not None})


def _surrogate(decide: Any, native: Any, options: argparse.Namespace) -> Any:
    from imli.explain import surrogate
    from imli.explain.box import Box, plain_labels

    labels = Box.around("surrogate", decide).labels(native, len(native))
    classes = plain_labels(labels)
    label = None
    if options.label is not None:
        by_text = {str(each): each for each in classes}
        if options.label not in by_text:
            raise ValueError(f"--label must be a class of the model: {', '.join(by_text)}. Got {options.label!r}.")
        label = by_text[options.label]
    kind = options.kind or ("dnf" if label is not None or len(classes) <= 2 else "list")
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
