"""Every count of the samples' `truth.json`, asked through `info`; byte ranges and facts of the tasks named there.

The truth was counted by a script that shares nothing with this project: regular expressions over the bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import TESTS, Answer, plain_bytes
from plain_join import open_log

from parsers.formats.hotspot.log.columns import IS_FINISHED, IS_OSR
from parsers.formats.hotspot.log.log import Log
from parsers.formats.hotspot.tasks.view import TasksView
from parsers.model.none import NONE

Run = Callable[..., Answer]

CORPUS = TESTS / "corpus" / "hotspot"
TRUTH: dict[str, dict[str, Any]] = json.loads((CORPUS / "truth.json").read_text("utf-8"))
SAMPLES = sorted(TRUTH, key=lambda name: TRUTH[name]["bytes"])

NO_COUNTS = {"file", "named_tasks", "line_text"}
"""Its name, examples, and the text at the place where a strict XML parser stops."""

samples = pytest.mark.parametrize("name", SAMPLES)


@samples
def test_info_has_every_count_of_a_file_and_status_3_if_it_is_damaged(name: str, coffeetree: Run) -> None:
    answer = coffeetree("info", "--json", CORPUS / name)
    info = answer.json
    totals = {Path(file["file"]).relative_to(CORPUS).as_posix(): file["totals"] for file in info["files"]}[name]
    expected = {count: value for count, value in TRUTH[name].items() if count not in NO_COUNTS}
    assert {count: totals.get(count) for count in expected} == expected
    assert info["format"] == "hotspot-compilation-log"
    assert (answer.status == 3) == bool(info["problems"])
    if TRUTH[name]["well_formed"]:
        assert info["problems"] == []


@pytest.fixture(scope="module", params=SAMPLES)
def sample(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Log]]:
    """The name of a sample, and its log, read by plain code."""
    path = tmp_path_factory.mktemp("sample") / "sample.log"
    path.write_bytes(plain_bytes(CORPUS / request.param))
    log = open_log([str(path)])
    yield request.param, log
    log.source.close()


def test_tasks_are_where_the_truth_has_them(sample: tuple[str, Log]) -> None:
    name, log = sample
    ids = log.column("task_id").tolist()
    for task in TRUTH[name]["named_tasks"].values():
        number = next(each for each, id in enumerate(ids) if id == task["compile_id"] and at(log, each) == task["byte"])
        assert log.column("task_end")[number] - at(log, number) == task["bytes"]
        assert log.column("task_flags")[number] & IS_FINISHED
        assert milliseconds(log, "task_begun", number) == task["start"]
        assert milliseconds(log, "task_done", number) == task["end"]
        assert bool(log.column("task_flags")[number] & IS_OSR) == (task["kind"] == "osr")


def at(log: Log, task: int) -> int:
    return log.column("task_start")[task]


def milliseconds(log: Log, name: str, task: int) -> str:
    value = log.column(name)[task]
    return "" if value == NONE else f"{value // 1000}.{value % 1000:03}"


def test_named_tasks_of_a_sample_are_as_they_were_counted(sample: tuple[str, Log]) -> None:
    name, log = sample
    report: Any = SimpleNamespace(log=log, makers=dict)
    tasks = TasksView(report)

    for truth in TRUTH[name]["named_tasks"].values():
        node = tasks.node_at(truth["byte"]) or 0
        place, badges = tasks.nodes.place(node), tasks.row(node).badges
        tree = tasks.nodes.cache.tree(place.task)
        assert badges["compile_id"] == truth["compile_id"]
        assert badges["bytes"] == truth["bytes"]
        assert badges["outcome"] == ("ok" if truth["success"] == "1" else "failed")
        assert badges.get("reason") == truth["failure"]
        assert badges["start_s"] == float(truth["start"])
        assert str(badges["nmsize"]) == truth["nmsize"]
        assert ("osr_bci" in badges) == (truth["kind"] == "osr")
        assert len(tree.attempts) == truth["attempts_thrown_away"]
        assert Counter(element.tag for element in tree.task.elements[1:]) == truth["counts"]
        failures = Counter(call.failure for call in tree.calls.values() if call.failure is not None)
        assert {reason: failures[reason] for reason in truth["inline_fail"]} == truth["inline_fail"]


def test_the_files_of_a_killed_vm_are_one_run(coffeetree: Run) -> None:
    info = coffeetree("info", "--json", CORPUS / "kill9_17" / "hs_c15328_pid15314.log.xz").json
    names = [Path(file["file"]).name for file in info["files"]]
    assert names == ["main.log.xz", "hs_c15328_pid15314.log.xz", "hs_c15329_pid15314.log.xz"]
    assert info["totals"]["tasks"] == sum(file["totals"]["tasks"] for file in info["files"]) == 759
    assert info["totals"]["nmethods"] == info["files"][0]["totals"]["nmethods"]
    assert info["totals"]["nmethods_without_task"] < info["files"][0]["totals"]["nmethods_without_task"]


def test_a_main_log_alone_shows_where_its_tasks_are(coffeetree: Run, tmp_path: Path) -> None:
    alone = tmp_path / "main.log.xz"
    alone.write_bytes((CORPUS / "kill9_17" / "main.log.xz").read_bytes())
    kinds = {problem["kind"]: problem for problem in coffeetree("info", "--json", alone).json["problems"]}
    assert kinds["cut"]["offset"] == 675_840
    assert "hs_c15329_pid15314.log" in kinds["no tasks"]["what"]


def test_a_left_over_file_alone_has_its_tasks(coffeetree: Run, tmp_path: Path) -> None:
    alone = tmp_path / "any name"
    alone.write_bytes((CORPUS / "kill9_17" / "hs_c15328_pid15314.log.xz").read_bytes())
    info = coffeetree("info", "--json", alone).json
    assert info["totals"]["tasks"] == 221
    assert [problem["kind"] for problem in info["problems"]] == ["cut", "no main log"]


def test_two_jvms_on_one_file_are_two_runs(coffeetree: Run) -> None:
    info = coffeetree("info", "--json", CORPUS / "two_jvms_17.log.xz").json
    assert [run["name"] for run in info["runs"]] == ["process 24475", "process 24476"]
    assert [run["totals"]["tasks"] for run in info["runs"]] == [14, 713]
    assert "several JVMs" in {problem["kind"] for problem in info["problems"]}


def test_counts_of_rows_are_those_of_info_with_the_tasks_in_flight(coffeetree: Run) -> None:
    path = CORPUS / "two_jvms_17.log.xz"
    totals = coffeetree("info", "--json", path).json["totals"]
    assert (totals["tasks"], totals["tasks_in_fragments"], totals["tasks_listed"]) == (727, 1, 728)
    for view, kind in (("Tasks", "run"), ("Methods", "run"), ("Threads", "thread"), ("Compile time", "level")):
        rows = coffeetree("tree", "--json", "--view", view, "--depth", "2", path).rows
        counted = [row["badges"] for row in rows if row["kind"] == kind and "tasks" in row["badges"]]
        assert sum(badges["tasks"] for badges in counted) == 728, view
        assert sum(badges.get("in_flight", 0) for badges in counted) == 1, view


@pytest.mark.parametrize("name", [name for name in SAMPLES if "25" in name and TRUTH[name]["not_entrant"]])
def test_the_derived_reason_agrees_with_the_one_in_the_log(name: str, coffeetree: Run) -> None:
    totals = coffeetree("info", "--json", CORPUS / name).json["totals"]
    said = {"trap": 0, "replaced": 0, "class_loading": 0, "other": 0}
    for reason, count in totals["not_entrant_reasons"].items():
        said[WHY[reason]] += count
    assert {why: count for why, count in said.items() if count} == totals["not_entrant_derived"]


WHY = {
    "not used": "replaced",
    "OSR invalidation of lower level": "replaced",
    "uncommon trap": "trap",
    "marked for deoptimization": "class_loading",
    "OSR invalidation back branch": "other",
    "C1 code patch": "other",
}
