"""Scores and checklists: clauses whose points add up, and a total from which on the positive class is decided."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from imli.errors import at, brief, placed
from imli.rules.counts import Counts
from imli.rules.formula import two_classes
from imli.rules.literals import Clause, Literal, as_clause
from imli.rules.notation import write_number, write_value
from imli.rules.rule import Holds, Kind, Label, Rule, all_hold
from imli.rules.text import Line
from imli.table.frame import AnyArray, BoolArray, FloatArray, IntArray
from imli.table.read import as_frame

Item = tuple[Clause, int]  # a clause and its points

MOST_POINTS = 1000
_MOST_RISKS, _FINEST = 8, 40  # groups of totals that are printed, and that these are made from
# Cost in nats of half the square of an item's log-odds: few rows must not make a probability of nearly 0 or 1.
RIDGE = 1.0
_INSIDE = 1e-3  # of a point: how far from whole totals the fitted probability is at least one half
_STEPS, _FLAT = 50, 1e-10  # of Newton's method


@dataclass(frozen=True, eq=False, repr=False)
class PointRule(Rule):
    """Items, each a conjunction of literals with whole points, and the total that decides for the positive class."""

    items: tuple[Item, ...] = ()
    threshold: int = 1
    classes: tuple[Label, Label] = (False, True)
    target: str | None = None
    counts: Counts | None = None

    part: ClassVar[str] = "item"
    margin: ClassVar[int] = 6
    nothing: ClassVar[str]  # the first word of the rule

    def __post_init__(self) -> None:
        items = tuple((as_clause(clause), whole(points, "points")) for clause, points in self.items)
        object.__setattr__(self, "items", items)
        object.__setattr__(self, "threshold", _threshold(self.threshold))
        object.__setattr__(self, "classes", two_classes(self.classes, f"A {self.title}"))
        self._check()

    @property
    def clauses(self) -> tuple[Clause, ...]:
        return tuple(clause for clause, _ in self.items)

    @property
    def points(self) -> tuple[int, ...]:
        """Return the points of each item."""
        return tuple(points for _, points in self.items)

    @property
    def least(self) -> int:
        """Return the total where all items with points below 0 hold, and no other."""
        return sum(min(points, 0) for points in self.points)

    @property
    def most(self) -> int:
        """Return the total where all items with points above 0 hold, and no other."""
        return sum(max(points, 0) for points in self.points)

    @property
    def region_classes(self) -> tuple[Label, ...]:
        """Return the class that is decided at each total, from the least to the most."""
        return tuple(self.classes[total >= self.threshold] for total in range(self.least, self.most + 1))

    @property
    def clause_classes(self) -> tuple[Label, ...]:
        return tuple(self.classes[points > 0] for points in self.points)

    def clause_of(self, region: int) -> int | None:  # noqa: ARG002
        return None  # items decide together

    def region_name(self, region: int) -> str:
        total = self.least + region
        return f"{total} point{'' if abs(total) == 1 else 's'}"

    def _identity(self) -> tuple[Any, ...]:
        is_flag = tuple(isinstance(label, bool) for label in self.classes)
        return self.kind, self.items, self.threshold, self.classes, is_flag, self.target

    def __invert__(self) -> "PointRule":
        """Return the rule that is true exactly where this one is false: with the points taken away, or De Morgan."""
        items = tuple((clause, -points) for clause, points in self.items)
        return Score(items, 1 - self.threshold, self.classes, self.target)

    def totals(self, holds: Holds, n_rows: int) -> IntArray:
        """Return the total of each row.

        Parameters
        ----------
        holds, n_rows
            A function that returns in which rows a literal holds, and the number of rows.
        """
        found = np.zeros(n_rows, dtype=np.int64)
        for rows, points in zip(self.coverage(holds, n_rows), self.points, strict=True):
            found[rows] += points
        return found

    def total(self, data: Any) -> IntArray:
        """Return the total of each row of a table: the sum of the points of all items that hold.

        Parameters
        ----------
        data
            A table with at least the columns that the rule reads.

        Examples
        --------
        >>> from imli import parse_rule
        >>> rule = parse_rule("ADD 2 points if age > 60 1 point if smoker IF 2 points or more THEN high ELSE low")
        >>> rule.total({"age": [70, 70, 30], "smoker": [True, False, True]}).tolist()
        [3, 2, 1]
        """
        frame = as_frame(data, only=self.columns)
        return self.totals(self.holds_in(frame), frame.n_rows)

    def coverage(self, holds: Holds, n_rows: int) -> list[BoolArray]:
        return [all_hold(clause, holds, n_rows) for clause in self.clauses]

    def class_positions(self, holds: Holds, n_rows: int) -> AnyArray:
        return (self.totals(holds, n_rows) >= self.threshold).astype(np.intp)

    def regions(self, holds: Holds, n_rows: int) -> IntArray:
        """Return for each row its total, counted from the least.

        Parameters
        ----------
        holds, n_rows
            A function that returns in which rows a literal holds, and the number of rows.
        """
        return self.totals(holds, n_rows) - self.least

    def without(self, clause: int) -> Self:
        rest = tuple(item for number, item in enumerate(self.items) if number != clause)
        return replace(self, items=rest, counts=None)

    def region_shares(self, weights: FloatArray) -> FloatArray:
        """Return the probability of each class at each total: a logistic curve, fitted to the rows.

        Its middle lies below the threshold, and less than a point below, so that the class that is decided is the
        more probable one.

        Parameters
        ----------
        weights
            The weight of each class at each total.
        """
        assert self.counts is not None
        own = [self.counts.classes.index(label) for label in self.classes]
        offset, scale = self.curve(weights[:, own[0]], weights[:, own[1]])
        if scale > 0 and self.least < self.threshold <= self.most:
            middle = min(max(-offset / scale, self.threshold - 1 + _INSIDE), self.threshold - _INSIDE)
            offset = -scale * middle
        totals = np.arange(self.least, self.most + 1)
        positive = 1 / (1 + np.exp(-np.clip(offset + scale * totals, -500, 500)))
        shares = np.zeros_like(weights)
        of_others = np.delete(weights, own, axis=1).sum(axis=0) / max(float(weights.sum()), 1e-300)
        shares[:, np.delete(np.arange(weights.shape[1]), own)] = of_others
        shares[:, own] = np.column_stack([1 - positive, positive]) * (1 - of_others.sum())
        return shares

    def curve(self, negative: FloatArray, positive: FloatArray) -> tuple[float, float]:
        """Return offset and scale of the logistic curve of the total that fits rows best.

        Parameters
        ----------
        negative, positive
            The weight of each class at each total, from the least to the most.
        """
        found = self._fitted(negative, positive)
        return found.offset, found.scale

    def log_loss(self, negative: FloatArray, positive: FloatArray) -> float:
        """Return the sum of the log-losses of that curve, in nats, and of what its steepness costs.

        Parameters
        ----------
        negative, positive
            The weight of each class at each total, from the least to the most.
        """
        return self._fitted(negative, positive).loss

    def _fitted(self, negative: FloatArray, positive: FloatArray) -> "_Logistic":
        ridge = RIDGE * sum(points**2 for points in self.points)
        return _Logistic(np.arange(self.least, self.most + 1, dtype=np.float64), negative, positive, ridge)

    def settled(self, negative: FloatArray, positive: FloatArray, by_curve: bool) -> Self:
        """Return the rule with the threshold that suits rows best.

        That is the first total at which the curve is one half or more, or the first with the fewest wrong decisions.

        Parameters
        ----------
        negative, positive
            The weight of each class at each total, from the least to the most.
        by_curve
            True for the threshold of the curve.
        """
        if by_curve:
            offset, scale = self.curve(negative, positive)
            there = offset + scale * np.arange(self.least, self.most + 1) >= 0
            place = int(np.argmax(np.append(there, True)))
        else:
            wrong = np.append(0, np.cumsum(positive)) + np.append(np.cumsum(negative[::-1])[::-1], 0)
            place = int(np.argmin(wrong))
        return replace(self, threshold=self.least + place, counts=None)

    def risks(self) -> list[tuple[str, float, float]]:
        """Return groups of totals in words, with the rows of each and the probability of the positive class there.

        Neighbouring totals of few rows are one group. Without counts there are none.
        """
        if self.counts is None or not self.counts.total or not self.items:
            return []
        weights = np.array(self.counts.regions)
        risks = self.region_shares(weights)[:, self.counts.classes.index(self.classes[1])]
        rows = weights.sum(axis=1)
        there = np.flatnonzero(rows)
        # where there are very many totals, those next to each other are one from the start
        groups = [list(map(int, part)) for part in np.array_split(there, min(len(there), _FINEST)) if len(part)]

        def size(group: list[int]) -> float:
            return float(rows[group].sum())

        while len(groups) > _MOST_RISKS:
            place = min(range(len(groups)), key=lambda n: size(groups[n]))
            near = [n for n in (place - 1, place + 1) if 0 <= n < len(groups)]
            # what is decided alike stays together
            alike = [n for n in near if self._decides(groups[n][0]) == self._decides(groups[place][0])] or near
            other = min(alike, key=lambda n: size(groups[n]))
            first, second = sorted((place, other))
            groups[first : second + 1] = [groups[first] + groups[second]]
        found = []
        for number, group in enumerate(groups):
            low, high = group[0] + self.least, group[-1] + self.least
            words = f"{low}" if low == high else f"{low} to {high}"
            if number == 0 and group[0] != group[-1]:
                words = f"{high} or less"
            elif number + 1 == len(groups) and group[0] != group[-1]:
                words = f"{low} or more"
            weight = size(group)
            found.append((words, weight, float((rows[group] * risks[group]).sum() / weight)))
        return found

    def _decides(self, region: int) -> bool:
        return region + self.least >= self.threshold

    @property
    def notes(self) -> tuple[str, ...]:
        groups = self.risks()
        if not groups:
            return ()
        shares = [f"{f'{risk:.0%}'.replace('%', ' %')} at {words}" for words, _, risk in groups]
        return (f"chance of {write_value(self.classes[1])}: {', '.join(shares)}",)

    def outline(self) -> list[Line]:
        lines = [Line("" if n else self.nothing, n, lead=self._lead(n)) for n in range(len(self.items))]
        low = max(0, min(len(self.region_classes), self.threshold - self.least))
        negative, positive = self.classes
        return [
            *(lines or [Line(self.nothing, constant="nothing")]),
            Line("IF", constant=self.condition),
            Line("THEN", label=positive, regions=tuple(range(low, len(self.region_classes)))),
            Line("ELSE", label=negative, regions=tuple(range(low))),
        ]

    @property
    def condition(self) -> str:
        """Return the condition on the total in words."""
        raise NotImplementedError

    def _lead(self, item: int) -> str:
        """Return the words before the conditions of an item."""
        raise NotImplementedError

    def _own_fields(self) -> dict[str, Any]:
        items = [{"clause": [part.to_dict() for part in clause], "points": points} for clause, points in self.items]
        return {"classes": list(self.classes), "target": self.target, "items": items, "threshold": self.threshold}


class Score(PointRule):
    """Clauses with whole points: the positive class is decided where the points of those that hold add up to enough.

    Parameters
    ----------
    items
        The items, each a tuple of literals and its points, which may be below 0.
    threshold
        The least total that decides for the positive class.
    classes
        The class below the threshold, and the positive class.
    target
        Name of the column that the rule predicts.
    counts
        Counts of the rule on some rows, by item and by total.

    Examples
    --------
    >>> from imli.rules.literals import Compare, IsTrue
    >>> old, smoker, fit = Compare("age", ">", 60), IsTrue("smoker"), IsTrue("fit")
    >>> print(Score((((old,), 2), ((smoker,), 1), ((fit,), -1)), 2, ("low", "high"), "risk"))
    ADD    2 points if age > 60
           1 point  if smoker
          -1 point  if fit
    IF    2 points or more
    THEN  risk is high
    ELSE  risk is low
    """

    kind: ClassVar[Kind] = "score"
    title: ClassVar[str] = "score"
    nothing: ClassVar[str] = "ADD"

    def __post_init__(self) -> None:
        super().__post_init__()
        if 0 in self.points:
            raise placed(ValueError("Each item of a score needs points other than 0. Got 0."), "items")

    @property
    def condition(self) -> str:
        return f"{self.threshold} point{'' if abs(self.threshold) == 1 else 's'} or more"

    def _lead(self, item: int) -> str:
        width = max(len(str(points)) for points in self.points)
        points = self.points[item]
        word = "point" if abs(points) == 1 else "points"
        return f"{points:>{width}} {word:<{max(5 + (abs(each) != 1) for each in self.points)}} if "


class Checklist(PointRule):
    """Clauses of which a number must hold for the positive class: a score whose points are all 1.

    Parameters
    ----------
    items
        The items, each a tuple of literals and the number 1.
    threshold
        The least number of items that decides for the positive class.
    classes
        The class below the threshold, and the positive class.
    target
        Name of the column that the rule predicts.
    counts
        Counts of the rule on some rows, by item and by total.

    Examples
    --------
    >>> from imli.rules.literals import Compare, IsTrue
    >>> print(Checklist.from_clauses([Compare("age", ">", 60)], [IsTrue("smoker")], [IsTrue("cough")], at_least=2))
    COUNT if age > 60
          if smoker
          if cough
    IF    at least 2 of these 3
    THEN  true
    ELSE  false
    """

    kind: ClassVar[Kind] = "checklist"
    title: ClassVar[str] = "checklist"
    nothing: ClassVar[str] = "COUNT"

    def __post_init__(self) -> None:
        super().__post_init__()
        if odd := [points for points in self.points if points != 1]:
            raise placed(ValueError(f"The items of a checklist count 1 each. Got {odd[0]}. Use a Score."), "items")

    @classmethod
    def from_clauses(cls, *clauses: Iterable[Literal], at_least: int) -> Self:
        """Return a checklist that decides between false and true.

        Parameters
        ----------
        *clauses
            The literals of each item.
        at_least
            The number of items that must hold.
        """
        return cls(tuple((tuple(clause), 1) for clause in clauses), at_least)

    def __invert__(self) -> PointRule:
        if any(len(clause) != 1 for clause in self.clauses):  # whose opposite is no conjunction
            return super().__invert__()
        items = tuple(((~clause[0],), 1) for clause in self.clauses)
        return Checklist(items, len(items) - self.threshold + 1, self.classes, self.target)

    @property
    def condition(self) -> str:
        return f"at least {self.threshold} of these {len(self.items)}"

    def _lead(self, item: int) -> str:  # noqa: ARG002
        return "if "


POINT_RULES: dict[str, type[PointRule]] = {kind.kind: kind for kind in (Score, Checklist)}


def whole(value: Any, name: str, most: int = MOST_POINTS) -> int:
    """Return a whole number that is not too large, or raise ValueError."""
    number = int(value) if isinstance(value, int | np.integer) and not isinstance(value, bool) else None
    if number is None or abs(number) > most:
        ends = f"from -{write_number(most)} to {write_number(most)}"
        raise ValueError(f"The {name} must be a whole number {ends}. Got {brief(value)}.")
    return number


def _threshold(value: Any) -> int:
    with at("threshold"):
        return whole(value, "threshold", most=MOST_POINTS**2)


class _Logistic:
    """The most likely logistic curve of totals, whose scale is not below 0, by Newton's method with halved steps.

    As Platt proposed, each class counts as if one row in its number plus 2 could be of the other, so that the curve
    stays finite where a total separates the classes. ``ridge`` is the price of half the square of the scale.

    >>> curve = _Logistic(np.arange(3.0), np.array([9.0, 5.0, 1.0]), np.array([1.0, 5.0, 9.0]), 0.0)
    >>> round(-curve.offset / curve.scale, 3), round(curve.scale, 2)
    (1.0, 1.76)
    """

    def __init__(self, totals: FloatArray, negative: FloatArray, positive: FloatArray, ridge: float) -> None:
        n_negative, n_positive = float(negative.sum()), float(positive.sum())
        low, high = 1 / (n_negative + 2), (n_positive + 1) / (n_positive + 2)
        self._all = negative + positive
        self._yes = negative * low + positive * high  # expected rows of the positive class
        there = self._all > 0
        self._all, self._yes = self._all[there], self._yes[there]
        weight = float(self._all.sum())
        if not weight:
            self.offset, self.scale, self.loss = 0.0, 0.0, 0.0
            return
        mean = float((self._all * totals[there]).sum()) / weight
        spread = float(np.sqrt((self._all * (totals[there] - mean) ** 2).sum() / weight))
        self._ridge = ridge / spread**2 if spread else 0.0
        base = float(self._yes.sum()) / weight
        start = np.array([np.log(base / (1 - base)), 0.0])
        self._at = (totals[there] - mean) / spread if spread else np.zeros(int(there.sum()))
        best, self.loss = self._climb(start) if spread else (start, self._loss(start))
        if best[1] < 0:
            best, self.loss = start, self._loss(start)
        self.scale = float(best[1]) / spread if spread else 0.0
        self.offset = float(best[0]) - self.scale * mean

    def _loss(self, at: FloatArray) -> float:
        score = at[0] + at[1] * self._at
        loss = float((self._all * np.logaddexp(0, score) - self._yes * score).sum())
        return loss + 0.5 * self._ridge * float(at[1]) ** 2

    def _climb(self, now: FloatArray) -> tuple[FloatArray, float]:
        loss = self._loss(now)
        for _ in range(_STEPS):
            share = 1 / (1 + np.exp(-(now[0] + now[1] * self._at)))
            rest, bend = self._yes - self._all * share, self._all * share * (1 - share)
            slope = np.array([rest.sum(), (rest * self._at).sum() - self._ridge * now[1]])
            mixed = float((bend * self._at).sum())
            curve = np.array([[bend.sum(), mixed], [mixed, (bend * self._at**2).sum() + self._ridge]]) + 1e-12 * np.eye(
                2
            )
            step = np.linalg.solve(curve, slope)
            while (next_loss := self._loss(now + step)) > loss and np.abs(step).max() > _FLAT:
                step = step / 2
            if next_loss > loss:
                break
            is_done = loss - next_loss <= _FLAT * max(1.0, loss)
            now, loss = now + step, next_loss
            if is_done:
                break
        return now, loss
