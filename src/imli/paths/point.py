"""One rule of a path."""

from dataclasses import dataclass
from math import fsum, sqrt
from typing import Any

from imli.rules import Rule


@dataclass(frozen=True)
class RulePoint:
    """A rule, the question that it answers, and its errors as shares of the rows, counted by weight.

    On all rows it is the cheapest rule that was found at ``lam`` among those with at most ``max_literals``. The same
    question was asked about the other rows of each fold, and ``fold_errors`` are those of the answers on the fold.
    """

    rule: Rule
    lam: float
    max_literals: int
    training_error: float
    fold_errors: tuple[float, ...] = ()

    @property
    def size(self) -> int:
        """How many atomic tests the rule makes."""
        return self.rule.size

    @property
    def n_conditions(self) -> int:
        """How many conditions a reader reads."""
        return self.rule.n_conditions

    @property
    def n_clauses(self) -> int:
        """How many clauses the rule has."""
        return len(self.rule.clauses)

    @property
    def cv_error(self) -> float | None:
        """The mean of the errors on the folds; None if there are none."""
        return fsum(self.fold_errors) / len(self.fold_errors) if self.fold_errors else None

    @property
    def cv_standard_error(self) -> float | None:
        """The standard error of that mean; None if there are fewer than two folds."""
        n_folds, mean = len(self.fold_errors), self.cv_error
        if mean is None or n_folds < 2:
            return None
        return sqrt(fsum((error - mean) ** 2 for error in self.fold_errors) / (n_folds - 1) / n_folds)

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values, for JSON."""
        return {
            "size": self.size,
            "n_conditions": self.n_conditions,
            "n_clauses": self.n_clauses,
            "lam": self.lam,
            "max_literals": self.max_literals,
            "training_error": self.training_error,
            "cv_error": self.cv_error,
            "cv_standard_error": self.cv_standard_error,
            "fold_errors": list(self.fold_errors),
            "rule": self.rule.to_dict(),
        }
