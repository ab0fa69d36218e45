"""Heap dumps and monitors asked through the headless commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from conftest import Answer

CORPUS = Path(__file__).parent / "corpus" / "hprof" / "text"
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


def test_names_are_those_of_classes_where_the_first_views_know_none(coffeetree: Run) -> None:
    answer = coffeetree("find", "--name", "--json", "--view", "Classes", HEAP, "CharacterDataLatin1")
    assert {row["label"] for row in answer.rows} == {"java.lang.CharacterDataLatin1"}


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
