"""Classifiers that learn a decision list or a decision set, for two or more classes."""

from typing import Self

from imli.arrays import AnyArray, BoolArray, IntArray
from imli.estimators.streaming import StreamingClassifier
from imli.estimators.tables import many_classes


class PairClassifier(StreamingClassifier):
    """A classifier of two or more classes."""

    def _classes(self, blank: Self, labels: AnyArray, in_use: BoolArray) -> tuple[AnyArray, IntArray]:
        return many_classes(blank, labels, in_use)


class DecisionListClassifier(PairClassifier):
    """Learns a rule "IF … ELSE IF … ELSE …" for two or more classes: the first clause that holds decides.

    All parameters and attributes are those of :class:`CNFClassifier`; ``n_clauses`` counts the clauses, and the
    default class comes on top.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from imli import DecisionListClassifier
    >>> data = load_iris(as_frame=True)
    >>> X = data.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    >>> clf = DecisionListClassifier(n_clauses=2).fit(X, data.target_names[data.target])
    >>> print(clf.rule_)
    IF      petal width <= 0.6
    THEN    setosa       (100 % of the 50 rows it covers)
    ELSE IF petal length <= 4.9 AND petal width <= 1.6
    THEN    versicolor   (100 % of 47)
    ELSE    virginica    (94 % of 53)
    """

    _kind = "list"


class DecisionSetClassifier(PairClassifier):
    """Learns independent rules "IF … THEN …", each for one of two or more classes, and a default class.

    Where rules of several classes hold, the class for which most of them speak is decided; among equals, the
    one whose rule stands first. All parameters and attributes are those of :class:`CNFClassifier`; ``n_clauses``
    counts the clauses, and the default class comes on top.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from imli import DecisionSetClassifier
    >>> data = load_iris(as_frame=True)
    >>> X = data.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    >>> clf = DecisionSetClassifier(n_clauses=2, lam=2).fit(X, data.target_names[data.target])
    >>> print(clf.rule_)
    IF petal width > 1.7 THEN virginica    (98 % of the 46 rows it covers)
    IF petal width > 0.6 THEN versicolor   (50 % of 100)
    OTHERWISE setosa                       (100 % of 50; 46 rows are covered by several)
    """

    _kind = "set"
