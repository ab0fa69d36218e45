"""The state that commands need besides the browser's screen: one object a browser, delegating to its parts.

Jumps, marks, search, filters, lists and copying are modules of their own; this one connects them to the screen.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.model.capabilities import HasRowSeparator, HasSource, HidesRows
from parsers.model.report import Document, Report, Row, UnknownReference, View
from parsers.views.collection import family_of, own_view, owner_of, view_names
from tui.input.keys.keyboard import CommandError
from tui.interaction.filters.filtering import Filtering
from tui.interaction.filters.prompts import FilterPrompts
from tui.interaction.navigation.marking import Marking
from tui.interaction.navigation.next_row import Movement
from tui.interaction.navigation.places import Navigation
from tui.interaction.panes import TreePane
from tui.interaction.screen_interaction import ScreenInteraction, Setup
from tui.interaction.search.searching import Search
from tui.interaction.target import place_of
from tui.interaction.viewing import Viewing
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from parsers.query.search.pattern import Pattern
    from parsers.query.selection.selection import Filters
    from parsers.runtime.worker.job import FindJob, Job, SelectJob
    from parsers.runtime.worker.worker import Worker
    from tui.input.keys.registry import Command
    from tui.interaction.cutting import Cutting
    from tui.interaction.prompts.lists import Lists
    from tui.interaction.report_screen import ReportScreen
    from tui.interaction.yank import Yank

STRIP_SECONDS = 0.25
"""Seconds between two updates of the match positions during a search."""

SLICE_SECONDS = 0.006
"""Maximum seconds for which a search for a row blocks the event loop at a time."""


class Interaction(ScreenInteraction):
    """The state of commands of one browser."""

    context = "browser"

    def __init__(self, browser: ReportScreen, setup: Setup, patterns: Mapping[str, str] | None = None) -> None:
        super().__init__(browser, setup)
        self.browser = browser
        self.places = Navigation(self)
        self.search = Search(self)
        first = browser.report.views[0].name
        self._filters = {first: Filtering(self, first, patterns)}
        self.walking = Movement(self)
        self.marking = Marking(self)
        self.viewing = Viewing(self)
        self.filter_prompts = FilterPrompts(self)
        self.keyboard.before = lambda command: self.search.stay()
        self.keyboard.letters_of = self._letters_of
        self._strip_at = 0.0
        self.names_wanted: Callable[[list[Job]], object] | None = None
        """Receiver of names while they are typed."""
        self._unreported: set[int] = set()
        """Identities of reports whose workers do not know yet that the index is finished."""

    def _letters_of(self, command: Command) -> Sequence[tuple[str, str]]:
        return self.viewing.letters() if command.name == "format-filter" else ()

    # -- life ----------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Starts when the browser is on the screen."""
        tree = self.browser.tree_view
        tree.marks_of = self.marking.sign_of
        tree.viewport.margin = self.options.scrolloff
        self.apply_options([name for name in ("number", "percent", "follow") if getattr(self.options, name)])
        if self.setup.wrong:
            more = f"  (+{len(self.setup.wrong) - 1} more, see :help)" if len(self.setup.wrong) > 1 else ""
            self.browser.show_message(f"{self.setup.wrong[0]}{more}", "problem")
        if not self.filters.state.is_empty:
            self.filters.apply()

    def stop(self) -> None:
        """Stops when the browser is closed."""
        self.walking.stop_looking()
        self._close_workers()

    def _close_workers(self) -> None:
        for worker in self.browser.search_workers.values():
            worker.close()
        self.browser.search_workers.clear()
        self._unreported.clear()

    def reopened(self) -> None:
        """Discards matches and selections of the old report after the files were read again."""
        self.walking.forget()
        self.search.clear()
        self._close_workers()
        self.marking.forget()
        there = view_names(self.browser.report.views)
        self._filters = {name: filters for name, filters in self._filters.items() if name in there}
        self.places.jumps.retain_views(there)
        for filters in self._filters.values():
            filters.refresh()

    def renewed(self, places: Callable[[int], int | None]) -> None:
        """Handles a rebuilt view; `places` maps its earlier nodes to the new ones."""
        self.places.jumps.renewed(self.browser.view.name, places)
        self.search.renewed()
        self.marking.forget_signs()

    def has_other_rows(self, view: str) -> None:
        """Applies the filters of a view again after it was rebuilt from other data."""
        filters = self._filters.get(view)
        if filters is not None and not filters.state.is_empty:
            filters.refresh()

    def progressed(self) -> None:
        """Handles progress of the index."""
        for report, worker in self.browser.search_workers.items():
            if report.is_complete and id(report) in self._unreported:
                self._unreported.discard(id(report))
                worker.index_is_ready()
        if self.search.found is not None:
            self.search.news()
        if "cutting" in self.__dict__:
            self.cutting.adopt_marks()
        if self.viewing.is_following:
            self.browser.tree_view.to_end()

    # -- the worker ----------------------------------------------------------------------------------------------------

    @property
    def worker(self) -> Worker:
        """The worker process that searches and filters the view's report; started when first needed."""
        report = self.report
        if report not in self.browser.search_workers:
            from parsers.runtime.worker.worker import Worker

            if not isinstance(report, HasSource):
                raise CommandError("this report can't be searched")
            source = report.source
            worker = Worker()
            worker.attach(asyncio.get_running_loop(), self._news)
            if not report.is_complete:
                self._unreported.add(id(report))
            folder = source.cache.folder
            worker.open(source.stored_paths, report.format, folder, is_ready=report.is_complete, end=source.end)
            self.browser.search_workers[report] = worker
        return self.browser.search_workers[report]

    def shown_view(self, view: View) -> View:
        """The view on the screen that shows the content of a view of its report."""
        views = family_of(self.browser.report, self.browser.view)
        return next((each for each in views if own_view(each) is view), view)

    @property
    def report(self) -> Report:
        """The report of the view; in a combined report the member with the view."""
        return owner_of(self.browser.report, self.browser.view)

    def find(self, pattern: Pattern) -> FindJob:
        """Searches for a pattern in the file."""
        report = self.report
        source = report.source if isinstance(report, HasSource) else None
        if source is None or not source.is_whole:
            raise CommandError("the file is still being unpacked: search again when its rows are there")
        (path, _), *more = source.plain_files
        separator, encoding = ("\n", report.encoding)
        if isinstance(report, HasRowSeparator):
            separator, encoding = report.separator, report.plain_encoding
        return self.worker.find(path, pattern, encoding, stop=source.end, more=more, separator=separator)

    def select(
        self, filters: Filters, view: str, matches: FindJob | None, made: Mapping[str, Any] | None = None
    ) -> SelectJob:
        """Starts the computation of the rows of a view that filters leave."""
        return self.worker.select(filters, own_view(self.browser.report.view(view)).name, matches, made)

    def _news(self, jobs: list[Job]) -> None:
        self.search.news()
        for filters in self._filters.values():
            filters.news(jobs)
        if self.names_wanted is not None:
            self.names_wanted(jobs)

    # -- rows ----------------------------------------------------------------------------------------------------------

    @property
    def filters(self) -> Filtering:
        """The filters of the shown view."""
        return self.filters_of(self.browser.view.name)

    def filters_of(self, view: str) -> Filtering:
        """The filters of a view."""
        if view not in self._filters:
            self._filters[view] = Filtering(self, view)
        return self._filters[view]

    @property
    def document_view(self) -> View | None:
        """The view whose rows are the lines of the file: mostly the first one."""
        views = family_of(self.browser.report, self.browser.view)
        return next((view for view in views if isinstance(view, Document)), None)

    def is_shown(self, node: int) -> bool:
        """True if no filter hides the node."""
        selection = self.browser.tree_view.selection
        if selection is None:
            view = self.browser.view
            return not (isinstance(view, HidesRows) and view.is_hidden(node))
        return selection.position_of(node) is not None

    def go_to_line(self, line: str) -> bool:
        """Interprets a command line as a place: a number, a REF, or its kind and value."""
        kind = line.partition(" ")[0].partition(":")[0]
        is_number = line.replace(",", "").isascii() and line.replace(",", "").isdecimal()
        if not is_number and (not kind.isalpha() or kind == line):
            return False
        try:
            self.places.go_to(line)
        except UnknownReference as error:
            self.browser.show_message(safe(str(error)), "problem")
        return True

    def enter(self) -> None:
        """Handles Enter immediately: the next key may be waiting already."""
        browser, pane = self.browser, self.browser.pane
        node = pane.cursor_node if isinstance(pane, TreePane) else None
        if pane is browser.detail:
            line = browser.detail.cursor_line
            if line is not None and line.row is not None and line.row.ref is not None:
                self.places.follow_ref(line.row.ref, line.row.view)
        elif node is None:
            pane.activate()
        elif pane is browser.tree_view:
            self.places.activate(node)
        else:
            self.places.jump(*place_of(browser))

    def leave(self) -> None:
        """Remembers the place before a jump."""
        self.places.leave()

    def pause(self) -> None:
        """Stops following a growing file when the cursor moves up."""
        self.viewing.pause_following()

    # -- undo ----------------------------------------------------------------------------------------------------------

    def undo(self, count: int) -> None:
        """Undoes the last fold, else the last filter (`u`)."""
        for _ in range(min(count, 1000)):
            if not self.browser.tree_view.undo() and not self.filters.undo():
                self.browser.show_message("nothing to undo")
                break

    def redo(self, count: int) -> None:
        """Repeats what was undone (`U`)."""
        for _ in range(min(count, 1000)):
            if not self.browser.tree_view.redo() and not self.filters.redo():
                self.browser.show_message("nothing to do again")
                break

    # -- search --------------------------------------------------------------------------------------------------------

    def open_search(self) -> None:
        """Opens the search prompt (`/`)."""
        if self.browser.pane in (self.browser.tree_view, self.browser.detail):
            self.search.open()
        else:
            super().open_search()

    def next_match(self, count: int) -> None:
        """Goes to the next or previous match (`n`, `N`)."""
        if self.browser.pane in (self.browser.tree_view, self.browser.detail):
            self.search.walk(count)
        else:
            super().next_match(count)

    def search_name(self, count: int) -> None:
        """Searches for the name of the row (`*`, `#`)."""
        view, node = place_of(self.browser)
        name = row_name(view.tree.row(node))
        if not name.strip():
            raise CommandError("this row has no name")
        self.places.close_lists()
        self.search.start(rf"\C{name}", 1 if count > 0 else -1, "text")

    def name_completions(self, text: str) -> list[str]:
        """Completions of a search text: earlier searches."""
        entries = self.setup.typed.entries("search")
        return [entry for entry in reversed(entries) if entry.startswith(text) and entry != text]

    def show_strip(self) -> None:
        """Updates matches and marks in the strip at the right edge, at limited frequency."""
        found = self.search.found
        now = time.monotonic()
        if found is not None and not found.has_ended and now - self._strip_at < STRIP_SECONDS:
            return
        self._strip_at = now
        marks: dict[str, Callable[[int], Iterable[int]] | Sequence[int]] = {}
        if found is not None and found.count:
            marks["match"] = found.pieces
        nodes = self.marking.nodes()
        if nodes:
            marks["mark"] = nodes
        self.browser.tree_view.set_marks(marks)

    def open_names(self, text: str, jumps_at_once: bool = False) -> None:
        """Opens the prompt for names (`o`). goes: goes directly to a single name that ends or begins with the text."""
        from tui.interaction.search.name_list import open_names

        open_names(self, text, jumps_at_once)

    # -- options -------------------------------------------------------------------------------------------------------

    def apply_options(self, names: Sequence[str]) -> None:
        """Applies changed options."""
        super().apply_options(names)
        tree = self.browser.tree_view
        if "scrolloff" in names:
            tree.viewport.margin = self.options.scrolloff
        if "percent" in names:
            self.browser.shows_percent = self.options.percent
        if "number" in names:
            tree.show_numbers = self.options.number
        if "follow" in names:
            self.viewing.is_following = self.options.follow
        tree.redraw()

    @property
    def is_busy(self) -> bool:
        """True during typing, a search or a computation."""
        return self.prompt is not None or self.search.found is not None or self.filters.is_busy

    # -- stopping ------------------------------------------------------------------------------------------------------

    def stop_running(self) -> bool:
        """Stops the running search, filter or walk; False if there is none."""
        return self.search.stop() or self.filters.stop() or self.walking.stop_looking()

    def cancel(self) -> None:
        """Handles Esc: stops running work, then closes a popup, then clears match colours; one a press."""
        if self.browser.has_list:
            super().cancel()
        elif not self.stop_running():
            self.search.forget()

    # -- parts ---------------------------------------------------------------------------------------------------------

    @property
    def lists(self) -> Lists:
        """The lists that commands open."""
        from tui.interaction.prompts.lists import Lists

        return Lists(self)

    @cached_property
    def cutting(self) -> Cutting:
        """The cuts of the graph."""
        from tui.interaction.cutting import Cutting

        return Cutting(self)

    def cut_restorer(self, report: Report) -> Callable[[], object] | None:
        """A function that copies the cuts to another opening of the report, in any thread; None: no cuts."""
        return self.cutting.cut_restorer(report) if "cutting" in self.__dict__ else None

    @property
    def yank(self) -> Yank:
        """Copying, printing and writing."""
        from tui.interaction.yank import Yank

        return Yank(self)


def row_name(row: Row) -> str:
    """Key for equal names: class and method up to the arguments, the class of a type; else the whole label."""
    named = [span for span in row.spans if span.role in ("package", "class", "name")]
    if not named:
        return row.label
    end = named[-1].end
    return row.label[named[0].start : end + (row.label[end : end + 1] == "(")]
