"""Problems of a recording, with byte offsets and descriptions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.columns import KEPT_FINDINGS
from parsers.formats.tptp.schema.counters import FINDING_KINDS
from parsers.model.report import Problem

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording

DAMAGE: dict[str, tuple[str, str]] = {
    "cut element": ("ends inside an element, {value:,} bytes of it are there", "all complete elements are read"),
    "torn element": ("an element is torn: {value:,} bytes are none", "reading continues at the next one"),
    "junk": ("{value:,} bytes that are no element", "they are skipped"),
    "not well formed": ("an element that is not well formed", "it is read as far as its attributes are whole"),
    "lying encoding": ("a text is not in the encoding that the file names", "it is read as windows-1252 or Latin-1"),
    "zeros": ("{value:,} bytes are zero: the writer was stopped", "they are skipped"),
    "document type": ("a document type declaration", "it is skipped, nothing of it is loaded or expanded"),
    "damaged archive": ("the archive is damaged", "what could be unpacked is read"),
}
"""Findings that are problems. The others are in most recordings of real agents: facts."""


def find_problems(recording: TraceRecording, file: str) -> Iterator[Problem]:
    """Yields all stored problems, ordered by offset. Yields none until the recording is complete."""
    if not recording.is_complete:
        return
    column = recording.column
    findings = zip(column("finding_offset"), column("finding_kind"), column("finding_value"), strict=True)
    for offset, kind, value in sorted(findings):
        name = FINDING_KINDS[kind]
        if name in DAMAGE:
            what, done = DAMAGE[name]
            yield Problem(name, what.format(value=int(value)), done, file, int(offset))
    for name, count in zip(FINDING_KINDS, recording.facts.get("finding_counts", ()), strict=False):
        if count > KEPT_FINDINGS and name in DAMAGE:
            yield Problem(name, f"{count - KEPT_FINDINGS:,} more of the kind {name!r}", "they are counted", file)


def problem_count(recording: TraceRecording) -> int:
    """Returns the number of problems."""
    counts = zip(FINDING_KINDS, recording.facts.get("finding_counts", ()), strict=False)
    return sum(count for name, count in counts if name in DAMAGE)
