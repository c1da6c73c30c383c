"""."""

import json
import math
import sys
from collections.abc import Mapping
from typing import Any

from imli.errors import ModelFileError, Place, brief, placed

_DEEPEST = 40  # levels of lists and objects; a model has ten


_LONGEST = 310  # digits of a whole number; the largest that is a number for anyone else has 309


_WIDTH = 120


class _Unreadable:
    """Stands where the text has something that no model can hold."""

    def __init__(self, complaint: str) -> None:
        self.complaint = complaint


class _Repeating(dict[str, Any]):
    """An object that has a key twice."""

    def __init__(self, pairs: list[tuple[str, Any]], key: str) -> None:
        super().__init__(pairs)
        self.key = key


def parse(content: bytes) -> Any:
    """What the JSON text says. Whatever is odd in it is left for ``check_document``, which knows the place."""
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
            parse_constant=lambda name: _Unreadable(f"{name} is not a number that JSON knows. Write a finite one."),
        )
    except json.JSONDecodeError as error:
        raise ModelFileError(
            f"Line {error.lineno}, column {error.colno} is not JSON. {error.msg[0].upper()}{error.msg[1:]}."
        ) from None
    except RecursionError:
        raise ModelFileError(_TOO_DEEP) from None


_TOO_DEEP = f"Lists and objects are nested more than {_DEEPEST} levels deep. No model is."


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    names = [name for name, _ in pairs]
    return _Repeating(pairs, next(name for name in names if names.count(name) > 1))


def _whole_number(text: str) -> int | _Unreadable:
    return int(text) if len(text) <= _LONGEST else _Unreadable(_too_large(f"a number of {len(text):,} digits"))


def _number(text: str) -> float | _Unreadable:
    number = float(text)
    return number if math.isfinite(number) else _Unreadable(_too_large(brief(text)[1:-1]))


def _too_large(text: str) -> str:
    return f"A number must be below 1e308. Got {text}."


def check_document(document: Any) -> None:
    """Refuse what JSON cannot hold, and what could not be written or shown later, wherever it is in there."""
    ahead: list[tuple[Any, Place]] = [(document, ())]  # no recursion: a document may be deeper than Python's stack
    while ahead:
        value, place = ahead.pop()
        complaint = _complaint(value, len(place))
        if complaint is not None:
            raise placed(ValueError(complaint), *place[:_DEEPEST])
        if isinstance(value, Mapping):
            ahead += [(part, (*place, name)) for name, part in reversed(list(value.items()))]
        elif isinstance(value, list):
            ahead += [(part, (*place, number)) for number, part in reversed(list(enumerate(value)))]


def _complaint(value: Any, depth: int) -> str | None:
    if isinstance(value, Mapping | list):
        if depth > _DEEPEST:
            return _TOO_DEEP
        if isinstance(value, _Repeating):
            return f"The key {brief(value.key)} is there twice. Remove one of them."
        names = value if isinstance(value, Mapping) else ()
        odd = [name for name in names if not isinstance(name, str) or _has_half_signs(name)]
        return f"The key {brief(odd[0])} is not text. {_WHOLE_SIGNS}" if odd else None
    if isinstance(value, _Unreadable):
        return value.complaint
    if isinstance(value, str):
        return f"{brief(value)} is not text. {_WHOLE_SIGNS}" if _has_half_signs(value) else None
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return None if abs(value) <= sys.float_info.max else _too_large(brief(value))  # NaN is not
    return f"A model holds text, numbers, true, false, null, lists and objects. Got {brief(value)}."


_WHOLE_SIGNS = "A key or text is made of whole characters, not of lone surrogates like \\ud800."


def _has_half_signs(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text)


def layout(document: Any) -> str:
    """The document as JSON to be read: literals, lists of plain values and other short parts in a line each.

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
    return _laid_out(document, "")


def _laid_out(value: Any, margin: str) -> str:
    if not isinstance(value, dict | list) or not value or _is_one_line(value, len(margin)):
        return _in_one_line(value)
    deeper = f"{margin}  "
    if isinstance(value, dict):
        lines = [f"{deeper}{_in_one_line(name)}: {_laid_out(part, deeper)}" for name, part in value.items()]
        return "\n".join(["{", ",\n".join(lines), f"{margin}}}"])
    lines = [f"{deeper}{_laid_out(part, deeper)}" for part in value]
    return "\n".join(["[", ",\n".join(lines), f"{margin}]"])


def _is_one_line(value: dict[str, Any] | list[Any], margin: int) -> bool:
    if _is_literal(value):
        return True
    if isinstance(value, list) and not any(isinstance(part, dict | list) for part in value):
        return True
    return margin > 0 and not _holds_literals(value) and margin + len(_in_one_line(value)) <= _WIDTH


def _is_literal(value: Any) -> bool:
    return isinstance(value, dict) and "test" in value


def _holds_literals(value: Any) -> bool:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_is_literal(part) or _holds_literals(part) for part in parts)


def _in_one_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
