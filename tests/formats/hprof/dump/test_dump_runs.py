"""Several heap dumps in one file: the last one is shown, and each of them by its number."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Answer
from heap_dumps import NODE, class_dump, header, names, node, record, root
from stage import browsing

from parsers.formats.hprof.agent_binary.report import paths_of_runs

Run = Callable[..., Answer]
PARTS = (
    header() + names() + record(0x0C, class_dump() + node(32, 0) + root(32)),
    record(0x1C, class_dump() + node(32, 40)) + record(0x1C, node(40, 48) + node(48, 0) + root(32)) + record(0x2C),
    record(0x01, bytes(12)) + record(0x0C, class_dump() + node(32, 40) + node(40, 0) + root(NODE)),
)
"""Three dumps; before the last one a name."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "java.hprof"
    made.write_bytes(b"".join(PARTS))
    return made


def test_each_dump_is_opened_by_its_number(path: Path, coffeetree: Run) -> None:
    found = [coffeetree("info", "--json", f"{path}{run}").json for run in ("", "#1", "#2", "#3")]
    assert [info["totals"]["objects"] for info in found] == [2, 1, 3, 2]
    assert [info["totals"]["dumps"] for info in found] == [3, 1, 2, 3]
    ends = [len(b"".join(PARTS[:count])) for count in (3, 1, 2, 3)]
    assert [info["bytes"] for info in found] == ends
    assert [info["problems"] for info in found] == [[], [], [], []]
    assert {tuple(info["facts"]["heap_dumps"]) for info in found} == {(f"{path}#1", f"{path}#2", f"{path}#3")}


def test_each_dump_has_its_own_index(path: Path, coffeetree: Run, cache_folder: Path) -> None:
    for _ in range(2):
        assert coffeetree("info", "--json", f"{path}#2").json["totals"]["objects"] == 3
        assert coffeetree("info", "--json", path).json["totals"]["objects"] == 2
    assert len(list(cache_folder.glob("index/*"))) == 2


def test_the_values_of_an_earlier_dump(path: Path, coffeetree: Run) -> None:
    assert "object:0x20" in coffeetree("tree", f"{path}#1", "--view", "Classes").out
    assert coffeetree("show", f"{path}#2", "object:0x30").status == 0
    assert coffeetree("show", f"{path}#1", "object:0x30").status != 0


def test_dumps_of_a_packed_file(path: Path, coffeetree: Run) -> None:
    packed = path.with_suffix(".hprof.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert coffeetree("info", "--json", f"{packed}#1").json["totals"]["objects"] == 1


@pytest.mark.parametrize(
    ("run", "says"),
    [
        ("#4", "#4: there is no such heap dump: the file has 3 heap dumps"),
        ("#0", "#0: there is no such heap dump: the file has 3 heap dumps"),
        ("#x", "can't be opened: no such file or directory"),
        ("#1234567890", "can't be opened: no such file or directory"),
    ],
)
def test_dumps_that_there_are_not(path: Path, coffeetree: Run, run: str, says: str) -> None:
    answer = coffeetree("info", f"{path}{run}")
    assert answer.status == 2
    assert says in answer.err


def test_a_file_with_one_dump_and_one_that_is_no_dump(tmp_path: Path, coffeetree: Run, corpus: Path) -> None:
    (tmp_path / "a.hprof").write_bytes(PARTS[0])
    assert "heap_dumps" not in coffeetree("info", "--json", tmp_path / "a.hprof").json["facts"]
    assert "the file has one heap dump" in coffeetree("info", f"{tmp_path / 'a.hprof'}#2").err
    tree = corpus / "v24.2_and_25" / "reports" / "call_tree_demo_20250916_101500.txt"
    assert "holds one run, so it has no number" in coffeetree("info", f"{tree}#1").err


def test_a_file_that_is_called_so_is_that_file(path: Path, coffeetree: Run) -> None:
    path.with_name("java.hprof#1").write_bytes(PARTS[0] + PARTS[1])
    assert coffeetree("info", "--json", f"{path}#1").json["totals"]["dumps"] == 2


async def test_the_browser_shows_another_one(path: Path) -> None:
    async with browsing(path) as stage:
        await stage.until(lambda: stage.app.report is not None and stage.app.report.is_complete)
        for line, says in (("run", "The file has 3 runs. :run N shows one."), ("run 4", "4: there are runs 1 to 3")):
            await stage.press(":")
            await stage.type(line)
            await stage.press("Enter")
            await stage.until(lambda says=says: says in stage.screen())
        await stage.press(":")
        await stage.type("run 2")
        await stage.press("Enter")
        await stage.until(lambda: stage.app.report is not None and stage.app.report.is_complete)
        assert stage.app.report is not None
        assert stage.app.report.title == "java.hprof#2"
        assert stage.app.report.totals["objects"] == 3


def test_paths_of_very_many_dumps_are_made_when_they_are_read() -> None:
    few, many = paths_of_runs("a.hprof", 3), paths_of_runs("a.hprof", 10**12)
    assert list(few) == ["a.hprof#1", "a.hprof#2", "a.hprof#3"]
    assert (few[1:], few[-1], "a.hprof#2" in few, "a.hprof#4" in few) == (list(few)[1:], list(few)[-1], True, False)
    assert (len(many), many[-2:]) == (10**12, ["a.hprof#999999999999", "a.hprof#1000000000000"])
