"""Tables of recordings: numbers equal to the truth, groups, sums, sorting, links; charts; old objects."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from conftest import TESTS, Answer, plain_bytes
from hypothesis import given, settings
from hypothesis import strategies as st
from recordings import recorded

from parsers.formats.jfr.data.recorded_data import RecordedData
from parsers.formats.jfr.events.value_text import zone_of
from parsers.formats.jfr.read.engine import Engine
from parsers.formats.jfr.read.metadata import Metadata, string_at
from parsers.formats.jfr.report import TABLES
from parsers.formats.jfr.tables.aggregates import PERCENTILES, aggregate
from parsers.formats.jfr.tables.computed import ComputedTable
from parsers.formats.jfr.tables.declarations import VIEWS
from parsers.formats.jfr.tables.string_codes import StringCodes
from parsers.io.cache import Cache
from parsers.model.time_text import time_text
from parsers.runtime.opening import open_report

CORPUS = TESTS / "corpus" / "jfr"
TRUTH: dict[str, Any] = json.loads((CORPUS / "truth.json").read_text("utf-8"))
Run = Callable[..., Answer]


def rows_of(coffeetree: Run, view: str, sample: str, *options: str, depth: str = "all") -> list[dict[str, Any]]:
    """All rows of a view, down to a depth."""
    path = CORPUS / f"{sample}.jfr.xz"
    return coffeetree("tree", "--json", "--view", view, "--depth", depth, "--limit", "all", *options, path).rows


# -- aggregates -------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-1_000, 1_000)), max_size=60))
def test_aggregates_are_those_of_each_group_by_itself(pairs: list[tuple[int, int]]) -> None:
    groups, numbers = (np.array([pair[place] for pair in pairs], np.int64) for place in (0, 1))
    for group in range(4):
        own = [number for each, number in pairs if each == group]
        expected = {
            "count": len(own), "sum": sum(own), "least": min(own, default=None), "longest": max(own, default=None),
            "first": own[0] if own else None, "last": own[-1] if own else None, "unique": len(set(own)) or None,
            "difference": own[-1] - own[0] if len(own) > 1 else None,
        }  # fmt: skip
        for how, wanted in expected.items():
            found, is_known = aggregate(how, groups, 4, numbers)
            assert (found[group] if is_known[group] else None) == (wanted if own or how == "count" else None), how


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=300))
def test_percentiles_are_interpolated_as_the_jdk_does(numbers: list[int]) -> None:
    ordered = sorted(numbers)
    for how, share in PERCENTILES.items():
        position = (len(ordered) + 1) * share
        place, fraction = int(position), position - int(position)
        if len(ordered) == 1 or place >= len(ordered):
            wanted: float = ordered[-1]
        elif place < 1:
            wanted = ordered[0]
        else:
            wanted = ordered[place - 1] + fraction * (ordered[place] - ordered[place - 1])
        found, _ = aggregate(how, np.zeros(len(numbers), np.int64), 1, np.array(numbers, np.int64))
        assert abs(found[0] - wanted) <= 0.5, how


def stored(text: str | None, encoding: int) -> bytes:
    """A string as events have it. encoding: 3 (UTF-8), 4 (UTF-16 units as integers) or 5 (Latin-1)"""

    def compressed(number: int) -> bytes:
        parts = []
        while number >= 0x80:
            parts.append(number & 0x7F | 0x80)
            number >>= 7
        return bytes([*parts, number])

    if not text:
        return bytes([text is not None])
    if encoding == 4:
        units = text.encode("utf-16-le", "surrogatepass")
        codes = [units[at] | units[at + 1] << 8 for at in range(0, len(units), 2)]
        return b"\4" + compressed(len(codes)) + b"".join(map(compressed, codes))
    data = text.encode("utf-8" if encoding == 3 else "latin-1", "replace")
    return bytes([encoding]) + compressed(len(data)) + data


TEXTS = st.one_of(st.none(), st.text("abé世", max_size=5), st.text("ab", min_size=500, max_size=600))


def halves(numbers: list[int]) -> tuple[list[int], list[int]]:
    """The first and the second half of a list."""
    return numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]


@given(st.lists(st.tuples(TEXTS, st.sampled_from([3, 4, 5])), min_size=1, max_size=40))
def test_equal_strings_have_equal_codes_whatever_their_encoding(texts: list[tuple[str | None, int]]) -> None:
    places, block = [], b""
    for text, encoding in texts:
        places.append(len(block))
        block += stored(text, encoding)
    for is_plain in (True, False):
        data = RecordedData(lambda size, offset: block[offset : offset + size], len(block), Engine(is_plain))
        strings = StringCodes(data)
        found = [strings.add(np.array(part, np.int64), np.zeros(len(part), np.int64)) for part in halves(places)]
        names = list(strings.texts)
        assert [names[code] for code in np.concatenate(found)] == [string_at(block, at, len(block))[0] for at in places]


NAMES_OF_TRANSFERS = {
    "jdk.FileRead": "file-reads-by-path",
    "jdk.FileWrite": "file-writes-by-path",
    "jdk.SocketRead": "socket-reads-by-host",
    "jdk.SocketWrite": "socket-writes-by-host",
}

# -- tables -----------------------------------------------------------------------------------------------------------


def test_the_views_of_tables_are_declared() -> None:
    assert tuple(VIEWS) == TABLES


@pytest.mark.parametrize("sample", [name.removesuffix(".jfr") for name in TRUTH if "io" in TRUTH[name]])
def test_bytes_and_times_of_files_and_sockets_are_those_of_the_truth(sample: str, coffeetree: Run) -> None:
    for type, places in TRUTH[f"{sample}.jfr"]["io"].items():
        view = NAMES_OF_TRANSFERS[type]
        rows = coffeetree("tree", "--json", "--view", view, "--depth", "0", CORPUS / f"{sample}.jfr.xz").rows
        found = {row["label"]: [row["badges"][name] for name in ("count", "bytes", "total")] for row in rows}
        assert found == {
            "(no path)" if place == "null" else place: [each[name] for name in ("count", "bytes", "sum_ns")]
            for place, each in places.items()
        }


@pytest.mark.parametrize("sample", ["jdk25-all", "jdk25-profile", "jdk8-profile"])
def test_exceptions_are_counted_by_class_and_message(sample: str, coffeetree: Run) -> None:
    rows = rows_of(coffeetree, "exception-by-type", sample, depth="1")
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        if row["depth"] == 0:
            messages = found[row["label"]] = {}
        elif row["depth"] == 1:
            messages["null" if row["label"] == "N/A" else row["label"]] = row["badges"]["count"]
    assert found == TRUTH[f"{sample}.jfr"]["exceptions"]


@pytest.mark.parametrize("sample", ["jdk25-profile", "jdk25-all", "jdk8-profile"])
def test_collections_have_their_pauses_and_phases(sample: str, coffeetree: Run) -> None:
    truth = TRUTH[f"{sample}.jfr"]["gc"]
    rows = rows_of(coffeetree, "Garbage collections", sample, depth="1")
    tops = {int(row["label"].removeprefix("GC ")): row["badges"] for row in rows if row["depth"] == 0}
    for number, name, cause, _, duration, pauses, longest in truth["collections"]:
        own = tops[number]
        wanted = (name, cause, duration, pauses, longest)
        assert (own["collector"], own["cause"], own["duration"], own["pauses"], own["longest_pause"]) == wanted
    phases = Counter(row["label"] for row in rows if row["depth"] == 1)
    for name, count in Counter(pause[1] for pause in truth["pauses"]).items():
        assert phases[f"· {name}"] == count or phases[name] == count


def test_inlining_decisions_are_counted_by_message(coffeetree: Run) -> None:
    rows = rows_of(coffeetree, "Compilations", "jdk25-all", "--switch", "table=inlining", depth="1")
    found: dict[str, int] = {}
    for row in rows:
        if row["depth"] == 0:
            word = "yes" if row["label"] == "inlined: true" else "no"
        elif row["depth"] == 1:
            found[f"{word}: {row['label']}"] = row["badges"]["count"]
    assert found == TRUTH["jdk25-all.jfr"]["inlining"]


DAMAGED = ("jdk25-stuck", "ap4-jfrsync", "jdk25-methods")


@settings(max_examples=8)
@given(
    st.sampled_from(DAMAGED), st.floats(0.1, 1), st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), max_size=60)
)
def test_tables_of_damaged_recordings_have_rows_for_all_that_was_read(
    name: str, share: float, changes: list[tuple[float, int]]
) -> None:
    data = bytearray(plain_bytes(CORPUS / f"{name}.jfr.xz"))
    for place, change in changes:
        data[8 + int(place * (len(data) - 9))] ^= change
    with TemporaryDirectory() as folder:
        found = recorded(bytes(data[: int(share * len(data))]), Path(folder))
        for table in (table for view in VIEWS.values() for table in view.tables):
            computed = ComputedTable(found, table)
            rows = computed.preorder
            assert rows.rows == len(table.cells) if table.is_form else rows.rows >= 0
            for node in range(min(rows.rows, 10)):
                group, leaf = rows.place(node)
                if leaf >= 0:
                    assert computed.events.rows[computed.event(group, leaf)] < found.rows
                elif not table.is_form:
                    assert computed.path(group)


def test_latencies_by_place_add_up_to_those_by_type(coffeetree: Run) -> None:
    by_type, by_place = (
        rows_of(coffeetree, "Latencies", "jdk25-profile", "--switch", f"table={name}", depth="1")
        for name in ("by type", "by place")
    )
    for rows in (by_type, by_place):
        assert sum(row["badges"]["total"] for row in rows if row["depth"] == 0) == sum(
            row["badges"]["total"] for row in rows if row["depth"] == 1
        )
    sums = {row["label"]: row["badges"]["total"] for row in by_type if row["depth"] == 0}
    assert sums["Java Thread Sleep"] == TRUTH["jdk25-profile.jfr"]["durations"]["jdk.ThreadSleep"]["sum_ns"]


@pytest.mark.parametrize("view", ["jdk.JavaMonitorEnter", "Events"])
def test_events_sorted_by_name_are_sorted_by_thread(view: str, coffeetree: Run) -> None:
    rows = rows_of(coffeetree, view, "jdk25-stuck", "--sort", "name")
    events = [row for row in rows if row["kind"] == "event" and row["ref"].startswith("event:jdk.JavaMonitorEnter#")]
    threads = [row["label"].partition("  ")[0] for row in events]
    assert len(set(threads)) > 1
    assert threads == sorted(threads)


@pytest.mark.parametrize("column", ["startTime", "duration", "monitorClass", "previousOwner", "address"])
def test_events_of_a_type_are_sorted_by_any_field(column: str, coffeetree: Run) -> None:
    rows = rows_of(coffeetree, "jdk.JavaMonitorEnter", "jdk25-profile", "--sort", column)
    values = [row["badges"][column] for row in rows]
    assert len(values) == 502
    numbers = [int(value, 16) for value in values] if column == "address" else values
    is_text = isinstance(numbers[0], str)
    assert numbers == sorted(numbers, reverse=not is_text)


def test_fields_of_structs_are_columns(coffeetree: Run) -> None:
    rows = rows_of(coffeetree, "jdk.GCHeapSummary", "jdk25-profile", "--sort", "heapSpace.committedSize")
    sizes = [row["badges"]["heapSpace.committedSize"] for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    assert all(row["badges"]["heapSpace.start"].startswith("0x") for row in rows)


def test_a_table_of_a_type_has_all_its_fields(coffeetree: Run) -> None:
    row = rows_of(coffeetree, "jdk.OldObjectSample", "jdk25-leak")[0]
    shown = coffeetree("show", "--json", CORPUS / "jdk25-leak.jfr.xz", "event:jdk.OldObjectSample#1").json
    fields = {each["label"] for each in shown["sections"][0]["rows"]} - {"start"}
    assert fields <= set(row["badges"])


def test_events_with_the_same_id_refer_to_each_other(coffeetree: Run) -> None:
    path = CORPUS / "jdk25-profile.jfr.xz"
    rows = coffeetree("refs", "--json", path, "event:jdk.GarbageCollection#5", "--limit", "all").rows
    shown = [coffeetree("show", "--json", path, row["ref"]).json for row in rows[:5]]
    ids = {field["text"] for each in shown for field in each["sections"][0]["rows"] if field["label"] == "gcId"}
    assert ids == {"4"}
    links = coffeetree("show", "--json", path, "event:jdk.GarbageCollection#5").json["links"]
    assert any(link["label"] == "gcId 4: jdk.GCPhasePause" for link in links)


def test_ids_of_two_jvms_in_one_file_are_kept_apart(tmp_path: Path, coffeetree: Run) -> None:
    path = tmp_path / "joined.jfr"
    path.write_bytes(b"".join(plain_bytes(CORPUS / f"{name}.jfr.xz") for name in ("jdk25-methods", "jdk17-deep512")))
    labels = [row["label"] for row in coffeetree("tree", "--json", "--view", "gc", "--depth", "0", path).rows]
    assert {label.partition(" of ")[2] for label in labels} == {"JVM 1", "JVM 2"}
    runs = coffeetree("info", "--json", path).json["runs"]
    assert [run["events"] for run in runs] == [3_347, 3_427]
    assert len({run["pid"] for run in runs}) == 2


def test_an_empty_table_names_the_events_that_are_missing() -> None:
    report = open_report([str(CORPUS / "jdk25-stuck.jfr.xz")])
    try:
        report.wait()
        view = report.view("finalizers")
        assert (view.row_count, view.empty_because) == (0, "the recording has no events jdk.FinalizerStatistics")
    finally:
        report.close()


def test_secrets_are_masked_unless_private_values_are_asked_for(tmp_path: Path, coffeetree: Run) -> None:
    data = plain_bytes(CORPUS / "jdk25-profile.jfr.xz")
    front, argument = b"-XX:StartFlightRecording:", b"filename=jdk25-profile.jfr,"
    assert front + argument in data
    path = tmp_path / "secret.jfr"
    path.write_bytes(
        data.replace(front + argument, front + b"password=hunter2secretabc,"[: len(argument)].ljust(27, b","))
    )
    query = 'SELECT jvmArguments FROM "jdk.JVMInformation"'
    shown = ("tree", "--view", "jvm-information", path), ("show", path, "event:jdk.JVMInformation#1")
    for words in (*shown, ("sql", path, query)):
        assert "hunter2" not in coffeetree(*words, "--json").out
        assert "hunter2" in coffeetree(*words, "--json", "--private").out


def test_times_are_in_the_zone_of_the_recording() -> None:
    kolkata = Metadata({}, {"gmtOffset": "19800000"})
    summer = Metadata({}, {"gmtOffset": "-18000000", "dst": "3600000"})
    assert time_text(0, zone_of(kolkata)) == "1970-01-01 05:30:00.000000000 +05:30"
    assert time_text(0, zone_of(summer)) == "1969-12-31 20:00:00.000000000 -04:00"
    assert time_text(0, zone_of(Metadata({}, {"gmtOffset": "hostile"}))) == "1970-01-01 00:00:00.000000000"


def test_a_search_looks_at_the_values_of_all_fields(coffeetree: Run) -> None:
    path = CORPUS / "jdk25-profile.jfr.xz"
    found = coffeetree(
        "find", "--json", path, "demo.Mix$Ledger", "--view", "jdk.JavaMonitorEnter", "--limit", "all"
    ).rows
    assert len(found) == 184


# -- charts and old objects -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "type"), [("CPU", "CPULoad"), ("heap", "GCHeapSummary"), ("GC pauses", "GCPhasePause")]
)
def test_charts_have_a_point_for_each_event_by_time(numbers: str, type: str, coffeetree: Run) -> None:
    rows = rows_of(coffeetree, "CPU and memory", "jdk25-profile", "--switch", f"numbers={numbers}")
    starts = [row["badges"]["start"] for row in rows]
    assert starts == sorted(starts)
    assert len(rows) == TRUTH["jdk25-profile.jfr"]["events"][f"jdk.{type}"]


def test_another_choice_of_numbers_has_points_of_its_own() -> None:
    report = open_report([str(CORPUS / "jdk25-profile.jfr.xz")])
    try:
        report.wait()
        view: Any = report.view("CPU and memory")
        counts = []
        for numbers in ("GC pauses", "CPU", "GC pauses"):
            view.choose("numbers", numbers)
            counts.append(len([view.tree.row(node) for node in view.tree.roots()]))
    finally:
        report.close()
    assert counts == [189, 6, 189]


def test_old_objects_have_the_paths_of_the_truth(coffeetree: Run) -> None:
    truth = json.loads((CORPUS / "old_objects.json").read_text("utf-8"))["jdk25-leak.jfr"]
    rows = rows_of(coffeetree, "Old objects", "jdk25-leak")
    steps = Counter(row["badges"]["steps"] for row in rows if row["kind"] == "object" and "steps" in row["badges"])
    assert steps == Counter(held + skipped for _, held, skipped, *_ in truth)
    gaps = sum(int(row["label"].split()[1].replace(",", "")) for row in rows if row["label"].startswith("… "))
    assert gaps == sum(skipped for _, _, skipped, *_ in truth)
    roots = Counter(row["label"] for row in rows if row["label"].startswith(("GC root", "(no path")))
    assert roots == Counter(f"GC root: {system}" if system else "(no path recorded)" for *_, system, _ in truth)


def test_old_objects_by_holder_name_the_nearest_static_field(coffeetree: Run) -> None:
    rows = rows_of(coffeetree, "Old objects", "jdk25-leak", "--switch", "merge=by holder")
    labels = {row["label"]: row["badges"]["samples"] for row in rows if row["depth"] == 0}
    assert labels["demo.Leak.cache"] == 114
    assert sum(labels.values()) == 209


def test_a_sample_of_an_old_object_and_its_event_are_found_by_the_key_of_each_other(cache: Cache) -> None:
    report = open_report([str(CORPUS / "jdk25-leak.jfr.xz")], cache=cache)
    try:
        report.wait()
        events, objects = report.view("Events"), report.view("Old objects")
        sample = next(iter(objects.tree.children(next(iter(objects.tree.roots())))))
        event = events.find_key(objects.key(sample))
        assert event is not None
        assert events.tree.row(event).ref == objects.tree.row(sample).ref
        assert objects.find_key(events.key(event)) == sample
    finally:
        report.close()


def test_the_chart_of_collections_has_the_numbers_of_their_table(coffeetree: Run) -> None:
    chart = rows_of(coffeetree, "GC chart", "jdk25-profile")
    table = [row for row in rows_of(coffeetree, "gc", "jdk25-profile") if row["kind"] == "collection"]
    assert len(chart) == TRUTH["jdk25-profile.jfr"]["events"]["jdk.GarbageCollection"]
    columns = ("start", "pauses", "longest_pause", "heap_before", "heap_after")
    numbers = [{row["label"]: [row["badges"].get(name) for name in columns] for row in rows} for rows in (chart, table)]
    assert numbers[0].items() <= numbers[1].items()


def test_a_collection_leads_to_the_chart_and_back(coffeetree: Run) -> None:
    path = CORPUS / "jdk25-profile.jfr.xz"
    for view, other in (("Garbage collections", "GC chart"), ("GC chart", "Garbage collections")):
        shown = coffeetree("show", "--json", "--view", view, path, "collection:GC 5").json
        assert {"ref": "collection:GC 5", "view": other}.items() <= next(
            link for link in shown["links"] if link["view"] == other
        ).items()
