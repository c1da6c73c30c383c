"""Rules from short to long, and which one to take."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from imli.paths.point import RulePoint

if TYPE_CHECKING:
    from imli.paths.display import RulePathDisplay

_EQUAL = 1e-12  # sums of fractions depend on their order


@dataclass(frozen=True)
class RulePath(Sequence[RulePoint]):
    """Rules from short to long, each larger than the ones before and with fewer errors on the training rows.

    It is what :func:`rule_path` returns: a sequence of :class:`RulePoint`. ``best`` has the lowest cross-validated
    error; ``pick`` is the smallest rule whose error is within one standard error of that, and the one to take if
    nothing else is known.
    """

    points: tuple[RulePoint, ...]

    def __post_init__(self) -> None:
        if not self.points:
            raise ValueError("A path has at least one rule.")
        if len({(point.rule.kind, len(point.fold_errors)) for point in self.points}) > 1:
            raise ValueError("The rules of a path must be of one kind, and have errors on as many folds.")

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[RulePoint]:
        return iter(self.points)

    @overload
    def __getitem__(self, place: int) -> RulePoint: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[RulePoint, ...]: ...
    def __getitem__(self, place: int | slice) -> RulePoint | tuple[RulePoint, ...]:
        return self.points[place]

    @property
    def kind(self) -> str:
        """The kind of the rules: "cnf", "dnf", "list" or "set"."""
        return self.points[0].rule.kind

    @property
    def n_folds(self) -> int:
        """In how many folds the errors were cross-validated."""
        return len(self.points[0].fold_errors)

    @property
    def best(self) -> RulePoint:
        """The rule of lowest cross-validated error; of equals the smallest."""
        return self._at(self.best_place)

    @property
    def pick(self) -> RulePoint:
        """The smallest rule whose cross-validated error is within one standard error of the lowest."""
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
        """Where in the path the best rule is; None if fewer than two folds were done."""
        return self._shortest(0.0)

    @property
    def pick_place(self) -> int | None:
        """Where in the path the picked rule is; None if fewer than two folds were done."""
        return None if self.best_place is None else self._shortest(self.best.cv_standard_error or 0.0)

    def _shortest(self, excess: float) -> int | None:
        """Where the first rule is whose cross-validated error exceeds the lowest by no more than this."""
        if self.n_folds < 2:
            return None
        errors = [point.cv_error or 0.0 for point in self.points]
        return next(n for n, error in enumerate(errors) if error <= min(errors) + excess + _EQUAL)

    def __str__(self) -> str:
        from imli.paths.text import write_path

        return write_path(self)

    def __repr__(self) -> str:
        return f"<RulePath of {len(self)} {self.kind.upper()} rules, size {self[0].size} to {self[-1].size}>\n{self}"

    def to_frame(self, backend: str | None = None) -> Any:
        """A table of the rules, from short to long.

        Parameters
        ----------
        backend
            "pandas", "polars" or "pyarrow"; None is the first of them that is installed.
        """
        from imli.paths.table import to_frame

        return to_frame(self, backend)

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values, for JSON. ``best`` and ``pick`` are places among the ``points``."""
        return {
            "kind": self.kind,
            "n_folds": self.n_folds,
            "best": self.best_place,
            "pick": self.pick_place,
            "points": [point.to_dict() for point in self.points],
        }

    def plot(self, ax: Any = None) -> "RulePathDisplay":
        """Draw error against size; needs matplotlib. The display has the ``ax_`` and the ``figure_``."""
        from imli.paths.display import RulePathDisplay

        return RulePathDisplay.from_path(self, ax=ax)
