"""Builds the index of a binary file, its heap dump in stages, see `stages`.

Complete stages stay on disk if a build is stopped, and the next build continues after them. It reads the file again for
its contents, but reuses all arrays made from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from parsers.formats.hprof.build import save_plain
from parsers.formats.hprof.data.columns import KEPT_PROBLEMS
from parsers.formats.hprof.data.recording import ProfileRecording
from parsers.formats.hprof.dump.index.facts import heap_facts
from parsers.formats.hprof.dump.index.heap_engine import KernelSteps, PlainSteps
from parsers.formats.hprof.dump.index.progress import KNOWN_CLASSES, StageProgress
from parsers.formats.hprof.dump.index.sizes import MeasuredHeap
from parsers.formats.hprof.dump.index.stages import HeapStages
from parsers.formats.hprof.dump.index.tables import add_heap
from parsers.formats.hprof.dump.read.file import DumpFile
from parsers.formats.hprof.dump.records.parts import DumpParts
from parsers.formats.hprof.kernels import DUMP
from parsers.formats.hprof.totals import LISTED_SECTIONS, sections_of
from parsers.heapdump.kernels import KERNELS
from parsers.index.build import ChangedReport, FileBuild
from parsers.index.store import Header
from parsers.model.report import Problem

if TYPE_CHECKING:
    from parsers.index.build import ReportProgress
    from parsers.index.writer import Writer
    from parsers.io.group import SourceGroup


class DumpBuild(FileBuild):
    """Builder of the index of one binary file."""

    groups = (DUMP, KERNELS)

    def __init__(self, source: SourceGroup, folder: str, format: str, report_progress: ReportProgress) -> None:
        super().__init__(source, folder, format, report_progress)
        self._whole = DumpParts(source.sources)
        """The file, with its parts if it has some."""
        self.size = self._whole.size
        self._is_stopped = False

    def run(self) -> Header:
        """Builds the index. Raises `ChangedReport`, and `OSError` if the disk is full."""
        writer = self.writer(continues=True)
        progress = StageProgress(self.report_progress, self.size, writer.path)
        progress.is_second = writer.begun is not None
        steps = PlainSteps(self._read)
        if self.uses_kernels:
            report = lambda share: progress.share(KNOWN_CLASSES, 0.7 * share)  # noqa: E731
            steps = KernelSteps(self._read, self._whole, writer, report, self.size)
        try:
            return self._build(writer, steps, progress)
        except BaseException as error:
            # A failed stage is not continued.
            if not self._is_stopped:
                writer.abandon()
            if isinstance(error, EOFError):
                raise ChangedReport from error
            raise

    def abandon(self) -> None:
        """Removes what was written, except complete stages."""
        self._is_stopped = True
        for writer in self._writers:
            writer.abandon(keeps_stages=True)

    def _read(self, count: int, offset: int) -> bytes:
        data = self._whole.pread(count, offset)
        if len(data) < count:
            raise ChangedReport
        return data

    def _build(self, writer: Writer, steps: PlainSteps, progress: StageProgress) -> Header:
        file = DumpFile(self._read, self.size, steps)
        file.read()
        profile, heap = file.profile, file.heap
        recording = ProfileRecording(self._whole)
        facts: dict[str, Any] = {"runs": []}
        totals = file.counts
        problems, problem_count = problems_of(file, self._whole.path)
        if heap is None:
            recording.take_plain(profile.tables, facts)
            save_plain(writer, recording)
            facts |= {"sections": sections_of(recording, LISTED_SECTIONS), "section_count": recording.rows("section")}
            return self._end(writer, recording, totals, facts, problems, problem_count)
        measured = MeasuredHeap(heap, profile, file.version, self._read, steps.addresses(heap))
        root_objects = add_heap(profile, heap, measured)
        recording.take_plain(profile.tables, facts)
        facts |= {**heap_facts(heap, measured, file), "sections": []}
        progress.rows = heap.objects

        def publish(stage: str) -> None:
            writer.stage(stage, self.size, heap.objects, stages.totals, facts, problems, self.seconds)

        stages = HeapStages(
            writer, steps, heap, measured, profile, recording, root_objects, totals, progress, publish
        )  # fmt: skip
        stages.run()
        return self._end(writer, recording, stages.totals, facts, problems, problem_count, heap.objects)

    def _end(
        self, writer: Writer, recording: ProfileRecording, totals: Mapping[str, int], facts: Mapping[str, Any],
        problems: tuple[Problem, ...], problem_count: int, objects: int = 0,
    ) -> Header:  # fmt: skip
        if self._whole.is_rewritten:
            raise ChangedReport
        rows = recording.rows("trace") + objects
        return self.finish(writer, rows, totals, facts, problems, problem_count)


def problems_of(file: DumpFile, path: str) -> tuple[tuple[Problem, ...], int]:
    """Returns the stored problems, and the number of all."""
    counts = file.problem_counts
    found = [replace(each, file=path) for each in file.problems]
    for kind, count in counts.items():
        if count > KEPT_PROBLEMS:
            more = f"{count - KEPT_PROBLEMS:,} more of the kind {kind!r}"
            found.append(Problem(kind, more, "they are counted", path))
    return tuple(found), sum(counts.values())
