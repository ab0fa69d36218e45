"""Where records of binary files begin and end, also where the file says it wrongly; small dumps written by hand."""

from __future__ import annotations

import os
import struct
from pathlib import Path

from heap_dumps import NODE, array, class_dump, header, names, node, numbers, read_plainly, record, root

from parsers.formats.hprof.dump.index.heap_engine import PlainSteps
from parsers.formats.hprof.dump.read.file import DumpFile

HEAP = class_dump() + node(32, 40) + node(40, 0) + root(NODE)
START = header() + names()


def found(file: DumpFile) -> tuple[list[int], list[tuple[int, str]]]:
    """Ids of all objects, and the problems."""
    ids = file.heap.ids.tolist() if file.heap is not None else []
    return ids, [(problem.offset, problem.kind) for problem in file.problems]


def test_a_whole_dump_has_no_problems() -> None:
    assert found(read_plainly(START + record(0x1C, HEAP) + record(0x2C))) == ([NODE, 32, 40], [])


def test_a_length_that_was_never_filled_in_reaches_to_the_end() -> None:
    file = read_plainly(START + record(0x1C, HEAP, length=0))
    assert found(file) == ([NODE, 32, 40], [(len(START), "no length"), (len(START + HEAP) + 9, "cut")])


def test_an_empty_segment_is_just_empty() -> None:
    file = read_plainly(START + record(0x1C) + record(0x1C, HEAP) + record(0x2C))
    assert found(file) == ([NODE, 32, 40], [])
    assert file.counts["dumps"] == 1


def test_a_record_inside_a_heap_record_ends_that() -> None:
    heap = record(0x1C, HEAP, length=len(HEAP) + len(record(0x2C)) + 4)
    data = START + heap + record(0x2C) + record(0x0B, struct.pack(">I", 1))
    file = read_plainly(data)
    ids, problems = found(file)
    assert ids == [NODE, 32, 40]
    assert (len(START + heap), "wrong length") in problems
    assert file.counts["heap_dump_end"] == file.counts["end_thread"] == 1


def test_a_cut_object_is_omitted_and_reported() -> None:
    data = START + record(0x1C, HEAP + node(48, 0))[:-3]
    file = read_plainly(data)
    assert found(file)[0] == [NODE, 32, 40]
    assert file.counts["truncated"] == 1
    assert [kind for _, kind in found(file)[1]] == ["cut", "cut", "cut"]


def test_the_last_one_of_equal_ids_counts() -> None:
    file = read_plainly(START + record(0x0C, class_dump() + node(32, 0) + node(40, 0) + numbers(32, 1, 2)))
    assert file.heap is not None
    assert file.heap.ids.tolist() == [NODE, 40, 32]
    assert file.counts["duplicate_ids"] == 1


def test_an_id_of_a_class_and_an_object_is_one_object() -> None:
    data = START + record(0x0C, class_dump() + array(NODE, NODE, 0, NODE))
    file = read_plainly(data)
    assert file.heap is not None
    assert file.heap.ids.tolist() == [NODE]
    steps = PlainSteps(lambda count, offset: data[offset : offset + count])
    references = steps.references(file.heap, lambda share: None)
    assert references.targets.tolist() == [0, 0]


def test_a_record_of_more_than_four_gibibytes(tmp_path: Path) -> None:
    large = 1 << 31
    heads = [struct.pack(">BQIIB", 0x23, id, 0, large - 1, 8) for id in (64, 72)]
    end = node(32, 64) + root(32)
    length = len(class_dump()) + 2 * (len(heads[0]) + large - 1) + len(end)
    path = tmp_path / "wrapped.hprof"
    with open(path, "wb") as file:
        file.write(START + record(0x0C, class_dump(), length % (1 << 32)))
        for head in heads:
            file.write(head)
            file.seek(large - 1, os.SEEK_CUR)
        file.write(end + record(0x0B, struct.pack(">I", 1)))
    descriptor = os.open(path, os.O_RDONLY)
    read = lambda count, offset: os.pread(descriptor, count, offset)  # noqa: E731
    dump = DumpFile(read, os.fstat(descriptor).st_size, PlainSteps(read))
    dump.read()
    os.close(descriptor)
    assert found(dump) == ([NODE, 64, 72, 32], [(len(START), "wrong length")])
    assert dump.counts["end_thread"] == 1


def test_of_several_dumps_the_last_one_is_read() -> None:
    file = read_plainly(START + record(0x0C, HEAP) + record(0x0C, class_dump() + node(80, 0)))
    assert found(file)[0] == [NODE, 80]
    assert file.counts["dumps"] == 2
    assert file.counts["instance_dump"] == 3
