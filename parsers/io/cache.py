"""The private folder that keeps indexes and unpacked copies until the next opening.

Everything in it belongs to this user alone: folders 0700, files 0600, created under new names and renamed when
complete. A folder that others own or could write to is refused. Then, or with `keep=False`, data is put into a private
temporary folder, which is removed at the end. A folder of this user that can't be written is still read. Contents are
not trusted: readers check them.
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.io.identity import Identity

LIMIT = 16 * 1024**3
"""Maximum bytes of the cache; beyond it, the least recently used entries are removed."""

INDEXES = "index"
UNPACKED = "unpacked"

READ_ONLY = "can't be written"
"""The problem of a folder that can be read nevertheless."""

PRIVATE = "coffeetree-"
"""Prefix of the names of private temporary folders; other folders with such names are removed as left over."""


class Cache:
    """Locations of indexes and unpacked copies of reports. Folders are made on first access.

    folder  the cache folder itself; None: `coffeetree` in $XDG_CACHE_HOME or ~/.cache
    keep    False: nothing outlives this object
    """

    def __init__(self, folder: str | None = None, keep: bool = True, limit: int = LIMIT) -> None:
        self._wanted = folder
        self._keep = keep
        self._limit = limit
        self._folder: str | None = None
        self._readable: str | None = None
        """A cache folder of this user that can't be written."""
        self._private: _PrivateFolder | None = None
        self._temporary: _PrivateFolder | None = None
        self._locks: dict[str, int] = {}
        self._has_grown = False
        """True if an entry was added."""
        self.complaint: str | None = None
        """Reason why nothing is kept although it should be; None if there is none."""

    @property
    def folder(self) -> str:
        """The folder in use: the cache, or the private one that replaces it."""
        if self._folder is None:
            self._folder = self._open_folder()
        return self._folder

    @property
    def is_kept(self) -> bool:
        """True if what is put here outlives this process."""
        return self._private is None if self._folder is not None else self._keep

    def index_folder(self, identity: Identity, format_name: str, create: bool = True) -> str:
        """The folder of a report's index. With `create` it is made, and not trimmed during the life of this object."""
        return self._entry(INDEXES, f"{identity.key}-{_plain_name(format_name)}", create)

    def index_folders(self, identity: Identity, format_name: str) -> Iterator[str]:
        """Possible locations of a finished index of a report. Nothing is made."""
        return self._places(INDEXES, f"{identity.key}-{_plain_name(format_name)}")

    def unpacked_paths(self, identity: Identity, name: str) -> Iterator[str]:
        """Possible locations of an unpacked copy of a packed report. Nothing is made."""
        return (os.path.join(folder, _plain_name(name)) for folder in self._places(UNPACKED, identity.key))

    def unpacked_path(self, identity: Identity, name: str, create: bool = True) -> str:
        """The location of the unpacked copy of a packed report, in a folder of its own."""
        return os.path.join(self._entry(UNPACKED, identity.key, create), _plain_name(name))

    def temporary_folder(self) -> str:
        """A private folder for files of this process alone, removed at the latest when the process ends."""
        if self._temporary is None:
            self._temporary = _PrivateFolder()
        return self._temporary.path

    def trim(self) -> int:
        """Removes the least recently used entries until the cache is below its limit; returns the bytes removed.

        Entries locked by other processes stay.
        """
        if not self.is_kept or 0 < _used_bytes(self.folder) <= self._limit:
            return 0
        entries = sorted(self._entries(), key=lambda entry: entry[1])
        excess = sum(size for _, _, size in entries) - self._limit
        removed = 0
        for path, _, size in entries:
            if removed >= excess:
                break
            if path not in self._locks and _remove_unused(path):
                removed += size
        return removed

    def close(self) -> None:
        """Releases locks, removes what is not to be kept, and trims the cache if entries were added."""
        self._release_locks()
        if self._temporary is not None:
            self._temporary.remove()
            self._temporary = None
        if self._private is not None:
            self._private.remove()
            self._private = None
            self._folder = None
        elif self._has_grown:
            with contextlib.suppress(OSError):
                self.trim()

    def __del__(self) -> None:
        self._release_locks()

    def _release_locks(self) -> None:
        while self._locks:
            os.close(self._locks.popitem()[1])

    def _open_folder(self) -> str:
        if self._keep:
            wanted = self._wanted or default_folder()
            problem = _why_not_ours(wanted) if wanted else "there is no home folder"
            if wanted and problem is None:
                return os.path.realpath(wanted)
            kept = "nothing is kept"
            if wanted and problem == READ_ONLY:
                self._readable = os.path.realpath(wanted)
                kept = "what it has is used, nothing new is kept"
            self.complaint = f"cache folder {wanted or '?'}: {problem}; {kept}"
        self._private = _PrivateFolder()
        return self._private.path

    def _entry(self, group: str, name: str, create: bool) -> str:
        path = os.path.join(self.folder, group, name)
        if create and path not in self._locks:
            _make_private(os.path.dirname(path))
            self._has_grown |= not os.path.exists(path)
            _make_private(path)
            self._locks[path] = _take_lock(path)
        return path

    def _places(self, group: str, name: str) -> Iterator[str]:
        """Possible locations of an entry."""
        yield self._entry(group, name, create=False)
        if self._readable is not None:
            yield os.path.join(self._readable, group, name)

    def _entries(self) -> Iterator[tuple[str, int, int]]:
        for group in (INDEXES, UNPACKED):
            for entry in _scan(os.path.join(self.folder, group)):
                with contextlib.suppress(OSError):
                    yield entry.path, entry.stat(follow_symlinks=False).st_mtime_ns, _bytes_in(entry.path)


def _used_bytes(folder: str) -> int:
    """The used bytes of the file system of a folder; 0 where it does not say."""
    status = os.statvfs(folder)
    return (status.f_blocks - status.f_bfree) * status.f_frsize


def default_folder() -> str | None:
    """`coffeetree` in $XDG_CACHE_HOME if that is absolute, else in ~/.cache; None without a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        home = os.path.expanduser("~")
        base = os.path.join(home, ".cache") if os.path.isdir(home) else ""
    return os.path.join(base, "coffeetree") if os.path.isabs(base) else None


def create_private(path: str) -> int:
    """Creates a file, 0600, and opens it for reading and writing. Raises `FileExistsError`, also for a link."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def open_private(path: str, flags: int = os.O_RDONLY) -> int:
    """Opens a file of the cache. Raises `PermissionError` if it is not a plain file of this user alone."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        os.close(descriptor)
        raise PermissionError(f"{path}: not a private file of this user")
    return descriptor


def read_private(path: str, most: int = -1) -> bytes:
    """Returns the bytes of a file of the cache, `most` at most if that is not negative. Raises `OSError`."""
    with os.fdopen(open_private(path), "rb") as file:
        return file.read(most)


@contextlib.contextmanager
def locked(path: str) -> Iterator[None]:
    """Holds a lock file of the cache, so that one process does some work; the others wait and find its result.

    Locks nothing on a file system without locks: what is written must be whole, or be refused, if two write it.
    """
    import fcntl

    with contextlib.suppress(FileExistsError):
        os.close(create_private(path))
    lock = open_private(path, os.O_RDWR)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def write_all(descriptor: int, data: bytes) -> None:
    """Writes all bytes, in as many calls as it takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def write_private(path: str, data: bytes) -> None:
    """Writes a file of the cache under another name, then renames it."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(f"{path}.part")
    descriptor = create_private(f"{path}.part")
    try:
        write_all(descriptor, data)
    finally:
        os.close(descriptor)
    os.rename(f"{path}.part", path)


class _PrivateFolder:
    """A temporary folder that is removed when it is no longer needed, at the latest when its process ends.

    It is locked while in use, so that the next process can remove folders of killed processes.
    """

    def __init__(self) -> None:
        import tempfile
        import weakref

        base = _temporary_base()
        _remove_orphans(base)
        made = tempfile.mkdtemp(prefix=f".{PRIVATE}", dir=base)
        lock = _take_lock(made)
        self.path = os.path.join(base, os.path.basename(made)[1:])
        # It gets its final name, which others may remove if unlocked, only after it is locked.
        os.rename(made, self.path)
        self._end = weakref.finalize(self, _remove_private, self.path, lock, os.getpid())

    def remove(self) -> None:
        """Removes the folder and its contents."""
        self._end()


def _remove_private(path: str, lock: int, process: int) -> None:
    """Removes a private folder, except in a process forked from the one it belongs to."""
    if process == os.getpid():
        _remove_tree(path)
        os.close(lock)


def _temporary_base() -> str:
    """The folder for large temporary files: $TMPDIR, or /var/tmp, which unlike /tmp is hardly ever in memory."""
    import tempfile

    if not os.environ.get("TMPDIR") and os.path.isdir("/var/tmp") and os.access("/var/tmp", os.W_OK | os.X_OK):
        return "/var/tmp"
    return tempfile.gettempdir()


def _remove_orphans(base: str) -> None:
    """Removes the private folders left by killed processes of this user."""
    for entry in _scan(base):
        if entry.name.startswith(PRIVATE) and entry.is_dir(follow_symlinks=False):
            with contextlib.suppress(OSError):
                if entry.stat(follow_symlinks=False).st_uid == os.geteuid():
                    _remove_unused(entry.path)


def _plain_name(name: str) -> str:
    """Converts any text to a file name without folder parts."""
    clean = "".join(c if c.isascii() and (c.isalnum() or c in "._-+") else "_" for c in name)[:150]
    return clean if clean.strip(".") else "report"


def _why_not_ours(folder: str) -> str | None:
    """Makes the folder if missing; None if only this user can write to it, else the problem."""
    try:
        os.makedirs(os.path.dirname(os.path.abspath(folder)), 0o700, exist_ok=True)
        if os.path.islink(folder) and os.lstat(folder).st_uid != os.geteuid():
            return "is a link of another user"
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        status = os.stat(folder)
    except OSError as error:
        return (error.strerror or str(error)).lower()
    if not stat.S_ISDIR(status.st_mode):
        return "is not a folder"
    if status.st_uid != os.geteuid():
        return "belongs to another user"
    if status.st_mode & 0o022:
        return "can be written by others (chmod go-w helps)"
    if not os.access(folder, os.W_OK | os.X_OK):
        return READ_ONLY
    return None


def _make_private(path: str) -> None:
    """Makes a folder of the cache if missing; anything else of that name is damage, and replaced."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            os.unlink(path)
            os.mkdir(path, 0o700)


def _take_lock(path: str) -> int:
    """Opens a folder with a shared lock, which keeps it from being trimmed, and sets its time of last use."""
    import fcntl

    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        os.utime(descriptor)
    return descriptor


def _remove_unused(path: str) -> bool:
    """Removes a folder of the cache unless a process has locked it."""
    import fcntl

    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Renamed first, so that no process finds it half removed.
        doomed = f"{path}.removed"
        os.rename(path, doomed)
        _remove_tree(doomed)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _scan(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as entries:
            return list(entries)
    except OSError:
        return []


def _bytes_in(folder: str) -> int:
    """Bytes on disk of all files below a folder; sparse files count with their allocated blocks."""
    total = 0
    waiting = [folder]
    while waiting:
        for entry in _scan(waiting.pop()):
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
    return total


def _remove_tree(path: str) -> None:
    import shutil

    shutil.rmtree(path, ignore_errors=True)
