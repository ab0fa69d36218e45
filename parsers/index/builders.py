"""What builds the index of a format. Imported when it is needed: most of it stands on numpy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from parsers.index.store import Header
    from parsers.io.group import SourceGroup

SMALL = 6 << 20
"""Files up to this size are read by plain code: a third of a second."""
AGAIN = "building-again"
"""Folder of the arrays that kernels write after plain code has begun."""

Tell = Callable[[Mapping[str, Any]], None]


class ChangedReport(Exception):
    """The file is not any more what it was when it was opened."""


class IndexBuild(Protocol):
    """One report on its way to an index."""

    def run(self) -> Header:
        """Builds it. Raises `ChangedReport`, and `OSError` where the disk is full."""
        ...

    def abandon(self) -> None:
        """Removes all that was written."""
        ...


MakeBuild = Callable[["SourceGroup", str, str, Tell, str], IndexBuild]
"""Of the files, the index folder (which exists and is locked), the format, whom to tell news, the folder of kernels."""

BUILDERS = {
    "graalvm-call-tree": "parsers.formats.graalvm.text.build:text_build",
    "graalvm-call-tree-csv": "parsers.formats.graalvm.csv.build:CsvBuild",
    "graalvm-object-tree": "parsers.formats.graalvm.text.build:text_build",
    "hotspot-compilation-log": "parsers.formats.hotspot.build:LogBuild",
    "hprof-text": "parsers.formats.hprof.build:ProfileBuild",
    "hprof-binary": "parsers.formats.hprof.dump.index.build:DumpBuild",
    "tptp-trace": "parsers.formats.tptp.build:TraceBuild",
}


def builder_of(format: str) -> MakeBuild | None:
    """What builds the index of reports of a format; None if they have none."""
    if format not in BUILDERS:
        return None
    module, _, name = BUILDERS[format].partition(":")
    make: MakeBuild = getattr(import_module(module), name)
    return make
