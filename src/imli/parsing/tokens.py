"""The words, quoted names, brackets and commas that rules are written with."""

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""\s*(?: (?P<name>`(?:[^`\\]|\\.)*`) | (?P<text>"(?:[^"\\]|\\.)*") | (?P<mark>[()]) | (?P<word>[^\s()`"]+) )""",
    re.VERBOSE | re.DOTALL,
)
_BREAKS = ("AND", "OR", "IF", "THEN", "ELSE", "OTHERWISE", "(", ")")


class RuleSyntaxError(ValueError):
    """A literal or rule could not be read."""


@dataclass(frozen=True)
class Token:
    kind: str  # "name", "text", "mark", "word" or "comma"
    text: str

    def is_word(self, *words: str) -> bool:
        return self.kind == "word" and self.text in words

    def ends_condition(self) -> bool:
        return self.kind in ("word", "mark") and self.text in _BREAKS


def tokenize(text: str) -> list[Token]:
    if not isinstance(text, str):
        raise TypeError(f"Expected the text of a literal or rule. Got {text!r}.")
    tokens: list[Token] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        found = _TOKEN.match(text, position)
        if found is None:
            raise RuleSyntaxError(f"Cannot read {text[position:].strip()!r}: a quote is not closed.")
        position = found.end()
        kind = str(found.lastgroup)
        token = found[kind]
        if kind == "word" and token.endswith(","):
            tokens += [Token("word", token[:-1])] if token != "," else []
            tokens.append(Token("comma", ","))
        else:
            tokens.append(Token(kind, token))
    return tokens


def without_remarks(tokens: list[Token]) -> list[Token]:
    """The tokens without what is said in brackets about decisions and clauses."""
    kept: list[Token] = []
    in_decision, position = False, 0
    while position < len(tokens):
        token = tokens[position]
        if token.is_word("IF", "THEN", "ELSE", "OTHERWISE"):
            in_decision = token.text != "IF"
        close = _closing(tokens, position)
        # where a clause could start, a bracket is one, whatever it says
        behind_clause = bool(kept) and not kept[-1].is_word("IF", "AND", "OR")
        if close is not None and (in_decision or (behind_clause and _is_clause_remark(tokens[position + 1 : close]))):
            position = close
        else:
            kept.append(token)
        position += 1
    return kept


def _is_clause_remark(tokens: list[Token]) -> bool:
    """Whether this says 'covers … rows' or 'rules out … rows', and maybe more."""
    verb = 2 if joined(tokens[:2]) == "rules out" else 1 if joined(tokens[:1]) == "covers" else 0
    return verb > 0 and len(tokens) > verb + 1 and tokens[verb + 1].is_word("row", "rows")


def _closing(tokens: list[Token], position: int) -> int | None:
    """Where the bracket that opens at this position closes; None if none opens, or it stays open."""
    if tokens[position] != Token("mark", "("):
        return None
    return next((i for i in range(position, len(tokens)) if tokens[i] == Token("mark", ")")), None)


def joined(tokens: list[Token]) -> str:
    return " ".join(token.text for token in tokens)


def split_all(tokens: list[Token], *separators: str) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind in ("word", "sign") and token.text in separators:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def split_once(tokens: list[Token], separator: str) -> tuple[list[Token], list[Token] | None]:
    for i, token in enumerate(tokens):
        if token.is_word(separator):
            return tokens[:i], tokens[i + 1 :]
    return tokens, None
