"""All reports that one build wrote, as one: what several files of native-image are that are opened together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.format import Confidence, Format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.cache import Cache
    from parsers.input.source import Source
    from parsers.report import Report

NAME = "graalvm-build"


def sniff(head: bytes, name: str) -> Confidence:
    """No single file is that."""
    return Confidence.NO


def _open(sources: Sequence[Source], cache: Cache) -> Report:
    from parsers.graalvm.folder.report import open_build

    return open_build(sources, cache)


FORMATS = (Format(NAME, "GraalVM build, all reports", sniff, _open),)
