"""Random small rules and rows, and what is true of them by trying every row there is."""

import math
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import combinations, pairwise, product

from imli.logic.domains import Domain
from imli.rules import CNF, DNF, DecisionList, DecisionSet
from imli.rules.literals import OPERATORS, Compare, CompareDate, InInterval, IsIn, IsMissing, IsTrue, as_clause
from imli.rules.text import write_conditions
from imli.table.dates import moment_of
from imli.table.read import as_frame

DAYS = [datetime(2020, 1, 1), datetime(2020, 7, 1), datetime(2023, 3, 1)]
YEAR = timedelta(days=366)


def random_literal(r):
    column = r.choice(["age", "age", "rooms", "city", "smoker", "signed"])
    or_missing = r.random() < 0.25
    if r.random() < 0.1:
        return IsMissing(column, or_missing=r.random() < 0.5)
    if column == "age" and r.random() < 0.3:
        low, high = sorted(r.sample([20, 30, 40, 50], 2))
        return InInterval("age", low, high, r.random() < 0.3, or_missing=or_missing)
    if column == "age":
        return Compare("age", r.choice(OPERATORS), r.choice([20, 30, 40.5]), or_missing=or_missing)
    if column == "rooms":
        return IsIn("rooms", tuple(r.sample([1, 2, 3], r.randint(1, 2))), r.random() < 0.4, or_missing=or_missing)
    if column == "city":
        return IsIn("city", tuple(r.sample("ABC", r.randint(1, 2))), r.random() < 0.4, or_missing=or_missing)
    if column == "smoker":
        return IsTrue("smoker", r.random() < 0.5, or_missing=or_missing)
    return CompareDate("signed", r.choice(OPERATORS), str(r.choice(DAYS).date()), or_missing=or_missing)


def random_rule(r):
    clauses = [tuple(random_literal(r) for _ in range(r.randint(1, 3))) for _ in range(r.randint(1, 4))]
    kind = r.choice([CNF, DNF, DecisionList, DecisionSet])
    if kind in (CNF, DNF):
        return kind(tuple(clauses), ("no", "yes"))
    return kind(tuple((clause, r.choice("abc")) for clause in clauses), r.choice("abc"))


def random_row(r):
    row = {
        "age": r.choice([10, 20, 25.5, 30, 33, 40.5, 45, 50, 70]),
        "rooms": r.choice([0, 1, 2, 3, 2.5]),
        "city": r.choice("ABCD"),
        "smoker": r.choice([True, False]),
        "signed": r.choice([*DAYS, datetime(2019, 5, 5), datetime(2021, 1, 1), datetime(2024, 1, 1)]),
    }
    return {name: None if r.random() < 0.15 else cell for name, cell in row.items()}


def random_values(r):
    """What columns can hold, or None."""
    domains = {
        "age": Domain(
            missing=r.random() < 0.5, least=r.choice([15, 25]), most=r.choice([40, 60]), whole=r.random() < 0.5
        ),
        "rooms": Domain(missing=r.random() < 0.5, only=tuple(r.sample([1, 2, 3, 4], 2))),
        "city": Domain(missing=r.random() < 0.5, only=tuple(r.sample("ABCD", 2))),
        "smoker": Domain(missing=False, only=(False, True)),
        "signed": Domain(missing=False, least=datetime(2020, 5, 5), most=datetime(2023, 3, 1)),
    }
    return {name: domain for name, domain in domains.items() if r.random() < 0.5} if r.random() < 0.6 else None


class Brute:
    """Every row that a rule can tell apart, of those that are possible, and how far from a given row each is."""

    def __init__(self, rule, row, values):
        self.rule, self.row, self.names = rule, row, rule.columns
        cells = [self._cells(name, row[name], (values or {}).get(name, Domain())) for name in self.names]
        self.rows = [dict(zip(self.names, (cell for cell, _ in one), strict=True)) for one in product(*cells)]
        self.moves = [[moved for _, moved in one] for one in product(*cells)]
        self.frame = as_frame({name: [one[name] for one in [*self.rows, row]] for name in self.names})
        self.frame = replace(self.frame, n_rows=len(self.rows) + 1)
        found = rule.class_positions(rule.holds_in(self.frame), len(self.rows) + 1)
        *self.decided, self.decision = [rule.classes[n] for n in found]

    def literals(self, name):
        return [literal for literal in self.rule.literals if literal.column == name]

    def _cells(self, name, value, domain):
        """Cells, each with how far it is: a share of the range, or None if it is the row's own."""
        found = []
        if name == "city":
            known = domain.only or ("A", "B", "C", "D")
            named = {text for literal in self.literals(name) for text in literal.texts}
            far = {text: 1.0 if domain.only or text in named else 1.001 for text in known}
            found = [(text, far[text]) for text in known if text != value]
        elif name == "smoker":
            found = [(flag, 1.0) for flag in (False, True) if flag is not value]
        elif domain.only is not None:
            width = max([*domain.only, value or 0]) - min([*domain.only, math.inf if value is None else value])
            found = [(n, 1.0 if value is None else abs(n - value) / (width or 1)) for n in domain.only if n != value]
        else:
            found = [(cell, moved) for cell, moved in self._line(name, value, domain) if cell != value]
        if domain.missing and value is not None:
            found.append((None, 1.0))
        return [*found, (value, None)]

    def _line(self, name, value, domain):
        is_date = name == "signed"
        cuts = {cut for literal in self.literals(name) for cut in literal.cuts}
        if is_date:
            cuts = {datetime(1970, 1, 1) + timedelta(microseconds=cut) for cut in cuts}
        cuts = sorted(cuts)
        step = timedelta(days=10) if is_date else 5
        beyond = timedelta(microseconds=1) if is_date else 1e-9
        ends = [domain.least, domain.most] if domain.least is not None else [*cuts, *([] if is_date else [0])]
        ends += [] if value is None else [value]
        width = (max(ends) - min(ends) if ends else None) or (YEAR if is_date else 1)
        if is_date and domain.least is None:
            width = max(width, YEAR)
        regions = [(None, cuts[0]), *((a, b) for a, b in pairwise(cuts)), (cuts[-1], None)] if cuts else [(None, None)]
        for cut in cuts:
            if (domain.least is None or domain.least <= cut <= domain.most) and not (domain.whole and cut % 1):
                yield cut, self._moved(value, cut, cut, width)
        for low, high in regions:
            inside = []
            first = low + beyond if low is not None else None
            last = high - beyond if high is not None else None
            if domain.least is not None:
                first = domain.least if first is None else max(first, domain.least)
                last = domain.most if last is None else min(last, domain.most)
            if domain.whole:
                first, last = math.ceil(first), math.floor(last)
            if first is None and last is None:
                inside = [DAYS[0] if is_date else 0]
            elif first is None:
                inside = [last - step]
            elif last is None:
                inside = [first + step]
            elif first <= last:
                inside = [last] if domain.whole else [first + (last - first) / 2]
            for cell in inside:
                yield cell, self._moved(value, first, last, width)

    def _moved(self, value, first, last, width):
        if value is None:
            return 1.0
        near = value
        if first is not None and near < first:
            near = first
        if last is not None and near > last:
            near = last
        return min(abs(near - value) / width, 1.0)

    def changed(self, position):
        """The columns in which a row differs from the given one."""
        return {name for name, moved in zip(self.names, self.moves[position], strict=True) if moved is not None}

    def forces(self, mask):
        return all(decision == self.decision for decision, held in zip(self.decided, mask, strict=True) if held)

    def where(self, literals):
        holds = [literal.holds(self.frame[literal.column]).tolist() for literal in literals]
        return [all(one[n] for one in holds) for n in range(len(self.rows))]

    def fewest_conditions(self):
        """How many conditions it takes to force the decision.

        One on a column can say all that the rule can ask of it; only of a single date, it takes two.
        """
        options = []
        for name in self.names:
            answers = self.answers[name]
            same = [answer == answers[-1] for answer in answers[:-1]]
            cuts = [cut for literal in self.literals(name) for cut in literal.cuts]
            is_date = name == "signed" and self.row[name] is not None and moment_of(self.row[name]) in cuts
            own = [replace(one, or_missing=False) for own in self.literals(name) if own.cuts for one in (own, ~own)]
            own = [one for one in dict.fromkeys(own) if one.holds(self.frame[name])[-1]] if is_date else []
            pairs = [pair for pair in combinations(own, 2) if len(write_conditions(as_clause(pair), "AND")) == 1]
            single = [(1, self.where(some)) for some in (*((one,) for one in own), *pairs)]
            options.append([(0, None), (2 if is_date else 1, same), *single])
        rows = range(len(self.rows))
        found = []
        for chosen in product(*options):
            masks = [mask for _, mask in chosen if mask is not None]
            if self.forces([all(mask[n] for mask in masks) for n in rows]):
                found.append(sum(cost for cost, _ in chosen))
        return min(found)

    @property
    def answers(self):
        if not hasattr(self, "_answers"):
            self._answers = {
                name: list(
                    zip(*(literal.holds(self.frame[name]).tolist() for literal in self.literals(name)), strict=True)
                )
                for name in self.names
            }
        return self._answers

    def smallest_change(self, keep, to):
        """The fewest columns to change and the smallest sum of moves; None if nothing does it."""
        wanted = [decision == to if to is not None else decision != self.decision for decision in self.decided]
        for allow_missing in (False, True):
            best = None
            for row, moves, is_wanted in zip(self.rows, self.moves, wanted, strict=True):
                changed = {name: moved for name, moved in zip(self.names, moves, strict=True) if moved is not None}
                made_missing = any(row[name] is None for name in changed)
                if is_wanted and not set(changed) & set(keep) and (allow_missing or not made_missing):
                    found = len(changed), sum(changed.values())
                    best = found if best is None else min(best, found)
            if best is not None:
                return best
        return None
