"""JSON values that cannot change, and back."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any


def frozen(value: Any) -> Any:
    """The same with tuples for lists, and mappings that cannot change for dicts."""
    if isinstance(value, Mapping):
        return MappingProxyType({name: frozen(part) for name, part in value.items()})
    return tuple(map(frozen, value)) if isinstance(value, list | tuple) else value


def thawed(value: Any) -> Any:
    """The same with lists and dicts, for JSON."""
    if isinstance(value, Mapping):
        return {name: thawed(part) for name, part in value.items()}
    return [thawed(part) for part in value] if isinstance(value, list | tuple) else value
