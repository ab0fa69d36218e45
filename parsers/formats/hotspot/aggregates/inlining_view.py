"""The view "Inlining failures": why calls were not inlined, where, and in which compilations."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from parsers.formats.hotspot.aggregates.aggregate_view import INLINING, RUN, TASKS, AggregateView, Levels
from parsers.formats.hotspot.aggregates.kinds import BYTECODE, PROFILE_COUNT, SITES, TASK_COUNT, TIMES
from parsers.formats.hotspot.decisions.decision_tables import FAILED, INLINED
from parsers.formats.hotspot.tasks.rows.kinds import LEVEL, PLACE
from parsers.model.distinct import begins, distinct
from parsers.model.late import numpy as np
from parsers.model.names.java_name import package_end
from parsers.model.none import NONE
from parsers.model.row import Column, Link, Section, SectionRow, SortKey, Span, counted
from parsers.model.view import References
from parsers.views.list_view import ListRow

REASON, SITE, TASK = range(1, 4)
"""Levels below the runs."""

GROUPED = ("reason", "run")
"""Values that the sites of one root row share."""
SHOWN = 8
"""Maximum sites that a side pane lists."""


class ReasonSums(NamedTuple):
    """Sums over the call sites of a reason."""

    profile_count: int
    """Executions, as the profiles of the callers counted them."""
    failed: int
    tasks: int


class InliningView(AggregateView):
    """Reasons, their call sites (the hottest first), the tasks in which a call site failed.

    A call site is a bytecode of a method and its callee; all its compilations are one row. `count` is the highest
    count that the profile of the caller had for it, of a reason the sum of those.
    """

    name = INLINING
    sorted_by = "count"
    label_width = 44
    description = "Calls that were not inlined, by reason"
    level_kinds: Mapping[str, int] = {"reason": REASON, "call": SITE}
    columns: tuple[Column, ...] = (PROFILE_COUNT, TIMES, SITES, TASK_COUNT, PLACE, LEVEL, BYTECODE)
    orders: tuple[str, ...] = ("count", "failed", "tasks", "sites", "bytecode", "name")

    @cached_property
    def _sites(self) -> int:
        """Number of failed sites, which are first among all."""
        return int(np.searchsorted(np.asarray(self.decisions.site_column("kind")), FAILED, "right"))

    @cached_property
    def _firsts(self) -> memoryview:
        """By reason and one more: its first site. Reasons are no rows of the index: they are runs of its sites."""
        reasons, runs = (np.asarray(self.decisions.site_column(name))[: self._sites] for name in GROUPED)
        return np.append(np.flatnonzero(begins(reasons, runs)), len(reasons)).astype(np.uint32).data

    @cached_property
    def _sums(self) -> list[ReasonSums]:
        """By reason."""
        profile_count, failed = (np.asarray(self.decisions.site_column(name)) for name in ("profile_count", "count"))
        first, tasks = (np.asarray(self.decisions.site_column(name)) for name in ("first", "task"))
        sums = []
        for reason in range(len(self._firsts) - 1):
            sites = slice(*self._firsts[reason : reason + 2])
            places = tasks[first[sites.start] : first[sites.stop]]
            total = int(profile_count[sites].sum(dtype=np.int64))
            sums.append(ReasonSums(total, int(failed[sites].sum()), len(distinct(places))))
        return sums

    @cached_property
    def _highest(self) -> tuple[int, int]:
        """The highest profile count of a reason, and of a site."""
        sites = self.decisions.site_column("profile_count")[: self._sites]
        return max((sums.profile_count for sums in self._sums), default=0), max(sites, default=0)

    def levels(self) -> Levels:
        """Returns the levels: reasons, sites, tasks."""
        runs = np.asarray(self.decisions.site_column("run"))[np.asarray(self._firsts)[:-1]]
        return Levels(runs, [self._firsts, self.decisions.site_column("first")[: self._sites + 1]])

    def entry(self, level: int, number: int) -> ListRow:
        """Returns the row of a reason, a call site or a task."""
        if level == REASON:
            return self._reason(number)
        return self._site(number) if level == SITE else self.task_entry(self.decisions.site_column("task")[number])

    def _reason(self, number: int) -> ListRow:
        first, stop = self._firsts[number : number + 2]
        label = self.decisions.word(self.decisions.site_column("reason")[first])
        sums = self._sums[number]
        return ListRow(
            kind="reason",
            label=label,
            badges={"count": sums.profile_count, "failed": sums.failed, "sites": stop - first, "tasks": sums.tasks},
            bars={"count": sums.profile_count / self._highest[0]} if sums.profile_count else {},
            spans=(Span(0, len(label), "name"),),
            look="failed",
        )

    def _site(self, site: int) -> ListRow:
        column, decisions = self.decisions.site_column, self.decisions
        caller, callee = (decisions.method(column(name)[site]) for name in ("caller", "callee"))
        bci = column("bci")[site]
        first, stop = column("first")[site : site + 2]
        profile_count = column("profile_count")[site]
        front = f"{callee.label} @ "
        label = f"{front}{caller.holder}.{caller.name}" + ("" if bci == NONE else f":{bci}")
        hidden = len(front) + package_end(caller.holder) + 1
        badges = {
            "count": profile_count,
            "failed": column("count")[site],
            "tasks": stop - first,
            "bytecode": decisions.code_bytes(column("callee")[site]),
            "bci": None if bci == NONE else bci,
            "reason": decisions.word(column("reason")[site]),
            "outcome": "failed",
        }
        return ListRow(
            kind="call",
            label=label,
            badges={name: badge for name, badge in badges.items() if badge is not None},
            bars={"count": profile_count / self._highest[1]} if profile_count else {},
            spans=(
                *callee.spans,
                Span(len(front) - 3, len(front), "place"),
                Span(len(front), hidden, "package"),
                Span(hidden, len(label), "place"),
            ),
            look="failed",
        )

    def sections_of(self, level: int, number: int) -> Sequence[Section]:
        """Returns sections: of a reason its hottest sites; of a site other sites of its callee."""
        return self._of_reason(number) if level == REASON else self._of_site(number)

    def links(self, node: int) -> Sequence[Link]:
        """Returns links; of a task also to the call in it that was not inlined."""
        level, place = self.place(node)
        found = list(super().links(node))
        if level == TASK:
            call = self._call(place)
            if call is not None:
                found.insert(0, Link("the call", self.tasks.row(call).ref, TASKS))
        return found

    def _call(self, place: int) -> int | None:
        """Returns the node of the first such call in a task."""
        column = self.decisions.site_column
        site = bisect_right(column("first"), place) - 1
        task, nodes = column("task")[place], self.tasks.nodes
        tree = nodes.cache.tree(task)
        wanted = self.decisions.method(column("callee")[site]).label
        bci, reason = column("bci")[site], self.decisions.word(column("reason")[site])
        for row, call in tree.calls.items():
            if call.bci == str(bci) and call.failure == reason and tree.names.method(call.method).label == wanted:
                return nodes.of_task(task, row)
        return None

    def _of_reason(self, number: int) -> list[Section]:
        first, stop = self._firsts[number : number + 2]
        sums = self._sums[number]
        executed = counted(sums.profile_count, "time")
        rows = (
            SectionRow("call sites", f"{stop - first:,}"),
            SectionRow("failed", f"{counted(sums.failed, 'time')} in {sums.tasks:,} compilations"),
            SectionRow("executed", f"{executed}, as the profiles had it" if sums.profile_count else "no profile"),
        )
        hottest = tuple(self._listed(site) for site in range(first, min(stop, first + SHOWN)))
        return [Section("Reason", rows), Section("Hottest", hottest, max(0, stop - first - SHOWN))]

    def _listed(self, site: int) -> SectionRow:
        column = self.decisions.site_column
        callee = self.decisions.method(column("callee")[site])
        node = self.rows.node(SITE, site)
        return SectionRow(f"{column('profile_count')[site]:,}", callee.short, f"node:{node}", self.name)

    def links_of(self, level: int, number: int) -> Sequence[Link]:
        """Returns links; of a site to the code of its callee."""
        if level != SITE:
            return super().links_of(level, number)
        column, site, links = self.decisions.site_column, number, list[Link]()
        run = column("run")[site]
        own = self.decisions.compilations(column("callee")[site], run)
        if own:
            links.append(Link("the callee's own code", self.tasks.ref_of_task(own[-1]), TASKS))
        last = column("task")[column("first")[site + 1] - 1]
        links.append(Link("the last compilation of it", self.tasks.ref_of_task(last), TASKS))
        caller = column("caller")[site]
        if self.has("Methods", caller):
            ref = self.ref_in_run(f"method:{self.decisions.method(caller).label}", run)
            links.append(Link("the caller's compilations", ref, "Methods"))
        return links

    def _of_site(self, site: int) -> list[Section]:
        column, decisions = self.decisions.site_column, self.decisions
        callee, caller = column("callee")[site], column("caller")[site]
        profile_count, failed = column("profile_count")[site], column("count")[site]
        first, stop = column("first")[site : site + 2]
        rows = [
            SectionRow("not inlined", decisions.word(column("reason")[site])),
            SectionRow("callee", decisions.method(callee).label),
            SectionRow("in", decisions.method(caller).label),
        ]
        if column("bci")[site] != NONE:
            rows.append(SectionRow("at", f"bytecode index {column('bci')[site]}"))
        size = decisions.code_bytes(callee)
        if size is not None:
            rows.append(SectionRow("bytecode", counted(size, "byte")))
        rows.append(SectionRow("executed", counted(profile_count, "time") if profile_count else "no profile"))
        rows.append(SectionRow("failed", f"{counted(failed, 'time')} in {stop - first:,} compilations"))
        run = column("run")[site]
        own = decisions.compilations(callee, run)
        if own:
            rows.append(
                SectionRow("own code", f"compiled {counted(len(own), 'time')}", self.tasks.ref_of_task(own[-1]), TASKS)
            )
        titles = ("Same callee, not inlined at", "Same callee, inlined at")
        return [Section("Call site", tuple(rows)), *self.sections_of_callee(callee, run, titles, site)]

    def sections_of_callee(
        self, callee: int, run: int, titles: tuple[str, str] = ("Not inlined at", "Inlined at"), site: int | None = None
    ) -> list[Section]:
        """Returns the calls of a method, with their reasons: those that failed, and those that were inlined.

        site: one that is omitted
        """
        found = []
        for title, kind in zip(titles, (FAILED, INLINED), strict=True):
            others = [other for other in self._sites_of(callee, kind, run) if other != site]
            if others:
                listed = tuple(self._other(other) for other in others[:SHOWN])
                found.append(Section(f"{title} ({len(others):,})", listed, max(0, len(others) - SHOWN)))
        return found

    def _other(self, site: int) -> SectionRow:
        column = self.decisions.site_column
        caller = self.decisions.method(column("caller")[site])
        bci = column("bci")[site]
        at = caller.short + ("" if bci == NONE else f":{bci}")
        reason = self.decisions.word(column("reason")[site])
        if column("kind")[site] == FAILED:
            return SectionRow(at, reason, f"node:{self.rows.node(SITE, site)}", self.name)
        task = column("task")[column("first")[site]]
        return SectionRow(at, reason, self.tasks.ref_of_task(task), TASKS)

    def _sites_of(self, callee: int, kind: int, run: int | None = None) -> Sequence[int]:
        if callee == NONE:
            return ()
        is_there = np.asarray(self.decisions.site_column("callee")) == callee
        is_there &= np.asarray(self.decisions.site_column("kind")) == kind
        if run is not None:
            is_there &= np.asarray(self.decisions.site_column("run")) == run
        return np.flatnonzero(is_there).tolist()

    def mark(self, level: int, number: int) -> Hashable:
        """Returns the reason; of a site bytecode, caller and callee; of a task its number."""
        column, decisions = self.decisions.site_column, self.decisions
        if level == REASON:
            return decisions.word(column("reason")[self._firsts[number]])
        if level == TASK:
            return column("task")[number]
        texts = (decisions.text(column(name)[number]) for name in ("caller", "callee"))
        return column("bci")[number], *texts

    def find_mark(self, level: int, mark: Hashable, first: int, stop: int) -> int | None:
        """Searches only sites of the same bytecode index: a reason may have a hundred thousand sites."""
        if level != SITE or not isinstance(mark, tuple):
            return super().find_mark(level, mark, first, stop)
        indexes = np.asarray(self.decisions.site_column("bci"))[first:stop]
        places: list[int] = (np.flatnonzero(indexes == mark[0]) + first).tolist()
        return next((place for place in places if self.mark(SITE, place) == mark), None)

    def method_of(self, level: int, number: int) -> int | None:
        """Returns the callee of a site."""
        if level != SITE:
            return None
        callee = self.decisions.site_column("callee")[number]
        return None if callee == NONE else callee

    def task_of(self, level: int, number: int) -> int | None:
        """Returns the task of an entry on the lowest level."""
        return self.decisions.site_column("task")[number] if level == TASK else None

    def references(self, node: int) -> References:
        """Returns the tasks in which the calls below failed, as nodes of "Tasks"."""
        level, number = self.place(node)
        if level in (RUN, TASK):
            return super().references(node)
        sites = self._firsts[number : number + 2] if level == REASON else (number, number + 1)
        first, last = (self.decisions.site_column("first")[site] for site in sites)
        tasks = distinct(np.asarray(self.decisions.site_column("task"))[first:last]).tolist()
        return self.tasks_as_references(f"tasks of {self.entry(level, number).label}", tasks)

    def nodes_of_task(self, task: int) -> Sequence[int | None]:
        """Returns the rows of a task, one for each site that failed in it."""
        places = np.flatnonzero(np.asarray(self.decisions.site_column("task")) == task).tolist()
        return [self.rows.node(TASK, place) for place in places]

    def nodes_of_method(self, method: int) -> Sequence[int]:
        """Returns the sites that call a method."""
        return self.nodes_at(SITE, self._sites_of(method, FAILED))

    def named(self, kind: str, value: str) -> Sequence[int]:
        """Returns the nodes of a REF: of a method its sites; of a reason the reason."""
        if kind in ("name", "reason"):
            numbers = [number for number in range(len(self._firsts) - 1) if self._reason(number).label == value]
            nodes = self.nodes_at(REASON, numbers)
            if nodes:
                return nodes
        return super().named(kind, value)

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns the keys of an order."""
        column = {"count": "profile_count", "failed": "count"}.get(order)
        if column is not None and len(nodes) and self.place(nodes[0])[0] == SITE:
            values = self.decisions.site_column(column)
            return [values[self.rows.number(node)] for node in nodes]
        return super().sort_keys(order, nodes)
