"""Numbers of names, frames and threads in a recording, whose chunks share them: equal contents have equal numbers.

Keys of methods and classes are those of one JVM, whose chunks repeat them. So names are decoded once for each JVM: as
long as a chunk has no constant whose bytes differ from those of the same key before, keys mean the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.jfr.data.columns import HAS_JAVA_NAME, IS_UNKNOWN, IS_VIRTUAL
from parsers.formats.jfr.read.chunk import FEW, ChunkContents, Constants
from parsers.formats.jfr.read.chunk_types import Types
from parsers.formats.jfr.read.engine import Engine
from parsers.formats.jfr.read.program import THREAD_TYPE
from parsers.formats.jfr.read.values import Fields, Key, UnreadableValue, decode_constant
from parsers.index.texts import UniqueTexts

if TYPE_CHECKING:
    from parsers.formats.jfr.read.metadata import Metadata, Type
    from parsers.model.arrays import I64Array, U32Array

AT_ONCE = 4096
"""Bytes of a constant that are read at first."""
MOST_KEPT = 1 << 16
"""Bytes of a block with several constants."""
MOST_BYTES = 1 << 20
"""Bytes of a constant that are decoded: names are shorter."""
DEEPEST_GROUP = 32
UNKNOWN = "[unknown]"
PIECE = 1 << 16
"""Frames that are numbered together, so that they fit into the cache."""
MOST_UNKNOWN = 1000
"""Threads without constant that are listed one by one; further ones are one."""
FURTHER = (f"{UNKNOWN} further ones", "", 0, 0, IS_UNKNOWN)


class ConstantBlocks:
    """Decodes constants at offsets of a file. Those of a chunk follow each other, so blocks are read."""

    def __init__(self, read: Callable[[int, int], bytes]) -> None:
        self._read, self._size = read, AT_ONCE
        self._start, self._block = 0, b""

    def constant_at(self, place: int, metadata: Metadata, type: Type) -> Any:
        """Decodes the constant at an offset; None if it is damaged."""
        size = AT_ONCE
        while True:
            at = place - self._start
            if at < 0 or at + size > len(self._block):
                self._start, self._block, at = place, self._read(max(size, self._size), place), 0
                self._size = min(2 * self._size, MOST_KEPT)
            stop = min(at + size, len(self._block))
            try:
                return decode_constant(metadata, type, self._block, at, stop)
            except UnreadableValue:
                if stop - at < size or size >= MOST_BYTES:
                    return None
                size *= 16


class ChunkConstants:
    """Decodes the constants of one chunk, each once."""

    def __init__(self, types: Types, constants: Constants, read: Callable[[int, int], bytes]) -> None:
        self.metadata = types.metadata
        self._types, self._constants, self._blocks = types, constants, ConstantBlocks(read)
        self._places: dict[int, dict[int, int]] = {}
        self._values: dict[tuple[int, int], Any] = {}

    def place(self, type: int, key: int) -> int | None:
        """Returns the offset of a constant."""
        if not len(self._constants.keys):
            return None
        if type not in self._places:
            number = int(np.searchsorted(self._types.programs.ids, type))
            rows = np.flatnonzero(self._constants.types == number)
            keys, places = self._constants.keys[rows].tolist(), self._constants.places[rows].tolist()
            self._places[type] = dict(zip(keys, places, strict=True))
        return self._places[type].get(key)

    def value(self, type: int, key: int) -> Any:
        """Returns the value of a constant; None if it is missing or damaged."""
        if (type, key) not in self._values:
            place = self.place(type, key)
            declared = self.metadata.types.get(type)
            found = None
            if place is not None and declared is not None:
                found = self._blocks.constant_at(place, self.metadata, declared)
            self._values[type, key] = found
        return self._values[type, key]

    def of(self, key: object) -> Any:
        """Returns the value of a `Key`; other values as they are."""
        return self.value(key.type, key.key) if isinstance(key, Key) else key

    def fields(self, key: Key | None) -> Fields:
        """Returns the fields of a constant; none if it is missing or no struct."""
        found = self.of(key)
        return found if isinstance(found, dict) else {}

    def text(self, key: object) -> str:
        """Returns a name: a text, or the text of a simple constant; empty if it is missing."""
        found = self.of(key)
        if isinstance(found, Key):
            found = self.of(found)
        return found if isinstance(found, str) else ""

    def class_name(self, key: Key | None) -> str:
        """Returns the name of a class, with dots."""
        return self.text(self.fields(key).get("name")).replace("/", ".")

    def id_of(self, name: str) -> int:
        """Returns the id of a type by name; -1 if there is none."""
        found = self.metadata.id_of(name)
        return -1 if found is None else found


class Names:
    """Methods, frames and threads of a recording, numbered by their content."""

    def __init__(self) -> None:
        self.types = UniqueTexts()
        self.methods, self.kinds = UniqueTexts(), UniqueTexts()
        self.hidden: list[bool] = []
        """By method."""
        self.frame_count = 0
        self._frame_fields, self._frame_slots = np.empty((FEW, 4), np.int64), np.zeros(2 * FEW, np.uint32)
        self.threads: dict[tuple[str, str, int, int, int], int] = {}
        """Name, path of groups, id of the OS, id of Java, flags."""
        self._unknown = 0
        self._hashes: dict[int, int] = {}
        """Hashes of the constants of STABLE types of this JVM, by key and type."""
        self._of_key: dict[int, int] = {}
        """By key of a method of this JVM: its number."""
        self._kind_of_key: dict[int, int] = {}

    def take_jvm(self, types: Types, constants: Constants) -> None:
        """Forgets the keys known so far if this chunk uses one of them for something else."""
        if not len(constants.keys):
            return
        of = types.programs.stable[constants.types]
        places = (of >= 0).nonzero()[0]
        if not len(places):
            return
        codes, hashes = (constants.keys[places] * 8 + of[places]).tolist(), constants.hashes[places].tolist()
        known = map(self._hashes.get, codes)
        if any(old is not None and old != new for old, new in zip(known, hashes, strict=True)):
            self._hashes.clear()
            self._of_key.clear()
            self._kind_of_key.clear()
        for code, value in zip(codes, hashes, strict=True):
            self._hashes.setdefault(code, value)

    @property
    def frames(self) -> I64Array:
        """By frame its method, line, bytecode index, kind: int64[frames, 4]."""
        return self._frame_fields[: self.frame_count]

    def frame_numbers(self, engine: Engine, found: ChunkContents, values: ChunkConstants) -> U32Array:
        """Returns the numbers of the different frames of a chunk. Overwrites their fields."""
        self.take_jvm(found.types, found.constants)
        fields, count = found.traces.fields, self.frame_count
        if not len(fields):
            return np.zeros(0, np.uint32)
        method_type, kind_type = values.id_of("jdk.types.Method"), values.id_of("jdk.types.FrameType")
        methods, kinds = dict[int, int](), dict[int, int]()
        for start in range(0, len(fields), PIECE):
            piece = fields[start : start + PIECE]
            piece[:, 0] = numbers_by_key(piece[:, 0], methods, lambda keys: self._methods(values, method_type, keys))
            piece[:, 1:3] = piece[:, 1:3].astype(np.int32)
            piece[:, 3] = numbers_by_key(
                piece[:, 3], kinds, lambda keys: [self._kind(values, kind_type, key) for key in keys]
            )
        if count + len(fields) > len(self._frame_fields):
            larger = np.empty((max(count + len(fields), 2 * len(self._frame_fields)), 4), np.int64)
            larger[:count] = self.frames
            self._frame_fields, self._frame_slots = larger, np.zeros(1 << (2 * len(larger)).bit_length(), np.uint32)
            engine.stacks.rehash_frames(self._frame_fields, count, self._frame_slots)
        numbers = np.empty(len(fields), np.uint32)
        self.frame_count = engine.stacks.number_frames(fields, self._frame_fields, self._frame_slots, count, numbers)
        return numbers

    def _methods(self, values: ChunkConstants, type: int, keys: list[int]) -> list[int]:
        known = self._of_key
        new = {key: self._method(values, type, key) for key in keys if key not in known}
        labels = [label.encode("utf-8", "surrogatepass") for label, _, _ in new.values()]
        numbers = dict(zip(new, self.methods.numbers(labels), strict=True))
        for key, number in numbers.items():
            _, is_hidden, is_named = new[key]
            if number == len(self.hidden):
                self.hidden.append(is_hidden)
            if is_named:
                known[key] = number
        return [numbers[key] if key in numbers else known[key] for key in keys]

    @staticmethod
    def _method(values: ChunkConstants, type: int, key: int) -> tuple[str, bool, bool]:
        """Returns label of a method, whether it is hidden, and whether it has a name."""
        fields = {} if values.place(type, key) is None else values.fields(Key(type, key))
        if not fields:
            return f"{UNKNOWN} #{key}", False, False
        holder, name = values.class_name(fields.get("type")), values.text(fields.get("name"))
        return f"{holder}.{name}{values.text(fields.get('descriptor'))}", bool(fields.get("hidden")), bool(name)

    def _kind(self, values: ChunkConstants, type: int, key: int) -> int:
        found = self._kind_of_key.get(key)
        if found is None:
            text = values.text(Key(type, key))
            found = self.kinds.number((text or f"{UNKNOWN} #{key}").encode("utf-8", "surrogatepass"))
            if text:
                self._kind_of_key[key] = found
        return found

    def thread_numbers(self, values: ChunkConstants, keys: I64Array) -> U32Array:
        """Returns the numbers of threads by their keys."""
        type, found = values.id_of(THREAD_TYPE), list[int]()
        for key in keys.tolist():
            has_place = self._unknown < MOST_UNKNOWN or values.place(type, key) is not None
            thread = thread_of(values, Key(type, key)) if has_place else FURTHER
            self._unknown += thread[4] == IS_UNKNOWN and thread not in self.threads
            found.append(self.threads.setdefault(thread, len(self.threads)))
        return np.array(found, np.uint32)


def numbers_by_key(keys: I64Array, known: dict[int, int], numbers_of: Callable[[list[int]], list[int]]) -> I64Array:
    """Returns the number of each key. New keys are asked for in the order in which they occur, and added to `known`."""
    different, first, place = np.unique(keys, return_index=True, return_inverse=True)
    new = [key for key in different[np.argsort(first)].tolist() if key not in known]
    known.update(zip(new, numbers_of(new), strict=True))
    numbers = np.array([known[key] for key in different.tolist()], np.int64)
    return numbers[place.reshape(-1)]


def thread_of(values: ChunkConstants, key: Key) -> tuple[str, str, int, int, int]:
    """Returns a thread: name, path of groups, id of the OS, id of Java, flags."""
    fields = values.fields(key)
    if not fields:
        return f"{UNKNOWN} #{key.key}", "", 0, 0, IS_UNKNOWN
    java_name, os_name = values.text(fields.get("javaName")), values.text(fields.get("osName"))
    has_java = isinstance(values.of(fields.get("javaName")), str)
    groups: list[str] = []
    group = values.fields(fields.get("group"))
    while group and len(groups) < DEEPEST_GROUP:
        groups.insert(0, values.text(group.get("name")))
        group = values.fields(group.get("parent"))
    flags = (IS_VIRTUAL if fields.get("virtual") else 0) | (HAS_JAVA_NAME if has_java else 0)
    ids = [number if isinstance(number := fields.get(name), int) else 0 for name in ("osThreadId", "javaThreadId")]
    return (java_name if has_java else os_name), "/".join(groups), ids[0], ids[1], flags
