"""Drawings of paths."""

from typing import TYPE_CHECKING, Any

from imli.exports.plot import load_pyplot

if TYPE_CHECKING:
    from imli.learning.path.result import RulePath


class RulePathDisplay:
    """Drawing of error against size, for the training rows and, with error bars, for the folds.

    A ring marks the best rule, a diamond the pick, which is the smallest rule that is not clearly worse.
    Make one with :meth:`from_path`, or :meth:`from_estimator` for a classifier that was fitted with ``lam="cv"``.
    Drawing needs matplotlib.

    Parameters
    ----------
    path
        The path to draw.

    Attributes
    ----------
    ax_
        The axes of the last drawing.
    figure_
        The figure of these axes.
    """

    ax_: Any
    figure_: Any

    def __init__(self, path: "RulePath") -> None:
        self.path = path

    @classmethod
    def from_path(cls, path: "RulePath", *, ax: Any = None) -> "RulePathDisplay":
        """Return a new drawing of a path.

        Parameters
        ----------
        path
            The path to draw.
        ax
            The axes to draw on; None for new ones.
        """
        return cls(path).plot(ax=ax)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> "RulePathDisplay":
        """Return a new drawing of the path of a classifier.

        Parameters
        ----------
        estimator
            A classifier that was fitted with ``lam="cv"``.
        ax
            The axes to draw on; None for new ones.
        """
        if not hasattr(estimator, "path_"):
            name = type(estimator).__name__
            raise ValueError(f"This {name} has no path. Fit it with lam='cv' first, or use rule_path.")
        return cls.from_path(estimator.path_, ax=ax)

    def plot(self, ax: Any = None) -> "RulePathDisplay":
        """Return this object with the path drawn again, on ``ax_`` of ``figure_``.

        Parameters
        ----------
        ax
            The axes to draw on; None for new ones.
        """
        ax = load_pyplot("a path").subplots()[1] if ax is None else ax
        path = self.path
        sizes = [point.size for point in path]
        errors = [100 * (point.cv_error or 0) for point in path]
        spreads = [100 * (point.cv_standard_error or 0) for point in path]
        lines = ax.plot(sizes, [100 * point.training_error for point in path], color="0.6", label="training rows")
        if path.n_folds:
            label = f"{path.n_folds} folds ± one standard error" if path.n_folds > 1 else "1 fold"
            lines += [ax.errorbar(sizes, errors, spreads, fmt=".-", color="C0", capsize=2, linewidth=1, label=label)]
        if path.best_place is not None and path.pick_place is not None:
            best, pick = path.best_place, path.pick_place
            # a ring and a point in it, because best and pick may be the same rule
            ring = {"markersize": 11, "markerfacecolor": "none", "markeredgewidth": 1.5}
            lines += ax.plot(sizes[best], errors[best], "o", color="C1", zorder=3, label="best", **ring)
            lines += ax.plot(sizes[pick], errors[pick], "D", color="C3", markersize=6, zorder=3, label="pick")
        if sizes[0] > 0 and sizes[-1] > 10 * sizes[0]:
            _logarithmic(ax)
        ax.set_xlabel("size of the rule")
        ax.set_ylabel("error in %")
        ax.legend(handles=lines, frameon=False)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _logarithmic(ax: Any) -> None:
    """Scale sizes by their logarithm: people choose between small rules, which then get more room."""
    from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_locator(FixedLocator([1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(ScalarFormatter())
