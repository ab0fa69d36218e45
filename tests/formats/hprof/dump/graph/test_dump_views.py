"""Views of binary heap dumps: classes, roots, objects with their values, referrers, paths from roots."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer
from heap_dumps import TRUTH, class_dump, header, names, node, record, root, sample_path

from parsers.io.cache import Cache
from parsers.runtime.opening import open_report

Run = Callable[..., Answer]
SAMPLE = sample_path("jdk17.hprof")


@pytest.fixture(scope="module")
def folder(shared_cache: Path) -> str:
    return str(shared_cache / "coffeetree")


@pytest.fixture
def ask(coffeetree: Run, folder: str) -> Run:
    """Asks with JSON as the answer."""
    return lambda command, *words: coffeetree(command, "--json", "--cache-dir", folder, *words)


def show(ask: Run, ref: str) -> dict[str, list[dict[str, Any]]]:
    """Sections of an object, by title."""
    answer = ask("show", SAMPLE, ref).json
    return {section["title"]: section["rows"] for section in answer["sections"]}


def test_classes_are_listed_with_their_objects(ask: Run) -> None:
    answer = ask("tree", "--view", "Classes", "--at", "class:java.lang.String", "--depth", "0", SAMPLE)
    (row,) = answer.rows
    assert row["label"] == "java.lang.String"
    assert row["badges"]["objects"] == row["children"] == TRUTH["jdk17.hprof"]["totals"]["strings"]


def test_an_object_shows_its_fields_with_values(ask: Run) -> None:
    sections = show(ask, "object:0xe00000b8")
    fields = {row["label"]: row["text"] for row in sections["Fields (6)"]}
    assert fields["total"] == "4.242760494196513"
    assert fields["id"] == "22321"
    assert fields["when"] == "java.util.Date 2026-11-21T04:17:55.356Z"


def test_a_string_shows_its_text(ask: Run) -> None:
    sections = show(ask, "object:0xe0423af8")
    assert sections["Value"][0]["text"] == '"SHIPPED"'


def test_the_path_from_a_root_names_fields_and_elements(ask: Run) -> None:
    (answer,) = ask("why", SAMPLE, "object:0xe00000b8").rows
    labels = [row["label"] for row in answer["path"]]
    assert labels[0] == "class sun.launcher.LauncherHelper"
    assert labels[2:] == [
        "static ROOTS: java.util.ArrayList",
        "[2407] ObjectGraph$Customer",
        "orders: java.util.ArrayList",
        "[0] ObjectGraph$Order",
    ]
    assert answer["root"] == "system class"


def test_a_printed_path_begins_with_its_root(coffeetree: Run, folder: str) -> None:
    words = ("why", "--cache-dir", folder, SAMPLE, "object:0xe00000b8")
    for all_of_them in ((), ("--all",)):
        first, second, *_ = coffeetree(*words, *all_of_them).out.splitlines()
        assert first == "root: system class"
        assert second.startswith("REF ")


def test_the_path_from_a_root_names_the_fields_of_collections_if_these_are_shown(ask: Run) -> None:
    words = ("why", "--view", "Objects", "--switch", "collections=fields", SAMPLE, "object:0xe00000b8")
    (answer,) = ask(*words).rows
    labels = [row["label"] for row in answer["path"]]
    assert labels[2:5] == [
        "static ROOTS: java.util.ArrayList",
        "elementData: java.lang.Object[]",
        "[2407] ObjectGraph$Customer",
    ]


def test_referrers_are_objects_with_the_name_of_the_reference(ask: Run) -> None:
    (row,) = ask("refs", SAMPLE, "object:0xe00000b8").rows
    assert row["label"] == "java.lang.Object[] [0]"
    assert row["ref"] == "object:0xe0000308"


def test_roots_are_listed_below_their_threads_by_name(ask: Run) -> None:
    found = ask("tree", "--view", "Roots", "--depth", "1", SAMPLE).rows
    labels = [row["label"] for row in found]
    assert labels[:2] == ["threads", "main (1)"]
    assert 'holder "quoted" é (7)' in labels


def test_a_cut_dump_reports_unknown_parts(ask: Run) -> None:
    path = sample_path("jdk8-killed.hprof")
    answer = ask("tree", "--view", "Classes", "--depth", "0", path)
    assert answer.status == 3
    assert "never filled in" in answer.err


def test_dominators_begin_with_what_retains_most(ask: Run) -> None:
    top = ask("tree", "--view", "Dominators", "--depth", "1", "--limit", "2", SAMPLE).rows
    assert [row["label"] for row in top] == ["class ObjectGraph", "static ROOTS: java.util.ArrayList"]
    truth = TRUTH["jdk17.hprof"]["retained_top"]
    assert [row["badges"]["retained"] for row in top] == [row["retained"] for row in truth[:2]]
    assert [row["depth"] for row in top] == [0, 1]


def test_dominators_name_the_field_or_element_by_which_they_hold_an_object(ask: Run) -> None:
    rows = ask("tree", "--view", "Dominators", "--at", "object:0xe0490158", "--depth", "3", "--limit", "4", SAMPLE).rows
    assert [row["label"].split(":")[0] for row in rows[:3]] == ["class ObjectGraph", "static ROOTS", "elementData"]
    assert rows[3]["label"].startswith("[")


def test_an_object_that_no_root_reaches_is_not_among_dominators(ask: Run) -> None:
    answer = ask("show", "--view", "Dominators", sample_path("jdk17-disk-full.hprof"), "node:0")
    assert answer.status == 2
    assert "no root reaches it" in answer.err


def test_the_retained_sizes_of_the_roots_are_all_that_is_reachable(ask: Run) -> None:
    path = sample_path("jdk8-no-compressed-oops.hprof")
    rows = ask("tree", "--view", "Dominators", "--depth", "0", "--limit", "all", path).rows
    assert sum(row["badges"]["retained"] for row in rows) == TRUTH[path.stem]["totals"]["reachable_bytes"]


def test_a_path_through_weak_references_is_marked_as_the_only_one(ask: Run) -> None:
    way = show(ask, "object:0xe04a9610")["Path from a root"]
    assert way[0]["text"] == "only through soft, weak, phantom or final references"
    assert (way[1]["label"], way[1]["text"]) == ("referent", "of java.lang.ref.SoftReference")


# -- threads ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["jdk17.hprof", "jdk17-zgc.hprof", "jdk25-virtual-threads.hprof", "jdk8-no-compressed-oops.hprof", "android.hprof"],
)
def test_threads_have_their_frames(name: str, ask: Run) -> None:
    rows = ask("tree", "--view", "Threads", "--depth", "1", "--limit", "all", sample_path(name)).rows
    found = {row["badges"]["object"]: row for row in rows if row["kind"] == "thread"}
    for thread in TRUTH[name]["threads"]:
        row = found[thread["object"]]
        assert row["badges"]["class"] == thread["class"]
        assert row["badges"]["frames"] == thread["frames"]
        assert row["label"] == (thread["name"] or row["label"])
        below = rows[rows.index(row) + 1 : rows.index(row) + 1 + row["children"]]
        assert sum(each["kind"] == "frame" for each in below) == thread["frames"]
    assert len(found) == TRUTH[name]["totals"].get("threads", 0)


def test_locals_are_listed_below_their_frame(ask: Run) -> None:
    rows = ask("tree", "--view", "Threads", "--depth", "2", "--limit", "all", SAMPLE).rows
    roots = ask("tree", "--view", "Roots", "--depth", "2", "--limit", "all", SAMPLE).rows
    at: list[tuple[int, int, str]] = []
    thread = frame = -1
    for row in rows:
        if row["kind"] == "thread":
            thread, frame = row["badges"]["thread"], -1
        elif row["kind"] == "frame":
            frame = row["badges"]["frame"]
        else:
            at.append((thread, frame, row["badges"]["object"]))
    wanted: list[tuple[int, int, str]] = []
    for row in roots:
        if row["kind"] == "thread":
            thread = int(row["ref"].partition(":")[2])
        elif row["badges"].get("kind") in ("Java stack", "JNI local ref"):
            wanted.append((thread, row["badges"].get("frame", -1), row["badges"]["object"]))
    assert sorted(at) == sorted(wanted)


def test_a_thread_shows_its_state(ask: Run) -> None:
    answer = ask("show", "--view", "Threads", SAMPLE, "name:Finalizer").json
    facts = {row["label"]: row["text"] for row in answer["sections"][0]["rows"]}
    assert (facts["state"], facts["daemon"], facts["priority"]) == ("waiting", "yes", "8")


def test_files_of_the_agent_show_when_threads_began(ask: Run) -> None:
    rows = ask("tree", "--view", "Threads", sample_path("agent-quit-all.hprof")).rows
    assert all(row["kind"] == "thread" and "started" in row["badges"] for row in rows)


def test_why_shows_what_kind_of_root_it_begins_at(ask: Run, folder: str) -> None:
    report = open_report([str(SAMPLE)], cache=Cache(folder))
    report.wait()
    view: Any = report.view("Objects")
    assert view.why(view.resolve("object:0xe00000b8")).title == "the shortest path from a root (system class)"
    (held,) = [
        row
        for row in ask("tree", "--view", "Threads", "--at", "name:Finalizer", SAMPLE).rows
        if row["label"] == "java.lang.ref.ReferenceQueue"
    ][:1]
    title = view.why(view.resolve(held["ref"])).title
    assert "Java stack frame 1, java.lang.ref.ReferenceQueue.remove(ReferenceQueue.java:" in title
    assert "of Finalizer (" in title
    roots: Any = report.view("Roots")
    remark = roots.remark(roots.tree.row(roots.resolve(held["ref"])))
    assert remark.startswith(f"0x{held['ref'].partition('0x')[2]} in java.lang.ref.ReferenceQueue.remove(")
    report.close()


def test_no_retained_sizes_are_shown_without_roots_in_the_file(ask: Run) -> None:
    answer = ask("tree", "--view", "Classes", "--depth", "2", "--limit", "4", sample_path("jdk17-disk-full.hprof"))
    assert [row["kind"] for row in answer.rows][:2] == ["package", "class"]
    assert not any("retained" in row["badges"] for row in answer.rows)


def test_the_facts_of_a_class_object_are_called_as_its_row_is(ask: Run) -> None:
    answer = ask("show", SAMPLE, "--view", "Dominators", "object:0xe0490158").json
    assert answer["row"]["label"] == "class ObjectGraph"
    assert answer["sections"][0]["title"] == "class ObjectGraph"


def test_sizes_of_a_binary_dump_are_shown_once(ask: Run) -> None:
    rows = ask("tree", "--view", "Classes", "--depth", "2", "--limit", "3", SAMPLE).rows
    assert all("bytes" in row["badges"] and "printed" not in row["badges"] for row in rows)


@pytest.mark.parametrize("roots", [b"", root(32)])
def test_views_that_begin_at_roots_show_why_they_are_empty(tmp_path: Path, cache: Cache, roots: bytes) -> None:
    path = tmp_path / "java.hprof"
    heap = record(0x1C, class_dump() + node(32, 40) + node(40, 0) + roots)
    path.write_bytes(header() + names() + heap + record(0x2C))
    report = open_report([str(path)], cache=cache)
    report.wait()
    reasons = {name: getattr(report.view(name), "empty_because", "") for name in ("Roots", "Dominators", "Strings")}
    report.close()
    assert reasons["Strings"] == ""
    for name in ("Roots", "Dominators"):
        assert reasons[name].startswith("the dump has no roots") == (not roots)
