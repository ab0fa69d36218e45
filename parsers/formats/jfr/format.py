"""Flight Recorder files, recognised by their first bytes; the reader is imported late.

A chunk begins with `FLR`, a zero byte, and the version.
"""

from __future__ import annotations

from parsers.formats.format import Confidence, Format
from parsers.model.late import late

_MAGIC = b"FLR\0\0"


def sniff(head: bytes, name: str) -> Confidence:
    """Returns sure for the header of a chunk; for other bytes the name decides."""
    if head.startswith(_MAGIC):
        return Confidence.SURE
    return Confidence.NAME if name.lower().endswith(".jfr") and b"FLR\0" in head else Confidence.NO


FORMATS = (
    Format(
        "jfr",
        "Flight Recorder file",
        sniff,
        late("parsers.formats.jfr.recording_report:JfrWithViews"),
        expected="a Flight Recorder file",
        index=late("parsers.formats.jfr.build:RecordingBuild"),
        kernels=("parsers.formats.jfr.kernels:KERNELS",),
        tables="parsers.formats.jfr.sql_tables.report_tables:JFR_TABLES",
    ),
)
