"""The kernel that walks records finds the same ones as plain code, whatever their tags and lengths are."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from examples import more_examples
from heap_dumps import header, reader
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.hprof.dump.index.heap_engine import PlainSteps
from parsers.formats.hprof.dump.records import records as dump_records
from parsers.formats.hprof.dump.records import walk
from parsers.formats.hprof.dump.records.records import DumpRecords
from parsers.formats.hprof.dump.records.walk import KernelRecords

TAGS = st.sampled_from([0x01, 0x05, 0x0B, 0x0C, 0x0C, 0x1C, 0x1C, 0x1C, 0x2C, 0x00, 0x77])
RECORDS = st.lists(
    st.tuples(TAGS, st.sampled_from([0, 0, 0, 0, -9, -1, 1, 9, 18, 100, 1 << 31]), st.integers(0, 3), st.booleans())
)
ROOT = b"\x05" + bytes(8)


def made(records: list[tuple[int, int, int, bool]]) -> bytes:
    """Records with roots, perhaps an unknown tag behind them, and lengths that are wrong by so many bytes."""
    found = header()
    for tag, wrong, roots, is_odd in records:
        body = ROOT * roots + b"\x66" * is_odd
        found += struct.pack(">BII", tag, roots, max(len(body) + wrong, 0)) + body
    return found


def facts(records: DumpRecords) -> dict[str, Any]:
    """All that a walk finds."""
    return {
        "records": list(records.walk()),
        "segments": list(records.segments),
        "problems": records.problems.kept,
        "problem counts": records.problems.counts,
        "counts": records.counts,
        "others": (records.dumps, records.is_truncated),
    }


@more_examples(3)
@given(RECORDS, st.integers(0, 12), st.booleans())
def test_walks_are_equal(records: list[tuple[int, int, int, bool]], cut: int, repairs: bool) -> None:
    data = made(records)
    data = data[: max(len(data) - cut, 31)]
    plain = PlainSteps(reader(data)).records(len(data), 8, repairs)
    assert facts(KernelRecords(reader(data), len(data), 8, repairs)) == facts(plain)


@pytest.mark.parametrize("repairs", [False, True])
def test_walks_through_small_windows_and_tables_are_equal(repairs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump_records, "FIRST_WINDOW", 64)
    for module, name, value in (
        (dump_records, "WINDOW", 256),
        (walk, "LARGEST_WINDOW", 256),
        (walk, "RECORD_CAPACITY", 5),
    ):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(walk, "PROBLEM_CAPACITY", 7)
    wrong = (0, 5, -9, 0, 300, 0, 1, 1000)
    data = made([((0x1C, 0x01, 0x1C, 0x77, 0x0C)[at % 5], wrong[at % 7], at % 40, at % 11 == 0) for at in range(400)])
    plain = PlainSteps(reader(data)).records(len(data), 8, repairs)
    assert facts(KernelRecords(reader(data), len(data), 8, repairs)) == facts(plain)


@pytest.mark.parametrize("wraps", [0, 1, 3])
def test_lengths_of_more_than_four_gibibytes(wraps: int) -> None:
    head, tail = header() + struct.pack(">BII", 0x0C, 0, 100) + bytes(100), struct.pack(">BII", 0x0B, 0, 4) + bytes(4)
    at = len(head) + wraps * (1 << 32)
    size = at + len(tail)

    def read(count: int, offset: int) -> bytes:
        found = bytearray(min(count, size - offset))
        for part, start in ((head, 0), (tail, at), (b"\xff" * 20, len(head) if wraps else size)):
            for place in range(max(start, offset), min(start + len(part), offset + len(found))):
                found[place - offset] = part[place - start]
        return bytes(found)

    assert facts(KernelRecords(read, size, 8, False)) == facts(PlainSteps(read).records(size, 8, False))
