"""Zip archives of recordings: which members are read, in which order, and what is said of the others and of damage."""

from __future__ import annotations

import io
import random
import struct
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from conftest import Answer
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.registry import place_in_zip
from parsers.io import source as source_module
from parsers.io.archives import zip_entries
from parsers.io.archives.contents import ArchiveMember
from parsers.io.archives.unpacked import find_copy
from parsers.io.archives.zip_entries import Entry, entries_of
from parsers.io.archives.zip_unpack import ZipUnpacking
from parsers.io.cache import Cache
from parsers.io.open_source import open_source
from parsers.io.source import HEAD, Source
from parsers.model.report import ReportError
from parsers.runtime.opening import open_report


def recording(started: int, calls: int = 3) -> bytes:
    call = b'<methodEntry threadIdRef="1" time="%d.000000000" methodIdRef="2" ticket="3"/>' % started
    begin = b'<traceStart traceId="UUID-1" agentIdRef="UUID-2" time="%d.000000000"/>' % started
    return b'<?xml version="1.0"?>\n<TRACE>\n' + begin + call * calls


EARLY, LATE = recording(1000), recording(2000, 5)
LARGE = recording(3000, HEAD // 20)


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return buffer.getvalue()


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    cache = Cache(str(tmp_path / "cache"))
    yield cache
    cache.close()


def opened(tmp_path: Path, cache: Cache, data: bytes) -> Source:
    path = tmp_path / "log.trcxml"
    path.write_bytes(data)
    source = open_source(str(path), cache, place=place_in_zip)
    source.unpack()
    return source


def said(source: Source) -> list[tuple[str, str]]:
    return [(problem.kind, problem.what) for problem in source.problems]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_are_concatenated(tmp_path: Path, cache: Cache, method: int) -> None:
    source = opened(tmp_path, cache, zipped(("a.xml", EARLY), ("b.xml", LATE), method=method))
    assert source.pread(10**6, 0) == EARLY + LATE
    assert source.contents.members == (
        ArchiveMember("a.xml", 0, len(EARLY), None),
        ArchiveMember("b.xml", len(EARLY), len(LATE), None),
    )
    assert source.problems == ()


def test_their_order_is_that_of_their_times(tmp_path: Path, cache: Cache) -> None:
    source = opened(tmp_path, cache, zipped(("Thursday.xml", LATE), ("Wednesday.xml", EARLY)))
    assert [member.name for member in source.contents.members] == ["Wednesday.xml", "Thursday.xml"]
    assert source.pread(10**6, 0) == EARLY + LATE


def test_members_of_another_kind_are_passed_by_and_named(tmp_path: Path, cache: Cache) -> None:
    source = opened(tmp_path, cache, zipped(("META-INF/MANIFEST.MF", b"Version: 1\n"), ("a.xml", EARLY)))
    assert source.pread(10**6, 0) == EARLY
    assert (said(source), source.contents.passed_by) == ([], ("META-INF/MANIFEST.MF",))


def test_a_large_one_is_unpacked_once_and_its_members_are_kept(tmp_path: Path, cache: Cache) -> None:
    first = opened(tmp_path, cache, zipped(("x.txt", b"text"), ("a.xml", EARLY), ("b.xml", LARGE)))
    assert first.head == (EARLY + LARGE)[:HEAD]
    again = open_source(str(tmp_path / "log.trcxml"), cache, place=place_in_zip)
    assert again.is_whole
    assert again.pread(10**7, 0) == EARLY + LARGE
    assert (again.contents, again.problems) == (first.contents, first.problems)


def test_a_copy_without_a_note_of_its_members_is_none(tmp_path: Path, cache: Cache) -> None:
    source = opened(tmp_path, cache, zipped(("a.xml", LARGE)))
    note = Path(f"{source.plain_path}.done")
    note.write_bytes(note.read_bytes().split(b"\n")[0] + b"\n\n")
    assert find_copy(source.plain_path) is None


def test_a_member_in_utf_16_comes_as_utf_8(tmp_path: Path, cache: Cache) -> None:
    text = EARLY.decode() + '<threadStart threadId="1" threadName="Übung 😀"/>'
    source = opened(tmp_path, cache, zipped(("a.xml", text.encode("utf-16")), ("b.xml", LATE)))
    assert source.pread(10**6, 0) == text.encode() + LATE
    assert [member.encoding for member in source.contents.members] == ["UTF-16", None]


def test_text_in_utf_16_comes_as_utf_8(tmp_path: Path, cache: Cache) -> None:
    text = LARGE.decode() + '<threadStart threadId="1" threadName="Übung 😀"/>'
    for codec, mark in (("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")):
        source = opened(tmp_path, cache, mark + text.encode(codec))
        assert source.pread(10**7, 0) == text.encode()
        assert source.contents.members == (ArchiveMember("", 0, len(text.encode()), "UTF-16"),)


def test_without_its_directory_members_are_found_by_local_headers(tmp_path: Path, cache: Cache) -> None:
    whole = zipped(("a.xml", EARLY), ("b.xml", LATE))
    source = opened(tmp_path, cache, whole[: whole.index(b"PK\x01\x02")])
    assert source.pread(10**6, 0) == EARLY + LATE
    (problem,) = source.problems
    assert problem.kind == "damaged archive"
    assert "no directory at its end" in problem.what


def test_a_cut_member_gives_what_could_be_read(tmp_path: Path, cache: Cache) -> None:
    lines = b"".join(recording(2000 + time) for time in range(2000))
    whole = zipped(("a.xml", EARLY), ("b.xml", lines))
    source = opened(tmp_path, cache, whole[: len(whole) // 2])
    plain = source.pread(10**7, 0)
    assert (EARLY + lines).startswith(plain)
    assert len(plain) > len(lines) // 4
    (problem,) = source.problems
    assert (problem.kind, problem.offset) == ("cut", len(plain))
    assert problem.what.endswith("b.xml ends early")


def test_damage_in_one_member_leaves_the_next(tmp_path: Path, cache: Cache) -> None:
    lines = b"".join(recording(2000 + time) for time in range(2000))
    data = bytearray(zipped(("a.xml", lines), ("b.xml", recording(9000) + b"<!-- -->")))
    middle = data.index(b"b.xml") * 3 // 4
    data[middle : middle + 200] = bytes(200)
    source = opened(tmp_path, cache, bytes(data))
    assert source.contents.members[1].size == len(recording(9000)) + 8
    assert source.pread(10**7, source.contents.members[1].start) == recording(9000) + b"<!-- -->"
    assert "a.xml" in said(source)[0][1]


def test_streamed_members_without_sizes_before_them(tmp_path: Path, cache: Cache) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.xml", EARLY)
        archive.writestr("b.xml", LATE)
    data = pipe.getvalue()
    assert opened(tmp_path, cache, data).pread(10**6, 0) == EARLY + LATE
    cut = opened(tmp_path, cache, data[: data.index(b"PK\x01\x02")])
    assert cut.pread(10**6, 0) == EARLY + LATE


def test_encrypted_members_and_other_methods_are_reported(tmp_path: Path, cache: Cache) -> None:
    data = bytearray(zipped(("a.xml", EARLY), ("b.xml", LATE), ("c.xml", LATE), method=zipfile.ZIP_STORED))
    second = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    third = data.index(b"PK\x01\x02", second + 1)
    data[second + 8] |= 1
    data[third + 10] = 9
    source = opened(tmp_path, cache, bytes(data))
    assert source.pread(10**6, 0) == EARLY
    assert said(source)[0][1] == "b.xml is encrypted; c.xml is packed by method 9, which isn't read"


def test_something_before_the_archive_shifts_its_directory() -> None:
    data = b"#!/bin/sh\n" * 5 + zipped(("a.xml", EARLY), method=zipfile.ZIP_STORED)
    (entry,) = entries_of(lambda count, offset: data[offset : offset + count], len(data)).entries
    assert data[entry.start : entry.end] == EARLY


def test_sizes_of_64_bits(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, archive.open("a.xml", "w", force_zip64=True) as member:
        member.write(EARLY)
    data = buffer.getvalue()
    (entry,) = entries_of(lambda count, offset: data[offset : offset + count], len(data)).entries
    assert data[entry.start : entry.end] == EARLY
    assert isinstance(entry, Entry)


def encrypted(archive: bytes) -> bytes:
    """An archive with a single member that is marked as encrypted."""
    data = bytearray(archive)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(mark) + place] |= 1
    return bytes(data)


@pytest.mark.parametrize(
    ("archive", "words"),
    [
        (zipped(("A.class", b"\xca\xfe\xba\xbe" * 20)), "is a zip archive, and no TPTP trace is in it but A.class;"),
        (
            zipped(("a.csv", b"Id\n1\n"), ("b.csv", b"Id,Name\n0,VM\n")),
            "is a zip archive of several files, a.csv, b.csv, and none is a TPTP trace: unpack it first;",
        ),
        (zipped(), "is a zip archive without any file in it;"),
        (zipped(("inner.zip", zipped(("a.xml", EARLY)))), "is a zip archive of archives, inner.zip: unpack it first;"),
        (
            encrypted(zipped(("a.xml", EARLY))),
            "is an encrypted zip archive of a.xml: unpack it with its password first;",
        ),
        (
            zipped(("a.xml", EARLY), method=zipfile.ZIP_BZIP2),
            "is a zip archive, packed by a method that isn't read, of a.xml: unpack it first;",
        ),
    ],
)
def test_a_zip_without_recordings_is_reported_as_a_zip(
    tmp_path: Path, cache: Cache, archive: bytes, words: str
) -> None:
    path = tmp_path / "a.jar"
    path.write_bytes(archive)
    with pytest.raises(ReportError) as refused:
        open_report([str(path)], cache=cache)
    assert str(refused.value).startswith(f"{path}: {words}")


def test_other_files_of_an_archive_are_a_fact_and_no_damage(
    tmp_path: Path, coffeetree: Callable[..., Answer], cache_folder: Path
) -> None:
    path = tmp_path / "log.trcxml"
    path.write_bytes(zipped(("META-INF/MANIFEST.MF", b"Version: 1\n"), ("a.xml", EARLY)))
    answer = coffeetree("info", "--json", path)
    assert (answer.status, answer.json["problems"]) == (0, [])
    assert answer.json["facts"]["other_files"] == "1 in the archive: META-INF/MANIFEST.MF"


def test_a_session_is_not_opened_by_a_number(tmp_path: Path, cache: Cache) -> None:
    path = tmp_path / "log.trcxml"
    path.write_bytes(zipped(("a.xml", EARLY), ("b.xml", LATE)))
    with pytest.raises(ReportError, match="shown together: leave out #2; run:2/ before a REF"):
        open_report([f"{path}#2"], cache=cache)


def test_the_binary_variant_is_refused_in_a_sentence(tmp_path: Path, cache: Cache) -> None:
    path = tmp_path / "log.trcbin"
    path.write_bytes(bytes(range(1, 60)))
    with pytest.raises(ReportError, match="is a binary TPTP trace, whose layout was never published: record it"):
        open_report([str(path)], cache=cache)


WHOLE = zipped(("a.xml", EARLY), ("folder/", b""), ("x", b"y"), ("b.xml", LATE))


@given(st.integers(0, len(WHOLE)), st.binary(max_size=8), st.integers(0, len(WHOLE)))
def test_no_damage_stops_the_reading(at: int, bytes_there: bytes, end: int) -> None:
    data = (WHOLE[:at] + bytes_there + WHOLE[at + len(bytes_there) :])[:end]
    listing = entries_of(lambda count, offset: data[max(offset, 0) : max(offset, 0) + max(count, 0)], len(data))
    assert all(entry.start >= 0 for entry in listing.entries)


# -- archives that were made to cost much ----------------------------------------------------------------------------


def local_header(name: bytes, packed: int) -> bytes:
    head = struct.pack("<4sHHHHHIIIHH", zip_entries.LOCAL, 20, 0, 8, 0, 0, 0, packed, 0, len(name), 0)
    return head + name


def directory(
    entries: Sequence[tuple[bytes, int, int]], at: int, extra: bytes = b"", method: int = zip_entries.DEFLATED
) -> bytes:
    """The directory of members by name, packed bytes and place, and its end."""
    lines = b""
    for name, packed, place in entries:
        sizes = (0, packed, 0, len(name), len(extra), 0, 0, 0, 0, place)
        lines += struct.pack("<4sHHHHHHIIIHHHHHII", zip_entries.CENTRAL, 20, 20, 0, method, 0, 0, *sizes)
        lines += name + extra
    return lines + struct.pack("<4sHHHHIIH", zip_entries.END, 0, 0, len(entries), len(entries), len(lines), at, 0)


class CountedRead:
    """Reads bytes in memory, and counts how many."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.bytes = self.calls = 0

    def __call__(self, count: int, offset: int) -> bytes:
        found = self.data[offset : offset + count]
        self.bytes, self.calls = self.bytes + len(found), self.calls + 1
        return found


def read_for(data: bytes) -> int:
    """Bytes that are read to list the members of an archive."""
    read = CountedRead(data)
    entries_of(read, len(data))
    return read.bytes


@pytest.mark.parametrize("packed", [0, 1, 5000])
def test_reading_of_members_without_a_directory_grows_with_the_file(
    packed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zip_entries, "STEP", 1 << 12)
    header = local_header(b"a", packed)
    once, twice = read_for(header * 2000), read_for(header * 4000)
    assert once <= 8 * len(header) * 2000 and twice <= 2.5 * once


def test_no_more_members_are_listed_than_are_believed_with_and_without_a_directory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(zip_entries, "MOST_ENTRIES", 10)
    most = "only the first 10 members of the zip archive are read"
    data = local_header(b"a", 0) * 50
    listing = entries_of(CountedRead(data), len(data))
    assert len(listing.entries) == 10
    assert str(listing.damage).endswith(f"by their own headers; {most}")
    step = len(data) // 50
    data += directory([(b"a", 0, number * step) for number in range(50)], len(data))
    listing = entries_of(CountedRead(data), len(data))
    assert (len(listing.entries), listing.damage) == (10, most)


def test_members_that_share_bytes_are_read_no_longer_than_to_the_next() -> None:
    empty = b"\0\0\0\xff\xff" * 1000 + b"\1\0\0\xff\xff"
    heads = [local_header(b"%03d" % number, 0) for number in range(100)]
    size, step = len(empty), len(heads[0])
    data = b"".join(heads) + empty
    listed = [(b"%03d" % number, len(data) - (number + 1) * step, number * step) for number in range(100)]
    read = CountedRead(data + directory(listed, len(data)))
    entries = entries_of(read, len(read.data)).entries
    assert len(entries) == 100
    assert sum(entry.end - entry.start for entry in entries) <= len(data)
    assert (entries[-1].start, entries[-1].end) == (len(data) - size, len(data))


def test_of_members_at_one_place_the_first_is_kept_and_the_others_are_reported() -> None:
    data = local_header(b"a", 2) + b"\3\0"
    whole = data + directory([(b"a", 2, 0), (b"b", 2, 0), (b"c", 2, 0)], len(data))
    listing = entries_of(CountedRead(whole), len(whole))
    assert [entry.name for entry in listing.entries] == ["a"]
    assert listing.damage == "2 members of the zip archive have the place of another: they are left out"


LARGEST = (1 << 64) - 1


@pytest.mark.parametrize("place", [LARGEST, 1 << 63, LARGEST - 100])
@pytest.mark.parametrize("number", ["start", "packed", "record"])
def test_offsets_beyond_any_file_are_damage_and_no_error(number: str, place: int, tmp_path: Path, cache: Cache) -> None:
    data = zipped(("a.xml", EARLY), method=zipfile.ZIP_STORED)
    body = data[: data.index(zip_entries.CENTRAL)]
    large = struct.pack("<HHQ", zip_entries.SIZES_64, 8, place)
    packed, start = (zip_entries.LARGE if each == number else 0 for each in ("packed", "start"))
    end = directory([(b"a.xml", packed, start)], len(body), large, zip_entries.STORED)
    if number == "record":
        at = end.index(zip_entries.END)
        end = end[:at] + struct.pack("<4sIQI", zip_entries.LOCATOR_64, 0, place, 1) + end[at:]
    path = tmp_path / "a.zip"
    path.write_bytes(body + end)
    source = open_source(str(path), cache, place=place_in_zip)
    source.unpack()
    assert source.pread(10**6, 0).startswith(EARLY)
    assert [problem.kind for problem in source.problems] == ["damaged archive"]


def test_a_message_names_the_first_damaged_members_and_counts_the_others() -> None:
    data = b"".join(local_header(b"n" * 4000, 0) + b"\xff" for _ in range(20))
    unpacking = ZipUnpacking(CountedRead(data), len(data), lambda head, name: 1.0)
    assert b"".join(unpacking.blocks()) == b""
    assert len(str(unpacking.damage)) < 3000
    assert str(unpacking.damage).endswith("so it is with 13 more")


def test_the_head_of_a_zip_costs_a_bounded_number_of_packed_bytes(
    tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_module, "PACKED_FOR_HEAD", 1000)
    whole = EARLY + b"<!-- " + random.Random(1).randbytes(3000).hex().encode() + b" -->"
    path = tmp_path / "a.trcxml"
    path.write_bytes(zipped(("a.xml", whole)))
    source = open_source(str(path), cache, place=place_in_zip)
    assert (source.is_whole, whole.startswith(source.head), len(EARLY) < len(source.head)) == (False, True, True)
    source.unpack()
    assert (source.pread(10**6, 0), source.problems) == (whole, ())
