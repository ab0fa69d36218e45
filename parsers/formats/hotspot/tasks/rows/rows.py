"""The rows of the view "Tasks": of runs, threads, tasks, their contents, and events about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.hotspot.log.columns import IS_DAMAGED, IS_OSR
from parsers.formats.hotspot.tasks.nodes import TaskNode
from parsers.formats.hotspot.tasks.rows import label as task_label
from parsers.formats.hotspot.tasks.rows.kinds import KNOWN_NAMES
from parsers.formats.hotspot.tasks.rows.row import (
    event_row_flags,
    number,
    task_badges,
    task_mark,
    task_method,
    task_row_flags,
)
from parsers.model.none import NONE
from parsers.model.row import Badge, Row, counted

if TYPE_CHECKING:
    from parsers.formats.hotspot.tasks.joins import TaskJoins

ALWAYS_FULL = 300
"""Minimum bytes from which on a task is assumed to contain rows, without reading it."""


class TaskRows:
    """Makes rows by the places of nodes."""

    def __init__(self, joins: TaskJoins) -> None:
        self._joins = joins
        self._log = joins.log
        self._nodes = joins.nodes

    def row(self, node: int, place: TaskNode) -> Row:
        """Returns the row of a node and its place."""
        if place.log_file >= 0:
            return self._awaited(node, place.log_file)
        if place.event >= 0:
            return self._event(node, place)
        if place.has_events:
            return self._events(node, place.task)
        if place.row:
            return self._row_in_task(node, place)
        if place.task >= 0:
            return self._task(node, place.task)
        return self._run(node, place.run) if place.run >= 0 else self._thread(node, place.thread)

    def has_rows(self, place: TaskNode) -> bool:
        """True if there are rows below a place."""
        nodes, log = self._nodes, self._log
        if place.event >= 0 or place.log_file >= 0:
            return False
        if place.task < 0 or place.has_events:
            return True
        if place.row:
            return bool(nodes.cache.tree(place.task).children(place.row))
        if log.column("task_end")[place.task] - log.column("task_start")[place.task] >= ALWAYS_FULL:
            return True
        return bool(nodes.cache.tree(place.task).children(0)) or bool(nodes.events(place.task))

    def remark(self, place: TaskNode) -> str:
        """Returns the text after the label of a row inside a task, of a task or an event."""
        if place.event >= 0:
            return self._event_remark(place.event)
        if place.row:
            return task_label.remark_of(self._nodes.cache.tree(place.task), place.row)
        return "" if place.has_events else self._task_remark(place.task)

    @property
    def _task_depth(self) -> int:
        return 2 if self._nodes.runs > 1 else 1

    def _run(self, node: int, run: int) -> Row:
        threads = self._nodes.threads(run)
        tasks = sum(len(self._nodes.tasks(thread)) for thread in threads)
        processes = {self._log.column("thread_process")[thread] for thread in threads if thread != NONE}
        label = f"run {run + 1}: process {', '.join(map(str, sorted(processes))) or 'unknown'}"
        badges: dict[str, Badge] = {"tasks": tasks, **self._log.in_flight_where("task_run", run)}
        return Row(node, "run", label, badges=badges, ref=f"run:{run + 1}", has_children=bool(threads))

    def _thread(self, node: int, thread: int) -> Row:
        log, tasks = self._log, self._nodes.tasks(thread)
        badges: dict[str, Badge] = {"tasks": len(tasks), **log.in_flight_where("task_thread", thread)}
        ref, offset = f"node:{node}", None
        flags: tuple[str, ...] = ()
        if thread != NONE:
            flags = ("damaged",) if log.column("thread_flags")[thread] & IS_DAMAGED else ()
            id = log.column("thread_id")[thread]
            badges["thread"] = id
            offset = log.column("thread_offset")[thread]
            if self._nodes.thread_of_id(id) == thread:
                ref = f"thread:{id}"
        return Row(
            node=node,
            kind="thread",
            label=self._nodes.name(thread),
            depth=self._task_depth - 1,
            badges=badges,
            flags=flags,
            ref=ref,
            offset=offset,
            line=None if offset is None else self._line(offset),
            has_children=bool(tasks),
        )

    def _awaited(self, node: int, event: int) -> Row:
        """Returns the row of a compiler thread whose log is further down in the file."""
        offset = self._log.column("event_start")[event]
        id = self._nodes.thread_id_of(event)
        name = "compiler thread" if id is None else f"compiler thread {id}"
        is_growing = not self._log.is_joined
        return Row(
            node, "thread", name, ref=f"node:{node}", offset=offset, line=self._line(offset), is_growing=is_growing
        )

    def _task(self, node: int, task: int) -> Row:
        log = self._log
        flags, offset = log.column("task_flags")[task], log.column("task_start")[task]
        method = task_method(log, task)
        found, below = task_row_flags(log, task), None
        if self._nodes.cache.is_open(task):
            tree, events = self._nodes.cache.tree(task), len(self._nodes.events(task))
            found += ("repaired",) if tree.task.repairs else ()
            below = tree.sizes[0] + (events + 1 if events else 0)
        return Row(
            node=node,
            kind="task",
            label=method.label,
            depth=self._task_depth,
            badges=self._task_badges(task),
            flags=found,
            ref=self._joins.ref_of_task(task),
            line=self._line(offset),
            offset=offset,
            rows_below=below,
            has_children=self.has_rows(TaskNode(task=task)),
            spans=method.spans,
            look=task_mark(flags),
        )

    def _task_badges(self, task: int) -> dict[str, Badge]:
        """Returns the badges of a task, and a summary of its compile time and outcome."""
        badges = task_badges(self._log, task)
        end, took = self._nodes.about.end(task), badges.get("compile_ms")
        parts = [f"{took:,} ms"] if isinstance(took, int) else []
        if badges["outcome"] != "ok":
            parts.append(str(badges.get("reason", badges["outcome"])))
        elif end is not None:
            parts.append(self._nodes.about.reason(end))
        return badges | {"result": " · ".join(part for part in parts if part)} if any(parts) else badges

    def _row_in_task(self, node: int, place: TaskNode) -> Row:
        tree, row = self._nodes.cache.tree(place.task), place.row
        text = task_label.label_of(tree, row)
        kind = task_label.kind_of(tree, row)
        start = tree.task.starts[abs(row)]
        offset = self._log.column("task_start")[place.task] + start
        badges = task_label.badges_of(tree, row)
        if kind == "uncommon_trap":
            self._add_fired(place, badges)
        flags = ["repaired"] if row in tree.repaired else []
        if kind not in KNOWN_NAMES:
            flags.append("unknown")
        begins_line = row > 0 and tree.task.raw[start - 1 : start] == b"\n"
        children = tree.children(row)
        return Row(
            node=node,
            kind=kind,
            label=text.label,
            depth=self._task_depth + len(tree.path(row)) - 1,
            badges=badges,
            flags=tuple(flags),
            ref=self._line_ref(node, offset, begins_line),
            line=self._line(offset),
            offset=offset,
            rows_below=tree.sizes[row],
            has_children=bool(children),
            link=self._joins.callee(place) if row in tree.calls and not children else None,
            spans=text.spans,
            look=task_label.mark_of(tree, row),
        )

    def _events(self, node: int, task: int) -> Row:
        count = len(self._nodes.events(task))
        return Row(
            node=node,
            kind="group",
            label="events",
            depth=self._task_depth + 1,
            badges={"elements": count},
            ref=f"node:{node}",
            rows_below=count,
            has_children=True,
            look="events",
        )

    def _event(self, node: int, place: TaskNode) -> Row:
        about, event = self._nodes.about, place.event
        offset = self._log.column("event_start")[event]
        return Row(
            node=node,
            kind=about.kind(event),
            label=about.label(event),
            depth=self._task_depth + 2,
            badges=about.badges(event) | self._event_result(event),
            flags=event_row_flags(self._log, event),
            ref=self._line_ref(node, offset, self._log.pread(1, offset - 1) == b"\n"),
            line=self._line(offset),
            offset=offset,
            rows_below=0,
        )

    def _event_result(self, event: int) -> dict[str, Badge]:
        """Returns the badge at the right edge: the size of the code."""
        size = self._nodes.about.badges(event).get("size")
        return {"result": counted(size, "byte")} if isinstance(size, int) else {}

    def _line_ref(self, node: int, offset: int, begins_line: bool) -> str:
        """Returns the REF of a row without a name: its line, if the row begins that line of the first file."""
        if begins_line and self._log.is_complete:
            file, line = self._log.line(offset)
            if not file:
                return f"line:{line}"
        return f"node:{node}"

    def _line(self, offset: int) -> int | None:
        """Returns the line of a run offset, in its file; None while it is unknown."""
        return self._log.line(offset)[1] if self._log.is_complete else None

    def _add_fired(self, place: TaskNode, badges: dict[str, Badge]) -> None:
        count = len(self._joins.fired(place))
        if count:
            badges["fired"] = count
            badges["result"] = f"fired {count:,}×, {badges.get('action', '')}".rstrip(", ")

    def _task_remark(self, task: int) -> str:
        bci = number(self._log, "task_bci", task)
        return f"loop at {bci}" if bci is not None and self._log.column("task_flags")[task] & IS_OSR else ""

    def _event_remark(self, event: int) -> str:
        about = self._nodes.about
        seconds = about.seconds(event)
        parts = [f"{seconds:.3f} s"] if seconds is not None else []
        if self._joins.is_fired_trap(event):
            parts.append(f"in {about.method(event)}")
        return " · ".join(parts)
