"""Elements of tasks that stand outside of all tasks: the start tag of their task was overwritten.

That happens where two JVMs write one log, each over parts of what the other wrote (hazard 7 of the format page). Pass 1
knows no task there, so it looks only at the bytes between tasks, and only of a file in which something is wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.hotspot import tags
from parsers.hotspot.columns import IN_FRAGMENT, IS_FINISHED, NO_LEVEL
from parsers.hotspot.part import KEPT_FINDINGS
from parsers.hotspot.statistics import TaskHead

if TYPE_CHECKING:
    from parsers.hotspot.inside_build import Inside
    from parsers.hotspot.part import Part

Read = Callable[[int, int], bytes]
"""Gives `count` bytes of a file from an offset on."""

BLOCK = 1 << 20
"""Bytes that are looked at at once."""
KNOWN = frozenset(name.encode() for name in (*tags.KEPT, *tags.MORE_NAMES))
"""Names of elements that count."""
FAR = 4096
"""Bytes between two elements of different tasks."""

_MARK = re.compile(
    rb"<(?:(?P<inside>(?:" + tags.any_of((*tags.TASK_NAMES, "task_done", "failure")) + rb")(?=[ \t\r\n/>])"
    rb"|uncommon_trap(?=[ \t\r\n/>])(?! thread=))|(?P<end>/task>)|(?P<fragment>/?(?:fragment|compilation_log)[ >]))"
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A range of a file, and how many elements without a task begin in it."""

    start: int
    end: int
    elements: int


def is_suspect(part: Part, finished: int, processes: int) -> bool:
    """Whether elements without a task may stand in a file.

    finished   its tasks outside of fragments that have an end tag
    processes  how many JVMs wrote the run
    """
    has_more = part.kinds[tags.END_TASK] > finished or part.outside["task_done"] > 0
    return has_more or processes > 1 or len(part.headers) > 1 or part.torn_count > 0 or bool(part.gaps)


def find_strays(
    columns: Mapping[str, Any], part: Part, following: Part | None, processes: int, read: Read
) -> Inside | None:
    """Counts what stands outside of the tasks of a file, and notes in the part where that is; None if nothing does.

    columns  those of pass 1; following: the file behind it
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
    part.strays = [(each.start, each.end, each.elements) for each in found[:KEPT_FINDINGS]]
    part.stray_count = sum(each.elements for each in found)
    return _counted(found, read) if found else None


def stretches(gaps: Iterator[tuple[int, int]], read: Read) -> Iterator[Stretch]:
    """Where such elements stand together, in order; those in fragments are counted as such elsewhere."""
    in_fragment = False
    found: Stretch | None = None
    for start, stop in gaps:
        while start < stop:
            data = read(min(BLOCK, stop - start), start)
            # A tag is not cut, if it is not longer than a block.
            end = data.rfind(b"\n<") + 1 if start + len(data) < stop else len(data)
            end = end or len(data)
            for mark in _MARK.finditer(data, 0, end):
                at = start + mark.start()
                if found is not None and (at - found.end > FAR or mark["fragment"]):
                    yield found
                    found = None
                if mark["fragment"]:
                    in_fragment = mark["fragment"].startswith(b"fragment")
                elif mark["inside"] and not in_fragment:
                    tag_end = start + max(mark.end(), data.find(b">", mark.end(), end) + 1)
                    begin, count = (at, 0) if found is None else (found.start, found.elements)
                    found = Stretch(begin, tag_end, count + 1)
                elif mark["end"] and found is not None:
                    yield replace(found, end=start + mark.end())
                    found = None
            start += end
        if found is not None:
            yield found
            found = None


def _counted(ranges: list[Stretch], read: Read) -> Inside:
    """What the elements say, as if each stretch was a task; `elements` are those that pass 1 did not count."""
    from parsers.hotspot.inside_build import Inside
    from parsers.hotspot.statistics_plain import TAG, PlainStatistics

    statistics = PlainStatistics()
    elements: Counter[str] = Counter()
    for each in ranges:
        # The byte before it says whether its first tag begins a line.
        before = min(each.start, 1)
        data = read(each.end - each.start + before, each.start - before)
        statistics.feed(tags.COMMENT_IN_TAG.sub(b"", data), TaskHead(0, None, NO_LEVEL, 0, False))
        names = Counter(tag[2].decode() for tag in TAG.finditer(data) if not tag[1] and tag[2] in KNOWN)
        elements += names - Counter(tag.name.decode() for tag in tags.tags(data, before))
    found = statistics.found()
    counted = Inside.of(found.counts[0], found.words)
    return replace(counted, elements=elements, max_inlining_depth=0, max_element_depth=0)
