"""The trials of each part of the comparison, in a quick and in a full profile."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from imli_bench import adapters
from imli_bench.data_sets import LOOKALIKES, REAL
from imli_bench.results import BenchTrial, Outcome

OURS: dict[str, dict[str, Any]] = {
    **{f"imli {kind}": {"kind": kind} for kind in ("dnf", "cnf", "list", "set", "chosen")},
    **{f"imli incremental {kind}": {"kind": kind, "form": "incremental"} for kind in ("cnf", "dnf", "list", "set")},
    # One clause after the other, batch by batch; batch by batch; and all at once: each query by an exact solver.
    "imli incremental": {"kind": "cnf", "form": "incremental", "backend": "rc2"},
    "imli minibatch": {"kind": "cnf", "form": "minibatch", "backend": "rc2"},
    "imli exact": {"kind": "cnf", "form": "exact", "backend": "rc2"},
    # The last once more, by an exact solver of another make, and by our own search, which proves nothing.
    "imli exact cpsat": {"kind": "cnf", "form": "exact", "backend": "cpsat"},
    "imli exact native": {"kind": "cnf", "form": "exact", "backend": "native"},
}
"""Our own methods: the settings that make each what it is."""

BY_DEFAULT = tuple(f"imli {kind}" for kind in ("dnf", "cnf", "list", "set", "chosen"))
AS_PRINTED = tuple(f"imli incremental {kind}" for kind in ("cnf", "dnf", "list", "set"))
CLAIMED = ("imli chosen", "ripper", "jrip", "cart")  # what the goals are about
TABLE_1 = ("ripper", "jrip", "brl", "corels", "brs")
TABLE_2 = ("logistic_regression", "linear_svm", "knn", "random_forest")
FORMULATIONS = ("imli incremental", "imli minibatch", "imli exact")
SOLVERS = ("imli exact", "imli exact cpsat", "imli exact native")
ON_FORMULATIONS = ("wdbc", "credit_default", "adult")  # Figure 2
SCALE = ("imli dnf", "imli cnf", "imli list", "imli set", "logistic_regression", "random_forest", "gradient_boosting")
GROWTH = ("imli dnf", "cart", "jrip", "ripper", "logistic_regression", "random_forest", "gradient_boosting")

CLAUSES, LAMBDAS, BATCHES = (1, 2, 3, 4, 5), tuple(10 ** (-4 + 1.25 * step) for step in range(5)), (50, 100, 200, 400)
MIDDLE: dict[str, Any] = {"k": 3, "lam": LAMBDAS[2], "batch_size": 400}  # where the other two stay while one is varied


@dataclass(frozen=True)
class Profile:
    """How much of it is done, and what a trial may take."""

    name: str
    n_folds: int
    n_settings: int
    seconds: float  # of a trial
    megabytes: float
    budgets: Mapping[str, float]  # seconds for all trials of a rival on a problem, by part; none is no limit
    own_budget: float  # the same, for each kind of rule of ours as by default
    most_held_out: Mapping[str, int]  # rows to decide, by part
    most_rows: Mapping[str, int]  # to learn from, by part
    spares_rivals: bool  # gives a slow rival no more rows than it can take, and fewer rounds
    scale_seconds: float  # of a trial with a million rows
    growth: tuple[int, ...]
    lookalikes: tuple[str, ...]  # in the tables

    def budget(self, part: str, rival: str) -> float:
        """Return the seconds for all trials of a rival on a problem. What the goals are about has no limit."""
        if part == "defaults" and rival in CLAIMED:
            return math.inf
        return self.own_budget if part == "defaults" and rival in OURS else self.budgets.get(part, math.inf)

    def spared(self, rival: str) -> dict[str, Any]:
        """Return settings that a rival has whatever the trial says, because its own take too long."""
        return dict(adapter(rival).quick_settings) if self.spares_rivals else {}


QUICK = Profile(
    "quick", n_folds=3, n_settings=12, seconds=60, megabytes=8_000,
    budgets={"defaults": 6, "tables": 3, "formulations": 50, "ablations": 240}, own_budget=10,
    most_rows={"tables": 1_000, "formulations": 1_000, "ablations": 1_000, "causes": 5_000},
    most_held_out={"tables": 4_000, "formulations": 10_000, "ablations": 10_000, "causes": 10_000},
    spares_rivals=True, scale_seconds=300, growth=(1_000, 10_000, 100_000), lookalikes=("lookalike-labor",),
)  # fmt: skip
FULL = Profile(
    "full", n_folds=10, n_settings=100, seconds=1_000, megabytes=16_000, budgets={}, own_budget=math.inf,
    most_rows={}, most_held_out={}, spares_rivals=False, scale_seconds=3_600,
    growth=(1_000, 10_000, 100_000, 1_000_000), lookalikes=LOOKALIKES,
)  # fmt: skip
PROFILES = {profile.name: profile for profile in (QUICK, FULL)}


@dataclass(frozen=True)
class ComparisonPart:
    """A part of the comparison: its trials, and those that follow from what came of them."""

    name: str
    about: str
    trials: Callable[[Profile], Iterator[BenchTrial]]
    then: Callable[[Profile, Mapping[BenchTrial, Outcome]], Iterator[BenchTrial]] = lambda _profile, _found: iter(())
    n_folds: int | None = None  # if not those of the profile
    is_alone: bool = False  # nothing runs beside its trials, which may use all cores


def defaults(profile: Profile) -> Iterator[BenchTrial]:
    """Yield everything as by default, on the real data sets."""
    for problem, rival, fold in product(REAL, (*BY_DEFAULT, *adapters.NAMES), range(profile.n_folds)):
        yield BenchTrial("defaults", problem, rival, as_text({}), fold, _most_rows("defaults", rival, profile))


def trees_as_short(profile: Profile, found: Mapping[BenchTrial, Outcome]) -> Iterator[BenchTrial]:  # noqa: ARG001
    """Yield trees with no more conditions than our rule of the same fold."""
    for trial, outcome in found.items():
        if trial.rival == "imli chosen" and outcome.n_conditions is not None:
            settings = as_text({"most_conditions": outcome.n_conditions})
            yield BenchTrial("defaults", trial.problem, "cart", settings, trial.fold, 0)


def tables(profile: Profile) -> Iterator[BenchTrial]:
    """Yield the trials of the paper's Tables 1 to 3, each with its grid; the times of these are its Figure 1."""
    for problem in (*REAL, *profile.lookalikes):
        for rival in (*AS_PRINTED, *TABLE_1, *TABLE_2):
            for fold, settings in product(range(profile.n_folds), grid(rival, profile.n_settings)):
                yield BenchTrial(
                    "tables", problem, rival, as_text(settings), fold, _most_rows("tables", rival, profile)
                )


def formulations(profile: Profile) -> Iterator[BenchTrial]:
    """Yield the trials of Figure 2: all at once, batch by batch, and clause by clause and batch by batch."""
    for problem, rival in product(ON_FORMULATIONS, FORMULATIONS):
        tried = shared_settings(profile.n_settings) if profile.spares_rivals else grid(rival, profile.n_settings)
        for fold, settings in product(range(profile.n_folds), tried):
            most = _most_rows("formulations", rival, profile)
            yield BenchTrial("formulations", problem, rival, as_text(settings), fold, most)


def ablations(profile: Profile) -> Iterator[BenchTrial]:
    """Yield trials in which one of the clauses, λ and the size of a batch is varied at a time."""
    for problem, fold, text in product(ON_FORMULATIONS, range(profile.n_folds), around_the_middle()):
        most = _most_rows("ablations", "imli incremental", profile)
        yield BenchTrial("ablations", problem, "imli incremental", text, fold, most)


def causes(profile: Profile) -> Iterator[BenchTrial]:
    """Yield one batch by itself, by several solvers, and the curves of the ablations on more rows."""
    for problem, fold in product(ON_FORMULATIONS, range(profile.n_folds)):
        questions = [("imli exact", MIDDLE["lam"], size) for size in BATCHES]
        if fold == 0 or not profile.spares_rivals:
            questions += [(solver, lam, MIDDLE["batch_size"]) for solver, lam in product(SOLVERS, LAMBDAS)]
        for solver, lam, n_rows in dict.fromkeys(questions):
            yield BenchTrial("causes", problem, solver, as_text({"k": 1, "lam": lam}), fold, n_rows)
        for text in around_the_middle():
            yield BenchTrial("causes", problem, "imli incremental cnf", text, fold, profile.most_rows.get("causes", 0))


def scale(profile: Profile) -> Iterator[BenchTrial]:  # noqa: ARG001
    """Yield look-alikes of up to a million rows, each rival with all cores."""
    for problem, rival in product(LOOKALIKES, SCALE):
        yield BenchTrial("scale", problem, rival, as_text({"n_jobs": -1}), 0, 0)


def growth(profile: Profile) -> Iterator[BenchTrial]:
    """Yield more and more rows, on one core."""
    for n_rows, rival in product(profile.growth, GROWTH):
        yield BenchTrial("growth", "lookalike-credit_g", rival, as_text({}), 0, n_rows)


PARTS = {
    part.name: part
    for part in (
        ComparisonPart("defaults", "each rival as it comes", defaults, trees_as_short),
        ComparisonPart("scale", "tables of up to a million rows", scale, n_folds=10, is_alone=True),
        ComparisonPart("growth", "seconds against rows", growth, n_folds=10),
        ComparisonPart("formulations", "three ways to ask the same question, as in the paper's Figure 2", formulations),
        ComparisonPart("ablations", "what each parameter does, as in the paper's Figures 3 to 5", ablations),
        ComparisonPart("causes", "why curves of the ablations go where they go", causes),
        ComparisonPart(
            "tables", "each rival with many settings, the best of them shown, as in the paper's tables", tables
        ),
    )
}


def grid(rival: str, n: int) -> list[dict[str, Any]]:
    """Return at most n settings of those printed in the paper, spread evenly."""
    if rival not in OURS:
        settings: list[dict[str, Any]] = adapter(rival).grid(n)
        return settings
    if rival == "imli exact":
        steps = (10 ** (-4 + 5 * step / 9) for step in range(10))
        return spread([{"k": k, "lam": lam} for k, lam in product(range(1, 11), list(steps))], n)
    every = product(CLAUSES, LAMBDAS, BATCHES)
    return spread([{"k": k, "lam": lam, "batch_size": size} for k, lam, size in every], n)


def around_the_middle() -> list[str]:
    """Return settings with one parameter varied at a time, the others as in the middle."""
    varied = [{"k": k} for k in CLAUSES] + [{"lam": lam} for lam in LAMBDAS] + [{"batch_size": n} for n in BATCHES]
    return list(dict.fromkeys(as_text(MIDDLE | each) for each in varied))


def shared_settings(n: int) -> list[dict[str, Any]]:
    """Return settings that all formulations have, so that they can be compared where time is short.

    First of all two clauses, since the three ask the same of a single one; and the smallest batches, which end in time.
    """
    lambdas = (LAMBDAS[2], LAMBDAS[1], LAMBDAS[3], LAMBDAS[0], LAMBDAS[4])
    return [{"k": k, "lam": lam, "batch_size": BATCHES[0]} for lam, k in product(lambdas, (2, 3, 1))][:n]


def spread(settings: list[dict[str, Any]], n: int) -> list[dict[str, Any]]:
    if n >= len(settings):
        return settings
    return [settings[round(place * (len(settings) - 1) / max(1, n - 1))] for place in range(n)]


def as_text(settings: Mapping[str, Any]) -> str:
    rounded = {name: float(f"{value:.6g}") if isinstance(value, float) else value for name, value in settings.items()}
    return json.dumps(rounded, sort_keys=True)


def adapter(rival: str) -> Any:
    """Return the adapter of a rival, or of one of our own methods."""
    return adapters.find_adapter("ours" if rival in OURS else rival)


def _most_rows(part: str, rival: str, profile: Profile) -> int:
    limits = [profile.most_rows.get(part, 0), adapter(rival).quick_rows if profile.spares_rivals else 0]
    return min((limit for limit in limits if limit), default=0)
