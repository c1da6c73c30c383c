"""Backends: solvers that answer one query each. All have the same methods and pass the same tests."""

from typing import Any

from imli.learning.backends.backend import Backend
from imli.learning.backends.brute import Brute
from imli.learning.backends.cpsat import CPSAT
from imli.learning.backends.external import ExternalSolver
from imli.learning.backends.native import Native
from imli.learning.backends.rc2 import RC2

__all__ = ["BACKENDS", "CPSAT", "RC2", "Backend", "Brute", "ExternalSolver", "Native", "find_backend"]

BACKENDS: dict[str, type[Backend]] = {"native": Native, "rc2": RC2, "cpsat": CPSAT, "brute": Brute}


def find_backend(backend: str | Backend, auto: str = "native", **native_options: Any) -> Backend:
    """Return the backend of this name, or the given backend. The options are for the native search."""
    if isinstance(backend, str):
        name = auto if backend == "auto" else backend
        if name not in BACKENDS:
            known = ", ".join(map(repr, ("auto", *BACKENDS)))
            raise ValueError(f"backend must be one of {known}, or a Backend. Got {name!r}.")
        return BACKENDS[name](**(native_options if name == "native" else {}))
    if isinstance(backend, type) or not isinstance(backend, Backend):
        raise TypeError(f"backend must be a name or a Backend. Got {backend!r}.")
    return backend
