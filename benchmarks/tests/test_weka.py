"""JRip: what is read from Weka's text decides as Weka does."""

import re
import shutil

import numpy as np
import pandas as pd
import pytest
from made_tables import breast_cancer, passengers

from imli_bench.adapters import weka
from imli_bench.adapters.forms import NotInstalledError

HAS_WEKA = weka.JAR.exists() and shutil.which("java") is not None
needs_weka = pytest.mark.skipif(not HAS_WEKA, reason="Weka is not installed")


@needs_weka
@pytest.mark.parametrize("table", [breast_cancer, passengers])
@pytest.mark.parametrize("settings", [{}, {"min_rows": 20}])
def test_rules_as_read_decide_like_weka(table, settings, tmp_path):
    X, y = table()
    if table is passengers:  # texts and numbers of rows to decide that no rule has seen
        unseen = X.assign(port=X["port"].where(X["port"] != "Rome", "Oslo"))
        unseen["age in years"] += 0.05
    else:
        unseen = X + X.std() / 100
    columns = weka.WekaColumns(X)
    (tmp_path / "train.arff").write_text(columns.to_arff(X, y))
    (tmp_path / "test.arff").write_text(columns.to_arff(unseen, y))
    learn = [weka.LEARNER, "-t", str(tmp_path / "train.arff"), "-S", "1", "-N", str(float(settings.get("min_rows", 2)))]
    rules = weka.read_rules(weka.run_weka([*learn, "-no-cv"]))
    said = weka.run_weka([*learn, "-T", str(tmp_path / "test.arff"), "-p", "0"])
    theirs = [label == "yes" for label in re.findall(r"^ *\d+ +\d:\w+ +\d:(\w+)", said, re.MULTILINE)]
    assert len(rules) > 1
    assert columns.decide(rules, unseen).tolist() == theirs
    fitted = weka.fit_jrip(X, y, settings, 0)
    assert fitted.predict(unseen).tolist() == theirs
    assert fitted.size == sum(len(rule.tests) for rule in rules) >= fitted.n_conditions > 0
    assert (fitted.predict(X) == y).mean() > 0.85


@needs_weka
def test_rules_in_words():
    X = pd.DataFrame({"a b": np.arange(40.0) / 7, "c": pd.Series(["x, y", "z"] * 20, dtype=object)})
    y = (X["a b"] <= 2).to_numpy() & (X["c"] == "z").to_numpy()
    assert weka.fit_jrip(X, y, {}, 0).text == "IF a b <= 1.85714 AND c is z THEN yes\nELSE no"


def test_rules_are_read_from_what_weka_prints():
    said = """
JRIP rules:
===========

(c1 = v3) and (c0 <= 12) => class=yes (5.0/0.0)
(c0 >= 1234567) => class=yes (3.0/1.0)
 => class=no (7.0/0.0)

Number of Rules : 3
"""
    assert weka.read_rules(said) == [
        weka.WekaRule((weka.WekaTest(1, "=", 3), weka.WekaTest(0, "<=", 12)), True),
        weka.WekaRule((weka.WekaTest(0, ">=", 1234567),), True),
        weka.WekaRule((), False),
    ]


def test_no_rules_are_an_error():
    with pytest.raises(RuntimeError) as error:
        weka.read_rules("Out of luck\n")
    assert str(error.value) == "Weka printed no rules, but: Out of luck"


def test_a_condition_that_is_none_of_jrips_is_an_error():
    with pytest.raises(RuntimeError) as error:
        weka.read_rules("(c0 < 3) => class=yes (5.0/0.0)")
    assert str(error.value) == "Weka printed a condition that is none of JRip's: (c0 < 3)"


def test_without_weka_it_is_not_installed(monkeypatch, tmp_path):
    monkeypatch.setattr(weka, "JAR", tmp_path / "weka.jar")
    X, y = passengers(50)
    with pytest.raises(NotInstalledError) as error:
        weka.fit_jrip(X, y, {}, 0)
    assert str(error.value) == f"JRip needs Java and {tmp_path}/weka.jar. On Debian: apt install weka."


@needs_weka
def test_what_weka_refuses_is_an_error(tmp_path):
    (tmp_path / "train.arff").write_text("@relation data\n")
    with pytest.raises(RuntimeError, match=r"^Weka stopped with exit status \d+\. It said: "):
        weka.run_weka([weka.LEARNER, "-t", str(tmp_path / "train.arff"), "-no-cv"])
