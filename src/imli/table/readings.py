"""Readings: how the text of cells becomes numbers and dates, for all the ways in which people write them.

A cell without the values of its digits is its shape: ``$1.234,50`` has the shape ``$0.000,00``. A column has few
shapes, so each is judged once, whatever the number of cells. Two zeros tell more than other digits, and have signs
of their own: one before another digit at the beginning, as in codes, and one alone before a point or a comma.
"""

import re
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from imli.table.dates import moment_of
from imli.table.frame import ColumnKind

# Always missing: first those that need no remark, then those that are mentioned.
PLAIN_MISSING = ("NA", "NaN", "nan", "null", "None")
MISSING = ("?", "n/a", "N/A", "n.a.", "N.A.", "#N/A", "#NA", "<NA>", "NULL", "Null", "(null)", "NaT", "NAN", "-nan",
           "\\N", "#VALUE!", "#DIV/0!", "#REF!", "#NUM!", "#NAME?", "#NULL!")  # fmt: skip
# Missing among numbers and dates, and among words only beside categories that are words.
MISSING_SIGNS = ("-", "--", "---", ".", "..", "...", "…", "–", "—", "*", "**", "_", "/")
# Missing among numbers and dates, in lower case; among words they are categories.
_WORDS = """unknown, missing, none, nil, na, n.d., nd, tbd, tba, tbc, undefined, unk, empty, blank, nothing,
unspecified, invalid, error, unavailable, not available, not applicable, not known, not recorded, not measured, no data,
no value, no answer, unbekannt, fehlt, k.a., k. a., keine angabe, nicht bekannt, inconnu, non disponible, desconocido,
no aplica, sin datos, x, xx, xxx, #"""
MISSING_WORDS = frozenset(re.split(r",\s", _WORDS))
FLAGS = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False, "y": True, "n": False,
         "t": True, "f": False, "ja": True, "nein": False, "j": True, "oui": True, "non": False, "si": True, "sí": True,
         "on": True, "off": False, "wahr": True, "falsch": False, "vrai": True, "faux": False}  # fmt: skip
FLAG_PAIRS = tuple(map(frozenset, (("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"), ("ja", "nein"), ("j", "n"),
                                   ("oui", "non"), ("si", "no"), ("sí", "no"), ("on", "off"), ("wahr", "falsch"),
                                   ("vrai", "faux"))))  # fmt: skip

CODE_ZERO, LONE_ZERO = "\x01", "\x02"
Format = tuple[str, str]  # decimal sign and thousands separator
FORMATS: tuple[Format, ...] = tuple((point, group) for point, other in (".,", ",.") for group in ("", other, " ", "'"))


@dataclass(frozen=True)
class Reading:
    """How the cells of a column become values.

    ``order`` is that of day and month in dates, "dmy" or "mdy", or a format as ``strptime`` takes it. ``unit`` is what
    stands beside each number and is left out. ``missing`` has texts that are missing in this column, besides those that
    are missing in all. A reading that ``is_strict`` refuses other cells that it cannot read; else they are missing.
    """

    kind: ColumnKind
    is_whole: bool = False
    decimal: str = "."
    thousands: str = ""
    order: str = ""
    unit: str = ""
    missing: tuple[str, ...] = ()
    is_strict: bool = True

    @property
    def format(self) -> Format:
        """Return the decimal sign and the thousands separator."""
        return self.decimal, self.thousands

    @property
    def in_words(self) -> str:
        """Return what differs from cells as programs write them, "" if nothing does.

        >>> Reading("number", False, ",", ".", "", "€", ("?",)).in_words
        "decimal comma, '.' between thousands, in €, '?' is missing"
        """
        found = ["decimal comma"] if self.decimal == "," else []
        found += [f"{self.thousands!r} between thousands"] if self.thousands else []
        found += [f"in {self.unit}"] if self.unit else []
        if self.kind == "date" and self.order != "ymd":
            found.append({"dmy": "day first", "mdy": "month first"}.get(self.order, self.order))
        if self.missing:
            shown = [repr(text) for text in self.missing[:_FEW_WORDS]]
            more = ", …" if len(self.missing) > _FEW_WORDS else ""
            found.append(f"{', '.join(shown)}{more} {'is' if len(self.missing) == 1 else 'are'} missing")
        return ", ".join(filter(None, found))

    def to_dict(self) -> dict[str, Any]:
        """Return a dict of plain values, without those that are the default."""
        found = {part.name: getattr(self, part.name) for part in fields(self) if part.name in REMEMBERED}
        plain = Reading(self.kind)
        known = {name: value for name, value in found.items() if value != getattr(plain, name)}
        return known | ({"missing": list(self.missing)} if self.missing else {})


_FEW_WORDS = 3  # for missing cells, in words
REMEMBERED = ("decimal", "thousands", "order", "unit", "missing")  # in a model, beside the kind

_CODES = re.split(r"\s", """USD EUR GBP CHF JPY CNY RMB INR AUD CAD NZD SEK NOK DKK PLN CZK HUF RUB TRY BRL MXN ZAR
KRW SGD HKD THB IDR MYR ILS AED SAR UAH RON BGN""")  # fmt: skip
_SIGNS = [
    "US$",
    "A$",
    "C$",
    "R$",
    "NZ$",
    "HK$",
    *"$€£¥₹₽₩₺₪฿₫₴₱¢",
    "zł",
    "Kč",
    "kr",
    "kr.",
    "Ft",
    "Fr.",
    "Rs.",
    "Rs",
    "Euro",
]
_CURRENCY = "|".join(re.escape(sign) for sign in sorted([*_CODES, *_SIGNS], key=len, reverse=True))
_SPACE = "[ \u00a0\u202f\u2009]"
_MINUS = "[-\u2212\u2013]"
_NUMBER_SHAPE = re.compile(
    rf"(?P<open>\()?{_SPACE}*(?P<minus>{_MINUS}|\+)?{_SPACE}*(?:(?P<before>{_CURRENCY}){_SPACE}*)?(?P<inner>{_MINUS})?"
    rf"(?P<core>[0{LONE_ZERO}.,](?:[0.,'’]|{_SPACE}(?=0))*(?:(?<=[0.])[eE][+-]?0+)?)"
    rf"(?:{_SPACE}*(?P<after>{_CURRENCY}|%|‰|[^\W\d_]+[²³]?(?:/[^\W\d_]+[²³]?)?|°[CF]?))?{_SPACE}*(?P<behind>{_MINUS})?"
    rf"{_SPACE}*(?P<close>\))?"
)
_INFINITE = re.compile(r"[+-]?inf", re.IGNORECASE)
_SPACES = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "’": "'"})


def _pattern(decimal: str, group: str) -> re.Pattern[str]:
    grouped = f"|0{{1,3}}(?:{group}000)+" if group else ""
    if group == ",":
        grouped += "|0{1,2}(?:,00)+,000"  # as in India
    point = re.escape(decimal)
    return re.compile(rf"(?:{LONE_ZERO}|0+{grouped})(?:{point}0*)?(?:[eE][+-]?0+)?|{point}0+(?:[eE][+-]?0+)?")


_PATTERNS = {form: _pattern(form[0], re.escape(form[1])) for form in FORMATS}


@dataclass(frozen=True)
class NumberShape:
    """What the shape of a number says: where its digits are, in bytes, its sign and unit, and which formats fit."""

    start: int
    end: int
    is_negative: bool
    unit: str
    core: str
    formats: frozenset[Format]

    def is_written_oddly(self, shape: str, decimal: str) -> bool:
        """Return True if people write numbers of this shape, but programs do not."""
        has_minus = self.is_negative and not shape.startswith("-")
        return (
            bool(self.unit) or has_minus or bool(set(self.core) & set(", '")) or (decimal == "," and "." in self.core)
        )

    def is_whole(self, decimal: str) -> bool:
        """Return True if it has no fraction, and no more digits than a whole number that rules hold exactly."""
        return decimal not in self.core and self.core.count("0") <= 18 and "e" not in self.core.lower()


@lru_cache(maxsize=10_000)
def number_shape(shape: str) -> NumberShape | None:
    """Return what the shape of a cell says about a number, or None if it is none.

    >>> number_shape("($0.000,00)").unit, sorted(number_shape("0.000 kg").formats)[0]
    ('$', (',', '.'))
    """
    found = _NUMBER_SHAPE.fullmatch(shape.replace(CODE_ZERO, "0"))
    if found is None or bool(found["open"]) != bool(found["close"]):
        return None
    signs = [found[name] for name in ("open", "minus", "inner", "behind") if found[name]]
    if len(signs) > 1 or (found["before"] and found["after"]):
        return None
    core = found["core"].translate(_SPACES)
    formats = frozenset(form for form, pattern in _PATTERNS.items() if pattern.fullmatch(core))
    if not formats:
        return None
    start, end = (len(shape[:place].encode()) for place in found.span("core"))
    unit = found["before"] or found["after"] or ""
    if not is_currency(unit):
        unit = unit.lower().removesuffix("s") or unit.lower()  # years are a year
    return NumberShape(start, end, bool(signs) and signs[0] != "+", unit, core, formats)


def is_infinite(shape: str) -> bool:
    """Return True for the text of an infinite number."""
    return _INFINITE.fullmatch(shape) is not None


def has_digits(text: str) -> bool:
    """Return True for a text of missing cells that has digits, so that its shape may be that of other cells."""
    return text not in MISSING and any("0" <= sign <= "9" for sign in text)


def is_currency(unit: str) -> bool:
    """Return True for the sign or code of a currency."""
    return unit in _CODES or unit in _SIGNS


def is_unit(unit: str) -> bool:
    """Return True for what may be a unit; a letter alone is more often part of a code."""
    return is_currency(unit) or len(unit) > 1 or unit in "%‰kmglhst"


_MONTHS = {
    name: number
    for number, names in enumerate(
        ("jan january januar janvier januari enero ene gennaio gen janeiro",
         "feb february februar février fév februari febrero febbraio fevereiro fev",
         "mar march märz mär maerz mrz mars maart marzo março", "apr april avril avr abril abr aprile",
         "may mai mei mayo maggio mag maio", "jun june juni juin junio giugno giu junho",
         "jul july juli juillet julio luglio lug julho", "aug august août augustus agosto ago",
         "sep sept september septembre septiembre settembre setembro set",
         "oct october okt oktober octobre octubre ottobre ott outubro out", "nov november novembre noviembre novembro",
         "dec december dez dezember décembre déc diciembre dic dicembre dezembro"),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
MONTH = "(?i:" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_WEEKDAY = r"(?:(?i:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|mo|di|mi|do|fr|sa|so)[a-z]*[.,]*\s+)?"
_DAY_SHAPES = (
    r"0{1,4}(?P<sign>[-/.])0{1,2}(?P=sign)\s?0{1,4}",
    rf"0{{1,2}}(?:st|nd|rd|th|er|º|\.)?[-/ ]*(?:de |di )?{MONTH}(?: del?)?[-/, ]*(?:0000|00)",
    rf"{MONTH}[-/ ]*0{{1,2}}(?:st|nd|rd|th)?(?:,|[-/ ])\s*(?:0000|00)",
    rf"0000[-/ ]*{MONTH}[-/ ]*0{{1,2}}",
    r"0000[-/]0{2}|0{1,2}[-/]0000",
    rf"{MONTH}[-/, ]*0000|0000[-/ ]*{MONTH}",
    r"00000000",
)
# Hours from UTC; other names, such as IST, have several meanings.
_ZONES = {"Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "MEZ": 1, "CEST": 2, "MESZ": 2, "EET": 2,
          "EEST": 3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8,
          "PDT": -7}  # fmt: skip
_ZONE_NAMES = "|".join(sorted(_ZONES, key=len, reverse=True))
_ZONE = f"(?P<zone>{_ZONE_NAMES}|[+-]00:?(?:00)?)"
_DATE_SHAPE = re.compile(
    rf"{_WEEKDAY}(?P<day>{'|'.join(f'(?:{shape})' for shape in _DAY_SHAPES)})(?:(?:\s*[ T]\s*|,\s*)"
    rf"(?P<clock>0{{1,2}}:00(?::00(?:[.,]0{{1,9}})?)?\s?(?:[AaPp]\.?[Mm]\.?)?\s?{_ZONE}?|0{{4}}(?:00)?Z?))?"
)


@dataclass(frozen=True)
class DateShape:
    """Where the day and the time of day are in cells of a shape, in signs; there may be no time of day."""

    day: tuple[int, int]
    clock: tuple[int, int]
    has_zone: bool
    is_plain: bool  # as rules write dates


@lru_cache(maxsize=10_000)
def date_shape(shape: str) -> DateShape | None:
    """Return where a cell of this shape has a date, or None if it has none."""
    found = _DATE_SHAPE.fullmatch(shape.replace(CODE_ZERO, "0").replace(LONE_ZERO, "0"))
    if found is None:
        return None
    return DateShape(found.span("day"), found.span("clock"), found["zone"] is not None, found["day"] == "0000-00-00")


_PARTS = re.compile(r"[0-9]+|[^\W\d_]+")
_NO_MONTHS = ("st", "nd", "rd", "th", "er", "º", "de", "del", "di")
_CENTURY = 69  # two digits of a year from here on are of the 20th century, as for POSIX


def read_day(text: str, order: str) -> int:
    """Return the start of a day in microseconds since 1970, or raise a ValueError.

    >>> read_day("16.11.2023", "dmy") == read_day("11/16/23", "mdy") == read_day("Nov 16, 2023", "dmy")
    True
    """
    words = [part for part in _PARTS.findall(text) if part not in _NO_MONTHS]
    named = [place for place, word in enumerate(words) if not word.isdigit()]
    if named:
        (place,) = named
        month = _MONTHS[words.pop(place).lower()]
        if len(words) == 1:
            return _moment(words[0], month, 1)
        year, day = words if len(words[0]) == 4 else reversed(words)
        return _moment(year, month, int(day))
    if len(words) == 1:
        (digits,) = words
        return _moment(digits[:4], int(digits[4:6]), int(digits[6:]))
    if len(words) == 2:
        year, month_text = words if len(words[0]) == 4 else reversed(words)
        return _moment(year, int(month_text), 1)
    first, second, third = words
    if len(first) == 4 or order == "ymd":
        return _moment(first, int(second), int(third))
    day, month_text = (first, second) if order == "dmy" else (second, first)
    return _moment(third, int(month_text), int(day))


def _moment(year: str, month: int, day: int) -> int:
    if len(year) not in (2, 4):
        raise ValueError(f"The year {year} has neither two nor four digits.")
    number = int(year)
    if len(year) == 2:
        number += 1900 if number >= _CENTURY else 2000
    return moment_of(datetime(number, month, day))


_CLOCK = re.compile(
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<part>[0-9]{1,9}))?)?\s?"
    rf"(?P<half>[AaPp])?(?:\.?[Mm]\.?)?\s?(?:(?P<zone>{_ZONE_NAMES})|(?P<sign>[+-])(?P<far>[0-9]{{2}}):?(?P<rest>[0-9]{{2}})?)?"
)


def read_clock(text: str) -> int:
    """Return the time of day in microseconds, moved to UTC where the text has an offset, or raise a ValueError.

    >>> read_clock("1:30 PM") == read_clock("13:30") == read_clock("15:30+02:00")
    True
    """
    if ":" not in text:  # 100000
        digits = text.rstrip("Z")
        text = ":".join(digits[place : place + 2] for place in range(0, len(digits), 2))
    found = _CLOCK.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no time of day.")
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    if found["half"]:
        if not 1 <= hour <= 12:
            raise ValueError(f"{text!r} is no time of day.")
        hour = hour % 12 + (12 if found["half"] in "pP" else 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(f"{text!r} is no time of day.")
    far = timedelta(hours=int(found["far"] or 0), minutes=int(found["rest"] or 0)) * (-1 if found["sign"] == "-" else 1)
    far += timedelta(hours=_ZONES[found["zone"] or "UTC"])
    time = timedelta(hours=hour, minutes=minute, seconds=second) - far
    return time // timedelta(microseconds=1) + int(((found["part"] or "") + "000000")[:6])


def read_formatted(text: str, form: str) -> int:
    """Return the moment of a text by a format as ``strptime`` takes it, or raise a ValueError."""
    return moment_of(datetime.strptime(text, form))
