"""What a person sees in a terminal."""

import re

import pytest
from support.terminals import in_a_terminal


def plain(text):
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)


@pytest.mark.slow
def test_progress_with_cost_bound_and_time_left(passengers):
    text = plain(in_a_terminal("fit", passengers, "--target", "survived", "--no-check", "--effort", "20"))
    assert re.search(r"Searching: cost [0-9.]+, at least [0-9.]+ · [0-9.]+ s · at most [0-9.]+ s left", text)
    text = plain(in_a_terminal("fit", passengers, "--target", "survived", "--time-limit", "1", "--effort", "1e9"))
    assert re.search(r"Searching: cost [0-9.]+, at least [0-9.]+ · [0-9.]+ s · [0-9.]+ s left", text)


def test_the_rule_is_drawn(passengers):
    text = in_a_terminal("fit", passengers, "--target", "survived", "--effort", "0.1", "--no-check")
    assert "\x1b[1msurvived is yes" in text  # bold
    assert re.search(r"rows\s+correct\s+only here", plain(text))


def test_help_has_colours():
    text = in_a_terminal("fit", "--help")
    assert "\x1b[1mexamples:\x1b[0m" in text
    assert "examples:" in plain(text)
    assert re.search(r"--kind KIND +kind of rule to learn", plain(text))


def test_a_look_at_a_table_is_drawn(passengers):
    text = in_a_terminal("inspect", passengers, "--target", "survived")
    assert "\x1b[2mremark: \x1b[0m'sex' and 'age' are" in text  # dim
    assert re.search(r"^sex +text +2 +0 +47 % +male, female", plain(text), re.MULTILINE)


def test_without_rich_it_is_plain(passengers, tmp_path):
    (tmp_path / "rich.py").write_text("raise ImportError")
    code = "import sys\nsys.modules['rich'] = None\n"
    (tmp_path / "sitecustomize.py").write_text(code)
    text = in_a_terminal(
        "fit", passengers, "--target", "survived", "--effort", "0.1", "--no-check", PYTHONPATH=str(tmp_path)
    )
    assert "\x1b[" not in text
    assert "THEN  survived is yes   (" in text
