"""How ``Literal.holds`` compares large numbers, for languages that compare integers and floats exactly.

A table has a column of numbers as int64 or as float64. Compared with a float, int64 is rounded to float64; compared
with an integer, float64 stays and the integer is rounded. Below 2^53 rounding changes nothing.
"""

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
