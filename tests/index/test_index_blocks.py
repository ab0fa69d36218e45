"""Columns of blocks give back every number, however far apart they are; plain code and kernels write the same bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.index.bitpacked import block_loops, blocks
from parsers.index.bitpacked.blocks import BlockColumn, BlockWriter
from parsers.index.bitpacked.columns import BLOCK
from parsers.index.writer import Writer
from parsers.io.source import Identity
from parsers.kernels.compiled import CompiledFunctions, Functions

ENGINES = (block_loops, CompiledFunctions(block_loops))
LEAST, MOST = -(1 << 63), (1 << 63) - 1
ANY = st.one_of(st.integers(-2, 300), st.integers(LEAST, MOST), st.sampled_from([LEAST, MOST, -1, 0, 1 << 62]))
NUMBERS = st.lists(ANY, max_size=4 * BLOCK)


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer(str(tmp_path), "sample", Identity(0, 0, 0, 0, ""))


def packed(loops: Functions, numbers: list[int], piece: int, writer: Writer) -> tuple[list[int], list[int]]:
    """Writes numbers piece by piece; returns both arrays."""
    column, words = BlockWriter(writer, "column"), BlockWriter.space()
    for start in range(0, len(numbers), piece):
        column.add(loops, np.array(numbers[start : start + piece], np.int64), words)
    arrays = column.finish(loops, words)
    found = arrays["column"].tolist(), arrays["column_end"].tolist()
    del arrays
    for name in ("column", "column_end"):
        writer.forget(name)
    return found


def opened(loops: Functions, arrays: tuple[list[int], list[int]], rows: int, type: str = "i8") -> BlockColumn:
    return BlockColumn(loops, np.array(arrays[0], np.int64), np.array(arrays[1], np.uint32), rows, type)


@given(NUMBERS, st.integers(1, 3 * BLOCK), st.integers(0, 4 * BLOCK), st.integers(0, 4 * BLOCK))
def test_every_number_comes_back(index_folder: Path, numbers, piece, first, last) -> None:  # type: ignore[no-untyped-def]
    writer = Writer(str(index_folder), "sample", Identity(0, 0, 0, 0, ""))
    written = [packed(loops, numbers, piece, writer) for loops in ENGINES]
    assert written[0] == written[1]
    rows = [row for row in (first, last, first, 0) if row < len(numbers)]
    for loops in ENGINES:
        column = opened(loops, written[0], len(numbers))
        assert column.numbers().tolist() == numbers
        assert column.numbers(slice(first, last)).tolist() == numbers[first:last]
        assert column.numbers(np.array(rows, np.int64)).tolist() == [numbers[row] for row in rows]
        assert [column[row] for row in rows] == [numbers[row] for row in rows]
        for number in {*numbers[:3], 0, LEAST}:
            places = [row for row, each in enumerate(numbers) if each == number]
            assert column.find(number, len(numbers) + 1).tolist() == places
            assert column.find(number, 1).tolist() == places[:1]


@pytest.mark.parametrize("loops", ENGINES)
def test_numbers_without_sign_are_those_with_the_same_bits(loops: Functions, writer: Writer) -> None:
    column = opened(loops, packed(loops, [-1, 0, 70_000], 2, writer), 3, "u4")
    assert column.numbers().tolist() == [0xFFFF_FFFF, 0, 70_000]
    assert column[0] == 0xFFFF_FFFF


def test_blocks_take_as_many_words_as_their_numbers_have_bits(writer: Writer) -> None:
    numbers = [7] * BLOCK + list(range(BLOCK)) + [LEAST, *[MOST] * (BLOCK - 1)]
    ends = packed(block_loops, numbers, len(numbers), writer)[1]
    assert np.diff([0, *ends]).tolist() == [1 + 0, 1 + 6, 1 + 64]


def test_pieces_larger_than_those_packed_at_a_time_are_the_same(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = [row * row for row in range(1_000)]
    whole = packed(block_loops, numbers, 1_000, writer)
    monkeypatch.setattr(blocks, "PIECE", 100)
    assert packed(block_loops, numbers, 1_000, writer) == whole
