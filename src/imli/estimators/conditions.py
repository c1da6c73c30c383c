"""The conditions of a classifier on its rules, in resolved form."""

from typing import Any

import numpy as np

from imli.constraints import Constraints, Every, Locked, as_words, resolve, resolve_all
from imli.estimators.parameters import require_choice, require_integer, require_mapping, require_number
from imli.frames import Frame, UnknownColumnError
from imli.literals import IsTrue, Literal


def read_constraints(clf: Any, frame: Frame, locked: tuple[Locked, ...]) -> tuple[Constraints, float]:
    """The constraints that a classifier's parameters ask for, and the cost of using a column again."""
    owner, columns = type(clf).__name__, frame.names
    given = (clf.always,) if isinstance(clf.always, Every) else as_words(clf.always, f"{owner}: always")
    every = tuple(_every(owner, word, frame) for word in given if isinstance(word, Every))
    is_soft = clf.disjoint is not None and not isinstance(clf.disjoint, bool | np.bool_)
    for column, direction in (monotone := require_mapping(owner, "monotone", clf.monotone)).items():
        if column not in columns:
            raise UnknownColumnError.named(str(column), columns)
        require_choice(owner, f"monotone[{column!r}]", direction, 1, -1)
        if frame[column].kind == "text":
            raise ValueError(f"{owner}: monotone names {column!r}, which holds text and so has no direction.")
    return Constraints(
        never=resolve_all(clf.never, columns, f"{owner}: never"),
        always=resolve_all([word for word in given if not isinstance(word, Every)], columns, f"{owner}: always"),
        every=every,
        disjoint=bool(clf.disjoint) and not is_soft,
        max_literals=None
        if clf.max_literals is None
        else require_integer(owner, "max_literals", clf.max_literals, least=0),
        min_rows=None if clf.min_rows is None else require_integer(owner, "min_rows", clf.min_rows),
        monotone=dict(monotone),
        locked=locked,
    ), require_number(owner, "disjoint", clf.disjoint, also=", or True") if is_soft else 0.0


def _every(owner: str, word: Every, frame: Frame) -> Literal:
    parameter = f"{owner}: always"
    found = resolve(word.literal, frame.names, parameter)
    if isinstance(found, str):  # a column of truth values reads like a literal
        if not set(frame[found].cells().tolist()) <= {0, 1, None}:
            raise ValueError(f"{parameter}: Every needs a literal, such as '{found} > 1'. Got the column {found!r}.")
        return IsTrue(found)
    return found


def read_feature_costs(clf: Any, frame: Frame) -> dict[str | Literal, float]:
    """A factor on λ for the columns and literals that a classifier's parameters name."""
    owner = type(clf).__name__
    return {
        resolve(word, frame.names, f"{owner}: feature_costs"): require_number(
            owner, f"feature_costs[{str(word)!r}]", cost
        )
        for word, cost in require_mapping(owner, "feature_costs", clf.feature_costs).items()
    }
