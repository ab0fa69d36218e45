"""`why`: the shortest path from a root to each match, or to each reference to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, cast

from parsers.model.capabilities import HasGraph, HasPaths
from parsers.model.row import counted
from parsers.model.trees.tree import walk
from parsers.model.view import UnknownReference, View
from parsers.views.collection import ENTERED_FROM, explained_path, own_view, path_from_root
from tui.headless.json_row import Fields, path_fields
from tui.headless.names import nodes_named
from tui.headless.session import NOTHING_FOUND, is_reference

if TYPE_CHECKING:
    from parsers.graph.views.entering_view import EnteringView
    from tui.headless.session import CommandSession

DEFAULT_SOURCES = 10
"""Printed sources of a group unless another limit is given."""


def run(session: CommandSession) -> int:
    """Prints a path for each match; returns 1 if there are none."""
    try:
        matches = _matches(session)
    except UnknownReference as error:
        session.remarks.show_message(f"coffeetree: {error.args[0]}")
        return NOTHING_FOUND
    entering = _entering(session, matches)
    if entering is not None and not session.output.is_json:
        return _print_entering(session, entering)
    limit = session.arguments.count("limit", -1)
    waiting = iter(matches)
    paths = _paths(session, waiting)
    printed = 0
    for view, path in islice(paths, limit):
        _print(session, session.shown(view), path, is_first=not printed, entering=entering)
        printed += 1
    # One path a match; with --all there may be more, and counting them would take as long as finding them.
    missing = sum(1 for _ in waiting) if limit is not None and printed == limit else 0
    if missing:
        least = "at least " if session.arguments.is_given("all") else ""
        session.remarks.show_message(f"{least}{missing:,} more paths not shown (--limit {limit}; all lifts it)")
    if not printed:
        session.remarks.show_message(_nothing(session, bool(matches)))
    return 0 if printed else NOTHING_FOUND


def _nothing(session: CommandSession, is_there: bool) -> str:
    """The reason why no path was printed. is_there: True if something has the name."""
    if not is_there:
        return f"no name contains {session.arguments.word!r}"
    return "no path is left" if session.arguments.is_given("cut") else "no path from a root"


def _matches(session: CommandSession) -> Sequence[tuple[View, int]]:
    """Nodes that the word refers to: one node of some view, or all with matching names."""
    word = session.arguments.word
    return [session.locate(word)] if is_reference(word) else nodes_named(session, prefers_whole=True)


def _paths(session: CommandSession, matches: Iterator[tuple[View, int]]) -> Iterator[tuple[View, Sequence[int]]]:
    """Yields the paths of each match, root first, with the view of their nodes."""
    report, wants_all = session.report, session.arguments.is_given("all")
    for view, node in matches:
        leading, shortest = explained_path(report, view, node)
        if len(shortest) and isinstance(leading, HasPaths):
            paths = leading.paths(shortest[-1])
            yield from ((leading, path) for path in islice(paths, None if wants_all else leading.default_path_count))
            continue
        found = view.references(node) if wants_all else None
        if found is not None and len(found.nodes):
            there = report.view(found.view)
            yield from ((there, there.path(each)) for each in found.nodes)
        elif len(shortest):
            yield leading, shortest


def _entering(session: CommandSession, matches: Sequence[tuple[View, int]]) -> View | None:
    """The view that shows where a group, or what a pattern with `*` matches, is entered from; None for other words."""
    report, word = session.report, session.arguments.word
    if session.arguments.is_given("all") or not matches:
        return None
    if is_reference(word):
        view = report.view(path_from_root(report, *matches[0]).view)
        return view if own_view(view).name == ENTERED_FROM else None
    if word.strip("*") == word or not isinstance(report, HasGraph):
        return None
    answer = report.view(ENTERED_FROM)
    cast("EnteringView", answer).ask(word)
    return answer


def _print_entering(session: CommandSession, view: View) -> int:
    """Prints totals, then sources with a path through each; `--limit` bounds the sources."""
    rows = view.tree
    limit = session.arguments.count("limit", DEFAULT_SOURCES)
    sources = [node for node in rows.children(0) if rows.row(node).kind != "group"]
    end = None if limit is None or limit >= len(sources) else sources[limit]
    for node, level in walk(rows):
        if node == end:
            break
        session.print_row(view, node, level)
    missing = 0 if limit is None else len(sources) - limit
    if missing > 0:
        session.remarks.show_message(f"{counted(missing, 'more source')} not shown (--limit {limit}; all lifts it)")
    return 0


def _print(session: CommandSession, view: View, path: Sequence[int], is_first: bool, entering: View | None) -> None:
    leading = own_view(view)
    root = leading.root_of_path(path) if isinstance(leading, HasPaths) else ""
    if session.output.is_json:
        rows = path_fields(view, path)
        fields: Fields = {"match": rows[-1], "path": rows}
        if root:
            fields["root"] = root
        if entering is not None and is_first:
            fields["entered_from"] = cast("EnteringView", own_view(entering)).entry_facts()
        session.output.json(fields)
        return
    if not is_first:
        session.output.line()
    if root:
        session.print_title(f"root: {root}")
    for level, node in enumerate(path):
        session.output.row(view, view.tree.row(node), level)
