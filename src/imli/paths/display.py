"""Paths as drawings."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from imli.paths.path import RulePath

_MARKS = {"best": ("o", "C1", "best"), "pick": ("D", "C2", "pick: the smallest within one standard error of the best")}


class RulePathDisplay:
    """Error against size, for the training rows and, with error bars, for the folds.

    Make one with :meth:`from_path`, or :meth:`from_estimator` for a classifier that was fitted with ``lam="cv"``.
    It needs matplotlib.

    Attributes
    ----------
    ax_
        The axes that were drawn on last.
    figure_
        The figure that has them.
    """

    ax_: Any
    figure_: Any

    def __init__(self, path: "RulePath") -> None:
        self.path = path

    @classmethod
    def from_path(cls, path: "RulePath", *, ax: Any = None) -> "RulePathDisplay":
        """Draw a path, on these axes or on new ones."""
        return cls(path).plot(ax=ax)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> "RulePathDisplay":
        """Draw the path of a classifier that was fitted with ``lam="cv"``."""
        if not hasattr(estimator, "path_"):
            name = type(estimator).__name__
            raise ValueError(f"This {name} has no path. Fit it with lam='cv' first, or use rule_path.")
        return cls.from_path(estimator.path_, ax=ax)

    def plot(self, ax: Any = None) -> "RulePathDisplay":
        """Draw again, on these axes or on new ones."""
        ax = _new_axes() if ax is None else ax
        path = self.path
        sizes = [point.size for point in path]
        ax.plot(sizes, [100 * point.training_error for point in path], "-", color="0.6", label="training rows")
        if path.n_folds:
            errors = [100 * (point.cv_error or 0) for point in path]
            spreads = [100 * (point.cv_standard_error or 0) for point in path]
            label = f"{path.n_folds} folds, ± one standard error"
            ax.errorbar(sizes, errors, spreads, fmt=".-", color="C0", capsize=2, linewidth=1.2, label=label)
            for name, place in (("best", path.best_place), ("pick", path.pick_place)):
                if place is not None:
                    marker, color, label = _MARKS[name]
                    size = 11 if name == "best" else 7  # both are seen where they are the same
                    ax.plot(sizes[place], errors[place], marker, color=color, markersize=size, zorder=2.1, label=label)
        if sizes[0] > 0 and sizes[-1] > 10 * sizes[0]:
            _logarithmic(ax)
        ax.set_xlabel("size of the rule")
        ax.set_ylabel("error in %")
        ax.legend(frameon=False)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _new_axes() -> Any:
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            'Drawing a path needs matplotlib. Install it with: pip install "imli[plot]".'
        ) from None
    return pyplot.subplots()[1]


def _logarithmic(ax: Any) -> None:
    """Small rules are what people choose between, so they get the room."""
    from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_locator(FixedLocator([1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(ScalarFormatter())
