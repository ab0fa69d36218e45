"""Text search where `<` begins a line: in a file that is one line, matches are its elements."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.query.search.pattern import exact_pattern
from parsers.query.search.scan import scan


def found(path: Path, text: str, block: int = 1 << 20, is_regex: bool = False, encoding: str = "utf-8") -> list[int]:
    """Offsets of what matches."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        pattern = exact_pattern(text, "regex" if is_regex else "text")
        steps = scan(descriptor, pattern, encoding, block=block, separator="<")
        return [offset for step in steps for offset in step.lines.tolist()]
    finally:
        os.close(descriptor)


@pytest.fixture
def one_line(tmp_path: Path) -> Path:
    """Three elements, the last one cut."""
    path = tmp_path / "trace"
    path.write_bytes(b'<a x="1"/><b y="2"/>\n<b y="3')
    return path


def test_a_match_is_the_element_that_holds_it(one_line: Path) -> None:
    assert found(one_line, 'x="1"') == [0]
    assert found(one_line, "<b y=") == [10, 21]


def test_a_match_does_not_reach_into_the_next_element(one_line: Path) -> None:
    assert found(one_line, r"x=.*y=", is_regex=True) == []


def test_an_expression_may_begin_with_the_element(one_line: Path) -> None:
    assert found(one_line, r"^<b .*3", is_regex=True) == [21]


def test_an_element_longer_than_a_block_is_one_match(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(b"<a/><b " + b"x" * 3_000 + b"/><b z/>")
    assert found(path, "xx", block=64) == [4]
    assert found(path, "z", block=64) == [4 + 3 + 3_000 + 2]


@given(st.lists(st.sampled_from([b"<a>", b"<b/>", b"<ab ", b"\n", b"a", b"b", b"<"]), max_size=40), st.integers(16, 40))
def test_elements_are_found_in_blocks_of_any_size(pieces: list[bytes], block: int) -> None:
    data = b"".join(pieces)
    wanted = []
    for element in re.finditer(rb"<[^<]*|^[^<]+", data):
        # The byte before an element represents the line end between the two.
        is_last = element.end() == len(data)
        text = element[0] if is_last else element[0][:-1]
        if b"b" in text:
            wanted.append(element.start())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace"
        path.write_bytes(data)
        assert found(path, "b", block=block) == wanted
