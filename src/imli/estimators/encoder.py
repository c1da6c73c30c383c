"""Transformer from a table to truth values of literals."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from imli.estimators.parameters import read_binning
from imli.estimators.validate import find_classes, read_labels, read_table, read_weights, unchanged_on_error
from imli.learning.bits import tabulate
from imli.learning.parameter_table import ATTRIBUTES, BinningName, IntervalsName, document
from imli.rules.literals import Literal
from imli.table.frame import AnyArray, BoolArray


@document({name: ATTRIBUTES[name] for name in ("literals_", "n_features_in_", "feature_names_in_")})
class LiteralEncoder(TransformerMixin, BaseEstimator):
    """Transformer from a table to truth values of literals, the conditions that rules are made of.

    With ``binning="supervised"`` there are also conditions for groups of categories that have similar classes.

    Attributes
    ----------
    literals_
        Conditions, one for each column of the output.

    Examples
    --------
    >>> encoder = LiteralEncoder(bins=3).fit({"age": [20, 30, 40], "smoker": [True, False, True]})
    >>> [str(literal) for literal in encoder.literals_]
    ['age <= 20', 'age > 20', 'age <= 30', 'age > 30', 'smoker', 'not smoker']
    """

    literals_: tuple[Literal, ...]

    def __init__(
        self,
        bins: int = 20,
        *,
        binning: BinningName = "quantile",
        intervals: IntervalsName = "open",
        negations: bool = True,
    ) -> None:
        self.bins = bins
        self.binning = binning
        self.intervals = intervals
        self.negations = negations

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the literals of a table, and return the encoder.

        Parameters
        ----------
        X
            Data frame (pandas, polars, …), NumPy array, list of rows, or dict of columns.
        y
            Labels, one per row. Only ``binning="supervised"`` needs and reads them.
        sample_weight
            Weights, one number per row. Rows of weight 0 are ignored.

        Returns
        -------
        LiteralEncoder
            The encoder itself.
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
        """Return the truth value of each literal in each row.

        Parameters
        ----------
        X
            Table with the columns of ``fit``, in the same order.

        Returns
        -------
        numpy.ndarray
            Truth values, with one row for each row of ``X`` and one column for each literal.
        """
        check_is_fitted(self)
        return tabulate(read_table(self, X, reset=False), self.literals_).dense()

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Return the literals as text.

        Parameters
        ----------
        input_features
            Names of the columns of ``fit``, which are checked if they are given.

        Returns
        -------
        numpy.ndarray
            Texts, one for each column of the output.
        """
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
