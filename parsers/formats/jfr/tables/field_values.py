"""Values of a field by event, as arrays: numbers in the unit of the field, or numbers of different texts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.jfr.data.columns import NOTHING
from parsers.formats.jfr.data.method_names import method_label
from parsers.formats.jfr.data.recorded_data import FieldColumn, RecordedData, field_at
from parsers.formats.jfr.events.value_text import LEAST, MOST, NANOS, plain_text
from parsers.formats.jfr.read.interning import ChunkConstants, thread_of
from parsers.formats.jfr.read.metadata import Field, Metadata, Type
from parsers.formats.jfr.read.program import SIZES, STRING_TYPE, THREAD_TYPE
from parsers.formats.jfr.read.values import BITS, Key
from parsers.formats.jfr.tables.string_codes import StringCodes
from parsers.model.distinct import distinct_places, ranks_of
from parsers.model.names.java_method import class_name
from parsers.model.names.java_name import JDK
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array
    from parsers.model.row import Badge, Unit

MISSING = "N/A"
"""Text for a missing value, as `jfr view` prints it."""
TYPE, THREAD, STACK, START, DURATION = "(type)", "(thread)", "(stack)", "startTime", "duration"
SETTING = "(setting)"
"""Name of the type of events that a setting is about."""
TOP, APPLICATION, THROWER = "(top)", "(application)", "(thrower)"
"""Names of values that are no fields: of the stack the innermost frame, the innermost one outside of the JDK, and the
innermost one that is no constructor."""
WEIGHT = "(weight)"
"""The bytes of allocation for which an event stands."""
WEIGHTS = ("weight", "tlabSize", "allocationSize")
"""Fields with that number: the first one that a type has."""
DEEPEST = 3
"""Structs in structs whose fields are columns."""
NO_FIELDS = (TYPE, THREAD, STACK, START, DURATION, TOP, APPLICATION, THROWER)


@dataclass(frozen=True)
class Values:
    """The values of one field in some events."""

    numbers: AnyArray
    """By event: int64 or float64; codes if there are labels."""
    is_known: BoolArray
    labels: Sequence[str] | None = None
    """Texts by code; None: the numbers are the values."""
    unit: Unit = "count"
    is_address: bool = False

    def badge(self, place: int) -> Badge:
        """Returns the value of an event."""
        if not self.is_known[place]:
            return None
        number: int | float = self.numbers[place].item()
        if self.labels is not None:
            return self.labels[int(number)]
        return f"0x{int(number) & 0xFFFF_FFFF_FFFF_FFFF:x}" if self.is_address else number

    def badges(self) -> list[Badge]:
        """Returns the values of all events."""
        if self.labels is None:
            return [self.badge(place) for place in range(len(self.numbers))]
        numbers = zip(self.numbers.astype(np.int64).tolist(), self.is_known.tolist(), strict=True)
        return [self.labels[number] if is_known else None for number, is_known in numbers]

    def text(self, place: int) -> str:
        """Returns the value of an event as a label."""
        found = self.badge(place)
        return MISSING if found is None else f"{found:,.0f}" if isinstance(found, float) else f"{found}"

    def ranks(self) -> Any:
        """Returns numbers by which events are sorted, descending: texts from a to z, missing values last."""
        numbers = self.numbers
        if self.labels is not None:
            ranks = ranks_of(sorted(range(len(self.labels)), key=self.labels.__getitem__))
            numbers = -ranks[numbers] if len(ranks) else numbers
        elif numbers.dtype.kind == "f":
            # The bits of floats are ordered like the floats; those of negative ones the other way round.
            bits = np.ascontiguousarray(numbers, np.float64).view(np.int64)
            numbers = np.where(bits < 0, bits ^ MOST, bits)
        return np.where(self.is_known, numbers, np.iinfo(np.int64).min + 1)


def values_of(data: RecordedData, type: str, name: str, rows: I64Array, is_absolute: bool = False) -> Values:
    """Returns the values of a field, by its path `a.b`, or of one of `NO_FIELDS`.

    rows         events of the type, ascending
    is_absolute  times in a field are nanoseconds since 1970, not seconds since the first event
    """
    if name in NO_FIELDS:
        return _own(data, type, name, rows)
    if name == WEIGHT:
        columns = data.columns(type, [(each,) for each in WEIGHTS], rows)
        return column_values(data, next((column for column in columns if column.is_known.any()), columns[0]))
    if name == SETTING:
        return _types_by_id(data, data.columns(type, [("id",)], rows)[0])
    path = tuple(name.split("."))
    inline = _inline(data, type, path)
    column = data.columns(type, [path[:inline]], rows)[0]
    return column_values(data, column, path[inline:], is_absolute)


def fields_of(metadata: Metadata, type: Type, above: str = "", depth: int = 0) -> Iterator[tuple[str, Field]]:
    """Yields the fields that can be columns, with their paths; those of structs are `a.b`."""
    for field in type.fields:
        of = metadata.types.get(field.type)
        if field.is_array or of is None or (not above and field.name in (START, "stackTrace")):
            continue
        if field.is_constant or not of.fields:
            yield above + field.name, field
        elif depth < DEEPEST:
            yield from fields_of(metadata, of, f"{above}{field.name}.", depth + 1)


def column_values(
    data: RecordedData, column: FieldColumn, below: Sequence[str] = (), is_absolute: bool = False
) -> Values:
    """Returns the values of a column. below: path of names in its constants; is_absolute: as in `values_of`"""
    field = next(iter(column.fields.values()), None)
    if field is None:
        return Values(column.numbers, column.is_known)
    metadata = data.metadata(next(iter(column.fields)))
    type = metadata.types[field.type]
    if field.is_array:
        return Values(column.numbers, np.zeros(len(column.numbers), np.bool_))
    if field.is_constant:
        return _constants(data, column, below)
    if type.name == STRING_TYPE:
        return _strings(data, column)
    if type.name == "boolean":
        return Values(np.where(column.numbers != 0, 1, 0), column.is_known, ("false", "true"))
    return _numbers(data, column, is_absolute)


def _inline(data: RecordedData, type: str, path: tuple[str, ...]) -> int:
    """Returns the number of names that lead to a field of the event or of a struct in it: the rest is in constants."""
    for length in range(len(path), 1, -1):
        for number in reversed(range(len(data.column("metadata_ends")))):
            metadata = data.metadata(number)
            declared = metadata.by_name.get(type)
            if declared is not None and field_at(metadata, declared, path[:length]) is not None:
                return length
    return 1


# -- values that are no fields ----------------------------------------------------------------------------------------


def _own(data: RecordedData, type: str, name: str, rows: I64Array) -> Values:
    every = np.ones(len(rows), np.bool_)
    if name == TYPE:
        return Values(np.zeros(len(rows), np.int64), every, (type_label(data, type),))
    if name == START:
        return Values((data.events("start", rows).astype(np.int64) - data.first_start) / 1e9, every, unit="s")
    if name == DURATION:
        durations = data.events("duration", rows).astype(np.int64)
        return Values(durations, durations != NOTHING, unit="ns")
    numbers = data.events("thread" if name == THREAD else "stack", rows).astype(np.int64)
    is_known = numbers != NONE
    if name == THREAD:
        return _coded(numbers, is_known, lambda thread: data.text("thread", thread) or "(no name)")
    if name == STACK:
        return _by_stack(data, numbers, is_known)
    frames = np.full(len(rows), -1, np.int64)
    frames[is_known] = top_frames(data, name)[numbers[is_known]]
    methods = np.full(len(rows), -1, np.int64)
    methods[frames >= 0] = data.column("frame_method")[frames[frames >= 0]]
    return _coded(methods, methods >= 0, data.method_label)


def _by_stack(data: RecordedData, stacks: I64Array, is_known: BoolArray) -> Values:
    """Returns a code for each different stack, by methods and lines alone; its label is the innermost method."""
    hashes = data.computed("stack hashes", lambda: _stack_hashes(data))
    of_events = np.where(is_known, hashes[np.where(is_known, stacks, 0)] if len(hashes) else 0, 0)
    _, firsts, codes = np.unique(of_events, return_index=True, return_inverse=True)
    tops = top_frames(data, TOP)
    labels = [frame_label(data, int(tops[stacks[first]])) if is_known[first] else MISSING for first in firsts.tolist()]
    return Values(codes.reshape(-1), is_known, labels)


def _stack_hashes(data: RecordedData) -> I64Array:
    """Returns hashes of 64 bits of the methods and lines of each stack."""
    first, frames = data.stacks.first, data.stacks.frames
    depths = np.arange(len(frames)) - np.repeat(first[:-1], data.stacks.lengths())
    methods, lines = data.column("frame_method").astype(np.uint64), data.column("frame_line").astype(np.uint64)
    mixed = (methods << np.uint64(24) ^ lines)[frames] * np.uint64(0x9E3779B97F4A7C15) + depths.astype(np.uint64)
    for shift in (29, 32):
        mixed = (mixed ^ mixed >> np.uint64(shift)) * np.uint64(0xBF58476D1CE4E5B9)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    return np.diff(sums[first]).view(np.int64)


def type_label(data: RecordedData, type: str) -> str:
    """Returns the label of a type: `Java Thread Park`."""
    found = data.declared(type)
    return type if found is None else found[0].label(found[1])


def _types_by_id(data: RecordedData, column: FieldColumn) -> Values:
    """Returns the labels of types of events by their ids, which belong to chunks."""
    of_chunks = data.column("chunk_metadata")[column.chunks].astype(np.int64)
    pairs, codes = np.unique(np.stack([of_chunks, column.numbers]), axis=1, return_inverse=True)
    labels: dict[str, int] = {}
    found = []
    for number, id in pairs.T.tolist():
        metadata = data.metadata(number)
        declared = metadata.types.get(id)
        found.append(labels.setdefault(f"(type {id})" if declared is None else metadata.label(declared), len(labels)))
    return Values(np.array(found, np.int64)[codes.reshape(-1)], column.is_known, list(labels))


def _coded(numbers: I64Array, is_known: BoolArray, label: Callable[[int], str]) -> Values:
    """Returns values with a code for each different number."""
    used, codes = distinct_places(np.where(is_known, numbers, -1))
    labels = [MISSING if each < 0 else label(each) for each in used.tolist()]
    return Values(codes, is_known, labels)


def top_frames(data: RecordedData, which: str) -> I64Array:
    """Returns by stack its innermost frame of a kind; -1: none."""
    return data.computed(("top frames", which), lambda: _top_frames(data, which))


def _top_frames(data: RecordedData, which: str) -> I64Array:
    starts, ends, frames = data.stacks.first[:-1], data.stacks.first[1:], data.stacks.frames
    if which == TOP:
        places = starts
    else:
        texts = data.texts("method")
        methods = range(len(texts))
        prefixes = tuple(prefix.encode() for prefix in JDK)
        if which == APPLICATION:
            fits = [not texts[method].startswith(prefixes) for method in methods]
        else:
            fits = [b".<init>(" not in texts[method] for method in methods]
        is_fitting = np.array(fits, np.bool_)[data.column("frame_method")]
        found = np.flatnonzero(is_fitting[frames])
        at = np.searchsorted(found, starts)
        places = np.where(at < len(found), found[np.minimum(at, max(len(found) - 1, 0))] if len(found) else -1, -1)
        places = np.where(places < 0, ends, places)
    is_there = places < ends
    top: I64Array = np.full(len(ends), -1, np.int64)
    top[is_there] = frames[places[is_there]]
    return top


def frame_label(data: RecordedData, frame: int) -> str:
    """Returns the method of a frame."""
    if frame < 0:
        return MISSING
    return data.method_label(int(data.column("frame_method")[frame]))


# -- numbers ----------------------------------------------------------------------------------------------------------


def _numbers(data: RecordedData, column: FieldColumn, is_absolute: bool) -> Values:
    """Returns numbers in the units of their annotations: ns, bytes, percent, seconds since the first event."""
    of_chunks = data.column("chunk_metadata")[column.chunks]
    parts: dict[int, tuple[AnyArray, BoolArray, Unit, bool]] = {}
    for number, field in column.fields.items():
        is_of = of_chunks == number
        parts[number] = _scaled(data, field, number, column.numbers[is_of], column.chunks[is_of], is_absolute)
    unit, is_address = next(((each[2], each[3]) for each in parts.values()), ("count", False))
    is_float = any(each[0].dtype.kind == "f" for each in parts.values())
    numbers = np.zeros(len(column.numbers), np.float64 if is_float else np.int64)
    is_known = column.is_known.copy()
    for number, (scaled, is_valid, *_) in parts.items():
        is_of = of_chunks == number
        numbers[is_of] = scaled
        is_known[is_of] &= is_valid
    return Values(numbers, is_known, None, unit, is_address)


def _scaled(
    data: RecordedData, field: Field, number: int, raw: I64Array, chunks: I64Array, is_absolute: bool
) -> tuple[AnyArray, BoolArray, Unit, bool]:
    metadata = data.metadata(number)
    type = metadata.types[field.type].name

    def annotation(name: str) -> Mapping[str, str] | None:
        return metadata.annotation(field, f"jdk.jfr.{name}")

    numbers: AnyArray = raw
    if type in SIZES and type not in ("boolean", "byte"):
        numbers = raw.astype(np.int32).view(np.float32).astype(np.float64) if type == "float" else raw.view(np.float64)
    elif type in BITS and annotation("Unsigned") is None:
        shift = 64 - BITS[type]
        numbers = raw << shift >> shift
    is_known = np.isfinite(numbers)
    span, moment, amount = annotation("Timespan"), annotation("Timestamp"), annotation("DataAmount")
    frequency = data.column("chunk_frequency")[chunks] / 1e9
    if span is not None:
        is_known &= (numbers != LEAST) & (numbers != MOST)
        unit = span.get("value", "NANOSECONDS")
        scaled = numbers / frequency if unit == "TICKS" else numbers * NANOS.get(unit, 1)
        return np.where(is_known, scaled, 0).astype(np.int64), is_known, "ns", False
    if moment is not None:
        is_known &= numbers != LEAST
        if moment.get("value", "TICKS") == "TICKS":
            since = (numbers - data.column("chunk_ticks")[chunks]) / frequency
            since += data.column("chunk_start")[chunks] - data.first_start
        else:
            since = np.where(is_known, numbers, 0) * 1_000_000 - data.first_start
        if is_absolute:
            return np.where(is_known, since, 0).astype(np.int64) + data.first_start, is_known, "ns", False
        return since / 1e9, is_known, "s", False
    if annotation("MemoryAddress") is not None:
        return numbers, is_known, "text", True
    if annotation("Percentage") is not None:
        return numbers * 100, is_known, "percent", False
    is_rate = annotation("Frequency") is not None
    if amount is not None:
        scaled = numbers / 8 if amount.get("value") == "BITS" else numbers
        return scaled, is_known, "bytes/s" if is_rate else "bytes", False
    return numbers, is_known, "count", False


# -- texts ------------------------------------------------------------------------------------------------------------


def _constants(data: RecordedData, column: FieldColumn, below: Sequence[str]) -> Values:
    """Returns codes of constants: those with the same text have the same, but for threads."""

    def named(values: ChunkConstants, field: Field | None, key: int) -> tuple[Hashable, str]:
        value: Any = None if field is None else Key(field.type, key)
        for name in below:
            value = values.fields(value).get(name)
        text = constant_text(values, value)
        return (thread_of(values, value) if isinstance(value, Key) and is_thread(values, value) else text), text

    found, places = data.different(column, named)
    labels = dict(found)
    codes = {identity: code for code, identity in enumerate(labels)}
    numbers = np.array([codes[identity] for identity, _ in found], np.int64)
    is_there = np.array([text != MISSING for _, text in found], np.bool_)
    return Values(numbers[places], column.is_known & is_there[places], [*labels.values()])


def is_thread(values: ChunkConstants, key: Key) -> bool:
    """True for the key of a thread: different threads may have equal names."""
    declared = values.metadata.types.get(key.type)
    return declared is not None and declared.name == THREAD_TYPE


def constant_text(values: ChunkConstants, value: Key) -> str:
    """Returns the text of a constant: classes and methods in Java notation, class loaders by their class."""
    if not isinstance(value, Key):
        return MISSING if value is None else plain_text(values, value)
    fields, declared = values.of(value), values.metadata.types.get(value.type)
    name = "" if declared is None else declared.name
    if fields is None:
        return f"[unknown] #{value.key}" if value.key else MISSING
    if name == "java.lang.Class":
        return class_name(values.class_name(value))
    if name == "jdk.types.Method":
        holder = values.class_name(fields.get("type"))
        return method_label(f"{holder}.{values.text(fields.get('name'))}{values.text(fields.get('descriptor'))}")
    if name == "jdk.types.ClassLoader":
        return constant_text(values, fields.get("type")) if fields.get("type") else values.text(fields.get("name"))
    if isinstance(fields, Mapping) and name in ("jdk.types.Module", "jdk.types.Package", "jdk.types.ThreadGroup"):
        return values.text(fields.get("name"))
    return plain_text(values, value)


def _strings(data: RecordedData, column: FieldColumn) -> Values:
    """Returns codes of strings."""
    found = np.zeros(len(column.numbers), np.int64)
    rows = np.flatnonzero(column.is_known)
    # Fields that can't be read have no place of their own.
    rows = rows[np.argsort(column.numbers[rows], kind="stable")]
    strings = StringCodes(data)
    found[rows] = strings.add(column.numbers[rows], column.chunks[rows])
    labels = [MISSING if text is None else text for text in strings.texts]
    return Values(found, column.is_known & strings.is_text(found), labels or (MISSING,))
