"""A view less what suppress patterns hide, made in this process."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from parsers.report import ReportError, View

if TYPE_CHECKING:
    from parsers.cache import Cache
    from parsers.report import Report


def suppressing(report: Report, view: View, patterns: Mapping[str, str], cache: Cache) -> View:
    """The view without what lies below rows that the patterns meet. Raises `ReportError` where it can't have them.

    Its nodes are those of the view; files that this needs go away with the cache's temporary folder.
    """
    if not any(patterns.values()):
        return view
    suppress = getattr(view, "suppress", None)
    if suppress is not None:
        suppress(patterns)
        return view
    fold_frames = getattr(view, "fold_frames", None)
    if fold_frames is not None:
        fold_frames(patterns)
        return view
    base = view.tree.preorder
    # A view that folds frames has other patterns.
    row_filters = None if hasattr(view, "fold_frames") else getattr(view, "row_filters", None)
    if row_filters is None and view is report.views[0]:
        row_filters = getattr(report, "row_filters", None)
    if base is None or row_filters is None:
        raise ReportError(f"suppress and expand patterns are for the view {report.views[0].name} only")
    from parsers.selection.number_file import NumberFile, NumberWriter
    from parsers.selection.selected_view import SelectedView
    from parsers.selection.selecting import select
    from parsers.selection.selection import Filters, Selection

    folder = cache.temporary_folder()
    paths = [os.path.join(folder, name) for name in ("nodes", "suppressed")]
    nodes, suppressed = (NumberWriter(path, 4) for path in paths)
    try:
        for _ in select(row_filters(), Filters(suppress=patterns), None, nodes, suppressed):
            pass
    finally:
        nodes.close()
        suppressed.close()
    left = Selection(base, NumberFile(paths[0], 4, nodes.count), NumberFile(paths[1], 4, suppressed.count))
    return cast(View, SelectedView(view, left))
