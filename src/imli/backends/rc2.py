"""RC2, the core-guided MaxSAT solver of python-sat, in this process."""

from dataclasses import dataclass
from threading import Event, Thread
from time import monotonic
from typing import Any

from pysat.examples.rc2 import RC2Stratified
from pysat.formula import WCNF

from imli.answer import Answer, Interrupted, Status
from imli.backends.backend import RefusedError
from imli.deadline import Deadline
from imli.lowering import Encoding, lower
from imli.query import Query
from imli.rules import Formula

# Oracles that python-sat can stop from another thread, which time limits and Ctrl-C need.
_INTERRUPTIBLE = ("g3", "g4", "g42", "gc3", "gc4", "m22", "mgh", "mcb", "mcm", "mpl", "mc")


@dataclass(frozen=True)
class RC2:
    """Exact: grows a lower bound until it meets a rule.

    Stopped early it gives the bound it has reached, and a rule of an earlier stage of its search if there was one.
    """

    solver: str = "g3"

    name = "rc2"

    def check(self, query: Query, deadline: Deadline) -> None:  # noqa: ARG002
        if deadline.remaining is not None and self.solver not in _INTERRUPTIBLE:
            raise RefusedError(self.name, [f"time_limit on {self.solver}"], "Use solver='g4'.")

    def answer(self, query: Query, start: Formula, deadline: Deadline) -> Answer:
        self.check(query, deadline)
        began = monotonic()
        search = _Search(query, self.solver)
        interrupt = search.run(deadline)
        best = min((rule for rule in (start, *search.found) if query.allows(rule)), key=query.units)
        units = query.units(best)
        if search.is_optimal and units != search.bound:
            raise RuntimeError(
                f"RC2 claims a cost of {search.bound / query.scale:g}, but its rule costs {units / query.scale:g}. "
                "This is a bug in imli or in python-sat; please report it."
            )
        status: Status = "interrupted" if interrupt else "optimal" if search.bound >= units else "feasible"
        answer = Answer(
            rule=best,
            cost=units / query.scale,
            bound=min(search.bound, units) / query.scale,
            status=status,
            seconds=monotonic() - began,
            scope=query.scope,
            backend=self.name,
            rounding=query.rounding,
        )
        if interrupt:
            raise Interrupted(answer)
        return answer


class _Stopped(Exception):  # noqa: N818
    """The search was told to stop."""


class _StoppableRC2(RC2Stratified):
    """RC2 that can be stopped in all of its calls, and that keeps the models of its strata.

    RC2 itself finishes the heuristic work on a core before it looks whether it should stop, which can take minutes.
    """

    def __init__(self, formula: WCNF, stop: Event, **options: Any) -> None:
        self.stop = stop
        self.models: list[list[int]] = []
        super().__init__(formula, **options)

    def _call_oracle(self, assumptions: Any = (), expect_interrupt: bool = False) -> Any:  # noqa: ARG002
        self._stop_if_told()
        result = self.oracle.solve_limited(assumptions=assumptions, expect_interrupt=True)
        self._stop_if_told()
        return result

    def adapt_am1(self) -> None:
        self._stop_if_told()
        super().adapt_am1()

    def finish_level(self) -> None:
        # soft clauses of this weight and above are settled: a model of them is a rule, though maybe not the best
        self.models.append(self.oracle.get_model())
        super().finish_level()

    def _stop_if_told(self) -> None:
        if self.stop.is_set():
            raise _Stopped


class _Search:
    """One run of RC2 in a thread of its own, so that this thread can watch the clock and the keyboard."""

    def __init__(self, query: Query, solver: str) -> None:
        self.query, self.solver = query, solver
        self.stop, self.done = Event(), Event()
        self.found: list[Formula] = []
        self.bound = 0
        self.is_optimal = False
        self._rc2: _StoppableRC2 | None = None
        self._error: BaseException | None = None

    def run(self, deadline: Deadline) -> bool:
        """Search until done or the deadline; True if the user interrupted."""
        worker = Thread(target=self._work, name="imli-rc2", daemon=True)
        worker.start()
        interrupted = False
        # Not worker.join(): an interrupted join marks a running thread as stopped (Python 3.11 and 3.12).
        # In slices: the signal of Ctrl-C may reach another thread, and this one learns of it only when it wakes.
        try:
            while not (deadline.passed or self.done.wait(min(0.1, deadline.remaining or 0.1))):
                pass
        except KeyboardInterrupt:
            interrupted = True
        self.stop.set()
        while not self.done.is_set():
            if self._rc2 is not None and self._rc2.oracle is not None and self.solver in _INTERRUPTIBLE:
                self._rc2.oracle.interrupt()
            self.done.wait(0.01)
        worker.join()
        if self._error is not None:
            raise self._error
        return interrupted

    def _work(self) -> None:
        try:
            self._solve(lower(self.query))
        except _Stopped:
            pass
        except BaseException as error:
            self._error = error
        finally:
            self.done.set()

    def _solve(self, encoding: Encoding) -> None:
        if self.stop.is_set():
            return
        options = {"solver": self.solver, "adapt": True, "exhaust": True, "minz": True}
        with _StoppableRC2(_wcnf(encoding), self.stop, **options) as rc2:
            self._rc2 = rc2
            try:
                model = rc2.compute()
                self.is_optimal = model is not None
                if model is not None:
                    self.found.append(encoding.rule(model))
            finally:
                self.bound = rc2.cost
                if not self.is_optimal:
                    self.found += [encoding.rule(_external(rc2, model)) for model in rc2.models]


def _external(rc2: _StoppableRC2, model: list[int]) -> list[int]:
    """A model of the oracle in the variables of the formula."""
    names = rc2.vmap.i2e
    return [names[abs(v)] * (1 if v > 0 else -1) for v in model if abs(v) in names]


def _wcnf(encoding: Encoding) -> WCNF:
    # filled by hand: appending clause by clause takes longer than making them
    wcnf = WCNF()
    wcnf.nv = encoding.n_variables
    wcnf.hard = encoding.hard
    wcnf.soft, wcnf.wght = encoding.soft, encoding.soft_weights
    wcnf.topw = sum(encoding.soft_weights) + 1
    return wcnf
