"""Where compiled kernels live, and how they are made before anybody waits for them.

Numba keeps compiled code by the file a function stands in and doesn't see when a function that it calls has changed; so
kernels live in folders, one for each `KernelGroup`, named after the sources of its modules, of those that all share and
of the versions of the compiler. None ever holds code of another state. Folders of other states go away when a new one
is complete.

`python -m parsers.runtime.compile` compiles everything; package installs and `make` run it. The first index of a user
compiles the kernels of its format.
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
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from parsers.model.value import value_class


@value_class
class KernelGroup:
    """Compiled functions that are built together. A package declares its groups in a module `kernels`."""

    name: str
    """Unique among all groups."""
    home: str
    """The declaration, as `module:NAME`."""
    modules: tuple[str, ...]
    """Modules whose source decides what compiled code does: those with kernels, and those with constants they use."""
    warm: str
    """A function, as `module:name`, that calls each kernel with a tiny sample, so that it is compiled or loaded."""


SHARED = KernelGroup(
    "shared",
    "parsers.kernels.groups:SHARED",
    (
        "parsers.kernels.decorators",
        "parsers.kernels.bounds",
        "parsers.kernels.vector",
        "parsers.kernels.text_table",
        "parsers.index.bitpacked.columns",
        "parsers.index.bitpacked.kernel",
    ),
    "",
)
"""Functions that kernels of all other groups call."""

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


def late(name: str) -> Any:
    """The value of `module:name`, imported now."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


@cache
def group_of(module: str) -> KernelGroup:
    """The group of the kernels of a module: the first in the nearest package that declares one with this module."""
    package = module.rpartition(".")[0]
    while package:
        if package != "parsers" and find_spec(f"{package}.kernels") is not None:
            declared = vars(import_module(f"{package}.kernels")).values()
            groups = [each for each in declared if isinstance(each, KernelGroup)]
            if groups:
                return next((group for group in groups if module in group.modules), groups[0])
        package = package.rpartition(".")[0]
    return SHARED


def folder_of(home: str, group: KernelGroup) -> str:
    """Where in a folder of `prepare` the compiled kernels of a group are, or will be."""
    return os.path.join(home, name_of(group))


@cache
def name_of(group: KernelGroup) -> str:
    """Name of a group's folder, by its kernels as they are now: sources, and the versions of what compiles them."""
    digest = hashlib.blake2b(digest_size=8)
    for module in dict.fromkeys((*SHARED.modules, *group.modules)):
        with open(_source_of(module), "rb") as file:
            digest.update(file.read())
    digest.update(sys.version.encode())
    for name in _versions():
        digest.update(name.encode())
    return f"{PREFIX}{group.name}-{digest.hexdigest()}"


def _source_of(module: str) -> str:
    """The file of a module, which is not imported for that."""
    top, _, rest = module.partition(".")
    if top != "parsers":
        spec = find_spec(module)
        assert spec is not None and spec.origin is not None, module
        return spec.origin
    base = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.join(base, *rest.split(".")) + ".py"


def is_compiled(home: str, group: KernelGroup) -> bool:
    """Whether a folder of `prepare` holds all kernels of a group."""
    return os.path.exists(os.path.join(folder_of(home, group), COMPLETE))


class Kernels:
    """The kernels of some groups, as an index build needs them: now, later, or not at all."""

    def __init__(self, home: str, *groups: KernelGroup) -> None:
        """home: the folder that `prepare` gave"""
        self._home = home
        self._groups = groups
        self._compilers: list[subprocess.Popen[bytes]] = []

    @property
    def are_there(self) -> bool:
        """Whether all of them can be loaded at once."""
        return all(is_compiled(self._home, group) for group in self._groups)

    def compile_beside(self) -> None:
        """Has those compiled by child processes that are not there.

        They go on when this process is done, as what they make is for the next report too; but they end with the
        program that has started this process. What they have compiled until then stays.
        """
        self._compilers += [
            compiler(group.home, str(os.getppid()), stderr=subprocess.DEVNULL, process_group=0)
            for group in self._groups
            if not is_compiled(self._home, group)
        ]

    @property
    def have_come(self) -> bool:
        """Whether child processes have compiled them meanwhile."""
        return bool(self._compilers) and all(each.poll() == 0 for each in self._compilers)

    def wait(self) -> bool:
        """Waits for the child processes; whether all are there then."""
        statuses = [each.wait() for each in self._compilers]
        return self.are_there or (bool(statuses) and not any(statuses))


def compiler(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    """A child that compiles: a group, perhaps only until a process of that number ends."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "parsers.runtime.compile", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        **options,
    )


def remove_others(home: str, groups: Iterable[KernelGroup], now: float | None = None) -> None:
    """Removes the folders, of the same Python, whose kernels nobody uses any more.

    groups: all that there are
    """
    names = {name_of(group) for group in groups}
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
