"""Hashes of columns and rows, which depend on the cells alone and not on the library that holds them."""

from collections.abc import Iterable
from hashlib import sha256  # measured: several times as fast as blake2b on processors with SHA instructions
from typing import Any

import numpy as np

from imli.table.frame import AnyArray, Column, FloatArray, Value
from imli.table.statistics import count_codes


def hash_rows(
    names: tuple[str, ...],
    hashes: Iterable[bytes],
    classes: tuple[Value, ...],
    positions: AnyArray,
    weights: FloatArray,
) -> str:
    """Return the SHA-256 hash, in hexadecimal, of columns with these names and hashes, of labels and weights."""
    hashed = sha256()
    hashed.update(repr((len(positions), names, classes)).encode(errors="backslashreplace"))
    for column_hash in hashes:
        hashed.update(column_hash)
    hashed.update(_packed(positions.astype(np.int64)).data)
    if (weights != 1).any():
        hashed.update(_packed(weights).data)
    return hashed.hexdigest()


def hash_column(column: Column) -> bytes:
    """Return the SHA-256 hash of the cells of a column."""
    values: Any = column.values
    categories = column.categories
    if column.kind == "text":
        seen = count_codes(column) > 0
        if not seen.all():  # rows were left out after the column was read
            values = np.append(np.cumsum(seen) - 1, -1)[values]
            categories = tuple(category for category, is_seen in zip(categories, seen, strict=True) if is_seen)
    hashed = sha256(repr((column.kind, values.dtype.kind, categories)).encode(errors="backslashreplace"))
    if column.missing.any():
        hashed.update(np.packbits(column.missing).data)
        values = np.where(column.missing, values.dtype.type(0), values)  # the value under a missing cell is arbitrary
    hashed.update(_packed(values).data)
    return hashed.digest()


def _packed(values: Any) -> Any:
    """Return the values in as few bytes as they need, contiguous and in little-endian order."""
    if values.dtype == bool:
        return np.packbits(values)
    if values.dtype.kind == "i" and len(values):
        least, most = int(values.min()), int(values.max())
        small = next(size for size in (1, 2, 4, 8) if -(1 << 8 * size - 1) <= least and most < 1 << 8 * size - 1)
        return np.ascontiguousarray(values.astype(f"<i{small}", copy=False))
    return np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"), copy=False))
