"""The default of λ, the errors that a literal must save."""

import math


def auto_lam(weight: float, stand_for: float = 1.0) -> float:
    """Return the default λ: 0.8 for each doubling of the rows beyond 32, from 5,000 rows on a twelfth of their root.

    The more rows there are, the more errors a literal saves by chance: a twelfth of the root is a quarter of the
    standard error of the number of errors, if one row in eight is decided wrongly. As `imli-bench measure defaults`
    shows, smaller values are hardly more accurate, and make rules twice as long. Where each row stands for several that
    were dropped, chance counts for more, by the square root of their number.
    """
    n_rows = max(1.0, weight)
    lam = max(1.0, 0.8 * (math.log2(n_rows) - 5), math.sqrt(n_rows) / 12)
    return round(lam * math.sqrt(stand_for), 1)
