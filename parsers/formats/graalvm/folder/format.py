"""The format of several files of native-image opened together: all reports that one build wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.format import Confidence, Format
from parsers.model.late import late

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "graalvm-build"
CALL_TREES = ("graalvm-call-tree", "graalvm-call-tree-csv")
"""Formats of call trees."""

LONGEST_HEADER = 1000
"""Bytes of a first line that are examined."""


def header_of(data: bytes) -> bytes:
    """Returns the first line without byte order mark, line end, and trailing blanks, which editors leave or cut."""
    return data[:LONGEST_HEADER].partition(b"\n")[0].removeprefix(b"\xef\xbb\xbf").rstrip(b" \t\r")


def starts_with(header: bytes) -> Callable[[bytes, str], Confidence]:
    """Sure if this is the whole first line, whatever the file's name is."""
    return lambda head, name: Confidence.SURE if header_of(head) == header else Confidence.NO


def sniff(head: bytes, name: str) -> Confidence:
    """Never sure: no single file has this format."""
    return Confidence.NO


FORMATS = (
    Format(
        NAME,
        "GraalVM build, all reports",
        sniff,
        late("parsers.formats.graalvm.folder.opening:open_build"),
        producer="GraalVM",
    ),
)
