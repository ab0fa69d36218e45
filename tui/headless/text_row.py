"""Rows as lines of text for people: the REF, the kind, the label indented by depth, the numbers, the flags.

Texts of a report always pass `safe`: a pipe may end on a terminal too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parsers.model.report import Badge, Problem, Row, SectionRow

REF_WIDTH = 13
KIND_WIDTH = 14

DEEPEST = 500
"""Maximum levels of indentation: a path of a hundred thousand steps would be gigabytes of blanks."""

DIM, BOLD, KIND, NUMBER, FLAG = "2", "1", "36", "33", "31"
"""Codes of select graphic rendition; colours are the terminal's own sixteen."""

_NAMES = {"id_ref": "id-ref"}
_LAST = ("tag", "text")
"""Badges that are texts: they follow the numbers."""


class Painter:
    """Colours words, or leaves them unchanged."""

    def __init__(self, has_colours: bool) -> None:
        self.has_colours = has_colours

    def __call__(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[m" if self.has_colours and text else text


def row_line(paint: Painter, row: Row, depth: int | None = None) -> str:
    """One row as a line. `depth`: indentation of its label, by default none, at most DEEPEST levels."""
    ref = paint(f"{safe(row.ref):{REF_WIDTH}}", DIM)
    kind = paint(f"{safe(row.kind):{KIND_WIDTH}}", KIND)
    parts = [f"{ref} {kind} {'  ' * min(depth or 0, DEEPEST)}{safe(row.label)}"]
    parts += [paint(part, NUMBER) for part in badge_words(row.badges)]
    if row.rows_below and not row.is_growing:
        parts.append(paint(f"({row.rows_below:,} below)", DIM))
    if row.flags:
        parts.append(paint(f"[{', '.join(row.flags)}]", FLAG))
    return "  ".join(parts)


def badge_words(badges: Mapping[str, Badge]) -> list[str]:
    """Badges as `name=value`, numbers first; missing ones are omitted."""
    ordered = sorted(badges.items(), key=lambda badge: _LAST.index(badge[0]) if badge[0] in _LAST else -1)
    return [f"{_NAMES.get(name, name)}={safe(str(value))}" for name, value in ordered if value is not None]


def line_line(paint: Painter, line: int, text: str) -> str:
    """A line of the file that is not a row."""
    ref, kind = f"{f'line:{line}':{REF_WIDTH}}", f"{'line':{KIND_WIDTH}}"
    return f"{paint(ref, DIM)} {paint(kind, KIND)} {safe(text)}"


def section_line(paint: Painter, row: SectionRow) -> str:
    """One line of a section."""
    parts = [safe(row.label), safe(row.text), *(paint(word, NUMBER) for word in badge_words(row.badges))]
    return "  ".join([*(part for part in parts if part), *([paint(safe(row.ref), DIM)] if row.ref else [])])


def problem_line(problem: Problem, path: str) -> str:
    """One problem: file, place, description, and the action taken."""
    place = f" at byte {problem.offset:,}" if problem.offset is not None else ""
    line = f" (line {problem.line:,})" if problem.line is not None else ""
    what = f": {problem.what}" if problem.what and problem.what != problem.kind else ""
    done = f"; {problem.done}" if problem.done else ""
    return safe(f"{problem.file or path}: {problem.kind}{place}{line}{what}{done}")
