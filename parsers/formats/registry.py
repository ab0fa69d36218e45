"""All formats, and the detection of a file's format: by content first, its name is only a hint."""

from __future__ import annotations

from codecs import BOM_UTF8
from importlib import import_module

from parsers.formats.format import Confidence, Format
from parsers.model.names.suggestion import suggestion
from parsers.model.report import ReportError

DECLARATIONS = (
    "graalvm.text_formats",
    "graalvm.csv.format",
    "hotspot.format",
    "hprof.format",
    "jdkprofilers.format",
    "jfr.format",
    "tptp.format",
    "graalvm.side_formats",
    "graalvm.folder.format",
)
"""Modules below `parsers.formats` with the `FORMATS` of a family, in the order of detection."""
FORMATS: tuple[Format, ...] = tuple(
    format for module in DECLARATIONS for format in import_module(f"parsers.formats.{module}").FORMATS
)
"""All formats. Their readers are imported on opening."""


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
    head = head.removeprefix(BOM_UTF8)
    best, confidence = None, Confidence.NO
    for format in FORMATS:
        if (sure := format.sniff(head, name)) > confidence:
            best, confidence = format, sure
            if sure is Confidence.SURE:
                break
    return best
