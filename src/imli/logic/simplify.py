"""Shorter rules with the same decisions.

Every proposal, from a literal left out to two clauses merged, is adopted only if it makes the rule shorter and a SAT
solver finds no row, with missing and unseen values included, that the given rule decides differently.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, cycle
from typing import Any

from imli.logic.circuit import Circuit, Glucose, decisions, decisions_by, equivalent
from imli.rules import CNF, DNF, Clause, DecisionList, Formula, PairRule, PointRule, Rule, Score
from imli.rules.cells import cells_by_column, wordings
from imli.rules.literals import Compare, InInterval, IsIn, IsMissing, Literal
from imli.rules.score import MOST_POINTS

# The rows that a clause accepts: for each column that it reads, a set of cells.
_Box = frozenset[tuple[str, int]]


def simplified(rule: Rule) -> Rule:
    """Return an equivalent rule of the same kind, with as few conditions as were found."""
    if isinstance(rule, CNF):
        return ~_simplified_dnf(~rule, complemented=True)
    if isinstance(rule, DNF):
        return _simplified_dnf(rule)
    if isinstance(rule, PairRule):
        pairs = zip(_shortest(rule), rule.pairs, strict=True)
        left = tuple((clause, label) for clause, (_, label) in pairs if clause is not None)
        if isinstance(rule, DecisionList) and left and not left[-1][0]:  # "ELSE IF always" is the default
            return simplified(DecisionList(left[:-1], left[-1][1], rule.target))
        found = type(rule)(left, rule.default, rule.target)
        plain = _with_plain_default(found)
        return plain if plain is found else simplified(plain)  # another default may make clauses superfluous
    if isinstance(rule, PointRule):
        return _simplified_points(rule)
    raise TypeError(f"Only a rule can be simplified. Got {rule!r}.")


def _simplified_points(rule: PointRule) -> PointRule:
    """Return the rule with shorter items and the same order of totals, which probabilities are made of.

    Items that never hold are left out, and those that always do move to the threshold. Equal items of a score are one.
    """
    points: dict[tuple[Clause, int], int] = {}
    threshold = rule.threshold
    for number, (clause, own) in enumerate(rule.items):
        left = _simplified_dnf(DNF((clause,))).clauses
        if not left:
            continue
        if not left[0]:
            threshold -= own
            continue
        key = left[0], -1 if isinstance(rule, Score) else number
        if abs(points.get(key, 0) + own) > MOST_POINTS:
            key = left[0], number  # more than an item may have
        points[key] = points.get(key, 0) + own
    items = [(clause, own) for (clause, _), own in points.items() if own]
    common = math.gcd(*(own for _, own in items)) if items and isinstance(rule, Score) else 1
    shared = tuple((clause, own // common) for clause, own in items)
    return replace(rule, items=shared, threshold=-(-threshold // common), counts=None)


def _with_plain_default(rule: PairRule) -> PairRule:
    """Return the rule with the class of an "IF always" clause as its default, where that is equivalent."""
    for position, (clause, label) in enumerate(rule.pairs):
        if not clause:
            shorter_rule = replace(rule, pairs=rule.pairs[:position] + rule.pairs[position + 1 :], default=label)
            if equivalent(shorter_rule, rule):
                return _with_plain_default(shorter_rule)
    return rule


def _simplified_dnf(rule: Formula, complemented: bool = False) -> Formula:
    clauses = tuple(clause for clause in _shortest(rule, complemented) if clause is not None)
    return DNF(clauses, rule.classes, rule.target)


def _shortest(rule: Rule, complemented: bool = False) -> tuple[Clause | None, ...]:
    """Return the simplified clauses, None where a clause was dropped."""
    with Glucose() as solver:
        draft = _Draft(rule, solver, complemented)
        steps = (_reword, _drop_clauses, _drop_parts, _merge_clauses)
        n_idle = 0
        for step in cycle(steps):
            n_idle = 0 if step(draft) else n_idle + 1
            if n_idle == len(steps):
                break
    return tuple(draft.drafted)


class _Draft(Circuit):
    """The current clauses of a rule, and a circuit and a solver with the decisions of the given rule."""

    def __init__(self, rule: Rule, solver: Any, complemented: bool) -> None:
        super().__init__(cells_by_column(rule.literals))
        self.drafted: list[Clause | None] = list(rule.clauses)
        # only clauses of the same label may be merged
        self.labels = [label for _, label in rule.pairs] if isinstance(rule, PairRule) else [True] * len(rule.clauses)
        self.complemented = complemented  # True if the complement is what will be printed
        self._wordings: dict[tuple[str, int], list[Clause]] = {}
        first = decisions(self, rule)
        held = [self.variable() for _ in self.drafted]
        now = decisions_by(self, rule, held)
        # the solver searches a row on which given and current rule agree on no class
        self.clauses += [[-decided, -now[label]] for label, decided in first.items()]
        self._solver = solver
        self._held = held
        self._boxes = [self._box(clause) for clause in self.drafted]
        self._links = [self._link(position, box) for position, box in enumerate(self._boxes)]
        self._different: set[tuple[_Box | None, ...]] = set()  # boxes that decide some row differently

    def longest_first(self) -> list[tuple[int, Clause]]:
        """Return the clauses that are left with their positions, the longest first."""
        left = [(position, clause) for position, clause in enumerate(self.drafted) if clause is not None]
        return sorted(left, key=lambda item: (*_length([item[1]]), item[0]), reverse=True)

    def sets(self, clause: Clause) -> dict[str, int]:
        """Return for each column that the clause reads the cells that it accepts."""
        found: dict[str, int] = {}
        for literal in clause:
            cells = self.cells[literal.column]
            found[literal.column] = found.get(literal.column, cells.all) & cells.accepted(literal)
        return found

    def wordings(self, name: str, accepted: int) -> list[Clause]:
        """Return clauses that accept exactly a set of cells of a column."""
        if (name, accepted) not in self._wordings:
            self._wordings[name, accepted] = list(wordings(self.cells[name], accepted))
        return self._wordings[name, accepted]

    def adopt(self, changes: Mapping[int, Clause | None]) -> bool:
        """Replace clauses if that makes the rule shorter and changes no decision; return True if so."""
        if not self._is_shorter([self.drafted[position] for position in changes], list(changes.values())):
            return False
        boxes = list(self._boxes)
        for position, clause in changes.items():
            boxes[position] = self._box(clause)
        if not self._is_equivalent(boxes):
            return False
        for position, clause in changes.items():
            self.drafted[position] = clause
        return True

    def _is_equivalent(self, boxes: list[_Box | None]) -> bool:
        if boxes == self._boxes:
            return True
        if tuple(boxes) in self._different:
            return False
        links = [
            link if box == before else self._link(position, box)
            for position, (box, before, link) in enumerate(zip(boxes, self._boxes, self._links, strict=True))
        ]
        self.feed(self._solver)
        if self._solver.solve(assumptions=links):
            self._different.add(tuple(boxes))
            self._retire(links, self._links)
            return False
        self._retire(self._links, links)
        self._boxes, self._links = boxes, links
        return True

    def _retire(self, links: Iterable[int], kept: Iterable[int]) -> None:
        """Set links that will not be assumed again to false, which makes the solver faster."""
        self.clauses += [[-link] for link in set(links) - set(kept) if link > 0]

    def _box(self, clause: Clause | None) -> _Box | None:
        return None if clause is None else frozenset(self.sets(clause).items())

    def _link(self, position: int, box: _Box | None) -> int:
        """Return the assumption that the clause at a position accepts the rows of a box."""
        held = self._held[position]
        if box is None:
            return -held
        link = self.variable()
        tests = [self.within(name, accepted) for name, accepted in sorted(box)]
        self.clauses += [[-link, -held, test] for test in tests]
        self.clauses.append([-link, held, *(-test for test in tests)])
        return link

    def _is_shorter(self, before: Sequence[Clause | None], after: Sequence[Clause | None]) -> bool:
        """Return True for fewer conditions, else fewer atoms, clauses or words; in no case for more atoms."""
        if after == before:
            return False
        old, new = _length(before), _length(after)
        if new == old:
            return self._n_words(after) < self._n_words(before)
        return new < old and new[1] <= old[1]

    def _n_words(self, clauses: Iterable[Clause | None]) -> int:
        return sum(_n_words(literal, self.complemented) for clause in clauses for literal in clause or ())


def _reword(draft: _Draft) -> bool:
    """Replace the literals of a clause on one column by shorter ones; return True if any were."""
    adopted = False
    for position, clause in draft.longest_first():
        for name, accepted in draft.sets(clause).items():
            if accepted == 0:
                adopted |= draft.adopt({position: None})
                break
            for literals in draft.wordings(name, accepted):
                now = draft.drafted[position] or ()
                adopted |= draft.adopt({position: _with_test(now, name, literals)})
    return adopted


def _drop_clauses(draft: _Draft) -> bool:
    adopted = False
    for position, _ in draft.longest_first():
        adopted |= draft.adopt({position: None})
    return adopted


def _drop_parts(draft: _Draft) -> bool:
    """Leave out literals, or else parts of literals; return True if any were."""
    adopted = False
    for position, clause in draft.longest_first():
        for literal in reversed(clause):
            for less in ((), *((part,) for part in _parts(literal, draft.complemented))):
                now = draft.drafted[position] or ()
                if draft.adopt({position: _replace(now, literal, less)}):
                    adopted = True
                    break
    return adopted


def _merge_clauses(draft: _Draft) -> bool:
    """Merge clauses that differ on one column only; return True if any were."""
    adopted = False
    sets = {position: draft.sets(clause) for position, clause in draft.longest_first()}
    for first, second in combinations(sorted(sets), 2):
        one, other = draft.drafted[first], draft.drafted[second]
        if one is None or other is None or draft.labels[first] != draft.labels[second]:
            continue
        columns = [name for name in sets[first] if sets[first][name] != sets[second].get(name)]
        if len(columns) != 1 or sets[first].keys() != sets[second].keys():
            continue
        [name] = columns
        for literals in draft.wordings(name, sets[first][name] | sets[second][name]):
            if draft.adopt({first: _with_test(one, name, literals), second: None}):
                kept = first
            elif draft.adopt({first: None, second: _with_test(other, name, literals)}):
                kept = second
            else:
                continue
            sets[kept] = draft.sets(draft.drafted[kept] or ())
            adopted = True
            break
    return adopted


def _length(clauses: Iterable[Clause | None]) -> tuple[int, int, int]:
    """Return the numbers of conditions, atoms and clauses."""
    held = [clause for clause in clauses if clause is not None]
    literals = [literal for clause in held for literal in clause]
    return len(literals), sum(literal.size for literal in literals), len(held)


def _with_test(clause: Clause, name: str, literals: Clause) -> Clause:
    """Return the clause with other literals on a column, at the column's first place."""
    first = next(literal for literal in clause if literal.column == name)
    parts = ((literal,) if literal.column != name else literals if literal is first else () for literal in clause)
    return tuple(literal for part in parts for literal in part)


def _parts(literal: Literal, complemented: bool) -> Iterator[Literal]:
    yield from shorter(literal)
    if literal.or_missing != complemented and not isinstance(literal, IsMissing):
        yield replace(literal, or_missing=complemented)


def shorter(literal: Literal) -> Iterator[Literal]:
    """Yield literals with one part less, which may change no decision of a rule."""
    if literal.size > 1:
        yield IsMissing(literal.column, or_missing=literal.or_missing)
    if isinstance(literal, InInterval):
        name, missing, out = literal.column, literal.or_missing, literal.negated
        yield Compare(name, "<" if out else ">=", literal.low, or_missing=missing)
        yield Compare(name, ">=" if out else "<", literal.high, or_missing=missing)
    if isinstance(literal, IsIn) and len(literal.values) > 1:
        for value in literal.values:
            yield replace(literal, values=tuple(other for other in literal.values if other != value))


def _replace(clause: Clause, literal: Literal, by: Clause) -> Clause:
    parts = (by if other == literal else (other,) for other in clause)
    return tuple(dict.fromkeys(other for part in parts for other in part))


def _n_words(literal: Literal, complemented: bool) -> int:
    """Return the number of words "not" and "or missing" in the literal, or in its complement."""
    missing = literal.or_missing != complemented
    if isinstance(literal, IsMissing):
        return int(not missing)
    negated = getattr(literal, "negated", None)
    return missing + (negated is not None and negated != complemented)
