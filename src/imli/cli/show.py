"""``imli show``: a saved model as text."""

import argparse

from imli.cli.data import format_of, open_table
from imli.cli.screen import print_json, say, show_rule
from imli.errors import brief
from imli.models import Card, Check, Model, load


def run(options: argparse.Namespace) -> int:
    """Print a saved model, with counts on other rows if there are some, and return the exit status."""
    model = load(options.model)
    rule = model.rule
    if options.data is not None:
        table = open_table(options.data, format_of(options, model.readings))
        if rule.target is None or rule.target not in table.columns:
            raise ValueError(f"To count, {table.title} must have its target column, {brief(rule.target)}.")
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
    if options.card and model.card is not None:
        say()
        for line in card_lines(model.card):
            say(line)
    return 0


def _remarks(model: Model, is_counted_anew: bool) -> list[str]:
    """Return sentences about the cost, the bound and the checks of the rule."""
    if model.is_edited:
        edited = "It was edited by hand after it was learned"
        return [f"{edited}." if is_counted_anew else f"{edited}, so its counts, cost and bound are no longer valid."]
    card = model.card
    answer = None if card is None or is_counted_anew else card.answer(model.rule)
    checks = () if card is None else card.checks
    cost = [] if answer is None else [str(answer)]
    return [*cost, *(sentence for check in checks for sentence in check.sentences)]


def card_lines(card: Card) -> list[str]:
    """Return the card as lines of a name and a value; values that were not given are left out."""
    content = card.to_dict()
    checks = content.pop("checks", [])
    rows: dict[str, object] = {}
    for name, value in content.items():
        rows.update(
            {f"{name}.{part}": each for part, each in value.items()} if isinstance(value, dict) else {name: value}
        )
    rows.update({f"checks.{number}": Check(**check) for number, check in enumerate(checks, start=1)})
    width = max(map(len, rows), default=0)
    return [f"{name:{width}}  {value}" for name, value in rows.items() if value not in (None, [])]
