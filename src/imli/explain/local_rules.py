"""A rule for one row, and how it does.

Why a model decides one row as it does: a conjunction that holds for the row.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from imli.estimators.parameters import count_threads, require_integer, require_number
from imli.explain.anchors import Evidence, Finder, Tally, covers
from imli.explain.black_box import Box, other_than, plain_labels
from imli.explain.neighbours import Neighbourhood, Source, read_row, read_source, some_rows
from imli.learning.answer import Deadline
from imli.learning.constraints import Constraints, resolve_all
from imli.rules import DNF, Clause, count_rows
from imli.rules.literals import plain_value
from imli.table.dates import write_moment
from imli.table.frame import AnyArray, BoolArray, Column, IntArray, Value


@dataclass(frozen=True, eq=False, repr=False)
class LocalExplanation:
    """Why a model decides a row as it does. It is what :func:`imli.explain.local` returns.

    The row satisfies the ``rule``, a single clause, which speaks for the ``decision`` of the model. It says nothing
    about rows that do not satisfy it. How it does was counted three times: ``within`` on neighbours drawn such that
    the rule holds, ``around`` on neighbours drawn around the row, whether it holds or not, and ``on_rows`` on
    rows of the table as they are. The neighbours are fresh: the rule was learned and chosen by others.
    """

    rule: DNF
    decision: Value
    row: Mapping[str, Value | None]
    within: Tally
    around: Tally
    on_rows: Tally
    wanted: float  # the precision that was asked for

    @property
    def precision(self) -> float:
        """The share of fresh neighbours that satisfy the rule which the model decides as it decides the row."""
        return self.within.precision

    @property
    def coverage(self) -> float:
        """The share of the table's rows that satisfy the rule."""
        return self.on_rows.coverage

    @property
    def fidelity(self) -> float:
        """The share of fresh neighbours around the row for which rule and model agree, on yes or no."""
        return self.around.fidelity

    @property
    def size(self) -> int:
        """How many atomic tests the rule makes."""
        return self.rule.size

    def __str__(self) -> str:
        from imli.explain.sentences import write_local

        return write_local(self)

    def __repr__(self) -> str:
        return f"<LocalExplanation, precision {self.precision:.3f}, coverage {self.coverage:.3f}>\n{self}"

    def _repr_html_(self) -> str:
        from imli.explain.sentences import local_to_html

        return local_to_html(self)

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values, for JSON."""
        return {
            "decision": self.decision,
            "row": dict(self.row),
            "rule": self.rule.to_dict(),
            "text": self.rule.to_text(counts=False).rpartition("\n")[0],
            "size": self.size,
            "precision": self.precision,
            "coverage": self.coverage,
            "fidelity": self.fidelity,
            "wanted": self.wanted,
            "within": self.within.to_dict(),
            "around": self.around.to_dict(),
            "on_rows": self.on_rows.to_dict(),
        }


_OWNER = "local"


def local(
    model: Any,
    row: Any,
    X: Any,
    *,
    precision: float = 0.95,
    n_samples: int = 1000,
    max_literals: int | None = None,
    never: Any = (),
    bins: int = 20,
    target: str | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
) -> LocalExplanation:
    """Why a model decides a row as it does: a clause that holds for the row, and where it holds, nearly always so.

    The clause is the widest that was found whose precision reaches the target. It is measured on neighbours that are
    drawn afresh: rows of X whose cells that break the clause are replaced by cells of X, or of the row, that keep
    it. So neighbours have only types, values and categories that X has.

    Parameters
    ----------
    model
        A function that gives a label for each row of a table, or anything with such a method ``predict``: an estimator
        or a pipeline of scikit-learn, a classifier, a model or a rule of imli. It gets tables of the same library and
        with the same columns as X.
    row
        The place of a row in X, counted from 0; or the cells of a row, as a dict, a list or a table of one row.
    X
        Rows that the model is made for: a data frame, an array, a list of rows or a dict of columns.
    precision
        The share of neighbours that the clause covers for which the model must decide as for the row.
    n_samples
        How many neighbours to draw to be sure of a clause, and how many rows of X to look at, at most. The model is
        asked some five to ten times, about one to four times as many rows each; more often where no clause is found.
    max_literals
        The most literals that the clause may have.
    never
        Columns that the clause must not speak of, or single literals.
    bins
        Into how many bins columns are cut, at most.
    target
        What the decision is called in the rule.
    random_state
        The seed of all that is left to chance. None is a seed too: the same question gets the same answer.
    n_jobs
        How many threads the search uses; None is all cores.
    time_limit
        Seconds after which the best clause so far is taken. The model itself is never interrupted.

    Returns
    -------
    LocalExplanation
        The clause as a ``rule``, the ``decision``, and how it does: ``precision``, ``coverage``, ``fidelity``.

    Examples
    --------
    >>> import imli
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> data = load_iris(as_frame=True)
    >>> X = data.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    >>> forest = RandomForestClassifier(random_state=0).fit(X, data.target_names[data.target])
    >>> row = {"sepal length": 6, "sepal width": 3, "petal length": 5, "petal width": 1.5}
    >>> why = imli.explain.local(forest, row, X)
    >>> print(str(why).split("Precision")[0])
    The model says versicolor for this row.
    <BLANKLINE>
    IF    5.4 < sepal length <= 6.9 AND sepal width <= 3.4 AND petal length <= 5 AND 1 < petal width <= 1.5
    THEN  versicolor
    <BLANKLINE>
    <BLANKLINE>
    >>> why.precision >= 0.95
    True
    """
    box, deadline = Box.around(_OWNER, model), _deadline(time_limit)
    wanted = require_number(_OWNER, "precision", precision, positive=True)
    if wanted >= 1:
        raise ValueError(f"{_OWNER}: precision must be between 0 and 1, such as 0.95. Got {precision!r}.")
    n_samples = require_integer(_OWNER, "n_samples", n_samples, least=100)
    seed = 0 if random_state is None else int(check_random_state(random_state).randint(2**31))
    chance = np.random.default_rng(seed)
    is_place = isinstance(row, int | np.integer) and not isinstance(row, bool)
    some, place = some_rows(X, n_samples, int(row) if is_place else None, chance)
    table = read_source(some)
    if not table.n_rows or not table.frame.names:
        raise ValueError(
            f"{_OWNER}: X has no {'columns' if table.n_rows else 'rows'}. Neighbours are made of its cells."
        )
    constraints = Constraints(
        never=resolve_all(never, table.frame.names, f"{_OWNER}: never"),
        max_literals=None if max_literals is None else require_integer(_OWNER, "max_literals", max_literals),
    )
    require_integer(_OWNER, "bins", bins, least=2)
    source, place = read_row(_OWNER, row if place is None else place, table)
    asked = _Asked(box, source, Neighbourhood(source, place, np.arange(table.n_rows), chance))
    return asked.explain(wanted, n_samples, constraints, bins, deadline, seed, count_threads(n_jobs), target)


def _deadline(time_limit: Any) -> Deadline:
    if time_limit is None:
        return Deadline()
    return Deadline.after(require_number(_OWNER, "time_limit", time_limit, positive=True, also=" of seconds"))


class _Asked:
    """A model that is asked about neighbours of a row."""

    def __init__(self, box: Box, source: Source, hood: Neighbourhood) -> None:
        self._box, self._source, self._hood = box, source, hood
        self._seen: list[Value] = []  # labels
        self._decision: Value = False

    def explain(
        self,
        wanted: float,
        n_samples: int,
        constraints: Constraints,
        bins: int,
        deadline: Deadline,
        seed: int,
        n_threads: int,
        target: str | None,
    ) -> LocalExplanation:
        hood = self._hood
        near = hood.near(n_samples)
        labels = self._labels(np.concatenate([hood.whole(np.array([hood.row])), hood.whole(hood.rows), near]))
        self._decision = plain_value(labels[0])
        alike = labels == labels[0]
        rows_alike, near_alike = alike[1 : 1 + len(hood.rows)], alike[1 + len(hood.rows) :]
        finder = Finder(hood, self._alike, rows_alike, wanted, n_samples, bins, constraints, deadline, seed, n_threads)
        rule = self._rule(finder.find(Evidence(near, near_alike, 1.0)), target)
        return self._measured(rule, rows_alike, n_samples, wanted)

    def _labels(self, cells: IntArray) -> AnyArray:
        labels = self._box.labels(self._source.gather(cells), len(cells))
        self._seen = list(dict.fromkeys([*self._seen, *plain_labels(labels)]))
        return labels

    def _alike(self, cells: IntArray) -> BoolArray:
        return np.asarray(self._labels(cells) == self._decision, dtype=bool)

    def _rule(self, clause: Clause, target: str | None) -> DNF:
        place = {name: n for n, name in enumerate(self._source.frame.names)}
        simple = DNF((clause,)).simplified()
        literals = tuple(sorted(simple.clauses[0], key=lambda literal: place[literal.column]))
        return DNF((literals,), (False, True), target)

    def _measured(self, rule: DNF, rows_alike: BoolArray, n_samples: int, wanted: float) -> LocalExplanation:
        """The rule with how it does on neighbours that are drawn afresh, and on the rows of the table."""
        hood, clause = self._hood, rule.clauses[0]
        within, around = hood.within(clause, n_samples), hood.near(n_samples)
        alike = self._alike(np.concatenate([within, around]))
        drawn = covers(clause, self._source.gathered(np.concatenate([within, around])))
        rows = self._source.gathered(hood.whole(hood.rows))
        others = [label for label in self._seen if label != self._decision]
        other = others[0] if len(others) == 1 else other_than(self._decision)
        rule = replace(rule, classes=(other, self._decision))
        counts = count_rows(rule, rule.holds_in(rows), rows_alike.astype(np.int64), rule.classes, np.ones(rows.n_rows))
        return LocalExplanation(
            rule=rule.with_counts(counts),
            decision=self._decision,
            row=_cells_of(self._source, hood.row),
            within=Tally.of(drawn[:n_samples], alike[:n_samples]),
            around=Tally.of(drawn[n_samples:], alike[n_samples:]),
            on_rows=Tally.of(covers(clause, rows), rows_alike),
            wanted=wanted,
        )


def _cells_of(source: Source, row: int) -> dict[str, Any]:
    """The cells of a row as plain values; dates as text."""
    one = source.frame.take(np.array([row]))
    return {name: _plain(column) for name, column in one.columns.items()}


def _plain(column: Column) -> Value | None:
    if column.missing[0]:
        return None
    if column.kind == "date":
        return write_moment(int(column.values[0]))
    value: Value = column.cells()[0].item()
    return value
