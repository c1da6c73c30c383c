"""The SQL dialects of DuckDB, SQLite and PostgreSQL: names, values and comparisons that differ."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np

from imli.errors import brief
from imli.exports.conditions import EXACT, Joined, rounded, rounds_cells
from imli.table.dates import read_moment, time_of


class Dialect(ABC):
    """The notation of one engine for names, values and comparisons."""

    title: ClassVar[str]
    quote: ClassVar[str] = '"'
    true: ClassVar[str] = "TRUE"
    false: ClassVar[str] = "FALSE"
    nan: ClassVar[str | None]  # the text of NaN; None where no column can hold it
    nan_as_text: ClassVar[str] = "'NaN'"  # NaN converted to text
    type_of: ClassVar[str] = "typeof"
    text_type: ClassVar[str] = "VARCHAR"
    float_types: ClassVar[tuple[str, ...]] = ()  # the types of columns that can hold NaN
    ignores_case: ClassVar[bool] = True  # True if names that differ only in the case of A to Z are equal
    has_empty_names: ClassVar[bool] = False
    collation: ClassVar[str] = ""  # follows a column that is compared with text

    def check_names(self, names: Iterable[str]) -> None:
        """Raise ValueError for names that no table of this engine can have together."""
        known: dict[bytes, str] = {}
        for name in names:
            self.check_name(name)
            key = name.encode().lower()  # on bytes, lower() changes only A to Z, as the engines do
            if self.ignores_case and known.setdefault(key, name) != name:
                raise ValueError(
                    f"{self.title} does not tell the columns {brief(known[key])} and {brief(name)} apart. Rename one "
                    "of them."
                )

    def check_name(self, name: str) -> None:
        """Raise ValueError for a name that no column of this engine can have."""
        self._check_signs("column", name)
        if not name and not self.has_empty_names:
            raise ValueError(f"{self.title} has no columns with an empty name. Rename the column.")

    def _check_signs(self, what: str, text: str) -> None:
        if "\0" in text:
            raise ValueError(f"The {what} {brief(text)} has a NUL sign, which cannot be written in SQL. Replace it.")
        if any("\ud800" <= sign <= "\udfff" for sign in text):
            raise ValueError(
                f"The {what} {brief(text)} has half a surrogate pair, which is no text in SQL. Replace it."
            )

    def name(self, name: str) -> str:
        """Return a column's name in quotes."""
        return self.quote + name.replace(self.quote, 2 * self.quote) + self.quote

    def text(self, text: str) -> str:
        """Return text in quotes, with line breaks escaped, since files and editors change them."""
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
        """Return the text of exactly this number in double precision."""

    def number(self, number: int | float) -> str:
        """Return the text of a number that columns of numbers are compared with."""
        return self.double(number) if isinstance(number, float) else str(number)

    def comparison(self, name: str, operator: str, number: int | float) -> str:
        """Return the comparison of a column of numbers with a number, with the results of ``Literal.holds``."""
        return f"{name} {operator} {self.number(number)}"

    def date_comparison(self, name: str, operator: str, moment: str) -> str:
        """Return the comparison of a column of dates with a moment."""
        return f"{name} {operator} {'TIMESTAMP' if ':' in moment else 'DATE'} '{moment}'"

    def choice(self, name: str, values: Sequence[str], negated: bool) -> str:
        """Return the test that a column is one of some values, or none of them."""
        if len(values) == 1:
            return f"{name} {'<>' if negated else '='} {values[0]}"
        return f"{name} {'NOT IN' if negated else 'IN'} ({', '.join(values)})"

    def truth(self, name: str, negated: bool, or_nan: bool) -> str:
        """Return the test that a column is true, 1 or, with ``or_nan``, NaN; or none of them."""
        return self.choice(name, ["1", *([self.nan] if or_nan and self.nan else [])], negated)

    def nan_in_any_type(self, name: str, negated: bool) -> Joined:
        """Return the test that a column of any type is NaN, or anything else, such as the text 'NaN'."""
        has_type = self.choice(f"{self.type_of}({name})", self.float_types, negated)
        has_text = self.choice(f"CAST({name} AS {self.text_type})", [self.nan_as_text], negated)
        return Joined("OR" if negated else "AND", (has_type, has_text))


class DuckDB(Dialect):
    """The dialect of DuckDB."""

    title = "DuckDB"
    nan = "'NaN'::DOUBLE"
    nan_as_text = "'nan'"
    float_types = ("'FLOAT'", "'DOUBLE'")

    def double(self, number: int | float) -> str:
        # a number with an exponent is a DOUBLE, one without is a DECIMAL
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
    """The dialect of SQLite."""

    title = "SQLite"
    quote = "`"  # an unknown column between double quotes would be read as text
    true = "1"  # TRUE could be the name of a column
    false = "0"
    nan = None  # NaN is stored as NULL
    has_empty_names = True
    collation = " COLLATE BINARY"

    def _escaped(self, text: str) -> str:
        quoted = "'" + text.replace("'", "''") + "'"
        for sign in "\n\r":
            quoted = quoted.replace(sign, f"' || char({ord(sign)}) || '")
        return f"({quoted})"

    def double(self, number: int | float) -> str:
        number = float(number)
        text = repr(number)
        # SQLite reads the last bits inexactly, so a number halfway to its neighbour is written with more digits
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
        # among the texts of one moment, the shortest is the first in order and the longest the last
        if operator in (">", "<="):
            moment = time_of(read_moment(moment)).isoformat(" ", "microseconds")
        cell = f"replace({name}, 'T', ' ')" if ":" in moment else name
        return f"{cell} {operator} '{moment}'"


class Postgres(Dialect):
    """The dialect of PostgreSQL."""

    title = "PostgreSQL"
    nan = "'NaN'::float8"
    type_of = "pg_typeof"
    text_type = "text"
    float_types = ("'real'", "'double precision'", "'numeric'")
    ignores_case = False

    def check_name(self, name: str) -> None:
        super().check_name(name)
        n_bytes = len(name.encode())
        if n_bytes > 63:
            raise ValueError(
                f"PostgreSQL cuts names after 63 bytes, and {brief(name)} has {n_bytes}. Rename the column."
            )
        if name in ("tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"):
            raise ValueError(f"PostgreSQL keeps the name {brief(name)} for itself. Rename the column.")

    def _is_plain(self, text: str) -> bool:
        # the meaning of a backslash depends on a setting of the server
        return super()._is_plain(text) and "\\" not in text

    def double(self, number: int | float) -> str:
        return f"{number!r}::float8"

    def truth(self, name: str, negated: bool, or_nan: bool) -> str:
        # no other comparison accepts both truth values and numbers
        values = ["'true'", "'1'", *(["'\"NaN\"'"] if or_nan else [])]
        return self.choice(f"to_jsonb({name})", values, negated)


def _is_single(number: int | float) -> bool:
    """Return True if a number is exact in single precision."""
    return abs(number) < 2**127 and float(np.float32(number)) == number


DIALECTS: dict[str, Dialect] = {"duckdb": DuckDB(), "sqlite": SQLite(), "postgres": Postgres()}
