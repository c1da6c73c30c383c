"""The pictures of the documentation, made from real runs.

    python docs/pictures.py                 make all of them anew, in docs/_static/pictures
    python docs/pictures.py terminal path   make some
    python docs/pictures.py --check         fail if one was made from other text than is printed now

A picture is current if the text in it is what is printed now; other fonts or another browser make no new picture.
`made_from.json` beside the pictures has a digest of each text. Those of the notebook and the report need Chromium.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from hashlib import sha256
from io import BytesIO, StringIO
from pathlib import Path
from textwrap import wrap
from typing import Any

FOLDER = Path(__file__).parent / "_static" / "pictures"
MADE_FROM = FOLDER / "made_from.json"
MOST_BYTES = 60_000
COLUMNS = 80  # of the terminal
WIDE = 96  # of the one with numbers

# The lines of "imli fit" that docs/reading.md explains, by how they begin or end, with the numbers of its sections.
NUMBERED = {
    r"^IF ": 1, r"it covers\)$": 2, r"^Clause 1 covers": 3, r"^Total:": 4, r"^Cost ": 5, r"^Expected accuracy": 6,
    r"^Recall:": 7, r"^Clause 1 on new": 8,
}  # fmt: skip

# The look of a notebook in short: a cell and what it shows.
NOTEBOOK = """
<style>
  body { margin: 0; padding: 14px 16px; font: 14px/1.5 system-ui, sans-serif; }
  .light { background: #fff; color: rgb(0 0 0 / 0.87); --cell: #f5f5f5; --line: #e0e0e0; --prompt: #307fc1; }
  .dark { background: #111; color: rgb(255 255 255 / 0.87); --cell: #212121; --line: #424242; --prompt: #64b5f6; }
  div.cell { display: flex; gap: 10px; margin-bottom: 12px; font: 13px/1.6 "DejaVu Sans Mono", monospace; }
  div.cell i { font-style: normal; color: var(--prompt); }
  div.cell pre { flex: 1; margin: 0; padding: 6px 10px; background: var(--cell); border: 1px solid var(--line); }
  #shown { margin-left: 36px; }
</style>
<div class="cell"><i>[1]:</i><pre>clf = DNFClassifier().fit(X, y)
clf</pre></div><div id="shown"></div>
"""


class Runs:
    """What is learned, once, and shown by several pictures."""

    @cached_property
    def table(self) -> tuple[Any, Any]:
        """Return the tumours that come with scikit-learn, and the diagnosis of each."""
        import pandas as pd
        from sklearn.datasets import load_breast_cancer

        data = load_breast_cancer(as_frame=True)
        return data.data, pd.Series(data.target_names[data.target], name="diagnosis")

    @cached_property
    def classifier(self) -> Any:
        from imli import DNFClassifier

        return DNFClassifier().fit(*self.table)

    @cached_property
    def path(self) -> Any:
        from imli import rule_path

        return rule_path(*self.table, n_rules=8, effort=0.3)

    @cached_property
    def report(self) -> Any:
        from imli import make_report

        return make_report(self.classifier, *self.table, path=False, columns=False)

    @cached_property
    def diabetes(self) -> tuple[Any, Any, Any]:
        """Return the rule of the page on diabetes in the gallery, and its rows."""
        import numpy as np
        import pandas as pd
        from sklearn.datasets import load_diabetes

        from imli import DNFClassifier

        data = load_diabetes(as_frame=True, scaled=False)
        X = data.data.rename(columns={"s5": "log_triglycerides"}).drop(columns=["s1", "s2", "s3", "s4", "s6"])
        y = pd.Series(np.where(data.target > data.target.median(), "fast", "slow"), name="progression")
        return DNFClassifier(positive="fast", monotone={"bmi": 1, "bp": 1}, never="sex").fit(X, y).rule_, X, y

    @cached_property
    def numbers(self) -> Any:
        """Return what ``imli fit`` prints, with a number at each line that is explained."""
        from rich.console import Console
        from rich.text import Text

        done = subprocess.run([sys.executable, "-m", "imli", "fit"], capture_output=True, text=True, check=True)
        console = Console(record=True, width=WIDE, file=StringIO(), force_terminal=True, color_system="truecolor")
        console.print("[bold green]$[/] imli fit")
        for line in done.stdout.splitlines():
            number = next((n for pattern, n in NUMBERED.items() if re.search(pattern, line)), None)
            for row, part in enumerate(wrap(line, WIDE - 5) or [""]):
                mark = f"({number}) " if number and not row else "    "
                console.print(Text.assemble((mark, "bold yellow"), part if row == 0 else f"  {part}"))
        return console

    @cached_property
    def terminal(self) -> Any:
        """Return what a terminal shows after ``imli fit``."""
        from rich.console import Console
        from rich.text import Text

        console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor")
        console.print("[bold green]$[/] imli fit")
        console.print(Text.from_ansi(typed([sys.executable, "-m", "imli", "fit"])))
        return console


def typed(command: list[str]) -> str:
    """Return what a command prints in a terminal, with colours."""
    import pty

    ours, its = pty.openpty()
    settings = os.environ | {"COLUMNS": str(COLUMNS), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    process = subprocess.Popen(command, stdin=its, stdout=its, stderr=subprocess.DEVNULL, env=settings)
    os.close(its)
    printed = b""
    with suppress(OSError):  # the end of a terminal is an error
        while part := os.read(ours, 65536):
            printed += part
    os.close(ours)
    assert process.wait() == 0
    return printed.decode().replace("\r\n", "\n")


def draw_terminal(runs: Runs) -> dict[str, bytes]:
    """Return what a terminal shows, which is light on dark whatever the page."""
    return {"terminal.svg": as_terminal(runs.terminal, "terminal")}


def draw_numbers(runs: Runs) -> dict[str, bytes]:
    """Return what ``imli fit`` prints, with numbers."""
    return {"numbers.svg": as_terminal(runs.numbers, "numbers")}


def as_terminal(console: Any, name: str) -> bytes:
    """Return the window of a terminal as SVG."""
    from rich.console import CONSOLE_SVG_FORMAT

    # nothing is fetched: a font of the reader's own will do
    no_fetching = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    no_fetching = no_fetching.replace("Fira Code, monospace", "DejaVu Sans Mono, Menlo, Consolas, monospace")
    drawn: str = console.export_svg(title="imli", code_format=no_fetching, unique_id=name, clear=False)
    return drawn.encode()


def draw_notebook(runs: Runs) -> dict[str, bytes]:
    """Return the box of a classifier in a notebook, with the rule under it."""

    def fill(page: Any, theme: str) -> None:
        page.set_content(f"<body class={theme}>{NOTEBOOK}")
        page.evaluate("html => { shown.innerHTML = html }", runs.classifier._repr_html_())

    return photographed("notebook", fill, width=800, height=None)


def draw_report(runs: Runs) -> dict[str, bytes]:
    """Return the top of the report, without the day on which it was made."""

    def fill(page: Any, _: str) -> None:
        page.set_content(runs.report.html)
        page.add_style_tag(content=".meta { display: none }")

    return photographed("report", fill, width=900, height=1100, scale=1)


def photographed(
    name: str, fill: Callable[[Any, str], None], width: int, height: int | None, scale: float = 1.5
) -> dict[str, bytes]:
    """Return pictures of a page in a light and a dark browser, of its whole height if that is None."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    found = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for theme in ("light", "dark"):
            page = browser.new_page(
                viewport={"width": width, "height": height or 100}, color_scheme=theme, device_scale_factor=scale
            )
            fill(page, theme)
            image = Image.open(BytesIO(page.screenshot(full_page=height is None))).convert("RGB")
            packed = BytesIO()
            image.quantize(64, dither=Image.Dither.NONE).save(packed, format="png", optimize=True)
            found[f"{name}-{theme}.png"] = packed.getvalue()
        browser.close()
    return found


def draw_rule(runs: Runs) -> dict[str, bytes]:
    """Return the rule as bars and histograms."""
    with plain_matplotlib("rule"):
        return {"rule.svg": as_svg(runs.classifier.rule_.plot(*runs.table).figure_)}


def draw_diabetes(runs: Runs) -> dict[str, bytes]:
    """Return the rule of the page on diabetes as bars and histograms."""
    rule, X, y = runs.diabetes
    with plain_matplotlib("diabetes"):
        return {"diabetes.svg": as_svg(rule.plot(X, y).figure_)}


def draw_path(runs: Runs) -> dict[str, bytes]:
    """Return the path of rules from short to long."""
    with plain_matplotlib("path"):
        return {"path.svg": as_svg(runs.path.plot().figure_)}


@contextmanager
def plain_matplotlib(name: str) -> Iterator[None]:
    """Draw without a screen, in the default style, and the same text each time."""
    import matplotlib

    matplotlib.use("agg")
    settings = matplotlib.rcParamsDefault | {"svg.hashsalt": name, "svg.fonttype": "none", "backend": "agg"}
    with matplotlib.rc_context(settings):
        yield


def as_svg(figure: Any) -> bytes:
    from matplotlib import pyplot

    file = BytesIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    lines = re.sub(rb' d="[^"]*"', lambda path: re.sub(rb"(\.\d\d)\d+", rb"\1", path[0]), file.getvalue())
    return re.sub(rb"[ \t]+$", b"", lines, flags=re.MULTILINE)


def report_text(runs: Runs) -> str:
    """Return what the top of the report says, which is all but the time of its making."""
    verdict = runs.report.summary["verdict"]
    return json.dumps([verdict, runs.report.summary["rule"]], ensure_ascii=False, sort_keys=True)


# How each picture is drawn, and the text in it.
PICTURES: dict[str, tuple[Callable[[Runs], dict[str, bytes]], Callable[[Runs], str]]] = {
    "terminal": (draw_terminal, lambda runs: runs.terminal.export_text(clear=False)),
    "numbers": (draw_numbers, lambda runs: runs.numbers.export_text(clear=False)),
    "diabetes": (draw_diabetes, lambda runs: runs.diabetes[0].to_text(clauses=True)),
    "notebook": (draw_notebook, lambda runs: runs.classifier.rule_._repr_html_()),
    "rule": (draw_rule, lambda runs: runs.classifier.rule_.to_text(clauses=True)),
    "path": (draw_path, lambda runs: str(runs.path)),
    "report": (draw_report, report_text),
}


def known() -> dict[str, str]:
    """Return the digest of the text that each picture was made from."""
    return json.loads(MADE_FROM.read_text(encoding="utf-8")) if MADE_FROM.exists() else {}


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def stale(names: list[str]) -> list[str]:
    """Return those pictures that were made from other text than is printed now."""
    runs, made_from = Runs(), known()
    return [name for name in names if made_from.get(name) != digest(PICTURES[name][1](runs))]


def make(names: list[str]) -> None:
    """Make pictures, and note from what."""
    runs, made_from = Runs(), known()
    FOLDER.mkdir(exist_ok=True, parents=True)
    for name in names:
        draw, text = PICTURES[name]
        for file, content in draw(runs).items():
            if len(content) > MOST_BYTES:
                sys.exit(f"{file} has {len(content):,} bytes. Make it smaller: the limit is {MOST_BYTES:,}.")
            (FOLDER / file).write_bytes(content)
            print(f"{file}: {len(content):,} bytes")
        made_from[name] = digest(text(runs))
    MADE_FROM.write_text(json.dumps(dict(sorted(made_from.items())), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(PICTURES)}; without one, all")
    parser.add_argument("--check", action="store_true", help="make none, and fail if one is not current")
    options = parser.parse_args()
    if unknown := set(options.names) - set(PICTURES):
        parser.error(f"No picture {sorted(unknown)[0]!r}. There are {', '.join(PICTURES)}.")
    chosen = options.names or list(PICTURES)
    if not options.check:
        make(chosen)
    elif old := stale(chosen):
        sys.exit(f"Not current: {', '.join(old)}. Run: python docs/pictures.py {' '.join(old)}")
