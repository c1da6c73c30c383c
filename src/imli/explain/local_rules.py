"""Local explanations: a conjunction that holds for one row and nearly always leads to the decision for this row."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from imli.estimators.parameters import count_threads, read_deadline, read_seed, require_integer, require_number
from imli.explain.anchors import DecidedRows, Finder, Tally
from imli.explain.black_box import Box, other_than, plain_labels
from imli.explain.neighbours import Neighbourhood, read_row, read_template, some_rows
from imli.learning.constraints import Constraints, resolve_all
from imli.learning.parameter_table import document
from imli.logic.reason_text import json_cell
from imli.rules import DNF, Clause, count_rows
from imli.rules.cells import plain_cell
from imli.rules.literals import plain_value
from imli.table.frame import AnyArray, BoolArray, IntArray, Value

_OWNER = "local"


@dataclass(frozen=True, eq=False, repr=False)
class LocalExplanation:
    """A clause that explains the decision of a model for one row, as returned by :func:`imli.explain.local`.

    The counts on neighbours are of fresh ones, which were not used to find the clause.

    Parameters
    ----------
    rule
        A single clause, which the row satisfies. It is not about rows that do not satisfy it.
    decision
        The decision of the model for the row.
    row
        The cells of the row by column.
    within
        The counts on neighbours drawn such that the rule holds.
    around
        The counts on neighbours drawn around the row, whether the rule holds or not.
    on_rows
        The counts on rows of the table.
    wanted
        The precision that was asked for.
    """

    rule: DNF
    decision: Value
    row: Mapping[str, Value | None]
    within: Tally
    around: Tally
    on_rows: Tally
    wanted: float

    @property
    def precision(self) -> float:
        """Return the share of the neighbours satisfying the rule that the model decides like the row."""
        return self.within.precision

    @property
    def coverage(self) -> float:
        """Return the share of the rows of the table that satisfy the rule."""
        return self.on_rows.coverage

    @property
    def fidelity(self) -> float:
        """Return the share of the neighbours around the row on which rule and model agree."""
        return self.around.fidelity

    @property
    def size(self) -> int:
        """Return the number of atomic tests of the rule."""
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
        """Return a dict of plain values, for JSON."""
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


@document()
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
    """Explain the decision of a model for one row by a clause that holds for it and for many rows decided like it.

    The clause is the widest one found whose precision reaches the target. The precision is measured on fresh
    neighbours: rows of X whose cells that violate the clause are replaced by cells of X, or of the row, that satisfy
    it. So neighbours have only types, values and categories that X has.

    Parameters
    ----------
    model
        A function that returns a label for each row of a table, or an object with such a method ``predict``: an
        estimator or a pipeline of scikit-learn, a classifier, a model or a rule of imli. It gets tables of the library
        and with the columns of X.
    row
        The position of a row in X, counted from 0; or the cells of a row, as a dict, a list or a table of one row.
    X
        Rows that the model is made for: a data frame, an array, a list of rows or a dict of columns.
    precision
        The share of the neighbours satisfying the clause that the model must decide like the row.
    n_samples
        The number of neighbours to draw to be sure of a clause, and the most rows of X to use. The model is called
        some five to ten times, with about one to four times as many rows each; more often if no clause is found.
    target
        The name of the decision in the rule.
    time_limit
        Seconds after which the best clause so far is returned. The model itself is never interrupted.

    Returns
    -------
    LocalExplanation
        The clause as a ``rule``, the ``decision``, and ``precision``, ``coverage`` and ``fidelity`` of the clause.

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
    The model predicts versicolor for this row.
    <BLANKLINE>
    IF    5.4 < sepal length <= 6.9 AND sepal width <= 3.4 AND petal length <= 5 AND 1 < petal width <= 1.5
    THEN  versicolor
    <BLANKLINE>
    <BLANKLINE>
    >>> why.precision >= 0.95
    True
    """
    box, deadline = Box.around(_OWNER, model), read_deadline(_OWNER, time_limit)
    wanted = require_number(_OWNER, "precision", precision, positive=True)
    if wanted >= 1:
        raise ValueError(f"{_OWNER}: precision must be between 0 and 1, such as 0.95. Got {precision!r}.")
    n_samples = require_integer(_OWNER, "n_samples", n_samples, least=100)
    seed = read_seed(random_state)
    chance = np.random.default_rng(seed)
    is_place = isinstance(row, int | np.integer) and not isinstance(row, bool)
    some, place = some_rows(X, n_samples, int(row) if is_place else None, chance)
    table = read_template(some)
    if not table.n_rows or not table.frame.names:
        raise ValueError(
            f"{_OWNER}: X has no {'columns' if table.n_rows else 'rows'}. Neighbours are made of its cells."
        )
    constraints = Constraints(
        never=resolve_all(never, table.frame.names, f"{_OWNER}: never"),
        max_literals=None if max_literals is None else require_integer(_OWNER, "max_literals", max_literals),
    )
    require_integer(_OWNER, "bins", bins, least=2)
    longer, place = read_row(_OWNER, row if place is None else place, table)
    hood = Neighbourhood(longer, place, np.arange(table.n_rows), chance)
    probe = _Probe(box, hood)
    rows_alike, near = probe.first(n_samples)
    finder = Finder(
        hood, probe.alike, rows_alike, wanted, n_samples, bins, constraints, deadline, seed, count_threads(n_jobs)
    )
    return probe.measure(finder.find(near), rows_alike, n_samples, wanted, target)


class _Probe:
    """A model that is called with neighbours of a row. It collects the labels that occur."""

    def __init__(self, box: Box, hood: Neighbourhood) -> None:
        self._box, self._hood, self._template = box, hood, hood.template
        self._seen: list[Value] = []
        self._decision: Value = False

    def first(self, n_samples: int) -> tuple[BoolArray, DecidedRows]:
        """Return which rows of the table are decided like the row, and neighbours around it as first evidence."""
        hood = self._hood
        near = hood.near(n_samples)
        labels = self._labels(np.concatenate([hood.whole(np.array([hood.row])), hood.whole(hood.rows), near]))
        self._decision = plain_value(labels[0])
        alike, n_rows = labels == labels[0], len(hood.rows)
        return alike[1 : 1 + n_rows], DecidedRows(near, alike[1 + n_rows :], 1.0)

    def alike(self, cells: IntArray) -> BoolArray:
        """Return for each neighbour whether the model decides it like the row."""
        return np.asarray(self._labels(cells) == self._decision, dtype=bool)

    def _labels(self, cells: IntArray) -> AnyArray:
        labels = self._box.labels(self._template.gather(cells), len(cells))
        self._seen = list(dict.fromkeys([*self._seen, *plain_labels(labels)]))
        return labels

    def measure(
        self, clause: Clause, rows_alike: BoolArray, n_samples: int, wanted: float, target: str | None
    ) -> LocalExplanation:
        """Return the clause as a rule, with its counts on fresh neighbours and on the rows of the table."""
        hood, names = self._hood, self._template.frame.names
        simple = DNF((clause,)).simplified().clauses[0]
        clause = tuple(sorted(simple, key=lambda literal: names.index(literal.column)))
        cells = np.concatenate([hood.within(clause, n_samples), hood.near(n_samples)])
        alike, drawn = self.alike(cells), DNF((clause,)).decide(self._template.gather_frame(cells))
        rows = self._template.gather_frame(hood.whole(hood.rows))
        others = [label for label in self._seen if label != self._decision]
        other = others[0] if len(others) == 1 else other_than(self._decision)
        rule = DNF((clause,), (other, self._decision), target)
        counts = count_rows(rule, rule.holds_in(rows), rows_alike.astype(np.int64), rule.classes, np.ones(rows.n_rows))
        row = self._template.frame.take(np.array([hood.row]))
        return LocalExplanation(
            rule=rule.with_counts(counts),
            decision=self._decision,
            row={name: json_cell(plain_cell(column)) for name, column in row.columns.items()},
            within=Tally.of(drawn[:n_samples], alike[:n_samples]),
            around=Tally.of(drawn[n_samples:], alike[n_samples:]),
            on_rows=Tally.of(rule.decide(rows), rows_alike),
            wanted=wanted,
        )
