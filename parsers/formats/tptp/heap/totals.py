"""Totals of objects by class, of collections, of calls by method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from heapq import nsmallest
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.tptp.objects.class_sums import ACTIVE_SIZE, EVER_DEFINED, LIVE, TOTAL, TOTAL_SIZE
from parsers.formats.tptp.schema.columns import IS_RUNNING, NEVER, NO_ENTRY, NOWHERE
from parsers.formats.tptp.threads.thread_totals import MOST_ROWS, names_or_ids
from parsers.formats.tptp.views.negative_times import negative_bases
from parsers.model.distinct import distinct
from parsers.model.lookup import numbered
from parsers.model.none import NONE
from parsers.profile.merge import sums_of

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.model.arrays import I64Array

MOST = 80
"""Most classes and methods of a session that are listed."""
CLASS_SUMS = ("total", "live", "collected", "total_size", "active_size", "defined_only")
COLLECTION_NUMBERS = {
    "start": "start",
    "finish": "finish",
    "frees": "frees",
    "usedObjects": "used_objects",
    "usedObjSpace": "used_bytes",
    "totalObjSpace": "total_bytes",
    "live_by_count": "live",
    "live_bytes_by_count": "live_bytes",
}
"""Columns of collections, by the names of their totals."""
METHOD_SUMS = {
    "calls": "method_calls",
    "returned": "method_returned",
    "cumulative_ns": "method_cumulative",
    "base_ns": "method_base",
}
CUMULATIVE, BASE = 2, 3
"""Places of sums in METHOD_SUMS."""


def heap_totals(recording: TraceRecording, session: int, counted: I64Array) -> dict[str, object]:
    """Returns objects by class name. counted: see `class_sums.count_at_end`"""
    names, name_of = class_names(recording, session)
    rows = recording.session_rows(session, "class")
    own = counted[:, [*rows, recording.rows("class") + session]]
    by_class = own[TOTAL], own[LIVE], own[TOTAL] - own[LIVE], own[TOTAL_SIZE], own[ACTIVE_SIZE], own[EVER_DEFINED]
    sums = sums_of(by_class, name_of, len(names))
    matching = np.flatnonzero((sums[0] != 0) | (sums[5] != 0))
    totals, sizes = sums[0].tolist(), sums[3].tolist()
    largest = nsmallest(MOST, matching.tolist(), lambda number: (-sizes[number], -totals[number], names[number]))
    return {
        "totals": {sum: int(sums[place].sum()) for place, sum in enumerate(CLASS_SUMS)},
        "classes_total": len(matching),
        "classes": [
            {"name": names[number], **{sum: int(sums[place, number]) for place, sum in enumerate(CLASS_SUMS)}}
            for number in largest
        ],
        "several_ids_for_one_name": _several(recording, session),
    }


def class_names(recording: TraceRecording, session: int) -> tuple[list[str], I64Array]:
    """Returns the class names of a session, and the number of the name of each row; the last one is for NONE."""
    rows = recording.session_rows(session, "class")
    return numbered([*names_or_ids(recording, "class", rows), ""])


def _several(recording: TraceRecording, session: int) -> dict[str, int]:
    """Returns class names that were defined more than once."""
    rows = recording.session_rows(session, "class")
    offsets = recording.numbers("class_offset", rows)
    counts = Counter(names_or_ids(recording, "class", np.flatnonzero(offsets != NOWHERE) + rows.start))
    return {name: count for name, count in counts.items() if count > 1}


def collection_totals(recording: TraceRecording, session: int, counts: Mapping[str, int]) -> dict[str, object]:
    """Returns the totals of collections."""
    column = recording.column
    return {
        "frees_of_unknown": counts["frees_of_unknown"],
        "frees_outside_a_collection": counts["frees_outside"],
        "collections": [
            {name: number_or_none(column(f"collection_{of}")[row]) for name, of in COLLECTION_NUMBERS.items()}
            for row in recording.session_rows(session, "collection")[:MOST_ROWS]
        ],
    }


def number_or_none(value: int) -> int | None:
    """Returns a moment or a number; None for NEVER."""
    return None if value == NEVER else int(value)


def call_totals(recording: TraceRecording, session: int, deepest: int, alone: Mapping[str, int]) -> dict[str, object]:
    """Returns calls by method."""
    calls = recording.session_rows(session, "call")
    flags = recording.numbers("call_flags", calls)
    count, methods = _methods(recording, session)
    return {
        "totals": {**alone, "deepest": deepest, "still_open": int(np.count_nonzero(flags & IS_RUNNING))},
        "entries": int(np.count_nonzero(flags & NO_ENTRY == 0)),
        "call_tree_nodes": len(recording.session_rows(session, "node")),
        "methods_total": count,
        "methods": methods,
    }


def _methods(recording: TraceRecording, session: int) -> tuple[int, list[dict[str, object]]]:
    """Returns how many methods, by class, name and signature, were entered, and MOST of them by self time."""
    negative = negative_bases(recording, recording.session_rows(session, "call"))
    rows = recording.session_rows(session, "method")
    matching = np.flatnonzero(recording.numbers("method_calls", rows)) + rows.start
    kinds, signatures = (recording.numbers(f"method_{name}", matching) for name in ("class", "signature"))
    used = distinct(kinds[kinds != NONE])
    classes = {**dict(zip(used.tolist(), names_or_ids(recording, "class", used), strict=True)), NONE: ""}
    texts = {signature: recording.text(signature) for signature in distinct(signatures).tolist()}
    parts = map(classes.__getitem__, kinds.tolist()), names_or_ids(recording, "method", matching)
    number_of: dict[tuple[str, str, str], int] = {}
    found = [
        number_of.setdefault(what, len(number_of))
        for what in zip(*parts, map(texts.__getitem__, signatures.tolist()), strict=True)
    ]
    columns = [recording.numbers(name, matching) for name in METHOD_SUMS.values()]
    sums = sums_of(columns, np.array(found, np.int64), len(number_of))
    negative_of: dict[int, int] = {}
    for row, number in zip(matching.tolist(), found, strict=True) if negative else ():
        if row in negative:
            negative_of[number] = negative_of.get(number, 0) + negative[row]
    named = list(number_of)
    return len(named), [
        {
            **dict(zip(("class", "method", "signature"), named[number], strict=True)),
            **dict(zip(METHOD_SUMS, sums[:, number].tolist(), strict=True)),
            **({"negative_base_ns": negative_of[number]} if number in negative_of else {}),
        }
        for number in np.lexsort((-sums[CUMULATIVE], -sums[BASE]))[:MOST].tolist()
    ]
