"""Parsers of literals and rules, as they are printed or as a person types them.

::

    rule       IF formula THEN decision ELSE decision, or a formula alone
    list       IF literals THEN decision ELSE IF literals THEN decision … ELSE decision
    set        IF literals THEN decision IF literals THEN decision … OTHERWISE decision
    score      ADD number points if literals … IF number points or more THEN decision ELSE decision
    checklist  COUNT if literals … IF at least number of these … THEN decision ELSE decision
    formula    CNF: (literal OR …) AND (…) …      DNF: literals OR literals …
    literals   literal AND …; two ends of a range together: number < name <= number [or missing]
    literal    [not] name | name < number | [not] number <= name < number
               | name is value, … or value | name is not value | name is neither value, … nor value
               | name is [not] missing    each but the last [or missing] or [(or missing)]
               | (literal)
    decision   [name is] value [(a remark)]
    number     12, 1,234.5, or a date: 2024-12-31, 2024-12-31 23:59

AND and OR between literals are upper-case; ``or`` inside a literal is lower-case. The words ``always`` and
``never`` are the text of a constant clause or formula. Brackets around all clauses, joined by AND, make a formula CNF.
Remarks in brackets are skipped after a decision, and after a clause if they begin with "(covers 20 rows" or "(rules
out 20 rows". Rules that were printed earlier have ``name is not value, … or value`` for neither … nor.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from imli.errors import RuleSyntaxError, brief
from imli.rules.formula import CNF, DNF, Formula
from imli.rules.literals import (
    MIRRORED,
    OPERATORS,
    Clause,
    Compare,
    CompareDate,
    InInterval,
    IsIn,
    IsMissing,
    IsTrue,
    Literal,
)
from imli.rules.notation import KEYWORDS, is_number, read_number, read_quoted, write_name
from imli.rules.pairs import DecisionList, DecisionSet, Pair
from imli.rules.rule import Label, Rule
from imli.rules.score import Checklist, Item, PointRule, Score
from imli.table.dates import is_moment
from imli.table.frame import Value

_TOKEN = re.compile(
    r"""\s*(?: (?P<name>`(?:[^`\\]|\\.)*`) | (?P<text>"(?:[^"\\]|\\.)*") |
        (?P<missing>\(\s*or\s+missing\s*\)) | (?P<mark>[()]) | (?P<word>[^\s()`"]+) )""",
    re.VERBOSE | re.DOTALL,
)
_COMPARISON = re.compile(r"(<=|>=|<|>)")
_CLAUSE_REMARK = re.compile(r"(covers|rules out) \S+ rows?( |$)")
_BREAKS = ("AND", "OR", "IF", "THEN", "ELSE", "OTHERWISE", "(", ")")
_WHOLE = re.compile(r"-?[0-9]{1,3}(?:,?[0-9]{3})*")
_FIRST = {"score": "ADD", "checklist": "COUNT"}  # the word that such a rule begins with
_ITEMS = {"score": "2 points if age > 60", "checklist": "if age > 60"}
_CONDITIONS = {"score": "4 points or more", "checklist": "at least 2 of these 3"}
_FORMS = {kind: f"{word} {_ITEMS[kind]} … IF {_CONDITIONS[kind]} THEN … ELSE …" for kind, word in _FIRST.items()}
_TRUTHS = {"true": True, "True": True, "false": False, "False": False}


@dataclass(frozen=True)
class Token:
    """A word, quoted name or text, bracket, comma or comparison sign."""

    kind: str  # "name", "text", "missing", "mark", "word", "comma" or "sign"
    text: str

    def is_word(self, *words: str) -> bool:
        """Return True if the token is one of some words, not quoted."""
        return self.kind == "word" and self.text in words


_OPENS, _CLOSES = Token("mark", "("), Token("mark", ")")


def tokenize(text: str) -> list[Token]:
    """Split the text of a literal or rule into tokens."""
    if not isinstance(text, str):
        raise TypeError(f"Expected the text of a literal or rule. Got {brief(text)}.")
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
    """Return the tokens without the remarks in brackets after decisions and clauses."""
    kept: list[Token] = []
    in_decision, position = False, 0
    closings = _closings(tokens)
    while position < len(tokens):
        token = tokens[position]
        if token.is_word("IF", "THEN", "ELSE", "OTHERWISE"):
            in_decision = token.text != "IF"
        close = closings[position]
        # where a clause could start, a bracket opens a clause and no remark
        behind_clause = bool(kept) and not kept[-1].is_word("IF", "AND", "OR") and kept[-1] != _OPENS
        if close is not None and (
            in_decision or (behind_clause and _CLAUSE_REMARK.match(joined(tokens[position + 1 : close])))
        ):
            position = close
        else:
            kept.append(token)
        position += 1
    return kept


def _closings(tokens: list[Token]) -> list[int | None]:
    """Return for each token where the bracket that it opens is closed; None if it opens none, or it stays open."""
    found: list[int | None] = [None] * len(tokens)
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token == _OPENS:
            opened.append(place)
        elif token == _CLOSES and opened:
            found[opened.pop()] = place
    return found


def _without_brackets(tokens: list[Token]) -> list[Token]:
    """Return the tokens without brackets that enclose all of them."""
    closings, n = _closings(tokens), 0
    while n < len(tokens) // 2 and closings[n] == len(tokens) - 1 - n:
        n += 1
    return tokens[n : len(tokens) - n]


def joined(tokens: list[Token]) -> str:
    """Return the text of the tokens, with spaces between them."""
    return " ".join(token.text for token in tokens)


def split_all(tokens: list[Token], *separators: str) -> list[list[Token]]:
    """Split the tokens at every separator outside of quotes and brackets."""
    parts: list[list[Token]] = [[]]
    end = -1  # of the last brackets
    closings = _closings(tokens)
    for place, token in enumerate(tokens):
        end = max(end, closings[place] or -1) if place > end else end
        if place > end and token.kind not in ("name", "text") and token.text in separators:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def split_once(tokens: list[Token], separator: str) -> tuple[list[Token], list[Token] | None]:
    """Return the tokens before and after the first separator; None after it if there is none."""
    for i, token in enumerate(tokens):
        if token.is_word(separator):
            return tokens[:i], tokens[i + 1 :]
    return tokens, None


def split_clauses(tokens: list[Token]) -> list[list[Token]]:
    """Split the tokens before every IF."""
    starts = [i for i, token in enumerate(tokens) if token.is_word("IF") and i > 0]
    return [tokens[start:end] for start, end in pairwise([0, *starts, len(tokens)])] if tokens else []


# Conditions, from the tokens between two connectives.


def read_one_literal(tokens: list[Token], text: str) -> Literal:
    """Read one literal; raise RuleSyntaxError for the two ends of a range."""
    literals = read_condition(tokens, text)
    if len(literals) == 1:
        return literals[0]
    low, high = literals
    interval = f"{low.bound.text} <= {write_name(low.column)} < {high.bound.text}" if low.bound and high.bound else ""
    raise RuleSyntaxError(
        f"Cannot read {brief(joined(tokens))} here: it is two literals joined by AND, {brief(str(low))} and "
        f"{brief(str(high))}. "
        f"Write one of them, or {brief(interval)}, which is one literal."
    )


def read_condition(tokens: list[Token], text: str) -> tuple[Literal, ...]:
    """Read one literal, or the two ends of a range."""
    whole = tokens = _without_brackets(tokens)
    if any(token.kind in ("word", "mark") and token.text in _BREAKS for token in tokens):
        raise RuleSyntaxError(f"Cannot read {brief(joined(tokens))} as one literal: it has more than one part.")
    n_words = 1 if tokens and tokens[-1].kind == "missing" else 2 if joined(tokens[-2:]) == "or missing" else 0
    or_missing = len(tokens) > n_words > 0
    if or_missing:
        tokens = tokens[:-n_words]
    name, values = split_once(tokens, "is")
    if values is not None:
        return (_read_is(_read_name(name, text), values, or_missing, text),)
    negated = bool(tokens) and tokens[0].is_word("not")
    parts = _split_comparisons(tokens[1:] if negated else tokens)
    signs = [part.text for part in parts if part.kind == "sign"]
    sides = split_all(parts, *OPERATORS)
    if not signs:
        return (IsTrue(_read_name(sides[0], text), negated, or_missing=or_missing),)
    if len(signs) == 1 and not negated:
        left, right = sides
        if _are_number(left) or is_moment(joined(left)):
            return (_read_comparison(right, MIRRORED[signs[0]], left, or_missing, text),)
        return (_read_comparison(left, signs[0], right, or_missing, text),)
    if len(signs) == 2 and set(signs) <= {"<", "<="}:
        low, name, high = sides
        if signs == ["<=", "<"] and not is_moment(joined(low)):
            ends = _read_number(low, text), _read_number(high, text)
            return (InInterval(_read_name(name, text), *ends, negated, or_missing=or_missing),)
        if not negated:
            return (
                _read_comparison(name, MIRRORED[signs[0]], low, or_missing, text),
                _read_comparison(name, signs[1], high, or_missing, text),
            )
    raise RuleSyntaxError(f"Cannot read {brief(joined(whole))}. Write 'name < number' or 'number <= name < number'.")


def _read_comparison(
    name: list[Token], operator: str, end: list[Token], or_missing: bool, text: str
) -> Compare | CompareDate:
    if not is_moment(joined(end)):
        return Compare(_read_name(name, text), operator, _read_number(end, text), or_missing=or_missing)
    try:
        return CompareDate(_read_name(name, text), operator, joined(end), or_missing=or_missing)
    except ValueError as error:  # for example the 30th of February
        raise RuleSyntaxError(f"Cannot read {brief(text)}. {error}") from None


def _read_is(name: str, right: list[Token], or_missing: bool, text: str) -> Literal:
    """Read the literal whose tokens behind 'is' are given."""
    # without a "nor", it is a category
    is_neither = bool(right) and right[0].is_word("neither") and any(token.is_word("nor") for token in right)
    negated = is_neither or (bool(right) and right[0].is_word("not"))
    if negated:
        right = right[1:]
    if is_neither:
        values = tuple(_read_value(part, text) for part in split_all(right, ",", "nor"))
        return IsIn(name, values, negated, or_missing=or_missing)
    if len(right) == 1 and right[0].is_word("missing") and not or_missing:
        return IsMissing(name, or_missing=not negated)
    if len(right) == 1 and right[0].is_word(*_TRUTHS):
        return IsTrue(name, negated == _TRUTHS[right[0].text], or_missing=or_missing)
    values = tuple(_read_value(part, text) for part in split_all(right, ",", "or"))
    return IsIn(name, values, negated, or_missing=or_missing)


def read_decision(tokens: list[Token], text: str) -> tuple[str | None, Label]:
    """Read the target, None if it is not named, and the class of a decision."""
    name, value = split_once(tokens, "is")
    return (None, _read_value(tokens, text)) if value is None else (_read_name(name, text), _read_value(value, text))


def _split_comparisons(tokens: list[Token]) -> list[Token]:
    """Return the tokens with comparison signs separated, also in 'age>40'."""
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


def _read_number(tokens: list[Token], text: str) -> float:
    if not _are_number(tokens):
        raise RuleSyntaxError(f"Expected a number in {brief(text)}. Got {brief(joined(tokens))}.")
    return read_number(tokens[0].text)


def _read_name(tokens: list[Token], text: str) -> str:
    if len(tokens) == 1 and tokens[0].kind == "name":
        return _unquote(tokens[0], text)
    _require_words(tokens, "a column name", text)
    if any("=" in token.text for token in tokens):
        raise RuleSyntaxError(f"Cannot read '=' in {brief(text)}. Write 'name is value' or 'name is not value'.")
    if _are_number(tokens):
        raise RuleSyntaxError(f"Expected a column name in {brief(text)}. Got the number {tokens[0].text}.")
    return joined(tokens)


def _read_value(tokens: list[Token], text: str) -> Value:
    if len(tokens) == 1 and tokens[0].kind == "text":
        return _unquote(tokens[0], text)
    if len(tokens) == 1 and tokens[0].is_word(*_TRUTHS):
        return _TRUTHS[tokens[0].text]
    _require_words(tokens, "a value", text)
    if not _are_number(tokens) and any("," in token.text for token in tokens):
        raise RuleSyntaxError(f"Put a space after each comma in {brief(text)}, or the value between double quotes.")
    return read_number(tokens[0].text) if _are_number(tokens) else joined(tokens)


def _unquote(token: Token, text: str) -> str:
    try:
        return read_quoted(token.text)
    except ValueError:
        raise RuleSyntaxError(f"Cannot read {token.text} in {brief(text)}: write a backslash as two.") from None


def _require_words(tokens: list[Token], what: str, text: str) -> None:
    if not tokens or any(token.kind != "word" or token.text.lower() in KEYWORDS for token in tokens):
        got = f"{brief(joined(tokens))}" if tokens else "nothing"
        raise RuleSyntaxError(
            f"Expected {what} in {brief(text)}. Got {got}. "
            "Names with special signs or words go between backticks, values between double quotes."
        )


# Rules.


def parse_literal(text: str) -> Literal:
    """Return the literal that a text describes.

    Parameters
    ----------
    text
        A literal, written as in a rule.

    Raises
    ------
    imli.RuleSyntaxError
        If the text is not one literal; the message shows the part that cannot be read.

    Examples
    --------
    >>> parse_literal("capital_gain > 5,013")
    Compare(column='capital_gain', or_missing=False, operator='>', threshold=5013)
    """
    return read_one_literal(tokenize(text), text)


def parse_rule(text: str, kind: str | None = None) -> Rule:
    """Return the rule that a text describes, as rules are printed or as a person types it.

    Parameters
    ----------
    text
        A formula such as ``age > 40 AND smoker OR bmi > 30``, or a rule with IF, THEN and ELSE.
    kind
        "cnf", "dnf", "list", "set", "score" or "checklist"; None infers the kind from the text. A decision list of one
        clause has the same text as a DNF of one clause, so it needs ``kind="list"``.

    Raises
    ------
    imli.RuleSyntaxError
        If the text is not a rule of this kind; the message shows the part that cannot be read.

    Examples
    --------
    >>> rule = parse_rule("IF age > 40 AND smoker OR bmi > 30 THEN risk is high ELSE risk is low")
    >>> rule.kind, rule.size, rule.classes
    ('dnf', 3, ('low', 'high'))
    """
    tokens = without_remarks(tokenize(text))
    kind = _guess_kind(tokens) if kind is None else kind
    if kind == "list":
        return _read_list(tokens, text)
    if kind == "set":
        return _read_set(tokens, text)
    if kind in ("score", "checklist"):
        return _read_point_rule(tokens, kind, text)
    rule = _read_labelled_formula(tokens, text)
    if kind not in (None, rule.kind):
        raise RuleSyntaxError(f"Expected a rule of kind {kind!r} in {brief(text)}, but it is of kind {rule.kind!r}.")
    return rule


def parse_pairs(text: str) -> tuple[Pair, ...]:
    """Read the clauses of a decision list or set, each with its class. A default class at the end is ignored."""
    tokens = without_remarks(tokenize(text))
    if not tokens or not tokens[0].is_word("IF"):
        raise RuleSyntaxError(f"Write each clause of {brief(text)} as IF … THEN ….")
    parts = [split_all(part, "ELSE", "OTHERWISE")[0] for part in split_clauses(tokens)]
    _, decision = split_once(parts[0], "THEN")
    target, _ = (None, None) if decision is None else read_decision(decision, text)
    return _read_pairs(parts, target, text)


def parse_items(text: str, kind: str) -> tuple[Item, ...]:
    """Read the items of a score or checklist. A condition on the total after them is ignored."""
    tokens = without_remarks(tokenize(text))
    if tokens and tokens[0].is_word(_FIRST[kind]):
        tokens = split_once(tokens[1:], "IF")[0]
    elif kind == "checklist" and tokens[:1] != [Token("word", "if")]:
        tokens = [Token("word", "if"), *tokens]
    return _read_items(tokens, kind, text)


def _guess_kind(tokens: list[Token]) -> str | None:
    for kind, first in _FIRST.items():
        # no formula that begins with another word has an IF
        if tokens and tokens[0].is_word(first) and any(token.is_word("IF") for token in tokens):
            return kind
    if any(token.is_word("OTHERWISE") for token in tokens):
        return "set"
    is_list = any(a.is_word("ELSE") and b.is_word("IF") for a, b in pairwise(tokens))
    return "list" if is_list or (tokens and tokens[0].is_word("ELSE")) else None


def _read_labelled_formula(tokens: list[Token], text: str) -> Formula:
    if tokens and tokens[0].is_word("IF"):
        tokens = tokens[1:]
    body, decisions = split_once(tokens, "THEN")
    formula = _read_formula(body, text)
    if decisions is None:
        return formula
    target, classes = _read_decisions(decisions, text)
    return type(formula)(formula.slots, classes, target)


def _read_decisions(decisions: list[Token], text: str) -> tuple[str | None, tuple[Label, Label]]:
    """Read the target and the two classes of what stands after THEN, the class after ELSE first."""
    positive, negative = split_once(decisions, "ELSE")
    if negative is None:
        raise RuleSyntaxError("A rule with THEN needs an ELSE. Add 'ELSE' and the other class.")
    (target, yes), (other_target, no) = read_decision(positive, text), read_decision(negative, text)
    if target != other_target:
        raise RuleSyntaxError(f"THEN and ELSE must name the same column. Got {target!r} and {other_target!r}.")
    return target, (no, yes)


def _read_list(tokens: list[Token], text: str) -> DecisionList:
    *parts, final = split_all(tokens, "ELSE")
    if not parts:
        raise RuleSyntaxError(f"A decision list ends with ELSE and its default class. Got {brief(text)}.")
    target, default = read_decision(final, text)
    return DecisionList(_read_pairs(parts if parts[0] else parts[1:], target, text), default, target)


def _read_set(tokens: list[Token], text: str) -> DecisionSet:
    body, final = split_once(tokens, "OTHERWISE")
    if final is None:
        raise RuleSyntaxError(f"A decision set ends with OTHERWISE and its default class. Got {brief(text)}.")
    target, default = read_decision(final, text)
    if body and not body[0].is_word("IF"):
        raise RuleSyntaxError(f"Each clause of a decision set starts with IF. Got {brief(text)}.")
    return DecisionSet(_read_pairs(split_clauses(body), target, text), default, target)


def _read_point_rule(tokens: list[Token], kind: str, text: str) -> PointRule:
    body, rest = split_once(tokens[1:], "IF")
    condition, decisions = split_once(rest or [], "THEN")
    if not tokens or not tokens[0].is_word(_FIRST[kind]) or decisions is None:
        raise RuleSyntaxError(f"Write a {kind} as {_FORMS[kind]}. Got {text!r}.")
    numbers = [token for token in condition if token.kind == "word" and _WHOLE.fullmatch(token.text)]
    if not numbers:
        raise RuleSyntaxError(f"Expected {_CONDITIONS[kind]!r} after IF in {text!r}. Got {joined(condition)!r}.")
    threshold = int(read_number(numbers[0].text))
    target, classes = _read_decisions(decisions, text)
    if len(body) == 1 and body[0].is_word("nothing"):
        body = []
    rule: type[PointRule] = Score if kind == "score" else Checklist
    return rule(_read_items(body, kind, text), threshold, classes, target)


def _read_items(tokens: list[Token], kind: str, text: str) -> tuple[Item, ...]:
    """Read items, each "number points if literals", or in a checklist "if literals"."""
    n_before = 2 if kind == "score" else 0
    starts = [place - n_before for place, token in enumerate(tokens) if token.is_word("if")]
    if tokens and (not starts or starts[0] != 0):
        raise RuleSyntaxError(f"Write each item of a {kind} as {_ITEMS[kind]!r}. Got {joined(tokens)!r}.")
    items: list[Item] = []
    for start, end in pairwise([*starts, len(tokens)]):
        *before, _ = tokens[start : start + n_before + 1]
        points = 1
        if before:
            number, word = before
            if not _WHOLE.fullmatch(number.text) or not word.is_word("point", "points"):
                raise RuleSyntaxError(f"Expected {_ITEMS[kind]!r} in {text!r}. Got {joined(before)!r}.")
            points = int(read_number(number.text))
        items.append((_read_clause(tokens[start + n_before + 1 : end], "AND", "always", text), points))
    return tuple(items)


def _read_pairs(parts: list[list[Token]], target: str | None, text: str) -> tuple[Pair, ...]:
    """Read clauses, each IF literals THEN decision."""
    pairs: list[Pair] = []
    for part in parts:
        body, decision = split_once(part, "THEN")
        if decision is None or not body or not body[0].is_word("IF"):
            raise RuleSyntaxError(f"Write each clause of {brief(text)} as IF … THEN ….")
        named, label = read_decision(decision, text)
        if named != target:
            raise RuleSyntaxError(f"All decisions must name the same column. Got {brief(named)} and {brief(target)}.")
        pairs.append((_read_clause(body[1:], "AND", "always", text), label))
    return tuple(pairs)


def _read_formula(tokens: list[Token], text: str) -> Formula:
    if _is_cnf(tokens):
        return _read_cnf(tokens, text)
    if len(tokens) == 1 and tokens[0].is_word("never"):
        return DNF()
    return DNF(tuple(_read_clause(clause, "AND", "always", text) for clause in split_all(tokens, "OR")))


def _is_cnf(tokens: list[Token]) -> bool:
    """Return True if brackets enclose clauses, not the conditions or clauses of a DNF, or if one is missing."""
    n_brackets = tokens.count(_OPENS)
    if n_brackets != tokens.count(_CLOSES):
        return True
    if not n_brackets or len(split_all(tokens, "OR")) > 1:
        return False
    parts = split_all(tokens, "AND")
    if len(parts) == 1:
        return len(split_all(_without_brackets(tokens), "AND")) == 1
    return all(part[:1] == [_OPENS] for part in parts) or any(
        len(split_all(_without_brackets(part), "OR")) > 1 for part in parts
    )


def _read_cnf(tokens: list[Token], text: str) -> Formula:
    clauses: list[list[Token]] = []
    closings, place = [*_closings(tokens), None], 0
    while place < len(tokens):
        if clauses:
            if not tokens[place].is_word("AND"):
                raise RuleSyntaxError(
                    f"Expected AND between the brackets in {brief(text)}. Got {tokens[place].text!r}."
                )
            place += 1
        close = closings[place]
        if close is None:
            raise RuleSyntaxError(f"Put every clause of {brief(text)} in brackets, like (a OR b) AND (c).")
        clauses.append(tokens[place + 1 : close])
        place = close + 1
    if len(clauses) == 1 and len(clauses[0]) == 1 and clauses[0][0].is_word("always"):
        return CNF()
    return CNF(tuple(_read_clause(clause, "OR", "never", text) for clause in clauses))


def _read_clause(tokens: list[Token], connective: str, constant: str, text: str) -> Clause:
    tokens = _without_brackets(tokens)
    if len(tokens) == 1 and tokens[0].is_word(constant):
        return ()
    parts = split_all(tokens, connective)
    if connective == "OR":
        return tuple(read_one_literal(part, text) for part in parts)
    return tuple(literal for part in parts for literal in read_condition(part, text))
