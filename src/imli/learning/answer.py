"""An answer to a query, and the progress of a search."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from imli.rules import Rule

if TYPE_CHECKING:
    from imli.learning.query import Query

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
        if self.status == "optimal":
            return f"a cost of {self.cost:g}, proven the lowest of all {self.scope}"
        one_clause = ""
        if self.is_clause_optimal:
            which = "one clause that is not locked" if self.n_locked else "one clause"
            one_clause = f"; it is proven that changing {which} cannot lower it"
        if self.bound <= 0:
            return f"a cost of {self.cost:g}, the lowest found but not proven to be, of all {self.scope}{one_clause}"
        return f"a cost of {self.cost:g}{one_clause}; none can cost less than {self.bound:g} among {self.scope}"


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
