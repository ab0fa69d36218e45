"""All reports that one build wrote, as one: what several files of native-image are that are opened together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.format import Confidence, Format, late

if TYPE_CHECKING:
    pass

NAME = "graalvm-build"


def sniff(head: bytes, name: str) -> Confidence:
    """No single file is that."""
    return Confidence.NO


FORMATS = (Format(NAME, "GraalVM build, all reports", sniff, late("parsers.formats.graalvm.folder.report:open_build")),)
