"""Classifiers that learn a CNF or DNF formula."""

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from imli.answer import Answer, Interrupted
from imli.arrays import AnyArray, FloatArray
from imli.backends import Backend, find_backend
from imli.binarize import tabulate
from imli.constraints import Constraints, Every, resolve, resolve_all
from imli.deadline import Deadline
from imli.estimators.parameters import (
    read_binning,
    require_choice,
    require_integer,
    require_mapping,
    require_number,
)
from imli.estimators.tables import read_labels, read_table, read_weights, two_classes, weigh_classes
from imli.frames import Frame, UnknownColumnError
from imli.literals import Literal
from imli.query import Kind, Query
from imli.rules import Formula
from imli.strategies import Strategy, find_strategy

AUTO_LAM = 1.0


class FormulaClassifier(ClassifierMixin, BaseEstimator):
    """What CNFClassifier and DNFClassifier share; not for direct use."""

    _kind: ClassVar[Kind]

    rule_: Formula
    answer_: Answer
    classes_: AnyArray
    literals_: tuple[Literal, ...]

    def __init__(
        self,
        n_clauses: int = 1,
        lam: float | str = "auto",
        *,
        strategy: str | Strategy = "exact",
        backend: str | Backend = "auto",
        bins: int = 10,
        binning: str = "quantile",
        intervals: str = "open",
        never: Any = (),
        always: Any = (),
        feature_costs: Mapping[Any, float] | None = None,
        disjoint: bool | float | None = None,
        max_literals: int | None = None,
        min_rows: int | None = None,
        monotone: Mapping[str, int] | None = None,
        class_weight: Any = None,
        time_limit: float | None = None,
    ) -> None:
        self.n_clauses = n_clauses
        self.lam = lam
        self.strategy = strategy
        self.backend = backend
        self.bins = bins
        self.binning = binning
        self.intervals = intervals
        self.never = never
        self.always = always
        self.feature_costs = feature_costs
        self.disjoint = disjoint
        self.max_literals = max_literals
        self.min_rows = min_rows
        self.monotone = monotone
        self.class_weight = class_weight
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the cheapest rule on these rows.

        Parameters
        ----------
        X
            A data frame (pandas, polars, …), a NumPy array, a list of rows, or a dict of columns.
        y
            Two classes, one label per row. The rule describes the second of them in sorted order.
        sample_weight
            How much each row counts; one number per row. Rows of weight 0 are as if absent.
        """
        deadline = Deadline.after(self._limit())
        strategy, backend = find_strategy(self.strategy), find_backend(self.backend)
        # Names and numbers of columns go to a blank copy first, so that a fit that fails changes nothing here.
        blank = clone(self)
        query = self._query(blank, X, y, sample_weight)
        try:
            answer = strategy.answer(query, backend, deadline)
        except Interrupted as stop:
            self._keep(blank, query, stop.answer)
            raise
        self._keep(blank, query, answer)
        return self

    def predict(self, X: Any) -> AnyArray:
        """Decide each row. The columns must be those of ``fit``, in the same order."""
        check_is_fitted(self)
        frame = read_table(self, X, reset=False)
        return self.classes_[self.rule_.decide(frame).astype(np.intp)]

    def _limit(self) -> float | None:
        if self.time_limit is None:
            return None
        return require_number(type(self).__name__, "time_limit", self.time_limit, positive=True, also=" of seconds")

    def _query(self, blank: Self, X: Any, y: Any, sample_weight: Any) -> Query:
        """The question that the parameters and the data ask."""
        owner = type(self).__name__
        n_clauses = require_integer(owner, "n_clauses", self.n_clauses)
        binning = read_binning(owner, self.bins, self.binning, self.intervals)
        lam = AUTO_LAM if self.lam == "auto" else require_number(owner, "lam", self.lam, also=", or 'auto'")
        frame = read_table(blank, X, reset=True)
        labels = read_labels(blank, y, frame)
        weights = read_weights(blank, sample_weight, frame.n_rows)
        in_use = weights > 0
        blank.classes_, positive = two_classes(blank, labels, in_use)
        if not in_use.all():
            frame, weights, positive = frame.take(in_use), weights[in_use], positive[in_use]
        constraints, reuse_cost = self._constraints(frame)
        costs = self._feature_costs(frame)
        asked = [word for word in (*constraints.always, *constraints.every, *costs) if isinstance(word, Literal)]
        literals = tuple(dict.fromkeys((*binning.literals(frame, weights), *asked)))
        return Query.build(
            self._kind,
            literals,
            tabulate(frame, literals),
            positive,
            n_clauses=n_clauses,
            lam=lam,
            row_weights=self._row_weights(blank, positive, weights),
            feature_costs=costs,
            reuse_cost=reuse_cost,
            constraints=constraints,
            classes=(blank.classes_[0], blank.classes_[1]),
            target=name if isinstance(name := getattr(y, "name", None), str) else None,
        )

    def _row_weights(self, blank: Self, positive: Any, weights: FloatArray) -> FloatArray:
        return weigh_classes(blank, self.class_weight, blank.classes_, positive, weights)

    def _constraints(self, frame: Frame) -> tuple[Constraints, float]:
        """The constraints in resolved form, and the cost of using a column again."""
        owner, columns = type(self).__name__, frame.names
        words = (self.always,) if isinstance(self.always, str | Literal | Every) else tuple(self.always)
        every = [resolve(word.literal, columns, f"{owner}: always") for word in words if isinstance(word, Every)]
        for word in every:
            if isinstance(word, str):
                raise ValueError(f"{owner}: Every needs a literal, such as '{word} > 1'. Got the column {word!r}.")
        is_soft = self.disjoint is not None and not isinstance(self.disjoint, bool | np.bool_)
        for column, direction in (monotone := require_mapping(owner, "monotone", self.monotone)).items():
            if column not in columns:
                raise UnknownColumnError(str(column), columns)
            require_choice(owner, f"monotone[{column!r}]", direction, 1, -1)
        return Constraints(
            never=resolve_all(self.never, columns, f"{owner}: never"),
            always=resolve_all([word for word in words if not isinstance(word, Every)], columns, f"{owner}: always"),
            every=tuple(word for word in every if isinstance(word, Literal)),
            disjoint=bool(self.disjoint) and not is_soft,
            max_literals=None
            if self.max_literals is None
            else require_integer(owner, "max_literals", self.max_literals, least=0),
            min_rows=None if self.min_rows is None else require_integer(owner, "min_rows", self.min_rows),
            monotone=dict(monotone),
        ), require_number(owner, "disjoint", self.disjoint, also=", or True") if is_soft else 0.0

    def _feature_costs(self, frame: Frame) -> dict[str | Literal, float]:
        owner = type(self).__name__
        return {
            resolve(word, frame.names, f"{owner}: feature_costs"): require_number(
                owner, f"feature_costs[{str(word)!r}]", cost
            )
            for word, cost in require_mapping(owner, "feature_costs", self.feature_costs).items()
        }

    def _keep(self, blank: Self, query: Query, answer: Answer) -> None:
        """Take over all that was learned, at once."""
        for name, value in vars(blank).items():
            if name.endswith("_"):
                setattr(self, name, value)
        if not hasattr(blank, "feature_names_in_") and hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.literals_ = query.literals
        self.answer_ = answer
        assert isinstance(answer.rule, Formula)
        self.rule_ = answer.rule
        if answer.rounding > 1e-3:
            warnings.warn(
                f"The weights differ so much in size that some were rounded by {answer.rounding:.1%} "
                "to make integers of them. Use weights of more similar size for an exact answer.",
                UserWarning,
                stacklevel=3,
            )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "rule_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        # Text is welcome, but the tag would also promise that any Python object is.
        tags.classifier_tags.multi_class = False
        return tags


class CNFClassifier(FormulaClassifier):
    """Learns a rule "(… OR …) AND (… OR …)" for one of two classes.

    All clauses must hold, each by at least one of its literals. The rule has the lowest possible sum of
    (weighted) errors and ``lam`` for each literal, among all rules that keep the conditions.

    Parameters
    ----------
    n_clauses
        How many clauses the rule may have.
    lam
        How many errors a literal must save to be worth its place; "auto" is 1.
    strategy
        "exact" asks for the best rule at once; ``Exact(paper=True)`` uses every clause, as the paper does.
    backend
        "rc2" (the same as "auto"), a MaxSAT solver, or "brute", which tries every rule and is for small data.
    bins
        Numbers are cut into at most this many bins.
    binning
        "quantile" makes bins of about equally many rows, "uniform" of equal width.
    intervals
        "open" tests on either side of each cut (x <= t, x > t); "closed" tests for each bin (a <= x < b).
    never
        Columns, or single literals as they are printed, that must not occur in the rule.
    always
        Columns or literals that must occur in the rule; ``Every(literal)`` must occur in each clause.
    feature_costs
        A factor on ``lam`` for some columns or literals.
    disjoint
        True: no column occurs in two clauses. A number: each further clause that uses a column costs that much.
    max_literals
        The most literals that the rule may have.
    min_rows
        The fewest training rows that each clause must decide.
    monotone
        For some columns 1, if larger values must never speak against the second class, or -1 for the reverse.
    class_weight
        "balanced", or a dict from class to how much its rows count.
    time_limit
        Seconds after which ``fit`` returns the best rule that it has.

    Attributes
    ----------
    rule_
        The rule. It decides any table by itself: ``rule_.predict(frame)``.
    answer_
        The rule with its cost, and what is proven about it.
    literals_
        The tests that the rule could choose from.
    classes_
        The two classes. The rule describes the second.

    Examples
    --------
    >>> from imli import CNFClassifier
    >>> clf = CNFClassifier(n_clauses=2, lam=0.1).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [1, 0, 0, 1])
    >>> print(clf.rule_)
    IF    (x0 OR not x1)
      AND (not x0 OR x1)
    THEN  1
    ELSE  0
    >>> clf.answer_.cost, clf.answer_.status
    (0.4, 'optimal')
    """

    _kind = "cnf"


class DNFClassifier(FormulaClassifier):
    """Learns a rule "… AND … OR … AND …" for one of two classes.

    One of the clauses must hold, with all of its literals. The rule has the lowest possible sum of (weighted)
    errors and ``lam`` for each literal, among all rules that keep the conditions.

    All parameters and attributes are those of :class:`CNFClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from imli import DNFClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> clf = DNFClassifier(never="worst perimeter", max_literals=3).fit(X, y)
    >>> print(clf.rule_)
    IF    perimeter error <= 5.12 AND worst radius <= 17.38 AND worst concave points <= 0.1505
    THEN  target is 1
    ELSE  target is 0
    """

    _kind = "dnf"
