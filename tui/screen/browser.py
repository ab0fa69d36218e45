"""The screen of one opened report: title, crumbs, tree and detail pane, status, keys.
It connects parts: it assigns content to widgets and forwards events. Widgets draw; commands handle keys.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.timer import Timer

from parsers.model.report import Report
from parsers.model.view import UnknownReference, View
from parsers.views.collection import keep_added
from tui.app.preparation import Preparing
from tui.input.keys.first_keys import FIRST_KEYS
from tui.pictures.picture_view import PictureView
from tui.screen import frame
from tui.screen import status_line as status_pieces
from tui.screen.arrangement import (
    DEFAULT_SHARES,
    LEAST,
    LEAST_SHARE,
    MOST_SHARE,
    SHARES,
    WIDE,
    has_details,
    is_too_small,
    stored_shares,
)
from tui.screen.command_screen import CommandScreen
from tui.screen.detail import DetailPane
from tui.screen.line_widget import Pane
from tui.screen.sanitise import safe
from tui.screen.scroll_pane import place_in_list
from tui.screen.text_line import Headings, KeyLine, TextLine
from tui.tree.label import short_label, whole_label
from tui.tree.piece import Piece, cut
from tui.tree.restore_position import SavedPosition
from tui.tree.row_text import flag_section
from tui.tree.tree_view import TreeView

if TYPE_CHECKING:
    from parsers.runtime.worker.worker import Worker
    from tui.interaction.interaction import Interaction

REST = 0.12
"""Seconds of rest before the detail pane follows the cursor, so that a held key sends one line a row."""

FIRST_HINT = "new here?  :tour "
"""Words about the guided tour, shown on the first start."""

GROWTH = 5
"""Percent by which a pane grows."""


class Browser(CommandScreen, inherit_bindings=False):
    """One report on the screen. Commands are functions on this class."""

    offers_tour: ClassVar[bool] = True
    """True if the first start mentions the guided tour."""
    AUTO_FOCUS = "#tree"
    DEFAULT_CSS = """
    Browser { layout: vertical; overflow: hidden; layers: default hints; }
    Browser #body { height: 1fr; }
    Browser #panes { layout: horizontal; height: 1fr; }
    Browser #panes.below { layout: vertical; }
    Browser #small { display: none; }
    Browser.small > * { display: none; }
    Browser.small > #small { display: block; }
    """

    def __init__(self, report: Report) -> None:
        self.report: Report = report
        self.view: View = report.views[0]
        self.tree_view: PictureView = PictureView(report, self.view, id="tree")
        super().__init__(Container(id="panes"), self.tree_view)
        self.previous_view: View | None = None
        self.preparing = Preparing(self)
        self.search_workers: dict[Report, Worker] = {}
        """Worker processes that search and filter, by report; started when first needed."""
        self.detail = DetailPane(id="detail")
        self.headings = Headings(self._headed_tree, id="headings")
        self.tree_view.when_redrawn = self.headings.refresh
        self.tree_view.when_moved = self.cursor_moved
        self.small_line = TextLine(id="small", ground="page")
        self.title_line = TextLine(id="title")
        self.crumb_line = TextLine(id="crumbs", ground="page")
        self.status_line = TextLine(id="status")
        self.key_line = KeyLine(id="keys")
        self._wants_detail = True
        self._wants_side_by_side: bool | None = None
        self._share = DEFAULT_SHARES
        self._is_alone = False
        self._detail_timer: Timer | None = None
        self._message: tuple[str, str] | None = None
        self._filters = ""
        self._search: tuple[Sequence[Piece], Sequence[Piece]] | None = None
        self._first_hint = ""
        """Words at the right of the status line until the next key, on the first start only."""
        self._file_state = self._live_state = ""
        self.shows_percent = False
        """True if the position in the document is shown in percent too."""
        self._has_begun = False
        self._is_behind = False
        """True if the cursor has moved and the lines around the tree are not updated yet."""
        self._is_view_guessed = True
        """True if the view was chosen before all views were known and the user has not navigated since."""

    def compose(self) -> ComposeResult:
        """Creates title, crumbs, body, status and keys."""
        yield self.small_line
        yield self.title_line
        yield self.crumb_line
        yield self.headings
        with Container(id="body"), self.contents:
            yield self.tree_view
            yield self.detail
        yield self.status_line
        yield self.key_line

    def on_mount(self) -> None:
        """Shows the view."""
        self._share = stored_shares(self.app.state.read(SHARES))
        self._arrange()
        self.preparing.begin(self.view)
        self.tree_view.show(self.report, self.view)
        self.update_lines()

    def begin(self) -> None:
        """Enables commands. Called after the first frame, which does not wait for them."""
        if not self._has_begun and self.is_there:
            self._has_begun = True
            self.interaction.start()
            if self.offers_tour and self.app.state.is_first_start():
                self._first_hint = FIRST_HINT
                self._show_status()
            self._show_keys()

    def on_unmount(self) -> None:
        """Ends background work."""
        if self._has_begun:
            self.interaction.stop()

    @cached_property
    def interaction(self) -> Interaction:
        """State that commands need besides this screen."""
        from tui.interaction.interaction import Interaction

        return Interaction(self, self.app.setup, self.app.patterns)

    # -- interface of commands ----------------------------------------------------------------------------------------

    @property
    def pane(self) -> Pane:
        """The pane that receives keys: the focused one, else the top list, else the tree."""
        panes = self._panes()
        return next((each for each in panes if each is self.focused), panes[0])

    def _panes(self) -> Sequence[Pane]:
        """Panes that can have the cursor, in the order of Tab."""
        if self._lists:
            return self._lists[-1:]
        return [each for each in (self.tree_view, self.detail) if each.display] or [self.detail]

    def next_pane(self, step: int = 1) -> None:
        """Moves the cursor to the next pane."""
        panes = self._panes()
        panes[(panes.index(self.pane) + step) % len(panes)].focus()

    def toggle_detail(self) -> None:
        """Shows or hides the detail pane."""
        self._wants_detail = not self.detail.display
        self._arrange(is_asked_for=True)

    def rotate_detail(self) -> None:
        """Puts the detail pane below or beside the tree."""
        self._wants_side_by_side = not self._is_side_by_side
        self._wants_detail = True
        self._arrange(is_asked_for=True)

    def toggle_alone(self) -> None:
        """Shows only the pane with the cursor, or all panes again."""
        self._is_alone = not self._is_alone
        self._arrange(is_asked_for=True)

    def resize_pane(self, step: int) -> None:
        """Makes the pane with the cursor larger or smaller."""
        sign = 1 if self.pane is self.detail else -1
        self._set_share(self._share[self._is_side_by_side] + sign * step * GROWTH)

    def _set_share(self, percent: float, is_stored: bool = True) -> None:
        """Sets the part of the window that the detail pane occupies."""
        self._share = {**self._share, self._is_side_by_side: max(LEAST_SHARE, min(MOST_SHARE, percent))}
        self._arrange(is_asked_for=True)
        if is_stored:
            self.app.state.write(SHARES, f"{self._share[True]} {self._share[False]}\n")

    def show_list(self, pane: Pane) -> None:
        """Shows a list (or the help) instead of the tree and its details, until `close_pane`."""
        pane.when_moved = self._show_status
        if isinstance(pane, TreeView):
            pane.when_moved, pane.when_redrawn = self.cursor_moved, self.headings.refresh
        super().show_list(pane)

    def show_detail(self) -> None:
        """Shows the detail pane."""
        if not self.detail.display:
            self.toggle_detail()

    def close_pane(self) -> bool:
        """Closes the top list, restores a pane shown alone, or returns to the tree. False: only the tree is shown."""
        if super().close_pane():
            return True
        if self._is_alone:
            self.toggle_alone()
            return True
        if self.focused is self.detail:
            self.tree_view.focus()
            return True
        return False

    def show_view(self, name: str, node: int | None = None) -> None:
        """Shows another view, with the cursor on a node."""
        view = self.report.view(name)
        if view is not self.view:
            self.previous_view, self.view = self.view, view
            self.tree_view.show(self.report, view)
            self._show_title()
            self.app.count_all(self.tree_view)
        if node is not None:
            self.tree_view.jump(node)
        self.update_lines()

    def show_message(self, text: str, kind: str = "information") -> None:
        """Shows a message in the status line until the next key; the end of a long one instead of the keys."""
        self._message = (text, kind) if text else None
        self._show_status()
        self._show_keys()

    def show_crumbs(self, pieces: Sequence[Piece] | None) -> None:
        """Shows the crumb bar instead of the crumbs; None: the crumbs again."""
        if pieces is None:
            self._show_crumbs()
        else:
            self.crumb_line.set_pieces(pieces)

    def set_filters_text(self, text: str) -> None:
        """Sets the active filters for the status line."""
        self._filters = text
        self._show_status()

    def set_search_text(self, left: Sequence[Piece] | None, right: Sequence[Piece] = ()) -> None:
        """Shows search text in the status line instead of the position; None: the position again."""
        self._search = None if left is None else (left, right)
        self._show_status()

    def cursor_moved(self) -> None:
        """Updates the lines around the tree in the same frame as the cursor; details follow when it rests."""
        if not self._is_behind:
            self._is_behind = True
            self.call_next(self._follow_cursor)

    def _follow_cursor(self) -> None:
        self._is_behind = False
        self._show_headings()
        self._show_crumbs()
        self._show_status()
        self._show_keys()
        self._detail_later()

    def progressed(self) -> None:
        """Handles progress of the index, or a view that has become ready."""
        self._take_first_view()
        self.preparing.begin(self.view)
        self._has_progressed(self.tree_view.progressed())

    def renewed(self, places: Callable[[int], int | None]) -> None:
        """Handles a rebuilt view; `places` maps its earlier nodes to the new ones."""
        self.tree_view.renewed(places)
        self._has_progressed(places)

    def _has_progressed(self, places: Callable[[int], int | None] | None) -> None:
        if self._has_begun:
            if places is not None:
                self.interaction.renewed(places)
            self.interaction.progressed()
        self._refresh_list()
        self._show_headings()
        self._show_title()
        self._show_status()
        self._detail_later()

    def _refresh_list(self) -> None:
        """Refills lists of the report's contents, such as the list of its views."""
        for pane in self._lists:
            pane.refresh_rows()

    def leave(self) -> None:
        """Closes the report and returns to the folder, or to the shell."""
        self.app.close_report()

    @property
    def quit_label(self) -> str:
        """Effect of `q` in one word."""
        if self._lists or self._is_alone or self.focused is self.detail:
            return "back"
        return "quit" if self.app.is_last_screen else "list"

    def reload(self) -> None:
        """Reads the file again."""
        self.app.reload()

    def _take_first_view(self) -> None:
        """Shows the first view once it is final. Until then it is a guess: the end of a compressed file is unknown.

        A view or row that the user has gone to stays.
        """
        if not self._is_view_guessed or not self.report.is_complete:
            return
        self._is_view_guessed = False
        first = self.report.views.names[0]
        if first != self.view.name and self.takes_first_view:
            self.view = self.report.view(first)
            self.preparing.begin(self.view)
            self.tree_view.show(self.report, self.view)

    @property
    def takes_first_view(self) -> bool:
        """True if the first view may replace the guessed one: the user has gone to no other view or row."""
        return self.previous_view is None and not self.tree_view.viewport.cursor

    def show_report(self, report: Report, message: str, ref: str) -> None:
        """Shows another opening of the same files: same view, cursor on the same REF if it exists.

        The files may be of another format now.
        message  for the status line
        ref      REF for the cursor instead of its current one; empty: that one
        """
        row = self.tree_view.row_at_cursor()
        ref = ref or ("" if row is None else row.ref)
        self._take_report(report, needs_rows=True)
        self.previous_view = None
        self._file_state = ""
        self.tree_view.show(report, self.view)
        self.app.count_all(self.tree_view)
        self.interaction.reopened()
        if ref:
            with suppress(UnknownReference):
                self.tree_view.jump(self.view.resolve(ref))
        self.interaction.progressed()
        self.update_lines()
        self.show_message(message)

    def _take_report(self, report: Report, needs_rows: bool) -> None:
        """Takes over another opening, with the view of the same name if it exists, and has rows if these are needed."""
        keep_added(self.report, report)
        self._is_view_guessed &= self.view.name == self.report.views.names[0]
        view = report.view(self.view.name) if report.views.has(self.view.name) else report.views[0]
        self.report, self.view = report, view if view.is_ready or not needs_rows else report.views[0]
        self.preparing = Preparing(self)
        self.preparing.begin(self.view)

    @property
    def is_busy(self) -> bool:
        """True if other rows would interrupt the user: while typing, in a list, during a search."""
        stays = not all(each.can_refill for each in self._lists)
        return stays or (self._has_begun and self.interaction.is_busy)

    def renew_report(self, report: Report) -> None:
        """Shows another opening of the same files with more rows. Keeps view and position as far as they exist."""
        before, previous = self.view, self.previous_view
        self._take_report(report, needs_rows=False)
        if previous is not None:
            self.previous_view = report.view(previous.name) if report.views.has(previous.name) else None
        if self.view.name == before.name:
            self.tree_view.restore_position(report, self.view, SavedPosition(before, self.view))
        else:
            self.tree_view.show(report, self.view)
        self.app.count_all(self.tree_view)
        self.interaction.reopened()
        self.interaction.progressed()
        self._refresh_list()
        self.update_lines()
        self._detail_later()

    def file_changed(self, text: str) -> None:
        """Sets the message of the title about changes of the file since it was opened; empty: none."""
        self._file_state = text
        self._show_title()

    def show_live_state(self, text: str) -> None:
        """Sets the message of the title about the JVM that writes the file; empty: none."""
        self._live_state = text
        self._show_title()

    # -- lines --------------------------------------------------------------------------------------------------------

    def update_lines(self) -> None:
        """Updates title, crumbs, headings, status and keys."""
        self._show_headings()
        self._show_title()
        self._show_crumbs()
        self._show_status()
        self._show_keys()

    def _headed_tree(self) -> TreeView | None:
        """The tree whose columns have headings; None: a list, which has its own, or the side pane alone is shown."""
        shown = super().pane
        return shown if isinstance(shown, TreeView) and shown.display else None

    def _show_headings(self) -> None:
        is_shown = self._headed_tree() is not None
        if self.headings.display != is_shown:
            self.headings.display = is_shown

    def _show_title(self) -> None:
        rows = frame.row_total(self.view) if self.report.is_complete else None
        left = frame.title_left(self.report)
        right = frame.title_right(self.report, self._file_state, self._live_state, rows)
        space = frame.title_space(left[0], self.size.width, self._live_state)
        self.title_line.set_pieces(left, cut(right, space))

    def _show_crumbs(self) -> None:
        self.crumb_line.set_pieces([] if self._lists else status_pieces.path(self.tree_view, self.size.width))

    def _show_status(self) -> None:
        message = self._message_pieces
        if message:
            self.status_line.set_pieces(message[:1])
            return
        if self._search is not None and not self._lists:
            self.status_line.set_pieces(*self._search)
            return
        queued = self.interaction.viewing.queued_text if self._has_begun else ""
        flags = "   ".join(filter(None, (self._filters, self._cut_summary, queued)))
        filters = [Piece(safe(flags) + " ", "flag")] if flags else []
        if self._first_hint:
            filters.append(Piece(self._first_hint, "hint"))
        if self._lists:
            self.status_line.set_pieces(place_in_list(self._lists[-1]), filters)
        else:
            self.status_line.set_pieces(status_pieces.place(self.tree_view, self.shows_percent), filters)

    @property
    def _cut_summary(self) -> str:
        """Description of the cuts; empty before cutting was used."""
        cutting = self.interaction.used_cutting if self._has_begun else None
        return "" if cutting is None else cutting.summary()

    @property
    def _message_pieces(self) -> list[Piece]:
        """The lines of the message."""
        if self._message is None:
            return []
        text, kind = self._message
        role = "problem" if kind == "problem" else "status"
        return [Piece(line, role) for line in frame.message_lines(text, self.size.width)]

    def _show_keys(self) -> None:
        rest = self._message_pieces[1:]
        if rest:
            self.key_line.set_pieces(rest)
        if rest or not self._has_begun:
            return
        from tui.input.commands.footer import key_words

        self.key_line.set_pieces(*frame.key_pieces(key_words(self), self.size.width))

    # -- panes --------------------------------------------------------------------------------------------------------

    @property
    def _is_side_by_side(self) -> bool:
        return self.size.width >= WIDE if self._wants_side_by_side is None else self._wants_side_by_side

    def _arrange(self, is_asked_for: bool = False) -> None:
        """Sets the place of each pane for the size of the window."""
        width, height = self.size
        is_small = is_too_small(width, height)
        self.set_class(is_small, "small")
        if is_small:
            self.small_line.set_pieces([Piece(f"needs {LEAST[0]} × {LEAST[1]}", "hint")])
        is_side_by_side = self._is_side_by_side
        has_space = has_details(width, height, is_side_by_side) or is_asked_for
        has_detail = self._wants_detail and (is_side_by_side or height >= 12) and (has_space or self.detail.display)
        if not is_asked_for:
            has_detail = self._wants_detail and has_space
        only_detail = self._is_alone and self.focused is self.detail
        self.contents.set_class(not is_side_by_side, "below")
        self.detail.is_below = not is_side_by_side
        self.detail.display = (has_detail and not self._is_alone) or only_detail
        self.tree_view.display = not only_detail
        share = "1fr" if only_detail else f"{self._share[is_side_by_side]}%"
        self.detail.styles.width = share if is_side_by_side else "1fr"
        self.detail.styles.height = "1fr" if is_side_by_side else share
        if not self.detail.display and self.focused is self.detail:
            self.tree_view.focus()
        self._detail_later()

    def _detail_later(self) -> None:
        """Schedules the detail pane to show the cursor's node when the cursor has rested."""
        if self._detail_timer is not None:
            self._detail_timer.stop()
        self._detail_timer = self.set_timer(REST, self._show_detail) if self.detail.display else None

    def _show_detail(self) -> None:
        self._detail_timer = None
        node = self.tree_view.cursor_node
        if node is None:
            self.detail.show_sections((), ())
            return
        try:
            row, sections = self.tree_view.row(node), self.view.sections(node)
        except IndexError:
            # The index has reported since that the row does not exist; the cursor moves with its next update.
            return
        shown_facts = {fact.text for section in sections for fact in section.rows}
        is_repeated = bool(sections) and sections[0].title in (row.label, short_label(row))
        title = [] if is_repeated else whole_label(row, shown_facts)
        columns = (*self.report.views[0].columns, *self.view.columns)
        signs = {badge: sign for column in columns for badge, sign in column.badges}
        flags = flag_section(row)
        self.detail.show_sections(title, sections if flags is None else [flags, *sections], signs)

    # -- events -------------------------------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        """Handles a new size of the window."""
        self._arrange()
        self.update_lines()

    def on_descendant_focus(self) -> None:
        """Shows the keys of the pane that has the focus now."""
        self._show_keys()

    def on_key(self, event: events.Key) -> None:
        """Runs the command of a key."""
        if not self._has_begun and not self.app.is_configured and event.key in FIRST_KEYS:
            event.stop()
            event.prevent_default()
            FIRST_KEYS[event.key](self.pane)
            return
        if self._message is not None or self._first_hint:
            self._message, self._first_hint = None, ""
            self._show_status()
            self._show_keys()
        self.begin()
        self.interaction.press(event)
        if self._lists:
            self._show_status()

    def on_detail_pane_edge_dragged(self, message: DetailPane.EdgeDragged) -> None:
        """Moves the edge of the detail pane to the mouse; its new size is stored when the button is released."""
        message.stop()
        panes = self.contents.region
        size, after = panes.width, panes.right - message.x + 1
        if not self._is_side_by_side:
            size, after = panes.height, panes.bottom - message.y
        self._set_share(100 * after / max(1, size), message.is_done)

    def on_text_line_clicked(self, message: TextLine.Clicked) -> None:
        """Handles a click on a crumb, a heading, a key or the number of problems."""
        message.stop()
        self.begin()
        kind, _, value = message.action.partition(":")
        if kind == "node":
            self.interaction.remember_place()
            self.tree_view.jump(int(value))
        elif kind == "run":
            self.interaction.keyboard.run(value)
        elif kind == "sort" and self._headed_tree() is self.tree_view:
            is_sorted = value == (self.tree_view.order or self.view.sorted_by).removeprefix("-")
            self.interaction.keyboard.run(*(("sort-reverse",) if is_sorted else ("sort", value)))
        elif kind == "key":
            self.interaction.keyboard.feed_all(value)
