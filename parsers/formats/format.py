"""Declaration of a format: its name, its recognition by content, and its readers."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING

from parsers.model.value import value_class

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parsers.index.build import FileBuild
    from parsers.io.cache import Cache
    from parsers.io.source import Source
    from parsers.model.report import Report


class Confidence(IntEnum):
    """Confidence of a format that a file belongs to it."""

    NO = 0
    NAME = 1
    """Only the name matches, and the content doesn't contradict."""
    LIKELY = 2
    """The content looks like it, but might be another format's."""
    SURE = 3
    """The content proves it. No two formats are ever sure of the same bytes."""


def expression(text: bytes, flags: int = 0) -> Callable[[], re.Pattern[bytes]]:
    """Returns a function that compiles an expression on first use, as mostly one of the first formats is sure."""
    return cache(lambda: re.compile(text, flags))


def only_file(sources: Sequence[Source], what: str) -> Source:
    """Returns the one file of a report. Raises `ReportError` if there are more. what: noun with article"""
    from parsers.model.report import ReportError

    if len(sources) > 1:
        raise ReportError(f"{sources[1].path}: {what} is one file: give one at a time")
    return sources[0]


@value_class
class Format:
    """One format. `title` is for users, without an article."""

    name: str
    title: str
    sniff: Callable[[bytes, str], Confidence]
    """Called with the first bytes (without byte order mark) and the file's name without `.gz` and the like."""
    open: Callable[[Sequence[Source], Cache], Report] | None
    """Opens a report. None: only recognised, not read yet."""
    expected: str = ""
    """Noun with article for messages that list what can be opened; formats with equal words are listed once."""
    index: Callable[..., FileBuild] | None = None
    """Returns the build of an index, with the arguments of `FileBuild`. None: reports are read without one."""
    kernels: tuple[str, ...] = ()
    """Groups of compiled functions, as `module:NAME` of a `KernelGroup`."""
    looks_at_end: bool = False
    """True if it may be at the end of a file with any start: `sniff` also gets the last bytes."""

    narrow: Callable[[Source, int], None] | None = None
    """Limits a source to one of the runs in its file, by its number from 1; raises `ReportError` with the number of
    runs, or if they are shown together. None: files contain one run."""
    part_of: Callable[[str, bytes], tuple[str, bool] | None] | None = None
    """Report that a file is part of, if several files of a folder are one report, and True if it is the file to open;
    from its path and first bytes. None: it is, or may be, a report by itself."""

    whole: Callable[[Sequence[Source], Cache], Sequence[Source]] | None = None
    """All files of the report of some files, if it always has several. Raises `ReportError`. None: those given."""
    place_of: Callable[[bytes], float] | None = None
    """Place of a member of a zip archive among the others, from its first bytes, if all are one report. None: archives
    are not read."""
    together: str = ""
    """Format of files of several such formats opened together."""
    settings: Callable[[], str] | None = None
    """User settings that change the reading of its files, as a short text; an index built with others is not used."""

    tables: str = ""
    """Declarations of the tables that its reports have besides those of every report: `module:NAME` of a `TableSet`."""
    compared_as: str = ""
    """Other format whose reports can be compared with its own."""

    producer: str = ""
    """Program that writes it, if the title begins with that."""
    unreadable: Callable[[bytes, str], str | None] | None = None
    """Returns the reason why a file that no format recognises can't be read as this one, as the rest of a sentence that
    begins with its name; from its first bytes and name. None: it is not of this format."""

    @property
    def short_title(self) -> str:
        """Title without the producer, for lists of formats of one family."""
        return self.title.removeprefix(self.producer).lstrip()
