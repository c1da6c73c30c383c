"""How names, values and numbers are written in a rule; ``imli.parsing`` reads the same notation back."""

import json
import re
from collections.abc import Iterable

from imli.table.frame import Value

KEYWORDS = frozenset(
    ("if", "then", "else", "and", "or", "not", "is", "missing", "true", "false", "always", "never", "otherwise")
)

_NUMBER = re.compile(r"-?(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def is_number(text: str) -> bool:
    """Whether the text is a number as rules write it, thousands separated by commas or not."""
    return _NUMBER.fullmatch(text) is not None


def read_number(text: str) -> int | float:
    """The number that ``write_number`` wrote, or that a person typed."""
    plain = text.replace(",", "")
    return int(plain) if re.fullmatch(r"-?[0-9]+", plain) else float(plain)


def write_number(number: int | float) -> str:
    """The shortest text that reads back as the same number.

    >>> write_number(5013.0), write_number(0.1), write_number(-1234567.25), write_number(1e300)
    ('5,013', '0.1', '-1,234,567.25', '1e+300')
    """
    if isinstance(number, float) and number.is_integer() and abs(number) < 1e15:
        number = int(number)
    text = repr(number)
    if "e" in text or "." not in text:
        return f"{number:,}" if isinstance(number, int) else text
    whole, fraction = text.split(".")
    # int() would lose the sign of -0.5
    sign = "-" if whole.startswith("-") else ""
    return f"{sign}{int(whole.lstrip('-')):,}.{fraction}"


def write_name(name: str) -> str:
    """A column's name: bare where it cannot be misread, otherwise between backticks.

    >>> write_name("mean radius"), write_name("a < b"), write_name("42")
    ('mean radius', '`a < b`', '`42`')
    """
    if isinstance(name, Written) or (_is_bare(name, forbidden="<>=") and not is_number(name)):
        return name
    return "`" + json.dumps(name, ensure_ascii=False)[1:-1].replace("`", r"\u0060") + "`"


def write_value(value: Value) -> str:
    """A category or a class label: text bare where it cannot be misread, otherwise between double quotes.

    >>> write_value(">50K"), write_value("3"), write_value(3), write_value("this or that"), write_value(True)
    ('>50K', '"3"', '3', '"this or that"', 'true')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return write_number(value)
    if isinstance(value, Written) or (_is_bare(value) and not is_number(value)):
        return value
    return json.dumps(value, ensure_ascii=False)


class Written(str):
    """A name or value that is already in the form in which it is to be written."""

    __slots__ = ()


def ascii_name(name: str) -> str:
    """The name, or how it is written in ASCII if it has other signs.

    >>> print(write_name(ascii_name("größe")), write_name(ascii_name("age")))
    `gr\\u00f6\\u00dfe` age
    """
    return name if name.isascii() else Written("`" + json.dumps(name)[1:-1].replace("`", r"\u0060") + "`")


def ascii_value(value: Value) -> Value:
    """The same for a category or class label."""
    return Written(json.dumps(value)) if isinstance(value, str) and not value.isascii() else value


def read_quoted(text: str) -> str:
    """The name or value inside its quotes, escapes undone."""
    # a person need not escape a double quote between backticks
    inner = re.sub(r'\\.|"', lambda found: found[0] if found[0] != '"' else r"\"", text[1:-1])
    return str(json.loads(f'"{inner}"', strict=False))


def listing(items: Iterable[str], last: str = "or") -> str:
    """Items as people list them.

    >>> listing(["A"]), listing(["A", "B", "C"])
    ('A', 'A, B or C')
    """
    *first, final = items
    return f"{', '.join(first)} {last} {final}" if first else final


def _is_bare(text: str, forbidden: str = "") -> bool:
    """Whether the text is words separated by single spaces, none of which the parser could take for its own."""
    return all(_is_bare_word(word, forbidden) for word in text.split(" "))


def _is_bare_word(word: str, forbidden: str) -> bool:
    return (
        word != ""
        and word.isprintable()
        and not any(sign in '(),"`\\' or sign in forbidden for sign in word)
        and word.lower() not in KEYWORDS
    )
