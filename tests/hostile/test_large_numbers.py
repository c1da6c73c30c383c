"""Whole numbers beyond 2^53 have one meaning: rules, their Python and their SQL compare them digit by digit."""

import sqlite3

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv

import imli
from imli import parse_rule
from imli.cli import main

LARGE = 2**53
CELLS = [LARGE - 1, LARGE, LARGE + 1, LARGE + 2, 2**63 - 1, -(2**63), None]
RULES = [
    f"x {operator} {end}" for operator in ("<", "<=", ">", ">=") for end in (LARGE, LARGE + 1, -LARGE - 1, 2**63 - 1)
] + [f"x is {LARGE + 1}", f"x is neither {LARGE} nor {2**63 - 1}", f"{LARGE} <= x < {LARGE + 1}"]
TABLES = {
    "list": lambda: {"x": CELLS},
    "polars": lambda: pl.DataFrame({"x": CELLS}),
    "arrow": lambda: pa.table({"x": CELLS}),
    "pandas": lambda: pd.DataFrame({"x": pd.array(CELLS, dtype="Int64")}),
}


@pytest.mark.parametrize("library", TABLES)
@pytest.mark.parametrize("text", RULES)
def test_predict_python_and_sql_agree_beside_a_missing_cell(text, library):
    rule = parse_rule(f"IF {text} THEN 1 ELSE 0")
    decisions = rule.predict(TABLES[library]()).tolist()
    made = {}
    exec(rule.to_python(), made)
    assert [made["decide"]({"x": cell}) for cell in CELLS] == decisions
    with sqlite3.connect(":memory:") as engine:
        engine.execute("CREATE TABLE t (x INTEGER)")
        engine.executemany("INSERT INTO t VALUES (?)", [(cell,) for cell in CELLS])
        found = [row[0] for row in engine.execute(f"SELECT {rule.to_sql('sqlite')} FROM t ORDER BY rowid")]
    assert found == decisions
    alone = [rule.predict({"x": [cell]}).tolist()[0] for cell in CELLS[:-1]]
    assert alone == decisions[:-1]


def test_files_and_model_files_keep_them(tmp_path, capsys):
    rule = parse_rule(f"IF x > {LARGE} THEN yes ELSE no")
    imli.save(rule, tmp_path / "rule.json")
    cells = [LARGE - 1, LARGE, LARGE + 1, LARGE + 2, 10**17 - 1, 1 - 10**17, None]  # with at most 17 digits
    csv.write_csv(pa.table({"x": cells, "y": cells}), tmp_path / "cells.csv")
    assert main(["predict", str(tmp_path / "rule.json"), str(tmp_path / "cells.csv")]) == 0
    assert capsys.readouterr().out.split()[1:] == ["no", "no", "yes", "yes", "yes", "no", "no"]
    clf = imli.DNFClassifier(lam=0.1, effort=0.02, use="x", memory=20).partial_fit({"x": CELLS}, [0, 0, 1, 1, 1, 0, 0])
    imli.save(clf, tmp_path / "model.json")
    assert imli.load(tmp_path / "model.json").stream.memory.frame["x"].cells().tolist() == CELLS
