"""The side pane of a row of the view of monitors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from parsers.formats.hprof.data.columns import IS_RAW
from parsers.formats.hprof.data.names import decode, frame_label
from parsers.formats.hprof.monitors.dumps import MonitorDump, status_words
from parsers.formats.hprof.monitors.groups import MILLION, HprofMonitorGroups, MonitorRowGroup
from parsers.formats.hprof.monitors.kinds import monitor_label
from parsers.heapdump.graph.columns import IS_MISSING
from parsers.model.row import Section, SectionRow, capitalized, counted
from parsers.profile.threads.wait_graph import Ring

MONITORS_VIEW = "Monitors"
SHOWN_FRAMES = 24


class HprofMonitorDetail:
    """Makes sections. `block_ref` gives the REF of a block's row."""

    def __init__(self, groups: HprofMonitorGroups, block_ref: Callable[[MonitorDump, int], str]) -> None:
        self._groups = groups
        self._recording = groups.recording
        self._block_ref = block_ref

    def sections(self, group: MonitorRowGroup, leaf: int) -> Sequence[Section]:
        """Returns the stack of a thread; the chain of a deadlock; the trace of contention; the meaning of sums."""
        thread = self._groups.thread_at(group, leaf) if leaf >= 0 else None
        if thread is not None:
            return self._thread_sections(group.dump, thread)
        if leaf >= 0 and group.leaf_kind == "contention":
            trace = self._recording.column("rank_trace")[group.leaves[leaf]]
            return (*self._unit_section(group.section), self._frames("Stack of the request", trace))
        if group.ring is not None and group.dump is not None:
            return self._chain(group.dump, group.ring)
        if group.block >= 0 and group.dump is not None:
            return self._block_sections(group.dump, group.block)
        if group.section >= 0:
            return self._unit_section(group.section)
        rows = [SectionRow("", text) for text in (group.label, group.remark) if text]
        if group.is_waits:
            rows.append(
                SectionRow("", "monitors are named by their class alone: two of one class can't be distinguished")
            )
        return (Section(capitalized(group.kind), tuple(rows)),)

    def _thread_sections(self, dump: MonitorDump | None, thread: int) -> list[Section]:
        ref = f"thread:{thread}" if thread in self._groups.names else None
        rows = [SectionRow("thread", self._groups.thread_text(thread), ref, "Threads")]
        rows.append(SectionRow("id", str(thread)))
        row = self._groups.dumped(dump, thread)
        if row is not None:
            status = decode(self._recording.word(self._recording.column("dumped_status")[row]))
            rows.append(SectionRow("status", f"{status}: {status_words(status)[1]}"))
        if dump is not None:
            for number, block in enumerate(dump.blocks):
                if block.owner == thread:
                    ref = self._block_ref(dump, number)
                    rows.append(SectionRow("owns", dump.monitor_text(number), ref, MONITORS_VIEW))
            if thread in dump.graph.waits:
                number, text = dump.graph.waits[thread][1], dump.graph.wait_text(dump, thread)
                rows.append(SectionRow("waits for", text, self._block_ref(dump, number), MONITORS_VIEW))
                if thread in dump.lost:
                    rows.append(SectionRow("", self._conclusion(dump, number)))
        sections = [Section("Thread", tuple(rows))]
        trace = self._groups.trace_of(dump, thread)
        return sections if trace is None else [*sections, self._frames("Stack", trace)]

    @staticmethod
    def _conclusion(dump: MonitorDump, number: int) -> str:
        why = "which was printed again" if dump.repeats[number] else "the only one that another thread owns"
        return f"concluded: it is in no list, so it waits for this monitor, {why}"

    def _frames(self, title: str, trace: int) -> Section:
        """Returns a trace with its frames."""
        column = self._recording.column
        serial = column("trace_serial")[trace]
        link = SectionRow("trace", str(serial), self._recording.trace_ref(trace), "Traces")
        if column("trace_flags")[trace] & IS_MISSING:
            return Section(title, (replace(link, text=f"{serial}: not in the file", ref=None, view=None),))
        frames = self._recording.stack(trace)
        rows = [SectionRow("", frame_label(self._recording.frame(frame))) for frame in frames[:SHOWN_FRAMES]]
        return Section(title, (link, *(rows or [SectionRow("", "no frames")])), len(frames) - len(rows))

    def _chain(self, dump: MonitorDump, ring: Ring) -> list[Section]:
        """Returns a deadlock with its chain, and the stack of each of its threads."""
        rows = []
        for thread, block in zip(ring.threads, ring.waits, strict=True):
            text = f"waits for {dump.graph.wait_text(dump, thread)}"
            rows.append(SectionRow(dump.thread_text(thread), text, self._block_ref(dump, block), MONITORS_VIEW))
            if thread in dump.lost:
                rows.append(SectionRow("", self._conclusion(dump, block)))
        sections = [Section("Deadlock", tuple(rows))]
        for thread in ring.threads:
            trace = self._groups.trace_of(dump, thread)
            if trace is not None:
                sections.append(self._frames(f"Stack of {self._groups.thread_text(thread)}", trace))
        if ring.victims:
            names = tuple(SectionRow("", self._groups.thread_text(thread)) for thread in ring.victims)
            sections.append(Section("Victims: they wait behind it", names))
        return sections

    def _block_sections(self, dump: MonitorDump, number: int) -> list[Section]:
        block = dump.blocks[number]
        owner = "nobody" if block.owner is None else self._groups.thread_text(block.owner)
        rows = [SectionRow("class", monitor_label(block.name)), SectionRow("owner", owner)]
        if block.flags & IS_RAW:
            rows.append(SectionRow("", "a raw monitor of the JVM"))
        if block.owner is not None:
            rows.append(SectionRow("entered", counted(block.entries, "time")))
        rows.append(SectionRow("waiting to enter", f"{len(block.entering):,}"))
        rows.append(SectionRow("to be notified", f"{len(block.notified):,}"))
        lost = sum(of == number for of in dump.lost.values())
        if lost:
            rows.append(SectionRow("lost", f"{counted(lost, 'thread')} more must wait for it: in no list"))
        if dump.repeats[number]:
            rows.append(SectionRow("", f"printed {dump.repeats[number] + 1} times, word for word"))
        sections = [Section("Monitor", tuple(rows))]
        trace = None if block.owner is None else self._groups.trace_of(dump, block.owner)
        return sections if trace is None else [*sections, self._frames("Stack of its owner", trace)]

    def _unit_section(self, section: int) -> list[Section]:
        """Returns the unit of a section's milliseconds."""
        total = self._recording.column("section_total")[section]
        rows = [SectionRow("printed", f"total = {total:,} ms")]
        if self._groups.unit(section) == MILLION:
            low, high = total * MILLION, (total + 1) * MILLION
            rows += [
                SectionRow("meant", f"{low:,} to {high:,} ms"),
                SectionRow("", "the agent divides milliseconds by 1,000,000 and still calls them ms"),
                SectionRow("", "shares are right; ms of a row = total × 1,000,000 × share, so a lower bound"),
                SectionRow("", "times are since the last dump, counts since the start"),
            ]
        return [Section("Monitor time", tuple(rows))]
