"""Totals of objects by class, of collections, of calls by method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.tptp.schema.columns import IS_DEFINED_ONLY, IS_RUNNING, NEVER, NO_ENTRY, NONE, NOWHERE
from parsers.formats.tptp.threads.thread_totals import MOST_ROWS, class_text
from parsers.formats.tptp.views.negative_times import negative_bases
from parsers.index.bitpacked.columns import numbers

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording

MOST = 80
"""Most classes and methods of a session that are listed."""
CLASS_SUMS = ("total", "live", "collected", "total_size", "active_size", "defined_only")
METHOD_SUMS = {
    "calls": "method_calls",
    "returned": "method_returned",
    "cumulative_ns": "method_cumulative",
    "base_ns": "method_base",
}
PIECE = 1 << 18
"""Objects processed at a time."""


def heap_totals(recording: TraceRecording, session: int) -> dict[str, Any]:
    """Returns objects by class name."""
    names, name_of = class_names(recording, session)
    sums = np.zeros((len(CLASS_SUMS), len(names)), np.int64)
    rows = recording.session_rows(session, "object")
    for start in range(rows.start, rows.stop, PIECE):
        piece = slice(start, min(start + PIECE, rows.stop))
        classes = numbers(recording.column("object_class"), piece).astype(np.int64)
        first = recording.session_rows(session, "class").start
        which = name_of[np.where(classes == NONE, len(name_of) - 1, classes - first)]
        sizes = numbers(recording.column("object_size"), piece).astype(np.int64)
        is_defined = numbers(recording.column("object_flags"), piece) & IS_DEFINED_ONLY != 0
        is_freed = numbers(recording.column("object_freed_collection"), piece) != NONE
        for sum, chosen, sized in (
            (0, ~is_defined, False),
            (1, ~is_defined & ~is_freed, False),
            (2, ~is_defined & is_freed, False),
            (3, ~is_defined, True),
            (4, ~is_defined & ~is_freed, True),
            (5, is_defined, False),
        ):
            weights = sizes[chosen] if sized else None
            sums[sum] += np.bincount(which[chosen], weights, len(names)).astype(np.int64)
    found: list[dict[str, Any]] = [
        {"name": name, **{sum: int(sums[place, number]) for place, sum in enumerate(CLASS_SUMS)}}
        for number, name in enumerate(names)
        if sums[0, number] or sums[5, number]
    ]
    found.sort(key=lambda each: (-each["total_size"], -each["total"], each["name"]))
    return {
        "totals": {sum: int(sums[place].sum()) for place, sum in enumerate(CLASS_SUMS)},
        "classes_total": len(found),
        "classes": found[:MOST],
        "several_ids_for_one_name": _several(recording, session),
    }


def class_names(recording: TraceRecording, session: int) -> tuple[list[str], Any]:
    """Returns the class names of a session, and the number of the name of each row; the last one is for NONE."""
    rows = recording.session_rows(session, "class")
    known: dict[str, int] = {}
    found = [known.setdefault(class_text(recording, row), len(known)) for row in rows]
    found.append(known.setdefault("", len(known)))
    return list(known), np.array(found, np.int64)


def _several(recording: TraceRecording, session: int) -> dict[str, int]:
    """Returns class names that were defined more than once."""
    counts: dict[str, int] = {}
    offsets = recording.column("class_offset")
    for row in recording.session_rows(session, "class"):
        if offsets[row] != NOWHERE:
            name = class_text(recording, row)
            counts[name] = counts.get(name, 0) + 1
    return {name: count for name, count in counts.items() if count > 1}


def collection_totals(recording: TraceRecording, session: int, counts: Mapping[str, int]) -> dict[str, Any]:
    """Returns the totals of collections."""
    column = recording.column
    return {
        "frees_of_unknown": counts["frees_of_unknown"],
        "frees_outside_a_collection": counts["frees_outside"],
        "collections": [
            {
                "start": _or_none(column("collection_start")[row]),
                "finish": _or_none(column("collection_finish")[row]),
                "frees": int(column("collection_frees")[row]),
                "usedObjects": _or_none(column("collection_used_objects")[row]),
                "usedObjSpace": _or_none(column("collection_used_bytes")[row]),
                "totalObjSpace": _or_none(column("collection_total_bytes")[row]),
                "live_by_count": int(column("collection_live")[row]),
                "live_bytes_by_count": int(column("collection_live_bytes")[row]),
            }
            for row in recording.session_rows(session, "collection")[:MOST_ROWS]
        ],
    }


def _or_none(value: int) -> int | None:
    return None if value == NEVER else int(value)


def call_totals(recording: TraceRecording, session: int, deepest: int, alone: Mapping[str, int]) -> dict[str, Any]:
    """Returns calls by method."""
    calls = recording.session_rows(session, "call")
    flags = numbers(recording.column("call_flags"), slice(calls.start, calls.stop))
    methods = _methods(recording, session)
    methods.sort(key=lambda each: (-each["base_ns"], -each["cumulative_ns"]))
    return {
        "totals": {**alone, "deepest": deepest, "still_open": int(np.count_nonzero(flags & IS_RUNNING))},
        "entries": int(np.count_nonzero(flags & NO_ENTRY == 0)),
        "call_tree_nodes": len(recording.session_rows(session, "node")),
        "methods_total": len(methods),
        "methods": methods[:MOST],
    }


def _methods(recording: TraceRecording, session: int) -> list[dict[str, Any]]:
    """Returns the methods that were entered, by class, name and signature."""
    column, calls = recording.column, recording.session_rows(session, "call")
    negative = negative_bases(recording, slice(calls.start, calls.stop))
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in recording.session_rows(session, "method"):
        if not column("method_calls")[row]:
            continue
        kind, name = column("method_class")[row], column("method_name")[row]
        what = (
            "" if kind == NONE else class_text(recording, kind),
            recording.text(name) if name != NONE else f"#{recording.id_text(column('method_id')[row])}",
            recording.text(column("method_signature")[row]),
        )
        sums = found.setdefault(what, dict.fromkeys(METHOD_SUMS, 0))
        for sum, counted in METHOD_SUMS.items():
            sums[sum] += int(column(counted)[row])
        if row in negative:
            sums["negative_base_ns"] = sums.get("negative_base_ns", 0) + negative[row]
    return [{"class": what[0], "method": what[1], "signature": what[2], **sums} for what, sums in found.items()]
