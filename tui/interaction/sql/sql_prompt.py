"""The SQL prompt, with the schema above it; a query that runs; errors with their place; the result as a view."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING

from parsers.model.row import counted
from parsers.reporting.sql.database import MISSING
from tui.input.keys.keyboard import CommandError
from tui.interaction.prompts.prompt import Prompt, Purpose
from tui.interaction.sql.completion import completions
from tui.interaction.sql.queries import Queries
from tui.interaction.sql.schema import Schema, one_line, schema_of
from tui.interaction.sql.schema_list import row_of_word, schema_list
from tui.list.list_pane import FixedList, ListColumn, ListPane, PaneRow
from tui.screen.sanitise import safe
from tui.tree.piece import Piece

if TYPE_CHECKING:
    from parsers.reporting.sql.result_view import ResultView
    from parsers.runtime.worker.query_worker import QueryJob
    from tui.interaction.filters.filter_set import FilterSet
    from tui.interaction.navigation.places import Navigation
    from tui.interaction.report_screen import ReportScreen
    from tui.interaction.screen_interaction import ScreenInteraction
    from tui.interaction.viewing import Viewing

PATIENCE = 0.3
"""Seconds after which a running query is shown as such."""
FOLLOW_EVERY = 0.5
"""Seconds between two updates of a result that grows: the side pane needs a rest."""
STOPPED = "stopped"
CANNOT = "the query can't be run"


@dataclass(eq=False)
class SqlPrompt:
    """SQL in one browser."""

    browser: ReportScreen
    interaction: ScreenInteraction
    navigation: Navigation
    filters: FilterSet
    viewing: Viewing
    _schema: Schema = field(default_factory=Schema)
    _is_described: bool = False
    _pane: ListPane | None = None
    _prompt: Prompt | None = None
    _view: ResultView | None = None
    """The result of the query that runs, or ran last; None before it has columns."""
    _awaited: QueryJob | None = None
    """The query whose end is not handled yet."""
    _began: float = 0.0
    """Time of the start of the query."""
    _followed: float = 0.0
    """Time of the last rows that were shown."""

    @cached_property
    def queries(self) -> Queries:
        """The queries of the browser."""
        return Queries(self.browser, self._news)

    # -- the prompt ---------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Opens the prompt (`;`). Raises `CommandError` without DuckDB, or for a report without tables."""
        self._prepare()
        self._open_pane()
        self._open_prompt("")

    def _prepare(self) -> None:
        if find_spec("duckdb") is None:
            raise CommandError(MISSING)
        before = self.queries.schema
        self.queries.prepare()
        if self.queries.schema is not before:
            self._schema, self._is_described = Schema(), False

    def _open_pane(self) -> None:
        if not self._has_pane:
            self._pane = ListPane(self._list(""))
            self.browser.show_list(self._pane)

    def _open_prompt(self, text: str) -> None:
        purpose = Purpose(
            "SQL: ",
            accept=self._accept,
            change=self._change,
            cancel=self._close_pane,
            complete=self._completions,
            page=self._page,
            joined=one_line,
            history="sql",
            text=text,
        )
        self._prompt = self.interaction.open_prompt(purpose)
        self._show_schema()

    @property
    def _has_pane(self) -> bool:
        """True if the pane of the schema is shown on top."""
        return self._pane is not None and self.browser.pane is self._pane

    def _close_pane(self) -> None:
        if self._has_pane:
            self.browser.close_pane()
        self._pane = self._prompt = None

    def _list(self, query: str) -> FixedList:
        schema = self.queries.schema
        waits = "" if schema is None else schema.wrong or schema.error or schema.says or "reading the tables …"
        return schema_list(self._schema, query, self._insert, waits)

    def _show_schema(self) -> None:
        """Shows the tables for the text of the prompt."""
        if self._pane is None or self._prompt is None:
            return
        text = self._prompt.text
        source = self._list(text)
        self._pane.refill(source)
        self._pane.move_to_row(row_of_word(source, text[: self._prompt.line.cursor]))

    def _change(self, text: str) -> None:
        if self._prompt is not None:
            self._prompt.purpose.status = []
        self._show_schema()

    def _completions(self, before: str) -> list[str]:
        query = before if self._prompt is None else self._prompt.text
        return completions(before, query, self._schema)

    def _insert(self, name: str) -> None:
        if self._prompt is not None and self.interaction.prompt is self._prompt:
            self._prompt.edit(lambda line: line.insert(name))

    def _page(self, direction: int) -> None:
        if self._pane is not None:
            self._pane.page(direction)

    # -- queries ------------------------------------------------------------------------------------------------------

    def _accept(self, text: str) -> None:
        self._prompt = None
        if not text.strip():
            self._close_pane()
            return
        self.run(text)

    def run(self, query: str) -> None:
        """Runs a query. Raises `CommandError` as `open` does."""
        self._prepare()
        self.interaction.setup.typed.add("sql", query)
        if self.queries.is_running and self._view is not None and self.queries.job is not None:
            self._view.follow(self.queries.job.count, True, STOPPED)
        self.queries.run(query)
        self._awaited, self._view, self._began = self.queries.job, None, time.monotonic()

    def stop(self) -> bool:
        """Stops the running query (Esc); without rows yet the prompt is opened again. False: none was running."""
        if not self.queries.stop():
            return False
        self._news()
        return True

    def reopened(self) -> None:
        """Handles a report that was read again: the results stay, as they were."""
        self.queries.reopened()
        self._awaited = None

    # -- news ---------------------------------------------------------------------------------------------------------

    def _news(self) -> None:
        schema, job = self.queries.schema, self._awaited
        if schema is not None and schema.has_ended and not self._is_described:
            self._is_described = True
            self._schema = schema_of(schema.tables, schema.functions, schema.reserved)
        if self._pane is not None and not self._pane.row_count:
            self._show_schema()
        if job is not None:
            self._query_news(job)

    def _query_news(self, job: QueryJob) -> None:
        is_showable = job.has_columns and (job.count or job.is_done) and not (job.wrong and not job.count)
        if self._view is None and is_showable and self.interaction.prompt is None:
            self._show_result(job)
        elif self._view is not None and time.monotonic() - self._followed > FOLLOW_EVERY:
            self._follow(job, "")
        if job.has_ended:
            self._finish(job)
        elif time.monotonic() - self._began > PATIENCE:
            waits = f": {job.says}" if job.says else ""
            rows = f", {counted(job.count, 'row')}" if job.count else ""
            seconds = int(time.monotonic() - self._began)
            self.browser.show_message(f"The query runs{waits}, {seconds} s{rows}. Esc stops it.")

    def _finish(self, job: QueryJob | None) -> None:
        """Handles the end of a query."""
        if job is None or self._awaited is not job:
            return
        self._awaited = None
        wrong = job.wrong or job.error or ("" if job.is_done else STOPPED)
        if self._view is not None:
            self._follow(job, job.cut or wrong.partition("\n")[0])
            note = self._view.note
            self.browser.show_message(note or "", "problem" if wrong else "information")
        elif wrong == STOPPED and self.interaction.prompt is None:
            self._open_pane()
            self._open_prompt(job.query)
            self.browser.show_message("The query was stopped.")
        elif wrong:
            self._show_error(job.query, wrong)
        else:
            view = self.queries.add_result(job)
            view.follow(job.count, True, job.cut)
            self.browser.show_message(f"{counted(job.count, 'row')}: {view.name}  (v)")

    def _follow(self, job: QueryJob, cut_because: str) -> None:
        assert self._view is not None
        self._view.follow(job.count, job.has_ended, cut_because)
        self._followed = time.monotonic()
        if self.browser.view.name == self._view.name:
            self.browser.progressed()

    def _show_result(self, job: QueryJob) -> None:
        view = self._view = self.queries.add_result(job)
        view.follow(job.count, job.is_done, job.cut)
        self._close_pane()
        self.viewing.show_view(view.name)
        dropped = self.queries.drop_oldest()
        if dropped:
            self.navigation.jumps.renewed(dropped, lambda node: None)
            self.filters.forget(dropped)
            if self.browser.previous_view is not None and self.browser.previous_view.name == dropped:
                self.browser.previous_view = None

    def _show_error(self, query: str, wrong: str) -> None:
        """Opens the prompt again with the query, with the cursor at the place of its error."""
        lines = wrong.splitlines()
        if self.interaction.prompt is not None:
            self.browser.show_message(lines[0], "problem")
            return
        self.browser.show_message("")
        self._open_pane()
        self._open_prompt(query)
        assert self._pane is not None and self._prompt is not None
        roles = ["problem", *["text"] * len(lines)]
        rows = [PaneRow(([Piece(safe(line), role)],)) for line, role in zip(lines, roles, strict=False)]
        self._pane.refill(FixedList(CANNOT, (ListColumn(""),), rows, keys=(("Esc", "back"),)))
        self._pane.move_to_row(0)
        place = place_of_error(query, lines)
        if place is not None:
            self._prompt.line.cursor = place
        self._prompt.refresh()


def place_of_error(query: str, lines: list[str]) -> int | None:
    """The character of a query of one line that a message of DuckDB marks: a line of it, perhaps cut, and a mark."""
    for line, mark in pairwise(lines):
        if not line.startswith("LINE ") or not mark.strip().startswith("^"):
            continue
        start = line.index(": ") + 2
        shown, at = line[start:], mark.index("^") - start
        if shown.startswith("..."):
            shown, at = shown[3:], at - 3
        found = query.find(shown.removesuffix("..."))
        return found + at if found >= 0 and at >= 0 else None
    return None
