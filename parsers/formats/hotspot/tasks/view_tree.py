"""The tree of the view "Tasks": runs, threads, tasks, and the contents of a task on demand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from parsers.formats.hotspot.tasks.nodes import FIRST
from parsers.model.report import Preorder, Row
from parsers.model.trees.preorder import sort_nodes

if TYPE_CHECKING:
    from parsers.formats.hotspot.tasks.nodes import TaskNode, TaskNodes


class TasksTree:
    """The `Tree` of the view."""

    def __init__(
        self,
        nodes: TaskNodes,
        row: Callable[[int], Row],
        has_rows: Callable[[TaskNode], bool],
        is_suppressed: Callable[[int], bool],
        sort_keys: Callable[[str, Sequence[int]], Sequence[Any]],
    ) -> None:
        self._nodes, self._row, self._sort_keys = nodes, row, sort_keys
        self._has_rows, self._is_suppressed = has_rows, is_suppressed

    @property
    def preorder(self) -> Preorder | None:
        """None: the contents of a task are known when it is opened."""
        return None

    def roots(self, order: str | None = None) -> Sequence[int]:
        """Returns runs, if there are several, else threads; before any is known, the events that name their logs."""
        nodes = self._nodes
        awaited = nodes.awaited()
        if awaited:
            return list(map(nodes.of_event, awaited))
        runs = nodes.runs
        roots = [nodes.of_run(run) for run in range(runs)] if runs > 1 else list(map(nodes.of_thread, nodes.threads()))
        return sort_nodes(roots, self._sort_keys, None if order not in ("name",) else order)

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        """Returns threads of a run, tasks of a thread (sorted by the order), rows in a task, as in the file."""
        nodes = self._nodes
        place = nodes.place(node)
        if place.event >= 0 or place.log_file >= 0 or self._is_suppressed(node):
            return ()
        if place.has_events:
            return list(map(nodes.of_event, nodes.events(place.task)))
        if place.task >= 0:
            tree = nodes.cache.tree(place.task)
            start = FIRST + 2 * int(nodes.log.column("task_start")[place.task])
            starts = tree.task.starts
            rows = [start + 2 * starts[abs(row)] + (row < 0) for row in tree.children(place.row)]
            if not place.row and nodes.events(place.task):
                rows.append(nodes.of_events(place.task))
            return rows
        if place.run >= 0:
            return list(map(nodes.of_thread, nodes.threads(place.run)))
        starts = nodes.log.column("task_start")
        tasks = [FIRST + 2 * starts[task] for task in nodes.tasks(place.thread)]
        return sort_nodes(tasks, self._sort_keys, order)

    def has_children(self, node: int) -> bool:
        """True if the node has children."""
        return not self._is_suppressed(node) and self._has_rows(self._nodes.place(node))

    def parent(self, node: int) -> int | None:
        """Returns the parent; None for a root."""
        nodes = self._nodes
        place = nodes.place(node)
        if place.event >= 0:
            return nodes.of_events(place.task)
        if place.has_events:
            return nodes.of_task(place.task)
        if place.task >= 0:
            if place.row:
                return nodes.of_task(place.task, nodes.cache.tree(place.task).parent(place.row))
            return nodes.of_thread(nodes.log.column("task_thread")[place.task])
        if place.run < 0 and place.log_file < 0 and nodes.runs > 1:
            return nodes.of_run(nodes.run_of(place.thread))
        return None

    def row(self, node: int) -> Row:
        """Returns the row of a node."""
        return self._row(node)
