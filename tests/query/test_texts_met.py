"""Patterns asked of many texts at once say what they say of each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.io.charset import decode
from parsers.model.names.java_name import JDK_METHODS, JDK_TYPES, PRIMITIVES, is_jdk, is_synthetic
from parsers.model.names.patterns import PatternSet, element_type
from parsers.model.trees.column_preorder import ends_of
from parsers.query.selection.texts_met import MatchedTexts, filter_by_bytes

pieces = st.sampled_from(
    [
        "a.B",
        "java.",
        "int",
        "[]",
        "[",
        "]",
        "(",
        ")",
        ".lambda$",
        "$$Lambda",
        "$Proxy",
        "1",
        ".access$",
        "é",
        "ア",
        "",
        "B",
    ]
)
texts = st.lists(st.lists(pieces, max_size=5).map("".join), max_size=12)
patterns = st.lists(st.tuples(st.sampled_from(["", "*"]), pieces, st.sampled_from(["", "*"])).map("".join), max_size=4)


def matched(names: list[bytes], encoding: str = "utf-8") -> MatchedTexts:
    """Names of a report in an encoding."""
    return MatchedTexts.of_names(names, encoding, lambda data: decode(data, encoding))


@given(texts, patterns)
def test_many_texts_match_like_each_of_them(names: list[str], asked: list[str]) -> None:
    matching, wanted = matched([name.encode() for name in names]), PatternSet(tuple(asked))

    assert matching.of(wanted).tolist() == [name in wanted for name in names]
    assert matching.of_elements(wanted).tolist() == [element_type(name) in wanted for name in names]


@given(texts)
def test_jdk_and_generated_names_are_recognised_as_one_by_one(names: list[str]) -> None:
    matching = matched([name.encode() for name in names])

    assert matching.of(JDK_METHODS).tolist() == [is_jdk(name) for name in names]
    assert matching.of(JDK_TYPES).tolist() == [is_jdk(name) or name.partition("[")[0] in PRIMITIVES for name in names]
    assert matching.synthetic().tolist() == [is_synthetic(name) for name in names]


@pytest.mark.parametrize("encoding", ["utf-8", "shift-jis", "ascii-?", "cp437", "gbk"])
@given(names=st.lists(st.binary(max_size=8), max_size=8), asked=patterns)
def test_any_bytes_match_as_decoded(encoding: str, names: list[bytes], asked: list[str]) -> None:
    wanted = PatternSet((*asked, "*\ufffd") if len(asked) > 2 else tuple(asked))

    assert matched(names, encoding).of(wanted).tolist() == [decode(name, encoding) in wanted for name in names]


def test_a_piece_across_two_texts_is_in_neither() -> None:
    matching = matched([b"a.Fo", b"o.B", b"Foo"])

    assert matching.of(PatternSet(("*Foo*",))).tolist() == [False, False, True]


def test_numbers_having_a_text_at_their_places() -> None:
    data = np.frombuffer(b"xab.ab.a", np.uint8)

    assert filter_by_bytes(data, b"ab", np.array([0, 2]), np.array([1, 0, 4])).tolist() == [0, 2]


@given(st.lists(st.integers(0, 3), max_size=30))
def test_ends_by_depth_are_those_of_the_next_row_no_deeper(depths: list[int]) -> None:
    ends = ends_of(np.array(depths, np.uint16)).tolist()

    for row, depth in enumerate(depths):
        following = [other for other in range(row + 1, len(depths)) if depths[other] <= depth]
        assert ends[row] == min(following, default=len(depths))
