"""The trees of the tasks that were opened last, within a limit of bytes."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from parsers.formats.hotspot.tasks.reading import read_tree
from parsers.formats.hotspot.tasks.slice import MOST_BYTES, read_task

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.log import Log
    from parsers.formats.hotspot.tasks.tree import TaskTree

MOST_KEPT = 4 << 20
"""Bytes of all cached tasks; a tree takes about ten times as many."""


class TaskCache:
    """Trees by number of task. A tree is made on first use, in some milliseconds."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._trees: OrderedDict[int, TaskTree] = OrderedDict()
        self._ends: dict[int, int] = {}
        self._bytes = 0

    def tree(self, task: int) -> TaskTree:
        """Returns the tree of a task."""
        start, end = self._log.column("task_start")[task], self._log.column("task_end")[task]
        kept = self._trees.get(task)
        if kept is not None and self._ends[task] == end:
            self._trees.move_to_end(task)
            return kept
        self._forget(task)
        tree = read_tree(read_task(self._log.pread(min(end - start, MOST_BYTES + 1), start)))
        self._trees[task], self._ends[task] = tree, end
        self._bytes += len(tree.task.raw)
        while self._bytes > MOST_KEPT and len(self._trees) > 1:
            self._forget(next(iter(self._trees)))
        return tree

    def is_open(self, task: int) -> bool:
        """True if its tree is cached."""
        return task in self._trees

    def _forget(self, task: int) -> None:
        tree = self._trees.pop(task, None)
        if tree is not None:
            self._bytes -= len(tree.task.raw)
            del self._ends[task]
