"""`show`: one node with its row, its path from the root, its sections, and its links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.headless.json_row import link_fields, node_fields, path_fields, section_fields
from tui.headless.text_row import BOLD, DIM, section_lines
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from parsers.model.view import View
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
    row = view.tree.row(node)
    line(f"{paint(safe(row.kind), BOLD)} {safe(row.label)}")
    line(paint(safe(row.ref), DIM))
    line()
    for level, above in enumerate(view.path(node)):
        session.output.row(view, view.tree.row(above), level)
    for section in view.sections(node):
        line()
        for text in section_lines(paint, section):
            line(text)
    links = view.links(node)
    if links:
        line("")
        line(paint("Links", BOLD))
    for link in links:
        line(f"  {safe(link.label)}  {paint(safe(link.ref), DIM)}{f'  ({link.view})' if link.view else ''}")
