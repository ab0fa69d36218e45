"""Base class of the views that aggregate the contents of all tasks: levels of tables as rows.

While tasks are read the tables are rebuilt now and then. A view takes new tables on each access, and
`renew` maps its earlier nodes to new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

from parsers.formats.hotspot.decisions.compile_decisions import CompileDecisions
from parsers.formats.hotspot.names import Method, decode
from parsers.formats.hotspot.tasks.rows.row import event_row_flags
from parsers.formats.hotspot.tasks.rows.task_entry import task_entry
from parsers.model.late import numpy as np
from parsers.model.names.patterns import Subject, methods_pattern
from parsers.model.names.ref_number import ref_number
from parsers.model.none import NONE
from parsers.model.row import Badge, Link, Section, SectionRow
from parsers.model.trees.nested_tables import NestedTables
from parsers.model.trees.preorder import PreorderTree
from parsers.model.view import References
from parsers.views.entry_view import EntryView
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.hotspot.aggregates.filters import MergedFilters
    from parsers.formats.hotspot.decisions.published_tables import DecisionTables
    from parsers.formats.hotspot.log.log import Log
    from parsers.formats.hotspot.report import HotSpotReport
    from parsers.formats.hotspot.tasks.view import TasksView
    from parsers.model.arrays import AnyArray

TASKS, INLINING = "Tasks", "Inlining failures"
RUN = 0
"""The level at the top: one JVM each. A single run is no row."""
MOST_TEXT = 2000
"""Maximum bytes of an event that a side pane shows as written."""


@dataclass(frozen=True)
class Levels:
    """The tables of a view, from the one below the runs down."""

    runs: Sequence[int] | AnyArray
    """By entry of the first table: its run; ascending."""
    firsts: Sequence[memoryview | AnyArray]
    """By table except the last: where the children of each entry begin, and the number of all children."""
    hidden: Mapping[int, AnyArray] = field(default_factory=dict)
    """By level: entries that are no rows."""


class AggregateView(EntryView):
    """A `View` over levels of tables. Subclasses define `name`, `columns`, `orders` and the entries.

    Level 0 is the runs, which all views have; subclasses define the levels below.
    """

    known_when = "the tasks are read"
    level_kinds: Mapping[str, int] = {}
    """Kinds that only the rows of one level have."""

    def __init__(self, report: HotSpotReport) -> None:
        self.report = report
        self._tables: DecisionTables | None = None
        """The tables of the current rows."""
        self._earlier: AggregateView | None = None
        """This view with the tables of the last `renew`; None if these are still current."""
        self._is_fixed = False
        """True if it keeps its tables."""

    # -- overridden by derived views ----------------------------------------------------------------------------------

    def levels(self) -> Levels:
        """Returns the tables."""
        raise NotImplementedError

    def entry(self, level: int, number: int) -> ListRow:
        """Returns the row of an entry."""
        raise NotImplementedError

    def sections_of(self, level: int, number: int) -> Sequence[Section]:
        """Returns the side pane of an entry that is no task."""
        return ()

    def links_of(self, level: int, number: int) -> Sequence[Link]:
        """Returns the links of an entry; Enter follows the first one."""
        task = self.task_of(level, number)
        return () if task is None else (Link("the compilation", self.tasks.ref_of_task(task), TASKS),)

    def mark(self, level: int, number: int) -> Hashable:
        """Returns a value that identifies an entry among its siblings, also in tables of another snapshot."""
        return self.entry(level, number).label

    def method_of(self, level: int, number: int) -> int | None:
        """Returns the number of an entry's method."""
        return None

    def task_of(self, level: int, number: int) -> int | None:
        """Returns the task of an entry."""
        return None

    def nodes_of_task(self, task: int) -> Sequence[int | None]:
        """Returns the nodes of a task."""
        return ()

    def nodes_of_method(self, method: int) -> Sequence[int]:
        """Returns the nodes of a method."""
        return ()

    # -- the view -----------------------------------------------------------------------------------------------------

    @property
    def log(self) -> Log:
        """The log."""
        return self.report.log

    @property
    def decisions(self) -> CompileDecisions:
        """The decisions read so far. Raises `LookupError` before the first snapshot."""
        self._refresh()
        return self._decisions

    @cached_property
    def _decisions(self) -> CompileDecisions:
        if self._tables is None:
            raise LookupError("the tasks are still being read")
        return CompileDecisions(self.log, self._tables)

    def _refresh(self) -> None:
        """Takes new tables, if there are any, and clears all that was computed from the earlier ones."""
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
        return cast("TasksView", self.report.view(TASKS))

    def tasks_as_references(self, title: str, tasks: Iterable[int]) -> References:
        """Returns tasks as nodes of "Tasks"."""
        return References(title, TASKS, list(map(self.tasks.nodes.of_task, tasks)), have_labels=True)

    @property
    def is_ready(self) -> bool:
        """True if all tasks are known and some of their contents."""
        return self.log.tables is not None

    @property
    def partial(self) -> str:
        """Share of the log that the rows are made of; empty if it is all of it."""
        return self.log.partial

    def renew(self) -> Callable[[int], int | None] | None:
        """Takes new tables; returns a map from nodes at the last call to current ones. None: nothing changed."""
        self._refresh()
        earlier, self._earlier = self._earlier, None
        return None if earlier is None else lambda node: self._node_of(earlier.marks(node))

    def marks(self, node: int) -> list[Hashable]:
        """Returns the marks on the path from the root to a node."""
        level, number = self.place(node)
        marks: list[Hashable] = []
        while level > RUN:
            marks.append(self.mark(level, number))
            number, level = self.rows.above(level, number), level - 1
        return [number, *marks[::-1]]

    def _node_of(self, marks: Sequence[Hashable]) -> int | None:
        """Returns the node of an entry by its marks; None if there is none, or it is no row."""
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
        """Returns the entry of a mark among some of a level."""
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
        levels, runs = self.levels(), np.arange(self.run_count + 1)
        firsts = [np.searchsorted(levels.runs, runs), *levels.firsts]
        # A run without entries is no row either.
        empty = runs[:-1] if len(runs) == 2 else np.flatnonzero(np.diff(firsts[0]) == 0)
        rows = NestedTables(firsts, {RUN: empty, **levels.hidden})
        rows.is_complete = self.decisions.tables.is_whole
        return rows

    @cached_property
    def run_count(self) -> int:
        """Number of JVMs that wrote the log."""
        runs = [np.asarray(self.log.column(f"{kind}_run")) for kind in ("task", "event")]
        return int(max(each.max(initial=0) for each in runs)) + 1

    def entry_of(self, node: int) -> ListRow:
        """Returns the row of a node, as an entry."""
        level, number = self.place(node)
        return self.run_entry(number) if level == RUN else self.entry(level, number)

    def run_entry(self, run: int) -> ListRow:
        """Returns the row of a run."""
        log = self.log
        processes = {
            log.column("thread_process")[at] for at, each in enumerate(log.column("thread_run")) if each == run
        }
        label = f"run {run + 1}: process {', '.join(map(str, sorted(processes - {NONE}))) or 'unknown'}"
        tasks = bytes(log.column("task_run")).count(run)
        badges = {"tasks": tasks, **log.in_flight_where("task_run", run)}
        return ListRow("run", label, badges=badges, ref=f"run:{run + 1}", key=("run", run))

    @property
    def tree(self) -> PreorderTree:
        """The rows as a tree; empty before the view is ready."""
        self._refresh()
        return super().tree

    def nodes_of_kind(self, kind: str) -> Sequence[int] | None:
        """Returns nodes that include all those of a kind; None: they may be of any level."""
        level = self.level_kinds.get(kind)
        return None if level is None else self.rows.nodes(level)

    def place(self, node: int) -> tuple[int, int]:
        """Returns level and number of a node's entry."""
        return self.rows.level(node), self.rows.number(node)

    def link_of(self, node: int, entry: ListRow) -> str | None:
        """Returns the REF that Enter follows: the first link of the entry."""
        level, number = self.place(node)
        links = () if level == RUN else self.links_of(level, number)
        return links[0].ref if links else None

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns all nodes of a REF other than `node:`."""
        kind, _, value = ref.partition(":")
        return self.named(kind, value)

    def named(self, kind: str, value: str) -> Sequence[int]:
        """Returns the nodes of a REF of some kind."""
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
            return [node for method in self.decisions.find(value) for node in self.nodes_of_method(method)]
        return ()

    def nodes_at(self, level: int, numbers: Iterable[int]) -> list[int]:
        """Returns the nodes of entries, without those that are no rows."""
        return [node for number in numbers if (node := self.rows.node(level, number)) is not None]

    def _runs_named(self, number: str) -> Sequence[int]:
        run = ref_number(number, self.run_count + 1)
        node = self.rows.node(RUN, run - 1) if run else None
        return () if node is None else (node,)

    def ref_in_run(self, ref: str, run: int) -> str:
        """Returns a REF that is the same in all runs, as one of this run."""
        return f"run:{run + 1}/{ref}" if run else ref

    def run_of(self, level: int, number: int) -> int:
        """Returns the run of an entry."""
        while level > RUN:
            level, number = level - 1, self.rows.above(level, number)
        return number

    def task_named(self, ref: str) -> int:
        """Returns the task of a REF of the view of tasks. Raises `UnknownReference`."""
        return self.tasks.nodes.place(self.tasks.resolve(ref)).task

    def key(self, node: int) -> Hashable | None:
        """Returns the key of a node: of a task the task, of others their method."""
        place = self.place(node)
        if place[0] == RUN:
            return ("run", place[1])
        task, method = self.task_of(*place), self.method_of(*place)
        if task is not None:
            return ("task", task)
        return None if method is None else ("method", self.decisions.method(method).label)

    def find_key(self, key: Hashable) -> int | None:
        """Returns the first row of a method, or of a task or its method."""
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

    # -- the side pane ------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the side pane of a node."""
        level, number = self.place(node)
        if level == RUN:
            return [Section("Run", (SectionRow("tasks", f"{self.run_entry(number).badges['tasks']:,}"),))]
        task = self.task_of(level, number)
        if task is not None and self.entry(level, number).kind == "task":
            return self.tasks.sections(self.tasks.nodes.of_task(task))
        return self.sections_of(level, number)

    def links(self, node: int) -> Sequence[Link]:
        """Returns all links of a row: its own, and to the method's compilations and story."""
        place = self.place(node)
        if place[0] == RUN:
            return [Link("its tasks", f"run:{place[1] + 1}", TASKS)]
        links, method = [*self.links_of(*place)], self.method_of(*place)
        if method is not None:
            links += self.links_of_method(method)
        return links

    def links_of_method(self, method: int) -> list[Link]:
        """Returns links to a method's compilations, its story, and its inlining failures; except to this view."""
        label = self.decisions.method(method).label
        ref = f"method:{label}"
        views = {"Methods": "compilations", "Story": "story"}
        links = [Link(name, ref, view) for view, name in views.items() if view != self.name and self.has(view, method)]
        if self.name != INLINING and cast("AggregateView", self.report.view(INLINING)).nodes_of_method(method):
            links.append(Link("calls not inlined", ref, INLINING))
        return links

    def has(self, view: str, method: int) -> bool:
        """True if another view of this report has a method."""
        return method < len(self.log.methods) and bool(self.decisions.places_of_method(method))

    def references(self, node: int) -> References:
        """Returns the tasks below, as nodes of "Tasks"."""
        level, number = self.place(node)
        if level == RUN:
            tasks = [task for task, run in enumerate(self.log.column("task_run")) if run == number]
            return self.tasks_as_references(f"tasks of run {number + 1}", tasks)
        below = {self.task_of(*self.place(each)) for each in range(node, self.rows.end(node))}
        title = f"tasks of {self.entry_of(node).label}"
        return self.tasks_as_references(title, sorted(task for task in below if task is not None))

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns a pattern that matches all methods of the row's class."""
        method = self._method_at(node)
        return methods_pattern(method.holder) if method else {}

    def _method_at(self, node: int) -> Method | None:
        number = self.method_of(*self.place(node))
        return None if number is None else self.decisions.method(number)

    def text_of_event(self, event: int) -> Section:
        """Returns an event as it is written."""
        text = decode(self.log.event_bytes(event)[:MOST_TEXT])
        return Section("In the log", tuple(SectionRow("", line) for line in text.splitlines()))

    def row_filters(self) -> MergedFilters:
        """Returns the filters of this view, for many rows at once."""
        from parsers.formats.hotspot.aggregates.filters import MergedFilters

        return MergedFilters(self, self._method_at)

    # -- rows of tasks ------------------------------------------------------------------------------------------------

    def task_entry(self, task: int) -> ListRow:
        """Returns the row of a task, as in the view of tasks; without a REF that is a node number of that view."""
        ref = self.tasks.ref_of_task(task)
        return replace(task_entry(self.log, task), ref="" if ref.startswith("node:") else ref)

    def event_entry(self, event: int, label: str, badges: dict[str, Badge]) -> ListRow:
        """Returns the row of an event of the main log."""
        kind, offset = self.tasks.nodes.about.kind(event), self.log.column("event_start")[event]
        return ListRow(kind, label, badges=badges, offset=offset, flags=event_row_flags(self.log, event))
