"""Too little memory ends in one sentence that says how much is needed."""

import re
import resource
import subprocess
import sys

import numpy as np
import pytest

from imli.cli import REFUSED, main

SENTENCE = re.compile(
    r"imli: There is not enough memory: (more is needed than|a step needs [0-9.,]+ [KMGTPE]?i?B besides) "
    r"the [0-9,]+ MiB in use\. Give it more, .*\n"
)


def ask_too_much():
    np.empty(2**55)


def raise_in_a_chain():
    try:
        raise RuntimeError("can't start new thread")
    except RuntimeError as error:
        raise ValueError("The table cannot be read.") from error


def raise_of_arrow():
    raise ValueError("'a.csv' is not a CSV file: In CSV column #4: malloc of size 993088 failed.")


@pytest.mark.parametrize("fails", [ask_too_much, raise_in_a_chain, raise_of_arrow])
def test_whatever_says_so_gets_the_sentence(fails, monkeypatch, capsys):
    monkeypatch.setattr("imli.cli.show.run", lambda options: fails())
    assert main(["show", "model.json"]) == REFUSED
    assert SENTENCE.fullmatch(capsys.readouterr().err)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the address space")
def test_a_small_address_space():
    limit = 400 * 2**20
    found = subprocess.run(
        [sys.executable, "-m", "imli", "fit", "--no-check"],
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert found.returncode == REFUSED
    assert SENTENCE.fullmatch("".join(line for line in found.stderr.splitlines(keepends=True) if "imli:" in line))
    assert "Traceback" not in found.stderr
