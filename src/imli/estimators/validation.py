"""How the answers to questions do on rows that they were not learned from."""

from collections.abc import Generator
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from joblib import cpu_count, delayed

from imli.arrays import BoolArray
from imli.backends import Native
from imli.constraints import InfeasibleError, names
from imli.deadline import Deadline
from imli.estimators.folds import Part
from imli.estimators.spreading import count_workers, is_here, spread
from imli.estimators.tracing import Asking, Question, Tracer
from imli.estimators.training import TableTraining
from imli.literals import Literal
from imli.rules import Rule

_SCOUTS = 4  # one question out of so many is asked before thresholds are looked for anew


@dataclass(frozen=True)
class Trial:
    """Questions about all rows, to be asked about the rows of a part."""

    training: TableTraining
    questions: tuple[Question, ...]
    literals: tuple[Literal, ...]  # of the rules that are the answers on all rows
    asking: Asking
    preparation: float  # seconds that it took to make literals of all rows

    def __sizeof__(self) -> int:
        """What is large, joblib sends to each of Dask's workers once and not with every fold; this is what it asks."""
        training = self.training
        columns = sum(column.values.nbytes + column.missing.nbytes for column in training.frame.columns.values())
        return columns + training.positions.nbytes + training.weights.nbytes


def fold_errors(trial: Trial, parts: list[Part], n_threads: int) -> Generator[tuple[float, ...] | None]:
    """For each part, in order, the errors of the answers on the rows that are held out; None if there was no time."""
    n_workers = count_workers(len(parts), n_threads)
    n_rounds = ceil(len(parts) / n_workers)
    n_cores = n_threads if is_here() else min(n_threads, cpu_count())  # there may be more workers than cores anywhere
    # each worker has its share of the threads, so that there are no more than cores
    training = replace(trial.training, n_threads=max(1, n_cores // n_workers))
    # how much time is left goes with each part, since all else may have been sent long before
    deadline = trial.asking.deadline
    trial = replace(trial, training=training, asking=replace(trial.asking, deadline=Deadline()))
    rounds_left = (n_rounds - number // n_workers for number in range(len(parts)))
    work = (delayed(_errors)(trial, part, deadline, left) for part, left in zip(parts, rounds_left, strict=True))
    yield from spread(work, n_workers)


def _errors(trial: Trial, part: Part, deadline: Deadline, n_rounds: int) -> tuple[float, ...] | None:
    """With so many rounds of parts left, this one among them, for which the time has to last."""
    remaining = deadline.remaining
    if trial.asking.stop.is_set() or (remaining is not None and remaining < trial.preparation):
        return None
    train, test = part
    training, held_out = trial.training.take(train), trial.training.take(test)
    share = float(training.weights.sum() / trial.training.weights.sum())
    deadline = Deadline() if remaining is None else Deadline.after(remaining / n_rounds)
    rules = _answers(trial, training, share, deadline)
    if rules is None:
        return None
    weights, total = held_out.row_weights, float(held_out.row_weights.sum())
    return tuple(float(weights[_wrong(rule, held_out)].sum()) / total if total else 0.0 for rule in rules)


def _answers(trial: Trial, training: TableTraining, share: float, deadline: Deadline) -> list[Rule] | None:
    """A literal must save as large a share of the rows as on all rows, so λ is that much smaller."""
    questions = [replace(question, lam=question.lam * share) for question in trial.questions]
    backend = trial.asking.backend
    if isinstance(backend, Native):
        backend = replace(backend, n_threads=training.n_threads)
    asking = replace(trial.asking, backend=backend, deadline=deadline)
    constraints = training.terms["constraints"]
    if constraints.min_rows is not None:
        training = training.within(min_rows=max(1, int(constraints.min_rows * share)))
    try:
        tracer = Tracer(training, asking)
    except InfeasibleError:
        # What all rows allow, some of them may not: a clause has too few rows, or a column but one value. The
        # estimate needs some rule.
        asked = [each for each in trial.literals if any(names(word, each) for word in constraints.always)]
        training = replace(training.within(min_rows=None), asked=(*training.asked, *asked))
        tracer = Tracer(training, asking)
    if training.has_finer:
        tracer.follow(questions[::_SCOUTS])
        tracer.refine()
    tracer.follow(questions)
    # with no time for a single search, errors would be those of a rule that nobody has looked for
    return [tracer.answer(question) for question in questions] if tracer.n_searches else None


def _wrong(rule: Rule, rows: TableTraining) -> BoolArray:
    classes = rows.terms["classes"]
    known = np.array([classes.index(label) for label in rule.classes])
    decided = known[rule.class_positions(rule.holds_in(rows.frame), rows.frame.n_rows)]
    wrong: BoolArray = decided != rows.positions
    return wrong
