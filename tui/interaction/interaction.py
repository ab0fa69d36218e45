"""Objects behind commands: one object a browser, which connects the parts below.

Each part (history, search, filters, marks, lists, copying, ...) gets those it uses, in one direction.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from parsers.model.capabilities import StopsIndex
from parsers.model.report import Report
from parsers.model.row import Link, Row, counted
from parsers.model.view import UnknownReference
from tui.command_line.registry import REFERENCES
from tui.input.keys.keyboard import CommandError
from tui.interaction.filters.filter_set import FilterSet
from tui.interaction.filters.prompts import FilterPrompts
from tui.interaction.navigation.marking import Marking
from tui.interaction.navigation.next_row import Movement
from tui.interaction.navigation.places import Navigation, ref_of
from tui.interaction.screen_interaction import ScreenInteraction, Sortable
from tui.interaction.search.searching import Search
from tui.interaction.setup import Setup
from tui.interaction.target import close_lists, place_of
from tui.interaction.viewing import Viewing
from tui.interaction.workers import Workers
from tui.screen.frame import progress_piece
from tui.tree.tree_view import TreeView

if TYPE_CHECKING:
    from parsers.runtime.worker.job import Job
    from tui.input.keys.registry import Command
    from tui.interaction.cutting import Cutting
    from tui.interaction.filters.filtering import Filtering
    from tui.interaction.prompts.lists import Lists
    from tui.interaction.report_screen import ReportScreen
    from tui.interaction.sql.sql_prompt import SqlPrompt
    from tui.interaction.yank import Yank

STRIP_SECONDS = 0.25
"""Seconds between two updates of the match positions during a search."""

MOST_STEPS = 1000
"""Maximum count of undo and redo."""

MOST_LABEL = 24
"""Characters of a marked row's label among the keys that can follow."""


class Interaction(ScreenInteraction):
    """The parts of one browser's interaction, and what several of them do together."""

    def __init__(self, browser: ReportScreen, setup: Setup, patterns: Mapping[str, str] | None = None) -> None:
        super().__init__(browser, setup)
        self.browser = browser
        self.workers = Workers(browser, self._jobs_progressed)
        self.view_filters = FilterSet(browser, self.workers, setup.options, patterns)
        self.filter_prompts = FilterPrompts(browser, self, self.view_filters)
        self.navigation = Navigation(browser, self.view_filters)
        self.search = Search(browser, self, self.workers, self.view_filters, self.navigation, self.show_strip)
        self.movement = Movement(browser, self.navigation)
        self.marking = Marking(browser, setup, self.navigation, self.movement, self.show_strip)
        self.viewing = Viewing(browser, setup.options, self.navigation, self.view_filters, self.search, self.marking)
        self.keyboard.before = lambda command: self.search.cancel_jump()
        self.keyboard.letters_of = self._letters_of
        self.used_cutting: Cutting | None = None
        """The cuts of the graph, once they were used."""
        self.used_sql: SqlPrompt | None = None
        """Queries with SQL, once they were used."""
        self._strip_at = 0.0

    def _letters_of(self, command: Command) -> Sequence[tuple[str, str]]:
        """Letters that continue a sequence now: filters of the view and its format, marks that are set."""
        if command.name == "goto-mark":
            return [(letter, mark.label[:MOST_LABEL]) for letter, mark in sorted(self.marking.marks.letters.items())]
        return self.viewing.letters() if command.name == "format-filter" else ()

    @property
    def cutting(self) -> Cutting:
        """The cuts of the graph."""
        from tui.interaction.cutting import Cutting

        if self.used_cutting is None:
            self.used_cutting = Cutting(self.browser, self.view_filters, self.viewing, self.marking)
        return self.used_cutting

    @property
    def sql(self) -> SqlPrompt:
        """Queries with SQL."""
        from tui.interaction.sql.sql_prompt import SqlPrompt

        if self.used_sql is None:
            self.used_sql = SqlPrompt(self.browser, self, self.navigation, self.view_filters, self.viewing)
        return self.used_sql

    @property
    def lists(self) -> Lists:
        """The lists that commands open."""
        from tui.interaction.prompts.lists import Lists

        return Lists(self.browser, self.options, self.navigation, self.viewing, self.marking)

    @property
    def yank(self) -> Yank:
        """Copying, printing and writing."""
        from tui.interaction.yank import Yank

        return Yank(self.browser, self, self.marking, self.filter_prompts)

    @property
    def filters(self) -> Filtering:
        """The filters of the shown view."""
        return self.view_filters.shown

    # -- life ----------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Starts when the browser is on the screen."""
        tree = self.browser.tree_view
        tree.marks_of = self._sign_of
        tree.viewport.margin = self.options.scrolloff
        self.apply_options([name for name in ("number", "percent", "follow") if getattr(self.options, name)])
        if self.setup.wrong:
            more = f"  (+{len(self.setup.wrong) - 1} more, see :help)" if len(self.setup.wrong) > 1 else ""
            self.browser.show_message(f"{self.setup.wrong[0]}{more}", "problem")
        if not self.filters.state.is_empty:
            self.filters.apply()

    def stop(self) -> None:
        """Stops when the browser is closed."""
        self.movement.stop_looking()
        self.workers.close()
        if self.used_sql is not None:
            self.used_sql.queries.close()

    def reopened(self) -> None:
        """Discards matches and selections of the old report after the files were read again."""
        self.movement.forget()
        self.search.clear()
        self.workers.close()
        if self.used_sql is not None:
            self.used_sql.reopened()
        self.marking.forget()
        self.navigation.jumps.retain_views(self.browser.report.views.has)
        self.view_filters.reopened()
        self.search.restart()

    def renewed(self, places: Callable[[int], int | None]) -> None:
        """Handles a rebuilt view; `places` maps its earlier nodes to the new ones."""
        self.navigation.jumps.renewed(self.browser.view.name, places)
        self.search.renewed()
        self.marking.forget_signs()

    def progressed(self) -> None:
        """Handles progress of the index."""
        self.workers.progressed()
        if self.used_sql is not None:
            self.used_sql.queries.progressed()
        if self.search.found is not None:
            self.search.index_progressed()
        if self.used_cutting is not None:
            self.used_cutting.adopt_marks()
        if self.viewing.is_following:
            self.browser.tree_view.to_end()
        self.viewing.open_queued()

    def _jobs_progressed(self, jobs: list[Job]) -> None:
        """Handles progress or the end of the workers' jobs."""
        self.search.index_progressed()
        self.view_filters.jobs_progressed(jobs)
        if self.workers.names_receiver is not None:
            self.workers.names_receiver(jobs)

    # -- rows ----------------------------------------------------------------------------------------------------------

    def go_to(self, text: str) -> None:
        """Goes to a REF or name (`:goto`).

        Without exact match the name is searched among all names; several are listed.
        """
        self.filters.choose_for(ref_of(text.strip()))
        if self.browser.preparing.begin(self.browser.view, lambda: self.go_to(text)):
            return
        try:
            place = self.navigation.locate(text)
        except UnknownReference:
            kind, _, name = ref_of(text.strip()).partition(":")
            if kind != "name" or not name.strip() or not self.browser.report.is_complete:
                raise
            self.open_names(name.strip(), jumps_at_once=True)
        else:
            self.navigation.jump(*place)

    @property
    def sortable(self) -> Sortable:
        """The rows that sorting applies to: a list, else the view. Raises `CommandError` for a page or path."""
        return super().sortable if self.browser.has_list else self.viewing

    def go_to_row(self, number: int | None) -> None:
        """Goes to the last row, or to one of the document by its number."""
        if number is not None and self.browser.pane is self.browser.tree_view:
            self.navigation.jump(*self.navigation.document_row(number))
        else:
            super().go_to_row(number)

    @property
    def command_hint(self) -> str:
        """Lines that the command line accepts."""
        return ":help lists all; a number or REF goes to its row."

    def go_to_line(self, line: str) -> bool:
        """Interprets a command line as a place: a number, a REF, or its kind and value."""
        word = line.partition(" ")[0]
        kind, colon, _ = word.partition(":")
        is_number = line.replace(",", "").isascii() and line.replace(",", "").isdecimal()
        has_kind = kind.isalpha() if colon else kind in REFERENCES and word != line
        if not is_number and not has_kind:
            return False
        self.go_to(line)
        return True

    def enter(self) -> None:
        """Handles Enter immediately: the next key may be waiting already."""
        browser, pane = self.browser, self.browser.pane
        if pane is browser.detail:
            line = browser.detail.cursor_line
            if line is None or line.row is None or line.row.ref is None:
                raise CommandError("This line has no link.")
            self.navigation.follow_ref(line.row.ref, line.row.view)
        elif not isinstance(pane, TreeView):
            pane.activate()
        elif pane.cursor_node is not None and pane is browser.tree_view:
            self.navigation.activate(pane.cursor_node)
        elif pane.cursor_node is not None:
            self.navigation.jump(*place_of(browser))

    def back(self, count: int) -> None:
        """Zooms out of a picture, else goes back in the history of jumps."""
        tree = self.browser.tree_view
        if self.browser.pane is not tree or not tree.zoom_out():
            self.navigation.back(count)

    def remember_place(self) -> None:
        """Remembers the place before a jump."""
        self.navigation.remember_place()

    @property
    def links(self) -> Sequence[Link]:
        """The links of the row under the cursor of the tree."""
        node = self.browser.tree_view.cursor_node
        return () if node is None else self.browser.view.links(node)

    def follow(self, link: Link) -> None:
        """Goes to the target of a link."""
        self.navigation.follow(link)

    def pause_following(self) -> None:
        """Stops following a growing file when the cursor moves up."""
        self.viewing.pause_following()

    # -- cuts ----------------------------------------------------------------------------------------------------------

    def cut_restorer(self, report: Report) -> Callable[[], object] | None:
        """A function that copies the cuts to another opening of the report, in any thread; None: no cuts."""
        return None if self.used_cutting is None else self.used_cutting.cut_restorer(report)

    def _sign_of(self, node: int) -> str:
        """Sign before a row: of a cut, the letter of a mark, or of a tag."""
        if self.used_cutting is not None and self.used_cutting.is_cut(node):
            return "x" if self.options.ascii else "×"
        return self.marking.sign_of(node)

    # -- undo ----------------------------------------------------------------------------------------------------------

    def undo(self, count: int) -> None:
        """Undoes the last fold, else the last filter (`u`)."""
        self._repeat(count, self.browser.tree_view.undo, self.filters.undo, "undo")

    def redo(self, count: int) -> None:
        """Repeats what was undone (`U`)."""
        self._repeat(count, self.browser.tree_view.redo, self.filters.redo, "redo")

    def _repeat(self, count: int, fold: Callable[[], bool], filter: Callable[[], bool], what: str) -> None:
        for _ in range(min(count, MOST_STEPS)):
            if not fold() and not filter():
                self.browser.show_message(f"Nothing to {what}.")
                break

    # -- search --------------------------------------------------------------------------------------------------------

    def find(self, text: str) -> None:
        """Searches for a typed pattern (`:find`)."""
        self.search.start(text)

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
            raise CommandError("This row has no name.")
        close_lists(self.browser)
        self.search.start(rf"\C{name}", 1 if count > 0 else -1, "text")

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
        """Opens the prompt for names (`o`).

        jumps_at_once: goes directly to a single name that ends or begins with the text.
        """
        from tui.interaction.search.name_list import NameList

        NameList(self, self.workers, self.lists, text, jumps_at_once)

    def show_run(self, text: str) -> None:
        """Shows the run of that number; without a number lists the runs (`:run`)."""
        runs = self.browser.report.run_paths
        if not runs:
            raise CommandError("The file has one run.")
        if not text:
            self.browser.show_message(f"The file has {counted(len(runs), 'run')}. :run N shows one.")
            return
        if not (text.isascii() and text.isdigit() and len(text) < 10 and 0 < int(text) <= len(runs)):
            raise CommandError(f"{text}: there are runs 1 to {len(runs):,}")
        self.browser.app.show_run(runs[int(text) - 1])

    def compare(self, path: str) -> None:
        """Compares with another report (`:diff`)."""
        from tui.interaction.comparing import compare

        compare(self.browser, self.open_command_line, path)

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
        is_querying = self.used_sql is not None and self.used_sql.queries.is_running
        return self.prompt is not None or self.search.found is not None or self.filters.is_busy or is_querying

    # -- stopping ------------------------------------------------------------------------------------------------------

    def stop_running(self) -> bool:
        """Stops the running query, search, filter or walk; False if there is none."""
        is_stopped = self.used_sql is not None and self.used_sql.stop()
        return is_stopped or self.search.stop() or self.filters.stop() or self.movement.stop_looking()

    @property
    def running_text(self) -> str:
        """The index that is being built, else the views that are being prepared, and how to stop that."""
        report, names = self.browser.report, self.browser.preparing.names
        if report.progress.is_running:
            stop = f"{self._key('indexing')} stops it." if isinstance(report, StopsIndex) else "It can't be stopped."
            return f"The index is being built: {progress_piece(report.progress).text}. {stop}"
        return f"Preparing {', '.join(names)}. This can't be stopped  (q quits)" if names else ""

    def cancel(self) -> None:
        """Handles Esc: stops running work, then closes a popup, then clears match colours; one a press."""
        if self.browser.has_list:
            super().cancel()
        elif not self.stop_running() and not self.viewing.forget_queued() and not self.search.forget():
            self.say_how_to_quit()


def row_name(row: Row) -> str:
    """Key for equal names: class and method up to the arguments, the class of a type; else the whole label."""
    named = [span for span in row.spans if span.role in ("package", "class", "name")]
    if not named:
        return row.label
    end = named[-1].end
    return row.label[named[0].start : end + (row.label[end : end + 1] == "(")]
