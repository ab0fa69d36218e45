"""Copies, prints and files of a row: the row itself, its name, its path, the branch below it.

Texts for the clipboard and the screen are made printable; only a file (`:w`) gets the report's own characters.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from parsers.io.whole_file import whole_file
from parsers.model.capabilities import StoresRows
from parsers.model.row import Row, counted, value_in
from parsers.model.view import UnknownReference, View
from parsers.reporting.export.table import csv_rows
from tui.headless.json_row import Fields, row_fields
from tui.input.keys.keyboard import CommandError
from tui.interaction.target import place_of, row_pane
from tui.screen.sanitise import safe
from tui.tree.row_text import kind_sign, plain_columns, plain_row
from tui.tree.tree_view import TreeView

if TYPE_CHECKING:
    from tui.interaction.filters.prompts import FilterPrompts
    from tui.interaction.navigation.marking import Marking
    from tui.interaction.report_screen import ReportScreen
    from tui.interaction.screen_interaction import ScreenInteraction

MOST_BRANCH = 5_000
"""Maximum rows of a branch that are copied or printed; `:w` writes all."""

SAFE = "--safe"
"""Option of `:w`: texts of a table that spreadsheets would run as formulas are escaped."""

SUFFIXES = (".txt", ".text", ".csv", ".json", ".collapsed")

Step = tuple[int, Row]
"""A row and its depth of indentation."""


@dataclass(eq=False)
class Yank:
    """Copying in one browser."""

    browser: ReportScreen
    interaction: ScreenInteraction
    marking: Marking
    filter_prompts: FilterPrompts

    def copy(self, what: str) -> None:
        """Sends a text to the terminal's clipboard."""
        text, more = self.text(what)
        sent: str = self.browser.app.copy(text)
        lines = text.count("\n")
        size = f"{what}, {counted(lines + 1, 'line')}" if lines else text
        # The copied text is shortened, never its destination.
        self.browser.show_message(f"{sent}: {size}{more}")

    def print(self, what: str) -> None:
        """Shows a text on the normal screen, where the terminal's own selection can copy it."""
        text, more = self.text(what)
        if not self.browser.app.print_and_wait(text + more):
            raise CommandError("No normal screen to print to. y copies, :w writes to a file.")

    def text(self, what: str) -> tuple[str, str]:
        """The printable text to copy, and its description."""
        if what == "tagged rows":
            return "\n".join(plain_row(row, 0, self._kind(row), view) for view, row in self._tagged()), ""
        if what == "pattern":
            pattern = self.filter_prompts.proposal("suppress")[1]
            if not pattern:
                raise CommandError("No pattern for this row.")
            return safe(pattern), ""
        view, node = place_of(self.browser)
        row = view.tree.row(node)
        if what == "branch":
            return self._branch_text(view, node)
        if what in ("path", "stack trace"):
            return self._path_text(view, node, what), ""
        return {
            "row": lambda: plain_row(row, 0, self._kind(row), view),
            "name": lambda: safe(name_of(row)),
            "signature": lambda: safe(row.label),
            "REF": lambda: safe(row.ref),
        }[what](), ""

    def _branch_text(self, view: View, node: int) -> tuple[str, str]:
        lines: list[str] = []
        more = ""
        for depth, row in self._branch(view, node):
            if len(lines) == MOST_BRANCH:
                more = f"  (the first {MOST_BRANCH:,} rows: :w writes all)"
                break
            lines.append(plain_row(row, depth, self._kind(row), view))
        return "\n".join(lines), more

    def _path_text(self, view: View, node: int, what: str) -> str:
        rows = [view.tree.row(step) for step in self._path(view, node)]
        if what == "path":
            return "\n".join(plain_row(row, depth, self._kind(row), view) for depth, row in enumerate(rows))
        return "\n".join(f"    at {safe(frame)}" for frame in frames(rows))

    def _path(self, view: View, node: int) -> Sequence[int]:
        """The path in the pane with the cursor: in `why` the path shown there."""
        pane = row_pane(self.browser)
        shown = pane.view if isinstance(pane, TreeView) else None
        return (shown or view).path(node)

    def _kind(self, row: Row) -> str:
        return kind_sign(self.browser.report, row, self.interaction.options.ascii)

    def _branch(self, view: View, node: int) -> Iterator[Step]:
        """The rows below a node as shown: without those inside closed nodes."""
        pane = row_pane(self.browser)
        outline = pane.outline if isinstance(pane, TreeView) else None
        first = None if outline is None else outline.row_of(node)
        if outline is None or first is None:
            yield 0, view.tree.row(node)
            return
        depth = outline.depth(node)
        for number in range(first, len(outline)):
            each = outline.node_at(number)
            deeper = outline.depth(each) - depth
            if number > first and deeper <= 0:
                return
            yield deeper, view.tree.row(each)

    def _tagged(self) -> list[tuple[View, Row]]:
        rows = []
        for tag in self.marking.marks.tags:
            try:
                view, node = self.marking.locate_mark(tag)
            except UnknownReference:
                continue
            rows.append((view, view.tree.row(node)))
        if not rows:
            raise CommandError("No tagged rows. t tags a row.")
        return rows

    # -- files --------------------------------------------------------------------------------------------------------

    def write(self, file: str) -> None:
        """Writes the tagged rows, else the branch, else all rows of a result, in the format of the suffix (`:w`).

        `--safe` before the name of a table escapes formulas, as it does for the headless exports.
        """
        is_safe = file.startswith(f"{SAFE} ")
        file = file.removeprefix(SAFE).lstrip() if is_safe else file
        path = os.path.expanduser(file)
        suffix = os.path.splitext(path)[1].lower()
        if suffix not in SUFFIXES:
            raise CommandError(f"{safe(file)}: the name must end in {', '.join(SUFFIXES)}")
        if is_safe and suffix != ".csv":
            raise CommandError(f"{SAFE} quotes formulas of spreadsheets: the name must end in .csv")
        if os.path.isdir(path):
            raise CommandError(f"{safe(file)} is a folder")
        if os.path.exists(path):
            self.interaction.ask(f"{safe(file)} exists: overwrite?", lambda: self._write(path, suffix, is_safe))
        else:
            self._write(path, suffix, is_safe)

    def _write(self, path: str, suffix: str, is_safe: bool) -> None:
        tags, view = self.marking.marks.tags, self.browser.view
        if not tags and isinstance(view, StoresRows) and self.browser.pane is not self.browser.detail:
            self._write_result(path, suffix, view, is_safe)
            return
        if tags:
            steps = iter([(0, row) for _, row in self._tagged()])
        else:
            view, node = place_of(self.browser)
            steps = self._branch(view, node)
        try:
            count = write_texts(path, written(steps, suffix, view, is_safe))
        except OSError as error:
            self.browser.show_message(f"{safe(path)}: {error.strerror or error}", "problem")
            return
        what = counted(count, "tagged row") if tags else f"{counted(count, 'row')} of the branch"
        self.browser.show_message(f"{what} written to {safe(path)}")

    def _write_result(self, path: str, suffix: str, stored: StoresRows, is_safe: bool) -> None:
        """Writes all rows of a result, perhaps very many, in a thread."""
        from tui.interaction.sql.result_file import shown_rows, written_values

        nodes = shown_rows(self.browser.tree_view)
        if suffix in (".csv", ".json"):
            texts = written_values(nodes, suffix, stored, is_safe)
        else:
            view = self.browser.view
            texts = written(((0, view.tree.row(node)) for node in nodes), suffix, view, is_safe)
        self.browser.app.run_worker(self._write_later(path, texts))

    async def _write_later(self, path: str, texts: Iterator[str]) -> None:
        try:
            count = await self.browser.app.work.start(write_texts, path, texts)
        except OSError as error:
            self.browser.show_message(f"{safe(path)}: {error.strerror or error}", "problem")
        else:
            self.browser.show_message(f"{counted(count, 'row')} written to {safe(path)}")


def write_texts(path: str, texts: Iterator[str]) -> int:
    """Writes a file completely or not at all; returns the number of texts. Raises `OSError`."""
    count = 0
    with whole_file(path) as out:
        for text in texts:
            out.write(text.encode("utf-8", "replace"))
            count += 1
    return count


def written(steps: Iterator[Step], suffix: str, view: View, is_safe: bool) -> Iterator[str]:
    """Rows in the format of a suffix, one text a row."""
    if suffix == ".csv":
        yield from _csv(steps, view, is_safe)
    elif suffix == ".json":
        for depth, row in steps:
            yield json.dumps(row_object(row, depth), ensure_ascii=False) + "\n"
    elif suffix == ".collapsed":
        yield from _collapsed(steps)
    else:
        for depth, row in steps:
            yield f"{'  ' * depth}{one_line(row.label)}{plain_columns(row, view)}\n"


def _csv(steps: Iterator[Step], view: View, is_safe: bool) -> Iterator[str]:
    from tui.interaction.sql.result_file import with_heads

    heads = ["depth", "kind", "label", "ref", *(column.name for column in view.columns)]
    rows = (
        [depth, row.kind, row.label, row.ref, *(value_in(row, column) for column in view.columns)]
        for depth, row in steps
    )
    yield from with_heads(chain(csv_rows([heads], line_end="\n"), csv_rows(rows, is_safe=is_safe, line_end="\n")))


def _collapsed(steps: Iterator[Step]) -> Iterator[str]:
    """Each row as its path, parts separated by `;`, and 1: the input of flame graph programs."""
    path: list[str] = []
    for depth, row in steps:
        del path[depth:]
        path.append(one_line(row.label).replace(";", ":"))
        yield f"{';'.join(path)} 1\n"


def row_object(row: Row, depth: int) -> Fields:
    """A row as the headless commands print it, as far as a branch has its data."""
    fields = row_fields(row, row.offset, 0) | {"depth": depth}
    del fields["children"]
    return fields


def one_line(text: str) -> str:
    """A text without line ends."""
    return text.replace("\r", " ").replace("\n", " ")


def name_of(row: Row) -> str:
    """The name without arguments and result."""
    parts = [span for span in row.spans if span.role in ("package", "class", "name")]
    return row.label[parts[0].start : parts[-1].end] if parts else row.label


def frames(rows: Sequence[Row]) -> Iterator[str]:
    """A path as frames of a stack trace, innermost first, each with the place from which the path continues.

    Only rows with an id are frames: a call with several possible methods is not one itself.
    """
    place = ""
    for row in reversed(rows):
        if row is rows[-1] or row.badges.get("id") is not None or row.badges.get("id_ref") is not None:
            yield name_of(row) + (f"({place})" if place else "")
            place = ""
        bci = row.badges.get("bci")
        place = f"bci {bci}" if bci is not None else place
