"""The views Traces and Threads through the headless commands."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import TESTS, Answer

from parsers.runtime.opening import open_report

CORPUS = TESTS / "corpus" / "hprof"
SAMPLES = CORPUS / "text" / "profiletest-samples-thread.txt.xz"

Run = Callable[..., Answer]


def test_a_trace_shows_its_frames_and_what_names_it(coffeetree: Run) -> None:
    rows = coffeetree("tree", SAMPLES, "--view", "Traces", "--limit", "1", "--json").rows
    shown = coffeetree("show", SAMPLES, rows[0]["ref"], "--view", "Traces", "--json").json
    titles = [section["title"] for section in shown["sections"]]
    assert titles == ["Trace", "Frames", "In the tables"]
    assert len(shown["sections"][1]["rows"]) == rows[0]["badges"]["frames"]
    assert shown["links"][0]["label"] == "thread"


def test_what_refers_to_a_trace_are_its_samples(coffeetree: Run) -> None:
    rows = coffeetree("tree", SAMPLES, "--view", "Traces", "--limit", "1", "--json").rows
    found = coffeetree("refs", SAMPLES, rows[0]["ref"], "--view", "Traces", "--json")
    assert found.status == 0
    assert [row["badges"]["self"] for row in found.rows] == [rows[0]["badges"]["samples"]]


def test_samples_of_threads_add_up_to_all(coffeetree: Run) -> None:
    total = coffeetree("info", SAMPLES, "--json").json["totals"]["cpu_samples_total"]
    threads = coffeetree("tree", SAMPLES, "--view", "Threads", "--json").rows
    assert sum(row["badges"]["samples"] for row in threads) == total


def test_a_trace_that_is_not_there_is_told(coffeetree: Run) -> None:
    answer = coffeetree("show", SAMPLES, "trace:5", "--view", "Traces")
    assert answer.status == 2
    assert "no trace of this number" in answer.err


def test_columns_are_those_of_the_tables_that_there_are(coffeetree: Run) -> None:
    def columns(name: str, view: str) -> list[str]:
        views = coffeetree("info", CORPUS / "text" / f"{name}.txt.xz", "--json").json["views"]
        return [column["name"] for each in views if each["name"] == view for column in each["columns"]]

    assert columns("profiletest-samples-thread", "Traces") == ["samples", "frames"]
    assert columns("quit-times", "Traces") == ["time_ms", "calls", "frames"]
    assert columns("quit-sites", "Traces") == ["live", "frames"]
    assert columns("profiletest-dump", "Traces") == ["objects", "frames"]
    assert columns("monitors-samples-thread", "Threads") == [
        "samples",
        "traces",
        "waits",
        "waited_ms",
        "started",
        "ended",
        "thread",
    ]


def test_time_of_threads_and_of_traces_add_up_to_that_of_the_table(coffeetree: Run) -> None:
    report = CORPUS / "text" / "profiletest-times-depth16-thread.txt.xz"
    threads = coffeetree("tree", report, "--view", "Threads", "--json", "--limit", "all").rows
    traces = coffeetree("tree", report, "--view", "Traces", "--json", "--depth", "0", "--limit", "all").rows
    table = coffeetree(
        "tree", report, "--view", "CPU time", "--switch", "merge=as written", "--json", "--limit", "all"
    ).rows

    wanted = sum(row["badges"]["self"] for row in table)
    assert sum(row["badges"]["time_ms"] for row in threads) == pytest.approx(wanted, abs=0.01 * len(table))
    assert sum(row["badges"].get("time_ms", 0) for row in traces) == pytest.approx(wanted, abs=0.01 * len(table))


def test_a_thread_lives_from_its_start_to_its_end(coffeetree: Run) -> None:
    report = CORPUS / "text" / "monitors-samples-thread.txt.xz"
    rows = coffeetree("tree", report, "--view", "Threads", "--json", "--limit", "all").rows

    lives = {row["label"]: (row["badges"].get("started"), row["badges"].get("ended")) for row in rows}
    assert lives["main"] == (0.9, 84.6)
    assert lives["DestroyJavaVM"][0] == 84.6
    assert all(start <= end for start, end in lives.values() if start is not None and end is not None)


@pytest.mark.parametrize(
    "name",
    [
        "monitors-samples-thread",
        "profiletest-times-depth16-thread",
        "quit-sites",
        "quit-everything",
        "profiletest-dump",
        "manyblocked-monitor-time",
    ],
)
@pytest.mark.parametrize(
    "view", ["Traces", "Threads", "CPU samples", "CPU time", "Call tree", "Callers", "Allocation sites", "Monitors"]
)
def test_what_stands_beside_a_row_leads_somewhere(name: str, view: str) -> None:
    report = open_report([str(CORPUS / "text" / f"{name}.txt.xz")])
    report.wait()
    try:
        if view not in [each.name for each in report.views]:
            pytest.skip("the file has no such view")
        shown = report.view(view)
        for node in [*shown.tree.roots()][:12]:
            for section in shown.sections(node):
                for row in section.rows:
                    if row.ref is not None:
                        of = report.view(row.view or view)
                        assert of.tree.row(of.resolve(row.ref)) is not None
    finally:
        report.close()
