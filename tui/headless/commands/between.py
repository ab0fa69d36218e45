"""`between`: all paths from one node to another as one small tree, or as a graph for another program."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from parsers.model.capabilities import HasGraph
from parsers.model.report import ReportError
from parsers.model.trees.tree import walk
from parsers.reporting.export.graph import FORMS, TABLES, safe_for_sheets
from tui.headless.commands.export import check_safe
from tui.headless.session import NOTHING_FOUND

if TYPE_CHECKING:
    from parsers.graph.views.between_view import BetweenView
    from tui.headless.session import CommandSession

VIEW = "Between"


def run(session: CommandSession) -> int:
    """Prints the tree; returns 1 if there is no path."""
    report = session.report
    if not isinstance(report, HasGraph):
        raise ReportError(f"{report.format_title}: has no graph to search for paths")
    form = session.arguments.text("to")
    check_safe(session, form, TABLES)
    view = cast("BetweenView", report.view(VIEW))
    most = session.arguments.count("limit", 0)
    ways = view.ask(session.arguments.before, session.arguments.word, 1 << 62 if most is None else most or None)
    session.remarks.show_message(view.summary())
    session.show_note(view.note)
    if not ways.steps:
        return NOTHING_FOUND
    if form is not None:
        from parsers.graph.graph_export import between

        write = FORMS.get(form)
        if write is None:
            raise ReportError(f"--to {form}: there are {', '.join(FORMS)} of ways")
        drawn = between(report.graph, ways)
        for piece in write(safe_for_sheets(drawn) if session.arguments.is_given("safe") else drawn):
            session.output.text(piece)
        return 0
    for node, level in walk(view.tree):
        session.print_row(view, node, level)
    return 0
