"""A wrong length costs at most its own record, whichever record it is, for plain code and for kernels."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from examples import more_examples
from heap_dumps import NODE, Built, array, class_dump, header, names, node, numbers, reader, record, root
from hypothesis import given
from hypothesis import strategies as st
from test_dump_walk import facts

from parsers.formats.hprof.agent_binary.records import NAMES, RECORD
from parsers.formats.hprof.dump.index.heap_engine import PlainSteps
from parsers.formats.hprof.dump.records import record_search, walk
from parsers.formats.hprof.dump.records import records as dump_records
from parsers.formats.hprof.dump.records.record_search import RecordSearch
from parsers.formats.hprof.dump.records.tags import HEAP_TAGS
from parsers.formats.hprof.dump.records.walk import KernelRecords

OBJECTS = b"".join(node(32 + 8 * each, 40 + 8 * each) for each in range(20))
TRACES = b"".join(
    (
        record(0x04, struct.pack(">4QIi", 70, 2, 3, 1, 1, 12)),
        record(0x05, struct.pack(">IIIQQ", 1, 1, 2, 70, 70)),
        record(0x0A, struct.pack(">IQIQQQ", 1, 32, 1, 1, 2, 3)),
        record(0x05, struct.pack(">III", 2, 1, 0)),
    )
)
SAMPLES = b"".join(
    (
        record(0x06, struct.pack(">HIIIQQI", 2, 0, 8, 1, 8, 1, 1) + struct.pack(">BIIIIII", 0, 1, 1, 8, 1, 8, 1)),
        record(0x07, bytes(24)),
        record(0x0D, struct.pack(">IIII", 1, 1, 1, 1)),
        record(0x0B, struct.pack(">I", 1)),
        record(0x03, struct.pack(">I", 9)),
    )
)
DUMP = b"".join(
    (
        header(),
        record(0x0E, struct.pack(">IH", 3, 4)),
        *(record(0x01, struct.pack(">Q", 100 + each) + b"a.name_%d," % each) for each in range(9)),
        names(),
        TRACES,
        record(0x1C, class_dump() + OBJECTS),
        record(0x1C, array(400, 32, 0, 48) + numbers(408, 1, 2, 3) + root(NODE)),
        record(0x2C),
        SAMPLES,
        names(),
    )
)


def heads(data: bytes) -> Iterator[int]:
    """Offsets of all records."""
    at = 31
    while at < len(data):
        yield at
        at += RECORD.size + RECORD.unpack_from(data, at)[2]


def with_length(at: int, length: int) -> bytes:
    """DUMP with another length of the record at an offset."""
    return DUMP[: at + 5] + struct.pack(">I", length) + DUMP[at + 9 :]


class Contents:
    """Everything that is read of a file."""

    def __init__(self, data: bytes, folder: Path, by_kernels: bool) -> None:
        built = Built(data, folder, by_kernels)
        self.records = {name: built.file.counts[name] for name in NAMES.values()}
        self.unknown = built.file.counts["unknown_records"]
        self.ids = built.heap.ids.tolist()
        self.roots = len(built.heap.roots)
        self.names = dict(built.file.profile.names)
        self.offsets = [problem.offset for problem in built.file.problems]
        built.close()


HEADS = [*heads(DUMP)]
"""Offsets of the records of DUMP."""
BITS = (0, 1, 2, 3, 4, 5, 7, 12, 20, 31)


@pytest.mark.parametrize("by_kernels", [False, True], ids=["plain", "kernels"])
@pytest.mark.parametrize("change", [*BITS, "zero", "all bits"])
def test_a_wrong_length_loses_at_most_its_record(change: int | str, by_kernels: bool, tmp_path: Path) -> None:
    whole = Contents(DUMP, tmp_path, by_kernels)
    assert whole.offsets == []
    for at, following in zip(HEADS, [*HEADS[1:], len(DUMP)], strict=True):
        tag, _, length = RECORD.unpack_from(DUMP, at)
        wrong = {"zero": 0, "all bits": 0xFFFFFFFF}[change] if isinstance(change, str) else length ^ 1 << change
        if wrong == length:
            continue
        found = Contents(with_length(at, wrong), tmp_path, by_kernels)
        lost = Counter(whole.records) - Counter(found.records)
        assert lost == Counter() or (following == len(DUMP) and lost == {NAMES[tag]: 1}), f"record at {at}"
        assert (found.ids, found.roots, found.unknown) == (whole.ids, whole.roots, 0), f"record at {at}"
        assert at in found.offsets or (tag in HEAP_TAGS and following in found.offsets)


def test_a_text_with_a_wrong_length_is_read_whole(tmp_path: Path) -> None:
    text = HEADS[3]
    for length in (0, 5, 12, 30, 1000, 1 << 30):
        found = Contents(with_length(text, length), tmp_path, by_kernels=False)
        assert found.names[102] == b"a.name_2,"
        assert found.offsets == [text]


def test_the_message_names_both_lengths() -> None:
    walked = PlainSteps(reader(data := with_length(HEADS[3], 1000))).records(len(data), 8, False)
    list(walked.walk())
    assert [(each.offset, each.what, each.done) for each in walked.problems.kept] == [
        (HEADS[3], "a record of tag 0x01 has a length of 1,000 bytes instead of 17", "it is read with the right length")
    ]


@pytest.mark.parametrize("tag", [0x00, 0x41, 0x77])
def test_an_unknown_record_with_a_wrong_length_ends_where_a_record_begins(tag: int, tmp_path: Path) -> None:
    data = bytearray(with_length(HEADS[3], 0x1234))
    data[HEADS[3]] = tag
    found = Contents(bytes(data), tmp_path, by_kernels=False)
    assert (found.unknown, found.offsets) == (1, [HEADS[3]])
    assert sum(found.records.values()) == len(HEADS) - 1


def test_zeros_between_records_are_passed_by(tmp_path: Path) -> None:
    at = HEADS[5]
    found = Contents(DUMP[:at] + bytes(1000) + DUMP[at:], tmp_path, by_kernels=False)
    assert sum(found.records.values()) == len(HEADS)
    assert found.offsets == [at]


def test_a_heap_record_of_wrong_length_ends_before_records_with_the_tags_of_roots(tmp_path: Path) -> None:
    heap, traces = record(0x0C, class_dump() + OBJECTS, length=5000), TRACES * 3
    for by_kernels in (False, True):
        found = Contents(header() + names() + heap + traces, tmp_path, by_kernels)
        assert found.records["trace"] == found.records["frame"] * 2 == 6
        assert len(found.ids) == 21


def test_a_search_through_small_windows_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    data = DUMP[:31] + b"\x01\x77\0" * 300 + DUMP[31:]
    search = RecordSearch(reader(data), len(data), 8)
    assert search.next_record(31) == 931
    monkeypatch.setattr(record_search, "WINDOW", 16)
    assert RecordSearch(reader(data), len(data), 8).next_record(31) == 931


DAMAGE = st.lists(st.tuples(st.sampled_from(HEADS), st.integers(0, 8), st.integers(0, 255)), max_size=6)


def walks(data: bytes, repairs: bool) -> list[dict[str, Any]]:
    """All that both engines find."""
    plain, kernels = (PlainSteps(reader(data)).records, lambda *each: KernelRecords(reader(data), *each))
    return [facts(records(len(data), 8, repairs)) for records in (plain, kernels)]


@more_examples(3)
@given(DAMAGE, st.integers(0, 60), st.booleans())
def test_engines_find_the_same_in_damaged_heads(damage: list[tuple[int, int, int]], cut: int, repairs: bool) -> None:
    data = bytearray(DUMP)
    for at, place, value in damage:
        data[at + place] = value
    plain, kernels = walks(bytes(data[: len(data) - cut]), repairs)
    assert kernels == plain


@pytest.mark.parametrize("repairs", [False, True])
def test_after_very_many_wrong_lengths_all_are_trusted(repairs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (dump_records, walk):
        monkeypatch.setattr(module, "MOST_DOUBTED", 20)
    wrong = record(0x01, struct.pack(">Q", 1) + b"text", 100) + record(0x2C) * 3 + record(0x1C, root(1) * 3)
    plain, kernels = walks(header() + wrong * 100, repairs)
    assert kernels == plain
    assert plain["problem counts"]["wrong length"] >= 20
