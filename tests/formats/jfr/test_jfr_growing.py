"""The first rows of a recording without an index, and a recording that grows flush by flush."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

import pytest
from conftest import TESTS, plain_bytes
from recordings import KernelBuild, built

from parsers.formats.jfr.read.chunks import HEADER_BYTES, ChunkHeader, File
from parsers.formats.jfr.report import JfrReport
from parsers.io.cache import Cache
from parsers.io.open_source import open_source
from parsers.model.report import Report
from parsers.runtime.opening import open_report

CORPUS = TESTS / "corpus" / "jfr"


def after_flushes(data: bytes) -> list[bytes]:
    """Returns a recording of one chunk as it was after each flush: the JVM writes a copy of each header."""

    def fill(buffer: memoryview, offset: int) -> None:
        buffer[:] = data[offset : offset + len(buffer)]

    file = File(lambda count, offset: data[offset : offset + count], len(data), fill)
    copies: list[tuple[ChunkHeader, bytes]] = []
    for place in file.magics(HEADER_BYTES, len(data)):
        header = file.header_at(place)
        if header is not None and header.size > HEADER_BYTES:
            copies.append((header, data[place : place + HEADER_BYTES]))
    return [header + data[HEADER_BYTES : of.size] for of, header in copies]


def opened(path: Path, cache: Cache) -> Report:
    return open_report([str(path)], cache=cache)


def test_a_recording_that_grows_has_all_events_up_to_its_last_flush(tmp_path: Path) -> None:
    data = plain_bytes(CORPUS / "jdk25-light.jfr.xz")
    states = after_flushes(data)
    assert states[-1] == data
    headers = [built(state, tmp_path, KernelBuild)[0] for state in states]
    rows = [header.rows for header in headers]
    assert rows == sorted(set(rows))
    assert len(rows) > 3
    assert [header.totals["bytes_lost"] for header in headers] == [0] * len(headers)
    problems = [[problem.kind for problem in header.problems] for header in headers]
    assert problems == [*[["unfinished"]] * (len(headers) - 1), []]


def test_a_flush_that_rewrites_the_header_is_growth(tmp_path: Path, cache: Cache) -> None:
    *_, before, after = after_flushes(plain_bytes(CORPUS / "jdk25-light.jfr.xz"))
    path = tmp_path / "growing.jfr"
    path.write_bytes(before)
    report = opened(path, cache)
    with path.open("r+b") as file:
        file.write(after)
    assert before[:HEADER_BYTES] != after[:HEADER_BYTES]
    assert report.source.change() == "grown"  # type: ignore[attr-defined]
    with path.open("r+b") as file:
        file.seek(HEADER_BYTES)
        file.write(bytes(100))
    assert report.source.change() == "replaced"  # type: ignore[attr-defined]
    report.close()


def test_other_formats_have_no_bytes_that_may_change(tmp_path: Path, cache: Cache) -> None:
    path = tmp_path / "plain.txt"
    path.write_bytes(b"VM Entry Points\n")
    source = open_source(str(path), cache)
    path.write_bytes(b"vm Entry Points\nmore\n")
    assert source.change() == "replaced"
    source.close()


@pytest.mark.parametrize("name", ["jdk25-all", "jdk17-scrubbed", "jdk8-profile", "ap4-wall-live"])
def test_types_of_the_first_events_are_rows_before_there_is_an_index(name: str, tmp_path: Path, cache: Cache) -> None:
    path = tmp_path / "a.jfr"
    path.write_bytes(plain_bytes(CORPUS / f"{name}.jfr.xz"))
    report = opened(path, cache)
    view = report.view("Events")
    first = [view.tree.row(node) for node in view.tree.roots()]
    assert not view.is_complete
    assert view.partial == "the beginning of the file"
    report.wait()
    view.renew()
    for row in first:
        whole = view.tree.row(view.resolve(row.ref))
        assert whole.label == row.label
        assert 0 < row.badges["events"] <= whole.badges["events"]  # type: ignore[operator]
        assert 0 < row.badges["bytes"] <= whole.badges["bytes"]  # type: ignore[operator]
    assert len(first) > 3
    report.close()


def test_what_was_asked_before_there_is_an_index_is_not_remembered(tmp_path: Path, cache: Cache) -> None:
    path = tmp_path / "a.jfr"
    path.write_bytes(plain_bytes(CORPUS / "jdk25-profile.jfr.xz"))
    report = opened(path, cache)
    assert isinstance(report, JfrReport)
    assert not len(report.data.stacks.frames)
    report.wait()
    assert len(report.data.stacks.frames)
    assert report.view("Methods").row_count
    report.close()


@pytest.mark.parametrize("data", [b"FLR\0\0\2\0\1", b"FLR\0\0\2\0\1" + bytes(60), b"FLR\0\0\2\0\1" + b"\xff" * 500])
def test_a_recording_that_has_nothing_to_read_has_no_first_rows(data: bytes, tmp_path: Path, cache: Cache) -> None:
    path = tmp_path / "a.jfr"
    path.write_bytes(data)
    report = opened(path, cache)
    assert list(report.view("Events").tree.roots()) == []
    report.close()


def test_first_rows_need_no_numpy(tmp_path: Path) -> None:
    path = tmp_path / "a.jfr"
    path.write_bytes(plain_bytes(CORPUS / "jdk25-all.jfr.xz"))
    program = (
        "import sys; from parsers.runtime.opening import open_report; from parsers.io.cache import Cache;"
        "view = open_report([sys.argv[1]], cache=Cache(sys.argv[2])).view('Events');"
        "print(len(view.tree.roots()) > 3, 'numpy' in sys.modules)"
    )
    command = [sys.executable, "-P", "-c", program, str(path), str(tmp_path / "cache")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "True False\n"


def test_progress_is_reported_in_the_order_of_the_chunks_by_one_thread_at_a_time(tmp_path: Path) -> None:
    data = plain_bytes(CORPUS / "jdk25-stuck.jfr.xz")
    is_reporting = Lock()
    done: list[int] = []

    def report(news: Mapping[str, Any]) -> None:
        assert is_reporting.acquire(blocking=False)
        done.append(news["done"])
        is_reporting.release()

    built(data * 6, tmp_path, KernelBuild, report)
    assert done == [len(data) * count for count in range(1, 7)]
