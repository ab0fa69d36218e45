"""The members of a zip archive: from its directory, or, if that is lost, from the headers before each member.

Source: APPNOTE.TXT of PKWARE, version 6.3 (sections 4.3 and 4.5).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

Read = Callable[[int, int], bytes]
"""Function of a count and an offset that returns bytes of the archive, fewer at its end."""

LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
END_64, LOCATOR_64 = b"PK\x06\x06", b"PK\x06\x07"
LOCAL_SIZE, CENTRAL_SIZE, END_SIZE, END_64_SIZE, LOCATOR_SIZE = 30, 46, 22, 56, 20
MOST_COMMENT = 0xFFFF
STORED, DEFLATED = 0, 8
METHODS = (STORED, DEFLATED)
IS_ENCRYPTED, IS_UTF_8 = 1, 1 << 11
SIZES_64 = 1
"""Number of the extra field with sizes of 64 bits."""
LARGE = 0xFFFF_FFFF
MOST_ENTRIES = 100_000
STEP = 1 << 20
_HEADER = re.compile(
    rb"PK\x03\x04[\x00-\x3f].{3}[\x00-\x63]\x00.{16}(?:[\x01-\xff][\x00-\x0f]|\x00[\x01-\x10])..", re.DOTALL
)
"""Valid header of a member: version up to 6.3, a method below 100, a name of 1 to 4,096 bytes."""


class Entry(NamedTuple):
    """A member of an archive."""

    name: str
    method: int
    is_encrypted: bool
    start: int
    """Offset of its packed bytes."""
    end: int
    """Latest possible end of its packed bytes."""
    checksum: int | None
    """CRC-32 of the plain bytes; None if unknown."""


class Listing(NamedTuple):
    """The members of an archive."""

    entries: list[Entry]
    damage: str | None
    """Damage of the archive as a whole."""


def entries_of(read: Read, size: int) -> Listing:
    """All members in file order, without folders."""
    listed = _by_directory(read, size)
    damage = None
    if listed is None:
        listed = list(islice(_by_headers(_Window(read), size), MOST_ENTRIES + 1))
        damage = "the zip archive has no directory at its end: its members were found by their own headers"
    if len(listed) > MOST_ENTRIES:
        del listed[MOST_ENTRIES:]
        most = f"only the first {MOST_ENTRIES:,} members of the zip archive are read"
        damage = most if damage is None else f"{damage}; {most}"
    files = [entry for entry in listed if not entry.name.endswith("/")]
    apart = _apart(sorted(files, key=lambda entry: entry.start))
    if len(apart) < len(files):
        same = f"{len(files) - len(apart):,} members of the zip archive have the place of another: they are left out"
        damage = same if damage is None else f"{damage}; {same}"
    return Listing(apart, damage)


def _apart(entries: Sequence[Entry]) -> list[Entry]:
    """The same members, each ending at the latest where the next one begins; for equal starts only the first.

    So all of them together are no longer than the archive, whatever its directory claims.
    """
    apart: list[Entry] = []
    for entry in reversed(entries):
        if apart and entry.start == apart[-1].start:
            apart.pop()
        following = apart[-1].start if apart else entry.end
        apart.append(entry._replace(end=min(entry.end, following)))
    return apart[::-1]


class _Window:
    """A `Read` for searching an archive front to back by few large reads; other reads are passed on."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._start = 0
        self._data = b""

    def __call__(self, count: int, offset: int) -> bytes:
        """Reads up to `count` bytes at an offset."""
        if self._has_read(count, offset):
            return self._data[offset - self._start : offset - self._start + count]
        return self._read(count, offset)

    def find_header(self, at: int, size: int) -> int:
        """Probable start of the next member; `size` if there is none."""
        while at + LOCAL_SIZE <= size:
            if not self._has_read(LOCAL_SIZE, at):
                self._start, self._data = at, self._read(STEP, at)
            found = _HEADER.search(self._data, at - self._start)
            if found is not None:
                return self._start + found.start()
            end = self._start + len(self._data)
            if end < at + LOCAL_SIZE:
                break
            # A header may begin in the last bytes.
            at = end - LOCAL_SIZE + 1
        return size

    def _has_read(self, count: int, offset: int) -> bool:
        return self._start <= offset and offset + count <= self._start + len(self._data)


def _by_directory(read: Read, size: int) -> list[Entry] | None:
    """The members in the directory, at most one more than are read; None if it is missing or damaged."""
    tail_start = max(0, size - END_SIZE - MOST_COMMENT)
    tail = read(size - tail_start, tail_start)
    place = tail.rfind(END)
    if place < 0 or len(tail) < place + END_SIZE:
        return None
    count, length, offset = struct.unpack_from("<HII", tail, place + 10)
    end = tail_start + place
    locator = read(LOCATOR_SIZE, max(0, end - LOCATOR_SIZE))
    if locator.startswith(LOCATOR_64):
        record = read(END_64_SIZE, struct.unpack_from("<Q", locator, 8)[0])
        if record.startswith(END_64) and len(record) == END_64_SIZE:
            count, length, offset = struct.unpack_from("<QQQ", record, 32)
            end = struct.unpack_from("<Q", locator, 8)[0]
    # Other data may precede the archive.
    shift = max(0, end - length - offset)
    if not count or length > size:
        return None
    data, at, found = read(length, offset + shift), 0, []
    for _ in range(min(count, MOST_ENTRIES + 1)):
        if not data.startswith(CENTRAL, at) or len(data) < at + CENTRAL_SIZE:
            return None
        flags, method, checksum, packed, plain, *lengths = struct.unpack_from("<HH4xIIIHHH", data, at + 8)
        start = struct.unpack_from("<I", data, at + 42)[0]
        name_end = at + CENTRAL_SIZE + lengths[0]
        extra = data[name_end : name_end + lengths[1]]
        plain, packed, start = _large(extra, [plain, packed, start])
        header = read(LOCAL_SIZE, start + shift)
        if header.startswith(LOCAL) and len(header) == LOCAL_SIZE:
            begin = start + shift + LOCAL_SIZE + sum(struct.unpack_from("<HH", header, 26))
            name = _name(data[at + CENTRAL_SIZE : name_end], flags)
            found.append(Entry(name, method, bool(flags & IS_ENCRYPTED), begin, begin + packed, checksum))
        else:
            # The directory belongs to another archive, or the member is gone.
            return None
        at = name_end + lengths[1] + lengths[2]
    return found


def _large(extra: bytes, numbers: list[int]) -> list[int]:
    """Sizes and offsets, with those that need 64 bits read from the extra field."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == SIZES_64:
            field, place = extra[at + 4 : at + 4 + length], 0
            for number, value in enumerate(numbers):
                if value == LARGE and place + 8 <= len(field):
                    numbers[number] = struct.unpack_from("<Q", field, place)[0]
                    place += 8
        at += 4 + length
    return numbers


def _by_headers(read: _Window, size: int) -> Iterator[Entry]:
    """Yields members by their local headers, at any offset."""
    at = read.find_header(0, size)
    while at < size:
        header = read(LOCAL_SIZE, at)
        flags, method, checksum, packed, plain, name_length, extra_length = struct.unpack_from("<HH4xIIIHH", header, 6)
        rest = read(name_length + extra_length, at + LOCAL_SIZE)
        plain, packed, _ = _large(rest[name_length:], [plain, packed, 0])
        start = at + LOCAL_SIZE + name_length + extra_length
        following = read(LOCAL_SIZE, start + packed) if 0 < packed < size - start else b""
        is_known = following.startswith(CENTRAL) or _HEADER.match(following) is not None
        end = start + packed if is_known else read.find_header(start, size)
        name = _name(rest[:name_length], flags)
        yield Entry(name, method, bool(flags & IS_ENCRYPTED), start, end, checksum if packed else None)
        at = read.find_header(end, size)


def _name(data: bytes, flags: int) -> str:
    text = data.decode("utf-8" if flags & IS_UTF_8 else "cp437", "replace")
    return "".join(each if each.isprintable() else "\ufffd" for each in text)
