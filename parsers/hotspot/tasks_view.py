"""The view "Tasks": compiler threads, their tasks, and what is in a task when it is opened.

Nodes are numbered by where things stand in the log (`task_nodes`), so nothing is made before it is shown and a number
means the same in every opening.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.hotspot import task_label
from parsers.hotspot.columns import IS_DAMAGED, IS_OSR, NONE, UNCOMMON_TRAP
from parsers.hotspot.line_numbers import line_start
from parsers.hotspot.names import Method
from parsers.hotspot.suppression import Suppression
from parsers.hotspot.task_detail import links, sections
from parsers.hotspot.task_methods import TaskMethods
from parsers.hotspot.task_nodes import FIRST, Place, TaskNodes
from parsers.hotspot.task_row import TASK_VALUES, number, task_badges, task_look, task_method, task_ref
from parsers.hotspot.task_words import KNOWN_NAMES, TASK_COLUMNS, TASK_ORDERS
from parsers.preorder import sort_nodes
from parsers.report import Badge, Column, Link, Preorder, References, Row, Section, Shape, UnknownReference

if TYPE_CHECKING:
    from parsers.hotspot.log import Log
    from parsers.hotspot.report import HotSpotReport
    from parsers.patterns import Subject

ALWAYS_FULL = 300
"""Bytes from which on a task is taken to have rows in it without a look."""


class TasksView:
    """Threads at the top (runs, where several JVMs wrote the log), tasks below them, their insides below these."""

    name = "Tasks"
    shape: Shape = "tree"
    columns: tuple[Column, ...] = TASK_COLUMNS
    orders: tuple[str, ...] = TASK_ORDERS

    def __init__(self, report: HotSpotReport) -> None:
        self.report = report
        self.log: Log = report.log
        self.nodes = TaskNodes(self.log)
        self._tree = TasksTree(self)
        self.methods = TaskMethods(self.log)
        self.suppression = Suppression()

    @property
    def tree(self) -> TasksTree:
        """Threads and tasks as a tree."""
        return self._tree

    @property
    def is_ready(self) -> bool:
        """Tasks are shown as they become known."""
        return True

    @property
    def row_count(self) -> int | None:
        """What is in a task is not counted before it is opened."""
        return None

    @property
    def root_count(self) -> int | None:
        """Threads, or runs; None while they are not all known."""
        return len(self._tree.roots()) if self.log.is_complete else None

    @cached_property
    def view_names(self) -> Sequence[str]:
        """Names of all views of the report."""
        return tuple(self.report.makers())

    def suppress(self, options: Mapping[str, str], opened: Collection[int] = ()) -> None:
        """Show nothing below tasks and calls whose method or class the patterns meet, but of those that are `opened`.

        options  the patterns by option, as `suppress_methods`; none: show all
        """
        self.suppression = Suppression(options, opened)

    def is_suppressed(self, node: int) -> bool:
        """Whether a row shows nothing below it because of a pattern."""
        if not self.suppression:
            return False
        place = self.nodes.place(node)
        if place.task < 0 or place.event >= 0 or place.has_events:
            return False
        if place.row and place.row not in self.nodes.cache.tree(place.task).calls:
            return False
        return self.suppression.meets(node, self.method(place))

    def is_hidden(self, node: int) -> bool:
        """Whether a row lies below a suppressed one."""
        return bool(self.suppression) and any(map(self.is_suppressed, self.path(node)[:-1]))

    # -- rows ---------------------------------------------------------------------------------------------------------

    def row(self, node: int) -> Row:
        """A run, a thread, a task, or a row inside a task."""
        place = self.nodes.place(node)
        row = self._row(node, place)
        return replace(row, flags=(*row.flags, "suppressed")) if row.has_children and self.is_suppressed(node) else row

    def _row(self, node: int, place: Place) -> Row:
        if place.event >= 0:
            return self._event(node, place)
        if place.has_events:
            count = len(self.nodes.events(place.task))
            depth = self._task_depth + 1
            badges: dict[str, Badge] = {"elements": count}
            return Row(node, "group", "events", depth, badges, ref=f"node:{node}", has_children=True, look="events")
        if place.row:
            return self._inside(node, place)
        if place.task >= 0:
            return self._task(node, place.task)
        return self._run(node, place.run) if place.run >= 0 else self._thread(node, place.thread)

    @property
    def _task_depth(self) -> int:
        return 2 if self.nodes.runs > 1 else 1

    def _run(self, node: int, run: int) -> Row:
        threads = self.nodes.threads(run)
        tasks = sum(len(self.nodes.tasks(thread)) for thread in threads)
        processes = {self.log.column("thread_process")[thread] for thread in threads if thread != NONE}
        label = f"run {run + 1}: process {', '.join(map(str, sorted(processes))) or 'unknown'}"
        return Row(node, "run", label, badges={"tasks": tasks}, ref=f"run:{run + 1}", has_children=bool(threads))

    def _thread(self, node: int, thread: int) -> Row:
        log, tasks = self.log, self.nodes.tasks(thread)
        badges: dict[str, Badge] = {"tasks": len(tasks)}
        ref, offset = f"node:{node}", None
        if thread != NONE:
            id = log.column("thread_id")[thread]
            badges["thread"] = id
            offset = log.column("thread_offset")[thread]
            if self._thread_of_id(id) == thread:
                ref = f"thread:{id}"
        return Row(
            node=node,
            kind="thread",
            label=self.nodes.name(thread),
            depth=self._task_depth - 1,
            badges=badges,
            ref=ref,
            offset=offset,
            line=None if offset is None else self._line(offset),
            has_children=bool(tasks),
        )

    def _task(self, node: int, task: int) -> Row:
        log = self.log
        flags, offset = log.column("task_flags")[task], log.column("task_start")[task]
        method = task_method(log, task)
        found = ["damaged"] if flags & IS_DAMAGED else []
        if self.nodes.cache.is_open(task) and self.nodes.cache.tree(task).task.repairs:
            found.append("repaired")
        return Row(
            node=node,
            kind="task",
            label=method.label,
            depth=self._task_depth,
            badges=self._task_badges(task),
            flags=tuple(found),
            ref=self.ref_of_task(task),
            line=self._line(offset),
            offset=offset,
            has_children=self._tree.has_rows(Place(task=task)),
            spans=method.spans,
            look=task_look(flags),
        )

    def _task_badges(self, task: int) -> dict[str, Badge]:
        """The badges of a task, and in a few words how long it took and what became of it."""
        badges = task_badges(self.log, task)
        end, took = self.nodes.about.end(task), badges.get("compile_ms")
        parts = [f"{took:,} ms"] if isinstance(took, int) else []
        if badges["outcome"] != "ok":
            parts.append(str(badges.get("reason", badges["outcome"])))
        elif end is not None:
            parts.append(self.nodes.about.reason(end))
        return badges | {"result": " · ".join(part for part in parts if part)} if any(parts) else badges

    def _inside(self, node: int, place: Place) -> Row:
        tree, row = self.nodes.cache.tree(place.task), place.row
        text = task_label.label_of(tree, row)
        kind = task_label.kind_of(tree, row)
        start = tree.task.starts[abs(row)]
        offset = self.log.column("task_start")[place.task] + start
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
            has_children=bool(children),
            link=self._callee(place) if row in tree.calls and not children else None,
            spans=text.spans,
            look=task_label.look_of(tree, row),
        )

    def _event(self, node: int, place: Place) -> Row:
        about, event = self.nodes.about, place.event
        offset = self.log.column("event_start")[event]
        return Row(
            node=node,
            kind=about.kind(event),
            label=about.label(event),
            depth=self._task_depth + 2,
            badges=about.badges(event) | self._event_result(event),
            ref=self._line_ref(node, offset, self.log.pread(1, offset - 1) == b"\n"),
            line=self._line(offset),
            offset=offset,
        )

    def _event_result(self, event: int) -> dict[str, Badge]:
        """What stands at the right edge: how big the code is."""
        size = self.nodes.about.badges(event).get("size")
        return {"result": f"{size:,} bytes"} if isinstance(size, int) else {}

    def _line_ref(self, node: int, offset: int, begins_line: bool) -> str:
        """The REF of what has no name: its line, if that is one of the first file that begins with it."""
        if begins_line and self.log.is_complete:
            file, line = self.log.line(offset)
            if not file:
                return f"line:{line}"
        return f"node:{node}"

    def _line(self, offset: int) -> int | None:
        """The line of a run offset, in its file; None as long as it isn't known which one that is."""
        return self.log.line(offset)[1] if self.log.is_complete else None

    def ref_of_task(self, task: int) -> str:
        """The REF of a task; of a second one of the same id its node."""
        log = self.log
        run = log.column("task_run")[task]
        is_osr = bool(log.column("task_flags")[task] & IS_OSR)
        if self.nodes.task_of_id(log.column("task_id")[task], is_osr, run) == task:
            return task_ref(log, task)
        return f"node:{self.nodes.of_task(task)}"

    def _thread_of_id(self, id: int) -> int | None:
        """The first thread of an id that has tasks."""
        ids = self.log.column("thread_id")
        return next((thread for thread in sorted(self.nodes.threads()) if thread != NONE and ids[thread] == id), None)

    # -- what belongs together ----------------------------------------------------------------------------------------

    def fired(self, place: Place) -> list[int]:
        """The events of a trap that was compiled in and reached."""
        tree, row = self.nodes.cache.tree(place.task), place.row
        reason = tree.task.get(row, "reason")
        if not reason or tree.task.has(row, "method") or not any(map(self._is_fired_trap, self.about(place.task))):
            return []
        code = tree.code_of(row)
        method = tree.names.method(tree.method_of(code)).label if code else ""
        return self.nodes.about.fired(place.task, reason, tree.bci_of(row), method)

    def _is_fired_trap(self, event: int) -> bool:
        return bool(self.log.column("event_kind")[event] == UNCOMMON_TRAP)

    def about(self, task: int) -> Sequence[int]:
        """The events about a task."""
        return self.nodes.about.of_task(task)

    def _add_fired(self, place: Place, badges: dict[str, Badge]) -> None:
        count = len(self.fired(place))
        if count:
            badges["fired"] = count
            badges["result"] = f"fired {count:,}×, {badges.get('action', '')}".rstrip(", ")

    def compilations(self, label: str) -> Sequence[int]:
        """The tasks that compiled the method of a label, in the order of their ids; known when the log is complete."""
        ids, runs = self.log.column("task_id"), self.log.column("task_run")
        return sorted(self.methods.tasks(label), key=lambda task: (runs[task], ids[task]))

    @property
    def names(self) -> Sequence[bytes]:
        """Labels of the methods that were compiled; empty until all are known."""
        return self.methods.names

    def named(self, name: int) -> Sequence[int]:
        """The tasks of the name of that number."""
        return list(map(self.nodes.of_task, self.methods.tasks_of(self.methods.compiled[name])))

    def callee_tasks(self, place: Place) -> Sequence[int]:
        """The compilations of the method that a call calls."""
        tree = self.nodes.cache.tree(place.task)
        return self.compilations(tree.names.method(tree.method_of(place.row)).label)

    def own_code(self, place: Place) -> int | None:
        """The task whose code the callee had when this task was compiled, as its definition says."""
        tree = self.nodes.cache.tree(place.task)
        at = tree.names.definitions.get(tree.method_of(place.row), -1)
        id = tree.task.get(at, "compile_id") if at >= 0 else ""
        if not id.isascii() or not id.isdigit() or len(id) > 9:
            return None
        is_osr = tree.task.get(at, "compile_kind") == "osr"
        return self.nodes.task_of_id(int(id), is_osr, self.log.column("task_run")[place.task])

    def _callee(self, place: Place) -> str | None:
        """The REF of the callee's own code: the one it had then, else its last compilation."""
        own = self.own_code(place)
        if own is None:
            tasks = self.callee_tasks(place)
            own = tasks[-1] if tasks else None
        return None if own is None else self.ref_of_task(own)

    # -- REFs, keys, search -------------------------------------------------------------------------------------------

    def resolve(self, ref: str) -> int:
        """The node of a REF. Raises `UnknownReference`."""
        return self.resolve_all(ref)[0]

    def resolve_all(self, ref: str) -> Sequence[int]:
        """All nodes of a REF: `task:17`, `task:17%`, `run:2/task:17`, `thread:`, `line:`, `node:`, `method:`, `name:`.

        Raises `UnknownReference`.
        """
        kind, _, rest = ref.partition(":")
        run = None
        if kind == "run":
            run_text, slash, inner = rest.partition("/")
            run = self._number(ref, run_text) - 1
            if not 0 <= run < self.nodes.runs:
                raise UnknownReference(f"{ref}: there are {self.nodes.runs} runs, counted from 1")
            if not slash:
                if self.nodes.runs > 1:
                    return [self.nodes.of_run(run)]
                raise UnknownReference(f"{ref}: there is one run only")
            kind, _, rest = inner.partition(":")
        if kind == "task":
            return [self._task_of(ref, rest, run)]
        if kind in ("method", "name"):
            tasks = self.compilations(rest)
            if tasks:
                return [self.nodes.of_task(task) for task in tasks]
            raise UnknownReference(f"{ref}: no task compiles a method of exactly this name")
        if kind == "line":
            return [self._of_line(ref, self._number(ref, rest))]
        if kind == "thread":
            thread = self._thread_of_id(self._number(ref, rest))
            if thread is None:
                raise UnknownReference(f"{ref}: no compiler thread of this number has tasks")
            return [self.nodes.of_thread(thread)]
        if kind == "node":
            node = self._number(ref, rest)
            try:
                self.nodes.place(node)
            except IndexError:
                raise UnknownReference(f"{ref}: nothing has this number") from None
            return [node]
        raise UnknownReference(f"{ref}: this view has task:N, task:N%, method:NAME, thread:N, line:N and node:N")

    def _number(self, ref: str, text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 18:
            raise UnknownReference(f"{ref}: {text!r} is no number")
        return int(text)

    def _task_of(self, ref: str, text: str, run: int | None) -> int:
        is_osr = True if text.endswith("%") else None
        task = self.nodes.task_of_id(self._number(ref, text.removesuffix("%")), is_osr, run)
        if task is None:
            so_far = "" if self.log.is_complete else " among those read so far"
            raise UnknownReference(f"{ref}: no task has this compile id{so_far}")
        return self.nodes.of_task(task)

    def _of_line(self, ref: str, line: int) -> int:
        offset = line_start(self.log, line)
        node = None if offset is None else self.node_at(offset)
        if node is None:
            raise UnknownReference(f"{ref}: nothing of a task stands on line {line:,}")
        return node

    def node_at(self, offset: int) -> int | None:
        """The row that stands for the text at a run offset; it is in a task that is opened for it, or an event."""
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
        """Of a task its method; of a call that of the callee; of other rows the node itself."""
        place = self.nodes.place(node)
        if place.task >= 0 and place.row:
            tree = self.nodes.cache.tree(place.task)
            id = tree.method_of(place.row)
            return ("method", tree.names.method(id).label) if id else ("task", place.task)
        if place.task >= 0:
            return ("task", place.task)
        return ("thread", node)

    def find_key(self, key: Hashable) -> int | None:
        """The task, or the last compilation of a method."""
        match key:
            case ("task", int(task)) if 0 <= task < self.log.tasks:
                return self.nodes.of_task(task)
            case ("method", str(label)):
                tasks = self.compilations(label)
                return self.nodes.of_task(tasks[-1]) if tasks else None
            case ("thread", int(node)):
                try:
                    return node if self.nodes.place(node).task < 0 else None
                except IndexError:
                    return None
        return None

    # -- beside a row -------------------------------------------------------------------------------------------------

    def remark(self, row: Row) -> str:
        """What stands behind the label."""
        place = self.nodes.place(row.node)
        if place.event >= 0:
            return self._event_remark(place.event)
        if place.row:
            return task_label.remark_of(self.nodes.cache.tree(place.task), place.row)
        if place.task >= 0:
            return "" if place.has_events else self._task_remark(place.task)
        tasks = row.badges.get("tasks", 0)
        return f"{tasks:,} {'task' if tasks == 1 else 'tasks'}"

    def _task_remark(self, task: int) -> str:
        bci = number(self.log, "task_bci", task)
        return f"loop at {bci}" if bci is not None and self.log.column("task_flags")[task] & IS_OSR else ""

    def _event_remark(self, event: int) -> str:
        about = self.nodes.about
        seconds = about.seconds(event)
        parts = [f"{seconds:.3f} s"] if seconds is not None else []
        if self._is_fired_trap(event):
            parts.append(f"in {about.method(event)}")
        return " · ".join(parts)

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """A pattern that meets all methods of the row's class."""
        place = self.nodes.place(node)
        if place.task < 0 or (place.row and not self.nodes.cache.tree(place.task).method_of(place.row)):
            return {}
        method = self.method(place)
        return {"methods": f"{method.holder}.*"} if method.holder and "," not in method.holder else {}

    def method(self, place: Place) -> Method:
        """The method that a row is about: a task's, a call's, else that of the task it stands in."""
        if place.row:
            tree = self.nodes.cache.tree(place.task)
            id = tree.method_of(place.row)
            if id:
                return tree.names.method(id)
        return task_method(self.log, place.task)

    def sections(self, node: int) -> Sequence[Section]:
        """Decoded facts, what belongs to it elsewhere, the text as it is written."""
        return sections(self, node)

    def links(self, node: int) -> Sequence[Link]:
        """All ways from a row."""
        return links(self, node)

    def references(self, node: int) -> References:
        """Of a task everything about its compile id; of a call, or a method, all compilations of it."""
        place = self.nodes.place(node)
        if place.task < 0:
            threads = [place.thread] if place.run < 0 else self.nodes.threads(place.run)
            tasks = [task for thread in threads for task in self.nodes.tasks(thread)]
            return References(f"tasks of {self.row(node).label}", self.name, list(map(self.nodes.of_task, tasks)), True)
        if place.row and self.nodes.cache.tree(place.task).method_of(place.row):
            label = self.method(place).label
            return References(
                f"compilations of {label}", self.name, list(map(self.nodes.of_task, self.compilations(label)))
            )
        if place.row and self.nodes.cache.tree(place.task).tag(place.row) == "uncommon_trap":
            fired = [event for event in self.fired(place) if event in self.nodes.events(place.task)]
            return References("times that this trap fired", self.name, list(map(self.nodes.of_event, fired)), True)
        title = f"all about {self.ref_of_task(place.task)}"
        events = list(map(self.nodes.of_event, self.nodes.events(place.task)))
        return References(title, self.name, [self.nodes.of_task(place.task), *events], True)

    def path(self, node: int) -> Sequence[int]:
        """From the root to the node, both included."""
        path = [node]
        while (above := self._tree.parent(path[-1])) is not None:
            path.append(above)
        return path[::-1]

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[Any]:
        """Keys of an order, of tasks by the columns; of other rows by their badges."""
        if order == "name":
            return [self._name(node) for node in nodes]
        return [value if isinstance(value := self._badge(order, node), int | float) else -1 for node in nodes]

    def _name(self, node: int) -> str:
        """What a row is sorted by when that is its name: of a task the text of its method in the log."""
        place = self.nodes.place(node)
        if place.task >= 0 and not place.row and place.event < 0:
            return self.log.method(self.log.column("task_method")[place.task]).decode("utf-8", "replace")
        return self.row(node).label

    def _badge(self, order: str, node: int) -> Badge:
        place = self.nodes.place(node)
        if place.task >= 0 and not place.row and place.event < 0 and not place.has_events:
            return TASK_VALUES[order](self.log, place.task) if order in TASK_VALUES else None
        return self.row(node).badges.get(order)


class TasksTree:
    """The `Tree` of the view."""

    def __init__(self, view: TasksView) -> None:
        self._view = view
        self._nodes = view.nodes

    @property
    def preorder(self) -> Preorder | None:
        """None: what is in a task is known when it is opened."""
        return None

    def roots(self, order: str | None = None) -> Sequence[int]:
        """Runs, if there are several, else threads."""
        nodes = self._nodes
        runs = nodes.runs
        roots = [nodes.of_run(run) for run in range(runs)] if runs > 1 else list(map(nodes.of_thread, nodes.threads()))
        return sort_nodes(roots, self._view.sort_keys, None if order not in ("name",) else order)

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        """Threads of a run, tasks of a thread (sorted by the order), rows of a task or in a task, as in the file."""
        nodes = self._nodes
        place = nodes.place(node)
        if place.event >= 0 or self._view.is_suppressed(node):
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
        return sort_nodes(tasks, self._view.sort_keys, order)

    def has_children(self, node: int) -> bool:
        """Whether opening the node would show anything."""
        return not self._view.is_suppressed(node) and self.has_rows(self._nodes.place(node))

    def has_rows(self, place: Place) -> bool:
        """Whether there are rows below a place, shown or not."""
        nodes = self._nodes
        if place.event >= 0:
            return False
        if place.task < 0 or place.has_events:
            return True
        if place.row:
            return bool(nodes.cache.tree(place.task).children(place.row))
        log = nodes.log
        if log.column("task_end")[place.task] - log.column("task_start")[place.task] >= ALWAYS_FULL:
            return True
        return bool(nodes.cache.tree(place.task).children(0)) or bool(nodes.events(place.task))

    def parent(self, node: int) -> int | None:
        """The node above; None for a root."""
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
        if place.run < 0 and nodes.runs > 1:
            return nodes.of_run(nodes.run_of(place.thread))
        return None

    def row(self, node: int) -> Row:
        """What the line of this node shows."""
        return self._view.row(node)
