"""When a stream has turned into another, and how its log reads."""

from dataclasses import replace

import numpy as np

from imli import parse_literal
from imli.learning.memory import Batch, DriftLog, is_drift, n_effective


def log_of(*errors, n_rows=400, drift_at=()):
    return DriftLog(
        tuple(
            Batch(n, n_rows, float(n_rows), error, 0.0, 0, 0, (), (), n in drift_at, 0)
            for n, error in enumerate(errors, start=1)
        )
    )


def test_a_sudden_rise_is_a_drift_and_chance_is_not():
    steady = log_of(None, 0.1, 0.11, 0.09, 0.1)
    assert is_drift(steady, 0.5, 400)
    assert is_drift(steady, 0.2, 400)
    assert not is_drift(steady, 0.13, 400)
    assert not is_drift(steady, 0.02, 400)  # better is no alarm
    assert not is_drift(steady, 0.3, 10)  # three rows of ten say nothing yet


def test_without_a_past_there_is_no_drift():
    assert not is_drift(log_of(), 1.0, 400)
    assert not is_drift(log_of(None), 1.0, 400)


def test_after_a_drift_the_batches_before_it_do_not_count():
    log = log_of(None, 0.05, 0.05, 0.5, 0.3, 0.3, drift_at=(4,))
    assert [batch.number for batch in log.since_drift] == [4, 5, 6]
    assert not is_drift(log, 0.32, 400)


def test_false_alarms_are_rare():
    rng = np.random.default_rng(0)
    errors = rng.binomial(400, 0.2, 3000) / 400
    log, alarms = log_of(None, *errors[:20]), 0
    for error in errors[20:]:
        alarms += is_drift(log, error, 400)
    assert alarms <= 1


def test_the_log_is_a_sequence_that_prints_as_a_table():
    came, went = parse_literal("age > 60"), parse_literal("smoker")
    log = DriftLog().plus(Batch(1, 400, 400.0, None, 0.125, 1, 0, (came,), (), False, 50))
    log = log.plus(Batch(2, 1200, 1200.0, 0.5, 0.25, 2, 1, (went,), (came,), True, 50))
    assert len(log) == 2
    assert [batch.number for batch in log] == [1, 2]
    assert log[-1].went == (came,)
    assert isinstance(log[1:], DriftLog)
    assert str(log).splitlines() == [
        "batch   rows  wrong before  wrong after  moved  what came and went",
        "    1    400                     12.5 %      1  + age > 60",
        "    2  1,200        50.0 %       25.0 %      2  DRIFT, 1 class turned, + smoker, - age > 60",
    ]


def test_of_many_changes_a_few_are_shown():
    came = tuple(parse_literal(f"age > {n}") for n in range(6))
    log = DriftLog((Batch(1, 10, 10.0, 0.5, 0.25, 6, 0, came, (), False, 0),))
    assert str(log).splitlines()[1].endswith("6  + age > 0, + age > 1, + age > 2, 3 more")
    assert log[0].came == came


def test_a_few_errors_of_a_rule_without_any_are_no_drift():
    flawless = log_of(None, 0.0, 0.0, 0.0)
    assert not is_drift(flawless, 1.0, 1)
    assert not is_drift(flawless, 0.05, 20)
    assert not is_drift(flawless, 0.04, 50)
    assert is_drift(flawless, 0.2, 50)


def test_a_heavy_row_is_not_many():
    steady = log_of(None, 0.1, 0.11, 0.09, 0.1)
    weights = np.ones(400)
    assert n_effective(weights) == 400
    weights[0] = 1000
    assert is_drift(steady, 1000 / 1399, 400)
    assert not is_drift(steady, 1000 / 1399, n_effective(weights))
    heavy = DriftLog(tuple(replace(batch, n_effective=n_effective(weights)) for batch in log_of(None, 0.0, 0.0)))
    assert not is_drift(heavy, 0.3, 400)
