"""Examples in the documentation print what the page says: ``python tests/docs/test_examples.py`` writes it anew."""

import os
import sys
import tempfile
import warnings
from pathlib import Path

import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from support.pages import FOLDER, PAGES, agree, bring_data, examples, fetched, is_at_hand, run

from imli.rules.literals import literal

pytestmark = pytest.mark.slow

WITH_EXAMPLES = [page for page in PAGES if any(examples(page.read_text(encoding="utf-8")))]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: str(page.relative_to(FOLDER)))
def test_examples_print_what_the_page_says(page, tmp_path, monkeypatch):
    text = page.read_text(encoding="utf-8")
    if not is_at_hand(text):
        pytest.skip("a table that is not shipped, and not in the folder of IMLI_DATA")
    bring_data(tmp_path, text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(literal, "_KINDS", dict(literal._KINDS))  # a page may add kinds of its own
    names = {"__name__": "__main__"}
    for example in examples(text):
        got = run(example, names)
        assert agree(example, got), f"{example.source}\nprints\n\n{got}\nbut the page says\n\n{example.printed}"


def rewritten(page):
    """The page, with what its examples print now."""
    text, names, parts, done = page.read_text(encoding="utf-8"), {"__name__": "__main__"}, [], 0
    for example in examples(text):
        got = run(example, names)
        parts += [text[done : example.start], example.printed if agree(example, got) else got]
        done = example.end
    return "".join(parts) + text[done:]


if __name__ == "__main__":
    warnings.simplefilter("error")
    for page in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        text = page.read_text(encoding="utf-8")
        if not is_at_hand(text):
            sys.stderr.write(f"{page.name} stays: it needs {fetched(text)} in the folder of IMLI_DATA.\n")
            continue
        with tempfile.TemporaryDirectory() as folder:
            bring_data(Path(folder), text)
            os.chdir(folder)
            page.write_text(rewritten(page), encoding="utf-8")
            os.chdir(FOLDER)
