"""``imli fit``."""

import json
import shutil
import subprocess
import sys

import polars as pl
import pytest

import imli


@pytest.fixture
def csv_file(tmp_path):
    path = tmp_path / "passengers.csv"
    rows = [("female", 30, "yes"), ("male", 40, "no"), ("female", "", "yes"), ("male", 8, "yes"), ("male", 60, "no")]
    path.write_text("sex,age,survived\n" + "".join(f"{sex},{age},{survived}\n" for sex, age, survived in rows * 5))
    return path


@pytest.mark.slow
def test_fit_without_data_prints_a_proven_rule(run):
    status, out, _ = run("fit", "--n-clauses", "1", "--max-literals", "2", "--prove", "--no-check")
    assert status == 0
    assert out == (
        "Learning a DNF rule for 'diagnosis' from 569 rows and 30 columns.\n"
        "\n"
        "IF    mean concave points > 0.049 AND worst area > 680\n"
        "THEN  diagnosis is malignant   (94 % of the 203 rows it covers)\n"
        "ELSE  diagnosis is benign      (94 % of 366)\n"
        "\n"
        "Clause 1 covers 203 rows, 94 % correct; 190 of them are caught by no other clause.\n"
        "Total: 1 clause, 2 conditions. Correct on 94 % of the 569 training rows.\n"
        "Cost 46.8 = 35 errors + 2 conditions × 5.9. Proven optimal among all DNF rules of at most 1 clause over 1,200 "
        "conditions, on 569 rows.\n"
    )


def test_fit_on_a_file(run, csv_file):
    status, out, _ = run("fit", csv_file, "--target", "survived", "--n-clauses", "2", "--kind", "cnf")
    assert status == 0
    assert "THEN  survived is yes   (100 % of the 15 rows it covers)\nELSE  survived is no    (100 % of 10)\n" in out
    assert "Correct on 100 % of the 25 training rows." in out
    assert out.endswith(
        "Expected accuracy on new rows: 100.0 % ± 0.0 (5-fold cross-validation); baseline 60.0 % (always yes).\n"
        "Recall: 100.0 % of the yes rows are found. Precision: 100.0 % of the predictions of yes are correct. "
        "Balanced accuracy: 100.0 %.\n"
        "Clause 1 on new rows: 63 to 100 % correct (95 % interval; 10 rows held out).\n"
    )


def test_parquet_gives_the_same_rule(run, passengers, tmp_path):
    path = tmp_path / "passengers.parquet"
    pl.read_csv(passengers, try_parse_dates=True).write_parquet(path)
    arguments = ("--target", "survived", "--effort", "0.1", "--no-check")
    assert run("fit", path, *arguments) == run("fit", passengers, *arguments)


def test_conditions_are_kept(run, csv_file):
    arguments = ("fit", csv_file, "--target", "survived", "--no-check")
    _, out, _ = run(*arguments, "--never", "sex", "--always", "age is missing")
    assert "sex" not in out.split("IF")[1]
    assert "age is missing" in out
    _, out, _ = run(*arguments, "--every", "sex is male")
    assert "IF    sex is male AND age" in out
    _, out, _ = run(
        *arguments, "--feature-costs", "sex=1000", "--monotone", "age=down", "--disjoint", "--class-weight", "no=3"
    )
    assert "sex" not in out.split("IF")[1]
    assert ">" not in out.split("IF")[1]


def test_the_positive_class(run, csv_file):
    arguments = ("fit", csv_file, "--target", "survived", "--no-check", "--positive")
    for positive, other in (("no", "yes"), ("yes", "no")):
        _, out, _ = run(*arguments, positive)
        assert f"THEN  survived is {positive} " in out
        assert f"ELSE  survived is {other} " in out
    status, _, err = run(*arguments, "yess")
    assert (status, err) == (
        2, "imli: --positive must be one of the classes ['no', 'yes']. Got 'yess'. Did you mean 'yes'?\n"
    )  # fmt: skip


def test_the_kind_can_be_chosen(run, csv_file, tmp_path):
    arguments = (csv_file, "--target", "survived", "--kind", "auto")
    status, out, _ = run("fit", *arguments, "--no-check", "--save", tmp_path / "model.json")
    assert status == 0
    assert out.startswith("Learning a rule of the best kind for 'survived' from 25 rows and 2 columns.\n")
    assert imli.load(tmp_path / "model.json").card.parameters["kind"] == "auto"
    assert run("fit", "--update", tmp_path / "model.json", csv_file)[0] == 0
    status, _, err = run("path", *arguments)
    assert (status, err) == (
        2, "imli: --kind must be one of cnf, dnf, list, set, score, checklist. Got 'auto'. See 'imli path --help'.\n"
    )  # fmt: skip


def test_each_kind(run, csv_file):
    for kind, word in {"cnf": "CNF rule", "dnf": "DNF rule", "list": "decision list", "set": "decision set"}.items():
        status, out, _ = run("fit", csv_file, "--target", "survived", "--kind", kind, "--no-check")
        assert status == 0
        assert out.startswith(f"Learning a {word} for 'survived' from 25 rows and 2 columns.\n")


def test_many_classes_get_a_list(run, passengers):
    _, out, _ = run("fit", passengers, "--target", "port", "--no-check", "--effort", "0.1")
    assert out.startswith("Learning a decision list for 'port'")
    status, _, err = run("fit", passengers, "--target", "port", "--no-check", "--kind", "dnf")
    assert status == 2
    assert err.endswith("Use --kind list or --kind set.\n")


def test_rules_by_hand(run, csv_file):
    arguments = ["fit", csv_file, "--target", "survived", "--n-clauses", "1", "--no-check"]
    locked = ["--locked", "age <= 9.5", "--locked", "age is missing"]
    status, out, _ = run(*arguments, *locked, "--start", "sex is female", "--details")
    assert status == 0
    assert "IF    age <= 9.5\n   OR age is missing\n   OR sex is female\nTHEN  survived is yes   (" in out
    assert "DNF rules of at most 1 clause beside 2 locked over " in out
    assert run(*arguments, "--start", "sx is female")[2] == "imli: No column 'sx' in the data. Did you mean 'sex'?\n"


def test_weights(run, tmp_path):
    path = tmp_path / "weighted.csv"
    path.write_text("x,w,y\n" + "0,1,no\n1,1,no\n1,5,yes\n" * 10)
    _, out, _ = run("fit", path, "--target", "y", "--weight", "w", "--no-check")
    assert "IF    x\nTHEN  y is yes   (83 % of the 60 rows it covers)" in out
    assert run("fit", path, "--target", "y", "--weight", "ww")[:2] == (2, "")


def test_json_is_the_model_and_nothing_else(run, passengers):
    status, out, err = run("fit", passengers, "--target", "survived", "--json", "--holdout", "0.25", "--effort", "0.1")
    assert (status, err) == (0, "")
    content = json.loads(out)
    text = content.pop("text")
    model = imli.Model.from_dict(content)
    assert str(model.rule) == text
    assert model.card.checks[0].kind == "holdout"
    assert model.card.checks[0].rows == 100


def test_the_check_is_one_of_the_rules_learned_the_same_way(run, passengers, tmp_path):
    """Against a split and a fit by hand."""
    from sklearn.model_selection import StratifiedShuffleSplit

    _, out, _ = run(
        "fit", passengers, "--target", "survived", "--holdout", "0.25", "--effort", "0.1", "--random-state", "3"
    )
    frame = pl.read_csv(passengers, try_parse_dates=True)
    X, y = frame.drop("survived"), frame["survived"]
    train, test = next(StratifiedShuffleSplit(1, test_size=0.25, random_state=3).split(X, y))
    with pytest.warns(imli.FindingWarning, match="'id' looks like an identifier"):
        rule = imli.DNFClassifier(effort=0.1, random_state=3).fit(X[train], y[train]).rule_
    share = f"{100 * rule.score(X[test], y[test]):.1f} %"
    assert f"Expected accuracy on new rows: {share} (from 100 held-out rows);" in out


def test_a_time_limit_is_for_all_of_it(run, passengers):
    _, out, _ = run("fit", passengers, "--target", "survived", "--time-limit", "1")
    assert "Cost " in out.splitlines()[-1]


def test_a_model_can_be_gone_on_from(run, model, passengers):
    status, out, _ = run(
        "fit", passengers, "--target", "survived", "--warm-start", model, "--effort", "0.001", "--no-check"
    )
    assert status == 0
    assert str(imli.load(model).rule) in out
    arguments = ("fit", passengers, "--target", "survived", "--warm-start", model)
    sentence = f"imli: {str(model)!r} has a rule of kind dnf. Add --kind dnf to go on from it.\n"
    assert run(*arguments, "--kind", "list") == (2, "", sentence)


def test_better_rules_are_told_of_one_by_one(run, passengers):
    _, _, err = run("fit", passengers, "--target", "survived", "--verbose", "--no-check")
    assert err.startswith("imli: 0.")
    assert ": cost " in err


@pytest.mark.skipif(shutil.which("clasp") is None, reason="clasp is not installed")
def test_any_maxsat_program(run, csv_file):
    search = ("--backend", "clasp --outf=1", "--strategy", "iterative", "--time-limit", "20")
    status, out, _ = run("fit", csv_file, "--target", "survived", *search)
    assert status == 0
    assert "Correct on 100 % of the 25 training rows." in out


def test_a_backend_that_is_not_there(run, csv_file):
    sentence = "--backend must be auto, native, rc2, cpsat, brute or a MaxSAT program on this machine. Got 'natve'."
    assert run("fit", csv_file, "--target", "survived", "--backend", "natve") == (2, "", f"imli: {sentence}\n")


def test_a_backend_that_is_not_installed():
    code = "import sys; sys.modules['ortools'] = None\nfrom imli.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", code, "fit", "--backend", "cpsat"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stderr == (
        "imli: The 'cpsat' backend needs ortools. Install it with: pip install \"imli[cpsat]\".\n"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "content", "sentence"),
    [
        (["--target", "survived", "--n-clauses", "0"], None,
         "--n-clauses must be a positive integer. Got 0."),
        (["--target", "survived", "--never", "sx"], None, "No column 'sx' in the data. Did you mean 'sex'?"),
        (["--target", "b"], "a,b\n1,2\n3\n", "{path!r} has 1 cells in row 3, but 2 columns."),
        (["--target", "a"], "a\n1\n2\n", "{path!r} has no column besides 'a' to predict it from."),
        (["--target", "survived", "--cv", "1"], None,
         "--cv must be a number of folds from 2 to the 10 rows of the smallest class. Got 1."),
        (["--target", "survived", "--holdout", "20"], None,
         "--holdout must be a share between 0 and 1, such as 0.2. Got 20."),
        (["--target", "survived", "--holdout", "0.01"], None,
         "--holdout must leave a row of each of the 2 classes on both sides. With 0.01 that is 1 of 25 rows, and the "
         "smallest class has 10."),
        (["--target", "survived", "--class-weight", "maybe=2"], None,
         "--class-weight must be 'balanced' or one of no=X, yes=X. Got 'maybe=2'."),
        (["--target", "survived", "--delimiter", ";;"], None, "--delimiter must be one sign, or 'tab'. Got ';;'."),
        (["--target", "survived", "--type", "agee=text"], None,
         "No column 'agee' in the data. Did you mean 'age'?"),
    ],
)  # fmt: skip
def test_mistakes_get_one_sentence(run, csv_file, arguments, content, sentence):
    if content is not None:
        csv_file.write_text(content)
    status, _, err = run("fit", csv_file, *arguments)
    assert status == 2
    assert err == f"imli: {sentence.format(path=str(csv_file))}\n"


def test_dates_in_a_csv_file_are_dates(tmp_path, run):
    rows = [f"2021-{month:02}-15,{'late' if month > 6 else 'early'}" for month in range(1, 13)]
    path = tmp_path / "signed.csv"
    path.write_text("\n".join(["signed,outcome", *rows, ",early"]))
    status, out, _ = run("fit", path, "--target", "outcome", "--no-check")
    assert status == 0
    assert "IF    signed >= 2021-07-01\nTHEN  outcome is late" in out


def test_a_constant_rule_in_a_fold_of_the_check_is_not_mentioned(run, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("a,b,c\n1.5,x,yes\n2.5,y,no\n3,x,yes\n4,y,no\n")
    status, out, err = run("fit", path, "--target", "c")
    assert (status, err) == (0, "")
    assert "(2-fold cross-validation)" in out


def test_at_most_five_findings_are_printed_and_options_settle_them(run, tmp_path):
    path = tmp_path / "t.csv"
    lines = ["no,ref,remark,letter,land,sex,spent,left"]
    for row in range(200):
        left = "yes" if row * 37 % 100 > 70 else "no"
        cells = [5000 + row, f"A{row}x", f"called {row} times and left", f"sent {left}", "DE", "mf"[row % 2],
                 f'"{row * 37 % 100},5"', left]  # fmt: skip
        lines.append(",".join(map(str, cells)))
    path.write_text("\n".join(lines) + "\n")

    def findings(*options):
        _, out, _ = run("fit", path, "--target", "left", "--effort", "0.01", "--no-check", *options)
        return [line for line in out.splitlines() if line.startswith("- ")]

    found = findings()
    assert [line.split(" ")[1] for line in found] == ["'letter'", "'no'", "'ref'", "'remark'", "'spent'", "and"]
    assert found[-1] == "- and 2 more, which 'imli inspect' lists."
    assert found[1] == (
        "- 'no' looks like an identifier: its 200 cells are all different. No condition is on it unless --use no asks "
        "for it."
    )
    settled = findings("--never", "letter", "--use", "ref", "--type", "no=number", "--never", "remark")
    assert len(settled) == 6
    assert settled[:3] == [
        "- 'letter' tells 'left' almost alone, as what is known only after the decision does. It is left out, as "
        "asked.",
        "- 'no' looks like an identifier: its 200 cells are all different. It is used, as asked.",
        "- 'ref' looks like an identifier: its 200 cells are all different. It is used, as asked.",
    ]
