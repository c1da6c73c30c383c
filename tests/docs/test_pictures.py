"""The pictures of the documentation show what is printed now: ``python docs/pictures.py`` makes them anew."""

import re
import runpy

import pytest
from support.pages import FOLDER, PAGES

SCRIPT = runpy.run_path(str(FOLDER / "pictures.py"))
QUICK = ["notebook", "rule"]


def test_pictures_of_a_rule_are_current():
    assert SCRIPT["stale"](QUICK) == []


@pytest.mark.slow
def test_all_pictures_are_current():
    assert SCRIPT["stale"]([name for name in SCRIPT["PICTURES"] if name not in QUICK]) == []


def test_every_picture_is_small_and_on_a_page():
    shown = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    files = sorted(path for path in SCRIPT["FOLDER"].iterdir() if path.suffix != ".json")
    assert {re.sub(r"-(light|dark)$", "", path.stem) for path in files} == set(SCRIPT["PICTURES"])
    for path in files:
        assert path.stat().st_size <= SCRIPT["MOST_BYTES"]
        assert f"_static/pictures/{path.name}" in shown
        assert path.suffix == ".png" or not re.search(
            r"(href|src|url\()=?[\"']?https?:", path.read_text(encoding="utf-8")
        )


def test_another_text_makes_a_picture_old(monkeypatch):
    draw, _ = SCRIPT["PICTURES"]["rule"]
    monkeypatch.setitem(SCRIPT["PICTURES"], "rule", (draw, lambda runs: "another rule"))
    assert SCRIPT["stale"](["rule"]) == ["rule"]
