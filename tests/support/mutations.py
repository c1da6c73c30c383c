"""Documents with something wrong in them: changed in their values, or in the bytes of their text."""

import json
import math
import pickle

_DEEP = "deep nesting"
_LONG = "a long number"
VALUES = [
    None, True, False, 0, 1, -1, 3, 60, 2.5, -0.0, 1e308, -1e308, 5e-324, 1e400, math.nan, -math.inf, 2**53 + 1, 2**63,
    -(2**63), 2**64, 10**40, 10**308, "", "a", "age", "smoker", "city", "60", "yes", "no", "number", "text", "model",
    "cnf", "set", "2020-02-30", "2021-01-01", "9999-12-31", "0000-00-00", "\ud800", "a\udfffb", "\x00", "line\nbreak",
    "Ünï", "<b>", "`", '"', "x" * 300, [], {}, [None], [[]], [0, 1], ["a", "a"], {"a": 1}, {"test": "true"}, {"": []},
    {"test": "missing", "column": "age", "or_missing": True}, {"number": "inf"}, {"pairs": [[0, 1]]}, _DEEP, _LONG,
]  # fmt: skip
_INSERTED = [b"[", b"{", b"}", b"]", b",", b":", b'"', b"\\", b"-", b"0", b"9" * 400, b"e99", b"null", b"NaN", b"\xff",
             b"\xed\xa0\x80", b"\\ud800", b"\x00", b"true,", b'"test":"is",', b" \n", b"\xef\xbb\xbf"]  # fmt: skip


def _copy(value):
    return pickle.loads(pickle.dumps(value))


def as_python(document):
    """The document with what JSON would be as deep or as long as it can be."""
    for part in parts(document):
        for key, value in list(part.items() if isinstance(part, dict) else enumerate(part)):
            if value == _LONG:
                part[key] = 10**5000
            elif value == _DEEP:
                part[key] = []
                for _ in range(5000):
                    part[key] = [part[key]]
    return document


def parts(document):
    """Every list and object in the document, with the keys or numbers of what it holds."""
    ahead, found = [document], []
    while ahead:
        part = ahead.pop()
        if isinstance(part, dict | list) and part:
            found.append(part)
            ahead += part.values() if isinstance(part, dict) else part
    return found


def with_wrong_values(rng, document):
    """The document with one to three values replaced, removed, doubled, moved or renamed."""
    document = _copy(document)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        # half of them in the rule, which is a small part of a model
        holders = parts(document.get("rule") if rng.random() < 0.5 else document) or parts(document)
        if not holders:
            return document
        holder = rng.choice(holders)
        key = rng.choice(list(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
        action = rng.choice(["replace", "replace", "replace", "remove", "double", "move", "rename", "retype"])
        if action == "replace":
            holder[key] = _copy(rng.choice(VALUES))
        elif action == "remove":
            del holder[key]
        elif action == "double" and isinstance(holder, list):
            holder.insert(key, _copy(holder[key]))
        elif action == "move":
            other = rng.choice(holders)
            if isinstance(other, list):
                other.append(_copy(holder[key]))
            else:
                other[rng.choice(list(other) or ["x"])] = _copy(holder[key])
        elif action == "rename" and isinstance(holder, dict):
            holder[rng.choice(["x", "", "counts", "test", "values", "kind", "card", "\ud800"])] = holder.pop(key)
        elif action == "retype":
            value = holder[key]
            holder[key] = rng.choice([[value], {"x": value}, str(value)[:50], len(str(value)[:50])])
    return document


def as_text(rng, document):
    """The document as JSON, now and then with a key twice."""
    text = json.dumps(document, ensure_ascii=rng.random() < 0.7, indent=rng.choice([None, 2]))
    depth = rng.choice([30, 60, 5000, 200_000])
    text = text.replace(f'"{_DEEP}"', "[" * depth + "]" * depth).replace(f'"{_LONG}"', "9" * rng.choice([309, 5000]))
    if rng.random() < 0.02:
        text = text.replace('"test": ', '"test": "true", "test": ', 1)
    return text.encode("utf-8", "surrogatepass")


def with_wrong_bytes(rng, text):
    """The text with one to three places flipped, cut, put in, doubled or moved."""
    changed = bytearray(text)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        start = rng.randrange(len(changed) or 1)
        end = min(len(changed), start + rng.choice([1, 1, 2, 5, 20, 200]))
        action = rng.choice(["flip", "digit", "cut", "cut", "insert", "double", "end"])
        if action == "flip" and changed:
            changed[start] ^= 1 << rng.randrange(8)
        elif action == "digit":
            digits = [place for place, sign in enumerate(changed) if sign in b"0123456789"] or [0]
            changed[rng.choice(digits) : 0] = b""
            if changed:
                changed[rng.choice(digits)] = rng.choice(b"0123456789-.eE")
        elif action == "cut":
            del changed[start:end]
        elif action == "insert":
            changed[start:start] = rng.choice(_INSERTED)
        elif action == "double":
            changed[start:start] = changed[start:end]
        elif action == "end" and rng.random() < 0.2:
            del changed[start:]
    return bytes(changed)
