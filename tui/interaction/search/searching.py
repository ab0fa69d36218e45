"""The search in a report: while typing, with matches streaming in, in hidden rows too, wrapping around.

A search has a starting place. While its prompt is open, the cursor goes to the first match after that place as soon
as there is one; Esc returns to the place. After Enter `n` and `N` go to the matches found so far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from parsers.model.capabilities import Document
from parsers.model.row import counted
from parsers.query.search.pattern import KINDS, Kind, Pattern
from tui.input.keys.keyboard import CommandError
from tui.interaction.prompts.prompt import Prompt, Purpose
from tui.interaction.search.search_results import FileFound, RowFound, SearchResults
from tui.interaction.search.typed_pattern import typed_pattern
from tui.interaction.target import report_of
from tui.screen.sanitise import safe
from tui.tree.piece import Piece

if TYPE_CHECKING:
    from tui.interaction.filters.filter_set import FilterSet
    from tui.interaction.navigation.places import Navigation
    from tui.interaction.report_screen import ReportScreen
    from tui.interaction.screen_interaction import ScreenInteraction
    from tui.interaction.workers import Workers
    from tui.tree.tree_cursor import CursorState

MOST_SKIPPED = 10_000
"""Maximum consecutive matches that are not rows, or are hidden by filters, before a movement stops."""


@dataclass(eq=False)
class Search:
    """The search of one browser: at most one at a time."""

    browser: ReportScreen
    interaction: ScreenInteraction
    workers: Workers
    filters: FilterSet
    navigation: Navigation
    _show_marks: Callable[[], object]
    """Called when there are other matches."""
    text: str = ""
    kind: Kind = "auto"
    found: SearchResults | None = None
    _view: str = ""
    _prompt: Prompt | None = None
    _origin: CursorState | None = None
    _origin_node: int | None = None
    _before: tuple[str, Kind] = ("", "auto")
    _direction: int = 0
    """1, -1: go to the nearest match in that direction as soon as it is found; 0: don't."""
    _wrapped: str = ""
    _wrong: str = ""
    _awaits_index: bool = False

    # -- typing -------------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Opens the search prompt (`/`); the search starts with the first typed character."""
        self._before = (self.text, self.kind)
        self._start_here()
        self.kind = "auto"
        purpose = Purpose(
            "/",
            accept=self._accept,
            change=self._change,
            cancel=self._cancel,
            kinds=self._next_kind,
            complete=partial(self.interaction.setup.typed.completions, "search"),
            history="search",
        )
        self._prompt = self.interaction.open_prompt(purpose)

    def _start_here(self) -> None:
        """Makes the cursor the starting place."""
        tree = self.browser.tree_view
        self._origin, self._origin_node = tree.save_state(), tree.cursor_node

    def _change(self, text: str) -> None:
        """Handles an edited pattern: returns to the starting place and searches from there."""
        tree = self.browser.tree_view
        self._wrong = ""
        if not text.strip("!"):
            self.clear()
            tree.restore_state(self._origin)
            self._show()
            return
        try:
            pattern = typed_pattern(self.interaction.options, text, self.kind)
            tree.restore_state(self._origin)
            self._begin(text, pattern, 1)
        except CommandError as error:
            self._wrong = str(error)
            self._show()

    def _accept(self, text: str) -> None:
        self._prompt = None
        if not text:
            # An empty search repeats the previous one, as in vim and less.
            self.text, self.kind = self._before
            if self.text:
                self.walk(1)
            return
        self.interaction.setup.typed.add("search", text)
        if self._wrong:
            self.browser.show_message(self._wrong, "problem")
            return
        self.navigation.remember_node(self._origin_node)
        self._show()

    def _cancel(self) -> None:
        self._prompt = None
        self._wrong = ""
        self.clear()
        self.browser.tree_view.restore_state(self._origin)
        self.text, self.kind = self._before
        self._show()

    def _next_kind(self) -> None:
        """Selects the next kind of pattern (`^t`): automatic, regular expression, plain text."""
        self.kind = KINDS[(KINDS.index(self.kind) + 1) % len(KINDS)]
        if self._prompt is not None:
            self._change(self._prompt.text)

    # -- looking ------------------------------------------------------------------------------------------------------

    def start(self, text: str, direction: int = 1, kind: Kind = "auto") -> None:
        """Searches for a pattern from the cursor on, without a prompt."""
        pattern = typed_pattern(self.interaction.options, text, kind)
        if pattern.is_empty:
            raise CommandError("Type a pattern to search for.")
        self.kind = kind
        self.navigation.remember_place()
        self.interaction.setup.typed.add("search", text)
        self._begin(text, pattern, direction)

    def _begin(self, text: str, pattern: Pattern, direction: int) -> None:
        self.clear()
        browser = self.browser
        self.text, self._direction, self._view = text, direction, browser.view.name
        # If labels write names differently from the file, the labels are searched.
        view = browser.view
        if isinstance(view, Document) and not view.searches_labels:
            self.found = FileFound(self.workers.find(pattern), report_of(browser), view, view)
        else:
            tree = browser.tree_view
            self.found = RowFound(view, tree.outline, pattern, self.index_progressed, tree.cursor_node)
        browser.tree_view.set_highlight(pattern)
        self._show()

    def index_progressed(self) -> None:
        """Handles new matches or the end of the search."""
        found = self.found
        if found is None:
            return
        if self._direction and self._go_to_nearest(self._direction):
            self._direction = 0
        elif self._direction and found.has_ended and not self._awaits_index:
            self._direction, direction = 0, self._direction
            if found.count and self.interaction.options.wrapscan:
                self._wrap(direction)
        self._show_marks()
        self._show()

    def cancel_jump(self) -> None:
        """Cancels the pending jump to a match, and shows the position of the cursor again."""
        if self._prompt is None:
            self._direction = 0
            if self.found is not None and self.found.has_ended:
                self.browser.set_search_text(None)

    def clear(self) -> None:
        """Forgets the matches and their highlighting."""
        if self.found is not None:
            self.found.close()
        self.found = None
        self._direction, self._wrapped = 0, ""
        self.browser.tree_view.set_highlight(None)
        self._show_marks()

    def restart(self) -> None:
        """Handles another view or report: discards matches, and searches there for the text that is being typed."""
        self.clear()
        if self._prompt is not None:
            self._start_here()
            self._change(self._prompt.text)

    def renewed(self) -> None:
        """Discards matches and starting place when the view has other nodes.

        If the nodes are final, they are searched once more; the cursor stays.
        """
        self._origin = self._origin_node = None
        continues = self._prompt is None and self.found is not None and self.browser.report.is_complete
        self.clear()
        if continues:
            self._begin(self.text, typed_pattern(self.interaction.options, self.text, self.kind), 0)

    def forget(self) -> bool:
        """Handles Esc: removes the highlighting of matches; False if there is none."""
        if self.found is None:
            return False
        self.clear()
        self._show()
        return True

    def stop(self) -> bool:
        """Stops the search; False if none was running."""
        if self.found is None or self.found.has_ended:
            return False
        self.found.cancel()
        self._direction = 0
        self._show()
        return True

    # -- walking ------------------------------------------------------------------------------------------------------

    def walk(self, count: int) -> None:
        """Goes to the next or previous match (`n`, `N`)."""
        if not self.text:
            raise CommandError("No search yet. / searches.")
        browser = self.browser
        is_stale = self.found is None or self._view != browser.view.name
        if is_stale:
            self.start(self.text, 1 if count > 0 else -1, self.kind)
            return
        self.navigation.remember_place()
        direction = 1 if count > 0 else -1
        self._wrapped = ""
        for _ in range(min(abs(count), MOST_SKIPPED)):
            if self._go_to_nearest(direction):
                continue
            assert self.found is not None
            if self._awaits_index or (not self.found.has_ended and direction > 0):
                self._direction = direction
                self._show()
                return
            if not self._continue_from_other_end(direction):
                return
        self._show()

    def _continue_from_other_end(self, direction: int) -> bool:
        """Continues from the other end; False if that is impossible."""
        assert self.found is not None
        if self.found.error:
            self.browser.show_message(safe(self.found.error), "problem")
            return False
        if not self.found.count:
            self.browser.show_message(f"No matches for {safe(self.text)}. Esc clears the search.", "problem")
            return False
        if not self.interaction.options.wrapscan:
            self.browser.show_message("the last match" if direction > 0 else "the first match")
            return False
        self._wrap(direction)
        return True

    def _wrap(self, direction: int) -> None:
        if self._go_to_nearest(direction, from_end=True):
            self._wrapped = "from the top" if direction > 0 else "from the bottom"
            if self.found is not None and not self.found.has_ended:
                self._wrapped += ", still searching"

    def _go_to_nearest(self, direction: int, from_end: bool = False) -> bool:
        """Goes to the nearest match in a direction that is a row and not hidden by a filter."""
        found, tree = self.found, self.browser.tree_view
        cursor = tree.cursor_node
        if found is None or cursor is None:
            return False
        self._awaits_index = False
        position = (-1 if direction > 0 else 1 << 62) if from_end else found.position(cursor)
        for _ in range(MOST_SKIPPED):
            following = found.after(position) if direction > 0 else found.before(position)
            if following is None:
                return False
            position = following
            if not found.is_indexed(position):
                self._awaits_index = True
                return False
            node = found.node(position)
            if node is None or (node == cursor and not from_end):
                continue
            if self.filters.is_shown(node) and tree.jump(node):
                tree.set_highlight(found.pattern, node)
                return True
        return False

    # -- saying -------------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        left, right = self.status()
        if self._prompt is not None:
            self._prompt.show_status([*left, Piece("  "), *right])
        elif self.found is None:
            self.browser.set_search_text(None)
        else:
            self.browser.set_search_text([Piece(f" /{safe(self.text)}  ", "prompt"), *left], right)

    def status(self) -> tuple[list[Piece], list[Piece]]:
        """Status texts: kind of pattern, number of matches, progress; and the number of the match under the cursor."""
        found = self.found
        if self._wrong:
            return [Piece(self._wrong, "problem")], []
        if found is None:
            kind = "" if self.kind == "auto" else self.kind
            return [Piece(kind, "status-dim")], []
        if found.error:
            return [Piece(safe(found.error), "problem")], []
        matches = counted(found.count, "match")
        left = [Piece(f"{found.kind} · {matches}", "status" if found.count or not found.has_ended else "problem")]
        if not found.has_ended:
            left.append(Piece(f" · {int(found.fraction * 100)} % of {found.extent} read", "progress"))
        elif found.fraction < 1:
            left.append(Piece(f" · stopped at {int(found.fraction * 100)} %", "status-dim"))
        cursor = self.browser.tree_view.cursor_node
        right = []
        if self._awaits_index and self._direction:
            right.append(Piece("the next match waits for the index ", "progress"))
        if self._wrapped:
            right.append(Piece(f"{self._wrapped}  ", "progress"))
        if cursor is not None and found.count:
            number = found.number(found.position(cursor))
            if number <= found.count and self._is_match(cursor):
                right.append(Piece(f"match {number:,} ", "status"))
        return left, right

    def _is_match(self, node: int) -> bool:
        """True if the cursor is on a match, according to the nearest match."""
        found = self.found
        if found is None:
            return False
        position = found.position(node)
        following = found.after(position - 1)
        return following is not None and found.node(following) == node
