"""What can be typed, and what is said of a slip."""

import inspect
import subprocess
import sys

import pytest

from imli import CNFClassifier
from imli.cli.options import parse

# Not parameters that can be typed: the command line listens itself.
_NOT_TYPED = {"callback"}


def test_every_parameter_of_the_classifiers_is_an_option():
    known = set(parse(["fit"]).parser._option_string_actions)
    expected = {
        f"--{name.replace('_', '-')}" for name in inspect.signature(CNFClassifier).parameters if name not in _NOT_TYPED
    }
    assert expected <= known
    assert expected <= set(parse(["path"]).parser._option_string_actions)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["fti"], "Unknown command 'fti'. Did you mean 'fit'? See 'imli --help'."),
        (["learn"], "Unknown command 'learn'. See 'imli --help'."),
        (["fit", "--targt", "x"], "Unknown option '--targt'. Did you mean '--target'? See 'imli fit --help'."),
        (["path", "a.csv", "b.csv"], "Unknown argument 'b.csv'. See 'imli path --help'."),
        (["fit", "--engine", "disk"],
         "--engine must be one of auto, memory, parts, dask. Got 'disk'. Did you mean 'dask'? See 'imli fit --help'."),
        (["fit", "--kind", "dfn"],
         "--kind must be one of cnf, dnf, list, set, auto. Got 'dfn'. Did you mean 'dnf'? See 'imli fit --help'."),
        (["fit", "--n-clauses", "two"], "--n-clauses must be a whole number. Got 'two'. See 'imli fit --help'."),
        (["fit", "--lam", "big"], "--lam must be a number or auto or cv. Got 'big'. See 'imli fit --help'."),
        (["fit", "--feature-costs", "age"], "--feature-costs must be COL=X. Got 'age'. See 'imli fit --help'."),
        (["fit", "--monotone", "age=sideways"],
         "--monotone must be one of up, down, 1, -1. Got 'sideways'. See 'imli fit --help'."),
        (["predict", "model.json"], "The following arguments are required: DATA. See 'imli predict --help'."),
        (["export", "model.json"], "The following arguments are required: --to. See 'imli export --help'."),
        (["export", "model.json", "--to", "sqll"],
         "--to must be one of sql, python, markdown, text, json, html. Got 'sqll'. Did you mean 'sql'? "
         "See 'imli export --help'."),
    ],
)  # fmt: skip
def test_a_slip_gets_one_sentence(run, arguments, sentence):
    assert run(*arguments) == (2, "", f"imli: {sentence}\n")


def test_without_a_command_help_is_shown(run):
    status, out, err = run()
    assert (status, out) == (2, "")
    assert "a first tour:" in err


@pytest.mark.parametrize("command", ["fit", "predict", "show", "path", "export", "report", "explain"])
def test_each_command_teaches_by_examples(run, command):
    status, out, _ = run(command, "--help")
    assert status == 0
    assert f"examples:\n  imli {command}" in out


def test_help_imports_nothing_heavy():
    code = "import sys\nfrom imli.cli import main\ntry: main(['fit', '--help'])\nexcept SystemExit: pass\n"
    code += "heavy = {'numpy', 'sklearn', 'narwhals', 'rich', 'polars', 'pyarrow', 'dask', 'pysat'}\n"
    code += "print(heavy & set(sys.modules), file=sys.stderr)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stderr == "set()\n"
