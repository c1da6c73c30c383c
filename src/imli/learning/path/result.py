"""The result of a path search: rules from short to long, which of them to take, and their table as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import TYPE_CHECKING, Any, overload

from imli.rules import Rule

if TYPE_CHECKING:
    from imli.learning.path.display import RulePathDisplay


@dataclass(frozen=True)
class RulePoint:
    """One rule of a path, with its errors as shares of the rows, counted by weight.

    Parameters
    ----------
    rule
        The cheapest rule found on all rows at ``lam`` with at most ``max_literals`` literals.
    lam
        The errors that one literal must save.
    max_literals
        The most literals that the rule was allowed to have.
    training_error
        The error of the rule on all rows.
    fold_errors
        For each fold, the error on its rows of the rule that was learned from the other rows, at the same ``lam`` and
        ``max_literals``.
    """

    rule: Rule
    lam: float
    max_literals: int
    training_error: float
    fold_errors: tuple[float, ...] = ()

    @property
    def size(self) -> int:
        """Return the number of atomic tests of the rule."""
        return self.rule.size

    @property
    def n_conditions(self) -> int:
        """Return the number of conditions as printed."""
        return self.rule.n_conditions

    @property
    def n_clauses(self) -> int:
        """Return the number of clauses of the rule."""
        return len(self.rule.clauses)

    @property
    def cv_error(self) -> float | None:
        """Return the mean of the fold errors, or None if there are none."""
        return fsum(self.fold_errors) / len(self.fold_errors) if self.fold_errors else None

    @property
    def cv_standard_error(self) -> float | None:
        """Return the standard error of ``cv_error``, or None if there are fewer than two folds."""
        n_folds, mean = len(self.fold_errors), self.cv_error
        if mean is None or n_folds < 2:
            return None
        return sqrt(fsum((error - mean) ** 2 for error in self.fold_errors) / (n_folds - 1) / n_folds)

    def to_dict(self) -> dict[str, Any]:
        """Return the point as a dict of plain values, for JSON."""
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


_EQUAL = 1e-12  # sums of fractions depend on their order


@dataclass(frozen=True)
class RulePath(Sequence[RulePoint]):
    """Rules from short to long, each larger than the ones before and with fewer errors on the training rows.

    :func:`rule_path` returns one. It is a sequence of :class:`RulePoint`. ``best`` has the lowest cross-validated
    error. ``pick`` is the smallest rule that is not clearly worse, and the rule to take if nothing else is known: fold
    by fold, its error exceeds that of ``best`` by at most one standard error of the difference.

    Parameters
    ----------
    points
        The rules with their errors; at least one, all of one kind and with errors on equally many folds.
    """

    points: tuple[RulePoint, ...]

    def __post_init__(self) -> None:
        if not self.points:
            raise ValueError("A path has at least one rule.")
        if len({(point.rule.kind, len(point.fold_errors)) for point in self.points}) > 1:
            raise ValueError("The rules of a path must be of one kind, and have errors on as many folds.")

    def __len__(self) -> int:
        return len(self.points)

    @overload
    def __getitem__(self, place: int) -> RulePoint: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[RulePoint, ...]: ...
    def __getitem__(self, place: int | slice) -> RulePoint | tuple[RulePoint, ...]:
        return self.points[place]

    @property
    def kind(self) -> str:
        """Return the kind of the rules: "cnf", "dnf", "list" or "set"."""
        return self.points[0].rule.kind

    @property
    def n_folds(self) -> int:
        """Return the number of folds of the cross-validation."""
        return len(self.points[0].fold_errors)

    @property
    def best(self) -> RulePoint:
        """Return the point of lowest cross-validated error; of equal ones the smallest."""
        return self._at(self.best_place)

    @property
    def pick(self) -> RulePoint:
        """Return the smallest point that exceeds the error of ``best`` by at most a standard error, fold by fold."""
        return self._at(self.pick_place)

    def _at(self, place: int | None) -> RulePoint:
        if place is None:
            raise ValueError(
                "This path has no cross-validated errors to choose by, for it was stopped before two folds were done. "
                "Look at its points, or let it run to the end."
            )
        return self.points[place]

    @property
    def best_place(self) -> int | None:
        """Return the position of ``best`` in the path, or None if fewer than two folds were done."""
        if self.n_folds < 2:
            return None
        errors = [point.cv_error or 0.0 for point in self.points]
        return next(n for n, error in enumerate(errors) if error <= min(errors) + _EQUAL)

    @property
    def pick_place(self) -> int | None:
        """Return the position of ``pick`` in the path, or None if fewer than two folds were done."""
        if self.best_place is None:
            return None
        return next(n for n, point in enumerate(self.points) if _is_as_good(point, self.best))

    def __str__(self) -> str:
        headings = ["size", "conditions", "training error"]
        rows = [[str(point.size), str(point.n_conditions), f"{100 * point.training_error:.1f} %"] for point in self]
        if self.n_folds:
            headings.append(f"error in {self.n_folds} fold{'' if self.n_folds == 1 else 's'}")
            rows = [[*row, _cross_validated(point)] for row, point in zip(rows, self, strict=True)]
        widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
        table = [[text.rjust(width) for text, width in zip(row, widths, strict=True)] for row in (headings, *rows)]
        lines = ["  ".join(row) for row in table]
        if self.best_place is None or self.pick_place is None:
            return "\n".join(lines)
        lines[1 + self.best_place] += "  best"
        lines[1 + self.pick_place] += " and pick" if self.pick_place == self.best_place else "  pick"
        below = (
            "Best is the lowest error in the folds; pick is the smallest rule that is not clearly worse, fold by fold:"
        )
        return "\n".join([*lines, "", below, "", str(self.pick.rule)])

    def __repr__(self) -> str:
        return f"<RulePath of {len(self)} {self.kind.upper()} rules, size {self[0].size} to {self[-1].size}>\n{self}"

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row per rule, from short to long.

        Parameters
        ----------
        backend
            "pandas", "polars" or "pyarrow"; None is the first of them that is installed.
        """
        from imli.exports.frame import path_to_frame

        return path_to_frame(self, backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the path as a dict of plain values, for JSON; ``best`` and ``pick`` are positions in ``points``."""
        return {
            "kind": self.kind,
            "n_folds": self.n_folds,
            "best": self.best_place,
            "pick": self.pick_place,
            "points": [point.to_dict() for point in self.points],
        }

    def plot(self, ax: Any = None) -> "RulePathDisplay":
        """Return a drawing of error against size, made with matplotlib.

        Parameters
        ----------
        ax
            The axes to draw on; None for new ones.
        """
        from imli.learning.path.display import RulePathDisplay

        return RulePathDisplay.from_path(self, ax=ax)


def _is_as_good(point: RulePoint, best: RulePoint) -> bool:
    """Return True if the error exceeds that of the best by at most one standard error of the difference in a fold."""
    more = [error - lowest for error, lowest in zip(point.fold_errors, best.fold_errors, strict=True)]
    mean = fsum(more) / len(more)
    spread = sqrt(fsum((each - mean) ** 2 for each in more) / (len(more) - 1) / len(more))
    return mean <= spread + _EQUAL


def _cross_validated(point: RulePoint) -> str:
    assert point.cv_error is not None
    spread = "" if point.cv_standard_error is None else f" ± {100 * point.cv_standard_error:.1f}"
    return f"{100 * point.cv_error:.1f} %{spread}"
