"""What the registry knows of a format: its name, how it is recognised by content, and what opens it."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from parsers.model.value import value_class

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parsers.index.builders import IndexBuild
    from parsers.io.cache import Cache
    from parsers.io.source import Source
    from parsers.model.report import Report


class Confidence(IntEnum):
    """How sure a format is that a file is its own."""

    NO = 0
    NAME = 1
    """Only the name speaks for it, and nothing in the content against it."""
    LIKELY = 2
    """The content looks like it, and so might another's."""
    SURE = 3
    """The content says so. No two formats are ever sure of the same bytes."""


def expression(text: bytes, flags: int = 0) -> Callable[[], re.Pattern[bytes]]:
    """What gives an expression. It is compiled when it is first asked for: mostly one of the first formats is sure."""
    return cache(lambda: re.compile(text, flags))


def late(name: str) -> Callable[..., Any]:
    """What a module has under a name ("module:name"), imported when it is called: formats are known before, and
    without, all that reads them."""

    def call(*arguments: Any) -> Any:
        module, _, attribute = name.partition(":")
        return getattr(import_module(module), attribute)(*arguments)

    return call


@value_class
class Format:
    """One format. `title` is for users, without an article."""

    name: str
    title: str
    sniff: Callable[[bytes, str], Confidence]
    """From the first bytes (a byte order mark left out) and the file's name without `.gz` and the like."""
    open: Callable[[Sequence[Source], Cache], Report] | None
    """None: only recognised, not read yet."""
    expected: str = ""
    """Noun with article for messages that list what can be opened; formats that share one share the words."""
    index: Callable[..., IndexBuild] | None = None
    """Builds the index: a `MakeBuild`. None: reports are read without one."""
    kernels: tuple[str, ...] = ()
    """Groups of compiled functions, as `module:NAME` of a `KernelGroup`; each names a tiny sample that exercises it."""
    looks_at_end: bool = False
    """Whether it may stand at the end of a file that begins with anything: `sniff` is asked of its last bytes too."""

    narrow: Callable[[Source, int], None] | None = None
    """Makes a source one of the runs that its file holds, by its number from 1; raises `ReportError` with how many
    there are, or that they are shown together. None: files hold one run."""
    part_of: Callable[[str, bytes], tuple[str, bool] | None] | None = None
    """What a file belongs to when several of a folder are one report, and whether it is the one to open; from its path
    and first bytes. None: it is one by itself, or may be."""

    whole: Callable[[Sequence[Source], Cache], Sequence[Source]] | None = None
    """All files of the report that some are of, where it is always several. Raises `ReportError`. None: those given."""
    place_of: Callable[[bytes], float] | None = None
    """Of a member of a zip, by its first bytes, its place among the others: all of one report. None: zips are not
    looked into."""
    together: str = ""
    """The format that files of several such formats are together."""
    settings: Callable[[], str] | None = None
    """What a user has set that changes how its files are read, as a short text; an index made with others is not
    used."""

    compared_as: str = ""
    """The format whose reports its own can be compared with, where that is another."""

    @property
    def short_title(self) -> str:
        """The title without whose format it is, for lists in which all are of one kind."""
        return self.title.removeprefix("GraalVM ").removeprefix("native-image ")
