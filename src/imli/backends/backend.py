"""What a backend is, and how one is chosen by name."""

from importlib import import_module
from typing import Any, Protocol, Self, runtime_checkable

from imli.answer import Answer
from imli.deadline import Deadline
from imli.query import Query
from imli.rules import Rule

# module and class of each backend that can be asked for by name
_BACKENDS = {
    "native": ("imli.backends.native", "Native"),
    "rc2": ("imli.backends.rc2", "RC2"),
    "cpsat": ("imli.backends.cpsat", "CPSAT"),
    "brute": ("imli.backends.brute", "Brute"),
}


class RefusedError(ValueError):
    """A backend was given a query that it cannot answer."""

    @classmethod
    def because(cls, backend: str, reason: str, cure: str) -> Self:
        return cls(f"Backend {backend!r} cannot handle: {reason}. {cure}")


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
