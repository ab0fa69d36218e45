"""Each value once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parsers.model.distinct import distinct, distinct_places


@given(st.lists(st.integers(-5, 5), max_size=20))
def test_each_value_occurs_once_and_in_order(values: list[int]) -> None:
    assert distinct(np.array(values, np.int64)).tolist() == sorted(set(values))


@given(st.lists(st.one_of(st.integers(-5, 5), st.integers(-(1 << 63), (1 << 63) - 1)), max_size=60))
def test_the_places_of_numbers_lead_to_them(numbers: list[int]) -> None:
    used, places = distinct_places(np.array(numbers, np.int64))
    assert used.tolist() == sorted(set(numbers))
    assert used[places].tolist() == numbers
