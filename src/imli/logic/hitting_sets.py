"""The smallest choice of numbers that passes a test, by hitting sets.

For each choice that fails, the test returns numbers of which at least one is needed.
"""

from collections.abc import Callable, Iterable

from imli.logic.circuit import Glucose, encode_at_most

# Returns None for numbers that pass, otherwise numbers that are not among them, of which at least one is needed.
ChoiceTest = Callable[[frozenset[int]], frozenset[int] | None]


def smallest_choice(n: int, test: ChoiceTest) -> tuple[int, ...] | None:
    """Return the smallest set of numbers below ``n`` that passes, among equals the first in order; None if none passes.

    >>> pairs = [frozenset(pair) for pair in ((0, 2), (2, 3), (1, 3))]
    >>> smallest_choice(4, lambda chosen: next((pair for pair in pairs if not pair & chosen), None))
    (0, 3)
    """
    if test(frozenset(range(n))) is not None:
        return None
    needed: list[frozenset[int]] = []

    def passing(solver: Glucose, assumed: Iterable[int]) -> frozenset[int] | None:
        """Return a choice that meets the assumptions and passes; None if there is none."""
        while solver.solve(assumptions=list(assumed)):
            true = set(solver.get_model())
            chosen = frozenset(number for number in range(n) if number + 1 in true)
            more = test(chosen)
            if more is None:
                return chosen
            needed.append(more)
            solver.add_clause([number + 1 for number in more])
        return None

    for size in range(n + 1):
        with Glucose(bootstrap_with=encode_at_most(list(range(1, n + 1)), size, n)[0]) as solver:
            for some in needed:
                solver.add_clause([number + 1 for number in some])
            found = passing(solver, ())
            if found is None:
                continue
            assumed: list[int] = []
            for number in range(n):
                if sum(taken > 0 for taken in assumed) == size:
                    break
                if number not in found:
                    found = passing(solver, (*assumed, number + 1)) or found
                assumed.append(number + 1 if number in found else -(number + 1))
            return tuple(sorted(found))
    raise AssertionError("all numbers together pass")
