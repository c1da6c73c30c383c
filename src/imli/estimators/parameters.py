"""Checks of parameters: what is wrong, with the value, and what is allowed."""

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import cpu_count, effective_n_jobs

from imli.binarize import Binning


def require_integer(owner: str, name: str, value: Any, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        allowed = "a positive integer" if least == 1 else f"an integer of at least {least}"
        raise ValueError(f"{owner}: {name} must be {allowed}. Got {value!r}.")
    return int(value)


def require_number(
    owner: str, name: str, value: Any, positive: bool = False, also: str = "", infinite: bool = False
) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, Real)
        or not (math.isfinite(value) or (infinite and value == math.inf))
        or value < 0
        or (positive and value == 0)
    ):
        allowed = "a positive number" if positive else "a number of at least 0"
        raise ValueError(f"{owner}: {name} must be {allowed}{also}. Got {value!r}.")
    return float(value)


def auto_lam(weight: float, stand_for: float = 1.0) -> float:
    """How many errors a literal must save where nobody says: 0.8 for each time that the rows double beyond 32, and from
    about 5,000 rows on a twelfth of their square root.

    The more rows there are, the more errors a literal saves that only chance makes look good: a twelfth of the root is
    a quarter of the standard error of the number of errors, if one row in eight is decided wrongly. As
    `imli-bench measure defaults` shows, smaller values are hardly more accurate, and make rules twice as long. Where
    each row stands for several that were forgotten, chance counts for more, by the square root of their number.
    """
    n_rows = max(1.0, weight)
    lam = max(1.0, 0.8 * (math.log2(n_rows) - 5), math.sqrt(n_rows) / 12)
    return round(lam * math.sqrt(stand_for), 1)


def count_threads(n_jobs: Any) -> int:
    """How many threads to use: all cores if nothing is said, but inside joblib's workers only this one's share.

    A back end may have workers on other machines, whose cores are not for threads of this one.
    """
    asked = int(effective_n_jobs(-1 if n_jobs is None else n_jobs))
    return int(min(asked, max(cpu_count(), n_jobs or 1)))


def require_choice(owner: str, name: str, value: Any, *choices: Any) -> None:
    if value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{owner}: {name} must be one of {listed}. Got {value!r}.")


def require_flag(owner: str, name: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{owner}: {name} must be True or False. Got {value!r}.")
    return bool(value)


def require_mapping(owner: str, name: str, value: Any) -> Mapping[Any, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f"{owner}: {name} must be a dict. Got {value!r}.")
    return value


def read_binning(owner: str, bins: Any, binning: Any, intervals: Any, negations: Any = True) -> Binning:
    require_choice(owner, "binning", binning, "quantile", "uniform", "supervised")
    require_choice(owner, "intervals", intervals, "open", "closed")
    return Binning(
        require_integer(owner, "bins", bins, least=2), binning, intervals, require_flag(owner, "negations", negations)
    )
