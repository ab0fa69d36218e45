"""Profiles of a recording: weights, filters, names of hidden classes, links from stacks and threads."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from conftest import TESTS, Answer

from parsers.formats.jfr.data.method_names import readable
from parsers.runtime.opening import open_report

CORPUS = TESTS / "corpus" / "jfr"
TRUTH: dict[str, Any] = json.loads((CORPUS / "truth.json").read_text("utf-8"))

Run = Callable[..., Answer]
Ask = Callable[..., int]


@pytest.fixture
def total(coffeetree: Run) -> Ask:
    """Returns the sum of a column over the roots of a view."""

    def ask(sample: str, view: str = "Call tree", column: str = "total", **switches: str) -> int:
        words = [word for name, choice in switches.items() for word in ("--switch", f"{name}={choice}")]
        path = CORPUS / f"{sample}.jfr.xz"
        found = coffeetree("tree", "--json", "--view", view, "--depth", "0", *words, path).rows
        return sum(row["badges"][column] for row in found)

    return ask


SAMPLES = {
    "jdk.ExecutionSample": "samples",
    "jdk.NativeMethodSample": "native samples",
    "profiler.WallClockSample": "wall clock",
}
COUNTS = [
    (sample, SAMPLES[type], each.get("weighted", each["count"]))
    for sample, truth in TRUTH.items()
    for type, each in truth["samples"].items()
    if type in SAMPLES
]


@pytest.mark.parametrize(("sample", "weight", "count"), COUNTS)
def test_samples_are_all_in_the_tree(sample: str, weight: str, count: int, total: Ask) -> None:
    assert total(sample.removesuffix(".jfr"), weight=weight) == count


def test_samples_of_java_and_native_code_can_be_added(total: Ask) -> None:
    counts = {type: each["count"] for type, each in TRUTH["jdk8-profile.jfr"]["samples"].items()}
    both = counts["jdk.ExecutionSample"] + counts["jdk.NativeMethodSample"]
    assert total("jdk8-profile", weight="samples and native samples") == both


@pytest.mark.parametrize("view", ["Call tree", "Methods"])
def test_times_of_waits_are_weights_with_their_counts(view: str, total: Ask) -> None:
    column = "total" if view == "Call tree" else "self"
    assert total("jdk25-stuck", view, column, weight="monitor time") == 5_986_568_046 + 33_845_051
    assert total("jdk25-stuck", view, "events", weight="monitor time") == 65


def test_events_of_an_application_are_weighted_by_number_and_by_time(total: Ask) -> None:
    events, times = TRUTH["jdk25-stuck.jfr"]["events"], TRUTH["jdk25-stuck.jfr"]["durations"]
    assert total("jdk25-stuck", weight="jdk.ThreadSleep") == events["jdk.ThreadSleep"]
    assert total("jdk25-stuck", weight="jdk.ThreadSleep time") == times["jdk.ThreadSleep"]["sum_ns"]


def test_allocation_of_one_class_is_a_part_of_the_tree(total: Ask) -> None:
    weight = "allocated bytes"
    found = total("jdk25-all", weight=weight, **{"class": "byte[]"})
    assert found == TRUTH["jdk25-all.jfr"]["allocation"]["jdk.ObjectAllocationSample"]["[B"]["weight"]


def test_states_of_threads_divide_the_samples(total: Ask) -> None:
    states = TRUTH["ap4-wall-live.jfr"]["samples"]["profiler.WallClockSample"]["by_state"]
    parts = [total("ap4-wall-live", state=state) for state in states]
    assert all(parts)
    assert sum(parts) == 8_315


def test_kinds_of_the_innermost_frame_divide_the_samples(coffeetree: Run, total: Ask) -> None:
    views = coffeetree("info", "--json", CORPUS / "jdk8-profile.jfr.xz").json["views"]
    switches = next(view["switches"] for view in views if view["name"] == "Call tree")
    kinds = next(switch["choices"] for switch in switches if switch["name"] == "frame")[1:]
    assert sum(total("jdk8-profile", frame=kind) for kind in kinds) == 277


def test_a_thread_group_has_the_samples_of_its_groups(total: Ask) -> None:
    whole, workers, inner = (
        total("jdk8-profile", group=group)
        for group in ("system/main", "system/main/workers", "system/main/workers/inner group")
    )
    assert whole >= workers > inner > 0


def test_virtual_threads_are_together_or_apart(total: Ask) -> None:
    found = {name: total("jdk25-light", thread=name) for name in ("all", "platform threads", "virtual threads")}
    assert found["all"] == found["platform threads"] + found["virtual threads"]
    assert total("jdk25-light", thread="virtual threads without names") <= found["virtual threads"]


@pytest.mark.parametrize("view", ["Call tree", "Callers", "Flame"])
@pytest.mark.parametrize("merge", ["by method", "by line", "by class"])
def test_a_filtered_tree_is_the_same_after_the_whole_one(view: str, merge: str) -> None:
    rows = []
    for chosen in ([{}, {"range": "-1.1"}], [{"range": "-1.1"}]):
        report = open_report([str(CORPUS / "jdk25-all.jfr.xz")])
        report.wait()
        shown: Any = report.view(view)
        for each in chosen:
            shown.choose_all({"merge": merge, **each})
            count = shown.tree.preorder.rows
        rows.append([replace(shown.row(node), spans=()) for node in range(count)])
        report.close()
    assert rows[0] == rows[1]
    assert rows[0]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("demo.Mix$$Lambda.0x0000000077046000.run()V", "demo.Mix$$Lambda.run()V"),
        ("demo.Mix$$Lambda$14.0x0000000800c03000.run()V", "demo.Mix$$Lambda.run()V"),
        ("demo.Mix$$Lambda$14/1234567890.run()V", "demo.Mix$$Lambda.run()V"),
        ("java.lang.invoke.LambdaForm$MH+0x0000000800c03000.invoke()V", "java.lang.invoke.LambdaForm$MH.invoke()V"),
        ("demo.Box0x1.run()V", "demo.Box0x1.run()V"),
    ],
)
def test_names_of_hidden_classes_have_no_addresses(name: str, shown: str) -> None:
    assert readable(name) == shown


def test_a_stack_leads_to_the_tree_of_its_events(coffeetree: Run) -> None:
    path = CORPUS / "jdk25-stuck.jfr.xz"
    links = coffeetree("show", "--json", "--view", "Events", path, "event:jdk.JavaMonitorEnter#1").json["links"]
    stack = next(link["ref"] for link in links if link["ref"].startswith("stack:"))
    shown = coffeetree("show", "--json", "--view", "Call tree", path, stack).json
    assert shown["row"]["label"] == "demo.Stuck.contend(java.lang.Object):void"
    assert shown["row"]["badges"]["events"] == 64


def test_a_thread_without_samples_leads_to_its_waits(coffeetree: Run, total: Ask) -> None:
    path = CORPUS / "jdk25-stuck.jfr.xz"
    shown = coffeetree("show", "--json", "--view", "Call tree", path, "thread:27").json
    assert shown["row"]["badges"]["total"] == total("jdk25-stuck", weight="monitor time", thread="crowd-1 27")


def test_a_thread_without_stacks_is_refused_with_the_reason(coffeetree: Run) -> None:
    answer = coffeetree("show", "--view", "Call tree", CORPUS / "jdk25-leak.jfr.xz", "thread:os-18321")
    assert "thread:os-18321: no stacks of this thread in Call tree" in answer.err


def test_native_functions_belong_to_their_library(coffeetree: Run) -> None:
    path = CORPUS / "ap4-wall-live.jfr.xz"
    rows = coffeetree("tree", "--json", "--view", "Methods", "--depth", "0", "--limit", "all", path).rows
    functions = [row for row in rows if row["label"].startswith("libc.so.6.")]
    assert "libc.so.6.syscall" in [row["label"] for row in functions]
    packages = coffeetree(
        "tree", "--json", "--view", "Methods", "--depth", "0", "--switch", "merge=by package", path
    ).rows
    (library,) = (row for row in packages if row["label"] == "libc.so.6")
    assert library["badges"]["self"] == sum(row["badges"].get("self", 0) for row in functions)
