"""The SAT solver of rules, which Ctrl-C stops between two calls."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from pysat._utils import MainThread
from pysat.card import CardEnc, EncType
from pysat.solvers import Glucose4

_SLICE = 2_000  # conflicts, some tenths of a second; the solver of a rule seldom needs as many


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait for the end of each call of python-sat inside (context manager).

    In the main thread python-sat would answer Ctrl-C by a jump out of its C++ code. That raises ``pysolvers.error``
    instead of KeyboardInterrupt, breaks the solver, and leaves a handler behind that jumps to nowhere the next time.
    In other threads python-sat installs no handler, so it is told to be in one, and Python raises KeyboardInterrupt.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    check = MainThread.check
    MainThread.check = staticmethod(lambda: False)
    try:
        yield
    finally:
        MainThread.check = check


class Glucose(Glucose4):
    """Glucose 4.1 in slices of its work, so that Ctrl-C does not wait until it has an answer."""

    def solve(self, assumptions: Iterable[int] = ()) -> bool:
        """Return True if there is a model in which the assumptions hold."""
        found: bool | None = None
        while found is None:
            self.conf_budget(_SLICE)
            with uninterrupted():
                found = self.solve_limited(assumptions=list(assumptions))
        return found


def encode_at_most(literals: list[int], bound: int, top: int) -> tuple[list[list[int]], int]:
    """Return the clauses of a counter that at most ``bound`` literals are true, and the highest variable in use."""
    if bound >= len(literals):
        return [], top
    if bound == 0:
        return [[-literal] for literal in literals], top
    with uninterrupted():
        counter = CardEnc.atmost(literals, bound, top, encoding=EncType.seqcounter)
    return [list(clause) for clause in counter.clauses], max(top, int(counter.nv))
