"""Reads the bytes of a report, wherever they come from. Nothing is mapped: a mapped file that shrinks kills a process.

A `Source` is a plain file, a packed one (unpacked once into the cache, its head in memory before that) or a pipe
(spooled to a private file while it is being read). Offsets and sizes are those of the plain bytes everywhere.
"""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from parsers.cache import Cache, create_private, open_private
from parsers.digest import blake2b
from parsers.report import Problem, ReportError
from parsers.unpack import BLOCK, Unpacking, packing, without_suffix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HEAD = 64 << 10
"""Bytes of `Source.head`, and of each end that the identity covers."""

MOST_BYTES = 256 << 30
"""Plain bytes that an archive may unpack to, and a pipe may give."""

MOST_RATIO = 1500
"""Plain bytes for one packed byte that are believed once there are more than `RATIO_FROM`; real reports reach 50."""

RATIO_FROM = 256 << 20

ROOM_LEFT = 256 << 20
"""Bytes of the disk that unpacking leaves free."""

Change = Literal["same", "grown", "truncated", "replaced"]


@dataclass(frozen=True, slots=True)
class Identity:
    """What a file on disk is recognised by: an index made of it is of use only while all of this is the same."""

    size: int
    mtime_ns: int
    device: int
    inode: int
    digest: str
    """BLAKE2b of its first and last 64 KB, as hexadecimal digits."""

    @property
    def key(self) -> str:
        """A short name for all of it that can name a folder."""
        text = f"{self.size} {self.mtime_ns} {self.device} {self.inode} {self.digest}"
        return blake2b(text.encode(), digest_size=16).hexdigest()


class Source:
    """One opened file. Made by `open_source`."""

    def __init__(self, path: str, descriptor: int, cache: Cache, stored_path: str | None = None) -> None:
        self.path = path
        """As the user named it; "-" for standard input."""
        self.stored_path = os.path.abspath(stored_path or path)
        """The file with the bytes as they came, which any other process of this user can open."""
        self.name = without_suffix(os.path.basename(os.path.abspath(path))) if path != "-" else "standard input"
        self.cache = cache
        """Where the index and the unpacked copy of this report belong."""
        self.problems: tuple[Problem, ...] = ()
        """What was wrong with the archive; known once it is unpacked."""
        self._descriptor = descriptor
        self._plain = -1
        """Descriptor of the plain bytes; -1 while they are not unpacked."""
        self._plain_path = ""
        self._plain_size = 0
        self._identity = _identify(descriptor)
        self._head = os.pread(descriptor, HEAD, 0)
        self._head_digest = _digest(self._head)
        self._kind = packing(self._head)
        self._is_head_all = False
        if self._kind is None:
            self._plain, self._plain_path = descriptor, self.stored_path
        else:
            self._open_archive(self._kind)
            self._find_unpacked()

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
        return (self._plain >= 0 or self._is_head_all) and not self.is_spooling

    @property
    def identity(self) -> Identity:
        """Of the file as it lies on disk, packed or not, when it was opened or last accepted."""
        return self._identity

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
        if self._kind is None:
            return self._identity.size
        return self._plain_size if self._plain >= 0 else len(self._head)

    @property
    def plain_path(self) -> str:
        """The file to read plain bytes from. Raises `ReportError` if it can't be unpacked."""
        self.unpack()
        return self._plain_path

    def pread(self, count: int, offset: int) -> bytes:
        """Up to `count` plain bytes from `offset`; fewer at the end, none beyond it or where reading fails."""
        if count <= 0 or offset < 0:
            return b""
        if self._plain < 0:
            return self._head[offset : offset + count]
        parts = []
        while count > 0:
            try:
                part = os.pread(self._plain, min(count, 1 << 30), offset)
            except OSError:
                break
            if not part:
                break
            parts.append(part)
            count -= len(part)
            offset += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def unpack(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Make all plain bytes readable: unpack an archive into the cache, wait for the end of a pipe.

        progress  called with bytes of the archive read and its size, at most once a megabyte
        Raises `ReportError` where that would be too much or there is no room.
        """
        if self._kind is None or self._plain >= 0:
            return
        path = self.cache.unpacked_path(self._identity, self.name)
        try:
            with _locked(f"{path}.lock"):
                self._find_unpacked()
                if self._plain < 0:
                    self._unpack_to(path, progress)
                    self._find_unpacked()
        except OSError as error:
            raise ReportError(f"{self.path}: can't be unpacked to {path}: {_words(error)}") from error
        if self._plain < 0:
            raise ReportError(f"{self.path}: its unpacked copy {path} can't be read")

    def change(self) -> Change:
        """What has become of the file since it was opened or last accepted."""
        try:
            status = os.stat(self.stored_path)
        except OSError:
            # Somebody is just replacing it, or it was removed: what is open stays readable.
            status = os.fstat(self._descriptor)
        known = self._identity
        if (status.st_dev, status.st_ino) != (known.device, known.inode):
            return "replaced"
        if status.st_size == known.size and status.st_mtime_ns == known.mtime_ns:
            return "same"
        head = os.pread(self._descriptor, min(HEAD, known.size), 0)
        if status.st_size < known.size:
            return "truncated" if head == self._stored_head(len(head)) else "replaced"
        if _digest(head) != self._head_digest:
            return "replaced"
        if status.st_size > known.size:
            return "grown"
        return "same" if _identify(self._descriptor).digest == known.digest else "replaced"

    def accept(self) -> None:
        """Take the file as it is now for the known one; what was unpacked of an older one is let go."""
        self._identity = _identify(self._descriptor)
        self._head = os.pread(self._descriptor, HEAD, 0)
        self._head_digest = _digest(self._head)
        if self._kind is not None:
            if self._plain >= 0:
                os.close(self._plain)
                self._plain = -1
            self._open_archive(self._kind)

    def close(self) -> None:
        """Close the file."""
        for descriptor in {self._descriptor, self._plain} - {-1}:
            os.close(descriptor)
        self._descriptor = self._plain = -1

    def _open_archive(self, kind: str) -> None:
        """Unpack the head in memory; of a small archive that is all there is, so no copy is needed."""
        head = bytearray()
        unpacking = Unpacking(kind, _reader(self._descriptor))
        for block in unpacking.blocks(HEAD):
            head += block
            if len(head) > HEAD:
                break
        self._head = bytes(head[:HEAD])
        self._is_head_all = len(head) <= HEAD
        if self._is_head_all:
            self._note_trouble(unpacking.trouble, len(head))

    def _stored_head(self, count: int) -> bytes:
        """The first bytes on disk as they were, where that is known without reading: of a plain file."""
        return self._head[:count] if self._kind is None else os.pread(self._descriptor, count, 0)

    def _find_unpacked(self) -> None:
        """Open the unpacked copy, if a whole one is in the cache."""
        path = self.cache.unpacked_path(self._identity, self.name, create=False)
        try:
            note = _read_note(f"{path}.done")
            descriptor = open_private(path)
        except (OSError, ValueError):
            return
        if os.fstat(descriptor).st_size != note[0]:
            os.close(descriptor)
            return
        self.cache.unpacked_path(self._identity, self.name)
        self._plain, self._plain_path, self._plain_size = descriptor, path, note[0]
        self._note_trouble(note[1], note[0])

    def _note_trouble(self, what: str | None, size: int) -> None:
        """What was wrong with the archive, as a problem of the report."""
        if what:
            kind = "cut" if what.endswith("ends early") else "damaged archive"
            done = f"read the {size:,} bytes that could be unpacked"
            self.problems = (Problem(kind, what, done, self.path, size),)
        else:
            self.problems = ()

    def _unpack_to(self, path: str, progress: Callable[[int, int], None] | None) -> None:
        """Write the plain bytes under another name, then rename; beside it a note says how many they are."""
        for leftover in (f"{path}.part", f"{path}.done", f"{path}.note"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(leftover)
        unpacking = Unpacking(self._kind or "", _reader(self._descriptor))
        room = _room(path)
        output = create_private(f"{path}.part")
        try:
            for block in unpacking.blocks():
                self._refuse_bomb(unpacking, room)
                write_all(output, block)
                if progress is not None:
                    progress(unpacking.taken, self.stored_size)
        except BaseException:
            os.unlink(f"{path}.part")
            raise
        finally:
            os.close(output)
        if not unpacking.given:
            os.unlink(f"{path}.part")
            raise ReportError(f"{self.path}: {unpacking.trouble or 'the archive is empty'}: nothing could be unpacked")
        os.rename(f"{path}.part", path)
        note = create_private(f"{path}.note")
        write_all(note, f"{unpacking.given}\n{unpacking.trouble or ''}\n".encode())
        os.close(note)
        os.rename(f"{path}.note", f"{path}.done")

    def _refuse_bomb(self, unpacking: Unpacking, room: int) -> None:
        """Raise `ReportError` when an archive gives more than can be believed or kept."""
        given = unpacking.given
        if given > RATIO_FROM and given > MOST_RATIO * unpacking.taken:
            raise ReportError(
                f"{self.path}: unpacks to more than {MOST_RATIO:,} times its size: stopped after {given:,} bytes"
            )
        if given > MOST_BYTES:
            raise ReportError(f"{self.path}: unpacks to more than {MOST_BYTES:,} bytes: stopped")
        if given > room:
            raise ReportError(
                f"{self.path}: not enough room in {self.cache.folder} to unpack it: stopped after {given:,} bytes "
                f"(--cache-dir names another folder)"
            )


def open_source(path: str, cache: Cache) -> Source:
    """Open a file, an archive, or a pipe ("-": standard input). Raises `ReportError` for what can't be read."""
    descriptor = _open(path)
    try:
        stored_path = _stored_path(path, descriptor)
        if stored_path is not None:
            return Source(path, descriptor, cache, stored_path)
    except OSError as error:
        os.close(descriptor)
        raise ReportError(f"{path}: can't be read: {_words(error)}") from error
    except BaseException:
        os.close(descriptor)
        raise
    from parsers.spool import SpooledSource

    return SpooledSource(path, descriptor)


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


def identify_file(path: str) -> Identity:
    """What the file at this path is recognised by. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        return _identify(descriptor)
    finally:
        os.close(descriptor)


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


def _digest(*parts: bytes) -> str:
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def _identify(descriptor: int) -> Identity:
    status = os.fstat(descriptor)
    head = os.pread(descriptor, HEAD, 0)
    tail = os.pread(descriptor, HEAD, max(0, status.st_size - HEAD))
    return Identity(status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino, _digest(head, tail))


def _reader(descriptor: int) -> Callable[[int], bytes]:
    """Reads a file from its start without moving the position that others may share."""
    offset = 0

    def read(count: int) -> bytes:
        nonlocal offset
        data = os.pread(descriptor, count, offset)
        offset += len(data)
        return data

    return read


@contextlib.contextmanager
def _locked(path: str) -> Iterator[None]:
    """Hold a lock file, so that only one process unpacks an archive; the others wait and find the copy."""
    import fcntl

    with contextlib.suppress(FileExistsError):
        os.close(create_private(path))
    lock = open_private(path, os.O_RDWR)
    try:
        # On a file system without locks the second of two meets the first one's unfinished copy, and says so.
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _room(path: str) -> int:
    """Bytes that may be written beside this path."""
    status = os.statvfs(os.path.dirname(path))
    return status.f_bavail * status.f_frsize - ROOM_LEFT


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it, however often that takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _read_note(path: str) -> tuple[int, str]:
    """How many plain bytes an archive gave, and what was wrong with it. Raises `ValueError` for anything else."""
    descriptor = open_private(path)
    try:
        size, _, trouble = os.read(descriptor, BLOCK).decode().partition("\n")
    finally:
        os.close(descriptor)
    return int(size), trouble.strip()
