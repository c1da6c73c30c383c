"""What a backend is, and how one is chosen by name.

How a backend's search ends in an answer.

Work in a thread of its own, while this one watches the clock and the keyboard.
"""

from collections.abc import Callable, Iterable
from importlib import import_module
from threading import Event, Thread
from time import monotonic
from typing import Any, Protocol, runtime_checkable

from imli.errors import Interrupted
from imli.learning.answer import Answer, Deadline, Status
from imli.learning.query import Query
from imli.rules import Rule

# module and class of each backend that can be asked for by name
_BACKENDS = {
    "native": ("imli.learning.backends.native", "Native"),
    "rc2": ("imli.learning.backends.rc2", "RC2"),
    "cpsat": ("imli.learning.backends.cpsat", "CPSAT"),
    "brute": ("imli.learning.backends.brute", "Brute"),
}


@runtime_checkable
class Backend(Protocol):
    """Answers a query: a rule, its cost, and what is proven about it.

    The answer is never worse than ``start``, which the query must allow. At the deadline, or when the user
    presses Ctrl-C (``Interrupted``), the best rule so far comes back.
    """

    @property
    def name(self) -> str: ...

    def check(self, query: Query, deadline: Deadline) -> None:
        """Raise RefusedError, by name, for what this backend cannot handle."""

    def answer(self, query: Query, start: Rule, deadline: Deadline) -> Answer: ...


def find_backend(backend: str | Backend, auto: str = "native", **native_options: Any) -> Backend:
    """The backend of this name, or the one given. The options are for the native search."""
    if isinstance(backend, str):
        if backend == "auto":
            backend = auto
        if backend not in _BACKENDS:
            known = ", ".join(repr(name) for name in ("auto", *_BACKENDS))
            raise ValueError(f"backend must be one of {known}, or a Backend. Got {backend!r}.")
        module, name = _BACKENDS[backend]
        found: Backend = getattr(import_module(module), name)(**(native_options if backend == "native" else {}))
        return found
    if isinstance(backend, type) or not isinstance(backend, Backend):
        raise TypeError(f"backend must be a name or a Backend. Got {backend!r}.")
    return backend


def conclude(
    query: Query, start: Rule, found: Iterable[Rule], bound: int, began: float, backend: str, interrupted: bool
) -> Answer:
    """The best rule, re-priced, with what is proven. Raises Interrupted with it if the user pressed Ctrl-C."""
    best = min((start, *(rule for rule in found if query.allows(rule))), key=query.units)
    units = query.units(best)
    # with nothing left to choose, the rule is the only one
    is_only = query.is_formula and query.n_free == 0
    bound = max(bound, units if is_only else query.unavoidable())
    if bound > units:
        raise RuntimeError(
            f"Backend {backend!r} claims that no rule costs less than {bound / query.scale:g}, but one costs "
            f"{units / query.scale:g}. This is a bug in imli or in the solver; please report it."
        )
    status: Status = "optimal" if bound == units else "interrupted" if interrupted else "feasible"
    answer = Answer(
        rule=best,
        cost=units / query.scale,
        bound=bound / query.scale,
        status=status,
        seconds=monotonic() - began,
        scope=query.scope,
        backend=backend,
        rounding=query.rounding,
        n_locked=query.n_locked,
    )
    if interrupted:
        raise Interrupted(answer)
    return answer


def watch(
    work: Callable[[Event], None],
    interrupt: Callable[[], None],
    deadline: Deadline,
    patience: float = 0.3,
    look: Callable[[], None] = lambda: None,
) -> bool:
    """Run work in a thread of its own and watch the clock and the keyboard; True if the user pressed Ctrl-C.

    At the deadline, or on Ctrl-C, the event that the work was given is set, and ``interrupt`` is called until
    it has ended, for so many seconds. Work that has not ended by then is left to itself: a SAT solver looks only
    now and then whether it should stop, and the caller has waited long enough. What the work raises is raised here.
    Meanwhile ``look`` is called ten times a second; if it raises, the work ends too.
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
    worker.start()
    interrupted = False
    # Not worker.join(): an interrupted join marks a running thread as stopped (Python 3.11 and 3.12).
    # In slices: the signal of Ctrl-C may reach another thread, and this one learns of it only when it wakes.
    try:
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
        except KeyboardInterrupt:  # the user is impatient, but the thread must not go on alone
            interrupted = True
    if done.is_set():
        worker.join()
    if errors:
        raise errors[0]
    return interrupted
