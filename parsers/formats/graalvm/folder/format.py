"""The format of several files of native-image opened together: all reports that one build wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.format import Confidence, Format, late

if TYPE_CHECKING:
    pass

NAME = "graalvm-build"


def sniff(head: bytes, name: str) -> Confidence:
    """Never sure: no single file has this format."""
    return Confidence.NO


FORMATS = (
    Format(NAME, "GraalVM build, all reports", sniff, late("parsers.formats.graalvm.folder.opening:open_build")),
)
