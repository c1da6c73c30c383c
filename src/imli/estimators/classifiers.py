"""The four classifiers: formulas for two classes, and decision lists and sets for two or more."""

from imli.estimators.base import RuleClassifier
from imli.learning.parameter_table import ATTRIBUTES, document
from imli.rules import Kind


@document(ATTRIBUTES)
class CNFClassifier(RuleClassifier):
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
class DNFClassifier(RuleClassifier):
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
    IF    worst area <= 685
       OR worst radius <= 17.5 AND worst smoothness <= 0.1376
    THEN  target is 1   (96 % of the 363 rows it covers)
    ELSE  target is 0   (96 % of 206)

    A clause that is given, and one that is learned around it:

    >>> clf = DNFClassifier(n_clauses=1, locked="worst area <= 700 AND worst texture <= 25").fit(X, y)
    >>> print(clf.rule_)
    IF    worst area <= 700 AND worst texture <= 25
       OR worst radius <= 17.5 AND worst concave points <= 0.1454
    THEN  target is 1   (96 % of the 364 rows it covers)
    ELSE  target is 0   (96 % of 205)
    """

    _kind = "dnf"


@document(ATTRIBUTES)
class DecisionListClassifier(RuleClassifier):
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
    IF      petal width <= 0.6
    THEN    setosa       (100 % of the 50 rows it covers)
    ELSE IF petal length <= 4.9 AND petal width <= 1.6
    THEN    versicolor   (100 % of 47)
    ELSE    virginica    (94 % of 53)
    """

    _kind = "list"


@document(ATTRIBUTES)
class DecisionSetClassifier(RuleClassifier):
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
    IF petal width > 1.7 THEN virginica    (98 % of the 46 rows it covers)
    IF petal width > 0.6 THEN versicolor   (50 % of 100)
    OTHERWISE setosa                       (100 % of 50; 46 rows are covered by several)
    """

    _kind = "set"


CLASSIFIERS: dict[Kind, type[RuleClassifier]] = {
    "cnf": CNFClassifier, "dnf": DNFClassifier, "list": DecisionListClassifier, "set": DecisionSetClassifier,
}  # fmt: skip
