"""The classifiers: formulas, scores and checklists for two classes, lists and sets for more; and paths of rules."""

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from imli.estimators.base import BATCH_SIZE, ROUNDS, BaseRuleClassifier
from imli.estimators.parameters import require_choice
from imli.estimators.validate import read_table
from imli.learning.parameter_table import ATTRIBUTES, LamName, Loss, document
from imli.learning.path import RulePath
from imli.learning.path.search import N_RULES, PathProgress
from imli.rules import POINT_RULES, Kind, PointRule
from imli.table.frame import FloatArray


@document(ATTRIBUTES)
class CNFClassifier(BaseRuleClassifier):
    """Classifier that learns a rule "(… OR …) AND (… OR …)" for one of two classes.

    All clauses must hold, each by at least one of its conditions, such as ``age > 40``. The search minimizes the sum
    of the (weighted) errors and of ``lam`` for each condition, among all rules that the other parameters allow.

    Examples
    --------
    >>> from imli import CNFClassifier
    >>> clf = CNFClassifier(n_clauses=2, lam=0.1, strategy="exact")
    >>> clf = clf.fit([[0, 0], [0, 1], [1, 0], [1, 1]], [1, 0, 0, 1])
    >>> print(clf.rule_)
    IF    (x0 OR not x1)
      AND (not x0 OR x1)
    THEN  1   (100 % of the 2 rows it covers)
    ELSE  0   (100 % of 2)
    >>> clf.answer_.cost, clf.answer_.status
    (0.4, 'optimal')
    """

    _kind = "cnf"


@document(ATTRIBUTES)
class DNFClassifier(BaseRuleClassifier):
    """Classifier that learns a rule "… AND … OR … AND …" for one of two classes.

    One of the clauses must hold, with all of its conditions, such as ``age > 40``. The search minimizes the sum of
    the (weighted) errors and of ``lam`` for each condition, among all rules that the other parameters allow.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from imli import DNFClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> clf = DNFClassifier(never="worst perimeter", max_literals=3).fit(X, y)
    >>> print(clf.rule_)
    IF    worst area <= 960 AND worst concave points <= 0.16
    THEN  target is 1   (94 % of the 374 rows it covers)
    ELSE  target is 0   (97 % of 195)

    A clause that is given, and one that is learned around it:

    >>> clf = DNFClassifier(n_clauses=1, locked="worst area <= 700 AND worst texture <= 25").fit(X, y)
    >>> print(clf.rule_)
    IF    worst area <= 700 AND worst texture <= 25
       OR worst area <= 960 AND worst concave points <= 0.1458
    THEN  target is 1   (96 % of the 365 rows it covers)
    ELSE  target is 0   (97 % of 204)
    """

    _kind = "dnf"


@document(ATTRIBUTES)
class DecisionListClassifier(BaseRuleClassifier):
    """Classifier that learns a rule "IF … ELSE IF … ELSE …" for two or more classes.

    The first clause that holds decides. A clause is made of conditions, such as ``age > 40``. The search minimizes
    the sum of the (weighted) errors and of ``lam`` for each condition, among all rules that the other parameters allow.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from imli import DecisionListClassifier
    >>> data = load_iris(as_frame=True)
    >>> X = data.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    >>> clf = DecisionListClassifier(n_clauses=2).fit(X, data.target_names[data.target])
    >>> print(clf.rule_)
    IF      petal width > 1.6
    THEN    virginica    (96 % of the 48 rows it covers)
    ELSE IF petal width > 0.8
    THEN    versicolor   (92 % of 52)
    ELSE    setosa       (100 % of 50)
    """

    _kind = "list"


@document(ATTRIBUTES)
class DecisionSetClassifier(BaseRuleClassifier):
    """Classifier that learns independent rules "IF … THEN …" for two or more classes, and a default class.

    If clauses of several classes hold, the class with most of them is decided; if several classes have equally many,
    the class of the first clause. A clause is made of conditions, such as ``age > 40``. The search minimizes the sum
    of the (weighted) errors and of ``lam`` for each condition, among all rules that the other parameters allow.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from imli import DecisionSetClassifier
    >>> data = load_iris(as_frame=True)
    >>> X = data.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    >>> clf = DecisionSetClassifier(n_clauses=2, lam=2).fit(X, data.target_names[data.target])
    >>> print(clf.rule_)
    IF petal width > 1.6 THEN virginica    (96 % of the 48 rows it covers)
    IF petal width > 0.8 THEN versicolor   (50 % of 100)
    OTHERWISE setosa                       (100 % of 50; 48 rows are covered by several clauses)
    """

    _kind = "set"


# Parameters of the other kinds that scores and checklists do not have.
_NOT_OF_CARDS = ("n_clauses", "strategy", "batch_size", "rounds", "prove", "cv", "memory")


class PointClassifier(BaseRuleClassifier):
    """Base class of the classifiers that learn scores and checklists."""

    _room: ClassVar[str] = "max_items"

    n_clauses, strategy, batch_size, rounds, prove, cv, memory = 20, "joint", BATCH_SIZE, ROUNDS, False, 5, 0

    def __init__(
        self,
        max_items: int = 20,
        lam: float | LamName = "auto",
        *,
        max_points: int = 5,
        item_literals: int = 1,
        loss: Loss | None = None,
        refine: bool = False,
        **parameters: Any,
    ) -> None:
        for name in _NOT_OF_CARDS:
            if name in parameters:
                raise TypeError(f"{type(self).__name__} has no parameter {name!r}.")
        super().__init__(lam=lam, refine=refine, **parameters)
        for name in _NOT_OF_CARDS:
            delattr(self, name)
        self.max_items, self.max_points, self.item_literals, self.loss = max_items, max_points, item_literals, loss

    @property
    def partial_fit(self) -> Any:
        """Raise AttributeError, since a score is learned from all rows at once."""
        raise AttributeError(
            f"{type(self).__name__} has no partial_fit: it learns from all rows at once. Call fit on all of them, "
            "with warm_start=True to start from the last rule."
        )

    def decision_function(self, X: Any) -> FloatArray:
        """Return how far the total of each row is above the threshold, from half a point below it.

        Where the positive class is the first of ``classes_``, the sign is turned, so that a number above 0 is a
        decision for the second one.

        Parameters
        ----------
        X
            Table with the columns of ``fit``, in the same order.

        Returns
        -------
        numpy.ndarray
            Numbers, one per row.
        """
        check_is_fitted(self)
        rule = self.rule_
        assert isinstance(rule, PointRule)
        frame = read_table(self, X, reset=False)
        totals = rule.totals(rule.holds_in(frame), frame.n_rows)
        above: FloatArray = totals.astype(np.float64) - (rule.threshold - 0.5)
        return above if self.positive_ == self.classes_.tolist()[1] else -above


def _signature(*left_out: str) -> Signature:
    """Return the signature of a constructor, with the parameters of all kinds that scores and checklists have, too."""
    own = {name: part for name, part in signature(PointClassifier.__init__).parameters.items() if name != "parameters"}
    shared = signature(BaseRuleClassifier.__init__).parameters
    others = {name: part.replace(kind=Parameter.KEYWORD_ONLY) for name, part in shared.items() if name not in own}
    return Signature([part for name, part in (own | others).items() if name not in (*_NOT_OF_CARDS, *left_out)])


@document(ATTRIBUTES)
class ScoreClassifier(PointClassifier):
    """Classifier that learns a score: conditions with whole points that add up, for one of two classes.

    A row is decided for the positive class if the points of the conditions that hold reach the threshold, and more
    points make that class more probable. The search minimizes the sum of the log-loss, in nats, and of ``lam`` for
    each condition, among all scores that the other parameters allow.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from imli import ScoreClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> clf = ScoreClassifier(max_items=4, max_points=3).fit(X, y)
    >>> print(clf.rule_)
    ADD   3 points if mean concave points <= 0.0482
          3 points if worst area <= 926
          2 points if worst texture <= 26
          2 points if worst perimeter <= 101.1
    IF    5 points or more
    THEN  target is 1   (95 % of the 373 rows it covers)
    ELSE  target is 0   (98 % of 196)
            (chance of 1: 1 % at 0, 6 % at 2, 15 % at 3, 54 % at 5, 75 % at 6, 89 % at 7, 95 % at 8, 99 % at 10)
    """

    _kind = "score"

    def __init__(self, *args: Any, **parameters: Any) -> None:
        super().__init__(*args, **parameters)

    __init__.__signature__ = _signature()  # type: ignore[attr-defined]


@document(ATTRIBUTES)
class ChecklistClassifier(PointClassifier):
    """Classifier that learns a checklist: a row is decided for one of two classes if enough of the conditions hold.

    The search minimizes the sum of the (weighted) errors and of ``lam`` for each condition, among all checklists that
    the other parameters allow.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from imli import ChecklistClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> clf = ChecklistClassifier(max_items=5).fit(X, y)
    >>> print(clf.rule_)
    COUNT if mean concave points <= 0.0482
          if worst texture <= 25.4
          if worst area <= 685
          if worst area <= 926
          if worst smoothness <= 0.146
    IF    at least 3 of these 5
    THEN  target is 1   (98 % of the 360 rows it covers)
    ELSE  target is 0   (98 % of 209)
            (chance of 1: 0 % at 0, 3 % at 1, 24 % at 2, 78 % at 3, 97 % at 4, 100 % at 5)
    """

    _kind = "checklist"

    def __init__(self, *args: Any, **parameters: Any) -> None:
        if "max_points" in parameters:
            raise TypeError("ChecklistClassifier has no parameter 'max_points'.")
        super().__init__(*args, **parameters)
        del self.max_points  # which are 1

    __init__.__signature__ = _signature("max_points")  # type: ignore[attr-defined]


CLASSIFIERS: dict[Kind, type[BaseRuleClassifier]] = {
    "cnf": CNFClassifier, "dnf": DNFClassifier, "list": DecisionListClassifier, "set": DecisionSetClassifier,
    "score": ScoreClassifier, "checklist": ChecklistClassifier,
}  # fmt: skip


@document()
def rule_path(
    X: Any,
    y: Any,
    kind: Kind = "dnf",
    *,
    cv: Any = 5,
    n_rules: int = N_RULES,
    sample_weight: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    callback: Callable[[PathProgress], None] | None = None,
    **parameters: Any,
) -> RulePath:
    """Learn rules of one kind from short to long, with their training errors and cross-validated errors.

    Each rule is larger than the ones before, and has fewer errors on the training rows. ``path.pick`` is the
    smallest rule that, fold by fold, is not clearly worse than the best; ``print(path)`` shows all.

    Parameters
    ----------
    X
        Table of rows, as in ``fit`` of the classifiers.
    y
        Labels, one per row.
    kind
        Kind of the rules: "cnf", "dnf", "list" or "set".
    sample_weight
        Weights, one number per row. Rows of weight 0 are ignored.
    time_limit
        Seconds after which the search ends with the rules found so far.
    callback
        Function that is called with a ``PathProgress`` after each search and each fold. ``str(progress)`` is a
        sentence, ``progress.share`` a number between 0 and 1.
    **parameters
        Other parameters of the classifier, such as ``never`` or ``n_clauses``, which hold for every rule of the path.

    Returns
    -------
    RulePath
        Points of the path, from the smallest rule to the largest.

    Raises
    ------
    PathInterrupted
        If Ctrl-C is pressed. The exception has the path so far.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from imli import rule_path
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> path = rule_path(X, y, n_rules=5, n_clauses=2, never="worst perimeter")
    >>> print(path)
    size  conditions  training error  error in 5 folds
       1           1           7.9 %      10.5 % ± 1.1
       2           2           4.7 %       6.7 % ± 0.6
       4           4           3.2 %       5.1 % ± 1.7  pick
       5           5           2.6 %       4.7 % ± 1.7  best
       7           7           1.9 %       4.7 % ± 1.7
    <BLANKLINE>
    Best is the lowest error in the folds; pick is the smallest rule that is not clearly worse, fold by fold:
    <BLANKLINE>
    IF    worst area <= 728 AND worst concave points <= 0.175
       OR worst radius <= 17.55 AND worst smoothness <= 0.1376
    THEN  target is 1   (97 % of the 363 rows it covers)
    ELSE  target is 0   (97 % of 206)
    >>> path.pick.lam, path.pick.rule.n_conditions
    (3.7, 4)
    """
    require_choice("rule_path", "kind", kind, *(known for known in CLASSIFIERS if known not in POINT_RULES))
    if (lam := parameters.pop("lam", "auto")) not in ("auto", "cv"):
        raise ValueError(f"rule_path: lam has no place here, since the path goes through all values. Got {lam!r}.")
    run = {"random_state": random_state, "n_jobs": n_jobs, "time_limit": time_limit, "callback": callback}
    return CLASSIFIERS[kind](**parameters, **run, lam="cv", cv=cv)._path(X, y, sample_weight, n_rules)
