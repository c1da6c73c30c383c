"""Where in a document of dicts and lists something was refused."""

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from imli.learning.answer import Answer
    from imli.learning.path import RulePath

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


def suggest(word: str, known: Iterable[str]) -> str:
    """Return " Did you mean …?" with the known word that is closest to a misspelled one; empty if none is close.

    >>> suggest("incme", ["age", "income"]), suggest("city", ["age", "income"])
    (" Did you mean 'income'?", '')
    """
    near = difflib.get_close_matches(word, list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


class UnknownColumnError(ValueError):
    """A column was named that the data does not have."""

    @classmethod
    def named(cls, name: str, known: Iterable[str]) -> Self:
        """Build the error for a column name, with the known name that is closest."""
        return cls(f"No column {name!r} in the data.{suggest(name, known)}")


class UnreadableColumnError(TypeError):
    """A column holds something that is neither a number, a truth value nor text."""


class RuleSyntaxError(ValueError):
    """A literal or rule could not be read."""


class InfeasibleError(ValueError):
    """No rule meets all of the constraints; the message names those in conflict."""


class Interrupted(KeyboardInterrupt):  # it is no error: the user asked for it
    """Ctrl-C was pressed; ``answer`` is the best so far."""

    def __init__(self, answer: "Answer") -> None:
        super().__init__("stopped by the user")
        self.answer = answer

    def __reduce__(self) -> tuple[type["Interrupted"], tuple["Answer"]]:
        return type(self), (self.answer,)


class RefusedError(ValueError):
    """A backend was given a query that it cannot answer."""

    @classmethod
    def because(cls, backend: str, reason: str, cure: str) -> Self:
        return cls(f"Backend {backend!r} cannot handle: {reason}. {cure}")


class SolverError(RuntimeError):
    """A MaxSAT program did not do its work."""


class PathInterrupted(KeyboardInterrupt):  # it is no error: the user asked for it
    """Ctrl-C was pressed; ``path`` is what there is so far."""

    def __init__(self, path: "RulePath") -> None:
        super().__init__("stopped by the user")
        self.path = path

    def __reduce__(self) -> tuple[type["PathInterrupted"], tuple["RulePath"]]:
        return type(self), (self.path,)


class NotPlainError(ValueError):
    """A parameter was an object of which a file has only a description."""


class ConstantRuleWarning(UserWarning):
    """The rule decides the same for every row."""


class OutOfTimeError(Exception):
    """A trial was cut short, so it does not count."""


class ModelFileError(ValueError):
    """Something is not a model, or not one that this version of imli can read. The message says where."""

    @classmethod
    def of(cls, error: Exception) -> Self:
        """The same complaint, with the place in the model that it is about."""
        place = write_place(place_of(error))
        return cls(f"At {place}: {error}" if place else str(error))

    def in_file(self, name: str) -> "ModelFileError":
        """The same complaint, about a file of this name."""
        sentence = str(self)
        return ModelFileError(f"In {name!r}, a{sentence[1:]}" if sentence[:3] == "At " else f"In {name!r}: {sentence}")
