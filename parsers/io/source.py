"""Reads the bytes of a report, wherever they come from. Nothing is mapped: a mapped file that shrinks kills a process.

A `Source` is a plain file, a packed one (its head in memory at first; then unpacked into the cache, or read where it
lies if its members can be unpacked one by one) or a pipe (spooled to a private file while it is being read). Offsets
and sizes are those of the plain bytes everywhere.

A plain file that is still being written may be read up to an `end`, where its writer was between two records: for all
readers it is the file that ends there, so that nothing is cut and what is known of it stays true while it grows.
"""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from parsers.io.archives.compressed import Place, kind_of, unpacking_of
from parsers.io.archives.contents import Contents
from parsers.io.archives.unpack import without_suffix
from parsers.io.archives.unpacked import Copy, find_copy, make_copy
from parsers.io.cache import Cache
from parsers.io.identity import HEAD as HEAD
from parsers.io.identity import Identity as Identity
from parsers.io.identity import digest_of, identify
from parsers.io.plain import BoundedRead, PlainBytes, PlainFile
from parsers.model.report import Problem, ReportError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parsers.io.archives.members import Members
    from parsers.model.report import Action

PACKED_FOR_HEAD = 4 << 20
"""Packed bytes that are read at most for the first plain ones: an archive may hold nothing for as long as it likes."""
BLOCK_SIZE_IN = 64
"""First bytes of a gzip file that tell how it is made."""
Change = Literal["same", "grown", "truncated", "replaced"]


class Source:
    """One opened file. Made by `open_source`."""

    _is_made = False
    """Whether the descriptors are this one's to close: they are not while it may turn out that it can't be read."""

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
        """Where reading ends although more may follow; None: at the end of the file."""
        self.stored_path = self._file = os.path.abspath(stored_path or path)
        """The file with the bytes as they came, which any other process of this user can open."""
        self.runs = 0
        """Of one of several runs in a file: how many there are."""
        self._run = ""
        self._stop: int | None = None
        self.name = without_suffix(os.path.basename(os.path.abspath(path))) if path != "-" else "standard input"
        self.cache = cache
        """Where the index and the unpacked copy of this report belong."""
        self.problems: tuple[Problem, ...] = ()
        """What was wrong with the archive; known once it is unpacked."""
        self.contents = Contents()
        """The files that the plain bytes are made of; known once it is unpacked."""
        self.settings = ""
        """What a user has set that changes how it is read, as a short text."""
        self._descriptor = descriptor
        self._bytes: PlainBytes | None = None
        """What reads the plain bytes; None while they are not unpacked."""
        self._plain = -1
        """Descriptor of a file with them; -1 while there is none."""
        self._plain_path = ""
        self._plain_size = 0
        self._block_size: int | None = None
        """Of an archive whose members are read where they lie, the most that one holds."""
        self._identity = identify(descriptor, end)
        self._head = self._read_head()
        self._head_digest = digest_of(self._head)
        self._kind = kind_of(self._head)
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
        """The one file; of a group of sources all of them."""
        return (self.stored_path,)

    @property
    def actions(self) -> Sequence[Action]:
        """What can be asked of who is writing this: nothing, but of live ones."""
        return ()

    def act(self, name: str, text: str = "", confirmed: bool = False) -> str:
        """Ask for it, see `HasActions`. Raises `ReportError`."""
        raise ReportError(f"{self.path}: nobody is writing it who could be asked")

    @property
    def is_packed(self) -> bool:
        """Whether the file is an archive."""
        return self._kind is not None

    @property
    def is_spooling(self) -> bool:
        """Whether a pipe is still being read, so that there will be more bytes."""
        return False

    @property
    def is_whole(self) -> bool:
        """Whether all plain bytes can be read now: `unpack` has nothing to do."""
        return (self._bytes is not None or self._is_head_all) and not self.is_spooling

    @property
    def identity(self) -> Identity:
        """Of the file as it lies on disk, packed or not, when it was opened or last accepted."""
        known, more = self._identity, f"{self._run}{self.settings}"
        return known if not more else replace(known, digest=digest_of(known.digest.encode(), more.encode()))

    @property
    def stored_size(self) -> int:
        """Bytes of the file as it lies on disk."""
        return self._identity.size

    @property
    def head(self) -> bytes:
        """The first 64 KB of the plain bytes."""
        return self._head

    @property
    def size(self) -> int:
        """Plain bytes; of an archive that is not unpacked yet those that are known."""
        size = self._identity.size
        if self._kind is not None:
            size = self._plain_size if self._bytes is not None else len(self._head)
        return size if self._stop is None else min(size, self._stop)

    @property
    def plain_path(self) -> str:
        """The file to read plain bytes from. Raises `ReportError` if it can't be unpacked."""
        self.unpack()
        if self._kind is not None and self._plain < 0:
            self._unpack_whole(self._kind, None)
        return self._plain_path

    @property
    def plain_files(self) -> list[tuple[str, int]]:
        """The files to read plain bytes from, here one, and the offset that each begins at. Raises `ReportError`."""
        return [(self.plain_path, 0)]

    def pread(self, count: int, offset: int) -> bytes:
        """Up to `count` plain bytes from `offset`; fewer at the end, none beyond it or where reading fails."""
        if count <= 0 or offset < 0:
            return b""
        if self._last is not None:
            count = min(count, self._last - offset)
        if self._bytes is None:
            return self._head[offset : offset + max(count, 0)]
        return self._bytes.pread(count, offset)

    def read_into(self, view: memoryview, offset: int) -> int:
        """Fills a view with plain bytes from `offset` on, as far as there are any; how many those are."""
        if self._last is not None:
            view = view[: max(0, self._last - offset)]
        if self._bytes is None:
            part = self._head[offset : offset + len(view)]
            view[: len(part)] = part
            return len(part)
        return self._bytes.read_into(view, offset)

    @property
    def _last(self) -> int | None:
        """Where reading ends before the plain bytes do, if it does."""
        return self.end if self.end is not None else self._stop

    def narrow(self, run: int, runs: int, stop: int) -> None:
        """Be one of the runs that follow each other in the file: the file as it was when that had been written.

        run   its number, from 1, of so many
        stop  the plain offset at which it ends
        """
        self.runs, self._stop, self._run = runs, stop, f"#{run}"
        self.path += self._run
        self.stored_path += self._run
        self.name += self._run
        self._head = self._head[:stop]

    def go_back(self, size: int, mtime_ns: int) -> None:
        """Be the plain file as it was before more was written behind it: what another process has opened.

        size, mtime_ns  of its identity then
        """
        if self._kind is None and self.end is None and size < self._identity.size:
            self._identity = replace(identify(self._descriptor, size), mtime_ns=mtime_ns)
            self._stop = size
            self._head = self._read_head()
            self._head_digest = digest_of(self._head)

    def unpack(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Make all plain bytes readable: unpack an archive into the cache, or find what it is made of; wait for the
        end of a pipe.

        progress  called with bytes of the archive read and its size, at most once a megabyte
        Raises `ReportError` where that would be too much or there is no room.
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
        """What has become of the file since it was opened or last accepted."""
        try:
            status = os.stat(self._file)
        except OSError:
            # Somebody is just replacing it, or it was removed: what is open stays readable.
            status = os.fstat(self._descriptor)
        known = self._identity
        if (status.st_dev, status.st_ino) != (known.device, known.inode):
            return "replaced"
        if status.st_size == known.size and (self.end is not None or status.st_mtime_ns == known.mtime_ns):
            return "same"
        head = os.pread(self._descriptor, min(HEAD, known.size), 0)
        if status.st_size < known.size:
            return "truncated" if head == self._stored_head(len(head)) else "replaced"
        if digest_of(head) != self._head_digest:
            return "replaced"
        if status.st_size > known.size:
            return "grown"
        return "same" if identify(self._descriptor).digest == known.digest else "replaced"

    @property
    def is_rewritten(self) -> bool:
        """Whether the bytes of the open file were written again since it was opened; more behind them doesn't count."""
        status = os.fstat(self._descriptor)
        known = self._identity
        if self.end is not None:
            # Whoever is still writing it may have been anywhere.
            return status.st_size < self.end
        return status.st_size <= known.size and status.st_mtime_ns != known.mtime_ns

    def accept(self) -> None:
        """Take the file as it is now for the known one; what was unpacked of an older one is let go."""
        self._identity = identify(self._descriptor, self.end)
        self._head = self._read_head()
        self._head_digest = digest_of(self._head)
        if self._kind is not None:
            if self._plain >= 0:
                os.close(self._plain)
                self._plain = -1
            self._bytes = None
            self._open_archive(self._kind)

    def close(self) -> None:
        """Close the file."""
        for descriptor in {self._descriptor, self._plain} - {-1}:
            os.close(descriptor)
        self._descriptor = self._plain = -1
        self._bytes = None

    def __del__(self) -> None:
        # Whoever forgets a source has its files closed, as with files themselves.
        if self._is_made:
            self.close()

    def _read_head(self) -> bytes:
        return os.pread(self._descriptor, HEAD if self._last is None else min(HEAD, self._last), 0)

    def _open_archive(self, kind: str) -> bool:
        """Unpack the head in memory; of a small archive that is all there is, so no copy is needed. False where it is
        an archive of something else."""
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
        self._head = bytes(head[:HEAD])
        # Damage may end the head; where members are known, more follows.
        is_all = len(head) <= HEAD and not read.is_short
        self._is_head_all = is_all and (self._block_size is None or unpacking.trouble is None)
        if self._is_head_all:
            self._note_contents(unpacking.trouble, len(head), unpacking.contents)
        return True

    def _stored_head(self, count: int) -> bytes:
        """The first bytes on disk as they were, where that is known without reading: of a plain file."""
        return self._head[:count] if self._kind is None else os.pread(self._descriptor, count, 0)

    def _find_unpacked(self) -> None:
        """Open the unpacked copy, if a whole one is in the cache, or take what is known of its members."""
        own = self.cache.unpacked_path(self._identity, self.name, create=False)
        for path in self.cache.unpacked_paths(self._identity, self.name):
            copy = find_copy(path)
            if copy is not None:
                # What is used is held, so that it isn't trimmed.
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
            self._note_contents(copy.trouble, copy.size, copy.contents)

    def _find_block_size(self) -> int | None:
        """The most that a member of a gzip file holds, if all can be unpacked one by one."""
        from parsers.io.archives.members import block_size

        return block_size(os.pread(self._descriptor, BLOCK_SIZE_IN, 0))

    def _find_members(self, path: str) -> Members | None:
        """What is known of the members of an archive whose copy would lie at this path."""
        if self._block_size is None:
            return None
        from parsers.io.archives.member_table import find_table

        return find_table(path)

    def _take_members(self, members: Members) -> None:
        from parsers.io.archives.blocks import Blocks

        self._bytes, self._plain_size = Blocks(self._descriptor, members), members.size
        found = members.damages
        self.problems = tuple(Problem(each.kind, each.what, each.done, self.path, each.offset) for each in found)

    def _note_contents(self, trouble: str | None, size: int, contents: Contents) -> None:
        """What the archive holds, and what was wrong with it as problems of the report."""
        self.contents = contents
        problems = []
        if trouble:
            kind = "cut" if trouble.endswith("ends early") else "damaged archive"
            done = f"read the {size:,} bytes that could be unpacked"
            problems.append(Problem(kind, trouble, done, self.path, size))
        self.problems = tuple(problems)


def open_source(path: str, cache: Cache, end: int | None = None, place: Place | None = None) -> Source:
    """Open a file, an archive, or a pipe ("-": standard input). Raises `ReportError` for what can't be read.

    end    of a plain file that is still being written: the offset to read it to
    place  order of the members of a zip archive; None: zip archives are not looked into
    """
    descriptor = _open(path)
    try:
        stored_path = _stored_path(path, descriptor)
        if stored_path is not None:
            return Source(path, descriptor, cache, stored_path, end, place)
    except OSError as error:
        os.close(descriptor)
        raise ReportError(f"{path}: can't be read: {_words(error)}") from error
    except BaseException:
        os.close(descriptor)
        raise
    from parsers.io.spool import SpooledSource

    return SpooledSource(path, descriptor, place)


def _stored_path(path: str, descriptor: int) -> str | None:
    """Where others find the file that is open; None if it must be spooled. Raises `ReportError` for what is no file."""
    kind = stat.S_IFMT(os.fstat(descriptor).st_mode)
    if kind == stat.S_IFDIR:
        raise ReportError(f"{path}: is a folder, not a report")
    if kind in (stat.S_IFIFO, stat.S_IFSOCK):
        return None
    if kind != stat.S_IFREG:
        what = "standard input is a terminal" if os.isatty(descriptor) and path == "-" else f"{path}: is a device"
        raise ReportError(f"{what}, not a report: give a file, a folder, or a pipe as -")
    return _path_of(descriptor) if _is_descriptor(path) else path


def _open(path: str) -> int:
    try:
        if path == "-":
            return os.dup(0)
        if _is_descriptor(path):
            # A socket can't be opened by such a name, only duplicated.
            return os.dup(int(path.rpartition("/")[2]))
        kind = stat.S_IFMT(os.stat(path).st_mode)
        # Opening a pipe waits for its writer; nothing else may.
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | (0 if kind == stat.S_IFIFO else os.O_NONBLOCK))
    except (OSError, ValueError) as error:
        raise ReportError(f"{path}: can't be opened: {_words(error)}") from error


def _is_descriptor(path: str) -> bool:
    """Whether this names something that this process has open already, as `<(command)` of a shell does."""
    folder, _, number = path.rpartition("/")
    return path == "-" or (folder in ("/dev/fd", "/proc/self/fd") and number.isascii() and number.isdigit())


def _path_of(descriptor: int) -> str | None:
    """A path under which any process can open the file behind a descriptor; None if that is not known."""
    try:
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        return path if os.path.samestat(os.stat(path), os.fstat(descriptor)) else None
    except OSError:
        return None


def _words(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return text[:1].lower() + text[1:]
