"""A classifier as it was when its model was saved, to go on from there.

Learning batch by batch: each time near the last rule, on the rows of the batch and those remembered.
"""

from dataclasses import replace
from math import nan
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from imli.errors import Interrupted, RefusedError, UnknownColumnError
from imli.estimators.base import RuleClassifier, warn_of_surprises
from imli.estimators.parameters import require_integer
from imli.estimators.validate import Rows, read_classes, read_rows
from imli.learning.answer import Answer, Deadline, Status
from imli.learning.backends import Backend, Native
from imli.learning.constraints import as_words
from imli.learning.fit import Learned, ask, finished, learn
from imli.learning.query import Query
from imli.learning.settings import SearchSettings
from imli.learning.strategies import Exact, Iterative, MiniBatch, Revising, Strategy, is_as_printed
from imli.learning.stream import Batch, DriftLog, Memory, Stream, is_drift, n_effective
from imli.learning.task import Training
from imli.models import Model
from imli.models.model import record
from imli.rules import Formula, PairRule, Rule
from imli.rules.distance import distance, n_turned, without_gaps
from imli.rules.literals import Literal
from imli.rules.parse import parse_literal
from imli.table.frame import AnyArray, BoolArray, IntArray, stacked


def resume(clf: Any, model: Model) -> Any:
    """The classifier, fitted with the model's rule."""
    card, rule = model.card, model.rule
    if rule.kind != clf._kind:
        raise ValueError(f"{type(clf).__name__} cannot go on from a rule of kind {rule.kind}.")
    answer = None if card is None or model.is_edited else card.answer(rule)
    clf.answer_ = answer or Answer(rule, nan, 0.0, "feasible", 0.0, "rules that were not searched", "none")
    clf.rule_, clf.literals_ = rule, rule.literals
    clf.classes_ = np.array(model.labels)
    clf.lam_ = card.lam if card is not None and card.lam is not None else 0.0
    stream = model.stream or _begin(clf, model)
    clf._stream = stream
    clf._class_factors = np.ones(len(model.labels)) if model.class_factors is None else np.array(model.class_factors)
    clf.n_features_in_ = len(stream.columns)
    if stream.columns != tuple(f"x{n}" for n in range(len(stream.columns))):
        clf.feature_names_in_ = np.array(stream.columns, dtype=object)
    clf._resumed = model
    return clf


def _begin(clf: Any, model: Model) -> Stream:
    """Where nothing was remembered, the rule is where to go on from."""
    data = None if model.card is None else model.card.data
    columns = tuple(model.columns)
    if data is None or len(columns) != data.columns:
        raise ValueError(
            "This model does not say which columns it was learned from, so that it cannot go on. "
            "Learn it with memory, or with partial_fit."
        )
    counts = model.rule.counts
    seen = [sum(region) for region in zip(*counts.regions, strict=True)] if counts is not None else None
    return Stream(
        rule=model.rule.with_counts(None),
        columns=columns,
        literals=model.rule.literals,
        memory=Memory.empty(
            require_integer(type(clf).__name__, "memory", clf.memory, least=0),
            len(model.labels),
            None if seen is None else np.array(seen, dtype=np.float64),
        ),
        n_rows=data.rows,
        learned_at=0,
    )


# What it costs that a literal comes or goes, on top of its own cost, as a share of λ. Without a memory the rule itself
# is all that is left of the rows before, so that it must not go lightly; what a batch has no use for at all still goes.
MOVE_SHARE, MOVE_SHARE_WITHOUT_MEMORY = 0.05, 0.9
# Of the effort of a fit: a search from a good rule needs little; where literals are learned anew, it looks farther.
BATCH_EFFORT, FULL_EFFORT_AT, DUE_EFFORT = 0.02, 6_000, 0.5
LEAST_EFFORT = 1e-4  # with less the search would not even begin
STANDARD_ERRORS = 1.0  # of the difference, that a rule must save to take the place of the last
FINER_BINS = 8  # thresholds tried on the way from one of the rule to the next


class StreamingClassifier(RuleClassifier):
    """A classifier that goes on learning; not for direct use."""

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, *, vocabulary: Any = None
    ) -> Self:
        """Go on learning from one more batch of rows, near the rule so far.

        The first call learns as ``fit`` does. Each later one looks for the rule with the lowest sum of errors on the
        batch and on the rows remembered (``memory``), of ``lam`` for each literal, and of a price for each literal
        that comes or goes: a twentieth of ``lam``, or nine tenths without a memory. That rule takes the place of the
        last if it saves more than one standard error of the difference, so what may be chance changes nothing.
        ``drift_`` tells what each batch did.

        Parameters
        ----------
        X
            The rows, with the columns of the first call in the same order. Cells may be missing, out of the range
            seen so far, or of categories never seen.
        y
            One label per row.
        classes
            All classes that may come. Later calls can name more, for decision lists and sets.
        sample_weight
            How much each row counts.
        vocabulary
            In the first call, the literals that rules may ever have, as such or as text. Without it they are learned
            from the rows, and learned anew whenever a quarter more have come, and after a drift.
        """
        asking = self._asking()
        room = require_integer(type(self).__name__, "memory", self.memory, least=0)
        if self.__sklearn_is_fitted__():
            if vocabulary is not None:
                raise ValueError("partial_fit: vocabulary is for the first call. Later ones go on with that.")
            learned = self._next_batch(X, y, classes, sample_weight, asking, room)
        else:
            learned = self._first_batch(X, y, classes, sample_weight, vocabulary, asking)
        if learned.is_interrupted:
            raise Interrupted(self.answer_)
        warn_of_surprises(self.rule_, self.answer_, learned.query, self.time_limit)
        return self

    @property
    def drift_(self) -> DriftLog:
        """What each batch of ``partial_fit`` did: errors before and after, how far the rule moved, what changed."""
        check_is_fitted(self)
        return self._stream.log

    def _first_batch(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, vocabulary: Any, asking: SearchSettings
    ) -> Learned:
        blank = clone(self)
        rows = read_rows(blank, X, y, sample_weight, reset=True)
        blank.classes_ = read_classes(blank, classes, rows.labels, self._most_classes)
        literals = None if vocabulary is None else _read_vocabulary(vocabulary, rows.frame.names)
        rows = rows.of_classes(self._positions(blank, rows.labels))
        training, start = self._question(blank, rows, None, literals)
        training, learned = self._learn(blank, training, start, asking)
        blank.lam_ = training.terms["lam"]
        self._keep(blank, training, learned, asking.seed, reword=not is_as_printed(asking.strategy))
        batch = Batch(
            number=1,
            n_rows=rows.frame.n_rows,
            weight=float(rows.weights.sum()),
            error_before=None,
            error_after=_error(self.rule_, blank.classes_, rows),
            moved=len(learned.answer.rule.literals),
            turned=0,
            came=tuple(dict.fromkeys(self.rule_.literals)),
            went=(),
            is_drift=False,
            n_remembered=self._stream.memory.n_rows,
            n_effective=_unless_all(rows),
        )
        given = {} if vocabulary is None else {"learned_at": None}
        self._stream = self._stream.after(batch, **given)
        return learned

    def _next_batch(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, asking: SearchSettings, room: int
    ) -> Learned:
        blank, stream = clone(self), self._stream
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(blank, name, getattr(self, name))
        rows = read_rows(blank, X, y, sample_weight, reset=False)
        rows = replace(rows, target=rows.target or self.rule_.target)
        blank.classes_ = self._grown_classes(classes)
        rows = rows.of_classes(self._positions(blank, rows.labels))
        before = _error(self.rule_, blank.classes_, rows)
        drifted = is_drift(stream.log, before, n_effective(rows.weights))
        memory = self._memory(blank, room, drifted)
        together = _with_memory(rows, memory)
        is_due = stream.is_due(rows.frame.n_rows) or (drifted and stream.learned_at is not None)
        move_share = None if is_as_printed(asking.strategy) else MOVE_SHARE if room else MOVE_SHARE_WITHOUT_MEMORY
        literals = None if is_due else stream.literals
        by_folds = isinstance(self.lam, str) and self.lam == "cv"  # of the first batch
        known_lam = self.lam_ if by_folds else None
        training, last = self._question(blank, together, stream.rule, literals, move_share, known_lam)
        assert last is not None
        learned = _revise(training, last, asking, stream.n_batches, is_due, drifted)
        if not is_as_printed(asking.strategy):
            learned = _unless_by_chance(learned, last)
        seed, answer = asking.seed, learned.answer
        if without_gaps(answer.rule) == last:  # it has been put into words before
            rule = finished(learned.query, self.rule_, training, reword=False)
        else:
            rule = finished(learned.query, answer.rule, training, reword=not is_as_printed(asking.strategy))
        taken_down = record(training, rule, seed, len(learned.query.literals))
        rng = np.random.default_rng([seed, stream.n_batches + 1])
        memory = memory.plus(rows.frame, rows.positions.astype(np.int64), rows.weights, rng)
        old, new = set(self.rule_.literals), set(rule.literals)
        batch = Batch(
            number=stream.n_batches + 1,
            n_rows=rows.frame.n_rows,
            weight=float(rows.weights.sum()),
            error_before=before,
            error_after=_error(rule, blank.classes_, rows),
            moved=distance(answer.rule, last),
            turned=n_turned(answer.rule, last),
            came=tuple(literal for literal in dict.fromkeys(rule.literals) if literal not in old),
            went=tuple(literal for literal in dict.fromkeys(self.rule_.literals) if literal not in new),
            is_drift=drifted,
            n_remembered=memory.n_rows,
            n_effective=_unless_all(rows),
        )
        n_rows = rows.frame.n_rows + (0 if drifted else stream.n_rows)
        blank.lam_ = training.terms["lam"]
        self._take(blank, learned, rule)
        if hasattr(self, "path_"):
            del self.path_  # of a fit, about other rows and another rule
        self._class_factors, self._record = training.factors, taken_down
        self._stream = stream.after(
            batch,
            rule=without_gaps(answer.rule),
            literals=training.query.literals if is_due else stream.literals,
            memory=memory,
            n_rows=n_rows,
            learned_at=n_rows if is_due else stream.learned_at,
        )
        return learned

    @property
    def _most_classes(self) -> int | None:
        return 2 if self._kind in ("cnf", "dnf") else None

    def _positions(self, blank: Self, labels: AnyArray) -> BoolArray | IntArray:
        """For each row the position of its class."""
        known = {label: n for n, label in enumerate(blank.classes_.tolist())}
        for row, label in enumerate(labels.tolist()):
            if label not in known:
                raise ValueError(
                    f"y has the label {label!r} in row {row}, but the classes are {list(known)}. "
                    "Name all that may come: partial_fit(X, y, classes=[...])."
                )
        positions = np.array([known[label] for label in labels.tolist()], dtype=np.int64)
        return positions.astype(bool) if self._most_classes == 2 else positions

    def _grown_classes(self, classes: Any) -> AnyArray:
        """The classes so far and those named now."""
        if classes is None:
            return self.classes_
        return read_classes(self, classes, self.classes_, self._most_classes, also=True)

    def _memory(self, blank: Self, room: int, drifted: bool) -> Memory:
        """What is remembered, among the classes of now. After a drift the old rows speak of what is no more."""
        n_classes = len(blank.classes_)
        if drifted:
            return Memory.empty(room, n_classes)
        places = np.searchsorted(blank.classes_, self.classes_)
        return self._stream.memory.of_classes(places, n_classes).within(room)


def _revise(
    training: Training, last: Rule, asking: SearchSettings, n_batches: int, is_due: bool, drifted: bool
) -> Learned:
    """Ask for the best rule near the last, as the strategy does it."""
    backend, paper = asking.backend, is_as_printed(asking.strategy)
    query = training.query
    last = _within(query, last)
    if training.has_finer:
        query = training.finer(last, bins=FINER_BINS) or query
    query = replace(query, near=last, unused_slots=not paper)
    if isinstance(backend, Native):
        # Fewer rows are quicker to look at, and tell fewer rules apart.
        share = (DUE_EFFORT if is_due else BATCH_EFFORT) * min(1.0, query.n_rows / FULL_EFFORT_AT) ** 2
        effort = max(backend.effort * share, min(backend.effort, LEAST_EFFORT))
        backend = replace(backend, effort=effort, seed=(asking.seed + n_batches) % 2**31, whole=False)
    strategy, start = _for_a_batch(asking.strategy, query, backend, asking.deadline), last
    if drifted and isinstance(strategy, Revising):
        # clause by clause there may be no way from a rule to its opposite
        anew = learn(training, asking.strategy, backend, asking.deadline, asking.seed, None)
        start = min((last, anew.answer.rule), key=query.units)
        if anew.is_interrupted:
            found = replace(anew.answer, rule=start, cost=query.cost(start), scope=query.scope)
            return Learned(query, found, is_interrupted=True)
    return ask(query, query, strategy, backend, asking.deadline, asking.seed, start)


def _unless_by_chance(learned: Learned, last: Rule) -> Learned:
    """The answer if its rule is clearly cheaper than the last, which stays otherwise.

    Clearly is by more than one standard error of the difference, which rests on the rows that the two decide
    differently.
    """
    query, rule, last = learned.query, learned.answer.rule, _within(learned.query, last)
    if without_gaps(rule) == without_gaps(last) or not query.allows(last):
        return learned
    differ = rule.decisions(query.holds, query.n_rows, query.classes) != last.decisions(
        query.holds, query.n_rows, query.classes
    )
    by_chance = float(np.sqrt((query.weights[differ].astype(np.float64) ** 2).sum()))
    if query.units(last) - query.units(rule) > STANDARD_ERRORS * by_chance:
        return learned
    status: Status = "interrupted" if learned.is_interrupted else "feasible"
    as_it_was = replace(learned.answer, rule=last, cost=query.cost(last), status=status, is_clause_optimal=False)
    return replace(learned, answer=as_it_was)


def _for_a_batch(strategy: Strategy, query: Query, backend: Backend, deadline: Deadline) -> Strategy:
    """How the strategy answers about one batch: all at once, or clause by clause."""
    if isinstance(strategy, Iterative):
        return Revising()
    try:
        backend.check(query, deadline)
    except RefusedError:
        if query.is_formula:
            raise
        return Revising()  # solvers know formulas only, which clauses of lists and sets are
    return Exact(paper=strategy.paper) if isinstance(strategy, MiniBatch) else strategy


def _within(query: Query, rule: Rule) -> Rule:
    """The rule with no more clauses than there may be."""
    if isinstance(rule, Formula):
        return query.rule(rule.slots[: query.n_clauses])
    assert isinstance(rule, PairRule)
    return replace(rule, pairs=rule.pairs[: query.n_clauses])


def _with_memory(rows: Rows, memory: Memory) -> Rows:
    """The rows and, before them, those remembered."""
    if memory.frame is None or not memory.n_rows:
        return rows
    positions = memory.positions.astype(rows.positions.dtype)
    return replace(
        rows,
        frame=stacked(memory.frame, rows.frame),
        positions=np.concatenate([positions, rows.positions]),
        weights=np.concatenate([memory.weights, rows.weights]),
        in_use=np.ones(memory.n_rows + rows.frame.n_rows, dtype=bool),
        stand_for=float((memory.totals.sum() + rows.weights.sum()) / (memory.given.sum() + rows.weights.sum())),
    )


def _error(rule: Rule, classes: AnyArray, rows: Rows) -> float:
    """The share of the rows, by weight, that the rule decides wrongly."""
    wrong = rule.decisions(rule.holds_in(rows.frame), rows.frame.n_rows, classes.tolist()) != rows.positions
    return float(rows.weights[wrong].sum() / rows.weights.sum())


def _unless_all(rows: Rows) -> float | None:
    """How many rows of equal weight would tell as much, if not as many as there are."""
    effective = n_effective(rows.weights)
    return None if effective == rows.frame.n_rows else effective


def _read_vocabulary(vocabulary: Any, columns: tuple[str, ...]) -> tuple[Literal, ...]:
    literals = []
    for word in as_words(vocabulary, "partial_fit: vocabulary"):
        literal = parse_literal(word) if isinstance(word, str) else word
        if not isinstance(literal, Literal):
            raise TypeError(f"partial_fit: vocabulary must have literals, or their texts. Got {word!r}.")
        if literal.column not in columns:
            raise UnknownColumnError.named(literal.column, columns)
        literals.append(literal)
    return tuple(dict.fromkeys(literals))
