"""A view as requested: with its switches set, without rows that suppress patterns hide; made in this process."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from parsers.model.capabilities import Filterable, FoldsFrames, HasSwitches, Suppresses
from parsers.model.names.suggestion import suggestion
from parsers.model.report import ReportError
from parsers.model.view import View

if TYPE_CHECKING:
    from parsers.io.cache import Cache
    from parsers.model.report import Report

Named = TypeVar("Named")

MAX_LISTED = 20
"""Maximum choices named in a message."""


def suppresses_itself(view: View) -> bool:
    """True if a view rebuilds itself without rows that patterns hide: its nodes are different then."""
    return isinstance(view, Suppresses | FoldsFrames)


def suppress(view: View, patterns: Mapping[str, str]) -> None:
    """Applies patterns to such a view, which renumbers its nodes."""
    if isinstance(view, Suppresses):
        view.suppress(patterns)
    elif isinstance(view, FoldsFrames):
        view.fold_frames(patterns)


def choose(view: View, words: Sequence[str]) -> None:
    """Sets the switches of a view: each word is `NAME=VALUE`, or `NAME` for the next choice.

    Case is ignored. A choice can add switches, so each is looked up after the previous ones are set. Raises
    `ReportError` with the available names.
    """
    for word in words:
        name, has_value, value = word.partition("=")
        switches = view.switches
        switch = _named(switches, [each.name for each in switches], name)
        if switch is None or not isinstance(view, HasSwitches):
            names = [each.name for each in switches]
            raise ReportError(f"{view.name} has no switch {name!r}: {suggestion(name, names)}")
        now = switch.choices.index(view.chosen[switch.name])
        following = switch.choices[(now + 1) % len(switch.choices)]
        wanted = _named(switch.choices, switch.choices, value) if has_value else following
        wanted = wanted or view.meant(switch.name, value)
        if wanted is None:
            typed = f", {switch.typed}" if switch.typed else ""
            raise ReportError(f"{switch.name} can't be {value!r}: there are {_some(switch.choices)}{typed}")
        view.choose(switch.name, wanted)


def _named(objects: Sequence[Named], names: Sequence[str], word: str) -> Named | None:
    """The object with exactly this name, else ignoring case, with typed signs, or without "by"."""
    for spelt in (str, str.casefold, _typed, _bare):
        known = [spelt(name) for name in names]
        if spelt(word) in known:
            return objects[known.index(spelt(word))]
    return None


def _typed(name: str) -> str:
    """A name in a form that is typed without blanks: `1->2`."""
    return "".join(name.casefold().replace("→", "->").split())


def _bare(name: str) -> str:
    """`package` for `by package`."""
    return name.casefold().removeprefix("by ")


def _some(choices: Sequence[str]) -> str:
    more = f" and {len(choices) - MAX_LISTED:,} more" if len(choices) > MAX_LISTED else ""
    return ", ".join(choices[:MAX_LISTED]) + more


def suppressing(report: Report, view: View, patterns: Mapping[str, str], cache: Cache) -> View:
    """The view without rows below those that match the patterns. Raises `ReportError` if it can't be filtered.

    Its nodes are those of the view; files needed for it are deleted with the cache's temporary folder.
    """
    if not any(patterns.values()) or suppresses_itself(view):
        return view
    base = view.tree.preorder
    filterable = report if view is report.views[0] and not isinstance(view, Filterable) else view
    if base is None or not isinstance(filterable, Filterable):
        raise ReportError(f"suppress and expand patterns are for the view {report.views[0].name} only")
    from parsers.query.selection.number_file import NumberFile, NumberWriter
    from parsers.query.selection.selecting import select
    from parsers.query.selection.selection import Filters, Selection
    from parsers.views.selected_view import SelectedView

    folder = cache.temporary_folder()
    paths = [os.path.join(folder, name) for name in ("nodes", "suppressed")]
    nodes, suppressed = (NumberWriter(path, 4) for path in paths)
    try:
        for _ in select(filterable.row_filters(), Filters(suppress=patterns), None, nodes, suppressed):
            pass
    finally:
        nodes.close()
        suppressed.close()
    left = Selection(base, NumberFile(paths[0], 4, nodes.count), NumberFile(paths[1], 4, suppressed.count))
    return SelectedView(view, left)
