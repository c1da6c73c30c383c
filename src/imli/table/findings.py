"""Findings: what a look at a table has shown that a person should know before a rule is signed off."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

# In the order in which they are told: what may make a rule wrong comes first.
FindingKind = Literal[
    "misread",  # cells that do not fit the type of their column, or a type that may be wrong
    "leak",  # a column that tells the target almost alone
    "never predicted",  # a class that the rule never decides
    "rare class",
    "identifier",
    "free text",
    "target",  # rows without a target, which are left out
    "reading",  # how a column was read, where that is not plain
    "codes",  # numbers such as -9 or 999 that may stand for words
    "duplicate",
    "one-hot group",
    "constant",
    "personal",
]
Grade = Literal["serious", "notable", "remark"]


@dataclass(frozen=True)
class Finding:
    """A sentence about columns of a table, and what to do about it.

    Parameters
    ----------
    kind
        The kind of the finding.
    columns
        The names of the columns that it is about.
    text
        One sentence that names the columns and says what was seen.
    cure
        One sentence that says what to do, or how to undo what was done; empty if there is nothing to do.
    grade
        "serious" if a rule may be wrong because of it, "notable" if something was decided or left out because of it,
        and "remark" for the rest.
    """

    kind: FindingKind
    columns: tuple[str, ...]
    text: str
    cure: str = ""
    grade: Grade = "remark"

    def __str__(self) -> str:
        return f"{self.text} {self.cure}".rstrip()

    def to_dict(self) -> dict[str, Any]:
        """Return a dict of plain values, for JSON."""
        return asdict(self) | {"columns": list(self.columns)}


_KINDS, _GRADES = get_args(FindingKind), get_args(Grade)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings with the gravest first, each once, and of those about a misread column only the first."""
    misread: set[tuple[str, ...]] = set()
    found = []
    for each in dict.fromkeys(findings):
        if each.kind != "misread" or each.columns not in misread:
            found.append(each)
            misread |= {each.columns} if each.kind == "misread" else set()
    return tuple(sorted(found, key=lambda each: (_GRADES.index(each.grade), _KINDS.index(each.kind))))
