"""What tells a rule from others."""

import json
from hashlib import blake2b

from imli.rules import Rule


def fingerprint(rule: Rule) -> str:
    """A short text that is another for another rule. Unused slots and counts are no part of a rule here."""
    content = rule.with_counts(None).to_dict()
    if "slots" in content:
        content["slots"] = [clause for clause in content["slots"] if clause is not None]
    text = json.dumps(content, sort_keys=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()
