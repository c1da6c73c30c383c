"""Reasons and changes against brute force, on random rules of all kinds over columns of all kinds."""

import random

import pytest
from support.reasoned import Brute, random_row, random_rule, random_values

from imli.rules.literals import IsMissing
from imli.table.read import as_frame

SEEDS = range(60)


def drawn(seed):
    r = random.Random(seed)
    rule, row, values = random_rule(r), random_row(r), random_values(r)
    return r, rule, row, values, Brute(rule, row, values)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_reason_forces_the_decision_and_none_is_smaller(seed):
    _, rule, row, values, brute = drawn(seed)
    why = rule.why(row, values=values)
    assert why.decision == brute.decision
    assert all(
        literal.holds(as_frame({literal.column: [row[literal.column]]})[literal.column])[0] for literal in why.literals
    )
    assert brute.forces(brute.where(why.literals))
    assert len(why.conditions) == brute.fewest_conditions()


@pytest.mark.parametrize("seed", SEEDS)
def test_no_condition_of_a_reason_can_be_one_that_is_weaker(seed):
    _, rule, row, values, brute = drawn(seed)
    why = rule.why(row, values=values)
    for literal in rule.literals:
        for other in (literal, ~literal, literal.opposite()):
            rest = [one for one in why.literals if one.column != other.column]
            own = [one for one in why.literals if one.column == other.column]
            if not own or other.or_missing or isinstance(other, IsMissing) or row[other.column] is None:
                continue
            now, instead = brute.where(own), brute.where([other])
            is_weaker = now != instead and all(b for a, b in zip(now, instead, strict=True) if a)
            holds = other.holds(as_frame({other.column: [row[other.column]]})[other.column])[0]
            assert not (holds and is_weaker and brute.forces(brute.where([*rest, other])))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_change_flips_the_decision_and_none_is_smaller(seed):
    r, rule, row, values, brute = drawn(seed)
    keep = r.sample(rule.columns, r.randint(0, min(2, len(rule.columns) - 1))) if rule.columns else []
    to = r.choice([None, *(label for label in rule.classes if label != brute.decision)])
    found = rule.what_if(row, keep=keep, to=to, values=values)
    best = brute.smallest_change(keep, to)
    assert found.is_possible == (best is not None)
    assert found.decision == brute.decision
    if best is None:
        assert found.changes == ()
        assert found.row == {name: row[name] for name in rule.columns}
        return
    changed = [change.column for change in found.changes]
    assert len(changed) == best[0]
    assert not set(changed) & set(keep)
    assert found.instead == to if to is not None else found.instead != found.decision
    assert {name: cell for name, cell in found.row.items() if name not in changed} == {
        name: row[name] for name in rule.columns if name not in changed
    }
    after = as_frame({name: [cell] for name, cell in found.row.items()})
    assert rule.predict(after).tolist() == [found.instead]
    for change in found.changes:
        assert all(literal.holds(after[change.column])[0] for literal in change.to)
        assert change.value == found.row[change.column] != row[change.column]
    # any values that the change allows will do, and the nearest are as near as any that do
    asked = [literal for change in found.changes for literal in change.to]
    others = [n for n, held in enumerate(brute.where(asked)) if held and brute.changed(n) <= set(changed)]
    assert others
    assert all(brute.decided[n] == to if to is not None else brute.decided[n] != brute.decision for n in others)
    nearest = min(sum(moved for moved in brute.moves[n] if moved is not None) for n in others)
    assert nearest == pytest.approx(best[1], abs=1e-5)
