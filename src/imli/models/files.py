"""Model files: saved whole or not at all, in a layout for people, and loaded without executing anything."""

import json
import math
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from imli.errors import ModelFileError, brief
from imli.files import write_whole
from imli.models.model import Model
from imli.models.schema import TOO_DEEP, Unreadable, check_document, too_large
from imli.rules import Rule

_LONGEST = 310  # digits of a whole number; the largest that is a number for other programs has 309
_WIDTH = 120


def save(what: Any, path: str | PathLike[str]) -> None:
    """Write a model to a JSON file that ``imli.load`` reads, and that people can read and edit.

    Parameters
    ----------
    what
        A fitted classifier, a rule, or a model.
    path
        The file. An old file of this name is replaced when all of the new one has been written.

    Raises
    ------
    ModelFileError
        If the model has a part that JSON cannot hold. The message names the place.

    Examples
    --------
    >>> import imli, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "rule.json"
    >>> imli.save(imli.parse_rule("IF age > 60 AND smoker THEN high ELSE low"), file)
    >>> imli.load(file).predict({"age": [70, 70], "smoker": [True, False]}).tolist()
    ['high', 'low']
    """
    content = _as_model(what).to_dict()
    try:
        check_document(content)  # so that each file that is written can be read again
    except ValueError as error:
        raise ModelFileError.of(error) from None
    write_whole(Path(path), layout(content) + "\n")


def _as_model(what: Any) -> Model:
    """Return the model of a fitted classifier, of a rule, or the model itself."""
    if isinstance(what, Model):
        return what
    if isinstance(what, Rule):
        return Model.of_rule(what)
    if not isinstance(what, type) and callable(to_model := getattr(what, "to_model", None)):
        model = to_model()
        assert isinstance(model, Model)
        return model
    raise TypeError(f"Only a fitted classifier of imli, a rule or a model can be saved. Got {brief(what)}.")


def load(path: str | PathLike[str]) -> Model:
    """Read a model file that ``imli.save`` wrote, also if it was edited by hand, or the dict of a rule as JSON.

    No code of the file is executed.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Model
        The model. Its counts are left out if its rule was edited.

    Raises
    ------
    ModelFileError
        If the file is not a model. The message names the place in the file.
    """
    content = Path(path).read_bytes()
    try:
        return Model.from_dict(parse(content))
    except ModelFileError as error:
        raise error.in_file(fspath(path)) from None


def parse(content: bytes) -> Any:
    """Return the document that a JSON text describes.

    Odd numbers and keys become marks in it, for `check_document`, which knows their places.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ModelFileError(
            f"Line {line} is not text in UTF-8. Save the file in that encoding, or check that it is a model file."
        ) from None
    if not text.strip():
        raise ModelFileError("The file is empty.")
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_whole_number,
            parse_float=_number,
            parse_constant=lambda name: Unreadable(f"{name} is not a number that JSON knows. Write a finite one."),
        )
    except json.JSONDecodeError as error:
        raise ModelFileError(
            f"Line {error.lineno}, column {error.colno} is not JSON. {error.msg[0].upper()}{error.msg[1:]}."
        ) from None
    except RecursionError:
        raise ModelFileError(TOO_DEEP) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | Unreadable:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    names = [name for name, _ in pairs]
    twice = next(name for name in names if names.count(name) > 1)
    return Unreadable(f"The key {brief(twice)} is there twice. Remove one of them.")


def _whole_number(text: str) -> int | Unreadable:
    return int(text) if len(text) <= _LONGEST else Unreadable(too_large(f"a number of {len(text):,} digits"))


def _number(text: str) -> float | Unreadable:
    number = float(text)
    return number if math.isfinite(number) else Unreadable(too_large(brief(text)[1:-1]))


def layout(document: Any) -> str:
    """Return the document as JSON for people: literals, lists of plain values and other short parts in a line each.

    >>> print(layout({"imli": "model", "labels": [0, 1], "rule": {"slots": [[{"test": "true", "column": "smoker"}]]}}))
    {
      "imli": "model",
      "labels": [0, 1],
      "rule": {
        "slots": [
          [
            {"test": "true", "column": "smoker"}
          ]
        ]
      }
    }
    """
    return _lay_out(document, "")


def _lay_out(value: Any, margin: str) -> str:
    if not isinstance(value, dict | list) or not value or _is_one_line(value, len(margin)):
        return _in_one_line(value)
    deeper = f"{margin}  "
    if isinstance(value, dict):
        lines = [f"{deeper}{_in_one_line(name)}: {_lay_out(part, deeper)}" for name, part in value.items()]
    else:
        lines = [f"{deeper}{_lay_out(part, deeper)}" for part in value]
    first, last = "{}" if isinstance(value, dict) else "[]"
    return "\n".join([first, ",\n".join(lines), f"{margin}{last}"])


def _is_one_line(value: dict[str, Any] | list[Any], margin: int) -> bool:
    if _is_literal(value) or (isinstance(value, list) and not any(isinstance(part, dict | list) for part in value)):
        return True
    return margin > 0 and not _holds_literals(value) and margin + len(_in_one_line(value)) <= _WIDTH


def _is_literal(value: Any) -> bool:
    return isinstance(value, dict) and "test" in value


def _holds_literals(value: Any) -> bool:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_is_literal(part) or _holds_literals(part) for part in parts)


def _in_one_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
