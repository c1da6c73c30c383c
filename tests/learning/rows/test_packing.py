"""Bits where the kernel can read them."""

import numpy as np
import pytest

from imli.learning.rows.packing import aligned


@pytest.mark.parametrize("n_words", [0, 1, 5])
def test_bits_begin_with_a_line_of_the_cache_also_if_there_are_none(n_words):
    bits = [np.arange(16, dtype=np.uint64)[offset:][:n_words] for offset in range(8)]
    found = [aligned(some) for some in bits]  # all are kept, so that each has a place of its own
    assert [some.ctypes.data % 64 for some in found] == [0] * 8
    assert all(np.array_equal(some, given) for some, given in zip(found, bits, strict=True))
