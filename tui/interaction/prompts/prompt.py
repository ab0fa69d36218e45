"""The line at the bottom where something is typed: `/`, `&`, `:`, `o`, and questions.

A prompt knows how a line is edited, completed and remembered. What the text means, and what happens while it is typed,
is the business of its `Purpose`. Only prompt keys work in it; they come from the registry, context "prompt".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.segment import Segment
from rich.style import Style

from tui.input.keys.keyboard import Keyboard
from tui.interaction.prompts.line_editor import LineEditor, Recall
from tui.screen.sanitise import safe
from tui.tree.piece import Piece, cut, drop_cells, pad, segments, width_of

if TYPE_CHECKING:
    from textual import events
    from textual.timer import Timer

    from tui.input.keys.registry import Registry
    from tui.screen.frame import KeyLine
    from tui.screen.theme import Palette

CURSOR = Style(reverse=True)
"""How the character under the cursor differs."""

MOST_SHOWN = 8
"""Completions that are shown at the right."""


@dataclass(slots=True)
class Purpose:
    """What a prompt is for. All callbacks are optional but `accept`."""

    sign: str
    """What stands before the text."""
    accept: Callable[[str], object]
    """Enter was pressed. The prompt is closed before."""
    change: Callable[[str], object] | None = None
    """The text is another one."""
    cancel: Callable[[], object] | None = None
    """Esc was pressed. The prompt is closed before."""
    complete: Callable[[str], Sequence[str]] | None = None
    """Whole texts that Tab could make of the text."""
    kinds: Callable[[], object] | None = None
    """`^t` was pressed: another kind of pattern."""
    move: Callable[[int], bool] | None = None
    """Up (-1) or Down (1) in a list above the prompt; False: there is none, walk the history."""
    sideways: Callable[[int], bool] | None = None
    """Left (-1) or Right (1) in something above the prompt; False: move in the text."""
    history: str = ""
    """Name of the history of texts; empty: none."""
    text: str = ""
    """What is there at first."""
    proposal: str = ""
    """What stands behind it until something is typed, which replaces it; all other keys take it as typed."""
    status: list[Piece] = field(default_factory=list)
    """At the right: counts, progress, the kind of pattern."""


class Prompt:
    """What is typed on the key line; `finish` gives that back.

    No widget of its own: one that came and went would have the whole screen laid out, and the focus moved, at each
    prompt. The screen passes its keys on instead.
    """

    def __init__(
        self,
        purpose: Purpose,
        line: KeyLine,
        registry: Registry,
        entries: list[str],
        closed: Callable[[Prompt], None],
        say: Callable[[str, str], None],
    ) -> None:
        self.purpose = purpose
        self._key_line = line
        self.line = LineEditor(purpose.text + purpose.proposal)
        self._proposal = purpose.proposal
        self.recall = Recall(entries)
        self._when_closed = closed
        self._say = say
        self._choices: Sequence[str] = ()
        self._choice = -1
        self.keyboard = Keyboard(self, registry, "prompt")

    @property
    def text(self) -> str:
        """What is typed so far."""
        return self.line.text

    # -- what the prompt's commands do (tui/input/commands/typing.py) --------------------------------------------

    def accept(self) -> None:
        """Enter."""
        self.finish()
        self.purpose.accept(self.text)

    def cancel(self) -> None:
        """Esc."""
        self.finish()
        if self.purpose.cancel is not None:
            self.purpose.cancel()

    def finish(self) -> None:
        """Take the prompt away."""
        self.keyboard.clear()
        self._when_closed(self)

    def edit(self, step: Callable[[LineEditor], object]) -> None:
        """Change the line or move in it."""
        before = self.text
        self._proposal = ""
        step(self.line)
        if self.text != before:
            self.recall.reset()
            self._changed()
        self.refresh()

    def replace(self, text: str) -> None:
        """Another text, from the history or a completion."""
        self._proposal = ""
        if text != self.text:
            self.line.set(text)
            self._changed()
            self.refresh()

    def walk(self, direction: int) -> None:
        """Up and Down: the list above, or the history."""
        if self.purpose.move is not None and self.purpose.move(direction):
            return
        self.replace(self.recall.older(self.text) if direction < 0 else self.recall.newer(self.text))

    def step(self, direction: int) -> None:
        """Left and Right: what is above, or the text."""
        if self.purpose.sideways is None or not self.purpose.sideways(direction):
            self.edit(lambda line: line.move(direction))

    def search_history(self) -> None:
        """The next older text that holds what is typed."""
        found = self.recall.containing(self.text)
        if found is None:
            self._say("nothing older holds this", "information")
        else:
            self.replace(found)

    def complete(self) -> None:
        """Tab: what all completions begin with, then each in turn."""
        if self.purpose.complete is None:
            return
        if not self._choices:
            found = list(self.purpose.complete(self.text))
            if not found:
                self._say("nothing completes this", "information")
                return
            common = _common_start(found)
            self._choices, self._choice = found, -1
            if len(common) > len(self.text):
                self._put(common)
                if len(found) == 1:
                    self._choices = ()
                return
            self.show_status([Piece(f"{'  '.join(map(safe, found[:MOST_SHOWN]))} ", "hint")])
        self._choice = (self._choice + 1) % len(self._choices)
        self._put(self._choices[self._choice])

    def other_kind(self) -> None:
        """`^t`."""
        if self.purpose.kinds is not None:
            self.purpose.kinds()

    def _put(self, text: str) -> None:
        choices, choice = self._choices, self._choice
        self.replace(text)
        self._choices, self._choice = choices, choice

    def _changed(self) -> None:
        self._choices, self._choice = (), -1
        if self.purpose.change is not None:
            self.purpose.change(self.text)

    # -- what the keyboard needs --------------------------------------------------------------------------------------

    def say(self, text: str, kind: str = "information") -> None:
        """One line for the user."""
        self._say(text, kind)

    def show_hints(self, hints: list[tuple[str, str]] | None) -> None:
        """Prompts have no sequences."""

    def set_timer(self, delay: float, callback: Callable[[], Any]) -> Timer:
        """Textual's."""
        return self._key_line.set_timer(delay, callback)

    # -- the line -----------------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Draw it in place of the keys."""
        self._key_line.draw_over(self.line_segments)

    def hide(self) -> None:
        """Show the keys again."""
        self._key_line.draw_over(None)

    def refresh(self) -> None:
        """Draw it again."""
        self._key_line.refresh()

    def show_status(self, status: list[Piece]) -> None:
        """What stands at the right."""
        self.purpose.status = status
        self.refresh()

    def press(self, event: events.Key) -> None:
        """Characters are typed; all other keys are commands of prompts."""
        if event.is_printable and event.character is not None:
            event.stop()
            event.prevent_default()
            self._type(event.character)
        else:
            self.keyboard.press(event)

    def paste(self, pasted: str) -> None:
        """Pasted text is typed, up to its first line end."""
        self._type((pasted.strip().splitlines() or [""])[0])

    def _type(self, text: str) -> None:
        if self._proposal:
            self.line.set(self.text.removesuffix(self._proposal))
        self.edit(lambda line: line.insert(text))

    def line_segments(self, palette: Palette, width: int) -> list[Segment]:
        """The sign, the text around the cursor, what is said at the right."""
        sign = safe(self.purpose.sign)
        status = [Piece("  "), *self.purpose.status] if self.purpose.status else []
        room = width - width_of(sign) - 1
        taken = sum(width_of(piece.text) for piece in status)
        if taken > room - 16:
            status, taken = [], 0
        room -= taken
        before, after = safe(self.text[: self.line.cursor]), safe(self.text[self.line.cursor :])
        hidden = max(0, width_of(before) - room + 1)
        under, rest = after[:1] or " ", after[1:]
        proposal = safe(self._proposal) if not hidden else ""
        typed = [Piece(drop_cells(before.removesuffix(proposal), hidden)), Piece(proposal, "hint")]
        line = segments(cut([Piece(sign, "prompt"), *typed], width), palette, "panel")
        line.append(Segment(under, palette.style("prompt", "panel") + CURSOR))
        left = width - taken - sum(segment.cell_length for segment in line)
        return line + segments([*pad(cut([Piece(rest)], max(0, left)), max(0, left)), *status], palette, "panel")


def _common_start(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    length = next((index for index, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:length]
