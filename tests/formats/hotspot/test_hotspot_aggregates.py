"""The views that aggregate over all tasks: Inlining failures, Deoptimisations, Methods, Story."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS
from plain_join import open_log

from parsers.formats.hotspot.report import HotSpotReport
from parsers.io.cache import Cache
from parsers.model.trees.nested_tables import NestedTables
from parsers.model.trees.tree import walk
from parsers.model.view import UnknownReference
from parsers.runtime.opening import open_report

CORPUS = TESTS / "corpus" / "hotspot"
TRUTH = json.loads((CORPUS / "truth.json").read_text("utf-8"))
VIEWS = ("Inlining failures", "Deoptimisations", "Methods", "Story")
SAMPLES = ("work_tiered_8", "work_tiered_17", "work_tiered_25", "work_c1only_17", "odd_space_17", "segv_torn_17")

TASK = """\
<task compile_id='{id}' method='a.B f (I)V' bytes='9' level='{level}' stamp='{begun}'>
<type id='1' name='void'/>
<klass id='2' name='a.B' flags='1'/>
<method id='3' holder='2' name='f' return='1' bytes='9'/>
<method id='4' holder='2' name='g' return='1' bytes='350'/>
<parse method='3' stamp='{begun}'>
<bc code='182' bci='1'/>
<call method='4' count='{count}'/>
<inline_fail reason='callee is too large'/>
<uncommon_trap bci='4' reason='unstable_if' action='reinterpret'/>
</parse>
<task_done success='1' nmsize='640' stamp='{done}'/>
</task>
"""
LIFE = """\
<task_queued compile_id='{id}' method='a.B f (I)V' level='{level}' stamp='{queued}' comment='tiered'/>
<nmethod compile_id='{id}' compiler='c2' level='{level}' size='800' method='a.B f (I)V' stamp='{done}'/>
"""
TRAP = """\
<uncommon_trap thread='5' reason='unstable_if' action='reinterpret' compile_id='{id}' level='4' stamp='{trapped}'>
<jvms bci='4' method='a.B f ()V' bytes='9'/>
</uncommon_trap>
<make_not_entrant thread='5' compile_id='{id}' compiler='c2' level='4' stamp='{trapped}'/>
"""


def made_log(times: int) -> str:
    """A log in which one method is compiled, trapped and recompiled, so many times."""
    lives = [
        {"id": id, "level": 4, "count": 100 * id} | {name: f"{id}.{at}" for name, at in AT.items()}
        for id in range(1, times + 1)
    ]
    events = "".join(LIFE.format(**life) + TRAP.format(**life) for life in lives)
    tasks = "".join(TASK.format(**life) for life in lives)
    thread = "<start_compile_thread name='C2 CompilerThread0' thread='8' process='77' stamp='0.001'/>"
    header = "<?xml version='1.0' encoding='UTF-8'?>\n<hotspot_log version='160 1' process='77' time_ms='1000'>\n"
    tty = f"<tty>\n<writer thread='5'/>\n{events}<tty_done stamp='99.0'/>\n</tty>\n"
    log = f"<compilation_log thread='8'>\n{thread}\n{tasks}</compilation_log>\n"
    return f"{header}{tty}{log}<hotspot_log_done stamp='99.0'/>\n</hotspot_log>\n"


AT = {"queued": "100", "begun": "200", "done": "300", "trapped": "400"}
"""Fractions of a second of the events."""


def opened(path: Path, folder: Path) -> HotSpotReport:
    report = open_report([str(path)], cache=Cache(str(folder)))
    report.wait()
    assert isinstance(report, HotSpotReport)
    return report


@pytest.fixture(scope="module", params=SAMPLES)
def sample(request: pytest.FixtureRequest, shared_cache: Path) -> Iterator[tuple[dict[str, Any], HotSpotReport]]:
    report = opened(CORPUS / f"{request.param}.log.xz", shared_cache / "coffeetree")
    yield TRUTH[f"{request.param}.log.xz"], report
    report.close()


@pytest.fixture
def stormy(tmp_path: Path) -> Iterator[HotSpotReport]:
    path = tmp_path / "storm.log"
    path.write_text(made_log(12), "utf-8")
    report = opened(path, tmp_path / "cache")
    yield report
    report.close()


def view_of(report: HotSpotReport, name: str) -> Any:
    return report.view(name)


def roots(report: HotSpotReport, view: str) -> list[Any]:
    tree = report.view(view).tree
    return [tree.row(node) for node in tree.roots()]


# -- the rows --------------------------------------------------------------------------------------------------------


def test_levels_are_a_preorder() -> None:
    rows = NestedTables([[0, 2, 3], [0, 2, 2, 5]])

    assert [(rows.level(node), rows.number(node)) for node in range(rows.rows)] == [
        *((0, 0), (1, 0), (2, 0), (2, 1), (1, 1)),
        *((0, 1), (1, 2), (2, 2), (2, 3), (2, 4)),
    ]
    assert [rows.end(node) for node in range(rows.rows)] == [5, 4, 3, 4, 5, 10, 10, 8, 9, 10]
    assert [rows.parent(node) for node in range(rows.rows)] == [None, 0, 1, 1, 0, None, 5, 6, 6, 6]


def test_children_of_a_hidden_entry_are_one_level_higher() -> None:
    rows = NestedTables([[0, 2, 3], [0, 2, 2, 5]], {1: [0, 2]})

    assert [(rows.level(node), rows.number(node), rows.depth(node)) for node in range(rows.rows)] == [
        *((0, 0, 0), (2, 0, 1), (2, 1, 1), (1, 1, 1)),
        *((0, 1, 0), (2, 2, 1), (2, 3, 1), (2, 4, 1)),
    ]
    assert rows.node(1, 1) == 3
    assert rows.node(1, 0) is None


# -- against the truth -----------------------------------------------------------------------------------------------


def test_failures_add_up_to_those_of_the_log(sample: tuple[dict[str, Any], HotSpotReport]) -> None:
    truth, report = sample
    failed = {row.label: row.badges["failed"] for row in roots(report, "Inlining failures")}

    if truth["thrown_away_attempts"]:
        assert sum(failed.values()) < truth["inline_fail"]
    else:
        assert sum(failed.values()) == truth["inline_fail"]
        assert dict(Counter(failed).most_common(10)) == truth["inline_fail_top"]


def test_traps_and_ends_of_code_add_up_to_those_of_the_log(sample: tuple[dict[str, Any], HotSpotReport]) -> None:
    truth, report = sample
    rows = roots(report, "Deoptimisations")
    fired: Counter[str] = Counter()
    for row in rows:
        if "action" in row.badges:
            fired[row.badges["reason"]] += row.badges["fired"]
    ended = {row.badges["reason"]: row.badges["fired"] for row in rows if row.label.startswith("not entrant: ")}

    assert +fired == truth["fired_trap_reasons"]
    assert sum(ended.values()) == truth["not_entrant"]
    if not truth["not_entrant_reasons"]:
        assert {why.replace(" ", "_"): count for why, count in ended.items()} == truth["not_entrant_derived"]


def test_every_task_is_a_row_of_its_method(sample: tuple[dict[str, Any], HotSpotReport]) -> None:
    truth, report = sample
    tree = report.view("Methods").tree
    tasks = [row for node, _ in walk(tree) if (row := tree.row(node)).kind == "task"]

    assert len(tasks) == truth["tasks"] + truth["tasks_in_fragments"]
    assert all(tree.row(tree.parent(row.node) or 0).label == row.label for row in tasks)


def test_a_story_is_in_order_of_time_and_the_longest_is_first(sample: tuple[dict[str, Any], HotSpotReport]) -> None:
    tree = view_of(sample[1], "Story").tree
    counts = [tree.row(node).badges["tasks"] for node in tree.roots()]
    times = [tree.row(node).badges["stamp_s"] for node in tree.children(tree.roots()[0])]

    assert counts == sorted(counts, key=lambda count: -(count or 0))
    assert times == sorted(times, key=float)


def test_equal_events_of_a_story_are_one_row_with_their_number(sample: tuple[dict[str, Any], HotSpotReport]) -> None:
    tree = view_of(sample[1], "Story").tree
    for root in tree.roots():
        rows = [tree.row(node) for node in tree.children(root)]
        labels = [(row.label, row.badges.get("compile_id")) for row in rows if row.kind != "task"]
        events = sum(int(row.badges.get("times", 1) or 1) for row in rows if row.kind != "task")
        assert events == tree.row(root).badges["events"]
        assert all("times" not in row.badges or row.label.endswith(f", {row.badges['times']} times") for row in rows)
        assert len(labels) <= events


# -- finding again ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VIEWS)
def test_every_row_is_found_again_and_its_links_lead_somewhere(
    sample: tuple[dict[str, Any], HotSpotReport], name: str
) -> None:
    view = view_of(sample[1], name)
    nodes = [node for node, _ in walk(view.tree)]
    for node in nodes[:: max(1, len(nodes) // 40)]:
        row = view.row(node)
        assert view.row(view.resolve(row.ref)).label == row.label
        assert view.find_key(view.key(node)) is not None or view.key(node) is None
        assert view.path(node)[-1] == node
        for link in view.links(node):
            sample[1].locate(link.ref, link.view)
        for section in view.sections(node):
            for line in section.rows:
                if line.ref is not None:
                    sample[1].locate(line.ref, line.view or name)
        assert view.references(node).view == "Tasks"


def test_a_name_that_is_nowhere_is_refused(stormy: HotSpotReport) -> None:
    for name in VIEWS:
        with pytest.raises(UnknownReference, match="nothing of that name"):
            stormy.view(name).resolve("method:a.B.nowhere():void")
        with pytest.raises(UnknownReference, match="counted from 0"):
            stormy.view(name).resolve("node:123456789")


def test_views_wait_until_the_tasks_were_read(tmp_path: Path) -> None:
    path = tmp_path / "storm.log"
    path.write_text(made_log(2), "utf-8")
    report = open_report([str(path)], cache=Cache(str(tmp_path / "cache")))

    assert [report.view(name).is_ready for name in VIEWS] == [False] * 4
    assert [list(report.view(name).tree.roots()) for name in VIEWS] == [[]] * 4
    with pytest.raises(UnknownReference, match="known when the tasks are read"):
        report.view("Story").resolve("method:a.B.f():void")
    report.close()


# -- contents --------------------------------------------------------------------------------------------------------


def test_one_call_site_of_many_compilations_is_one_row(stormy: HotSpotReport) -> None:
    tree = stormy.view("Inlining failures").tree
    (reason,) = tree.roots()
    (site,) = tree.children(reason)

    assert tree.row(reason).label == "callee is too large"
    assert tree.row(site).label == "a.B.g():void @ a.B.f:1"
    assert tree.row(site).badges == {
        **{"count": 1200, "failed": 12, "tasks": 12, "bytecode": 350, "bci": 1},
        **{"reason": "callee is too large", "outcome": "failed"},
    }
    assert [tree.row(node).ref for node in tree.children(site)] == [f"task:{id}" for id in range(1, 13)]


def test_a_method_that_traps_and_is_compiled_again_and_again_is_a_storm(stormy: HotSpotReport) -> None:
    tree = stormy.view("Deoptimisations").tree
    reason = tree.roots()[0]
    (method,) = tree.children(reason)
    (place,) = tree.children(method)

    assert tree.row(reason).label == "unstable_if → reinterpret"
    assert tree.row(reason).badges["storm"] == 1
    assert tree.row(method).badges == {"fired": 12, "emitted": 12, "recompiled": 11, "storm": "storm"}
    headings = {column.name: column.heading for column in stormy.view("Deoptimisations").columns}
    assert (headings["recompiled"], headings["emitted"]) == ("recompiled", "compiled in")
    assert tree.row(place).label == "B.f:4"
    assert [tree.row(node).badges["compile_id"] for node in tree.children(place)] == list(range(1, 13))


def test_a_story_is_formatted_as_text(stormy: HotSpotReport) -> None:
    tree = stormy.view("Story").tree
    told = [tree.row(node).label for node in tree.children(tree.roots()[0])]

    assert told[:5] == [
        "queued for tier 4: tiered",
        "compiled, tier 4, 100 ms, 0 calls inlined, 1 not",
        "installed, 800 bytes",
        "trap fired: unstable_if at B.f:4 → reinterpret",
        "not entrant: trap",
    ]
    assert told[6] == "compiled again, tier 4, 100 ms, 0 calls inlined, 1 not"


def test_a_method_lists_its_calls_that_were_not_inlined_and_links_to_them(tmp_path: Path) -> None:
    report = opened(CORPUS / "work_tiered_17.log.xz", tmp_path / "cache")
    methods, name = view_of(report, "Methods"), "java.lang.String.hashCode():int"
    method = methods.resolve(f"method:{name}")
    failed = next(section for section in methods.sections(method) if section.title.startswith("Not inlined"))

    row = failed.rows[0]
    assert (row.label, row.text, row.view) == ("Work.strings:101", "too big", "Inlining failures")
    view, node = report.locate(str(row.ref), row.view)
    assert view.tree.row(node).label.startswith(f"{name} @")
    assert ("calls not inlined", f"method:{name}", "Inlining failures") in [
        (link.label, link.ref, link.view) for link in methods.links(method)
    ]
    report.close()


def test_methods_keep_their_place_from_view_to_view(stormy: HotSpotReport) -> None:
    methods, story = view_of(stormy, "Methods"), view_of(stormy, "Story")
    method = methods.resolve("method:a.B.f(int):void")

    found = story.find_key(methods.key(method))

    assert found is not None
    assert story.row(found).label == methods.row(method).label == "a.B.f(int):void"


def test_rows_are_filtered_by_their_labels_and_by_methods(stormy: HotSpotReport) -> None:
    from parsers.query.search.pattern import compile_pattern

    view = view_of(stormy, "Inlining failures")
    filters = view.row_filters()

    assert view.tree.row(1).label == "a.B.g():void @ a.B.f:1"
    assert filters.matching(compile_pattern("B.g()")).nonzero()[0].tolist() == [1]
    assert filters.suppressed({"suppress_methods": "a.B.*"}, 0, filters.rows).nonzero()[0].tolist() == [1]
    assert filters.ends(0, 3).tolist() == [14, 14, 3]


def test_code_that_was_replaced_is_one_row_that_lists_its_tasks(tmp_path: Path) -> None:
    report = opened(CORPUS / "work_tiered_17.log.xz", tmp_path / "cache")
    view = view_of(report, "Deoptimisations")
    last = view.tree.roots()[-1]
    row = view.row(last)

    assert (row.label, row.flags, row.has_children) == ("not entrant: replaced", ("suppressed",), False)
    assert len(view.references(last).nodes) == row.badges["fired"]
    report.close()


def test_kernels_find_the_same_in_a_whole_sample() -> None:
    import numpy as np
    from made_tasks import differences

    from parsers.formats.hotspot.decisions.tables_build import DecisionTablesBuild
    from parsers.formats.hotspot.decisions.tasks import Tasks
    from parsers.formats.hotspot.log.columns import IN_FRAGMENT

    log = open_log([str(CORPUS / "two_jvms_17.log.xz")])
    texts = list(log.methods)

    def read_into(buffer: memoryview, place: int) -> None:
        buffer[:] = log.pread(len(buffer), place)

    tasks = Tasks(
        starts=np.asarray(log.column("task_start")),
        ends=np.asarray(log.column("task_end")),
        methods=np.asarray(log.column("task_method")),
        levels=np.asarray(log.column("task_level")),
        fragments=(np.asarray(log.column("task_flags")) & IN_FRAGMENT != 0).astype(np.uint8),
        runs=np.asarray(log.column("task_run")),
        files=np.array([0, log.tasks]),
        method_starts=np.cumsum([0, *map(len, texts)], dtype=np.uint64),
        method_blob=np.frombuffer(b"".join(texts), np.uint8),
        read_into=read_into,
    )
    assert differences(DecisionTablesBuild(tasks).plain(), DecisionTablesBuild(tasks).compiled()) == []


# -- what no task compiled, and what several JVMs compiled ------------------------------------------------------------

ALONE = """\
<task_queued compile_id='71' method='a.B late (I)V' level='3' stamp='0.900' comment='tiered'/>
<nmethod compile_id='72' compile_kind='c2n' compiler='' level='0' size='600' method='a.N nat ()V' stamp='0.950'/>
"""


def test_native_wrappers_and_methods_that_only_were_queued_have_rows(tmp_path: Path) -> None:
    path = tmp_path / "alone.log"
    path.write_text(made_log(1).replace("<tty_done", ALONE + "<tty_done"), "utf-8")
    report = opened(path, tmp_path / "cache")
    methods, story = report.view("Methods").tree, report.view("Story").tree

    told = {methods.row(node).label: methods.row(node).badges["result"] for node, depth in walk(methods) if depth == 1}
    below = [methods.row(node) for node, depth in walk(methods) if depth == 2]

    assert told == {
        "a.B.f(int):void": "tiers 4",
        "a.B.late(int):void": "queued only",
        "a.N.nat():void": "native wrapper",
    }
    assert [(row.kind, row.label) for row in below] == [
        ("task", "a.B.f(int):void"),
        ("task_queued", "queued"),
        ("nmethod", "code"),
    ]
    assert [story.row(node).label for node, depth in walk(story) if depth][-2:] == [
        "queued for tier 3: tiered",
        "native wrapper, 600 bytes",
    ]
    report.close()


def test_two_virtual_machines_on_one_log_are_two_in_all_views(tmp_path: Path) -> None:
    report = opened(CORPUS / "two_jvms_17.log.xz", tmp_path / "cache")

    for name in VIEWS:
        tree = report.view(name).tree
        rows = [tree.row(node) for node in tree.roots()]
        assert [(row.kind, row.ref, row.depth) for row in rows] == [("run", "run:1", 0), ("run", "run:2", 0)]
        assert all(report.view(name).resolve(row.ref) == row.node for row in rows)
    runs = [run["totals"] for run in report.runs]
    for count in ("inline_fail", "inline_success", "compiled_in_traps", "failures", "late_inline"):
        assert sum(run[count] for run in runs) == report.totals[count]
    report.close()


def test_a_method_of_two_virtual_machines_is_found_in_each(tmp_path: Path) -> None:
    report = opened(CORPUS / "two_jvms_17.log.xz", tmp_path / "cache")
    view = view_of(report, "Methods")
    ref = "method:java.lang.String.hashCode():int"

    first, second = view.resolve_all(ref)

    assert (view.resolve(f"run:1/{ref}"), view.resolve(f"run:2/{ref}")) == (first, second)
    assert (view.row(first).ref, view.row(second).ref) == (ref, f"run:2/{ref}")
    report.close()


def test_a_trap_of_two_tests_made_one_is_matched_with_that_of_the_first_test(tmp_path: Path) -> None:
    path = tmp_path / "fused.log"
    fired = "<uncommon_trap thread='5' reason='unstable_{}if'"
    path.write_text(made_log(1).replace(fired.format(""), fired.format("fused_")), "utf-8")
    report = opened(path, tmp_path / "cache")
    view = view_of(report, "Deoptimisations")
    place = next(node for node, _ in walk(view.tree) if view.row(node).kind == "place")

    assert view.row(0).label == "unstable_fused_if → reinterpret"
    assert view.row(place).badges == {"fired": 1, "emitted": 1, "recompiled": 0, "bci": 4}
    assert view.row(place).link == "task:1"
    report.close()
