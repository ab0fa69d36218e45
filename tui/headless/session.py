"""The context of a command: the opened report, the arguments, and the outputs for answers and remarks."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import IO, TYPE_CHECKING

from parsers.model.capabilities import HasGraph, HasSwitches
from parsers.model.names.patterns import advice
from parsers.model.names.suggestion import suggestion
from parsers.model.report import ReportError
from parsers.model.view import View
from parsers.views.collection import chosen_for, places_of
from tui.command_line.registry import REFERENCES, command_named
from tui.headless.json_row import encode, node_fields
from tui.headless.row_table import RowTable
from tui.headless.shown import choose, suppress, suppresses_itself, suppressing
from tui.headless.text_row import BOLD, Painter, aligned
from tui.screen.sanitise import safe
from tui.terminal.ascii import ascii_text, is_ascii

if TYPE_CHECKING:
    from parsers.graph.graph_model import GraphModel
    from parsers.io.cache import Cache
    from parsers.model.report import Progress, Report
    from parsers.model.row import Row
    from tui.command_line.arguments import Arguments

NOTHING_FOUND = 1
"""Exit status of `find`, `refs` and `why` without results."""

CUT = "Cut"
"""The view that shows the effect of cuts."""

BAR = 24
"""Cells of the bar of progress."""


class Output:
    """Standard output: text or JSON, coloured only on a terminal with colours; ASCII marks without UTF-8."""

    def __init__(self, stream: IO[str], is_json: bool, environment: Mapping[str, str]) -> None:
        self._stream = stream
        self.is_json = is_json
        self.is_terminal = stream.isatty()
        can = self.is_terminal and environment.get("TERM", "dumb") != "dumb" and not environment.get("NO_COLOR")
        self.paint = Painter(can and not is_json)
        self.is_ascii = is_ascii(environment, stream)
        self._table = RowTable(self._write, self.paint, _width_of(stream), self.is_ascii)

    def line(self, text: str = "") -> None:
        """Writes a line whose texts are safe already."""
        self._table.line(text)

    def row(self, view: View, row: Row, depth: int, sign: str = "") -> None:
        """Writes a row of a view in columns, with headings before the first. `sign` precedes it."""
        self._table.add(view.name, view.columns, row, depth, sign)

    def table(self, lines: Sequence[Sequence[str]], right: Collection[int]) -> None:
        """Writes lines of safe cells in columns, the first one as headings. `right`: the columns of numbers"""
        for number, text in enumerate(aligned(lines, right)):
            self.line(text if number else self.paint(text, BOLD))

    def end_table(self) -> None:
        """Lets the next row begin with headings again."""
        self._table.end()

    def _write(self, text: str) -> None:
        self._stream.write((ascii_text(text) if self.is_ascii else text) + "\n")

    def text(self, text: str) -> None:
        """Writes text of a format with its own rules of safety."""
        self._stream.write(text)

    def bytes(self, data: bytes) -> None:
        """Writes bytes of a format that is no text."""
        self._stream.flush()
        self._stream.buffer.write(data)  # type: ignore[attr-defined]  # standard output is a text stream over bytes

    def json(self, fields: object) -> None:
        """Writes one JSON value as a line."""
        self._stream.write(encode(fields) + "\n")

    def answer(self, fields: object, text: str) -> None:
        """Writes a JSON value, or a line whose texts are safe already, which say the same."""
        if self.is_json:
            self.json(fields)
        else:
            self.line(text)

    def flush(self) -> None:
        """Writes buffered output."""
        self._table.flush()
        self._stream.flush()


class Remarks:
    """Standard error: messages, problems, and progress on a terminal."""

    def __init__(self, stream: IO[str], is_verbose: bool) -> None:
        self._stream = stream
        self._is_verbose = is_verbose
        self._progress = ""
        self._can_progress = stream.isatty()
        self._is_ascii = is_ascii(os.environ, stream)
        self.before: Callable[[], object] = lambda: None
        """Writes the answer so far, which precedes a message on a terminal."""

    def show_message(self, text: str) -> None:
        """Writes one line."""
        self.before()
        # A closed standard error is no reason to stop.
        with contextlib.suppress(OSError, ValueError):
            self._clear()
            self._stream.write((ascii_text(safe(text)) if self._is_ascii else safe(text)) + "\n")
            self._stream.flush()

    def detail(self, text: str) -> None:
        """Writes one line only with `-v`."""
        if self._is_verbose:
            self.show_message(text)

    def progress(self, progress: Progress) -> None:
        """Shows the progress of the index on one line, which is overwritten."""
        if progress.state not in ("unpacking", "indexing"):
            return
        if progress.stage:
            self.bar(f"{progress.state}: {progress.stage}", int(1000 * progress.share), 1000 if progress.share else 0)
        else:
            rate = f"  {progress.bytes_per_second / 1e9:.1f} GB/s" if progress.seconds > 0.2 else ""
            self.bar(progress.state, progress.done, progress.total, rate)

    def wait_for(self, report: Report) -> None:
        """Waits until a report is completely indexed, showing the progress. Raises `ReportError`."""
        report.wait(self.progress)
        self.done()

    def bar(self, work: str, done: int, total: int, after: str = "") -> None:
        """Shows the finished part of some work as a bar; without a total only its name."""
        if not total or not self._can_progress:
            self.show(f"{work}{after}")
            return
        full, empty = "#-" if self._is_ascii else "█░"
        cells = BAR * min(done, total) // total
        self.show(f"{work}  {full * cells}{empty * (BAR - cells)} {100 * min(done, total) // total:3} %{after}")

    def show(self, text: str) -> None:
        """Shows progress on one line, which is overwritten; only on a terminal."""
        if not self._can_progress or text == self._progress:
            return
        self._progress = text
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(f"\r\x1b[K{text}")
            self._stream.flush()

    def done(self) -> None:
        """Removes the progress line."""
        with contextlib.suppress(OSError, ValueError):
            self._clear()
            self._stream.flush()

    def _clear(self) -> None:
        if self._progress:
            self._progress = ""
            self._stream.write("\r\x1b[K")


@dataclass(eq=False)
class Invocation:
    """One run of the program without the browser: its words, the cache, and both outputs."""

    arguments: Arguments
    cache: Cache
    output: Output
    remarks: Remarks


class CommandSession(Invocation):
    """One running command on one report."""

    def __init__(self, invocation: Invocation, report: Report) -> None:
        super().__init__(invocation.arguments, invocation.cache, invocation.output, invocation.remarks)
        self.report = report
        self._shown: dict[str, View] = {}
        self._noted: set[str] = set()
        self.cuts_nothing = False
        """True if no pattern of `--cut` has a match."""

    @cached_property
    def view(self) -> View:
        """The requested view, else the first one. Raises `ReportError` for an unknown name."""
        name = self.arguments.text("view")
        if name is None and self.arguments.is_given("cut") and command_named(self.arguments.command).shows_cuts:
            name = CUT if self._graph is not None else None
        if name is None:
            return self.report.views[0]
        try:
            return self.report.view(name)
        except KeyError:
            there = suggestion(name, [view.name for view in self.report.views])
            why = self.report.why_not(name)
            problem = f"there is nothing for {name!r}: {why}" if why else f"no view is called {name!r}"
            raise ReportError(f"{problem}: {there}") from None

    def make_views(self) -> None:
        """Sets switches and patterns of the requested view and of the first one.

        Must precede any use of nodes: they are different afterwards.
        """
        choose(self.view, self.arguments.texts("switch"))
        self._cut()
        self.show_note(self.view.note)
        patterns = self.arguments.patterns
        for view in (self.view, self.report.views[0]) if any(patterns.values()) else ():
            if suppresses_itself(view):
                suppress(view, patterns)

    @property
    def _graph(self) -> GraphModel | None:
        """The graph of the report, if it has one."""
        return self.report.graph if isinstance(self.report, HasGraph) else None

    def _cut(self) -> None:
        """Applies `--cut`. Raises `ReportError` for a report without a graph."""
        patterns = self.arguments.text("cut")
        if patterns is None:
            return
        graph = self._graph
        if graph is None:
            raise ReportError(f"{self.report.format_title}: has no graph to cut")
        for missed in graph.cuts.cut(patterns):
            self.remarks.show_message(f"--cut {missed}: no match{advice(missed)}")
        self.cuts_nothing = not graph.cuts.marks
        self.show_note(graph.note)

    def show_note(self, note: str) -> None:
        """Prints a remark that concerns all answers of a view or graph, once; none if it is empty."""
        if note and note not in self._noted:
            self._noted.add(note)
            self.remarks.show_message(note)

    def shown(self, view: View | None = None) -> View:
        """The view to print, by default the requested one, without hidden rows."""
        view = view or self.view
        kept = self._shown.get(view.name)
        if kept is None:
            is_first = view is self.report.views[0] or view is self.view
            patterns = self.arguments.patterns if is_first else {}
            kept = self._shown[view.name] = suppressing(self.report, view, patterns, self.cache)
        return kept

    def locate(self, ref: str) -> tuple[View, int]:
        """The view and the node of a REF: in the requested view, else in the first that resolves it.

        If several nodes match, the first, with a remark. Raises `UnknownReference`.
        """
        views = [self.view] if self.arguments.text("view") else self.report.views
        if isinstance(self.view, HasSwitches):
            for name, choice in chosen_for(self.view, ref).items():
                self.view.choose(name, choice)
        view, nodes = places_of(views, ref)
        if len(nodes) > 1:
            self.remarks.show_message(f"{ref}: the first of {len(nodes):,} of that name")
        return view, nodes[0]

    def print_row(self, view: View, node: int, depth: int | None = None, owner: Row | None = None) -> None:
        """Prints one node. In text its label is indented by `depth` levels, or replaced by the owner, which refers."""
        if self.output.is_json:
            origin_fields = {} if owner is None else {"from": {"ref": owner.ref, "label": owner.label}}
            self.output.json(node_fields(view, node) | origin_fields)
        else:
            row = view.tree.row(node)
            if owner is not None:
                row = replace(row, label=f"from {owner.label}  {owner.ref}")
            self.output.row(view, row, depth or 0)

    def print_title(self, text: str) -> None:
        """Prints the line above an answer, with its totals; only as text."""
        if not self.output.is_json:
            self.output.line(self.output.paint(safe(text), BOLD))


def _width_of(stream: IO[str]) -> int:
    """Columns of a terminal; 0 for anything else, and if they are unknown."""
    with contextlib.suppress(OSError, ValueError):
        return os.get_terminal_size(stream.fileno()).columns
    return 0


def show_private(report: Report, arguments: Arguments) -> None:
    """Shows host names and paths of a report with `--private`, else hides them."""
    report.is_private_shown = arguments.is_given("private")


def is_reference(word: str) -> bool:
    """True if a word has the form of a REF."""
    return word.partition(":")[0] in REFERENCES and ":" in word
