"""Where in a document of dicts and lists something was refused."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

Place = tuple[str | int, ...]
_Refusal = TypeVar("_Refusal", bound=Exception)

_NAME = "place"  # of the attribute that the errors carry


def placed(error: _Refusal, *place: str | int) -> _Refusal:
    """The error, which now says that it is about this part of what it was about before."""
    setattr(error, _NAME, (*place, *place_of(error)))
    return error


def place_of(error: Exception) -> Place:
    """The keys and numbers that lead to what the error is about, outermost first."""
    found: Place = getattr(error, _NAME, ())
    return found


@contextmanager
def at(*place: str | int) -> Iterator[None]:
    """What is refused inside is refused at this place."""
    try:
        yield
    except (ValueError, TypeError) as error:
        placed(error, *place)
        raise


def write_place(place: Place) -> str:
    """The place as people write it.

    >>> write_place(("rule", "slots", 1, 0, "threshold")), write_place(("columns", "mean radius", "least"))
    ('rule.slots[1][0].threshold', 'columns["mean radius"].least')
    """
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.isidentifier():
            text += f".{part}" if text else part
        else:
            text += f'["{brief(part)[1:-1]}"]'
    return text


def brief(value: Any) -> str:
    """The value as Python writes it, cut where it is long or deep.

    >>> print(brief([1, ["two", {"three": 3}]]), brief("a" * 100)[-5:], brief(10**5000))
    [1, ['two', {'three': 3}]] aaa…' a number of 5,001 digits
    """
    text = _written(value, 4)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 2]}…{text[-1]}"


def brief_list(names: Iterable[Any]) -> str:
    """Names of fields, in order, cut where they are many.

    >>> brief_list({"test": 1, "column": 2})
    'column, test'
    """
    found = sorted(name if isinstance(name, str) and len(name) <= _WIDEST else brief(name) for name in names)
    return ", ".join([*found[:_MOST_LISTED], *(["…"] if len(found) > _MOST_LISTED else [])]) or "nothing"


_WIDEST = 80
_MOST_LISTED = 10


def _written(value: Any, depth: int) -> str:
    if isinstance(value, list | tuple | dict):
        open_, close = ("[", "]") if isinstance(value, list) else ("(", ")") if isinstance(value, tuple) else ("{", "}")
        if not value or depth == 0:
            return f"{open_}{'…' if value else ''}{close}"
        first = list(value.items() if isinstance(value, dict) else value)[:_MOST_LISTED]
        if isinstance(value, dict):
            parts = [f"{_written(key, 0)}: {_written(part, depth - 1)}" for key, part in first]
        else:
            parts = [_written(part, depth - 1) for part in first]
        end = ", …" if len(value) > len(first) else "," if isinstance(value, tuple) and len(value) == 1 else ""
        return f"{open_}{', '.join(parts)}{end}{close}"
    if isinstance(value, str) and len(value) > _WIDEST:
        return repr(value[:_WIDEST])
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**_WIDEST:
        return f"a number of {_n_digits(abs(value)):,} digits"  # Python refuses to write very long ones
    return repr(value)


def _n_digits(number: int) -> int:
    digits = int(number.bit_length() * 0.30103)
    return digits + 1 if number >= int(10**digits) else digits
