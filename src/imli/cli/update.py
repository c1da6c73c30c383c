"""``imli fit --update``: go on learning from a saved model, and say what the new rows did to its rule."""

import argparse
from typing import TYPE_CHECKING, Any

from imli.cli.classifiers import typed_parameters
from imli.cli.outputs import print_json, require_writable, writing
from imli.cli.parquet_files import is_several
from imli.cli.problems import read_batch
from imli.cli.screen import progress_of, remarks_of_warnings, say, show_rule
from imli.models import load, save

if TYPE_CHECKING:
    from imli.streams import Batch


def update(options: argparse.Namespace) -> int:
    path = options.save or options.update
    require_writable(path)
    _refuse_others(options)
    model = load(options.update)
    parameters = typed_parameters(options, model.rule.kind, list(model.labels))
    parameters.pop("cv", None)
    classifier = model.resume(**parameters)
    stream = classifier._stream
    batch = read_batch(options, options.data[0], model, stream.columns)
    if not options.json:
        size = f"{batch.frame.n_rows:,} rows"
        say(f"Going on from {options.update} with {size}; {stream.memory.n_rows:,} rows before are remembered.\n")
    is_stopped = not _learn(classifier, batch, options)
    updated = classifier.to_model()
    if options.json:
        print_json({**updated.to_dict(), "text": str(updated.rule)})
    else:
        show_rule(classifier.rule_)
        say(f"It has {classifier.answer_}.")
        say(_describe(classifier.drift_[-1]))
    with writing():
        save(updated, path)
    if not options.json:
        say(f"Saved as {path}.")
    return 130 if is_stopped else 0


def _refuse_others(options: argparse.Namespace) -> None:
    if not options.data:
        raise ValueError("--update needs DATA, the new rows. Add the name of a CSV or Parquet file.")
    if len(options.data) > 1 or is_several(options.data[0]):
        raise ValueError("--update goes on with one file at a time. Name one, and call it again for each other.")
    if options.engine in ("parts", "dask") or options.scheduler is not None:
        option = "--scheduler" if options.engine in ("auto", "memory") else f"--engine {options.engine}"
        raise ValueError(f"--update reads the new rows into memory. Remove {option}.")
    for name in ("kind", "cv", "holdout", "warm_start"):
        if getattr(options, name) is not None:
            raise ValueError(f"--{name.replace('_', '-')} does not go with --update. Remove it.")


def _learn(classifier: Any, batch: Any, options: argparse.Namespace) -> bool:
    """Whether the search came to its own end; Ctrl-C leaves the best rule so far."""
    from imli.answer import Interrupted

    with remarks_of_warnings(), progress_of("Searching", options.time_limit, bool(options.verbose)) as watch:
        classifier.callback = watch
        try:
            classifier.partial_fit(batch.frame, batch.target, batch.classes, batch.weights)
        except Interrupted:
            return False
        finally:
            classifier.callback = None
    return True


def _describe(batch: "Batch") -> str:
    """What the batch did, in words."""
    sentences = []
    if batch.is_drift:
        sentences.append(
            "The new rows are of another kind than those before: the rule did much worse on them than ever. "
            "What was remembered is forgotten."
        )
    before = (
        "" if batch.error_before is None else f"The rule as it was is wrong on {100 * batch.error_before:.1f} % of them"
    )
    if not batch.moved and not batch.turned:
        sentences.append(f"{before}, and stays as it is.")
        return " ".join(sentences)
    sentences.append(f"{before}, as it is now on {100 * batch.error_after:.1f} %.")
    for verb, literals in (("Came", batch.came), ("Went", batch.went)):
        if literals:
            sentences.append(f"{verb}: {', '.join(map(str, literals))}.")
    if batch.turned:
        sentences.append(f"{batch.turned} clause{'' if batch.turned == 1 else 's'} turned to another class.")
    return " ".join(sentences)
