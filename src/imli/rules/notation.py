"""The text of names, values, numbers and cells, in rules and in sentences about rows."""

import json
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from imli.errors import escaped
from imli.table.dates import is_moment, write_moment
from imli.table.frame import Column, Value

if TYPE_CHECKING:
    from imli.rules.literals import Literal

KEYWORDS = frozenset(
    ("if", "then", "else", "and", "or", "not", "is", "missing", "true", "false", "always", "never", "otherwise")
)
_QUOTED = KEYWORDS | {"neither", "nor"}  # these two stand bare in names and values that were printed earlier

_NUMBER = re.compile(r"-?(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LONGEST = 60  # signs of a text


def is_number(text: str) -> bool:
    """Return True if the text is a number as rules write it, with or without commas between thousands."""
    return _NUMBER.fullmatch(text) is not None


def read_number(text: str) -> int | float:
    """Return the number that ``write_number`` wrote or a person typed."""
    plain = text.replace(",", "")
    return int(plain) if re.fullmatch(r"-?[0-9]+", plain) else float(plain)


def write_number(number: int | float) -> str:
    """Return the shortest text that reads back as an equal number.

    >>> write_number(5013.0), write_number(0.1), write_number(-1234567.25), write_number(1e300)
    ('5,013', '0.1', '-1,234,567.25', '1e+300')
    """
    if isinstance(number, float) and number.is_integer() and abs(number) < 1e15:
        number = int(number)
    return f"{number:,}"


def number_length(number: int | float) -> int:
    """Return how much there is to read in a number: four times its digits, without zeros at the ends.

    Of numbers of as many digits, a 1 before zeros is the shortest, then come those that end in 5, and even ones.

    >>> [number_length(number) for number in (0, 1000, 0.5, 20, 30, 25, 24, 19955.686)]
    [0, 4, 5, 6, 7, 9, 10, 34]
    """
    digits = repr(abs(number)).partition("e")[0].replace(".", "").strip("0")
    if digits in ("", "1"):
        return 4 * len(digits)
    return 4 * len(digits) + {"5": 1, "2": 2, "4": 2, "6": 2, "8": 2}.get(digits[-1], 3)


def moment_length(moment: str) -> int:
    """Return how much there is to read in a date: 4 for the start of a year, 8 for that of a month, and so on.

    >>> [moment_length(moment) for moment in ("2024-01-01", "2024-02-01", "2024-02-03", "2024-02-03 10:00")]
    [4, 8, 12, 16]
    """
    day, _, time = moment.partition(" ")
    if not time:
        return 4 if day.endswith("-01-01") else 8 if day.endswith("-01") else 12
    return 16 if time.endswith(":00") and len(time) == 5 else 15 + len(time)


def write_name(name: str) -> str:
    """Return a column's name, bare where it cannot be misread, otherwise between backticks.

    >>> write_name("mean radius"), write_name("a < b"), write_name("42"), write_name("2024-12-31")
    ('mean radius', '`a < b`', '`42`', '`2024-12-31`')
    """
    is_other = is_number(name) or is_moment(name)  # which would be read as the end of a range
    if isinstance(name, Written) or (_is_bare(name, forbidden="<>=") and not is_other):
        return name
    return _in_backticks(_in_quotes(name))


def write_value(value: Value) -> str:
    """Return a category or class as text, bare where it cannot be misread, otherwise between double quotes.

    >>> write_value(">50K"), write_value("3"), write_value(3), write_value("this or that"), write_value(True)
    ('>50K', '"3"', '3', '"this or that"', 'true')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return write_number(value)
    if isinstance(value, Written) or (_is_bare(value) and not is_number(value)):
        return value
    return _in_quotes(value)


def _is_bare(text: str, forbidden: str = "") -> bool:
    """Return True if the text is words between single spaces, none of which the parser could misread."""
    return all(
        word != ""
        and word.isprintable()
        and not any(sign in '(),"`\\' or sign in forbidden for sign in word)
        and word.lower() not in _QUOTED
        for word in text.split(" ")
    )


def _in_quotes(text: str) -> str:
    """Return the text between double quotes, with escapes of signs that cannot be seen or that turn others around."""
    return escaped(json.dumps(text, ensure_ascii=False), lambda sign: json.dumps(sign)[1:-1])


def _in_backticks(quoted: str) -> str:
    return "`" + quoted[1:-1].replace("`", r"\u0060") + "`"


class Written(str):
    """A name or value that already is in its written form."""

    __slots__ = ()


def ascii_name(name: str) -> str:
    """Return the name, in its written form in ASCII if it has other signs.

    >>> print(write_name(ascii_name("größe")), write_name(ascii_name("age")))
    `gr\\u00f6\\u00dfe` age
    """
    return name if name.isascii() else Written(_in_backticks(json.dumps(name)))


def ascii_value(value: Value) -> Value:
    """Return the category or class, in its written form in ASCII if it is a text with other signs."""
    return Written(json.dumps(value)) if isinstance(value, str) and not value.isascii() else value


def read_quoted(text: str) -> str:
    """Return the name or value inside quotes, without escapes."""
    # a double quote between backticks may stand without a backslash
    inner = re.sub(r'\\.|"', lambda found: found[0] if found[0] != '"' else r"\"", text[1:-1])
    return str(json.loads(f'"{inner}"', strict=False))


def listing(items: Iterable[str], last: str = "or") -> str:
    """Join items with commas and, before the last, a word.

    >>> listing(["A"]), listing(["A", "B", "C"])
    ('A', 'A, B or C')
    """
    *first, final = items
    return f"{', '.join(first)} {last} {final}" if first else final


def write_cell(column: Column, row: int, literals: Iterable["Literal"] = ()) -> str:
    """Return the cell of a row as text, long texts cut and long fractions rounded.

    A fraction stays as it is where rounding changes the result of a literal.

    >>> from imli.table.read import as_frame
    >>> column = as_frame({"dose": [0.30471707975, 0.5000000001, None]})["dose"]
    >>> from imli.rules.literals import Compare
    >>> [write_cell(column, row, [Compare("dose", ">", 0.5)]) for row in range(3)]
    ['0.304717', '0.5000000001', 'missing']
    """
    if column.missing[row]:
        return "missing"
    value = column.values[row].item()
    if column.kind == "text":
        return shorten(column.categories[value])
    if column.kind == "date":
        return write_moment(value)
    if column.kind == "flag":
        return "true" if value else "false"
    if isinstance(value, float) and np.isfinite(value):
        short = float(f"{value:.6g}")
        both = Column("", "number", np.array([value, short]), np.zeros(2, dtype=bool))
        if all(len(set(literal.holds(both).tolist())) == 1 for literal in literals):
            value = short
    return write_number(value)


def shorten(text: str, longest: int = _LONGEST) -> str:
    """Return the text, cut if it has more than ``longest`` signs."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
