"""All formats, and the detection of a file's format: by content first, its name is only a hint."""

from __future__ import annotations

from parsers.formats.format import Confidence, Format
from parsers.formats.graalvm import side_formats as recognised
from parsers.formats.graalvm import text_formats as text
from parsers.formats.graalvm.csv import format as csv_format
from parsers.formats.graalvm.folder import format as folder_format
from parsers.formats.hotspot import format as hotspot
from parsers.formats.hprof import format as hprof
from parsers.formats.jdkprofilers import format as jdkprofilers
from parsers.formats.jfr import format as jfr
from parsers.formats.tptp import format as tptp
from parsers.model.names.suggestion import suggestion
from parsers.model.report import ReportError

FORMATS: tuple[Format, ...] = (
    *text.FORMATS,
    *csv_format.FORMATS,
    *hotspot.FORMATS,
    *hprof.FORMATS,
    *jdkprofilers.FORMATS,
    *jfr.FORMATS,
    *tptp.FORMATS,
    *recognised.FORMATS,
    *folder_format.FORMATS,
)
"""Formats in the order of detection. Their readers are imported on opening."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def accepted() -> str:
    """Returns the formats that can be opened, for messages about unrecognised files."""
    *first, last = dict.fromkeys(format.expected for format in FORMATS if format.expected)
    return f"expected {', '.join(first)}, or {last} (plain, .gz, .xz or .zst)"


def format_named(name: str) -> Format:
    """Returns the format of that name. Raises `ReportError`, which lists the known ones."""
    for format in FORMATS:
        if format.name == name:
            return format
    readable = [format.name for format in FORMATS if format.open is not None]
    raise ReportError(f"no format is called {name!r}: {suggestion(name, readable)}")


def place_in_zip(head: bytes, name: str) -> float | None:
    """Returns the position of a member of a zip archive, from its first bytes; None if no format reads archives."""
    format = detect(head, name)
    return None if format is None or format.place_of is None else format.place_of(head)


def detect(head: bytes, name: str = "") -> Format | None:
    """Returns the format of a file with these first bytes; None if unrecognised."""
    head = head.removeprefix(BYTE_ORDER_MARK)
    best, confidence = None, Confidence.NO
    for format in FORMATS:
        if (sure := format.sniff(head, name)) > confidence:
            best, confidence = format, sure
            if sure is Confidence.SURE:
                break
    return best
