"""A rule among the styles of notebooks, in a real browser: light, dark, wide and narrow."""

import re

import pytest

from imli import DNFClassifier, parse_rule

# How these hosts style what a cell shows, in short, with selectors of the same strength as theirs.
JUPYTERLAB = """
body { background: var(--page); }
.jp-RenderedHTMLCommon { color: var(--ink); font: 14px/1.6 serif; padding-right: 20px; }
.jp-RenderedHTMLCommon table { table-layout: fixed; margin: 0 auto 1em auto; color: var(--ink); font-size: 12px;
  border-spacing: 0; }
.jp-RenderedHTMLCommon thead { border-bottom: 1px solid; vertical-align: bottom; }
.jp-RenderedHTMLCommon td, .jp-RenderedHTMLCommon th, .jp-RenderedHTMLCommon tr { vertical-align: middle;
  padding: 0.5em; line-height: normal; max-width: none; border: none; }
:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon td, :not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon th,
:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon tr { text-align: right; }
.jp-RenderedHTMLCommon th { font-weight: bold; }
.jp-RenderedHTMLCommon tbody tr:nth-child(odd) { background: var(--page); }
.jp-RenderedHTMLCommon tbody tr:nth-child(even) { background: var(--stripe); }
.jp-RenderedHTMLCommon tbody tr:hover { background: var(--stripe); }
"""
VSCODE = """
body { background: var(--page); color: var(--ink); }
table, thead, tr, th, td, tbody { border: none !important; border-spacing: 0; border-collapse: collapse; }
table, th, tr { vertical-align: middle; text-align: right; }
thead { font-weight: bold; background-color: rgba(130, 130, 130, 0.16); }
th, td { padding: 4px 8px; }
tr:nth-child(even) { background-color: rgba(130, 130, 130, 0.08); }
"""
COLAB = """
body { background: var(--page); color: var(--ink); font: 14px Roboto, sans-serif; }
table.dataframe td, .rendered_html td, td { text-align: right; padding: 4px 8px; font-family: monospace; }
.rendered_html tbody tr:nth-child(odd), tbody tr:nth-child(odd) { background: var(--stripe); }
.rendered_html tr, .rendered_html th, .rendered_html td { text-align: right; max-width: none; border: 1px solid; }
"""
HOSTS = {
    "JupyterLab": JUPYTERLAB,
    "VS Code": VSCODE,
    "Colab": COLAB,
    "nothing": "body { background: var(--page); color: var(--ink); }",
}
THEMES = {
    "light": "--page: white; --ink: rgba(0, 0, 0, 0.87); --stripe: #f5f5f5",
    "dark": "--page: #111; --ink: rgba(255, 255, 255, 0.87); --stripe: #424242",
}
RULE = parse_rule("IF 20 < age <= 30 AND smoker OR age > 60 AND (city is Bath or York) THEN high ELSE low").counted_on(
    {"age": [25, 70, 40, 50], "smoker": [True, False, False, False], "city": ["Bath", "York", "Ely", "Ely"]},
    ["high", "low", "low", "low"],
)

# The colour of what is written in a cell, with all opacities, and the one behind it.
COLOURS = """
() => [...document.querySelectorAll(".imli-rule :is(th, td, footer, span.light, b)")].filter(e => e.innerText.trim())
  .map(e => {
    let opacity = 1, backs = []
    for (let a = e; a; a = a.parentElement) {
      opacity *= getComputedStyle(a).opacity
      backs.push(getComputedStyle(a).backgroundColor)
    }
    return [e.innerText, getComputedStyle(e).color, opacity, backs]
  })
"""


@pytest.fixture
def show(browser):
    """Opens a page that a host makes of a fragment, put in place as notebooks do it."""
    pages = []

    def open_page(fragment, host, theme, width=1000):
        page = browser.new_page(viewport={"width": width, "height": 600})
        pages.append(page)
        page.set_content(
            f"<style>:root {{ {THEMES[theme]} }} {HOSTS[host]}</style>"
            "<div class='jp-RenderedHTMLCommon rendered_html' data-mime-type='text/html'></div>"
        )
        page.evaluate("html => { document.querySelector('div').innerHTML = html }", fragment)
        return page

    yield open_page
    for page in pages:
        page.close()


def parts(colour):
    numbers = [float(number) for number in re.findall(r"[\d.]+", colour)]
    return numbers[:3], numbers[3] if len(numbers) > 3 else 1.0


def over(front, share, back):
    return [share * f + (1 - share) * b for f, b in zip(front, back, strict=True)]


def luminance(colour):
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(colour, opacity, backs):
    back = [255.0, 255.0, 255.0]
    for layer in reversed(backs):
        front, share = parts(layer)
        back = over(front, share, back)
    ink, share = parts(colour)
    light, dark = sorted((luminance(over(ink, share * opacity, back)), luminance(back)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("host", HOSTS)
def test_a_rule_looks_as_it_should_whatever_the_host_does_to_tables(show, host, theme):
    page = show(RULE._repr_html_(), host, theme)

    def style(selector, name):
        return page.eval_on_selector_all(
            f".imli-rule {selector}", f"all => [...new Set(all.map(e => getComputedStyle(e)[{name!r}]))]"
        )

    assert style("td.words, .imli-rule tbody th", "textAlign") == ["left"]
    assert style("td.number", "textAlign") == ["right"]
    assert style("tr, .imli-rule td, .imli-rule thead", "backgroundColor") == ["rgba(0, 0, 0, 0)"]
    assert style("table, .imli-rule tr, .imli-rule td, .imli-rule thead", "borderTopStyle") == ["none"]
    assert style("td.words", "fontSize") == [
        page.evaluate("getComputedStyle(document.querySelector('.imli-rule')).fontSize")
    ]
    assert style("td", "paddingLeft") == ["0px"]
    assert page.locator(".imli-rule table").bounding_box()["x"] == page.locator(".imli-rule").bounding_box()["x"]
    page.hover(".imli-rule td.words")
    assert style("tr", "backgroundColor") == ["rgba(0, 0, 0, 0)"]
    for text, colour, opacity, backs in page.evaluate(COLOURS):
        assert contrast(colour, opacity, backs) >= 4.5, text


@pytest.mark.parametrize("host", HOSTS)
def test_a_narrow_cell_is_not_too_wide(show, host):
    page = show(RULE._repr_html_(), host, "light", width=360)
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_the_box_of_a_classifier_has_the_rule_under_it_after_a_fit(show):
    clf = DNFClassifier(lam=0.1)
    assert "imli-rule" not in clf._repr_html_()
    clf.fit([[0, 0], [0, 1], [1, 0], [1, 1]] * 3, [1, 0, 0, 1] * 3)
    bundle = clf._repr_mimebundle_()
    assert bundle["text/html"].endswith(clf.rule_._repr_html_())
    assert bundle["text/plain"] == repr(clf)
    page = show(clf._repr_html_(), "JupyterLab", "dark")
    box, rule = page.locator(".sk-top-container").bounding_box(), page.locator(".imli-rule").bounding_box()
    assert box["y"] + box["height"] <= rule["y"]
    assert rule["height"] > 50
