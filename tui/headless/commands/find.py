"""`find`: the matching lines of a text report as rows; with `--name` the nodes with matching names.

Views that do not represent the file have no lines: the labels of their rows are searched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from parsers.model.capabilities import Document, HasFinder, HasLabels, HasText
from parsers.model.late import numpy as np
from parsers.model.report import ReportError
from parsers.model.row import Row
from parsers.model.trees.tree import walk
from parsers.model.view import View
from tui.headless.json_row import row_fields
from tui.headless.names import nodes_named, pattern_of
from tui.headless.patience import patiently
from tui.headless.session import NOTHING_FOUND

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array
    from parsers.query.search.row_finder import RowFinder
    from tui.headless.session import CommandSession

LINE_END = "\n"

STEP = 1 << 20
"""Bytes read at a time while lines are counted."""

TOGETHER = 1 << 12
"""Labels requested together."""

MANY = 1 << 17
"""Nodes searched together."""

SHORT = 1 << 12
"""Bytes that are read first for a line; most are shorter."""

MOST_SHOWN = 1 << 20
"""Maximum bytes shown of a line that is not a row."""


Match = tuple[View, int] | int
"""A matching node of a view; or the offset of a matching line, whose row, if any, is only looked up for printing."""


def run(session: CommandSession) -> int:
    """Prints the matches, or only their number; returns 1 if there are none."""
    if session.arguments.is_given("name"):
        found: Iterator[Match] = _named(session)
    elif isinstance(session.view, Document):
        if session.arguments.is_given("count"):
            return _print_count(session, sum(map(len, _offsets(session))))
        found = (offset for offsets in _offsets(session) for offset in offsets.tolist())
    else:
        found = _labelled(session)
    if session.arguments.is_given("count"):
        return _print_count(session, sum(1 for _ in found))
    limit = session.arguments.count("limit", -1)
    printed, numbers = 0, _LineNumbers(session)
    for each in islice(found, limit):
        _print(session, each, numbers)
        printed += 1
    missing = sum(1 for _ in found) if limit is not None and printed == limit else 0
    if missing:
        session.remarks.show_message(f"{missing:,} more matches not shown (--limit {limit}; all lifts it)")
    return 0 if printed or missing else NOTHING_FOUND


def choose_view(session: CommandSession) -> None:
    """Selects the view of the file's lines if no view was requested, even if it is not the first one."""
    first, given = session.report.views[0], session.arguments.is_given
    if not given("view") and not given("name") and not isinstance(first, Document):
        session.view = next((view for view in session.report.views if isinstance(view, Document)), first)


def _print_count(session: CommandSession, count: int) -> int:
    session.remarks.done()
    session.output.answer({"count": count}, str(count))
    return 0 if count else NOTHING_FOUND


def _print(session: CommandSession, found: Match, numbers: _LineNumbers) -> None:
    if isinstance(found, tuple):
        session.print_row(session.shown(found[0]), found[1])
        return
    view, offset = session.view, found
    node = view.node_at(offset) if isinstance(view, Document) else None
    row = None if node is None else view.tree.row(node)
    if row is not None and row.offset == offset:
        session.print_row(session.shown(), row.node)
        return
    if row is not None and row.line is not None and row.offset is not None:
        numbers.go_on_from(row.line, row.offset)
    if row is not None and session.report.separator != LINE_END:
        # Not a line of its own but part of the row's text: an end tag, a comment.
        session.print_row(session.shown(), row.node)
        return
    number, text = numbers.of(offset), _text_of(session, offset)
    line = Row(-1, "line", text, ref=f"line:{number}", line=number, offset=offset, rows_below=0)
    if session.output.is_json:
        session.output.json(row_fields(line, offset, 0))
    else:
        session.output.row(view, line, 0)


def _named(session: CommandSession) -> Iterator[tuple[View, int]]:
    """Nodes with matching names: in their own views, or in the requested one."""
    for of, node in nodes_named(session):
        if of is session.view or not session.arguments.is_given("view"):
            yield of, node
        elif (there := session.view.find_key(of.key(node))) is not None:
            yield session.view, there


def _labelled(session: CommandSession) -> Iterator[tuple[View, int]]:
    """Nodes of a view without lines whose labels match; in an unbounded view only its roots."""
    view, pattern = session.view, pattern_of(session.arguments)
    labels = view.labels if isinstance(view, HasLabels) else None
    preorder = view.tree.preorder
    if isinstance(view, HasFinder):
        looked = view.tree.roots() if preorder is None else range(preorder.rows)
        nodes = _found_together(looked, view.finder(pattern, is_patient=True))
        yield from ((view, node) for node in nodes)
        return
    if labels is None or preorder is None:
        depth = 0 if view.row_count is None else None
        for node, _ in walk(view.tree, depth=depth):
            if pattern.matches(view.tree.row(node).label):
                yield view, node
        return
    last, matches = None, False
    for start in range(0, preorder.rows, TOGETHER):
        for node, label in enumerate(labels(start, min(start + TOGETHER, preorder.rows)), start):
            # Many consecutive rows may have one label, such as the objects of a class.
            if label is not last:
                last, matches = label, pattern.matches(label)
            if matches:
                yield view, node


def _found_together(nodes: Sequence[int], finder: RowFinder) -> Iterator[int]:
    """Yields the matching ones of many nodes."""
    for start in range(0, len(nodes), MANY):
        part = np.asarray(nodes[start : start + MANY], np.int64)
        for matches in patiently(partial(finder.find, part)).values():
            yield from part[matches].tolist()


def _offsets(session: CommandSession) -> Iterator[I64Array]:
    """Offsets of the matching lines, an array for each block of the file."""
    from parsers.query.search.scan import scan

    source, pattern = _text_report(session).source, pattern_of(session.arguments)
    files = source.plain_files
    # A bar would be overwritten by matches on the same terminal.
    is_silent = session.arguments.is_given("count") or not session.output.is_terminal
    ends = [*(base for _, base in files[1:]), source.size]
    for (path, base), end in zip(files, ends, strict=True):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            report = session.report
            steps = scan(descriptor, pattern, report.plain_encoding, stop=end - base, separator=report.separator)
            while (step := patiently(partial(next, steps, None))) is not None:
                if is_silent:
                    session.remarks.bar("searching", base + step.done, source.size)
                if len(step.lines):
                    yield step.lines + base
        finally:
            os.close(descriptor)


class _LineNumbers:
    """Numbers of lines that are not rows, requested in ascending order; each part of the file is counted once."""

    def __init__(self, session: CommandSession) -> None:
        self._session = session
        self._line, self._offset = 1, 0

    def go_on_from(self, line: int, offset: int) -> None:
        """Sets a known line before the next requests: lines before it need not be counted."""
        if offset > self._offset:
            self._line, self._offset = line, offset

    def of(self, offset: int) -> int:
        """The number of the line that begins at an offset."""
        source = _text_report(self._session).source
        while self._offset < offset:
            data = source.pread(min(STEP, offset - self._offset), self._offset)
            if not data:
                break
            self._line += data.count(b"\n")
            self._offset += len(data)
        return self._line


def _text_of(session: CommandSession, offset: int) -> str:
    """A line without its end."""
    report = _text_report(session)
    line = report.source.pread(SHORT, offset)
    if b"\n" not in line and len(line) == SHORT:
        line = report.source.pread(MOST_SHOWN, offset)
    return report.text(line.partition(b"\n")[0].removesuffix(b"\r"))


def _text_report(session: CommandSession) -> HasText:
    report = session.report
    if not isinstance(report, HasText):
        raise ReportError(f"{report.format_title} is no text: --name looks through its names")
    return report
