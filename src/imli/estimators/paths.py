"""Function that learns a path of rules from short to long."""

from collections.abc import Callable
from typing import Any

from imli.estimators.classifiers import (
    CLASSIFIERS,
)
from imli.estimators.parameters import require_choice
from imli.learning.parameter_table import document
from imli.learning.path import RulePath
from imli.learning.path.search import N_RULES, PathProgress
from imli.rules import Kind


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
    smallest rule whose cross-validated error is within one standard error of the lowest; ``print(path)`` shows all.

    Parameters
    ----------
    X
        Table of rows, as in ``fit`` of the classifiers.
    y
        Labels, one per row.
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
       1           1           7.9 %      10.4 % ± 1.0
       2           2           4.7 %       6.5 % ± 0.7
       4           4           3.2 %       6.9 % ± 1.1
       5           5           2.5 %       5.8 % ± 1.3  pick
       7           7           2.3 %       5.3 % ± 1.1  best
    <BLANKLINE>
    Best is the lowest error in the folds; pick is the smallest rule within one standard error of it:
    <BLANKLINE>
    IF    worst area <= 726 AND worst concave points <= 0.1775
       OR smoothness error <= 0.008 AND worst radius <= 18.5 AND worst smoothness <= 0.1358
    THEN  target is 1   (97 % of the 363 rows it covers)
    ELSE  target is 0   (98 % of 206)
    >>> path.pick.lam, path.pick.rule.n_conditions
    (1.4, 5)
    """
    require_choice("rule_path", "kind", kind, *CLASSIFIERS)
    if (lam := parameters.pop("lam", "auto")) not in ("auto", "cv"):
        raise ValueError(f"rule_path: lam has no place here, since the path goes through all values. Got {lam!r}.")
    run = {"random_state": random_state, "n_jobs": n_jobs, "time_limit": time_limit, "callback": callback}
    return CLASSIFIERS[kind](**parameters, **run, lam="cv", cv=cv)._path(X, y, sample_weight, n_rules)
