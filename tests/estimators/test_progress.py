"""A fit that lasts is shown under the cell of a notebook, and nowhere else. Jupyter is played by a module."""

import signal
import sys
import threading
import types

import numpy as np
import pytest

from imli import DNFClassifier, rule_path
from imli.estimators import progress

X = np.random.default_rng(0).normal(size=(300, 6))
Y = (X[:, 0] + X[:, 1] * X[:, 2] > 0.3).astype(int)


class Shell:
    kernel, execution_count = object(), 1


@pytest.fixture
def cell(monkeypatch):
    """What a notebook shows under its cells: one text for each display."""
    shown, shell = [], Shell()

    class Handle:
        def __init__(self, text):
            self.place = len(shown)
            shown.append([text])

        def update(self, content, raw):
            shown[self.place].append(content["text/plain"])

    def display(content, raw, display_id):
        return Handle(content["text/plain"])

    jupyter = types.ModuleType("IPython")
    jupyter.get_ipython, jupyter.display = lambda: shell, types.ModuleType("IPython.display")
    jupyter.display.display = display
    monkeypatch.setitem(sys.modules, "IPython", jupyter)
    monkeypatch.setitem(sys.modules, "IPython.display", jupyter.display)
    monkeypatch.setattr(progress, "_displays", {})
    monkeypatch.setattr(progress, "PAUSE", 0.01)
    return types.SimpleNamespace(shown=shown, shell=shell)


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(progress, "WAIT", 0.0)


def slow(**parameters):
    """A classifier whose fit lasts long enough to be shown."""
    return DNFClassifier(effort=0.05, lam=2, callback=lambda _: threading.Event().wait(0.02), **parameters)


def test_a_fit_that_lasts_is_shown_until_it_ends(cell, at_once):
    slow().fit(X, Y)
    (texts,) = cell.shown
    assert texts[0].startswith("Learning: ")
    assert any(text.startswith("Learning: cost ") for text in texts)
    assert texts[-1] == ""
    assert not [thread for thread in threading.enumerate() if thread.name == "imli progress"]


def test_fits_of_a_cell_share_a_display(cell, at_once):
    slow().fit(X, Y)
    slow(random_state=1).fit(X, Y).partial_fit(X, Y)
    assert len(cell.shown) == 1
    cell.shell.execution_count = 2
    rule_path(X, Y, n_rules=3, cv=2, effort=0.1, callback=lambda _: threading.Event().wait(0.1))
    assert len(cell.shown) == 2
    assert any(text.startswith("Learning: ") and " search" in text for text in cell.shown[1])
    assert [texts[-1] for texts in cell.shown] == ["", ""]


def test_nothing_is_shown_of_a_short_fit(cell):
    slow().fit(X, Y)
    assert cell.shown == []


def test_lines_of_verbose_take_its_place(cell, at_once, capsys):
    slow(verbose=1).fit(X, Y)
    assert cell.shown == []
    assert capsys.readouterr().out.startswith("[imli] ")


def test_nothing_is_shown_without_a_kernel_nor_from_other_threads(cell, at_once, capsys):
    thread = threading.Thread(target=slow().fit, args=(X, Y))
    thread.start()
    thread.join()
    cell.shell.kernel = None  # IPython in a terminal
    slow().fit(X, Y)
    assert cell.shown == []
    assert capsys.readouterr() == ("", "")


def test_it_goes_away_with_ctrl_c_and_errors(cell, at_once):
    def interrupt(_):
        threading.Event().wait(0.1)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        DNFClassifier(effort=0.3, lam=2, callback=interrupt).fit(X, Y)

    def fail(_):
        threading.Event().wait(0.1)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        DNFClassifier(effort=0.3, lam=2, callback=fail).fit(X, Y)
    assert [texts[-1] for texts in cell.shown] == [""]


def test_a_notebook_that_cannot_show_it_breaks_no_fit(cell, at_once, monkeypatch):
    def refuse(*_, **__):
        raise RuntimeError

    monkeypatch.setattr(sys.modules["IPython.display"], "display", refuse)
    assert slow().fit(X, Y).rule_ == slow().fit(X, Y).rule_


def test_the_rule_is_the_one_of_a_script(cell, at_once):
    shown = DNFClassifier(lam=2).fit(X, Y).rule_
    cell.shell.kernel = None
    assert DNFClassifier(lam=2).fit(X, Y).rule_ == shown
