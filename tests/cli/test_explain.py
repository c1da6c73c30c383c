"""What other models decide, as rules, from the shell."""

import json
import pickle

import joblib
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import imli
from imli.errors import brief

REFUSED, NO_FILE = 2, 3
COLUMNS = ["sex", "age", "class"]


@pytest.fixture
def boosted(passengers, tmp_path):
    """A pipeline of scikit-learn that was learned from the passengers, in a file."""
    table = pd.read_csv(passengers)
    encode = make_column_transformer((OneHotEncoder(sparse_output=False), ["sex"]), remainder="passthrough")
    model = make_pipeline(encode, HistGradientBoostingClassifier(max_iter=10, random_state=0))
    path = tmp_path / "boosted.joblib"
    joblib.dump(model.fit(table[COLUMNS], table["survived"]), path)
    return path


@pytest.fixture
def scoring(tmp_path, monkeypatch):
    """A module in the working directory with a function that decides."""
    (tmp_path / "scoring.py").write_text(
        "def decide(table):\n    return ['safe' if sex == 'female' else 'lost' for sex in table['sex']]\n\n"
        "def fails(table):\n    return table['cabin']\n\nnumber = 3\n"
        "class Namespace:\n    decide = staticmethod(decide)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "scoring", raising=False)


def test_a_surrogate(run, boosted, passengers):
    status, out, err = run("explain", boosted, passengers, "--trust", "--effort", "0.05", "--name", "survived")
    assert (status, err) == (0, "")
    table = pd.read_csv(passengers)
    found = imli.explain.surrogate(joblib.load(boosted), table[COLUMNS], effort=0.05, target="survived")
    assert out == f"{found}\n"


def test_a_surrogate_as_json(run, boosted, passengers):
    arguments = ("--trust", "--effort", "0.05", "--json", "--kind", "list", "--n-clauses", "2", "--test-size", "0.5")
    status, out, _ = run("explain", boosted, passengers, *arguments)
    content = json.loads(out)
    assert status == 0
    rule = imli.rule_from_dict(content["rule"])
    assert (rule.kind, len(rule.clauses) <= 2, content["n_held_out"]) == ("list", True, 200)


def test_rows(run, boosted, passengers):
    table = pd.read_csv(passengers)[COLUMNS]
    first, second = (imli.explain.local(joblib.load(boosted), place, table, n_samples=200) for place in (0, 4))
    arguments = ("--trust", "--n-samples", "200", "--row", "1")
    assert run("explain", boosted, passengers, *arguments) == (0, f"{first}\n", "")
    status, out, _ = run("explain", boosted, passengers, *arguments, "--row", "5")
    assert (status, out) == (0, f"Row 1.\n{first}\n\nRow 5.\n{second}\n")
    status, out, _ = run("explain", boosted, passengers, *arguments, "--json")
    assert json.loads(out) == {"rows": [1], "explanations": [first.to_dict()]}


def test_a_function_of_a_module(run, scoring, passengers):
    for name in ("scoring:decide", "scoring:Namespace.decide"):
        status, out, _ = run("explain", name, passengers, "--effort", "0.05", "--label", "safe", "--target", "survived")
        assert status == 0
        assert "IF    sex is female\nTHEN  safe" in out
    _, out, _ = run("explain", "scoring:decide", passengers, "--row", "2", "--n-samples", "200", "--never", "id")
    assert "IF    sex is " in out


def test_a_model_of_ours_has_a_surrogate_too(run, model, passengers):
    status, out, _ = run("explain", model, passengers, "--effort", "0.05", "--target", "survived")
    assert status == 0
    assert "Fidelity: " in out


def test_many_classes_get_a_list(run, tmp_path, monkeypatch, passengers):
    (tmp_path / "cabins.py").write_text("def decide(table):\n    return table['class']\n")
    monkeypatch.chdir(tmp_path)
    status, out, _ = run("explain", "cabins:decide", passengers, "--effort", "0.05")
    assert status == 0
    assert out.startswith("What the model predicts, as a decision list:\n")


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (
            ("{folder}/boosted.joblib", "{data}"),
            REFUSED,
            "'{folder}/boosted.joblib' is a pickle, which can run any code when it is opened. "
            "Add --trust if you know who made it.",
        ),
        (("{folder}/none.pkl", "{data}"), NO_FILE, "Cannot read '{folder}/none.pkl': No such file or directory."),
        (
            ("{folder}/forest", "{data}"),
            REFUSED,
            "MODEL must be a file that ends in .json, .joblib or .pkl, or module:name of something that can be "
            "imported here. Got {forest}.",
        ),
        (
            ("scorng:decide", "{data}"),
            REFUSED,
            "There is no module 'scorng' in this folder, and none that is installed.",
        ),
        (("scoring:decid", "{data}"), REFUSED, "Module 'scoring' has no 'decid'."),
        (
            ("scoring:number", "{data}"),
            REFUSED,
            "MODEL must be a function of a table, or have a method predict. Got 3.",
        ),
        (
            ("scoring:fails", "{data}"),
            REFUSED,
            "The model cannot decide the rows of '{data}': KeyError: 'cabin'. Are they the columns that it knows? "
            "--target takes one out.",
        ),
        (
            ("scoring:decide", "{data}", "--row", "401"),
            REFUSED,
            "--row must be from 1 to 400, the rows of '{data}'. Got 401.",
        ),
        (
            ("scoring:decide", "{data}", "--row", "0"),
            REFUSED,
            "--row must be from 1 to 400, the rows of '{data}'. Got 0.",
        ),
        (
            ("scoring:decide", "{data}", "--target", "survivd"),
            REFUSED,
            "No column 'survivd' in the data. Did you mean 'survived'?",
        ),
        (
            ("scoring:decide", "{data}", "--label", "safe", "--positive", "lost"),
            REFUSED,
            "--label already names the class that the rule describes. Remove --positive.",
        ),
        (
            ("scoring:decide", "{data}", "--label", "saved"),
            REFUSED,
            "--label must be a class of the model: lost, safe. Got 'saved'.",
        ),
        (
            ("scoring:decide", "{data}", "--keep", "age"),
            REFUSED,
            "--keep is about the rows of a model of imli. Give a .json file, and --row.",
        ),
        (
            ("scoring:decide", "{data}", "--n-clauses", "0"),
            REFUSED,
            "--n-clauses must be a positive integer. Got 0.",
        ),
    ],
)
def test_mistakes(run, boosted, scoring, passengers, tmp_path, arguments, status, sentence):
    def filled(text):
        text = text.replace("{forest}", brief(f"{tmp_path}/forest"))
        return text.replace("{folder}", str(tmp_path)).replace("{data}", str(passengers))

    assert run("explain", *map(filled, arguments)) == (status, "", f"imli: {filled(sentence)}\n")


def test_a_pickle_that_cannot_be_opened(run, passengers, tmp_path):
    path = tmp_path / "broken.pkl"
    path.write_bytes(pickle.dumps(3)[:-1])
    status, out, err = run("explain", path, passengers, "--trust")
    assert (status, out) == (REFUSED, "")
    assert err.startswith(f"imli: {str(path)!r} cannot be opened: ")
    assert err.count("\n") == 1


def test_a_model_of_ours_says_why_and_what_if(run, model, passengers):
    ours = imli.load(model)
    row = pd.read_csv(passengers, parse_dates=["booked"]).iloc[4].to_dict()
    status, out, err = run("explain", model, passengers, "--row", 5, "--keep", "sex")
    assert (status, err) == (0, "")
    assert out == f"{ours.why(row)}\n\n{ours.what_if(row, keep=['sex'])}\n"
    status, out, _ = run("explain", model, passengers, "--row", 5, "--keep", "sex", "--json")
    explanations = json.loads(out)["explanations"]
    assert explanations == json.loads(
        json.dumps([ours.why(row).to_dict(), ours.what_if(row, keep=["sex"]).to_dict()], default=str)
    )


def test_a_model_of_ours_with_a_column_that_is_not_there(run, model, passengers):
    status, _, err = run("explain", model, passengers, "--row", 1, "--keep", "sexx")
    assert status == REFUSED
    assert err == "imli: No column 'sexx' in the data. Did you mean 'sex'?\n"
    status, _, err = run("explain", model, passengers, "--row", 9999)
    assert status == REFUSED
    assert err == f"imli: --row must be from 1 to 400, the rows of {str(passengers)!r}. Got 9999.\n"
