"""Counts and sums of a recording, for `info`. Names of methods and classes are as the JVM writes them, with dots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.jfr.data.columns import IS_UNKNOWN, LOST_STACK
from parsers.formats.jfr.read.interning import ChunkConstants, thread_of
from parsers.formats.jfr.read.values import Key
from parsers.formats.jfr.tables.aggregates import aggregate
from parsers.index.texts import UniqueTexts
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import FieldColumn, RecordedData
    from parsers.formats.jfr.read.metadata import Field
    from parsers.model.arrays import I64Array

SAMPLES = ("jdk.CPUTimeSample", "jdk.ExecutionSample", "jdk.NativeMethodSample", "profiler.WallClockSample")
"""Types of events that are samples of the stack of a thread."""
ALLOCATIONS = {
    "jdk.ObjectAllocationSample": "weight",
    "jdk.ObjectAllocationInNewTLAB": "tlabSize",
    "jdk.ObjectAllocationOutsideTLAB": "",
    "profiler.LiveObject": "",
}
"""Types of events that are allocations, with the field of the bytes for which each stands; empty: `allocationSize`."""
LOCKS = {
    "jdk.JavaMonitorEnter": "monitorClass",
    "jdk.JavaMonitorInflate": "monitorClass",
    "jdk.JavaMonitorWait": "monitorClass",
    "jdk.ThreadPark": "parkedClass",
}
"""Types of events in which a thread waits, with the field of the class."""
THROWS = ("jdk.JavaErrorThrow", "jdk.JavaExceptionThrow")
TRANSFERS = {
    "jdk.FileRead": ("path", "bytesRead"),
    "jdk.FileWrite": ("path", "bytesWritten"),
    "jdk.SocketRead": ("host", "bytesRead"),
    "jdk.SocketWrite": ("host", "bytesWritten"),
}
INLINING = "jdk.CompilerInlining"
COLLECTION, PAUSE = "jdk.GarbageCollection", "jdk.GCPhasePause"
DURATIONS = {"count": "timed", "sum_ns": "sum", "min_ns": "least", "max_ns": "longest"}
STACKS = {"count": "stacked", "frames": "frames", "deepest": "deepest", "truncated": "truncated"}
"""Names of counts by type, and their arrays."""
MOST = 25
"""Methods that are listed; methods with equal counts are listed together or not at all."""
MOST_NAMES = 10_000
"""Different names of one list; more are not listed."""
NULL = "null"

Totals = dict[str, Any]
"""Counts and sums by name, and those of parts of them."""


def totals_of(data: RecordedData, bytes_lost: int, stacks_missing: int) -> tuple[Totals, Totals]:
    """Returns the totals of a recording, and the facts of its chunks."""
    names = data.type_names
    counts = data.column("type_events").tolist()
    totals: Totals = {
        "bytes": data.size,
        "total": data.rows,
        "events": dict(sorted(zip(names, counts, strict=True))),
    }
    of_kinds = enumerate(data.column("kind_frames").tolist())
    kinds = {data.text("kind", number): count for number, count in of_kinds if count}
    for name, found in (
        ("durations", _of_types(data, DURATIONS)),
        ("stacks", _of_types(data, STACKS, ("truncated",))),
        ("frame_types", dict(sorted(kinds.items()))),
        ("samples", _by_type(data, SAMPLES, _samples)),
        ("allocation", _by_type(data, ALLOCATIONS, _allocation)),
        ("locks", _by_type(data, LOCKS, _locks)),
        ("exceptions", _exceptions(data)),
        ("io", _by_type(data, TRANSFERS, _transfers)),
        ("inlining", _inlining(data)),
        ("gc", _collections(data)),
    ):
        if found:
            totals[name] = found
    totals["chunks"] = len(data.column("chunk_offset"))
    totals["bytes_lost"], totals["stacks_missing"] = bytes_lost, stacks_missing
    totals["threads"] = len(data.column("thread_flags"))
    totals["first_start_ns"], totals["last_end_ns"] = data.column("span").tolist()
    return totals, {}


def _by_type(
    data: RecordedData, types: Iterable[str], count: Callable[[RecordedData, str], Totals]
) -> Totals:  # fmt: skip
    return {type: count(data, type) for type in types if len(data.rows_of(type))}


def _of_types(data: RecordedData, names: Mapping[str, str], optional: Sequence[str] = ()) -> Totals:
    """Returns counts by type, of types with events.

    names     names of the counts, and of their arrays
    optional  counts that are not listed if they are 0
    """
    columns = {name: data.column(f"type_{column}").tolist() for name, column in names.items()}
    return {
        type: {name: column[number] for name, column in columns.items() if column[number] or name not in optional}
        for type, number in sorted(data.type_numbers.items())
        if columns["count"][number]
    }


def _samples(data: RecordedData, type: str) -> Totals:
    """Returns the counts of samples, and the methods with most of them."""
    rows = data.rows_of(type)
    state, biased, failed, samples = data.columns(type, [("state",), ("biased",), ("failed",), ("samples",)])
    found: Totals = {"count": len(rows)}
    if state.is_known.any():
        found["by_state"] = dict(sorted(Counter(_name(each) for each in data.objects(state)).items()))
    for name, column in (("biased", biased), ("failed", failed)):
        if number := int(column.numbers.sum()):
            found[name] = number
    if samples.is_known.any():
        found["weighted"] = int(samples.numbers.sum())
    stacks = data.events("stack", rows)
    without = int(((stacks == NONE) | (stacks == LOST_STACK)).sum())
    if without:
        found["without_stack"] = without
    return found | top_lists(data, stacks)


def top_lists(data: RecordedData, stacks: I64Array) -> Totals:
    """Returns the methods of the innermost frames, those with their lines, and the methods anywhere in the stacks."""
    stacks = stacks[(stacks != NONE) & (stacks != LOST_STACK)].astype(np.int64)
    used, times = np.unique(stacks, return_counts=True)
    methods, texts = data.column("frame_method").astype(np.int64), data.texts("method")
    tops, inside = data.count_methods(used, times)
    of_tops, times = tops[tops >= 0], times[tops >= 0]
    by_method = aggregate("sum", methods[of_tops], len(texts), times)[0].tolist()
    lines, of_line = np.unique(
        np.stack([methods[of_tops], data.column("frame_line")[of_tops]]), axis=1, return_inverse=True
    )  # fmt: skip
    by_line = aggregate("sum", of_line.reshape(-1), lines.shape[1], times)[0].tolist()

    def label(method: int) -> str:
        return texts[method].decode("utf-8", "surrogatepass")

    return {
        "top_methods": _first(by_method, label),
        "top_lines": _first(by_line, lambda line: f"{label(lines[0, line])}:{lines[1, line]}"),
        "total_methods": _first(inside, label),
    }


def _first(counts: Sequence[int], label: Callable[[int], str]) -> dict[str, int]:
    """Returns the largest counts, and how many there are."""
    ordered = Counter({number: count for number, count in enumerate(counts) if count}).most_common()
    stop = min(MOST, len(ordered))
    while 0 < stop < len(ordered) and ordered[stop - 1][1] == ordered[stop][1]:
        stop -= 1
    return {"(methods)": len(ordered), **dict(sorted((label(key), count) for key, count in ordered[:stop]))}


def _allocation(data: RecordedData, type: str) -> Totals:
    """Returns count and bytes by class."""
    classes, tlabs, sizes = data.columns(type, [("objectClass",), (ALLOCATIONS[type],), ("allocationSize",)])
    weights = tlabs if tlabs.is_known.any() else sizes
    columns = {"count": ("count", weights.numbers), "weight": ("sum", weights.numbers)}
    if "TLAB" in type:
        columns["allocationSize"] = "sum", sizes.numbers
    return _by_name(*names_of(data, classes, _class_name), columns)


def _locks(data: RecordedData, type: str) -> Totals:
    """Returns count and time by class, and the threads that owned a monitor before."""
    (classes, owners) = data.columns(type, [(LOCKS[type],), ("previousOwner",)])
    durations = data.durations(data.rows_of(type))
    labels, numbers = names_of(data, classes, _class_name)
    columns = {"count": ("count", durations), "sum_ns": ("sum", durations), "max_ns": ("longest", durations)}
    found = _by_name(labels, numbers, columns)
    if owners.fields:
        threads, of_owner = names_of(data, owners, _thread_name)
        for number, label in enumerate(labels[:MOST_NAMES]):
            before = Counter(of_owner[numbers == number].tolist())
            found[label]["previous_owner"] = dict(sorted((threads[owner], each) for owner, each in before.items()))
    return found


def _exceptions(data: RecordedData) -> Totals:
    """Returns count by class and message."""
    found: dict[str, Counter[str]] = {}
    for type in THROWS:
        if len(data.rows_of(type)):
            classes, messages = data.columns(type, [("thrownClass",), ("message",)])
            labels, numbers = names_of(data, classes, _class_name)
            for number, message in zip(numbers.tolist(), data.objects(messages), strict=True):
                of_class = found.setdefault(labels[number], Counter())
                text = NULL if message is None else str(message)
                if text in of_class or len(of_class) < MOST_NAMES:
                    of_class[text] += 1
    return {name: dict(sorted(of_class.items())) for name, of_class in sorted(found.items())}


def _transfers(data: RecordedData, type: str) -> Totals:
    """Returns count, bytes and time by file or host."""
    field, of_bytes = TRANSFERS[type]
    places, bytes = data.columns(type, [(field,), (of_bytes,)])
    durations = data.durations(data.rows_of(type))
    names = UniqueTexts(most=MOST_NAMES, none=MOST_NAMES)
    numbers = np.array([names.number(_name(place).encode("utf-8", "surrogatepass")) for place in data.objects(places)])
    columns = {"count": ("count", durations), "bytes": ("sum", bytes.numbers), "sum_ns": ("sum", durations)}
    return _by_name([name.decode("utf-8", "surrogatepass") for name in names.texts], numbers, columns)


def _inlining(data: RecordedData) -> dict[str, int]:
    """Returns the decisions of compilers to inline, by message."""
    if not len(data.rows_of(INLINING)):
        return {}
    succeeded, messages = data.columns(INLINING, [("succeeded",), ("message",)])
    found = Counter(
        f"{'yes' if number else 'no'}: {message}"
        for number, message in zip(succeeded.numbers.tolist(), data.objects(messages), strict=True)
    )
    return dict(sorted(found.items()))


def _collections(data: RecordedData) -> Totals:
    """Returns pauses (id, name, start, duration) and collections (id, name, cause, start, duration, pauses)."""
    found: Totals = {}
    for name, type, fields in (
        ("pauses", PAUSE, [("gcId",), ("name",)]),
        ("collections", COLLECTION, [("gcId",), ("name",), ("cause",), ("sumOfPauses",), ("longestPause",)]),
    ):
        rows = data.rows_of(type)
        if len(rows):
            columns = [list(data.objects(column)) for column in data.columns(type, fields)]
            times = [data.events("start", rows).tolist(), data.events("duration", rows).tolist()]
            ids, *rest = columns
            texts = [list(map(_name, column)) for column in rest[: len(fields) - 1 if name == "pauses" else 2]]
            sums = [] if name == "pauses" else [_elapsed(data, type, field, rows) for field in fields[3:]]
            found[name] = [list(each) for each in zip(ids, *texts, *times, *sums, strict=True)]
    return found


def _elapsed(data: RecordedData, type: str, field: tuple[str, ...], rows: I64Array) -> list[int]:
    """Returns spans of ticks in nanoseconds."""
    column = data.columns(type, [field])[0]
    frequency = data.column("chunk_frequency")[column.chunks]
    return [int(ticks / (per_second / 1e9)) for ticks, per_second in zip(column.numbers, frequency, strict=True)]


def names_of(
    data: RecordedData, column: FieldColumn, name: Callable[[ChunkConstants, Key], str]
) -> tuple[list[str], I64Array]:
    """Returns the different names of a field's constants, and the number of each event's name.

    name  returns the name of a key
    """
    numbers: dict[str, int] = {}

    def number(values: ChunkConstants, field: Field | None, key: int) -> int:
        label = NULL if field is None else name(values, Key(field.type, key))
        return numbers.setdefault(label, len(numbers))

    found, places = data.different(column, number)
    return list(numbers), np.array(found, np.int64)[places]


def _class_name(values: ChunkConstants, key: Key) -> str:
    name = values.class_name(key)
    return name or (f"[unknown] #{key.key}" if key.key else NULL)


def _thread_name(values: ChunkConstants, key: Key) -> str:
    name, _, os_id, java_id, flags = thread_of(values, key)
    if flags & IS_UNKNOWN:
        return f"[unknown] #{key.key}" if key.key else NULL
    return f"{name}#{java_id or -1}/{os_id or -1}"


def _name(value: str | None) -> str:
    return NULL if value is None else str(value)


def _by_name(names: Sequence[str], numbers: I64Array, columns: Mapping[str, tuple[str, I64Array]]) -> Totals:
    """Returns aggregates of events by name; those of names beyond MOST_NAMES are left out.

    numbers  by event: the number of its name; columns: how to aggregate, and what, by event
    """
    count = int(numbers.max(initial=-1)) + 1
    found = {key: aggregate(how, numbers, count, values)[0].tolist() for key, (how, values) in columns.items()}
    listed = enumerate(names[:MOST_NAMES])
    return dict(sorted((name, {key: column[number] for key, column in found.items()}) for number, name in listed))
