"""Facts as rows of a list: a name and a value each."""

from __future__ import annotations

from parsers.model.report import View
from tui.list.list_pane import PaneRow
from tui.screen.facts import fact_text
from tui.screen.sanitise import safe
from tui.tree.piece import Piece

WIDEST_FACT = 24


def rows_of(view: View) -> int | str | None:
    """Number of rows of a view; None while it is unknown, or the view is not prepared."""
    if not view.is_ready or not view.is_prepared:
        return None
    return "no end" if view.row_count is None else view.row_count


def fact_row(name: str, value: object, is_ascii: bool = False) -> PaneRow:
    """Row of a name and a value: numbers grouped in thousands, a series as a small chart."""
    return PaneRow(([Piece(safe(name.replace("_", " ")), "label")], fact_text(value, is_ascii)))
