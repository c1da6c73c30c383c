"""A rule for a model, and how often it decides as the model does."""

from dataclasses import dataclass
from typing import Any

from imli.notation import Value
from imli.rules import Rule


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """A rule that decides as a model does. It is what :func:`imli.explain.surrogate` returns.

    The ``rule`` was learned from all rows, and its counts say how often it agrees with the model on them. The
    ``fidelity`` is honest: the share of the rows ``held_out`` on which ``trial``, a rule that was learned the same way
    from the other rows, agrees with the model. The ``baseline`` is that share for whoever always says ``majority``.
    """

    rule: Rule
    fidelity: float
    baseline: float
    majority: Value
    n_rows: int
    held_out: tuple[int, ...]  # places in the table
    trial: Rule

    @property
    def size(self) -> int:
        """How many atomic tests the rule makes."""
        return self.rule.size

    @property
    def is_constant(self) -> bool:
        """Whether the model decides all rows alike."""
        return self.baseline == 1 and not self.rule.literals and len(self.held_out) == self.n_rows

    def __str__(self) -> str:
        from imli.explain.text import write_surrogate

        return write_surrogate(self)

    def __repr__(self) -> str:
        return f"<Explanation, fidelity {self.fidelity:.3f}, size {self.size}>\n{self}"

    def _repr_html_(self) -> str:
        from imli.explain.html import surrogate_to_html

        return surrogate_to_html(self)

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values, for JSON."""
        return {
            "rule": self.rule.to_dict(),
            "text": str(self.rule),
            "size": self.size,
            "n_conditions": self.rule.n_conditions,
            "fidelity": self.fidelity,
            "baseline": self.baseline,
            "majority": self.majority,
            "n_rows": self.n_rows,
            "n_held_out": len(self.held_out),
        }
