"""Commands on reports that are too large for a first look: indexed once by a child, found again afterwards."""

from __future__ import annotations

import gzip
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer

from parsers.formats.graalvm.text.build import TextTreeBuild
from parsers.index.build import ChangedReport
from parsers.index.client import IndexClient
from parsers.index.store import finished
from parsers.io.cache import Cache
from parsers.io.open_source import open_source

Run = Callable[..., Answer]

METHODS = 2500


def report_of(methods: int) -> bytes:
    """A call tree in which the entry calls each method, and each method the next one; the last calls the first."""
    lines = ["VM Entry Points", "├── entry a.Main.main(java.lang.String[]):void id=0 "]
    for number in range(1, methods):
        following = number + 1 if number + 1 < methods else 1
        lines.append(f"│   ├── directly calls {method(number)} id={number} @bci={number} ")
        lines.append(f"│   │   └── directly calls {method(following)} id-ref={following} @bci=1 ")
    return "\n".join([*lines, "", ""]).encode()


def method(number: int) -> str:
    return f"a.b{number % 50}.C.m{number}():void"


@pytest.fixture
def report(tmp_path: Path, cache_folder: Path) -> Path:
    path = tmp_path / "call_tree_app_20230401_101500.txt"
    path.write_bytes(report_of(METHODS))
    return path


def test_an_index_is_built_once(report: Path, coffeetree: Run) -> None:
    first, second = (coffeetree("index", "--json", report) for _ in range(2))
    assert (first.status, second.status, first.err, second.err) == (0, 0, "", "")
    assert (first.json["cached"], second.json["cached"]) == (False, True)
    assert first.json["bytes"] == report.stat().st_size
    assert first.json["index_bytes"] == second.json["index_bytes"] > 0
    assert first.json["peak_rss"] > 0


def test_without_cache_every_index_is_new(report: Path, coffeetree: Run, cache_folder: Path) -> None:
    answers = [coffeetree("index", "--json", "--no-cache", report) for _ in range(2)]
    assert [answer.json["cached"] for answer in answers] == [False, False]
    assert answers[0].err == "nothing is kept: the index is gone when this ends\n"
    assert not cache_folder.joinpath("index").exists()


def test_answers_with_an_index(report: Path, coffeetree: Run) -> None:
    totals = coffeetree("info", "--json", report).json["totals"]
    assert (totals["rows"], totals["ids"], totals["entries"]) == (2 * METHODS - 1, METHODS, 1)
    assert coffeetree("find", "--count", report, "m77()").out == "2\n"
    assert [row["line"] for row in coffeetree("refs", "--json", report, "id:77").rows] == [2 * 76 + 2, 2 * 77 + 1]
    assert len(coffeetree("why", "--json", report, "name:a.b27.C.m77():void").json["path"]) == 2
    last = coffeetree("tree", "--json", "--depth", "all", "--limit", "all", report).rows[-1]
    assert last["line"] == 2 * METHODS


def test_a_changed_file_is_indexed_again(report: Path, coffeetree: Run) -> None:
    assert coffeetree("info", "--json", report).json["totals"]["ids"] == METHODS
    report.write_bytes(report_of(METHODS + 1))
    assert coffeetree("info", "--json", report).json["totals"]["ids"] == METHODS + 1


def test_a_damaged_index_is_rebuilt_silently(report: Path, coffeetree: Run, cache_folder: Path) -> None:
    before = coffeetree("info", "--json", report)
    for path in sorted(cache_folder.glob("index/*/ready/*")):
        os.truncate(path, path.stat().st_size // 2)
    assert coffeetree("info", "--json", report) == before
    for path in sorted(cache_folder.glob("index/*/ready/*")):
        path.write_bytes(b"\xff" * path.stat().st_size)
    assert coffeetree("info", "--json", report) == before


def test_a_large_pipe(report: Path, tmp_path: Path, coffeetree: Run, cache_folder: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(report.read_bytes()))
    writer.start()
    answer = coffeetree("info", "--json", pipe)
    writer.join()
    assert (answer.status, answer.json["totals"]["ids"]) == (0, METHODS)
    assert not cache_folder.joinpath("index").exists()


def test_a_large_packed_pipe(report: Path, tmp_path: Path, coffeetree: Run) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(gzip.compress(report.read_bytes())))
    writer.start()
    answer = coffeetree("info", "--json", pipe)
    writer.join()
    assert (answer.status, answer.json["totals"]["ids"]) == (0, METHODS)


def test_a_large_archive_that_ends_early(report: Path, tmp_path: Path, coffeetree: Run) -> None:
    packed = tmp_path / "cut.txt.gz"
    archive = gzip.compress(report.read_bytes())
    packed.write_bytes(archive[: len(archive) // 2])
    for _ in range(2):
        answer = coffeetree("info", "--json", packed)
        kinds = [problem["kind"] for problem in answer.json["problems"]]
        assert (answer.status, kinds[0]) == (3, "cut")
        assert "the gzip archive ends early" in answer.err
        assert 1000 < answer.json["totals"]["rows"] < 2 * METHODS


def test_the_first_rows_need_no_index(report: Path, coffeetree: Run, cache_folder: Path) -> None:
    answer = coffeetree(report)
    assert (answer.status, len(answer.out.splitlines())) == (0, 101)
    assert answer.err.startswith("the first 100 rows: ")
    assert not cache_folder.joinpath("index").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_indexing_leaves_no_child(number: signal.Signals, tmp_path: Path, cache_folder: Path) -> None:
    path = tmp_path / "large.txt"
    with open(path, "wb") as file:
        file.write(report_of(METHODS))
        file.truncate(8 << 30)
    command = [sys.executable, "-m", "tui", "index", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until(lambda: bool(indexers_of(path)))
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (128 + number, b"", b"")
    wait_until(lambda: not indexers_of(path))


def indexers_of(path: Path) -> list[str]:
    """Processes that are building the index of a file."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            try:
                words = entry.joinpath("cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"parsers.runtime.indexer" in words and os.fsencode(path) in words:
                found.append(entry.name)
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    """Returns as soon as a condition holds; fails after half a minute."""
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        select.select([], [], [], 0.02)


def test_progress_is_shown_on_a_terminal_and_gone_in_the_end(report: Path) -> None:
    packed = report.with_suffix(".gz")
    packed.write_bytes(gzip.compress(report.read_bytes()))
    main, terminal = pty.openpty()
    command = [sys.executable, "-m", "tui", "find", "--count", "--no-cache", str(packed), "m77()"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, env=os.environ | {"TERM": "xterm"})
    os.close(terminal)
    assert process.stdout is not None
    assert process.stdout.read() == b"2\n"
    process.stdout.close()
    assert process.wait(30) == 0
    told = os.read(main, 65536).decode()
    os.close(main)
    assert "indexing" in told
    assert told.endswith("\r\x1b[K")
    assert "\n" not in told


def test_of_very_many_problems_the_first_are_listed_and_all_counted(tmp_path: Path, coffeetree: Run) -> None:
    path = tmp_path / "strays.txt"
    path.write_bytes(b"VM Entry Points\n" + b"stray line of a log\n" * 20_000 + b"\n")
    answer = coffeetree("info", "--json", path)
    assert answer.status == 3
    assert answer.json["problem_count"] == 20_000 == answer.json["totals"]["stray_lines"]
    told = len(answer.json["problems"])
    assert 100 <= told < 20_000
    assert answer.err.splitlines()[-1] == f"{path}: {20_000 - told:,} more problems"


@pytest.mark.parametrize(
    ("number", "says"), [(signal.SIGBUS, "no room for the index in"), (signal.SIGKILL, "was ended by signal 9")]
)
def test_it_is_said_what_an_indexer_died_of(number: signal.Signals, says: str, report: Path, cache: Cache) -> None:
    client = IndexClient(open_source(str(report), cache), cache, "graalvm-call-tree")
    client.start()
    assert client._child is not None
    client._child.send_signal(number)
    wait_until(lambda: client.follow().state == "failed")

    assert says in client.progress.says


def test_a_full_disk_is_named_by_the_cache_folder(report: Path, cache: Cache) -> None:
    code = (
        "import errno, sys; from parsers.runtime import indexer; "
        "indexer._Work.run = lambda work, options: (_ for _ in ()).throw(OSError(errno.ENOSPC, 'full')); "
        "sys.exit(indexer.main(sys.argv[1:]))"
    )
    child = subprocess.run([sys.executable, "-c", code, str(report)], capture_output=True, check=False)
    assert (child.stdout, child.stderr) == (b"", b"")

    client = IndexClient(open_source(str(report), cache), cache, "graalvm-call-tree")
    assert (
        client._why_early(child.returncode)
        == f"no room for the index in {cache.folder} (--cache-dir names another folder)"
    )


def test_a_report_that_is_written_over_while_it_is_read_has_no_index(report: Path, cache: Cache) -> None:
    source = open_source(str(report), cache)
    folder = cache.index_folder(source.identity, "graalvm-call-tree")

    def write_over(news: Mapping[str, Any]) -> None:
        with report.open("r+b") as file:
            file.seek(1000)
            file.write(bytes(5000))

    with pytest.raises(ChangedReport):
        TextTreeBuild(source, folder, "graalvm-call-tree", write_over).run()
    assert finished(folder, source.identity) is None
