"""Where compiled kernels live, and how they are made before anybody waits for them.

Numba keeps compiled code by the file a function stands in and doesn't see when a function that it calls has changed; so
the folder is named after the contents of all kernel modules and the versions below them, and never holds code of
another state. It is chosen before numba is imported: numba reads its setting once. Folders of other states go away when
a new one is complete.

`python -m parsers.kernel` compiles everything; package installs and `make` run it, and the first index of a user does.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator

MODULES = (
    "kernel.py",
    "search/fuzzy.py",
    "search/byte_states.py",
    "index/jit.py",
    "index/vector.py",
    "index/text_table.py",
    "graalvm/chunk.py",
    "graalvm/call_kernel.py",
    "graalvm/control_kernel.py",
    "graalvm/object_kernel.py",
    "graalvm/text_kernel.py",
    "graalvm/join_kernel.py",
    "graalvm/shape_kernel.py",
    "graalvm/end_kernel.py",
    "hotspot/tags.py",
    "hotspot/columns.py",
    "hotspot/part.py",
    "hotspot/log_chunk.py",
    "hotspot/name_table.py",
    "hotspot/tag_kernel.py",
    "hotspot/log_kernel.py",
    "hotspot/log_join_kernel.py",
    "hotspot/statistics.py",
    "hotspot/inside_tag.py",
    "hotspot/inside_method.py",
    "hotspot/statistics_kernel.py",
    "hprof/columns.py",
    "hprof/lines.py",
    "hprof/text_chunk.py",
    "hprof/text_kernel.py",
    "hprof/text_join_kernel.py",
    "hprof/heap_kernel.py",
    "hprof/ways.py",
    "hprof/ways_kernel.py",
    "hprof/heap_size.py",
    "hprof/class_sums.py",
    "hprof/class_kernel.py",
    "search/fuzzy_kernel.py",
    "search/line_kernel.py",
    "search/state_kernel.py",
)
"""Files below `parsers` whose contents decide what compiled code does."""

VARIABLE = "NUMBA_CACHE_DIR"
PREFIX = f"kernels-{sys.implementation.cache_tag}-"
"""What names of such folders begin with: several versions of Python may share the folder around them."""
COMPLETE = "complete"
"""A file in the folder of compiled kernels, made when all of them are there."""
LOCK = "lock"
"""A file that the one process holds which compiles into the folder."""
UNUSED = 24 * 3600
"""Seconds after which nobody that is still running is expected to load kernels of another state."""
LOOK = 0.5
"""Seconds between two looks whether somebody still waits for kernels."""


def prepare(private: str | None = None) -> str:
    """Sets where numba keeps compiled code and gives the folder: beside the package if that can be written.

    private: the cache folder of this user, which is taken else; without any a temporary folder is made. Once chosen,
    the folder stays for this process and those it starts.
    """
    name = PREFIX + state()
    chosen = os.environ.get(VARIABLE)
    if chosen is not None and os.path.basename(chosen) == name and _is_ours(chosen):
        return chosen
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__pycache__")
    for parent in (here, private):
        if parent is not None and _is_ours(os.path.join(parent, name), make=True):
            chosen = os.path.join(parent, name)
            break
    else:
        chosen = os.path.join(tempfile.mkdtemp(prefix="coffeetree-"), name)
        os.mkdir(chosen, 0o700)
    os.environ[VARIABLE] = chosen
    return chosen


def is_compiled(folder: str) -> bool:
    """Whether a folder of `prepare` holds all kernels."""
    return os.path.exists(os.path.join(folder, COMPLETE))


def state() -> str:
    """A short name for the kernels as they are now: their sources and the versions of what compiles them."""
    digest = hashlib.blake2b(digest_size=8)
    base = os.path.dirname(os.path.abspath(__file__))
    for module in MODULES:
        with contextlib.suppress(FileNotFoundError), open(os.path.join(base, module), "rb") as file:
            digest.update(file.read())
    digest.update(sys.version.encode())
    for name in _versions():
        digest.update(name.encode())
    return digest.hexdigest()


def compile_all() -> str:
    """Compiles every kernel by indexing a tiny report of each format; the folder they are in."""
    folder = prepare(_private_folder())
    if not is_compiled(folder):
        with _alone(folder):
            if not is_compiled(folder):
                from parsers.index.warm import warm

                warm()
                with open(os.path.join(folder, COMPLETE), "w"):
                    pass
                remove_others(folder)
    return folder


@contextlib.contextmanager
def _alone(folder: str) -> Iterator[None]:
    """Waits until no other process compiles into a folder, and keeps others waiting."""
    import fcntl

    descriptor = os.open(os.path.join(folder, LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def compile_beside() -> subprocess.Popen[bytes]:
    """Has every kernel compiled by a child.

    It goes on when this process is done, as what it makes is for the next report too; but it ends with the program that
    has started this process. What it has compiled until then stays.
    """
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "parsers.kernel", str(os.getppid())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )


def remove_others(folder: str, now: float | None = None) -> None:
    """Removes the folders beside one, of the same Python, whose kernels nobody uses any more."""
    parent, name = os.path.split(folder)
    oldest = (time.time() if now is None else now) - UNUSED
    for other in os.listdir(parent):
        path = os.path.join(parent, other)
        with contextlib.suppress(OSError):
            if other.startswith(PREFIX) and other != name and _is_ours(path) and os.stat(path).st_mtime < oldest:
                shutil.rmtree(path)


def _end_with(process: int) -> None:
    """Ends this process once another one is gone."""
    while True:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            os._exit(1)
        except PermissionError:
            pass
        time.sleep(LOOK)


def _private_folder() -> str | None:
    from parsers.cache import default_folder

    return default_folder()


def _versions() -> list[str]:
    """What stands in the names of the installed packages, which is quicker to learn than their metadata."""
    names = ("numba-", "llvmlite-", "numpy-")
    found = []
    for folder in sys.path:
        with contextlib.suppress(OSError):
            found += [name for name in os.listdir(folder) if name.startswith(names) and name.endswith(".dist-info")]
    return sorted(set(found))


def _is_ours(path: str, make: bool = False) -> bool:
    """Whether a folder belongs to this user alone and can be written."""
    try:
        if make:
            os.makedirs(path, mode=0o700, exist_ok=True)
        status = os.stat(path)
    except OSError:
        return False
    return status.st_uid == os.getuid() and not status.st_mode & 0o022 and os.access(path, os.W_OK | os.X_OK)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        threading.Thread(target=_end_with, args=(int(sys.argv[1]),), daemon=True).start()
    print(compile_all())
