"""`tree`: a tree or a part of it, row by row; and the first rows, if a browser was requested without a terminal."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from parsers.model.capabilities import Suppresses
from parsers.model.names.suggestion import suggestion
from parsers.model.report import ReportError
from parsers.model.row import counted
from parsers.model.trees.tree import walk
from parsers.model.view import View
from tui.headless.session import CUT
from tui.tree.column_text import sort_key

if TYPE_CHECKING:
    from tui.headless.session import CommandSession

DEPTH = 3
LIMIT = 10_000


def run(session: CommandSession) -> int:
    """Prints the rows; remarks the number of rows left out."""
    depth, limit = session.arguments.count("depth", DEPTH), session.arguments.count("limit", LIMIT)
    at = session.arguments.text("at")
    if session.cuts_nothing and session.view.name == CUT:
        return 0
    view, start = (session.view, None) if at is None else session.locate(at)
    shown = session.shown(view)
    closes = shown.closes
    order = _order(session, shown)
    total = shown.row_count if start is None else _rows_from(shown, start)
    rows = "unbounded" if total is None else counted(total, "row")
    roots = "" if start is not None or shown.root_count is None else f", {counted(shown.root_count, 'root')}"
    session.print_title(f"{shown.name}: {rows}{roots}")
    printed = cut = closed = 0
    for node, level in islice(walk(shown.tree, start, depth, order), limit):
        session.print_row(shown, node, level)
        printed += 1
        cut += level == depth and shown.tree.has_children(node)
        closed += bool(closes) and isinstance(shown, Suppresses) and shown.is_suppressed(node)
    if closed:
        session.remarks.show_message(f"closed: {closes} (--expand-types opens them)")
    if total is None:
        if limit is not None and printed >= limit:
            session.remarks.show_message(f"only the first {counted(printed, 'row')} shown (--limit all prints all)")
        elif cut:
            session.remarks.show_message(f"{cut:,} of these rows have more below them (--depth {depth}; all lifts it)")
    elif total > printed:
        deeper = f"--depth {depth}" if depth is not None else ""
        longer = f"--limit {limit}" if limit is not None and printed >= limit else ""
        why = ", ".join(part for part in (deeper, longer) if part)
        session.remarks.show_message(f"{total - printed:,} of {counted(total, 'row')} not shown ({why}; all lifts it)")
    return 0


def print_head(session: CommandSession, count: int) -> int:
    """Prints the first rows of the default view in the order of the file, without waiting for more than these.

    A browser was requested without a terminal, so a remark names the command for the rest.
    """
    preorder = session.view.tree.preorder
    is_short = preorder is None or (preorder.rows < count and not preorder.is_complete)
    if is_short or session.arguments.patterns:
        # Filters need a finished index.
        session.remarks.wait_for(session.report)
    shown = session.shown()
    rows = walk(shown.tree)
    for node, level in islice(rows, count):
        session.print_row(shown, node, level)
    if next(rows, None) is not None:
        session.remarks.show_message(
            f"the first {counted(count, 'row')}: `coffeetree tree` prints more, a terminal has a browser"
        )
    return 0


def _order(session: CommandSession, view: View) -> str | None:
    """The key that `--sort` names. Raises `ReportError` if the view has no such key."""
    wanted = session.arguments.text("sort")
    key = None if wanted is None else sort_key(view, wanted)
    if wanted is None or key is not None:
        return key
    there = suggestion(wanted.removeprefix("-"), view.orders)
    raise ReportError(f"{view.name} can't be sorted by {wanted!r}: {there}")


def _rows_from(view: View, node: int) -> int | None:
    """Number of rows of a node and all below it; None if unbounded."""
    below = view.tree.row(node).rows_below
    return None if below is None else below + 1
