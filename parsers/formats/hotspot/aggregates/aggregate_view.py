"""What the views have in common that merge what all tasks say: levels of tables as rows.

While tasks are read the tables are made anew now and then. A view takes new ones when it is asked for anything, and
`renew` says where its nodes from before are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from parsers.formats.hotspot.decisions.compile_decisions import CompileDecisions
from parsers.formats.hotspot.log.columns import NONE
from parsers.formats.hotspot.names import Method, decode
from parsers.formats.hotspot.tasks.rows.row import task_badges, task_look, task_method, task_row_flags
from parsers.model.nested_tables import NestedTables
from parsers.model.patterns import Subject
from parsers.model.preorder import FlatPreorder, PreorderTree
from parsers.model.report import (
    Column,
    Link,
    References,
    Row,
    Section,
    SectionRow,
    Shape,
    UnknownReference,
)
from parsers.views.base import ViewBase
from parsers.views.list_view import Entry

if TYPE_CHECKING:
    from parsers.formats.hotspot.aggregates.filters import MergedFilters
    from parsers.formats.hotspot.decisions.published_tables import Tables
    from parsers.formats.hotspot.log.log import Log
    from parsers.formats.hotspot.report import HotSpotReport
    from parsers.formats.hotspot.tasks.view import TasksView

TASKS = "Tasks"
RUN = 0
"""The level at the top: one JVM each. Where there is one only it is no row."""
MOST_TEXT = 2000
"""Bytes of an event that a side pane shows as written."""


@dataclass(frozen=True)
class Levels:
    """The tables of a view, from the one below the runs down."""

    runs: Any
    """By entry of the first table: the run that it is of; ascending."""
    firsts: Sequence[Any]
    """By table but the last: where the entries below each entry begin, and how many there are in all."""
    hidden: Mapping[int, Any] = field(default_factory=dict)
    """By level: entries that are no rows."""


class AggregateView(ViewBase):
    """A `View` over levels of tables. Derived ones say `name`, `columns`, `orders` and what the entries are.

    Level 0 are the runs, which all views have; derived ones are asked for what is below.
    """

    name = ""
    shape: Shape = "tree"
    columns: tuple[Column, ...] = ()
    orders: tuple[str, ...] = ()
    starts_closed = True
    """A screen shows the roots first, not what is in the first one."""
    level_kinds: Mapping[str, int] = {}
    """Kinds that the rows of one level have and no others."""

    def __init__(self, report: HotSpotReport) -> None:
        self.report = report
        self._tables: Tables | None = None
        """Those that all rows are made of."""
        self._earlier: AggregateView | None = None
        """This view with the tables that `renew` told of last."""
        self._is_fixed = False
        """Whether it keeps its tables."""

    # -- what derived views say ---------------------------------------------------------------------------------------

    def levels(self) -> Levels:
        """The tables."""
        raise NotImplementedError

    def entry(self, level: int, number: int) -> Entry:
        """What the row of an entry shows."""
        raise NotImplementedError

    def sections_of(self, level: int, number: int) -> Sequence[Section]:
        """What the side pane shows of an entry that is no task."""
        return ()

    def links_of(self, level: int, number: int) -> Sequence[Link]:
        """Ways from an entry, the one that Enter goes first."""
        task = self.task_of(level, number)
        return () if task is None else (Link("the compilation", self.tasks.ref_of_task(task), TASKS),)

    def mark(self, level: int, number: int) -> Hashable:
        """What tells an entry from others below the same one, also in tables of another time."""
        return self.entry(level, number).label

    def method_of(self, level: int, number: int) -> int | None:
        """The method that an entry is about, by number."""
        return None

    def task_of(self, level: int, number: int) -> int | None:
        """The task that an entry stands for."""
        return None

    def nodes_of_task(self, task: int) -> Sequence[int | None]:
        """The nodes that stand for a task."""
        return ()

    def nodes_of_method(self, method: int) -> Sequence[int]:
        """The nodes that stand for a method."""
        return ()

    def remark(self, row: Row) -> str:
        """What stands behind the label."""
        return ""

    # -- the view -----------------------------------------------------------------------------------------------------

    @property
    def log(self) -> Log:
        """The log."""
        return self.report.log

    @property
    def insides(self) -> CompileDecisions:
        """What is known of the insides of tasks. Raises `LookupError` before anything is."""
        self._refresh()
        return self._insides

    @cached_property
    def _insides(self) -> CompileDecisions:
        if self._tables is None:
            raise LookupError("the tasks are still being read")
        return CompileDecisions(self.log, self._tables)

    def _refresh(self) -> None:
        """Takes new tables, if there are any, and forgets what was concluded from those before."""
        if self._is_fixed or self.log.tables is self._tables:
            return
        report, earlier = self.report, self._earlier
        if earlier is None and self._tables is not None:
            earlier = copy(self)
            earlier._is_fixed = True
        vars(self).clear()
        AggregateView.__init__(self, report)
        self._tables, self._earlier = report.log.tables, earlier

    @property
    def tasks(self) -> TasksView:
        """The view of the tasks themselves."""
        view: Any = self.report.view(TASKS)
        found: TasksView = view
        return found

    @property
    def is_ready(self) -> bool:
        """All tasks have to be known, and it must have begun that they are read."""
        return self.log.tables is not None

    @property
    def partial(self) -> str:
        """How much of the log the rows are made of, while that isn't all of it."""
        self._refresh()
        if self._tables is None or self._tables.is_whole:
            return ""
        return self._tables.says(self.log.tasks)

    def renew(self) -> Callable[[int], int | None] | None:
        """Takes new tables; gives where each node is that there was when this was asked last. None: all as it was."""
        self._refresh()
        earlier, self._earlier = self._earlier, None
        return None if earlier is None else lambda node: self._node_of(earlier.marks(node))

    def marks(self, node: int) -> list[Hashable]:
        """Marks from the entry at the top to that of a node."""
        level, number = self.place(node)
        marks: list[Hashable] = []
        while level > RUN:
            marks.append(self.mark(level, number))
            number, level = self.rows.above(level, number), level - 1
        return [number, *marks[::-1]]

    def _node_of(self, marks: Sequence[Hashable]) -> int | None:
        """The node of an entry by its marks; None if there is none, or it is no row."""
        level, number = RUN, cast("int", marks[0])
        if number >= self.run_count:
            return None
        for level, mark in enumerate(marks[1:], RUN + 1):
            first, stop = self.rows.below(level - 1, number)
            found = self.find_mark(level, mark, first, stop)
            if found is None:
                return None
            number = found
        return self.rows.node(level, number)

    def find_mark(self, level: int, mark: Hashable, first: int, stop: int) -> int | None:
        """The entry of a mark among some of a level."""
        known = self._marks.get((level, first))
        if known is None:
            known = self._marks[level, first] = {self.mark(level, number): number for number in range(first, stop)}
        return known.get(mark)

    @cached_property
    def _marks(self) -> dict[tuple[int, int], dict[Hashable, int]]:
        return {}

    @property
    def rows(self) -> NestedTables:
        """The rows. Raises `LookupError` before they are known."""
        self._refresh()
        return self._rows

    @cached_property
    def _rows(self) -> NestedTables:
        import numpy as np

        levels, runs = self.levels(), np.arange(self.run_count + 1)
        firsts = [np.searchsorted(levels.runs, runs), *levels.firsts]
        # A run of which there is nothing is no row either.
        empty = runs[:-1] if len(runs) == 2 else np.flatnonzero(np.diff(firsts[0]) == 0)
        rows = NestedTables(firsts, {RUN: empty, **levels.hidden})
        rows.is_complete = self.insides.tables.is_whole
        return rows

    @cached_property
    def run_count(self) -> int:
        """How many JVMs wrote the log."""
        import numpy as np

        runs = [np.asarray(self.log.column(f"{kind}_run")) for kind in ("task", "event")]
        return int(max(each.max(initial=0) for each in runs)) + 1

    def entry_of(self, node: int) -> Entry:
        """What the row of a node shows."""
        level, number = self.place(node)
        return self.run_entry(number) if level == RUN else self.entry(level, number)

    def run_entry(self, run: int) -> Entry:
        """The row of a run."""
        log = self.log
        processes = {
            log.column("thread_process")[at] for at, each in enumerate(log.column("thread_run")) if each == run
        }
        label = f"run {run + 1}: process {', '.join(map(str, sorted(processes - {NONE}))) or 'unknown'}"
        tasks = bytes(log.column("task_run")).count(run)
        badges = {"tasks": tasks, **log.in_flight_where("task_run", run)}
        return Entry("run", label, badges=badges, ref=f"run:{run + 1}", key=("run", run))

    @property
    def tree(self) -> PreorderTree:
        """The rows as a tree; none before the view is ready."""
        self._refresh()
        return self._tree if self.is_ready else PreorderTree(FlatPreorder(lambda: 0, lambda: False), self.row)

    @cached_property
    def _tree(self) -> PreorderTree:
        return PreorderTree(self.rows, self.row, self.sort_keys)

    @property
    def row_count(self) -> int | None:
        """All rows."""
        return self.rows.rows if self.is_ready else None

    @property
    def root_count(self) -> int | None:
        """Rows at the top."""
        return len(self.tree.roots()) if self.is_ready else None

    def nodes_of_kind(self, kind: str) -> Sequence[int] | None:
        """Nodes among which all those of a kind are; None: they may be of any level."""
        level = self.level_kinds.get(kind)
        return None if level is None else self.rows.nodes(level)

    def place(self, node: int) -> tuple[int, int]:
        """Level and number of what a node stands for."""
        return self.rows.level(node), self.rows.number(node)

    def row(self, node: int) -> Row:
        """One entry."""
        level, number = self.place(node)
        entry = self.entry_of(node)
        links = () if level == RUN else self.links_of(level, number)
        below = self.rows.end(node) - node - 1
        return Row(
            node=node,
            kind=entry.kind,
            label=entry.label,
            depth=self.rows.depth(node),
            badges=entry.badges,
            bars=entry.bars,
            flags=entry.flags,
            ref=entry.ref or f"node:{node}",
            line=entry.line,
            offset=entry.offset,
            rows_below=below,
            has_children=below > 0,
            link=links[0].ref if links else None,
            spans=entry.spans,
            look=entry.look,
        )

    def labels(self, start: int, stop: int) -> list[str]:
        """Labels of a range of nodes."""
        return [self.entry_of(node).label for node in range(start, stop)]

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[Any]:
        """Keys of an order: numbers of a badge, -1 where there is none."""
        if order == "name":
            return [self.entry_of(node).label for node in nodes]
        values = [self.entry_of(node).badges.get(order) for node in nodes]
        return [value if isinstance(value, int | float) else -1 for value in values]

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def resolve(self, ref: str) -> int:
        """The node of a REF. Raises `UnknownReference`."""
        return self.resolve_all(ref)[0]

    def resolve_all(self, ref: str) -> Sequence[int]:
        """All nodes of a REF. Raises `UnknownReference`."""
        if not self.is_ready:
            raise UnknownReference(f"{ref}: known when the tasks are read")
        kind, _, value = ref.partition(":")
        if kind == "node":
            if not value.isascii() or not value.isdigit() or len(value) > 18 or int(value) >= self.rows.rows:
                raise UnknownReference(f"{ref}: there are {self.rows.rows:,} nodes, counted from 0")
            return [int(value)]
        nodes = self.named(kind, value)
        if not nodes:
            raise UnknownReference(f"{ref}: nothing of that name in {self.name}")
        return nodes

    def named(self, kind: str, value: str) -> Sequence[int]:
        """The nodes of a REF of some kind."""
        if kind == "run":
            number, slash, inner = value.partition("/")
            nodes = self._runs_named(number)
            if not slash or not nodes:
                return nodes
            within, _, value_within = inner.partition(":")
            if within not in ("task", "run"):
                last = self.rows.end(nodes[0])
                return [node for node in self.named(within, value_within) if nodes[0] <= node < last]
        if kind in ("task", "run"):
            task = self.task_named(f"{kind}:{value}")
            return [node for node in self.nodes_of_task(task) if node is not None]
        if kind in ("method", "name"):
            return [node for method in self.insides.find(value) for node in self.nodes_of_method(method)]
        return ()

    def _runs_named(self, number: str) -> Sequence[int]:
        if not number.isascii() or not number.isdigit() or not 0 < int(number[:9]) <= self.run_count:
            return ()
        node = self.rows.node(RUN, int(number[:9]) - 1)
        return () if node is None else (node,)

    def ref_in_run(self, ref: str, run: int) -> str:
        """A REF that is the same in all runs, as one of this run."""
        return f"run:{run + 1}/{ref}" if run else ref

    def run_of(self, level: int, number: int) -> int:
        """The run that an entry is of."""
        while level > RUN:
            level, number = level - 1, self.rows.above(level, number)
        return number

    def task_named(self, ref: str) -> int:
        """The task of a REF of the view of tasks. Raises `UnknownReference`."""
        return self.tasks.nodes.place(self.tasks.resolve(ref)).task

    def key(self, node: int) -> Hashable | None:
        """Of a task the task, of others the method that they are about."""
        place = self.place(node)
        if place[0] == RUN:
            return ("run", place[1])
        task, method = self.task_of(*place), self.method_of(*place)
        if task is not None:
            return ("task", task)
        return None if method is None else ("method", self.insides.method(method).label)

    def find_key(self, key: Hashable) -> int | None:
        """The first row of a method, or of the method of a task."""
        if not self.is_ready:
            return None
        nodes: Sequence[int]
        match key:
            case ("task", int(task)) if 0 <= task < self.log.tasks:
                nodes = [node for node in self.nodes_of_task(task) if node is not None]
                nodes = nodes or self.nodes_of_method(self.log.column("task_method")[task])
            case ("run", int(run)):
                nodes = self._runs_named(str(run + 1))
            case ("class", str(name)):
                nodes = self.named("class", name)
            case ("method", str(label)):
                nodes = self.named("method", label)
            case _:
                return None
        return nodes[0] if nodes else None

    # -- beside a row -------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """What the side pane shows."""
        level, number = self.place(node)
        if level == RUN:
            return [Section("Run", (SectionRow("tasks", f"{self.run_entry(number).badges['tasks']:,}"),))]
        task = self.task_of(level, number)
        if task is not None and self.entry(level, number).kind == "task":
            return self.tasks.sections(self.tasks.nodes.of_task(task))
        return self.sections_of(level, number)

    def links(self, node: int) -> Sequence[Link]:
        """All ways from this row: its own, and to the method's compilations and story."""
        place = self.place(node)
        if place[0] == RUN:
            return [Link("its tasks", f"run:{place[1] + 1}", TASKS)]
        links, method = [*self.links_of(*place)], self.method_of(*place)
        if method is not None:
            links += self.links_of_method(method)
        return links

    def links_of_method(self, method: int) -> list[Link]:
        """Ways to a method's compilations, its story, and where it wasn't inlined; but for this view's own."""
        label = self.insides.method(method).label
        ref = f"method:{label}"
        views = {"Methods": "compilations", "Story": "story"}
        return [Link(title, ref, view) for view, title in views.items() if view != self.name and self.has(view, method)]

    def has(self, view: str, method: int) -> bool:
        """Whether another view of this report has a method."""
        return method < len(self.log.methods) and bool(self.insides.places_of_method(method))

    def references(self, node: int) -> References:
        """The tasks below, as nodes of "Tasks"."""
        tasks: dict[int, None] = {}
        level, number = self.place(node)
        if level == RUN:
            tasks = dict.fromkeys(task for task, run in enumerate(self.log.column("task_run")) if run == number)
            title = f"tasks of run {number + 1}"
            return References(title, TASKS, list(map(self.tasks.nodes.of_task, tasks)), have_labels=True)
        for below in range(node, self.rows.end(node)):
            task = self.task_of(*self.place(below))
            if task is not None:
                tasks[task] = None
        label = self.entry_of(node).label
        nodes = list(map(self.tasks.nodes.of_task, sorted(tasks)))
        return References(f"tasks of {label}", TASKS, nodes, have_labels=True)

    def path(self, node: int) -> Sequence[int]:
        """From the root to the node."""
        return self.tree.path(node)

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """A pattern that meets all methods of the row's class."""
        number = self.method_of(*self.place(node))
        method = None if number is None else self.insides.method(number)
        return {"methods": f"{method.holder}.*"} if method and method.holder and "," not in method.holder else {}

    def text_of_event(self, event: int) -> Section:
        """An event as it is written."""
        text = decode(self.log.event_bytes(event)[:MOST_TEXT])
        return Section("In the log", tuple(SectionRow("", line) for line in text.splitlines()))

    def row_filters(self) -> MergedFilters:
        """What filters ask in bulk."""
        from parsers.formats.hotspot.aggregates.filters import MergedFilters

        return MergedFilters(self)

    # -- rows of tasks ------------------------------------------------------------------------------------------------

    def task_entry(self, task: int) -> Entry:
        """The row of a task, as in the view of tasks; a number of a node there is none here."""
        method: Method = task_method(self.log, task)
        ref = self.tasks.ref_of_task(task)
        ref = "" if ref.startswith("node:") else ref
        return Entry(
            kind="task",
            label=method.label,
            badges=task_badges(self.log, task),
            flags=task_row_flags(self.log, task),
            ref=ref,
            offset=self.log.column("task_start")[task],
            spans=method.spans,
            look=task_look(self.log.column("task_flags")[task]),
        )
