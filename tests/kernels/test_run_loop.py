"""Loops over lists or arrays give the same, plain and compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from parsers.kernels.compiled import run_loop


def count_below(numbers: Any, limit: int, counts: Any, sums: Any) -> int:
    found = 0
    for number in numbers:
        if number < limit:
            found += 1
            counts[number] += 1
            sums[0] += number
    return found


@pytest.mark.parametrize("is_plain", [True, False], ids=["plain", "compiled"])
def test_a_loop_fills_its_last_arguments(is_plain: bool) -> None:
    numbers, counts, sums = np.array([3, 1, 9, 1], np.uint32), np.ones(4, np.uint32), np.zeros(1, np.int64)
    assert run_loop(count_below, is_plain, (numbers, 4), (counts, sums)) == 3
    assert (counts.tolist(), sums.tolist()) == ([1, 3, 1, 2], [5])
