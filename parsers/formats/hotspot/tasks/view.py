"""The view "Tasks": compiler threads, their tasks, and the contents of a task when it is opened.

Nodes are numbered by their offsets in the log (`nodes`), so nothing is made before it is shown and a number
means the same in every opening.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.hotspot.suppression import Suppression
from parsers.formats.hotspot.tasks.joins import TaskJoins
from parsers.formats.hotspot.tasks.nodes import FIRST
from parsers.formats.hotspot.tasks.rows.detail import links, sections
from parsers.formats.hotspot.tasks.rows.kinds import TASK_COLUMNS, TASK_ORDERS
from parsers.formats.hotspot.tasks.rows.refs import TaskRefs
from parsers.formats.hotspot.tasks.rows.row import TASK_VALUES
from parsers.formats.hotspot.tasks.rows.rows import TaskRows
from parsers.model.names.patterns import Subject, methods_pattern
from parsers.model.row import Badge, Column, Link, Row, Section, SortKey, counted
from parsers.model.trees.preorder import sort_nodes
from parsers.model.trees.tree import Preorder
from parsers.model.view import References, View

if TYPE_CHECKING:
    from parsers.formats.hotspot.report import HotSpotReport
    from parsers.reporting.rules.array_rows import ArrayRows

UNREAD = {
    "failed": "unknown: indexing ended early, read the file again",
    "stopped": "unknown: indexing was stopped, continue it",
}
"""Tasks whose log was not reached, by the state of the index."""


class TasksView(TaskRefs, View):
    """Threads at the top (runs, if several JVMs wrote the log), then tasks, then the contents of tasks."""

    name = "Tasks"
    description = "Compilations in the order of the log"
    columns: tuple[Column, ...] = TASK_COLUMNS
    orders: tuple[str, ...] = TASK_ORDERS

    def __init__(self, report: HotSpotReport) -> None:
        self.report = report
        self.log = report.log
        self.joins = TaskJoins(self.log)
        self.nodes = self.joins.nodes
        self.rows = TaskRows(self.joins)
        self.suppression = Suppression()
        self._tree = TasksTree(self)

    @property
    def tree(self) -> TasksTree:
        """Threads and tasks as a tree."""
        return self._tree

    @property
    def root_count(self) -> int | None:
        """Number of threads, or runs; None while they are not all known."""
        return len(self._tree.roots()) if self.log.is_complete else None

    @cached_property
    def view_names(self) -> Sequence[str]:
        """Names of all views of the report."""
        return tuple(self.report.makers())

    # -- rows ---------------------------------------------------------------------------------------------------------

    def row(self, node: int) -> Row:
        """Returns the row of a run, a thread, a task, a row inside a task, or an event about a task."""
        row = self.rows.row(node, self.nodes.place(node))
        return replace(row, flags=(*row.flags, "suppressed")) if row.has_children and self.is_suppressed(node) else row

    def remark(self, row: Row) -> str:
        """Returns the text after the label."""
        place = self.nodes.place(row.node)
        if place.task >= 0:
            return self.rows.remark(place)
        if place.log_file >= 0:
            return self._unread or "log not found"
        tasks = row.badges.get("tasks", 0)
        in_flight = f", {count:,} in flight" if (count := row.badges.get("in_flight")) else ""
        return f"{counted(tasks, 'task')}{in_flight}"

    @property
    def _unread(self) -> str:
        """The reason why logs that are further down in the file are not known; empty once they are."""
        if self.log.is_joined:
            return ""
        return UNREAD.get(self.report.progress.state, "not found yet: their log is further down")

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns the keys of an order: of tasks from the columns, of other rows from their badges."""
        if order == "name":
            return [self._name(node) for node in nodes]
        return [value if isinstance(value := self._badge(order, node), int | float) else -1 for node in nodes]

    def _name(self, node: int) -> str:
        """Returns the sort key by name: of a task the text of its method in the log."""
        place = self.nodes.place(node)
        if place.is_task:
            return self.log.method(self.log.column("task_method")[place.task]).decode("utf-8", "replace")
        return self.row(node).label

    def _badge(self, order: str, node: int) -> Badge:
        place = self.nodes.place(node)
        if place.is_task:
            return TASK_VALUES[order](self.log, place.task) if order in TASK_VALUES else None
        return self.row(node).badges.get(order)

    # -- patterns -----------------------------------------------------------------------------------------------------

    def suppress(self, options: Mapping[str, str], opened: Collection[int] = ()) -> None:
        """Hides all rows below tasks and calls whose method or class matches the patterns, except those `opened`.

        options  the patterns by option, as `suppress_methods`; none: show all
        """
        self.suppression = Suppression(options, opened)

    def is_suppressed(self, node: int) -> bool:
        """True if a pattern hides the rows below a row."""
        if not self.suppression:
            return False
        place = self.nodes.place(node)
        if not place.is_task and (not place.row or place.row not in self.nodes.cache.tree(place.task).calls):
            return False
        return self.suppression.matches(node, self.joins.method(place))

    def is_hidden(self, node: int) -> bool:
        """True if a row is below a suppressed one."""
        return bool(self.suppression) and any(map(self.is_suppressed, self.path(node)[:-1]))

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns a pattern that matches all methods of the row's class."""
        place = self.nodes.place(node)
        if place.task < 0 or (place.row and not self.nodes.cache.tree(place.task).method_of(place.row)):
            return {}
        method = self.joins.method(place)
        return methods_pattern(method.holder)

    # -- names --------------------------------------------------------------------------------------------------------

    def offset_in_file(self, offset: int) -> int:
        """Converts a run offset to an offset in its file."""
        return offset - max((part.base for part in self.log.parts if part.base <= offset), default=0)

    def ref_of_task(self, task: int) -> str:
        """Returns the REF of a task by its number in the columns."""
        return self.joins.ref_of_task(task)

    @property
    def names(self) -> Sequence[bytes]:
        """Labels of the methods that were compiled; empty until all are known."""
        return self.joins.methods.names

    def named(self, name: int) -> Sequence[int]:
        """Returns the tasks of the name of that number."""
        methods = self.joins.methods
        return list(map(self.nodes.of_task, methods.tasks_of(methods.compiled[name])))

    def named_rows(self, kind: str) -> ArrayRows | None:
        """Returns tasks by their methods, for rules; see `parsers.reporting.rules.named_rows`."""
        from parsers.formats.hotspot.aggregates.named_rows import task_rows

        return task_rows(self, self.log, kind)

    # -- the side pane ------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns decoded facts, related rows elsewhere, and the text as written."""
        return sections(self.joins, node, self._unread)

    def links(self, node: int) -> Sequence[Link]:
        """Returns all links of a row."""
        return links(self.joins, self.view_names, node)

    def references(self, node: int) -> References:
        """Returns references: of a task all of its compile id; of a call or method all compilations of it."""
        place, nodes, joins = self.nodes.place(node), self.nodes, self.joins
        if place.task < 0:
            threads = [place.thread] if place.run < 0 else nodes.threads(place.run)
            tasks: Sequence[int] = [task for thread in threads for task in nodes.tasks(thread)]
            return self._references(f"tasks of {self.row(node).label}", map(nodes.of_task, tasks))
        tree = nodes.cache.tree(place.task) if place.row else None
        if tree is not None and tree.method_of(place.row):
            label = joins.method(place).label
            return self._references(f"compilations of {label}", map(nodes.of_task, joins.compilations(label)))
        if tree is not None and tree.tag(place.row) == "uncommon_trap":
            fired = [event for event in joins.fired(place) if event in nodes.events(place.task)]
            return self._references("times that this trap fired", map(nodes.of_event, fired))
        events = map(nodes.of_event, nodes.events(place.task))
        return self._references(f"all about {joins.ref_of_task(place.task)}", [nodes.of_task(place.task), *events])

    def _references(self, title: str, nodes: Iterable[int]) -> References:
        return References(title, self.name, list(nodes), have_labels=True)


class TasksTree:
    """Runs, threads, tasks, and the contents of a task on demand."""

    preorder: Preorder | None = None

    def __init__(self, view: TasksView) -> None:
        self._view, self._nodes = view, view.nodes

    def roots(self, order: str | None = None) -> Sequence[int]:
        """Returns runs, if there are several, else threads; before any is known, the events that name their logs."""
        nodes = self._nodes
        awaited = nodes.awaited()
        if awaited:
            return list(map(nodes.of_event, awaited))
        runs = nodes.runs
        roots = [nodes.of_run(run) for run in range(runs)] if runs > 1 else list(map(nodes.of_thread, nodes.threads()))
        return sort_nodes(roots, self._view.sort_keys, order if order == "name" else None)

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        """Returns threads of a run, tasks of a thread (sorted by the order), rows in a task, as in the file."""
        nodes = self._nodes
        place = nodes.place(node)
        if place.event >= 0 or place.log_file >= 0 or self._view.is_suppressed(node):
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
        """True if the node has children."""
        return not self._view.is_suppressed(node) and self._view.rows.has_rows(self._nodes.place(node))

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
        return self._view.row(node)
