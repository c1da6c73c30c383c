"""A real cluster of two processes: rows stay there, and what is sent does not grow with them."""

from functools import partial

import numpy as np
import pytest
from support.clusters import two_workers
from support.large_tables import measurements

from imli.learning.query import Goal, Query
from imli.learning.rows.engine import Look, look_at_piece, open_engine
from imli.learning.rows.packing import Packing

dd = pytest.importorskip("dask.dataframe")


@pytest.fixture(scope="module")
def client():
    with two_workers() as found:
        yield found


def bytes_sent(client) -> int:
    """By client, scheduler and workers, since they began: messages, and data that travels beside them."""
    scheduler = client.cluster.scheduler
    streams = [client.scheduler_comm, *scheduler.stream_comms.values(), *scheduler.client_comms.values()]

    def of_worker(dask_worker):
        return dask_worker.batched_stream.byte_count + dask_worker.transfer_outgoing_bytes_total

    return sum(stream.byte_count for stream in streams) + sum(client.run(of_worker).values())


def packed(engine, literals, n_rows):
    def pack(scale):
        return engine.pack(Packing(literals, np.array([0, 1]), np.array([0, 1]), np.ones(2), scale, False, False))

    query = Goal(kind="dnf", n_clauses=3, lam=5.0).query(literals, np.ones(1), pack, float(n_rows))
    return query, query.rows


def test_what_a_round_sends_does_not_grow_with_the_rows(client):
    from imli.learning.vocabulary import Binning

    small, large = (dd.from_pandas(measurements(n_rows), npartitions=4) for n_rows in (4_000, 64_000))
    look = open_engine(small, "alarm", None, 1).gather(partial(look_at_piece, 1, False), Look.merge)
    literals = Binning(bins=10).literals_of(look.columns)
    sent, bits = [], []
    for table, n_rows in ((small, 4_000), (large, 64_000)):
        engine = open_engine(table, "alarm", None, 1)
        query, rows = packed(engine, literals, n_rows)
        rule = ([(True, 1, [0, 20]), (True, 1, [40]), (False, 1, [])], 0)
        query.sums(rows, rule)  # what is sent once only, such as code, is sent now
        before = bytes_sent(client)
        sums = [query.sums(rows, ([(True, 1, [0, 20 + n]), (True, 1, [40]), (False, 1, [])], 0)) for n in range(1, 9)]
        sent.append((bytes_sent(client) - before) / len(sums))
        bits.append(n_rows * len(literals) / 8)
        assert rows.n_rows == n_rows
        assert sums[0].nbytes < sent[-1]  # they were really sent
        engine.close()
    assert sent[1] < 3 * sent[0]  # not quite the same, since it depends on who has which part
    assert bits[1] > 15 * bits[0]
    assert sent[1] < bits[1] / 2


def test_sums_are_those_of_the_rows_in_memory(client):
    from imli.learning.bits import tabulate
    from imli.learning.vocabulary import Binning
    from imli.table.read import as_frame

    table = measurements(3_000)
    frame, labels = as_frame(table.drop(columns="alarm")), table.alarm.to_numpy().astype(bool)
    literals = Binning(bins=6).literals(frame)
    here = Query.build("dnf", literals, tabulate(frame, literals), labels, n_clauses=3, lam=5.0)
    engine = open_engine(dd.from_pandas(table, npartitions=5), "alarm", None, 1)
    query, rows = packed(engine, literals, 3_000)
    for seed in range(5):
        chosen = np.random.default_rng(seed).choice(len(literals), 4, replace=False).tolist()
        rule = ([(True, 1, chosen[:3]), (True, 1, chosen[3:]), (False, 1, [])], 0)
        there, expected = query.sums(rows, rule), here.sums(here.rows.summed(here), rule)
        # rows that are alike but of both classes cancel each other where they are together
        assert there[1] - there[2] == expected[1] - expected[2]
        assert np.delete(there, [1, 2]).tolist() == np.delete(expected, [1, 2]).tolist()
    engine.close()


def test_labels_must_have_the_partitions_of_the_table():
    table = dd.from_pandas(measurements(100), npartitions=4)
    with pytest.raises(ValueError) as refusal:
        open_engine(table, table.alarm.repartition(npartitions=2), None, 1)
    assert str(refusal.value) == (
        "y must be the name of a column, or of Dask with the partitions of the table, of which there are 4. Got 2."
    )
    with pytest.raises(ValueError) as refusal:
        open_engine(table, [1, 2], None, 1)
    assert str(refusal.value) == (
        "y must be the name of a column, or of Dask with the partitions of the table, of which there are 4. Got list."
    )
    with pytest.raises(ValueError) as refusal:
        open_engine(table, None, None, 1)
    assert str(refusal.value) == "There is nothing to learn without y: the name of a column, or labels of Dask."
