"""Remains of a killed parallel heap dump: a file and parts without headers, alone and together."""

from __future__ import annotations

import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Answer
from heap_dumps import NODE, class_dump, header, names, node, record, root

from parsers.formats.folder import find_reports
from parsers.formats.hprof.dump.records.parts import DumpParts, is_part, sibling_parts
from parsers.io.cache import Cache
from parsers.io.concatenated import ByteRange, Concatenated, MemoryBytes
from parsers.io.open_source import open_source
from parsers.model.report import ReportError

Run = Callable[..., Answer]
WHOLE = header() + names()
FIRST = record(0x1C, class_dump() + root(NODE)) + record(0x1C, node(32, 40) + node(40, 48))
SECOND = record(0x1C, node(48, 32)) + record(0x1C, node(56, 32) + node(64, 32))
CUT = 20
"""Bytes that are missing at the end of the second part."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "dump.hprof").write_bytes(WHOLE + record(0x01, bytes(30))[:-7])
    (tmp_path / "dump.hprof.p0").write_bytes(FIRST)
    (tmp_path / "dump.hprof.p1").write_bytes(SECOND[:-CUT])
    return tmp_path


def opened(*paths: Path) -> DumpParts:
    return DumpParts([open_source(str(path), Cache(keep=False)) for path in paths])


def test_pieces_of_several_sources_are_read_as_one() -> None:
    whole = Concatenated(
        [
            ByteRange(MemoryBytes(b"abcdef"), 2, 3),
            ByteRange(MemoryBytes(b""), 0, 0),
            ByteRange(MemoryBytes(b"ghi"), 0, 2),
        ]
    )
    assert whole.size == 5
    assert [whole.pread(9, 0), whole.pread(2, 2), whole.pread(9, 5), whole.pread(3, 9)] == [b"cdegh", b"eg", b"", b""]


def test_together_they_are_one_stream_whatever_their_order(folder: Path) -> None:
    name = folder / "dump.hprof"
    parts = opened(Path(f"{name}.p1"), name, Path(f"{name}.p0"))
    last = record(0x1C, (node(56, 32) + node(64, 32))[:-CUT])
    wanted = WHOLE + FIRST + record(0x1C, node(48, 32)) + last
    assert parts.pread(10**6, 0) == wanted
    assert parts.size == len(wanted)
    assert [Path(path).name for path in parts.stored_paths] == ["dump.hprof", "dump.hprof.p0", "dump.hprof.p1"]


def test_a_part_alone_has_the_header_of_its_file(folder: Path) -> None:
    assert opened(folder / "dump.hprof.p1").pread(10**6, 0) == header() + SECOND[:-CUT]
    (folder / "dump.hprof").rename(folder / "other")
    assert opened(folder / "dump.hprof.p1").pread(31, 0) == header()


def test_parts_are_numbers_not_words(tmp_path: Path) -> None:
    for name in ("a.hprof", "a.hprof.p10", "a.hprof.p9.xz", "a.hprof.px", "a.hprof.p1.txt", "aa.hprof.p1", "a.p2"):
        (tmp_path / name).touch()
    assert [Path(path).name for path in sibling_parts(str(tmp_path / "a.hprof"))] == ["a.hprof.p9.xz", "a.hprof.p10"]
    assert sibling_parts(str(tmp_path / "nowhere" / "a")) == []


def test_a_part_is_known_by_its_name_and_its_content() -> None:
    assert is_part(FIRST, "dump.p3")
    assert not is_part(FIRST, "dump.hprof")
    assert not is_part(b"\x1c\0\0\0\0" + bytes(40), "dump.p3")
    assert not is_part(FIRST[:9], "dump.p3")


def test_parts_of_different_dumps_are_refused(folder: Path) -> None:
    (folder / "else.p0").write_bytes(FIRST)
    for other in ("else.p0", "dump.hprof"):
        with pytest.raises(ReportError, match="is no part of"):
            opened(folder / "dump.hprof", folder / other)


def test_totals_of_a_file_of_a_part_and_of_all(folder: Path, coffeetree: Run) -> None:
    name = str(folder / "dump.hprof")
    alone = coffeetree("info", "--json", name).json
    assert alone["totals"].get("objects", 0) == 0
    assert alone["facts"]["parts_beside"] == [f"{name}.p0", f"{name}.p1"]
    part = coffeetree("info", "--json", f"{name}.p1").json
    assert (part["totals"]["objects"], part["totals"]["objects_without_class"]) == (2, 2)
    both = coffeetree("info", "--json", name, f"{name}.p1", f"{name}.p0").json
    assert (both["totals"]["objects"], both["totals"]["class_dump"], both["totals"]["truncated"]) == (4, 1, 1)
    assert [problem["kind"] for problem in both["problems"]] == ["cut", "cut"]
    assert both["bytes"] == len(WHOLE + FIRST + SECOND) - CUT
    shown = coffeetree("show", name, f"{name}.p0", f"{name}.p1", "object:0x20").out
    assert "Node" in shown


def test_packed_parts(folder: Path, coffeetree: Run) -> None:
    paths = []
    for name in ("dump.hprof", "dump.hprof.p0"):
        path = folder / f"{name}.xz"
        path.write_bytes(lzma.compress((folder / name).read_bytes()))
        paths.append(str(path))
    assert coffeetree("info", "--json", *paths).json["totals"]["objects"] == 2
    assert coffeetree("info", "--json", paths[1]).json["totals"]["objects"] == 2


def test_a_folder_shows_them_as_one_report(folder: Path) -> None:
    (report,) = find_reports(str(folder))
    assert report.name == "dump.hprof"
    assert [Path(path).name for path in report.files] == ["dump.hprof", "dump.hprof.p0", "dump.hprof.p1"]
