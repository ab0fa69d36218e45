"""Builds the index of a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.data.columns import COLUMNS, LINES, PUBLISHED, TEXT_TABLES
from parsers.formats.hprof.data.recording import ProfileRecording
from parsers.formats.hprof.data.tables import ProfileTables
from parsers.formats.hprof.kernels import TEXT
from parsers.formats.hprof.text.plain_published import PlainPublished
from parsers.formats.hprof.text.plain_text import BLOCK, PlainText
from parsers.formats.hprof.totals import LISTED_SECTIONS, runs_of, sections_of, totals_of
from parsers.heapdump.graph.columns import PACKED, REFERRERS
from parsers.heapdump.kernels import KERNELS
from parsers.heapdump.tables.array_header import layout_facts
from parsers.heapdump.tables.heap_tables import save_tables
from parsers.index.bitpacked.writing import save_packed
from parsers.index.build import FileBuild
from parsers.index.store import BUILDING, Header
from parsers.index.texts import save_texts
from parsers.index.writer import Writer
from parsers.io.background_task import BackgroundTask

if TYPE_CHECKING:
    from parsers.formats.hprof.text.kernel_tables import KernelProfileTables


KNOWN = f"{BUILDING}-known"
"""Folder that plain code publishes to."""


class ProfileBuild(FileBuild):
    """Builder of the index of one profile."""

    groups = (TEXT, KERNELS)

    def with_plain(self) -> Header:
        """Builds by plain code."""
        size, read = self.size, self.reader()
        writer, text = self.writer(), PlainText(ProfileTables())
        known = self.writer(KNOWN) if self.is_large else None
        published = PlainPublished(known, text.tables) if known is not None else None
        at = 0
        while at < size:
            at = text.feed(read, at, min(at + BLOCK, size), size)
            rows = text.tables.length("trace") + text.tables.length("object")
            if known is not None and published is not None:
                self.publish(at, rows, known, published.publish(), PUBLISHED)
        text.count_lines(read, size)
        text.end(size)
        recording = ProfileRecording(self.source.sources[0], path=self.source.path)
        recording.take_plain(text.tables, text.facts, text.lines)
        save_plain(writer, recording)
        return self._finish(writer, recording)

    def with_kernels(self) -> Header:
        """Builds by kernels."""
        from parsers.formats.hprof.text.build import KernelText

        writer = self.writer()
        reading = KernelText(writer, self.descriptors[0], self.size)
        reading.read(lambda done, rows, lengths: self.publish(done, rows, writer, lengths, PUBLISHED))
        tables = reading.tables
        writer.save("lines", np.frombuffer(reading.text.lines, np.uint32))
        recording = ProfileRecording(self.source.sources[0], path=self.source.path)
        found = {name: tables.column(name) for name in COLUMNS if name not in REFERRERS}
        columns = {name: column if name in PACKED else memoryview(column) for name, column in found.items()}
        words = {table: list(tables.texts[table].texts) for table in TEXT_TABLES}
        recording.take_arrays(columns, words, reading.text.facts)
        return self._finish(writer, recording, tables)

    def _finish(self, writer: Writer, recording: ProfileRecording, tables: KernelProfileTables | None = None) -> Header:
        """Adds counts and the tables of heap views, which completes the index.

        tables  those of kernels, which are not yet written
        """
        self.check_unchanged()
        listed, runs = sections_of(recording, LISTED_SECTIONS), runs_of(recording, LISTED_SECTIONS)
        facts = {**recording.facts, "sections": listed, "section_count": recording.rows("section"), "runs": runs}
        if recording.rows("object"):
            facts["layout"] = layout_facts(recording)
            recording.facts = facts
        rows = recording.rows("trace") + recording.rows("object")
        problems = sum(recording.facts["problem_counts"])
        totals = totals_of(recording)
        if tables is None:
            save_tables(writer, recording)
        else:
            saving = BackgroundTask(tables.save)
            save_tables(writer, recording, lambda: (tables.column("referrer_first"), tables.column("referrer")))
            saving.result()
        return self.finish(writer, rows, totals, facts, (), problems)


def save_plain(writer: Writer, recording: ProfileRecording) -> None:
    """Writes all tables of plain code."""
    for name, type in {**COLUMNS, **LINES}.items():
        if name in PACKED:
            save_packed(writer, name, PACKED[name], np.asarray(recording.packed(name)))
        else:
            writer.save(name, np.asarray(recording.column(name)).astype(np.dtype(type), copy=False))
    for table in TEXT_TABLES:
        save_texts(writer, table, recording.texts(table))
