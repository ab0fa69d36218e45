"""The matches of a search as ordered positions: lines of the file, or rows of a view that is not a file.

Both kinds grow during the search and have the same interface: next match after a place, count, and distribution in the
document. A *position* is a byte offset in a file and a row number in other views.
"""

from __future__ import annotations

import asyncio
import time
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from parsers.model.capabilities import Document, HasFinder, HasLabels
from parsers.model.late import numpy as np
from parsers.model.late.lazy_sequence import LazySequence
from parsers.model.row import counted
from parsers.query.search.regex_facts import quick_length
from tui.screen.frame import size_text
from tui.tree.outlines.lazy_outline import LazyOutline

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array
    from parsers.model.report import Report
    from parsers.model.view import View
    from parsers.query.search.pattern import Pattern
    from parsers.query.search.row_finder import RowFinder
    from parsers.runtime.worker.job import FindJob
    from tui.tree.outlines.outline import Outline

SLICE_SECONDS = 0.006
"""Maximum seconds for which a search in rows blocks the event loop at a time."""

REPORT_SECONDS = 0.15
"""Minimum seconds between two reports of matches."""

TOGETHER = 256
"""Labels requested together: about a millisecond."""

FIRST_TOGETHER, MOST_TOGETHER = 1 << 12, 1 << 17
"""Rows searched at once in the background: the first number, and the maximum while that is quick."""

STEP_SECONDS = 0.05
"""Target duration of one such step, in seconds."""

LONG_LABEL = 10_000
"""Maximum characters of a label that are searched."""


class FileFound:
    """Matching lines of the file, found by the worker; the view's rows are lines of the file."""

    def __init__(self, job: FindJob, report: Report, view: View, document: Document) -> None:
        """document: the same view, as the lines of the file"""
        self.job = job
        self._report, self._view, self._document = report, view, document

    @property
    def count(self) -> int:
        """Number of matches so far."""
        return self.job.count

    @property
    def fraction(self) -> float:
        """Fraction of the file that has been read, 0 to 1."""
        return self.job.fraction

    @property
    def extent(self) -> str:
        """Bytes of the file."""
        return size_text(self._report.size)

    @property
    def has_ended(self) -> bool:
        """True if no matches will follow."""
        return self.job.has_ended

    @property
    def error(self) -> str | None:
        """Reason of a failure."""
        return self.job.error

    @property
    def kind(self) -> Literal["regex", "text"]:
        """Kind that the pattern was interpreted as."""
        return self.job.kind

    @property
    def pattern(self) -> Pattern:
        """The interpreted pattern."""
        return self.job.resolved

    def after(self, position: int) -> int | None:
        """The first matching line after a byte."""
        return self.job.offset_after(position)

    def before(self, position: int) -> int | None:
        """The last matching line before a byte."""
        return self.job.offset_before(position)

    def number(self, position: int) -> int:
        """Number of the match, from 1."""
        return self.job.lines.at_or_after(position) + 1

    def position(self, node: int) -> int:
        """Offset of the node's line."""
        return self._view.tree.row(node).offset or 0

    def node(self, position: int) -> int | None:
        """The row whose line, or continuation line, contains this byte."""
        return self._document.node_at(position)

    def is_indexed(self, position: int) -> bool:
        """True if the index has reached the position: after its last row any byte would seem to be in that row."""
        preorder = self._view.tree.preorder
        if preorder is None:
            return self._report.is_complete
        return preorder.is_complete or (preorder.rows > 0 and position < self.position(preorder.rows - 1))

    def pieces(self, count: int) -> list[int]:
        """Which of `count` equal pieces of the rows contain a match."""
        preorder, lines, found = self._view.tree.preorder, self.job.lines, []
        if preorder is None:
            size = max(1, self._report.size)
            return sorted({min(offset, size - 1) * count // size for offset in lines.numbers(0, self.count)})
        rows = preorder.rows
        if not rows or not self.count:
            return []
        edge = self.position(0)
        for piece in range(count):
            node = (piece + 1) * rows // count
            following = self.position(node) if node < rows else 1 << 62
            first = lines.at_or_after(edge)
            if first < self.count and lines[first] < following:
                found.append(piece)
            edge = following
        return found

    def cancel(self) -> None:
        """Stops the search."""
        self.job.cancel()

    def close(self) -> None:
        """Stops the search and forgets its matches."""
        self.job.close()


class Positions(LazySequence[int]):
    """Positions found from a start on, then those before it; ascending as a whole."""

    def __init__(self, start: int) -> None:
        self._start = start
        self._before, self._behind = array("Q"), array("Q")

    def __len__(self) -> int:
        return len(self._before) + len(self._behind)

    def item(self, index: int) -> int:
        """Returns one position."""
        early = len(self._before)
        return self._before[index] if index < early else self._behind[index - early]

    def add(self, position: int) -> None:
        """Adds a position."""
        (self._before if position < self._start else self._behind).append(position)

    def add_all(self, positions: I64Array) -> None:
        """Adds positions, all of them before the start, or none."""
        if len(positions):
            (self._before if positions[0] < self._start else self._behind).frombytes(positions.astype("Q").tobytes())

    def clear(self) -> None:
        """Removes all positions."""
        del self._before[:], self._behind[:]


class RowFound:
    """Matching rows of a view that is not a file, searched from the cursor on, wrapping around.

    In a view with positions all rows are searched; in an unfolded graph the shown ones. The search runs in slices
    between frames, or in the background where a view can search many rows at once (`HasFinder`).
    """

    def __init__(
        self, view: View, outline: Outline, pattern: Pattern, news: Callable[[], object], cursor: int | None = None
    ) -> None:
        self._view = view
        self._tree = view.tree
        self._labels_of = view.labels if isinstance(view, HasLabels) else None
        """Labels of a range of nodes at once, if the view has them without rows."""
        self._outline = outline
        self._pattern = pattern
        self._news = news
        self._done = 0
        preorder = view.tree.preorder
        self._is_whole = preorder is not None
        self._total = preorder.rows if preorder is not None else len(outline)
        self._start = min(0 if cursor is None else self.position(cursor), max(0, self._total - 1))
        self._found: dict[str, Positions] = {kind: Positions(self._start) for kind in ("regex", "text")}
        self._is_cancelled = False
        self._task = asyncio.get_running_loop().create_task(self._look())

    @property
    def _matches(self) -> Positions:
        return self._found[self.kind]

    @property
    def count(self) -> int:
        """Number of matches so far."""
        return len(self._matches)

    @property
    def fraction(self) -> float:
        """Fraction of the rows that have been searched, 0 to 1."""
        return self._done / self._total if self._total else 1.0

    @property
    def extent(self) -> str:
        """Rows of the view."""
        return counted(self._total, "row")

    @property
    def has_ended(self) -> bool:
        """True if no matches will follow."""
        return self._is_cancelled or self._done >= self._total

    @property
    def error(self) -> str | None:
        """Reason of a failure."""
        is_hopeless = self._pattern.kind == "regex" and not self._regex_length
        return "this expression could take very long: search in the view of the file" if is_hopeless else None

    @property
    def _regex_length(self) -> int:
        """Characters of a label for which the expression surely ends soon, since nothing here could stop it."""
        regex = self._pattern.regex
        return 0 if regex is None else min(quick_length(regex.pattern), LONG_LABEL)

    @property
    def kind(self) -> Literal["regex", "text"]:
        """Kind that the pattern was interpreted as: an expression if it is one and has a match."""
        if self._pattern.kind != "auto":
            return self._pattern.kind
        return "regex" if self._found["regex"] else "text"

    @property
    def pattern(self) -> Pattern:
        """The interpreted pattern."""
        return self._pattern.resolved(self.kind)

    def after(self, position: int) -> int | None:
        """The first matching row after a row."""
        index = bisect_right(self._matches, position)
        return self._matches[index] if index < self.count else None

    def before(self, position: int) -> int | None:
        """The last matching row before a row."""
        index = bisect_left(self._matches, position)
        return self._matches[index - 1] if index else None

    def number(self, position: int) -> int:
        """Number of the match, from 1."""
        return bisect_left(self._matches, position) + 1

    def position(self, node: int) -> int:
        """The number of the node's row."""
        return node if self._is_whole else self._outline.row_of(node) or 0

    def node(self, position: int) -> int | None:
        """The node of a row."""
        if self._is_whole:
            return position
        return self._outline.node_at(position) if position < len(self._outline) else None

    def is_indexed(self, position: int) -> bool:
        """True: all searched rows are known."""
        return True

    def pieces(self, count: int) -> list[int]:
        """Which of `count` equal pieces of the rows contain a match."""
        matches, total, found = self._matches, self._total, []
        for piece in range(count if total else 0):
            first = bisect_left(matches, -(-piece * total // count))
            if first < len(matches) and matches[first] * count < (piece + 1) * total:
                found.append(piece)
        return found

    def cancel(self) -> None:
        """Stops the search."""
        self._is_cancelled = True
        self._task.cancel()

    def close(self) -> None:
        """Stops the search and forgets its matches."""
        self.cancel()
        for each in self._found.values():
            each.clear()

    async def _look(self) -> None:
        reported_at = 0.0
        try:
            async for _ in self._steps():
                if time.monotonic() - reported_at > REPORT_SECONDS:
                    self._news()
                    reported_at = time.monotonic()
        finally:
            self._is_cancelled = self._done < self._total
        self._news()

    async def _steps(self) -> AsyncIterator[None]:
        if isinstance(self._view, HasFinder) and (self._is_whole or isinstance(self._outline, LazyOutline)):
            async for _ in self._stretches(self._view):
                yield
            return
        for _ in self._slices(self._total):
            await asyncio.sleep(0)
            yield

    async def _stretches(self, view: HasFinder) -> AsyncIterator[None]:
        """Searches rows in a thread where the view can search many at once; others one by one."""
        finder, most = view.finder(self._pattern), FIRST_TOGETHER
        while self._done < self._total:
            position, began = self._next, time.monotonic()
            nodes = self._stretch(position, min(most, self._rows_ahead))
            if nodes[0] >= view.vertices:
                for _ in self._slices(self._done + len(nodes)):
                    await asyncio.sleep(0)
            else:
                for kind, places in (await asyncio.to_thread(_places, finder, nodes)).items():
                    self._found[kind].add_all(places + position)
                self._done += len(nodes)
                seconds = time.monotonic() - began
                most = min(2 * most, MOST_TOGETHER) if seconds < STEP_SECONDS else max(most // 2, FIRST_TOGETHER)
            yield

    def _stretch(self, position: int, most: int) -> Sequence[int]:
        if isinstance(self._outline, LazyOutline):
            return self._outline.stretch(position, most)
        return range(position, position + most)

    @property
    def _next(self) -> int:
        """The next row to search: from the cursor to the end, then from the first one to the cursor."""
        return (self._start + self._done) % self._total

    @property
    def _rows_ahead(self) -> int:
        """Number of rows to search before wrapping around or the end."""
        return (self._start if self._next < self._start else self._total) - self._next

    def _slices(self, until: int) -> Iterator[None]:
        """Continues the search until that many rows are done, some milliseconds at a time."""
        length = self._regex_length
        regex = self._pattern.resolved("regex") if length else None
        text = self._pattern.resolved("text") if self._pattern.plain is not None else None
        pause = time.monotonic() + SLICE_SECONDS
        last, in_regex, in_text = None, False, False
        while self._done < until:
            number = self._next
            for place, label in enumerate(self._labels(number), number):
                # Many consecutive rows may have one label, such as the objects of a class.
                if label is not last:
                    last = label
                    in_regex = regex is not None and regex.matches(label[:length])
                    in_text = text is not None and text.matches(label)
                if in_regex:
                    self._found["regex"].add(place)
                if in_text:
                    self._found["text"].add(place)
                self._done += 1
            if time.monotonic() > pause:
                yield
                pause = time.monotonic() + SLICE_SECONDS

    def _labels(self, position: int) -> Sequence[str]:
        """Labels of the row at a position and perhaps of some after it."""
        if self._labels_of is not None and self._is_whole:
            labels = self._labels_of(position, position + min(TOGETHER, self._rows_ahead))
            return [label[:LONG_LABEL] for label in labels]
        node = self.node(position)
        return ("",) if node is None else (self._tree.row(node).label[:LONG_LABEL],)


def _places(finder: RowFinder, nodes: Sequence[int]) -> dict[str, AnyArray]:
    """Places of the matching nodes in a sequence of nodes, by the kinds of the finder."""
    part = np.arange(nodes.start, nodes.stop) if isinstance(nodes, range) else np.array(nodes, np.int64)
    return {kind: np.flatnonzero(each) for kind, each in finder.find(part).items()}


SearchResults = FileFound | RowFound
"""The matches of one search."""
