"""Relations in a log: from a trap to the events in which it fired, from a call to the callee's own code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.formats.hotspot.log.columns import IS_OSR, EventKind
from parsers.formats.hotspot.names import Method
from parsers.formats.hotspot.tasks.methods import TaskMethods
from parsers.formats.hotspot.tasks.nodes import TaskNode, TaskNodes
from parsers.formats.hotspot.tasks.rows.row import task_method, task_ref
from parsers.model.names.ref_number import ref_number

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.log import Log


class TaskJoins:
    """Relations of one log; most of them are known when it is complete."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.nodes = TaskNodes(log)
        self.methods = TaskMethods(log)

    def ref_of_task(self, task: int) -> str:
        """Returns the REF of a task; of a second one of the same id its node."""
        log = self.log
        run = log.column("task_run")[task]
        is_osr = bool(log.column("task_flags")[task] & IS_OSR)
        if self.nodes.task_of_id(log.column("task_id")[task], is_osr, run) == task:
            return task_ref(log, task)
        return f"node:{self.nodes.of_task(task)}"

    def method(self, place: TaskNode) -> Method:
        """Returns the method of a row: a task's, a call's, else that of its task."""
        if place.row:
            tree = self.nodes.cache.tree(place.task)
            id = tree.method_of(place.row)
            if id:
                return tree.names.method(id)
        return task_method(self.log, place.task)

    def fired(self, place: TaskNode) -> list[int]:
        """Returns the events in which a trap fired that was compiled in."""
        tree, row = self.nodes.cache.tree(place.task), place.row
        reason = tree.task.get(row, "reason")
        if (
            not reason
            or tree.task.has(row, "method")
            or not any(map(self.is_fired_trap, self.nodes.about.of_task(place.task)))
        ):
            return []
        code = tree.code_of(row)
        method = tree.names.method(tree.method_of(code)).label if code else ""
        return self.nodes.about.fired(place.task, reason, tree.bci_of(row), method)

    def emitted(self, place: TaskNode) -> Sequence[int]:
        """Returns the rows of a task for the compiled-in trap that fired in an event."""
        if not self.is_fired_trap(place.event):
            return ()
        tree = self.nodes.cache.tree(place.task)
        traps = (row for row in tree.parents if row > 0 and tree.tag(row) == "uncommon_trap")
        return [row for row in traps if place.event in self.fired(TaskNode(task=place.task, row=row))]

    def is_fired_trap(self, event: int) -> bool:
        """True if an event is a trap that fired."""
        return bool(self.log.column("event_kind")[event] == EventKind.UNCOMMON_TRAP)

    def compilations(self, label: str) -> Sequence[int]:
        """Returns the tasks that compiled the method of a label, ordered by id; known when the log is complete."""
        ids, runs = self.log.column("task_id"), self.log.column("task_run")
        return sorted(self.methods.tasks(label), key=lambda task: (runs[task], ids[task]))

    def callee_tasks(self, place: TaskNode) -> Sequence[int]:
        """Returns the compilations of a call's callee."""
        tree = self.nodes.cache.tree(place.task)
        return self.compilations(tree.names.method(tree.method_of(place.row)).label)

    def own_code(self, place: TaskNode) -> int | None:
        """Returns the task whose code the callee had when this task was compiled, by the callee's definition."""
        tree = self.nodes.cache.tree(place.task)
        at = tree.names.definitions.get(tree.method_of(place.row), -1)
        id = ref_number(tree.task.get(at, "compile_id")) if at >= 0 else None
        if id is None:
            return None
        is_osr = tree.task.get(at, "compile_kind") == "osr"
        return self.nodes.task_of_id(id, is_osr, self.log.column("task_run")[place.task])

    def callee(self, place: TaskNode) -> str | None:
        """Returns the REF of the callee's own code: its code at that time, else its last compilation."""
        own = self.own_code(place)
        if own is None:
            tasks = self.callee_tasks(place)
            own = tasks[-1] if tasks else None
        return None if own is None else self.ref_of_task(own)
