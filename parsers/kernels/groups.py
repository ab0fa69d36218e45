"""Where compiled kernels live, and how they are made before anybody waits for them.

Numba keeps compiled code by the file a function stands in and doesn't see when a function that it calls has changed; so
kernels live in folders, one for each folder of code that has some (two, where readers of it need others), named after
the contents of its kernel modules, of those that all share and of the versions below them. None ever holds code of
another state. Folders of other states go away when a new one is complete.

`python -m parsers.runtime.compile` compiles everything; package installs and `make` run it. The first index of a user compiles
what its format needs.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from functools import cache
from typing import Any

SHARED = "index"
"""The group of the kernels that those of all other groups call."""

GROUPS: dict[str, tuple[str, ...]] = {
    SHARED: ("jit.py", "bounds.py", "vector.py", "text_table.py", "packed.py"),
    "graalvm": (
        "chunk.py",
        "text_columns.py",
        "calls/kernel.py",
        "control_kernel.py",
        "objects/kernel.py",
        "text_kernel.py",
        "settle_kernel.py",
        "join_lines_kernel.py",
        "join_kernel.py",
        "shape_kernel.py",
        "end_kernel.py",
    ),
    "graalvm-csv": (
        "chunk.py",
        "calls/kernel.py",
        "join_kernel.py",
        "csv/kernel.py",
        "csv/name_kernel.py",
        "csv/call_kernel.py",
        "csv/order_kernel.py",
        "csv/print_kernel.py",
    ),
    "graalvm-builds": ("chunk.py", "calls/kernel.py", "objects/kernel.py", "builds/names_kernel.py"),
    "graalvm-lines": ("csv/lines.py", "csv/line_kernel.py"),
    "hotspot": (
        "tags.py",
        "columns.py",
        "part.py",
        "log_chunk.py",
        "name_table.py",
        "tag_kernel.py",
        "log_kernel.py",
        "log_join_kernel.py",
        "statistics.py",
        "inside_tag.py",
        "inside_method.py",
        "statistics_kernel.py",
        "strict_kernel.py",
    ),
    "hprof": (
        "columns.py",
        "lines.py",
        "text_chunk.py",
        "text_kernel.py",
        "text_join_kernel.py",
        "heap_kernel.py",
        "ways.py",
        "ways_kernel.py",
        "heap_size.py",
        "class_sums.py",
        "class_kernel.py",
    ),
    "heap": (
        "numbers_kernel.py",
        "hprof_kernel.py",
        "dominator_kernel.py",
        "pack_kernel.py",
        "dominators.py",
        "dominated.py",
        "dominated_kernel.py",
        "merged.py",
        "merged_kernel.py",
        "text_sums.py",
        "strings_kernel.py",
        "sources.py",
        "sources_kernel.py",
        "suspects.py",
        "suspects_kernel.py",
    ),
    "callgraph": ("loops.py", "loops_kernel.py"),
    "compare": ("numbers_kernel.py",),
    "tptp": (
        "vocabulary.py",
        "scanner.py",
        "element_chunk.py",
        "element_names.py",
        "element_kernel.py",
        "columns.py",
        "counters.py",
        "join_room.py",
        "id_join_kernel.py",
        "open_call_kernel.py",
        "call_join_kernel.py",
        "heap_join_kernel.py",
        "state_join_kernel.py",
        "monitor_join_kernel.py",
        "event_join_kernel.py",
        "heap_edge_kernel.py",
        "pack_join_kernel.py",
        "calls_flow.py",
        "calls_flow_kernel.py",
        "calls_tree_kernel.py",
    ),
    "search": (
        "fuzzy.py",
        "byte_states.py",
        "fuzzy_kernel.py",
        "line_kernel.py",
        "state_kernel.py",
        "text_lines.py",
        "text_lines_kernel.py",
    ),
}
"""Files whose contents decide what compiled code does, by the folder below `parsers` they are in, and what may follow
a hyphen. The first group that has a file is its own."""

VARIABLE = "COFFEETREE_KERNELS"
"""Tells processes that this one starts which folder was chosen."""
CHECKS = "COFFEETREE_BOUNDS"
"""Where it is set, kernels check each index, and report those outside an array to the file that it names."""
PREFIX = f"{'checked' if CHECKS in os.environ else 'kernels'}-{sys.implementation.cache_tag}-"
"""What names of folders of kernels begin with: several versions of Python may share the folder around them, and those
that check indexes are never taken for others."""
COMPLETE = "complete"
"""A file in the folder of a group, made when all its kernels are there."""
UNUSED = 24 * 3600
"""Seconds after which nobody that is still running is expected to load kernels of another state."""


def prepare(private: str | None = None) -> str:
    """The folder around those of compiled kernels: beside the package if that can be written.

    private: the cache folder of this user, which is taken else; without any a temporary folder is made. Once chosen,
    the folder stays for this process and those it starts.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen is not None and is_ours(chosen):
        return chosen
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__pycache__")
    for folder in (here, private):
        if folder is not None and is_ours(folder, make=True):
            chosen = folder
            break
    else:
        chosen = tempfile.mkdtemp(prefix="coffeetree-")
    os.environ[VARIABLE] = chosen
    return chosen


def group_of(module: str) -> str:
    """The group of the kernels of a module, by its full name."""
    folder, _, name = module.partition(".")[2].partition(".")
    groups = [group for group in GROUPS if group.partition("-")[0] == folder]
    file = f"{name.replace('.', '/')}.py"
    return next((group for group in groups if file in GROUPS[group]), groups[0] if groups else SHARED)


def folder_of(home: str, group: str) -> str:
    """Where in a folder of `prepare` the compiled kernels of a group are, or will be."""
    return os.path.join(home, name_of(group))


@cache
def name_of(group: str) -> str:
    """Name of a group's folder, by its kernels as they are now: sources, and the versions of what compiles them."""
    digest = hashlib.blake2b(digest_size=8)
    base = os.path.dirname(os.path.abspath(__file__))
    modules = [
        os.path.join(each.partition("-")[0], name) for each in dict.fromkeys((SHARED, group)) for name in GROUPS[each]
    ]
    for module in modules:
        with open(os.path.join(base, module), "rb") as file:
            digest.update(file.read())
    digest.update(sys.version.encode())
    for name in _versions():
        digest.update(name.encode())
    return f"{PREFIX}{group}-{digest.hexdigest()}"


def is_compiled(home: str, group: str) -> bool:
    """Whether a folder of `prepare` holds all kernels of a group."""
    return os.path.exists(os.path.join(folder_of(home, group), COMPLETE))


class Kernels:
    """The kernels of a group, as somebody who builds an index needs them: now, later, or not at all."""

    def __init__(self, home: str, group: str) -> None:
        """home: the folder that `prepare` gave"""
        self._home = home
        self._group = group
        self._compiler: subprocess.Popen[bytes] | None = None

    @property
    def are_there(self) -> bool:
        """Whether all of them can be loaded at once."""
        return is_compiled(self._home, self._group)

    def compile_beside(self) -> None:
        """Has them compiled by a child, if they are not there.

        It goes on when this process is done, as what it makes is for the next report too; but it ends with the program
        that has started this process. What it has compiled until then stays.
        """
        if not self.are_there:
            self._compiler = compiler(self._group, str(os.getppid()), stderr=subprocess.DEVNULL, process_group=0)

    @property
    def have_come(self) -> bool:
        """Whether a child has compiled them meanwhile."""
        return self._compiler is not None and self._compiler.poll() == 0

    def wait(self) -> bool:
        """Waits for the child; whether they are there then."""
        return self.are_there or (self._compiler is not None and self._compiler.wait() == 0)


def compiler(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    """A child that compiles: a group, perhaps only until a process of that number ends."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "parsers.runtime.compile", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        **options,
    )


def remove_others(home: str, now: float | None = None) -> None:
    """Removes the folders, of the same Python, whose kernels nobody uses any more."""
    names = {name_of(group) for group in GROUPS}
    oldest = (time.time() if now is None else now) - UNUSED
    for other in os.listdir(home):
        path = os.path.join(home, other)
        with contextlib.suppress(OSError):
            if other.startswith(PREFIX) and other not in names and is_ours(path) and os.stat(path).st_mtime < oldest:
                shutil.rmtree(path)


def _versions() -> list[str]:
    """What stands in the names of the installed packages, which is quicker to learn than their metadata."""
    names = ("numba-", "llvmlite-", "numpy-")
    found = []
    for folder in sys.path:
        with contextlib.suppress(OSError):
            found += [name for name in os.listdir(folder) if name.startswith(names) and name.endswith(".dist-info")]
    return sorted(set(found))


def is_ours(path: str, make: bool = False) -> bool:
    """Whether a folder belongs to this user alone and can be written."""
    try:
        if make:
            os.makedirs(path, mode=0o700, exist_ok=True)
        status = os.stat(path)
    except OSError:
        return False
    return status.st_uid == os.getuid() and not status.st_mode & 0o022 and os.access(path, os.W_OK | os.X_OK)
