"""Parts of lines of text for people: colours, badges, sections, problems.

Texts of a report always pass `safe`: a pipe may end on a terminal too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.model.names.ref_number import is_number_of
from parsers.model.report import file_name
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from parsers.model.report import Problem
    from parsers.model.row import Badge, Section

DIM, BOLD, KIND, NUMBER, FLAG = "2", "1", "36", "33", "31"
"""Codes of select graphic rendition; colours are the terminal's own sixteen."""

_NAMES = {"id_ref": "id-ref"}
MOST_ALIGNED = 40
"""Maximum width of the labels of a section before their texts."""

_LAST = ("tag", "text")
"""Badges that are texts: they follow the numbers."""


class Painter:
    """Colours words, or leaves them unchanged."""

    def __init__(self, has_colours: bool) -> None:
        self.has_colours = has_colours

    def __call__(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[m" if self.has_colours and text else text


def badge_words(badges: Mapping[str, Badge]) -> list[str]:
    """Badges as `name=value`, numbers first; missing ones are omitted."""
    ordered = sorted(badges.items(), key=lambda badge: _LAST.index(badge[0]) if badge[0] in _LAST else -1)
    return [f"{_NAMES.get(name, name)}={value_text(name, value)}" for name, value in ordered if value is not None]


def value_text(name: str, value: Badge) -> str:
    """A value for people: numbers grouped in thousands, but not those that are names."""
    return f"{value:,}" if type(value) is int and not is_number_of(name) else safe(str(value))


def section_lines(paint: Painter, section: Section) -> Iterator[str]:
    """The lines of a section: its title, then its rows with their texts below each other."""
    yield paint(safe(section.title), BOLD)
    labels = [safe(row.label) for row in section.rows]
    widths = [len(label) for label, row in zip(labels, section.rows, strict=True) if row.text or row.badges]
    width = min(MOST_ALIGNED, max(widths, default=0))
    for label, row in zip(labels, section.rows, strict=True):
        parts = [safe(row.text), *(paint(word, NUMBER) for word in badge_words(row.badges))]
        # A REF that repeats the label adds nothing.
        ref = row.ref if row.ref and row.ref.partition(":")[2] not in (row.label, row.text) else ""
        rest = [part for part in (*parts, paint(safe(ref), DIM)) if part]
        yield "  " + "  ".join([label.ljust(width) if rest else label, *rest]).rstrip()
    if section.more:
        yield paint(f"  … and {section.more:,} more", DIM)


def joined(cells: Sequence[str], widths: Sequence[int], right: Collection[int]) -> str:
    """Cells as one line of columns. `right`: the columns of numbers."""
    padded = (
        cell.rjust(width) if number in right else cell.ljust(width)
        for number, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join(padded).rstrip()


def aligned(lines: Sequence[Sequence[str]], right: Collection[int]) -> Iterator[str]:
    """Lines of cells as texts with columns of equal width. `right`: the columns of numbers."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return (joined(line, widths, right) for line in lines)


def problem_line(problem: Problem, path: str) -> str:
    """One problem: file, place, description, and the action taken."""
    place = f" at byte {problem.offset:,}" if problem.offset is not None else ""
    line = f" (line {problem.line:,})" if problem.line is not None else ""
    what = f": {problem.what}" if problem.what and problem.what != problem.kind else ""
    done = f"; {problem.done}" if problem.done else ""
    return safe(f"{file_name(problem.file or path)}: {problem.kind}{place}{line}{what}{done}")
