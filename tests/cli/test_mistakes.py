"""Ten typical mistakes: each gets its sentence and its exit status, and leaves no file behind."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

REFUSED, NO_FILE, STOPPED = 2, 3, 130


@pytest.fixture
def fit(run, passengers, tmp_path):
    """Runs ``imli fit`` with a mistake in it. Nothing may be written but what was there."""

    def fit_with(*arguments, status, sentence, data=passengers):
        before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
        assert run("fit", data, *arguments) == (status, "", f"imli: {sentence}\n")
        assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before

    return fit_with


def test_a_wrong_column(fit):
    sentence = "No column 'survivd' in the data. Did you mean 'survived'?"
    fit("--target", "survivd", status=REFUSED, sentence=sentence)


def test_no_column(fit):
    sentence = (
        "Which column should the rule predict? Add --target and one of: id, sex, age, class, port, booked, survived."
    )
    fit(status=REFUSED, sentence=sentence)


def test_a_wrong_file(fit, tmp_path):
    path = tmp_path / "pasengers.csv"
    sentence = f"Cannot read {str(path)!r}: No such file or directory."
    fit("--target", "survived", data=path, status=NO_FILE, sentence=sentence)


def test_an_empty_file(fit, tmp_path):
    path = tmp_path / "empty.csv"
    path.touch()
    fit("--target", "survived", data=path, status=REFUSED, sentence=f"{str(path)!r} is empty.")
    path.write_text("sex,survived\n")
    sentence = f"{str(path)!r} has no rows under its header."
    fit("--target", "survived", data=path, status=REFUSED, sentence=sentence)


def test_one_class(fit, tmp_path):
    path = tmp_path / "survivors.csv"
    path.write_text("sex,survived\nmale,yes\nfemale,yes\nmale,yes\n")
    sentence = "Column 'survived' is yes in all 3 rows, so there is nothing to learn."
    fit("--target", "survived", data=path, status=REFUSED, sentence=sentence)


def test_a_directory(fit, tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    sentence = f"{str(folder)!r} is a folder without CSV, Parquet or Arrow files. Name a file."
    fit("--target", "survived", data=folder, status=REFUSED, sentence=sentence)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\x7fELF\x02\x01\x01\x00\x00\x00", "is not a table but binary data; imli reads CSV and Parquet files."),
        (b"\x1f\x8b\x08\x00", "cannot be unpacked: Truncated compressed stream."),
        (b"\xff\xfe\x00\xd8x", "is not text in utf-16. Save it as CSV in UTF-8, or name its --encoding."),
        (b"PAR1 but not really", None),
    ],
)
def test_a_binary_file(fit, run, tmp_path, content, sentence):
    path = tmp_path / "table.bin"
    path.write_bytes(content)
    if sentence is not None:
        fit("--target", "survived", data=path, status=REFUSED, sentence=f"{str(path)!r} {sentence}")
    else:  # the reason is pyarrow's
        status, out, err = run("fit", path, "--target", "survived")
        assert (status, out) == (REFUSED, "")
        assert err.startswith(f"imli: {str(path)!r} is not a Parquet file that can be read: ")


def test_a_target_with_many_values(fit):
    sentence = (
        "Column 'id' has 400 different values in 400 rows, but a rule predicts one of a few classes, 50 at most. "
        "Choose another target, or put its values into classes first."
    )
    fit("--target", "id", status=REFUSED, sentence=sentence)


def test_a_target_with_gaps(fit):
    sentence = (
        "Column 'age' has 63 different values in 365 rows, but a rule predicts one of a few classes, 50 at most. "
    )
    fit("--target", "age", status=REFUSED,
        sentence=f"{sentence}Choose another target, or put its values into classes first.")  # fmt: skip


def test_no_space_left(run, passengers):
    status, out, err = run("fit", passengers, "--target", "survived", "--no-check", "--effort", "0.1",
                           "--save", "/dev/full")  # fmt: skip
    assert (status, err) == (NO_FILE, "imli: Cannot write '/dev/full': No space left on device.\n")
    assert "THEN  survived is yes" in out  # the rule is not lost


def test_no_space_left_for_the_output(passengers):
    command = [sys.executable, "-m", "imli", "fit", str(passengers), "--target", "survived", "--no-check"]
    with open("/dev/full", "w") as full:
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (result.returncode, result.stderr) == (NO_FILE, "imli: Cannot write the output: No space left on device.\n")


@contextmanager
def as_nobody():
    """As a user who may not do everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_no_permission(run, passengers):
    with tempfile.TemporaryDirectory() as name:  # tmp_path lies in a folder that only its owner may enter
        folder = Path(name)
        folder.chmod(0o555)
        table = folder / "passengers.csv"
        shutil.copy(passengers, table)
        model, target = folder / "model.json", ("--target", "survived")
        with as_nobody():
            sentence = f"imli: Cannot write {str(model)!r}: Permission denied.\n"
            assert run("fit", table, *target, "--save", model) == (NO_FILE, "", sentence)
        table.chmod(0)
        with as_nobody():
            sentence = f"imli: Cannot read {str(table)!r}: Permission denied.\n"
            assert run("fit", table, *target) == (NO_FILE, "", sentence)


def test_a_folder_to_save_in_that_is_not_there(fit, tmp_path):
    path = tmp_path / "models" / "model.json"
    sentence = f"Cannot write {str(path)!r}: No such file or directory."
    fit("--target", "survived", "--save", path, status=NO_FILE, sentence=sentence)


def interrupted(command, line, after):
    """What a process says that gets Ctrl-C so long after it has printed a line that begins like this."""
    # a process in the background of a shell would ignore Ctrl-C
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "from imli.cli import main; raise SystemExit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    said = []
    for each in process.stdout:
        said.append(each)
        if each.startswith(line):
            break
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, "".join(said) + out, err


def test_ctrl_c_gives_the_best_rule_so_far_and_saves_it(run, passengers, tmp_path):
    model = tmp_path / "model.json"
    status, out, err = interrupted(
        ["fit", str(passengers), "--target", "survived", "--effort", "1e9", "--save", str(model)], "Learning", after=1.5
    )
    assert (status, err) == (STOPPED, "")
    assert "THEN  survived is yes" in out
    assert out.endswith(f"Saved as {model}.\n")
    assert run("predict", model, passengers)[0] == 0


def test_ctrl_c_while_it_is_checked_keeps_the_rule(passengers, tmp_path):
    model = tmp_path / "model.json"
    command = ["fit", str(passengers), "--target", "survived", "--effort", "0.05", "--cv", "100", "--save", str(model)]
    status, out, err = interrupted(command, "Cost", after=1)
    assert (status, err) == (STOPPED, "imli: Stopped before it was checked on rows that it has not seen.\n")
    assert out.endswith(f"Saved as {model}.\n")
