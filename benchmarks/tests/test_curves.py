"""Why curves go elsewhere than in the paper, told from results that nobody measured."""

from collections import Counter

import pytest

from imli_bench.pages.curves import more_rows, seconds_by_batch, seconds_by_k, seconds_by_lam
from imli_bench.pages.printed import PRINTED, Paper
from imli_bench.protocols import FULL, PARTS, QUICK

SOLVERS = ("imli exact", "imli exact cpsat", "imli exact native")


def ask(add, problem, solver, lam, rows=400, fold=0, wrong=0, **outcome):
    outcome.setdefault("train_accuracy", 100 * (1 - wrong / rows))
    add("causes", problem, solver, fold, {"k": 1, "lam": lam}, rows, n_train=rows, accuracy=80.0, size=3, **outcome)


@pytest.mark.parametrize("profile", [QUICK, FULL])
def test_no_trial_is_made_twice(profile):
    trials = Counter(PARTS["causes"].trials(profile))
    assert set(trials.values()) == {1}


def test_nothing_measured(results):
    assert seconds_by_lam(results()) == seconds_by_batch(results()) == "Not measured yet."
    assert seconds_by_k(results()) == more_rows(results(), Paper(PRINTED)) == "Not measured yet."


def test_seconds_of_a_question_by_lam(add, results):
    for solver, seconds in zip(SOLVERS, ((1.0, 10.0), (2.0, 8.0), (0.5, 0.5)), strict=True):
        for lam, wrong, took in zip((0.001, 10), (15, 32), seconds, strict=True):
            ask(add, "wdbc", solver, lam, wrong=wrong, seconds=took)
    ask(add, "wdbc", "imli exact", 0.001, rows=50, seconds=99.0)  # another question
    ask(add, "wdbc", "imli exact", 0.001, fold=1, wrong=99, seconds=99.0)  # of a fold that the other λ does not have
    assert seconds_by_lam(results()).splitlines()[2:] == [
        "| WDBC | 0.001 | 15 | 1 | 2 | 0.5 |",
        "| WDBC | 10 | 32 | 10 | 8 | 0.5 |",
        "",
        "At the largest λ, beside the smallest: RC2 takes 10 times as long, CP-SAT takes 4 times as long and our own "
        "search takes 1 times as long (geometric means).",
    ]


def test_a_solver_that_ran_out_of_time_and_one_that_is_not_there(add, results):
    for lam in (0.001, 10):
        ask(add, "wdbc", "imli exact", lam, seconds=60.0, status="time limit" if lam == 10 else "done")
        add("causes", "wdbc", "imli exact cpsat", 0, {"k": 1, "lam": lam}, 400, status="not installed")
    assert "| WDBC | 10 |  | more than 60 | not installed |  |" in seconds_by_lam(results())


def test_seconds_of_a_question_by_rows(add, results):
    for rows, seconds in ((50, (0.1, 0.3, 0.2)), (400, (0.6, 0.8, 0.7))):
        for fold, took in enumerate(seconds):
            ask(add, "adult", "imli exact", 0.03, rows, fold, seconds=took)
    ask(add, "adult", "imli exact", 10, 400, seconds=99.0)  # at another λ
    assert seconds_by_batch(results()).splitlines() == [
        "| seconds | 50 rows | 400 rows |",
        "| --- | --- | --- |",
        "| Adult | 0.2 | 0.7 |",
        "",
        "A question about 400 rows takes 3.5 times as long as one about 50 (geometric mean), and there are 8 times "
        "fewer of them.",
    ]


def test_the_same_curves_on_more_rows(add, results):
    for part, rival, n_rows, held_out in (
        ("ablations", "imli incremental", 1000, (80.0, 79.0, 78.0)),
        ("causes", "imli incremental cnf", 9000, (81.0, 82.0, 83.0)),
    ):
        for k, accuracy in enumerate(held_out, 1):
            add(
                part,
                "adult",
                rival,
                0,
                {"k": k},
                n_train=n_rows,
                train_accuracy=82.0 + k,
                accuracy=accuracy,
                size=4 * k,
            )
    text = more_rows(results(), Paper(PRINTED))
    assert "| clauses k | Adult | 1,000 | 83.0 → 85.0 | 80.0 → 78.0 | 4 → 12 |" in text
    assert "| clauses k | Adult | 9,000 | 83.0 → 85.0 | 81.0 → 83.0 | 4 → 12 |" in text
    assert text.endswith(
        "Between the two ends, accuracy on rows held out moves as in the paper in 0 of 1 with RC2 on the fewer rows, "
        "and in 1 of 1 with our own search on the more."
    )


def test_clauses_that_change_nothing(add, results):
    for problem, sizes in (("wdbc", (3, 5, 5, 5)), ("adult", (3, 5, 5, 6))):
        for k, size in enumerate(sizes, 1):
            add("ablations", problem, "imli incremental", 0, {"k": k}, accuracy=80.0, train_accuracy=90.0, size=size)
    assert seconds_by_k(results()) == ("Size and accuracy in training stay the same on WDBC from 2 to 4 clauses.")
