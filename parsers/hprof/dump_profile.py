"""What a binary file holds beside heaps, in the tables of profiles: names, classes, traces, threads, samples, sites."""

from __future__ import annotations

from collections.abc import Iterator

from parsers.hprof.binary_profile import BinaryProfile
from parsers.hprof.binary_records import RECORD, Read
from parsers.hprof.columns import CUT
from parsers.hprof.dump_records import DumpRecords
from parsers.hprof.dump_words import LOAD_CLASS
from parsers.hprof.tables import Tables
from parsers.java_method import class_name, decode


class DumpProfile(BinaryProfile):
    """Reads the records that a `DumpRecords` finds; that also notes where the heap records are."""

    def __init__(self, tables: Tables, records: DumpRecords) -> None:
        super().__init__(tables)
        self.walked = records
        self.loaded: dict[int, int] = {}
        """By id of a class object the id of its name."""

    @property
    def names(self) -> dict[int, bytes]:
        """Texts by their ids."""
        return self._names

    def _records(self, read: Read, size: int, is_head: bool) -> Iterator[tuple[int, int, int, int]]:
        head = RECORD.size
        for offset, tag, micros, end in self.walked.walk():
            yield offset, tag, micros, end - offset - head
        self.counts |= self.walked.counts

    def _take_body(self, tag: int, body: bytes, offset: int, micros: int) -> None:
        super()._take_body(tag, body, offset, micros)
        if tag == LOAD_CLASS:
            ids = self._ids(body, 4, 1), self._ids(body, 8 + self._id_size, 1)
            self.loaded[ids[0][0]] = ids[1][0]

    def class_text(self, id: int) -> bytes:
        """A class as columns have it: its name as Java writes it, and its id."""
        raw = self._names.get(self.loaded.get(id, 0)) if id in self.loaded else None
        name = b"class@0x%x" % id if raw is None else class_name(decode(raw)).encode("utf-8", "surrogatepass")
        return b"%b@%x" % (name, id)

    @property
    def findings(self) -> list[int]:
        """Offsets of damaged records."""
        columns = self.tables.columns
        kinds, offsets = columns["finding_kind"], columns["finding_offset"]
        return [offset for kind, offset in zip(kinds, offsets, strict=True) if kind == CUT]
