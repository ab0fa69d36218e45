"""The worker: one child that answers, can be stopped at any time, and takes nothing with it when it dies."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from parsers.io.cache import Cache
from parsers.model.report import Report
from parsers.model.trees.tree import walk
from parsers.query.search.pattern import compile_pattern, exact_pattern
from parsers.query.selection.selection import Filters
from parsers.runtime.opening import open_report
from parsers.runtime.worker import worker as worker_module
from parsers.runtime.worker.job import Job
from parsers.runtime.worker.worker import Worker
from parsers.views.selected_view import SelectedView

ENDLESS = r"\v(?=a)(a+)+$"
"""Takes for ever on a line of many a and something else."""


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.close()


@pytest.fixture
def text(tmp_path: Path) -> str:
    path = tmp_path / "text"
    path.write_bytes(b"one\ntwo Map$Entry\none foo(I)\n" + b"a" * 60 + b"!\nend")
    return str(path)


@pytest.fixture
def large(tmp_path: Path) -> str:
    """40 MB, every line alike."""
    path = tmp_path / "large"
    with path.open("wb") as file:
        for _ in range(40):
            file.write(b"x" * 99 + b"\n" + (b"y" * 49 + b"\n") * 2 * 5_000)
    return str(path)


def follow_until(worker: Worker, is_so: Callable[[], bool]) -> None:
    """Follow as an event loop would, for a minute at most: kernels may have to be compiled."""
    until = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until
        descriptor = worker.fileno()
        poll = select.poll()
        if descriptor is not None:
            poll.register(descriptor, select.POLLIN)
        poll.poll(50)
        worker.follow()


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def child_of(worker: Worker) -> int:
    assert worker._child is not None
    return worker._child.pid


def test_lines_are_found(worker: Worker, text: str) -> None:
    job = worker.find(text, compile_pattern("one"), "utf-8")
    job.wait()
    assert (job.state, job.fraction, job.count, job.kind, list(job.lines)) == ("done", 1.0, 2, "text", [0, 18])
    assert (job.offset_after(0), job.offset_after(18), job.offset_before(18), job.offset_before(0)) == (
        18,
        None,
        0,
        None,
    )
    assert (job.lines.position(18), job.lines.position(4)) == (1, None)


def test_a_job_shows_the_kind_of_its_pattern(worker: Worker, text: str) -> None:
    plain, regex = (
        worker.find(text, compile_pattern("Map$Entry"), "utf-8"),
        worker.find(text, compile_pattern("[mf]oo"), "utf-8"),
    )
    plain.wait()
    regex.wait()
    assert (plain.kind, list(plain.lines), plain.resolved.kind) == ("text", [4], "text")
    assert (regex.kind, list(regex.lines), regex.resolved.kind) == ("regex", [18], "regex")


def test_jobs_take_turns(worker: Worker, text: str) -> None:
    endless = worker.find(text, compile_pattern("one"), "utf-8")
    jobs = [worker.find(text, exact_pattern(word), "utf-8") for word in ("one", "two", "end", "none")]
    for job in [endless, *jobs]:
        job.wait()
    assert [job.count for job in jobs] == [2, 1, 1, 0]


def test_results_can_be_used_while_the_search_runs(worker: Worker, large: str) -> None:
    job = worker.find(large, exact_pattern("y"), "utf-8")
    counts: list[int] = []
    job.wait(lambda job: counts.append(job.count))
    assert counts == sorted(counts)
    assert (job.count, job.lines[0], job.lines[399_999]) == (400_000, 100, os.path.getsize(large) - 50)


def test_a_cancelled_search_keeps_what_it_found(worker: Worker, large: str) -> None:
    job = worker.find(large, exact_pattern("y"), "utf-8")
    job.cancel()
    assert job.state == "cancelled"
    after = worker.find(large, exact_pattern("x"), "utf-8")
    after.wait()
    assert (after.count, job.count == len(job.lines)) == (40, True)


def test_an_expression_that_takes_for_ever_stops_at_once(worker: Worker, text: str) -> None:
    job = worker.find(text, compile_pattern(ENDLESS), "utf-8")
    pid = child_of(worker)
    follow_until(worker, lambda: is_running(pid))
    time.sleep(0.2)
    before = time.monotonic()
    job.cancel()
    after = worker.find(text, compile_pattern("one"), "utf-8")
    after.wait()
    assert (after.count, child_of(worker)) == (2, pid)
    assert time.monotonic() - before < 2


def test_an_expression_that_takes_for_ever_does_not_keep_others_waiting(worker: Worker, text: str) -> None:
    worker.find(text, compile_pattern("one"), "utf-8").wait()
    endless = worker.find(text, compile_pattern(ENDLESS), "utf-8")
    time.sleep(0.2)
    other = worker.find(text, compile_pattern("one"), "utf-8")
    endless.wait()
    other.wait()
    assert (other.count, endless.state) == (2, "failed")
    assert "takes too long" in str(endless.error)


def test_a_child_that_does_not_stop_is_replaced_and_the_others_are_asked_again(
    worker: Worker, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = worker.find(text, compile_pattern("one"), "utf-8")
    first.wait()
    follow_until(worker, lambda: worker._is_loaded)
    pid = child_of(worker)
    os.kill(pid, signal.SIGSTOP)
    stopped = worker.find(text, compile_pattern("two"), "utf-8")
    other = worker.find(text, compile_pattern("one"), "utf-8")
    stopped.cancel()
    other.wait()
    assert (other.count, list(first.lines)) == (2, [0, 18])
    assert child_of(worker) != pid
    assert not is_running(pid)


def test_names_that_are_being_read_are_waited_for(worker: Worker, text: str) -> None:
    first = worker.find(text, compile_pattern("one"), "utf-8")
    first.wait()
    follow_until(worker, lambda: worker._is_loaded)
    pid = child_of(worker)
    os.kill(pid, signal.SIGSTOP)
    names = worker.names("one")
    names.cancel()
    other = worker.find(text, compile_pattern("one"), "utf-8")
    time.sleep(worker_module.PATIENCE + 0.1)
    worker.follow()
    os.kill(pid, signal.SIGCONT)
    other.wait()
    assert (other.count, child_of(worker)) == (2, pid)


def test_a_crash_is_a_message_and_the_next_job_gets_a_new_child(worker: Worker, text: str) -> None:
    job = worker.find(text, compile_pattern(ENDLESS), "utf-8")
    os.kill(child_of(worker), signal.SIGKILL)
    job.wait()
    assert (job.state, job.error) == ("failed", "the search process ended unexpectedly (signal 9)")
    again = worker.find(text, compile_pattern("one"), "utf-8")
    again.wait()
    assert again.count == 2


def test_a_file_that_is_gone_is_a_message(worker: Worker, tmp_path: Path) -> None:
    job = worker.find(str(tmp_path / "none"), compile_pattern("one"), "utf-8")
    job.wait()
    assert job.state == "failed"
    assert "No such file" in str(job.error)


def test_names_and_selections_wait_for_the_index(worker: Worker, text: str) -> None:
    names = worker.names("one")
    follow_until(worker, lambda: names.state == "waiting")
    assert names.says == "waits for the index"
    found = worker.find(text, compile_pattern("one"), "utf-8")
    found.wait()
    assert found.count == 2
    names.cancel()


def test_closing_a_job_removes_what_it_found(worker: Worker, text: str) -> None:
    job = worker.find(text, compile_pattern("one"), "utf-8")
    job.wait()
    folder = Path(job.lines.path).parent
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.iterdir())
    job.close()
    assert not list(folder.iterdir())
    assert job.count == 0


def test_a_job_that_is_closed_at_once_leaves_nothing(worker: Worker, large: str) -> None:
    jobs = [worker.find(large, exact_pattern("y"), "utf-8") for _ in range(5)]
    folder = Path(jobs[0].lines.path).parent
    for job in jobs:
        job.close()
    worker.find(large, exact_pattern("none"), "utf-8").wait()
    assert [path.name for path in folder.iterdir() if not path.name.startswith("6.")] == []


def test_without_a_place_to_write_a_job_fails_with_a_message(
    worker: Worker, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parsers.io.cache._temporary_base", lambda: "/nonexistent")
    job = worker.find(text, exact_pattern("one"), "utf-8")
    job.wait()
    assert (job.state, worker.follow()) == ("failed", [job])
    assert "can't be started" in str(job.error)


def test_closing_the_worker_ends_the_child_and_removes_the_folder(text: str) -> None:
    worker = Worker()
    done = worker.find(text, compile_pattern("one"), "utf-8")
    done.wait()
    running = worker.find(text, compile_pattern(ENDLESS), "utf-8")
    pid, folder = child_of(worker), Path(done.lines.path).parent
    worker.close()
    assert not is_running(pid)
    assert not folder.exists()
    assert running.state == "failed"


def test_the_child_dies_with_its_parent_even_in_an_endless_search(text: str) -> None:
    program = f"""
import time
from parsers.query.search.pattern import compile_pattern
from parsers.runtime.worker.worker import Worker
worker = Worker()
worker.find({text!r}, compile_pattern("one"), "utf-8").wait()
worker.find({text!r}, compile_pattern({ENDLESS!r}), "utf-8")
time.sleep(0.2)
print(worker._child.pid, worker._folder, flush=True)
time.sleep(60)
"""
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid, folder = parent.stdout.readline().split()
    parent.kill()
    parent.wait()
    until = time.monotonic() + 10
    while is_running(int(pid)) or os.path.exists(folder):
        assert time.monotonic() < until
        time.sleep(0.02)


async def test_an_event_loop_follows(text: str) -> None:
    worker = Worker()
    done = asyncio.Event()

    def news(jobs: list[Job]) -> None:
        if any(job.has_ended for job in jobs):
            done.set()

    worker.attach(asyncio.get_running_loop(), news)
    job = worker.find(text, compile_pattern("one"), "utf-8")
    await asyncio.wait_for(done.wait(), 10)
    assert (job.state, job.count) == ("done", 2)
    worker.close()


async def test_an_event_loop_replaces_a_child_that_does_not_stop(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "PATIENCE", 0.05)
    monkeypatch.setattr(worker_module, "MORE_PATIENCE", 0.05)
    worker = Worker()
    done = asyncio.Event()
    worker.attach(asyncio.get_running_loop(), lambda jobs: done.set() if other in jobs and other.is_done else None)
    stuck = worker.find(text, compile_pattern("one"), "utf-8")
    os.kill(child_of(worker), signal.SIGSTOP)
    other = worker.find(text, compile_pattern("two"), "utf-8")
    stuck.cancel()
    await asyncio.wait_for(done.wait(), 10)
    assert other.count == 1
    worker.close()


def test_the_callers_side_needs_no_large_modules() -> None:
    program = (
        "import sys, parsers.runtime.worker.worker, parsers.query.selection.selection, parsers.query.search.names\n"
        "import parsers.views.selected_view\n"
        "print([name for name in ('numpy', 'numba', 'stringzilla', 'lxml', 'textual') if name in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", program]) == b"[]\n"


# -- with a real report -----------------------------------------------------------------------------------------------


@pytest.fixture
def call_tree(corpus: Path, tmp_path: Path) -> Iterator[Report]:
    [path] = (corpus / "v24.2_and_25" / "reports").glob("call_tree_*.txt")
    report = open_report([str(path)], cache=Cache(str(tmp_path / "cache")))
    report.wait()
    yield report
    report.close()


def opened(worker: Worker, report: Report, cache_folder: str) -> Worker:
    worker.open([report.files[0]], report.format, cache_folder, is_ready=True)
    return worker


def test_names_come_with_the_number_of_their_rows(worker: Worker, call_tree: Report, tmp_path: Path) -> None:
    job = opened(worker, call_tree, str(tmp_path / "cache")).names("main")
    job.wait()
    assert job.state == "done"
    tree = call_tree.views[0].tree
    labels = [tree.row(node).label for node in range(call_tree.views[0].row_count or 0)]
    (group, *names) = job.names
    assert (group.ref, group.count) == ("class:com.example.Main", 1)
    for name in names:
        assert name.count >= 1
        assert any(label.endswith(name.text) for label in labels)
    assert job.count >= len(job.names) > 0


def test_a_search_becomes_a_selection_of_rows(worker: Worker, call_tree: Report, tmp_path: Path) -> None:
    opened(worker, call_tree, str(tmp_path / "cache"))
    found = worker.find(call_tree.files[0], exact_pattern("is overridden by"), call_tree.encoding)
    found.wait()
    job = worker.select(Filters(), call_tree.views[0].name, found)
    job.wait()
    view = call_tree.views[0]
    assert view.tree.preorder is not None
    selection = job.selection(view.tree.preorder)
    tree = SelectedView(view, selection).tree
    rows = [tree.row(node) for node, _ in walk(tree)]
    assert len(rows) == job.count == selection.rows
    matching = [row for row in rows if row.kind == "overridden by"]
    assert len(matching) == call_tree.totals["overridden_by"] == found.count
    # Every other remaining row is an ancestor of a match.
    assert all(row.rows_below for row in rows if row.kind != "overridden by")


def test_suppressed_methods_show_nothing_below(worker: Worker, call_tree: Report, tmp_path: Path) -> None:
    opened(worker, call_tree, str(tmp_path / "cache"))
    job = worker.select(Filters(suppress={"suppress_methods": "*"}), call_tree.views[0].name)
    job.wait()
    view = call_tree.views[0]
    assert view.tree.preorder is not None
    left = SelectedView(view, job.selection(view.tree.preorder))
    assert left.row_count == left.root_count == view.root_count
    for node in left.tree.roots():
        assert ("suppressed" in left.tree.row(node).flags) == view.tree.has_children(node)


def test_a_search_looks_through_all_files_of_a_run(worker: Worker, text: str, tmp_path: Path) -> None:
    base = os.path.getsize(text)
    (tmp_path / "more").write_bytes(b"zero\none\n")
    found = worker.find(text, compile_pattern("one"), "utf-8", more=[(str(tmp_path / "more"), base)])
    found.wait()
    assert list(found.lines.numbers(0, found.count)) == [0, 18, base + 5]


def test_an_expression_in_one_file_of_a_run_is_one_in_all(worker: Worker, text: str, tmp_path: Path) -> None:
    (tmp_path / "more").write_bytes(b"t.o\ntwo\n")
    found = worker.find(text, compile_pattern("t.o M"), "utf-8", more=[(str(tmp_path / "more"), 1000)])
    found.wait()
    assert (found.kind, list(found.lines.numbers(0, found.count))) == ("regex", [4])
    plain = worker.find(text, compile_pattern("Map$"), "utf-8", more=[(str(tmp_path / "more"), 1000)])
    plain.wait()
    assert (plain.kind, list(plain.lines.numbers(0, plain.count))) == ("text", [4])


def test_memory_of_queries_is_limited_but_not_files_that_are_mapped(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    code = (
        "import mmap, sys; from parsers.runtime.worker.query_child import limit_memory\n"
        "limit_memory(400 << 20); file = open(sys.argv[1], 'rb')\n"
        "mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)\n"
        "try: bytearray(500 << 20)\n"
        "except MemoryError: print(len(mapped))"
    )
    answer = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert answer.stdout == f"{1 << 30}\n"
