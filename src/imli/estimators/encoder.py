"""Literals as a transformer."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from imli.estimators.parameters import read_binning
from imli.estimators.validate import find_classes, read_labels, read_table, read_weights, unchanged_on_error
from imli.learning.bits import tabulate
from imli.rules.literals import Literal
from imli.table.frame import AnyArray, BoolArray


class LiteralEncoder(TransformerMixin, BaseEstimator):
    """Turns a table into truth values of readable tests, the literals that rules are made of.

    Parameters
    ----------
    bins
        Numbers are cut into at most this many bins.
    binning
        "quantile" makes bins of about equally many rows, "uniform" of equal width; "supervised" cuts where the
        classes part best, and also tests for groups of categories that are alike in their classes.
    intervals
        "open" tests on either side of each cut (x <= t, x > t); "closed" tests for each bin (a <= x < b).
    negations
        Whether each test comes with its opposite.

    Attributes
    ----------
    literals_
        The tests, one for each column of the output.

    Examples
    --------
    >>> encoder = LiteralEncoder(bins=3).fit({"age": [20, 30, 40], "smoker": [True, False, True]})
    >>> [str(literal) for literal in encoder.literals_]
    ['age <= 20', 'age > 20', 'age <= 30', 'age > 30', 'smoker', 'not smoker']
    """

    literals_: tuple[Literal, ...]

    def __init__(
        self, bins: int = 20, *, binning: str = "quantile", intervals: str = "open", negations: bool = True
    ) -> None:
        self.bins = bins
        self.binning = binning
        self.intervals = intervals
        self.negations = negations

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn which tests there are.

        Parameters
        ----------
        X
            A data frame (pandas, polars, …), a NumPy array, a list of rows, or a dict of columns.
        y
            One label per row. Looked at by binning="supervised" only, which needs it.
        sample_weight
            How much each row counts; one number per row. Rows of weight 0 are as if absent.
        """
        owner = type(self).__name__
        binning = read_binning(owner, self.bins, self.binning, self.intervals, self.negations)
        with unchanged_on_error(self):
            frame = read_table(self, X, reset=True)
            weights = read_weights(self, sample_weight, frame.n_rows)
            in_use = weights > 0
            positions = None
            if self.binning == "supervised":
                positions = find_classes(self, read_labels(self, y, frame), in_use)[1][in_use]
            self.literals_ = binning.literals(frame.take(in_use), weights[in_use], positions)
        return self

    def transform(self, X: Any) -> BoolArray:
        """Where each test holds: one row per row, one column per literal."""
        check_is_fitted(self)
        return tabulate(read_table(self, X, reset=False), self.literals_).dense()

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """The literals as text."""
        check_is_fitted(self)
        known = getattr(self, "feature_names_in_", None)
        if input_features is not None and known is not None and not np.array_equal(input_features, known):
            raise ValueError("input_features is not equal to feature_names_in_")
        return np.array([str(literal) for literal in self.literals_], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "literals_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        # Text is welcome, but the tag would also promise that any Python object is.
        tags.transformer_tags.preserves_dtype = []
        tags.target_tags.required = self.binning == "supervised"
        return tags
