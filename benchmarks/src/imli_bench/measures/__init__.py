"""Measurements of imli's parts, one for each name that ``imli-bench measure`` takes."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from imli_bench.results import Recorder

_MODULES = {
    "search": ("search", "proof", "kernel", "encoding", "strategies"),
    "choices": ("defaults", "noise", "path", "checks"),
    "speed": ("fits", "command_line", "large"),
    "reading": ("reading",),
    "ranking": ("ranking",),
    "streams": ("streams",),
    "explanations": ("explain",),
}
NAMES = tuple(name for names in _MODULES.values() for name in names)


def _add_none(parser: argparse.ArgumentParser) -> None:
    """Add no option to the parser."""


@dataclass(frozen=True)
class Measure:
    """What is measured, in a line; how; and which options it has beside ``data`` and ``results``."""

    about: str
    run: Callable[[Recorder, argparse.Namespace], None]
    add_options: Callable[[argparse.ArgumentParser], None] = _add_none


def find_measure(name: str) -> Measure:
    """Return the measurement of this name."""
    module = next(module for module, names in _MODULES.items() if name in names)
    found: Measure = import_module(f"{__name__}.{module}").MEASURES[name]
    return found
