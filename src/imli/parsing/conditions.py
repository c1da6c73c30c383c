"""One condition, from the words between two connectives."""

import re

from imli.literals import MIRRORED, OPERATORS, Compare, CompareDate, InInterval, IsIn, IsMissing, IsTrue, Literal
from imli.moments import is_moment
from imli.notation import KEYWORDS, Value, is_number, read_number, read_quoted, write_name
from imli.parsing.tokens import RuleSyntaxError, Token, joined, split_all
from imli.rules import Label

_TRUTHS = {"true": True, "True": True, "false": False, "False": False}
_COMPARISON = re.compile(r"(<=|>=|<|>)")


def read_one_literal(tokens: list[Token], text: str) -> Literal:
    """The same where two ends of a range cannot stand together."""
    literals = read_condition(tokens, text)
    if len(literals) == 1:
        return literals[0]
    low, high = literals
    interval = f"{low.bound.text} <= {write_name(low.column)} < {high.bound.text}" if low.bound and high.bound else ""
    raise RuleSyntaxError(
        f"Cannot read {joined(tokens)!r} here: it is two literals joined by AND, '{low}' and '{high}'. "
        f"Write one of them, or '{interval}', which is one literal."
    )


def read_condition(tokens: list[Token], text: str) -> tuple[Literal, ...]:
    """One literal, or the two ends of a range, from the tokens between two connectives."""
    whole = tokens
    or_missing = len(tokens) > 2 and tokens[-2].is_word("or") and tokens[-1].is_word("missing")
    if or_missing:
        tokens = tokens[:-2]
    verb = next((i for i, token in enumerate(tokens) if token.is_word("is")), None)
    if verb is not None:
        return (_is_condition(tokens[:verb], tokens[verb + 1 :], or_missing, text),)
    negated = bool(tokens) and tokens[0].is_word("not")
    parts = _comparison_parts(tokens[1:] if negated else tokens)
    signs = [part.text for part in parts if part.kind == "sign"]
    sides = split_all(parts, *OPERATORS)
    if not signs:
        return (IsTrue(_name(sides[0], text), negated, or_missing=or_missing),)
    if len(signs) == 1 and not negated:
        left, right = sides
        if _are_number(left) or is_moment(joined(left)):
            return (_comparison(right, MIRRORED[signs[0]], left, or_missing, text),)
        return (_comparison(left, signs[0], right, or_missing, text),)
    if len(signs) == 2 and set(signs) <= {"<", "<="}:
        low, name, high = sides
        if signs == ["<=", "<"] and not is_moment(joined(low)):
            ends = _number(low, text), _number(high, text)
            return (InInterval(_name(name, text), *ends, negated, or_missing=or_missing),)
        if not negated:
            return (
                _comparison(name, MIRRORED[signs[0]], low, or_missing, text),
                _comparison(name, signs[1], high, or_missing, text),
            )
    raise RuleSyntaxError(f"Cannot read {joined(whole)!r}. Write 'name < number' or 'number <= name < number'.")


def _comparison(
    name: list[Token], operator: str, end: list[Token], or_missing: bool, text: str
) -> Compare | CompareDate:
    if not is_moment(joined(end)):
        return Compare(_name(name, text), operator, _number(end, text), or_missing=or_missing)
    try:
        return CompareDate(_name(name, text), operator, joined(end), or_missing=or_missing)
    except ValueError as error:  # as for the 30th of February
        raise RuleSyntaxError(f"Cannot read {text!r}. {error}") from None


def _is_condition(left: list[Token], right: list[Token], or_missing: bool, text: str) -> Literal:
    name = _name(left, text)
    negated = bool(right) and right[0].is_word("not")
    if negated:
        right = right[1:]
    if len(right) == 1 and right[0].is_word("missing") and not or_missing:
        return IsMissing(name, or_missing=not negated)
    if len(right) == 1 and right[0].is_word(*_TRUTHS):
        return IsTrue(name, negated == _TRUTHS[right[0].text], or_missing=or_missing)
    values: list[Value] = []
    part: list[Token] = []
    for token in [*right, Token("comma", ",")]:
        if token.kind == "comma" or token.is_word("or"):
            values.append(_value(part, text))
            part = []
        else:
            part.append(token)
    return IsIn(name, tuple(values), negated, or_missing=or_missing)


def read_decision(tokens: list[Token], text: str) -> tuple[str | None, Label]:
    verb = next((i for i, token in enumerate(tokens) if token.is_word("is")), None)
    if verb is not None:
        return _name(tokens[:verb], text), _value(tokens[verb + 1 :], text)
    return None, _value(tokens, text)


def _comparison_parts(tokens: list[Token]) -> list[Token]:
    """The tokens with comparison signs apart, also in 'age>40'."""
    parts: list[Token] = []
    for token in tokens:
        if token.kind != "word":
            parts.append(token)
            continue
        pieces = filter(None, _COMPARISON.split(token.text))
        parts += [Token("sign" if piece in OPERATORS else "word", piece) for piece in pieces]
    return parts


def _are_number(tokens: list[Token]) -> bool:
    return len(tokens) == 1 and tokens[0].kind == "word" and is_number(tokens[0].text)


def _number(tokens: list[Token], text: str) -> float:
    if not _are_number(tokens):
        raise RuleSyntaxError(f"Expected a number in {text!r}. Got {joined(tokens)!r}.")
    return read_number(tokens[0].text)


def _name(tokens: list[Token], text: str) -> str:
    if len(tokens) == 1 and tokens[0].kind == "name":
        return _unquoted(tokens[0], text)
    _require_words(tokens, "a column name", text)
    if any("=" in token.text for token in tokens):
        raise RuleSyntaxError(f"Cannot read '=' in {text!r}. Write 'name is value' or 'name is not value'.")
    if _are_number(tokens):
        raise RuleSyntaxError(f"Expected a column name in {text!r}. Got the number {tokens[0].text}.")
    return joined(tokens)


def _value(tokens: list[Token], text: str) -> Value:
    if len(tokens) == 1 and tokens[0].kind == "text":
        return _unquoted(tokens[0], text)
    if len(tokens) == 1 and tokens[0].is_word(*_TRUTHS):
        return _TRUTHS[tokens[0].text]
    _require_words(tokens, "a value", text)
    if not _are_number(tokens) and any("," in token.text for token in tokens):
        raise RuleSyntaxError(f"Put a space after each comma in {text!r}, or the value between double quotes.")
    return read_number(tokens[0].text) if _are_number(tokens) else joined(tokens)


def _unquoted(token: Token, text: str) -> str:
    try:
        return read_quoted(token.text)
    except ValueError:
        raise RuleSyntaxError(f"Cannot read {token.text} in {text!r}: write a backslash as two.") from None


def _require_words(tokens: list[Token], what: str, text: str) -> None:
    if not tokens or any(token.kind != "word" or token.text.lower() in KEYWORDS for token in tokens):
        got = f"{joined(tokens)!r}" if tokens else "nothing"
        raise RuleSyntaxError(
            f"Expected {what} in {text!r}. Got {got}. "
            "Names with special signs or words go between backticks, values between double quotes."
        )
