"""."""

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

import numpy as np

from imli.errors import NotPlainError, at, brief
from imli.learning.constraints import Every
from imli.rules import Rule
from imli.rules.literals import Literal

_Part = TypeVar("_Part")


Reader = Callable[[Any], Any]


def read_object(
    content: Any, what: str, required: Mapping[str, Reader], others: Mapping[str, Reader]
) -> dict[str, Any]:
    """The fields of an object, each read by its own reader; others need not be there, and are then left out."""
    if not isinstance(content, Mapping):
        raise ValueError(f"{what} must be a JSON object. Got {brief(content)}.")
    readers = {**required, **others}
    for name in content:
        if name not in readers:
            raise ValueError(f"{what} has no field {brief(name)}. Its fields are {', '.join(readers)}.")
    for name in required:
        if name not in content:
            raise ValueError(f"{what} needs the field {name!r}, which is missing.")
    return {name: read_at(name, content[name], reader) for name, reader in readers.items() if name in content}


def read_at(place: str | int, content: Any, reader: Callable[[Any], _Part]) -> _Part:
    """What the reader makes of the content; what it refuses, it refuses at this place."""
    with at(place):
        return reader(content)


def list_of(reader: Callable[[Any], _Part]) -> Callable[[Any], tuple[_Part, ...]]:
    def read(content: Any) -> tuple[_Part, ...]:
        if not isinstance(content, list):
            raise ValueError(f"This must be a list. Got {brief(content)}.")
        return tuple(read_at(number, part, reader) for number, part in enumerate(content))

    return read


def object_of(reader: Callable[[Any], _Part]) -> Callable[[Any], dict[str, _Part]]:
    def read(content: Any) -> dict[str, _Part]:
        if not isinstance(content, Mapping):
            raise ValueError(f"This must be a JSON object. Got {brief(content)}.")
        return {name: read_at(name, part, reader) for name, part in content.items()}

    return read


def one_of(*allowed: str) -> Callable[[Any], str]:
    def read(content: Any) -> str:
        if not isinstance(content, str) or content not in allowed:
            raise ValueError(f"This must be one of {', '.join(map(repr, allowed))}. Got {brief(content)}.")
        return content

    return read


def optional(reader: Callable[[Any], _Part]) -> Callable[[Any], _Part | None]:
    return lambda content: None if content is None else reader(content)


def read_text(content: Any) -> str:
    if not isinstance(content, str):
        raise ValueError(f"This must be text. Got {brief(content)}.")
    return content


def read_flag(content: Any) -> bool:
    if not isinstance(content, bool):
        raise ValueError(f"This must be true or false. Got {brief(content)}.")
    return content


def read_count(content: Any) -> int:
    if type(content) is not int or content < 0:
        raise ValueError(f"This must be a whole number of at least 0. Got {brief(content)}.")
    return content


def read_number(content: Any) -> int | float:
    if type(content) is int or type(content) is float:
        return content
    raise ValueError(f"This must be a number. Got {brief(content)}.")


def read_amount(content: Any) -> float:
    """A number of at least 0, as a float."""
    if type(content) not in (int, float) or content < 0:
        raise ValueError(f"This must be a number of at least 0. Got {brief(content)}.")
    return float(content)


def read_share(content: Any) -> float:
    if type(content) not in (int, float) or not 0 <= content <= 1:
        raise ValueError(f"This must be a number from 0 to 1. Got {brief(content)}.")
    return float(content)


def read_time(content: Any) -> str:
    """A time in UTC, to the second."""
    text = read_text(content)
    try:
        datetime.strptime(text, TIME_FORMAT)
    except ValueError:
        raise ValueError(f"This must be a time like 2024-12-31T23:59:59Z. Got {brief(text)}.") from None
    return text


TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"


_MARKS = ("number", "pairs", "every", "object")


_INFINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def to_plain(value: Any) -> Any:
    """A parameter as a JSON value."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"number": str(value)}
    if isinstance(value, Rule):
        return value.to_text(counts=False)
    if isinstance(value, Literal):
        return str(value)
    if isinstance(value, Every):
        return {"every": str(value.literal)}
    if isinstance(value, list | tuple):
        return [to_plain(part) for part in value]
    if isinstance(value, Mapping):
        if all(isinstance(name, str) for name in value) and not (len(value) == 1 and next(iter(value)) in _MARKS):
            return {name: to_plain(part) for name, part in value.items()}
        return {"pairs": [[to_plain(name), to_plain(part)] for name, part in value.items()]}
    return {"object": repr(value)}


def from_plain(value: Any) -> Any:
    """The parameter that ``to_plain`` described; lists come back as tuples.

    >>> from_plain(to_plain({0: 1.0, 1: 5.0})), from_plain(to_plain(float("inf"))), from_plain(to_plain(["age"]))
    ({0: 1.0, 1: 5.0}, inf, ('age',))
    """
    if isinstance(value, list | tuple):
        return tuple(map(from_plain, value))
    if not isinstance(value, Mapping):
        return value
    if len(value) == 1 and (mark := next(iter(value))) in _MARKS:
        return _from_mark(mark, value[mark])
    return {name: from_plain(part) for name, part in value.items()}


def _from_mark(mark: str, content: Any) -> Any:
    if mark == "object":
        raise NotPlainError(str(content))
    if mark == "number" and isinstance(content, str) and content in _INFINITE:
        return _INFINITE[content]
    if mark == "every" and isinstance(content, str):
        return Every(content)
    if mark == "pairs" and isinstance(content, list | tuple):
        pairs = [pair for pair in content if isinstance(pair, list | tuple) and len(pair) == 2]
        if len(pairs) == len(content) and not any(isinstance(key, Mapping | list) for key, _ in pairs):
            return {from_plain(key): from_plain(part) for key, part in pairs}
    raise ValueError(f"{brief({mark: content})} is no value of a parameter.")
