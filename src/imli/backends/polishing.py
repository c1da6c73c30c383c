"""A rule that was found on some of the rows, adapted to all of them, of which only sums are asked for."""

from collections.abc import Callable
from threading import Event

from imli.arrays import IntArray
from imli.backends.questions import question
from imli.query import Query
from imli.rowsums import Plain, RowSums

_MOST_ROUNDS = 50


def polish(query: Query, rule: Plain, rows: RowSums, stop: Event, keep: Callable[[Plain, int], None]) -> None:
    """Take the best change of one place, as long as there is one; ``keep`` is told of each rule and its units.

    A round is one look at all rows: what each literal would save in each place.
    """
    asked, min_rows = question(query), query.constraints.min_rows or 0

    def have_enough(candidate: Plain, sums: IntArray) -> bool:
        """Whether each clause has the rows that it must have: in a list, what one clause takes another may lack."""
        n_rows = sums[1 + len(query.classes) :]
        held = (slot for slot, clause in enumerate(candidate[0]) if clause[0] and slot >= query.n_locked)
        return all(n_rows[slot] >= min_rows for slot in held)

    sums = query.sums(rows, rule)
    if have_enough(rule, sums):
        keep(rule, asked.price(*rule, sums, rows.weight))
    for _ in range(_MOST_ROUNDS):
        for clauses, otherwise, expected in asked.better(*rule, sums, rows.weight):
            if stop.is_set():
                return
            changed, there = (clauses, otherwise), query.sums(rows, (clauses, otherwise))
            units = asked.price(*changed, there, rows.weight)
            if units != expected:
                raise RuntimeError(
                    f"The sums of the rows promised a rule of {expected} units, but it costs {units}. "
                    "This is a bug in imli; please report it."
                )
            if have_enough(changed, there):
                rule, sums = changed, there
                keep(rule, units)
                break
        else:
            return
