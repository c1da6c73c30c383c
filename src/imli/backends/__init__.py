"""Backends answer one query. All have the same shape and pass the same tests."""

from imli.backends.backend import Backend, RefusedError, find_backend
from imli.backends.brute import Brute
from imli.backends.cpsat import CPSAT
from imli.backends.external import ExternalSolver, SolverError
from imli.backends.native import Native
from imli.backends.rc2 import RC2

__all__ = [
    "CPSAT",
    "RC2",
    "Backend",
    "Brute",
    "ExternalSolver",
    "Native",
    "RefusedError",
    "SolverError",
    "find_backend",
]
