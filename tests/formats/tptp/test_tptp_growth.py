"""Work grows with the bytes of a recording, whatever they are: it is counted, not timed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counted_work import MOST_GROWTH, Work
from engines import engine
from tptp_events import read_by_kernel, read_plainly, whole

from parsers.formats.tptp import build
from parsers.formats.tptp.heap import build as heap_build
from parsers.formats.tptp.read import construct_reader, scanner
from parsers.formats.tptp.read.blocks import PlainReader
from parsers.formats.tptp.read.construct_reader import ConstructReader
from parsers.formats.tptp.read.kernel_reader import KernelReader
from parsers.formats.tptp.read.session_facts import MOST_FACTS
from parsers.formats.tptp.read.session_state import MOST_SESSIONS
from parsers.formats.tptp.schema.vocabulary import PLAIN
from parsers.formats.tptp.store.recording import TraceRecording
from parsers.io.cache import Cache
from parsers.io.concatenated import MemoryBytes
from parsers.io.group import SourceGroup
from parsers.io.open_source import open_source
from parsers.profile import nested
from parsers.profile.merge import Merging
from parsers.profile.nested import NestedStacks
from parsers.profile.profile import Profile, Value, bottom_up

HEAD = '<TRACE><threadStart threadId="1" time="1.0"/><classDef classId="2" name="a"/><methodDef methodId="3" name="m"/>'
WORDS = "threadStart threadEnd classDef classUnload methodDef methodEntry methodExit objAlloc objFree objMove monWait"
MORE = "monWaited monContendedEnter monContendedEntered gcStart gcFinish heapDumpDef objectReference gcRoot node TRACE"
ELEMENTS = f"{WORDS} {MORE}".split()
EXTREMES = (0, 1, -1, 1 << 32, (1 << 63) - 1, 1 << 63, -(1 << 63), 10**30)


def any_element(number: int) -> str:
    """An element of any kind with numbers that are small, extreme or new."""
    value = (number % 7, EXTREMES[number % len(EXTREMES)], number)[number // 3 % 3]
    ids = "".join(
        f' {name}="{value}"'
        for name in ("threadIdRef", "threadId", "classId", "classIdRef", "methodId", "methodIdRef", "objId", "objIdRef")
    )
    return f'<{ELEMENTS[number % len(ELEMENTS)]}{ids} newObjId="{number}" ticket="{value}" time="{value}.{number}"/>'


INPUTS: dict[str, Callable[[int], str]] = {
    "threads": lambda n: f'<threadStart threadId="{n}" threadName="t{n}"/>',
    "threads of one id": lambda n: f'<threadStart threadId="7"/><threadEnd threadIdRef="7" time="{n}.0"/>',
    "classes": lambda n: f'<classDef classId="{n}" name="a.b.C{n}"/>',
    "methods": lambda n: f'<methodDef methodId="{n}" name="m{n}" classIdRef="2"/>',
    "classes that are unloaded": lambda n: f'<classDef classId="{n}" name="a"/><classUnload classIdRef="{n}"/>',
    "unknown elements": lambda n: "<a/>",
    "names of elements": lambda n: f"<a{n}/>",
    "names of attributes": lambda n: f'<objFree b{n}="1"/>',
    "calls without end": lambda n: f'<methodEntry threadIdRef="1" methodIdRef="3" ticket="{n}"/>',
    "deep calls and unknown exits": lambda n: (
        f'<methodEntry threadIdRef="1" methodIdRef="3" ticket="{n}"/>'
        f'<methodExit threadIdRef="1" methodIdRef="3" ticket="{n + 10**9}"/>'
    ),
    "exits": lambda n: f'<methodExit threadIdRef="1" methodIdRef="{n}" ticket="{n}"/>',
    "threads with calls": lambda n: f'<methodEntry threadIdRef="{n}" methodIdRef="{n}"/>',
    "methods of different threads": lambda n: (
        f'<threadStart threadId="{n}"/><methodDef methodId="{n}" name="m{n}" classIdRef="2"/>'
        f'<methodEntry threadIdRef="{n}" methodIdRef="{n}"/>'
    ),
    "tags that are open": lambda n: "<a>",
    "tags that are closed": lambda n: "</a>",
    "tags that are torn": lambda n: '<objFree objIdRef="1',
    "beginnings": lambda n: "<",
    "comments": lambda n: "<!---->",
    "comments without end": lambda n: "<!--",
    "declarations": lambda n: "<?xml?>",
    "sessions": lambda n: '<TRACE><gcStart/><objAlloc objId="1"/>',
    "options": lambda n: f'<option key="k{n}" value="v"/>',
    "nodes": lambda n: '<node a="1"/>',
    "filters": lambda n: f'<filter pattern="a{n}"/>',
    "processes": lambda n: '<processCreate pid="1"/>',
    "document types": lambda n: "<!DOCTYPE a [<!ENTITY b 'c'>]>",
    "document types without end": lambda n: "<!DOCTYPE a [<!--",
    "declarations with an encoding": lambda n: '<?xml encoding="ISO-8859-1"?>',
    "numbers that are none": lambda n: f'<methodEntry threadIdRef="1" time="x{n}" ticket="-{n}"/>',
    "escaped names": lambda n: f'<threadStart threadId="{n}" threadName="&#65;&lt;{n}"/>',
    "names beyond ASCII": lambda n: f'<threadStart threadId="{n}" threadName="\u00e9{n}"/>',
    "names of virtual machines": lambda n: f'<threadStart threadId="{n}" threadName="\ud83d\ude00{n}"/>',
    "names in Latin-1": lambda n: f'<threadStart threadId="{n}" threadName="\udce9&lt;{n}"/>',
    "names in a declared encoding": lambda n: (
        "<?xml encoding='ISO-8859-15'?>" * (n == 10) + f'<threadStart threadId="{n}" threadName="\udca4{n}"/>'
    ),
    "names in an encoding of pairs of bytes": lambda n: (
        "<?xml encoding='Shift_JIS'?>" * (n == 10) + f'<threadStart threadId="{n}" threadName="\udc88\udc9f{n}"/>'
    ),
    "names of characters of three bytes": lambda n: (
        "<?xml encoding='EUC-JP'?>" * (n == 10) + f'<threadStart threadId="{n}" threadName="\udc8f\udcb0\udca1{n}"/>'
    ),
    "names of characters of four bytes": lambda n: (
        "<?xml encoding='GB18030'?>" * (n == 10)
        + f'<threadStart threadId="{n}" threadName="\udc81{n % 10}\udc81{n // 10 % 10}"/>'
    ),
    "names that are not in the declared encoding": lambda n: (
        "<?xml encoding='EUC-JP'?>" * (n == 10) + f'<threadStart threadId="{n}" threadName="\udc8f\udcb0{n}"/>'
    ),
    "names in an encoding with other signs than ASCII": lambda n: (
        "<?xml encoding='cp864'?>" * (n == 10) + f'<threadStart threadId="{n}" threadName="\udcc7%{n}"/>'
    ),
    "encodings that are declared again and again": lambda n: (
        "<?xml encoding='EUC-JP'?>" + f'<threadStart threadId="{n}" threadName="\udc8f\udcb0\udca1{n}"/>'
    ),
    "names of elements in many sessions": lambda n: f"<a{n}/>" + "<TRACE>" * (n % 10 == 0),
    "methods of classes that are unloaded": lambda n: (
        f'<classDef classId="{n}"/><methodDef methodId="{n << 33}" classIdRef="{n}"/><classUnload classIdRef="{n}"/>'
    ),
    "attributes that occur twice": lambda n: '<gcStart time="1.0" time="2.0"/>',
    "a few unknown attributes again and again": lambda n: f'<gcStart anAttributeOfAVeryLongName{n % 20}="1"/>',
    "namespaces": lambda n: '<gcStart xmlns:a="x"/>',
    "moments that are the second choice": lambda n: f'<gcStart transientTime="{n}.0"/>',
    "calls of methods that are not defined": lambda n: f'<methodEntry threadIdRef="1" methodIdRef="{n}"/>',
    "pauses": lambda n: f'<traceEnd time="{n}.0"/><traceStart time="{n}.5"/>',
    "objects": lambda n: f'<objAlloc objId="{n * 7919 * 65537}" classIdRef="{n}"/>',
    "moved objects": lambda n: f'<objAlloc objId="{n}"/><objMove objIdRef="{n}" newObjId="{n + 1}"/>',
    "waits for a moved object": lambda n: (
        '<objAlloc objId="10"/>' * (n == 10)
        + f'<objMove objIdRef="{n}" newObjId="{n + 1}"/><monWait threadIdRef="1" objIdRef="{n + 1}"/>'
    ),
    "references": lambda n: f'<objectReference srcIdRef="{n}" targetIdRef="{n + 1}"/>',
    "threads that wait for each other": lambda n: (
        f'<monContendedEnter threadIdRef="{n}" objIdRef="{n}" threadOwner="{n + 1}" time="{n}.0"/>'
    ),
    "waits": lambda n: f'<monWait threadIdRef="1" objIdRef="{n}" time="{10**6 - n}.0"/><monWaited threadIdRef="1"/>',
    "collections": lambda n: f'<gcStart/><objFree objIdRef="{n}"/><gcFinish/>',
    "anything": any_element,
}
LONG_INPUTS: dict[str, Callable[[int], str]] = {
    "very many attributes": lambda n: "<gcStart" + " a=''" * 70 + "/>",
}
"""Elements that plain code reads: the work for each is nothing beside its length."""
SIZE = 2_500


def bytes_of(text: str) -> bytes:
    """Text in UTF-8; surrogates from U+DC80 to U+DCFF are bytes, others as virtual machines write them."""
    encoded = text.encode("utf-8", "surrogatepass")
    return re.sub(rb"\xed([\xb2\xb3][\x80-\xbf])", lambda of: bytes((of[1][0] << 6 & 0xFF | of[1][1] & 0x3F,)), encoded)


def made(element: Callable[[int], str], size: int) -> bytes:
    """Returns a recording of elements, of at least so many bytes."""
    found, length, number = [HEAD], 0, 10
    while length < size:
        found.append(element(number))
        length += len(found[-1])
        number += 1
    return bytes_of("".join(found))


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], int]:
    """How many lines are run to index some bytes."""
    numbers = itertools.count()
    # Elements beyond the limit of a file count in small files, too.
    monkeypatch.setattr(construct_reader, "MOST_FACTS", 10)

    def index(data: bytes) -> int:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        path = folder / "log.trcxml"
        path.write_bytes(data)
        source = SourceGroup([open_source(str(path), Cache(keep=False))])
        made = build.TraceBuild(source, str(folder), "tptp-trace", lambda news: None)
        with Work() as work:
            made.run()
        return work.done

    return index


@pytest.mark.parametrize("name", [*INPUTS, *LONG_INPUTS])
def test_twice_the_bytes_take_hardly_more_than_twice_the_work(name: str, work: Callable[[bytes], int]) -> None:
    element = (INPUTS | LONG_INPUTS)[name]
    work(made(element, SIZE // 10))  # What is imported or kept at first is there from now on.
    fixed, once, twice = (work(made(element, size)) for size in (1, SIZE, 2 * SIZE))
    assert twice - fixed <= MOST_GROWTH * (once - fixed) + SIZE // 10


def taken_plainly(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Offsets in chunks of the constructs that plain code reads from now on."""
    taken, take = list[int](), ConstructReader.take

    def counted(self: ConstructReader, batch: Any, data: Any, at: int, row: int) -> Any:
        taken.append(at)
        return take(self, batch, data, at, row)

    monkeypatch.setattr(ConstructReader, "take", counted)
    return taken


@pytest.mark.parametrize("name", INPUTS)
def test_plain_code_reads_a_bounded_number_of_constructs_of_a_large_recording(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, count = taken_plainly(monkeypatch), MOST_FACTS + 2 * MOST_SESSIONS
    data = bytes_of("".join(map(INPUTS[name], range(count + count // 10))))
    reader = KernelReader(MemoryBytes(data), whole(data), PLAIN)
    reader._state.facts = MOST_FACTS - 10  # Of elements with facts, only the last ten are read.
    reader.read(lambda batch: None)
    assert len(taken) <= 10 + 2 * MOST_SESSIONS


class Searched:
    """A pattern that counts the scanned bytes."""

    looked_at = 0

    def __init__(self, pattern: str) -> None:
        self._pattern = re.compile(re.escape(pattern.encode()))

    def search(self, data: bytes, first: int, last: int) -> re.Match[bytes] | None:
        Searched.looked_at += max(0, last - first)
        return self._pattern.search(data, first, last)


@pytest.mark.parametrize("unit", [b"<!--", b"<![CDATA[", b"<?", b"<!--<gcStart/>"])
def test_ends_that_are_not_there_are_looked_for_once(unit: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = {b"<!--": Searched("-->"), b"<![CDATA[": Searched("]]>"), b"<?": Searched("?>")}
    monkeypatch.setattr(scanner, "_ENDS", ends)
    monkeypatch.setattr(Searched, "looked_at", 0)
    data = unit * (100_000 // len(unit))
    read_plainly(data)
    assert len(data) // 2 < Searched.looked_at < 2 * len(data)
    Searched.looked_at = 0
    read_by_kernel(data)
    assert Searched.looked_at < 2 * len(data)


@pytest.mark.parametrize("unit", [b"<", b"<a", b"<a ", b"<a b=", b"< a", b"<1/>"])
def test_what_cannot_begin_a_construct_is_passed_by_at_once(unit: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = taken_plainly(monkeypatch)
    data = b"<gcStart/>" + unit * 1000 + b"<gcFinish/>"
    found = [read(data) for read in (read_plainly, read_by_kernel)]
    assert [each.names for each in found] == [["gcStart", "gcFinish"]] * 2
    assert found[0].findings == found[1].findings
    assert len(taken) < 10


def test_elements_that_begin_within_values_are_not_read_again_and_again() -> None:
    data = b'<gcStart zz="1"/>' + b"""<x a="<gcStart zz='"/>'/>""" * 2000
    batches = list[int]()
    KernelReader(MemoryBytes(data), whole(data), PLAIN).read(lambda batch: batches.append(len(batch.code)))
    plain = PlainReader(MemoryBytes(data).pread, whole(data), PLAIN)
    assert sum(1 for batch in plain.batches() for event in batch.events()) == 2001
    assert len(batches) == 1


def chain(count: int) -> NestedStacks:
    """A method that calls itself again and again."""
    return NestedStacks(np.arange(count) - 1, np.zeros(count, np.uint32))


def test_callers_of_a_deep_stack_are_looked_at_a_limited_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nested, "LEAST_STEPS", 1)
    monkeypatch.setattr(nested, "STEPS_A_TRACE", 5)
    count = 1000
    values, weights = (Value("calls", "calls"),), [np.ones(count, np.int64)]
    rows = np.arange(count)
    profile = Profile(chain(count), np.zeros(1, np.int64), 1, rows, weights, values, rows)
    for has_kernels in (True, False):
        with engine(has_kernels):
            tree = bottom_up(profile, Merging(profile.method_of, 1))
        assert tree.merged.total[0].tolist() == [count - depth for depth in range(6)]
        assert tree.is_open.tolist() == [False] * 5 + [True]
        assert tree.merged.depth.tolist() == list(range(6))


def test_depths_of_traces_are_found_in_few_rounds() -> None:
    above = np.array([-1, 0, 1, -1, 3, 2])
    assert NestedStacks(above, above).depths.tolist() == [0, 1, 2, 0, 1, 3]
    assert chain(5000).depths.tolist() == list(range(5000))


def test_of_very_many_heap_dumps_only_the_first_ones_have_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dumps:
        dumps, types = 1_000_000, 5

        def of(self, dump: int) -> Any:
            return type("Nodes", (), {"entities": []})

        def entities(self, dump: int) -> int:
            return 0

    maker: Any = Dumps()
    assert len(heap_build._computed_dumps(maker)) == heap_build.MOST_OBJECTS // heap_build.LEAST + 1


class Counted(list[int]):
    """Numbers that count how many of them are read."""

    looked_at = 0

    def __getitem__(self, place: Any) -> Any:
        Counted.looked_at += 1
        return super().__getitem__(place)


def test_the_id_of_an_object_that_moved_often_is_found_by_few_looks() -> None:
    recording, moves = TraceRecording(MemoryBytes(b"")), 1000
    columns: dict[str, Any] = {
        "object_id": np.array([7, 8], np.int64),
        "move_object": np.zeros(moves, np.uint32),
        "move_id": np.arange(100, 100 + moves),
        "move_offset": Counted(range(0, 10 * moves, 10)),
    }
    recording.take_arrays(columns, (), {})
    Counted.looked_at = 0
    assert [recording.object_id(0, offset) for offset in (0, 15, 9_999_999)] == [100, 101, 100 + moves - 1]
    assert recording.object_id(1, 15) == 8
    assert Counted.looked_at < 40
