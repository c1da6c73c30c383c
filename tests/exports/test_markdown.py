"""Markdown, rendered: what a reader sees is the rule."""

from hypothesis import given, settings
from markdown_it import MarkdownIt
from support.generated import counted, pair_rules, point_rules, rules

from imli import parse_rule


def rendered(markdown):
    """The cells of the table as text, row by row, and the paragraph below."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    rows, below, in_cell = [], "", False
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        if token.type in ("td_open", "th_open", "td_close", "th_close"):
            in_cell = token.nesting == 1
        if token.type == "inline":
            assert {child.type for child in token.children} <= {"text", "code_inline", "strong_open", "strong_close"}
            text = "".join(child.content for child in token.children)
            if in_cell:
                rows[-1].append(text)
            else:
                below += text
    return rows, below


def test_it_reads_like_this():
    rule = parse_rule('IF age > 60 AND smoker OR `town|city` is Bath or "`York`" THEN risk is high ELSE risk is low')
    table = {"age": [70, 70, 30, 30], "smoker": [1, 0, 1, 0], "town|city": ["`York`", "Rome", "`York`", "Rome"]}
    rule = rule.counted_on(table, ["high", "high", "low", "low"])
    assert (
        "\n" + rule.to_markdown()
        == """
| | Rule | Rows | Correct | Only here |
| :-- | :-- | --: | --: | --: |
| IF | `age > 60` AND `smoker` | 1 | 100 % | 0 |
| OR | ``town\\|city is Bath or "`York`"`` | 2 | 50 % | 0 |
| THEN | **`risk is high`** | 2 | 50 % | |
| ELSE | **`risk is low`** | 2 | 50 % | |

2 clauses, 3 conditions (size 4). Correct on 50 % of 4 rows."""
    )
    assert (
        "\n" + rule.to_markdown(counts=False)
        == """
| | Rule |
| :-- | :-- |
| IF | `age > 60` AND `smoker` |
| OR | ``town\\|city is Bath or "`York`"`` |
| THEN | **`risk is high`** |
| ELSE | **`risk is low`** |

2 clauses, 3 conditions (size 4)."""
    )


@settings(max_examples=150, deadline=None)
@given(counted(rules() | pair_rules() | point_rules()))
def test_all_signs_are_shown_as_they_are(rule):
    rows, below = rendered(rule.to_markdown())
    assert rows[0] == ["", "Rule", "Rows", "Correct", "Only here"]
    lines = rule.to_text(counts=False).split("\n")
    if rule.kind in ("score", "checklist"):  # whose lines do not all begin with a keyword, and are aligned
        assert [" ".join(row[:2]).split() for row in rows[1:]] == [line.split() for line in lines]
    else:
        assert [" ".join(row[:2]) for row in rows[1:]] == [" ".join(line.split(maxsplit=1)) for line in lines]
    assert below
