"""Tables that are drawn by chance: planted problems, whose rule is known, and look-alikes of small tables.

The labels of a planted problem come from a rule that is written down here. Where there is noise, a part of the labels
is turned around, so the accuracy of the rule is 1 less that part, and no model does better on unseen rows.
"""

from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from imli import parse_rule

from imli_bench.internals import new_file

BoolArray = npt.NDArray[np.bool_]

_DNF = """
IF    number 0 > 2 AND integer 0 <= 3
   OR number 1 <= -0.5 AND category 0 is value 1
   OR flag 0 AND number 3 > 1
THEN  true
ELSE  false
"""
_CNF = """
IF    (number 0 > 1 OR flag 1)
  AND (integer 1 <= 20 OR category 1 is value 2)
  AND (number 1 <= 1 OR integer 3 > 30)
THEN  true
ELSE  false
"""
_LIST = """
IF      flag 0 AND number 1 > 0.5  THEN false
ELSE IF number 0 > 2               THEN true
ELSE IF category 2 is value 3      THEN false
ELSE IF integer 2 <= 16            THEN true
ELSE                                    false
"""
_SET = """
IF number 0 > 2 AND flag 1 is false    THEN true
IF category 0 is value 1 AND integer 1 > 13 THEN true
IF number 0 <= 2 AND category 0 is not value 1 AND flag 2 THEN true
OTHERWISE false
"""

# The rule of each planted problem, and which part of the labels is turned around.
PLANTED = {
    "planted-dnf": (_DNF, 0.0),
    "planted-cnf": (_CNF, 0.0),
    "planted-list": (_LIST, 0.0),
    "planted-set": (_SET, 0.0),
    "planted-noise": (_DNF, 0.1),
}


def draw_planted(name: str, n_rows: int, seed: int = 0) -> tuple[pd.DataFrame, BoolArray, Any]:
    """Return so many rows of a planted problem, their labels, and the rule that made these.

    >>> X, y, rule = draw_planted("planted-noise", 1000)
    >>> print(rule)
    IF    number 0 > 2 AND integer 0 <= 3
       OR number 1 <= -0.5 AND category 0 is value 1
       OR flag 0 AND number 3 > 1
    THEN  true
    ELSE  false
    >>> float((rule.predict(X) == y).mean())
    0.9
    """
    text, noise = PLANTED[name]
    chance = np.random.default_rng(seed)
    X, rule = draw_mixed(n_rows, chance), parse_rule(text)
    y = rule.predict(X).astype(bool)
    # as many as there should be, not each by chance, so that the rule's accuracy on the table is known to one row
    y[chance.choice(n_rows, round(noise * n_rows), replace=False)] ^= True
    return X, y, rule


def draw_mixed(n_rows: int, chance: np.random.Generator) -> pd.DataFrame:
    """Return twenty columns of numbers, integers, categories and truth values."""
    columns: dict[str, object] = {}
    for i in range(6):
        columns[f"number {i}"] = chance.normal(size=n_rows) if i % 2 else chance.gamma(2.0, size=n_rows)
    for i in range(4):
        columns[f"integer {i}"] = chance.integers(0, 8 + 20 * i, n_rows)
    for i in range(6):
        names = np.array([f"value {code}" for code in range(4 + i)], dtype=object)
        columns[f"category {i}"] = pd.Series(names[chance.integers(0, len(names), n_rows)], dtype=object)
    for i in range(4):
        columns[f"flag {i}"] = chance.random(n_rows) < 0.3
    return pd.DataFrame(columns)


# A cell of a look-alike comes, with this chance, from another row of the class than the rest of its row.
FOREIGN = 0.25


def draw_lookalike(X: pd.DataFrame, y: BoolArray, n_rows: int, seed: int = 0) -> tuple[pd.DataFrame, BoolArray]:
    """Return so many rows like those of a table, with classes in the same shares.

    Each row is one of the table, drawn with replacement, of which some cells come from other rows of the class. Numbers
    are moved towards the next larger one of their column, and keep the number of decimals and the type of the column.
    """
    chance = np.random.default_rng(seed)
    rows = chance.integers(0, len(y), n_rows)
    by_class = [np.flatnonzero(y == label) for label in (False, True)]
    starts, lengths = np.array([0, len(by_class[0])]), np.array([len(each) for each in by_class])
    of_class, labels = np.concatenate(by_class), y[rows].astype(int)
    columns = {}
    for name in X:
        others = of_class[starts[labels] + (chance.random(n_rows) * lengths[labels]).astype(int)]
        cells = X[name].to_numpy()[np.where(chance.random(n_rows) < FOREIGN, others, rows)]
        columns[name] = pd.Series(_moved(cells, chance), dtype=X[name].dtype)
    return pd.DataFrame(columns), y[rows]


def _moved(cells: npt.NDArray[Any], chance: np.random.Generator) -> npt.NDArray[Any]:
    known = np.unique(cells[~pd.isna(cells)]) if cells.dtype.kind in "if" else cells[:0]
    if len(known) <= 6:  # few values are categories, though they are numbers
        return cells
    decimals = next((n for n in range(7) if (np.round(known, n) == known).all()), None)
    above = known[np.minimum(np.searchsorted(known, cells, side="right"), len(known) - 1)]
    moved = np.where(np.isnan(cells), cells, cells + chance.random(len(cells)) * (above - cells))
    return moved if decimals is None else np.round(moved, decimals).astype(cells.dtype)


def lookalike_once(
    X: pd.DataFrame, y: BoolArray, n_rows: int, name: str, folder: Path
) -> tuple[pd.DataFrame, BoolArray]:
    """Return a look-alike from the folder, where it is drawn and kept if the rows, or the way to draw, are new."""
    rows = pd.util.hash_pandas_object(X.assign(target=y), index=False).to_numpy().tobytes()
    digest = sha256("\n".join(["drawn from rows", *map(str, X.columns)]).encode() + rows).hexdigest()[:8]
    path = folder / f"lookalike-{name}-{n_rows}-{digest}.parquet"
    if not path.exists():
        made, labels = draw_lookalike(X, y, n_rows)
        folder.mkdir(parents=True, exist_ok=True)
        with new_file(path) as unfinished:
            made.assign(target=labels).to_parquet(unfinished)
    frame = pd.read_parquet(path)
    labels = frame.pop("target").to_numpy(dtype=bool)
    return frame, labels
