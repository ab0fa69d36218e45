"""Messages about zip archives that contain nothing readable."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from parsers.io.archives.zip_entries import METHODS, STORED, Entry, Read, entries_of
from parsers.io.archives.zip_unpack import MOST_LOOKED_AT, shown_name

SHOWN = 4
"""Maximum number of files named."""
PACKED = (b"PK\x03\x04", b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"BZh", b"7z\xbc\xaf", b"Rar!")
"""First bytes of archives and packed files."""
LOOKED_AT = 4096


def zip_words(read: Read, size: int, wanted: str) -> str:
    """Describes an archive, as the rest of a sentence that begins with its name.

    wanted: titles of the formats that are read in archives
    """
    entries = entries_of(read, size).entries
    if not entries:
        return "is a zip archive without any file in it"
    if all(entry.is_encrypted for entry in entries):
        return f"is an encrypted zip archive of {listed(entries)}: unpack it with its password first"
    packed = [entry for entry in entries[:MOST_LOOKED_AT] if _beginning(read, entry).startswith(PACKED)]
    if packed:
        return f"is a zip archive of archives, {listed(packed)}: unpack it first"
    strange = [entry for entry in entries if entry.method not in METHODS]
    if strange:
        return f"is a zip archive, packed by a method that isn't read, of {listed(strange)}: unpack it first"
    if len(entries) > 1:
        return f"is a zip archive of several files, {listed(entries)}, and none is a {wanted}: unpack it first"
    return f"is a zip archive, and no {wanted} is in it but {listed(entries)}"


def listed(entries: Sequence[Entry]) -> str:
    """The names of the first few files."""
    more = f" and {len(entries) - SHOWN:,} more" if len(entries) > SHOWN else ""
    return ", ".join(shown_name(entry) for entry in entries[:SHOWN]) + more


def _beginning(read: Read, entry: Entry) -> bytes:
    """The first plain bytes of a file; empty if unreadable."""
    data = read(min(LOOKED_AT, max(0, entry.end - entry.start)), entry.start)
    if entry.is_encrypted or entry.method not in METHODS:
        return b""
    if entry.method == STORED:
        return data
    try:
        return zlib.decompressobj(wbits=-15).decompress(data, LOOKED_AT)
    except zlib.error:
        return b""
