"""Who looks at the pieces of a table: this machine, or a cluster."""

from collections.abc import Callable, Collection
from typing import Protocol, TypeVar

from imli.parts.packing import PackedRows, Packing
from imli.parts.pieces import Piece

Found = TypeVar("Found")


class Engine(Protocol):
    """Asks all pieces and merges what they say. What is asked can be pickled, and so can the answers."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns that rules may look at."""

    @property
    def has_names(self) -> bool:
        """Whether the columns came with names."""

    @property
    def target(self) -> str | None:
        """The column of the labels, if it has a name."""

    @property
    def is_weighted(self) -> bool:
        """Whether there are weights."""

    def gather(
        self,
        ask: Callable[[Piece], Found],
        merge: Callable[[Found, Found], Found],
        columns: Collection[str] | None = None,
    ) -> Found:
        """What all pieces say, of which only these columns are looked at."""

    def pack(self, packing: Packing) -> PackedRows:
        """Let each piece become bits, which stay where they are; those of an earlier time go."""

    def close(self) -> None:
        """Let go of all bits."""
