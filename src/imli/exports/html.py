"""Rules as HTML fragments for notebooks and reports, with their own style."""

from html import escape

from imli.rules import Rule
from imli.rules.text import LineSummary, RuleSummary, Share, summarize, table_share, write_figures, write_footer

# A notebook puts its own styles on tables: JupyterLab and VS Code align text on the right and paint every other row. It
# sets the fragment as innerHTML, which attaches no shadow root, so these styles win by an id that no element has, and
# begin by taking all others back. Lines are shadows because VS Code forbids borders with !important.
# Colours are those of the page, lighter or stronger, so that the rule is readable on light and dark pages, however a
# notebook switches between them. Only the bars have colours of their own, which stand out on both.
_STYLE = """
.imli-rule { container-type: inline-size; max-width: 60rem; font: 0.9rem/1.5 system-ui, sans-serif; color: inherit;
  font-variant-numeric: tabular-nums; text-align: left; }
.imli-rule :is(table, thead, tbody, tr, th, td, span, b, i, footer) { all: revert; }
.imli-rule table { width: 100%; border-collapse: collapse; font: inherit; font-variant-numeric: inherit;
  color: inherit; }
.imli-rule th, .imli-rule td { padding: 0.25rem 0.75rem 0.25rem 0; text-align: left; vertical-align: baseline;
  font-weight: normal; }
.imli-rule td.words { width: 100%; overflow-wrap: anywhere; }
.imli-rule th, .imli-rule .light, .imli-rule footer { opacity: 0.65; font-size: 0.85em; }
.imli-rule th { white-space: nowrap; }
.imli-rule .number { text-align: right; white-space: nowrap; }
.imli-rule tr.decision { box-shadow: 0 1px rgb(128 128 128 / 0.3); }
.imli-rule b { font-weight: 600; }
.imli-rule .piece { display: inline-block; max-width: 100%; margin-right: 0.3em; }
.imli-rule .condition { white-space: pre-wrap; }
.imli-rule .bar { display: block; min-width: 6rem; height: 0.5rem; border-radius: 0.25rem; overflow: hidden;
  background: rgb(128 128 128 / 0.18); }
.imli-rule .bar i { float: left; height: 100%; background: #3b82c4; }
.imli-rule .bar i.wrong { background: #e0853d; }
.imli-rule footer { padding: 0.35rem 0; }
@container (max-width: 36rem) {
  .imli-rule table, .imli-rule tbody, .imli-rule tr { display: block; }
  .imli-rule thead { display: none; }
  .imli-rule tr { padding: 0.3rem 0; }
  .imli-rule th, .imli-rule td.words { display: inline; padding: 0 0.4rem 0 0; }
  .imli-rule td.number { display: inline-block; padding: 0 0.9rem 0 0; font-size: 0.85em; }
  .imli-rule td.number::after { content: " " attr(data-unit); opacity: 0.65; }
  .imli-rule td.number:empty, .imli-rule td.picture:empty { display: none; }
  .imli-rule td.picture { display: block; padding: 0.25rem 0; }
}
@media print { .imli-rule { break-inside: avoid; print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
""".replace(".imli-rule", ".imli-rule:not(#_)")

_HEAD = (
    '<thead><tr><th></th><th></th><th></th><th class="number">rows</th><th class="number">correct</th>'
    '<th class="number" title="rows that would be decided wrongly without this clause">only here</th></tr></thead>'
)
_KEY = "<br>The bars show what share of all rows a line is about: blue where it is correct, orange where it is wrong."


def write(rule: Rule) -> str:
    """Write the rule as an HTML fragment with its own style."""
    return to_html(summarize(rule))


def to_html(summary: RuleSummary) -> str:
    """Write the summary of a rule as a table: a row per line and, with counts, numbers of rows and a bar."""
    total = summary["n_rows"]
    lines = "\n".join(_row(line, total) for line in summary["lines"])
    return (
        f'<div class="imli-rule"><style>{_STYLE}</style>\n'
        f"<table>{_HEAD if total is not None else ''}<tbody>\n{lines}\n</tbody></table>\n"
        f"<footer>{escape(write_footer(summary))}{_KEY if total else ''}</footer></div>"
    )


def _row(line: LineSummary, total: float | None) -> str:
    is_decision = any(piece["is_decision"] for piece in line["pieces"])
    cells = [
        f'<th scope="row">{escape(line["keyword"])}</th>',
        f'<td class="words">{" ".join(_words(line))}</td>',
    ]
    if total is not None:
        cells += _figures(table_share(line), total)
    return f"<tr class={'decision' if is_decision else 'clause'}>{''.join(cells)}</tr>"


def _words(line: LineSummary) -> list[str]:
    words: list[str] = []
    for piece in line["pieces"]:
        joint = f'<span class="light">{escape(piece["joint"])}</span> ' if piece["joint"] else ""
        text = escape(piece["opens"] + piece["text"] + piece["closes"])
        text = f"<b>{text}</b>" if piece["is_decision"] else f'<span class="condition">{text}</span>'
        words.append(f'<span class="piece">{joint}{text}</span>')
    return words


def _figures(share: Share | None, total: float) -> list[str]:
    figures = zip(("rows", "correct", "only here"), write_figures(share), strict=True)
    return [
        f'<td class="picture">{"" if share is None or not total else _bar(share, total)}</td>',
        *(f'<td class="number" data-unit="{unit}">{figure}</td>' for unit, figure in figures),
    ]


def _bar(share: Share, total: float) -> str:
    right, wrong = (100 * part / total for part in (share["right"], share["rows"] - share["right"]))
    return (
        f'<span class="bar"><i style="width:{right:.2f}%"></i><i class="wrong" style="width:{wrong:.2f}%"></i></span>'
    )
