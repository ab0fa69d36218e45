"""Groups of kernels that are compiled together, and the folders of those that numba compiles where they run.

Numba caches compiled code by source file and doesn't notice changes of called functions. So each `KernelGroup` has a
folder, named after a hash of the sources of its modules, the shared modules, and the versions of the compiler. A folder
never contains code of another state. Outdated folders are removed when a new one is complete.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from parsers.model.value import value_class


@value_class
class KernelGroup:
    """Compiled functions that are built together. A package declares its groups in a module `kernels`."""

    name: str
    """Unique among all groups."""
    modules: tuple[str, ...]
    """Modules whose source decides the compiled code: those with kernels, and those with constants they use."""


SHARED = KernelGroup(
    "shared",
    (
        "parsers.kernels.callees",
        "parsers.kernels.decorators",
        "parsers.kernels.compiled",
        "parsers.kernels.jit",
        "parsers.kernels.bounds",
        "parsers.kernels.vector",
        "parsers.kernels.text_table",
        "parsers.kernels.id_table",
        "parsers.kernels.places",
        "parsers.index.bitpacked.columns",
        "parsers.index.bitpacked.kernel",
        "parsers.index.bitpacked.block_loops",
        "parsers.model.none",
    ),
)
"""Functions called by kernels of all other groups."""

VARIABLE = "COFFEETREE_KERNELS"
"""Environment variable that passes the chosen folder to child processes."""
UNLISTED = "COFFEETREE_UNLISTED"
"""Environment variable with the path of a file, to which signatures are added that `signatures.json` lacks."""
CHECKS = "COFFEETREE_BOUNDS"
"""Environment variable with the path of a file: kernels check each index and report violations to it."""
PREFIX = f"{'checked' if CHECKS in os.environ else 'kernels'}-{sys.implementation.cache_tag}-"
"""Prefix of folders of kernels.

Versions of Python may share the parent folder, and kernels that check indexes are kept apart from others.
"""
COMPLETE = "complete"
"""A file in the folder of a group, made when all its kernels are there."""
UNUSED = 24 * 3600
"""Seconds after which no running process is expected to load outdated kernels."""


def prepare() -> str:
    """The parent folder of the folders of kernels that numba compiles: beside the package if that can be written.

    Else a temporary folder. Once chosen, the folder stays the same for this process and its children.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen is not None and is_ours(chosen):
        return chosen
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__pycache__")
    chosen = here if is_ours(here, make=True) else tempfile.mkdtemp(prefix=".coffeetree-kernels-")
    os.environ[VARIABLE] = chosen
    return chosen


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
    """Path of a group's compiled kernels in a folder of `prepare`."""
    return os.path.join(home, name_of(group))


@cache
def digest_of(group: KernelGroup) -> str:
    """Hash of the current sources of a group."""
    digest = hashlib.blake2b(digest_size=16)
    for module in dict.fromkeys((*SHARED.modules, *group.modules)):
        with open(_source_of(module), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


@cache
def name_of(group: KernelGroup) -> str:
    """Name of a group's folder: a hash of the current sources and the versions of the compiler."""
    digest = hashlib.blake2b(digest_of(group).encode(), digest_size=8)
    digest.update(sys.version.encode())
    for name in _versions():
        digest.update(name.encode())
    return f"{PREFIX}{group.name}-{digest.hexdigest()}"


def _source_of(module: str) -> str:
    """The source file of a module, without importing it."""
    top, _, rest = module.partition(".")
    if top != "parsers":
        spec = find_spec(module)
        assert spec is not None and spec.origin is not None, module
        return spec.origin
    base = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.join(base, *rest.split(".")) + ".py"


def remove_others(home: str, groups: Iterable[KernelGroup]) -> None:
    """Removes outdated folders of kernels of the same Python that no process uses any more.

    groups: all existing groups
    """
    names = {name_of(group) for group in groups}
    oldest = time.time() - UNUSED
    for other in os.listdir(home):
        path = os.path.join(home, other)
        with contextlib.suppress(OSError):
            if other.startswith(PREFIX) and other not in names and is_ours(path) and os.stat(path).st_mtime < oldest:
                shutil.rmtree(path)


def _versions() -> list[str]:
    """Versions from the folder names of the installed packages, which is faster than reading metadata."""
    names = ("numba-", "llvmlite-", "numpy-")
    found = []
    for folder in sys.path:
        with contextlib.suppress(OSError):
            found += [name for name in os.listdir(folder) if name.startswith(names) and name.endswith(".dist-info")]
    return sorted(set(found))


def is_ours(path: str, make: bool = False) -> bool:
    """True if a folder belongs to this user alone and can be written."""
    try:
        if make:
            os.makedirs(path, mode=0o700, exist_ok=True)
        status = os.stat(path)
    except OSError:
        return False
    return status.st_uid == os.getuid() and not status.st_mode & 0o022 and os.access(path, os.W_OK | os.X_OK)
