import subprocess
import sys

import narwhals as nw
import pytest

from imli import parse_rule

PEOPLE = {"age": [70, 25, 70, 30], "smoker": [True, True, False, False]}
RISKS = ["high", "high", "low", "low"]


def columns(frame):
    return {series.name: series.to_list() for series in nw.from_native(frame).iter_columns()}


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_row_for_each_clause_and_one_for_the_default(backend):
    rule = parse_rule("IF 20 < age <= 30 AND smoker OR age > 99 THEN risk is high ELSE risk is low")
    frame = rule.counted_on(PEOPLE, RISKS).to_frame(backend)
    assert nw.from_native(frame).implementation.value == backend
    found = columns(frame)
    gaps = {name: [None if cell != cell else cell for cell in found[name]] for name in ("precision", "only_here")}
    assert found | gaps == {
        "clause": [1, 2, 3],
        "conditions": ["20 < age <= 30 AND smoker", "age > 99", "otherwise"],
        "decision": ["risk is high", "risk is high", "risk is low"],
        "n_conditions": [2, 1, 0],
        "size": [3, 1, 0],
        "covered": [1.0, 0.0, 3.0],
        "right": [1.0, 0.0, 2.0],
        "precision": [1.0, None, 2 / 3],
        "only_here": [1.0, 0.0, None],
    }


def test_without_counts_there_is_only_what_the_rule_says():
    frame = parse_rule("IF (age > 60 OR smoker) AND (fit) THEN 1 ELSE 0").to_frame("pandas")
    assert columns(frame) == {
        "clause": [1, 2, 3],
        "conditions": ["not (age > 60 OR smoker)", "not (fit)", "otherwise"],
        "decision": ["0", "0", "1"],
        "n_conditions": [2, 1, 0],
        "size": [2, 1, 0],
    }


def test_the_sums_are_those_of_the_rule():
    rule = parse_rule("IF 20 < age <= 30 AND city is Bath or York THEN 1 ELSE IF smoker THEN 2 ELSE 3")
    found = columns(rule.to_frame())
    assert (sum(found["n_conditions"]), sum(found["size"])) == (rule.n_conditions, rule.size)


def test_an_unknown_backend():
    with pytest.raises(ValueError) as error:
        parse_rule("a").to_frame("dask")
    assert str(error.value) == "to_frame: backend must be one of pandas, polars, pyarrow, or None. Got 'dask'."


@pytest.mark.parametrize(
    ("installed", "backend", "said"),
    [
        (
            [],
            None,
            "to_frame needs pandas, polars or pyarrow. Install one of them, for example with: pip install pandas.",
        ),
        ([], "polars", "to_frame with backend='polars' needs polars. Install it with: pip install polars."),
        (["polars"], None, "polars"),
    ],
)
def test_what_is_not_installed(installed, backend, said):
    hidden = {"pandas", "polars", "pyarrow"} - set(installed)
    code = f"""
import sys
sys.modules.update(dict.fromkeys({sorted(hidden)!r}))  # as if they were not there
from imli import parse_rule
try:
    print(type(parse_rule("a").to_frame({backend!r})).__module__.split(".")[0])
except ModuleNotFoundError as error:
    print(error)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == said
