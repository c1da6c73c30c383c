"""Surrogates: rules learned from all decisions of another model, and how often they agree with it."""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from imli.errors import ConstantRuleWarning, FindingWarning, brief, suggest
from imli.estimators.base import BaseRuleClassifier
from imli.estimators.classifiers import CLASSIFIERS
from imli.estimators.parameters import read_deadline, read_seed, require_choice, require_number
from imli.estimators.validate import read_weights
from imli.explain.black_box import Box, other_than, plain_labels
from imli.learning.deadline import Deadline
from imli.learning.parameter_table import document
from imli.rules import CNF, DNF, POINT_RULES, DecisionList, DecisionSet, Formula, Kind, PairRule, Rule
from imli.rules.literals import plain_value
from imli.rules.notation import listing, write_value
from imli.table.frame import AnyArray, IntArray, Value
from imli.table.read import as_frame
from imli.table.sample import Sample

_OWNER = "surrogate"
_TRIAL_SHARE = 0.45  # of a limited time, for the rule that is tested


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """A rule that decides as a model does, as returned by :func:`imli.explain.surrogate`.

    Parameters
    ----------
    rule
        The rule, learned from all rows. Its counts are about the agreement with the model on these rows.
    fidelity
        The share of the rows held out on which ``trial`` agrees with the model.
    baseline
        The share of the rows held out for which the model decides ``majority``.
    majority
        The most frequent decision of the model.
    n_rows
        The number of all rows.
    held_out
        The positions of the rows held out.
    trial
        A rule learned with the settings of ``rule`` from the rows that were not held out.
    """

    rule: Rule
    fidelity: float
    baseline: float
    majority: Value
    n_rows: int
    held_out: tuple[int, ...]
    trial: Rule

    @property
    def size(self) -> int:
        """Return the number of atomic tests of the rule."""
        return self.rule.size

    @property
    def is_constant(self) -> bool:
        """Return True if the model makes one decision for all rows."""
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
        """Return a dict of plain values, for JSON."""
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


@document()
def surrogate(
    model: Any,
    X: Any,
    *,
    kind: Kind = "dnf",
    label: Any = None,
    test_size: float = 0.25,
    sample_weight: Any = None,
    target: str | None = None,
    random_state: Any = None,
    time_limit: float | None = None,
    **parameters: Any,
) -> Explanation:
    """Learn a rule that decides as a model does, and measure how often it agrees on rows held out.

    Some rows are held out, and a rule is learned from the others. The share of the rows held out on which it agrees
    with the model is the ``fidelity``. The ``rule`` of the result is then learned from all rows.

    Parameters
    ----------
    model
        A function that returns a label for each row of a table, or an object with such a method ``predict``: an
        estimator or a pipeline of scikit-learn, a classifier, a model or a rule of imli. It is called once, with X.
    X
        Rows that the model is made for: a data frame, an array, a list of rows or a dict of columns. Their labels
        are not needed.
    kind
        "dnf", "cnf", "list" or "set". The first two are for models of two classes.
    label
        A class of the model, to explain it against all others.
    test_size
        The share of the rows of each class to hold out.
    sample_weight
        The weight of each row.
    target
        The name of the decision in the rule.
    time_limit
        Seconds for learning both rules. The model itself is never interrupted.
    **parameters
        Parameters of the classifier, such as ``n_clauses``, ``lam`` or ``never``.

    Returns
    -------
    Explanation
        The ``rule`` with counts of all rows, and its ``fidelity``.

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
    IF      petal width > 1.6
    THEN    virginica    (96 % of the 48 rows it covers)
    ELSE IF petal width > 0.8
    THEN    versicolor   (92 % of 52)
    ELSE    setosa       (100 % of 50)
    >>> round(found.fidelity, 3)
    0.917
    """
    require_choice(_OWNER, "kind", kind, *(known for known in CLASSIFIERS if known not in POINT_RULES))
    share = require_number(_OWNER, "test_size", test_size, positive=True)
    if share >= 1:
        raise ValueError(f"{_OWNER}: test_size must be a share between 0 and 1, such as 0.25. Got {test_size!r}.")
    box, deadline = Box.around(_OWNER, model), read_deadline(_OWNER, time_limit)
    learner = _learner(kind, parameters | {"random_state": random_state})
    frame = as_frame(X)
    if not frame.n_rows or not frame.names:
        raise ValueError(f"{_OWNER}: X has no {'columns' if frame.n_rows else 'rows'}. There is nothing to learn from.")
    weights = read_weights(learner, sample_weight, frame.n_rows)
    labels = box.labels(X, frame.n_rows)
    names: dict[Value, Value] = {}
    if label is not None:
        labels, names = _against_the_rest(labels, label)
    in_use = np.flatnonzero(weights > 0)
    classes, positions = np.unique(labels[in_use], return_inverse=True)
    if len(classes) > 2 and kind in ("cnf", "dnf"):
        raise ValueError(
            f"{_OWNER}: the model decides between {len(classes)} classes, but a {kind.upper()} rule between two. "
            "Use kind='list' or 'set', or explain one class against the rest with label=…."
        )
    sample = Sample(
        frame=frame.take(in_use),
        classes=tuple(plain_labels(classes)),
        positions=positions.astype(np.int64),
        weights=weights[in_use],
        origins=in_use,
    )
    imitator = _Imitator(learner, sample, names, target, deadline)
    return imitator.constant() if len(classes) == 1 else imitator.explain(share, read_seed(random_state))


def _learner(kind: Kind, parameters: dict[str, Any]) -> BaseRuleClassifier:
    learner = CLASSIFIERS[kind]()
    known = learner.get_params(deep=False)
    for name in parameters:
        if name not in known:
            raise TypeError(f"{_OWNER}: {type(learner).__name__} has no parameter {brief(name)}.{suggest(name, known)}")
    learner.set_params(**parameters)
    return learner


def _against_the_rest(labels: AnyArray, label: Any) -> tuple[AnyArray, dict[Value, Value]]:
    """Return for each row whether it is of the class, and names for both truth values."""
    known = plain_labels(labels)
    if label not in known:
        listed = listing([write_value(each) for each in known], "and")
        raise ValueError(
            f"{_OWNER}: label must be a class that the model decides for, here {listed}. Got {brief(label)}."
        )
    others = [each for each in known if each != label]
    rest = others[0] if len(others) == 1 else other_than(label)
    return labels == label, {False: rest, True: plain_value(label)}


@dataclass(frozen=True, eq=False)
class _Imitator:
    """Learns rules from a sample whose labels are the decisions of a model."""

    learner: BaseRuleClassifier
    sample: Sample
    names: dict[Value, Value]  # of classes, where the rule has others than the sample
    target: str | None
    deadline: Deadline

    def explain(self, share: float, seed: int) -> Explanation:
        """Learn the trial rule and the rule of all rows."""
        train, test = _split(self.sample, share, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstantRuleWarning)  # once is enough: for the rule of all rows
            trial = self._learn(train, _TRIAL_SHARE)
        rule = self._learn(self.sample, 1.0)
        labels, weights = test.labels, test.weights
        majority = self.sample.classes[int(np.bincount(train.positions, weights=train.weights).argmax())]
        assert test.origins is not None
        return Explanation(
            rule=self._rename(rule),
            fidelity=float(weights[trial.predict(test.frame) == labels].sum() / weights.sum()),
            baseline=float(weights[labels == majority].sum() / weights.sum()),
            majority=self.names.get(majority, majority),
            n_rows=self.sample.n_rows,
            held_out=tuple(test.origins.tolist()),
            trial=self._rename(trial),
        )

    def constant(self) -> Explanation:
        """Return the rule for a model that makes one decision for all rows."""
        sample, (label,), kind = self.sample, self.sample.classes, self.learner._kind
        name = self.names.get(label, label)
        rule: Rule
        if kind in ("list", "set"):
            rule = {"list": DecisionList, "set": DecisionSet}[kind]((), label)
        else:
            rule = replace({"dnf": DNF(((),)), "cnf": CNF()}[kind], classes=(other_than(name), label))
        rule = self._rename(rule.counted_on(sample.frame, sample.labels, sample.weights))
        return Explanation(rule, 1.0, 1.0, name, sample.n_rows, tuple(range(sample.n_rows)), rule)

    def _learn(self, sample: Sample, share: float) -> Rule:
        """Learn in this share of the remaining time."""
        remaining = self.deadline.remaining
        limit = None if remaining is None else max(share * remaining, 1e-3)
        # the model may decide by any column, and what tells its decisions alone is no leak
        learner = self.learner.set_params(time_limit=limit, use=sample.frame.names)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FindingWarning)
            rule: Rule = learner.fit(sample.frame, sample.labels, sample.weights).rule_
        return rule

    def _rename(self, rule: Rule) -> Rule:
        """Return the rule with the names for its classes and its target."""
        names, counts = self.names, rule.counts
        if counts is not None:
            counts = replace(counts, classes=tuple(names.get(label, label) for label in counts.classes))
        changes: dict[str, Any] = {"target": self.target, "counts": counts}
        if isinstance(rule, PairRule):
            pairs = tuple((clause, names.get(label, label)) for clause, label in rule.pairs)
            return replace(rule, pairs=pairs, default=names.get(rule.default, rule.default), **changes)
        assert isinstance(rule, Formula)
        negative, positive = (names.get(label, label) for label in rule.classes)
        return replace(rule, classes=(negative, positive), **changes)


def _split(sample: Sample, share: float, seed: int) -> tuple[Sample, Sample]:
    """Return the rows to learn from and those to hold out: the same share of each class, but never all of it."""
    chance = np.random.default_rng(seed)
    by_class: list[IntArray] = [
        chance.permutation(np.flatnonzero(sample.positions == label)) for label in range(len(sample.classes))
    ]
    by_class.sort(key=len)
    n_held = [min(len(rows) - 1, round(share * len(rows))) for rows in by_class]
    n_held[-1] = max(n_held[-1], 1)  # at least one of the largest class
    if len(by_class[-1]) < 2:
        raise ValueError(
            f"{_OWNER}: X has {sample.n_rows} rows, and the model decides each otherwise. Give more rows, so that some "
            "can be held out."
        )
    test = np.concatenate([rows[:n] for rows, n in zip(by_class, n_held, strict=True)])
    train = np.concatenate([rows[n:] for rows, n in zip(by_class, n_held, strict=True)])
    return sample.take(np.sort(train)), sample.take(np.sort(test))
