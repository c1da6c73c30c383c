from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from support.generated import counted, pair_rules, point_rules, rules

from imli import DNF, parse_rule
from imli.rules.literals import Compare, IsIn

VOID = {"br", "meta"}


class Reader(HTMLParser):
    """Checks that tags are closed in the order they were opened, and collects what can be read."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.attributes, self.words = [], set(), [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)


def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@settings(max_examples=50)
@given(counted(rules() | pair_rules() | point_rules()) | rules() | pair_rules() | point_rules())
def test_the_fragment_is_well_formed_and_needs_nothing_else(rule):
    reader = read(rule._repr_html_())
    assert reader.tags <= {
        "div", "style", "table", "thead", "tbody", "tr", "th", "td", "span", "b", "i", "footer", "br",
    }  # fmt: skip
    assert {name for name, _ in reader.attributes} <= {"class", "style", "scope", "title", "data-unit"}
    assert not any("url(" in value for _, value in reader.attributes)


HOSTILE = "<script>alert('x')</script>"


def test_names_and_values_cannot_become_markup():
    rule = DNF(((Compare(HOSTILE, ">", 1), IsIn("b", (f'"><img src=x>{HOSTILE}',))),), ("</style>", "&lt;"), "<b>")
    html = rule._repr_html_()
    reader = read(html)
    assert "script" not in reader.tags
    assert "img" not in reader.tags
    shown = "".join(reader.words)
    assert f"`{HOSTILE}` > 1" in shown
    assert "`<b>` is &lt;" in shown
    assert "`<b>` is </style>" in shown
    assert "http" not in html
    assert "@import" not in html
    assert "url(" not in html


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("IF a AND 1 < x <= 2 OR b THEN 1 ELSE 0", ["IF a AND 1 < x <= 2", "OR b", "THEN 1", "ELSE 0"]),
        ("IF (a OR b) AND (x > 1) THEN 1 ELSE 0", ["IF (a OR b)", "AND (x > 1)", "THEN 1", "ELSE 0"]),
        ("IF a THEN 1 ELSE IF b THEN 2 ELSE 3", ["IF a", "THEN 1", "ELSE IF b", "THEN 2", "ELSE 3"]),
        ("IF a THEN 1 IF b THEN 2 OTHERWISE 3", ["IF a THEN 1", "IF b THEN 2", "OTHERWISE 3"]),
    ],
)
def test_it_says_what_the_rule_says(text, lines):
    html = parse_rule(text)._repr_html_()
    for line in lines:
        row = " ".join(" ".join(read(part).words) for part in rows(html) if first_words(part) == line)
        assert row.split(), line
    assert len(rows(html)) == len(lines)


def rows(html):
    body = html[html.index("<tbody>") :]
    return [f"<tr{part.split('</tr>')[0]}</tr>" for part in body.split("<tr")[1:]]


def first_words(row):
    return " ".join(" ".join(read(row).words).split())


def test_figures_and_footer():
    rule = parse_rule("IF 20 < age <= 30 AND smoker THEN high IF age > 60 THEN high OTHERWISE low")
    table = {"age": [25, 70, 40, 50], "smoker": [True, False, False, False]}
    html = rule.counted_on(table, ["high", "low", "low", "low"])._repr_html_()
    assert [first_words(row) for row in rows(html)] == [
        "IF 20 < age <= 30 AND smoker THEN high 1 100 % 1",
        "IF age > 60 THEN high 1 0 % 0",
        "OTHERWISE low 2 100 %",
    ]
    assert '<i style="width:25.00%"></i><i class="wrong" style="width:0.00%">' in rows(html)[0]
    footer = "".join(read(html[html.index("<footer>") : html.index("</div>")]).words)
    assert footer.startswith("2 clauses, 3 conditions (size 4). Correct on 75 % of 4 rows.")


def test_a_cnf_says_whose_rows_it_counts():
    rule = parse_rule("IF (a) THEN 1 ELSE 0").counted_on({"a": [True, False]}, [1, 0])
    assert "Correct on 100 % of 2 rows. The rows of a clause are those that it rules out." in rule._repr_html_()
    assert "rules out" not in rule.with_counts(None)._repr_html_()
