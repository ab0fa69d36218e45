"""Binary heap dumps made to harm: classes in circles and endless chains, everything twice, more roots than objects."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Answer
from engines import engine
from heap_dumps import NODE, Built, array, class_dump, header, names, node, numbers, read_plainly, record, root, sample
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.hprof.data.columns import KEPT_PROBLEMS
from parsers.formats.hprof.dump.index.layout import InstanceSizes, JvmLayout
from parsers.formats.hprof.dump.read.class_record import MOST_SUPERS, HeapClass, chain_of, width_of
from parsers.formats.hprof.dump.read.classes import HeapClasses, columns_of
from parsers.formats.hprof.dump.records.tags import OBJECT
from parsers.formats.hprof.dump.references.reference_layouts import LARGEST_BODY
from parsers.formats.hprof.dump.references.references import SMALL_BODY, reference_fields
from parsers.io.cache import Cache
from parsers.model.none import NONE
from parsers.runtime.opening import open_report

Run = Callable[..., Answer]
START = header() + names()
LAST_ID = (1 << 64) - 1


def a_class(id: int, above: int, fields: Sequence[tuple[int, int]] = (), statics: int = 0, size: int = 8) -> bytes:
    """Returns a CLASS_DUMP with so many statics that refer to object 32."""
    head = struct.pack(">BQI6QIHH", 0x20, id, 0, above, 0, 0, 0, 0, 0, size, 0, statics)
    own = b"".join(struct.pack(">QB", *field) for field in fields)
    return head + struct.pack(">QBQ", 2, 2, 32) * statics + struct.pack(">H", len(fields)) + own


def heap_class(id: int, above: int, references: int = 1, size: int = 8) -> HeapClass:
    return HeapClass(id, 0, above, 0, 0, 0, size, (), (), ((2, 2),) * references, 0)


@pytest.fixture(params=[True, False], ids=["kernels", "plain"])
def built(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    made: list[Built] = []

    def build(data: bytes) -> Built:
        made.append(Built(data, tmp_path, request.param))
        return made[-1]

    yield build
    for each in made:
        each.close()


def test_a_class_of_more_than_a_megabyte(built: Callable[[bytes], Built]) -> None:
    large = a_class(1000, 0, statics=65_535)
    assert len(large) > 1 << 20
    found = built(START + record(0x1C, large + class_dump() + node(32, 0)) + record(0x2C))
    assert len(found.heap.classes[1000].statics) == 65_535
    assert found.file.problems == []


@pytest.mark.parametrize("change", [lambda data: data[: len(data) // 2], lambda data: data[1:] + data[:1]])
def test_a_file_that_is_cut_or_replaced_while_it_is_shown(change: Callable[[bytes], bytes], tmp_path: Path) -> None:
    data, path = sample("jdk25-virtual-threads.hprof"), tmp_path / "heap.hprof"
    path.write_bytes(data)
    with closing(open_report([str(path)], cache=Cache(str(tmp_path / "cache")))) as report:
        report.wait()
        view = report.view("Objects")
        path.write_bytes(change(data))
        for root in view.tree.roots()[::90]:
            for node in (root, *view.tree.children(root)[:10]):
                assert view.tree.row(node).label
                view.sections(node)
                view.links(node)


def test_objects_given_again_and_again(built: Callable[[bytes], Built]) -> None:
    heap = class_dump() + node(32, 1) + array(40, 7) + node(NODE, 2) + numbers(32, 1) + array(NODE, 8) + node(32, 3)
    found = built(START + record(0x0C, heap + class_dump()))
    assert found.heap.ids.tolist() == [40, 32, NODE]
    assert found.heap.also == {NODE: (len(START + heap) + 9 - len(array(0, 8) + node(0, 0)), 1)}
    assert found.file.counts["duplicate_ids"] == 3


def test_roots_of_every_kind(built: Callable[[bytes], Built]) -> None:
    roots = (
        struct.pack(">BQII", 3, 32, 5, NONE) + struct.pack(">BQI", 4, 32, 6) + struct.pack(">BQQ", 1, 32, 99),
        struct.pack(">BQII", 8, 0, 7, 1) + struct.pack(">BQII", 0x8E, LAST_ID, 9, 2) + root(77),
    )
    found = built(START + record(0x1C, class_dump() + node(32, 0) + roots[0]) + record(0x1C, roots[1]))
    assert found.heap.roots.tags.tolist() == [3, 4, 1, 8, 0x8E, 5]
    assert found.heap.roots.ids.tolist() == [32, 32, 32, 0, LAST_ID, 77]
    assert found.heap.roots.threads.tolist() == [5, 6, NONE, 7, 9, NONE]
    assert found.heap.roots.frames.tolist() == [NONE, NONE, NONE, NONE, 2, NONE]
    assert found.measured.find_all(found.heap.roots.ids).tolist() == [1, 1, 1, NONE, NONE, NONE]


def test_the_largest_ids(built: Callable[[bytes], Built]) -> None:
    heap = class_dump() + node(LAST_ID, LAST_ID) + array(1 << 63, LAST_ID, 0, 3) + root(LAST_ID)
    found = built(START + record(0x0C, heap))
    assert found.steps.references(found.heap, lambda share: None).targets.tolist() == [1, 1, NONE]


def test_more_dumps_than_a_process_may_have_files(built: Callable[[bytes], Built]) -> None:
    found = built(START + b"".join(record(0x0C, class_dump() + node(32 + 8 * each, 0)) for each in range(1500)))
    assert found.heap.ids.tolist() == [NODE, 32 + 8 * 1499]
    assert found.file.counts["instance_dump"] == 1500


def test_classes_are_laid_out_once_however_deep_they_are() -> None:
    classes = {id: heap_class(id, id + 1) for id in range(1, 20_001)}
    for rule in ("jdk8", "jdk15"):
        sizes = InstanceSizes(JvmLayout(4, 12, 16, fields=rule), classes, {})
        assert sizes.instance(1) == 16 + 20_000 * 4 - 8 + 4 + 4
        assert [sizes.instance(id) for id in (20_000, 19_999, 19_998)] == [16, 24, 24]


def test_classes_in_a_circle_are_each_the_lowest() -> None:
    classes = {1: heap_class(1, 2), 2: heap_class(2, 3, 2), 3: heap_class(3, 1, 4), 4: heap_class(4, 1)}
    sizes = InstanceSizes(JvmLayout(4, 12, 16), classes, {})
    assert [sizes.instance(id) for id in (4, 1, 2, 3, 4)] == [48, 40, 40, 40, 48]


def test_references_are_looked_for_as_far_as_instances_reach() -> None:
    classes = {id: heap_class(id, id + 1, 60_000, size) for id, size in ((1, 0), (2, 1 << 31), (3, 0), (4, 0))}
    small, large = reference_fields((1, 2), classes, 8, 1 << 20)
    assert len(small) == 60_000 >= SMALL_BODY // 8
    assert len(large) == 180_000
    assert LARGEST_BODY < 180_000 * 8
    assert [len(each) for each in reference_fields((1, 2), classes, 8, 70_000)] == [60_000, 10_000]


def fields_by_chain(id: int, classes: Mapping[int, HeapClass], id_size: int) -> list[int]:
    """Naive reference: class by class upwards."""
    places, at = list[int](), 0
    most = max(classes[id].size, SMALL_BODY) if id in classes else 0
    for declared in chain_of(id, classes):
        if at >= min(most, LARGEST_BODY):
            break
        for _, type in declared.fields:
            if type == OBJECT:
                places.append(at)
            at += width_of(type, id_size)
    return places


@given(st.lists(st.tuples(st.integers(0, 7), st.lists(st.sampled_from([2, 10, 11]), max_size=2)), max_size=7))
def test_references_are_those_of_each_class_of_the_chain(declared: list[tuple[int, list[int]]]) -> None:
    classes = {
        id: HeapClass(id, 0, above, 0, 0, 0, 8, (), (), tuple((2, type) for type in types), 0)
        for id, (above, types) in enumerate(declared, 1)
    }
    assert reference_fields(range(9), classes, 8, 1 << 20) == [fields_by_chain(id, classes, 8) for id in range(9)]


@pytest.mark.parametrize("fields", [0, 1])
def test_references_end_with_the_longest_chain_that_is_followed(fields: int) -> None:
    classes = {id: heap_class(id, id + 1, 1 if id % 3 == 0 else fields) for id in range(1, 2000)}
    wanted = [fields_by_chain(id, classes, 8) for id in (1, 2, 3)]
    assert reference_fields((1, 2, 3), classes, 8, 1 << 20) == wanted
    assert len(wanted[0]) >= MOST_SUPERS // 3


def test_a_circle_of_classes_is_shown(tmp_path: Path, coffeetree: Run) -> None:
    circle = b"".join(a_class(1000 + 8 * each, 1000 + 8 * ((each + 1) % 600), [(2, 2)]) for each in range(600))
    path = tmp_path / "circle.hprof"
    path.write_bytes(START + record(0x0C, circle + struct.pack(">BQIQIQ", 0x21, 32, 0, 1000, 8, 32) + root(32)))
    assert coffeetree("info", "--json", path).json["totals"]["reachable_objects"] == 601
    assert coffeetree("show", path, "object:0x20").status == 0


def test_of_very_many_problems_the_first_are_listed(tmp_path: Path, coffeetree: Run) -> None:
    path = tmp_path / "unknown.hprof"
    damage = (record(0x77, b"?") + record(0x0B, struct.pack(">I", 1))) * 3000
    path.write_bytes(START + damage + record(0x0C, class_dump() + node(32, 0)))
    info = coffeetree("info", "--json", path).json
    assert (info["problem_count"], len(info["problems"])) == (3000, KEPT_PROBLEMS + 1)
    assert info["problems"][-1]["what"] == "2,000 more of the kind 'unknown record'"
    assert info["totals"]["unknown_records"] == 3000


@pytest.mark.parametrize("zeros", [90_000, 7_000_000])
def test_zeros_are_one_problem(tmp_path: Path, coffeetree: Run, zeros: int) -> None:
    path = tmp_path / "zeros.hprof"
    path.write_bytes(header() + bytes(zeros // 9 * 9))
    info = coffeetree("info", "--json", path).json
    assert info["totals"]["unknown_records"] == zeros // 9
    assert [(each["offset"], each["what"]) for each in info["problems"]] == [
        (31, f"a record of the unknown tag 0x00, {zeros // 9:,} times in a row")
    ]


def test_damaged_segments_that_follow_each_other_are_one_problem(built: Callable[[bytes], Built]) -> None:
    heap = record(0x1C, class_dump() + node(32, 0))
    file = built(START + record(0x1C, b"\x77") * 500 + heap + record(0x1C, b"\x21") * 400 + record(0x2C)).file
    assert [(each.offset, each.kind, each.what.rpartition(", ")[2]) for each in file.problems] == [
        (len(START) + 9, "unknown record", "500 times in a row"),
        (len(START) + 5000 + len(heap) + 9, "cut", "400 times in a row"),
    ]
    assert file.counts["unknown_sub_records"] == 500


def test_records_inside_heap_records_end_at_some_time() -> None:
    end = record(0x0B, struct.pack(">I", 1))
    inside = [record(0x0C, class_dump() + node(32 + 8 * each, 0), length=len(class_dump()) + 50) for each in range(20)]
    file = read_plainly(START + b"".join(each + end for each in inside))
    assert file.counts["dumps"] == file.counts["end_thread"] == 20


def test_an_object_with_very_many_roots_of_very_many_threads(tmp_path: Path, coffeetree: Run) -> None:
    threads = b"".join(struct.pack(">BQII", 8, 40 + 8 * each, each, 0) for each in range(3000))
    held = b"".join(struct.pack(">BQII", 3, 32, each, 0) for each in range(3000))
    objects = node(32, 0) + b"".join(node(40 + 8 * each, 32) for each in range(3000))
    path = tmp_path / "threads.hprof"
    path.write_bytes(START + record(0x0C, class_dump() + objects + threads + held))
    assert coffeetree("info", "--json", path).json["totals"]["threads"] == 3000
    assert coffeetree("show", "--json", path, "object:0x20").json["row"]["badges"]["referrers"] == 6000
    assert coffeetree("tree", path, "--view", "Threads", "--json").status == 0


@pytest.mark.parametrize("has_kernels", [True, False], ids=["kernels", "plain"])
def test_over_supers_each_class_counts_once_in_chains_and_circles(has_kernels: bool) -> None:
    above = {1: 2, 2: 3, 3: 0, 4: 5, 5: 6, 6: 5, 7: 4, 8: 8, 9: 99}
    found = HeapClasses(columns_of(heap_class(id, super_id) for id, super_id in above.items()))
    with engine(has_kernels):
        sums, nexts = found.over_supers(np.array([10**id if id != 5 else 0 for id in above]))
    assert dict(zip(above, sums.tolist(), strict=True)) == {
        1: 1110, 2: 1100, 3: 1000, 4: 1010000, 5: 1000000, 6: 1000000, 7: 11010000, 8: 10**8, 9: 10**9,
    }  # fmt: skip
    assert dict(zip(above, (nexts + 1).tolist(), strict=True)) == {1: 2, 2: 3, 3: 0, 4: 6, 5: 6, 6: 6, 7: 4, 8: 8, 9: 0}


def sums_by_chain(values: Mapping[int, int], classes: Mapping[int, HeapClass]) -> tuple[list[int], list[int]]:
    """Naive reference: class by class upwards, the next with a value also around a circle."""
    sums, nexts = list[int](), list[int]()
    for id in classes:
        sums.append(sum(values[each.id] for each in chain_of(id, classes)))
        around = [each.id for each in chain_of(classes[id].super_id, classes)]
        nexts.append(next((each for each in around if values[each]), 0))
    return sums, nexts


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), max_size=8))
def test_sums_over_superclasses_are_those_of_each_chain(declared: list[tuple[int, int]]) -> None:
    records = {id: heap_class(id, above) for id, (above, _) in enumerate(declared, 1)}
    values = {id: value for id, (_, value) in enumerate(declared, 1)}
    sums, nexts = HeapClasses(columns_of(records.values())).over_supers(np.array([*values.values()], np.int64))
    assert (sums.tolist(), (nexts + 1).tolist()) == sums_by_chain(values, records)


def test_references_are_followed_through_any_number_of_superclasses(built: Callable[[bytes], Built]) -> None:
    chain = b"".join(a_class(1000 + 8 * each, 1008 + 8 * each if each < 699 else 0, [(2, 2)]) for each in range(700))
    lowest = struct.pack(">BQIQI", 0x21, 32, 0, 1000, 5600) + struct.pack(">Q", 32) * 700
    found = built(START + record(0x0C, chain + lowest + root(32)))
    references = found.steps.references(found.heap, lambda share: None)
    assert references.fields == 700
    assert references.targets[-700:].tolist() == [int(found.measured.find(32) or 0)] * 700


def test_any_number_of_heap_records_with_wrong_lengths_is_repaired(built: Callable[[bytes], Built]) -> None:
    end = record(0x0B, struct.pack(">I", 1))
    dumps = [record(0x0C, class_dump() + node(32 + 8 * each, 0), length=300) + end for each in range(1500)]
    found = built(START + b"".join(dumps))
    assert found.file.counts["dumps"] == found.file.counts["instance_dump"] == 1500
    assert found.heap.ids.tolist() == [NODE, 32 + 8 * 1499]


def test_duplicates_are_counted_in_all_dumps_and_each_for_itself(built: Callable[[bytes], Built]) -> None:
    twice, once = record(0x0C, node(32, 0) + node(32, 0) + node(40, 0)), record(0x0C, node(32, 0))
    file = built(START + twice + once + twice).file
    assert file.counts["duplicate_ids"] == 2
