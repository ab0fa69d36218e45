"""Reads the bytes of a report from any source. Nothing is mapped: a mapped file that shrinks kills the process.

A `Source` is a plain file, a packed one or a pipe (spooled to a private file while it is read). Of a packed file only
the head is in memory at first. Then it is unpacked into the cache, or read in place if its members can be unpacked one
by one. Offsets and sizes are those of the plain bytes everywhere.

A plain file that is still being written may be read up to an `end`, where its writer was between two records. All
readers treat it as a file that ends there, so no record is cut and results stay valid while it grows.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from parsers.io.archives.compressed import kind_of, unpacking_of
from parsers.io.archives.contents import ArchiveContents, Place
from parsers.io.archives.unpack import without_suffix
from parsers.io.archives.unpacked import Copy, find_copy, make_copy
from parsers.io.cache import Cache
from parsers.io.identity import HEAD as HEAD
from parsers.io.identity import Identity as Identity
from parsers.io.identity import digest_of, identify
from parsers.io.plain import BoundedRead, PlainBytes, PlainFile
from parsers.model.report import Problem, ReportError, file_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parsers.io.archives.members import MemberOffsets
    from parsers.model.report import Action

PACKED_FOR_HEAD = 4 << 20
"""Maximum number of packed bytes read for the first plain ones: an archive may unpack to nothing for any length."""
BLOCK_SIZE_IN = 64
"""First bytes of a gzip file, enough to recognise its block structure."""
Change = Literal["same", "grown", "truncated", "removed", "replaced"]


class Source:
    """One opened file. Made by `parsers.io.open_source`."""

    _is_made = False
    """True if this object must close the descriptors; False while opening may still fail."""

    def __init__(
        self,
        path: str,
        descriptor: int,
        cache: Cache,
        stored_path: str | None = None,
        end: int | None = None,
        place: Place | None = None,
    ) -> None:
        """See `open_source`."""
        self._place = place
        self.path = path
        """As the user named it; "-" for standard input."""
        self.end = end
        """Offset at which reading ends although more may follow; None: at the end of the file."""
        self.stored_path = self._file = os.path.abspath(stored_path or path)
        """The file with the original bytes, which any other process of this user can open."""
        self.runs = 0
        """For one of several runs in a file: their number."""
        self._run = ""
        self._stop: int | None = None
        self.name = without_suffix(os.path.basename(os.path.abspath(path))) if path != "-" else file_name(path)
        self.cache = cache
        """The cache for the index and the unpacked copy of this report."""
        self.problems: tuple[Problem, ...] = ()
        """Damage of the archive; known once it is unpacked."""
        self.contents = ArchiveContents()
        """The files that the plain bytes consist of; known once it is unpacked."""
        self.settings = ""
        """User settings that change how it is read, as a short text."""
        self.rewritten = 0
        """Bytes at the start that are rewritten as the file grows; set by its format."""
        self._descriptor = descriptor
        self._bytes: PlainBytes | None = None
        """Reader of the plain bytes; None while they are not unpacked."""
        self._plain = -1
        """Descriptor of a file with the plain bytes; -1 while there is none."""
        self._plain_path = ""
        self._plain_size = 0
        self._block_size: int | None = None
        """For an archive whose members are read in place, the largest number of plain bytes of one."""
        self._identity = identify(descriptor, end)
        self.head = self._read_head()
        """The first 64 KB of the plain bytes."""
        self._head_digest = digest_of(self.head)
        self._kind = kind_of(self.head)
        self._is_head_all = False
        if self._kind is not None and self._open_archive(self._kind):
            self._find_unpacked()
        else:
            self._kind = None
            self._plain, self._plain_path = descriptor, self.stored_path
            self._bytes = PlainFile(descriptor)
        self._is_made = True

    @property
    def stored_paths(self) -> tuple[str, ...]:
        """The one file; for a group of sources all of them."""
        return (self.stored_path,)

    @property
    def actions(self) -> Sequence[Action]:
        """Requests to the program that writes this file: none, except for live sources."""
        return ()

    def act(self, name: str, text: str = "", confirmed: bool = False) -> str:
        """Sends a request, see `HasActions`. Raises `ReportError`."""
        raise ReportError(f"{self.path}: no connected JVM is writing it")

    @property
    def is_packed(self) -> bool:
        """True if the file is an archive."""
        return self._kind is not None

    @property
    def is_spooling(self) -> bool:
        """True if a pipe is still being read, so that more bytes will follow."""
        return False

    @property
    def is_whole(self) -> bool:
        """True if all plain bytes can be read now: `unpack` has nothing to do."""
        return (self._bytes is not None or self._is_head_all) and not self.is_spooling

    @property
    def identity(self) -> Identity:
        """Identity of the file on disk, packed or not, when it was opened or last accepted."""
        known, more = self._identity, f"{self._run}{self.settings}"
        return known if not more else replace(known, digest=digest_of(known.digest.encode(), more.encode()))

    @property
    def stored_size(self) -> int:
        """Bytes of the file on disk."""
        return self._identity.size

    @property
    def size(self) -> int:
        """Plain bytes; for an archive that is not unpacked yet only the known ones."""
        size = self._identity.size
        if self._kind is not None:
            size = self._plain_size if self._bytes is not None else len(self.head)
        return size if self._stop is None else min(size, self._stop)

    @property
    def plain_path(self) -> str:
        """The file with the plain bytes. Raises `ReportError` if it can't be unpacked."""
        self.unpack()
        if self._kind is not None and self._plain < 0:
            self._unpack_whole(self._kind, None)
        return self._plain_path

    @property
    def plain_files(self) -> list[tuple[str, int]]:
        """The files with the plain bytes, here one, and the offset at which each begins. Raises `ReportError`."""
        return [(self.plain_path, 0)]

    def pread(self, count: int, offset: int) -> bytes:
        """Reads up to `count` plain bytes at `offset`; fewer at the end, none after it or on a read error."""
        if count <= 0 or offset < 0:
            return b""
        if self._last is not None:
            count = min(count, self._last - offset)
        if self._bytes is None:
            return self.head[offset : offset + max(count, 0)]
        return self._bytes.pread(count, offset)

    def read_into(self, view: memoryview, offset: int) -> int:
        """Fills a view with plain bytes from `offset` on; returns how many there were."""
        if self._last is not None:
            view = view[: max(0, self._last - offset)]
        if self._bytes is None:
            part = self.head[offset : offset + len(view)]
            view[: len(part)] = part
            return len(part)
        return self._bytes.read_into(view, offset)

    @property
    def _last(self) -> int | None:
        """Offset at which reading ends before the plain bytes do; None if there is none."""
        return self.end if self.end is not None else self._stop

    def narrow(self, run: int, runs: int, stop: int) -> None:
        """Restricts this source to one of the successive runs in the file: to the file as it was when that run ended.

        run   its number, from 1, out of `runs`
        stop  the plain offset at which it ends
        """
        self.runs, self._stop, self._run = runs, stop, f"#{run}"
        self.path += self._run
        self.stored_path += self._run
        self.name += self._run
        self.head = self.head[:stop]

    def restrict_to(self, size: int, mtime_ns: int) -> None:
        """Restricts a plain file to an earlier, shorter state, as another process has opened it.

        size, mtime_ns  of its identity then
        """
        if self._kind is None and self.end is None and size < self._identity.size:
            self._identity = replace(identify(self._descriptor, size), mtime_ns=mtime_ns)
            self._stop = size
            self.head = self._read_head()
            self._head_digest = digest_of(self.head)

    def unpack(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Makes all plain bytes readable: unpacks an archive or finds its members, or waits for the end of a pipe.

        progress  called with bytes of the archive read and its size, at most once a megabyte
        Raises `ReportError` if that would be too much or the disk is full.
        """
        if self._kind is None or self.is_whole:
            return
        if self._block_size is None:
            self._unpack_whole(self._kind, progress)
            return
        from parsers.io.archives.member_table import make_table

        path = self.cache.unpacked_path(self._identity, self.name)
        self._take_members(make_table(self._descriptor, self._block_size, path, self.path, progress))

    def _unpack_whole(self, kind: str, progress: Callable[[int, int], None] | None) -> None:
        path = self.cache.unpacked_path(self._identity, self.name)
        self._take_copy(path, make_copy(kind, self._descriptor, path, self.path, progress, self._place))

    def change(self) -> Change:
        """Compares the file with its state when it was opened or last accepted."""
        try:
            status = os.stat(self._file)
        except FileNotFoundError:
            # Perhaps it is just being replaced.
            return "removed"
        except OSError:
            # The open file stays readable.
            status = os.fstat(self._descriptor)
        known = self._identity
        if (status.st_dev, status.st_ino) != (known.device, known.inode):
            return "replaced"
        if status.st_size == known.size and (self.end is not None or status.st_mtime_ns == known.mtime_ns):
            return "same"
        head = os.pread(self._descriptor, min(HEAD, known.size), 0)
        if status.st_size < known.size:
            return "truncated" if head == self._stored_head(len(head)) else "replaced"
        if self.rewritten:
            is_other = head[self.rewritten :] != self._stored_head(len(head))[self.rewritten :]
        else:
            is_other = digest_of(head) != self._head_digest
        if is_other:
            return "replaced"
        if status.st_size > known.size:
            return "grown"
        return "same" if identify(self._descriptor).digest == known.digest else "replaced"

    @property
    def is_rewritten(self) -> bool:
        """True if known bytes of the open file were rewritten since it was opened; appended bytes don't count."""
        status = os.fstat(self._descriptor)
        known = self._identity
        if self.end is not None:
            # The writer's position is unknown, so the time proves nothing.
            return status.st_size < self.end
        return status.st_size <= known.size and status.st_mtime_ns != known.mtime_ns

    def accept(self) -> None:
        """Accepts the current file as the known one; drops what was unpacked of an older one."""
        self._identity = identify(self._descriptor, self.end)
        self.head = self._read_head()
        self._head_digest = digest_of(self.head)
        if self._kind is not None:
            if self._plain >= 0:
                os.close(self._plain)
                self._plain = -1
            self._bytes = None
            self._open_archive(self._kind)

    def close(self) -> None:
        """Closes the file."""
        for descriptor in {self._descriptor, self._plain} - {-1}:
            os.close(descriptor)
        self._descriptor = self._plain = -1
        self._bytes = None

    def __del__(self) -> None:
        # Files of a source that is no longer referenced are closed, as Python does with file objects.
        if self._is_made:
            self.close()

    def _read_head(self) -> bytes:
        return os.pread(self._descriptor, HEAD if self._last is None else min(HEAD, self._last), 0)

    def _open_archive(self, kind: str) -> bool:
        """Unpacks the head in memory, which is all of a small archive. False: the archive contains something else."""
        self._block_size = self._find_block_size() if kind == "gzip" else None
        head = bytearray()
        read = BoundedRead(PlainFile(self._descriptor).pread)
        unpacking = unpacking_of(kind, read, self._identity.size, self._place)
        if unpacking is None:
            return False
        read.limit(PACKED_FOR_HEAD)
        for block in unpacking.blocks(HEAD):
            head += block
            if len(head) > HEAD:
                break
        self.head = bytes(head[:HEAD])
        # Damage may end the head; if the members are known, more follows.
        is_all = len(head) <= HEAD and not read.is_short
        self._is_head_all = is_all and (self._block_size is None or unpacking.damage is None)
        if self._is_head_all:
            self._note_contents(unpacking.damage, len(head), unpacking.contents)
        return True

    def _stored_head(self, count: int) -> bytes:
        """The first bytes on disk when it was opened; for a plain file without reading."""
        return self.head[:count] if self._kind is None else os.pread(self._descriptor, count, 0)

    def _find_unpacked(self) -> None:
        """Opens the complete unpacked copy or the table of members, if one is in the cache."""
        own = self.cache.unpacked_path(self._identity, self.name, create=False)
        for path in self.cache.unpacked_paths(self._identity, self.name):
            copy = find_copy(path)
            if copy is not None:
                # An entry in use is locked, so that it isn't trimmed.
                used = self.cache.unpacked_path(self._identity, self.name) if path == own else path
                self._take_copy(used, copy)
                return
            members = self._find_members(path)
            if members is not None:
                if path == own:
                    self.cache.unpacked_path(self._identity, self.name)
                self._take_members(members)
                return

    def _take_copy(self, path: str, copy: Copy) -> None:
        self._plain, self._plain_path = copy.descriptor, path
        if self._bytes is None:
            self._bytes, self._plain_size = PlainFile(copy.descriptor), copy.size
            self._note_contents(copy.damage, copy.size, copy.contents)

    def _find_block_size(self) -> int | None:
        """The largest number of plain bytes of a gzip member, if all can be unpacked one by one."""
        from parsers.io.archives.members import block_size

        return block_size(os.pread(self._descriptor, BLOCK_SIZE_IN, 0))

    def _find_members(self, path: str) -> MemberOffsets | None:
        """The table of members of an archive whose copy would have this path."""
        if self._block_size is None:
            return None
        from parsers.io.archives.member_table import find_table

        return find_table(path)

    def _take_members(self, members: MemberOffsets) -> None:
        from parsers.io.archives.blocks import Blocks

        self._bytes, self._plain_size = Blocks(self._descriptor, members), members.size
        found = members.damages
        self.problems = tuple(Problem(each.kind, each.what, each.done, self.path, each.offset) for each in found)

    def _note_contents(self, damage: str | None, size: int, contents: ArchiveContents) -> None:
        """Records the contents of the archive, and its damage as problems of the report."""
        self.contents = contents
        problems = []
        if damage:
            kind = "cut" if damage.endswith("ends early") else "damaged archive"
            done = f"read the {size:,} bytes that could be unpacked"
            problems.append(Problem(kind, damage, done, self.path, size))
        self.problems = tuple(problems)


def error_text(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return text[:1].lower() + text[1:]
