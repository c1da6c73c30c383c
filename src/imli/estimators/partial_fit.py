"""Learning batch by batch: each time near the last rule, on the rows of the batch and those remembered."""

from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from imli.errors import RefusedError, UnknownColumnError, brief
from imli.estimators.parameters import choose_positive, require_integer
from imli.estimators.validate import column_names, find_known_classes, read_classes, read_sample, unchanged_on_error
from imli.learning.answer import Answer
from imli.learning.backends import Backend, Native
from imli.learning.constraints import as_words
from imli.learning.deadline import Deadline, SearchSettings
from imli.learning.fit import ask, finished, learn
from imli.learning.lam import usual_lam
from imli.learning.memory import Batch, Memory, Stream, is_drift, n_effective
from imli.learning.query import Query
from imli.learning.strategies import Exact, Iterative, MiniBatch, Revising, Strategy, is_as_printed
from imli.learning.task import Task, TaskInMemory
from imli.models import Model
from imli.rules import Counts, Formula, PairRule, PointRule, Rule
from imli.rules.distance import distance, n_turned
from imli.rules.formula import without_gaps
from imli.rules.literals import Literal
from imli.rules.parse import parse_literal
from imli.table.frame import AnyArray, BoolArray, IntArray
from imli.table.sample import Sample

if TYPE_CHECKING:
    from imli.estimators.base import BaseRuleClassifier


def resume(clf: Any, model: Model) -> Any:
    """Return the classifier, fitted with the rule of the model."""
    card, rule = model.card, model.rule
    if not clf._takes(rule.kind):
        raise ValueError(f"{type(clf).__name__} cannot go on from a rule of kind {rule.kind}.")
    clf._kind = rule.kind
    answer = None if card is None or model.is_edited else card.answer(rule)
    clf.answer_ = answer or Answer(rule, nan, 0.0, "feasible", 0.0, "rules that were not searched", "none")
    clf.rule_, clf.literals_ = rule, rule.literals
    clf.classes_ = np.array(model.labels)
    clf.lam_ = card.lam if card is not None and card.lam is not None else 0.0
    clf._stream = stream = model.stream or _begin_anew(clf, model)
    if isinstance(rule, Formula | PointRule):
        clf.positive_ = rule.classes[1]
    else:
        clf.positive_ = choose_positive(clf, model.labels, stream.memory.totals.tolist(), stream.columns)
    clf._class_factors = np.ones(len(model.labels)) if model.class_factors is None else np.array(model.class_factors)
    clf.n_features_in_ = len(stream.columns)
    if stream.columns != tuple(f"x{n}" for n in range(len(stream.columns))):
        clf.feature_names_in_ = np.array(stream.columns, dtype=object)
    clf.findings_ = () if card is None else card.findings
    clf._resumed = model
    return clf


def _begin_anew(clf: Any, model: Model) -> Stream:
    """Return a stream that begins with the rule of a model, where nothing was remembered."""
    data = None if model.card is None else model.card.data
    columns = tuple(model.columns)
    if data is None or len(columns) != data.columns:
        raise ValueError(
            "This model does not say which columns it was learned from, so that it cannot go on. "
            "Learn it with memory, or with partial_fit."
        )
    memory = _empty_memory(clf, model.rule.counts, len(model.labels))
    return Stream(model.rule.with_counts(None), columns, model.rule.literals, memory, data.rows, learned_at=0)


def _empty_memory(clf: Any, counts: Counts | None, n_classes: int) -> Memory:
    """Return a memory of no rows, for a rule with counts of rows that were not remembered."""
    room = require_integer(type(clf).__name__, "memory", clf.memory, least=0)
    seen = None if counts is None else np.array(counts.regions, dtype=np.float64).sum(axis=0)
    return Memory.empty(room, n_classes, seen)


def begin_memory(clf: "BaseRuleClassifier", task: TaskInMemory, room: int) -> Stream:
    """Return the stream that begins with a fit and with some of its rows, which are remembered."""
    memory = Memory.empty(room, len(clf.classes_)).plus(task.sample, np.random.default_rng([clf._seed, 0]))
    return _begin(clf, memory)


def _begin(clf: "BaseRuleClassifier", memory: Memory) -> Stream:
    rule, n_rows = without_gaps(clf.answer_.rule), clf._data.rows
    return Stream(rule, column_names(clf), clf._vocabulary, memory, n_rows, learned_at=n_rows)


def _stream_of(clf: "BaseRuleClassifier") -> Stream:
    """Return the stream so far, which begins with the fit if that remembered no rows."""
    return clf._stream or _begin(clf, _empty_memory(clf, clf.rule_.counts, len(clf.classes_)))


# The cost of a literal that is added or dropped, on top of its own cost, as a share of λ. Without a memory the rule is
# all that is left of earlier rows, so a literal is dropped only if the batch has no use for it.
MOVE_SHARE, MOVE_SHARE_WITHOUT_MEMORY = 0.05, 0.9
# Shares of the effort of a fit: a search from a good rule needs little, and more where literals are learned anew.
BATCH_EFFORT, FULL_EFFORT_AT, DUE_EFFORT = 0.02, 6_000, 0.5
LEAST_EFFORT = 1e-4  # with less the search would not even begin
STANDARD_ERRORS = 1.0  # of the difference, that a rule must save to take the place of the last
FINER_BINS = 8  # thresholds tried on the way from one of the rule to the next


def learn_batch(clf: "BaseRuleClassifier", X: Any, y: Any, classes: Any, sample_weight: Any, vocabulary: Any) -> Answer:
    """Learn from one more batch, and set the attributes of the classifier."""
    room = require_integer(type(clf).__name__, "memory", clf.memory, least=0)
    with unchanged_on_error(clf), clf._search_settings() as settings:
        if not clf.__sklearn_is_fitted__():
            return _first_batch(clf, X, y, classes, sample_weight, vocabulary, settings)
        if vocabulary is not None:
            raise ValueError("partial_fit: vocabulary is for the first call. Later ones go on with that.")
        return _next_batch(clf, X, y, classes, sample_weight, settings, room)


def _first_batch(
    clf: "BaseRuleClassifier",
    X: Any,
    y: Any,
    classes: Any,
    sample_weight: Any,
    vocabulary: Any,
    settings: SearchSettings,
) -> Answer:
    def classify(labels: AnyArray, _: BoolArray) -> tuple[AnyArray, IntArray]:
        found = read_classes(clf, classes, labels, clf._most_classes)
        return found, find_known_classes(labels, found)

    sample = clf._note(read_sample(clf, X, y, sample_weight, classify))
    literals = None if vocabulary is None else _read_vocabulary(vocabulary, sample.frame.names)
    tried = clf._choose_kind(sample, settings, goes_on=True)
    task, query, start = clf._task(sample, tried, literals)
    task, answer = clf._learn(task, query, start, settings)
    answer = clf._keep(task, answer, query.literals, settings)
    changes = {"error_before": None, "moved": len(answer.rule.literals), "turned": 0, "is_drift": False}
    stream = _stream_of(clf)
    batch = _as_batch(1, sample, None, clf.rule_, stream.memory, **changes)
    given = {} if vocabulary is None else {"learned_at": None}
    clf._stream = stream.after(batch, **given)
    return answer


def _next_batch(
    clf: "BaseRuleClassifier", X: Any, y: Any, classes: Any, sample_weight: Any, settings: SearchSettings, room: int
) -> Answer:
    stream, known, old_rule = _stream_of(clf), clf.classes_, clf.rule_
    if clf.positive is not None and clf.positive != clf.positive_:
        raise ValueError(
            f"{type(clf).__name__}: positive is {clf.positive_!r} since the first batch. Got {clf.positive!r}. "
            "Leave it out, or learn anew with fit."
        )

    def classify(labels: AnyArray, _: BoolArray) -> tuple[AnyArray, IntArray]:
        grown = known if classes is None else read_classes(clf, classes, known, clf._most_classes, also=True)
        return grown, find_known_classes(labels, grown)

    sample = read_sample(clf, X, y, sample_weight, classify, reset=False)
    sample = replace(sample, target=sample.target or old_rule.target)
    error = _error(old_rule, sample)
    drifted = is_drift(stream.log, error, n_effective(sample.weights))
    if drifted:  # old rows mislead
        memory = Memory.empty(room, len(clf.classes_))
    else:
        memory = stream.memory.of_classes(np.searchsorted(clf.classes_, known), len(clf.classes_)).within(room)
    is_due = stream.is_due(sample.n_rows) or (drifted and stream.learned_at is not None)
    paper = is_as_printed(settings.strategy)
    move_share = None if paper else MOVE_SHARE if room else MOVE_SHARE_WITHOUT_MEMORY
    literals, rows = None if is_due else stream.literals, memory.before(sample)
    if is_due:  # what looked like an identifier at first may repeat by now
        rows = clf._note(rows)
    by_folds = isinstance(clf.lam, str) and clf.lam == "cv"  # of the first batch
    known_lam = clf.lam_ if by_folds else usual_lam(rows.weight, rows.stand_for)
    task, query, last = clf._task(rows, stream.rule, literals, move_share, known_lam)
    assert last is not None
    answer = _revise(task, query, last, settings, stream.n_batches, is_due, drifted)
    if not paper:
        answer = _unless_by_chance(answer, last)
    if without_gaps(answer.rule) == last:  # it has been put into words before
        rule = finished(answer.asked, old_rule, task, reword=False)
    else:
        rule = finished(answer.asked, answer.rule, task, reword=not paper)
    number = stream.n_batches + 1
    memory = memory.plus(sample, np.random.default_rng([settings.seed, number]))
    changes = {"moved": distance(answer.rule, last), "turned": n_turned(answer.rule, last), "is_drift": drifted}
    batch = _as_batch(number, sample, old_rule, rule, memory, error_before=error, **changes)
    n_rows = sample.n_rows + (0 if drifted else stream.n_rows)
    clf.__dict__.pop("path_", None)  # of a fit, about other rows and another rule
    clf._keep_rule(task, answer, rule, settings.seed)
    clf._stream = stream.after(
        batch,
        rule=without_gaps(answer.rule),
        literals=query.literals if is_due else stream.literals,
        memory=memory,
        n_rows=n_rows,
        learned_at=n_rows if is_due else stream.learned_at,
    )
    return answer


def _as_batch(number: int, sample: Sample, old: Rule | None, new: Rule, memory: Memory, **changes: Any) -> Batch:
    """Return the record of a batch that changed the old rule, if there was one, to the new rule."""
    before, after = dict.fromkeys(old.literals if old else ()), dict.fromkeys(new.literals)
    effective = n_effective(sample.weights)
    return Batch(
        number=number,
        n_rows=sample.n_rows,
        weight=float(sample.weights.sum()),
        error_after=_error(new, sample),
        came=tuple(literal for literal in after if literal not in before),
        went=tuple(literal for literal in before if literal not in after),
        n_remembered=memory.n_rows,
        n_effective=None if effective == sample.n_rows else effective,
        **changes,
    )


def _revise(
    task: Task,
    query: Query,
    last: Rule,
    settings: SearchSettings,
    n_batches: int,
    is_due: bool,
    drifted: bool,
) -> Answer:
    """Search for the best rule near the last, in the way of the strategy."""
    backend, paper = settings.backend, is_as_printed(settings.strategy)
    vocabulary = query
    last = _within(query, last)
    if task.can_refine(query):
        query = task.refined(query, last, bins=FINER_BINS) or query
    query = replace(query, near=last, unused_slots=not paper)
    if isinstance(backend, Native):
        # Fewer rows are quicker to look at, and tell fewer rules apart.
        share = (DUE_EFFORT if is_due else BATCH_EFFORT) * min(1.0, query.n_rows / FULL_EFFORT_AT) ** 2
        effort = max(backend.effort * share, min(backend.effort, LEAST_EFFORT))
        backend = replace(backend, effort=effort, seed=(settings.seed + n_batches) % 2**31, whole=False)
    settings = replace(settings, backend=backend)
    strategy, start = _for_a_batch(settings.strategy, query, backend, settings.deadline), last
    if drifted and isinstance(strategy, Revising):
        # clause by clause there may be no way from a rule to its opposite
        anew = learn(task, vocabulary, settings, None)
        start = min((last, anew.rule), key=query.units)
        if anew.is_interrupted:
            return replace(anew, rule=start, cost=query.cost(start), scope=query.scope, query=query)
    return ask(query, replace(settings, strategy=strategy), start)


def _unless_by_chance(answer: Answer, last: Rule) -> Answer:
    """Return the answer if its rule is cheaper by more than a standard error, else the last rule as the answer.

    The standard error of the difference comes from the rows that the two rules decide differently.
    """
    query, rule = answer.asked, answer.rule
    last = _within(query, last)
    if without_gaps(rule) == without_gaps(last) or not query.allows(last):
        return answer
    differ = np.not_equal(*(each.decisions(query.holds, query.n_rows, query.classes) for each in (rule, last)))
    by_chance = float(np.sqrt((query.in_memory.weights[differ].astype(np.float64) ** 2).sum()))
    if query.units(last) - query.units(rule) > STANDARD_ERRORS * by_chance:
        return answer
    status = answer.status if answer.is_interrupted else "feasible"
    return replace(answer, rule=last, cost=query.cost(last), status=status, is_clause_optimal=False)


def _for_a_batch(strategy: Strategy, query: Query, backend: Backend, deadline: Deadline) -> Strategy:
    """Return the strategy for one batch: all clauses at once, or clause by clause."""
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
    """Return the rule with no more clauses than there may be."""
    if isinstance(rule, Formula):
        return query.rule(rule.slots[: query.n_clauses])
    assert isinstance(rule, PairRule)
    return replace(rule, pairs=rule.pairs[: query.n_clauses])


def _error(rule: Rule, sample: Sample) -> float:
    """Return the share of the rows, by weight, that the rule decides wrongly."""
    wrong = rule.decisions(rule.holds_in(sample.frame), sample.n_rows, sample.classes) != sample.positions
    return float(sample.weights[wrong].sum() / sample.weights.sum())


def _read_vocabulary(vocabulary: Any, columns: tuple[str, ...]) -> tuple[Literal, ...]:
    literals = []
    for word in as_words(vocabulary, "partial_fit: vocabulary"):
        literal = parse_literal(word) if isinstance(word, str) else word
        if not isinstance(literal, Literal):
            raise TypeError(f"partial_fit: vocabulary must have literals, or their texts. Got {brief(word)}.")
        if literal.column not in columns:
            raise UnknownColumnError.named(literal.column, columns)
        literals.append(literal)
    return tuple(dict.fromkeys(literals))
