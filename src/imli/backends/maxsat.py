"""What backends that solve the MaxSAT encoding share: which queries they take, and how they conclude."""

from collections.abc import Callable, Iterable
from threading import Event, Thread
from time import monotonic

from imli.answer import Answer, Interrupted, Status
from imli.backends.backend import RefusedError
from imli.deadline import Deadline
from imli.query import Query
from imli.rules import Formula, Rule

# Past this the encoding would fill the memory before a solver sees it.
MAX_OCCURRENCES = 30_000_000


def check_encodable(query: Query, backend: str) -> None:
    """Refuse queries that have no encoding, or one too large to write."""
    if not query.is_formula:
        raise RefusedError.because(backend, "decision lists and sets in one query", "Use strategy='iterative'.")
    per_row = len(query.literals) + (query.constraints.min_rows or 0)
    occurrences = query.n_clauses * query.n_rows * per_row
    if occurrences > MAX_OCCURRENCES:
        size = f"{query.n_clauses} clauses over {len(query.literals):,} literals on {query.n_rows:,} rows at once"
        raise RefusedError.because(backend, size, "Use a mini-batch strategy, such as strategy='incremental'.")


def conclude(
    query: Query, start: Rule, found: Iterable[Formula], bound: int, began: float, backend: str, interrupted: bool
) -> Answer:
    """The best rule, re-priced, with what is proven. Raises Interrupted with it if the user pressed Ctrl-C."""
    best = min((start, *(rule for rule in found if query.allows(rule))), key=query.units)
    units = query.units(best)
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
    )
    if interrupted:
        raise Interrupted(answer)
    return answer


def watch(
    work: Callable[[Event], None], interrupt: Callable[[], None], deadline: Deadline, patience: float = 0.3
) -> bool:
    """Run work in a thread of its own and watch the clock and the keyboard; True if the user pressed Ctrl-C.

    At the deadline, or on Ctrl-C, the event that the work was given is set, and ``interrupt`` is called until
    it has ended, for so many seconds. Work that has not ended by then is left to itself: a SAT solver looks only
    now and then whether it should stop, and the caller has waited long enough. What the work raises is raised here.
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
            pass
    except KeyboardInterrupt:
        interrupted = True
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
