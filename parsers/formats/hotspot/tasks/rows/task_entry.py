"""The row of a task in the views that list tasks among other rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.hotspot.tasks.rows.row import task_badges, task_mark, task_method, task_row_flags
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.log import Log


def task_entry(log: Log, task: int) -> ListRow:
    """Returns the row of a task without a REF."""
    method = task_method(log, task)
    return ListRow(
        kind="task",
        label=method.label,
        badges=task_badges(log, task),
        flags=task_row_flags(log, task),
        offset=log.column("task_start")[task],
        spans=method.spans,
        look=task_mark(log.column("task_flags")[task]),
    )
