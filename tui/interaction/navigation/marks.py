"""Marks (a letter each) and tags (any number) of a report, stored for its next opening.

A report is identified by its name and the start of its file, so a file that has grown or moved keeps its marks. A
place is a REF with its label: a different label there causes a message, since the file has changed.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass

from parsers.io.digest import blake2b
from tui.settings.state_folder import StateFolder

HEAD = 64 << 10
"""Bytes at the start of a file that identify it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a report that the user marked."""

    view: str
    ref: str
    label: str


def fingerprint(path: str) -> str:
    """Short identifier of a report file, from its base name and its first bytes; empty if unreadable."""
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
    except OSError:
        return ""
    digest = blake2b(head, digest_size=12)
    digest.update(os.path.basename(path).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


class Marks:
    """The marks and tags of one report."""

    def __init__(self, folder: StateFolder, report: str) -> None:
        self.folder = folder
        self._file = f"marks/{report}.json" if report else ""
        self.letters: dict[str, Mark] = {}
        self.tags: list[Mark] = []
        self._load()

    def set(self, letter: str, mark: Mark) -> None:
        """Sets a mark; the letter's old place is forgotten."""
        self.letters[letter] = mark
        self._save()

    def toggle_tag(self, mark: Mark) -> bool:
        """Tags or untags a place; True if it is tagged now."""
        same = [tag for tag in self.tags if (tag.view, tag.ref) == (mark.view, mark.ref)]
        if same:
            self.tags.remove(same[0])
        else:
            self.tags.append(mark)
        self._save()
        return not same

    def clear_tags(self) -> int:
        """Removes all tags; returns their number."""
        count = len(self.tags)
        self.tags.clear()
        if count:
            self._save()
        return count

    def _load(self) -> None:
        import json

        try:
            kept = json.loads(self.folder.read(self._file)) if self._file else {}
            self.letters = {
                letter: mark
                for letter, value in kept["marks"].items()
                if len(letter) == 1 and letter.isalpha() and (mark := _mark(value)) is not None
            }
            self.tags = [mark for value in kept["tags"] if (mark := _mark(value)) is not None]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            # No file yet, or a damaged one: begin without marks.
            self.letters, self.tags = {}, []

    def _save(self) -> None:
        if self._file:
            import json

            marks = {letter: asdict(mark) for letter, mark in sorted(self.letters.items())}
            kept = {"marks": marks, "tags": [asdict(tag) for tag in self.tags]}
            self.folder.write(self._file, json.dumps(kept, indent=1))


def _mark(value: object) -> Mark | None:
    texts = (value.get("view"), value.get("ref"), value.get("label")) if isinstance(value, dict) else ()
    if len(texts) == 3 and all(isinstance(text, str) for text in texts):
        return Mark(*map(str, texts))
    return None
