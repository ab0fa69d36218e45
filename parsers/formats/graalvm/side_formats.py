"""The other reports that native-image leaves in a folder: recognised, and most of them read, by `side.opening`.

Source: the printers of oracle/graal 19 to 25 (`CallTreePrinter`, `AnalysisHeapHistogramPrinter`, `StatisticsPrinter`,
`ClassInitializationReport` and others) and real files of 23.0. Headers are compared whole; if a report has none, its
name is a hint that is used only for text files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from parsers.formats.format import Confidence, Format, only_file
from parsers.formats.graalvm.folder.format import NAME as BUILD
from parsers.formats.graalvm.folder.format import starts_with
from parsers.model.late import late

if TYPE_CHECKING:
    from parsers.io.cache import Cache
    from parsers.io.source import Source
    from parsers.model.report import Report

Sniff = Callable[[bytes, str], Confidence]

_LOOKED_AT = 16 << 10
"""Bytes of the head that are searched for words."""


def _begins(*magic: bytes) -> Sniff:
    """Sure if the file begins with one of these bytes."""

    def sniff(head: bytes, name: str) -> Confidence:
        return Confidence.SURE if head.startswith(magic) else Confidence.NO

    return sniff


def _object_with(*keys: bytes) -> Sniff:
    """Likely if it is a JSON object that has all these keys near its start."""

    def sniff(head: bytes, name: str) -> Confidence:
        is_object = head[:200].lstrip().startswith(b"{")
        near = head[:_LOOKED_AT]
        found = is_object and all(b'"' + key + b'"' in near for key in keys)
        return Confidence.LIKELY if found else Confidence.NO

    return sniff


def _named(*beginnings: str, ending: str) -> Sniff:
    """Recognised by the name only; never for binary files."""

    def sniff(head: bytes, name: str) -> Confidence:
        fits = name.startswith(beginnings) and name.endswith(ending)
        is_text = bool(head) and b"\0" not in head[:_LOOKED_AT]
        return Confidence.NAME if fits and is_text else Confidence.NO

    return sniff


def _producer(title: str) -> str:
    return next((each for each in ("GraalVM", "native-image") if title.startswith(each)), "")


def _only_recognised(name: str, title: str, sniff: Sniff) -> Format:
    return Format(f"graalvm-{name}", title, sniff, None, producer=_producer(title))


def _open(name: str, title: str, sources: Sequence[Source], cache: Cache) -> Report:
    """Opens a side report. Raises `ReportError` if there are several files."""
    source = only_file(sources, "such a report")
    return late("parsers.formats.graalvm.side.opening:open_side_report")(name, title, source)  # type: ignore[no-any-return]


def _read(name: str, title: str, sniff: Sniff) -> Format:
    opens = partial(_open, f"graalvm-{name}", title)
    return Format(f"graalvm-{name}", title, sniff, opens, together=BUILD, producer=_producer(title))


FORMATS = (
    _read("heap-histogram", "GraalVM heap histogram", starts_with(b"Heap histogram")),
    _read(
        "class-initialization",
        "GraalVM class initialization",
        starts_with(b"Class Name, Initialization Kind, Reason for Initialization"),
    ),
    _read(
        "class-initialization-configuration",
        "GraalVM class initialization configuration",
        starts_with(b"Class or Package Name, Initialization Kind, Reasons"),
    ),
    _read(
        "substitutions",
        "GraalVM substitutions",
        starts_with(b"location, category (type/method/field), original, annotated"),
    ),
    _read("features", "GraalVM features", starts_with(b"Feature, Required Features")),
    _read("analysis-statistics", "GraalVM analysis statistics", _object_with(b"total_reachable_types")),
    _read("build-output", "native-image build output", _object_with(b"general_info", b"analysis_results")),
    _only_recognised("graphs", "Graal compiler graphs", _begins(b"BIGV")),
    _read("used-methods", "GraalVM used methods", _named("used_methods_", ending=".txt")),
    _read("used-classes", "GraalVM used classes", _named("used_classes_", ending=".txt")),
    _read("used-packages", "GraalVM used packages", _named("used_packages_", ending=".txt")),
    _read(
        "trace",
        "GraalVM reachability trace",
        _named("trace_types_", "trace_methods_", "trace_fields_", ending=".txt"),
    ),
    _read(
        "class-initialization-dependencies",
        "GraalVM class initialization graph",
        _named("class_initialization_dependencies_", ending=".dot"),
    ),
    _read("target-info", "GraalVM target", _named("target_info_", ending=".txt")),
    _read("native-library-info", "GraalVM native libraries", _named("native_library_info_", ending=".txt")),
    _only_recognised("connected-components", "GraalVM heap components", _named("connected_components_", ending="")),
    _only_recognised("universe", "GraalVM universe", _named("universe_", ending="")),
    _only_recognised("error-report", "native-image error report", _named("svm_err_", ending=".md")),
)
