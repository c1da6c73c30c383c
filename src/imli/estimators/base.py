"""The base of the classifiers: their parameters, how they are fitted, and warnings about surprising rules."""

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar, Self, TypeVar, get_args
from typing import Literal as OneOf

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from imli.errors import ConstantRuleWarning, FindingWarning, Interrupted, PathInterrupted
from imli.estimators.parameters import (
    around_locked,
    choose_positive,
    count_threads,
    describes,
    read_binning,
    read_constraints,
    read_deadline,
    read_feature_costs,
    read_locked,
    read_seed,
    read_start,
    read_use,
    require_choice,
    require_flag,
    require_integer,
    require_number,
    require_room,
)
from imli.estimators.partial_fit import begin_memory, learn_batch
from imli.estimators.progress import shown_in_notebook
from imli.estimators.validate import (
    class_factors,
    column_names,
    decide,
    find_classes,
    look_at,
    read_folds,
    read_sample,
    read_table,
    refuse_what_needs_all_rows,
    unchanged_on_error,
)
from imli.learning.answer import Answer, Progress, errors_in
from imli.learning.backends import Backend, find_backend
from imli.learning.deadline import SearchSettings
from imli.learning.fit import finished, learn, unsearched
from imli.learning.lam import PROVISIONAL_LAM, learn_at_choice, learn_card, usual_lam
from imli.learning.memory import DriftLog, Stream
from imli.learning.parameter_table import (
    BackendName,
    BinningName,
    Direction,
    IntervalsName,
    LamName,
    Loss,
    StrategyName,
)
from imli.learning.path import RulePath
from imli.learning.path.search import N_RULES, PATH_SHARE, find_path, learn_at_pick
from imli.learning.query import Goal, Query
from imli.learning.rows.engine import SampleInParts, decide_in_parts, look_at_piece, open_engine
from imli.learning.strategies import Exact, Joint, Strategy, find_strategy, is_as_printed
from imli.learning.suspicions import columns_to_leave_out, settled, suspect, undecided
from imli.learning.task import Task, TaskInMemory, TaskInParts
from imli.models import Model
from imli.models.card import Card, fingerprint, in_utc, installed_versions, to_plain
from imli.rules import PAIR_RULES, POINT_RULES, Kind, Label, Rule, region_probabilities
from imli.rules.literals import Literal
from imli.rules.score import MOST_POINTS
from imli.table.findings import Finding, in_order
from imli.table.frame import AnyArray, BoolArray, FloatArray, IntArray
from imli.table.sample import Sample, is_large
from imli.table.summaries import ColumnStatistics, DataCard

_Rows = TypeVar("_Rows", bound=Sample | SampleInParts)
Listener = Callable[[Progress], None]
_TO_THE_CALLER = 3  # from here over fit to whoever called it
_MOST_COLUMNS = 200  # described for models, besides those of the rule


_HOPELESS = (
    "No rule was better than that on rows held out, by more than chance. "
    "Give lam a number to get a rule all the same; where one class is rare, class_weight='balanced' lets it count "
    "as much."
)


def warn_of_surprises(rule: Rule, answer: Answer, time_limit: float | None, findings: Iterable[Finding]) -> None:
    """Warn of findings, rounded weights and a constant rule. To be called by ``fit`` itself."""
    warn_of_findings((each for each in findings if rule.literals or each.kind != "never predicted"), level=1)
    if answer.rounding > 1e-3:
        warnings.warn(
            f"The weights differ so much in size that some were rounded by {answer.rounding:.1%} "
            "to make integers of them. Use weights of more similar size for an exact answer.",
            UserWarning,
            stacklevel=_TO_THE_CALLER,
        )
    if not rule.literals:
        decided = rule.predict({"row": [0]}).tolist()[0]
        why = _HOPELESS if answer.is_hopeless and time_limit is None else _why_constant(answer.asked, time_limit)
        warnings.warn(
            f"The rule is constant: it predicts {decided!r} for every row. {why}",
            ConstantRuleWarning,
            stacklevel=_TO_THE_CALLER,
        )


def warn_of_findings(findings: Iterable[Finding], level: int = 0) -> None:
    """Warn of all findings that are more than remarks, in one warning. To be called by a function that users call."""
    lines = [str(finding) for finding in findings if finding.grade != "remark"]
    if lines:
        warnings.warn("\n".join(lines), FindingWarning, stacklevel=_TO_THE_CALLER + level)


def _why_constant(query: Query, time_limit: float | None) -> str:
    if not query.literals:
        return "There is nothing else to learn from: each column has the same value in all rows."
    longer = "" if time_limit is None else ", or raise time_limit"
    return (
        "None was found that saves more errors than its literals cost, "
        f"at lam={query.literal_costs.max() / query.scale:g} each. Lower lam{longer}; "
        "where one class is rare, class_weight='balanced' lets it count as much."
    )


BATCH_SIZE, ROUNDS = 400, 2
USUAL_LOSS: dict[str, Loss] = {"score": "log", "checklist": "errors"}


class BaseRuleClassifier(ClassifierMixin, BaseEstimator):
    """Base class of the classifiers, with their parameters and learned attributes."""

    _kind: Kind
    _room: ClassVar[str] = "n_clauses"  # the parameter with the largest number of clauses
    # of scores and checklists, which classifiers of all kinds can learn
    max_points: int = 5
    item_literals: int = 1
    loss: Loss | None = None

    rule_: Rule
    answer_: Answer
    classes_: AnyArray
    positive_: Label
    _class_factors: FloatArray
    _created: datetime
    _data: DataCard
    _columns: dict[str, ColumnStatistics]
    _seed: int
    _vocabulary: tuple[Literal, ...]  # before thresholds were refined
    literals_: tuple[Literal, ...]
    findings_: tuple[Finding, ...]
    lam_: float
    path_: RulePath
    _stream: Stream | None = None  # that partial_fit goes on with
    _resumed: Model | None = None  # whose rule this is, until it has learned more

    def __init__(
        self,
        n_clauses: int = 10,
        lam: float | LamName = "auto",
        *,
        strategy: Strategy | StrategyName = "joint",
        backend: Backend | BackendName = "auto",
        batch_size: int = BATCH_SIZE,
        rounds: int = ROUNDS,
        bins: int = 20,
        binning: BinningName = "quantile",
        intervals: IntervalsName = "open",
        refine: bool = True,
        never: Any = (),
        use: Any = (),
        always: Any = (),
        feature_costs: Mapping[Any, float] | None = None,
        disjoint: bool | float | None = None,
        max_literals: int | None = None,
        min_rows: int | None = None,
        monotone: Mapping[str, Direction] | None = None,
        locked: Any = (),
        start: Any = None,
        positive: Any = None,
        class_weight: Mapping[Any, float] | OneOf["balanced"] | None = None,
        effort: float = 1.0,
        time_limit: float | None = None,
        prove: bool | float = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        callback: Callable[[Progress], None] | None = None,
        cv: Any = 5,
        memory: int = 0,
    ) -> None:
        self.n_clauses = n_clauses
        self.lam = lam
        self.strategy = strategy
        self.backend = backend
        self.batch_size = batch_size
        self.rounds = rounds
        self.bins = bins
        self.binning = binning
        self.intervals = intervals
        self.refine = refine
        self.never = never
        self.use = use
        self.always = always
        self.feature_costs = feature_costs
        self.disjoint = disjoint
        self.max_literals = max_literals
        self.min_rows = min_rows
        self.monotone = monotone
        self.locked = locked
        self.start = start
        self.positive = positive
        self.class_weight = class_weight
        self.effort = effort
        self.time_limit = time_limit
        self.prove = prove
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.cv = cv
        self.memory = memory

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the cheapest rule on these rows.

        Parameters
        ----------
        X
            Data frame (pandas, polars, …), NumPy array, list of rows, or dict of columns. A table that is larger than
            memory is read in parts: paths, folders or patterns of Parquet files, a dataset of pyarrow, an iterator of
            frames, or a data frame or array of Dask.
        y
            Labels, one per row and none missing. For a table in parts, the name of a column.
        sample_weight
            Weights, one number per row. Rows of weight 0 are ignored. For a table in parts, the name of a column.

        Returns
        -------
        Self
            The classifier.
        """
        last = self.answer_.rule if self.warm_start and hasattr(self, "answer_") else None
        with unchanged_on_error(self), self._search_settings() as settings:
            self.__dict__.pop("path_", None)
            with self._sample(X, y, sample_weight, settings) as rows:
                sample = self._note(rows)
                tried = self._choose_kind(sample, settings)
                task, query, start = self._task(sample, tried or last)
                task, answer = self._learn(task, query, start, settings)
                answer = self._keep(task, answer, query.literals, settings)
        if answer.is_interrupted:
            raise Interrupted(self.answer_)
        warn_of_surprises(self.rule_, answer, self.time_limit, self.findings_)
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, *, vocabulary: Any = None
    ) -> Self:
        """Learn from one more batch of rows, near the rule so far.

        The first call learns as ``fit`` does. Each later one searches for the rule with the lowest sum of errors on the
        batch and on the rows remembered (``memory``), of ``lam`` for each literal, and of a price for each literal
        that is added or dropped: a twentieth of ``lam``, or nine tenths without a memory. That rule replaces the
        last one if it saves more than one standard error of the difference, so that chance changes nothing.
        ``drift_`` has a record of each batch.

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
            The weight of each row.
        vocabulary
            In the first call, the literals that rules may ever have, as such or as text. Without it they are learned
            from the rows, and learned anew whenever a quarter more have come, and after a drift.

        Returns
        -------
        Self
            The classifier.
        """
        known = {(finding.kind, finding.columns) for finding in getattr(self, "findings_", ())}
        answer = learn_batch(self, X, y, classes, sample_weight, vocabulary)
        if answer.is_interrupted:
            raise Interrupted(self.answer_)
        new = [finding for finding in self.findings_ if (finding.kind, finding.columns) not in known]
        warn_of_surprises(self.rule_, answer, self.time_limit, new)
        return self

    @property
    def drift_(self) -> DriftLog:
        """Return the record of each batch of ``partial_fit``: errors before and after, and changes of the rule."""
        check_is_fitted(self)
        return DriftLog() if self._stream is None else self._stream.log

    def _learn(self, task: Task, query: Query, start: Rule | None, settings: SearchSettings) -> tuple[Task, Answer]:
        """Search for λ unless it is given, and then for the answer. Return the task at λ, and the answer."""
        if settings.stop.is_set():
            return task, unsearched(query, settings, start)
        if not isinstance(self.lam, str):
            return task, learn(task, query, settings, start)
        if query.is_points:
            return learn_card(task, query, settings, start)
        if self.lam == "auto":
            return learn_at_choice(task, query, settings, start)
        assert isinstance(task, TaskInMemory)
        parts = read_folds(type(self).__name__, self.cv, task.sample, settings.seed)
        found = find_path(task, query, parts, N_RULES, settings.sooner(PATH_SHARE), start)
        self.path_ = found.path
        return learn_at_pick(task, found, settings, start)

    def _choose_kind(
        self,
        sample: Sample | SampleInParts,  # noqa: ARG002
        settings: SearchSettings,  # noqa: ARG002
        goes_on: bool = False,  # noqa: ARG002
    ) -> Rule | None:
        """Choose the kind of rule where there is a choice; with ``goes_on``, one that can learn from more batches.

        After Ctrl-C, ``settings.stop`` is set, and the best rule so far is returned if there is one.
        """
        return None

    def _takes(self, kind: Kind) -> bool:
        """Return True if the classifier can go on from a rule of this kind."""
        return kind == self._kind

    def _note(self, sample: _Rows) -> _Rows:
        """Keep what a look at the rows shows, and return them without the columns to use only if they are asked for."""
        if isinstance(sample, SampleInParts):
            look, read = sample.look, sample.engine.findings
        else:
            look, read = look_at_piece(1, False, sample), ()
        found = suspect(look, target=sample.target)
        self.findings_ = in_order((*read, *found))
        return replace(sample, left_out=columns_to_leave_out(found))

    def _path(self, X: Any, y: Any, sample_weight: Any, n_rules: Any) -> RulePath:
        """Return the path of rules for ``rule_path``."""
        owner = "rule_path"
        with self._search_settings() as settings:
            require_integer(owner, "n_rules", n_rules)
            sample = self._note(read_sample(self, X, y, sample_weight, self._classify))
            task, query, start = self._task(sample, None)
            assert isinstance(task, TaskInMemory)
            parts = read_folds(owner, self.cv, sample, settings.seed)
            found = find_path(task, query, parts, n_rules, settings, start)
        self.findings_ = settled(self.findings_, task.asked, task.goal.constraints.never)
        if found.is_interrupted:
            raise PathInterrupted(found.path)
        return found.path

    @contextmanager
    def _search_settings(self) -> Iterator[SearchSettings]:
        """Give how to search, with a deadline that counts from now, and show in notebooks how far the search is."""
        deadline, seed = read_deadline(type(self).__name__, self.time_limit), read_seed(self.random_state)
        strategy, n_threads = self._strategy(), count_threads(self.n_jobs)
        with nullcontext() if self.verbose else shown_in_notebook(self.time_limit) as show:
            listener = self._listener(show)
            yield SearchSettings(strategy, self._backend(strategy, seed, n_threads, listener), seed, deadline, listener)

    def predict(self, X: Any) -> AnyArray:
        """Return the class that the rule decides for each row.

        Parameters
        ----------
        X
            Table with the columns of ``fit``, in the same order. A table that is read in parts needs only the columns
            of the rule.

        Returns
        -------
        numpy.ndarray
            Classes, one per row. For a table of Dask, an array of Dask that is computed on request.
        """
        check_is_fitted(self)
        decider = partial(decide, self.rule_, self.classes_)
        if is_large(X):
            decided: AnyArray = decide_in_parts(X, column_names(self), self.rule_.columns, decider, self.rule_.target)
            return decided
        return decider(read_table(self, X, reset=False))

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class in each row.

        The probability is the share of the class among the training rows that the same clause decides, smoothed a
        little towards its share among all rows and weighted by ``class_weight``. The class that ``predict`` returns
        is always the most probable.

        Parameters
        ----------
        X
            Table with the columns of ``fit``, in the same order.

        Returns
        -------
        numpy.ndarray
            Probabilities, with one row for each row of ``X`` and one column for each of ``classes_``.
        """
        check_is_fitted(self)
        frame = read_table(self, X, reset=False)
        regions = self.rule_.regions(self.rule_.holds_in(frame), frame.n_rows)
        probabilities: FloatArray = region_probabilities(self.rule_, self._class_factors)[regions]
        return probabilities

    def to_model(self) -> Model:
        """Return the rule and its origin as a model, which ``imli.save`` writes to a file."""
        check_is_fitted(self)
        if self._resumed is not None and self._resumed.rule is self.rule_:
            return self._resumed  # its rule has not been priced again
        rule, answer, counts = self.rule_, self.answer_, self.rule_.counts
        assert counts is not None
        parameters = self.get_params(deep=False)
        parameters.pop("callback")
        card = Card(
            created=in_utc(self._created),
            data=self._data,
            fingerprint=fingerprint(rule),
            learner=type(self).__name__,
            target=rule.target,
            class_shares=tuple(sum(of_class) / counts.total for of_class in zip(*counts.regions, strict=True)),
            cost=float(answer.cost),
            errors=None if answer.errors is None else float(answer.errors),
            bound=float(answer.bound),
            gap=float(answer.gap),
            status=answer.status,
            scope=answer.scope,
            is_clause_optimal=bool(answer.is_clause_optimal),
            n_locked=answer.n_locked,
            backend=answer.backend,
            seconds=round(float(answer.seconds), 3),
            lam=float(self.lam_),
            findings=self.findings_,
            seed=self._seed,
            n_literals=len(self.literals_),
            parameters={name: to_plain(value) for name, value in parameters.items()},
            versions=installed_versions(),
        )
        return Model(rule, counts.classes, self._columns, tuple(self._class_factors.tolist()), card, self._stream)

    def _strategy(self) -> Strategy:
        owner = type(self).__name__
        options = {
            "batch_size": require_integer(owner, "batch_size", self.batch_size),
            "rounds": require_integer(owner, "rounds", self.rounds),
        }
        if not isinstance(self.strategy, str) and (self.batch_size, self.rounds) != (BATCH_SIZE, ROUNDS):
            raise ValueError(
                f"{owner}: batch_size and rounds are for strategies by name. "
                f"Give them to the strategy itself: MiniBatch(batch_size={self.batch_size}, rounds={self.rounds})."
            )
        if not isinstance(self.prove, bool | np.bool_):
            require_number(owner, "prove", self.prove, positive=True, also=" of seconds, or True or False")
        if self.prove and not (isinstance(self.strategy, Joint) or self.strategy == "joint"):
            raise ValueError(f"{owner}: prove is for strategy='joint'. Got strategy={self.strategy!r}.")
        return find_strategy(self.strategy, **options, prove=self.prove)

    def _backend(self, strategy: Strategy, seed: int, n_threads: int, listener: Listener | None) -> Backend:
        effort = require_number(type(self).__name__, "effort", self.effort, positive=True, infinite=True)
        return find_backend(
            self.backend,
            auto="native" if isinstance(strategy, Joint) else "rc2",
            effort=effort,
            seed=seed,
            n_threads=n_threads,
            on_progress=listener,
        )

    def _listener(self, show: Listener | None) -> Listener | None:
        """Return a function that calls ``show`` and the callback and, with ``verbose``, prints on standard output."""
        write = (lambda progress: sys.stdout.write(f"[imli] {progress}\n")) if self.verbose else None
        listeners = [listener for listener in (write, show, self.callback) if listener is not None]

        def tell(progress: Progress) -> None:
            for listener in listeners:
                listener(progress)

        return tell if listeners else None

    @contextmanager
    def _sample(self, X: Any, y: Any, sample_weight: Any, settings: SearchSettings) -> Iterator[Sample | SampleInParts]:
        """Give the rows to learn from, and close what holds them afterwards."""
        if not is_large(X):
            yield read_sample(self, X, y, sample_weight, self._classify)
            return
        owner = type(self).__name__
        refuse_what_needs_all_rows(owner, self.lam, settings, self.memory)
        binning = read_binning(owner, self.bins, self.binning, self.intervals)
        n_threads = count_threads(self.n_jobs)
        with closing(open_engine(X, y, sample_weight, n_threads, settings.on_progress)) as engine:
            yield look_at(self, engine, binning, self._classify)

    @property
    def _most_classes(self) -> int | None:
        return None if self._kind in PAIR_RULES else 2

    def _classify(self, labels: AnyArray, in_use: BoolArray) -> tuple[AnyArray, IntArray]:
        return find_classes(self, labels, in_use, self._most_classes)

    def _task(
        self,
        sample: Sample | SampleInParts,
        last: Rule | None,
        literals: tuple[Literal, ...] | None = None,
        move_share: float | None = None,
        known_lam: float | None = None,
    ) -> tuple[Task, Query, Rule | None]:
        """Read the parameters; return the task, its query over the vocabulary, and the rule to start from.

        ``literals`` are the vocabulary if they are given. ``move_share`` is the cost of a literal that is added or
        dropped, as a share of λ. ``known_lam`` is the λ that folds have found.
        """
        owner, frame = type(self).__name__, sample.frame
        is_auto = isinstance(self.lam, str) and self.lam in ("auto", "cv")
        lam = require_number(owner, "lam", self.lam, also=", 'auto' or 'cv'") if not is_auto else 0.0
        if self.lam == "cv" and self._kind in POINT_RULES:
            raise ValueError(f"{owner}: lam='cv' needs a path of rules, which scores have none of. Use lam='auto'.")
        if is_auto and known_lam is not None:
            lam = known_lam
        elif is_auto:  # the folds of "cv" need a sensible one, those of "auto" only the prices of literals
            lam = PROVISIONAL_LAM * sample.row_weight if self.lam == "auto" else usual_lam(sample.weight)
        known = None if last is None else self.positive_
        classes = sample.classes
        positive = choose_positive(self, classes, sample.class_weights, frame.names, known)
        locked = read_locked(f"{owner}: locked", self.locked, self._kind, classes, frame.names, positive)
        n_clauses = require_integer(owner, self._room, getattr(self, self._room), least=0 if locked else 1)
        constraints, reuse_cost = read_constraints(self, frame, locked)
        if constraints.min_rows is not None:  # of all rows, of which these may be some
            constraints = replace(constraints, min_rows=max(1, round(constraints.min_rows / sample.stand_for)))
        costs = read_feature_costs(self, frame)
        start = None
        if self.start is not None:
            start = read_start(f"{owner}: start", self.start, self._kind, classes, frame.names, positive)
        named = [word for word in (*constraints.always, *constraints.every, *costs) if isinstance(word, Literal)]
        named += [literal for clause, _ in locked for literal in clause]
        asked = read_use(self, frame, constraints, (*named, *(start.literals if start else ())))
        for rule in (start, last):
            named += [literal for literal in (rule.literals if rule else ()) if literal.column in frame.columns]
        parts: dict[str, Any] = {
            "goal": Goal(
                kind=self._kind,
                n_clauses=n_clauses + len(locked),
                lam=lam,
                feature_costs=costs,
                reuse_cost=reuse_cost,
                move=None if move_share is None else move_share * lam,
                constraints=constraints,
                **self._point_terms(),
                classes=(*(label for label in classes if label != positive), positive),
                target=sample.target,
            ),
            "factors": class_factors(self, self.class_weight, self.classes_, sample.class_weights),
            "binning": read_binning(owner, self.bins, self.binning, self.intervals),
            "named": tuple(named),
            "given": literals,
            # a user-chosen backend gets exactly the binned literals
            "refine": require_flag(owner, "refine", self.refine) and self.backend == "auto" and self._refines,
            "n_threads": count_threads(self.n_jobs),
            "asked": asked,
        }
        task: Task
        if isinstance(sample, Sample):
            task = TaskInMemory(sample=sample, **parts)
        else:
            task = TaskInParts(sample=sample, **parts)
        query = task.query()
        if start is not None:
            start = around_locked(query, start)
            require_room(owner, query, start, self._room)
        fits = last is not None and last.kind == self._kind and set(last.classes) <= set(classes)
        if last is not None and fits and describes(last, positive):
            start = around_locked(query, last)
        return task, query, start

    @property
    def _refines(self) -> bool:
        """Return True if thresholds may be refined; in scores only where that is asked for, since it seldom helps."""
        return self._kind not in POINT_RULES or self._room != "n_clauses"

    def _point_terms(self) -> dict[str, Any]:
        """Return what a goal has about scores and checklists."""
        if self._kind not in POINT_RULES:
            return {}
        owner = type(self).__name__
        if self.strategy not in ("joint", "exact") and not isinstance(self.strategy, Joint | Exact):
            raise ValueError(f"{owner}: a {self._kind} is learned with strategy='joint'. Got {self.strategy!r}.")
        loss = USUAL_LOSS[self._kind] if self.loss is None else self.loss
        require_choice(owner, "loss", loss, *get_args(Loss))
        return {
            "max_points": min(require_integer(owner, "max_points", self.max_points), MOST_POINTS),
            "item_literals": require_integer(owner, "item_literals", self.item_literals),
            "loss": loss,
        }

    def _keep(self, task: Task, answer: Answer, literals: tuple[Literal, ...], settings: SearchSettings) -> Answer:
        """Set the attributes of a fit and return its answer, which Ctrl-C in the last moment makes interrupted.

        ``literals`` are those to choose from at first, before any were refined.
        """
        try:
            rule = finished(answer.asked, answer.rule, task, reword=not is_as_printed(settings.strategy))
        except KeyboardInterrupt:  # the rule is there, only not in its shortest wording
            answer = replace(answer, status="interrupted")
            rule = finished(answer.asked, answer.rule, task, reword=False)
        self._vocabulary = tuple(dict.fromkeys((*literals, *task.named)))
        self._keep_rule(task, answer, rule, settings.seed)
        room = require_integer(type(self).__name__, "memory", self.memory, least=0)
        self._stream = begin_memory(self, task, room) if room and isinstance(task, TaskInMemory) else None
        return answer

    def _keep_rule(self, task: Task, answer: Answer, rule: Rule, seed: int) -> None:
        query = answer.asked
        errors: dict[str, Any] = {}  # unknown where the cost has log-losses instead
        if query.loss == "errors":
            errors = errors_in(rule, answer.cost - query.size_units(answer.rule) / query.scale)
        self.literals_, self.answer_, self.rule_ = query.literals, replace(answer, query=None, **errors), rule
        findings = (finding for finding in self.findings_ if finding.kind != "never predicted")
        self.findings_ = in_order((*settled(findings, task.asked, task.goal.constraints.never), *undecided(rule)))
        self._class_factors, self.lam_, self.positive_ = task.factors, task.goal.lam, task.goal.classes[-1]
        self._created, self._seed = datetime.now(UTC), seed
        self._data, self._columns = task.described({*task.frame.names[:_MOST_COLUMNS], *rule.columns})

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "rule_")

    def _html_repr(self) -> str:
        """Return the box that scikit-learn draws in notebooks, and after a fit the rule under it."""
        box: str = super()._html_repr()
        return f"{box}{self.rule_._repr_html_()}" if self.__sklearn_is_fitted__() else box

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        # Text is welcome, but the tag would also promise that any Python object is.
        tags.classifier_tags.multi_class = self._most_classes is None
        return tags
