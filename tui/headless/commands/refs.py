"""`refs`: all references to an object or method."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from parsers.model.report import ReportError
from parsers.model.row import counted
from parsers.model.trees.reference_owner import owner_of
from parsers.model.view import UnknownReference
from tui.headless.session import NOTHING_FOUND, is_reference

if TYPE_CHECKING:
    from tui.headless.session import CommandSession


def run(session: CommandSession) -> int:
    """Prints a row for each reference; returns 1 if there are none."""
    ref, limit = session.arguments.word, session.arguments.count("limit", -1)
    if not is_reference(ref):
        raise ReportError(f"{ref!r} is no REF: such as line:N, id:N, method:NAME, class:NAME or name:TEXT")
    try:
        view, node = session.locate(ref)
    except UnknownReference as error:
        session.remarks.show_message(f"coffeetree: {error.args[0]}")
        return NOTHING_FOUND
    found = view.references(node)
    shown = session.shown(session.report.view(found.view))
    count = len(found.nodes)
    if count:
        session.print_title(f"{counted(count, 'reference')} to {view.tree.row(node).label}")
    for each in islice(found.nodes, limit):
        owner = None if found.have_labels else owner_of(shown.tree, each)[0]
        session.print_row(shown, each, owner=owner if owner is not None and owner.node != each else None)
    if limit is not None and count > limit:
        session.remarks.show_message(
            f"{count - limit:,} of {count:,} references not shown (--limit {limit}; all lifts it)"
        )
    if not count:
        session.remarks.show_message("nothing points to it")
    return 0 if count else NOTHING_FOUND
