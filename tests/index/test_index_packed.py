"""Packed columns give back every number, wherever it stands and however large it is."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.index.bitpacked.columns import BLOCK, Packed, Packing, open_packed
from parsers.index.bitpacked.parallel import pack_parallel
from parsers.index.bitpacked.writing import PackedColumn, save_packed
from parsers.index.writer import Writer
from parsers.io.source import Identity

PACKINGS = [
    Packing("u1", "u4"),
    Packing("u1", "u8", True),
    Packing("u2", "u4", True),
    Packing("u2", "u8"),
    Packing("u1", "u4", True, True),
]
WITH_NONE = [
    Packing("u2", "u4", none=0xFFFF_FFFF),
    Packing("u1", "u4", True, none=0xFFFF_FFFF),
    Packing("u4", "u8", True, none=255),
    Packing("u2", "i8", none=-5),
    Packing("u4", "i8", True, none=-(1 << 63)),
]
"""Packings with a number for none, which whole columns only have."""
NEAR = st.integers(0, 300)
ANY = st.sampled_from(
    [-(1 << 63), -5, -4, 0, 1, 254, 255, 256, 65_534, 65_535, 65_536, 0xFFFF_FFFE, 0xFFFF_FFFF, (1 << 64) - 2]
)
NUMBERS = st.lists(st.one_of(NEAR, ANY), max_size=3 * BLOCK)


def those_of_type(numbers: list[int], packing: Packing) -> list[int]:
    limits = np.iinfo(packing.wide)
    return [number for number in numbers if limits.min <= number <= limits.max]


def saved(numbers: list[int], packing: Packing, writer: Writer) -> Packed:
    save_packed(writer, "column", packing, np.array(numbers, packing.wide))
    return opened(packing, writer)


def saved_by_kernel(numbers: list[int], packing: Packing, writer: Writer) -> Packed:
    pack_parallel(writer, "column", packing, np.array(numbers, packing.wide))
    return opened(packing, writer)


def opened(packing: Packing, writer: Writer) -> Packed:
    def view(name: str) -> memoryview:
        path = Path(writer.path, name)
        type = packing.small if name == "column" else "u4" if name == "column_rows" else packing.wide
        return memoryview(np.fromfile(path, type) if path.exists() else np.empty(0, type))

    return open_packed("column", packing, view)


def filled(numbers: list[int], packing: Packing, writer: Writer) -> Packed:
    column = PackedColumn(writer, "column", packing, 1)
    for row, number in enumerate(numbers):
        column.ensure(row + 1)
        column.set(row, number)
    return column.column(len(numbers))


def filled_in_parts(numbers: list[int], packing: Packing, writer: Writer) -> Packed:
    column = PackedColumn(writer, "column", packing, len(numbers) + 1)
    for row in range(0, len(numbers), 50):
        column.extend(row, numbers[row : row + 50])
    return column.column(len(numbers))


@pytest.mark.parametrize(
    ("packing", "make"),
    [
        *product(PACKINGS, (saved, saved_by_kernel, filled, filled_in_parts)),
        *product(WITH_NONE, (saved, saved_by_kernel)),
    ],
)
@given(NUMBERS, st.integers(0, 3 * BLOCK), st.integers(0, 3 * BLOCK))
def test_every_number_comes_back(
    index_folder: Path, packing: Packing, make: object, numbers: list[int], start: int, stop: int
) -> None:
    writer = Writer(str(index_folder), "x", Identity(0, 0, 0, 0, ""))
    numbers = those_of_type(numbers, packing)
    column = make(numbers, packing, writer)  # type: ignore[operator]
    assert [column[row] for row in range(len(column))] == numbers
    assert list(column[start:stop]) == numbers[start:stop]
    assert column.numbers(slice(start, stop)).tolist() == numbers[start:stop]
    chosen = np.arange(len(numbers))[::-3]
    assert column.numbers(chosen).tolist() == [numbers[row] for row in chosen]
    for number in {*numbers[:5], 7}:
        assert column.find(number) == [row for row, each in enumerate(numbers) if each == number]
    writer.abandon()


@pytest.mark.parametrize("packing", [*PACKINGS, *WITH_NONE])
@given(NUMBERS)
def test_the_kernel_writes_what_plain_code_does(index_folder: Path, packing: Packing, numbers: list[int]) -> None:
    numbers = those_of_type(numbers, packing)
    files = []
    for name, save in (("plain", save_packed), ("kernel", pack_parallel)):
        writer = Writer(str(index_folder), "x", Identity(0, 0, 0, 0, ""), name)
        save(writer, "column", packing, np.array(numbers, packing.wide))
        files.append({path.name: path.read_bytes() for path in Path(writer.path).iterdir() if path.stat().st_size})
        writer.abandon()
    assert files[0] == files[1]


def test_numbers_on_both_sides_of_most_fit_into_a_window(tmp_path: Path) -> None:
    writer = Writer(str(tmp_path), "x", Identity(0, 0, 0, 0, ""))
    numbers = [1000 + 100 * (row % 2) for row in range(BLOCK)]
    numbers[0], numbers[5] = 1_000_000, 3
    column = saved(numbers, Packing("u1", "u4", True, True), writer)
    assert Path(writer.path, "column_rows").stat().st_size == 2 * 4
    assert list(column[0:BLOCK]) == np.asarray(column).tolist() == numbers


def test_numbers_near_the_first_of_their_block_take_one_byte(tmp_path: Path) -> None:
    writer = Writer(str(tmp_path), "x", Identity(0, 0, 0, 0, ""))
    column = saved([0x5000_0000 + 3 * row for row in range(BLOCK)], Packing("u1", "u8", True), writer)
    sizes = {path.name: path.stat().st_size for path in Path(writer.path).iterdir()}
    assert sizes == {"column": BLOCK, "column_base": 8}
    assert column[BLOCK - 1] == 0x5000_0000 + 3 * (BLOCK - 1)
    assert column[-1] == column[BLOCK - 1]
