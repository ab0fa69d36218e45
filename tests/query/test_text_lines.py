"""Texts as lines of UTF-8: the loop, compiled and not, and its twin; what a pattern may be found in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.query.search.line_finder import finder_of
from parsers.query.search.pattern import compile_pattern
from parsers.query.search.text_lines import (
    ID_SIGNS,
    LATIN_1,
    UTF_16_BE,
    UTF_16_LE,
    lines_kernels,
    lines_of,
    lines_of_ids,
    lines_of_texts,
    may_match,
    write_ids,
    write_texts,
)

CHARSETS = {LATIN_1: "latin-1", UTF_16_LE: "utf-16-le", UTF_16_BE: "utf-16-be"}


@pytest.fixture(scope="module")
def kernels() -> Any:
    """Both loops, compiled."""
    return lines_kernels()


def placed(texts: list[tuple[int, bytes]]) -> tuple[Any, Any, Any, Any]:
    """Bytes of some texts, where they begin, their lengths, how they are written."""
    lengths = np.array([len(raw) for _, raw in texts], np.int64)
    data = np.frombuffer(b"".join(raw for _, raw in texts) + b"\0", np.uint8)
    return data, np.cumsum(lengths) - lengths, lengths, np.array([form for form, _ in texts], np.uint8)


def looped(*arrays: Any) -> int:
    """Runs `write_texts` with lists; its outputs are arrays."""
    data, places, lengths, forms, before, after = (each.tolist() for each in arrays[:6])
    return write_texts(data, places, lengths, forms, before, after, *arrays[6:])


@given(st.lists(st.tuples(st.sampled_from([LATIN_1, UTF_16_LE, UTF_16_BE]), st.binary(max_size=12)), max_size=5))
def test_any_bytes_become_the_same_lines_by_all_three_readers(kernels: Any, texts: list[tuple[int, bytes]]) -> None:
    compiled = lines_of_texts(*placed(texts), "é ", '"', kernels[0])
    plain = lines_of_texts(*placed(texts), "é ", '"', None)
    by_loop = lines_of_texts(*placed(texts), "é ", '"', looped)
    assert bytes(compiled.data[: compiled.length]) == bytes(plain.data[: plain.length])
    assert bytes(by_loop.data[: by_loop.length]) == bytes(plain.data[: plain.length])
    assert compiled.starts.tolist() == plain.starts.tolist() == by_loop.starts.tolist()


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from([UTF_16_LE, UTF_16_BE]))
def test_a_text_of_16_bits_a_character_is_a_line_of_utf_8(kernels: Any, text: str, form: int) -> None:
    lines = lines_of_texts(*placed([(form, text.encode(CHARSETS[form]))]), "", "", kernels[0])
    assert lines.data[: lines.length].decode() == f"{text}\n"


@given(st.lists(st.integers(0, (1 << 64) - 1), max_size=5))
def test_ids_are_written_as_python_writes_them(kernels: Any, ids: list[int]) -> None:
    by_loop = lambda halves, lines, starts: write_ids(halves.tolist(), lines, starts)  # noqa: E731
    written = [lines_of_ids(np.array(ids, np.uint64), kernel) for kernel in (kernels[1], by_loop, None)]
    expected = "".join(f"0x{id:x}\n" for id in ids)
    assert [lines.data[: lines.length].decode() for lines in written] == [expected] * 3


def test_a_text_of_several_lines_is_found_once() -> None:
    lines = lines_of(["one", "two two\ntwo", "three"])
    assert lines.found(finder_of(compile_pattern("two"), "text", "utf-8")).tolist() == [1]


@pytest.mark.parametrize(
    ("pattern", "is_possible"),
    [
        ("2024-05", True),
        ("Date 2024", True),
        (r"te 2024.*Z", True),
        ("date 2024", True),
        ("DATE", False),
        ("Customer", False),
        (r"20\d\dx", False),
        (r"(Customer|2024)-", True),
        (r"\d+", True),
    ],
)
def test_a_pattern_may_match_a_name_with_numbers_after_it_or_surely_does_not(pattern: str, is_possible: bool) -> None:
    compiled = compile_pattern(pattern)
    expression = compiled.regex or compiled.plain
    assert expression is not None
    assert may_match(compiled, expression, "java.util.Date ", frozenset("-0123456789:.TZ")) is is_possible


@given(st.text("0123456789abcdefxg", max_size=4), st.integers(0, 1 << 20))
def test_characters_of_ids_may_be_in_ids(text: str, id: int) -> None:
    pattern = compile_pattern(text or "0", "text")
    assert pattern.plain is not None
    if pattern.matches(f"0x{id:x}"):
        assert may_match(pattern, pattern.plain, "", ID_SIGNS)
