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

        def sums(threads: Sequence[int]) -> dict[str, Badge]:
            return {"events": sum(events[each] for each in threads), "samples": sum(samples[each] for each in threads)}

        def row(thread: int, depth: int) -> ListRow:
            ids = {"os_id": os_ids[thread], "java_id": java_ids[thread]}
            numbers: dict[str, Badge] = {"events": events[thread], "samples": samples[thread], **ids}
            known = {name: number for name, number in numbers.items() if number or name == "events"}
            return ListRow(
                "thread", names[thread] or "(no name)", depth, known, f"thread:{thread}", key=("thread", thread)
            )

        found: list[ListRow] = []
        for group, members in sorted(groups.items(), key=lambda item: -sum(events[each] for each in item[1])):
            unnamed = [each for each in members if flags[each] & IS_VIRTUAL and not names[each]]
            found.append(ListRow("group", group or "(no group)", badges=sums(members)))
            if len(unnamed) > 1:
                label = f"{len(unnamed):,} virtual threads without names"
                found.append(ListRow("group", label, 1, sums(unnamed)))
                found += [row(each, 2) for each in unnamed]
                members = sorted(set(members) - set(unnamed))
            found += [row(each, 1) for each in sorted(members, key=lambda each: -events[each])]
        return found

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the name, kind and numbers of a thread; of a group its label."""
        entry = self.entries[node]
        if entry.kind == "group":
            return super().sections(node)
        flags = self._data.column("thread_flags")[int(entry.ref.removeprefix("thread:"))]
        rows = [
            SectionRow("name", entry.label),
            SectionRow("kind", "virtual thread" if flags & IS_VIRTUAL else "thread"),
        ]
        rows += [SectionRow(name.replace("_", " "), f"{value}") for name, value in entry.badges.items()]
        return (Section("Thread", tuple(rows)),)
