"""The page: made from the summary alone, well-formed, escaped, in colours that can be read."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from imli import make_report, parse_rule
from imli.report import render

VOID = {"meta", "br"}
REPORTS = ["cancer_report", "wine_report", "hostile_report"]


class Reader(HTMLParser):
    """Checks that tags are closed in the order they were opened, and collects tags, attributes and headings."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.attributes, self.headings, self.ids = [], [], [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.ids += [value for name, value in attrs if name == "id"]
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(params=REPORTS)
def report(request):
    return request.getfixturevalue(request.param)


def test_the_page_is_made_from_the_summary_alone(report):
    assert render(json.loads(json.dumps(report.summary))) == report.html


def test_it_is_well_formed_and_in_order(report):
    reader = Reader(report.html)
    assert reader.headings[0] == 1
    assert reader.headings.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in zip(reader.headings, reader.headings[1:], strict=False))
    assert len(set(reader.ids)) == len(reader.ids)
    named = dict(reader.attributes)
    assert named["lang"] == "en"
    for name, value in reader.attributes:
        if name in ("aria-labelledby",):
            assert set(value.split()) <= set(reader.ids)
        if name == "href":
            assert value.removeprefix("#") in reader.ids
    # every picture has a title, every table names its columns
    assert reader.tags.count("svg") == reader.tags.count("desc")
    assert report.html.count("<table") == report.html.count("<thead>")


def test_it_needs_nothing_else(report):
    reader = Reader(report.html)
    assert not set(reader.tags) & {"script", "img", "link", "iframe", "object", "embed", "base", "form", "video"}
    assert not {name for name, _ in reader.attributes} & {"src", "srcset", "background", "action", "data", "poster"}
    assert not any(name.startswith("on") for name, _ in reader.attributes)
    style = report.html[report.html.index("<style>") : report.html.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style


def test_signs_that_no_file_can_hold_do_not_stop_it(tmp_path):
    report = make_report(parse_rule("IF a THEN x ELSE y"), {"a": [True, False]}, ["x", "\ud800"])
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == report.html


def test_saving_is_whole_or_not_at_all(tmp_path, cancer_report):
    with pytest.raises(FileNotFoundError) as caught:
        cancer_report.save(tmp_path / "gone" / "report.html")
    assert caught.value.filename == str(tmp_path / "gone" / "report.html")


def test_the_templates_are_installed():
    names = {template.name for template in (files("imli.report") / "templates").iterdir()}
    assert names >= {"report.html", "style.css"}


def test_without_jinja_it_says_what_to_install():
    code = (
        "import sys; sys.modules['jinja2'] = None\n"
        "import imli\n"
        "imli.make_report(imli.parse_rule('a'), {'a': [True]}, [True])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.stderr.splitlines()[-1] == (
        'ImportError: A report needs jinja2. Install it with: pip install "imli[report]".'
    )


def palettes(style):
    """The colours by name, light and dark."""
    found = [dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block)) for block in re.findall(r":root \{.*?\}", style, re.S)]
    light, dark = found
    return {"light": light, "dark": light | dark}


def luminance(colour):
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def mixed(one, other, share):
    """As color-mix does in CSS."""
    parts = [(int(one[n : n + 2], 16), int(other[n : n + 2], 16)) for n in (1, 3, 5)]
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in parts)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(cancer_report, scheme):
    colours = palettes(cancer_report.html)[scheme]
    darkest_cell = mixed(colours["accent"], colours["paper"], 0.18)
    for text in ("ink", "soft", "accent"):
        assert contrast(colours[text], colours["paper"]) >= 4.5
    for text in ("ink", "soft"):
        assert contrast(colours[text], darkest_cell) >= 4.5
    # what is drawn
    for mark in ("accent", "wrong"):
        assert contrast(colours[mark], colours["paper"]) >= 3
