"""The screen of the guided tour: that of a report, with the step of the tour above its status line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

from tui.screen.browser import Browser
from tui.screen.text_line import TextLine
from tui.tour.steps import END, END_OVER_REPORT, READING, STEPS, WELCOME, Step
from tui.tree.piece import Piece

if TYPE_CHECKING:
    from parsers.model.report import Report
    from tui.input.keys.registry import Command


class TourScreen(Browser):
    """The report of the tour. The step's key works as in any report; `q` or Esc with nothing open ends the tour."""

    offers_tour = False
    takes_first_view = True

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self.step = 0
        """Index of the step that is asked for; the number of steps at the end."""
        self.did_line = TextLine(id="tour-did")
        self.asks_line = TextLine(id="tour-asks")
        self._performed: set[str] = set()
        """Commands performed since the last step."""

    def on_mount(self) -> None:
        """Adds the lines of the tour."""
        self.mount(self.did_line, self.asks_line, before="#status")
        self._show_step()

    def begin(self) -> None:
        """Enables commands and follows them."""
        has_begun = self._has_begun
        super().begin()
        if not has_begun and self._has_begun:
            keyboard = self.interaction.keyboard
            before = keyboard.before

            def noted(command: Command) -> None:
                if before is not None:
                    before(command)
                self._performed.add(command.name)

            keyboard.before = noted

    def progressed(self) -> None:
        """Handles progress of the index: the steps begin when it is complete."""
        super().progressed()
        if not self.step:
            self._show_step()

    def on_key(self, event: events.Key) -> None:
        """Ends the tour with Esc, if there is nothing to close; else looks what the key did."""
        if event.key == "escape" and self._has_begun and self._is_idle:
            event.stop()
            event.prevent_default()
            self.leave()
        else:
            self.call_next(self._advance)

    @property
    def quit_label(self) -> str:
        """Effect of `q` in one word."""
        found = super().quit_label
        return "end tour" if found == "list" else found

    @property
    def _is_idle(self) -> bool:
        """True if no list, prompt or unfinished key is open."""
        is_typing = self.interaction.prompt is not None or bool(self.interaction.keyboard.pressed)
        return not is_typing and self.pane is self.tree_view and not self.has_list

    def _advance(self) -> None:
        """Goes to the next step if the key of this one has been pressed."""
        if not self.report.is_complete:
            self._performed.clear()
        elif self.step < len(STEPS) and self._is_done(STEPS[self.step]):
            self._performed.clear()
            self.step += 1
            self._show_step()

    def _is_done(self, step: Step) -> bool:
        view = step.check.removeprefix("view:")
        if view != step.check:
            return self.view.name == view and not self.has_list
        is_open = self.has_list or not step.opens
        return step.check in self._performed and is_open and self.interaction.prompt is None

    def _show_step(self) -> None:
        """Shows what the last key did, and what to press next."""
        did = STEPS[self.step - 1].did if self.step else WELCOME if self.report.is_complete else READING
        self.did_line.set_pieces([Piece(f" {did}", "status")])
        if self.step == len(STEPS):
            self.asks_line.set_pieces([Piece(f" {END if self.app.is_last_screen else END_OVER_REPORT}", "title")])
            return
        step = STEPS[self.step]
        number = Piece(f" Tour {self.step + 1}/{len(STEPS)}  ", "title-dim")
        self.asks_line.set_pieces([number, Piece(step.key, "key"), Piece(f" {step.asks}", "title")])
