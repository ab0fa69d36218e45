"""A zip archive of recordings as one stream of plain bytes: its members, concatenated.

The first bytes of a member decide whether it belongs to the recordings; others are skipped and listed. A damaged
archive gives its readable part.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from parsers.io.archives.contents import ArchiveContents, ArchiveMember, Place
from parsers.io.archives.unpack import BLOCK
from parsers.io.archives.utf16 import ENCODING, as_utf_8, byte_order
from parsers.io.archives.zip_entries import METHODS, STORED, Entry, Read, entries_of

LOOKED_AT = 64 << 10
"""Bytes at the start of a member by which it is recognised."""
MOST_LOOKED_AT = 1000
"""Maximum number of members examined: archives with more contain something else."""
MOST_PACKED = 2 * LOOKED_AT
"""Maximum packed bytes read for that: deflated ones may unpack to nothing."""
MOST_DAMAGE = 8
"""Maximum number of damaged members described; the others are counted."""
MOST_OF_A_NAME = 200
"""Maximum characters of a name in a message."""
STEP = 16 << 10
"""Packed bytes unpacked at a time: damage loses at most that many bytes before it."""


class ZipUnpacking:
    """One pass over an archive, with the interface of `parsers.io.archives.unpack.Unpacking`."""

    def __init__(self, read: Read, size: int, place: Place) -> None:
        self._read = read
        listing = entries_of(read, size)
        self._damage = [listing.damage] if listing.damage is not None else []
        self.taken = 0
        """Bytes of the archive read so far."""
        self.given = 0
        """Plain bytes returned so far."""
        self._members: list[ArchiveMember] = []
        self._passed_by: list[str] = []
        self._chosen = self._choose(listing.entries, place)

    @property
    def has_members(self) -> bool:
        """True if any member is wanted."""
        return bool(self._chosen)

    @property
    def damage(self) -> str | None:
        """Description of the damage of the archive."""
        more = len(self._damage) - MOST_DAMAGE
        messages = [*self._damage[:MOST_DAMAGE], f"so it is with {more:,} more"] if more > 0 else self._damage
        return "; ".join(messages) or None

    @property
    def contents(self) -> ArchiveContents:
        """The members returned, complete after the last block, and the names of other files."""
        return ArchiveContents(tuple(self._members), tuple(self._passed_by))

    def blocks(self, most: int = BLOCK) -> Iterator[bytes]:
        """Yields the plain bytes of all members, in blocks of at most `most`."""
        for entry, codec in self._chosen:
            start = self.given
            packed = self._plain(entry, most if codec is None else max(most // 2, 2))
            for block in packed if codec is None else as_utf_8(packed, codec):
                for at in range(0, len(block), most):
                    piece = block[at : at + most]
                    self.given += len(piece)
                    yield piece
            stored_in = None if codec is None else ENCODING
            self._members.append(ArchiveMember(entry.name, start, self.given - start, stored_in))

    def _choose(self, entries: list[Entry], place: Place) -> list[tuple[Entry, str | None]]:
        """The wanted members in order, with the encoding of those in UTF-16."""
        found: list[tuple[float, Entry, str | None]] = []
        for entry in entries[:MOST_LOOKED_AT]:
            if entry.method not in METHODS or entry.is_encrypted:
                why = "is encrypted" if entry.is_encrypted else f"is packed by method {entry.method}, which isn't read"
                self._damage.append(f"{shown_name(entry)} {why}")
                continue
            start = entry._replace(end=min(entry.end, entry.start + MOST_PACKED))
            head = b"".join(self._plain(start, LOOKED_AT, LOOKED_AT, is_quiet=True))
            codec = byte_order(head)
            plain = head if codec is None else b"".join(as_utf_8([head], codec))
            at = place(plain, entry.name)
            if at is None:
                self._passed_by.append(entry.name)
            else:
                found.append((at, entry, codec))
        self._passed_by += [entry.name for entry in entries[MOST_LOOKED_AT:]][:MOST_LOOKED_AT]
        return [(entry, codec) for _, entry, codec in sorted(found, key=lambda each: each[0])]

    def _plain(self, entry: Entry, most: int, limit: int | None = None, is_quiet: bool = False) -> Iterator[bytes]:
        """Yields the plain bytes of a member, up to a limit; damage is recorded unless `is_quiet`."""
        pieces = self._stored(entry) if entry.method == STORED else self._inflated(entry, most, is_quiet)
        checksum, given, known = 0, 0, len(self._damage)
        for piece in pieces:
            checksum, given = zlib.crc32(piece, checksum), given + len(piece)
            yield piece
            if limit is not None and given >= limit:
                return
        if entry.checksum not in (None, checksum) and not is_quiet and len(self._damage) == known:
            self._damage.append(f"the checksum of {shown_name(entry)} is wrong")

    def _stored(self, entry: Entry) -> Iterator[bytes]:
        at = entry.start
        while data := self._read(min(STEP, entry.end - at), at):
            at += len(data)
            self.taken = at
            yield data

    def _inflated(self, entry: Entry, most: int, is_quiet: bool) -> Iterator[bytes]:
        inflating, at, data, is_full = zlib.decompressobj(wbits=-15), entry.start, b"", False
        damage = ""
        while not inflating.eof and not damage:
            # After a full piece there may be more output although all input is consumed.
            if not data and not is_full:
                data = self._read(min(STEP, max(0, entry.end - at)), at)
                at += len(data)
                self.taken = at
                if not data:
                    damage = f"{shown_name(entry)} ends early"
            try:
                piece = inflating.decompress(data, most)
            except zlib.error as error:
                damage = f"{shown_name(entry)} is damaged ({str(error).partition(': ')[2] or error})"
                break
            data, is_full = inflating.unconsumed_tail, len(piece) == most
            if piece:
                yield piece
        if damage and not is_quiet:
            self._damage.append(damage)


def shown_name(entry: Entry) -> str:
    """The name of a member as shown in messages."""
    return entry.name if len(entry.name) <= MOST_OF_A_NAME else f"{entry.name[:MOST_OF_A_NAME]}…"
