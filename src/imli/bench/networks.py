"""Bayesian networks over columns of codes: which depends on which, learned from few rows, and new rows drawn from it.

The first column, the class, is a root: it depends on no other. The structure is found by hill climbing on the
Bayesian score BDeu: arcs are added, dropped or turned around, whatever makes the rows more likely by more than the
extra chances cost.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from imli.arrays import FloatArray, IntArray

MOST_PARENTS = 3
# For so many changes that find nothing better, the search goes on.
PATIENCE = 20
# How many rows the prior of the score is worth. Of 1, 3, 5 and 8, none was clearly better on all three originals.
PRIOR_ROWS = 1.0
# How many rows what is known without the last parent is worth, where chances given all parents are counted.
BACK_OFF_ROWS = 2.0
# The class has half a row of each kind on top. So had, to judge by its 647,000 of 1,000,000 rows, what BNG(labor) was
# drawn from: 37.5 of 58 give 646,552 ± 478, and the 37 of 57 of the original 649,123.
CLASS_ROWS = 0.5

Parents = tuple[int, ...]


@dataclass(frozen=True)
class Network:
    """A column's parents, and the chance of each of its values for all that the parents can be."""

    sizes: tuple[int, ...]  # how many values each column has
    parents: tuple[Parents, ...]
    chances: tuple[FloatArray, ...]  # one line for each combination of the parents' values

    def sample(self, n_rows: int, chance: np.random.Generator) -> list[IntArray]:
        """Codes of so many rows, column by column."""
        drawn: dict[int, IntArray] = {}
        for column in _parents_first(self.parents):
            lines = _combined([drawn[parent] for parent in self.parents[column]], self._sizes_of(column), n_rows)
            drawn[column] = _draw(self.chances[column], lines, chance)
        return [drawn[column] for column in range(len(self.sizes))]

    def _sizes_of(self, column: int) -> list[int]:
        return [self.sizes[parent] for parent in self.parents[column]]


def fit(columns: Sequence[IntArray], sizes: Sequence[int], most_parents: int = MOST_PARENTS) -> Network:
    """The network of some columns, each of codes from 0 to less than its size. The first is the class."""
    parents = _Climb(columns, sizes, most_parents).climb()
    chances = tuple(_chances(columns, sizes, column, parents[column]) for column in range(len(columns)))
    return Network(tuple(sizes), parents, chances)


class _Climb:
    """Arcs, changed one by one. A column's score depends on its own parents only, so few are new after a change."""

    def __init__(self, columns: Sequence[IntArray], sizes: Sequence[int], most_parents: int) -> None:
        self._columns, self._sizes, self._most = columns, sizes, most_parents
        self._parents: list[Parents] = [() for _ in columns]
        self._known: dict[tuple[int, Parents], float] = {}

    def climb(self) -> tuple[Parents, ...]:
        """The best arcs that were seen. From a top it goes on downwards for a while, never to the same arcs again."""
        height = highest = 0.0
        best, seen, n_lower = tuple(self._parents), {tuple(self._parents)}, 0
        while n_lower < PATIENCE:
            steps = sorted(self._changes(), key=lambda step: -step[0])
            reached = ((gain, self._after(change)) for gain, change in steps)
            gain, changed = next((step for step in reached if step[1] not in seen), (0.0, None))
            if changed is None:
                break
            height += gain
            self._parents = list(changed)
            seen.add(changed)
            if height > highest + 1e-9:
                best, highest, n_lower = changed, height, 0
            else:
                n_lower += 1
        return tuple(tuple(sorted(parents, key=bool)) for parents in best)  # the class first

    def _after(self, change: dict[int, Parents]) -> tuple[Parents, ...]:
        return tuple(change.get(column, parents) for column, parents in enumerate(self._parents))

    def _changes(self) -> Iterator[tuple[float, dict[int, Parents]]]:
        """What could be changed, and how much the score would grow. No change makes a circle."""
        for child in range(1, len(self._columns)):
            for parent in range(len(self._columns)):
                if parent in self._parents[child]:
                    without = tuple(other for other in self._parents[child] if other != parent)
                    dropped = self._gain(child, without)
                    yield dropped, {child: without}
                    if self._may_add(child, parent, but=child):
                        turned = (*self._parents[parent], child)
                        yield dropped + self._gain(parent, turned), {child: without, parent: turned}
                elif parent != child and self._may_add(parent, child):
                    more = (*self._parents[child], parent)
                    yield self._gain(child, more), {child: more}

    def _may_add(self, parent: int, child: int, but: int = -1) -> bool:
        """Whether the parent may be another of the child's, if the arc between them does not count (``but``)."""
        if child == 0 or len(self._parents[child]) >= self._most:
            return False
        above, seen = [other for other in self._parents[parent] if (parent, other) != (but, child)], set()
        while above:
            column = above.pop()
            if column == child:
                return False
            if column not in seen:
                seen.add(column)
                above.extend(self._parents[column])
        return True

    def _gain(self, column: int, parents: Parents) -> float:
        return self._score(column, parents) - self._score(column, self._parents[column])

    def _score(self, column: int, parents: Parents) -> float:
        key = column, tuple(sorted(parents))
        if key not in self._known:
            self._known[key] = score(self._columns, self._sizes, column, key[1])
        return self._known[key]


def score(columns: Sequence[IntArray], sizes: Sequence[int], column: int, parents: Parents) -> float:
    """The logarithm of how likely a column's values are given its parents', all chances alike beforehand: BDeu."""
    from scipy.special import gammaln  # which scikit-learn brings along

    counts = _count(columns, sizes, column, parents)
    n_lines, n_values = counts.shape
    line, cell = PRIOR_ROWS / n_lines, PRIOR_ROWS / (n_lines * n_values)
    lines = gammaln(line) - gammaln(line + counts.sum(axis=1))
    cells = gammaln(cell + counts) - gammaln(cell)
    return float(lines.sum() + cells.sum())


def _count(columns: Sequence[IntArray], sizes: Sequence[int], column: int, parents: Parents) -> FloatArray:
    n_lines = math.prod(sizes[parent] for parent in parents)
    lines = _combined([columns[parent] for parent in parents], [sizes[parent] for parent in parents], len(columns[0]))
    cells = np.bincount(lines * sizes[column] + columns[column], minlength=n_lines * sizes[column])
    counts: FloatArray = cells.reshape(n_lines, sizes[column]).astype(float)
    return counts


def _chances(columns: Sequence[IntArray], sizes: Sequence[int], column: int, parents: Parents) -> FloatArray:
    """Shares of the values for each line, drawn towards those that are known without the last parent.

    So a combination that few rows have gets no chances of 0 and 1, and all rows together keep the shares they had.
    """
    counts = _count(columns, sizes, column, parents)
    if not parents:
        counts += CLASS_ROWS if column == 0 else 0.0
        shares: FloatArray = counts / counts.sum()
        return shares
    fewer = _chances(columns, sizes, column, parents[:-1])
    known = np.repeat(fewer, sizes[parents[-1]], axis=0)
    found: FloatArray = (counts + BACK_OFF_ROWS * known) / (counts.sum(axis=1, keepdims=True) + BACK_OFF_ROWS)
    return found


def _combined(columns: Sequence[IntArray], sizes: Sequence[int], n_rows: int) -> IntArray:
    """A number for each combination of values. The last column counts fastest."""
    lines = np.zeros(n_rows, dtype=np.int64)
    for column, size in zip(columns, sizes, strict=True):
        lines *= size
        lines += column
    return lines


def _draw(chances: FloatArray, lines: IntArray, chance: np.random.Generator) -> IntArray:
    """A value for each line, by its chances: all lines one after the other are one scale to look up numbers on."""
    n_lines, n_values = chances.shape
    ends = np.cumsum(chances, axis=1)
    ends[:, -1] = 1.0
    scale = (ends + np.arange(n_lines)[:, None]).ravel()
    found = np.searchsorted(scale, lines + chance.random(len(lines)), side="right") - lines * n_values
    values: IntArray = np.minimum(found, n_values - 1)  # a number just below 1 may have been rounded up
    return values


def _parents_first(parents: Sequence[Parents]) -> list[int]:
    order: list[int] = []
    while len(order) < len(parents):
        order += [c for c in range(len(parents)) if c not in order and all(parent in order for parent in parents[c])]
    return order
