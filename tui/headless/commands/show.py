"""`show`: one node with its row, its path from the root, its sections, and its links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.headless.json_row import link_fields, node_fields, path_fields, section_fields
from tui.headless.text_row import BOLD, DIM, row_line, section_line
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from parsers.model.report import View
    from tui.headless.session import CommandSession


def run(session: CommandSession) -> int:
    """Prints one object, or its lines."""
    view, node = session.locate(session.arguments.word)
    view = session.shown(view)
    if session.output.is_json:
        session.output.json(
            {
                "row": node_fields(view, node),
                "path": path_fields(view, view.path(node)),
                "sections": [section_fields(section) for section in view.sections(node)],
                "links": [link_fields(link) for link in view.links(node)],
            }
        )
    else:
        _print(session, view, node)
    return 0


def _print(session: CommandSession, view: View, node: int) -> None:
    line, paint = session.output.line, session.output.paint
    line(row_line(paint, view.tree.row(node)))
    line("")
    line(paint("Path", BOLD))
    for level, above in enumerate(view.path(node)):
        line(row_line(paint, view.tree.row(above), level))
    for section in view.sections(node):
        line("")
        line(paint(safe(section.title), BOLD))
        for row in section.rows:
            line(f"  {section_line(paint, row)}")
        if section.more:
            line(paint(f"  … and {section.more:,} more", DIM))
    links = view.links(node)
    if links:
        line("")
        line(paint("Links", BOLD))
    for link in links:
        line(f"  {safe(link.label)}  {paint(safe(link.ref), DIM)}{f'  ({link.view})' if link.view else ''}")
