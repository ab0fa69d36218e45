"""Twice the bytes of a compilation log are twice the work, whatever is in it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from counted_work import MOST_GROWTH, Work, repeated, work_of_index

from parsers.formats.hotspot.build import LogBuild
from parsers.formats.hotspot.report import HotSpotReport
from parsers.io.cache import Cache
from parsers.runtime.opening import open_report

HEAD = b"<?xml version='1.0' encoding='UTF-8'?>\n<hotspot_log version='160 1' process='1' time_ms='1'>\n<tty>\n"
EVENTS: dict[str, Callable[[int], str]] = {
    "unknown tags": lambda n: f"<foo{n} a='1'/>\n",
    "one unknown tag": lambda n: "<a/>\n",
    "unknown attributes": lambda n: f"<writer x{n}='1'/>\n",
    "broken attributes": lambda n: f"<nmethod compile_id='{n} a='b\n",
    "beginnings": lambda n: "<",
    "comments without end": lambda n: "<!--\n",
    "lines of text": lambda n: "x\n",
    "empty lines": lambda n: "\n",
    "traps": lambda n: f"<uncommon_trap thread='{n}' reason='r{n}' action='a' compile_id='{n}'/>\n",
    "threads": lambda n: f"<start_compile_thread name='t{n}' thread='{n}' process='1' stamp='1'/>\n",
    "sweepers": lambda n: f"<sweeper state='{n}' traversals='1'/>\n",
    "queued tasks of one id": lambda n: "<task_queued compile_id='1' method='a b ()V'/>\n",
    "NUL bytes": lambda n: "\0a",
    "heads": lambda n: "<hotspot_log version='160 1' process='1' time_ms='1'>\n</hotspot_log>\n",
}
TASKS: dict[str, Callable[[int], str]] = {
    "tasks": lambda n: f"<task compile_id='{n}'>\n<task_done/>\n</task>\n",
    "tasks of one id": lambda n: "<task compile_id='1'>\n<task_done/>\n</task>\n",
    "tasks without end": lambda n: f"<task compile_id='{n}'>\n",
    "results without task": lambda n: "<task_done/>\n",
    "elements in mid-line": lambda n: "<bc ",
    "elements of unknown names": lambda n: f"<u{n}/>",
    "empty tasks": lambda n: "<task/>\n",
    "ends of tasks": lambda n: "</task>\n",
    "phases": lambda n: f"<phase name='p{n}' nodes='1' stamp='1'>\n",
    "parses": lambda n: f"<parse method='{n}' uses='1' stamp='1'>\n",
    "logs of threads": lambda n: f"<compilation_log thread='{n}'>\n</compilation_log>\n",
    "values with an unescaped sign": lambda n: f"<call method='List<Map<K,V>> {n}' x='<task'/>\n",
}
TASKS_HEAD = HEAD + b"</tty>\n<compilation_log thread='1'>\n"
SIZE = 5_000
CASES = [*((HEAD, name, EVENTS[name]) for name in EVENTS), *((TASKS_HEAD, name, TASKS[name]) for name in TASKS)]


@pytest.mark.parametrize("by_kernels", [False, True], ids=["plain", "kernels"])
@pytest.mark.parametrize(("head", "name", "line"), CASES)
def test_twice_the_bytes_are_twice_the_work(
    head: bytes,
    name: str,
    line: Callable[[int], str],
    by_kernels: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cache: Cache,
) -> None:
    monkeypatch.setattr(LogBuild, "small", 0 if by_kernels else 1 << 40)
    _, once, twice = (
        # One-time work, such as imports, is done before.
        work_of_index(
            LogBuild,
            {"hotspot.log": head + repeated(line, size)},
            tmp_path / str(size),
            "hotspot-compilation-log",
            Work(is_counted=size >= SIZE),
            cache,
        )
        for size in (1000, SIZE, 2 * SIZE)
    )
    assert twice <= MOST_GROWTH * once


def in_flight(number: int) -> str:
    return (
        f"<compilation_log thread='{number}'>\n<start_compile_thread name='t' thread='{number % 99}' stamp='1'/>\n"
        f"<fragment>\n<![CDATA[\n<task compile_id='{number}'>\n]]>\n</fragment>\n</compilation_log>\n"
    )


def test_twice_the_threads_are_twice_the_work_for_their_view(tmp_path: Path, cache: Cache) -> None:
    done = []
    for size in (1000, SIZE, 2 * SIZE):
        path = tmp_path / str(size)
        path.write_bytes(HEAD + b"</tty>\n" + repeated(in_flight, size) + b"</hotspot_log>\n")
        with closing(open_report([str(path)], cache=cache)) as report:
            assert isinstance(report, HotSpotReport)
            report.wait()
            view = report.view("Threads")
            with Work() as work:
                assert view.row_count
            done.append(work.done)
            threads = [view.tree.row(node) for node in view.tree.roots() if view.tree.row(node).kind == "thread"]
            assert len({row.ref for row in threads if not row.ref.startswith("node:")}) == min(len(threads), 99)
            assert [row.badges.get("in_flight") for row in threads] == [1] * len(threads)
            assert view.sections(0)[0].rows[-1].text == "1 of the tasks, in a fragment of the log"
    assert done[2] <= MOST_GROWTH * done[1]
