"""Places sorted by key: what Python's stable sort gives, without those of keys that are not asked for."""

from __future__ import annotations

import numpy as np
import pytest
from engines import engine
from hypothesis import given
from hypothesis import strategies as st

from parsers.kernels.places import sorted_places
from parsers.model.none import NONE


@pytest.mark.parametrize("has_kernels", [False, True], ids=["plain", "kernel"])
@given(keys=st.lists(st.sampled_from([0, 1, 2, 3, 4, 5, NONE])))
def test_places_are_sorted_by_key_then_in_order(keys: list[int], has_kernels: bool) -> None:
    with engine(has_kernels):
        starts, places = sorted_places(np.array(keys, np.uint32), 5)
    expected = sorted((place for place, key in enumerate(keys) if key < 5), key=keys.__getitem__)
    assert places.tolist() == expected
    assert starts.tolist() == [sum(each < key for each in keys) for key in range(6)]
