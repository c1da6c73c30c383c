"""The lines of a rule in reading order, before they are words."""

from dataclasses import dataclass

from imli.notation import Value


@dataclass(frozen=True)
class Line:
    """A keyword, and behind it a clause, a decision, or in a decision set both."""

    keyword: str
    clause: int | None = None  # by number
    constant: str = ""  # what stands for clauses where there are none
    label: Value | None = None
    regions: tuple[int, ...] = ()  # those that the decision stands for
