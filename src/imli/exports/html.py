"""Rules as HTML: the fragment that notebooks show."""

from imli.rules import Rule
from imli.rules.html import to_html
from imli.rules.summary import summarize


def write(rule: Rule) -> str:
    """The rule as a fragment that needs nothing else."""
    return to_html(summarize(rule))
