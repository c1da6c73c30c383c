"""Exceptions and warnings of imli, and the parts of their messages: shortened values, similar names, and places.

A place is the path of keys and positions that leads to a value inside a document of dicts and lists.
"""

import difflib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from imli.learning.answer import Answer
    from imli.learning.path import RulePath

# --- Exceptions and warnings ---


class UnknownColumnError(ValueError):
    """A column name that the data does not have."""

    @classmethod
    def named(cls, name: str, known: Iterable[str]) -> Self:
        """Return the error for a column name, with the known name that is closest.

        Parameters
        ----------
        name
            The name that is not in the data.
        known
            The names of the columns.
        """
        return cls(f"No column {brief(name)} in the data.{suggest(name, known)}")


class UnreadableColumnError(TypeError):
    """A column that holds something other than numbers, truth values, dates or text."""


class RuleSyntaxError(ValueError):
    """A text that is no literal or rule."""


class InfeasibleError(ValueError):
    """Constraints that no rule meets together; the message names the constraints in conflict."""


class RefusedError(ValueError):
    """A query that a backend cannot answer."""

    @classmethod
    def because(cls, backend: str, reason: str, cure: str) -> Self:
        """Return the error of a backend.

        Parameters
        ----------
        backend
            The name of the backend.
        reason
            The part of the query that the backend cannot handle.
        cure
            A sentence that says what to do.
        """
        return cls(f"Backend {backend!r} cannot handle: {reason}. {cure}")


class SolverError(RuntimeError):
    """A MaxSAT program that failed to run or to return a solution."""


class OutOfTimeError(Exception):
    """A search that the time limit cut short, so that its result is not comparable with others."""


class NotPlainError(ValueError):
    """A parameter of which a model file holds only a description, not the object itself."""


class ModelFileError(ValueError):
    """A document that is not a model, or not one that this version of imli can read.

    The message begins with the place of the error in the document.
    """

    @classmethod
    def of(cls, error: Exception) -> Self:
        """Return an error with the message of another, preceded by its place.

        Parameters
        ----------
        error
            An error raised while a model was read.
        """
        place = write_place(place_of(error))
        return cls(f"At {place}: {error}" if place else str(error))

    def in_file(self, name: str) -> "ModelFileError":
        """Return an error with this message, preceded by the name of a file.

        Parameters
        ----------
        name
            The name of the file.
        """
        sentence = str(self)
        return ModelFileError(f"In {name!r}, a{sentence[1:]}" if sentence[:3] == "At " else f"In {name!r}: {sentence}")


# Both classes below derive from KeyboardInterrupt, which is not an Exception: the user asked to stop.
class Interrupted(KeyboardInterrupt):
    """A search that was stopped with Ctrl-C.

    Attributes
    ----------
    answer
        The best answer found so far.
    """

    def __init__(self, answer: "Answer") -> None:
        super().__init__("stopped by the user")
        self.answer = answer

    def __reduce__(self) -> tuple[type["Interrupted"], tuple["Answer"]]:
        return type(self), (self.answer,)


class PathInterrupted(KeyboardInterrupt):
    """A rule path that was stopped with Ctrl-C.

    Attributes
    ----------
    path
        The rules found so far.
    """

    def __init__(self, path: "RulePath") -> None:
        super().__init__("stopped by the user")
        self.path = path

    def __reduce__(self) -> tuple[type["PathInterrupted"], tuple["RulePath"]]:
        return type(self), (self.path,)


class SurpriseWarning(UserWarning):
    """A surprise in the table or in the learned rule: the base class of the warnings of ``fit``."""


class ConstantRuleWarning(SurpriseWarning):
    """A learned rule that makes one decision for every row."""


class FindingWarning(SurpriseWarning):
    """The findings about the table that are more than remarks; ``findings_`` of the classifier has all of them."""


# --- Parts of messages ---

Place = tuple[str | int, ...]
_AnyError = TypeVar("_AnyError", bound=Exception)

_WIDEST = 80  # characters of a value
_MOST_LISTED = 10


@contextmanager
def at(*place: str | int) -> Iterator[None]:
    """Prefix ``place`` to the place of any ValueError or TypeError raised inside (context manager)."""
    try:
        yield
    except (ValueError, TypeError) as error:
        placed(error, *place)
        raise


def placed(error: _AnyError, *place: str | int) -> _AnyError:
    """Prefix ``place`` to the place of an error, and return the error."""
    error.place = (*place, *place_of(error))  # type: ignore[attr-defined]
    return error


def place_of(error: Exception) -> Place:
    """Return the keys and positions that lead to the refused value, outermost first."""
    found: Place = getattr(error, "place", ())
    return found


def write_place(place: Place) -> str:
    """Return a place as text.

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


def suggest(word: str, known: Iterable[str]) -> str:
    """Return " Did you mean …?" with the known word that is nearest to a misspelled one; empty if none is near.

    A near word differs by at most one slip in three letters, or begins with what was typed.

    >>> suggest("incme", ["age", "income"]), suggest("--fairness", ["--bins"]), suggest("--max-lit", ["--max-literals"])
    (" Did you mean 'income'?", '', " Did you mean '--max-literals'?")
    """
    typed = word.lstrip("-")
    slips = {
        name: 0 if name.lstrip("-").startswith(typed) else _n_slips(typed, name.lstrip("-"))
        for name in difflib.get_close_matches(word, list(known), n=5)
    }
    nearest = min(slips, key=lambda name: slips[name], default=None)
    is_near = nearest is not None and slips[nearest] <= max(1, len(typed) // 3)
    return f" Did you mean {brief(nearest)}?" if is_near else ""


def _n_slips(typed: str, meant: str) -> int:
    """Return the least number of letters to add, drop, replace or swap with the next that makes one word the other."""
    before: list[int] = []
    last = list(range(len(meant) + 1))
    for i, letter in enumerate(typed, 1):
        row = [i]
        for j, other in enumerate(meant, 1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (letter != other)))
            if i > 1 and j > 1 and letter == meant[j - 2] and typed[i - 2] == other:
                row[-1] = min(row[-1], before[j - 2] + 1)
        before, last = last, row
    return last[-1]


def brief(value: Any) -> str:
    """Return the value as Python writes it, cut if it is long or deeply nested.

    >>> print(brief([1, ["two", {"three": 3}]]), brief("a" * 100)[-5:], brief(10**5000))
    [1, ['two', {'three': 3}]] aaa…' a number of 5,001 digits
    """
    text = _write(value, 4)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 2]}…{text[-1]}"


def escaped(text: str, escape: Callable[[str], str] = lambda sign: repr(sign)[1:-1], kept: str = "") -> str:
    r"""Return the text with escapes instead of signs that cannot be seen, move the cursor or turn text around.

    ``kept`` has such signs that stay.

    >>> print(escaped("a\x1b[2Jb\u202ec\n", kept="\n"), end="")
    a\x1b[2Jb\u202ec
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign in kept else escape(sign) for sign in text)


def brief_list(names: Iterable[Any]) -> str:
    """Return the names of fields in alphabetical order, cut after the first ten.

    >>> brief_list({"test": 1, "column": 2})
    'column, test'
    """
    found = sorted(name if isinstance(name, str) and len(name) <= _WIDEST else brief(name) for name in names)
    return ", ".join([*found[:_MOST_LISTED], *(["…"] if len(found) > _MOST_LISTED else [])]) or "nothing"


def _write(value: Any, depth: int) -> str:
    """Return the value as Python writes it, with at most ``depth`` levels of lists and dicts."""
    if isinstance(value, list | tuple | dict):
        open_, close = "[]" if isinstance(value, list) else "()" if isinstance(value, tuple) else "{}"
        if not value or depth == 0:
            return f"{open_}{'…' if value else ''}{close}"
        first = list(value.items() if isinstance(value, dict) else value)[:_MOST_LISTED]
        if isinstance(value, dict):
            parts = [f"{_write(key, 0)}: {_write(part, depth - 1)}" for key, part in first]
        else:
            parts = [_write(part, depth - 1) for part in first]
        end = ", …" if len(value) > len(first) else "," if isinstance(value, tuple) and len(value) == 1 else ""
        return f"{open_}{', '.join(parts)}{end}{close}"
    if isinstance(value, str) and len(value) > _WIDEST:
        return repr(value[:_WIDEST])
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**_WIDEST:
        return f"a number of {_n_digits(abs(value)):,} digits"  # Python refuses to write very long numbers
    return repr(value)


def _n_digits(number: int) -> int:
    digits = int(number.bit_length() * 0.30103)
    return digits + 1 if number >= int(10**digits) else digits


def first_line(error: Exception) -> str:
    """Return the first line of a message, as a sentence."""
    return f"{str(error).partition(chr(10))[0].rstrip('.')}."
