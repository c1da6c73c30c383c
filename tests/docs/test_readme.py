"""The README: short, with examples that print what it says, and links that lead somewhere.

Its picture is a picture of the documentation, and its figures are those of result files: ``imli bench render --check``.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_code_prints_what_stands_below_it(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, printed = re.search(r"```python\n(.*?)```\s*```\n(.*?)```", README, re.DOTALL).groups()
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == printed
    assert (tmp_path / "tumours.json").exists()


def test_it_is_read_in_a_few_minutes():
    assert len(README.splitlines()) <= 120
    assert 'python3 -m venv .venv && .venv/bin/pip install ".[dev]" && .venv/bin/pytest\n' in README


def test_links_lead_to_files():
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", README)]
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).exists()] == []
