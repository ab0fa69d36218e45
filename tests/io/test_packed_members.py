"""Heap dumps that a JVM packed in blocks: read at any place without being unpacked, also where blocks are damaged."""

from __future__ import annotations

import gzip
import random
import struct
import zlib
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Answer
from examples import more_examples
from heap_dumps import TRUTH, class_dump, header, names, node, record, root, sample
from hypothesis import given
from hypothesis import strategies as st
from packed_blocks import COMMENT, in_blocks

from parsers.io.archives import blocks as blocks_module
from parsers.io.archives import members as members_module
from parsers.io.archives.blocks import Blocks
from parsers.io.archives.members import MemberOffsets, block_size, find_members
from parsers.io.cache import Cache
from parsers.io.open_source import open_source
from parsers.io.source import HEAD, Source

SIZE = 1000
DATA = b"".join(b"line %d of what is packed\n" % number for number in range(700))
NOISE = random.Random(3).randbytes(40 * SIZE)
LARGE = NOISE + bytes(3 * HEAD) + DATA
Run = Callable[..., Answer]


def opened(path: Path, data: bytes, cache: Cache) -> Source:
    path.write_bytes(data)
    return open_source(str(path), cache)


def found_in(data: bytes, size: int = SIZE) -> MemberOffsets:
    return find_members(lambda count, offset: data[offset : offset + count], len(data), size)


def unpacked(path: Path, data: bytes, members: MemberOffsets) -> bytes:
    path.write_bytes(data)
    with path.open("rb") as file:
        return Blocks(file.fileno(), members).pread(members.size + 1, 0)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members_module, "CHUNK", 700)


def test_results_of_the_first_bytes() -> None:
    assert block_size(COMMENT % 1048576) == 1 << 20
    assert block_size(gzip.compress(b"HPROF BLOCKSIZE=1048576")) is None
    assert block_size(COMMENT % 999_999_999) is None


def test_the_members_of_a_file(small_chunks: None) -> None:
    packed, starts = in_blocks(LARGE, SIZE)
    members = found_in(packed)
    assert members.packed.tolist() == starts
    assert members.plain.tolist() == [*range(0, len(LARGE), SIZE), len(LARGE)]
    assert (members.broken, members.damages) == (set(), [])


def test_a_table_is_read_as_it_was_written() -> None:
    packed, starts = in_blocks(DATA, SIZE)
    members = found_in(packed[: starts[5] + 30])
    assert members.broken
    assert MemberOffsets.from_bytes(members.to_bytes()) == members
    with pytest.raises(ValueError):
        MemberOffsets.from_bytes(members.to_bytes()[:-1])


def test_an_archive_inside_a_block_is_no_block(small_chunks: None) -> None:
    inside = b"".join(in_blocks(DATA[:200], 50, level=9)[0] for _ in range(20))
    data = DATA[:3000] + inside + NOISE[:500] + DATA
    packed, starts = in_blocks(data, 5000, level=0)
    assert found_in(packed, 5000).packed.tolist() == starts


def test_any_place_is_read_without_a_copy(tmp_path: Path, cache: Cache, cache_folder: Path) -> None:
    source = opened(tmp_path / "a.hprof.gz", in_blocks(LARGE, SIZE)[0], cache)
    assert (source.name, source.is_packed, source.is_whole, source.head) == ("a.hprof", True, False, LARGE[:HEAD])
    steps: list[tuple[int, int]] = []
    source.unpack(lambda done, total: steps.append((done, total)))
    assert steps[-1] == (source.stored_size, source.stored_size)
    assert (source.is_whole, source.size, source.problems) == (True, len(LARGE), ())
    assert source.pread(10**9, 0) == LARGE
    assert source.pread(2500, 41_700) == LARGE[41_700:44_200]
    assert [source.pread(9, len(LARGE) - 2), source.pread(9, len(LARGE)), source.pread(0, 5)] == [LARGE[-2:], b"", b""]
    room = bytearray(3000)
    assert source.read_into(memoryview(room), len(LARGE) - 2999) == 2999
    assert room == LARGE[-2999:] + b"\0"
    assert sum(path.stat().st_size for path in cache_folder.rglob("unpacked/**/*") if path.is_file()) < 10_000
    assert Path(source.plain_path).read_bytes() == LARGE
    assert source.pread(100, 41_700) == LARGE[41_700:41_800]
    source.close()


def test_members_found_once_are_known_at_the_next_opening(tmp_path: Path, cache: Cache) -> None:
    packed, starts = in_blocks(LARGE, SIZE)
    damaged = packed[: starts[3] + 40] + b"????" + packed[starts[3] + 44 :]
    first = opened(tmp_path / "a.gz", damaged, cache)
    first.unpack()
    second = open_source(str(tmp_path / "a.gz"), cache)
    assert (second.is_whole, second.size, second.problems) == (True, len(LARGE), first.problems)
    assert second.problems
    assert second.pread(10**9, 0) == first.pread(10**9, 0)


def test_a_damaged_table_is_made_again(tmp_path: Path, cache: Cache, cache_folder: Path) -> None:
    source = opened(tmp_path / "a.gz", in_blocks(LARGE, SIZE)[0], cache)
    source.unpack()
    (table,) = cache_folder.rglob("*.members")
    table.write_bytes(table.read_bytes()[:-8])
    again = open_source(str(tmp_path / "a.gz"), cache)
    assert not again.is_whole
    again.unpack()
    assert again.pread(10**9, 0) == LARGE


def test_few_blocks_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks_module, "KEPT", 3)
    packed, _ = in_blocks(LARGE, SIZE)
    (tmp_path / "a").write_bytes(packed)
    with (tmp_path / "a").open("rb") as file:
        blocks = Blocks(file.fileno(), found_in(packed))
        for at in (0, 50_000, 7_000, 100_000, 7_500, 0):
            assert blocks.pread(1500, at) == LARGE[at : at + 1500]
        assert len(blocks._kept) == 3


# -- damage -----------------------------------------------------------------------------------------------------------


def test_a_cut_file_gives_its_complete_part(tmp_path: Path, cache: Cache) -> None:
    packed, starts = in_blocks(LARGE, SIZE)
    source = opened(tmp_path / "a.gz", packed[: starts[100] + 20], cache)
    source.unpack()
    assert source.pread(10**9, 0) == LARGE[: source.size]
    assert 100 * SIZE <= source.size < 101 * SIZE
    assert [(problem.kind, problem.offset) for problem in source.problems] == [("cut", source.size)]


def test_damage_in_the_first_block_leaves_the_others(tmp_path: Path, cache: Cache) -> None:
    packed, _ = in_blocks(LARGE, SIZE)
    source = opened(tmp_path / "a.gz", packed[:300] + bytes(30) + packed[330:], cache)
    source.unpack()
    (problem,) = source.problems
    assert problem.kind == "damaged archive"
    assert problem.what.startswith("the gzip block at byte 0 of the file is damaged: ")
    assert source.size == len(LARGE)
    assert source.pread(10**9, SIZE) == LARGE[SIZE:]


def test_a_wrong_checksum_takes_nothing_away(tmp_path: Path) -> None:
    packed, starts = in_blocks(DATA, SIZE)
    damaged = packed[: starts[3] - 8] + b"????" + packed[starts[3] - 4 :]
    members = found_in(damaged)
    assert unpacked(tmp_path / "a", damaged, members) == DATA
    (damage,) = members.damages
    assert (damage.offset, damage.done) == (2 * SIZE, "what it holds is used as it is")
    assert f"at byte {starts[2]:,} of the file" in damage.what


def test_two_damaged_neighbours_are_distinguished(tmp_path: Path) -> None:
    packed, starts = in_blocks(DATA, SIZE)
    damaged = bytearray(packed)
    for number in (4, 5):
        damaged[starts[number] + 30 : starts[number] + 34] = b"\xff\0\xff\0"
    members = found_in(bytes(damaged))
    assert members.packed.tolist() == starts
    assert members.broken == {4, 5}
    plain = unpacked(tmp_path / "a", bytes(damaged), members)
    assert (plain[: 4 * SIZE], plain[6 * SIZE :]) == (DATA[: 4 * SIZE], DATA[6 * SIZE :])


def test_a_lost_header_loses_nothing_else(tmp_path: Path) -> None:
    packed, starts = in_blocks(DATA, SIZE)
    damaged = packed[: starts[4]] + bytes(10) + packed[starts[4] + 10 :]
    members = found_in(damaged)
    assert unpacked(tmp_path / "a", damaged, members) == DATA
    assert [damage.offset for damage in members.damages] == [4 * SIZE]


def test_a_block_that_holds_more_than_it_may_is_cut(tmp_path: Path) -> None:
    packed, starts = in_blocks(DATA, SIZE)
    large = zlib.compress(bytes(10**7), wbits=31)
    damaged = packed[: starts[4]] + large + packed[starts[4] :]
    members = found_in(damaged)
    assert members.size <= len(DATA) + SIZE
    plain = unpacked(tmp_path / "a", damaged, members)
    assert (plain[: 4 * SIZE], plain[5 * SIZE :]) == (DATA[: 4 * SIZE], DATA[4 * SIZE :])


@pytest.mark.parametrize(("rest", "problems"), [(bytes(3000), 0), (b"something else" * 90, 1)])
def test_other_bytes_after_the_last_block(rest: bytes, problems: int, small_chunks: None) -> None:
    members = found_in(in_blocks(DATA, SIZE)[0] + rest)
    assert (members.size, len(members.damages)) == (len(DATA), problems)


@more_examples(2)
@given(st.integers(60, len(in_blocks(DATA, SIZE)[0]) - 1), st.integers(1, 255), st.sampled_from((700, 1 << 20)))
def test_a_wrong_byte_stays_in_its_block(
    tmp_path_factory: pytest.TempPathFactory, at: int, flip: int, chunk: int
) -> None:
    packed, starts = in_blocks(DATA, SIZE)
    number = bisect_right(starts, at) - 1
    damaged = packed[:at] + bytes([packed[at] ^ flip]) + packed[at + 1 :]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(members_module, "CHUNK", chunk)
        members = found_in(damaged)
    plain = unpacked(tmp_path_factory.getbasetemp() / "damaged", damaged, members)
    start, stop = number * SIZE, (number + 1) * SIZE
    assert plain[:start] == DATA[:start]
    assert plain[stop:] == DATA[stop:]
    assert members.damages or plain == DATA


# -- dumps ------------------------------------------------------------------------------------------------------------


def test_a_dump_in_blocks_has_all_its_totals(tmp_path: Path, coffeetree: Run, cache_folder: Path) -> None:
    name = "jdk17-zgc.hprof"
    path = tmp_path / "dump.hprof.gz"
    path.write_bytes(in_blocks(sample(name), 1 << 20)[0])
    info = coffeetree("info", "--json", path).json
    wanted = {key: value for key, value in TRUTH[name]["totals"].items() if value}
    assert {key: value for key, value in info["totals"].items() if value} == wanted
    assert info["problems"] == []
    assert sum(each.stat().st_size for each in cache_folder.rglob("unpacked/**/*") if each.is_file()) < 10_000


def test_a_damaged_block_of_a_dump_takes_only_its_own_objects(tmp_path: Path, coffeetree: Run) -> None:
    def segment(first: int) -> bytes:
        return record(0x1C, b"".join(node(first + 8 * place, NODES, place) for place in range(200)))

    start = header() + names() + record(0x1C, class_dump() + root(NODES))
    parts = [start, *(segment(NODES + 8 * 200 * number) for number in range(30)), record(0x2C)]
    packed, starts = b"", []
    for part in parts:
        starts.append(len(packed))
        packed += in_blocks(part, 1 << 20, level=6)[0] if not packed else zlib.compress(part, wbits=31)
    damaged = bytearray(packed)
    middle = (starts[9] + starts[10]) // 2
    damaged[middle : middle + 8] = struct.pack(">Q", 0xFF00FF00FF00FF00)
    path = tmp_path / "dump.hprof.gz"
    path.write_bytes(damaged)
    answer = coffeetree("info", "--json", path)
    assert answer.status == 3
    assert 29 * 200 <= answer.json["totals"]["objects"] < 30 * 200
    assert answer.json["totals"]["unknown_sub_records"] == 1
    packed_problem, heap_problem = answer.json["problems"]
    assert packed_problem["what"].startswith(f"the gzip block at byte {starts[9]:,} of the file is damaged")
    assert heap_problem["kind"] == "unknown record"


NODES = 1 << 20


EMPTY = gzip.compress(b"", mtime=0)
FIRST, LAST = in_blocks(DATA[:SIZE], SIZE)[0], gzip.compress(DATA[:SIZE], mtime=0)


def test_bytes_decompressed_at_a_time_do_not_grow_with_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    make = zlib.decompressobj

    class Counted:
        def __init__(self, wbits: int) -> None:
            self._member = make(wbits=wbits)

        def decompress(self, data: bytes, most: int = 0) -> bytes:
            given.append(len(data))
            return self._member.decompress(data, most)

        def __getattr__(self, name: str) -> object:
            return getattr(self._member, name)

    monkeypatch.setattr(members_module, "WINDOW", 100)
    monkeypatch.setattr(zlib, "decompressobj", Counted)
    members = found_in(FIRST + EMPTY * 500, 1 << 20)
    assert (len(members), members.size, members.damages) == (501, SIZE, [])
    assert max(given) <= 100


@pytest.mark.parametrize("chunk", [100, 1000, 1 << 20])
def test_a_file_that_is_damaged_all_over_is_given_up(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members_module, "MOST_DAMAGED", 10)
    monkeypatch.setattr(members_module, "CHUNK", chunk)
    broken = members_module.BEGINNING + b"\xff" * 4
    just, more = (found_in(FIRST + broken * count + LAST) for count in (9, 11))
    assert (just.size, len(just.damages)) == (2 * SIZE, 9)
    assert (more.size, len(more.damages)) == (SIZE, 11)
    stop = len(FIRST) + 10 * len(broken)
    assert more.damages[-1].what == "10 gzip blocks are damaged, too many to continue"
    assert more.damages[-1].done == f"what follows byte {stop:,} of the file is not read"
