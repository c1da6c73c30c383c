"""The classifier that chooses its kind of rule by cross-validation."""

from contextlib import suppress
from dataclasses import replace
from inspect import Parameter, signature
from math import sqrt
from typing import Any
from typing import Literal as OneOf

import numpy as np

from imli.estimators.base import BaseRuleClassifier
from imli.estimators.parameters import choose_positive, count_threads, require_choice
from imli.estimators.validate import class_factors
from imli.learning.backends import Native
from imli.learning.deadline import SearchSettings
from imli.learning.fit import finished
from imli.learning.lam import deal_counts
from imli.learning.parameter_table import ATTRIBUTES, document
from imli.learning.rows.engine import DRAWN, SampleInParts
from imli.learning.strategies import Iterative, Joint
from imli.rules import PAIR_RULES, POINT_RULES, RULES, Kind, Rule
from imli.rules.literals import Literal
from imli.table.frame import BoolArray
from imli.table.sample import Sample, least_rows

_ORDER: tuple[Kind, ...] = (
    "dnf",
    "cnf",
    "checklist",
    "score",
    "list",
    "set",
)  # among kinds that are equally good and equally long
# Enough to tell kinds apart.
_CLOSE = 2.0  # standard errors of the difference; with one, a set of eight clauses was chosen for tumours
_EFFORT, _TIME_SHARE = 0.03, 0.3
_FEW_ROWS, _MANY_FOLDS, _FEW_FOLDS = 2_000, 5, 3
_FEWEST_ROWS = 5  # of the second largest class; with fewer, folds say nothing


@document(
    {
        **ATTRIBUTES,
        "kind_": "Kind of the learned rule.",
        "kind_errors_": "Cross-validated error of each kind that was tried, as a share of the rows. It exists with "
        '``kind="auto"`` only.',
    }
)
class RuleClassifier(BaseRuleClassifier):
    """Classifier that learns a rule of the kind that suits the table best, for two or more classes.

    With ``kind="auto"`` the kinds that the other parameters allow are tried on rows held out, quickly and on some
    10,000 rows at most: all six kinds for two classes, list and set for more. The kind with the shortest
    rules is chosen among those whose error is within two standard errors of the lowest. The rule is then the one that
    ``DNFClassifier``, ``CNFClassifier``, ``ScoreClassifier``, ``ChecklistClassifier``, ``DecisionListClassifier`` or
    ``DecisionSetClassifier`` would learn. Scores are not tried with ``memory``, in batches, and with ``lam="cv"``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from imli import RuleClassifier
    >>> data = load_iris(as_frame=True)
    >>> X = data.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    >>> clf = RuleClassifier(n_clauses=2).fit(X, data.target_names[data.target])
    >>> clf.kind_, clf.rule_.n_conditions
    ('list', 2)
    """

    _kind: Kind = "list"  # until one is chosen

    kind_errors_: dict[Kind, float]

    def __init__(self, kind: Kind | OneOf["auto"] = "auto", **parameters: Any) -> None:
        self.kind = kind
        super().__init__(**parameters)

    _own, *_others = signature(BaseRuleClassifier.__init__).parameters.values()
    __init__.__signature__ = signature(BaseRuleClassifier.__init__).replace(  # type: ignore[attr-defined]
        parameters=[
            _own,
            Parameter("kind", Parameter.POSITIONAL_OR_KEYWORD, default="auto", annotation=Kind | OneOf["auto"]),
            *(other.replace(kind=Parameter.KEYWORD_ONLY) for other in _others),
        ]
    )
    del _own, _others

    @property
    def kind_(self) -> Kind:
        """Return the kind of the learned rule."""
        return self.rule_.kind

    @property
    def _most_classes(self) -> int | None:
        return None if self.kind in ("auto", *PAIR_RULES) else 2

    def _takes(self, kind: Kind) -> bool:
        return self.kind in ("auto", kind)

    def _choose_kind(
        self, sample: Sample | SampleInParts, settings: SearchSettings, goes_on: bool = False
    ) -> Rule | None:
        require_choice(type(self).__name__, "kind", self.kind, "auto", *RULES)
        self.__dict__.pop("kind_errors_", None)
        goes_on = goes_on or bool(self.memory)
        if self.kind != "auto":
            if goes_on and self.kind in POINT_RULES:
                raise ValueError(
                    f"RuleClassifier: a {self.kind} is learned from all rows at once, without memory and partial_fit. "
                    "Call fit on all rows, or choose another kind."
                )
            self._kind = self.kind
            return None
        kinds = (kind for kind in _ORDER if len(sample.classes) == 2 or kind in PAIR_RULES)
        contest = _Contest(self, sample, settings, tuple(k for k in kinds if not (goes_on and k in POINT_RULES)))
        try:
            contest.run()
        except KeyboardInterrupt:
            settings.stop.set()
        self._kind, self.kind_errors_ = contest.pick()
        if not settings.stop.is_set() or not contest.rules[self._kind]:
            return None
        self.positive_ = contest.learners[self._kind].positive
        return contest.rules[self._kind][-1]


class _Contest:
    """Rules of each kind, learned on all folds but one, and where they are wrong."""

    def __init__(
        self, clf: RuleClassifier, sample: Sample | SampleInParts, settings: SearchSettings, kinds: tuple[Kind, ...]
    ) -> None:
        drawn = least_rows(sample, DRAWN) if isinstance(sample, Sample) else sample.look.drawn
        assert drawn is not None
        self._sample = rows = replace(least_rows(drawn, DRAWN, settings.seed), left_out=sample.left_out)
        self._settings = settings.sooner(_TIME_SHARE)
        self._kinds = kinds
        self.learners: dict[Kind, RuleClassifier] = {}
        self.rules: dict[Kind, list[Rule]] = {kind: [] for kind in self._kinds}
        for kind in self._kinds:
            with suppress(ValueError, TypeError):  # parameters that are for no kind are refused by the fit itself
                self.learners[kind] = _learner(clf, kind, sample, rows, settings)
        factors = class_factors(clf, clf.class_weight, clf.classes_, sample.class_weights) if self.learners else None
        self._n_rows = rows.weights / rows.row_weight  # for each row, which may stand for several
        self._worth = rows.row_weight * (1.0 if factors is None else factors[rows.positions])  # of one of these
        by_class = np.bincount(rows.positions, weights=self._n_rows, minlength=2)
        n_folds = _MANY_FOLDS if self._n_rows.sum() < _FEW_ROWS else _FEW_FOLDS
        has_choice = len(self.learners) > 1 and np.sort(by_class)[-2] >= _FEWEST_ROWS
        dealt = deal_counts(self._n_rows, rows.positions, n_folds if has_choice else 0)
        self._held = np.minimum(dealt, self._n_rows)
        self._stand_for = sample.weight / rows.weight * n_folds / (n_folds - 1)
        for learner in self.learners.values():
            if not isinstance(learner.lam, str):
                learner.lam /= self._stand_for

    def run(self) -> None:
        """Learn a rule of each kind without each of the folds, as long as there is time."""
        rows, left = self._sample, len(self._held) * len(self.learners)
        for held in self._held:
            weights = (self._n_rows - held) * rows.row_weight
            part = replace(rows, weights=weights, stand_for=self._stand_for).take(weights > 0)
            literals = None  # which are those of the first kind for all
            for kind, learner in list(self.learners.items()):
                if self._settings.is_over:
                    return
                try:
                    rule, literals = self._try(learner, part, literals, left)
                    self.rules[kind].append(rule)
                except ValueError:  # no rule of this kind keeps the conditions on these rows
                    del self.learners[kind]
                left -= 1

    def _try(
        self, learner: RuleClassifier, part: Sample, literals: tuple[Literal, ...] | None, left: int
    ) -> tuple[Rule, tuple[Literal, ...]]:
        """Return a rule learned in a share of the time left, and the literals to choose from."""
        settings = self._settings
        task, query, start = learner._task(part, None, literals)
        effort = min(_EFFORT, float(learner.effort))
        native = Native(effort=effort, seed=settings.seed, n_threads=count_threads(learner.n_jobs))
        settings = replace(settings.sooner(1 / left), strategy=Joint(), backend=native)
        task, answer = learner._learn(task, query, start, settings)
        if answer.is_interrupted:
            raise KeyboardInterrupt
        if not answer.is_hopeless:
            learner.lam = task.goal.lam  # chosen without the first fold, it is good enough without the others
        return finished(answer.asked, answer.rule, task), query.literals

    def pick(self) -> tuple[Kind, dict[Kind, float]]:
        """Return the chosen kind, and the errors by kind on the folds that all kinds were tried on."""
        kinds = [kind for kind in self._kinds if kind in self.learners] or list(self._kinds)
        n_folds = min(len(self.rules[kind]) for kind in kinds)
        if n_folds == 0:
            return kinds[0], {}
        held = self._held[:n_folds]
        total = float((held * self._worth).sum())
        wrong = {kind: held * self._wrong(self.rules[kind][:n_folds]) for kind in kinds}
        errors = {kind: float((wrong[kind] * self._worth).sum()) / total for kind in kinds}
        best = min(kinds, key=errors.__getitem__)

        def is_as_good(kind: Kind) -> bool:
            differ = np.abs(wrong[kind] - wrong[best])
            return errors[kind] - errors[best] <= _CLOSE * sqrt(float((differ * self._worth**2).sum())) / total

        def length(kind: Kind) -> int:
            return sum(rule.n_conditions for rule in self.rules[kind][:n_folds])

        return min(filter(is_as_good, kinds), key=length), errors

    def _wrong(self, rules: list[Rule]) -> BoolArray:
        """Return for each rule in which rows it is wrong."""
        frame, classes = self._sample.frame, self._sample.classes
        decided = [rule.decisions(rule.holds_in(frame), frame.n_rows, classes) for rule in rules]
        return np.not_equal(decided, self._sample.positions)


def _learner(
    clf: RuleClassifier, kind: Kind, sample: Sample | SampleInParts, rows: Sample, settings: SearchSettings
) -> RuleClassifier:
    """Return a classifier that learns rules of this kind, or raise an error if the parameters are not for it."""
    if kind in POINT_RULES and clf.lam == "cv":
        raise ValueError("There are no paths of scores.")
    learner = RuleClassifier(
        **clf.get_params(deep=False) | {"kind": kind, "lam": "auto" if clf.lam == "cv" else clf.lam}
    )
    learner.classes_, learner._kind = clf.classes_, kind
    learner.positive = choose_positive(learner, sample.classes, sample.class_weights, sample.frame.names)
    _, query, _ = learner._task(rows, None)
    if not isinstance(settings.strategy, Iterative):  # else the backend gets one clause at a time
        settings.backend.check(query, settings.deadline)
    return learner
