"""How a rule did from batch to batch, how far it moved, and whether the stream has turned into another."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import asin, sqrt
from typing import overload

from imli.arrays import FloatArray
from imli.literals import Literal

_MOST_SHOWN = 4  # of the literals that came or went, in a line
_SURE = 4.0  # standard errors: about one false alarm in 30,000 batches


@dataclass(frozen=True)
class Batch:
    """What one batch did to the rule.

    ``error_before`` is the share of its rows (by weight) that the rule as it was decides wrongly, which no fitting
    has touched; ``error_after`` that of the rule as it is now. ``moved`` is the number of literals that came or went,
    clause by clause, ``turned`` that of clauses that now speak for another class; ``came`` and ``went`` are literals
    that the rule as a whole did not have, or has no more.
    """

    number: int
    n_rows: int
    weight: float
    error_before: float | None  # None: there was no rule
    error_after: float
    moved: int
    turned: int
    came: tuple[Literal, ...]
    went: tuple[Literal, ...]
    is_drift: bool
    n_remembered: int  # rows that the next batch will be learned together with
    n_effective: float | None = None  # rows of equal weight that would tell as much of the error; None: all of them


@dataclass(frozen=True)
class DriftLog(Sequence[Batch]):
    """All batches so far, in order. Prints as a table, with a few of the literals that came (+) and went (-)."""

    batches: tuple[Batch, ...] = ()

    def plus(self, batch: Batch) -> "DriftLog":
        return DriftLog((*self.batches, batch))

    @property
    def since_drift(self) -> tuple[Batch, ...]:
        """The batches since the last drift, that one included."""
        starts = [n for n, batch in enumerate(self.batches) if batch.is_drift]
        return self.batches[starts[-1] if starts else 0 :]

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[Batch]:
        return iter(self.batches)

    @overload
    def __getitem__(self, index: int) -> Batch: ...
    @overload
    def __getitem__(self, index: slice) -> "DriftLog": ...
    def __getitem__(self, index: int | slice) -> "Batch | DriftLog":
        return DriftLog(self.batches[index]) if isinstance(index, slice) else self.batches[index]

    def __str__(self) -> str:
        head = ("batch", "rows", "wrong before", "wrong after", "moved", "what came and went")
        lines = [head, *(_cells(batch) for batch in self.batches)]
        widths = [max(len(line[n]) for line in lines) for n in range(len(head) - 1)]
        return "\n".join(
            "  ".join([*(cell.rjust(width) for cell, width in zip(line, widths, strict=False)), line[-1]]).rstrip()
            for line in lines
        )


def _cells(batch: Batch) -> tuple[str, ...]:
    before = "" if batch.error_before is None else f"{100 * batch.error_before:.1f} %"
    changes = [*(f"+ {literal}" for literal in batch.came), *(f"- {literal}" for literal in batch.went)]
    if len(changes) > _MOST_SHOWN:
        changes[_MOST_SHOWN - 1 :] = [f"{len(changes) - _MOST_SHOWN + 1} more"]
    remark = ["DRIFT"] if batch.is_drift else []
    if batch.turned:
        remark.append(f"{batch.turned} class{'' if batch.turned == 1 else 'es'} turned")
    return (
        str(batch.number),
        f"{batch.n_rows:,}",
        before,
        f"{100 * batch.error_after:.1f} %",
        str(batch.moved),
        ", ".join([*remark, *changes]),
    )


def n_effective(weights: FloatArray) -> float:
    """How many rows of equal weight tell as much of a share of them as these do.

    >>> import numpy as np
    >>> n_effective(np.array([0.5, 0.5, 0.5])), round(n_effective(np.array([100, 1, 1])), 2)
    (3.0, 1.04)
    """
    relative = weights / weights.max()
    return float(relative.sum() ** 2 / (relative**2).sum())


def is_drift(log: DriftLog, error: float, n_rows: float) -> bool:
    """Whether the rule does so much worse on a batch than on those before that chance cannot explain it.

    Each batch is counted with the error that the rule of its time made on it before it was learned from. The rule has
    become better since, if anything, so what is found worse than that is worse. Where rows differ in weight, ``n_rows``
    is how many of equal weight would tell as much.
    """
    past = [batch for batch in log.since_drift if batch.error_before is not None and not batch.is_drift]
    n_past = sum(_n_rows(batch) for batch in past)
    if not n_past or not n_rows:
        return False
    n_wrong = sum((batch.error_before or 0.0) * _n_rows(batch) for batch in past)
    # angles: their spread is the same for all shares, and of few rows or few errors as well
    risen = _angle(error * n_rows, n_rows) - _angle(n_wrong, n_past)
    return risen > _SURE * sqrt(1 / (n_rows + 0.5) + 1 / (n_past + 0.5))


def _n_rows(batch: Batch) -> float:
    return batch.n_rows if batch.n_effective is None else batch.n_effective


def _angle(n_wrong: float, n_rows: float) -> float:
    """A share as an angle, as Anscombe has it."""
    return 2 * asin(sqrt((n_wrong + 3 / 8) / (n_rows + 3 / 4)))
