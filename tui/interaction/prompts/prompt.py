"""The input line at the bottom: `/`, `&`, `:`, `o`, and questions.

A prompt handles editing, completion and history of a line. Its `Purpose` interprets the text and reacts to changes.
Only prompt keys are active; they are from the registry, context "prompt".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

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
    from tui.screen.text_line import KeyLine
    from tui.screen.theme import Palette

CURSOR = Style(reverse=True)
"""Style of the character under the cursor."""

MOST_SHOWN = 8
"""Maximum completions shown at the right."""


@dataclass(slots=True)
class Purpose:
    """The purpose of a prompt. All callbacks but `accept` are optional."""

    sign: str
    """Sign before the text."""
    accept: Callable[[str], object]
    """Called on Enter, after the prompt was closed."""
    change: Callable[[str], object] | None = None
    """Called when the text has changed."""
    cancel: Callable[[], object] | None = None
    """Called on Esc, after the prompt was closed."""
    complete: Callable[[str], Sequence[str]] | None = None
    """Returns texts to which Tab could complete the text before the cursor, as a whole."""
    kinds: Callable[[], object] | None = None
    """Called on `^t`: selects another kind of pattern."""
    move: Callable[[int], object] | None = None
    """Moves Up (-1) or Down (1) in a list above the prompt. Returns False if there is none: the history is used."""
    page: Callable[[int], object] | None = None
    """Moves by a page in a list above the prompt, up (-1) or down (1)."""
    joined: Callable[[str], str] | None = None
    """Returns pasted text as one line; None: its first line is taken."""
    sideways: Callable[[int], object] | None = None
    """Moves Left (-1) or Right (1) in a bar above the prompt; None: in the text."""
    history: str = ""
    """Name of the history of texts; empty: none."""
    text: str = ""
    """The initial text."""
    proposal: str = ""
    """Proposal shown after the text. A typed character replaces it; all other keys accept it."""
    status: list[Piece] = field(default_factory=list)
    """Pieces at the right: counts, progress, the kind of pattern."""


class Prompt:
    """The input on the key line; `finish` restores the key line.

    It is not a widget: adding and removing one would cause a new layout of the whole screen and move the focus at each
    prompt. The screen passes its keys on instead.
    """

    def __init__(
        self,
        purpose: Purpose,
        line: KeyLine,
        registry: Registry,
        entries: list[str],
        closed: Callable[[Prompt], None],
        show_message: Callable[..., None],
    ) -> None:
        self.purpose = purpose
        self._key_line = line
        self.line = LineEditor(purpose.text + purpose.proposal)
        self._proposal = purpose.proposal
        self.recall = Recall(entries)
        self._when_closed = closed
        self.show_message = show_message
        """Shows a one-line message."""
        self._choices: Sequence[str] = ()
        self._choice = -1
        self.keyboard = Keyboard(self, registry, "prompt")

    @property
    def text(self) -> str:
        """The typed text."""
        return self.line.text

    # -- what the prompt's commands do (tui/input/commands/typing.py) --------------------------------------------

    def accept(self) -> None:
        """Handles Enter."""
        self.finish()
        self.purpose.accept(self.text)

    def cancel(self) -> None:
        """Handles Esc."""
        self.finish()
        if self.purpose.cancel is not None:
            self.purpose.cancel()

    def finish(self) -> None:
        """Closes the prompt."""
        self.keyboard.clear()
        self._when_closed(self)

    def edit(self, step: Callable[[LineEditor], object]) -> None:
        """Edits the line or moves in it."""
        before = self.text
        self._proposal = ""
        step(self.line)
        if self.text != before:
            self.recall.reset()
            self._changed()
        self.refresh()

    def replace(self, text: str) -> None:
        """Replaces the text, from the history or a completion."""
        self._proposal = ""
        if text != self.text:
            self.line.set(text)
            self._changed()
            self.refresh()

    def walk(self, direction: int) -> None:
        """Handles Up and Down: in the list above, or the history."""
        if self.purpose.move is not None and self.purpose.move(direction) is not False:
            return
        self.replace(self.recall.older(self.text) if direction < 0 else self.recall.newer(self.text))

    def page(self, direction: int) -> None:
        """Handles PgUp and PgDn: moves in the list above."""
        if self.purpose.page is not None:
            self.purpose.page(direction)

    def step(self, direction: int) -> None:
        """Handles Left and Right: in the bar above, or the text."""
        if self.purpose.sideways is None:
            self.edit(lambda line: line.move(direction))
        else:
            self.purpose.sideways(direction)

    def search_history(self) -> None:
        """Goes to the next older text that contains the typed text."""
        found = self.recall.containing(self.text)
        if found is None:
            self.show_message("No earlier text contains this.")
        else:
            self.replace(found)

    def complete(self) -> None:
        """Handles Tab: completes the common start of all completions, then shows each in turn."""
        if self.purpose.complete is None:
            return
        if not self._choices:
            before = self.text[: self.line.cursor]
            found = list(self.purpose.complete(before))
            if not found:
                self.show_message("No completions.")
                return
            common = _common_start(found)
            self._choices, self._choice = found, -1
            if len(common) > len(before):
                self._put(common)
                if len(found) == 1:
                    self._choices = ()
                return
            start = before.rfind(" ") + 1
            shown = [safe(each[start:]) for each in found[:MOST_SHOWN]]
            self.show_status([Piece(f"{'  '.join(shown)} ", "hint")])
        self._choice = (self._choice + 1) % len(self._choices)
        self._put(self._choices[self._choice])

    def other_kind(self) -> None:
        """Selects another kind of pattern (`^t`)."""
        if self.purpose.kinds is not None:
            self.purpose.kinds()

    def _put(self, text: str) -> None:
        """Replaces the text before the cursor."""
        choices, choice = self._choices, self._choice
        after = self.text[self.line.cursor :]
        self.replace(text + after)
        self.line.cursor = max(0, len(self.text) - len(after))
        self._choices, self._choice = choices, choice

    def _changed(self) -> None:
        self._choices, self._choice = (), -1
        if self.purpose.change is not None:
            self.purpose.change(self.text)

    # -- what the keyboard needs --------------------------------------------------------------------------------------

    def show_hints(self, hints: list[tuple[str, str]] | None) -> None:
        """Does nothing: prompts have no sequences."""

    def set_timer(self, delay: float, callback: Callable[[], object]) -> Timer:
        """Sets a timer of Textual."""
        return self._key_line.set_timer(delay, callback)

    # -- the line -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Draws the prompt again."""
        self._key_line.refresh()

    def show_status(self, status: list[Piece]) -> None:
        """Sets the pieces at the right."""
        self.purpose.status = status
        self.refresh()

    def press(self, event: events.Key) -> None:
        """Inserts characters; handles all other keys as commands of prompts."""
        if event.is_printable and event.character is not None:
            event.stop()
            event.prevent_default()
            self._type(event.character)
        else:
            self.keyboard.press(event)

    def paste(self, pasted: str) -> None:
        """Inserts pasted text up to its first line end, or all of it if the purpose joins lines."""
        joined = self.purpose.joined
        self._type((pasted.strip().splitlines() or [""])[0] if joined is None else joined(pasted))

    def _type(self, text: str) -> None:
        if self._proposal:
            self.line.set(self.text.removesuffix(self._proposal))
        self.edit(lambda line: line.insert(text))

    def line_segments(self, palette: Palette, width: int) -> list[Segment]:
        """The sign, the text around the cursor, and the status at the right."""
        sign = safe(self.purpose.sign)
        status = [Piece("  "), *self.purpose.status] if self.purpose.status else []
        space = width - width_of(sign) - 1
        taken = sum(width_of(piece.text) for piece in status)
        if taken > space - 16:
            status, taken = [], 0
        space -= taken
        before, after = safe(self.text[: self.line.cursor]), safe(self.text[self.line.cursor :])
        hidden = max(0, width_of(before) - space + 1)
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
