"""Tables of a binary file besides its heaps: names, classes, traces, threads, samples, sites."""

from __future__ import annotations

from collections.abc import Iterator

from parsers.formats.hprof.agent_binary.profile import SERIAL, BinaryProfile
from parsers.formats.hprof.agent_binary.records import Read
from parsers.formats.hprof.columns import CUT
from parsers.formats.hprof.dump.read.records import DumpRecords
from parsers.formats.hprof.tables import ProfileTables
from parsers.model.java_method import class_name, decode

CLASS_OF_CLASSES = b"java.lang.Class"


class DumpProfile(BinaryProfile):
    """Reads the records found by a `DumpRecords`, which also records the positions of heap records."""

    def __init__(self, tables: ProfileTables, records: DumpRecords) -> None:
        super().__init__(tables)
        self.walked = records
        self.loaded: dict[int, int] = {}
        """Name id by id of a class object."""
        self._serials: dict[int, int] = {}
        """Class id by serial."""
        self._site_sizes: dict[int, int] = {}
        """Bytes of one instance by serial of a class: the minimum of its allocation sites."""

    @property
    def names(self) -> dict[int, bytes]:
        """Texts by id."""
        return self._names

    def _records(self, read: Read, size: int, is_head: bool) -> Iterator[tuple[int, int, int, int]]:
        yield from self.walked.walk()
        self.counts |= self.walked.counts
        self._add_class_of_classes()

    def _add_class_of_classes(self) -> None:
        """Adds java.lang.Class if no record does, under an unused id.

        Class objects are its instances, so they have a row of their own even in a dump that lacks it.
        """
        of_classes = {name for name, text in self._names.items() if text in (b"java/lang/Class", CLASS_OF_CLASSES)}
        if of_classes.isdisjoint(self.loaded.values()):
            largest = (1 << 8 * self._id_size) - 1
            id = next(id for id in range(largest, 0, -1) if id not in self.loaded)
            name = next(name for name in range(largest, 0, -1) if name not in self._names)
            self.loaded[id], self._names[name] = name, CLASS_OF_CLASSES

    def _class(self, body: bytes, offset: int, micros: int) -> None:
        super()._class(body, offset, micros)
        (serial,), (id,), (name,) = SERIAL(body), self._id(body, 4), self._id(body, 8 + self._id_size)
        self.loaded[id] = name
        self._serials[serial] = id

    def _measure(self, serial: int, bytes: int, objects: int) -> None:
        # Class objects are counted for their own class, as one larger object, so a site with one object proves nothing.
        if objects > 1 and not bytes % objects:
            size = bytes // objects
            self._site_sizes[serial] = min(size, self._site_sizes.get(serial, size))

    def site_sizes(self) -> dict[int, int]:
        """Returns the bytes of one instance by class id, for classes in allocation sites."""
        return {self._serials[serial]: size for serial, size in self._site_sizes.items() if serial in self._serials}

    def class_text(self, id: int) -> bytes:
        """Returns a class in the form of columns: its name in Java notation, and its id."""
        raw = self._names.get(self.loaded.get(id, 0)) if id in self.loaded else None
        name = b"class@0x%x" % id if raw is None else class_name(decode(raw)).encode("utf-8", "surrogatepass")
        return b"%b@%x" % (name, id)

    @property
    def findings(self) -> list[int]:
        """Offsets of damaged records."""
        columns = self.tables.columns
        kinds, offsets = columns["finding_kind"], columns["finding_offset"]
        return [offset for kind, offset in zip(kinds, offsets, strict=True) if kind == CUT]
