"""Reads literals and rules as they are printed, or as a person types them.

::

    rule       IF formula THEN decision ELSE decision, or a formula alone
    list       IF literals THEN decision ELSE IF literals THEN decision … ELSE decision
    set        IF literals THEN decision IF literals THEN decision … OTHERWISE decision
    formula    CNF: (literal OR …) AND (…) …      DNF: literals OR literals …
    literals   literal AND …; two ends of a range together: number < name <= number [or missing]
    literal    [not] name | name < number | [not] number <= name < number
               | name is [not] value, … or value | name is [not] missing        each but the last [or missing]
    decision   [name is] value [(a remark)]
    number     12, 1,234.5, or a date: 2024-12-31, 2024-12-31 23:59

AND and OR between literals are upper-case; ``or`` inside a literal is lower-case. The words ``always`` and
``never`` stand for a clause or formula that is constant. Brackets make a formula CNF. What stands in
brackets behind a decision, or behind a clause as "(covers 20 rows …" or "(rules out 20 rows …", is skipped.
"""

from itertools import pairwise

from imli.literals import Literal
from imli.parsing.conditions import read_condition, read_decision, read_one_literal
from imli.parsing.tokens import RuleSyntaxError, Token, split_all, split_once, tokenize, without_remarks
from imli.rules import CNF, DNF, Clause, DecisionList, DecisionSet, Formula, Pair, Rule


def parse_literal(text: str) -> Literal:
    """Read one literal, as rules print it.

    >>> parse_literal("capital_gain > 5,013")
    Compare(column='capital_gain', or_missing=False, operator='>', threshold=5013)
    """
    tokens = tokenize(text)
    if any(token.ends_condition() for token in tokens):
        raise RuleSyntaxError(f"Cannot read {text!r} as one literal: it has more than one part.")
    return read_one_literal(tokens, text)


def parse_rule(text: str, kind: str | None = None) -> Rule:
    """Read a rule, as it is printed or as a person types it.

    A decision list of one clause reads like a DNF of one clause, and is taken for that unless ``kind`` is "list".

    >>> rule = parse_rule("IF age > 40 AND smoker OR bmi > 30 THEN risk is high ELSE risk is low")
    >>> rule.kind, rule.size, rule.classes
    ('dnf', 3, ('low', 'high'))
    """
    tokens = without_remarks(tokenize(text))
    kind = _guess_kind(tokens) if kind is None else kind
    if kind == "list":
        return _list(tokens, text)
    if kind == "set":
        return _set(tokens, text)
    rule = _labelled_formula(tokens, text)
    if kind not in (None, rule.kind):
        raise RuleSyntaxError(f"Expected a rule of kind {kind!r} in {text!r}, but it is of kind {rule.kind!r}.")
    return rule


def parse_pairs(text: str) -> tuple[Pair, ...]:
    """Read clauses of a decision list or set, each with its class. A default class at their end is passed over.

    >>> [(clause, label)] = parse_pairs("IF age > 60 AND smoker THEN high")
    >>> [str(literal) for literal in clause], label
    (['age > 60', 'smoker'], 'high')
    """
    tokens = without_remarks(tokenize(text))
    starts = [i for i, token in enumerate(tokens) if token.is_word("IF")]
    if starts[:1] != [0]:
        raise RuleSyntaxError(f"Write each clause of {text!r} as IF … THEN ….")
    parts = [split_all(tokens[start:end], "ELSE", "OTHERWISE")[0] for start, end in pairwise([*starts, len(tokens)])]
    _, decision = split_once(parts[0], "THEN")
    target, _ = (None, None) if decision is None else read_decision(decision, text)
    return _pairs(parts, target, text)


def _guess_kind(tokens: list[Token]) -> str | None:
    if any(token.is_word("OTHERWISE") for token in tokens):
        return "set"
    is_list = any(a.is_word("ELSE") and b.is_word("IF") for a, b in pairwise(tokens))
    return "list" if is_list or (tokens and tokens[0].is_word("ELSE")) else None


def _labelled_formula(tokens: list[Token], text: str) -> Formula:
    if tokens and tokens[0].is_word("IF"):
        tokens = tokens[1:]
    body, decisions = split_once(tokens, "THEN")
    formula = _formula(body, text)
    if decisions is None:
        return formula
    positive, negative = split_once(decisions, "ELSE")
    if negative is None:
        raise RuleSyntaxError("A rule with THEN needs an ELSE. Add 'ELSE' and the other class.")
    (target, yes), (other_target, no) = read_decision(positive, text), read_decision(negative, text)
    if target != other_target:
        raise RuleSyntaxError(f"THEN and ELSE must name the same column. Got {target!r} and {other_target!r}.")
    return type(formula)(formula.slots, (no, yes), target)


def _list(tokens: list[Token], text: str) -> DecisionList:
    parts = split_all(tokens, "ELSE")
    if len(parts) < 2:
        raise RuleSyntaxError(f"A decision list ends with ELSE and its default class. Got {text!r}.")
    first = parts[:1] if parts[0] else []
    target, default = read_decision(parts[-1], text)
    return DecisionList(_pairs([*first, *parts[1:-1]], target, text), default, target)


def _set(tokens: list[Token], text: str) -> DecisionSet:
    body, final = split_once(tokens, "OTHERWISE")
    if final is None:
        raise RuleSyntaxError(f"A decision set ends with OTHERWISE and its default class. Got {text!r}.")
    target, default = read_decision(final, text)
    starts = [i for i, token in enumerate(body) if token.is_word("IF")]
    if body and starts[:1] != [0]:
        raise RuleSyntaxError(f"Each clause of a decision set starts with IF. Got {text!r}.")
    parts = [body[start:end] for start, end in pairwise([*starts, len(body)])]
    return DecisionSet(_pairs(parts, target, text), default, target)


def _pairs(parts: list[list[Token]], target: str | None, text: str) -> tuple[Pair, ...]:
    """IF literals THEN decision, several times."""
    pairs: list[Pair] = []
    for part in parts:
        body, decision = split_once(part, "THEN")
        if decision is None or not body or not body[0].is_word("IF"):
            raise RuleSyntaxError(f"Write each clause of {text!r} as IF … THEN ….")
        named, label = read_decision(decision, text)
        if named != target:
            raise RuleSyntaxError(f"All decisions must name the same column. Got {named!r} and {target!r}.")
        pairs.append((_clause(body[1:], "AND", "always", text), label))
    return tuple(pairs)


def _formula(tokens: list[Token], text: str) -> Formula:
    if any(token.kind == "mark" for token in tokens):
        return _cnf(tokens, text)
    if len(tokens) == 1 and tokens[0].is_word("never"):
        return DNF()
    return DNF(tuple(_clause(clause, "AND", "always", text) for clause in split_all(tokens, "OR")))


def _cnf(tokens: list[Token], text: str) -> Formula:
    clauses: list[list[Token]] = []
    rest = tokens
    while rest:
        if clauses:
            if not rest[0].is_word("AND"):
                raise RuleSyntaxError(f"Expected AND between the brackets in {text!r}. Got {rest[0].text!r}.")
            rest = rest[1:]
        close = next((i for i, token in enumerate(rest) if token.kind == "mark" and token.text == ")"), None)
        if not rest or rest[0].text != "(" or close is None:
            raise RuleSyntaxError(f"Put every clause of {text!r} in brackets, like (a OR b) AND (c).")
        clauses.append(rest[1:close])
        rest = rest[close + 1 :]
    if len(clauses) == 1 and len(clauses[0]) == 1 and clauses[0][0].is_word("always"):
        return CNF()
    return CNF(tuple(_clause(clause, "OR", "never", text) for clause in clauses))


def _clause(tokens: list[Token], connective: str, constant: str, text: str) -> Clause:
    if len(tokens) == 1 and tokens[0].is_word(constant):
        return ()
    parts = split_all(tokens, connective)
    if connective == "OR":
        return tuple(read_one_literal(part, text) for part in parts)
    return tuple(literal for part in parts for literal in read_condition(part, text))
