"""Reader of one binary file: its records, then the sub-records of its heap records."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.hprof.agent_binary.profile import BinaryProfile
from parsers.formats.hprof.agent_binary.records import Read
from parsers.formats.hprof.data.tables import ProfileTables
from parsers.formats.hprof.dump.read.heap import ParsedHeap
from parsers.formats.hprof.dump.read.problem_list import ProblemList, first_of
from parsers.formats.hprof.dump.records.records import read_header
from parsers.model.report import Problem

if TYPE_CHECKING:
    from parsers.formats.hprof.dump.index.heap_engine import PlainSteps


class DumpFile:
    """Reader of a file. Its results are `profile`, `heap` and `problems`."""

    def __init__(self, read: Read, size: int, steps: PlainSteps) -> None:
        self._size = size
        self._steps = steps
        header = read_header(read, size)
        self.version = header[0] if header is not None else b""
        self.id_size = header[1] if header is not None else 0
        self.profile: BinaryProfile
        self.heap: ParsedHeap | None = None

    def read(self) -> None:
        """Reads all of it; once more if there are records inside heap records, whose lengths then say nothing."""
        if self._read_all(repairs=False):
            self._read_all(repairs=True)

    def _read_all(self, repairs: bool) -> bool:
        records = self._steps.records(self._size, self.id_size, repairs)
        self.profile = BinaryProfile(ProfileTables(), records)
        self.profile.read(records.read, self._size)
        if not records.segments:
            return False
        self.heap, has_records_inside = self._steps.read_heap(self.profile, self.id_size)
        return has_records_inside

    @cached_property
    def _problems(self) -> list[ProblemList]:
        profile = self.profile
        found = [profile.walked.problems]
        if self.heap is not None:
            found.append(self.heap.counts.problems)
        known = {problem.offset for part in found for problem in part.kept}
        return [*found, profile.problems.without(known)]

    @property
    def problems(self) -> list[Problem]:
        """Returns the first problems of each kind, by offset."""
        return first_of(self._problems)

    @property
    def problem_counts(self) -> Counter[str]:
        """Returns the number of problems by kind."""
        return sum((part.counts for part in self._problems), Counter[str]())

    @property
    def counts(self) -> dict[str, int]:
        """Returns totals of the whole file."""
        profile, walked = self.profile, self.profile.walked
        totals = {**profile.counts, "threads_started": len(profile.serials), "dumps": walked.dumps}
        is_truncated = bool(profile.counts["truncated"]) or walked.is_truncated
        if self.heap is not None:
            counts = self.heap.counts
            totals |= counts.sub_records
            totals |= {
                "unknown_sub_records": counts.unknown,
                "duplicate_ids": counts.duplicates,
                "null_ids": counts.nulls,
            }
            is_truncated = is_truncated or counts.is_truncated
        return totals | {"truncated": int(is_truncated)}
