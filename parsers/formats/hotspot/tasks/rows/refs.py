"""Names of the rows of the view "Tasks": REFs, keys that other views know, positions in the log."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from parsers.model.names.ref_number import ref_number
from parsers.model.view import StrangeReference, UnknownReference

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.log import Log
    from parsers.formats.hotspot.tasks.joins import TaskJoins
    from parsers.formats.hotspot.tasks.nodes import TaskNodes


class TaskRefs:
    """The part of the view that finds nodes by their names."""

    joins: TaskJoins
    log: Log
    nodes: TaskNodes

    def resolve_all(self, ref: str) -> Sequence[int]:
        """Returns the nodes of `task:17`, `task:17%`, `run:2/task:17`, `thread:`, `line:`, `node:`, `method:`, `name:`.

        Raises `UnknownReference`.
        """
        kind, _, rest = ref.partition(":")
        run = None
        if kind == "run":
            run_text, slash, inner = rest.partition("/")
            run = self._number(ref, run_text) - 1
            if not 0 <= run < self.nodes.runs:
                runs = self.nodes.runs
                there = "there is one run only" if runs == 1 else f"there are {runs} runs, counted from 1"
                raise UnknownReference(f"{ref}: {there}")
            if not slash:
                if self.nodes.runs > 1:
                    return [self.nodes.of_run(run)]
                raise UnknownReference(f"{ref}: there is one run only")
            kind, _, rest = inner.partition(":")
        if kind == "task":
            return [self._task_of(ref, rest, run)]
        if kind in ("method", "name"):
            tasks = self.joins.compilations(rest)
            if tasks:
                return [self.nodes.of_task(task) for task in tasks]
            raise UnknownReference(f"{ref}: no task compiles a method of exactly this name")
        if kind == "line":
            return [self._of_line(ref, self._number(ref, rest))]
        if kind == "thread":
            thread = self.nodes.thread_of_id(self._number(ref, rest))
            if thread is None:
                raise UnknownReference(f"{ref}: no compiler thread of this number has tasks")
            return [self.nodes.of_thread(thread)]
        if kind == "node":
            return [self._of_number(ref, self._number(ref, rest))]
        raise StrangeReference(f"{ref}: this view has task:N, task:N%, method:NAME, thread:N, line:N and node:N")

    def _number(self, ref: str, text: str) -> int:
        number = ref_number(text)
        if number is None:
            raise UnknownReference(f"{ref}: {text!r} is no number")
        return number

    def _task_of(self, ref: str, text: str, run: int | None) -> int:
        is_osr = True if text.endswith("%") else None
        task = self.nodes.task_of_id(self._number(ref, text.removesuffix("%")), is_osr, run)
        if task is None:
            so_far = "" if self.log.is_complete else " among those read so far"
            raise UnknownReference(f"{ref}: no task has this compile id{so_far}")
        return self.nodes.of_task(task)

    def _of_number(self, ref: str, node: int) -> int:
        """Returns the node itself; for a row that represented a thread before it was known, the thread."""
        try:
            place = self.nodes.place(node)
        except IndexError:
            raise UnknownReference(f"{ref}: nothing has this number") from None
        if place.log_file < 0 or place.log_file in self.nodes.awaited():
            return node
        id = self.nodes.thread_id_of(place.log_file)
        thread = None if id is None else self.nodes.thread_of_id(id)
        if thread is None:
            raise UnknownReference(f"{ref}: the compiler thread that this names has no tasks")
        return self.nodes.of_thread(thread)

    def _of_line(self, ref: str, line: int) -> int:
        offset = self.log.line_start(line)
        node = None if offset is None else self.node_at(offset)
        if node is None:
            raise UnknownReference(f"{ref}: nothing of a task is on line {line:,}")
        return node

    def node_at(self, offset: int) -> int | None:
        """Returns the row of the text at a run offset: in a task, which is opened for it, or an event."""
        task = self.nodes.task_at(offset)
        if task is not None:
            tree = self.nodes.cache.tree(task)
            element = tree.task.element_at(offset - self.log.column("task_start")[task])
            return self.nodes.of_task(task, tree.shown_as(element))
        event = self.nodes.event_at(offset)
        if event is not None:
            return self.nodes.of_event(event)
        thread = self.nodes.thread_around(offset)
        return None if thread is None else self.nodes.of_thread(thread)

    def key(self, node: int) -> Hashable | None:
        """Returns the key of a node: of a task its method, of a call the callee, of other rows the node itself."""
        place = self.nodes.place(node)
        if place.task >= 0 and place.row:
            tree = self.nodes.cache.tree(place.task)
            id = tree.method_of(place.row)
            return ("method", tree.names.method(id).label) if id else ("task", place.task)
        if place.task >= 0:
            return ("task", place.task)
        return ("thread", node)

    def find_key(self, key: Hashable) -> int | None:
        """Returns the task, or the last compilation of a method."""
        match key:
            case ("task", int(task)) if 0 <= task < self.log.tasks:
                return self.nodes.of_task(task)
            case ("method", str(label)):
                tasks = self.joins.compilations(label)
                return self.nodes.of_task(tasks[-1]) if tasks else None
            case ("thread", int(node)):
                try:
                    return node if self.nodes.place(node).task < 0 else None
                except IndexError:
                    return None
        return None
