"""The whole trade-off between accuracy and size in one call."""

from collections.abc import Callable
from typing import Any

from imli.estimators.base import RuleClassifier
from imli.estimators.classifiers import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier
from imli.estimators.parameters import require_choice
from imli.learning.path import RulePath
from imli.learning.path.search import N_RULES, PathProgress

_KINDS: dict[str, type[RuleClassifier]] = {
    "cnf": CNFClassifier, "dnf": DNFClassifier, "list": DecisionListClassifier, "set": DecisionSetClassifier,
}  # fmt: skip


def rule_path(
    X: Any,
    y: Any,
    kind: str = "dnf",
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
    """Rules of one kind from a single literal up, each with its training error and its cross-validated error.

    Each rule is larger than the ones before, and has fewer errors on the training rows. ``path.pick`` is the
    smallest rule that is as good as the best, within one standard error; ``print(path)`` shows them all.

    Parameters
    ----------
    X, y, sample_weight
        As in ``fit`` of the classifiers.
    kind
        "dnf", "cnf", "list" or "set".
    cv
        In how many folds to cross-validate: stratified, and no more of them than the second most frequent class has
        rows. Or a splitter of scikit-learn, or a list of splits.
    n_rules
        The most rules that the path may have. It has fewer where there are no more to find.
    random_state
        The seed of all that is left to chance. None is a seed too: the same data gives the same path.
    n_jobs
        How many threads to use; None is all cores. The path does not depend on it.
    time_limit
        Seconds after which the path ends with what there is.
    callback
        Called with a progress after each search and each fold: ``str(progress)`` says how far it has come,
        ``progress.share`` is between 0 and 1.
    **parameters
        Those of the classifier, such as ``never`` or ``n_clauses``. They hold for every rule of the path.

    Returns
    -------
    RulePath
        A sequence of points. If Ctrl-C is pressed, the path so far is in the ``PathInterrupted`` that is raised.

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
    require_choice("rule_path", "kind", kind, *_KINDS)
    if (lam := parameters.pop("lam", "auto")) not in ("auto", "cv"):
        raise ValueError(f"rule_path: lam has no place here, since the path goes through all values. Got {lam!r}.")
    run = {"random_state": random_state, "n_jobs": n_jobs, "time_limit": time_limit, "callback": callback}
    return _KINDS[kind](**parameters, **run, lam="cv", cv=cv)._path(X, y, sample_weight, n_rules)
