"""`diff`: rows added, removed and changed from an older report to a newer one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, cast

from parsers.model.capabilities import HasMembers
from parsers.model.report import ReportError
from parsers.model.row import counted
from parsers.model.trees.tree import walk
from parsers.reporting.comparison.compared_view import CHANGE
from tui.headless.json_row import node_fields
from tui.headless.shown import choose
from tui.screen.sanitise import safe
from tui.tree.column_text import number_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parsers.model.row import Unit
    from parsers.model.view import View
    from parsers.reporting.comparison.compared_report import ComparedReport
    from parsers.reporting.comparison.compared_view import ComparedView
    from parsers.reporting.comparison.lines import Change
    from tui.headless.session import CommandSession

EQUAL, DIFFERENT = 0, 1
SIGNS = {"added": "+", "removed": "-", "changed": " "}
SUMMARY = {
    "in both": "{} in both",
    "came": "{} added",
    "went": "{} removed",
    "moved": "{} rerouted",
    "moved along": "{} more rerouted with these",
    "names merged, old": "{} of the old names merged",
    "names merged, new": "{} of the new names merged",
}
"""Texts of the totals, by their names in facts and JSON."""


def run(session: CommandSession) -> int:
    """Prints a row for each difference; returns 1 if there is any. Of two builds all common reports are compared."""
    report = cast("ComparedReport", session.report)
    is_of_several = isinstance(report.new, HasMembers) and session.arguments.text("view") is None
    views = list(report.views) if is_of_several else [session.view]
    found = [_print_view(session, view, is_of_several) for view in views]
    for name, side in zip(report.only_in, ("old", "new"), strict=True):
        if name:
            session.remarks.show_message(f"only in the {side} report: {', '.join(name)}")
    return DIFFERENT if any(found) else EQUAL


def _print_view(session: CommandSession, view: View, is_one_of_several: bool) -> int:
    """Prints the differences in one view; returns the number of rows."""
    if is_one_of_several:
        with suppress(ReportError):
            choose(view, session.arguments.texts("switch"))
    differences, count = cast("ComparedView", view), view.row_count or 0
    if is_one_of_several and count:
        session.print_title(view.name)
    has_heading = bool(differences.summary and count) and not session.output.is_json
    if has_heading:
        session.output.line(safe(summary_text(differences.summary)))
    limit, depth = session.arguments.count("limit", -1), session.arguments.count("depth", -1)
    printed = 0
    has_via = any(column.name == "via" for column in view.columns)
    for node, level in islice(walk(view.tree, depth=depth), limit):
        printed += 1
        change = differences.change(node)
        if session.output.is_json:
            fields = {"change": change.change, "old": change.old, "new": change.new, "via": change.line.via}
            place = {"view": view.name} if is_one_of_several else {}
            session.output.json(node_fields(view, node) | fields | place)
        else:
            via = {"via": change.line.via} if has_via and change.line.via is not None else {}
            units = {column.name.removesuffix(CHANGE): column.unit for column in view.columns}
            row = replace(view.tree.row(node), badges=numbers_of(change, units) | via)
            session.output.row(view, row, level, f"{SIGNS[change.change]} ")
    session.output.flush()
    if differences.summary and not has_heading:
        session.remarks.show_message(f"{view.name}: {summary_text(differences.summary)}")
    for note in differences.notes:
        session.remarks.show_message(f"{view.name}: {note}")
    if printed < count:
        why = f"--limit {limit}" if printed == limit else f"--depth {depth}"
        session.remarks.show_message(f"{count - printed:,} of {counted(count, 'row')} not shown ({why}; all lifts it)")
    return count


def summary_text(summary: Mapping[str, int]) -> str:
    """The totals of a comparison in words, without those that are zero."""
    texts = (SUMMARY.get(name, f"{name} {{}}").format(f"{count:,}") for name, count in summary.items() if count)
    return ", ".join(texts) or "nothing in both"


def numbers_of(change: Change, units: Mapping[str, Unit]) -> dict[str, str]:
    """Present value of each number with its change, and the row's other badges. units: by name of a column"""
    names = dict.fromkeys([*(change.new or {}), *(change.old or {})])
    numbers = {}
    for name in names:
        new, difference = (change.new or {}).get(name, 0), change.difference(name)
        if units.get(name) == "ns":
            numbers[name] = f"{number_text(new, 'ns')} ({'' if difference < 0 else '+'}{number_text(difference, 'ns')})"
        else:
            numbers[name] = f"{new:,} ({difference:+,})"
    return numbers | {name: str(badge) for name, badge in change.line.badges.items()}
