"""The views Traces and Threads through the headless commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from conftest import Answer

CORPUS = Path(__file__).parent / "corpus" / "hprof"
SAMPLES = CORPUS / "text" / "profiletest-samples-thread.txt.xz"

Run = Callable[..., Answer]


def test_a_trace_shows_its_frames_and_what_names_it(coffeetree: Run, cache_folder: Path) -> None:
    rows = coffeetree("tree", SAMPLES, "--view", "Traces", "--limit", "1", "--json").rows
    shown = coffeetree("show", SAMPLES, rows[0]["ref"], "--view", "Traces", "--json").json
    titles = [section["title"] for section in shown["sections"]]
    assert titles == ["Trace", "Frames", "In the tables"]
    assert len(shown["sections"][1]["rows"]) == rows[0]["badges"]["frames"]
    assert shown["links"][0]["label"] == "thread"


def test_what_refers_to_a_trace_are_its_samples(coffeetree: Run, cache_folder: Path) -> None:
    rows = coffeetree("tree", SAMPLES, "--view", "Traces", "--limit", "1", "--json").rows
    found = coffeetree("refs", SAMPLES, rows[0]["ref"], "--view", "Traces", "--json")
    assert found.status == 0
    assert [row["badges"]["self"] for row in found.rows] == [rows[0]["badges"]["samples"]]


def test_samples_of_threads_add_up_to_all(coffeetree: Run, cache_folder: Path) -> None:
    total = coffeetree("info", SAMPLES, "--json").json["totals"]["cpu_samples_total"]
    threads = coffeetree("tree", SAMPLES, "--view", "Threads", "--json").rows
    assert sum(row["badges"]["samples"] for row in threads) == total


def test_a_trace_that_is_not_there_is_told(coffeetree: Run, cache_folder: Path) -> None:
    answer = coffeetree("show", SAMPLES, "trace:5", "--view", "Traces")
    assert answer.status == 2
    assert "no trace of this number" in answer.err
