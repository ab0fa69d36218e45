"""A function of arrays gives the same as a kernel and as plain code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from engines import engine

from parsers.kernels.compiled import compiled


def count_below(numbers: Any, limit: int, counts: Any, sums: Any) -> int:
    found = 0
    for number in numbers:
        if number < limit:
            found += 1
            counts[number] += 1
            sums[0] += number
    return found


@pytest.mark.parametrize("has_kernels", [False, True], ids=["plain", "kernel"])
def test_a_function_fills_arrays(has_kernels: bool) -> None:
    numbers, counts, sums = np.array([3, 1, 9, 1], np.uint32), np.ones(4, np.uint32), np.zeros(1, np.int64)
    with engine(has_kernels):
        assert compiled(count_below)(numbers, 4, counts, sums) == 3
    assert (counts.tolist(), sums.tolist()) == ([1, 3, 1, 2], [5])


def test_plain_code_calculates_with_numbers_of_any_size() -> None:
    with engine(False):
        assert compiled(lambda numbers: numbers[0] + numbers[0])(np.full(1, 2**64 - 1, np.uint64)) == 2**65 - 2
