"""Texts of an index, as arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parsers.index.texts import Texts, UniqueTexts, numbers_with, text_arrays

pieces = st.lists(st.sampled_from([b"a", b"b", b".", b"ab", b""])).map(b"".join)


@given(st.lists(pieces), st.sampled_from([b"a", b"ab", b"aa", b"aba", b"."]))
def test_texts_with_a_part_are_found_in_arrays_as_in_lists(texts: list[bytes], part: bytes) -> None:
    starts, blob = (memoryview(np.asarray(each)) for each in text_arrays("word", texts).values())
    found = numbers_with(Texts(starts, blob), part)
    assert found == numbers_with(texts, part) == [number for number, text in enumerate(texts) if part in text]


@given(st.lists(pieces), st.lists(pieces))
def test_numbers_of_many_texts_are_those_of_each(before: list[bytes], texts: list[bytes]) -> None:
    together, apart = UniqueTexts(dict.fromkeys(before)), UniqueTexts(dict.fromkeys(before))
    assert together.numbers(texts) == [apart.number(text) for text in texts]
    assert together.texts == apart.texts
