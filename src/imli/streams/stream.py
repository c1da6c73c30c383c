"""What a learner knows of the stream so far."""

from dataclasses import dataclass, field, replace
from typing import Self

from imli.literals import Literal
from imli.rules import Rule
from imli.streams.drift import Batch, DriftLog
from imli.streams.memory import Memory

_GROWN = 1.25  # so that it happens often at first, and then ever less


@dataclass(frozen=True, eq=False)
class Stream:
    """The rule to stay near, the literals that it can choose from, the rows remembered, and how it went."""

    rule: Rule
    columns: tuple[str, ...]
    literals: tuple[Literal, ...]
    memory: Memory
    n_rows: int  # seen since the beginning, or since the last drift
    learned_at: int | None  # of them, when the literals were learned; None: they were given, and stay
    log: DriftLog = field(default_factory=DriftLog)

    @property
    def n_batches(self) -> int:
        return len(self.log)

    def is_due(self, n_more: int) -> bool:
        """Whether the literals are to be learned anew with so many more rows: whenever a quarter more have come."""
        return self.learned_at is not None and self.n_rows + n_more >= _GROWN * self.learned_at

    def after(self, batch: Batch, **changes: object) -> Self:
        """The same with one more batch."""
        return replace(self, log=self.log.plus(batch), **changes)  # type: ignore[arg-type]
