"""Moments: dates and times as whole microseconds since 1970, and the text that rules have for them."""

import re
from collections.abc import Iterator
from datetime import MAXYEAR, UTC, date, datetime, timedelta

from imli.errors import brief

_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?")
_ORIGIN = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
EARLIEST = (datetime.min - _ORIGIN) // _MICROSECOND
LATEST = (datetime.max - _ORIGIN) // _MICROSECOND


def is_moment(text: str) -> bool:
    """Return True if the text is a date, or a date and a time of day, as rules write them."""
    return _MOMENT.fullmatch(text) is not None


def read_moment(text: str) -> int:
    """Return the moment that a text stands for, in microseconds since 1970.

    >>> read_moment("1970-01-02"), read_moment("1970-01-01 00:01")
    (86400000000, 60000000)
    """
    if not is_moment(text):
        raise ValueError(f"A date is written like 2024-12-31 or 2024-12-31 23:59. Got {brief(text)}.")
    try:
        return (datetime.fromisoformat(text) - _ORIGIN) // _MICROSECOND
    except ValueError:
        raise ValueError(f"There is no date {brief(text)}.") from None


def write_moment(moment: int) -> str:
    """Return the shortest text that ``read_moment`` reads as this moment.

    >>> write_moment(86400000000), write_moment(60000000)
    ('1970-01-02', '1970-01-01 00:01')
    """
    day, _, time = time_of(moment).isoformat(" ").partition(" ")
    if time == "00:00:00":
        return day
    return f"{day} {time.removesuffix(':00') if time.count(':') == 2 and '.' not in time else time.rstrip('0')}"


def time_of(moment: int) -> datetime:
    """Return the moment as a ``datetime``."""
    return _ORIGIN + moment * _MICROSECOND


def moment_of(value: date) -> int:
    """Return a date or time as microseconds since 1970; one with a time zone is converted to UTC."""
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    return (value - _ORIGIN) // _MICROSECOND


def short_moment(low: int, high: int, near: int | None = None) -> int:
    """Return the roundest moment in low < moment <= high: the start of a year if there is one, else of a month, ….

    Among several equally round moments, return the one nearest to ``near`` (default: ``high``).

    >>> write_moment(short_moment(read_moment("2019-11-30"), read_moment("2021-02-03")))
    '2021-01-01'
    >>> write_moment(short_moment(read_moment("2021-01-30"), read_moment("2021-02-03")))
    '2021-02-01'
    """
    centre = high if near is None else near
    for starts in _starts_around(time_of(centre)):
        moments = [(start - _ORIGIN) // _MICROSECOND for start in starts]
        if found := [moment for moment in moments if low < moment <= high]:
            return min(found, key=lambda moment: abs(moment - centre))
    return high


def _starts_around(time: datetime) -> Iterator[tuple[datetime, ...]]:
    """Yield the starts before and after ``time`` of its year, month, day, hour, minute and second."""
    year, month = time.year, time.month
    following = year + month // 12, month % 12 + 1
    yield datetime(year, 1, 1), datetime(min(year + 1, MAXYEAR), 1, 1)
    yield datetime(year, month, 1), datetime(min(following[0], MAXYEAR), following[1], 1)
    for part in (timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)):
        start = time - (time - datetime.min) % part
        yield (start, start + part) if start <= datetime.max - part else (start,)
