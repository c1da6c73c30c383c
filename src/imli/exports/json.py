"""Rules as JSON, which ``imli.rule_from_dict`` reads back."""

import json

from imli.rules import Rule


def write(rule: Rule, *, indent: int | None = 2) -> str:
    """The rule's dict as JSON."""
    return json.dumps(rule.to_dict(), indent=indent)
