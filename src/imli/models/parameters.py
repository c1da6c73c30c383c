"""The parameters of a learner as JSON values, and back.

Text, numbers, truth values, None, and lists and dicts of them are themselves. Literals and rules are their text,
which learners read as well. What JSON has no form for is an object of one key that says what it is:
``{"number": "inf"}``, ``{"pairs": [[key, value], …]}`` for a dict whose keys are not text, ``{"every": "age > 60"}``,
and ``{"object": "…"}`` for anything else, which can be read but not be built again.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from imli.constraints import Every
from imli.literals import Literal
from imli.places import brief
from imli.rules import Rule

_MARKS = ("number", "pairs", "every", "object")
_INFINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


class NotPlainError(ValueError):
    """A parameter was an object of which a file has only a description."""


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
