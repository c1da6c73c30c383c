"""The progress of a fit: how far it has come as a line of text, and that line under the cell of a notebook."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from threading import Event, Thread, current_thread, main_thread
from time import monotonic
from typing import Any

from imli.learning.answer import Progress, describe

WAIT, PAUSE = 2.0, 0.5  # seconds before a fit is shown in a notebook, and between two drawings
_displays: dict[int, Any] = {}  # that of the present cell: all its fits share one


@contextmanager
def shown_in_notebook(limit: float | None) -> Iterator[Callable[[Progress], None] | None]:
    """Show the fit of the block under the cell of a notebook once it takes two seconds, and no longer than it lasts.

    Yield what is to be called with the progress; None outside of notebooks, where nothing is shown.
    """
    shell = _find_notebook()
    if shell is None:
        yield None
        return
    began, done, latest = monotonic(), Event(), list[Progress]()

    def show() -> None:
        if done.wait(WAIT):
            return
        with suppress(Exception):  # a fit is not to fail because it cannot be shown
            _draw(shell, f"Learning: {describe(latest[-1] if latest else None, monotonic() - began, limit)}")
            while not done.wait(PAUSE):
                _draw(shell, f"Learning: {describe(latest[-1] if latest else None, monotonic() - began, limit)}")
            _draw(shell, "")

    # the context says to which cell an output belongs
    drawing = Thread(name="imli progress", target=copy_context().run, args=(show,), daemon=True)
    drawing.start()
    try:
        yield latest.append
    finally:
        done.set()  # first, so that a second Ctrl-C cannot keep it from ending
        drawing.join(1.0)


def _find_notebook() -> Any:
    """Return the shell of a kernel of Jupyter that this is a cell of, or None."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell if getattr(shell, "kernel", None) is not None and current_thread() is main_thread() else None


def _draw(shell: Any, line: str) -> None:
    """Show a line in the display of the present cell."""
    from IPython.display import display

    content, cell = {"text/plain": line}, shell.execution_count
    if cell in _displays:
        _displays[cell].update(content, raw=True)
    else:
        _displays.clear()
        _displays[cell] = display(content, raw=True, display_id=True)
