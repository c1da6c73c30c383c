import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from imli.cli import main


def run(capsys, *arguments):
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture
def csv_file(tmp_path):
    path = tmp_path / "passengers.csv"
    rows = [("female", 30, "yes"), ("male", 40, "no"), ("female", "", "yes"), ("male", 8, "yes"), ("male", 60, "no")]
    path.write_text("sex,age,survived\n" + "".join(f"{sex},{age},{survived}\n" for sex, age, survived in rows * 5))
    return path


def test_fit_without_data_prints_a_proven_rule(capsys):
    status, out, _ = run(capsys, "fit", "--n-clauses", "1", "--max-literals", "2", "--prove")
    assert status == 0
    assert out == (
        "Learning a DNF rule for 'diagnosis' from 569 rows and 30 columns.\n"
        "\n"
        "IF    mean concave points > 0.049 AND worst area > 685\n"
        "THEN  diagnosis is malignant   (94 % of the 203 rows it covers)\n"
        "ELSE  diagnosis is benign      (94 % of 366)\n"
        "\n"
        "Clause 1 covers 203 rows, 94 % right, 190 right only through it.\n"
        "In all 1 clause, 2 conditions, size 2, 94 % of 569 rows right.\n"
        "It has a cost of 41.6, proven the lowest of all DNF rules of at most 1 clause over these 1,200 "
        "literals, on these 569 rows.\n"
    )


def test_the_readme_shows_what_fit_prints(capsys):
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    _, out, _ = run(capsys, "fit")
    assert f"$ imli fit\n{out}```" in readme


def test_fit_on_a_file(capsys, csv_file):
    status, out, _ = run(capsys, "fit", str(csv_file), "--target", "survived", "--n-clauses", "2", "--kind", "cnf")
    assert status == 0
    assert "THEN  survived is yes   (100 % of the 15 rows it covers)\nELSE  survived is no    (100 % of 10)\n" in out
    assert "100 % of 25 rows right." in out


def test_conditions_are_kept(capsys, csv_file):
    _, out, _ = run(
        capsys, "fit", str(csv_file), "--target", "survived", "--never", "sex", "--always", "age is missing"
    )
    assert "sex" not in out.split("IF")[1]
    assert "age is missing" in out


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_delimiters_are_found_out(capsys, csv_file, delimiter):
    csv_file.write_text(csv_file.read_text().replace(",", delimiter))
    assert run(capsys, "fit", str(csv_file), "--target", "survived")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "content", "sentence"),
    [
        (["--target", "survivd"], None, "No column 'survivd' in the data. Did you mean 'survived'?"),
        ([], None, "Which column should the rule decide? Add --target and one of: sex, age, survived."),
        (["--target", "survived", "--n-clauses", "0"], None,
         "DNFClassifier: n_clauses must be a positive integer. Got 0."),
        (["--target", "survived", "--never", "sx"], None, "No column 'sx' in the data. Did you mean 'sex'?"),
        (["--target", "age"], None, "Input y contains NaN: 5 labels are missing, the first in row 2. Drop those rows."),
        (["--target", "b"], "a,b\n", "{path!r} has no rows under its header."),
        (["--target", "b"], "", "{path!r} has no rows under its header."),
        (["--target", "b"], "a,b\n1,2\n3\n", "{path!r} has 1 cells in row 3, but 2 columns."),
        (["--target", "a"], "a,a\n1,2\n", "{path!r} has 2 columns named 'a'. Rename all but one."),
        (["--target", "a"], b"\xff\xfe\x00", "{path!r} is not a text file in UTF-8. Save it as CSV first."),
    ],
)  # fmt: skip
def test_mistakes_get_one_sentence(capsys, csv_file, arguments, content, sentence):
    if content is not None:
        csv_file.write_bytes(content if isinstance(content, bytes) else content.encode())
    status, _, err = run(capsys, "fit", str(csv_file), *arguments)
    assert status == 2
    assert err == f"imli: {sentence.format(path=str(csv_file))}\n"


def test_rules_by_hand(capsys, csv_file):
    arguments = ["fit", str(csv_file), "--target", "survived", "--n-clauses", "1"]
    locked = ["--locked", "age <= 9.5", "--locked", "age is missing"]
    status, out, _ = run(capsys, *arguments, *locked, "--start", "sex is female")
    assert status == 0
    assert "IF    age <= 9.5\n   OR age is missing\n   OR sex is female\nTHEN  survived is yes   (" in out
    assert "DNF rules of at most 1 clause beside 2 locked over " in out
    status, _, err = run(capsys, *arguments, "--start", "sx is female")
    assert (status, err) == (2, "imli: No column 'sx' in the data. Did you mean 'sex'?\n")


def test_a_backend_that_is_not_installed():
    code = "import sys; sys.modules['ortools'] = None\nfrom imli.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", code, "fit", "--backend", "cpsat"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stderr == (
        "imli: The 'cpsat' backend needs ortools. Install it with: pip install \"imli[cpsat]\".\n"
    )  # fmt: skip


def test_a_file_that_is_not_there(capsys, tmp_path):
    path = tmp_path / "none.csv"
    assert run(capsys, "fit", str(path)) == (2, "", f"imli: Cannot read {str(path)!r}: No such file or directory.\n")


def test_ctrl_c_prints_the_best_rule_so_far():
    # a process in the background of a shell would ignore Ctrl-C
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "from imli.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", code, "fit", "--n-clauses", "4", "--strategy", "exact"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()  # "Learning a DNF rule …"
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "THEN  diagnosis is malignant" in out
    assert "It has a cost of " in out


def test_dates_in_a_csv_file_are_dates(tmp_path, capsys):
    rows = [f"2021-{month:02}-15,{'late' if month > 6 else 'early'}" for month in range(1, 13)]
    path = tmp_path / "signed.csv"
    path.write_text("\n".join(["signed,outcome", *rows, ",early"]))
    assert main(["fit", str(path), "--target", "outcome"]) == 0
    assert "IF    signed >= 2021-07-01\nTHEN  outcome is late" in capsys.readouterr().out
