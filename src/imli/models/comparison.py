"""Comparisons: how new rows, and the decisions on them, differ from those that a rule was learned from."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from imli.errors import UnknownColumnError, UnreadableColumnError
from imli.files import write_whole
from imli.models.checks import limits
from imli.rules.notation import shorten, write_name, write_number, write_value
from imli.rules.text import decision_text, write_rows
from imli.table.dates import read_moment
from imli.table.frame import AnyArray, Column, Frame, IntArray
from imli.table.read import as_frame, is_on_cluster, missing_labels, read_labels
from imli.table.sample import is_large
from imli.table.sources import as_source
from imli.table.summaries import ColumnStatistics

if TYPE_CHECKING:
    from imli.models.model import Model

FORMAT = 1
LEVEL = 0.01
_MOST_NAMED = 5  # categories in a sentence
_FEW = 30  # rows whose numbers may all differ by chance
_CERTAIN = 1e-4
_KINDS = {"number": "numbers", "flag": "truth values", "text": "text", "date": "dates"}

# A part of the new rows: a frame, and if they are known the labels and the weights.
Part = tuple[Frame, Any, Any]


@dataclass(frozen=True)
class Comparison:
    """How new rows differ from those that a rule was learned from: column by column, and in what the rule decides.

    Parameters
    ----------
    summary
        All contents, as plain values that can be written as JSON.

    Examples
    --------
    >>> from imli import DNFClassifier
    >>> ages = list(range(20, 80)) * 5
    >>> model = DNFClassifier(lam=1).fit({"age": ages}, ["ill" if age > 60 else "well" for age in ages]).to_model()
    >>> model.check({"age": ages[::2]}).differs
    False
    >>> for sentence in model.check({"age": [age + 30 for age in ages]}).differences:
    ...     print(sentence)
    age is above 79, the largest value in training, in 150 of the rows (50.0 %).
    age is at most 49 in 0.0 % of the rows, in training in 50.0 %.
    Clause 1 decides 81.7 % of the rows, in training 31.7 %.
    The default decides 18.3 % of the rows, in training 68.3 %.
    """

    summary: Mapping[str, Any] = field(repr=False)

    @property
    def differs(self) -> bool:
        """Return True if a difference was found that chance does not explain."""
        return bool(self.summary["differences"])

    @property
    def differences(self) -> tuple[str, ...]:
        """Return the differences in words, those of columns, of clauses, and of how often the rule is right."""
        return tuple(each["text"] for each in self.summary["differences"])

    def __str__(self) -> str:
        summary, n_found = self.summary, len(self.differences)
        found = f"{n_found} difference{'' if n_found == 1 else 's'}" if n_found else "no difference beyond chance"
        lines = [f"{summary['title']}: {found}.", "", *self.differences, *([""] if n_found else [])]
        width = max(len(each["name"]) for each in summary["clauses"]) if summary["clauses"] else 0
        lines += [f"{'':{width}}      now  in training"] if width else []
        for each in summary["clauses"]:
            then = "" if each["then"] is None else _percent(each["then"])
            lines.append(f"{each['name']:{width}}  {_percent(each['now']):>7}  {then:>11}".rstrip())
        right = None if summary["accuracy"] is None else summary["accuracy"]["text"]
        lines += ["", *([right] if right is not None and right not in self.differences else [])]
        return "\n".join([*lines, *summary["remarks"]]).strip()

    @cached_property
    def html(self) -> str:
        """Return a page that needs no other file and no network."""
        from imli.report.render import render_comparison

        return render_comparison(self.summary)

    def save(self, path: str | Path) -> None:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path
            The file, which is replaced if it exists.
        """
        write_whole(path, self.html)


def compare(model: "Model", parts: Iterable[Part], level: float = LEVEL, ignore: Collection[str] = ()) -> Comparison:
    """Compare new rows, in one part or several, with what a model knows of the rows that its rule was learned from."""
    if not 0 < level < 1:
        raise ValueError(f"level must be a probability between 0 and 1. Got {level}.")
    for name in ignore:
        if name not in model.columns:
            raise UnknownColumnError.named(name, model.columns)
    columns = {name: _Tally(name, known) for name, known in model.columns.items() if name not in ignore}
    decisions, n_rows = _Decisions(model), 0
    for frame, labels, weights in parts:
        n_rows += frame.n_rows
        for name, tally in columns.items():
            if name in frame.columns:
                tally.add(frame[name])
        decisions.add(frame, labels, weights)
    if not n_rows:
        raise ValueError("There are no new rows to compare.")
    data = None if model.card is None else model.card.data
    rows_then = None if data is None else data.rows or None
    tests = _Tests()
    for tally in columns.values():
        tally.compare(tests, rows_then, tally.name in model.rule.columns)
    clauses, accuracy = decisions.compare(tests)
    if data is None or rows_then is None:
        tests.remarks.append("The model does not say how many rows it was learned from, so little could be tested.")
    elif any(not each.known.counts for each in columns.values() if each.known.kind != "text" and each.known.n_distinct):
        why = "its rows had weights" if data.weight is not None else "the model file does not say"
        tests.remarks.append(
            f"How numbers and dates were distributed in training is not known ({why}): no shift is seen."
        )
    than = "those" if rows_then is None else f"the {rows_then:,}"
    found = tests.found(level)
    remarks = [remark for remark in tests.remarks if remark not in {each["text"] for each in found}]
    how = f"{tests.n:,} tests, which together find a difference by mere chance in at most {100 * level:g} % of cases."
    return Comparison(
        {
            "format": FORMAT,
            "title": f"Compared {write_rows(n_rows)} with {than} that the rule was learned from",
            "rows": {"now": n_rows, "then": rows_then},
            "level": level,
            "n_tests": tests.n,
            "differences": found,
            "columns": [tally.describe(rows_then) for tally in columns.values()],
            "clauses": clauses,
            "accuracy": accuracy,
            "remarks": [*remarks, how],
        }
    )


def read_parts(model: "Model", X: Any, y: Any = None, weight: Any = None) -> Iterator[Part]:
    """Yield the new rows of a table, or of files part by part, as far as the model knows their columns."""
    wanted = (*model.columns, *model.rule.columns)
    if not is_large(X):
        yield as_frame(X), y, weight
        return
    if is_on_cluster(X) or isinstance(X, Iterator):
        raise ValueError("model.check reads tables in memory and files. Write the rows to Parquet files first.")
    source = as_source(X)
    beside = [name for name in (y, weight) if name is not None]
    source.require([*model.rule.columns, *beside])
    for frame, _ in source.rows([name for name in source.columns if name in wanted or name in beside]):
        labels, weights = (None if name is None else frame[name].cells() for name in (y, weight))
        yield frame, labels, weights


class _Tests:
    """The tests that were made, and those of which chance is no explanation."""

    def __init__(self) -> None:
        self.n = 0
        self.remarks: list[str] = []
        self._all: list[dict[str, Any]] = []

    def add(self, p: float | None, what: str, text: str, *, column: str | None = None, clause: Any = None) -> None:
        """Keep the result of a test, or without a probability a fact, and what to say if it is a difference."""
        self.n += p is not None
        p = None if p is None else min(1.0, float(p))
        self._all.append({"what": what, "column": column, "clause": clause, "p": p, "text": text})

    def found(self, level: float) -> list[dict[str, Any]]:
        """Return the differences by the method of Holm, in the order of the tests."""
        chosen, ordered = set(), sorted(range(len(self._all)), key=lambda n: self._all[n]["p"] or 0.0)
        left = self.n
        for number in ordered:
            p = self._all[number]["p"]
            if p is not None:
                if p * left > level:
                    break
                left -= 1
            chosen.add(number)
        return [one for number, one in enumerate(self._all) if number in chosen]


def _fisher(hits: Any, rows: Any, others: Any, all_others: Any, greater: bool = False) -> Any:
    """Return the probability of shares that differ so much by chance: Fisher's exact test, its smaller side doubled."""
    from scipy.stats import hypergeom

    hits = np.asarray(hits)
    population = hits + others, rows + all_others
    above = hypergeom.sf(hits - 1, population[1], population[0], rows)
    if greater:
        return above
    return np.minimum(1.0, 2 * np.minimum(above, hypergeom.cdf(hits, population[1], population[0], rows)))


def _all_new(categories: IntArray, others: IntArray, rows: int, others_then: int, alone_then: int) -> float:
    """Return the probability that categories with so many rows are all new by chance, if both samples are of a kind.

    ``categories`` are the rows of the new ones, ``others`` those of all others in both samples together. Few categories
    with many rows are unlikely to fall into one sample whole. Many with a row or two are compared with the rows of
    training that were alone in their category.
    """
    from scipy.special import gammaln

    def choose(n: Any, k: Any) -> Any:
        return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)

    if not len(categories):
        return 1.0
    ordered = np.sort(categories)[::-1]
    number, together = np.arange(1, len(ordered) + 1), ordered.cumsum()
    as_large = number[-1] - np.searchsorted(np.sort(ordered), ordered) + (others[:, None] >= ordered).sum(axis=0)
    whole = choose(as_large, number) + choose(rows, together) - choose(rows + others_then, together)
    few = len(ordered) * float(np.exp(min(0.0, whole.min())))
    many = _fisher(int(ordered[ordered <= 2].sum()), rows, alone_then + 1, others_then, True)
    return 2 * min(few, float(many))


def _smirnov(now: IntArray, then: IntArray) -> tuple[float, int]:
    """Return the probability of so large a distance between counts by chance, and where the distance is largest."""
    from scipy.stats import kstwo

    n_now, n_then = int(now.sum()), int(then.sum())
    distances = np.abs(now.cumsum() / n_now - then.cumsum() / n_then)
    place = int(distances.argmax())
    # ties only make the distance smaller; as many rows as both samples together are worth
    return float(kstwo.sf(distances[place], max(1, round(n_now * n_then / (n_now + n_then))))), place


class _Tally:
    """The cells of a column in new rows, counted as a model counts them, beside what it knows of the column."""

    def __init__(self, name: str, known: ColumnStatistics) -> None:
        self.name, self.known, self.n_rows, self.n_missing, self.n_beyond = name, known, 0, 0, [0, 0]
        self.other_kind = ""
        is_date = known.kind == "date"
        cuts = [read_moment(str(cut)) for cut in known.cuts] if is_date else known.cuts
        self._ends: list[Any] = [read_moment(str(end)) if is_date else end for end in (known.least, known.most)]
        self._cuts = np.array([0] if known.kind == "flag" else cuts, dtype=np.int64 if is_date else np.float64)
        self.counts = np.zeros(len(self._cuts) + 1, dtype=np.int64)
        self.categories: Counter[str] = Counter()

    def add(self, column: Column) -> None:
        """Count the cells of one part."""
        self.n_rows += len(column.missing)
        self.n_missing += int(column.missing.sum())
        there = ~column.missing
        if not there.any():
            return
        kinds = {"number", "flag"} if self.known.kind in ("number", "flag") else {self.known.kind}
        if column.kind not in kinds:
            self.other_kind = column.kind_in_words
        elif column.kind == "text":
            counts = np.bincount(column.values[there], minlength=len(column.categories))
            named = zip(column.categories, counts.tolist(), strict=True)
            self.categories.update({category: n for category, n in named if n})
        else:
            self._count((column.moments() if column.kind == "date" else column.numbers())[there])

    def _count(self, values: AnyArray) -> None:
        if self.known.kind == "flag" and not np.isin(values, (0, 1)).all():
            self.other_kind = "numbers"
        places = np.searchsorted(self._cuts, values, side="left")
        self.counts += np.bincount(places, minlength=len(self.counts))
        least, most = self._ends
        if least is not None and most is not None:
            finite = values[np.isfinite(values)]
            self.n_beyond[0] += int((finite < least).sum())
            self.n_beyond[1] += int((finite > most).sum())

    @property
    def n_there(self) -> int:
        """Return the number of new cells that are not missing."""
        return self.n_rows - self.n_missing

    @property
    def unseen(self) -> list[tuple[str, int]]:
        """Return the categories that no row had in training, and their rows; none if not all of them are known."""
        known = self.known
        if known.kind != "text" or known.n_distinct is None or known.n_distinct > len(known.frequent):
            return []
        seen = dict(known.frequent)
        return [(category, n) for category, n in self.categories.most_common() if category not in seen]

    def is_number_of_rows(self, there_then: int) -> bool:
        """Return True if the column numbered the rows in training: whole numbers, all different or without gaps."""
        known = self.known
        if known.kind != "number" or there_then < _FEW or not all(isinstance(cut, int) for cut in known.cuts):
            return False
        least, most = self._ends
        return known.n_distinct == there_then or (known.n_distinct is None and most - least < 1.1 * there_then)

    def describe(self, rows_then: int | None) -> dict[str, Any]:
        """Return what was counted, for people and programs that look at all columns."""
        return {
            "name": self.name,
            "kind": self.known.kind,
            "missing": {
                "now": self.n_missing / self.n_rows if self.n_rows else None,
                "then": None if rows_then is None else self.known.n_missing / rows_then,
            },
            "below": self.n_beyond[0],
            "above": self.n_beyond[1],
            "unseen": list(map(list, self.unseen[:_MOST_NAMED])),
        }

    def compare(self, tests: _Tests, rows_then: int | None, is_read: bool) -> None:
        """Test whether the column is as it was; ``is_read`` is True if the rule reads it."""
        name, known = write_name(self.name), self.known
        if not self.n_rows:
            tests.add(None, "absent", f"There is no column {name}.", column=self.name)
            return
        if self.other_kind:
            text = f"{name} holds {self.other_kind}, in training {_KINDS[known.kind]}."
            tests.add(None, "type", text, column=self.name)
        if rows_then is None:
            return
        now, then = self.n_missing / self.n_rows, known.n_missing / rows_then
        text = f"{name} is missing in {_percent(now)} of the rows, in training in {_percent(then)}."
        p = _fisher(self.n_missing, self.n_rows, known.n_missing, rows_then)
        tests.add(p, "missing", text, column=self.name)
        there_then = rows_then - known.n_missing
        if self.other_kind or not self.n_there or not there_then:
            return
        if known.kind == "text":
            self._compare_categories(tests, there_then)
            return
        if not is_read and self.is_number_of_rows(there_then):
            tests.remarks.append(f"{name} numbered the rows of training, and is not compared.")
            return
        if known.least is not None:
            self._compare_ends(tests, there_then)
        if sum(known.counts):
            counts_then = np.array(known.counts)
            p, place = _smirnov(self.counts, counts_then)
            if known.kind == "flag":
                what, place = f"{name} is false", 0
            else:
                cut = known.cuts[min(place, len(known.cuts) - 1)]
                what = f"{name} is at most {cut if isinstance(cut, str) else write_number(cut)}"
                what = what.replace("at most", "up to") if known.kind == "date" else what
            n_now, n_then = int(self.counts[: place + 1].sum()), int(counts_then[: place + 1].sum())
            self._add_shift(tests, p, what, n_now, n_then, int(counts_then.sum()))

    def _add_shift(self, tests: _Tests, p: float, what: str, now: int, then: int, there_then: int) -> None:
        shares = f"{_percent(now / self.n_there)} of the rows, in training in {_percent(then / there_then)}"
        tests.add(p, "shifted", f"{what} in {shares}.", column=self.name)

    def _compare_ends(self, tests: _Tests, there_then: int) -> None:
        """Test the rows beyond either end by the chance that the outermost rows of both samples are all new."""
        (below, above), name = self.n_beyond, write_name(self.name)
        words = ("before", "after", "first", "last") if self.known.kind == "date" else _BEYOND
        ends = (self.known.least, self.known.most)
        texts = []
        for n_rows, word, which, end in zip((below, above), words[:2], words[2:], ends, strict=True):
            if n_rows:
                value = end if isinstance(end, str) else write_number(end or 0)
                share = _percent(n_rows / self.n_there)
                where = f"in {n_rows:,} of the rows ({share})"
                texts.append(f"{name} is {word} {value}, the {which} value in training, {where}")
        p = min(1.0, 2 * min(_fisher(n, self.n_there, 0, there_then, greater=True) for n in (below, above)))
        tests.add(p, "range", f"{'; '.join(texts)}.", column=self.name)

    def _compare_categories(self, tests: _Tests, there_then: int) -> None:
        """Test whether more rows have new or rare categories, and whether a known category has more or fewer."""
        name, known, unseen = write_name(self.name), dict(self.known.frequent), self.unseen
        if not known:
            return
        is_whole = self.known.n_distinct == len(known)
        least = 1 if is_whole else min(known.values()) + 1  # rows of categories that are surely known
        rare_now = self.n_there - sum(self.categories[category] for category, n in known.items() if n >= least)
        # seen from the other rows of training, the category of a row has a row less
        rare_then = there_then - sum(n for n in known.values() if n > least)
        if is_whole:
            named = [f"{shorten(write_value(category))} ({n:,})" for category, n in unseen[:_MOST_NAMED]]
            more = f" and {len(unseen) - _MOST_NAMED:,} more" if len(unseen) > _MOST_NAMED else ""
            text = f"{name} has categories that training did not have, in {write_rows(rare_now)}: "
            text += f"{', '.join(named)}{more}."
            tests.remarks += [text] if unseen else []
        else:
            text = f"{name} has other categories than the most frequent ones of training in "
            text += (
                f"{_percent(rare_now / self.n_there)} of the rows, in training in {_percent(rare_then / there_then)}."
            )
        now, then = np.array([self.categories[category] for category in known]), np.array(list(known.values()))
        p = float(_fisher(rare_now, self.n_there, rare_then + 1, there_then, True))
        if is_whole:
            p = _all_new(np.array([n for _, n in unseen]), now + then, self.n_there, there_then, rare_then)
        tests.add(p, "unseen", text, column=self.name)
        probabilities = _fisher(now, self.n_there, then, there_then)
        place = int(probabilities.argmin())
        p = float(probabilities[place]) * (self.known.n_distinct or len(known))
        self._add_shift(tests, p, f"{name} is {write_value(list(known)[place])}", now[place], then[place], there_then)


_BEYOND = ("below", "above", "smallest", "largest")


class _Decisions:
    """The decisions of a model on new rows, and how often they are right."""

    def __init__(self, model: "Model") -> None:
        self._model, rule = model, model.rule
        self._regions = np.zeros(len(rule.region_classes))
        self._squares = self._right = self._labelled = self._labelled_squares = 0.0
        self._is_weighted = self._is_refused = False

    def add(self, frame: Frame, labels: Any, weights: Any) -> None:
        """Count the decisions on one part."""
        rule = self._model.rule
        amounts = np.ones(frame.n_rows) if weights is None else np.asarray(weights, dtype=np.float64)
        self._is_weighted |= weights is not None
        try:
            regions = rule.regions(rule.holds_in(frame), frame.n_rows)
        except UnreadableColumnError:  # which the comparison of columns says
            self._is_refused = True
            return
        self._regions += np.bincount(regions, weights=amounts, minlength=len(self._regions))
        self._squares += float((amounts**2).sum())
        if labels is None:
            return
        found = read_labels(labels)
        there = ~missing_labels(found)
        if there.any():
            own = amounts[there]
            counts = rule.counted_on(frame.take(there), found[there], own).counts
            assert counts is not None
            self._right += counts.n_right(rule.region_classes)
            self._labelled += counts.total
            self._labelled_squares += float((own**2).sum())

    def compare(self, tests: _Tests) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
        """Test whether each clause decides as many rows as it did, and whether the rule is right as often."""
        if self._is_refused or not self._regions.sum():
            return [], None
        return self._compare_clauses(tests), self._compare_accuracy(tests) if self._labelled else None

    def _compare_clauses(self, tests: _Tests) -> list[dict[str, Any]]:
        rule, found = self._model.rule, []
        then = None if rule.counts is None else np.array([sum(region) for region in rule.counts.regions])
        total = self._regions.sum()
        scale = float(total / self._squares)  # of weights to rows of the same variance
        for number, (rows, label) in enumerate(zip(self._regions.tolist(), rule.region_classes, strict=True)):
            deciding = rule.clause_of(number)
            clause = None if deciding is None else deciding + 1
            name = rule.region_name(number).replace("Otherwise", "The default")
            share = None if then is None else float(then[number] / then.sum())
            if then is not None and share is not None and self._is_comparable:
                text = f"{name} decides {_percent(rows / total)} of the rows, in training {_percent(share)}."
                p = _fisher(round(rows * scale), round(total * scale), round(then[number]), round(then.sum()))
                tests.add(p, "clause", text, clause=clause)
            found.append(
                {
                    "name": f"{name} ({shorten(decision_text(rule, label))})",
                    "clause": clause,
                    "decision": write_value(label),
                    "now": rows / total,
                    "then": share,
                }
            )
        return found

    @property
    def _is_comparable(self) -> bool:
        """Return True if the rows weigh alike now and in training."""
        card = self._model.card
        return not self._is_weighted and card is not None and card.data is not None and card.data.weight is None

    def _compare_accuracy(self, tests: _Tests) -> dict[str, Any]:
        model, rule = self._model, self._model.rule
        now, rows = self._right / self._labelled, self._labelled**2 / self._labelled_squares
        low, high = limits(now * rows, rows)
        text = (
            f"The rule is correct on {_percent(now)} of {write_rows(self._labelled)} (95 % interval {100 * low:.1f} to "
        )
        text += f"{100 * high:.1f} %)"
        found: dict[str, Any] = {"now": now, "low": low, "high": high, "rows": self._labelled, "then": None}
        card = None if model.is_edited else model.card
        if card is not None and card.checks:
            check = card.checks[-1]
            then, n_then = check.accuracy, float(check.rows)
            if check.standard_error and 0 < then < 1:
                n_then = min(n_then, then * (1 - then) / check.standard_error**2)
            text += f"; rules learned the same way were correct on {_percent(then)} of rows held out in training"
            if self._is_weighted == (card.data is not None and card.data.weight is not None):
                p = _fisher(round(now * rows), round(rows), round(then * n_then), max(1, round(n_then)))
                tests.add(p, "right", f"{text}.", clause=None)
            found["then"] = then
        elif rule.counts is not None and rule.counts.total:
            then = rule.counts.n_right(rule.region_classes) / rule.counts.total
            text += f"; on the rows that it was learned from, which it fits too well, on {_percent(then)}"
            self._compare_fit(tests, then, now * rows, rows, text)
            found["then"] = then
        return found | {"text": f"{text}."}

    def _compare_fit(self, tests: _Tests, then: float, right: float, rows: float, text: str) -> None:
        """Test whether the rule is right less often than any of its size, which was chosen by fitting, would be."""
        from scipy.stats import binom

        rule, card = self._model.rule, self._model.card
        if not self._is_comparable or rule.counts is None or card is None or not card.n_literals:
            return
        total = rule.counts.total
        least, _ = limits(then * total, total, _CERTAIN, float(card.n_literals) ** min(len(rule.literals), 90))
        tests.add(binom.cdf(round(right), round(rows), least), "right", f"{text}.", clause=None)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
