"""Reports of many builds as one set of tables, which gives the answers of the folder to which they are exported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS, Answer
from small_trees import CALL_TREE, OBJECT_TREE

from parsers.formats.folder import FoundReport
from parsers.model.report import Report
from parsers.runtime.opening import open_report
from parsers.runtime.report_set import ReportSet, reports_matching

Run = Callable[..., Answer]
RECORDING = TESTS / "corpus" / "jfr" / "jdk25-stuck.jfr.xz"
TABLES = "class,package,method,call,type,object,jdk.ThreadSleep"


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two builds with a call tree, one also with an object tree, and a recording; beside them a file of notes."""
    folder = tmp_path_factory.mktemp("builds")
    for name, text in (
        ("one/call_tree_app_20230401_101500.txt", CALL_TREE),
        ("one/object_tree_app_20230401_101500.txt", OBJECT_TREE),
        ("two/call_tree_app_20230501_101500.txt", CALL_TREE.replace("a.Job", "b.Other")),
        ("two/notes.txt", "call_tree"),
    ):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    (folder / "two" / RECORDING.name).symlink_to(RECORDING)
    return folder


@pytest.fixture(scope="module")
def exported(builds: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same reports, exported one by one."""
    from tui.app.main import main

    folder = tmp_path_factory.mktemp("exported")
    for found in reports_matching(str(builds / "**")):
        report = opened(found.files)
        names = ",".join(name for name in TABLES.split(",") if name in report.tables)
        report.close()
        assert main(["export", found.path, "--to", "parquet", str(folder), "--append", "--tables", names]) == 0
    return folder


def opened(files: Any) -> Report:
    """A complete report."""
    report = open_report(files)
    report.wait()
    return report


@pytest.mark.parametrize(
    "query",
    [
        "SELECT build, image, created, count(*) AS n FROM call GROUP BY ALL",
        "SELECT build, image, created, name, calls_in, distance, loader, ref FROM method",
        "SELECT build, count(*) AS n, count(package) AS of_trees, count(class) AS classes FROM method GROUP BY ALL",
        "SELECT caller.build, caller.name, count(*) AS n FROM call JOIN method AS caller"
        " ON caller.build = call.build AND caller_id = method_id GROUP BY ALL",
        "SELECT name FROM package WHERE build LIKE '%0501%' EXCEPT SELECT name FROM package WHERE build LIKE '%0401%'",
        "SELECT type.build, sum(objects) AS n, count(*) OVER () AS types FROM type GROUP BY ALL",
        'SELECT build, count(*) AS n, min(event_id) AS first FROM "jdk.ThreadSleep" GROUP BY ALL',
        "SELECT count(*) AS n FROM object, package",
    ],
)
def test_a_query_gives_the_same_answer_over_reports_and_over_exported_tables(
    query: str, builds: Path, exported: Path, coffeetree: Run
):
    found = coffeetree("sql", "--json", builds / "**", query)
    assert (found.status, found.err) == (0, "")
    expected = coffeetree("sql", "--json", exported, query)
    assert sorted(found.out.splitlines()) == sorted(expected.out.splitlines()) != []


def test_one_report_is_open_at_a_time_and_only_those_with_the_table(builds: Path):
    now: list[str] = []
    seen: list[list[str]] = []

    def open(files: Any) -> Report:
        report = opened(files)
        now.append(report.format)
        seen.append(list(now))
        close = report.close
        report.close = lambda: (now.remove(report.format), close())  # type: ignore[method-assign,assignment]
        return report

    found = [report for report in reports_matching(str(builds / "**")) if report.format.name != "jfr"]
    tables = ReportSet(found, open).tables
    assert seen == []
    batches: Iterator[Any] = tables["package"].batches(["build", "name"])
    assert [rows for rows, _ in batches] == [1, 2]
    assert seen == [["graalvm-call-tree"], ["graalvm-call-tree"]]
    assert now == []


def test_a_pattern_names_files_or_folders(builds: Path):
    def names(pattern: str) -> list[str]:
        return [report.name for report in reports_matching(str(builds / pattern))]

    every: list[FoundReport] = reports_matching(str(builds / "**"))
    assert names("*") == [report.name for report in every]
    assert names("*/call_tree_*.txt") == ["call_tree_app_20230401_101500.txt", "call_tree_app_20230501_101500.txt"]
    assert names("t*/call*") == ["call_tree_app_20230501_101500.txt"]
    assert names("*/notes.txt") == []


def test_tables_of_reports_and_of_a_set_are_schemas(builds: Path, coffeetree: Run):
    query = "SELECT count(*) AS n FROM reports.package JOIN app.package AS own USING (name)"
    one = builds / "one" / "call_tree_app_20230401_101500.txt"
    assert coffeetree("sql", "--json", builds / "*" / "call*", f"app={one}", query).json == {"n": 2}
    tables = coffeetree("sql", "--json", builds / "**", ".schema jdk.ThreadSleep").rows
    assert [row["column"] for row in tables][:4] == ["build", "image", "created", "event_id"]


def test_damaged_and_unreadable_reports_are_named(builds: Path, coffeetree: Run, tmp_path: Path):
    whole, cut, bad = (tmp_path / f"call_tree_app_2023040{day}_101500.txt" for day in (1, 2, 3))
    whole.write_text(CALL_TREE, "utf-8")
    cut.write_text(CALL_TREE.rpartition("└──")[0], "utf-8")
    bad.write_bytes(b"\xfd7zXZ\x00 no archive")
    answer = coffeetree("sql", "--json", tmp_path / "*", "SELECT DISTINCT build FROM method ORDER BY build")
    assert [row["build"] for row in answer.rows] == ["app_20230401_101500", "app_20230402_101500"]
    assert (answer.status, answer.err.startswith(f"{cut}: dangling reference and 1 more")) == (3, True)
    assert coffeetree("sql", tmp_path / "nothing*", "SELECT 1").status == 2
