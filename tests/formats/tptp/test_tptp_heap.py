"""Heap dumps of TPTP traces: every number of the samples' truth, and graphs by the plain definition."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engines import engine
from hypothesis import given
from hypothesis import strategies as st
from plain_heap import retained_by_leaving_out
from tptp_heaps import TRUTHS, WITH_DUMPS, dumped, heaps_of, indexed_heaps, sample_path, written

from parsers.formats.tptp.heap import build as heap_build
from parsers.formats.tptp.heap.edges import merge_references
from parsers.formats.tptp.summary.facts import facts_of
from parsers.heapdump.graph.labels import NO_OBJECT
from parsers.heapdump.paths.unreachable import find_unreachable
from parsers.model.view import UnknownReference


@pytest.fixture(scope="module", params=WITH_DUMPS)
def heaps(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Each sample that has dumps, with its truth."""
    found = indexed_heaps(sample_path(request.param), tmp_path_factory.mktemp("index"))
    dumps = [dump for session in TRUTHS[request.param]["sessions"] for dump in session["dumps"]]
    yield found, dumps
    found.recording.source.close()


def test_all_counts_of_a_dump_are_those_of_the_truth(heaps: Any) -> None:
    found, truth = heaps
    lists = ("id", "name", "biggest_retained", "most_referred")
    expected = [{name: value for name, value in dump.items() if name not in lists} for dump in truth]
    told = [{name: totals[name] for name in wanted} for totals, wanted in zip(found.totals, expected, strict=True)]
    assert told == expected


def test_retained_sizes_and_distances_from_roots_equal_the_truth(heaps: Any) -> None:
    found, truth = heaps
    for dump, wanted in zip(found.graph.dumps, truth, strict=True):
        rows = []
        for each in wanted["biggest_retained"]:
            object = found.graph.find(int(each["id"]), dump)
            rows.append(
                {
                    "id": found.objects.id_text(object),
                    "class": found.objects.label(object),
                    "shallow": found.graph.size(object),
                    "retained": found.graph.retained(object),
                    "objects_held": found.graph.retained_objects(object),
                    "distance": found.graph.distance(object),
                }
            )
        assert rows == wanted["biggest_retained"]


def test_most_referred_objects_are_those_of_the_truth(heaps: Any) -> None:
    found, truth = heaps
    for dump, wanted in zip(found.graph.dumps, truth, strict=True):
        counts = found.graph.column("referrers", dump.objects).tolist()
        told = []
        for each in wanted["most_referred"]:
            object = found.graph.find(int(each["id"]), dump)
            references = counts[object - dump.objects.start]
            told.append({"id": each["id"], "class": found.objects.label(object), "references": references})
        assert told == wanted["most_referred"]
        assert sorted(counts)[-1] == wanted["most_referred"][0]["references"]


def test_unreachable_objects_equal_the_truth(heaps: Any) -> None:
    found, truth = heaps
    for dump, wanted in zip(found.graph.dumps, truth, strict=True):
        groups = find_unreachable(found.graph, dump)
        assert sum(len(group.objects) for group in groups) == wanted["live_but_unreachable"]
        assert sum(group.bytes for group in groups) == wanted["live_but_unreachable_bytes"]


SMALL = 12


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, int]], list[int]]:
    """Sizes, references (some of them equal) and roots."""
    count = draw(st.integers(1, SMALL))
    one = st.integers(0, count - 1)
    sizes = draw(st.lists(st.integers(0, 100), min_size=count, max_size=count))
    return sizes, draw(st.lists(st.tuples(one, one), max_size=3 * SMALL)), draw(st.lists(one, max_size=4))


@pytest.mark.parametrize("has_kernels", (False, True), ids=("plain", "kernels"))
@given(graph=graphs())
def test_retained_objects_are_unreachable_without_their_dominator(has_kernels: bool, graph: Any) -> None:
    sizes, edges, roots = graph
    with tempfile.TemporaryDirectory() as folder, engine(has_kernels):
        heap = dumped(Path(folder), sizes, edges, roots)
    successors: list[list[int]] = [[] for _ in sizes]
    for source, target in edges:
        successors[source].append(target)
    told = [(heap.graph.retained(object), heap.graph.retained_objects(object)) for object in range(len(sizes))]
    assert told == retained_by_leaving_out(successors, roots, sizes)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_kernels_put_references_in_order_as_plain_code_does(edges: list[tuple[int, int]]) -> None:
    keys = np.array(sorted(source << 32 | target for source, target in edges), np.uint64)
    found = []
    for has_kernels in (True, False):
        with engine(has_kernels):
            found.append([each.tolist() for each in merge_references(keys, 6)])
    assert found[0] == found[1]


DUMP = '<heapDumpDef heapDumpId="7" name="made" time="3.000000000"/>'
CLASS = '<classDef name="A" classId="2" time="1.000000001"/>'


def allocated(id: int, nanos: int = 1, size: int = 16) -> str:
    return f'<objAlloc threadIdRef="1" time="2.{nanos:09}" isArray="false" objId="{id}" size="{size}" classIdRef="2"/>'


def test_equal_references_are_one_with_a_count(tmp_path: Path) -> None:
    heap = dumped(tmp_path, [8, 8, 8], [(0, 1), (0, 2), (0, 1)], [0])
    sites = heap.graph.sites(0)
    assert [(heap.graph.target(site), heap.graph.label(site).times) for site in sites] == [(1, 2), (2, 1)]
    assert heap.graph.referrer_count(1) == 2


def test_freed_objects_are_in_no_dump_and_those_that_are_defined_in_it_are(tmp_path: Path) -> None:
    freed = '<objFree objIdRef="10" time="2.500000000"/>'
    inside = '<objDef objId="12" isArray="false" size="32" classIdRef="2"/>'
    root = '<gcRoot heapDumpIdRef="7" objIdRef="11" type="THREAD"/>'
    behind = '<objDef objId="13" isArray="false" size="64" classIdRef="2"/>'
    heap = heaps_of(written(tmp_path, CLASS, allocated(10), allocated(11), freed, DUMP, inside, root, behind))
    dump = heap.graph.dumps[0]
    assert [heap.objects.id_text(object) for object in dump.objects] == ["11", "12"]
    assert heap.graph.find(10, dump) == heap.graph.find(13, dump) == NO_OBJECT


def test_references_may_end_in_classes_threads_and_ids_without_definition(tmp_path: Path) -> None:
    ends = ("2", "1", "999")
    edges = [f'<objectReference heapDumpIdRef="7" srcIdRef="10" targetIdRef="{end}"/>' for end in ends]
    root = '<gcRoot heapDumpIdRef="7" objIdRef="10" type="THREAD"/>'
    thread = '<threadStart threadId="1" time="1.0" threadName="main" groupName="main" parentName="" objIdRef="0"/>'
    heap = heaps_of(written(tmp_path, thread, CLASS, allocated(10), DUMP, root, *edges))
    labels = [heap.objects.label(heap.graph.target(site)) for site in heap.graph.sites(0)]
    assert labels == ["class A", "thread main", "object #999 (not defined)"]
    assert heap.graph.retained(0) == 16
    assert heap.totals[0]["references_to_undefined"] == 1


def test_moved_objects_are_found_by_the_id_that_they_had_in_the_dump(tmp_path: Path) -> None:
    moved = '<objMove objIdRef="10" newObjId="20" time="2.5"/>'
    late = '<objMove objIdRef="20" newObjId="30" time="4.5"/>'
    root = '<gcRoot heapDumpIdRef="7" objIdRef="20" type="THREAD"/>'
    heap = heaps_of(written(tmp_path, CLASS, allocated(10), moved, DUMP, root, late))
    assert heap.objects.id_text(0) == "20"
    assert heap.objects.resolve(heap.objects.ref(0)) == heap.objects.resolve("object:20") == 0
    with pytest.raises(UnknownReference):
        heap.objects.resolve("object:40")


def test_dumps_of_several_sessions_have_refs_of_their_own() -> None:
    heap = heaps_of(sample_path("gen_all_two_members_zip"))
    refs = [heap.objects.ref(dump.objects.start) for dump in heap.graph.dumps]
    assert [ref.rpartition("object:")[0] for ref in refs] == ["dump:1/", "run:2/dump:1/"]
    assert [heap.objects.resolve(ref) for ref in refs] == [dump.objects.start for dump in heap.graph.dumps]


def test_of_very_many_dumps_only_the_first_ones_have_graphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heap_build, "MOST_OBJECTS", 12)
    monkeypatch.setattr(heap_build, "LEAST", 1)
    dumps = (f'<heapDumpDef heapDumpId="{id}"/><gcRoot heapDumpIdRef="{id}" objIdRef="10"/>' for id in range(1, 6))
    found = heaps_of(written(tmp_path, CLASS, *(allocated(id) for id in range(10, 17)), *dumps))
    assert [dump["objects"] for dump in found.totals] == [7, 7]
    assert [len(dump.objects) for dump in found.graph.dumps] == [7, 7]
    assert facts_of(found.recording, None, True)["heap_dumps"].startswith("only the first 2 of 5 have graphs")
    found.recording.source.close()
