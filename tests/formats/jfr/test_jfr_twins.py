"""Plain code and kernels make the same index of sound, cut and changed recordings, and never fail."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from conftest import TESTS, plain_bytes
from hypothesis import given, settings
from hypothesis import strategies as st
from recordings import KernelBuild, PlainBuild, built, thinned
from search_damage import DAMAGES, difference, try_one
from tiny_recordings import EVENTS, tiny_recording

from parsers.formats.jfr.build import RecordingBuild
from parsers.formats.jfr.read import chunk, metadata
from parsers.formats.jfr.read.chunk import ChunkReader, Traces
from parsers.formats.jfr.read.chunk_types import TypeReader
from parsers.formats.jfr.read.chunks import MOST_TINY, File
from parsers.formats.jfr.read.engine import Engine
from parsers.formats.jfr.read.interning import MOST_UNKNOWN
from parsers.formats.jfr.read.loops import FIRST_STACK, LOST, NO_STACK

CORPUS = TESTS / "corpus" / "jfr"
SAMPLES = sorted(path.name for path in CORPUS.glob("*.xz"))
LONG = ("ap4-wall-live.jfr.xz", "jdk25-profile.jfr.xz", "jdk8-profile.jfr.xz")
"""Samples with thousands of events of one type, as `jdk25-all` has, too."""
SMALL = [name for name in SAMPLES if (CORPUS / name).stat().st_size < 120_000]
"""Samples of every kind but that of JDK 8, which has the same parts as later ones."""


def check_twins(data: bytes) -> None:
    """Compares both indexes of some bytes."""
    assert not difference(data)


@pytest.mark.parametrize("name", SAMPLES)
def test_both_engines_agree_on_a_sample(name: str) -> None:
    data = plain_bytes(CORPUS / name)
    check_twins(thinned(data) if name in LONG else data)


@settings(max_examples=8)
@given(st.sampled_from(SMALL), st.floats(0, 1))
def test_both_engines_agree_on_a_cut_file(name: str, share: float) -> None:
    data = plain_bytes(CORPUS / name)
    check_twins(data[: 8 + int(share * (len(data) - 8))])


@settings(max_examples=12)
@given(st.sampled_from(SMALL), st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), min_size=1, max_size=20))
def test_both_engines_agree_on_a_file_with_changed_bytes(name: str, changes: list[tuple[float, int]]) -> None:
    data = bytearray(plain_bytes(CORPUS / name))
    for share, change in changes:
        data[8 + int(share * (len(data) - 9))] ^= change
    check_twins(bytes(data))


@pytest.mark.parametrize("kind", DAMAGES)
def test_the_search_for_damage_finds_no_difference(kind: str) -> None:
    assert not try_one(CORPUS / "jdk25-custom.jfr.xz", kind, number=0)


def test_the_search_for_damage_reports_a_file_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DAMAGES, "cut", lambda data, random: b"FLR\0\0\1" + bytes(62))
    assert "version 1" in try_one(CORPUS / "jdk25-custom.jfr.xz", "cut", number=0)


def test_both_engines_count_the_events_of_a_chunk_without_metadata_by_their_numbers(tmp_path: Path) -> None:
    data = bytearray(plain_bytes(CORPUS / "jdk25-stuck.jfr.xz"))
    whole = built(bytes(data), tmp_path, PlainBuild)[0]
    place = struct.unpack_from(">q", data, 24)[0]
    # Its first strings have an encoding that there is not.
    data[place + 30 : place + 60] = b"\xee" * 30
    check_twins(bytes(data))
    header = built(bytes(data), tmp_path, KernelBuild)[0]
    assert header.rows == whole.rows
    assert all(name.startswith("(type ") for name in header.totals["events"])
    # Metadata where the header says, which are found again among the events, are one problem.
    assert [problem.kind for problem in header.problems][:2] == ["metadata", "no metadata"]
    assert len(set(header.problems)) == len(header.problems)


@pytest.mark.parametrize("name", ["jdk25-stuck.jfr.xz", "ap4-jfrsync.jfr.xz", "jdk17-deep512.jfr.xz"])
@pytest.mark.parametrize("maker", [PlainBuild, KernelBuild])
def test_windows_smaller_than_checkpoints_change_nothing(
    name: str, maker: type[RecordingBuild], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = plain_bytes(CORPUS / name)
    whole, arrays = built(data, tmp_path, KernelBuild)
    monkeypatch.setattr(chunk, "WINDOW", 5_000)
    in_pieces, arrays_in_pieces = built(data, tmp_path, maker)
    assert in_pieces.totals == whole.totals
    assert arrays_in_pieces == arrays


@pytest.mark.parametrize("name", ["jdk25-stuck.jfr.xz", "ap4-jfrsync.jfr.xz"])
def test_checkpoints_read_by_two_threads_give_the_same_index(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = plain_bytes(CORPUS / name)
    whole = built(data, tmp_path, KernelBuild)[1]
    monkeypatch.setattr(chunk, "SPLIT", 0)
    assert built(data, tmp_path, KernelBuild)[1] == whole


def test_traces_are_found_by_keys_with_and_without_gaps() -> None:
    wanted = np.array([0, 5, 6, 7, -1, 1 << 62, -(1 << 63)], np.int64)
    for keys in ([7, 5, 7], [5, 7, 1 << 62], [-1, 5, 7]):
        traces = np.array(keys, np.int64)
        nothing = np.zeros(0, np.int64)
        for is_plain in (True, False):
            reader = ChunkReader(
                File(lambda count, offset: b"", 0, lambda buffer, offset: None), Engine(is_plain), TypeReader().types_of
            )
            table = reader.table_of(Traces(traces, nothing, nothing, nothing, nothing))  # type: ignore[arg-type]
            found = np.zeros(len(wanted), np.uint32)
            missing = reader.engine.loops.find_stacks(wanted, traces, table.least, table.places, found)
            last = {key: FIRST_STACK + place for place, key in enumerate(keys)} | {0: NO_STACK}
            assert found.tolist() == [last.get(key, LOST) for key in wanted.tolist()]
            assert missing == found.tolist().count(LOST)


@pytest.mark.parametrize("kind", [*EVENTS, "types", "types with the next one as a field"])
def test_both_engines_agree_on_tiny_parts(kind: str) -> None:
    check_twins(tiny_recording(kind, 10_000))


def test_tiny_chunks_beyond_the_first_ones_are_one_range_of_lost_bytes(tmp_path: Path) -> None:
    one, sound = tiny_recording("chunks without metadata", 1), tiny_recording("chunks of one sample", 1)
    header = built(one * (MOST_TINY + 9) + sound, tmp_path, KernelBuild)[0]
    assert header.rows == MOST_TINY + 1
    assert header.totals["chunks"] == MOST_TINY + 1
    assert header.totals["bytes_lost"] == 9 * len(one)
    assert [problem.offset for problem in header.problems if problem.kind == "no chunk"] == [MOST_TINY * len(one)]


def test_threads_without_constant_beyond_the_first_ones_are_one_thread(tmp_path: Path) -> None:
    data = tiny_recording("samples of unknown threads and stacks", 14 * MOST_UNKNOWN + 500)
    header = built(data, tmp_path, KernelBuild)[0]
    assert header.rows > MOST_UNKNOWN + 9
    assert header.totals["threads"] == MOST_UNKNOWN + 1
    check_twins(data)


def test_of_metadata_with_too_many_elements_the_first_types_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata, "MOST_ELEMENTS", 60)
    header = built(tiny_recording("types", 3_000), tmp_path, KernelBuild)[0]
    names = list(header.totals["events"])
    assert "a.B0" in names
    assert any(name.startswith("(type ") for name in names)
    assert [problem.kind for problem in header.problems] == ["metadata"]
