"""Numbers, shares and dates as text for a report, with spaces that keep a number and its unit on one line."""

from datetime import datetime

from imli.rules.text import write_rows

_SPACE = "\u00a0"  # no line break
# Not by strftime, whose names depend on the language of the machine.
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def percent(share: float, digits: int = 1) -> str:
    """Write a share in percent: 100 % only if it is 1, 0 % only if it is 0.

    >>> [percent(share) for share in (0, 0.0001, 0.6274, 0.99999, 1)]
    ['0\\xa0%', '0.1\\xa0%', '62.7\\xa0%', '99.9\\xa0%', '100\\xa0%']
    """
    if share <= 0 or share >= 1:
        return f"{0 if share <= 0 else 100}{_SPACE}%"
    least = 10.0**-digits
    return f"{min(max(100 * share, least), 100 - least):.{digits}f}{_SPACE}%"


def plus_minus(error: float) -> str:
    """Write a standard error in percentage points.

    >>> plus_minus(0.0123)
    '±\\xa01.2'
    """
    return f"±{_SPACE}{100 * error:.1f}"


def rows(number: float) -> str:
    """Write a number of rows with its noun."""
    return write_rows(number).replace(" ", _SPACE)


def number_of(amount: int, noun: str) -> str:
    """Write a number with its noun.

    >>> number_of(1, "clause"), number_of(1200, "column")
    ('1\\xa0clause', '1,200\\xa0columns')
    """
    return f"{amount:,}{_SPACE}{noun}{'' if amount == 1 else 's'}"


def day(moment: str) -> str:
    """Write the day of a time in UTC.

    >>> day("2026-11-06T10:35:58Z")
    '6\\xa0November\\xa02026'
    """
    time = datetime.fromisoformat(moment)
    return f"{time.day}{_SPACE}{_MONTHS[time.month - 1]}{_SPACE}{time.year}"
