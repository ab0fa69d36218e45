"""Each value once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parsers.model.distinct import distinct


@given(st.lists(st.integers(-5, 5), max_size=20))
def test_each_value_occurs_once_and_in_order(values: list[int]) -> None:
    assert distinct(np.array(values, np.int64)).tolist() == sorted(set(values))
