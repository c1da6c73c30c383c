"""An answer to a query, and the progress of a search."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from imli.rules import Rule
from imli.rules.text import write_amount

if TYPE_CHECKING:
    from imli.learning.query import Query

_SOON = 0.1  # seconds: an estimate of less has run out, and says nothing any more

Status = Literal["optimal", "feasible", "interrupted"]


@dataclass(frozen=True)
class Answer:
    """A rule with its cost and a proven bound, as the answer to a query.

    Parameters
    ----------
    rule
        The best rule found.
    cost
        Its cost: weighted errors plus the price of its literals.
    bound
        A proven lower bound on the cost of every rule in ``scope``.
    status
        "optimal" if the cost meets the bound, "feasible" if the search ended before a proof, "interrupted" if the
        user ended it.
    seconds
        How long the search took.
    scope
        The rules that were searched, in words.
    backend
        The name of the backend.
    rounding
        The largest relative change of a weight or cost when all became integers; 0 if all are exact.
    is_clause_optimal
        True if it is proven that no rule that differs in one clause costs less.
    n_locked
        The number of locked clauses, the first of the rule, which are not part of the proof.
    errors
        The part of the cost that is errors: the weight of the rows decided wrongly; None if it is not known.
    are_weighted
        True if ``errors`` is no number of rows, since some count more than others.
    is_hopeless
        True if no rule was better than a constant on rows held out, by more than chance.
    query
        The query, while a fit goes on. A classifier keeps its answer without the query, which has all rows.
    """

    rule: Rule
    cost: float
    bound: float
    status: Status
    seconds: float
    scope: str
    backend: str
    rounding: float = 0.0
    is_clause_optimal: bool = False
    n_locked: int = 0
    errors: float | None = None
    are_weighted: bool = False
    is_hopeless: bool = False
    query: "Query | None" = field(default=None, repr=False, compare=False)

    @property
    def asked(self) -> "Query":
        """Return the query of an answer that has it."""
        assert self.query is not None
        return self.query

    @property
    def is_interrupted(self) -> bool:
        """Return True if the user ended the search."""
        return self.status == "interrupted"

    @property
    def gap(self) -> float:
        """Return the largest share of the cost that a better rule could save."""
        return 0.0 if self.cost <= self.bound else (self.cost - self.bound) / self.cost

    def __str__(self) -> str:
        return f"{self._cost()} {self._proof()}"

    @property
    def details(self) -> str:
        """Return a sentence about the rules that were searched."""
        return f"Searched: all {self.scope}."

    def _cost(self) -> str:
        """Return the cost as a sum: of errors, and of conditions times what each costs."""
        if self.errors is None:
            return f"Cost {self.cost:g}."
        length, n = self.cost - self.errors, self.rule.n_conditions
        errors = f"{self.errors:g} for errors" if self.are_weighted else write_amount(self.errors, "error")
        text = f"Cost {self.cost:g} = {errors}"
        if not n:
            return f"{text}."
        n_literals = len(self.rule.literals)  # two for a range, which is one condition
        each = length / n_literals
        if float(f"{each:.4g}") != round(each, 9):  # conditions cost different amounts
            return f"{text} + {length:g} for its length."
        return f"{text} + {write_amount(n, 'condition') if n_literals == n else n_literals} × {each:g}."

    def _proof(self) -> str:
        if self.status == "optimal":
            return f"Proven optimal among all {self.scope}."
        if self.bound > 0:
            text = f"Best rule found; the best possible costs at least {self.bound:g}."
        else:
            text = "Best rule found; not proven optimal."
        if not self.is_clause_optimal:
            return text
        which = "one clause that is not locked" if self.n_locked else "one clause"
        return f"{text} Proven: changing {which} cannot lower the cost."


def errors_in(rule: Rule, errors: float) -> dict[str, Any]:
    """Return the weight of the wrong decisions of a rule with counts, and whether it is more than their number."""
    assert rule.counts is not None
    wrong = rule.counts.total - rule.counts.n_right(rule.region_classes)
    return {"errors": errors, "are_weighted": abs(wrong - errors) > 1e-6 * max(1.0, wrong)}


@dataclass(frozen=True)
class Progress:
    """The progress of a fit.

    Parameters
    ----------
    cost
        The cost of the best rule so far; infinite before there is one.
    bound
        The proven lower bound on the cost of every rule.
    seconds
        How long the search has taken.
    share
        The share of the work limit that is done, or 0 if it is not known.
    done
        The work that is done, in words; empty while a search runs, since the cost tells how far it is.
    """

    cost: float
    bound: float
    seconds: float
    share: float = 0.0
    done: str = ""

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s: {self.done or f'cost {self.cost:g}, at least {self.bound:g}'}"


def describe(latest: Progress | None, elapsed: float, limit: float | None) -> str:
    """Return how far a search has come.

    >>> describe(Progress(cost=29.5, bound=12, seconds=1.0, share=0.25), elapsed=1.5, limit=None)
    'cost 29.5, at least 12 · 1.5 s · at most 2.5 s left'
    """
    parts = [] if latest is None else [latest.done or f"cost {latest.cost:g}, at least {latest.bound:g}"]
    parts.append(f"{elapsed:.1f} s")
    share = 0.0 if latest is None else latest.share
    left = latest.seconds / share - elapsed if latest is not None and share > 0 else 0.0
    if limit is not None:
        parts.append(f"{max(0.0, limit - elapsed):.1f} s left")
    elif left >= _SOON:
        parts.append(f"at most {left:.1f} s left")
    return " · ".join(parts)
