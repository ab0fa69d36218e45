"""Views that aggregate over all tasks, while tasks are still read."""

from __future__ import annotations

import lzma
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import TESTS

from parsers.formats.hotspot.build import LogBuild
from parsers.formats.hotspot.decisions.build import TableMaker
from parsers.formats.hotspot.decisions.published_tables import DecisionTables
from parsers.formats.hotspot.decisions.tables_build import DecisionTablesBuild
from parsers.formats.hotspot.decisions.tasks import Tasks
from parsers.formats.hotspot.log.columns import EVENTS, IN_FRAGMENT, TASKS
from parsers.formats.hotspot.log.log import Log
from parsers.formats.hotspot.report import HotSpotReport
from parsers.index.store import IndexReader
from parsers.io.cache import Cache
from parsers.io.group import SourceGroup
from parsers.io.open_source import open_source
from parsers.runtime.opening import open_report
from tui.tree.tree_cursor import TreeCursor

SAMPLE = TESTS / "corpus" / "hotspot" / "work_tiered_17.log.xz"
VIEWS = ("Inlining failures", "Deoptimisations", "Methods", "Story", "Compile time")


def tables_after(log: Log, count: int, time: int) -> DecisionTables:
    """Returns the tables of a log after so many tasks."""
    columns = {name: np.asarray(log.column(name)) for name in (*TASKS, *EVENTS)}
    texts = list(log.methods)

    def read_into(buffer: memoryview, place: int) -> None:
        buffer[:] = log.pread(len(buffer), place)

    tasks = Tasks(
        starts=columns["task_start"],
        ends=columns["task_end"],
        methods=columns["task_method"],
        levels=columns["task_level"],
        fragments=(columns["task_flags"] & IN_FRAGMENT != 0).astype(np.uint8),
        runs=columns["task_run"],
        files=np.array([0, count]),
        method_starts=np.cumsum([0, *map(len, texts)], dtype=np.uint64),
        method_blob=np.frombuffer(b"".join(texts), np.uint8),
        read_into=read_into,
    )
    build = DecisionTablesBuild(tasks)
    found = build.plain()
    arrays = TableMaker(columns, texts, list(log.words)).tables(found, build, count)
    return DecisionTables(
        {name: memoryview(np.ascontiguousarray(values)) for name, values in arrays.items()}, count, time
    )


@pytest.fixture(scope="module")
def report(shared_cache: Path) -> Iterator[HotSpotReport]:
    opened = open_report([str(SAMPLE)], cache=Cache(str(shared_cache / "coffeetree")))
    opened.wait()
    assert isinstance(opened, HotSpotReport)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def times(report: HotSpotReport) -> list[DecisionTables]:
    """After a third of the tasks, after two thirds, complete."""
    tasks, whole = report.log.tasks, report.log.tables
    assert whole is not None and whole.is_whole
    return [tables_after(report.log, tasks // 3, 0), tables_after(report.log, 2 * tasks // 3, 1), whole]


def cursor_in(report: HotSpotReport, name: str) -> TreeCursor:
    cursor = TreeCursor(report, report.view(name))
    cursor.viewport.resize(20)
    cursor.show(report, report.view(name))
    cursor.fold_to(0)
    return cursor


def labels(cursor: TreeCursor, nodes: list[int]) -> list[str]:
    return [cursor.row(node).label for node in nodes]


def opened(cursor: TreeCursor) -> list[str]:
    """Returns the labels of the visible rows."""
    return labels(cursor, [node for node in cursor.outline.nodes(0, 10_000) if cursor.outline.is_open(node)])


@pytest.mark.parametrize("name", VIEWS)
def test_rows_stay_open_and_the_cursor_on_its_row_as_tasks_are_read(
    report: HotSpotReport, times: list[DecisionTables], name: str
) -> None:
    report.log.tables = times[0]
    cursor = cursor_in(report, name)
    cursor.move_by(1)
    cursor.open_or_child()
    cursor.open_or_child()
    cursor.move_by(1)
    before, row = opened(cursor), cursor.row_at_cursor()
    assert row is not None and before

    for tables in times[1:]:
        report.log.tables = tables
        assert cursor.progressed() is not None

        after = cursor.row_at_cursor()
        assert after is not None
        assert (after.kind, after.label) == (row.kind, row.label)
        assert opened(cursor) == before


def test_a_partial_view_shows_how_much_was_read(report: HotSpotReport, times: list[DecisionTables]) -> None:
    for name in VIEWS:
        view: Any = report.view(name)
        report.log.tables = times[0]
        assert (view.is_ready, view.partial, view.tree.preorder.is_complete) == (True, "33 % of the tasks read", False)
        report.log.tables = times[2]
        assert (view.is_ready, view.partial) == (True, "")


def test_nothing_is_renewed_without_new_tables(report: HotSpotReport, times: list[DecisionTables]) -> None:
    report.log.tables = times[2]
    for name in VIEWS:
        cursor = cursor_in(report, name)
        assert cursor.progressed() is None


def test_all_that_was_open_is_open_when_all_is_known(report: HotSpotReport, times: list[DecisionTables]) -> None:
    report.log.tables = times[0]
    cursor = cursor_in(report, "Deoptimisations")
    cursor.open_all()

    report.log.tables = times[2]
    cursor.progressed()

    assert cursor.row_count == report.view("Deoptimisations").row_count


def test_counts_grow_with_the_tasks_that_were_read(report: HotSpotReport, times: list[DecisionTables]) -> None:
    view = report.view("Inlining failures")

    def failed(tables: DecisionTables) -> int:
        report.log.tables = tables
        return sum(int(view.tree.row(node).badges["failed"]) for node in view.tree.roots())

    first, second, whole = map(failed, times)
    assert 0 < first < second < whole


def test_tables_of_tasks_read_so_far_are_published_and_taken_away_at_the_end(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache"))
    source = SourceGroup([open_source(str(SAMPLE), cache)])
    source.unpack()
    told: list[tuple[int, bool]] = []

    def report_progress(news: Mapping[str, Any]) -> None:
        if any(name.startswith("decisions_read.") for name in news["lengths"]):
            reader = IndexReader(news["folder"])
            reader.advance(news["rows"], news["lengths"], news["types"], news["folder"])
            tables = DecisionTables.of(reader, None)
            assert tables is not None
            told.append((tables.tasks, tables.is_whole))

    folder = tmp_path / "index"
    folder.mkdir()
    header = LogBuild(source, str(folder), "hotspot-compilation-log", report_progress).run()
    source.close()

    assert all(tasks <= 733 and not is_whole for tasks, is_whole in told)
    assert told[-1][0] > 0
    assert "decisions_read" in header.arrays
    assert not [path for path in (folder / "ready").iterdir() if path.suffix]


def test_the_task_that_the_head_ends_in_has_a_row_before_there_is_an_index(tmp_path: Path) -> None:
    log = tmp_path / "demo.log"
    log.write_bytes(lzma.decompress((SAMPLE.parent / "odd_cdata_17.log.xz").read_bytes()))
    cache = Cache()
    report = open_report([str(log)], cache=cache)
    tree = report.views[0].tree
    tasks = [task for thread in tree.roots() for task in tree.children(thread)]
    assert not report.is_complete and len(tasks) > 20
    rows = [tree.row(task) for task in tasks]
    assert all(row.kind == "task" for row in rows)
    assert tree.has_children(tasks[-1])
    report.close()
    cache.close()
