"""The build backend: setuptools, with the library of compiled kernels in wheels.

Only a wheel needs the compiler. A checkout that is installed as editable, or an sdist, doesn't wait for it.
"""

from __future__ import annotations

import gzip
import io
import os
import sys
import tarfile
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

ROOT = Path(__file__).resolve().parent.parent
COMPILER = ["numba==0.68.1", "llvmlite==0.50.0", "numpy==2.4.6"]
"""Pinned, because `objects` relies on internals of the compiler."""
LINKER = "ziglang==0.17.1"
"""C compiler and linker for other machines."""
TARGET = "COFFEETREE_TARGET"
"""Environment variable with the kind of machine that a wheel is for, if that is another one: a key of `TARGETS`."""


def get_requires_for_build_wheel(settings: Any = None) -> list[str]:
    """Packages of the isolated environment that builds a wheel."""
    linker = [LINKER] if TARGET in os.environ else []
    return [*build_meta.get_requires_for_build_wheel(settings), *COMPILER, *linker]


def build_sdist(folder: str, settings: Any = None) -> str:
    """Builds an sdist; with SOURCE_DATE_EPOCH equal sources give equal files."""
    name = build_meta.build_sdist(folder, settings)
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is not None:
        _set_times(Path(folder, name), int(epoch))
    return name


def _set_times(path: Path, time: int) -> None:
    """Gives all members of an archive the same time and owner."""
    content = io.BytesIO()
    with tarfile.open(path) as old, tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            data = old.extractfile(member)
            member.mtime, member.uid, member.gid, member.uname, member.gname, member.pax_headers = (
                time,
                0,
                0,
                "",
                "",
                {},
            )
            new.addfile(member, data)
    path.write_bytes(gzip.compress(content.getvalue(), mtime=time))


def build_wheel(folder: str, settings: Any = None, metadata: str | None = None) -> str:
    """Builds the library, and a wheel with it."""
    sys.path.insert(0, str(ROOT))
    from kernel_build.__main__ import build, this_machine

    build(ROOT / "parsers" / "kernels", os.environ.get(TARGET, this_machine()))
    return build_meta.build_wheel(folder, settings, metadata)
