"""Histories: places the cursor jumped from, and texts typed at prompts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tui.settings.state_folder import StateFolder

PLACES = 1000
"""Maximum jumps that are remembered."""

ENTRIES = 500
"""Maximum texts stored for each prompt."""


@dataclass(frozen=True, slots=True)
class CursorPosition:
    """A position of the cursor: the node of a view, and its REF, which stays valid when the file is read again."""

    view: str
    node: int
    ref: str = ""


class Jumps:
    """Places before and after the present one, like the history of a web browser."""

    def __init__(self) -> None:
        self.before: list[CursorPosition] = []
        self.after: list[CursorPosition] = []
        self.last: CursorPosition | None = None
        """Target of `''`."""

    def add(self, place: CursorPosition) -> None:
        """Records the place before a jump."""
        self.last = place
        if not self.before or self.before[-1] != place:
            self.before.append(place)
            del self.before[:-PLACES]
        self.after.clear()

    def retain_views(self, is_there: Callable[[str], bool]) -> None:
        """Forgets places in views that are gone."""
        self._map(lambda place: place if is_there(place.view) else None)

    def renewed(self, view: str, places: Callable[[int], int | None]) -> None:
        """Maps places of a rebuilt view; places without a new node are forgotten."""

        def now(place: CursorPosition) -> CursorPosition | None:
            if place.view != view:
                return place
            node = places(place.node)
            return None if node is None else replace(place, node=node)

        self._map(now)

    def _map(self, now: Callable[[CursorPosition], CursorPosition | None]) -> None:
        """Replaces each place; None: it is forgotten."""
        self.before[:] = filter(None, map(now, self.before))
        self.after[:] = filter(None, map(now, self.after))
        self.last = None if self.last is None else now(self.last)

    def back(self, here: CursorPosition) -> CursorPosition | None:
        """Goes back one place; None at the oldest."""
        return self._walk(self.before, self.after, here)

    def forward(self, here: CursorPosition) -> CursorPosition | None:
        """Goes forward one place if the last move was back."""
        return self._walk(self.after, self.before, here)

    def swap(self, here: CursorPosition) -> CursorPosition | None:
        """Exchanges the present place and the one before the last jump."""
        place, self.last = self.last, here
        return place

    def _walk(
        self, source: list[CursorPosition], target: list[CursorPosition], here: CursorPosition
    ) -> CursorPosition | None:
        while source:
            place = source.pop()
            if place != here:
                target.append(here)
                self.last = here
                return place
        return None


class Typed:
    """Texts typed at the prompts, oldest first, stored in the state folder: one file a prompt, one line a text."""

    def __init__(self, folder: StateFolder) -> None:
        self.folder = folder
        self._entries: dict[str, list[str]] = {}

    def entries(self, prompt: str) -> list[str]:
        """Texts typed at a prompt (`search`, `command`, `goto` …); the list itself, which grows."""
        if prompt not in self._entries:
            lines = self.folder.read(f"history-{prompt}").splitlines()
            self._entries[prompt] = [line for line in lines if line.isprintable() and line][-ENTRIES:]
        return self._entries[prompt]

    def completions(self, prompt: str, text: str) -> list[str]:
        """Earlier texts that begin with a typed one, newest first."""
        return [entry for entry in reversed(self.entries(prompt)) if entry.startswith(text) and entry != text]

    def add(self, prompt: str, text: str) -> None:
        """Stores a text; an earlier equal one moves to the end."""
        if not text.strip() or not text.isprintable():
            return
        entries = self.entries(prompt)
        if text in entries:
            entries.remove(text)
        entries.append(text)
        del entries[:-ENTRIES]
        self.folder.write(f"history-{prompt}", "".join(f"{entry}\n" for entry in entries))
