"""A rule for one row, and how it does."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from imli.explain.conjunctions import Tally
from imli.notation import Value
from imli.rules import DNF


@dataclass(frozen=True, eq=False, repr=False)
class LocalExplanation:
    """Why a model decides a row as it does. It is what :func:`imli.explain.local` returns.

    The row satisfies the ``rule``, a single clause, which speaks for the ``decision`` of the model. It says nothing
    about rows that do not satisfy it. How it does was counted three times: ``within`` on neighbours drawn such that
    the rule holds, ``around`` on neighbours drawn around the row, whether it holds or not, and ``on_rows`` on
    rows of the table as they are. The neighbours are fresh: the rule was learned and chosen by others.
    """

    rule: DNF
    decision: Value
    row: Mapping[str, Value | None]
    within: Tally
    around: Tally
    on_rows: Tally
    wanted: float  # the precision that was asked for

    @property
    def precision(self) -> float:
        """The share of fresh neighbours that satisfy the rule which the model decides as it decides the row."""
        return self.within.precision

    @property
    def coverage(self) -> float:
        """The share of the table's rows that satisfy the rule."""
        return self.on_rows.coverage

    @property
    def fidelity(self) -> float:
        """The share of fresh neighbours around the row for which rule and model agree, on yes or no."""
        return self.around.fidelity

    @property
    def size(self) -> int:
        """How many atomic tests the rule makes."""
        return self.rule.size

    def __str__(self) -> str:
        from imli.explain.text import write_local

        return write_local(self)

    def __repr__(self) -> str:
        return f"<LocalExplanation, precision {self.precision:.3f}, coverage {self.coverage:.3f}>\n{self}"

    def _repr_html_(self) -> str:
        from imli.explain.html import local_to_html

        return local_to_html(self)

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values, for JSON."""
        return {
            "decision": self.decision,
            "row": dict(self.row),
            "rule": self.rule.to_dict(),
            "text": self.rule.to_text(counts=False).rpartition("\n")[0],
            "size": self.size,
            "precision": self.precision,
            "coverage": self.coverage,
            "fidelity": self.fidelity,
            "wanted": self.wanted,
            "within": self.within.to_dict(),
            "around": self.around.to_dict(),
            "on_rows": self.on_rows.to_dict(),
        }
