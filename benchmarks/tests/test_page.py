"""The page as a whole, and its plots."""

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import made_up_results
import pytest

from imli_bench.pages import TEMPLATE, render, render_new
from imli_bench.pages.figures import is_drawn, plots
from imli_bench.pages.marks import fill
from imli_bench.pages.measured import Results
from imli_bench.pages.standings import Standings

PAGE = Path(__file__).parents[2] / "docs" / "about" / "comparison.md"
PLOTS = {"ranks", "fronts", "cactus", "formulations", "ablation_k", "ablation_lam", "ablation_batch_size", "growth"}
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    """The page of this project, filled with results on three data sets that nobody measured."""
    folder = tmp_path_factory.mktemp("comparison")
    made_up_results.write(folder / "results", problems=("wdbc", "adult", "lookalike-labor"), n_settings=2)
    shutil.copy(PAGE, folder / "page.md")
    stale = render(folder / "results", folder / "page.md")
    assert {path.name for path in stale} == {"page.md", *(f"{name}.svg" for name in PLOTS)}
    return folder


def test_no_results(tmp_path):
    shutil.copy(PAGE, tmp_path / "page.md")
    render(tmp_path / "nowhere", tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text("utf-8")
    places = re.findall(r"<!-- table: (\w+) -->(.*?)<!-- end -->", text, re.DOTALL)
    assert len(places) == 32
    for name, content in places:
        assert "not measured yet" in content.lower(), name
    assert not (tmp_path / "page").exists()
    assert render(tmp_path / "nowhere", tmp_path / "page.md", check=True) == []


def test_the_page_of_this_project_is_the_one_that_comes_along():
    emptied = re.sub(
        r"(<!-- table: \w+ -->).*?<!-- end -->", r"\1\n<!-- end -->", PAGE.read_text("utf-8"), flags=re.DOTALL
    )
    assert emptied == TEMPLATE.read_text("utf-8")


def test_a_new_page(tmp_path):
    made_up_results.add(tmp_path, "defaults", "wdbc", "cart", accuracy=90.0, size=4)
    render_new(tmp_path, tmp_path / "comparison.md")
    assert "![Accuracy against the size of the rule on WDBC.](comparison/fronts.svg)" in (
        tmp_path / "comparison.md"
    ).read_text("utf-8")
    assert (tmp_path / "comparison" / "fronts.svg").exists()
    assert render(tmp_path, tmp_path / "comparison.md", check=True) == []


def test_all_places_are_filled(rendered):
    text = (rendered / "page.md").read_text("utf-8")
    assert "Not measured yet." not in text
    assert set(re.findall(r"\]\(page/(\w+)\.svg\)", text)) == PLOTS


def test_rendering_again_changes_nothing(rendered):
    assert render(rendered / "results", rendered / "page.md", check=True) == []


def test_a_check_finds_what_changed_and_writes_nothing(rendered, tmp_path):
    shutil.copytree(rendered, tmp_path, dirs_exist_ok=True)
    made_up_results.add(tmp_path / "results", "growth", "lookalike-labor", "cart", most_rows=1000, n_train=1000,
                        seconds=9.0)  # fmt: skip
    (tmp_path / "page" / "old.svg").write_text("<svg/>")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()}
    stale = render(tmp_path / "results", tmp_path / "page.md", check=True)
    assert [path.name for path in stale] == ["growth.svg", "old.svg"]
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()} == before


def test_a_check_finds_a_figure_that_somebody_typed(tmp_path):
    shutil.copy(PAGE, tmp_path / "page.md")
    render(tmp_path, tmp_path / "page.md")
    typed = (tmp_path / "page.md").read_text("utf-8").replace("| Weather | 169 |", "| Weather | 170 |")
    (tmp_path / "page.md").write_text(typed, "utf-8")
    assert render(tmp_path, tmp_path / "page.md", check=True) == [tmp_path / "page.md"]


@pytest.mark.parametrize("name", sorted(PLOTS))
def test_plots_are_images_with_words_that_can_be_read(rendered, name):
    root = ElementTree.parse(rendered / "page" / f"{name}.svg").getroot()
    width = float(root.get("width").removesuffix("pt"))
    assert width * 4 / 3 == pytest.approx(691.2)  # pixels
    assert root.find(f"{SVG}title").text
    sizes = [float(size) for text in root.iter(f"{SVG}text")
             for size in re.findall(r"([0-9.]+)px", text.get("style"))]  # fmt: skip
    assert sizes
    # units of the image are points; the style sheet does not let it become narrower than 608 pixels
    assert min(sizes) * 608 / width >= 9


def test_plots_say_no_day(rendered):
    for path in (rendered / "page").glob("*.svg"):
        assert "<dc:date>" not in path.read_text("utf-8")


def test_another_matplotlib_may_draw_otherwise(rendered):
    svg = (rendered / "page" / "growth.svg").read_text("utf-8")
    moved = svg.replace("<path ", "<path  ")
    assert not is_drawn(moved, svg)
    older = re.sub(r"matplotlib [0-9.]+", "matplotlib 3.0.1", moved)
    assert is_drawn(older, svg)
    assert not is_drawn(re.sub(r"<dc:identifier>\w", "<dc:identifier>x", older), svg)


def test_one_rival_alone_has_no_ranks(tmp_path):
    made_up_results.add(tmp_path, "defaults", "wdbc", "cart", accuracy=90.0, size=4)
    results = Results(tmp_path)
    drawn = plots(results, Standings(results))
    assert drawn["ranks"] is None
    assert drawn["fronts"].to_svg("fronts").startswith("<?xml")


def test_a_place_that_nothing_fills():
    with pytest.raises(ValueError) as error:
        fill("<!-- table: graph --><!-- end -->", {"table": str, "plot": str})
    assert str(error.value) == "The page has a place for 'graph', which nothing makes. Known are: plot, table."
