"""Elements of tasks that are outside of all tasks: the start tag of their task was overwritten.

That happens if two JVMs write one log: each writes at its own offset, over parts of the other's output. Pass 1
finds no task there. So only bytes between tasks are read, and only in a damaged file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.hotspot.decisions.tables_build import DecisionTablesBuild
from parsers.formats.hotspot.decisions.tasks import Tasks
from parsers.formats.hotspot.log.columns import IN_FRAGMENT, IS_FINISHED, NO_LEVEL
from parsers.formats.hotspot.log.part import KEPT_PROBLEMS
from parsers.formats.hotspot.log.read import tags
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hotspot.decisions.build import DecisionCounts
    from parsers.formats.hotspot.log.part import LogFile

Read = Callable[[int, int], bytes]
"""Returns `count` bytes of a file from an offset on."""

BLOCK = 1 << 20
"""Bytes that are read at a time."""
KNOWN = frozenset((*tags.KEPT, *tags.MORE_NAMES))
"""Names of elements that count."""
LONGEST_STRETCH = 1 << 20
"""Maximum bytes of elements that are reported together."""
LEAST = len("<bc>")
"""Minimum bytes between two tasks that can contain an element."""
FAR = 4096
"""Minimum bytes between two elements that are reported apart."""

_MARK = re.compile(
    rb"<(?:((?:" + tags.any_of((*tags.TASK_NAMES, "task_done", "failure")) + rb")(?=[ \t\r\n/>])"
    rb"|uncommon_trap(?=[ \t\r\n/>])(?! thread=))|(/task>)|(/?(?:fragment|compilation_log)[ >]))"
)
INSIDE, END, FRAGMENT = 1, 2, 3
"""Groups of `_MARK`: an element that occurs in tasks only, the end of a task, a tag that begins or ends a fragment."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A range of a file, and the number of elements without a task that begin in it."""

    start: int
    end: int
    elements: int


def is_suspect(part: LogFile, finished: int, processes: int) -> bool:
    """True if a file may contain elements without a task.

    finished   its tasks outside of fragments that have an end tag
    processes  number of JVMs that wrote the run
    """
    has_more = part.kinds[tags.END_TASK] > finished or part.outside["task_done"] > 0
    return has_more or processes > 1 or len(part.headers) > 1 or part.torn_count > 0 or bool(part.gaps)


def find_strays(
    columns: Mapping[str, Any],
    part: LogFile,
    following: LogFile | None,
    processes: int,
    read: Read,
    has_kernels: bool,
) -> DecisionCounts | None:
    """Counts elements outside of the tasks of a file, and records their ranges in the part; None if there are none.

    columns      those of pass 1; following: the next file
    has_kernels  True if kernels count them
    """
    first = part.first_task
    stop = len(columns["task_start"]) if following is None else following.first_task
    flags = columns["task_flags"][first:stop]
    finished = int(((flags & IS_FINISHED != 0) & (flags & IN_FRAGMENT == 0)).sum())
    if not is_suspect(part, finished, processes):
        return None
    edges = np.stack((columns["task_start"][first:stop], columns["task_end"][first:stop]), axis=1).ravel()
    borders = [0, *(edges - np.uint64(part.base)).tolist(), part.size]
    found = list(stretches(zip(borders[::2], borders[1::2], strict=True), read))
    part.strays = [(each.start, each.end, each.elements) for each in found[:KEPT_PROBLEMS]]
    part.stray_count = sum(each.elements for each in found)
    return _counted(found, read, has_kernels) if found else None


def stretches(gaps: Iterator[tuple[int, int]], read: Read) -> Iterator[Stretch]:
    """Returns ranges of such elements, in order; those in fragments are counted elsewhere."""
    in_fragment = False
    first = last = elements = 0  # The current range, and its elements; 0: there is none.
    for start, stop in gaps:
        if stop - start < LEAST:
            continue
        while start < stop:
            data = read(min(BLOCK, stop - start), start)
            # A tag that is no longer than a block is not cut.
            end = data.rfind(b"\n<") + 1 if start + len(data) < stop else len(data)
            end = end or len(data)
            name_end = 0  # Of the last element, as long as `last` is not the end of its tag.
            for mark in _MARK.finditer(data, 0, end):
                at, group = start + mark.start(), mark.lastindex
                if elements and (at - last > FAR or at - first > LONGEST_STRETCH or group == FRAGMENT):
                    if name_end:
                        last, name_end = start + _tag_end(data, name_end, end), 0
                    if at - last > FAR or at - first > LONGEST_STRETCH or group == FRAGMENT:
                        yield Stretch(first, last, elements)
                        elements = 0
                if group == FRAGMENT:
                    in_fragment = mark[0].startswith(b"<fragment")
                elif group == INSIDE and not in_fragment:
                    first = first if elements else at
                    name_end = mark.end()
                    last = start + name_end
                    elements += 1
                elif group == END and elements:
                    last, name_end = start + mark.end(), 0
            if name_end:
                last = start + _tag_end(data, name_end, end)
            start += end
        if elements:
            yield Stretch(first, last, elements)
            elements = 0


def _tag_end(data: bytes, at: int, end: int) -> int:
    """Returns the end of a tag, given that of its name, which is returned if no `>` is near."""
    return max(at, data.find(b">", at, min(at + FAR, end)) + 1)


def _counted(found: list[Stretch], read: Read, has_kernels: bool) -> DecisionCounts:
    """Counts the elements as if each stretch was a task; `elements` are those that pass 1 did not count."""
    from parsers.formats.hotspot.decisions.build import DecisionCounts

    def read_into(buffer: memoryview, place: int) -> None:
        buffer[:] = read(len(buffer), place)

    count = len(found)
    build = DecisionTablesBuild(
        Tasks(
            starts=np.array([each.start for each in found], np.uint64),
            ends=np.array([each.end for each in found], np.uint64),
            methods=np.full(count, NONE, np.uint32),
            levels=np.full(count, NO_LEVEL, np.uint8),
            fragments=np.zeros(count, np.uint8),
            runs=np.zeros(count, np.uint8),
            files=np.array([0, count]),
            method_starts=np.zeros(1, np.uint64),
            method_blob=np.zeros(0, np.uint8),
            read_into=read_into,
            commented=(0,),
        )
    )
    statistics = build.compiled() if has_kernels else build.plain()
    task_counts = DecisionCounts.of(statistics.counts[0, 0], statistics.words)
    counted: Counter[str] = Counter()
    for each in found:
        for start in range(each.start, each.end, BLOCK):
            first, stop = max(start - 1, 0), min(start + BLOCK, each.end)
            data = read(min(stop + tags.LONGEST, each.end) - first, first)
            counted.update(map(bytes.decode, tags.names(data, start - first, stop - first)))
    all_elements, *others = task_counts.tables
    elements = Counter({name: number for name, number in all_elements.items() if name in KNOWN}) - counted
    return replace(task_counts, tables=[elements, *others], max_inlining_depth=0, max_element_depth=0)
