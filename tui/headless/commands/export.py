"""`export`: a view in the format of another program, to a file or to standard output."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

from parsers.io.whole_file import whole_file
from parsers.model.capabilities import HasGraph, HasSamples
from parsers.model.names.suggestion import suggestion
from parsers.model.report import ReportError
from parsers.model.row import counted
from parsers.model.trees.tree import walk
from parsers.model.view import View
from parsers.reporting.export.graph import FORMS, TABLES, safe_for_sheets
from parsers.reporting.export.table import csv_lines
from tui.command_line.registry import TABLE_FORMATS, VERSION
from tui.headless.json_row import encode, node_fields

if TYPE_CHECKING:
    from tui.headless.session import CommandSession, Output

STANDARD_OUTPUT = "-"
Pieces = Iterable[str] | Iterable[bytes]
"""Output in pieces: all text, or all bytes."""


def run(session: CommandSession) -> int:
    """Writes the view; a remark explains its numbers."""
    name = session.arguments.text("to")
    if name in TABLE_FORMATS:
        from tui.headless.commands.export_tables import export_tables

        return export_tables(session)
    exporter = EXPORTERS.get(name or "")
    if exporter is None:
        asked = "export needs --to FORMAT" if name is None else f"--to {name}: no such format"
        raise ReportError(f"{asked}: {suggestion(name or '', [*EXPORTERS, *TABLE_FORMATS])}")
    check_safe(session, name, (*TABLES_OF_ROWS, *TABLES))
    path = session.arguments.word
    look_before(path, session.report.files, session.arguments.is_given("force"))
    write(session.output, exporter(session), path)
    return 0


def check_safe(session: CommandSession, form: str | None, tables: Sequence[str]) -> None:
    """Raises `ReportError` for `--safe` with a format that is not a table."""
    if session.arguments.is_given("safe") and form not in tables:
        raise ReportError(f"--safe quotes formulas of spreadsheets: it is of --to {', '.join(tables)}")


def is_same_file(one: str, other: str) -> bool:
    """True if two paths lead to one existing file."""
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)


def look_before(path: str, report: Sequence[str], is_forced: bool) -> None:
    """Refuses to overwrite a file unless forced; the report itself in any case."""
    if path == STANDARD_OUTPUT or not os.path.isfile(path):
        return
    if any(is_same_file(path, each) for each in report):
        raise ReportError(f"{path}: is the report itself: give another name")
    if not is_forced:
        raise ReportError(f"{path}: is there already: --force writes over it")


def write(output: Output, pieces: Pieces, path: str) -> None:
    """Writes a file completely or not at all; standard output and special files piece by piece."""
    if path == STANDARD_OUTPUT:
        for piece in pieces:
            output.bytes(piece) if isinstance(piece, bytes) else output.text(piece)
        return
    write_file(pieces, path)


def write_file(pieces: Pieces, path: str) -> None:
    """Writes a file completely or not at all; special files piece by piece. Raises `OSError`."""
    with whole_file(path) as stream:
        stream.writelines(map(encoded, pieces))


def encoded(piece: str | bytes) -> bytes:
    """Returns text as UTF-8."""
    return piece if isinstance(piece, bytes) else piece.encode("utf-8", "backslashreplace")


def choose_view(session: CommandSession) -> None:
    """Selects the view of the first profile for stacks if no view was requested."""
    if not session.arguments.is_given("view") and session.arguments.text("to") in PROFILES:
        session.view = next((view for view in session.report.views if isinstance(view, HasSamples)), session.view)


# -- profiles ---------------------------------------------------------------------------------------------------------


def _samples(session: CommandSession) -> tuple[HasSamples, int | None]:
    """The requested profile, by default the first one, and the node through which its stacks pass."""
    view = session.view
    if not isinstance(view, HasSamples):
        name = view.name if session.arguments.is_given("view") else "this report"
        raise ReportError(f"{name} is no profile: it can be exported as csv or json")
    at = session.arguments.text("at")
    return view, None if at is None else session.view.resolve(at)


def _collapsed(session: CommandSession) -> Iterator[str]:
    from parsers.reporting.export.collapsed import collapsed

    view, node = _samples(session)
    title, unit = view.sample_values()[0]
    session.remarks.show_message(f"{view.name}: weights are {'microseconds' if unit == 'ms' else title}")
    return collapsed(view.samples(node), unit, lambda count: _left_out(session, count, title))


def _speedscope(session: CommandSession) -> Iterator[str]:
    from parsers.reporting.export.speedscope import speedscope

    view, node = _samples(session)
    name = f"{session.report.title} {view.name}"
    return speedscope(
        name, view.sample_values(), view.samples(node), f"coffeetree {VERSION}", partial(_left_out, session)
    )


def _pprof(session: CommandSession) -> Iterator[bytes]:
    from parsers.reporting.export.pprof import pprof

    view, node = _samples(session)
    name = f"{session.report.title} {view.name}"
    return pprof(name, view.sample_values(), view.samples(node), f"coffeetree {VERSION}")


def _left_out(session: CommandSession, count: int, title: str) -> None:
    """Prints how many stacks an export lacks."""
    if count:
        session.remarks.show_message(f"{counted(count, 'stack')} with negative {title} left out: the format has none")


# -- tables and trees -------------------------------------------------------------------------------------------------


def _nodes(session: CommandSession) -> tuple[View, Iterator[tuple[int, int]]]:
    """The view, and its nodes with their depths below the starting nodes."""
    at = session.arguments.text("at")
    view, start = (session.view, None) if at is None else session.locate(at)
    depth, limit = session.arguments.count("depth", -1), session.arguments.count("limit", -1)
    if view.tree.preorder is None and depth is None:
        raise ReportError(f"{view.name} is unbounded: limit it by --depth N")
    shown = session.shown(view)
    return shown, islice(walk(shown.tree, start, depth), limit)


def _csv(session: CommandSession) -> Iterator[str]:
    view, nodes = _nodes(session)
    rows = ((view.tree.row(node), depth) for node, depth in nodes)
    return csv_lines(rows, view.columns, is_safe=session.arguments.is_given("safe"))


def _json(session: CommandSession) -> Iterator[str]:
    view, nodes = _nodes(session)
    texts = (encode({**node_fields(view, node), "depth": depth}) for node, depth in nodes)
    return chain(["["], (f"{',' if place else ''}\n{text}" for place, text in enumerate(texts)), ["\n]\n"])


# -- graphs -----------------------------------------------------------------------------------------------------------


def _graph(form: str) -> Callable[[CommandSession], Iterator[str]]:
    def write(session: CommandSession) -> Iterator[str]:
        from parsers.graph.graph_export import whole

        report = session.report
        if not isinstance(report, HasGraph):
            raise ReportError(f"{report.format_title}: has no graph, it can be exported as csv or json")
        session.show_note(report.graph.note)
        drawn = whole(report.graph)
        return FORMS[form](safe_for_sheets(drawn) if session.arguments.is_given("safe") else drawn)

    return write


EXPORTERS: dict[str, Callable[[CommandSession], Pieces]] = {
    "collapsed": _collapsed,
    "speedscope": _speedscope,
    "pprof": _pprof,
    "csv": _csv,
    "json": _json,
    **{form: _graph(form) for form in ("dot", "graphml", "nodes", "edges")},
}

TABLES_OF_ROWS = ("csv",)
"""Formats of rows that spreadsheets read."""

PROFILES = ("collapsed", "speedscope", "pprof")
"""Formats of stacks with weights."""
