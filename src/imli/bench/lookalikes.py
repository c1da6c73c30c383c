"""Look-alikes: tables of any size, drawn from a Bayesian network that was fitted to a small one.

They stand for the BNG data sets, which were made so, and are not them. Numbers are cut into ranges for the network,
and drawn within a range as the small table has them: between the same ends, with as many decimals. A missing cell is a
value of its own.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import numpy as np
import pandas as pd

from imli.arrays import AnyArray, BoolArray, FloatArray, IntArray
from imli.bench.networks import fit
from imli.bench.tables import Table, tidied
from imli.files import new_file

# A number with no more values than this is drawn value by value.
MOST_VALUES = 6
MOST_DECIMALS = 6
# Counted up when the same table and seed give other rows than before.
FORMAT = 1


def make(original: Table, n_rows: int, seed: int = 0) -> Table:
    """So many rows like those of a table. The same seed gives the same rows."""
    _refuse(original)
    chance = np.random.default_rng(seed)
    n_ranges = int(np.clip(round(len(original.y) ** (1 / 3)), 3, MOST_VALUES))
    codings = {name: _coding(original.X[name], n_ranges) for name in original.X}
    codes = [original.y.astype(np.int64), *(coding.codes for coding in codings.values())]
    sizes = [2, *(coding.size for coding in codings.values())]
    labels, *drawn = fit(codes, sizes).sample(n_rows, chance)
    columns = {name: coding.cells(part, chance) for (name, coding), part in zip(codings.items(), drawn, strict=True)}
    return Table(f"lookalike-{original.name}", pd.DataFrame(columns), labels.astype(bool), original.positive)


def make_once(original: Table, n_rows: int, folder: Path, seed: int = 0) -> Table:
    """The same as :func:`make`, read from the folder if it was made there before, else written there for the next time.

    The file's name says what it was made from, so that one of another table, or of an older form, is not read.
    """
    path = folder / f"lookalike-{original.name}-{n_rows}-{seed}-{_mark(original)}.parquet"
    if not path.exists():
        made = make(original, n_rows, seed)
        folder.mkdir(parents=True, exist_ok=True)
        with new_file(path) as unfinished:
            made.X.assign(target=made.y).to_parquet(unfinished)
        return made
    frame = pd.read_parquet(path)
    labels = frame.pop("target").to_numpy(dtype=bool)
    return Table(f"lookalike-{original.name}", tidied(frame), labels, original.positive)


def _mark(original: Table) -> str:
    """A few letters that are others for other rows, and for another FORMAT."""
    lines = pd.util.hash_pandas_object(original.X.assign(target=original.y), index=False).to_numpy()
    names = "\n".join([str(FORMAT), *original.X.columns])
    return sha256(names.encode() + lines.tobytes()).hexdigest()[:8]


def _refuse(original: Table) -> None:
    if not 0 < original.y.sum() < len(original.y):
        raise ValueError(f"The table {original.name!r} has rows of one class only. A look-alike needs rows of both.")
    if original.X.shape[1] < 2:
        raise ValueError(
            f"The table {original.name!r} has fewer than 2 columns besides the labels. A look-alike needs 2 or more."
        )


class _Coding(Protocol):
    """A column as codes, and codes as cells of such a column."""

    @property
    def codes(self) -> IntArray: ...

    @property
    def size(self) -> int: ...

    def cells(self, codes: IntArray, chance: np.random.Generator) -> pd.Series: ...


@dataclass(frozen=True)
class _Values:
    """Cells as they are, each value with a code."""

    codes: IntArray
    values: AnyArray

    @property
    def size(self) -> int:
        return len(self.values)

    def cells(self, codes: IntArray, chance: np.random.Generator) -> pd.Series:  # noqa: ARG002 as in _Ranges
        return pd.Series(self.values[codes], dtype=self.values.dtype)


@dataclass(frozen=True)
class _Ranges:
    """Numbers, each range of them with a code; and one more for missing cells."""

    codes: IntArray
    ordered: FloatArray  # all numbers of the column
    ends: IntArray  # where in there each range ends
    is_integer: bool
    decimals: int | None
    has_missing: bool

    @property
    def size(self) -> int:
        return len(self.ends) + self.has_missing

    def cells(self, codes: IntArray, chance: np.random.Generator) -> pd.Series:
        """Numbers from anywhere between those of the range, more where these are dense."""
        begins = np.concatenate([[0], self.ends[:-1], [0]])
        lengths = np.concatenate([np.diff(self.ends, prepend=0), [1]])
        place = begins[codes] + chance.random(len(codes)) * (lengths[codes] - 1)
        lower = place.astype(np.int64)
        part = place - lower
        numbers = self.ordered[lower] * (1 - part)
        numbers += self.ordered[np.minimum(lower + 1, len(self.ordered) - 1)] * part
        if self.decimals is not None:
            numbers = np.round(numbers, self.decimals)
        if self.is_integer:
            return pd.Series(numbers.astype(np.int64))
        numbers[codes == len(self.ends)] = np.nan
        return pd.Series(numbers)


def _coding(column: pd.Series, n_ranges: int) -> _Coding:
    cells, missing = column.to_numpy(), column.isna().to_numpy()
    known = cells[~missing]
    if cells.dtype == object or cells.dtype == bool or len(np.unique(known)) <= MOST_VALUES:
        return _by_value(cells, missing)
    ordered = np.sort(known.astype(float))
    cuts = np.unique(ordered[np.arange(1, n_ranges) * len(ordered) // n_ranges])
    cuts = cuts[cuts > ordered[0]]
    codes = np.full(len(cells), len(cuts) + 1)
    codes[~missing] = np.searchsorted(cuts, known, side="right")
    ends = np.append(np.searchsorted(ordered, cuts), len(ordered))
    is_integer = cells.dtype.kind == "i"
    return _Ranges(codes, ordered, ends, is_integer, _decimals(ordered), bool(missing.any()))


def _by_value(cells: AnyArray, missing: BoolArray) -> _Values:
    values, codes = np.unique(cells[~missing], return_inverse=True)
    all_codes = np.full(len(cells), len(values))
    all_codes[~missing] = codes
    if missing.any():
        gap = np.array([None if cells.dtype == object else np.nan], dtype=cells.dtype)
        values = np.concatenate([values, gap])
    return _Values(all_codes, values)


def _decimals(numbers: FloatArray) -> int | None:
    """How many decimals are enough to write all of them; None if that is many."""
    return next((n for n in range(MOST_DECIMALS + 1) if (np.round(numbers, n) == numbers).all()), None)
