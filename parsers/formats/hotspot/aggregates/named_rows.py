"""The tasks of a log by their methods, from the columns of the index: for rules about hundreds of thousands of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.hotspot.log.columns import IS_DAMAGED, NO_LEVEL
from parsers.formats.hotspot.names import is_doubtful, method_of, value
from parsers.formats.hotspot.tasks.nodes import FIRST
from parsers.formats.hotspot.tasks.rows.row import task_method
from parsers.model.none import NONE
from parsers.query.selection.texts_met import MatchedTexts
from parsers.reporting.rules.array_rows import ArrayRows, Number, numbers_of_rows

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.log import Log
    from parsers.model.arrays import BoolArray, I64Array
    from parsers.model.row import Column
    from parsers.model.view import View

PLAIN = {"nmsize": "task_code", "inlined_bytes": "task_inlined"}
"""Columns of rows that are columns of the index."""


def task_rows(view: View, log: Log, kind: str) -> ArrayRows | None:
    """Returns all tasks; None for rows of other kinds, which are few or known only when a task is opened."""
    if kind != "task" or not log.is_complete or not log.tasks:
        return None
    starts = np.asarray(log.column("task_start"), np.int64)
    names, name_of = _names(log)

    def numbers(column: Column, asked: I64Array) -> Sequence[Number | None]:
        tasks = starts.searchsorted((np.asarray(asked, np.int64) - FIRST) // 2)
        found = _in_column(log, column.name, tasks)
        return numbers_of_rows(view, column, asked) if found is None else found

    return ArrayRows(lambda: names, name_of, FIRST + 2 * starts, numbers)


def _names(log: Log) -> tuple[MatchedTexts, Any]:
    """Returns the labels of methods, and the label of each task."""
    methods, flags = (np.asarray(log.column(f"task_{name}")) for name in ("method", "flags"))
    of_method, each = np.unique(methods, return_inverse=True)
    texts = [value(log.method(method)) for method in of_method.tolist()]
    numbers: dict[str, int] = {}
    # If a tag is damaged, or blanks make it ambiguous, the method is read from other bytes of the task.
    by_itself = np.array(list(map(is_doubtful, texts)), bool)[each] | (flags & IS_DAMAGED > 0)
    labels = [numbers.setdefault(method_of(text).label, len(numbers)) for text in texts]
    name_of = np.array(labels, np.int64)[each]
    for task in np.flatnonzero(by_itself).tolist():
        name_of[task] = numbers.setdefault(task_method(log, task).label, len(numbers))
    return MatchedTexts.of_texts(numbers), name_of


def _in_column(log: Log, name: str, tasks: I64Array) -> list[Number | None] | None:
    """Returns the values of tasks in a column; None: the index stores them differently from the rows.

    The same values as in `rows.row.task_badges` of one task.
    """
    begun = _column(log, "task_begun", tasks)
    match name:
        case "start_s":
            return [None if each == NONE else each / 1000 for each in begun.tolist()]
        case "compile_ms":
            done = _column(log, "task_done", tasks)
            return _known(done - begun, (begun != NONE) & (done != NONE))
        case "wait_ms":
            events, stamps = _column(log, "task_queued", tasks), np.asarray(log.column("event_stamp"), np.int64)
            queued = np.full(len(tasks), NONE, np.int64)
            queued[events != NONE] = stamps[events[events != NONE]]
            return _known(begun - queued, (begun != NONE) & (queued != NONE))
        case "level":
            levels = _column(log, "task_level", tasks)
            return _known(levels, levels != NO_LEVEL)
        case "nmsize" | "inlined_bytes":
            found = _column(log, PLAIN[name], tasks)
            return _known(found, found != NONE)
    return None


def _column(log: Log, name: str, tasks: I64Array) -> I64Array:
    return np.asarray(log.column(name))[tasks].astype(np.int64)


def _known(numbers: I64Array, is_known: BoolArray) -> list[Number | None]:
    """Returns numbers with None where there is none."""
    found: list[Number | None] = numbers.tolist()
    for place in np.flatnonzero(~is_known).tolist():
        found[place] = None
    return found
