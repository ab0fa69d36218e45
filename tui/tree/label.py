"""The label of a row as pieces with roles, shortened to the available cells.

Package and arguments are dim, the class plain, the method bold. A tree leaves out loaders and the packages of
arguments. A narrow row leaves out more, in steps, so that the most distinctive part is dropped last. Text of a file
passes `safe` here, is cut before it is measured, and is never markup.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

from parsers.model.row import Row, Span
from tui.screen.sanitise import safe
from tui.tree.piece import MATCHES, Piece, cut, drop_cells, line_width, match_in_sight, width_of

MOST_CHARACTERS = 10_000
"""Maximum characters of a label; a longer one is cut, and the row shows its length."""

FULL, PLAIN, SHORT, BRIEF, INITIALS, BARE = range(6)
"""Lengths of names, longest first: everything; without loader and the packages of arguments; with the first two parts
of the package as letters and without result; without arguments; with the whole package as letters; without package."""

LEFT_OUT = {"loader", "argument package", "result package"}
"""Roles that a tree shows only in full names."""

TYPE = ("loader", "package", "class")
"""Roles of the parts of a type."""

SHORTENED = LEFT_OUT | {"package"}
"""Roles whose text depends on the length of names."""

is_word = re.compile(r"\w")

Part = tuple[str, str, int]
"""A text, its role, and its start in the label."""

Matches = Sequence[tuple[int, int]]
"""Characters of the label, half open, ascending."""


def without_parent_type(row: Row, parent: Row, has_remark: bool) -> tuple[Row, int]:
    """Removes the type from the beginning of a label if the parent's label is that type; its values or members differ.

    Returns the row, and the number of characters removed: 0 if nothing would be left.
    """
    start, end = leading_type(row)
    if not end or any(span.role not in TYPE for span in parent.spans):
        return row, 0
    if row.label[start:end] != parent.label[slice(*leading_type(parent))]:
        return row, 0
    end += row.label.startswith(".", end)
    if end == len(row.label) and not has_remark:
        return row, 0
    spans = tuple(Span(span.start - end, span.end - end, span.role) for span in row.spans if span.start >= end)
    return replace(row, label=row.label[end:], spans=spans), end


def leading_type(row: Row) -> tuple[int, int]:
    """Characters [start, end) of the type, without its loader, with which a label begins; (0, 0): none."""
    at = start = 0
    for span in row.spans:
        if span.start > at + 1 or span.role not in TYPE:
            break
        if span.role == "class":
            return start, span.end
        at = span.end
        start = start if span.role == "package" else at + 1
    return 0, 0


def fitted_label(row: Row, names: int, space: int, matches: Matches = (), is_current: bool = False) -> list[Piece]:
    """Returns the label at the given length of names or shorter if it does not fit; the method's name is dropped last.

    With matches, the part of the label around the first match that fits.
    """
    if matches or names == FULL:
        for length in range(names, BARE + 1) if can_be_short(row, names, matches) else ():
            pieces = label_pieces(row, length, matches, is_current)
            if shows_all(pieces, matches) and line_width(pieces) <= space:
                return pieces
        pieces = matched_label(row, names, matches, is_current)
        return pieces if line_width(pieces) <= space else around_match(pieces, space)
    text, tail = _shown_text(row), _tail(row)
    space -= line_width(tail)
    tried: dict[int, tuple[list[Part], int]] = {}

    def fits(length: int) -> bool:
        parts = _parts_at(row, text, length)
        tried[length] = parts, width_of("".join([part[0] for part in parts]))
        return tried[length][1] <= space

    length = names
    if not fits(names):
        length = bisect_left(range(BARE), True, lo=names + 1, hi=BARE, key=fits)
        if length not in tried:
            fits(length)
    parts, width = tried[length]
    pieces = [Piece(shown, role) for shown, role, _ in with_quiet_signs(parts)] + tail
    return pieces if width <= space else without_front(pieces, width - space)


def matched_label(row: Row, names: int, matches: Matches, is_current: bool) -> list[Piece]:
    """Returns the label with its matches; parts left out in trees are shown only if a match is in them."""
    if names != FULL:
        pieces = label_pieces(row, PLAIN, matches, is_current)
        if shows_all(pieces, matches):
            return pieces
    return label_pieces(row, FULL, matches, is_current)


def can_be_short(row: Row, names: int, matches: Matches) -> bool:
    """True if names may be shortened: no match is in a part that would change."""
    kept = [(span.start, span.end) for span in row.spans if span.role in SHORTENED]
    return names != FULL and not any(start < to and end > at for start, end in matches for at, to in kept)


def shows_all(pieces: Sequence[Piece], matches: Matches) -> bool:
    """True if the pieces of a label contain all of its matches."""
    shown = sum(len(piece.text) for piece in pieces if piece.role in MATCHES)
    return shown == sum(end - start for start, end in matches)


def around_match(pieces: list[Piece], space: int) -> list[Piece]:
    """Cuts a label that is too long: keeps the first match, and the method's name if that is near enough before it."""
    cropped = match_in_sight(pieces, space)
    name = next((piece for piece in pieces if piece.role == "name" or piece.role in MATCHES), None)
    if cropped == pieces or name is None or name.role != "name" or name in cropped:
        return cropped
    front = cut([name], space // 2)
    return [*front, *match_in_sight(pieces, space - line_width(front))]


def label_pieces(row: Row, names: int, matches: Matches = (), is_current: bool = False) -> list[Piece]:
    """Returns the label as pieces with roles, exactly at the given length of names."""
    parts = with_quiet_signs(_parts_at(row, _shown_text(row), names))
    pieces = with_matches(parts, matches, is_current) if matches else [Piece(shown, role) for shown, role, _ in parts]
    return pieces + _tail(row)


def _shown_text(row: Row) -> str:
    """Returns the label, safe, and cut to the maximum length."""
    return safe(row.label if len(row.label) <= MOST_CHARACTERS else row.label[:MOST_CHARACTERS])


def _tail(row: Row) -> list[Piece]:
    """Remark after a label that was cut."""
    is_cut = len(row.label) > MOST_CHARACTERS
    return [Piece(f"… {len(row.label):,} characters", "flag")] if is_cut else []


def _parts_at(row: Row, text: str, names: int) -> list[Part]:
    """Returns the parts of a label at a length of names."""
    parts = parts_of(row, text, names)
    return without_tail(parts, keeps_arguments=names < BRIEF) if names >= SHORT else parts


def whole_label(row: Row, shown: Collection[str] = ()) -> list[Piece]:
    """Label for the head of a pane: without the loader, and without the package if its class is shown already."""
    text = safe(row.label[:MOST_CHARACTERS])
    start = max((span.end + 1 for span in row.spans if span.role == "loader"), default=0)
    package_start = package_end = start
    for package, holder in pairwise(row.spans):
        if (package.role, holder.role) == ("package", "class") and row.label[package.start : holder.end] in shown:
            package_start, package_end = package.start, holder.start
            break
    return [
        Piece(part[max(0, start - offset) :], role)
        for part, role, offset in with_quiet_signs(parts_of(row, text, FULL))
        if offset + len(part) > start and not package_start <= offset < package_end
    ]


def short_label(row: Row) -> str:
    """Returns the unmodified label without package and loader."""
    kept, position = "", 0
    for span in row.spans:
        kept += row.label[position : span.start]
        position = span.end
        if span.role not in ("loader", "package"):
            kept += row.label[span.start : span.end]
        elif row.label.startswith((".", ":"), position):
            position += 1
    return kept + row.label[position:]


def parts_of(row: Row, text: str, names: int) -> list[Part]:
    """Splits the label where its spans begin and end; each span has the given length of names."""
    parts: list[Part] = []
    position, length = 0, len(text)
    for span in row.spans:
        start, end, role = span.start, span.end, span.role
        if end > length:
            end = length
        if start < position:
            start = position
        elif start > position:
            parts.append((text[position:start], "text", position))
        if end <= start:
            continue
        shown = text[start:end]
        if names != FULL and role in SHORTENED:
            shown = shortened(shown, role, names)
        if shown:
            parts.append((shown, role, start))
        elif text.startswith((".", ":"), end):
            # The dot after a package, or the colon after a loader, is removed with it.
            end += 1
        position = end
    if position < length:
        parts.append((text[position:], "text", position))
    return parts


def with_quiet_signs(parts: list[Part]) -> list[Part]:
    """Makes parentheses, commas and colons after a method's name as dim as the arguments between them."""
    name = next((index for index, part in enumerate(parts) if part[1] == "name"), len(parts))
    return [
        (text, "argument", offset) if index > name and role == "text" and not is_word.search(text) else part
        for index, part in enumerate(parts)
        for text, role, offset in (part,)
    ]


def shortened(text: str, role: str, names: int) -> str:
    """Returns a span of a name at a length of names."""
    if names >= PLAIN and role in LEFT_OUT:
        return ""
    if role == "package" and names >= SHORT:
        return "" if names >= BARE else short_package(text, 2 if names < INITIALS else None)
    return text


def short_package(text: str, parts: int | None = 2) -> str:
    """Shortens `org.h2.tools` to `o.h2.tools`: the first parts (None: all) as a letter, unless hardly longer."""
    words = text.split(".")
    most = len(words) if parts is None else parts
    return ".".join(word[:1] if index < most and len(word) > 2 else word for index, word in enumerate(words))


def without_tail(parts: list[Part], keeps_arguments: bool) -> list[Part]:
    """Removes the result of a method, and optionally its arguments; the place of the call stays."""
    name = next((index for index, part in enumerate(parts) if part[1] == "name"), None)
    if name is None:
        return parts
    tail = parts[name + 1 :]
    place = next((index for index, part in enumerate(tail) if part[1] == "place"), len(tail))
    tail, places = tail[:place], tail[place:]
    result = next((index for index, part in enumerate(tail) if part[1] == "result"), None)
    if result is not None:
        # The text before the result is `):`.
        tail = tail[:result]
        if tail and tail[-1][1] == "text":
            tail[-1] = (tail[-1][0].removesuffix(":"), "text", tail[-1][2])
    opening = next((part for part in tail if part[1] == "text" and part[0].startswith("(")), None)
    if not keeps_arguments and opening is not None and any(part[1] == "argument" for part in tail):
        tail = [("(…)", "argument", opening[2])]
    return [*parts[: name + 1], *tail, *places]


def without_front(pieces: list[Piece], cells: int) -> list[Piece]:
    """Shortens a name by `cells`: removes the beginning of its class, or all of it.

    The method is removed last. The place of the call is shortened from its start, after arguments and class.
    """
    name = next((index for index, piece in enumerate(pieces) if piece.role == "name"), None)
    if name is None:
        return pieces
    place = next((index for index, piece in enumerate(pieces) if piece.role == "place"), None)
    if place is not None:
        arguments = [piece for piece in pieces[name + 1 : place] if piece.role == "argument"]
        cells -= line_width(arguments)
        pieces = [piece for piece in pieces if piece not in arguments]
    if cells <= 0 or (not name and place is None):
        return pieces
    front = "".join(piece.text for piece in pieces[:name])
    left = drop_cells(front, cells + 1) if width_of(front) >= cells + 3 else ""
    if name:
        pieces = [Piece("…" + left, "class"), *pieces[name:]]
        cells -= width_of(front) - width_of(left) - 1
    if cells > 0 and place is not None and width_of(pieces[-1].text) > cells + 1:
        pieces[-1] = pieces[-1]._replace(text="…" + drop_cells(pieces[-1].text, cells + 1))
    return pieces


def with_matches(parts: Sequence[Part], matches: Matches, is_current: bool) -> list[Piece]:
    """Splits parts where matches begin and end."""
    role_of_match = "current-match" if is_current else "match"
    pieces: list[Piece] = []
    for text, role, offset in parts:
        position = 0
        for start, end in matches:
            begin, stop = max(start - offset, position), min(end - offset, len(text))
            if stop <= begin:
                continue
            if begin > position:
                pieces.append(Piece(text[position:begin], role))
            pieces.append(Piece(text[begin:stop], role_of_match))
            position = stop
        if position < len(text):
            pieces.append(Piece(text[position:], role))
    return pieces
