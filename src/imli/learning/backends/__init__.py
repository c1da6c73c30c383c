"""Backends: solvers that answer one query each. All have the same methods and pass the same tests."""

from imli.learning.backends.backend import Backend, find_backend
from imli.learning.backends.brute import Brute
from imli.learning.backends.cpsat import CPSAT
from imli.learning.backends.external import ExternalSolver
from imli.learning.backends.native import Native
from imli.learning.backends.rc2 import RC2

__all__ = ["CPSAT", "RC2", "Backend", "Brute", "ExternalSolver", "Native", "find_backend"]
