"""The view "Threads": threads with the number of their events; unnamed virtual threads are one row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.jfr.columns import IS_VIRTUAL, NONE
from parsers.formats.jfr.totals import SAMPLES
from parsers.model.report import Badge, Column, Section, SectionRow
from parsers.views.list_view import ListRow, ListView

if TYPE_CHECKING:
    from parsers.formats.jfr.report import JfrReport

COLUMNS = (
    Column("java_id", "Java id", width=9, priority=1),
    Column("os_id", "OS id", width=9, priority=2),
    Column("samples", "samples", width=9, priority=3, adds_up=True),
    Column("events", "events", width=11, priority=4, adds_up=True),
)


class ThreadsView(ListView):
    """Groups of threads, with their threads."""

    name = "Threads"
    description = "Threads by group, with their events and samples"
    columns = COLUMNS
    orders = ("events", "samples", "name")

    def __init__(self, report: JfrReport) -> None:
        super().__init__()
        self._data = report.data

    @property
    def is_ready(self) -> bool:
        """True if the index is finished."""
        return self._data.is_complete

    @property
    def is_complete(self) -> bool:
        """True if the index is finished."""
        return self._data.is_complete

    def make(self) -> Sequence[ListRow]:
        """Returns the threads by group, those with the most events first."""
        data = self._data
        if not data.is_complete:
            return ()
        flags, os_ids, java_ids = (data.column(f"thread_{name}").tolist() for name in ("flags", "os_id", "java_id"))
        count = len(flags)
        threads = data.events("thread")
        events = np.bincount(threads[threads != NONE], minlength=count).tolist()
        rows = np.concatenate([data.rows_of(type) for type in SAMPLES])
        sampled = data.events("thread", rows)
        samples = np.bincount(sampled[sampled != NONE], minlength=count).tolist()
        names = [text.decode("utf-8", "surrogatepass") for text in data.texts("thread")]
        groups: dict[str, list[int]] = {}
        for thread, path in enumerate(data.texts("thread_group")):
            groups.setdefault(path.decode("utf-8", "surrogatepass"), []).append(thread)
        found: list[ListRow] = []
        for group, members in sorted(groups.items(), key=lambda item: -sum(events[each] for each in item[1])):
            unnamed = [each for each in members if flags[each] & IS_VIRTUAL and not names[each]]
            sums = {"events": sum(events[each] for each in members), "samples": sum(samples[each] for each in members)}
            found.append(ListRow("group", group or "(no group)", badges=sums))
            if len(unnamed) > 1:
                of_unnamed = {name: sum(of[each] for each in unnamed) for name, of in
                              (("events", events), ("samples", samples))}  # fmt: skip
                found.append(ListRow("group", f"{len(unnamed):,} virtual threads without names", 1, of_unnamed))
            for thread in sorted(members, key=lambda each: -events[each]):
                depth = 2 if len(unnamed) > 1 and thread in set(unnamed) else 1
                if depth == 2:
                    continue
                found.append(self._thread(thread, depth, names, os_ids, java_ids, flags, events, samples))
            if len(unnamed) > 1:
                at = next(place for place, row in enumerate(found) if row.depth == 1 and "virtual threads" in row.label)
                rest = [self._thread(each, 2, names, os_ids, java_ids, flags, events, samples) for each in unnamed]
                found[at + 1 : at + 1] = rest
        return found

    @staticmethod
    def _thread(
        thread: int, depth: int, names: Sequence[str], os_ids: Sequence[int], java_ids: Sequence[int],
        flags: Sequence[int], events: Sequence[int], samples: Sequence[int],
    ) -> ListRow:  # fmt: skip
        badges: dict[str, Badge] = {"events": events[thread]}
        if samples[thread]:
            badges["samples"] = samples[thread]
        if os_ids[thread]:
            badges["os_id"] = os_ids[thread]
        if java_ids[thread]:
            badges["java_id"] = java_ids[thread]
        label = names[thread] or "(no name)"
        kind = "virtual thread" if flags[thread] & IS_VIRTUAL else "thread"
        rows = [SectionRow("name", label), SectionRow("kind", kind)]
        rows += [SectionRow(name.replace("_", " "), f"{value}") for name, value in badges.items()]
        sections = (Section("Thread", tuple(rows)),)
        ref = f"thread:{thread}"
        return ListRow("thread", label, depth, badges, ref, sections=sections, key=("thread", thread))
