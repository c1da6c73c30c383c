"""Names and labels with signs that control a terminal, turn text around or cannot be seen, and names without end."""

import json
import subprocess
import sys

import pyarrow as pa
import pytest
from pyarrow import parquet
from support.terminals import in_a_terminal

import imli
from imli import DNFClassifier, parse_literal, parse_rule
from imli.rules import DNF
from imli.rules.literals import Compare, IsIn, IsTrue
from imli.table.read import as_frame

EVIL = "a\x1b[2J\u202eb\u2066\x07"
RULE = DNF(((IsTrue(EVIL),), (IsIn("city", (EVIL,)),)), (EVIL, "no"), EVIL)
ESCAPED = "\\u202e"


def files(folder):
    """A model with evil names that says what it was learned from, and rows for it."""
    table = {EVIL: [0, 1] * 10, "city": [EVIL, "Bath", None, "York"] * 5}
    labels = [EVIL if row % 2 else "no" for row in range(20)]
    clf = DNFClassifier(lam=0.1, effort=0.02, use="city").fit(table, labels)
    imli.save(clf, folder / "model.json")
    imli.save(RULE, folder / "rule.json")
    parquet.write_table(pa.table({EVIL: [1, 0], "city": [EVIL, "Bath"]}), folder / "rows.parquet")
    return folder


def require_harmless(text):
    assert "\x1b[2J" not in text
    assert not set(text) & {"\u202e", "\u2066", "\x07"}
    assert ESCAPED in text


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (["show", "rule.json"], 0),
        (["show", "model.json", "--card"], 0),
        (["show", "model.json", "--json"], 0),
        (["predict", "rule.json", "rows.parquet", "--keep", "all"], 0),
        (["export", "rule.json", "--to", "sql"], 0),
        (["export", "rule.json", "--to", "markdown"], 0),
        (["inspect", "rows.parquet"], 0),
        (["predict", "rule.json", "rows.parquet", "--keep", f"{EVIL}x"], 2),
        (["fit", "rows.parquet", "--target", f"{EVIL}x"], 2),
    ],
    ids=lambda value: value if isinstance(value, int) else "-".join(value[::2][:2]),
)
def test_a_terminal_gets_escapes(command, status, tmp_path, monkeypatch):
    files(tmp_path)
    monkeypatch.chdir(tmp_path)
    require_harmless(in_a_terminal(*command, status=status))


def test_data_in_files_and_pipes_stays_as_it_is(tmp_path):
    files(tmp_path)
    imli_at = [sys.executable, "-m", "imli"]
    for command in (["predict", "rule.json", "rows.parquet", "--keep", "all"], ["export", "rule.json", "--to", "sql"]):
        written = subprocess.run([*imli_at, *command], capture_output=True, cwd=tmp_path, check=True).stdout.decode()
        assert EVIL in written
    shown = subprocess.run([*imli_at, "show", "rule.json", "--json"], capture_output=True, cwd=tmp_path, check=True)
    assert json.loads(shown.stdout)["rule"]["target"] == EVIL
    require_harmless(shown.stdout.decode())


def test_rules_and_python_have_escapes_that_are_read_back():
    require_harmless(str(RULE))
    require_harmless(RULE.to_python())
    assert parse_rule(str(RULE)) == RULE
    made = {}
    exec(RULE.to_python(), made)
    assert made["decide"]({EVIL: 1, "city": None}) == "no"


LONG = "x" * 5000


@pytest.mark.parametrize(
    "fails",
    [
        lambda: as_frame({LONG: [1, "a"]}),
        lambda: as_frame({LONG: [object()]}),
        lambda: as_frame({LONG: ["a"]})[LONG].numbers(),
        lambda: as_frame({"a": [1]})[LONG],
        lambda: as_frame({LONG: [1, 2], "a": [1]}),
        lambda: parse_rule(f"{LONG} < < 3"),
        lambda: parse_literal(f"{LONG} AND {LONG}"),
        lambda: parse_rule(f"IF {LONG} THEN a"),
        lambda: Compare(LONG, ">", 1).holds(as_frame({LONG: ["a"]})[LONG]),
        lambda: IsIn("a", (LONG,)).holds(as_frame({"a": [1]})["a"]),
        lambda: DNFClassifier(never=LONG).fit({"a": [1, 2]}, [0, 1]),
        lambda: DNFClassifier(locked=f"`{LONG}` > 1", never=LONG).fit({LONG: [1, 2]}, [0, 1]),
        lambda: DNFClassifier(monotone={LONG: 1}).fit({LONG: ["a", "b"]}, [0, 1]),
        lambda: DNFClassifier(positive=LONG).fit({"a": [1, 2]}, [0, 1]),
        lambda: DNF(((IsTrue(LONG),),)).to_sql("postgres"),
        lambda: parse_rule("a > 1").predict({LONG: [1]}),
        lambda: parse_rule("a > 1").why({"a": 1}, values={"a": LONG}),
    ],
)
def test_messages_quote_the_beginning_of_a_long_name(fails):
    with pytest.raises((ValueError, TypeError)) as error:
        fails()
    assert len(str(error.value)) < 500
