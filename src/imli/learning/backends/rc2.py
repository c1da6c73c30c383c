"""The backend that runs RC2, the core-guided MaxSAT solver of python-sat, in this process."""

from contextlib import suppress
from dataclasses import dataclass
from threading import Event
from time import monotonic
from typing import Any

from pysat.examples.rc2 import RC2Stratified
from pysat.formula import WCNF

from imli.errors import RefusedError
from imli.learning.answer import Answer
from imli.learning.backends.backend import Backend, conclude, watch
from imli.learning.backends.maxsat import Encoding, Stopped, check_encodable, lower
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.rules import Formula, Rule

# Oracles that python-sat can stop from another thread, which time limits and Ctrl-C need.
_INTERRUPTIBLE = ("g3", "g4", "g42", "gc3", "gc4", "m22", "mgh", "mcb", "mcm", "mpl", "mc")


@dataclass(frozen=True)
class RC2(Backend):
    """Exact backend: raises a lower bound until it meets the cost of a rule.

    A search that is stopped early has the bound so far, and a rule of an earlier stage if there was one. The search
    also stops when the bound reaches ``enough`` units, because no rule is then cheaper than the one already known.
    ``ordered_slots`` fixes the order of the clauses, so that no proof is repeated for each order.
    """

    solver: str = "g3"
    enough: int | None = None
    ordered_slots: bool = False

    name = "rc2"

    def check(self, query: Query, deadline: Deadline) -> None:
        check_encodable(query, self.name)
        if deadline.remaining is not None and self.solver not in _INTERRUPTIBLE:
            raise RefusedError.because(self.name, f"time_limit on {self.solver}", "Use solver='g4'.")

    def answer(self, query: Query, start: Rule, deadline: Deadline) -> Answer:
        self.check(query, deadline)
        began = monotonic()
        search = _RC2Run(query, self)
        interrupted = watch(search.run, search.interrupt, deadline)
        return conclude(query, start, search.found, search.bound, began, self.name, interrupted)


class _RC2Run:
    """One run of RC2 with its rules and bound so far, which can be read while it is still running."""

    def __init__(self, query: Query, options: RC2) -> None:
        self.query, self.options = query, options
        self._encoding: Encoding | None = None
        self._rc2: _StoppableRC2 | None = None

    def run(self, stop: Event) -> None:
        with suppress(Stopped):
            self._encoding = lower(self.query, stop.is_set, self.options.ordered_slots)
            if not self._encoding.soft:
                return  # nothing has a cost, so every allowed rule is optimal
            options = {"solver": self.options.solver, "adapt": True, "exhaust": True, "minz": True}
            with _StoppableRC2(_wcnf(self._encoding), stop, self.options.enough, **options) as rc2:
                self._rc2 = rc2
                model = rc2.compute()
                if model is not None:
                    rc2.models.insert(0, model)  # first, so that it wins over earlier ones of equal cost

    def interrupt(self) -> None:
        if self._rc2 is not None and self._rc2.oracle is not None and self.options.solver in _INTERRUPTIBLE:
            self._rc2.oracle.interrupt()

    @property
    def bound(self) -> int:
        """Return the lower bound that the cores found so far prove, in units."""
        return 0 if self._rc2 is None else int(self._rc2.cost)

    @property
    def found(self) -> list[Formula]:
        if self._rc2 is None or self._encoding is None:
            return []
        return [self._encoding.rule(model) for model in list(self._rc2.models)]


class _StoppableRC2(RC2Stratified):
    """RC2 that can be stopped in all of its calls, and that keeps the models of its strata.

    RC2 of python-sat finishes the heuristic work on a core before it looks whether it should stop, which can take
    minutes.
    """

    def __init__(self, formula: WCNF, stop: Event, enough: int | None, **options: Any) -> None:
        self.stop, self.enough = stop, enough
        self.models: list[list[int]] = []
        super().__init__(formula, **options)
        propagate = self.oracle.propagate

        def stoppable_propagate(*arguments: Any, **named: Any) -> Any:
            self._raise_if_stopped()
            return propagate(*arguments, **named)

        self.oracle.propagate = stoppable_propagate  # called for each soft clause in the search for at-most-ones

    def _call_oracle(self, assumptions: Any = (), expect_interrupt: bool = False) -> Any:
        self._raise_if_stopped()
        result = self.oracle.solve_limited(assumptions=assumptions, expect_interrupt=True)
        self._raise_if_stopped()
        return result

    def finish_level(self) -> None:
        # soft clauses of this weight and above are decided: their model is a rule, though maybe not the best
        names = self.vmap.i2e
        model = self.oracle.get_model()
        self.models.append([names[abs(v)] * (1 if v > 0 else -1) for v in model if abs(v) in names])
        super().finish_level()

    def _raise_if_stopped(self) -> None:
        if self.stop.is_set() or (self.enough is not None and self.cost >= self.enough):
            raise Stopped


def _wcnf(encoding: Encoding) -> WCNF:
    # the lists are assigned directly: appending clause by clause takes longer than the encoding itself
    wcnf = WCNF()
    wcnf.nv = encoding.n_variables
    wcnf.hard = encoding.until_stopped(encoding.hard)  # a solver that loads them can be stopped
    wcnf.soft, wcnf.wght = encoding.soft, encoding.soft_weights
    wcnf.topw = sum(encoding.soft_weights) + 1
    return wcnf
