"""A rule for a model, and how often it decides as the model does.

A rule for all that a model decides.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from imli.errors import ConstantRuleWarning, suggest
from imli.estimators import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier
from imli.estimators.base import RuleClassifier
from imli.estimators.parameters import require_choice, require_number
from imli.estimators.validate import read_weights
from imli.explain.black_box import Box, other_than, plain_labels
from imli.learning.answer import Deadline
from imli.rules import CNF, DNF, DecisionList, DecisionSet, Formula, PairRule, Rule
from imli.rules.literals import plain_value
from imli.rules.notation import listing, write_value
from imli.table.frame import AnyArray, FloatArray, Frame, IntArray, Value
from imli.table.read import as_frame


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """A rule that decides as a model does. It is what :func:`imli.explain.surrogate` returns.

    The ``rule`` was learned from all rows, and its counts say how often it agrees with the model on them. The
    ``fidelity`` is honest: the share of the rows ``held_out`` on which ``trial``, a rule that was learned the same way
    from the other rows, agrees with the model. The ``baseline`` is that share for whoever always says ``majority``.
    """

    rule: Rule
    fidelity: float
    baseline: float
    majority: Value
    n_rows: int
    held_out: tuple[int, ...]  # places in the table
    trial: Rule

    @property
    def size(self) -> int:
        """How many atomic tests the rule makes."""
        return self.rule.size

    @property
    def is_constant(self) -> bool:
        """Whether the model decides all rows alike."""
        return self.baseline == 1 and not self.rule.literals and len(self.held_out) == self.n_rows

    def __str__(self) -> str:
        from imli.explain.sentences import write_surrogate

        return write_surrogate(self)

    def __repr__(self) -> str:
        return f"<Explanation, fidelity {self.fidelity:.3f}, size {self.size}>\n{self}"

    def _repr_html_(self) -> str:
        from imli.explain.sentences import surrogate_to_html

        return surrogate_to_html(self)

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values, for JSON."""
        return {
            "rule": self.rule.to_dict(),
            "text": str(self.rule),
            "size": self.size,
            "n_conditions": self.rule.n_conditions,
            "fidelity": self.fidelity,
            "baseline": self.baseline,
            "majority": self.majority,
            "n_rows": self.n_rows,
            "n_held_out": len(self.held_out),
        }


_OWNER = "surrogate"
_KINDS: dict[str, type[RuleClassifier]] = {
    "cnf": CNFClassifier, "dnf": DNFClassifier, "list": DecisionListClassifier, "set": DecisionSetClassifier,
}  # fmt: skip
_TRIAL_SHARE = 0.45  # of the time, where that is limited


def surrogate(
    model: Any,
    X: Any,
    *,
    kind: str = "dnf",
    label: Any = None,
    test_size: float = 0.25,
    sample_weight: Any = None,
    target: str | None = None,
    random_state: Any = None,
    time_limit: float | None = None,
    **parameters: Any,
) -> Explanation:
    """A rule that decides as a model does, and how often it does so on rows that it was not learned from.

    Some rows are held out, and a rule is learned from the others. How often it decides the rows held out as the model
    does is the ``fidelity``. The ``rule`` itself is then learned the same way from all rows.

    Parameters
    ----------
    model
        A function that gives a label for each row of a table, or anything with such a method ``predict``: an estimator
        or a pipeline of scikit-learn, a classifier, a model or a rule of imli. It is asked once, about X as it is.
    X
        Rows that the model is made for: a data frame, an array, a list of rows or a dict of columns. Their labels
        are not needed.
    kind
        "dnf", "cnf", "list" or "set". The first two are for models of two classes.
    label
        A class of the model, to explain it against all others.
    test_size
        The share of rows to hold out; each class of the model is held out in the same share.
    sample_weight
        How much each row counts; one number per row.
    target
        What the decision is called in the rule.
    random_state
        The seed of all that is left to chance. None is a seed too: the same question gets the same answer.
    time_limit
        Seconds for both rules together. The model itself is never interrupted.
    **parameters
        Those of the classifier, such as ``n_clauses``, ``lam`` or ``never``.

    Returns
    -------
    Explanation
        The ``rule``, whose counts are of all rows, and its ``fidelity``.

    Examples
    --------
    >>> import imli
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> data = load_iris(as_frame=True)
    >>> X = data.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    >>> forest = RandomForestClassifier(random_state=0).fit(X, data.target_names[data.target])
    >>> found = imli.explain.surrogate(forest, X, kind="list", n_clauses=2)
    >>> print(found.rule)
    IF      petal width <= 0.6
    THEN    setosa       (100 % of the 50 rows it covers)
    ELSE IF petal length <= 4.9 AND petal width <= 1.6
    THEN    versicolor   (100 % of 47)
    ELSE    virginica    (94 % of 53)
    >>> round(found.fidelity, 3)
    0.944
    """
    require_choice(_OWNER, "kind", kind, *_KINDS)
    share = require_number(_OWNER, "test_size", test_size, positive=True)
    if share >= 1:
        raise ValueError(f"{_OWNER}: test_size must be a share between 0 and 1, such as 0.25. Got {test_size!r}.")
    box, deadline = Box.around(_OWNER, model), _deadline(time_limit)
    learner = _learner(kind, parameters | {"random_state": random_state})
    frame = as_frame(X)
    if not frame.n_rows or not frame.names:
        raise ValueError(f"{_OWNER}: X has no {'columns' if frame.n_rows else 'rows'}. There is nothing to learn from.")
    weights = read_weights(learner, sample_weight, frame.n_rows)
    labels = box.labels(X, frame.n_rows)
    names: dict[Value, Value] = {}
    if label is not None:
        labels, names = _against_the_rest(labels, label)
    classes = plain_labels(labels[weights > 0])
    if len(classes) > 2 and kind in ("cnf", "dnf"):
        raise ValueError(
            f"{_OWNER}: the model decides between {len(classes)} classes, but a {kind.upper()} rule between two. "
            "Use kind='list' or 'set', or explain one class against the rest with label=…."
        )
    asked = _Asked(learner, frame, labels, weights, names, target, deadline)
    if len(classes) == 1:
        return asked.constant()
    return asked.explain(share, 0 if random_state is None else int(check_random_state(random_state).randint(2**31)))


def _deadline(time_limit: Any) -> Deadline:
    if time_limit is None:
        return Deadline()
    return Deadline.after(require_number(_OWNER, "time_limit", time_limit, positive=True, also=" of seconds"))


def _learner(kind: str, parameters: dict[str, Any]) -> RuleClassifier:
    learner = _KINDS[kind]()
    known = learner.get_params(deep=False)
    for name in parameters:
        if name not in known:
            raise TypeError(f"{_OWNER}: {type(learner).__name__} has no parameter {name!r}.{suggest(name, known)}")
    learner.set_params(**parameters)
    return learner


class _Asked:
    """Rows, what a model decides for them, and who learns it."""

    def __init__(
        self,
        learner: RuleClassifier,
        frame: Frame,
        labels: AnyArray,
        weights: FloatArray,
        names: dict[Value, Value],
        target: str | None,
        deadline: Deadline,
    ) -> None:
        in_use = np.flatnonzero(weights > 0)
        self._in_use = in_use
        self._learner, self._names, self._target, self._deadline = learner, names, target, deadline
        self._frame, self._labels, self._weights = frame.take(in_use), labels[in_use], weights[in_use]

    def explain(self, share: float, seed: int) -> Explanation:
        train, test = _split(self._labels, share, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstantRuleWarning)  # the rule that is shown says it
            trial = self._learn(train, _TRIAL_SHARE)
        rule = self._learn(np.arange(len(self._labels)), 1.0)
        decided = trial.predict(self._frame.take(test))
        weights = self._weights[test]
        majority = _heaviest(self._labels[train], self._weights[train])
        return Explanation(
            rule=self._named(rule),
            fidelity=float(weights[decided == self._labels[test]].sum() / weights.sum()),
            baseline=float(weights[self._labels[test] == majority].sum() / weights.sum()),
            majority=self._names.get(majority, majority),
            n_rows=len(self._labels),
            held_out=tuple(self._in_use[test].tolist()),
            trial=self._named(trial),
        )

    def constant(self) -> Explanation:
        """The rule for a model that decides all rows alike."""
        label = plain_value(self._labels[0])
        rule: Rule
        if self._learner._kind in ("list", "set"):
            rule = {"list": DecisionList, "set": DecisionSet}[self._learner._kind]((), label)
        else:
            rule = {"dnf": DNF(((),)), "cnf": CNF()}[self._learner._kind]
            rule = replace(rule, classes=(other_than(self._names.get(label, label)), label))
        rule = self._named(rule.counted_on(self._frame, self._labels, self._weights))
        n_rows = len(self._labels)
        return Explanation(rule, 1.0, 1.0, self._names.get(label, label), n_rows, tuple(range(n_rows)), rule)

    def _learn(self, rows: IntArray, share: float) -> Rule:
        remaining = self._deadline.remaining
        limit = None if remaining is None else max(share * remaining, 1e-3)
        learner = self._learner.set_params(time_limit=limit)
        rule: Rule = learner.fit(self._frame.take(rows), self._labels[rows], self._weights[rows]).rule_
        return rule

    def _named(self, rule: Rule) -> Rule:
        """The same rule with the classes and the target as they are called."""
        names, counts = self._names, rule.counts
        if counts is not None:
            counts = replace(counts, classes=tuple(names.get(label, label) for label in counts.classes))
        changes: dict[str, Any] = {"target": self._target, "counts": counts}
        if isinstance(rule, PairRule):
            pairs = tuple((clause, names.get(label, label)) for clause, label in rule.pairs)
            return replace(rule, pairs=pairs, default=names.get(rule.default, rule.default), **changes)
        assert isinstance(rule, Formula)
        negative, positive = (names.get(label, label) for label in rule.classes)
        return replace(rule, classes=(negative, positive), **changes)


def _against_the_rest(labels: AnyArray, label: Any) -> tuple[AnyArray, dict[Value, Value]]:
    """Whether each row is of the class, and how that is said."""
    known = plain_labels(labels)
    if label not in known:
        listed = listing([write_value(each) for each in known], "and")
        raise ValueError(f"{_OWNER}: label must be a class that the model decides for, here {listed}. Got {label!r}.")
    others = [each for each in known if each != label]
    rest = others[0] if len(others) == 1 else other_than(label)
    return labels == label, {False: rest, True: plain_value(label)}


def _split(labels: AnyArray, share: float, seed: int) -> tuple[IntArray, IntArray]:
    """Rows to learn from and rows to hold out: of each class the same share, but never all."""
    chance = np.random.default_rng(seed)
    by_class = [chance.permutation(np.flatnonzero(labels == label)) for label in np.unique(labels)]
    by_class.sort(key=len)
    n_held = [min(len(rows) - 1, round(share * len(rows))) for rows in by_class]
    n_held[-1] = max(n_held[-1], 1)  # at least one of the largest class
    if len(by_class[-1]) < 2:
        raise ValueError(
            f"{_OWNER}: X has {len(labels)} rows, and the model decides each otherwise. Give more rows, so that some "
            "can be held out."
        )
    test = np.concatenate([rows[:n] for rows, n in zip(by_class, n_held, strict=True)])
    train = np.concatenate([rows[n:] for rows, n in zip(by_class, n_held, strict=True)])
    return np.sort(train), np.sort(test)


def _heaviest(labels: AnyArray, weights: FloatArray) -> Value:
    """The class that weighs most."""
    known, positions = np.unique(labels, return_inverse=True)
    return plain_value(known[np.bincount(positions, weights=weights).argmax()])
