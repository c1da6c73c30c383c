"""The backend that runs CP-SAT of OR-Tools in this process: good rules when time is short, and a bound."""

from dataclasses import dataclass
from threading import Event
from time import monotonic
from typing import Any

from imli.learning.answer import Answer
from imli.learning.backends.backend import Backend, conclude, watch
from imli.learning.backends.maxsat import Encoding, Stopped, check_encodable, lower
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.rules import Formula, Rule


@dataclass(frozen=True)
class CPSAT(Backend):
    """Anytime and exact backend, which starts from the given rule.

    ``workers`` search in different ways at once, also where there are fewer cores: together they find far better
    rules in the same time. Which of several equally good rules is the answer may then depend on timing; with one
    worker that runs to the end it does not.
    """

    workers: int = 8

    name = "cpsat"

    def check(self, query: Query, deadline: Deadline) -> None:
        check_encodable(query, self.name)
        _cp_model()

    def answer(self, query: Query, start: Rule, deadline: Deadline) -> Answer:
        self.check(query, deadline)
        began = monotonic()
        search = _CPSATRun(query, start, self.workers, deadline)
        interrupted = watch(search.run, search.interrupt, deadline, patience=0.8)
        return conclude(query, start, search.found, search.bound, began, self.name, interrupted)


class _CPSATRun:
    """One run of CP-SAT with the rule that it found and its bound."""

    def __init__(self, query: Query, start: Rule, workers: int, deadline: Deadline) -> None:
        self.query, self.start, self.workers, self.deadline = query, start, workers, deadline
        self.found: list[Formula] = []
        self.bound = 0
        self._solver: Any = None

    def run(self, stop: Event) -> None:
        cp_model = _cp_model()
        try:
            encoding = lower(self.query, stop.is_set)
            model, variables = _model(encoding)
        except Stopped:
            return
        if isinstance(self.start, Formula):
            for literal in encoding.model(self.start):
                model.add_hint(variables[abs(literal)], literal > 0)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = self.workers
        solver.parameters.random_seed = 0
        # On thousands of rows presolve takes longer than users wait, overruns time limits, and finds next to nothing.
        solver.parameters.cp_model_presolve = False
        if (remaining := self.deadline.remaining) is not None:
            solver.parameters.max_time_in_seconds = max(0.01, remaining)
        self._solver = solver
        status = solver.solve(model)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            values = enumerate(map(solver.value, variables[1:]), start=1)
            self.found.append(encoding.rule([v if value else -v for v, value in values]))
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.UNKNOWN):
            self.bound = max(0, round(solver.best_objective_bound)) if self.query.n_rows else 0
        if status == cp_model.MODEL_INVALID:
            raise RuntimeError(f"CP-SAT refuses the model: {model.validate()}")

    def interrupt(self) -> None:
        if self._solver is not None:
            self._solver.stop_search()


def _cp_model() -> Any:
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise ImportError("The 'cpsat' backend needs ortools. Install it with: pip install \"imli[cpsat]\".") from None
    return cp_model


def _model(encoding: Encoding) -> tuple[Any, list[Any]]:
    """Return the encoding as a CP-SAT model, and the model's variables by number."""
    cp_model = _cp_model()
    model = cp_model.CpModel()
    variables = [None, *(model.new_bool_var("") for _ in range(encoding.n_variables))]
    # by number, negative ones from the end
    literals = [*variables, *(~variable for variable in reversed(variables[1:]))]
    implied: dict[int, list[int]] = {}
    for clause in encoding.until_stopped(encoding.hard):
        if len(clause) == 2:  # a → b; everything that a implies goes into one constraint
            implied.setdefault(-clause[0], []).append(clause[1])
        else:
            model.add_bool_or([literals[v] for v in clause])
    for condition, consequences in implied.items():
        model.add_bool_and([literals[v] for v in consequences]).only_enforce_if(literals[condition])
    # every soft clause is one literal, which costs its weight where it is false
    model.minimize(
        cp_model.LinearExpr.weighted_sum([literals[-clause[0]] for clause in encoding.soft], encoding.soft_weights)
    )
    return model, variables
