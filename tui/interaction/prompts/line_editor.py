"""The text of a prompt and its cursor: what the editing keys do, without a screen."""

from __future__ import annotations

LONGEST = 4000
"""Characters of a prompt; what is pasted beyond is dropped."""


class LineEditor:
    """One line of text with a cursor between its characters."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.cursor = len(text)
        self.killed = ""
        """What `^k`, `^u` or `^w` took last."""

    def set(self, text: str) -> None:
        """Another text, cursor at its end."""
        self.text = text[:LONGEST]
        self.cursor = len(self.text)

    def insert(self, text: str) -> None:
        """Put text at the cursor. Only its printable characters: a line break or escape can't be typed."""
        added = "".join(character for character in text if character.isprintable())[: LONGEST - len(self.text)]
        self.text = self.text[: self.cursor] + added + self.text[self.cursor :]
        self.cursor += len(added)

    def move(self, characters: int) -> None:
        """Cursor to the right, or left if negative."""
        self.cursor = min(max(self.cursor + characters, 0), len(self.text))

    def home(self) -> None:
        """Cursor to the start."""
        self.cursor = 0

    def end(self) -> None:
        """Cursor to the end."""
        self.cursor = len(self.text)

    def delete_left(self) -> None:
        """Take the character before the cursor."""
        if self.cursor:
            self.text = self.text[: self.cursor - 1] + self.text[self.cursor :]
            self.cursor -= 1

    def delete_right(self) -> None:
        """Take the character under the cursor."""
        self.text = self.text[: self.cursor] + self.text[self.cursor + 1 :]

    def delete_word(self) -> None:
        """Take the word before the cursor and the blanks after it, as a shell does."""
        kept = self.text[: self.cursor].rstrip()
        kept = kept[: len(kept) - len(kept.split(" ")[-1])]
        self.killed = self.text[len(kept) : self.cursor]
        self.text = kept + self.text[self.cursor :]
        self.cursor = len(kept)

    def delete_to_start(self) -> None:
        """Take everything before the cursor."""
        self.killed, self.text, self.cursor = self.text[: self.cursor], self.text[self.cursor :], 0

    def delete_to_end(self) -> None:
        """Take everything from the cursor on."""
        self.killed, self.text = self.text[self.cursor :], self.text[: self.cursor]


class Recall:
    """Walks through what was typed before at a prompt, newest first; the text begun is kept at the near end.

    With a text begun only those entries count that begin with it, as in a shell's history-search.
    """

    def __init__(self, entries: list[str]) -> None:
        self.entries = entries
        self._at: int | None = None
        self._begun = ""

    def reset(self) -> None:
        """The text was edited: the next step starts from it."""
        self._at = None

    def older(self, text: str) -> str:
        """The entry before; the same text if there is none."""
        if self._at is None:
            self._at, self._begun = len(self.entries), text
        return self._step(range(self._at - 1, -1, -1), text)

    def newer(self, text: str) -> str:
        """The entry after, at last the text begun."""
        if self._at is None:
            return text
        at = self._at
        found = self._step(range(at + 1, len(self.entries)), text)
        if self._at == at:
            self._at, found = None, self._begun
        return found

    def containing(self, text: str) -> str | None:
        """The next older entry that contains the text first searched for (`^r`); None if there is no further one."""
        if self._at is None:
            self._at, self._begun = len(self.entries), text
        for index in range(self._at - 1, -1, -1):
            if self._begun.lower() in self.entries[index].lower():
                self._at = index
                return self.entries[index]
        return None

    def _step(self, indexes: range, text: str) -> str:
        for index in indexes:
            if self.entries[index].startswith(self._begun) and self.entries[index] != text:
                self._at = index
                return self.entries[index]
        return text
