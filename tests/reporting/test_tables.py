"""Tables of reports: their columns, their texts, the REFs of their rows, and the numbers of the browser's views."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from conftest import CORPUS, sample_path
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.jfr.events.event_rows import EventRows
from parsers.heapdump.paths.reachability import NOT_REACHED
from parsers.heapdump.paths.shortest_paths import steps_from_root
from parsers.model.report import Report
from parsers.model.row import value_in
from parsers.model.tables import arrow_stream
from parsers.model.tables.column_values import (
    Known,
    Named,
    TableColumn,
    TextArrays,
    gathered,
    headed,
    interned,
    numbered,
    python_texts,
    text_arrays,
    unless,
    used,
)
from parsers.model.tables.table import BATCH, Table, TableType
from parsers.model.time_text import nanos_text, time_text
from parsers.model.trees.tree import walk
from parsers.reporting.sql.database import Database
from parsers.runtime.opening import open_report

ANY_TEXTS = st.lists(st.one_of(st.none(), st.text(st.characters(), max_size=8)), max_size=8)


def utf8(text: str | None) -> str | None:
    """A text as it arrives: half surrogate pairs can't."""
    return None if text is None else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@given(ANY_TEXTS)
def test_any_text_survives_as_arrays(texts: list[str | None]):
    assert python_texts(text_arrays(texts)) == [utf8(text) for text in texts]


@given(st.lists(st.binary(max_size=6), max_size=6))
def test_texts_that_are_no_utf_8_are_repaired_one_by_one(texts: list[bytes]):
    starts = np.cumsum([0, *map(len, texts)])
    data = np.frombuffer(b"".join(texts), np.uint8)
    found = interned(starts, data, lambda text: text.decode("utf-8", "replace"))
    assert python_texts(found) == [text.decode("utf-8", "replace") for text in texts]


@given(ANY_TEXTS, st.lists(st.integers(0, 7), max_size=9))
def test_texts_by_number_are_those_of_the_rows(texts: list[str | None], numbers: list[int]):
    chosen = np.array([number if number < len(texts) else -1 for number in numbers], np.int64)
    known = [text or "" for text in texts]
    expected = [utf8(known[number]) if number >= 0 else None for number in chosen.tolist()]
    named = Named(chosen, text_arrays(known))
    assert python_texts(gathered(named)) == expected
    assert python_texts(gathered(used(named))) == expected
    assert len(used(named).texts.starts) == 1 + len({number for number in chosen.tolist() if number >= 0})


@given(st.lists(st.integers(0, 2**64 - 1), max_size=9))
def test_numbers_in_refs_are_decimal_or_hexadecimal(numbers: list[int]):
    array = np.array(numbers, np.uint64)
    assert python_texts(numbered("line:", array)) == [f"line:{number}" for number in numbers]
    assert python_texts(numbered("object:0x", array, 16)) == [f"object:0x{number:x}" for number in numbers]
    assert python_texts(numbered("", array, suffix="]")) == [f"{number}]" for number in numbers]


def test_a_prefix_precedes_each_text_of_a_range():
    texts = text_arrays(["a", "", "ü"])
    assert python_texts(headed("class:", texts)) == ["class:a", "class:", "class:ü"]


NUMBERS = TableType(
    "number",
    "",
    (
        TableColumn("number_id", "BIGINT", ""),
        TableColumn("half", "INTEGER", "", is_nullable=True),
        TableColumn("name", "VARCHAR", "", is_nullable=True),
        TableColumn("kind", "VARCHAR", "", is_nullable=True, is_interned=True),
        TableColumn("is_odd", "BOOLEAN", ""),
    ),
)


def table(rows: int, read: list[tuple[str, int, int]]) -> Table:
    """A table that notes what is read of it."""

    def noting(name: str, values: Any) -> Any:
        def column(start: int, stop: int) -> Any:
            read.append((name, start, stop))
            return values(np.arange(start, stop))

        return column

    kinds = text_arrays(["even", "odd"])
    columns = {
        "half": noting("half", lambda rows: unless(rows // 2, 3)),
        "name": noting("name", lambda rows: text_arrays([f"n{row}" if row else None for row in rows])),
        "kind": noting("kind", lambda rows: Named(np.where(rows == 1, -1, rows % 2).astype(np.int64), kinds)),
        "is_odd": noting("is_odd", lambda rows: rows % 2 == 1),
    }
    return Table(NUMBERS, lambda: rows, columns)


def test_arrow_takes_all_columns_without_a_copy_of_ours():
    held = len(arrow_stream._kept)
    taken = pyarrow.table(table(8, []))
    taken.validate(full=True)
    assert taken.to_pylist()[:3] == [
        {"number_id": 0, "half": 0, "name": None, "kind": "even", "is_odd": False},
        {"number_id": 1, "half": 0, "name": "n1", "kind": None, "is_odd": True},
        {"number_id": 2, "half": 1, "name": "n2", "kind": "even", "is_odd": False},
    ]
    assert taken["half"].to_pylist() == [0, 0, 1, 1, 2, 2, None, None]
    del taken
    assert len(arrow_stream._kept) == held


def test_arrow_reads_the_chosen_columns_in_batches():
    read: list[tuple[str, int, int]] = []
    taken = pyarrow.table(table(BATCH + 1, read).arrow("is_odd"))
    assert taken.column_names == ["is_odd"]
    assert read == [("is_odd", 0, BATCH), ("is_odd", BATCH, BATCH + 1)]
    assert taken["is_odd"][BATCH].as_py() == bool(BATCH % 2)


def test_a_report_keeps_its_tables():
    report = opened(*DEMO)
    assert report.tables is report.tables
    report.close()


def test_numpy_masks_unknown_numbers():
    numbers = table(8, []).numpy("half")
    assert numbers.tolist() == [0, 0, 1, 1, 2, 2, None, None]
    assert table(3, []).numpy("name").tolist() == [None, "n1", "n2"]


def test_a_table_without_a_reader_of_a_column_is_refused():
    with pytest.raises(ValueError, match="kind"):
        Table(NUMBERS, lambda: 1, {name: lambda start, stop: Known for name in ("half", "name", "is_odd")})  # type: ignore


# -- reports ----------------------------------------------------------------------------------------------------------


def opened(case: str, name: str) -> Report:
    """A sample with its index."""
    report = open_report([str(sample_path(case, name))])
    report.wait()
    return report


def column(report: Report, table: str, *names: str) -> list[tuple[Any, ...]]:
    """Columns of a table as rows."""
    of_table = report.tables[table]
    return list(zip(*(of_table.numpy(name).tolist() for name in names), strict=True))


def opens(report: Report, most: int = 60) -> None:
    """Opens rows of each table by their REFs."""
    for of_table in report.tables.values():
        for named in (each for each in of_table.columns if each.name == "ref"):
            for start in range(0, of_table.rows, max(of_table.rows // most, 1)):
                (ref,) = python_texts(of_table.read("ref", start, start + 1))
                if ref is not None or not named.is_nullable:
                    report.locate(str(ref))


def view_numbers(
    report: Report, view: str, kind: str, *columns: str, depth: int | None = None
) -> list[tuple[Any, ...]]:
    """REF and numbers of the rows of a kind in a view, down to a depth."""
    shown = report.view(view)
    chosen = [next(each for each in shown.columns if each.name == name) for name in columns]
    rows = (shown.tree.row(node) for node, _ in walk(shown.tree, depth=depth))
    return [(row.ref, *(value_in(row, each) for each in chosen)) for row in rows if row.kind == kind]


HELLO = ("real_23.0_helloworld", "call_tree_helloworld_20261121_030105.txt")
DEMO = ("v24.2_and_25", "call_tree_demo_20250916_101500.txt")


def test_packages_and_classes_have_the_numbers_of_their_view():
    report = opened(*HELLO)
    columns = ("ref", "methods", "calls_in", "rows_below")
    for level in ("package", "class"):
        expected = view_numbers(report, "Packages", level, "methods", "call_sites", "weight", depth=1)
        assert column(report, level, *columns) == expected
    opens(report)


def test_methods_retain_what_the_dominators_do():
    report = opened(*HELLO)
    database = Database({"report": report.tables})
    found = {ref: held for _, held, ref in database.run("FROM dominating_methods").rows()}
    assert found == dict(view_numbers(report, "Dominators", "method", "held"))
    database.close()


def test_calls_have_the_kind_and_the_position_of_their_row():
    report = opened(*HELLO)
    tree = report.views[0].tree
    rows = column(report, "call", "kind", "bci", "line", "ref", "rows_below")
    for kind, bci, line, ref, below in rows[:: len(rows) // 500]:
        row = tree.row(report.views[0].resolve(ref))
        assert (row.kind, row.badges.get("bci"), row.line, row.rows_below) == (kind, bci, line, below)


def test_loaders_and_reasons_are_read_from_the_rows():
    report = opened(*DEMO)
    document = report.views[0]
    rows = column(report, "method", "name", "loader", "ref")
    labels = {ref: document.tree.row(document.resolve(ref)).label for _, _, ref in rows}
    assert all(labels[ref] == (f"{loader}:{name}" if loader else name) for name, loader, ref in rows)
    assert any(loader for _, loader, _ in rows)
    entries = [row for row in map(document.tree.row, document.tree.roots()) if row.kind == "entry"]
    shown = [(row.ref, report.parsed(row.node).reason) for row in entries]  # type: ignore[attr-defined]
    assert column(report, "entry", "ref", "reason") == shown
    opens(report)


# -- heap dumps -------------------------------------------------------------------------------------------------------

HEAP = CORPUS.parent / "hprof" / "heap"
JDK17, JDK25 = HEAP / "jdk17.hprof.xz", HEAP / "jdk25-virtual-threads.hprof.xz"
DUMPS = [JDK25, HEAP / "agent-quit-all.hprof.xz", HEAP / "two-dumps.hprof.xz", HEAP / "jdk17-disk-full.hprof.xz"]


def at(path: Path) -> Any:
    """A sample with its index."""
    report: Any = open_report([str(path)])
    report.wait()
    return report


def test_classes_of_a_heap_dump_have_the_numbers_of_their_view():
    report = at(JDK25)
    view = report.view("Classes")
    view.choose("group", "classes alone")
    shown = [view.tree.row(node) for node in view.tree.roots()]
    expected = sorted((row.label, row.badges["objects"], row.badges["bytes"], row.badges["retained"]) for row in shown)
    database = Database({"heap": report.tables})
    found = sorted(database.run("SELECT name, instances, shallow, retained FROM largest_classes").rows())
    assert found == expected
    sums = "SELECT class, count(*), sum(shallow) FROM object GROUP BY class_id, class"
    assert sorted(database.run(sums).rows()) == [row[:3] for row in expected]
    database.close()
    report.close()


@pytest.mark.parametrize("path", DUMPS, ids=lambda path: path.name)
def test_rows_of_heap_dumps_open_and_references_have_their_names(path: Path):
    report = at(path)
    graph = report.view("Objects").objects.graph
    opens(report)
    kinds, fields, owners = (report.tables["reference"].numpy(name).tolist() for name in ("kind", "field", "from_id"))
    step = max(graph.references // 3000, 1)
    for site in range(0, graph.references, step):
        label = graph.label(site)
        assert (kinds[site], fields[site], owners[site]) == (label.kind, label.text, graph.owner(site))
    in_pieces = [
        python_texts(report.tables["reference"].read("field", start, start + 777))
        for start in range(0, graph.references, 777)
    ]
    assert [text for piece in in_pieces for text in piece] == fields
    some = np.arange(0, graph.references, 5)
    assert graph.owners(some).tolist() == owners[::5]
    labels = graph.labels_of(some, graph.owners(some))
    assert (python_texts(labels.kinds()), python_texts(labels.texts())) == (kinds[::5], fields[::5])
    report.close()


@pytest.mark.parametrize("path", [JDK17, HEAP / "agent-all-101.hprof.xz"], ids=lambda path: path.name)
def test_texts_of_strings_are_those_read_one_by_one(path: Path):
    report = at(path)
    texts = report.tables["string"].numpy("text").tolist()
    view = report.view("Strings")
    step = max(len(texts) // 500, 1)
    strings = view.first_strings(0, len(texts)).tolist()[::step]
    assert any(text and not text.isascii() for text in texts)
    assert texts[::step] == [as_stored(view.objects.graph.text(string, 1 << 16)) for string in strings]
    refs = report.tables["string"].numpy("ref").tolist()[::step]
    assert refs == [view.objects.ref(string) for string in strings]
    report.close()


def as_stored(text: str | None) -> str | None:
    """A text as a column has it: half of a surrogate pair is U+FFFD."""
    return python_texts(text_arrays([text]))[0]


def test_distances_are_the_lengths_of_shortest_paths():
    report = at(JDK25)
    objects = report.view("Objects").objects
    distances, dominators, retained = (
        report.tables["object"].numpy(name).tolist() for name in ("distance", "dominator_id", "retained")
    )
    for object in range(0, len(distances), 97):
        steps = steps_from_root(objects.graph, object)
        is_reachable = objects.graph.reached_by(object) != NOT_REACHED
        assert distances[object] == (len(steps) if is_reachable else None)
        alone = report.tables["object"].read("distance", object, object + 1)
        assert (alone.numbers[0] if alone.is_known[0] else None) == distances[object]
        assert retained[object] == objects.graph.retained(object)
        above = objects.graph.dominator(object)
        assert dominators[object] == (above if above < objects.graph.objects else None)
    report.close()


def test_suspects_and_texts_are_those_of_their_views():
    report = at(JDK25)
    database = Database({"heap": report.tables})
    shown = [row for row in rows_of(report, "Suspects") if row.kind == "suspect"]
    expected = [tuple(row.badges[name] for name in ("retained", "share", "objects")) for row in shown]
    assert list(database.run("SELECT retained, share, objects FROM leak_suspects").rows()) == expected
    view = report.view("Strings")
    shown = [view.tree.row(node) for node in view.tree.roots()[:500]]
    expected = [(row.label, row.badges["objects"], row.badges["length"], row.badges.get("wasted", 0)) for row in shown]
    texts = "SELECT text[:1000] || CASE WHEN length > 1000 THEN '…' ELSE '' END, count, length, wasted FROM string"
    assert list(database.run(f"{texts} ORDER BY string_id LIMIT 500").rows()) == expected
    database.close()
    report.close()


def test_frames_of_threads_are_those_of_their_view():
    report = at(JDK25)
    shown = rows_of(report, "Threads")
    expected = [(row.label, row.badges["frame"], row.badges["locals"]) for row in shown if row.kind == "frame"]
    assert column(report, "thread_frame", "method", "depth", "locals") == expected
    report.close()


def rows_of(report: Any, view: str) -> list[Any]:
    """All rows of a view."""
    tree = report.view(view).tree
    return [tree.row(node) for node, _ in walk(tree)]


def test_objects_of_an_image_have_the_numbers_of_their_views():
    report = opened("real_23.0_helloworld", "object_tree_helloworld_20261121_030107.txt")
    expected = view_numbers(report, "Types", "type", "objects", "roots", "references", "weight")
    assert column(report, "type", "ref", "objects", "roots", "references_in", "rows_below") == expected
    opens(report)
    tree = report.views[0].tree
    for field, ref in column(report, "reference", "field", "ref")[::40]:
        node = report.views[0].resolve(ref)
        above = tree.parent(node)
        label = tree.row(node if above is None or tree.row(above).kind != "field" else above).label
        assert field is None or label.startswith(field)


# -- profiles and recordings ------------------------------------------------------------------------------------------

TEXT = CORPUS.parent / "hprof" / "text" / "profiletest-everything.txt.xz"
RECORDING = CORPUS.parent / "jfr" / "jdk25-light.jfr.xz"


@pytest.mark.parametrize(
    ("path", "view", "weight"), [(TEXT, "CPU samples", "samples"), (RECORDING, "Methods", "samples")]
)
def test_hot_methods_are_those_of_their_view(path: Path, view: str, weight: str):
    report = at(path)
    shown = [report.view(view).tree.row(node) for node in report.view(view).tree.roots()]
    expected = sorted((row.label, row.badges["self"]) for row in shown if row.kind == "method" and row.badges["self"])
    database = Database({"profile": report.tables})
    found = sorted(database.run(f"SELECT method, self FROM hot_methods WHERE weight = '{weight}' AND self > 0").rows())
    assert found == expected
    database.close()
    report.close()


def test_stacks_and_methods_of_a_profile_open():
    report = at(TEXT)
    opens(report)
    report.close()


SITES, BLOCKED = TEXT.with_name("profiletest-sites.txt.xz"), TEXT.with_name("manyblocked-quit.txt.xz")


def test_allocation_sites_have_the_numbers_of_their_view():
    report = at(SITES)
    view = report.view("Allocation sites")
    names = ("self", "live_objects", "allocated_bytes", "allocated_objects")
    shown = [view.tree.row(node) for node in view.tree.roots()]
    expected = sorted((row.label, *(row.badges[name] for name in names)) for row in shown)
    database = Database({"profile": report.tables})
    sums = "sum(live_bytes), sum(live_objects), sum(allocated_bytes), sum(allocated_objects)"
    assert sorted(database.run(f"SELECT class, {sums} FROM allocation_site GROUP BY class").rows()) == expected
    database.close()
    report.close()


def test_threads_monitors_and_contention_of_a_profile_are_those_of_their_views():
    report = at(BLOCKED)
    opens(report)
    threads = [(row.ref, row.badges["traces"]) for row in rows_of(report, "Threads")]
    assert column(report, "thread", "ref", "traces") == threads
    shown = [row for row in rows_of(report, "Monitors") if row.kind == "monitor"]
    database = Database({"profile": report.tables})
    contended = [(row.label, row.badges["times"], row.badges["share"]) for row in shown if "share" in row.badges]
    found = [
        (name, times, round(share, 2)) for _, name, times, share in database.run("FROM contention_by_class").rows()
    ]
    assert found == contended
    waiting = [(row.label, row.badges.get("threads", 0)) for row in shown if row.depth == 2]
    dumped = list(database.run("SELECT class, entering FROM monitor WHERE entering > 0").rows())
    assert dumped == [each for each in waiting if each[1]]
    database.close()
    report.close()


RECORDED = RECORDING.with_name("jdk25-profile.jfr.xz")


@pytest.mark.parametrize(
    ("query", "view", "names"),
    [
        (
            "SELECT class, blocked, contended, longest_block FROM contention_by_class",
            "contention-by-class",
            ("total", "count", "longest"),
        ),
        ("SELECT class, bytes, events FROM allocation_by_class", "allocation-by-class", ("allocated", "count")),
    ],
)  # fmt: skip
def test_sums_over_events_of_a_recording_are_those_of_their_views(query: str, view: str, names: tuple[str, ...]):
    report = at(RECORDED)
    shown = [report.view(view).tree.row(node) for node in report.view(view).tree.roots()]
    database = Database({"recording": report.tables})
    found = sorted(database.run(query).rows())
    assert found == sorted((row.label, *(row.badges[name] for name in names)) for row in shown)
    database.close()
    report.close()


@pytest.mark.parametrize("name", sorted(path.name for path in RECORDING.parent.glob("*.jfr*")))
def test_values_of_a_recording_have_the_types_of_their_columns(name: str):
    report = at(RECORDING.with_name(name))
    for table in report.tables.values():
        for column in table.columns:
            values = table.read(column.name, 0, min(table.rows, 100))
            assert isinstance(values, TextArrays | Named) == (column.type == "VARCHAR"), (table.name, column.name)
    report.close()


def test_old_objects_and_states_of_a_recording_are_those_of_their_events():
    report = at(RECORDED)
    samples = report.view("Old objects").samples
    expected = [(sample.steps[0].class_name, sample.numbers.get("size"), sample.row) for sample in samples]
    assert column(report, "old_object", "class", "size", "event_id") == expected
    for name in ("old_object", "state", "collection", "allocation", "monitor"):
        table = report.tables[name]
        refs = python_texts(table.read("ref", 0, 5))
        assert [report.locate(str(ref))[0].name for ref in refs] == ["Events"] * len(refs)
        if name != "monitor":
            events = table.numpy("event_id")
            assert (np.diff(np.sort(events)) > 0).all()
            assert python_texts(report.tables["event"].read("ref", int(events[0]), int(events[0]) + 1)) == refs[:1]
    report.close()


def test_types_and_threads_of_a_recording_have_the_numbers_of_their_views():
    report = at(RECORDING)
    database = Database({"recording": report.tables})
    shown = [report.views[0].tree.row(node) for node in report.views[0].tree.roots()]
    expected = sorted((row.label, row.badges["events"]) for row in shown)
    assert sorted(database.run("SELECT type, events FROM event_types").rows()) == expected
    threads = sorted((row.ref, row.badges["events"]) for row in rows_of(report, "Threads") if row.kind == "thread")
    with_events = [row for row in threads if row[1]]
    assert sorted(database.run("SELECT ref, events FROM busiest_threads").rows()) == with_events
    database.close()
    report.close()


def shown_as(value: Any, unit: str | None, name: str) -> set[str]:
    """The texts by which a browser may show a value of a field: durations and times are both nanoseconds."""
    if name.endswith(("Id", "id")) and value is not None:
        return {str(value)}
    if value is None:
        return {"not available", "for ever", "nan"}
    if isinstance(value, bool):
        return {str(value).lower()}
    if unit == "ns":
        return {nanos_text(value), time_text(value)}
    if unit == "percent":
        return {f"{value:.2f} %"}
    number = f"{value:g}" if isinstance(value, float) and unit is None else f"{value:,.0f}"
    return {number if unit is None else f"{number} {unit}", f"{number} Hz", f"{8 * value:,.0f} bits/s"}


def test_fields_of_events_are_those_of_their_rows():
    report = at(RECORDING)
    data = report.data
    events = EventRows(data, lambda: True)
    for type in data.type_names:
        table = report.tables[type]
        rows = data.rows_of(type)
        assert table.numpy("event_id").tolist() == rows.tolist()
        (ref,) = python_texts(report.tables["event"].read("ref", int(rows[-1]), int(rows[-1]) + 1))
        assert python_texts(table.read("ref", len(rows) - 1, len(rows))) == [ref]
        row = int(rows[-1])
        for column in table.columns[1:-1]:
            if "." not in column.name and column.type != "VARCHAR":
                value = table.numpy(column.name).tolist()[-1]
                assert events.text(row, column.name) in shown_as(value, column.unit, column.name), (type, column.name)
    opens(report)
    report.close()


def test_classes_threads_times_and_structs_of_events_are_columns_as_they_are_shown():
    report, parked = at(RECORDED), "java.util.concurrent.locks.ReentrantLock$FairSync"
    park, summary = report.tables["jdk.ThreadPark"], report.tables["jdk.GCHeapSummary"]
    assert set(python_texts(park.read("parkedClass", 0, park.rows))) == {parked, None}
    assert set(park.numpy("until").tolist()) == {None}
    assert all(text.startswith("0x") for text in python_texts(summary.read("heapSpace.start", 0, summary.rows)))
    sizes = summary.numpy("heapSpace.committedSize")
    starts, ends = (
        [int(text, 16) for text in python_texts(summary.read(f"heapSpace.{name}", 0, summary.rows))]
        for name in ("start", "committedEnd")
    )
    assert sizes.tolist() == [end - start for start, end in zip(starts, ends, strict=True)]
    report.close()


# -- compilation logs -------------------------------------------------------------------------------------------------

LOG = CORPUS.parent / "hotspot" / "work_tiered_17.log.xz"


def test_tables_of_a_log_have_the_numbers_of_their_views():
    report = at(LOG)
    database = Database({"log": report.tables})

    def shown(view: str, kind: str, *names: str) -> list[tuple[Any, ...]]:
        rows = [row for row in rows_of(report, view) if row.kind == kind]
        return sorted((row.label.partition(" → ")[0], *(row.badges.get(name) for name in names)) for row in rows)

    found = sorted(database.run("SELECT reason, count, failed, sites FROM inlining_failures").rows())
    assert found == shown("Inlining failures", "reason", "count", "failed", "sites")
    traps = [row for row in rows_of(report, "Deoptimisations") if row.kind == "reason" and "emitted" in row.badges]
    expected = sorted(tuple(row.badges[name] for name in ("reason", "action", "fired", "emitted")) for row in traps)
    assert sorted(database.run("SELECT reason, action, fired, compiled_in FROM fired_traps").rows()) == expected
    tiers = [row for row in rows_of(report, "Compile time") if {"nmsize", "tasks", "level"} <= row.badges.keys()]
    times = sorted((row.badges["tasks"], row.badges["compile_ms"], row.badges["nmsize"]) for row in tiers)
    assert sorted(database.run("SELECT tasks, took, code_bytes FROM compile_times").rows()) == times
    opens(report)
    database.close()
    report.close()


# -- traces -----------------------------------------------------------------------------------------------------------

TRACES = CORPUS.parent / "tptp"


@pytest.mark.parametrize(
    "name", ["gen_all_aliases.trcxml", "gen_thread_jvmpi.trcxml", "gen_all_two_members_zip.trcxml"]
)
def test_tables_of_a_trace_have_the_numbers_of_their_views(name: str):
    report = at(TRACES / name)
    database = Database({"trace": report.tables})
    opens(report)
    if report.has_view("Methods"):
        names = ("base", "cumulative", "calls")
        shown = [row for row in rows_of(report, "Methods") if row.kind == "method"]
        sums: dict[str, list[int]] = {}
        for row in shown:
            numbers = sums.setdefault(row.label, [0] * len(names))
            numbers[:] = [
                sum(pair) for pair in zip(numbers, (row.badges.get(each) or 0 for each in names), strict=True)
            ]
        found = {name: numbers for name, *numbers in database.run("FROM slowest_methods").rows()}
        assert {name: numbers for name, numbers in found.items() if name in sums} == sums
    monitors = (
        [row for row in rows_of(report, "Monitors") if row.kind == "monitor"] if report.has_view("Monitors") else []
    )
    blocked = sorted((row.badges.get("blocked_ns") or 0, row.badges.get("contended") or 0) for row in monitors)
    assert sorted(database.run("SELECT blocked, contended FROM monitor").rows()) == blocked
    database.close()
    report.close()


# -- small reports ----------------------------------------------------------------------------------------------------

SIDE = "real_23.0_helloworld_csv"
SMALL = [
    ("class_initialization", *CORPUS.joinpath(SIDE, "reports").glob("class_initialization_report*")),
    ("used_method", *CORPUS.joinpath(SIDE, "reports").glob("used_methods*")),
    ("method", CORPUS.parent / "jdkprofilers" / "xprof_mixed.txt"),
    ("caller_pair", CORPUS.parent / "jdkprofilers" / "cpuold_javac.prof.xz"),
]


@pytest.mark.parametrize(("name", "path"), SMALL, ids=[name for name, *_ in SMALL])
def test_each_view_of_a_small_report_is_a_table(name: str, path: Path):
    report = at(path)
    view = report.views[0]
    rows = rows_of(report, view.name)
    assert column(report, name, "label", "kind", "depth") == [(row.label, row.kind, row.depth) for row in rows]
    for each in view.columns:
        values = report.tables[name].numpy(each.name).tolist()
        expected = [value_in(row, each) for row in rows]
        numbers = [None if isinstance(value, str) else value for value in expected]
        assert values == (expected if any(isinstance(value, str) for value in values) else numbers)
    opens(report)
    report.close()
