"""`info`: the facts of a report, with every count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from parsers.model.capabilities import HasGraph, HasSiblingFiles
from parsers.model.names.ref_number import is_number_of
from parsers.model.row import counted
from parsers.reports.members import MembersReport
from tui.headless.json_row import Fields, problem_fields
from tui.headless.text_row import BOLD, DIM, MOST_ALIGNED
from tui.screen.facts import fact_text, flat
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from parsers.model.report import Report
    from parsers.model.view import View
    from tui.headless.session import CommandSession, Output


def run(session: CommandSession) -> int:
    """Prints one object, or its lines; with `--each` one for each report of a build."""
    reports: list[Report] = [session.report]
    if session.arguments.is_given("each") and isinstance(session.report, MembersReport):
        reports = [member.report for member in session.report.members if member.files]
    for number, report in enumerate(reports):
        fields = report_fields(report)
        if session.arguments.is_given("cut") and isinstance(report, HasGraph):
            fields["cuts"] = _cuts(report)
        if number and not session.output.is_json:
            session.output.line("")
        print_fields(session.output, fields, report.format_title)
    return 0


def _cuts(report: HasGraph) -> Fields:
    """The cuts, and the totals that become unreachable."""
    graph = report.graph
    effect = graph.cuts.effect
    unreachable, reached = len(effect.unreachable), int(effect.before.sum())
    return {
        "cut": [cut.label for cut in graph.cuts.marks],
        "of": graph.terms.vertices,
        "reached": reached,
        "gone": unreachable,
        "left": reached - unreachable,
    }


def report_fields(report: Report) -> dict[str, Any]:
    """All fields of `info` for a report with a finished index."""
    if isinstance(report, HasSiblingFiles):
        report.read_sibling_files()
    totals = dict(report.totals)
    return {
        "format": report.format,
        "format_version": report.format_version,
        "encoding": report.encoding,
        "line_end": report.line_end,
        "title": report.title,
        "bytes": report.size,
        "files": _files(report, totals),
        "facts": dict(report.facts),
        "views": [view_fields(view) for view in report.views],
        "totals": totals,
        "runs": [dict(run) for run in report.runs],
        "problems": [problem_fields(problem) for problem in report.problems],
        "problem_count": report.problem_count,
    }


def _files(report: Report, totals: dict[str, Any]) -> list[Fields]:
    """The files, each with its totals when read alone."""
    counted_each = report.file_totals
    each = [totals] * len(report.files) if counted_each is None else counted_each
    sizes = [of_file.get("bytes", report.size) for of_file in each]
    return [
        {"file": file, "bytes": size, "totals": dict(of_file)}
        for file, size, of_file in zip(report.files, sizes, each, strict=True)
    ]


MOST_CHOICES = 1_000
"""Choices of a switch that are listed; a damaged file may have a hundred thousand dumps."""


def view_fields(view: View) -> dict[str, Any]:
    """Size of a view, and the numbers of its rows; switches, with `more_choices` if some choices are left out."""
    columns = [{"name": column.name, "title": column.title, "unit": column.unit} for column in view.columns]
    switches = [
        {"name": switch.name, "title": switch.title, "choices": list(islice(switch.choices, MOST_CHOICES))}
        | ({"more_choices": more} if (more := len(switch.choices) - MOST_CHOICES) > 0 else {})
        | ({"typed": switch.typed} if switch.typed else {})
        for switch in view.switches
    ]
    sizes = {"rows": view.row_count, "roots": view.root_count}
    return {"name": view.name, **sizes, "columns": columns, "switches": switches}


def print_fields(output: Output, fields: dict[str, Any], format_title: str) -> None:
    """Prints the fields of one report: one JSON object, or its lines."""
    if output.is_json:
        output.json(fields)
        return
    line, paint = output.line, output.paint
    line(paint(safe(fields["title"]), BOLD))
    version = f" {fields['format_version']}" if fields["format_version"] else ""
    known = [word for word in (fields["encoding"], fields["line_end"]) if word and word != "none"]
    line(", ".join([f"{format_title}{version}", *known, counted(fields["bytes"], "byte")]))
    _print_facts(output, "", fields["facts"])
    _print_facts(output, "Totals", fields["totals"])
    _print_views(output, fields["views"])
    _print_facts(output, "Cuts", fields.get("cuts", {}))
    if fields["problem_count"]:
        line()
        line(f"{counted(fields['problem_count'], 'problem')}, on standard error")


def _print_facts(output: Output, title: str, facts: Mapping[str, object]) -> None:
    """Prints names and values in two columns."""
    given = ((name, value) for name, value in flat(facts.items()) if value not in ("", (), None))
    shown = [(name.replace("_", " "), name, value) for name, value in given]
    width = min(MOST_ALIGNED, max((len(text) for text, _, _ in shown), default=0))
    if shown and title:
        output.line()
        output.line(output.paint(title, BOLD))
    for text, name, value in shown:
        value = value if isinstance(value, tuple | bool) or not is_number_of(name) else str(value)
        output.line(f"{output.paint(safe(text).ljust(width), DIM)}  {fact_text(value, output.is_ascii)}")


def _print_views(output: Output, views: Sequence[Mapping[str, Any]]) -> None:
    """Prints the views: rows, roots, switches."""
    if not views:
        return
    lines = [("View", "Rows", "Roots", "Switches")]
    for view in views:
        rows, roots = ("unbounded" if view["rows"] is None else f"{view['rows']:,}"), view["roots"]
        names = ", ".join(switch["name"] for switch in view["switches"])
        lines.append((safe(view["name"]), rows, "" if roots is None else f"{roots:,}", names))
    output.line()
    output.table(lines, right=(1, 2))
