"""The text of a prompt and its cursor: operations of the editing keys, without a screen."""

from __future__ import annotations

LONGEST = 4000
"""Maximum characters of a prompt; further pasted text is dropped."""


class LineEditor:
    """One line of text with a cursor between its characters."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.cursor = len(text)

    def set(self, text: str) -> None:
        """Sets another text, with the cursor at its end."""
        self.text = text[:LONGEST]
        self.cursor = len(self.text)

    def insert(self, text: str) -> None:
        """Inserts text at the cursor. Unprintable characters such as line breaks and escapes are dropped."""
        added = "".join(character for character in text if character.isprintable())[: LONGEST - len(self.text)]
        self.text = self.text[: self.cursor] + added + self.text[self.cursor :]
        self.cursor += len(added)

    def move(self, characters: int) -> None:
        """Moves the cursor right, or left if negative."""
        self.cursor = min(max(self.cursor + characters, 0), len(self.text))

    def home(self) -> None:
        """Moves the cursor to the start."""
        self.cursor = 0

    def end(self) -> None:
        """Moves the cursor to the end."""
        self.cursor = len(self.text)

    def delete_left(self) -> None:
        """Deletes the character before the cursor."""
        if self.cursor:
            self.text = self.text[: self.cursor - 1] + self.text[self.cursor :]
            self.cursor -= 1

    def delete_right(self) -> None:
        """Deletes the character under the cursor."""
        self.text = self.text[: self.cursor] + self.text[self.cursor + 1 :]

    def delete_word(self) -> None:
        """Deletes the word before the cursor and the blanks after it, as a shell does."""
        kept = self.text[: self.cursor].rstrip()
        kept = kept[: len(kept) - len(kept.split(" ")[-1])]
        self.text = kept + self.text[self.cursor :]
        self.cursor = len(kept)

    def delete_to_start(self) -> None:
        """Deletes everything before the cursor."""
        self.text, self.cursor = self.text[self.cursor :], 0

    def delete_to_end(self) -> None:
        """Deletes everything from the cursor on."""
        self.text = self.text[: self.cursor]


class Recall:
    """Goes through earlier texts of a prompt, newest first; the unfinished text is kept as the newest.

    Only entries that begin with the unfinished text are used, as in a shell's history-search.
    """

    def __init__(self, entries: list[str]) -> None:
        self.entries = entries
        self._at: int | None = None
        self._begun = ""

    def reset(self) -> None:
        """Restarts from the edited text."""
        self._at = None

    def older(self, text: str) -> str:
        """Returns the previous entry; the same text if there is none."""
        if self._at is None:
            self._at, self._begun = len(self.entries), text
        return self._step(range(self._at - 1, -1, -1), text)

    def newer(self, text: str) -> str:
        """Returns the next entry, finally the unfinished text."""
        if self._at is None:
            return text
        at = self._at
        found = self._step(range(at + 1, len(self.entries)), text)
        if self._at == at:
            self._at, found = None, self._begun
        return found

    def containing(self, text: str) -> str | None:
        """Returns the next older entry that contains the text first searched for (`^r`); None if there is none."""
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
