"""HPROF text and binary files, recognised by content. The reader is imported on first use.

A file begins with `JAVA PROFILE 1.0.1, created `, perhaps after output of the program if both share a file. Text
written by other programs (Android's `AsciiHprofWriter`, samplers) begins with a trace or a section.
"""

from __future__ import annotations

import re

from parsers.formats.format import Confidence, Format, expression
from parsers.model.late import late

_HEADER = expression(rb"^JAVA PROFILE \d[\w.]*, created [^\0\n]*$", re.MULTILINE)
_BINARY_HEADER = expression(rb"JAVA PROFILE 1\.0\.[123]\0")
_SEGMENT = b"\x1c\0\0\0\0"
"""First bytes of parts of heap dumps."""
_RECORDS = expression(
    rb"^(?:TRACE \d+:[^\n]*\r?\n\t[^\n]+\)\r?\n|THREAD START \(obj=[0-9a-f]+, id = \d+, name=\"|"
    rb"CPU (?:SAMPLES|TIME \(ms\)) BEGIN \(total = -?\d+\)|HEAP DUMP BEGIN \(\d+ objects, \d+ bytes\)|"
    rb"SITES BEGIN \(ordered by |"
    rb"(?:CPU SAMPLES|CPU TIME \(ms\)|SITES|HEAP DUMP|MONITOR TIME|MONITOR DUMP) END\r?$)",
    re.MULTILINE,
)
_NAME = re.compile(r"java\.hprof(\.|$)|.*\.hprof\.txt$", re.IGNORECASE)
"""File names used by the agent, by its manual: `java.hprof.txt`."""


def sniff(head: bytes, name: str) -> Confidence:
    """Returns "sure" for the header; "likely" for records without one, or for a section end at the end of the file.

    If the program writes much into the file before the agent does, only the name is left to decide.
    """
    if _HEADER().search(head):
        return Confidence.SURE
    if _RECORDS().search(head):
        return Confidence.LIKELY
    return Confidence.NAME if head and _NAME.match(name) and b"\0" not in head else Confidence.NO


def sniff_binary(head: bytes, name: str) -> Confidence:
    """Returns "sure" for the header; "likely" for a part of an interrupted dump, by its name and a heap record."""
    if _BINARY_HEADER().match(head):
        return Confidence.SURE
    if not head.startswith(_SEGMENT):
        return Confidence.NO
    return Confidence.LIKELY if late("parsers.formats.hprof.dump.records.parts:is_part")(head, name) else Confidence.NO


TABLES = "parsers.formats.hprof.sql_tables.report_tables:HPROF_TABLES"

FORMATS = (
    Format(
        "hprof-binary",
        "HPROF binary profile",
        sniff_binary,
        late("parsers.formats.hprof.agent_binary.report:BinaryReport"),
        narrow=late("parsers.formats.hprof.dump.read.run:narrow"),
        index=late("parsers.formats.hprof.dump.index.build:DumpBuild"),
        kernels=("parsers.formats.hprof.kernels:DUMP",),
        part_of=late("parsers.formats.hprof.dump.records.parts:part_of"),
        tables=TABLES,
    ),
    Format(
        "hprof-text",
        "HPROF text profile",
        sniff,
        late("parsers.formats.hprof.profile_report:ProfileReport"),
        expected="an HPROF profile or heap dump",
        index=late("parsers.formats.hprof.build:ProfileBuild"),
        kernels=("parsers.formats.hprof.kernels:TEXT",),
        looks_at_end=True,
        tables=TABLES,
    ),
)
