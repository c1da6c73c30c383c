"""How a backend's search ends in an answer."""

from collections.abc import Iterable
from time import monotonic

from imli.answer import Answer, Interrupted, Status
from imli.query import Query
from imli.rules import Rule


def conclude(
    query: Query, start: Rule, found: Iterable[Rule], bound: int, began: float, backend: str, interrupted: bool
) -> Answer:
    """The best rule, re-priced, with what is proven. Raises Interrupted with it if the user pressed Ctrl-C."""
    best = min((start, *(rule for rule in found if query.allows(rule))), key=query.units)
    units = query.units(best)
    # with nothing left to choose, the rule is the only one
    is_only = query.is_formula and query.n_free == 0
    bound = max(bound, units if is_only else query.unavoidable)
    if bound > units:
        raise RuntimeError(
            f"Backend {backend!r} claims that no rule costs less than {bound / query.scale:g}, but one costs "
            f"{units / query.scale:g}. This is a bug in imli or in the solver; please report it."
        )
    status: Status = "optimal" if bound == units else "interrupted" if interrupted else "feasible"
    answer = Answer(
        rule=best,
        cost=units / query.scale,
        bound=bound / query.scale,
        status=status,
        seconds=monotonic() - began,
        scope=query.scope,
        backend=backend,
        rounding=query.rounding,
        n_locked=query.n_locked,
    )
    if interrupted:
        raise Interrupted(answer)
    return answer
