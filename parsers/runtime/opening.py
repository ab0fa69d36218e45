"""Opening of reports: of files, of a folder that contains one, of a pipe."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from typing import TYPE_CHECKING

from parsers.formats.format import Confidence, Format
from parsers.formats.registry import FORMATS, accepted, detect, format_named, place_in_zip
from parsers.io.cache import Cache
from parsers.io.open_source import open_source
from parsers.io.source import Source
from parsers.model.report import ReportError, file_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from parsers.model.report import Report
    from parsers.reporting.comparison.compared_report import ComparedReport

MOST_DIGITS = 9
"""Maximum digits of the number of a run."""
END = 1 << 20
"""Bytes at the end of a file that are examined if its beginning has no known format."""


def open_report(
    paths: Sequence[str],
    *,
    format: str | None = None,
    cache: Cache | None = None,
    end: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Opens the files of one run, or a folder that contains one report. Reads only their heads.

    An archive whose head has no known format is unpacked, because its end may have one.

    end       for a file that is still being written: the offset at which reading ends
    progress  called with bytes of such an archive read, and its size; may raise `ReportError` to give up
    Raises `ReportError` with one line that names what the file is not, and what would be accepted.
    """
    cache = cache or Cache()
    wanted = format_named(format) if format else None
    if any(map(os.path.isdir, paths)):
        from parsers.formats.folder import only_report

        folders = [only_report(path, wanted) if os.path.isdir(path) else (path,) for path in paths]
        paths = [path for files in folders for path in files]
    if any(map(os.path.islink, paths)):
        from parsers.formats.folder import newest_table

        paths = [newest_table(path) or path for path in paths]
    sources: list[Source] = []
    try:
        sources.extend(open_run(path, cache, end) for path in paths)
        found = wanted or _detect_all(sources, progress)
        note_settings(sources, found)
        if found.open is None:
            raise ReportError(f"{paths[0]}: {found.title}: recognised, but not read yet; {accepted()}")
        return found.open(sources, sources[0].cache)
    except BaseException:
        for source in sources:
            source.close()
        raise


def open_compared(old: str, new: str, *, format: str | None = None, cache: Cache | None = None) -> ComparedReport:
    """Opens two files as a comparison; reads only their heads. Raises `ReportError`."""
    from parsers.reporting.comparison.compared_report import compared

    def opener(path: str) -> Callable[[], Report]:
        return lambda: open_report([path], format=format, cache=cache)

    return compared(opener(old), opener(new))


def note_settings(sources: Iterable[Source], format: Format) -> None:
    """Passes the user's settings of a format to sources."""
    if format.settings is not None:
        settings = format.settings()
        for source in sources:
            source.settings = settings


def open_run(path: str, cache: Cache, end: int | None = None) -> Source:
    """Opens a file, or by `FILE#N` one of the runs that it contains. Raises `ReportError`."""
    file, mark, number = path.rpartition("#")
    if not (mark and number.isascii() and number.isdigit() and len(number) <= MOST_DIGITS) or os.path.exists(path):
        return open_source(path, cache, end, place_in_zip)
    source = open_source(file, cache, end, place_in_zip)
    try:
        found = _detect(source)
        if found.narrow is None:
            raise ReportError(f"{file}: {found.title}: holds one run, so it has no number")
        found.narrow(source, int(number))
    except BaseException:
        source.close()
        raise
    return source


def _detect_all(sources: Sequence[Source], progress: Callable[[int, int], None] | None) -> Format:
    """The format of the first file; all others must have the same, or formats that form one report together."""
    found = [_detect(source, progress) for source in sources]
    together = {format.together for format in found}
    if len(set(found)) > 1 and len(together) == 1 and "" not in together:
        return format_named(found[0].together)
    for source, format in zip(sources[1:], found[1:], strict=True):
        if format is not found[0]:
            others = f"{found[0].title} ({file_name(sources[0].path)}) and {format.title}"
            raise ReportError(f"{source.path}: {others} are no parts of one run: give one at a time")
    return found[0]


def _detect(source: Source, progress: Callable[[int, int], None] | None = None) -> Format:
    found = detect(source.head, source.name) or _detect_at_end(source, progress)
    if found is None:
        raise ReportError(f"{source.path}: {description_of(source)}; {accepted()}")
    return found


def _detect_at_end(source: Source, progress: Callable[[int, int], None] | None) -> Format | None:
    """The format of the end of a file, after output of a program; None for a pipe that is still being read."""
    if source.is_spooling or (source.size <= len(source.head) and not source.is_packed):
        return None
    try:
        source.unpack(progress)
    except ReportError:
        return None
    end = source.pread(END, max(0, source.size - END))
    found = [(format.sniff(end, source.name), format) for format in FORMATS if format.looks_at_end]
    best = max(found, key=lambda each: each[0], default=None)
    return best[1] if best is not None and best[0] > Confidence.NO else None


def description_of(source: Source) -> str:
    """Short description of a file without known format."""
    head = source.head.removeprefix(BOM_UTF8)
    reasons = (format.unreadable(head, source.name) for format in FORMATS if format.unreadable is not None)
    if reason := next(filter(None, reasons), None):
        return reason
    if not head:
        return "is empty" if not source.is_packed else "is an archive of which nothing could be unpacked"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        from parsers.io.archives.zip_messages import zip_words

        in_archives = " or ".join(format.title for format in FORMATS if format.place_of is not None)
        return zip_words(source.pread, source.size, in_archives)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "is UTF-16 text: convert it to UTF-8"
    if head.startswith(b"BZh"):
        return "is a bzip2 archive: unpack it first"
    first = head.partition(b"\n")[0][:200]
    if b"\0" in head[:4096] or sum(byte < 32 and byte not in b"\t\r\n\f\x1b" for byte in first) > len(first) // 8:
        return "is binary, no report of a JVM toolchain that is known here"
    shown = first[:60].decode("utf-8", "replace").strip()
    return f"is no known report (it begins with {shown!r})" if shown else "is no known report (its first line is empty)"
