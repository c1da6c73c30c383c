"""What a rule decides and what it costs, in plain Python from the documents alone; it shares no code with imli.

A rule is the dict of ``rule.to_dict()``, a table a dict from column names to lists of cells, of which None is missing.
"""

from fractions import Fraction


def holds(literal, cell):
    """True if the test passes the cell; a missing cell passes only if the literal says so."""
    if literal["test"] == "missing":
        return (cell is None) == literal["or_missing"]
    if cell is None:
        return literal["or_missing"]
    if literal["test"] == "is":
        return (cell in literal["values"]) != literal["negated"]
    if literal["test"] == "true":
        return (cell == 1) != literal["negated"]
    if literal["test"] == "interval":
        return (literal["low"] <= cell < literal["high"]) != literal["negated"]
    end = literal["threshold" if literal["test"] == "compare" else "moment"]
    return {"<": cell < end, "<=": cell <= end, ">": cell > end, ">=": cell >= end}[literal["operator"]]


def clauses_of(rule):
    """The clauses of a rule, as lists of literals."""
    if "slots" in rule:
        return [clause for clause in rule["slots"] if clause is not None]
    return [pair["clause"] for pair in rule["pairs"]]


def decide(rule, row):
    """The class of a row."""
    tests = [[holds(literal, row[literal["column"]]) for literal in clause] for clause in clauses_of(rule)]
    if rule["kind"] in ("cnf", "dnf"):
        is_dnf = rule["kind"] == "dnf"
        holding = any(map(all, tests)) if is_dnf else all(map(any, tests))
        return rule["classes"][holding]
    votes = [pair["class"] for pair, test in zip(rule["pairs"], tests, strict=True) if all(test)]
    if not votes:
        return rule["default"]
    # in a set the class with most votes; among equals, that of the first clause that holds
    return votes[0] if rule["kind"] == "list" else max(votes, key=votes.count)


def rows_of(table):
    """The rows of a table, as dicts."""
    return [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]


def cost(rule, table, labels, lam, reuse=0, factors=None, weights=None):
    """The weight of the wrong rows, λ times a factor for each literal, and μ for each further use of a column."""
    weights = weights or [1] * len(labels)
    wrong = sum(
        Fraction(weight)
        for row, label, weight in zip(rows_of(table), labels, weights, strict=True)
        if decide(rule, row) != label
    )
    clauses = clauses_of(rule)
    length = sum(
        Fraction(lam) * Fraction((factors or {}).get(one["column"], 1)) for clause in clauses for one in clause
    )
    used = [column for clause in clauses for column in {one["column"] for one in clause}]
    return wrong + length + Fraction(reuse) * (len(used) - len(set(used)))
