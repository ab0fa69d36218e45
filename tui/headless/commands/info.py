"""`info`: the facts of a report, with every count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from parsers.model.capabilities import HasFileTotals, HasRunFacts, HasSiblingFiles
from parsers.reports.members import MembersReport
from tui.headless.json_row import problem_fields
from tui.headless.text_row import BOLD, DIM
from tui.screen.sanitise import safe
from tui.settings.pairs import is_pairs

if TYPE_CHECKING:
    from parsers.model.report import Report, View
    from tui.headless.session import CommandSession, Output


def run(session: CommandSession) -> int:
    """Prints one object, or its lines; with `--each` one for each report of a build."""
    reports: list[Report] = [session.report]
    if session.arguments.is_given("each") and isinstance(session.report, MembersReport):
        reports = [member.report for member in session.report.members if member.files]
    for number, report in enumerate(reports):
        fields = report_fields(report)
        if session.arguments.is_given("cut"):
            fields["cuts"] = _cuts(report)
        if number and not session.output.is_json:
            session.output.line("")
        print_fields(session.output, fields, report.format_title)
    return 0


def _cuts(report: Any) -> dict[str, Any]:
    """The cuts, and the totals that become unreachable."""
    graph = report.graph
    effect = graph.cuts.effect
    unreachable, reached = len(effect.unreachable), int(effect.before.sum())
    marks = [cut.label for cut in graph.cuts.marks]
    return {
        "cut": marks,
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
        "runs": [dict(run) for run in report.runs] if isinstance(report, HasRunFacts) else [],
        "problems": [problem_fields(problem) for problem in report.problems],
        "problem_count": report.problem_count,
    }


def _files(report: Report, totals: dict[str, Any]) -> list[dict[str, Any]]:
    """The files, each with its totals when read alone."""
    each = report.file_totals if isinstance(report, HasFileTotals) else [totals] * len(report.files)
    sizes = [of_file.get("bytes", report.size) for of_file in each]
    return [
        {"file": file, "bytes": size, "totals": dict(of_file)}
        for file, size, of_file in zip(report.files, sizes, each, strict=True)
    ]


def view_fields(view: View) -> dict[str, Any]:
    """Size of a view, and the numbers of its rows."""
    columns = [{"name": column.name, "title": column.title, "unit": column.unit} for column in view.columns]
    switches = [
        {"name": switch.name, "title": switch.title, "choices": list(switch.choices)}
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
    known = [word for word in (fields["encoding"], fields["line_end"]) if word]
    line(", ".join([f"{format_title}{version}", *known, f"{fields['bytes']:,} bytes"]))
    for name, value in _facts(fields["facts"]):
        line(f"{paint(f'{safe(name):22}', DIM)} {_value(value)}")
    if fields["views"]:
        line("")
        line(paint("Views", BOLD))
    for view in fields["views"]:
        rows = "without end" if view["rows"] is None else f"{view['rows']:,} rows"
        roots = "" if view["roots"] is None else f", {view['roots']:,} roots"
        name = f"{view['name']:22}"
        names = ", ".join(switch["name"] for switch in view["switches"])
        line(f"{paint(name, DIM)} {rows}{roots}{f'; switches: {names}' if names else ''}")
    if fields["totals"]:
        line("")
        line(paint("Totals", BOLD))
    for name, value in fields["totals"].items():
        line(f"{paint(f'{safe(name):22}', DIM)} {_value(value)}")
    if "cuts" in fields:
        line("")
        line(paint("Cuts", BOLD))
        for name, value in fields["cuts"].items():
            line(f"{paint(f'{name:22}', DIM)} {_value(value)}")
    if fields["problem_count"]:
        line("")
        line(f"{fields['problem_count']:,} problems, on standard error")


def _facts(facts: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yields a name and a value for each line; facts of several runs have a line for each fact of each run."""
    for name, value in facts.items():
        if isinstance(value, list) and value and all(_has_lists(each) for each in value):
            for number, each in enumerate(value, 1):
                yield from ((f"{name} {number} {inner}", fact) for inner, fact in each.items())
        elif value != {}:
            yield name, value


def _has_lists(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(each, list) for each in value.values())


def _value(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, dict):
        return ", ".join(f"{safe(str(name))} {_value(each)}" for name, each in value.items())
    if is_pairs(value):
        return ", ".join(f"{safe(key)}={safe(each)}" for key, each in value)
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_value, value))
    return safe(str(value))
