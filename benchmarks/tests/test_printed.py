"""What the paper printed, and its tables with ours in them."""

import pytest

from imli_bench.data_sets import REAL
from imli_bench.pages.curves import Spread, claims, curve, direction, varied
from imli_bench.pages.marks import STANDS_FOR, title_of
from imli_bench.pages.printed import PaperTables, agreement, appendix, missing, rows

# literals of the rules in the paper's appendix, counted by hand where there are few, and the two largest
SIZES = {"parkinsons": 11, "magic": 6, "bng_vote": 15, "skin": 17, "pima": 56, "connect4": 56}


def lines(text, data):
    """The lines of a table about one data set."""
    found = [line.strip("|").split("|") for line in text.splitlines()]
    start = next(place for place, cells in enumerate(found) if cells[0].strip() == data)
    return [[cell.strip() for cell in cells] for cells in found[start : start + 2]]


def test_all_of_the_tables_is_there(paper):
    assert len(paper.problems(1)) == len(paper.problems(2)) == 15
    assert paper.problems(3) == list(REAL)
    assert set(paper.problems(1)) == set(REAL) | set(STANDS_FOR)
    dashes = {number: sum(paper.figure(number, problem, method) is None for problem in paper.problems(number)
                          for method in paper.methods(number)) for number in (1, 2, 3)}  # fmt: skip
    assert dashes == {1: 9, 2: 10, 3: 0}


def test_ours_of_the_tables_agree_with_each_other(paper):
    """IMLI is in all three, CNF in the last."""
    for problem in paper.problems(1):
        assert paper.figure(1, problem, "IMLI") == paper.figure(2, problem, "IMLI")
    for problem in paper.problems(3):
        for measure in ("accuracy_percent", "size"):
            assert paper.figure(1, problem, "IMLI", measure) == paper.figure(3, problem, "IMLI CNF", measure)


def test_rules_of_the_paper(paper):
    assert set(paper.rules) == set(paper.problems(1))
    assert paper.rules["titanic"].splitlines()[0] == "(age < 0.1 OR age >= 0.9 OR fare >= 0.9 OR NOT sex)"
    sizes = {problem: paper.rules[problem].count(" OR ") + len(paper.rules[problem].splitlines()) for problem in SIZES}
    assert sizes == SIZES


def test_nothing_measured(results, paper):
    tables = PaperTables(results(), paper)
    assert tables.first() == tables.second() == tables.third() == "Not measured yet."
    assert claims(results(), paper) == agreement(results(), paper) == missing(results(), paper) == "Not measured yet."
    assert "| Weather | 169 | 107,696 | not measured yet |  |" in rows(results(), paper)
    assert appendix(results(), paper).count("Ours: not measured yet.") == 12


def test_table_1(add, results, paper):
    for fold, (shallow, deep) in enumerate([(70.0, 90.0), (72.0, 80.0), (71.0, 99.0)]):
        add("tables", "wdbc", "ripper", fold, {"k": 1}, accuracy=shallow, size=3)
        add("tables", "wdbc", "ripper", fold, {"k": 2}, accuracy=deep, size=10 + fold)  # median 90, size 11
        add("tables", "wdbc", "imli incremental cnf", fold, {"k": 1}, accuracy=95.0, size=4)
        add("defaults", "wdbc", "imli chosen", fold, accuracy=95.0, size=2)
    for fold in (0, 1):
        add("tables", "wdbc", "corels", fold, status="time limit", constant_accuracy=62.0)
    add("tables", "pima", "corels", accuracy=75.0, size=2)
    add("tables", "wdbc", "brl", 0, status="not installed")
    printed, here = lines(PaperTables(results(), paper).first(), "WDBC")
    # ours, IMLI, RIPPER, BRL, CORELS, BRS
    assert printed == ["WDBC", "paper", "", "94.74 (11.5)", "**98.08** (13)", "93.81 (22)", "92.04 (2)", "92.98 (7)"]
    assert here == ["", "here", "**95.00** (2)", "**95.00** (4)", "90.00 (11)", "not installed",
                    "62.00 (0), folds 0, 1; time limit 2/2", ""]  # fmt: skip


def test_a_time_out_in_one_fold_moves_the_median(add, results, paper):
    for fold, status in enumerate(["done", "time limit", "time limit"]):
        found = {"accuracy": 99.0, "size": 5} if status == "done" else {}
        add("tables", "wdbc", "ripper", fold, status=status, constant_accuracy=60.0 + fold, **found)
    _, here = lines(PaperTables(results(), paper).first(), "WDBC")
    assert here[4] == "**62.00** (0), time limit 2/3"


def test_how_many_settings_were_tried(add, results, paper):
    for place in range(3):
        add("tables", "wdbc", "ripper", 0, {"k": place}, 2000, accuracy=90.0, size=2)
    add("tables", "adult", "ripper", 0, {"k": 0}, 2000, accuracy=80.0, size=2)
    add("tables", "adult", "ripper", 0, {"k": 1}, 2000, status="out of budget")
    for problem in ("wdbc", "adult"):
        add("tables", problem, "brl", 0, {}, 1000, accuracy=90.0, size=2)
    assert PaperTables(results(), paper).tried() == (
        f"Settings that were tried on a data set: 1 to 3: {title_of('ripper')}; 1: {title_of('brl')}. Each learned "
        "from at most 2,000 rows, which the paper does not limit."
    )


def test_look_alikes_stand_below_what_they_stand_for(add, results, paper):
    add("tables", "lookalike-labor", "imli incremental cnf", accuracy=91.5, size=7)
    printed, here = lines(PaperTables(results(), paper).first(), "BNG(labor)")
    assert printed[1:5] == ["paper", "", "**90.91** (24)", "—"]
    assert here[:4] == ["its look-alike", "here", "", "**91.50** (7)"]


def test_table_2_has_no_sizes(add, results, paper):
    add("tables", "wdbc", "random_forest", accuracy=96.0)
    add("tables", "wdbc", "imli incremental cnf", accuracy=94.0, size=4)
    printed, here = lines(PaperTables(results(), paper).second(), "WDBC")
    assert printed == ["WDBC", "paper", "", "94.74", "**98.25**", "**98.25**", "98.23", "96.49"]
    assert here == ["", "here", "", "94.00", "", "", "", "**96.00**"]


def test_table_3_has_default_settings_too(add, results, paper):
    for kind, tuned, plain in (("cnf", 94.0, 93.0), ("dnf", 95.0, 94.0), ("set", 90.0, 96.0), ("list", 91.0, 92.0)):
        add("tables", "wdbc", f"imli incremental {kind}", accuracy=tuned, size=4)
        add("defaults", "wdbc", f"imli {kind}", accuracy=plain, size=3)
    text = PaperTables(results(), paper).third()
    assert lines(text, "WDBC")[1] == ["", "here", "94.00 (4)", "**95.00** (4)", "90.00 (4)", "91.00 (4)"]
    assert "|  | default | 93.00 (3) | 94.00 (3) | **96.00** (3) | 92.00 (3) |" in text


def test_distance_from_the_paper(add, results, paper):
    add("tables", "wdbc", "ripper", accuracy=98.0, size=4, n_train=380, n_test=189)  # printed: 98.08
    add("tables", "adult", "ripper", accuracy=82.37, size=4)  # printed: 84.37
    add("tables", "lookalike-vote", "ripper", accuracy=50.0, size=4)  # another table, so not compared
    assert agreement(results(), paper).splitlines()[2:] == [
        f"| Table 1 | RIPPER | {title_of('ripper')} | 2 | -1.04 | 1 | Adult (-2.0) |"
    ]
    assert missing(results(), paper) == (
        "Methods of the paper's tables without a figure here: BRL, CORELS, BRS, IMLI, LR, SVM, kNN, RF, IMLI CNF, IMLI "
        "DNF, IMLI decision set, IMLI decision list."
    )
    assert "| WDBC | 278 | 569 | 569 |  |" in rows(results(), paper)


def test_rows_that_differ(add, results, paper):
    add("defaults", "weather_aus", "cart", accuracy=85.0, n_train=97_081, n_test=10_787)
    assert "| Weather | 169 | 107,696 | 107,868 | +172 |" in rows(results(), paper)


def test_curves_are_of_trials_that_differ_in_one_parameter(add, results):
    for k, accuracy in ((1, 70.0), (2, 80.0), (3, 75.0)):
        for fold in (0, 1):
            settings = {"batch_size": 100, "k": k, "lam": 0.1}
            add("ablations", "pima", "imli incremental cnf", fold, settings, accuracy=accuracy + 2 * fold, size=k)
    for lam in (0.01, 1.0):
        settings = {"batch_size": 100, "k": 2, "lam": lam}
        add("ablations", "pima", "imli incremental cnf", 0, settings, accuracy=10.0, size=1)
    part = results().part("ablations")
    assert curve(varied(part, "pima", "k"), "k", "accuracy") == [
        Spread(1, 70.5, 71.0, 71.5), Spread(2, 80.5, 81.0, 81.5), Spread(3, 75.5, 76.0, 76.5),
    ]  # fmt: skip
    assert [point.at for point in curve(varied(part, "pima", "lam"), "lam", "accuracy")] == [0.01, 0.1, 1.0]
    assert varied(part, "pima", "batch_size") == []


@pytest.mark.parametrize(
    ("values", "way"),
    [((1, 2, 3), "up"), ((3, 2, 2), "down"), ((5, 5, 5), "level"), ((1, 3, 1), "no clear direction"), ((7,), "level")],
)
def test_directions(values, way):
    assert direction([Spread(place, 0, value, 0) for place, value in enumerate(values)]) == way


def test_claims_of_the_paper_beside_ours(add, results, paper):
    for problem, accuracies in (("pima", (70.0, 72.0, 74.0)), ("adult", (80.0, 79.0, 78.0))):
        for k, accuracy in enumerate(accuracies, 1):
            add("ablations", problem, "imli incremental cnf", 0, {"k": k}, accuracy=accuracy, train_accuracy=accuracy,
                size=k, seconds=1.0)  # fmt: skip
    assert claims(results(), paper).splitlines()[2:] == [
        "| clauses k | accuracy in training | up | up on 1 of 2 | down: Adult |",
        "| clauses k | accuracy on rows held out | up | up on 1 of 2 | down: Adult |",
        "| clauses k | size of the rule | up | up on 2 of 2 |  |",
        "| clauses k | seconds | up | up on 0 of 2 | level: Pima and Adult |",
    ]


def test_the_appendix_has_both_rules(add, results, paper):
    add("defaults", "titanic", "imli cnf", accuracy=80.0, size=3, text="IF a THEN b")
    add("defaults", "titanic", "imli chosen", accuracy=81.0, size=2, text="IF c THEN d")
    text = appendix(results(), paper)
    assert "The paper's, of size 26:\n\n```text\n(age < 0.1 OR age >= 0.9" in text
    ours = "Ours, of size 2, 81.00 % right on the rows held out (imli chosen, fold 0):\n\n```text\nIF c THEN d\n```"
    assert ours in text
    assert "IF a THEN b" not in text
