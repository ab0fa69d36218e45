"""The object graph of the heap dumps of a recording."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.heap.build import root_type, type_names
from parsers.formats.tptp.heap.columns import NAMES, PSEUDO_TYPES, computed_dumps
from parsers.formats.tptp.schema.columns import CLASS_ENTITY, NEVER, NOWHERE, SESSION_ENDS
from parsers.heapdump.graph.columns import FIELD, HEAP_DUMP
from parsers.heapdump.graph.dominated_graph import DominatedGraph
from parsers.heapdump.graph.labels import NO_OBJECT, HeapDump, ReferenceLabel, Root
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.time_text import time_text

if TYPE_CHECKING:
    from parsers.formats.tptp.store.names import TraceNames
    from parsers.formats.tptp.store.recording import TraceRecording


UNRECORDED = {"object_elements": 0, "object_trace": NONE, "reference_label": FIELD, "root_thread": NONE}
"""The number in all rows of a column that recordings don't have: lengths of arrays, traces, names of references …"""


class _HeapRecording:
    """A `RecordedHeap`: maps graph names of columns to the arrays of `heap.columns`."""

    facts: Mapping[str, Any] = {}

    def __init__(self, recording: TraceRecording) -> None:
        self._recording = recording
        self._types = [
            name.encode("utf-8", "surrogatepass")
            for name in type_names(recording, recording.rows("class") + len(PSEUDO_TYPES))
        ]

    def column(self, name: str) -> Any:
        """Returns a column, also one of UNRECORDED. Raises `KeyError`."""
        if name == "root_id":
            return self._root_ids
        if name == "cut_object":
            return ()
        if name in UNRECORDED:
            return np.broadcast_to(np.uint32(UNRECORDED[name]), self.rows(name.partition("_")[0]))
        return self._recording.column(NAMES[name])

    @cached_property
    def _root_ids(self) -> memoryview:
        """Ids of the objects of roots; -1 for none."""
        roots, ids = (self._recording.numbers(NAMES[name]) for name in ("root_object", "object_id"))
        return np.where(roots == NONE, -1, ids[np.where(roots == NONE, 0, roots)]).data if len(ids) else roots.data

    def rows(self, table: str) -> int:
        """Returns the number of objects, references or roots."""
        return len(self.column({"object": "object_id", "reference": "reference_target", "root": "root_object"}[table]))

    def texts(self, table: str) -> Sequence[bytes]:
        """Returns names of types."""
        return self._types

    def word(self, number: int) -> bytes:
        """Returns an empty text: references have no names, and labels of dumps are words of the recording."""
        return b""

    def sections(self, *kinds: int) -> Sequence[int]:
        """Returns the computed dumps."""
        return range(computed_dumps(self._recording)) if HEAP_DUMP in kinds else ()

    def section_range(self, section: int) -> range:
        """Returns the objects of a dump."""
        first, end = self.column("section_first")[section : section + 2]
        return range(int(first), int(end))

    def has_stage(self, name: str) -> bool:
        """Returns True: once there is a graph, all stages are complete."""
        return True


class TraceGraph(DominatedGraph):
    """The object graph of a recording. References have no names."""

    has_class_loaders = False

    def __init__(self, recording: TraceRecording, names: TraceNames) -> None:
        self._trace_recording = recording
        self._names = names
        heap = _HeapRecording(recording)
        super().__init__(heap)
        self.root_kinds = [root_type(recording, word) for word in heap.column("root_word")]

    def _dump(self, number: int, section: int) -> HeapDump:
        column = self._trace_recording.column
        roots = range(*(int(row) for row in column("dump_first_root")[number : number + 2]))
        time, name = int(column("dump_time")[number]), self._names.word(column("dump_name")[number])
        session = self._trace_recording.session_of("dump", number)
        of = f"session {session + 1}" if self._trace_recording.sessions > 1 else ""
        parts = [of, name, "" if time == NEVER else time_text(time)]
        return HeapDump(
            number=number,
            run=number + 1,
            objects=self._recording.section_range(section),
            roots=roots,
            offset=int(column("dump_offset")[number]),
            date=", ".join(filter(None, parts)),
            printed="",
            is_whole=len(roots) > 0 and not self._is_last_of_cut(number),
            process=session,
        )

    def _is_last_of_cut(self, number: int) -> bool:
        """True if the recording breaks off within this dump."""
        column, session = self._trace_recording.column, self._trace_recording.session_of("dump", number)
        is_closed = SESSION_ENDS[column("session_state")[session]] == "closed"
        return not is_closed and bool(column("dump_end")[number] >= column("session_end")[session])

    # -- objects ------------------------------------------------------------------------------------------------------

    def entity(self, object: int) -> int:
        """Returns the entity of an object: see `columns.ENTITY_BITS`."""
        return int(self._column("object_entity")[object])

    def of_entity(self, entity: int, dump: HeapDump) -> int:
        """Returns the object of an entity; NO_OBJECT if the dump has none."""
        entities, own_objects = self._column("object_entity"), dump.objects
        place = bisect_left(entities, entity, own_objects.start, own_objects.stop)
        return place if place < own_objects.stop and entities[place] == entity else NO_OBJECT

    def of_heap(self, objects: Any) -> Any:
        """Returns those that are objects, not classes, threads or ids without a definition."""
        return objects[self._numbers("object_entity", objects) < CLASS_ENTITY]

    def find(self, id: int, dump: HeapDump) -> int:
        """Returns the object that had an id at the time of the dump."""
        part = slice(dump.objects.start, dump.objects.stop)
        found = np.flatnonzero(self._numbers("object_id", part) == id)
        return dump.objects.start + int(found[-1]) if len(found) else NO_OBJECT

    def type_name(self, type: int) -> str:
        """Returns the name in Java notation."""
        return self._recording.texts("class")[type].decode("utf-8", "surrogatepass")

    def type_names(self) -> Sequence[str]:
        """Returns `type_name` of all types."""
        return [text.decode("utf-8", "surrogatepass") for text in self._recording.texts("class")]

    def type_text(self, type: int) -> str:
        """Returns the name with the id of its class."""
        ids = self._trace_recording.column("class_id")
        return (
            f"{self.type_name(type)}@{self._names.id_text(int(ids[type]))}" if type < len(ids) else self.type_name(type)
        )

    def class_object(self, type: int, dump: HeapDump) -> int:
        """Returns the class object of a type, if something in the dump refers to it."""
        return self.of_entity(CLASS_ENTITY | type, dump)

    def loader(self, type: int, dump: HeapDump) -> int:
        """Returns no loader: loaders are not recorded."""
        return NO_OBJECT

    def size(self, object: int) -> int:
        """Returns the size in bytes, as in the file."""
        return self.printed_size(object)

    def offset(self, object: int) -> int | None:
        """Returns the offset of the element that first mentions it."""
        found = int(self._column("object_offset")[object])
        return None if found == NOWHERE else found

    def distance(self, object: int) -> int | None:
        """Returns the steps from the nearest root; None if unreachable."""
        found = int(self._column("object_distance")[object])
        return None if found == NONE else found

    def retained_objects(self, object: int) -> int:
        """Returns the number of objects that it dominates, itself included; 0 if unreachable."""
        return int(self._column("object_held")[object])

    # -- steps --------------------------------------------------------------------------------------------------------

    def label(self, site: int) -> ReferenceLabel:
        """Returns the label of a reference: the number of equal ones."""
        return ReferenceLabel("", "", int(self._column("reference_count")[site]) if site < self.references else 1)

    def label_of(self, label: int) -> ReferenceLabel:
        """Returns an empty label: references have no names."""
        return ReferenceLabel("", "")

    def supers(self, type: int) -> Sequence[str]:
        """Returns the class alone."""
        return [self.type_name(type)]

    def referrer_count(self, object: int) -> int:
        """Returns the number of references and roots that lead to it, counting equal ones separately."""
        return int(self._column("object_referrers")[object]) + len(self.roots_of(object))

    def root(self, root: int) -> Root:
        """Returns one root."""
        root_object = int(self._column("root_object")[root])
        return Root(
            kind=self.root_kinds[self._column("root_kind")[root]],
            object=NO_OBJECT if root_object == NONE else root_object,
            id=0 if root_object == NONE else self.id(root_object),
            thread=None,
            frame=None,
            trace=None,
            name="",
            offset=int(self._trace_recording.column("root_offset")[root]),
        )

    # -- bulk access --------------------------------------------------------------------------------------------------

    def _sizes(self, chosen: Any) -> Any:
        return self._numbers("object_size", chosen)

    def column(self, name: str, objects: Any) -> Any:
        """Returns a column as `ObjectGraph.column`; also "retained"."""
        if name == "referrers":
            chosen = slice(objects.start, objects.stop) if isinstance(objects, range) else np.asarray(objects)
            return self._numbers("object_referrers", chosen)
        return super().column(name, objects)
