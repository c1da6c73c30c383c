"""Numbers of rows that a rule covers and decides correctly, and the probabilities of classes from them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from imli.errors import brief, brief_list, placed
from imli.rules.literals import plain_value
from imli.table.frame import AnyArray, BoolArray, FloatArray, IntArray, Value
from imli.table.read import as_frame, is_missing, read_labels

if TYPE_CHECKING:
    from imli.rules.rule import Holds, Rule

_LARGEST = 1e300  # sums and percentages of counts up to this are finite
_PRIOR_ROWS = 2  # rows of average classes, added to those that a clause decides
_LEAST_LEAD = 1e-6  # of the class that is decided over every other


@dataclass(frozen=True)
class Counts:
    """Numbers of rows by clause and by region. A row of weight 2 counts as two rows, a row of weight 0 is left out.

    A region is the set of rows that one clause, or the default, decides; in a score, the rows of one total.

    Parameters
    ----------
    classes
        The classes of the rows.
    covered
        For each clause in reading order, the rows that it covers.
    right
        For each clause, the covered rows of its class.
    only_here
        For each clause, the rows that the rule decides correctly, but not without this clause.
    regions
        For each clause, and last for the default, the rows of each class in its region; in a score, for each total.
    overlap
        The rows that several clauses cover.

    Examples
    --------
    >>> from imli import parse_rule
    >>> rule = parse_rule("IF age > 60 OR smoker THEN high ELSE low")
    >>> table = {"age": [70, 70, 30, 30], "smoker": [True, False, True, False]}
    >>> counts = rule.counted_on(table, ["high", "high", "low", "low"]).counts
    >>> counts.covered, counts.right, counts.only_here, counts.overlap
    ((2.0, 2.0), (2.0, 1.0), (1.0, 0.0), 1.0)
    >>> counts.classes, counts.regions
    (('low', 'high'), ((0.0, 2.0), (1.0, 0.0), (1.0, 0.0)))
    """

    classes: tuple[Value, ...]
    covered: tuple[float, ...]
    right: tuple[float, ...]
    only_here: tuple[float, ...]
    regions: tuple[tuple[float, ...], ...]
    overlap: float

    def __post_init__(self) -> None:
        if len(set(self.classes)) < len(self.classes):
            raise ValueError(f"The classes of counts must differ. Got {list(self.classes)}.")
        if not len(self.covered) == len(self.right) == len(self.only_here):
            raise ValueError(
                "Counts need as many numbers of rows covered, right and only_here. Got "
                f"{len(self.covered)}, {len(self.right)} and {len(self.only_here)}."
            )
        for covered, right in zip(self.covered, self.right, strict=True):
            if right > covered * (1 + 1e-9):  # sums of fractions depend on the order
                raise ValueError(f"A clause cannot be right in more rows than it covers. Got {right} and {covered}.")
        for region in self.regions:
            if len(region) != len(self.classes):
                raise ValueError(
                    f"Each region of counts needs a number for each of {len(self.classes)} classes. Got {list(region)}."
                )

    def plus(self, other: "Counts") -> "Counts":
        """Return the sum of these counts and those of the same rule on other rows.

        Parameters
        ----------
        other
            Counts with the same classes.
        """

        def add(mine: Any, others: Any) -> Any:
            return tuple(map(add, mine, others)) if isinstance(mine, tuple) else mine + others

        names = [part.name for part in fields(self) if part.name != "classes"]
        return replace(self, **{name: add(getattr(self, name), getattr(other, name)) for name in names})

    @property
    def total(self) -> float:
        """Return the number of all rows."""
        return sum(map(sum, self.regions))

    def decided(self, *regions: int) -> float:
        """Return the number of rows in some regions.

        Parameters
        ----------
        *regions
            Positions in ``regions``.
        """
        return sum(sum(self.regions[region]) for region in regions)

    def decided_rightly(self, label: Value, *regions: int) -> float:
        """Return the number of rows of one class in some regions.

        Parameters
        ----------
        label
            The class.
        *regions
            Positions in ``regions``.
        """
        position = self.classes.index(label)
        return sum(self.regions[region][position] for region in regions)

    def n_right(self, decisions: Iterable[Value]) -> float:
        """Return the number of rows that are decided correctly.

        Parameters
        ----------
        decisions
            The decision of each region.
        """
        return sum(self.decided_rightly(label, region) for region, label in enumerate(decisions))

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as a dict of plain values for JSON."""
        return {part.name: _to_lists(getattr(self, part.name)) for part in fields(self)}

    @classmethod
    def from_dict(cls, content: Any) -> "Counts":
        """Build the counts that ``to_dict`` described.

        Parameters
        ----------
        content
            A dict with the fields of the counts.

        Raises
        ------
        ValueError, TypeError
            If ``content`` does not describe counts.
        """
        expected = {part.name for part in fields(cls)}
        if not isinstance(content, Mapping) or set(content) != expected:
            got = brief_list(content) if isinstance(content, Mapping) else brief(content)
            raise ValueError(f"Counts must be a JSON object with the fields {', '.join(sorted(expected))}. Got {got}.")
        for name in ("classes", "regions"):
            if not isinstance(content[name], list):
                raise ValueError(f"The {name} of counts must be a list. Got {brief(content[name])}.")
        return cls(
            classes=tuple(plain_value(label) for label in content["classes"]),
            covered=_read_counts("covered", content["covered"]),
            right=_read_counts("right", content["right"]),
            only_here=_read_counts("only_here", content["only_here"]),
            regions=tuple(_read_counts("regions", region) for region in content["regions"]),
            overlap=_read_counts("overlap", [content["overlap"]])[0],
        )


def _to_lists(value: Any) -> Any:
    return [_to_lists(part) for part in value] if isinstance(value, tuple) else value


def _read_counts(name: str, content: Any) -> tuple[float, ...]:
    def is_count(number: Any) -> bool:
        return type(number) in (int, float) and 0 <= number <= _LARGEST  # false for NaN

    if not isinstance(content, list) or not all(map(is_count, content)):
        error = ValueError(f"Counts must be numbers from 0 to 1e300; {name} is not. Got {brief(content)}.")
        raise placed(error, name)
    return tuple(map(float, content))


def count_rows(
    rule: "Rule", holds: "Holds", labels: IntArray, classes: tuple[Value, ...], weights: FloatArray
) -> Counts:
    """Count the rows of a rule, given where its literals hold.

    The labels are positions in ``classes``, which has all classes of the rule.
    """
    n_rows = len(labels)
    holds = cache(holds)  # each literal is needed for the rule and for the rule without each clause

    def is_right(decider: "Rule") -> BoolArray:
        return np.asarray(decider.decisions(holds, n_rows, classes) == labels, dtype=bool)

    def weight(rows: AnyArray) -> float:
        return float(weights[rows].sum())

    coverage, own_classes = rule.coverage(holds, n_rows), [classes.index(label) for label in rule.clause_classes]
    right, n_clauses = is_right(rule), len(coverage)
    cells = rule.regions(holds, n_rows) * len(classes) + labels
    n_regions = len(rule.region_classes)
    regions = np.bincount(cells, weights=weights, minlength=n_regions * len(classes))
    return Counts(
        classes=classes,
        covered=tuple(weight(rows) for rows in coverage),
        right=tuple(weight(rows & (labels == own)) for rows, own in zip(coverage, own_classes, strict=True)),
        only_here=tuple(weight(right & ~is_right(rule.without(n))) for n in range(n_clauses)),
        regions=tuple(map(tuple, regions.reshape(n_regions, len(classes)).tolist())),
        overlap=weight(np.sum([*coverage, np.zeros(n_rows, dtype=bool)], axis=0) > 1),
    )


def count_table(rule: "Rule", X: Any, y: Any, sample_weight: Any = None) -> Counts:
    """Count the rows of a rule on a table with labels."""
    frame = as_frame(X, only=rule.columns)
    labels = read_labels(y)
    if labels.shape != (frame.n_rows,):
        raise ValueError(f"y must have one label per row, {frame.n_rows}. Got shape {labels.shape}.")
    weights = _read_weights(sample_weight, frame.n_rows)
    in_use = weights > 0
    if not in_use.all():
        frame, labels, weights = frame.take(in_use), labels[in_use], weights[in_use]
    distinct = dict.fromkeys(labels.tolist())
    if any(is_missing(label) for label in distinct):
        first = next(
            row for row, label in zip(np.flatnonzero(in_use), labels.tolist(), strict=True) if is_missing(label)
        )
        raise ValueError(f"y has a missing label in row {first}. Drop the rows without a label.")
    if distinct and not set(distinct) & set(rule.classes):
        raise ValueError(
            f"No label in y is a class of the rule. Its classes are {list(rule.classes)}; "
            f"the first label is {next(iter(distinct))!r}. Name the classes as the rule does."
        )
    others = sorted(
        (plain_value(label) for label in distinct if label not in rule.classes), key=lambda o: (str(type(o)), o)
    )
    classes = (*rule.classes, *others)
    position = {label: n for n, label in enumerate(classes)}
    positions = np.fromiter((position[label] for label in labels.tolist()), dtype=np.int64, count=len(labels))
    return count_rows(rule, rule.holds_in(frame), positions, classes, weights)


def _read_weights(sample_weight: Any, n_rows: int) -> FloatArray:
    if sample_weight is None:
        return np.ones(n_rows)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight must have one number per row, {n_rows}. Got shape {weights.shape}.")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("sample_weight must be finite and not negative.")
    return weights


def smoothed_shares(weights: FloatArray) -> FloatArray:
    """Return the share of each class in each region, smoothed by a few rows of average classes."""
    totals = weights.sum(axis=0)
    prior = totals / totals.sum() if totals.any() else np.full(len(totals), 1 / len(totals))
    shares: FloatArray = weights + _PRIOR_ROWS * prior
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def region_probabilities(rule: "Rule", factors: FloatArray) -> FloatArray:
    """Return for each region of a rule with counts the probability of each class: its share of the rows there.

    The rows of each class are multiplied by its factor. The class that the rule decides for is always the most
    probable.
    """
    assert rule.counts is not None
    shares = rule.region_shares(np.array(rule.counts.regions) * factors)
    for own, label in zip(shares, rule.region_classes, strict=True):
        decided = rule.counts.classes.index(label)
        lead = own[decided] - np.max(np.delete(own, decided), initial=0.0)
        if lead < _LEAST_LEAD:
            missing = (_LEAST_LEAD - lead) / (1 - lead)
            own *= 1 - missing
            own[decided] += missing
    return shares
