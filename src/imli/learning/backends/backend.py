"""The ``Backend`` protocol, backends by name, and how a backend's search is watched and ends in an answer."""

import atexit
from collections.abc import Callable, Iterable
from threading import Event, Thread
from time import monotonic
from typing import Any, Protocol, runtime_checkable

from imli.errors import Interrupted
from imli.learning.answer import Answer, Status
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.rules import Rule

_LAST_PATIENCE = 3.0  # seconds that Python waits for work that was left alone, when it ends


@runtime_checkable
class Backend(Protocol):
    """A solver that answers one query: with a rule, its cost, and what is proven about it.

    Any object with these members is a backend; it need not inherit from this class.
    """

    @property
    def name(self) -> str:
        """Return the name that errors and answers show."""

    def check(self, query: Query, deadline: Deadline) -> None:
        """Check that this backend can answer the query.

        Parameters
        ----------
        query
            The rows, the literals and the constraints.
        deadline
            When the search has to end.

        Raises
        ------
        RefusedError
            If it cannot. The message names the backend, the reason and the cure.
        """

    def answer(self, query: Query, start: Rule, deadline: Deadline) -> Answer:
        """Return the best rule that the search finds, with its cost and a proven lower bound.

        Parameters
        ----------
        query
            The rows, the literals and the constraints.
        start
            A rule that the query allows. The answer is never worse than this rule.
        deadline
            When the search has to end. The best rule so far is the answer then.

        Raises
        ------
        Interrupted
            If the user presses Ctrl-C. The exception carries the best answer so far.
        """


def find_backend(backend: str | Backend, auto: str = "native", **native_options: Any) -> Backend:
    """Return the backend of this name, or the given backend. The options are for the native search."""
    from imli.learning import backends  # which import this module

    known: dict[str, type[Backend]] = {
        "native": backends.Native,
        "rc2": backends.RC2,
        "cpsat": backends.CPSAT,
        "brute": backends.Brute,
    }
    if isinstance(backend, str):
        name = auto if backend == "auto" else backend
        if name not in known:
            names = ", ".join(map(repr, ("auto", *known)))
            raise ValueError(f"backend must be one of {names}, or a Backend. Got {name!r}.")
        return known[name](**(native_options if name == "native" else {}))
    if isinstance(backend, type) or not isinstance(backend, Backend):
        raise TypeError(f"backend must be a name or a Backend. Got {backend!r}.")
    return backend


def watch(
    work: Callable[[Event], None],
    interrupt: Callable[[], None],
    deadline: Deadline,
    patience: float = 0.3,
    look: Callable[[], None] = lambda: None,
) -> bool:
    """Run ``work`` in a thread of its own until the deadline or Ctrl-C; return True if the user pressed Ctrl-C.

    At the end, the event given to ``work`` is set, and ``interrupt`` is called until the work has ended, for at most
    ``patience`` seconds. Work that has not ended by then goes on alone: a SAT solver looks only now and then whether
    it should stop, and the caller has waited long enough. An exception of the work is raised here. ``look`` is called
    ten times a second; if it raises, the work ends too.
    """
    stop, done = Event(), Event()
    errors: list[BaseException] = []

    def guarded() -> None:
        try:
            work(stop)
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    worker = Thread(target=guarded, name="imli-solver", daemon=True)
    interrupted = False
    # Not worker.join(): an interrupted join marks a running thread as stopped (Python 3.11 and 3.12).
    # In slices: the signal of Ctrl-C may reach another thread, and this thread sees it only when it wakes.
    # The start is inside the block: a search that Ctrl-C leaves alone would end while Python shuts down, and abort.
    try:
        worker.start()
        while not (deadline.passed or done.wait(min(0.1, deadline.remaining or 0.1))):
            look()
    except KeyboardInterrupt:
        interrupted = True
    except BaseException as error:
        errors.append(error)
    stop.set()
    last = Deadline.after(patience)
    while not (done.is_set() or last.passed):
        try:
            interrupt()
            done.wait(0.01)
        except KeyboardInterrupt:  # pressed again: the thread must still be ended
            interrupted = True
    if done.is_set():
        worker.join()
    else:  # Python aborts if compiled code returns to it while it shuts down
        atexit.register(done.wait, _LAST_PATIENCE)
    if errors:
        raise errors[0]
    return interrupted


def conclude(
    query: Query, start: Rule, found: Iterable[Rule], bound: int, began: float, backend: str, interrupted: bool
) -> Answer:
    """Return the cheapest of ``start`` and the found rules that the query allows, priced again, as an answer.

    Of rules that cost the same, the plainest is returned.

    ``bound`` is what the backend has proven, in units. Raises Interrupted with the answer if the user pressed Ctrl-C.
    """
    allowed = (start, *(rule for rule in found if query.allows(rule)))
    best = min(allowed, key=lambda rule: (query.units(rule), query.length(rule)))
    units = query.units(best)
    # with nothing left to choose, the rule is the only one
    is_only = query.is_binary and query.n_free == 0
    bound = max(bound, units if is_only else query.unavoidable())
    if bound > units:
        raise RuntimeError(
            f"Backend {backend!r} claims that no rule costs less than {bound / query.scale:g}, but one costs "
            f"{units / query.scale:g}. This is a bug in imli or in the solver; please report it."
        )
    answer = answer_with(query, best, bound, began, backend, interrupted)
    if interrupted:
        raise Interrupted(answer)
    return answer


def answer_with(query: Query, rule: Rule, bound: int, began: float, backend: str, interrupted: bool) -> Answer:
    """Return the rule as an answer, with its cost and the bound, which is in units and at most the cost."""
    units = query.units(rule)
    status: Status = "optimal" if bound == units else "interrupted" if interrupted else "feasible"
    return Answer(
        rule=rule,
        cost=units / query.scale,
        bound=bound / query.scale,
        status=status,
        seconds=monotonic() - began,
        scope=query.scope,
        backend=backend,
        rounding=query.rounding,
        n_locked=query.n_locked,
    )
