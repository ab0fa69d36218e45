"""Where bytes come from: plain files, archives, pipes; and what becomes of a file while it is open."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parsers.io import source as source_module
from parsers.io import spool
from parsers.io.archives import unpack, unpacked
from parsers.io.cache import Cache
from parsers.io.identity import identify_file
from parsers.io.open_source import open_source
from parsers.io.source import HEAD
from parsers.model.report import ReportError

try:
    from compression import zstd
except ImportError:
    from backports import zstd

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    # Without the time, so that the same bytes are packed alike a second later.
    "gz": lambda data: gzip.compress(data, mtime=0),
    "xz": lzma.compress,
    "zst": zstd.compress,
}
SMALL = b"VM Entry Points\n" + b"".join(b"line %d\n" % number for number in range(100))
LARGE = b"VM Entry Points\n" + random.Random(1).randbytes(5 * HEAD)

packed = pytest.mark.parametrize("suffix", PACKERS)


def write(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


def test_a_plain_file(tmp_path: Path, cache: Cache) -> None:
    source = open_source(write(tmp_path / "a.txt", LARGE), cache)
    assert (source.name, source.size, source.stored_size) == ("a.txt", len(LARGE), len(LARGE))
    assert (source.is_packed, source.is_whole, source.is_spooling) == (False, True, False)
    assert source.head == LARGE[:HEAD]
    assert source.pread(10, 100) == LARGE[100:110]
    assert source.plain_path == str(tmp_path / "a.txt")
    source.close()


def test_reading_beyond_the_end_is_short(tmp_path: Path, cache: Cache) -> None:
    source = open_source(write(tmp_path / "a.txt", b"abc"), cache)
    assert [source.pread(9, 1), source.pread(9, 3), source.pread(9, 99), source.pread(0, 0)] == [b"bc", b"", b"", b""]
    source.close()


@packed
def test_an_archive_has_its_head_at_once_and_the_rest_when_unpacked(tmp_path: Path, cache: Cache, suffix: str) -> None:
    source = open_source(write(tmp_path / f"a.txt.{suffix}", PACKERS[suffix](LARGE)), cache)
    assert (source.name, source.is_packed, source.is_whole) == ("a.txt", True, False)
    assert source.head == LARGE[:HEAD]
    assert source.pread(10, HEAD) == b""
    steps: list[tuple[int, int]] = []
    source.unpack(lambda done, total: steps.append((done, total)))
    assert source.is_whole
    assert source.pread(10**9, 0) == LARGE
    assert steps[-1] == (source.stored_size, source.stored_size)
    assert source.problems == ()
    assert source.size == len(LARGE)
    source.close()


@packed
def test_a_small_archive_needs_no_copy(tmp_path: Path, cache: Cache, cache_folder: Path, suffix: str) -> None:
    source = open_source(write(tmp_path / f"a.txt.{suffix}", PACKERS[suffix](SMALL)), cache)
    assert (source.is_whole, source.size, source.pread(999_999, 3)) == (True, len(SMALL), SMALL[3:])
    assert not cache_folder.joinpath("unpacked").exists()
    assert Path(source.plain_path).read_bytes() == SMALL
    source.close()


@packed
def test_the_copy_is_made_once(tmp_path: Path, cache: Cache, suffix: str) -> None:
    path = write(tmp_path / f"a.txt.{suffix}", PACKERS[suffix](LARGE))
    first = open_source(path, cache)
    first.unpack()
    second = open_source(path, cache)
    assert second.is_whole
    assert second.plain_path == first.plain_path
    second.unpack(lambda done, total: pytest.fail("unpacked again"))
    assert os.stat(first.plain_path).st_mode & 0o777 == 0o600


@packed
def test_archives_are_known_by_content(tmp_path: Path, cache: Cache, suffix: str) -> None:
    source = open_source(write(tmp_path / "report.txt", PACKERS[suffix](SMALL)), cache)
    assert source.head == SMALL


def test_a_plain_file_called_gz_is_plain(tmp_path: Path, cache: Cache) -> None:
    source = open_source(write(tmp_path / "report.txt.gz", SMALL), cache)
    assert (source.is_packed, source.head) == (False, SMALL)


@packed
def test_several_archives_in_one_file_are_one(tmp_path: Path, cache: Cache, suffix: str) -> None:
    pack = PACKERS[suffix]
    source = open_source(write(tmp_path / "a", pack(LARGE) + pack(b"") + pack(SMALL)), cache)
    source.unpack()
    assert source.pread(10**9, 0) == LARGE + SMALL
    assert source.problems == ()


@packed
def test_a_cut_archive_gives_what_could_be_read(tmp_path: Path, cache: Cache, suffix: str) -> None:
    whole = PACKERS[suffix](LARGE)
    source = open_source(write(tmp_path / "a", whole[: len(whole) * 3 // 4]), cache)
    source.unpack()
    (problem,) = source.problems
    assert source.size > len(LARGE) // 2
    assert LARGE.startswith(source.pread(10**9, 0))
    assert (problem.kind, problem.offset) == ("cut", source.size)
    assert "ends early" in problem.what
    again = open_source(str(tmp_path / "a"), cache)
    again.unpack()
    assert again.problems == source.problems


@packed
def test_damage_in_an_archive_is_a_problem(tmp_path: Path, cache: Cache, suffix: str) -> None:
    # Without a checksum zstd does not detect a wrong byte in incompressible data.
    checked = {zstd.CompressionParameter.checksum_flag: 1}
    whole = bytearray(zstd.compress(LARGE, options=checked) if suffix == "zst" else PACKERS[suffix](LARGE))
    whole[len(whole) * 3 // 4] ^= 0x55
    source = open_source(write(tmp_path / "a", bytes(whole)), cache)
    source.unpack()
    assert [problem.kind for problem in source.problems] == ["damaged archive"]
    assert source.size > len(LARGE) // 2
    assert source.pread(len(LARGE) // 2, 0) == LARGE[: len(LARGE) // 2]


@packed
def test_other_bytes_after_an_archive_are_a_problem_and_zeros_are_none(
    tmp_path: Path, cache: Cache, suffix: str
) -> None:
    archive = PACKERS[suffix](SMALL)
    after = open_source(write(tmp_path / "after", archive + b"something else"), cache)
    assert (after.head, [problem.kind for problem in after.problems]) == (SMALL, ["damaged archive"])
    zeros = open_source(write(tmp_path / "zeros", archive + bytes(1000)), cache)
    assert (zeros.head, zeros.problems) == (SMALL, ())


@packed
def test_an_archive_that_unpacks_to_far_too_much_is_refused(
    tmp_path: Path, cache: Cache, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacked, "RATIO_FROM", 1 << 20)
    monkeypatch.setattr(unpacked, "MOST_RATIO", 100)
    source = open_source(write(tmp_path / "bomb", PACKERS[suffix](bytes(20 << 20))), cache)
    with pytest.raises(ReportError, match="more than 100 times its size"):
        source.unpack()
    assert not [name for _, _, files in os.walk(cache.folder) for name in files if not name.endswith(".lock")]


def test_unpacking_stops_where_the_disk_would_be_full(
    tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacked, "_free_space", lambda path: 1000)
    source = open_source(write(tmp_path / "a", gzip.compress(LARGE)), cache)
    with pytest.raises(ReportError, match="not enough room"):
        source.unpack()


def test_xz_may_not_ask_for_any_amount_of_memory(tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "XZ_MEMORY", 1 << 20)
    source = open_source(write(tmp_path / "a", lzma.compress(SMALL)), cache)
    assert (source.head, [problem.kind for problem in source.problems]) == (b"", ["damaged archive"])


def test_a_damaged_copy_in_the_cache_is_made_again(tmp_path: Path, cache: Cache) -> None:
    path = write(tmp_path / "a", gzip.compress(LARGE))
    first = open_source(path, cache)
    os.truncate(first.plain_path, 100)
    first.close()
    second = open_source(path, cache)
    assert not second.is_whole
    second.unpack()
    assert second.pread(10**9, 0) == LARGE


# -- files without report ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/nowhere/at/all", "can't be opened: no such file"),
        ("/dev/zero", "is a device"),
        ("/dev/null", "is a device"),
        ("/tmp", "is a folder"),
        ("a\0b", "embedded null"),
        ("/dev/fd/9999999", "can't be opened: bad file descriptor"),
    ],
)
def test_unreadable_files_are_reported_in_one_line(path: str, words: str, cache: Cache) -> None:
    with pytest.raises(ReportError) as error:
        open_source(path, cache)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_no_permission(tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a", SMALL)

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(ReportError, match="can't be opened: permission denied"):
        open_source(path, cache)


# -- pipes ------------------------------------------------------------------------------------------------------------


def feed(descriptor: int, data: bytes) -> threading.Thread:
    def run() -> None:
        with suppress(BrokenPipeError), open(descriptor, "wb") as pipe:
            pipe.write(data)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_named_pipe_is_spooled(tmp_path: Path, cache: Cache) -> None:
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: Path(path).write_bytes(LARGE))
    writer.start()
    source = open_source(path, cache)
    assert source.head == LARGE[:HEAD]
    source.unpack()
    assert (source.is_spooling, source.is_whole, source.size) == (False, True, len(LARGE))
    assert Path(source.plain_path).read_bytes() == LARGE
    stored = source.stored_path
    assert os.stat(stored).st_mode & 0o777 == 0o600
    source.close()
    writer.join()
    assert not os.path.exists(stored)


def test_a_descriptor_of_a_shell_is_spooled_too(cache: Cache) -> None:
    reading, writing = os.pipe()
    writer = feed(writing, SMALL)
    source = open_source(f"/dev/fd/{reading}", cache)
    source.unpack()
    assert source.pread(10**6, 0) == SMALL
    source.close()
    os.close(reading)
    writer.join()


def test_a_socket_is_spooled_too(cache: Cache) -> None:
    here, there = socket.socketpair()
    there.sendall(SMALL)
    there.close()
    source = open_source(f"/dev/fd/{here.fileno()}", cache)
    source.unpack()
    assert source.head == SMALL
    source.close()
    here.close()


@packed
def test_an_archive_may_come_out_of_a_pipe(suffix: str, cache: Cache) -> None:
    reading, writing = os.pipe()
    writer = feed(writing, PACKERS[suffix](LARGE))
    source = open_source(f"/dev/fd/{reading}", cache)
    source.unpack()
    assert source.head == LARGE[:HEAD]
    assert source.pread(10**9, 0) == LARGE
    assert Path(source.plain_path).read_bytes() == LARGE
    source.close()
    os.close(reading)
    writer.join()


def test_a_pipe_can_be_read_while_it_is_spooled_and_closed_at_any_time(cache: Cache) -> None:
    reading, writing = os.pipe()
    os.write(writing, SMALL)
    source_of: list[source_module.Source] = []
    opener = threading.Thread(target=lambda: source_of.append(open_source(f"/dev/fd/{reading}", cache)))
    opener.start()
    writer = feed(os.dup(writing), LARGE)
    opener.join()
    (source,) = source_of
    assert source.is_spooling
    assert source.head.startswith(SMALL)
    source.close()
    os.close(reading)
    os.close(writing)
    writer.join()


def test_a_pipe_of_which_nothing_can_be_kept_is_not_called_empty(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "MOST_BYTES", 10)
    reading, writing = os.pipe()
    os.write(writing, SMALL)
    os.close(writing)
    with pytest.raises(ReportError, match="can't be kept of a pipe"):
        open_source(f"/dev/fd/{reading}", cache)
    os.close(reading)


def test_a_file_behind_a_descriptor_is_read_in_place(tmp_path: Path, cache: Cache) -> None:
    path = write(tmp_path / "a.txt", SMALL)
    descriptor = os.open(path, os.O_RDONLY)
    source = open_source(f"/dev/fd/{descriptor}", cache)
    assert source.stored_path == path
    source.close()
    os.close(descriptor)


# -- change -----------------------------------------------------------------------------------------------------------


def replace_file(path: Path, data: bytes) -> None:
    path.with_suffix(".new").write_bytes(data)
    os.rename(path.with_suffix(".new"), path)


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "nothing": (lambda path: None, "same"),
    "touched": (lambda path: os.utime(path, (1, 1)), "same"),
    "appended": (lambda path: path.write_bytes(LARGE + b"more"), "grown"),
    "cut": (lambda path: os.truncate(path, len(LARGE) // 2), "truncated"),
    "cut to nothing": (lambda path: os.truncate(path, 0), "truncated"),
    "rewritten, shorter": (lambda path: path.write_bytes(SMALL), "replaced"),
    "rewritten, longer": (lambda path: path.write_bytes(b"x" * 2 * len(LARGE)), "replaced"),
    "rewritten, as long": (lambda path: path.write_bytes(b"x" * len(LARGE)), "replaced"),
    "another file": (lambda path: replace_file(path, LARGE), "replaced"),
    "removed": (lambda path: path.unlink(), "removed"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changes_of_a_file_are_noticed(name: str, tmp_path: Path, cache: Cache) -> None:
    act, expected = CHANGES[name]
    path = tmp_path / "a.txt"
    source = open_source(write(path, LARGE), cache)
    act(path)
    assert source.change() == expected
    source.close()


def test_an_accepted_change_is_none(tmp_path: Path, cache: Cache) -> None:
    path = tmp_path / "a.txt"
    source = open_source(write(path, SMALL), cache)
    before = source.identity
    path.write_bytes(SMALL + b"more\n")
    assert (source.change(), source.size) == ("grown", len(SMALL))
    source.accept()
    assert (source.change(), source.size) == ("same", len(SMALL) + 5)
    assert source.identity != before
    assert source.head == SMALL + b"more\n"


def test_identity_is_that_of_the_file_on_disk(tmp_path: Path, cache: Cache) -> None:
    path = write(tmp_path / "a", LARGE)
    first, again = open_source(path, cache).identity, open_source(path, cache).identity
    other = open_source(write(tmp_path / "b", LARGE), cache).identity
    assert first == again == identify_file(path)
    assert first.key == again.key
    assert first.key != other.key
    assert first.digest == other.digest


# -- any bytes --------------------------------------------------------------------------------------------------------


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.binary(max_size=3000),
    suffix=st.sampled_from(sorted(PACKERS)),
    cut=st.integers(0, 3000),
    flip=st.integers(0, 9999),
)
def test_any_archive_gives_a_beginning_of_its_contents(
    tmp_path: Path, cache: Cache, data: bytes, suffix: str, cut: int, flip: int
) -> None:
    archive = bytearray(PACKERS[suffix](data))[: len(data) + 40 - cut]
    is_flipped = flip < 8 * len(archive)
    if is_flipped:
        archive[flip // 8] ^= 1 << flip % 8
    source = open_source(write(tmp_path / "a", bytes(archive)), cache)
    if not is_flipped and source.is_packed:
        assert data.startswith(source.head)
        assert bool(source.problems) == (source.head != data or bytes(archive) != PACKERS[suffix](data))
    source.close()


def test_bzip2_is_no_archive_of_ours(tmp_path: Path, cache: Cache) -> None:
    assert not open_source(write(tmp_path / "a", bz2.compress(SMALL)), cache).is_packed


def test_a_file_that_grew_can_be_read_as_it_was(tmp_path: Path, cache: Cache) -> None:
    path = write(tmp_path / "a.txt", LARGE)
    before = open_source(path, cache).identity
    with open(path, "ab") as more:
        more.write(b"more")
    source = open_source(path, cache)
    assert source.identity != before
    source.restrict_to(before.size, before.mtime_ns)
    assert source.identity == before
    assert (source.size, source.pread(99, len(LARGE) - 3), source.head) == (len(LARGE), LARGE[-3:], LARGE[:HEAD])


def test_a_file_with_other_bytes_is_not_what_it_was(tmp_path: Path, cache: Cache) -> None:
    path = write(tmp_path / "a.txt", LARGE)
    before = open_source(path, cache).identity
    with open(path, "r+b") as other:
        other.write(b"other" + LARGE[5:] + b"more")
    source = open_source(path, cache)
    source.restrict_to(before.size, before.mtime_ns)
    assert source.identity != before


# -- archives that were made to cost much ----------------------------------------------------------------------------


EMPTY = {suffix: pack(b"") for suffix, pack in PACKERS.items()}


@packed
def test_bytes_copied_for_a_member_do_not_grow_with_the_file(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    make = unpack._decompressor

    class Counted:
        def __init__(self, member: Any) -> None:
            self._member = member

        def decompress(self, data: bytes, most: int) -> bytes:
            given.append(len(data))
            return bytes(self._member.decompress(data, most))

        def __getattr__(self, name: str) -> Any:
            return getattr(self._member, name)

    def counted(kind: str) -> Any:
        member, failures = make(kind)
        return Counted(member), failures

    monkeypatch.setattr(unpack, "_decompressor", counted)
    data = PACKERS[suffix](b"x") + EMPTY[suffix] * 2000
    file = io.BytesIO(data)
    unpacking = unpack.Unpacking(str(unpack.packing(data)), file.read)
    assert b"".join(unpacking.blocks()) == b"x"
    assert unpacking.damage is None
    assert max(given) <= unpack.WINDOW + 16


@packed
def test_tiny_members_end_an_archive_once_there_are_too_many(
    suffix: str, tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpack, "MOST_SMALL", 10)
    pack = PACKERS[suffix]
    just = open_source(write(tmp_path / "just", pack(LARGE) + EMPTY[suffix] * 10 + pack(LARGE)), cache)
    just.unpack()
    assert (just.size, just.problems) == (2 * len(LARGE), ())
    more = open_source(write(tmp_path / "more", pack(LARGE) + EMPTY[suffix] * 20 + pack(LARGE)), cache)
    more.unpack()
    (problem,) = more.problems
    stop = len(pack(LARGE)) + 11 * len(EMPTY[suffix])
    assert (more.size, problem.kind) == (len(LARGE), "damaged archive")
    assert problem.what.endswith(
        f"has more than 10 members of less than 256 bytes: what follows byte {stop:,} of the file is not read"
    )


@packed
def test_a_head_costs_a_bounded_number_of_packed_bytes(
    suffix: str, tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_module, "PACKED_FOR_HEAD", 1000)
    pack = PACKERS[suffix]
    source = open_source(write(tmp_path / "a", pack(SMALL) + EMPTY[suffix] * 500 + pack(SMALL)), cache)
    assert (source.head, source.is_whole) == (SMALL, False)
    source.unpack()
    assert (source.pread(10**6, 0), source.problems) == (SMALL + SMALL, ())


def test_frames_of_notes_belong_to_a_zstd_archive(tmp_path: Path, cache: Cache) -> None:
    note = b"\x5e\x2a\x4d\x18\x05\0\0\0notes"
    packed = PACKERS["zst"](SMALL)
    for number, data in enumerate((packed + note + packed + note, note + packed + packed, note + note + packed * 2)):
        source = open_source(write(tmp_path / f"a{number}", data), cache)
        assert (source.pread(10**6, 0), source.problems) == (SMALL + SMALL, ())
