"""What is in a zip archive: by its directory, or, where that is lost, by what stands before each member.

Source: APPNOTE.TXT of PKWARE, version 6.3 (sections 4.3 and 4.5).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple

Read = Callable[[int, int], bytes]
"""Of a count and an offset: bytes of the archive, fewer at its end."""

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


class Entry(NamedTuple):
    """A member of an archive."""

    name: str
    method: int
    is_encrypted: bool
    start: int
    """Where its packed bytes begin."""
    end: int
    """Where they end at the latest."""
    checksum: int | None
    """CRC-32 of the plain bytes, where it is known."""


class Listing(NamedTuple):
    """The members of an archive."""

    entries: list[Entry]
    trouble: str | None
    """What was wrong with the archive as a whole."""


def entries_of(read: Read, size: int) -> Listing:
    """All members, in the order in which they stand in the file; folders left out."""
    listed = _by_directory(read, size)
    trouble = None
    if listed is None:
        listed = list(_by_headers(read, size))
        trouble = "the zip archive has no directory at its end: its members were found by what stands before them"
    files = [entry for entry in listed if not entry.name.endswith("/")]
    return Listing(sorted(files, key=lambda entry: entry.start), trouble)


def _by_directory(read: Read, size: int) -> list[Entry] | None:
    """As the directory has them; None where there is none, or it is damaged."""
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
    # Something may have been put before the archive.
    shift = max(0, end - length - offset)
    if not 0 < count <= MOST_ENTRIES or length > size:
        return None
    data, at, found = read(length, offset + shift), 0, []
    for _ in range(count):
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
            # The directory is another's, or the member is gone.
            return None
        at = name_end + lengths[1] + lengths[2]
    return found


def _large(extra: bytes, numbers: list[int]) -> list[int]:
    """Sizes and offsets, those that are too large for their place from the extra field."""
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


def _by_headers(read: Read, size: int) -> Iterator[Entry]:
    """By local headers, wherever they stand."""
    at = _next_header(read, 0, size)
    while at < size:
        header = read(LOCAL_SIZE, at)
        flags, method, checksum, packed, plain, name_length, extra_length = struct.unpack_from("<HH4xIIIHH", header, 6)
        rest = read(name_length + extra_length, at + LOCAL_SIZE)
        plain, packed, _ = _large(rest[name_length:], [plain, packed, 0])
        start = at + LOCAL_SIZE + name_length + extra_length
        is_known = bool(packed) and _is_header(read(LOCAL_SIZE, start + packed))
        end = start + packed if is_known else _next_header(read, start, size)
        name = _name(rest[:name_length], flags)
        yield Entry(name, method, bool(flags & IS_ENCRYPTED), start, end, checksum if packed else None)
        at = end


def _is_header(header: bytes) -> bool:
    """Whether these bytes can be what stands before a member."""
    if len(header) < LOCAL_SIZE or not header.startswith(LOCAL):
        return False
    version, method, name_length = header[4], *struct.unpack_from("<H16xH", header, 8)
    return version <= 63 and method <= 99 and 0 < name_length <= 4096


def _next_header(read: Read, at: int, size: int) -> int:
    """Where the next member seems to begin; `size` if there is none."""
    while at < size:
        data = read(STEP + LOCAL_SIZE, at)
        place = data.find(LOCAL)
        while 0 <= place < STEP:
            if _is_header(data[place : place + LOCAL_SIZE]):
                return at + place
            place = data.find(LOCAL, place + 1)
        at += STEP
    return size


def _name(data: bytes, flags: int) -> str:
    text = data.decode("utf-8" if flags & IS_UTF_8 else "cp437", "replace")
    return "".join(each if each.isprintable() else "\ufffd" for each in text)
