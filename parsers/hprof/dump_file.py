"""One binary file on its way to a heap: its records, then the sub-records of its heap records."""

from __future__ import annotations

from collections.abc import Callable

from parsers.hprof.binary_records import Read
from parsers.hprof.dump_heap import Heap
from parsers.hprof.dump_profile import DumpProfile
from parsers.hprof.dump_records import DumpRecords, Trouble, read_header
from parsers.hprof.tables import Tables

FEW_REPAIRS, MOST_REPAIRS = 4, 1000
"""Heap records whose sub-records say where they end; what comes behind so many is taken as the file has it. Each costs
another reading, so there are fewer in a large file:"""
MOST_READ = 4 << 30
"""bytes that are read again."""

ReadHeap = Callable[[DumpProfile, int], "tuple[Heap, dict[int, int]]"]
"""Of all other records and the size of ids: the heap, and where heap records end in which other records begin."""


class DumpFile:
    """Reads a file. `profile`, `heap` and `troubles` are what it holds."""

    def __init__(self, read: Read, size: int, read_heap: ReadHeap) -> None:
        self._read = read
        self._size = size
        self._read_heap = read_heap
        header = read_header(read, size)
        self.version = header[0] if header is not None else b""
        self.id_size = header[1] if header is not None else 0
        self.profile: DumpProfile
        self.heap: Heap | None = None

    def read(self) -> None:
        """Reads all of it, once more for each heap record that turns out to end where its length doesn't say."""
        ends: dict[int, int] = {}
        most = max(FEW_REPAIRS, min(MOST_REPAIRS, MOST_READ // max(self._size, 1)))
        while True:
            records = DumpRecords(self._read, self._size, self.id_size, ends)
            self.profile = DumpProfile(Tables(), records)
            self.profile.read(self._read, self._size)
            if not records.segments:
                return
            self.heap, found = self._read_heap(self.profile, self.id_size)
            new = {offset: end for offset, end in found.items() if offset not in ends}
            if not new or len(ends) >= most:
                return
            # Behind the first of them everything may be otherwise.
            first = min(new)
            ends[first] = new[first]

    @property
    def troubles(self) -> list[Trouble]:
        """All that was wrong, in order of offsets."""
        found = [*self.profile.walked.troubles]
        if self.heap is not None:
            found += self.heap.counts.troubles
        known = {trouble.offset for trouble in found}
        what = "a record is too short for what it holds"
        found += [
            Trouble(offset, "cut", what, "what fits is used") for offset in self.profile.findings if offset not in known
        ]
        return sorted(found, key=lambda trouble: trouble.offset)

    @property
    def counts(self) -> dict[str, int]:
        """Totals of the whole file."""
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
