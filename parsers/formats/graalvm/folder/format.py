"""The format of several files of native-image opened together: all reports that one build wrote."""

from __future__ import annotations

from parsers.formats.format import Confidence, Format
from parsers.model.late import late

NAME = "graalvm-build"
CALL_TREES = ("graalvm-call-tree", "graalvm-call-tree-csv")
"""Formats of call trees."""


def sniff(head: bytes, name: str) -> Confidence:
    """Never sure: no single file has this format."""
    return Confidence.NO


FORMATS = (
    Format(NAME, "GraalVM build, all reports", sniff, late("parsers.formats.graalvm.folder.opening:open_build")),
)
