"""Reports in a real browser: nothing from outside, nothing too wide, light, dark, on paper, and without JavaScript."""

import re

import pytest

NAMES = ["cancer", "wine", "hostile"]
HEADINGS = ["The rule", "Correct and wrong predictions", "Rows that the rule gets wrong, and why", "Model card"]


@pytest.fixture(scope="module")
def files(request, tmp_path_factory):
    """A report of each name, saved."""
    folder = tmp_path_factory.mktemp("reports")
    for name in [*NAMES, "look"]:
        request.getfixturevalue(f"{name}_report").save(folder / f"{name}.html")
    return {name: (folder / f"{name}.html").as_uri() for name in [*NAMES, "look"]}


@pytest.fixture
def visit(browser, files):
    """Opens a report and says what went wrong, or where else it went."""
    contexts = []

    def open_report(name, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        heard = []
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("dialog", lambda dialog: heard.append(dialog.message) or dialog.dismiss())
        page.on("request", lambda request: heard.append(request.url) if request.url != files[name] else None)
        page.goto(files[name])
        return page, heard

    yield open_report
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", [*NAMES, "look"])
@pytest.mark.parametrize("width", [360, 1200])
def test_nothing_is_too_wide_nor_from_outside(visit, name, width):
    page, heard = visit(name, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    # what is wider than the page scrolls in a box of its own
    outside = page.evaluate(
        """[...document.querySelectorAll("main *, header *")]
           .filter(e => !e.closest(".scroll, thead") && e.getBoundingClientRect().right > innerWidth + 1)
           .map(e => e.outerHTML.slice(0, 200))"""
    )
    assert outside == []
    assert heard == []


def test_light_and_dark_differ(visit):
    colours = {}
    for scheme in ("light", "dark"):
        page, _ = visit("cancer", color_scheme=scheme)
        colours[scheme] = page.evaluate(
            "['backgroundColor', 'color'].map(name => getComputedStyle(document.body)[name])"
        )
    assert colours["light"][0] == "rgb(255, 255, 255)"
    assert brightness(colours["light"][0]) > 200 > 100 > brightness(colours["light"][1])
    assert brightness(colours["dark"][1]) > 200 > 100 > brightness(colours["dark"][0])
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def brightness(colour):
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


@pytest.mark.parametrize("name", NAMES)
def test_on_paper(visit, name):
    page, _ = visit(name)
    paper = page.pdf(prefer_css_page_size=True)
    n_pages = len(re.findall(rb"/Type\s*/Page\b", paper))
    assert 3 <= n_pages <= (20 if name == "hostile" else 8)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 670, "height": 900})  # A4 without its margins
    assert page.evaluate("document.documentElement.scrollWidth") == 670


@pytest.mark.parametrize("name", NAMES)
def test_all_of_it_is_there_without_javascript(request, visit, name):
    page, heard = visit(name, java_script_enabled=False)
    text = page.locator("body").inner_text()
    summary = request.getfixturevalue(f"{name}_report").summary
    assert [heading.inner_text() for heading in page.locator("h2").all()] == HEADINGS
    for sentence in summary["verdict"]["sentences"]:
        assert " ".join(sentence.split()) in " ".join(text.split())
    for mistake in summary["mistakes"]["shown"]:
        assert " ".join(mistake["reason"]["text"].split()) in " ".join(text.split())
    assert heard == []


def test_names_from_the_data_are_text(visit, hostile_report):
    page, heard = visit("hostile")
    assert page.locator("script, img, iframe, b").count() == 0
    assert page.title() == hostile_report.summary["verdict"]["title"]
    assert "49" not in page.locator("h1").inner_text()
    assert heard == []


def test_a_notebook_shows_it_in_a_frame(browser, cancer_report):
    page = browser.new_page()
    page.set_content(f"<p>before</p>{cancer_report._repr_html_()}")
    assert page.frame_locator("iframe").locator("h1").inner_text() == "diagnosis: benign or malignant?"
    page.close()
