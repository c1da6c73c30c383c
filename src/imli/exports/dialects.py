"""What SQL engines write, hold and compare differently: DuckDB, SQLite and PostgreSQL, siblings of the same shape."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np

from imli.table.dates import read_moment, time_of

EXACT = 2**53


def rounds_cells(number: int | float) -> bool:
    """Whether an integer in a cell must be rounded to a float before it is compared with this number."""
    # past 2^63 there are no cells that rounding could bring to the other side
    return isinstance(number, float) and EXACT <= abs(number) <= 2**63


def rounded(number: int | float) -> float | None:
    """What a float in a cell is compared with instead of this number; None if with the number itself.

    >>> rounded(2**53), rounded(2**53 + 1)
    (None, 9007199254740992.0)
    """
    return float(number) if isinstance(number, int) and float(number) != number else None


class Joined(NamedTuple):
    """Conditions with the same word between them.

    >>> test = Joined("OR", ("age > 60", "age IS NULL"))
    >>> test.inside("OR"), test.inside("AND")
    ('age > 60 OR age IS NULL', '(age > 60 OR age IS NULL)')
    """

    word: str
    conditions: tuple[str, ...]

    def inside(self, word: str) -> str:
        """As text that can stand among conditions with this word between them."""
        text = f" {self.word} ".join(self.conditions)
        return f"({text})" if len(self.conditions) > 1 and self.word != word else text


def single(condition: str) -> Joined:
    """One condition, which needs no word."""
    return Joined("", (condition,))


def join(word: str, tests: Iterable[Joined]) -> Joined:
    """All tests with the word between them, each condition once."""
    flat: list[str] = []
    for test in tests:
        flat += test.conditions if test.word == word else (test.inside(word),)
    return Joined(word, tuple(dict.fromkeys(flat)))


class Dialect(ABC):
    """How one engine writes names, values and the comparisons that are particular to it."""

    title: ClassVar[str]
    quote: ClassVar[str] = '"'
    true: ClassVar[str] = "TRUE"
    false: ClassVar[str] = "FALSE"
    nan: ClassVar[str | None]  # how NaN is written; None where no column holds it
    nan_as_text: ClassVar[str] = "'NaN'"  # what it is as text, and in columns of which types there can be one
    type_of: ClassVar[str] = "typeof"
    text_type: ClassVar[str] = "VARCHAR"
    float_types: ClassVar[tuple[str, ...]] = ()
    ignores_case: ClassVar[bool] = True  # whether names that differ only in the case of A to Z are the same
    collation: ClassVar[str] = ""  # stands behind a column that is compared with text

    def check_names(self, names: Iterable[str]) -> None:
        """Refuse columns that no table of this engine can have together."""
        known: dict[bytes, str] = {}
        for name in names:
            self.check_name(name)
            key = name.encode().lower()  # of bytes, which changes only A to Z, as the engines do
            if self.ignores_case and known.setdefault(key, name) != name:
                raise ValueError(
                    f"{self.title} does not tell the columns {known[key]!r} and {name!r} apart. Rename one of them."
                )

    def check_name(self, name: str) -> None:
        self._check_signs("column", name)

    def _check_signs(self, what: str, text: str) -> None:
        if "\0" in text:
            raise ValueError(f"The {what} {text!r} has a NUL sign, which cannot be written in SQL. Replace it.")
        if any("\ud800" <= sign <= "\udfff" for sign in text):
            raise ValueError(f"The {what} {text!r} has half a surrogate pair, which is no text in SQL. Replace it.")

    def name(self, name: str) -> str:
        """A column's name, in quotes."""
        return self.quote + name.replace(self.quote, 2 * self.quote) + self.quote

    def text(self, text: str) -> str:
        """Text in quotes. Line breaks are escaped, since files and editors change them."""
        self._check_signs("value", text)
        if not self._is_plain(text):
            return self._escaped(text)
        return "'" + text.replace("'", "''") + "'"

    def _is_plain(self, text: str) -> bool:
        return "\n" not in text and "\r" not in text

    def _escaped(self, text: str) -> str:
        for sign, escape in (("\\", r"\\"), ("'", "''"), ("\n", r"\n"), ("\r", r"\r")):
            text = text.replace(sign, escape)
        return f"E'{text}'"

    @abstractmethod
    def double(self, number: int | float) -> str:
        """A number in double precision, exactly this one."""

    def number(self, number: int | float) -> str:
        """A number that columns of numbers are compared with."""
        return self.double(number) if isinstance(number, float) else str(number)

    def comparison(self, name: str, operator: str, number: int | float) -> str:
        """The comparison of a column of numbers with a number, as ``Literal.holds`` does it."""
        return f"{name} {operator} {self.number(number)}"

    def date_comparison(self, name: str, operator: str, moment: str) -> str:
        return f"{name} {operator} {'TIMESTAMP' if ':' in moment else 'DATE'} '{moment}'"

    def choice(self, name: str, values: Sequence[str], negated: bool) -> str:
        """Whether a column is one of some values, or none of them."""
        if len(values) == 1:
            return f"{name} {'<>' if negated else '='} {values[0]}"
        return f"{name} {'NOT IN' if negated else 'IN'} ({', '.join(values)})"

    def truth(self, name: str, negated: bool, or_nan: bool) -> str:
        """Whether a column of numbers or truth values is true, 1 or, with ``or_nan``, NaN; or none of them."""
        return self.choice(name, ["1", *([self.nan] if or_nan and self.nan else [])], negated)

    def nan_in_any_type(self, name: str, negated: bool) -> Joined:
        """Whether a column of any type holds NaN, or anything else. The text 'NaN' is something else."""
        has_type = self.choice(f"{self.type_of}({name})", self.float_types, negated)
        has_text = self.choice(f"CAST({name} AS {self.text_type})", [self.nan_as_text], negated)
        return Joined("OR" if negated else "AND", (has_type, has_text))


class DuckDB(Dialect):
    title = "DuckDB"
    nan = "'NaN'::DOUBLE"
    nan_as_text = "'nan'"
    float_types = ("'FLOAT'", "'DOUBLE'")

    def check_name(self, name: str) -> None:
        super().check_name(name)
        _refuse_empty(self.title, name)

    def double(self, number: int | float) -> str:
        # with an exponent it is a DOUBLE, without a DECIMAL
        text = repr(number)
        return text if "e" in text else f"{text}e0"

    def number(self, number: int | float) -> str:
        if isinstance(number, float) or abs(number) >= 2**127:  # larger than any HUGEINT
            return self.double(float(number))
        return str(number) if _is_single(number) or abs(number) >= EXACT else self.double(number)

    def comparison(self, name: str, operator: str, number: int | float) -> str:
        compared = super().comparison(name, operator, number)
        if isinstance(number, float) or _is_single(number) or not EXACT <= abs(number) < 2**127:
            return compared
        # BIGINT columns need the number as an integer, with which FLOAT columns are compared in single precision
        as_double = super().comparison(f"CAST({name} AS DOUBLE)", operator, number)
        return f"CASE WHEN typeof({name}) = 'FLOAT' THEN {as_double} ELSE {compared} END"

    def truth(self, name: str, negated: bool, or_nan: bool) -> str:
        # truth values are compared with integers, but not with DOUBLE
        return super().truth(f"CAST({name} AS DOUBLE)" if or_nan else name, negated, or_nan)


class SQLite(Dialect):
    title = "SQLite"
    # between double quotes, an unknown column would be taken for text
    quote = "`"
    # TRUE could be a column
    true = "1"
    false = "0"
    nan = None  # it is stored as NULL
    collation = " COLLATE BINARY"

    def _escaped(self, text: str) -> str:
        quoted = "'" + text.replace("'", "''") + "'"
        for sign in "\n\r":
            quoted = quoted.replace(sign, f"' || char({ord(sign)}) || '")
        return f"({quoted})"

    def double(self, number: int | float) -> str:
        number = float(number)
        text = repr(number)
        # SQLite errs in the last bits, so a number halfway to its neighbour is written with more digits
        is_safe = abs(Fraction(text) - Fraction(number)) < Fraction(math.ulp(number)) * Fraction(9, 20)
        return text if is_safe else f"{number:.17e}"

    def number(self, number: int | float) -> str:
        fits = isinstance(number, int) and -(2**63) <= number < 2**63
        return str(number) if fits else self.double(number)

    def comparison(self, name: str, operator: str, number: int | float) -> str:
        if rounds_cells(number):
            return f"CAST({name} AS REAL) {operator} {self.number(number)}"
        if (nearest := rounded(number)) is not None and -(2**63) <= number < 2**63:
            written = f"CASE typeof({name}) WHEN 'real' THEN {self.double(nearest)} ELSE {number} END"
            return f"{name} {operator} {written}"
        return super().comparison(name, operator, number)

    def date_comparison(self, name: str, operator: str, moment: str) -> str:
        # Of all texts of one moment the shortest is the first in order and the longest the last.
        if operator in (">", "<="):
            moment = time_of(read_moment(moment)).isoformat(" ", "microseconds")
        cell = f"replace({name}, 'T', ' ')" if ":" in moment else name
        return f"{cell} {operator} '{moment}'"


class Postgres(Dialect):
    title = "PostgreSQL"
    nan = "'NaN'::float8"
    type_of = "pg_typeof"
    text_type = "text"
    float_types = ("'real'", "'double precision'", "'numeric'")
    ignores_case = False

    def check_name(self, name: str) -> None:
        super().check_name(name)
        _refuse_empty(self.title, name)
        n_bytes = len(name.encode())
        if n_bytes > 63:
            raise ValueError(f"PostgreSQL cuts names after 63 bytes, and {name!r} has {n_bytes}. Rename the column.")
        if name in ("tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"):
            raise ValueError(f"PostgreSQL keeps the name {name!r} for itself. Rename the column.")

    def _is_plain(self, text: str) -> bool:
        # whether a backslash is just that depends on a setting of the server
        return super()._is_plain(text) and "\\" not in text

    def double(self, number: int | float) -> str:
        return f"{number!r}::float8"

    def truth(self, name: str, negated: bool, or_nan: bool) -> str:
        # no other comparison takes truth values as well as numbers
        values = ["'true'", "'1'", *(["'\"NaN\"'"] if or_nan else [])]
        return self.choice(f"to_jsonb({name})", values, negated)


def _is_single(number: int | float) -> bool:
    """Whether a number is the same in single precision."""
    return abs(number) < 2**127 and float(np.float32(number)) == number


def _refuse_empty(title: str, name: str) -> None:
    if not name:
        raise ValueError(f"{title} has no columns with an empty name. Rename the column.")


DIALECTS: dict[str, Dialect] = {"duckdb": DuckDB(), "sqlite": SQLite(), "postgres": Postgres()}
