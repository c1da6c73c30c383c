"""Rules from short to long on some rows: one question at many λ."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import fsum, log, log10, sqrt

import numpy as np

from imli.errors import InfeasibleError, Interrupted
from imli.learning.answer import Answer
from imli.learning.backends import Native
from imli.learning.deadline import SearchSettings
from imli.learning.lam import usual_lam
from imli.learning.path.front import Front, Priced
from imli.learning.query import Query
from imli.learning.strategies import Joint, is_as_printed, starting_rule
from imli.learning.task import TaskInMemory
from imli.learning.vocabulary import FINER_BINS
from imli.rules import Rule

_EFFORT = 0.02  # of each search, relative to that of a fit
_MOST_FINER = 3  # times as many literals as before come with finer thresholds
_BELOW_DEFAULT = 4  # the least λ is so many times smaller than the one by default,
_BELOW_FIRST = 200  # and than what the first literal saves
_SPARE = 1  # rule more is looked for, since some turn out as large as others once they are simplified
_MOST_SPLITS, _MOST_SEARCHES = 2, 3  # for each rule that is asked for


@dataclass(frozen=True)
class Question:
    """A λ, and the largest number of literals."""

    lam: float
    max_literals: int | None = None


class Tracer:
    """A series of searches on the same rows, each of which starts from the best rules found before."""

    def __init__(
        self,
        task: TaskInMemory,
        query: Query,
        settings: SearchSettings,
        start: Rule | None = None,
        after_search: Callable[[Answer], None] = lambda _: None,
    ) -> None:
        self.task, self.query, self._after_search = task, query, after_search
        strategy = Joint() if isinstance(settings.strategy, Joint) else settings.strategy
        self.settings = replace(settings, strategy=strategy)
        settings.backend.check(query, settings.deadline)
        self._unit = _unit(task)
        self.n_searches = 0
        self.least = usual_lam(fsum(task.sample.weights)) / _BELOW_DEFAULT
        self.front = Front(task.at(self._unit, query), self._unit)
        self.front.add(starting_rule(self.front.query, settings.deadline))
        if start is not None and self.front.query.allows(start):
            self.front.add(start)

    def trace(self, n_rules: int) -> None:
        """Find this many rules, each with fewer errors than all rules that are as short."""
        n_fewest = min(len(rule.literals) for rule in self.front.rules)
        self.search(Question(self.least, n_fewest + 1))
        corners = self.front.corners()
        if len(corners) > 1:
            self.least = min(self.least, self.front.slope(corners[0], corners[1]) / _BELOW_FIRST)
        self.search(Question(self.least))
        self._split(n_rules // 2)
        if self.refine():
            self.follow(Question(place.lam) for place in self.front.places(self.least) if place.priced.length)
            # at none of these λ the shortest rule need be the cheapest, but it is the one that people look at first
            self.follow([Question(self.least, n_fewest + 1)])
        self._fill(n_rules + _SPARE)
        self._split(n_rules)

    def follow(self, questions: Iterable[Question]) -> None:
        """Search for the answers to one question after the other."""
        for question in questions:
            if not self.settings.is_over:
                self.search(question)

    def answer(self, question: Question) -> Rule:
        """Return the best rule so far."""
        return self.front.cheapest(question.lam, question.max_literals)

    def search(self, question: Question) -> None:
        """Search for a better rule."""
        query = self.task.at(question.lam, self.query)
        if question.max_literals is not None:
            limits = (question.max_literals, query.constraints.max_literals)
            most = min(limit for limit in limits if limit is not None)
            query = replace(query, constraints=replace(query.constraints, max_literals=most))
        strategy, backend, seed = self.settings.strategy, self.settings.backend, self.settings.seed + self.n_searches
        if isinstance(backend, Native):
            known = tuple(each.rule for each in self.front.ladder())
            effort = min(1.0, _EFFORT * backend.effort)
            backend = replace(backend, effort=effort, seed=seed, known=known, whole=False)
        self.n_searches += 1
        asked = query if isinstance(strategy, Joint) or is_as_printed(strategy) else query.canonical()
        try:
            answer = strategy.answer(asked, backend, self.settings.deadline, seed, start=self.answer(question))
        except Interrupted as stop:
            self.front.add(stop.answer.rule)
            raise
        except InfeasibleError:  # so few literals are not enough for all conditions
            return
        self.front.add(answer.rule)
        self._after_search(answer)

    def refine(self) -> bool:
        """Add thresholds next to those of the rules so far; return False if there are none."""
        strategy, backend = self.settings.strategy, self.settings.backend
        if not (isinstance(strategy, Joint) and isinstance(backend, Native) and self.task.can_refine(self.query)):
            return False
        rules = [each.rule for each in self.front.ladder()]
        n_before = len(self.query.literals)
        finer, bins = self.task.refined(self.query, *rules), FINER_BINS
        while finer is not None and len(finer.literals) > (1 + _MOST_FINER) * n_before and bins > 2:
            bins //= 2
            finer = self.task.refined(self.query, *rules, bins=bins)
        if finer is None:
            return False
        known, self.query = self.front.rules, finer
        self.front = Front(self.task.at(self._unit, finer), self._unit)
        self.front.add(*known)
        return True

    def _split(self, n_rules: int) -> None:
        """Search between rules that are the cheapest at some λ, at the λ where both cost the same."""
        tested = set[tuple[Rule, Rule]]()
        while len(corners := self.front.corners()) <= n_rules and not self._is_over(_MOST_SPLITS * n_rules):
            untested = [pair for pair in self._wide(corners) if _rules(pair) not in tested]
            if not untested:
                return
            tested.add(_rules(untested[0]))
            self.search(Question(self.front.slope(*untested[0])))

    def _fill(self, n_rules: int) -> None:
        """Search between rules far apart for the best one that is not longer than one of middle length."""
        tested = Counter[tuple[Rule, Rule]]()
        while len(steps := self.front.steps()) <= n_rules and not self._is_over(_MOST_SEARCHES * n_rules):
            open_pairs = [pair for pair in pairwise(steps) if tested[_rules(pair)] < len(_lengths(*pair))]
            if not open_pairs:
                return
            # the more often nothing was found, the later the next try
            pair = max(open_pairs, key=lambda pair: _distance(*pair) / (1 + tested[_rules(pair)]))
            self.search(Question(self.least, _lengths(*pair)[tested[_rules(pair)]]))
            tested[_rules(pair)] += 1

    def _wide(self, rules: list[Priced]) -> list[tuple[Priced, Priced]]:
        """Return neighbours with room for a rule between them, those that differ most in length first."""
        step = self.front.step
        pairs = [pair for pair in pairwise(rules) if pair[1].length - pair[0].length > step]
        return sorted(pairs, key=lambda pair: (pair[0].length + step) / (pair[1].length + step))

    def _is_over(self, most: int) -> bool:
        return self.settings.is_over or self.n_searches >= most + 2


def _rules(pair: tuple[Priced, Priced]) -> tuple[Rule, Rule]:
    return pair[0].rule, pair[1].rule


def _distance(shorter: Priced, longer: Priced) -> float:
    return log((1 + longer.rule.size) / (1 + shorter.rule.size))


def _lengths(shorter: Priced, longer: Priced) -> list[int]:
    """Return the numbers of literals between those of two rules, those nearest to their geometric mean first."""
    mean = sqrt((shorter.n_literals + 1) * longer.n_literals)
    return sorted(range(shorter.n_literals + 1, longer.n_literals), key=lambda n: abs(n - mean))


def _unit(task: TaskInMemory) -> float:
    """Return a λ of the size of the weight of a row."""
    mean = float(np.mean(task.row_weights()))
    return 10.0 ** round(log10(mean)) if mean > 0 else 1.0
