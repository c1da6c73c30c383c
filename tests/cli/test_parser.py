"""What can be typed, and what is said of a slip."""

import inspect
import re
import subprocess
import sys

import pytest

from imli import CNFClassifier
from imli.cli.options import new_parser, parse

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
        (["fit", "--fairness", "x"], "Unknown option '--fairness'. See 'imli fit --help'."),
        (["fit", "--max-lit", "3"],
         "Unknown option '--max-lit'. Did you mean '--max-literals'? See 'imli fit --help'."),
        (["completion", "fihs"],
         "SHELL must be one of bash, zsh, fish. Got 'fihs'. Did you mean 'fish'? See 'imli completion --help'."),
        (["fit", "--targt", "x"], "Unknown option '--targt'. Did you mean '--target'? See 'imli fit --help'."),
        (["path", "a.csv", "b.csv"], "Unknown argument 'b.csv'. See 'imli path --help'."),
        (["fit", "--engine", "disk"],
         "--engine must be one of auto, memory, parts, dask. Got 'disk'. Did you mean 'dask'? See 'imli fit --help'."),
        (["fit", "--kind", "dfn"],
         "--kind must be one of cnf, dnf, list, set, score, checklist, auto. Got 'dfn'. Did you mean 'dnf'? "
         "See 'imli fit --help'."),
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


def test_without_a_command_imli_says_what_to_type_first(run):
    status, out, err = run()
    assert (status, out) == (2, "")
    assert "type first:\n  imli fit  " in err
    assert len(err.splitlines()) <= 10


def test_help_lists_all_commands_and_help_all_the_exit_statuses(run):
    commands = next(action for action in new_parser()._actions if action.dest == "==SUPPRESS==" and action.choices)
    status, out, _ = run("--help")
    assert status == 0
    assert out.index("examples:\n  imli fit") < out.index("learn a rule:\n  inspect ")
    assert all(f"\n  {name} " in out for name in commands.choices)
    assert "exit status:" not in out
    status, out, _ = run("--help-all")
    assert status == 0
    assert "exit status:\n  0    done\n" in out


@pytest.mark.parametrize("command", ["fit", "predict", "show", "check", "path", "export", "report", "explain"])
def test_each_command_teaches_by_examples(run, command):
    status, out, _ = run(command, "--help")
    assert status == 0
    assert f"examples:\n  imli {command}" in out
    assert out.count(f"\n  imli {command}") == 2
    assert out.index("examples:") < out.index("arguments:")


def test_rare_options_are_in_the_whole_help_only(run):
    _, short, _ = run("fit", "--help")
    status, whole, _ = run("fit", "--help-all")
    assert status == 0
    assert "--kind KIND" in short
    assert "--intervals" not in short
    assert "--intervals HOW" in whole
    assert "cnf: all clauses must" not in short
    assert "cnf: all clauses must" in whole
    n_rare = len(set(re.findall(r"^  (--[a-z-]+)", whole, re.M)) - set(re.findall(r"^  (--[a-z-]+)", short, re.M)))
    n_examples = whole.count("\n  imli fit") + whole.count("| imli fit") - 2
    assert short.endswith(f"'imli fit --help-all' lists {n_rare} more options and {n_examples} more examples.\n")


def test_a_shell_completes_commands_options_and_words(run, tmp_path):
    for shell in ("bash", "zsh", "fish"):
        status, script, _ = run("completion", shell)
        assert status == 0
        (tmp_path / shell).write_text(script)
    words = "cnf, dnf, list, set, score, checklist or auto"
    assert f"-l kind -d 'kind of rule to learn: {words}" in (tmp_path / "fish").read_text()
    for typed, offered in [
        (["pre"], "predict"),
        (["fit", "--max-l"], "--max-literals"),
        (["fit", "--kind", "d"], "dnf"),
        (["completion", "b"], "bash"),
    ]:
        ask = f'COMP_WORDS=(imli {" ".join(typed)}); COMP_CWORD={len(typed)}; _imli; echo "${{COMPREPLY[@]}}"'
        done = subprocess.run(
            ["bash", "-c", f"source {tmp_path}/bash; {ask}"], capture_output=True, text=True, check=True
        )
        assert done.stdout == f"{offered}\n"


def test_help_imports_nothing_heavy():
    code = "import sys\nfrom imli.cli import main\ntry: main(['fit', '--help'])\nexcept SystemExit: pass\n"
    code += "heavy = {'numpy', 'sklearn', 'narwhals', 'rich', 'polars', 'pyarrow', 'dask', 'pysat'}\n"
    code += "print(heavy & set(sys.modules), file=sys.stderr)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stderr == "set()\n"
