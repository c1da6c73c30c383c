"""Work in a thread of its own, while this one watches the clock and the keyboard."""

from collections.abc import Callable
from threading import Event, Thread

from imli.deadline import Deadline


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
