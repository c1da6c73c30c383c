"""``imli show``: a saved model in words."""

import argparse
from typing import TYPE_CHECKING

from imli.cli.outputs import print_json
from imli.cli.screen import say, show_rule
from imli.cli.tables import open_table, reading_of
from imli.models import load

if TYPE_CHECKING:
    from imli.models import Model


def run(options: argparse.Namespace) -> int:
    model = load(options.model)
    rule = model.rule
    if options.data is not None:
        table = open_table(options.data, reading_of(options, model.kinds))
        if rule.target is None or rule.target not in table.names:
            raise ValueError(f"To count, {table.source} must have the column that is decided, {rule.target!r}.")
        frame = table.frame({*rule.columns, rule.target})
        there = ~frame[rule.target].missing
        rule = rule.counted_on(frame.take(there), frame[rule.target].take(there))
    if options.json:
        content = model.to_dict()
        if options.data is not None:
            assert rule.counts is not None
            content["counts_on_data"] = rule.counts.to_dict()
        print_json({**content, "text": str(rule)})
        return 0
    show_rule(rule)
    for line in _remarks(model, is_counted_anew=options.data is not None):
        say(line)
    if options.card:
        say()
        for line in card_lines(model):
            say(line)
    return 0


def _remarks(model: "Model", is_counted_anew: bool) -> list[str]:
    """What is known of the rule besides its counts."""
    if model.is_edited:
        edited = "It was edited by hand after it was learned"
        return [f"{edited}." if is_counted_anew else f"{edited}, so its figures no longer speak of it."]
    return []


def card_lines(model: "Model") -> list[str]:
    """The card as lines of a name and a value."""
    return []
