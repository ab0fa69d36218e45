"""The view "Tasks": threads, tasks, their contents, and their entries in the main log."""

from __future__ import annotations

import lzma
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import TESTS
from plain_join import open_log

from parsers.formats.hotspot.tasks.view import TasksView
from parsers.io.cache import Cache
from parsers.model.trees.tree import walk
from parsers.model.view import UnknownReference
from parsers.runtime.opening import open_report

CORPUS = TESTS / "corpus" / "hotspot"
SAMPLE = CORPUS / "work_tiered_17.log.xz"

LOG = """<?xml version='1.0' encoding='UTF-8'?>
<hotspot_log version='160 1' process='77' time_ms='1000'>
<tty>
<writer thread='5'/>
<task_queued compile_id='1' method='a.B f (I)V' bytes='9' level='3' stamp='0.010' comment='tiered'/>
<task_queued compile_id='2' method='a.B g ()V' bytes='5' level='4' stamp='0.015' comment='tiered'/>
<writer thread='8'/>
<nmethod compile_id='1' compiler='c1' level='3' size='800' method='a.B f (I)V' bytes='9' count='200' stamp='0.021'/>
<uncommon_trap thread='5' reason='unstable_if' action='reinterpret' compile_id='1' level='3' stamp='0.030'>
<jvms bci='4' method='a.B f (I)V' bytes='9' count='200'/>
</uncommon_trap>
<make_not_entrant thread='5' compile_id='1' compiler='c1' level='3' stamp='0.030'/>
<tty_done stamp='0.100'/>
</tty>
<compilation_log thread='8'>
<start_compile_thread name='C1 CompilerThread0' thread='8' process='77' stamp='0.001'/>
<task compile_id='1' method='a.B f (I)V' bytes='9' count='200' iicount='200' level='3' stamp='0.020'>
<type id='1' name='void'/>
<klass id='2' name='a.B' flags='1'/>
<type id='5' name='int'/>
<method id='3' holder='2' name='f' return='1' arguments='5' flags='1' bytes='9'/>
<parse method='3' stamp='0.020'>
<bc code='182' bci='1'/>
<method id='4' holder='2' name='g' return='1' flags='1' bytes='5' compile_id='2' compiler='c2' level='4'/>
<call method='4' instr='invokevirtual'/>
<inline_fail reason='callee is too large'/>
<bc code='153' bci='4'/>
<uncommon_trap bci='4' reason='unstable_if' action='reinterpret' comment='taken never'/>
<parse_done stamp='0.020'/>
</parse>
<task_done success='1' nmsize='640' count='200' stamp='0.022'/>
</task>
<task compile_id='2' method='a.B g ()V' bytes='5' count='300' level='4' stamp='0.023'>
<failure reason='stale task'/>
<task_done success='0' nmsize='0' count='300' stamp='0.023'/>
</task>
<start_compile_thread name='C1 CompilerThread1' thread='9' process='77' stamp='0.040'/>
<task compile_id='2' compile_kind='osr' method='a.B g ()V' bytes='5' count='300' osr_bci='7' level='4' stamp='0.041'>
<klass id='2' name='a.B' flags='1'/>
</compilation_log>
<hotspot_log_done stamp='0.100'/>
</hotspot_log>
"""


@pytest.fixture
def report(tmp_path: Path) -> Iterator[Any]:
    """The small log above."""
    yield from opened(tmp_path / "hotspot_pid77.log", LOG.encode(), tmp_path)


@pytest.fixture
def view(report: Any) -> TasksView:
    tasks = report.view("Tasks")
    assert isinstance(tasks, TasksView)
    return tasks


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TasksView]:
    """A real log of JDK 17."""
    folder = tmp_path_factory.mktemp("sample")
    for report in opened(folder / "work.log", lzma.decompress(SAMPLE.read_bytes()), folder):
        yield report.view("Tasks")


def opened(path: Path, data: bytes, folder: Path) -> Iterator[Any]:
    path.write_bytes(data)
    report = open_report([str(path)], cache=Cache(str(folder / "cache")))
    report.wait()
    yield report
    report.close()


def drawn(view: TasksView, order: str | None = None) -> list[str]:
    """All rows: kind and label, two blanks a level."""
    return [f"{'  ' * level}{view.tree.row(node).kind} {view.tree.row(node).label}" for node, level in walk(view.tree)]


def test_threads_contain_their_tasks_and_tasks_their_contents(view: TasksView) -> None:
    assert drawn(view) == [
        "thread C1 CompilerThread0",
        "  task a.B.f(int):void",
        "    parse a.B.f(int):void",
        "      call a.B.g():void",
        "      uncommon_trap unstable_if",
        "    group events",
        "      task_queued task queued: tiered",
        "      nmethod nmethod",
        "      uncommon_trap unstable_if",
        "      make_not_entrant make not entrant: trap",
        "  task a.B.g():void",
        "    failure stale task",
        "    group events",
        "      task_queued task queued: tiered",
        "thread C1 CompilerThread1",
        "  task a.B.g():void",
    ]


def test_badges_of_a_task(view: TasksView) -> None:
    row = view.row(view.resolve("task:1"))

    assert dict(row.badges) == {
        "compile_id": 1,
        "level": 3,
        "queued_s": 0.01,
        "start_s": 0.02,
        "wait_ms": 10,
        "compile_ms": 2,
        "nmsize": 640,
        "bytes": row.badges["bytes"],
        "outcome": "ok",
        "result": "2 ms · trap",
    }


def test_outcomes_have_marks_of_their_own(view: TasksView) -> None:
    rows = [view.row(view.resolve(ref)) for ref in ("task:1", "task:2", "task:2%")]

    assert [row.badges["outcome"] for row in rows] == ["ok", "failed", "unfinished"]
    assert [row.look for row in rows] == ["", "failed task", "open task"]
    assert [row.badges.get("reason") for row in rows] == [None, "stale task", None]
    assert rows[2].badges["osr_bci"] == 7
    assert view.remark(rows[2]) == "loop at 7"


def test_a_call_shows_its_result_and_leads_to_the_callees_own_code(view: TasksView) -> None:
    call = view.row(view.resolve("line:25"))

    assert (call.kind, call.label, call.look) == ("call", "a.B.g():void", "failed")
    assert dict(call.badges) == {"bci": 1, "outcome": "failed", "reason": "callee is too large"}
    assert call.link == "task:2"
    assert [view.row(node).ref for node in view.references(call.node).nodes] == ["task:2", "task:2%"]


def test_a_trap_that_fired_shows_it_and_leads_to_the_event(view: TasksView) -> None:
    trap = view.row(view.resolve("line:28"))

    assert trap.badges["fired"] == 1
    assert trap.badges["result"] == "fired 1×, reinterpret"
    assert [view.row(node).ref for node in view.references(trap.node).nodes] == ["line:9"]
    assert view.remark(trap) == "taken never"
    assert ("compiled in", "line:28") in [(link.label, link.ref) for link in view.links(view.resolve("line:9"))]


def test_everything_about_a_compile_id(view: TasksView) -> None:
    found = view.references(view.resolve("task:1"))

    assert [view.row(node).kind for node in found.nodes] == [
        "task",
        "task_queued",
        "nmethod",
        "uncommon_trap",
        "make_not_entrant",
    ]
    assert found.have_labels


def test_bytes_lead_to_their_rows(view: TasksView) -> None:
    data = LOG.encode()
    places = [b"callee is too large", b"name='g'", b"<nmethod", b"<jvms", b"<parse_done", b"start_compile_thread"]

    assert [view.row(view.node_at(data.index(place)) or 0).kind for place in places] == [
        "call",
        "call",
        "nmethod",
        "uncommon_trap",
        "parse",
        "thread",
    ]
    assert view.node_at(0) is None


def test_a_node_means_the_same_in_another_opening(view: TasksView, tmp_path: Path) -> None:
    numbers = [node for node, _ in walk(view.tree)]

    for report in opened(tmp_path / "again.log", LOG.encode(), tmp_path):
        again = report.view("Tasks")
        assert [again.row(node).label for node in numbers] == [view.row(node).label for node in numbers]


def test_refs_without_a_row(view: TasksView) -> None:
    for ref in ("task:99", "task:x", "task:1%", "line:1", "line:999999", "node:5", "node:99999999", "run:2/task:1",
                "run:1", "thread:5", "method:no.such():void", "id:1", "", "task"):  # fmt: skip
        with pytest.raises(UnknownReference):
            view.resolve(ref)


def test_tasks_by_name_and_by_the_only_run(view: TasksView) -> None:
    assert [view.row(node).ref for node in view.resolve_all("method:a.B.g():void")] == ["task:2", "task:2%"]
    assert view.resolve("run:1/task:1") == view.resolve("task:1")
    assert sorted(map(bytes, view.names)) == [b"a.B.f(int):void", b"a.B.g():void"]


def test_sections_hold_facts_and_the_text_as_it_is(view: TasksView) -> None:
    sections = {section.title: section for section in view.sections(view.resolve("line:25"))}

    assert ("reason", "callee is too large") in [(row.label, row.text) for row in sections["Call"].rows]
    assert ("at", "B.f @ 1") in [(row.label, row.text) for row in sections["Call"].rows]
    assert [row.text for row in sections["As written"].rows] == [
        "<call method='4' instr='invokevirtual'/>",
        "<inline_fail reason='callee is too large'/>",
    ]
    assert [row.ref for row in sections["Own code (2)"].rows] == ["task:2", "task:2%"]


def test_a_long_text_shows_how_much_of_it_is_shown(sample: TasksView) -> None:
    title = sample.sections(sample.resolve("task:78"))[-1].title

    assert title.startswith("As written, first ") and title.endswith("of 33,226 bytes")


def test_tasks_are_sorted_by_any_of_the_orders(sample: TasksView) -> None:
    thread = sample.tree.roots()[0]

    for order in sample.orders:
        nodes = sample.tree.children(thread, order)
        keys = list(sample.sort_keys(order, nodes))
        assert sorted(keys) in (keys, keys[::-1])
        assert sorted(nodes) == sorted(sample.tree.children(thread))


def test_every_row_of_a_log_is_found_again(sample: TasksView) -> None:
    tree = sample.tree
    tasks = [task for thread in tree.roots() for task in list(tree.children(thread))[::20]]
    for task in tasks:
        for node, level in walk(tree, task):
            row = sample.row(node)
            assert sample.resolve(row.ref) == node
            assert row.depth == 1 + level == len(sample.path(node)) - 1
            parent = tree.parent(node)
            assert parent is not None and node in tree.children(parent)
            assert row.offset is None or row.kind in ("group", "attempt") or sample.node_at(row.offset) == node
            assert row.has_children == bool(tree.children(node)) == tree.has_children(node)


def test_links_and_sections_of_every_row_lead_somewhere(sample: TasksView) -> None:
    tree = sample.tree
    for task in list(tree.children(tree.roots()[1]))[::20]:
        for node, _ in walk(tree, task):
            links = [(link.ref, link.view) for link in sample.links(node)]
            rows = [(row.ref, row.view) for section in sample.sections(node) for row in section.rows if row.ref]
            for ref, name in links + rows:
                assert name in sample.view_names
                assert name != "Tasks" or sample.resolve(ref) >= 0
            sample.references(node)
            sample.remark(sample.row(node))
            sample.patterns(node)


def test_patterns_close_tasks_and_calls_by_method_and_by_class(view: TasksView) -> None:
    view.suppress({"suppress_methods": "a.B.f*"})
    task = view.resolve("task:1")
    assert view.row(task).flags == ("suppressed",)
    assert (view.row(task).has_children, view.tree.has_children(task), list(view.tree.children(task))) == (
        True,
        False,
        [],
    )
    assert view.is_hidden(view.resolve("line:25"))
    assert len(drawn(view)) == 8

    view.suppress({"suppress_types": "a.*", "expand_types": "a.B"})
    assert len(drawn(view)) == 16

    view.suppress({"suppress_types": "a.B"}, opened=[task])
    assert [view.row(view.resolve(ref)).flags for ref in ("task:1", "task:2")] == [(), ("suppressed",)]


def test_lines_are_found_from_offsets_and_back(sample: TasksView) -> None:
    log = sample.log
    for task in range(0, log.tasks, 50):
        offset = log.column("task_start")[task]
        assert log.line_start(log.line(offset)[1]) == offset
    assert log.line_start(1) == 0
    assert log.line_start(log.parts[0].newlines + 2) is None


def test_a_task_whose_tag_is_torn_is_named_by_its_events(tmp_path: Path) -> None:
    whole = b"<task compile_id='1' method='a.B f ("
    torn = LOG.encode().replace(whole, whole + b"<writer thread='5'/>\n")

    for report in opened(tmp_path / "torn.log", torn, tmp_path):
        view = report.view("Tasks")
        row = view.row(view.resolve("task:1"))
        assert row.label == "a.B.f(int):void"
        assert "damaged" in row.flags
        assert any(section.title.startswith("Repaired") for section in view.sections(row.node))


def flagged(view: Any) -> list[tuple[str, str]]:
    """Kind and label of the rows that are marked as damaged."""
    rows = [view.tree.row(node) for node, _ in walk(view.tree)]
    return [(row.kind, row.label) for row in rows if "damaged" in row.flags]


def test_a_damaged_event_is_flagged_wherever_it_is_used(tmp_path: Path) -> None:
    whole = b"<task_queued compile_id='1' method='a.B f (I)V' bytes='9' "
    torn = LOG.encode().replace(whole, whole + b"lev<writer thread='5'/>\n")

    for report in opened(tmp_path / "torn.log", torn, tmp_path):
        tasks = report.view("Tasks")
        row = tasks.row(tasks.resolve("task:1"))
        assert not {"queued_s", "wait_ms"} & set(row.badges)
        assert flagged(tasks) == [("task", "a.B.f(int):void"), ("task_queued", "task queued")]
        rows = {row.label: row.text for section in tasks.sections(row.node) for row in section.rows}
        assert rows["queued"] == "time unknown: its task_queued is damaged"
        assert "damaged" in rows
        assert flagged(report.view("Story")) == [
            ("method", "a.B.f(int):void"),
            ("task", "compiled, tier 3, 2 ms, 0 calls inlined, 1 not"),
            ("task_queued", "queued"),
        ]
        times = report.view("Compile time")
        assert flagged(times) == [
            ("task", "a.B.f(int):void"),
            ("group", "Longest waits"),
            ("group", "Over time"),
        ]
        said = [row.text for row in times.sections(times.resolve("name:Longest waits"))[0].rows]
        assert said == ["1 tag has lost the time or the id: how long the task waited is unknown"]
        assert flagged(report.view("Methods")) == [("task", "a.B.f(int):void")]


@pytest.mark.parametrize(
    ("whole", "torn", "flags"),
    [
        ("<nmethod compile_id='1' compiler='c1'", " siz", [("task", "a.B.f(int):void"), ("nmethod", "nmethod")]),
        ("<jvms bci='4'", " meth", [("uncommon_trap", "unstable_if")]),
        ("<failure reason='stale task'", " pha", [("task", "a.B.g():void")]),
        ("<start_compile_thread name='C1 CompilerThread1'", " thr", [("thread", "C1 CompilerThread1")]),
    ],
)
def test_rows_that_a_torn_tag_is_part_of_are_flagged(
    whole: str, torn: str, flags: list[tuple[str, str]], tmp_path: Path
) -> None:
    data = LOG.replace(whole, f"{whole}{torn}<writer thread='5'/>\n", 1)

    for report in opened(tmp_path / "torn.log", data.encode(), tmp_path):
        assert flagged(report.view("Tasks")) == flags
        (problem,) = [problem for problem in report.problems if problem.kind == "torn"]
        assert problem.done == "its attributes up to there are used, its row is marked as damaged"


def test_a_name_that_is_not_escaped_costs_a_task_nothing(tmp_path: Path) -> None:
    for report in opened(tmp_path / "odd.log", LOG.replace("a.B f", "a.B List<K> f").encode(), tmp_path):
        view = report.view("Tasks")
        row = view.row(view.resolve("task:1"))
        assert (row.badges["level"], row.badges["wait_ms"], row.badges["compile_ms"]) == (3, 10, 2)
        assert flagged(view) == []
        assert not [problem for problem in report.problems if problem.kind == "torn"]


def test_rows_of_each_file_of_a_run_have_its_offsets(tmp_path: Path) -> None:
    middle = LOG.index("<compilation_log")
    parts = {"main.log": LOG[:middle], "hs_c8_pid77.log": LOG[middle:].partition("\n")[2]}
    for name, text in parts.items():
        (tmp_path / name).write_text(text)
    log: Any = open_log([str(tmp_path / name) for name in parts])
    report: Any = SimpleNamespace(log=log, makers=dict)
    view = TasksView(report)

    row = view.row(view.resolve("task:1"))
    call = view.row(view.tree.children(view.tree.children(row.node)[0])[0])

    assert parts["hs_c8_pid77.log"][view.offset_in_file(row.offset or 0) :].startswith("<task compile_id='1'")
    assert (row.line, call.line, call.ref) == (2, 10, f"node:{call.node}")
    assert view.resolve(call.ref) == call.node
    log.source.close()


def test_a_tree_that_ends_at_a_depth_shows_it(tmp_path: Path, coffeetree: Any) -> None:
    path = tmp_path / "hotspot.log"
    path.write_text(LOG)

    answer = coffeetree("tree", str(path), "--depth", "1")

    totals, headings, *rows = answer.out.splitlines()
    assert totals == "Tasks: unbounded, 2 roots"
    assert (headings.split()[0], len(rows)) == ("REF", 5)
    assert "2 of these rows have more below them (--depth 1; all lifts it)" in answer.err


@pytest.mark.parametrize("damage", ["half", "gap", "quote", "doubled", "nul"])
def test_a_damaged_log_can_be_walked(damage: str, tmp_path: Path) -> None:
    data = LOG.encode()
    middle = data.index(b"<call method")
    broken = {
        "half": data[: middle + 5],
        "gap": data[: middle - 200] + data[middle + 3 :],
        "quote": data.replace(b"instr='invokevirtual'", b"instr='invoke", 1),
        "doubled": data[:middle] + data[400:],
        "nul": data.replace(b"bci='4'", b"\0\0\0\0"),
    }[damage]

    for report in opened(tmp_path / "broken.log", broken, tmp_path):
        tasks = report.view("Tasks")
        for node, _ in walk(tasks.tree):
            row = tasks.row(node)
            assert tasks.resolve(row.ref) == node
            tasks.sections(node), tasks.links(node), tasks.references(node), tasks.remark(row), tasks.path(node)
        for offset in range(0, len(broken), 7):
            found = tasks.node_at(offset)
            assert found is None or tasks.row(found)


def test_before_threads_are_known_the_named_logs_are_listed(tmp_path: Path) -> None:
    named = "<writer thread='8'/>\n<thread_logfile thread='8' filename='/tmp/hs_c8_pid77.log'/>\n"
    events = "<writer thread='5'/>\n" + "<sweeper state='x' stamp='0.010'/>\n" * 4000
    path = tmp_path / "long.log"
    path.write_text(LOG.replace("<writer thread='5'/>\n", named + events, 1))
    report = open_report([str(path)], cache=Cache(str(tmp_path / "cache")))
    view = report.views[0]
    (node,) = view.tree.roots()
    row = view.tree.row(node)
    assert (row.kind, row.label, row.is_growing, row.has_children) == ("thread", "compiler thread 8", True, False)
    assert view.path(node) == [node] and not view.links(node) and not view.references(node).nodes
    assert view.sections(node)[0].rows[0].text.startswith("not found yet")
    report.wait()
    thread = view.tree.roots()[0]
    assert view.tree.row(thread).label == "C1 CompilerThread0"
    # A screen that was not redrawn asks for the previous row; its REF finds the thread.
    assert view.tree.row(node).label == "compiler thread 8" and view.sections(node) and not view.links(node)
    assert view.resolve(row.ref) == thread
    report.close()


def test_the_head_is_not_read_where_an_index_is(report: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(report), "_read_head", lambda report: pytest.fail("the head is read"))
    again = open_report([report.source.path], cache=Cache(report.source.cache.folder))
    again.wait()
    assert drawn(again.view("Tasks")) == drawn(report.view("Tasks"))
    again.close()


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (lambda report: report._client._child.kill(), "indexing ended early, read the file again"),
        (lambda report: report.stop_index(), "indexing was stopped, continue it"),
    ],
    ids=["killed", "stopped"],
)
def test_tasks_that_were_not_read_before_the_index_ended_have_the_reason(
    end: Callable[[Any], object], reason: str, cache_folder: Path
) -> None:
    report: Any = open_report([str(CORPUS / "work_tiered_17.log.xz")], cache=Cache(str(cache_folder)))
    tasks: Any = report.views[0]
    thread = tasks.tree.roots()[0]
    assert tasks.remark(tasks.tree.row(thread)) == "not found yet: their log is further down"

    report.start_index()
    end(report)
    while report.progress.is_running:
        report.follow()

    (section,) = tasks.sections(thread)
    assert tasks.remark(tasks.tree.row(thread)) == f"unknown: {reason}"
    assert section.rows[0].text == f"unknown: {reason}"
    report.close()
