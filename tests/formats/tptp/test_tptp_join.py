"""Kernels make the tables that plain code makes: of samples cut and changed, of what is made up."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from threading import Lock
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tptp_events import SMALL, sample

from parsers.formats.tptp.join import saving
from parsers.formats.tptp.join.kernel_join import KernelJoin
from parsers.formats.tptp.join.kernel_tables import SMALLEST
from parsers.formats.tptp.join.name_table import id_text
from parsers.formats.tptp.join.plain.tables import PlainJoin
from parsers.formats.tptp.read.blocks import PlainReader
from parsers.formats.tptp.read.kernel_reader import KernelReader
from parsers.formats.tptp.read.parts import DocumentPart
from parsers.formats.tptp.read.session_state import MOST_SESSIONS
from parsers.formats.tptp.schema.columns import COLUMNS, NEVER, PACKED, TABLES
from parsers.formats.tptp.schema.counters import FindingKind
from parsers.formats.tptp.schema.vocabulary import PLAIN
from parsers.index.bitpacked import parallel
from parsers.index.bitpacked.columns import Packed, Packing
from parsers.index.bitpacked.parallel import pack_parallel
from parsers.index.writer import Writer
from parsers.io.concatenated import MemoryBytes
from parsers.io.source import Identity
from parsers.model.none import NONE

OF_WORDS = {
    name
    for name in COLUMNS
    if name.endswith(("_name", "_group", "_signature", "_type", "_member")) or name in ("thread_parent", "class_source")
}
"""Columns of words, whose numbers depend on where batches end."""
OF_IDS = {name for name in COLUMNS if name.endswith("_id")} | {"thread_object"}
ABOUT_IDS = range(FindingKind.UNDEFINED_THREAD, FindingKind.REDEFINED_ID + 1)
"""Kinds of findings whose value is an id."""
MADE_UP = [
    b'<threadStart threadId="1" time="1.000000001" threadName="main" groupName="g"/>',
    b'<threadStart threadId="x" time="1.5" threadName="odd"/>',
    b'<threadEnd threadIdRef="1" time="3.0"/>',
    b'<classDef name="[I" classId="2" time="1.0"/>',
    b'<classDef name="a/B" sourceName="B.java" classId="3" time="2.0"/>',
    b'<classUnload classIdRef="3" time="4.0"/>',
    b'<methodDef name="-init-" signature="()V" startLineNumber="1" endLineNumber="9" methodId="4" classIdRef="3"/>',
    b'<methodDef name="m" signature="()V" methodId="5" classIdRef="2"/>',
    b'<methodEntry threadIdRef="1" time="5.0" methodIdRef="4" classIdRef="3" ticket="1" stackDepth="7"/>',
    b'<methodEntry threadIdRef="1" time="5.5" methodIdRef="5" classIdRef="2" ticket="2"/>',
    b'<methodEntry threadIdRef="x" time="4.5" methodIdRef="4"/>',
    b'<methodEntry time="4.5" methodIdRef="0"/>',
    b'<methodExit threadIdRef="1" methodIdRef="4" classIdRef="3" ticket="1" time="6.0" overhead="0.000000009"/>',
    b'<methodExit threadIdRef="1" methodIdRef="5" ticket="2" time="5.1"/>',
    b'<methodExit threadIdRef="x" methodIdRef="4" time="99.0"/>',
    b'<methodExit methodIdRef="17" time="1.0"/>',
    b'<methodCount methodIdRef="5" count="3"/>',
    b'<objAlloc threadIdRef="1" time="2.5" isArray="true" objId="6" size="16" classIdRef="2"/>',
    b'<objAlloc threadIdRef="x" time="2.6" objId="7" size="99999999999" classIdRef="3"/>',
    b'<objAlloc objId="12345678901234" size="8" classIdRef="77" time="7.0"/>',
    b'<objAlloc objId="odd" size="8" time="7.5"/>',
    b'<objDef objId="8" isArray="false" size="24" classIdRef="3"/>',
    b'<objFree objIdRef="6" time="8.0"/>',
    b'<objFree objIdRef="12345678901234" time="8.0"/>',
    b'<objMove objIdRef="7" newObjId="6" time="8.5"/>',
    b'<gcStart time="8.0"/>',
    b'<gcFinish time="8.2" usedObjects="3" usedObjSpace="40" totalObjSpace="0"/>',
    b'<heapDumpDef heapDumpId="1" name="first" time="9.0"/>',
    b'<heapDumpDef heapDumpId="2" time="9.5"/>',
    b'<gcRoot heapDumpIdRef="1" objIdRef="6" type="THREAD"/>',
    b'<gcRoot heapDumpIdRef="2" objIdRef="3" type="unusual"/>',
    b'<objectReference heapDumpIdRef="1" srcIdRef="6" targetIdRef="8"/>',
    b'<objReference heapDumpIdRef="2" srcIdRef="3" targetIdRef="4711"/>',
    b'<objectReference heapDumpIdRef="9" srcIdRef="1" targetIdRef="8"/>',
    b'<monContendedEnter threadIdRef="1" objIdRef="6" threadOwner="x" time="10.0"/>',
    b'<monContendedEntered threadIdRef="1" objIdRef="6" time="10.5"/>',
    b'<monContendedEnter threadIdRef="x" objIdRef="88" threadOwner="1" time="9.0"/>',
    b'<monWait threadIdRef="1" objIdRef="8" time="11.0" timeout="10"/>',
    b'<monWait threadIdRef="1" objIdRef="0" time="11.0" timeout="10"/>',
    b'<monWaited threadIdRef="1" objIdRef="8" time="10.0" timeout="11"/>',
    b'<monWaited time="12.0"/>',
    b'<traceEnd traceIdRef="t" time="12.0"/>',
    b'<traceStart traceId="t" time="13.0"/>',
    b'<methodExit threadIdRef="1" methodIdRef="5" ticket="2" time="9223372036.854775807" overhead="9223372036.1"/>',
    b'<monWaited threadIdRef="1" time="9223372036.8"/>',
    b'<node hostname="h" time="0.000000001"/>',
    b'<unheardOf threadIdRef="1" time="1.0"/>',
    b"<alsoUnheardOf/>",
    b"<!-- <gcStart/> -->",
    b'<gcStart time="8.5">',
    b"<third a='&lt;'>text</third>",
    b"<classDef name='&lt;' classId='x' time='1.0'/>",
    b"junk < more",
    b"<TRACE>",
    b"</TRACE>",
    b"<?xml version='1.0'?>",
]


def joined_plainly(data: bytes, parts: list[DocumentPart]) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    join = PlainJoin(PLAIN)
    for batch in PlainReader(MemoryBytes(data).pread, parts, PLAIN).batches():
        join.take(batch)
    join.end()
    return readable(join.tables.columns, join.tables.words.texts), join.facts()


def joined_by_kernels(
    data: bytes, parts: list[DocumentPart], folder: Path, chunk: int = 1 << 21
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    writer = Writer(str(folder), "tptp-trace", Identity(0, 0, 0, 0, ""))
    join = KernelJoin(writer, PLAIN)
    KernelReader(MemoryBytes(data), parts, PLAIN, chunk).read(join.take)
    join.end()
    found = readable(join.columns(), join.tables.words), join.facts()
    writer.abandon()
    return found


def readable(columns: Any, words: Sequence[bytes]) -> dict[str, list[Any]]:
    """Returns all columns as lists, with words instead of their numbers."""
    found = {name: np.asarray(columns[name]).tolist() for name in COLUMNS}
    for name in OF_WORDS:
        found[name] = [None if number == NONE else words[number] for number in found[name]]
    for name in OF_IDS:
        found[name] = [id_text(id, words.__getitem__) for id in found[name]]
    values = zip(found["finding_kind"], found["finding_value"], strict=True)
    found["finding_value"] = [id_text(id, words.__getitem__) if kind in ABOUT_IDS else id for kind, id in values]
    # Findings of the reader precede those of a batch.
    order = sorted(range(len(found["finding_kind"])), key=found["finding_kind"].__getitem__)
    for name in TABLES["finding"]:
        found[name] = [found[name][row] for row in order]
    return found


def check(data: bytes, folder: Path, chunk: int) -> None:
    parts = [DocumentPart(None, 0, len(data))]
    assert joined_by_kernels(data, parts, folder, chunk) == joined_plainly(data, parts)


@given(st.sampled_from(SMALL), st.integers(0, 2**32), st.sampled_from([1000, 5000, 1 << 20]))
def test_cut_and_changed_samples(
    index_folder: Path, name: str, seed: int, chunk: int
) -> None:  # fmt: skip
    random, data = Random(seed), bytearray(sample(name))
    start = random.randrange(len(data) - 15_000)
    data = data[start : start + 15_000]
    for _ in range(random.choice((0, 5, 60))):
        data[random.randrange(len(data))] = random.choice(b'0123456789<>/"x')
    check(bytes(data), index_folder, chunk)


@given(st.lists(st.sampled_from(MADE_UP), max_size=60), st.sampled_from([60, 1000, 1 << 20]))
def test_made_up_elements(index_folder: Path, elements: list[bytes], chunk: int) -> None:
    check(b"\n".join(elements) + b"\n", index_folder, chunk)


@settings(max_examples=25)
@given(st.integers(0, 2**32))
def test_ids_that_lie_far_apart(index_folder: Path, seed: int) -> None:
    random = Random(seed)
    ids = [random.randrange(1 << random.randrange(1, 62)) for _ in range(40)]
    elements = [
        random.choice(
            (
                f'<objAlloc objId="{id}" size="8" time="1.0"/>',
                f'<objFree objIdRef="{id}" time="2.0"/>',
                f'<classDef classId="{id}" name="c{id}" time="1.0"/>',
                f'<objMove objIdRef="{id}" newObjId="{random.choice(ids)}" time="2.0"/>',
                f'<objectReference srcIdRef="{id}" targetIdRef="{random.choice(ids)}"/>',
            )
        )
        for id in random.choices(ids, k=400)
    ]
    check("".join(elements).encode(), index_folder, 3000)


def test_ids_that_would_take_too_many_pages_go_into_a_hash_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    ids = range(1, 400_000_000, 1_000_003)
    elements = [f'<objAlloc objId="{id}" size="8" time="1.0"/><objFree objIdRef="{id}" time="1.0"/>' for id in ids]
    check("".join(elements).encode(), tmp_path, 2000)


def test_a_file_of_nothing_but_beginnings_has_a_thousand_sessions(tmp_path: Path) -> None:
    data = b'<TRACE><node nodeId="n"/><objAlloc objId="1" size="8"/></TRACE>' * (MOST_SESSIONS + 50)
    parts = [DocumentPart(None, 0, len(data))]
    columns, facts = joined_by_kernels(data, parts, tmp_path)
    assert (columns, facts) == joined_plainly(data, parts)
    assert len(facts["sessions"]) == len(columns["session_offset"]) == MOST_SESSIONS
    assert columns["session_first_object"][-2:] == [MOST_SESSIONS - 1, MOST_SESSIONS + 50]
    assert columns["session_end"][-1] == len(data)


@st.composite
def deep_calls(draw: st.DrawFn) -> bytes:
    """Entries and exits of two threads, with stacks higher than the range searched call by call."""
    random, found = Random(draw(st.integers(0, 2**32))), []
    share = draw(st.sampled_from([0.5, 0.7, 0.95]))
    few = draw(st.sampled_from([3, 40]))
    for tickets in range(1, draw(st.integers(2, 400))):
        thread, method, is_told = random.choice("12"), random.randrange(few), random.random() < share
        if random.random() < share:
            ticket = f' ticket="{random.choice((tickets, tickets, random.randrange(few)))}"' if is_told else ""
            found.append(f'<methodEntry threadIdRef="{thread}" methodIdRef="{method}"{ticket} time="1.0"/>')
        else:
            ticket = f' ticket="{random.randrange(tickets)}"' if is_told else ""
            overhead = ' overhead="0.5"'
            found.append(f'<methodExit threadIdRef="{thread}" methodIdRef="{method}"{ticket} time="2.0"{overhead}/>')
    return "".join(found).encode()


@given(deep_calls(), st.sampled_from([300, 3000, 1 << 21]))
def test_exits_are_matched_however_many_calls_are_open(index_folder: Path, data: bytes, chunk: int) -> None:
    check(data, index_folder, chunk)


@pytest.mark.parametrize(
    "before", [b"", b'<node nodeId="1"/>', b'<threadEnd threadIdRef="1"/><TRACE><node nodeId="1"/>']
)
def test_the_first_bytes_of_a_session_may_have_very_many_ids(before: bytes, tmp_path: Path) -> None:
    starts = (f'<threadStart threadId="{id}" time="1.0"/>'.encode() for id in range(1, 3 * SMALLEST))
    check(b"".join([before, *starts]), tmp_path, 1 << 21)


@pytest.mark.parametrize("distance", [1, 1000, 1 << 33])
def test_the_end_of_a_class_ends_very_many_methods(distance: int, tmp_path: Path) -> None:
    ids = range(1, 3 * SMALLEST * distance, distance)
    methods = (f'<methodDef methodId="{id}" classIdRef="1" name="m"/>'.encode() for id in ids)
    check(b"".join([b'<classDef classId="1" name="C"/>', *methods, b'<classUnload classIdRef="1"/>']), tmp_path, 2000)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("a/b/C", "a.b.C"),
        ("a.b.C", "a.b.C"),
        ("[[I", "int[][]"),
        ("[La/B;", "a.B[]"),
        ("int[]", "int[]"),
        ("a/B$$Lambda$1/0x12", "a.B$$Lambda$1/0x12"),
    ],
)
def test_names_of_classes_are_in_java_notation(written: str, name: str, tmp_path: Path) -> None:
    data = f'<classDef classId="1" name="{written}"/>'.encode()
    parts = [DocumentPart(None, 0, len(data))]
    for columns, _ in (joined_by_kernels(data, parts, tmp_path), joined_plainly(data, parts)):
        assert columns["class_name"] == [name.encode()]


def test_earlier_meanings_of_a_reused_id_are_known(tmp_path: Path) -> None:
    data = (
        b'<objAlloc objId="5" size="8" time="1.0"/><objFree objIdRef="5" time="2.0"/>'
        b'<classDef classId="5" name="C" time="3.0"/><classUnload classIdRef="5" time="4.0"/>'
        b'<classDef classId="5" name="C" time="5.0"/><classDef classId="5" name="C" time="6.0"/>'
    )
    _, facts = joined_by_kernels(data, [DocumentPart(None, 0, len(data))], tmp_path)
    counts = facts["sessions"][0]["counts"]
    assert counts["came_back_as_other"] == 1
    assert counts["came_back_as_same"] == 1
    assert counts["redefined"] == 1


class Written:
    """Arrays of an index, in memory."""

    def __init__(self) -> None:
        self.arrays: dict[str, Any] = {}
        self._changes = Lock()

    def open(self, name: str, type: str) -> None:
        """Begins an array."""
        self.arrays[name] = np.empty(0, type)

    def put(self, name: str, place: int, values: Any) -> None:
        """Writes a piece of an array; by any thread, in any order."""
        with self._changes:
            before = self.arrays[name]
            self.arrays[name] = np.zeros(max(len(before), place + len(values)), before.dtype)
            self.arrays[name][: len(before)] = before
            self.arrays[name][place : place + len(values)] = values

    def length(self, name: str, length: int) -> None:
        """Checks the length of a complete array."""
        assert len(self.arrays[name]) == length

    def save(self, name: str, values: Any) -> None:
        """Stores a complete array."""
        self.arrays[name] = values


def saved_packed(name: str, packing: Packing, values: Any) -> dict[str, Any]:
    """The arrays of a packed column as they are written."""
    writer: Any = Written()
    pack_parallel(writer, name, packing, values)
    arrays: dict[str, Any] = writer.arrays
    return arrays


@pytest.mark.parametrize("name", sorted(PACKED))
def test_packed_columns_hold_any_numbers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "PIECE", 128)
    packing, random = PACKED[name], Random(name)
    most = NONE if packing.wide == "u4" else (1 << 63) - 1
    near = random.randrange(most // 2)
    some = [near + random.randrange(200), random.randrange(most + 1), 0, most, packing.none or 0]
    if packing.wide == "i8":
        some += [NEVER, -5]
    values = np.array([random.choice(some) for _ in range(1000)], np.dtype(packing.wide))
    arrays = saved_packed(name, packing, values)
    bases = memoryview(arrays[f"{name}_base"]) if packing.has_bases else None
    column = Packed(
        memoryview(arrays[name]), bases, memoryview(arrays[f"{name}_rows"]), memoryview(arrays[f"{name}_values"]),
        packing.none,
    )  # fmt: skip
    assert np.asarray(column).tolist() == values.tolist()
    assert [column[row] for row in range(1000)] == values.tolist()
    wanted = int(values[500])
    assert column.find(wanted) == np.flatnonzero(values == values[500]).tolist()


def test_a_number_for_nothing_takes_no_more_space_than_others() -> None:
    values = np.array([7, NONE] * 500, np.uint32)
    assert len(saved_packed("x", Packing("u1", "u4", none=NONE), values)["x_rows"]) == 0


def test_long_columns_are_packed_without_kernels_too(monkeypatch: pytest.MonkeyPatch) -> None:
    values, writer = np.array([7, NONE] * 500, np.uint32), Written()
    monkeypatch.setattr(saving, "MANY", 10)
    monkeypatch.setattr(saving, "has_kernels", lambda *groups: False)
    monkeypatch.setitem(sys.modules, "parsers.index.bitpacked.parallel", None)
    saving.save_array(cast(Writer, writer), "object_class", values)
    assert len(writer.arrays["object_class"]) == len(values)
