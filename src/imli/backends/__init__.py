"""Backends answer one query. All have the same shape and pass the same tests."""

from imli.backends.backend import Backend, RefusedError, find_backend
from imli.backends.brute import Brute
from imli.backends.rc2 import RC2

__all__ = ["RC2", "Backend", "Brute", "RefusedError", "find_backend"]
