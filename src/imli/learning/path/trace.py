"""Rules from short to long on some rows: the same question at many λ.

From rows, and what is asked about them, to a path of rules.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import fsum, log, log10, sqrt

import numpy as np

from imli.errors import InfeasibleError, Interrupted
from imli.learning.answer import Answer
from imli.learning.backends import Native
from imli.learning.feasibility import starting_rule
from imli.learning.path.front import Front, Priced
from imli.learning.settings import SearchSettings
from imli.learning.strategies import Joint, is_as_printed
from imli.learning.task import TableTraining, auto_lam
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
    """Which rule of at most so many literals is the cheapest at this λ."""

    lam: float
    max_literals: int | None = None


class Tracer:
    """Searches on some rows, each from the best that the ones before have found."""

    def __init__(
        self,
        training: TableTraining,
        asking: SearchSettings,
        start: Rule | None = None,
        after_search: Callable[[Answer], None] = lambda _: None,
    ) -> None:
        self.training, self.query, self._after_search = training, training.query, after_search
        strategy = Joint() if isinstance(asking.strategy, Joint) else asking.strategy
        self.asking = replace(asking, strategy=strategy)
        asking.backend.check(self.query, asking.deadline)
        self._unit = _unit(training)
        self.n_searches = 0
        self.least = auto_lam(fsum(training.weights)) / _BELOW_DEFAULT
        self.front = Front(training.at(self._unit, self.query), self._unit)
        self.front.add(starting_rule(self.front.query, asking.deadline))
        if start is not None and self.front.query.allows(start):
            self.front.add(start)

    def trace(self, n_rules: int) -> None:
        """Find so many rules, each with fewer errors than all that are as short."""
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
        """Ask one question after the other."""
        for question in questions:
            if not self.asking.is_over:
                self.search(question)

    def answer(self, question: Question) -> Rule:
        """The best rule so far."""
        return self.front.cheapest(question.lam, question.max_literals)

    def search(self, question: Question) -> None:
        """Look for a better rule."""
        query = self.training.at(question.lam, self.query)
        if question.max_literals is not None:
            limits = (question.max_literals, query.constraints.max_literals)
            most = min(limit for limit in limits if limit is not None)
            query = replace(query, constraints=replace(query.constraints, max_literals=most))
        strategy, backend, seed = self.asking.strategy, self.asking.backend, self.asking.seed + self.n_searches
        if isinstance(backend, Native):
            known = tuple(each.rule for each in self.front.ladder())
            effort = min(1.0, _EFFORT * backend.effort)
            backend = replace(backend, effort=effort, seed=seed, known=known, whole=False)
        self.n_searches += 1
        asked = query if isinstance(strategy, Joint) or is_as_printed(strategy) else query.canonical()
        try:
            answer = strategy.answer(asked, backend, self.asking.deadline, seed, start=self.answer(question))
        except Interrupted as stop:
            self.front.add(stop.answer.rule)
            raise
        except InfeasibleError:  # so few literals are not enough for all conditions
            return
        self.front.add(answer.rule)
        self._after_search(answer)

    def refine(self) -> bool:
        """Go on with more thresholds next to those of the rules so far; False if there are none."""
        strategy, backend = self.asking.strategy, self.asking.backend
        if not (isinstance(strategy, Joint) and isinstance(backend, Native) and self.training.has_finer):
            return False
        rules = [each.rule for each in self.front.ladder()]
        n_before = len(self.query.literals)
        finer, bins = self.training.finer(*rules), FINER_BINS
        while finer is not None and len(finer.literals) > (1 + _MOST_FINER) * n_before and bins > 2:
            bins //= 2
            finer = self.training.finer(*rules, bins=bins)
        if finer is None:
            return False
        known, self.query = self.front.rules, finer
        self.front = Front(self.training.at(self._unit, finer), self._unit)
        self.front.add(*known)
        return True

    def _split(self, n_rules: int) -> None:
        """Between rules that are the cheapest at some λ, look for another where both cost the same."""
        tested = set[tuple[Rule, Rule]]()
        while len(corners := self.front.corners()) <= n_rules and not self._is_over(_MOST_SPLITS * n_rules):
            untested = [pair for pair in self._wide(corners) if _rules(pair) not in tested]
            if not untested:
                return
            tested.add(_rules(untested[0]))
            self.search(Question(self.front.slope(*untested[0])))

    def _fill(self, n_rules: int) -> None:
        """Between rules far apart, look for the best one that is not longer than one of middle length."""
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
        """Neighbours with room for a rule between them, those that differ most in length first."""
        step = self.front.step
        pairs = [pair for pair in pairwise(rules) if pair[1].length - pair[0].length > step]
        return sorted(pairs, key=lambda pair: (pair[0].length + step) / (pair[1].length + step))

    def _is_over(self, most: int) -> bool:
        return self.asking.is_over or self.n_searches >= most + 2


def _rules(pair: tuple[Priced, Priced]) -> tuple[Rule, Rule]:
    return pair[0].rule, pair[1].rule


def _distance(shorter: Priced, longer: Priced) -> float:
    return log((1 + longer.rule.size) / (1 + shorter.rule.size))


def _lengths(shorter: Priced, longer: Priced) -> list[int]:
    """The numbers of literals between those of two rules, those nearest to their geometric mean first."""
    mean = sqrt((shorter.n_literals + 1) * longer.n_literals)
    return sorted(range(shorter.n_literals + 1, longer.n_literals), key=lambda n: abs(n - mean))


def _unit(training: TableTraining) -> float:
    """A λ of the size of what a row weighs."""
    mean = float(np.mean(training.row_weights))
    return 10.0 ** round(log10(mean)) if mean > 0 else 1.0
