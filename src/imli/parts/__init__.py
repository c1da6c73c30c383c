"""Rows that are not all at hand: what a search needs to know of them, as sums over parts."""

from imli.parts.core import MOST_ROWS, Core, core_of

__all__ = ["MOST_ROWS", "Core", "core_of"]
