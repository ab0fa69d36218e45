"""Heap dumps and monitors asked through the headless commands."""

from __future__ import annotations

import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS, Answer

CORPUS = TESTS / "corpus" / "hprof" / "text"
HEAP = CORPUS / "quit-everything.txt.xz"
DEADLOCK = CORPUS / "deadlock-quit.txt.xz"

Run = Callable[..., Answer]


def test_why_and_refs_of_an_object_are_rows_of_objects_and_of_referrers(coffeetree: Run) -> None:
    why = coffeetree("why", "--json", HEAP, "run:2/object:0x50001bf2")
    path = why.json["path"]
    assert [row["label"] for row in path] == ["class java.lang.CharacterDataLatin1", "static A: int[]"]
    assert why.json["match"] == path[-1]
    (reference,) = coffeetree("refs", "--json", HEAP, "run:2/object:0x50001bf2").rows
    assert reference["label"] == "class java.lang.CharacterDataLatin1 static A"


@pytest.mark.parametrize(("run", "strings"), [("run:1/", 1103), ("run:3/", 1181), ("", 1181)])
def test_paths_of_a_class_are_those_in_the_dump_of_the_ref(coffeetree: Run, run: str, strings: int) -> None:
    row = coffeetree("show", "--json", "--view", "Paths", HEAP, f"{run}class:java.lang.String").json["row"]
    assert (row["ref"], row["badges"]["objects"]) == (f"{run or 'run:3/'}class:java.lang.String", strings)


def test_names_are_those_of_classes_where_the_first_views_know_none(coffeetree: Run) -> None:
    answer = coffeetree("find", "--name", "--json", "--view", "Classes", HEAP, "CharacterDataLatin1")
    assert {row["label"] for row in answer.rows} == {"java.lang.CharacterDataLatin1"}


def test_names_are_those_of_threads_and_of_classes_that_only_sites_have_too(coffeetree: Run) -> None:
    def found(path: Path, pattern: str) -> list[str]:
        return [row["ref"] for row in coffeetree("find", "--name", "--json", path, pattern).rows]

    assert found(DEADLOCK, "bystander") == ["thread:200005"]
    assert found(CORPUS / "javac-sites.txt.xz", "char[]") == ["class:char[]"]
    assert found(HEAP, "Worker::run") == ["method:ContendedMonitors$Worker.run"]


def test_names_are_those_of_classes_without_instances_too(coffeetree: Run) -> None:
    heap = CORPUS.parent / "heap" / "jdk17.hprof.xz"

    rows = coffeetree("find", "--name", "--json", heap, "java.lang.Math*").rows
    assert [(row["kind"], row["label"]) for row in rows] == [("class object", "class java.lang.Math")]
    assert rows == [coffeetree("show", "--json", heap, "class:java.lang.Math").json["row"]]
    # A class with instances has its row in "Classes".
    (row,) = coffeetree("find", "--name", "--json", heap, "java.lang.ModuleLayer*").rows
    assert (row["kind"], row["label"]) == ("class", "java.lang.ModuleLayer")


def test_packages_add_up_to_the_dump(coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Classes", "--depth", "1", HEAP).rows
    dumps = [row for row in rows if row["kind"] == "dump"]
    assert [row["ref"] for row in dumps] == ["run:1", "run:2", "run:3"]
    assert sum(row["badges"]["bytes"] for row in rows if row["depth"] == 1) == sum(
        row["badges"]["bytes"] for row in dumps
    )


def test_a_deadlock_is_shown_with_its_chain(coffeetree: Run) -> None:
    shown = coffeetree("show", "--json", "--view", "Monitors", DEADLOCK, "node:0").json
    assert shown["row"]["label"] == "deadlock: left → right → left"
    assert shown["sections"][0]["rows"][0]["text"] == "waits for int[], which right owns"


def test_a_trace_whose_number_is_there_twice_is_named_with_its_dump(tmp_path: Path, coffeetree: Run) -> None:
    path = tmp_path / "two.txt"
    path.write_bytes(
        b"".join(
            lzma.decompress((CORPUS / f"{name}.txt.xz").read_bytes())
            for name in ("profiletest-samples", "quit-samples")
        )
    )
    traces = coffeetree("tree", path, "--view", "Traces", "--depth", 0, "--json", "--limit", "all").rows

    several = [row for row in traces if row["ref"].startswith("run:")]
    numbers = [row["ref"].partition("/trace:")[2] for row in several]
    assert {row["ref"].partition("/")[0] for row in several} >= {"run:1", "run:2"}
    assert all(numbers.count(number) > 1 for number in numbers)
    for row in (*several[:3], *several[-3:]):
        assert coffeetree("show", path, "--view", "Traces", "--json", row["ref"]).json["row"] == row
    # Without the dump it is the last one of that number.
    last = coffeetree("show", path, "--view", "Traces", "--json", f"trace:{numbers[0]}").json["row"]
    assert last["ref"] in {row["ref"] for row in several if row["ref"].endswith(f":{numbers[0]}")} - {several[0]["ref"]}
    assert coffeetree("show", path, f"run:99/trace:{numbers[0]}").status == 2


def test_names_are_methods_and_classes_of_the_heap_each_in_its_view(coffeetree: Run) -> None:
    def found(*words: str) -> set[tuple[str, str]]:
        return {(row["kind"], row["label"]) for row in coffeetree("find", "--name", "--json", HEAP, *words).rows}

    # A method of a sample, methods of traces of sites, and classes.
    assert ("method", "java.util.Arrays.copyOf") not in found("CharacterDataLatin1")
    assert {kind for kind, _ in found("CharacterDataLatin1")} == {"class"}
    assert {kind for kind, _ in found("HashMap.put")} == {"trace"}
    assert {kind for kind, _ in found("HashMap")} == {"trace", "frame", "class"}
    # For a view with other rows of the same nodes, these.
    assert {kind for kind, _ in found("--view", "Objects", "HashMap$Node")} == {"class object"}


def test_a_method_that_costs_something_is_found_in_the_first_profile(coffeetree: Run) -> None:
    answer = coffeetree("find", "--name", "--json", CORPUS / "profiletest-samples.txt.xz", "FDBigInteger.valueOfPow52")

    (row,) = answer.rows
    assert (row["kind"], row["label"]) == ("method", "sun.misc.FDBigInteger.valueOfPow52")
    assert "self" in row["badges"]


def test_matching_classes_show_no_children(coffeetree: Run) -> None:
    def rows(view: str, *words: str) -> list[dict[str, Any]]:
        return coffeetree("tree", "--json", "--view", view, *words, CORPUS / "longnames-dump.txt.xz").rows

    suppressed = ("--suppress-types", "java.*", "--expand-types", "java.lang.Class*")
    classes = rows("Classes", "--depth", "2", *suppressed)
    closed = [row for row in classes if "suppressed" in row["flags"]]
    assert closed and all(row["label"].startswith("java.") and not row["children"] for row in closed)
    assert not any("java.lang.Class" in row["label"] for row in closed)
    for view in ("Objects", "Referrers"):
        before = {row["ref"]: row for row in rows(view, "--depth", "0", "--limit", "300")}
        after = {row["ref"]: row for row in rows(view, "--depth", "0", "--limit", "300", *suppressed)}
        assert before.keys() == after.keys()
        closed = [row for row in after.values() if "suppressed" in row["flags"]]
        assert closed and all(before[row["ref"]]["children"] and not row["children"] for row in closed)
        open_rows = [row for row in after.values() if row["children"]]
        assert open_rows and all(row == before[row["ref"]] for row in open_rows)
