"""How large objects are: by what a dump says of its JVM, by measured sizes, and by fields that only the JVM knows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from conftest import Answer
from heap_dumps import Built
from small_dumps import BOOLEAN, BYTE, INT, LONG, REFERENCE, SmallDump

from parsers.formats.hprof.dump.index.layout import InstanceSizes, JvmLayout, class_object_sizes
from parsers.formats.hprof.dump.index.sizes import UNIT
from parsers.formats.hprof.dump.read.class_record import HeapClass
from parsers.formats.hprof.dump.read.classes import HeapClasses, columns_of
from parsers.model.report import Report
from tui.screen.frame import title_left

Run = Callable[..., Answer]
OBJECT, THREAD = "java.lang.Object", "java.lang.Thread"
STRING = "java.lang.String"


def sizes_of(dump: SmallDump, folder: Path, by_kernels: bool = False) -> tuple[JvmLayout, dict[int, int]]:
    """The layout of a dump, and the bytes of each object by its id."""
    built = Built(dump.data, folder, by_kernels)
    units = built.steps.sizes(built.heap, built.measured).units.astype(np.int64)
    found = dict(zip(built.heap.ids.tolist(), (units * UNIT).tolist(), strict=True))
    layout = built.measured.layout
    built.close()
    return layout, found


def declared(id: int, above: int, *fields: tuple[int, int]) -> HeapClass:
    return HeapClass(id, 0, above, 0, 0, 0, 8, (), (), fields, 0)


# -- 32 and 64 bits ---------------------------------------------------------------------------------------------------


def agent_dump(**properties: str) -> SmallDump:
    """Builds a dump as the agent writes it: numbers instead of addresses, class dumps, a thread, a lock, an array."""
    dump = SmallDump(id_size=4)
    if properties:
        dump.properties(1001, **properties)
    above = dump.declare(101, OBJECT)
    dump.declare(103, THREAD, [("name", REFERENCE), ("priority", INT), ("eetop", LONG)], above)
    dump.instance(201, 101)
    dump.instance(203, 103)
    dump.numbers(205, INT, 1, 2, 3)
    dump.root(203)
    return dump


@pytest.mark.parametrize(
    ("model", "version", "sizes"),
    [
        # Object, Thread, int[3], String with four fields.
        ("32", "1.6.0_45", {201: 8, 203: 24, 205: 24, 1005: 24}),
        ("32", "1.8.0_202", {201: 8, 203: 24, 205: 24, 1005: 24}),
        ("64", "1.8.0_202", {201: 16, 203: 32, 205: 32, 1005: 32}),
        ("64", "1.6.0_20", {201: 16, 203: 40, 205: 40, 1005: 40}),
    ],
)
def test_system_properties_give_the_width_of_an_agent_dump(
    tmp_path: Path, model: str, version: str, sizes: dict[int, int]
) -> None:
    dump = agent_dump(java__version=version, sun__arch__data__model=model)
    layout, found = sizes_of(dump, tmp_path)
    assert {id: found[id] for id in sizes} == sizes
    assert layout.word == int(model) // 8


def test_a_layout_of_32_bits_is_no_estimate_while_one_of_64_bits_without_addresses_is(tmp_path: Path) -> None:
    narrow, _ = sizes_of(agent_dump(java__version="1.6.0_45", sun__arch__data__model="32"), tmp_path)
    wide, _ = sizes_of(agent_dump(java__version="1.8.0_202", sun__arch__data__model="64"), tmp_path)
    assert narrow.estimated == ""
    assert wide.estimated == "the dump does not hold sizes, its ids are no addresses"


def test_bytes_of_allocation_sites_give_the_width_of_an_agent_dump(tmp_path: Path) -> None:
    dump = agent_dump()
    kinds = (("One", [BYTE]), ("Two", [LONG]), ("Three", [REFERENCE] * 3), ("Four", [INT] * 5))
    for id, (name, types) in enumerate(kinds, 111):
        dump.declare(id, name, [(f"f{place}", type) for place, type in enumerate(types)], 101)
    for of, bytes in ((101, 8), (103, 24), (111, 16), (112, 16), (113, 24), (114, 32)):
        dump.site(of, 10, 10 * bytes)
    # A class object is counted for its own class, alone.
    dump.site(101, 1, 544)
    layout, found = sizes_of(dump, tmp_path)
    assert (layout.reference, layout.object_header, layout.word, layout.matches, layout.groups) == (4, 8, 4, 6, 6)
    assert (found[201], found[203], found[205], layout.estimated) == (8, 24, 24, "")


def test_addresses_of_a_32_bit_jvm_are_measured(tmp_path: Path) -> None:
    dump = SmallDump(id_size=4)
    above = dump.declare(0x100, OBJECT)
    below = dump.declare(0x108, "Below", [("a", BYTE)], above)
    dump.declare(0x110, THREAD, [("holder", REFERENCE)], above)
    at = 0x1000
    for _ in range(25):
        for of, size in ((above, 8), (below, 16)):
            dump.instance(at, of)
            at += size
        for length in (0, 1, 2, 5):
            dump.numbers(at, INT, *[7] * length)
            at += -(-(12 + 4 * length) // 8) * 8
    layout, found = sizes_of(dump, tmp_path)
    assert (layout.object_header, layout.array_header, layout.word, layout.fields) == (8, 12, 4, "jdk15")
    assert (layout.matches, layout.groups, layout.estimated) == (6, 6, "")
    assert (found[0x1000], found[0x1008]) == (8, 16)


def test_info_title_and_views_show_that_sizes_are_estimates(coffeetree: Run, tmp_path: Path) -> None:
    path = tmp_path / "agent.hprof"
    path.write_bytes(agent_dump().data)
    why = "the dump does not hold sizes, its ids are no addresses, and whether the JVM has 32 or 64 bits is unknown"
    assert coffeetree("info", "--json", path).json["facts"]["sizes"] == f"estimates: {why}"
    for view in ("Classes", "Objects", "Dominators", "Suspects", "Paths"):
        assert f"sizes are estimates: {why}" in coffeetree("tree", path, "--view", view).err


def test_the_title_shows_that_sizes_are_estimates() -> None:
    report = SimpleNamespace(
        title="a.hprof", format_title="HPROF", format_version="1.0.2", size=384, estimated="its ids are no addresses"
    )
    assert title_left(cast(Report, report))[1].text == "  HPROF 1.0.2 · 384 B · sizes are estimates"


def test_sizes_that_are_no_estimates_are_not_called_so(coffeetree: Run, tmp_path: Path) -> None:
    path = tmp_path / "agent.hprof"
    path.write_bytes(agent_dump(java__version="1.6.0_45", sun__arch__data__model="32").data)
    assert "sizes" not in coffeetree("info", "--json", path).json["facts"]
    assert "estimates" not in coffeetree("tree", path, "--view", "Classes").err


def test_a_thread_of_jdk_6_has_no_cache_lines_of_its_own() -> None:
    # Fields of java.lang.Thread in JDK 6; in JDK 8 three more are kept apart by 128 bytes before and after them.
    types = (*[LONG] * 4, *[INT] * 2, *[BOOLEAN] * 4, *[REFERENCE] * 13)
    classes = {1: declared(1, 0, *((1, type) for type in types))}
    assert InstanceSizes(JvmLayout(4, 8, 12, jdk=6, word=4), classes, {1: THREAD}).instance(1) == 104
    texts = {
        place: f"threadLocalRandom{name}".encode() for place, name in enumerate(("Seed", "Probe", "SecondarySeed"), 2)
    }
    more = declared(1, 0, *((1, type) for type in types), (2, LONG), (3, INT), (4, INT))
    assert InstanceSizes(JvmLayout(4, 8, 12, jdk=8, word=4), {1: more}, {1: THREAD}, texts).instance(1) == 376


# -- fields that only the JVM knows -----------------------------------------------------------------------------------

POOL_FIELDS = (
    *[("reference", REFERENCE)] * 9,
    *[("long", LONG)] * 5,
    ("ctl", LONG),
    ("parallelism", INT),
)
QUEUE_FIELDS = (
    *[("reference", REFERENCE)] * 2,
    *[("int", INT)] * 2,
    *[(name, INT) for name in ("top", "phase", "stackPred", "source", "nsteals", "parking")],
)


@pytest.mark.parametrize(
    ("sizes", "alignment", "pool", "queue"),
    [
        # Sizes as `jcmd GC.class_histogram` of 25.0.3 has them.
        ((4, 12, 16), 8, 360, 312),
        ((8, 16, 24), 8, 400, 320),
        ((8, 12, 16), 8, 400, 320),
        ((4, 16, 20), 8, 368, 312),
        ((4, 12, 16), 16, 368, 320),
        ((4, 12, 16), 32, 384, 320),
    ],
)
def test_groups_of_fields_are_kept_apart_in_a_pool_of_jdk_25(
    sizes: tuple[int, int, int], alignment: int, pool: int, queue: int
) -> None:
    texts: dict[int, bytes] = {}
    classes: dict[int, HeapClass] = {}
    names = {1: "java.util.concurrent.ForkJoinPool", 2: "java.util.concurrent.ForkJoinPool$WorkQueue"}
    for id, fields in ((1, POOL_FIELDS), (2, QUEUE_FIELDS)):
        numbers = range(100 * id, 100 * id + len(fields))
        texts |= {number: name.encode() for number, (name, _) in zip(numbers, fields, strict=True)}
        classes[id] = declared(id, 0, *zip(numbers, (type for _, type in fields), strict=True))
    layout = JvmLayout(*sizes, alignment=alignment, fields="jdk15", jdk=25)
    found = InstanceSizes(layout, classes, names, texts)
    assert (found.instance(1), found.instance(2)) == (pool, queue)


def test_fields_of_subclasses_of_contended_classes_follow_the_padding() -> None:
    cell = "java.util.concurrent.atomic.Striped64$Cell"
    classes = {1: declared(1, 0, (1, LONG)), 2: declared(2, 1, (1, BYTE)), 3: declared(3, 2)}
    found = InstanceSizes(JvmLayout(4, 12, 16, fields="jdk15", jdk=17), classes, {1: cell})
    # 12 + 128, aligned to 8, + 8 + 128; a byte after that; 128 more after the byte.
    assert [found.instance(id) for id in (1, 2, 3)] == [280, 288, 416]


@pytest.mark.parametrize("by_kernels", [False, True])
def test_a_stack_of_a_virtual_thread_has_its_frames_and_their_bitmap(tmp_path: Path, by_kernels: bool) -> None:
    dump = SmallDump()
    stack = dump.declare(
        0x108, "jdk.internal.vm.StackChunk", [("parent", REFERENCE), ("sp", INT), ("size", INT), ("bottom", INT)]
    )
    dump.declare(0x110, THREAD, [("holder", REFERENCE)])
    dump.instance(0x1000, stack, size=150)
    dump.instance(0x2000, stack, size=33)
    dump.instance(0x3000, stack, size=-5)
    layout, found = sizes_of(dump, tmp_path, by_kernels)
    assert (layout.reference, layout.object_header) == (4, 12)
    # Fields: 12 + 8 + 3 × 4 + 4 + 1 + 4 = 41, in whole words 48. Two bits a word for references of 4 bytes.
    fields = 48
    assert [found[id] for id in (0x1000, 0x2000, 0x3000)] == [fields + 8 * 150 + 8 * 5, fields + 8 * 33 + 8 * 2, fields]


def test_an_object_of_a_primitive_type_is_as_large_as_a_class_object_without_statics(tmp_path: Path) -> None:
    dump = SmallDump()
    above = dump.declare(0x100, OBJECT)
    fields = [*((f"r{place}", REFERENCE) for place in range(12)), ("count", INT)]
    of_classes = dump.declare(0x108, "java.lang.Class", fields, above)
    dump.declare(0x110, THREAD, [("interrupted", BOOLEAN)], above)
    dump.instance(0x1000, of_classes)
    layout, found = sizes_of(dump, tmp_path)
    # A header of 12, 13 × 4 bytes of its own, 8 + 8 + 4 + 4 + 3 × 4 that the JVM adds.
    assert (found[0x1000], found[0x100], layout.class_object_base) == (104, 104, 104)


@pytest.mark.parametrize(
    ("jdk", "statics", "size"),
    [
        (17, [("a", BYTE), ("b", LONG), ("c", REFERENCE)], 112 + 4 + 4 + 8 + 1 + 7),
        (17, [("<resolved_references>", REFERENCE)], 112),
        (8, [("init_lock", REFERENCE)], 112),
        (17, [("init_lock", REFERENCE)], 112 + 8),
        (8, [("init_lock", REFERENCE), ("other", INT)], 112 + 8),
        (6, [("a", LONG)], 112),
    ],
)
def test_statics_are_after_a_class_object_without_filling_gaps(
    jdk: int, statics: list[tuple[str, int]], size: int
) -> None:
    texts = {number: name.encode() for number, (name, _) in enumerate(statics)}
    values = tuple((number, type, 0) for number, (_, type) in enumerate(statics))
    bare, found = (HeapClass(id, 0, 0, 0, 0, 0, 8, (), of, (), 0) for id, of in ((1, ()), (2, values)))
    layout = JvmLayout(4, 12, 16, jdk=jdk, class_object_base=112)
    assert class_object_sizes(layout, HeapClasses(columns_of([bare, found])), texts).tolist() == [112, size]


# -- class objects ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_announced", [False, True])
def test_class_objects_have_a_row_of_their_own_in_a_dump_without_java_lang_class(
    coffeetree: Run, tmp_path: Path, is_announced: bool
) -> None:
    dump = SmallDump()
    text = dump.declare(0x100, STRING, [("value", REFERENCE)])
    for id in (0x1000, 0x1018, 0x1030):
        dump.instance(id, text)
    dump.root(0x1000)
    path = tmp_path / "strings.hprof"
    path.write_bytes(dump.data)
    if is_announced:
        dump.announce(0x108, "java.lang.Class")
        path.write_bytes(dump.data)
    answer = coffeetree("tree", path, "--view", "Classes", "--switch", "group=classes alone", "--depth", "0", "--json")
    rows = {row["label"]: row["badges"] for row in answer.rows}
    assert {name: (row["objects"], row["bytes"]) for name, row in rows.items()} == {
        STRING: (3, 48),
        "java.lang.Class": (1, 104),
    }
