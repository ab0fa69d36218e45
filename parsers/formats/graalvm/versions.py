"""Versions of GraalVM as ranges, and how the files of one build narrow each other's range.

Each layout is written by a range of versions, such as `24.2+`. Only `build-output.json` names the builder. Files of one
build were written by one version, which is in all of their ranges.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, cast

from parsers.formats.folder import FoundReport, build_around
from parsers.io.open_source import open_source
from parsers.model.report import ReportError

if TYPE_CHECKING:
    from parsers.formats.graalvm.side.json import JsonReport
    from parsers.io.cache import Cache
    from parsers.io.source import Source
    from parsers.model.report import Report

TABLES, BUILD_OUTPUT = "graalvm-call-tree-csv", "graalvm-build-output"
DECIDING = (TABLES, BUILD_OUTPUT)
"""Formats that distinguish more versions than text trees do."""

MOST_VALUES = 1000
"""Values of a build output that are examined; real ones have 50, and the builder is among the first."""

_PRODUCT = re.compile(r"(?:GraalVM(?: CE| EE)?[ -]|Mandrel-)(?P<major>\d{2})\.(?P<minor>\d{1,2})(?:\.\d+)*(?![\d.+])")
"""A GraalVM or Mandrel version: `GraalVM 22.3.0 Java 17 CE`, `Mandrel-23.0.6.0-Final`."""

_JDK = re.compile(r"(?:GraalVM(?: CE| EE)? )?(?P<feature>\d{1,3})(?:\.\d+)*(?:-[a-z]+)?\+\d")
"""The version of the JDK: `GraalVM CE 21.0.1+12.1`, `25+37-LTS`."""

VERSION_OF_JDK = {
    17: "21.3-23.0",
    19: "22.3",
    20: "23.0",
    21: "23.1",
    22: "24.0",
    23: "24.1",
    24: "24.2",
    25: "25",
}
"""Versions of native-image by the JDK that they run on. Source: release notes of GraalVM, 21.3 to 25."""


def narrowed(versions: Iterable[str | None]) -> str | None:
    """Returns the intersection of some ranges; None if there are none, or it is empty."""
    known = [version for version in versions if version]
    if not known:
        return None
    ends = [version.partition("-") for version in known]
    lowest = max((start.removesuffix("+") for start, _, _ in ends), key=_number)
    highest = min(("" if end.endswith("+") else stop or end for end, _, stop in ends), key=_end)
    if _number(lowest) > _end(highest):
        return None
    if not highest:
        return f"{lowest}+"
    return lowest if lowest == highest else f"{lowest}-{highest}"


def _number(text: str) -> tuple[float, ...]:
    return tuple(map(int, text.split(".")))


def _end(text: str) -> tuple[float, ...]:
    """Returns the last version of that name: 22.0.1 is part of 22.0. No text: unbounded."""
    return (*_number(text), math.inf) if text else (math.inf,)


def version_of(report: Report, image: str = "") -> str | None:
    """Returns the version range of one report of a build; None for a build output of another image."""
    if report.format == BUILD_OUTPUT:
        return _version_of_builder(cast("JsonReport", report), image)
    return report.format_version


def _version_of_builder(report: JsonReport, image: str) -> str | None:
    """Returns the version named in a build output, or the range that runs on the JDK named there."""
    values = {
        entry.label: str(entry.badges.get("value", ""))
        for entry in islice(report.recording.entries, MOST_VALUES)
        if entry.ref.startswith("name:general_info.")
    }
    if image and values.get("name") != image:
        return None
    texts = [values.get(name, "") for name in ("vendor_version", "graalvm_version", "java_version")]
    for text in texts:
        if (product := _PRODUCT.search(text)) is not None:
            return product["major"] if int(product["major"]) >= 25 else f"{product['major']}.{product['minor']}"
    for text in texts:
        if (jdk := _JDK.match(text)) is not None:
            feature = int(jdk["feature"])
            return VERSION_OF_JDK.get(feature, "25+" if feature > max(VERSION_OF_JDK) else None)
    return None


def sibling_versions(path: str, cache: Cache, waits: bool) -> list[str]:
    """Version ranges of the tables and the build output of the build that wrote a file.

    Other text reports are not read, as their layouts don't narrow the range further.
    waits  True reads a set of tables without index completely, as its version is known only then
    """
    run = build_around(path)
    if run is None:
        return []
    others = [report for report in run.reports if report.format.name in DECIDING]
    versions = (_version_of_file(other, run.image, cache, waits) for other in others)
    return [version for version in versions if version is not None]


def _version_of_file(found: FoundReport, image: str, cache: Cache, waits: bool) -> str | None:
    open = found.format.open
    sources: list[Source] = []
    report: Report | None = None
    try:
        assert open is not None
        sources += [open_source(file, cache) for file in found.files]
        report = open(sources, cache)
        version = version_of(report, image)
        if version is None and waits and found.format.name == TABLES:
            report.wait()
            version = version_of(report, image)
        return version
    except ReportError:
        return None
    finally:
        for each in sources if report is None else [report]:
            each.close()
