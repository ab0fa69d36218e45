"""Texts of the lines around the tree: title, crumbs, keys."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.model.capabilities import HasSource
from parsers.model.report import Progress, Report
from parsers.model.row import Column, Row, counted
from parsers.model.view import View
from tui.screen.sanitise import safe
from tui.tree.column_text import titled
from tui.tree.piece import Piece, cut, line_width, pad, width_of
from tui.tree.tree_lines import TreeLines

CRUMB = " ▸ "
"""Separator of two crumbs."""

SHORTEST_MESSAGE = 20
"""Characters to which a narrow window shortens the lines of a message."""

MOST_CRUMB, MOST_CRUMB_LABEL = 60, 40
"""Maximum characters of a crumb: a class with its method; the label of another row."""

LABELS = ("name", "class")
"""Sort orders by the labels of rows."""

UNITS = ("B", "KB", "MB", "GB", "TB")


def fitted_line(left: Sequence[Piece], right: Sequence[Piece], width: int) -> list[Piece]:
    """Left pieces, blanks and right pieces, exactly `width` cells; the right ones have priority."""
    right = cut(right, width)
    used = line_width(right)
    space = max(0, width - used - (2 if right else 0))
    return [*pad(cut(without_details(left, space), space), width - used), *right]


def without_details(pieces: Sequence[Piece], width: int) -> Sequence[Piece]:
    """Omits the last details of a title, which are separated by a dot, until it fits."""
    *first, last = pieces or [Piece("")]
    while last.role == "title-dim" and " · " in last.text and line_width([*first, last]) > width:
        last = last._replace(text=last.text.rpartition(" · ")[0])
    return [*first, last]


def message_lines(text: str, width: int) -> list[str]:
    """A message in one line, or in two if it is longer than a window is wide."""
    lines = [safe(text)]
    if len(text) >= width:
        from textwrap import wrap

        lines = wrap(lines[0], max(width - 1, SHORTEST_MESSAGE), max_lines=2, placeholder=" …")
    return [f" {line}" for line in lines]


def key_pieces(words: Sequence[tuple[str, str]], width: int) -> tuple[list[Piece], list[Piece]]:
    """Keys with their labels for both ends of a key line: those that fit as a whole; the last two at the right end.

    The last two are help, which leads to the omitted ones, and quitting.
    """
    groups = [(Piece(key, "key", f"key:{key}"), Piece(f" {word}", "key-word", f"key:{key}")) for key, word in words]
    right: list[Piece] = []
    for group in groups[-2:]:
        right += [*([Piece("  ")] if right else ()), *group]
    right.append(Piece(" "))
    space = width - sum(width_of(piece.text) for piece in right) - 2
    left: list[Piece] = []
    for group in groups[:-2]:
        pieces = [Piece("  " if left else " "), *group]
        space -= sum(width_of(piece.text) for piece in pieces)
        if space < 0:
            break
        left += pieces
    return left, right


def order_words(view: View, order: str) -> str:
    """Returns the label of a sort order: the title of the column, if one has that name."""
    name = order.removeprefix("-")
    title = next((column.title for column in view.columns if column.name == name), name)
    return f"by {safe(title.lower())}" + (", reversed" if order.startswith("-") else "")


def size_text(count: float) -> str:
    """Formats a number of bytes with two or three digits."""
    for unit in UNITS[:-1]:
        if count < 999.5:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 9.95 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} {UNITS[-1]}"


def title_left(report: Report) -> list[Piece]:
    """The file, its format and its size."""
    version = report.format_version
    words = f"{report.format_title} {version}" if version else report.format_title
    estimated = " · sizes are estimates" if report.estimated else ""
    return [
        Piece(" " + safe(report.title), "title"),
        Piece(f"  {safe(words)} · {_size_of(report)}{estimated}", "title-dim"),
    ]


def _size_of(report: Report) -> str:
    """Size of the contents; as long as that is unknown the size of the archive, or of what a pipe has sent."""
    source = report.source if isinstance(report, HasSource) else None
    if source is None or source.is_whole:
        return size_text(report.size)
    if source.is_spooling:
        return f"{size_text(report.size)} so far"
    return f"{size_text(source.stored_size)} compressed"


def title_right(report: Report, message: str = "", live: str = "", rows: int | None = None) -> list[Piece]:
    """State of the index, problems, or changes of the file.

    live: message about the JVM that writes the file. rows: those of the shown view; None: unknown or unbounded
    """
    pieces = []
    if live:
        pieces.append(Piece(safe(live) + "  ", "progress"))
    if message:
        pieces.append(Piece(safe(message) + "  ", "problem"))
    count = report.problem_count
    if count:
        pieces.append(Piece(f"! {counted(count, 'problem')}", "problem", "run:problems"))
        pieces.append(Piece(" · ", "title-dim"))
    pieces.append(progress_piece(report.progress, rows))
    return [*pieces, Piece(" ", "title-dim")]


def row_total(view: View) -> int | None:
    """Rows of a view; None if it is unbounded or not prepared. Positions have them at no cost."""
    if not (view.is_ready and view.is_prepared):
        return None
    preorder = view.tree.preorder
    return view.row_count if preorder is None else preorder.rows


def title_space(name: Piece, width: int, live: str = "") -> int:
    """Cells of the title available for messages beside the file name; a long name keeps a third.

    A message about the JVM that writes the file has priority over the name, which is derived from it.
    """
    return max(width - width_of(name.text) - 4, 2 * width // 3 if live else width // 3)


def progress_piece(progress: Progress, rows: int | None = None) -> Piece:
    """Progress of the index: fraction, speed and time left; of a finished one the rows of the shown view."""
    if progress.state == "ready":
        return Piece("indexed" if rows is None else f"indexed · {counted(rows, 'row')}", "title-dim")
    if progress.state == "failed":
        words = "indexing ended early" if progress.stage else "no index"
        return Piece(f"{words} (R reads again): {safe(progress.says or 'the builder ended')}", "problem", "run:reload")
    if progress.state == "stopped":
        return Piece("indexing was stopped" + (f" before {progress.stage}" if progress.stage else ""), "problem")
    words = {"waiting": safe(progress.says) or "waiting", "unpacking": "unpacking", "indexing": ""}[progress.state]
    if progress.state == "waiting" or not progress.total or not progress.done:
        return Piece(words or "indexing", "progress")
    if progress.done >= progress.total and progress.says:
        return Piece(safe(progress.says), "progress")
    share = min(99, 100 * progress.done // progress.total)
    rate = progress.bytes_per_second
    parts = [f"{words} {share} %".strip()]
    if progress.stage and progress.state == "indexing":
        # The time of a stage does not depend on bytes; some stages report no progress.
        parts = [f"{progress.stage} {min(99, 100 * progress.share):.0f} %" if progress.share else progress.stage]
    elif rate:
        parts.append(f"{size_text(rate)}/s")
    if rate and progress.done < progress.total:
        left = (progress.total - progress.done) / rate
        parts.append(f"{left:.0f} s left" if left < 100 else f"{left / 60:.0f} min left")
    return Piece(" · ".join(parts), "progress")


def crumb_text(row: Row) -> str:
    """Short text of a row: class and name of a method, the class of a type, else the beginning of its label."""
    spans = {span.role: span for span in row.spans if span.role in ("class", "name")}
    if spans:
        start = min(span.start for span in spans.values())
        end = max(span.end for span in spans.values())
        return safe(_shortened(row.label[start:end], MOST_CRUMB))
    return safe(_shortened(row.label, MOST_CRUMB_LABEL))


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def crumb_pieces(crumbs: Sequence[tuple[str, str]], width: int, is_cut: bool, chosen: int | None = None) -> list[Piece]:
    """Path to the cursor: the last crumbs that fit. Each crumb is a text and the action of a click.

    is_cut: earlier crumbs are omitted. chosen: the crumb under the cursor of the crumb bar.
    """
    kept: list[tuple[int, str, str]] = []
    space = width - 4
    for index in range(len(crumbs) - 1, -1, -1):
        text, action = crumbs[index]
        space -= width_of(text) + len(CRUMB)
        if kept and space < 0:
            is_cut = True
            break
        kept.insert(0, (index, text, action))
    pieces = [Piece(" …" + CRUMB if is_cut else " ", "crumb")]
    for index, text, action in kept:
        role = "current-match" if index == chosen else "crumb"
        pieces.append(Piece(text, role, action))
        if index < len(crumbs) - 1:
            pieces.append(Piece(CRUMB, "crumb"))
    return pieces


def heading_pieces(tree: TreeLines) -> list[Piece]:
    """Name of the view and the rows it keeps closed; a title where the numbers of each column end."""
    view, layout = tree.view, tree.layout_now
    is_ascii = layout.is_ascii
    order = tree.order or view.sorted_by
    sorted_by = order.removeprefix("-")
    of_columns = {column.name: column.unit for column in view.columns}
    of_labels = (view.label_title,) if view.label_title else LABELS
    # Numbers are sorted with the largest first, texts from A to Z.
    is_number = sorted_by not in of_labels and of_columns.get(sorted_by) != "text"
    rises = order.startswith("-") == is_number
    sign = ("^" if rises else "v") if is_ascii else "▲" if rises else "▼"
    mark = f" {sign}" if sorted_by in of_labels and sorted_by in view.orders else ""
    title = f"{view.label_title}{mark} · {view.name}" if view.label_title else f"{view.name}{mark}"
    name = [Piece(f"  {safe(title)}", "hint", f"sort:{of_labels[0]}" * (of_labels[0] in view.orders))]
    if sorted_by in view.orders and sorted_by not in of_columns and not mark:
        name.append(Piece(f"  {order_words(view, sorted_by)} {sign}", "hint", f"sort:{sorted_by}"))
    if view.closes:
        name.append(Piece(f"  closed: {safe(view.closes)}  fe", "flag"))
    if tree.picture_heading:
        return cut([*name, Piece(f"   {safe(tree.picture_heading)}", "hint")], layout.width)
    line = pad(cut(name, layout.label_width), layout.label_width)
    for column in layout.columns:
        mark = sign if column.name == sorted_by else ""
        line += heading(column, mark, is_ascii, f"sort:{column.name}" if column.name in view.orders else "")
    return line


def heading(column: Column, mark: str, is_ascii: bool, action: str = "") -> list[Piece]:
    """Heading of a column, as wide as the column and the gap before it; its end is where the numbers end.

    mark: the sign of the sort order; empty: rows are not sorted by the column
    """
    title = titled(column).replace("↩", "^") if is_ascii else titled(column)
    if width_of(title) > column.width:
        title = "".join(piece.text for piece in cut([Piece(title)], column.width))
    text = mark + title
    # A long title extends over the bar after the numbers.
    after = min(column.bar + 1 if column.bar else 0, max(0, column.width - width_of(text)))
    return [Piece(" " * (1 + column.width - after - width_of(text))), Piece(text, "hint", action), Piece(" " * after)]
