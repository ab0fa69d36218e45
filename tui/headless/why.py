"""`why`: the shortest path from a root to what matches, one for each match, or one for each reference to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from parsers.report import UnknownReference, View
from tui.headless.json_row import path_fields
from tui.headless.names import nodes_named
from tui.headless.session import NOTHING_FOUND, is_reference
from tui.headless.text_row import row_line

if TYPE_CHECKING:
    from tui.headless.session import Session
    from tui.headless.shown import Shown


def run(session: Session) -> int:
    """Print a path for each match; 1 if there are none."""
    try:
        matches = _matches(session)
    except UnknownReference as error:
        session.remarks.say(f"coffeetree: {error.args[0]}")
        return NOTHING_FOUND
    limit = session.arguments.count("limit", -1)
    shown = session.shown(session.report.views[0])
    paths = _paths(session, matches)
    printed = 0
    for path in islice(paths, limit):
        _print(session, shown, path, is_first=not printed)
        printed += 1
    if limit is not None and printed == limit and (missing := sum(1 for _ in paths)):
        session.remarks.say(f"{missing:,} more paths are missing (--limit {limit}; all lifts it)")
    return 0 if printed else NOTHING_FOUND


def _matches(session: Session) -> Iterator[tuple[View, int]]:
    """What the pattern means: one node of some view, or the things whose names hold it."""
    word = session.arguments.word
    if is_reference(word):
        return iter([session.locate(word)])
    return ((session.report.views[0], node) for node in nodes_named(session))


def _paths(session: Session, matches: Iterator[tuple[View, int]]) -> Iterator[Sequence[int]]:
    """The paths of each match, as nodes of the first view, root first."""
    report = session.report
    for view, node in matches:
        if not session.arguments.is_given("all"):
            if path := report.why(view.name, node):
                yield path
            continue
        found = view.references(node)
        there = report.view(found.view)
        for each in found.nodes:
            yield there.path(each)


def _print(session: Session, shown: Shown, path: Sequence[int], is_first: bool) -> None:
    if session.output.is_json:
        rows = path_fields(shown, path)
        session.output.json({"match": rows[-1], "path": rows})
        return
    if not is_first:
        session.output.line("")
    for level, node in enumerate(path):
        session.output.line(row_line(session.output.paint, shown.row(node), level))
