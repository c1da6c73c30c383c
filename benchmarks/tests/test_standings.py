"""Sentences with figures, against figures by hand."""

from imli_bench.pages.marks import title_of
from imli_bench.pages.origins import origin, outcomes, protocol, samples, scale_goals, scale_table
from imli_bench.pages.standings import Standings, failures, goals

RIPPER, JRIP, BRL = title_of("ripper"), title_of("jrip"), title_of("brl")


def two_data_sets(add):
    """Ours is as accurate as the better RIPPER on one of two, with 4 to 8 and 6 to 3 tests."""
    for problem, ours, first, second, sizes in (
        ("wdbc", (94.0, 96.0), (95.0, 95.0), (90.0, 90.0), (4, 8)),
        ("adult", (84.0, 84.0), (80.0, 80.0), (86.0, 84.5), (6, 3)),
    ):
        for fold in (0, 1):
            add("defaults", problem, "imli chosen", fold, accuracy=ours[fold], size=sizes[0], seconds=1.0)
            for rival, found in (("ripper", first), ("jrip", second)):
                add("defaults", problem, rival, fold, accuracy=found[fold], size=sizes[1], seconds=3.0)


def test_nothing_measured(results):
    assert goals(Standings(results())) == "Not measured yet."
    assert failures(Standings(results())) == "Not measured yet."
    assert Standings(results()).table() == "Not measured yet."
    assert scale_goals(results()) == scale_table(results()) == "Not measured yet."


def test_ours_against_the_better_of_two_rippers(add, results):
    two_data_sets(add)
    # WDBC: 95 and 95; Adult: 84 below 85.25. Sizes: the square root of 4/8 times 6/3.
    assert goals(Standings(results())).splitlines()[0] == (
        f"- At least as accurate as the better of {RIPPER} and {JRIP} on 1 of 2 data sets so far; the size of our rule "
        "is 1.00 times that of its rule (geometric mean)."
    )


def test_only_folds_that_both_have_are_compared(add, results):
    add("defaults", "wdbc", "imli chosen", 0, accuracy=90.0, size=4)
    add("defaults", "wdbc", "imli chosen", 1, accuracy=50.0, size=4)
    add("defaults", "wdbc", "ripper", 0, accuracy=90.0, size=2)
    assert goals(Standings(results())).splitlines()[0] == (
        f"- At least as accurate as {RIPPER} on 1 of 1 data sets so far; the size of our rule is 2.00 times that of "
        "its rule (geometric mean)."
    )


def test_ours_against_a_tree_with_no_more_conditions(add, results):
    for fold, (ours, tree) in enumerate([(90.0, 85.0), (80.0, 84.0)]):
        add("defaults", "wdbc", "imli chosen", fold, accuracy=ours, size=6, n_conditions=5)
        add("defaults", "wdbc", "cart", fold, {"most_conditions": 3}, accuracy=99.0, size=3)  # shorter than need be
        add("defaults", "wdbc", "cart", fold, {"most_conditions": 5}, accuracy=tree, size=5)
        add("defaults", "wdbc", "cart", fold, {"most_conditions": 6}, accuracy=99.0, size=6)  # longer than ours
        add("defaults", "wdbc", "cart", fold, accuracy=99.0, size=30)
    assert (
        "- Against CART with no more conditions than our rule has: more accurate on 1 of 1 data sets so far."
        in goals(Standings(results()))
    )


def test_equal_to_the_tree_is_not_more_accurate(add, results):
    add("defaults", "wdbc", "imli chosen", accuracy=90.0, size=5)
    add("defaults", "wdbc", "cart", settings={"most_conditions": 5}, accuracy=90.0, size=5)
    assert goals(Standings(results())) == (
        "- Against CART with no more conditions than our rule has: more accurate on 0 of 1 data sets so far, as "
        "accurate on 1."
    )


def test_ours_against_black_boxes(add, results):
    for problem, ours, forest, logistic in (("wdbc", 94.0, 96.0, 95.0), ("adult", 85.0, 85.5, 80.0)):
        add("defaults", problem, "imli chosen", accuracy=ours, size=4)
        add("defaults", problem, "random_forest", accuracy=forest)
        add("defaults", problem, "logistic_regression", accuracy=logistic)
    assert goals(Standings(results())) == (
        "- The best black box of each data set is 1.2 points more accurate than ours on average, at most 2.0 (WDBC); "
        "on 1 of 2 data sets so far at most one point."
    )


def test_ranks_and_means(add, results):
    two_data_sets(add)
    add("defaults", "wdbc", "brl", accuracy=99.0, size=3)  # not on Adult
    standings = Standings(results())
    # WDBC: ours and ripper share 1 and 2, jrip 3. Adult: jrip 1, ours 2, ripper 3.
    assert [(each.rival, each.rank) for each in standings.ranked] == [
        ("imli chosen", 1.75), ("jrip", 2.0), ("ripper", 2.25),
    ]  # fmt: skip
    lines = standings.table().splitlines()
    assert lines[2] == "| **imli chosen** | readable | 1.75 | 89.50 | 4.9 | 4.9 | 1 |  |"  # the root of 4 times 6
    assert lines[-3:] == [
        "2 data sets of 12: WDBC and Adult.", "", f"Not ranked, since not tried on all of them: {BRL} (1 of 2).",
    ]  # fmt: skip


def test_partial_results_say_which_folds_are_there(add, results):
    two_data_sets(add)
    add("defaults", "wdbc", "brl", 1, accuracy=93.0, size=3)
    add("defaults", "adult", "brl", 0, status="time limit", constant_accuracy=76.0)
    add("defaults", "adult", "brl", 1, status="not installed")
    add("defaults", "pima", "brl", 0, accuracy=70.0, size=2)
    assert (
        f"| {BRL} | 93.0 (3), fold 1 | 70.0 (2), fold 0 | 76.0 (0), fold 0; time limit 1/1 |"
        in Standings(results()).details()
    )
    assert outcomes(results()).splitlines()[0] == (
        "- `defaults`, each rival as it comes: 14 done, 1 time limit and 1 not installed. So far not on all folds: "
        "Pima (fold 0)."
    )
    assert failures(Standings(results())) == (
        f"- {BRL}, not installed: Adult (1 trial).\n- {BRL}, time limit: Adult (1 trial)."
    )


def test_how_it_was_measured(add, results):
    add("defaults", "adult", "brl", n_train=2000, n_test=9000, most_rows=2000, accuracy=75.0, limit=60.0,
        versions="imodels 2.0")  # fmt: skip
    add("defaults", "wdbc", "brl", n_train=380, n_test=189, most_rows=2000, accuracy=93.0, limit=60.0)
    assert protocol(results()).splitlines()[2:4] == [
        "| `defaults` | 2 | 1 | 1 | 2 | 60 |", "| `tables` | not measured yet |  |  |  |  |",
    ]  # fmt: skip
    assert f"- `defaults`, 2,000 rows of Adult: {BRL}.\n" in samples(results())
    assert origin(results()).startswith(
        "Measured 2026-01-02 on made up, 2 cores, Python 3.12.1, with imli at `abc1234`."
    )
    assert f"- {BRL}: imodels 2.0" in origin(results())


def test_all_rows(add, results):
    add("defaults", "wdbc", "brl", n_train=380, n_test=189, accuracy=93.0)
    assert samples(results()) == "Every rival learned from all rows of the training part."


def test_who_had_less_to_do_than_by_default_is_said(add, results):
    add("defaults", "wdbc", "brl", n_train=380, n_test=189, accuracy=93.0, note='spared: {"max_iter": 5000}')
    said = f"Some had less to do than by default in all their trials, to end in time: {BRL} `max_iter=5_000`. "
    assert samples(results()) == said + "Every rival learned from all rows of the training part."


def test_scale(add, results):
    for kind, accuracy, seconds in (("dnf", 90.0, 5.0), ("cnf", 89.2, 30.0), ("list", 88.9, 6.0)):
        add(
            "scale",
            "lookalike-vote",
            f"imli {kind}",
            0,
            {"n_jobs": -1},
            n_train=80000,
            accuracy=accuracy,
            size=7,
            seconds=seconds,
        )
    add("scale", "lookalike-vote", "imli set", status="time limit", seconds=60.0, constant_accuracy=61.0)
    add("scale", "lookalike-vote", "logistic_regression", 0, {"n_jobs": -1}, n_train=80000, accuracy=90.1, seconds=1.0)
    add("scale", "lookalike-vote", "random_forest", n_train=80000, accuracy=91.0, seconds=20.0)
    assert scale_goals(results()).splitlines() == [
        "- Learned: 3 of 4, that is 4 kinds of rules on Vote look-alike. Not: imli set on Vote look-alike.",
        f"- As accurate as {title_of('logistic_regression')}, or less than one point below: 2 of 3. Not: imli list on "
        "Vote look-alike (-1.20).",
        f"- Faster than {title_of('random_forest')}: 2 of 3. Not: imli cnf on Vote look-alike (30.0 s, not 20.0 s).",
    ]
    lines = scale_table(results()).splitlines()
    assert lines[2] == "| Vote look-alike | **imli dnf** | 80,000 | 90.00 | 7 | 5.0 |  | done |"
    assert lines[5] == "| Vote look-alike | **imli set** |  |  |  |  |  | time limit |"
