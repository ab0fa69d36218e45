"""Calls of the samples asked through the headless commands: every number of the truth files that is about them."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS, Answer

from parsers.formats.tptp.calls.method_table import MethodTable
from parsers.formats.tptp.report import TraceReport
from parsers.io.cache import Cache
from parsers.model.names.java_method import Method, signature_types
from parsers.runtime.opening import open_report

CORPUS = TESTS / "corpus" / "tptp"
AS_JAVA = {"-init-": "<init>", "-clinit-": "<clinit>"}


def with_calls() -> dict[str, Any]:
    """Truths by sample, of those that have calls."""
    truths = {path.name.removesuffix(".truth.json"): json.loads(path.read_text("utf-8")) for path in _truths()}
    return {name: truth for name, truth in truths.items() if any("calls" in each for each in truth["sessions"])}


def _truths() -> list[Path]:
    return sorted(CORPUS.glob("*.truth.json"))


TRUTHS = with_calls()
ONE_SESSION = [name for name, truth in TRUTHS.items() if len(truth["sessions"]) == 1]
Run = Callable[..., Answer]


def path_of(name: str) -> Path:
    path = CORPUS / f"{name}.trcxml"
    return path if path.exists() else path.with_name(f"{path.name}.xz")


def label_of(method: dict[str, Any]) -> str:
    """Returns the label of a method of a truth file."""
    types = signature_types(method["signature"])
    assert types is not None
    name = AS_JAVA.get(method["method"], method["method"])
    return Method(method["class"].replace("/", "."), name, *types).label


@pytest.mark.parametrize("name", TRUTHS)
def test_costs_of_methods_equal_the_truth(name: str, coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Methods", "--depth", "all", path_of(name)).rows
    session = 0
    numbers: dict[tuple[int, str], Any] = {}
    for row in rows:
        if row["kind"] == "session":
            session = int(row["ref"].partition(":")[2]) - 1
        elif row["kind"] == "method":
            badges = row["badges"]
            cost = [badges[each] for each in ("calls", "returned", "cumulative", "base")]
            numbers[session, row["label"]] = cost
    for place, truth in enumerate(TRUTHS[name]["sessions"]):
        for method in truth["calls"]["methods"]:
            wanted = [method[each] for each in ("calls", "returned", "cumulative_ns", "base_ns")]
            assert numbers[place, label_of(method)] == wanted, method
        called = [key for key, cost in numbers.items() if key[0] == place and cost[0]]
        assert len(called) == truth["calls"]["methods_total"]


@pytest.mark.parametrize("name", ONE_SESSION)
def test_calls_of_threads(name: str, coffeetree: Run) -> None:
    wanted = {(each["name"], each["calls"]) for each in TRUTHS[name]["sessions"][0]["threads"] if each["calls"]}
    flow = coffeetree("tree", "--json", "--view", "Flow", "--depth", "0", path_of(name)).rows
    assert {(row["label"], row["badges"]["calls"]) for row in flow} >= wanted
    methods = coffeetree(
        "tree", "--json", "--view", "Methods", "--switch", "rows=by thread", "--depth", "0", path_of(name)
    ).rows
    assert {(row["label"], row["badges"]["calls"]) for row in methods} >= wanted


@pytest.mark.parametrize("name", ONE_SESSION)
def test_each_thread_has_its_call_paths(name: str, coffeetree: Run) -> None:
    truth = TRUTHS[name]["sessions"][0]["calls"]
    info = coffeetree("info", "--json", path_of(name)).json
    view = next(view for view in info["views"] if view["name"] == "Call tree")
    threads = next(switch["choices"] for switch in view["switches"] if switch["name"] == "thread")[1:]
    paths = 0
    for thread in threads:
        answer = coffeetree(
            "tree", "--json", "--view", "Call tree", "--switch", f"thread={thread}", "--depth", "all", "--limit", "all",
            path_of(name),
        )  # fmt: skip
        paths += len(answer.rows)
    assert paths == truth["call_tree_nodes"]
    assert info["runs"][0]["totals"]["calls"]["call_tree_nodes"] == truth["call_tree_nodes"]


@pytest.mark.parametrize("name", TRUTHS)
def test_totals_of_calls(name: str, coffeetree: Run) -> None:
    runs = coffeetree("info", "--json", path_of(name)).json["runs"]
    for run, truth in zip(runs, TRUTHS[name]["sessions"], strict=True):
        calls = dict(run["totals"]["calls"])
        assert {key: calls[key] for key in ("totals", "entries", "call_tree_nodes", "methods_total")} == {
            key: truth["calls"][key] for key in ("totals", "entries", "call_tree_nodes", "methods_total")
        }


@pytest.mark.parametrize("name", [name for name in ONE_SESSION if "big" not in name and "10M" not in name])
def test_the_flow_has_every_call(name: str, coffeetree: Run) -> None:
    truth = TRUTHS[name]["sessions"][0]["calls"]
    arguments = ("tree", "--json", "--view", "Flow", "--depth", "all", "--limit", "all")
    each = coffeetree(*arguments, "--switch", "repetitions=each", path_of(name)).rows
    calls = [row for row in each if row["kind"] == "call"]
    assert len(calls) == truth["entries"] + truth["totals"].get("exits_without_entry", 0)
    assert sum("partial" in row["flags"] for row in calls) == truth["totals"].get("exits_without_entry", 0)
    folded = coffeetree(*arguments, path_of(name)).rows
    counts, above = 0, list[int]()
    for row in folded:
        del above[row["depth"] :]
        times = row["badges"].get("times", 1)
        above.append(times * (above[-1] if above else 1))
        counts += above[-1] if row["kind"] == "call" else 0
    assert counts == len(calls)


@pytest.mark.parametrize("name", TRUTHS)
def test_options_and_filters_are_lists_and_nothing_private_is_printed(name: str, coffeetree: Run) -> None:
    facts = coffeetree("info", "--json", path_of(name)).json["facts"]
    for place, truth in enumerate(TRUTHS[name]["sessions"]):
        session = facts["sessions"][place] if "sessions" in facts else facts
        assert [key for key, _ in session["options"]] == [key for key, _ in truth["options"]]
        filters = [(each["mode"], each["pattern"], each["genericPattern"]) for each in session["filters"]]
        assert filters == [tuple(each) for each in truth["filters"]]
        assert "nodes" not in session
        assert session["agents"] == truth["agents"]


@pytest.mark.parametrize("name", TRUTHS)
def test_pairs_of_thread_and_method_are_the_same_sorted_or_in_a_table(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Cache()) as cache, closing(open_report([str(path_of(name))], cache=cache)) as report:
        assert isinstance(report, TraceReport)
        report.wait()
        found = []
        for most in (0, 1 << 40):
            monkeypatch.setattr("parsers.formats.tptp.calls.method_table.MOST_UNUSED", most)
            codes, sums = MethodTable(report.recording, report.names_of).pairs
            found.append((codes.tolist(), {each: values.tolist() for each, values in sums.items()}))
    assert found[0] == found[1]
    assert len(found[0][0]) > 0
