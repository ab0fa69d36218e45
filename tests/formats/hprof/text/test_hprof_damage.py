"""Damaged HPROF text: every record that the damage doesn't touch is read where it stands, or told as a problem."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from conftest import TESTS, plain_bytes

from parsers.formats.hprof.data.columns import KEPT_PROBLEMS, NOWHERE
from parsers.formats.hprof.data.tables import ProfileTables
from parsers.formats.hprof.text.lines import MOST_PIECE
from parsers.formats.hprof.text.plain_text import PlainText

CORPUS = TESTS / "corpus" / "hprof" / "text"
NAMES = sorted(path.name for path in CORPUS.glob("*.xz") if path.stat().st_size < 30_000)
COLUMNS = (
    "trace_offset",
    "thread_start",
    "thread_end",
    "section_offset",
    "rank_offset",
    "site_offset",
    "wait_offset",
    "dumped_offset",
    "monitor_offset",
    "object_offset",
    "root_offset",
)
OUTPUT = b"program output in between, 42 % done\n"
MOST = 150_000


def read(data: bytes) -> ProfileTables:
    text = PlainText(ProfileTables())
    text.read(lambda count, offset: data[offset : offset + count], len(data))
    return text.tables


def records(tables: ProfileTables) -> set[int]:
    """Returns the offsets of records."""
    return {offset for name in COLUMNS for offset in tables.columns[name]} - {NOWHERE}


def sample(name: str, random: Random) -> bytes:
    """A sample, or its head and a piece of it from somewhere."""
    data = plain_bytes(CORPUS / name)
    if len(data) <= MOST:
        return data
    start = data.index(b"\n", random.randrange(len(data) - MOST // 2)) + 1
    return data[: MOST // 2] + data[start : start + MOST // 2]


def body(data: bytes) -> int:
    """Returns the offset of the first record."""
    return data.find(b"\n--------\n") + 1


def line_of(data: bytes, place: int) -> tuple[int, int]:
    """Returns start and end of the line that contains a byte."""
    end = data.find(b"\n", place) + 1
    return data.rfind(b"\n", 0, place) + 1, end or len(data)


def flipped(data: bytes, place: int, random: Random) -> tuple[bytes, int, int]:
    # A line end that is another byte now glues the next line to this one.
    _, end = line_of(data, place + (data[place : place + 1] == b"\n"))
    changed = bytes([data[place] ^ 1 << random.randrange(7)])
    return data[:place] + changed + data[place + 1 :], line_of(data, place)[0], end


def glued(data: bytes, place: int, random: Random) -> tuple[bytes, int, int]:
    """Joins two lines; the bytes between them are lost."""
    start, end = line_of(data, place)
    cut = min(end + random.randrange(40), len(data))
    return data[:place] + data[cut:], start, line_of(data, cut)[1]


def interrupted(data: bytes, place: int, random: Random) -> tuple[bytes, int, int]:
    start, _ = line_of(data, place)
    return data[:start] + OUTPUT + data[start:], start, start


def within(data: bytes, place: int, random: Random) -> tuple[bytes, int, int]:
    """Program output in the middle of a line."""
    return data[:place] + OUTPUT + data[place:], *line_of(data, place)


@cache
def whole_sample(name: str) -> tuple[bytes, set[int]]:
    """A sample and its records."""
    data = sample(name, Random(name))
    return data, records(read(data))


@pytest.mark.parametrize("damage", [flipped, glued, interrupted, within])
@pytest.mark.parametrize("name", NAMES)
def test_undamaged_records_are_read_or_reported(name: str, damage: object) -> None:
    random = Random(name)
    data, left = whole_sample(name)
    for _ in range(6):
        place = random.randrange(body(data), len(data) - 1)
        changed, start, end = damage(data, place, random)  # type: ignore[operator]
        moved = len(changed) - len(data)
        if b"THREAD START" in data[start:end]:
            # Its name may contain the following bytes, up to the maximum length of a record.
            end += MOST_PIECE
        left = {offset if offset < start else offset + moved for offset in left if not start <= offset < end}
        data = changed
    tables = read(data)
    if max(tables.problem_counts) <= KEPT_PROBLEMS:
        assert left <= records(tables) | set(tables.columns["problem_offset"])
