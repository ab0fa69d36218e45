"""The graph of a heap dump's objects: what it says is what a plain reading with dictionaries says."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest
from conftest import TESTS, plain_bytes
from engines import engine
from hypothesis import given
from hypothesis import strategies as st
from plain_heap import PlainHeap, plain_heaps
from text_samples import read_plainly, recording_of

from parsers.formats.hprof.data.recording import ProfileRecording
from parsers.formats.hprof.heap_views import SharedHeap, heap_makers
from parsers.formats.hprof.report import HprofReport
from parsers.heapdump.graph.columns import CLASS_OBJECT, PRIMITIVE_ARRAY
from parsers.heapdump.graph.labels import NO_OBJECT
from parsers.heapdump.graph.object_graph import ObjectGraph
from parsers.heapdump.paths.reachability import FROM_ROOT, NO_ROW, NOT_REACHED
from parsers.heapdump.tables import class_sums
from parsers.heapdump.tables.object_size import true_size
from parsers.model.none import NONE
from parsers.model.trees.tree import walk


class Text:
    """A file in memory."""

    def __init__(self, text: str) -> None:
        self.data = text.encode()

    def pread(self, count: int, offset: int) -> bytes:
        return self.data[offset : offset + count]


class Profile:
    """As much of a report as the views of a heap need."""

    has_retained_sizes = False
    heap_objects = HprofReport.heap_objects

    def __init__(self, text: str | ProfileRecording) -> None:
        if isinstance(text, str):
            self.recording = ProfileRecording(Text(text))
            read_plainly(self.recording, len(text.encode()))
        else:
            self.recording = text
        makers: Any = heap_makers(self, SharedHeap(self))  # type: ignore[arg-type]
        self._views = {name: make() for name, make in makers.items()}

    def view(self, name: str) -> Any:
        return self._views[name]

    def thread_name(self, id: int) -> str:
        return ""


HEAD = "JAVA PROFILE 1.0.1, created Sat Nov 21 02:26:20 2026\n\n--------\n\n"


def dump(*lines: str) -> str:
    return HEAD + "HEAP DUMP BEGIN (1 objects, 1 bytes) Sat Nov 21 02:26:20 2026\n" + "\n".join(
        (*lines, "HEAP DUMP END\n")
    )  # fmt: skip


LIST = dump(
    "ROOT 0 (kind=<thread>, id=200000, trace=300000)",
    "ROOT 1 (kind=<Java stack>, thread=200001, frame=2)",
    "ROOT 11 (kind=<system class>, name=a.List)",
    "OBJ 1 (sz=24, trace=300000, class=a.List@11)",
    "\tfirst\t\t2",
    "OBJ 2 (sz=16, trace=300000, class=a.Link@12)",
    "\tnext\t\t3",
    "\towner\t\t1",
    "OBJ 3 (sz=16, trace=300000, class=a.Link@12)",
    "\tvalue\t\t4",
    "\tgone\t\t99",
    "ARR 4 (sz=3, trace=300000, nelems=3, elem type=byte[])",
    "ARR 5 (sz=24, trace=300000, nelems=0, elem type=byte[])",
    "CLS 11 (name=a.List, trace=300000)",
    "\tstatic all\t1",
    "CLS 12 (name=a.Link, trace=300000)",
    "\tsuper\t\t11",
)


def labels(view: Any, nodes: Any) -> list[str]:
    return [view.tree.row(node).label for node in nodes]


def test_objects_expand_to_their_fields_and_an_ancestor_is_a_reference():
    view = Profile(LIST).view("Objects")
    top = view.resolve("object:0x1")
    (first,) = view.tree.children(top)
    assert view.tree.row(first).label == "first: a.Link"
    following, owner, _ = view.tree.children(first)
    assert view.tree.row(following).label == "next: a.Link"
    again = view.tree.row(owner)
    assert (again.label, again.flags, again.link) == ("owner: a.List", ("recursive",), "object:0x1")
    assert not again.has_children


def test_an_object_missing_in_the_dump_is_reported_as_dangling():
    view = Profile(LIST).view("Objects")
    value, gone = view.tree.children(view.resolve("object:0x3"))
    assert view.tree.row(value).label == "value: byte[]"
    assert view.tree.row(gone).flags == ("dangling",)


def test_referrers_lead_back_to_roots():
    view = Profile(LIST).view("Referrers")
    top = view.resolve("object:0x1")
    assert labels(view, view.tree.children(top)) == ["Java stack frame 2 of thread 200001", "a.Link owner",
                                                     "class a.List static all"]  # fmt: skip
    root, _, holder = view.tree.children(top)
    assert not view.tree.has_children(root)
    assert labels(view, view.tree.children(holder)) == ["system class", "class a.Link super"]


def test_the_shortest_path_from_a_root_is_a_path_through_objects():
    profile = Profile(LIST)
    view = profile.view("Objects")
    found = view.why(view.resolve("object:0x4"))
    assert labels(view, found.nodes) == ["a.List", "first: a.Link", "next: a.Link", "value: byte[]"]
    assert labels(view, view.path(found.nodes[-1])) == labels(view, found.nodes)


def test_a_class_that_only_its_instances_hold_is_shown_below_the_first_of_them():
    view = Profile(LIST).view("Objects")
    assert labels(view, view.why(view.resolve("object:0x12")).nodes) == [
        "a.List",
        "first: a.Link",
        "class: class a.Link",
    ]
    assert labels(view, view.tree.children(view.resolve("object:0x2"))) == [
        "next: a.Link", "owner: a.List", "class: class a.Link"
    ]  # fmt: skip


def test_maps_and_lists_of_text_dumps_are_their_contents_and_by_the_switch_their_fields():
    text = dump(
        "ROOT 1 (kind=<Java stack>, thread=200001, frame=2)",
        "OBJ 1 (sz=40, trace=300000, class=java.util.HashMap@11)",
        "\ttable\t\t2",
        "ARR 2 (sz=64, trace=300000, nelems=16, elem type=java.util.HashMap$Node@12)",
        "\t[3]\t\t3",
        "OBJ 3 (sz=32, trace=300000, class=java.util.HashMap$Node@12)",
        "\tkey\t\t4",
        "\tvalue\t\t5",
        "\tnext\t\t6",
        "OBJ 4 (sz=16, trace=300000, class=a.Key@13)",
        "OBJ 5 (sz=24, trace=300000, class=java.util.ArrayList@14)",
        "\telementData\t\t7",
        "OBJ 6 (sz=32, trace=300000, class=java.util.HashMap$Node@12)",
        "\tkey\t\t4",
        "\tvalue\t\t4",
        "\tnext\t\t3",
        "ARR 7 (sz=64, trace=300000, nelems=2, elem type=java.lang.Object@15)",
        "\t[0]\t\t4",
        "\t[1]\t\t4",
    )
    view = Profile(text).view("Objects")
    first, second = view.tree.children(view.resolve("object:0x1"))
    assert labels(view, (first, second)) == ["a.Key 0x4 = java.util.ArrayList", "a.Key 0x4 = a.Key"]
    assert view.contents(view.resolve("object:0x1"))[0].damage == "its entries lead in a circle"
    key, value = view.tree.children(first)
    assert labels(view, (key, value)) == ["key: a.Key", "value: java.util.ArrayList"]
    assert labels(view, view.tree.children(value)) == ["[0] a.Key", "[1] a.Key"]
    view.choose("collections", "fields")
    assert labels(view, view.tree.children(view.resolve("object:0x1"))) == ["table: java.util.HashMap$Node"]


def test_unreached_objects_are_garbage():
    profile = Profile(LIST)
    view = profile.view("Objects")
    garbage = view.tree.row(view.resolve("object:0x5"))
    assert view.remark(garbage) == "0x5 garbage"
    assert list(view.why(garbage.node).nodes) == []
    classes = profile.view("Classes")
    row = classes.tree.row(classes.resolve("class:byte[]"))
    assert (row.badges["objects"], row.badges["bytes"], row.badges["garbage"]) == (2, 24 + 24, 24)


def test_classes_are_in_their_packages_and_objects_in_their_classes_largest_first():
    view = Profile(LIST).view("Classes")
    assert ["  " * level + view.tree.row(node).label for node, level in walk(view.tree)] == [
        "a",
        "  a.Link",
        "    a.Link",
        "    a.Link",
        "    class a.Link",
        "  a.List",
        "    a.List",
        "    class a.List",
        "(arrays of primitives)",
        "  byte[]",
        "    byte[]",
        "    byte[]",
    ]


def test_roots_are_listed_below_their_threads_and_root_0_is_none():
    view = Profile(LIST).view("Roots")
    assert ["  " * level + view.tree.row(node).label for node, level in walk(view.tree)] == [
        "threads",
        "  thread 200001",
        "    Java stack: a.List",
        "system class",
        "  class a.List",
    ]


# -- the same as plain dictionaries -----------------------------------------------------------------------------------


def numbered(graph: ObjectGraph, number: int) -> dict[int, int]:
    """Objects of a dump by id."""
    return {graph.id(object): object for object in graph.dumps[number].objects}


def check(graph: ObjectGraph, heaps: list[PlainHeap], step: int = 1) -> None:
    """Returns all answers of a graph, for each object or for some."""
    assert len(graph.dumps) == len(heaps)
    for number, heap in enumerate(heaps):
        objects = numbered(graph, number)
        assert objects.keys() == heap.vertices.keys()
        chosen = {id: object for id, object in objects.items() if id % step == 0}
        check_objects(graph, heap, chosen)
        check_ways(graph, heap, chosen)


def check_objects(graph: ObjectGraph, heap: PlainHeap, objects: dict[int, int]) -> None:
    referrers = heap.referrers()
    roots: Counter[int] = Counter(id for _, id in heap.roots)
    for id, object in objects.items():
        vertex = heap.vertices[id]
        assert graph.type_name(graph.type(object)) == vertex.type
        assert (graph.printed_size(object), graph.elements(object)) == (vertex.size, vertex.elements)
        assert graph.size(object) == vertex.true_size
        assert (graph.kind(object) == CLASS_OBJECT) == (vertex.record == "CLS")
        of = [site for site in graph.sites(object) if site < graph.references]
        assert [(graph.label(site).text, target_id(graph, site)) for site in of] == [
            (spoken(name), target if target in heap.vertices else None) for name, target in vertex.references
        ]
        leading = [site for site in graph.referrers(object) if site < graph.references]
        assert sorted((graph.id(graph.owner(site)), graph.label(site).text) for site in leading) == sorted(
            (holder, spoken(name)) for holder, name in referrers[id]
        )
        assert sum(site >= graph.references + graph.objects for site in graph.referrers(object)) == roots[id]


def check_ways(graph: ObjectGraph, heap: PlainHeap, objects: dict[int, int]) -> None:
    distances = heap.distances()
    for id, object in objects.items():
        steps, at = 0, object
        while graph.reached_by(at) not in (FROM_ROOT, NOT_REACHED):
            site = graph.reached_by(at)
            assert graph.target(site) == at
            at = graph.owner(site)
            assert site in graph.sites(at)
            steps += 1
        assert (None if graph.reached_by(at) == NOT_REACHED else steps) == distances.get(id)


def spoken(name: str) -> str:
    return name.replace("constant pool entry", "constant")


def target_id(graph: ObjectGraph, site: int) -> int | None:
    target = graph.target(site)
    return None if target == NO_OBJECT else graph.id(target)


def check_classes(profile: Profile, heaps: list[PlainHeap]) -> None:
    view = profile.view("Classes")
    texts = profile.recording.texts("class")
    has_class = any(text.startswith(b"java.lang.Class@") for text in texts)
    for heap, start in zip(heaps, dump_nodes(view, len(heaps)), strict=True):
        vertices = list(heap.vertices.values())
        counts: Counter[str] = Counter()
        sizes: Counter[str] = Counter()
        for vertex in vertices:
            type = "java.lang.Class" if vertex.record == "CLS" and has_class else vertex.type
            counts[type] += 1
            sizes[type] += vertex.true_size
        depth = 1 if start is None else 2
        rows = [view.tree.row(node) for node, _ in walk(view.tree, start, depth)]
        shown: Counter[str] = Counter()
        bytes: Counter[str] = Counter()
        for row in rows:
            if row.kind == "class":
                shown[row.label] += row.badges["objects"]
                bytes[row.label] += row.badges["bytes"]
        assert shown == counts
        assert bytes == sizes
        assert sum(row.badges["bytes"] for row in rows if row.kind == "package") == sum(sizes.values())


def dump_nodes(view: Any, heaps: int) -> list[int | None]:
    return list(view.tree.roots()) if heaps > 1 else [None] * heaps


NAMES = st.sampled_from(["a.A", "a.b.B", "C", "java.lang.Class", "java.lang.String[]"])


@st.composite
def dumps(draw: st.DrawFn) -> str:
    """A file of one or two small dumps, with cycles, missing objects and classes, several roots of one object."""
    parts = [HEAD]
    for _ in range(draw(st.integers(1, 2))):
        classes = draw(st.dictionaries(st.integers(100, 104), NAMES, min_size=1))
        objects = draw(st.lists(st.integers(1, 12), unique=True, max_size=10))
        ids = st.sampled_from([*objects, *classes, 77])
        lines = [f"ROOT {draw(ids):x} (kind=<unknown>)" for _ in range(draw(st.integers(0, 3)))]
        for id in sorted(objects):
            class_id = draw(st.sampled_from(sorted(classes)))
            of = f"{classes[class_id]}@{class_id:x}"
            fields = draw(st.lists(st.tuples(st.sampled_from(["next", "a", "this$0"]), ids), max_size=3))
            match draw(st.sampled_from(["OBJ", "ARR", "bytes"])):
                case "OBJ":
                    lines.append(f"OBJ {id:x} (sz={draw(st.integers(8, 40))}, trace=300000, class={of})")
                    lines += [f"\t{name}\t\t{target:x}" for name, target in fields]
                case "ARR":
                    lines.append(f"ARR {id:x} (sz=24, trace=300000, nelems={len(fields)}, elem type={of})")
                    lines += [f"\t[{place}]\t\t{target:x}" for place, (_, target) in enumerate(fields)]
                case "bytes":
                    size, elements = draw(st.sampled_from([(0, 0), (6, 3), (24, 0), (40, 12)]))
                    lines.append(f"ARR {id:x} (sz={size}, trace=300000, nelems={elements}, elem type=char[])")
        for id, name in classes.items():
            lines.append(f"CLS {id:x} (name={name}, trace=300000)")
            lines += [f"\tstatic s\t{draw(ids):x}" for _ in range(draw(st.integers(0, 1)))]
        parts.append(dump(*lines).removeprefix(HEAD))
    return "".join(parts)


@given(dumps())
def test_a_graph_equals_plain_dictionaries(text: str) -> None:
    profile, heaps = Profile(text), plain_heaps(text)
    check(profile.view("Objects").graph, heaps)
    check_classes(profile, heaps)


@given(dumps())
def test_every_row_is_found_again_by_its_ref_and_by_its_key(text: str) -> None:
    profile = Profile(text)
    for name in ("Classes", "Roots", "Objects", "Referrers"):
        view = profile.view(name)
        nodes = range(view.row_count) if view.row_count is not None else view.roots
        for node in nodes:
            row = view.tree.row(node)
            assert view.resolve(row.ref) == node
            assert view.sections(node) is not None
            if name != "Roots" and view.key(node) is not None and row.kind not in ("class", "package"):
                assert view.find_key(view.key(node)) == node
            for link in view.links(node):
                if link.view in profile._views:
                    profile.view(link.view).resolve(link.ref)
        if name == "Classes":
            assert view.labels(0, view.row_count) == [view.tree.row(node).label for node in nodes]
            assert view.labels(1, view.row_count - 1) == [view.tree.row(node).label for node in nodes][1:-1]
        for order in view.orders:
            assert sorted(view.tree.roots(order)) == sorted(view.tree.roots())


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3), st.integers(0, 3), st.sampled_from([0, 6, 16, 24]), st.integers(0, 4), st.booleans()
        )
    ),
    st.sampled_from([NO_ROW, 1]),
    st.sampled_from([12, 16, 24]),
)
def test_sums_of_classes_are_those_of_their_objects(
    objects: list[tuple[int, int, int, int, bool]], of_classes: int, header: int
) -> None:
    columns = list(zip(*objects, strict=True)) or [(), (), (), (), ()]
    types, kinds, printed, elements = (
        np.array(column, type) for column, type in zip(columns, ("u4", "u1", "u4", "u4"), strict=False)
    )
    reached_by = np.where(np.array(columns[4], bool), NOT_REACHED, 0).astype(np.uint32)
    element_sizes = np.array([0, 2, 8, 1], np.int64)
    own = [of_classes if kind == CLASS_OBJECT and of_classes != NO_ROW else type for type, kind, *_ in objects]
    expected = [
        true_size(printed, elements, int(element_sizes[type]) if kind == PRIMITIVE_ARRAY else 0, header)
        for type, (_, kind, printed, elements, _) in zip(own, objects, strict=True)
    ]
    rows: list[list[int]] = []
    for type in range(4):
        mine = [number for number, each in enumerate(own) if each == type]
        sums_of_mine = (expected[number] for number in mine), (objects[number][2] for number in mine)
        garbage = [expected[number] for number in mine if objects[number][4]]
        bounds = [expected[number] for number in mine] or [NONE]
        rows.append(
            [len(mine), *map(sum, sums_of_mine), len(garbage), sum(garbage), min(bounds), max(bounds) if mine else 0]
        )
    for has_kernels in (True, False):
        with engine(has_kernels):
            sizes, sums = class_sums.sums_of(types, kinds, of_classes, printed, elements, element_sizes, header)
            class_sums.count_garbage(types, kinds, of_classes, reached_by, sizes, sums)
        assert sizes.tolist() == expected
        assert sums.T.tolist() == rows


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.one_of(st.integers(0, 9), st.integers(0, 1 << 20)))),
    st.sampled_from([NO_ROW, 1]),
)
def test_objects_are_put_by_class_and_size(objects: list[tuple[int, int, int]], of_classes: int) -> None:
    columns = list(zip(*objects, strict=True)) or [(), (), ()]
    types, kinds, sizes = (np.array(column, type) for column, type in zip(columns, ("u4", "u1", "u4"), strict=True))
    own = [of_classes if kind == CLASS_OBJECT and of_classes != NO_ROW else type for type, kind, _ in objects]
    sums = np.zeros((class_sums.SUMS, 4), np.int64)
    sums[class_sums.SMALLEST] = class_sums.MOST_SIZE
    class_sums.add_to_sums(sums, np.array(own, np.int64), sizes)
    ranked = np.array([type for type in (3, 0, 1, 2) if type in own], np.int64)
    ranks = ranked.tolist()
    expected = sorted(range(len(objects)), key=lambda number: (ranks.index(own[number]), -objects[number][2], number))
    for has_kernels in (True, False):
        with engine(has_kernels):
            order, firsts = class_sums.order_of(types, kinds, of_classes, ranked, sizes, sums)
        assert order.tolist() == expected
        assert firsts.tolist() == [sum(ranks.index(each) < rank for each in own) for rank in range(len(ranks))]


def test_classes_of_very_many_objects_are_summed_without_kernels_too() -> None:
    count = 50_000
    columns = np.zeros(count, np.uint32), np.zeros(count, np.uint8), 1, np.full(count, 16, np.uint32)
    with engine(False):
        _, sums = class_sums.sums_of(*columns, np.zeros(count, np.uint32), np.zeros(2, np.int64), header=8)
    assert sums[class_sums.OBJECTS].tolist() == [count, 0]


SAMPLES = TESTS / "corpus" / "hprof" / "text"


@pytest.mark.parametrize(("name", "step"), [("quit-everything", 11), ("graph-dump", 47)])
def test_samples_equal_plain_dictionaries(name: str, step: int) -> None:
    profile, heaps = profile_of(name), plain_heaps(sample(name))
    check(profile.view("Objects").graph, heaps, step)
    check_classes(profile, heaps)


@pytest.mark.parametrize("name", ["quit-everything", "graph-dump", "longnames-dump"])
def test_arrays_of_primitives_that_roots_reach_are_those_that_the_agent_followed(name: str) -> None:
    """The agent printed elements for those alone: an oracle that knows nothing of our search."""
    graph = profile_of(name).view("Objects").graph
    for object in range(graph.objects):
        if graph.kind(object) == PRIMITIVE_ARRAY:
            was_followed = graph.elements(object) > 0 or graph.printed_size(object) == 0
            assert (graph.reached_by(object) != NOT_REACHED) == was_followed


def test_a_dump_without_its_end_calls_nothing_garbage():
    profile = Profile(LIST.replace("HEAP DUMP END\n", ""))
    view = profile.view("Objects")
    assert view.remark(view.tree.row(view.resolve("object:0x5"))) == "0x5"


def sample(name: str) -> str:
    return plain_bytes(SAMPLES / f"{name}.txt.xz").decode("utf-8", "replace")


@cache
def profile_of(name: str) -> Profile:
    """The profile of a sample, which tests must not change."""
    return Profile(recording_of(f"text/{name}.txt"))


def test_a_dump_is_compared_with_the_one_before_it() -> None:
    class_object = "CLS 9 (name=a.A, trace=1)"
    objects = [f"OBJ {number} (sz=24, trace=1, class=a.A@9)" for number in (1, 2, 3)]
    first, second = dump("ROOT 9 (kind=<unknown>)", objects[0], class_object), dump(*objects, class_object)
    view = Profile(first + second.removeprefix(HEAD)).view("Classes")
    rows = {row.ref: row for node in range(view.row_count) for row in (view.row(node),)}
    assert "change" in view.orders
    assert "change" not in rows["run:1/class:a.A"].badges
    changed = rows["run:2/class:a.A"]
    assert changed.badges["change"] == 48
    shown = {row.label: row.text for row in view.sections(changed.node)[0].rows}
    assert shown["dump before"] == "2 objects, 24 bytes before: +2, +48, +200.0 %"
