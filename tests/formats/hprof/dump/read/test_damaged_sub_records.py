"""After a damaged sub-record reading continues where others can be read, for plain code and for kernels."""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path
from typing import Any

import pytest
from heap_dumps import NODE, Built, class_dump, header, names, node, numbers, read_plainly, record, root
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.hprof.dump.read import scan as dump_scan

START = header() + names()
NODES = [node(32 + 8 * place, 40 + 8 * place) for place in range(400)]
UNKNOWN, RESUMED, REST = (
    "a sub-record of the unknown tag 0x77",
    "everything up to the next readable one is skipped",
    "the rest of the heap record is skipped",
)


def dump(*sub_records: bytes) -> bytes:
    return START + record(0x0C, class_dump() + b"".join(sub_records))


def contents(data: bytes, by_kernels: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        built = Built(data, Path(folder), by_kernels)
        heap, counts = built.heap, built.file.counts
        built.close()
        return {
            "objects": list(zip(heap.ids.tolist(), heap.offsets.tolist(), heap.kinds.tolist(), strict=True)),
            "roots": heap.roots.ids.tolist(),
            "counts": counts,
            "problems": [(each.offset, each.what, each.done) for each in built.file.problems],
        }


@pytest.fixture(params=[False, True], ids=["plain", "kernels"])
def by_kernels(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def test_only_the_damaged_bytes_are_lost(by_kernels: bool) -> None:
    found = contents(dump(*NODES[:100], b"\x77" * 1000, *NODES[100:], root(NODE)), by_kernels)
    assert [id for id, _, kind in found["objects"] if kind == 0] == [32 + 8 * place for place in range(400)]
    assert found["roots"] == [NODE]
    assert found["problems"] == [(len(dump(*NODES[:100])), UNKNOWN, RESUMED)]
    assert found["counts"]["unknown_sub_records"] == 1


def test_an_array_with_a_wrong_length_loses_itself_and_a_few_others(by_kernels: bool) -> None:
    wrong = numbers(8, *range(50)).replace(struct.pack(">I", 50), struct.pack(">I", 0x7FFFFFFF), 1)
    found = contents(dump(*NODES[:100], wrong, *NODES[100:]), by_kernels)
    assert len(found["objects"]) == 401
    assert (found["counts"]["truncated"], found["counts"]["unknown_sub_records"]) == (1, 0)
    assert found["problems"][0][2] == RESUMED


def test_bytes_that_only_look_like_sub_records_are_skipped(by_kernels: bool) -> None:
    strangers = [each.replace(struct.pack(">Q", NODE), struct.pack(">Q", 99)) for each in NODES]
    for others in (strangers, [root(5)] * 1000, NODES[:20] + [b"\x77"] * 4000):
        found = contents(dump(NODES[0], b"\x77", *others), by_kernels)
        assert len(found["objects"]) == 2
        assert found["problems"] == [(len(dump(NODES[0])), UNKNOWN, REST)]


def test_after_very_many_damaged_sub_records_the_rest_is_skipped(
    by_kernels: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parsers.formats.hprof.dump.read.plain.MOST_SEARCHES", 3)
    damaged = [each for start in range(0, 400, 50) for each in (*NODES[start : start + 50], b"\x77")]
    found = contents(dump(*damaged), by_kernels)
    assert [done for _, _, done in found["problems"]] == [RESUMED] * 3 + [REST]
    assert len(found["objects"]) == 1 + 4 * 50


def test_in_small_pieces_the_same_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = dump(*(each for start in range(0, 400, 50) for each in (*NODES[start : start + 50], b"\x77")))
    expected = contents(data, by_kernels=False)
    for name, value in (("BUFFER", 1 << 12), ("OBJECT_CAPACITY", 7), ("PROBLEM_CAPACITY", 2)):
        monkeypatch.setattr(dump_scan, name, value)
    assert contents(data, by_kernels=True) == expected


@given(st.lists(st.tuples(st.integers(0, 18_000), st.binary(min_size=1, max_size=300)), min_size=1, max_size=4))
def test_engines_agree_wherever_the_damage_is(damage: list[tuple[int, bytes]]) -> None:
    data = bytearray(dump(*NODES))
    for place, wrong in damage:
        start = len(START) + 9 + place
        data[start : start + len(wrong)] = wrong
    if read_plainly(bytes(data)).heap is not None:
        assert contents(bytes(data), True) == contents(bytes(data), False)
