"""The same seed gives the same rule, whatever compiler, standard library and machine.

A walk of thousands of random moves ends elsewhere if any one of them went another way, so its end tells of all of them.
What is expected changes with the search, and then ``python tests/kernel/test_same_everywhere.py`` prints it anew. It
must never change with the compiler.
"""

import sys

import numpy as np
import pytest

from imli import _kernel

EXPECTED = {
    "formula": [
        ([(1, [3, 30, 32, 36]), (1, [3, 7]), (1, [11, 20, 31])], 0, 138),
        (
            [
                (1, [1, 7, 8, 14, 32, 36]),
                (1, [7, 11, 20, 31]),
                (1, [3, 7, 29, 34]),
                (1, [3, 7]),
                (1, [4, 5, 9, 16, 19, 24, 28, 36, 37]),
            ],
            0,
            244,
        ),
        (113745076.0, [(1, [3, 7]), (1, [11, 20, 31])], 0, 98),
        (124507408.0, [(1, [3, 7]), (1, [11, 20, 31])], 0, 3068),
    ],
    "list": [
        ([(1, [3, 7]), (2, [11, 20, 31]), (0, []), (2, [4]), (1, [2])], 2, 114),
        ([(1, [3, 7]), (0, [13]), (2, [11, 20, 31]), (2, [12, 13, 32]), (2, [3, 11, 32, 35])], 0, 195),
        (115676272.0, [(1, [3, 7]), (2, [11, 20, 31])], 0, 108),
        (107237303.0, [(1, [3, 7]), (2, [11, 20, 31])], 0, 4027),
    ],
    "set": [
        ([(1, [3, 7]), (2, [11, 20, 31])], 0, 108),
        ([(1, [3, 7]), (0, [22]), (2, [2, 9, 15, 25, 27, 28, 31, 38]), (2, [0, 5, 23, 24, 38])], 0, 254),
        (102336832.0, [(1, [3, 7]), (2, [11, 20, 31])], 0, 108),
        (150650701.0, [(1, [3, 7]), (2, [11, 20, 31])], 0, 4027),
    ],
}


CARDS = {
    "score log 700": (30140516.0, [([3, 7], 3), ([11, 20], 1), ([11, 31], 1), ([20, 31], 1)], 398),
    "score errors 700": (32799801.5, [([3, 7], 2), ([11], 1), ([20, 31], 1)], 98),
    "checklist errors 700": (29957608.0, [([3, 7], 1)], 194),
    "score log 30000": (61520632.0, [([3, 7], 4), ([11], -1), ([11, 20], 2), ([11, 31], 2), ([20, 31], 1)], 13777),
}


def scrambled(n):
    """Whole numbers of 32 bits that look random, by arithmetic that is the same everywhere."""
    mixed = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return mixed >> np.uint64(32)


N_LITERALS = 40


def scrambled_rows(n_rows, n_classes, n_threads=1, apart=False):
    """Rows with 40 literals of which a few decide, with one row in ten of another class."""
    n_literals, n_words = N_LITERALS, (n_rows + 63) // 64
    numbers = scrambled(n_literals * n_words * 2 + 2 * n_rows)
    halves = numbers[: 2 * n_literals * n_words].reshape(2, n_literals, n_words)
    words = halves[0] << np.uint64(32) | halves[1]
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, bitorder="little")[:, :n_rows]
    labels = np.where(bits[3] & bits[7], 1, np.where(bits[11] & bits[20] & bits[31], n_classes - 1, 0))
    noise = numbers[-n_rows:]
    labels = np.where(noise % 10 == 0, noise // 10 % n_classes, labels).astype(np.int32)
    weights = (1 + numbers[-2 * n_rows : -n_rows] % 3).astype(np.int64)
    return _kernel.Rows(words, labels, weights, n_classes, False, None, n_threads, apart)


def search(kind, n_rows, n_threads=1):
    """A search for five clauses."""
    n_literals, n_clauses, n_classes = N_LITERALS, 5, 2 if kind == "formula" else 3
    rows = scrambled_rows(n_rows, n_classes, n_threads)
    question = _kernel.Question(
        kind=kind,
        n_clauses=n_clauses,
        n_locked=0,
        n_classes=n_classes,
        costs=np.full(n_literals, 3, dtype=np.int64),
        columns=np.arange(n_literals, dtype=np.int32),
        lengths=np.arange(n_literals, dtype=np.int32) % 3,
        near=[],
        near_cost=0,
        always=[],
        every=[],
        reuse_cost=0,
        disjoint=False,
        max_literals=-1,
        min_rows=0,
        unused_slots=True,
        needs_literals=kind == "set",
    )
    return _kernel.Search(
        rows,
        question,
        start=[(False, 0, [])] * n_clauses,
        otherwise=0,
        seed=1,
        work=1e8,
        n_threads=n_threads,
        unit=1,
    )


def plain(rule):
    clauses, otherwise, cost = rule
    return [(decides, sorted(literals)) for held, decides, literals in clauses if held], otherwise, cost


def found(kind):
    """Where walks end at several temperatures; then how much a search did, and the best of it."""
    walks = [plain(search(kind, 700).wander(seed, 3000, temperature)) for seed, temperature in [(1, 8.0), (2, 20.0)]]
    small, large = search(kind, 700, n_threads=2), search(kind, 30_000)  # which looks at a sample first
    small.run()
    large.run()
    return [*walks, (small.work, *plain(small.best)), (large.work, *plain(large.best))]


def found_card(kind, is_log, n_rows):
    """How much a search for a score or checklist did, and the best of it."""
    cards = _kernel.CardSearch(
        scrambled_rows(n_rows, 2, apart=True),
        costs=np.full(N_LITERALS, 3, dtype=np.int64),
        signs=np.zeros(N_LITERALS, dtype=np.int32),
        columns=np.arange(N_LITERALS, dtype=np.int32),
        lengths=np.arange(N_LITERALS, dtype=np.int32) % 3,
        barred=[[] for _ in range(N_LITERALS)],
        always=[],
        reuse_cost=0,
        disjoint=False,
        max_literals=-1,
        min_rows=0,
        max_items=6,
        n_locked=0,
        item_literals=2,
        max_points=4,
        only_ones=kind == "checklist",
        is_log=is_log,
        ridge=1.0,
        start=[],
        seed=1,
        work=3e7,
        n_threads=2,
        unit=1,
    )
    cards.run()
    return cards.work, *cards.best


@pytest.mark.parametrize("name", CARDS)
def test_cards_are_the_same_everywhere(name):
    kind, loss, n_rows = name.split()
    assert found_card(kind, loss == "log", int(n_rows)) == CARDS[name]


@pytest.mark.parametrize("kind", ["formula", "list", "set"])
def test_walks_and_searches_are_the_same_everywhere(kind):
    assert found(kind) == EXPECTED[kind]


if __name__ == "__main__":
    for kind in ("formula", "list", "set"):
        sys.stdout.write(f"    {kind!r}: {found(kind)!r},\n")
    for name in CARDS:
        kind, loss, n_rows = name.split()
        sys.stdout.write(f"    {name!r}: {found_card(kind, loss == 'log', int(n_rows))!r},\n")
