"""Profiles of a recording: rows of CPU SAMPLES, CPU TIME and SITES with their traces, of one dump or all of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.data.columns import (
    COMPILED_METHOD,
    CPU_SAMPLES,
    CPU_TIME,
    FIRST_SPECIAL_LINE,
    HUNDREDTHS,
    NATIVE_METHOD,
    SITES_KIND,
)
from parsers.formats.hprof.data.names import decode, method_label
from parsers.formats.hprof.profiles.cumulative_sections import cumulative_sections
from parsers.formats.hprof.profiles.trace_uses import MILLIS
from parsers.formats.hprof.text.lines import TICKS
from parsers.heapdump.graph.columns import IS_MISSING
from parsers.index.texts import numbers_with
from parsers.model.distinct import distinct
from parsers.model.late.lazy_sequence import LazyItems
from parsers.model.lookup import numbered
from parsers.model.names.java_name import NO_PACKAGE, PRIMITIVES
from parsers.model.names.patterns import element_type
from parsers.model.none import NONE
from parsers.model.row import Badge, Column, SectionRow, counted
from parsers.profile.method_name import package_of
from parsers.profile.profile import Profile, Value
from parsers.profile.source import ALL, ARROW, CUMULATIVE, WHOLE, ProfileQuery, ProfileSource, RowGrouping
from parsers.profile.stacks import Stacks

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording
    from parsers.model.arrays import AnyArray, I64Array, U32Array

SAMPLES, TIME, CALLS = "samples", "time", "calls"
LIVE, LIVE_OBJECTS, ALLOCATED, ALLOCATED_OBJECTS = "live bytes", "live objects", "allocated bytes", "allocated objects"

WEIGHTS: Mapping[str, tuple[int, Value, str]] = {
    SAMPLES: (CPU_SAMPLES, Value("samples", "samples"), "rank_count"),
    TIME: (CPU_TIME, Value("time_ms", "ms", "ms", MILLIS), "rank_self"),
    CALLS: (CPU_TIME, Value("calls", "calls"), "rank_count"),
    LIVE: (SITES_KIND, Value("live_bytes", "live", "bytes"), "site_live_bytes"),
    LIVE_OBJECTS: (SITES_KIND, Value("live_objects", "live objs"), "site_live_objects"),
    ALLOCATED: (SITES_KIND, Value("allocated_bytes", "alloc'ed", "bytes"), "site_allocated_bytes"),
    ALLOCATED_OBJECTS: (SITES_KIND, Value("allocated_objects", "alloc objs"), "site_allocated_objects"),
}
"""By the name of a weight: its kind of sections, its value, and its column."""

RANK = Column("rank", "rank", "count", width=6, priority=0)
ACCUM = Column("accum", "accum", "percent", width=8, priority=3)

KEPT = 4
"""Number of cached profiles."""


class HprofProfiles(ProfileSource):
    """Profiles of the sections of some kinds."""

    row_columns = (ACCUM, RANK)

    def __init__(self, recording: ProfileRecording, kinds: Sequence[int]) -> None:
        self._recording = recording
        self._kinds = kinds
        self._profile_of = lru_cache(KEPT)(self._make)

    @property
    def is_ready(self) -> bool:
        """True if all is read: traces may follow the rows that name them."""
        return self._recording.is_complete

    # -- choices ------------------------------------------------------------------------------------------------------

    @cached_property
    def weights(self) -> Sequence[str]:
        """Weights of the sections in the file."""
        there = {*self._kinds}.intersection(self._recording.column("section_kind"))
        return [name for name, (kind, _, _) in WEIGHTS.items() if kind in there]

    @cached_property
    def _snapshots(self) -> list[int]:
        snapshots = np.asarray(self._recording.column("section_snapshot"))
        found: list[int] = distinct(snapshots[self._recording.sections(*self._kinds)]).tolist()
        return found

    @cached_property
    def dumps(self) -> Sequence[str]:
        """All dumps; each dump; each one compared with the next; the last one with the first.

        If it is unknown whether counters were reset between dumps, also all dumps as if they were not.
        """
        if len(self._snapshots) < 2:
            return (ALL,)
        is_open = CPU_SAMPLES in self._kinds and cumulative_sections(self._recording).possible
        return dump_names((ALL, CUMULATIVE) if is_open else (ALL,), self._snapshots)

    @cached_property
    def threads(self) -> Sequence[str]:
        """The threads of traces, if these have any."""
        column = self._thread_of
        ids = distinct(column[column != NONE]).tolist() if len(column) else []
        return (ALL, *(f"{self._thread_names.get(number, 'thread')} {number}" for number in ids))

    @cached_property
    def _thread_names(self) -> dict[int, str]:
        column = self._recording.column
        pairs = zip(column("thread_id").tolist(), column("thread_name").tolist(), strict=True)
        return {number: decode(self._recording.word(name)) for number, name in pairs if name != NONE}

    def chosen_for(self, ref: str) -> Mapping[str, str]:
        """Returns the thread of a REF "profile:ID". REFs "thread:ID" are those of other views."""
        kind, _, id = ref.partition(":")
        choice = next((each for each in self.threads[1:] if each.rpartition(" ")[2] == id), None)
        return {"thread": choice} if kind == "profile" and choice is not None else {}

    # -- profiles -----------------------------------------------------------------------------------------------------

    def profile(self, wanted: ProfileQuery) -> Profile:
        """Returns the rows of the wanted dumps."""
        return self._profile_of(wanted)

    def _make(self, wanted: ProfileQuery) -> Profile:
        weight = wanted.weight or next(iter(self.weights), SAMPLES)
        kind = WEIGHTS[weight][0]
        if ARROW in wanted.dump:
            before, after = (self._of_snapshots(kind, [int(name) - 1]) for name in wanted.dump.split(ARROW))
            name = WEIGHTS[weight][1].name
            keys = [self._keys(kind, each) for each in (before, after)]
            profile = compared(before.by(name), after.by(name), keys)
        else:
            snapshots = self._snapshots if wanted.dump in WHOLE else [int(wanted.dump) - 1]
            if kind == SITES_KIND and wanted.dump in WHOLE:
                # Numbers of sites are cumulative: the last dump has those of the whole run.
                snapshots = snapshots[-1:]
            found = cumulative_sections(self._recording)
            cumulative = found.possible if wanted.dump == CUMULATIVE else found.known
            profile = self._of_snapshots(kind, snapshots, cumulative).by(WEIGHTS[weight][1].name)
        if wanted.thread != ALL:
            thread = int(wanted.thread.rpartition(" ")[2])
            profile = profile.of_rows(self._thread_of[profile.traces] == thread)
        if wanted.of_class != ALL and kind == SITES_KIND:
            words = self._class_words[wanted.of_class]
            profile = profile.of_rows(np.isin(np.asarray(self._recording.column("site_class"))[profile.origin], words))
        return profile

    def below_cutoff(self, wanted: ProfileQuery) -> int:
        """Returns samples or time below the cutoff; only these have their total in the file."""
        profile = self.profile(wanted)
        if ARROW in wanted.dump or wanted.thread != ALL or profile.table == "site":
            return 0
        return max(0, profile.bases[0] - profile.sums[0])

    def classes(self, weight: str) -> Sequence[str]:
        """Returns the classes of sites, those with the most allocated bytes first."""
        kind = WEIGHTS[weight or next(iter(self.weights), SAMPLES)][0]
        return (ALL, *self._class_words) if kind == SITES_KIND else ()

    @cached_property
    def _class_words(self) -> Mapping[str, AnyArray]:
        """By class of sites: the numbers of its name; those with the most allocated bytes first."""
        column = np.asarray(self._recording.column("site_class"))
        words, place = np.unique(column, return_inverse=True)
        sums = np.zeros(len(words), np.int64)
        np.add.at(sums, place, np.asarray(self._recording.column("site_allocated_bytes")).astype(np.int64))
        found: dict[str, list[int]] = {}
        for at in np.argsort(-sums, kind="stable").tolist():
            found.setdefault(decode(self._recording.word(int(words[at]))), []).append(int(words[at]))
        return {name: np.array(numbers) for name, numbers in found.items()}

    has_cut_traces = True

    @property
    def is_of_trees(self) -> bool:
        """True if the trees show these sections: the first kind in the file."""
        there = set(self._recording.column("section_kind"))
        return next((kind for kind, _, _ in WEIGHTS.values() if kind in there), None) in self._kinds

    @property
    def traces(self) -> int:
        """Number of traces in the file."""
        return self._recording.rows("trace")

    @property
    def frames(self) -> int:
        """Number of frames of all traces."""
        return self._recording.rows("stack")

    def _keys(self, kind: int, profile: Profile) -> I64Array:
        """Returns keys that identify rows across dumps: the trace, of a site its class too."""
        if kind != SITES_KIND or not len(profile.origin):
            return profile.traces
        classes = np.asarray(self._recording.column("site_class"))[profile.origin].astype(np.int64)
        return (profile.traces << 32) | classes

    def _of_snapshots(self, kind: int, snapshots: Sequence[int], cumulative: Collection[int] = ()) -> Profile:
        """Returns the rows of some dumps. cumulative: sections whose samples are included in the next one"""
        recording = self._recording
        every = np.array(recording.sections(kind), np.int64)
        sections = every[np.isin(np.asarray(recording.column("section_snapshot"))[every], snapshots)]
        is_last = np.arange(len(sections)) == len(sections) - 1
        sections = sections[is_last | ~np.isin(sections, [*cumulative])]
        rows, places = recording.rows_of(sections)
        names = [name for name, (of_kind, _, _) in WEIGHTS.items() if of_kind == kind]
        weights, wholes = [], []
        for name in names:
            column = np.asarray(recording.column(WEIGHTS[name][2])).astype(np.int64)
            found = column[rows] if len(column) else np.zeros(0, np.int64)
            if name == TIME:
                totals = [abs(total) for total in np.asarray(recording.column("section_total"))[sections].tolist()]
                found = found * np.array(totals, np.int64)[places]
                wholes.append(sum(totals) * MILLIS)
            elif name == SAMPLES:
                wholes.append(max(self._samples_in(sections), int(found.sum())))
            elif name == LIVE:
                wholes.append(self._all_live(rows, int(found.sum())))
            else:
                wholes.append(int(found.sum()))
            weights.append(found)
        column = np.asarray(recording.column("site_trace" if kind == SITES_KIND else "rank_trace"))
        traces = column[rows].astype(np.int64) if len(column) else np.zeros(0, np.int64)
        bare = traces == NONE
        if bare.any():
            methods = np.asarray(recording.column("rank_name"))[rows[bare]]
            traces[bare] = recording.rows("trace") + np.searchsorted(self._bare_methods, methods)
        return Profile(
            stacks=self.stacks,
            method_of=self.method_of,
            methods=len(self.methods),
            traces=traces,
            weights=weights,
            values=tuple(WEIGHTS[name][1] for name in names),
            origin=rows,
            table="site" if kind == SITES_KIND else "rank",
            wholes=wholes,
            rootless=len(self._bare_methods),
        )

    def _samples_in(self, sections: I64Array) -> int:
        """Returns the samples of sections with those below the cutoff.

        If counts are computed from shares, the missing ones follow from the last accumulated share: sums may differ.
        """
        column, ticks = self._recording.column, self._ticks
        firsts, counts, printed, words = (
            np.asarray(column(f"section_{name}"))[sections] for name in ("first", "rows", "total", "printed")
        )
        totals: list[int] = printed.tolist()
        for place in np.flatnonzero(np.isin(words, [*ticks])).tolist():
            totals[place] = ticks[int(words[place])]
        accums, samples = column("rank_accum"), column("rank_count")
        filled = np.flatnonzero(counts)
        is_bare = np.asarray(column("rank_trace"))[firsts[filled]] == NONE
        for place in filled[is_bare].tolist():
            first, end = int(firsts[place]), int(firsts[place]) + int(counts[place])
            missing = max(HUNDREDTHS - accums[end - 1], 0)
            totals[place] = sum(samples[first:end]) + round(totals[place] * missing / HUNDREDTHS)
        return sum(totals)

    @cached_property
    def _ticks(self) -> Mapping[int, int]:
        """Number of samples by the words that print it beside a number of rows."""
        words = self._recording.texts("word")
        printed = {word: TICKS.match(words[word]) for word in numbers_with(words, b"ticks")}
        return {word: int(found[2]) for word, found in printed.items() if found is not None}

    @cached_property
    def _bare_methods(self) -> U32Array:
        """The methods of rows that name no trace, ascending. Each is a trace of one frame, after all others."""
        names, traces = (np.asarray(self._recording.column(f"rank_{name}")) for name in ("name", "trace"))
        found: U32Array = distinct(names[traces == NONE])
        return found

    @cached_property
    def _thread_of(self) -> U32Array:
        """By trace: the id of its thread; NONE if the file names none."""
        column = np.asarray(self._recording.column("trace_thread"))
        return np.append(column, np.full(len(self._bare_methods), NONE, np.uint32))

    def _all_live(self, rows: I64Array, listed: int) -> int:
        """Estimates all live bytes of the program, the base of percents: no file contains them."""
        accum = int(self._recording.column("site_accum")[int(rows[-1])]) if len(rows) else 0
        return max(listed, listed * 10_000 // accum) if accum > 0 else listed

    @cached_property
    def stacks(self) -> Stacks:
        """All traces, then those of `_bare_methods`."""
        column = self._recording.column
        lengths = np.asarray(column("trace_frames")).astype(np.int64)
        stack = np.asarray(column("stack"))
        first = np.cumulative_sum(lengths, include_initial=True)
        starts = np.asarray(column("trace_first")).astype(np.int64)
        if len(starts) and not np.array_equal(starts, first[:-1]):
            stack = stack[np.arange(int(first[-1])) + np.repeat(starts - first[:-1], lengths)]
        if not len(self._bare_methods):
            return Stacks(first, stack)
        more = np.arange(len(self._bare_methods))
        return Stacks(np.append(first, first[-1] + more + 1), np.append(stack, self._recording.rows("frame") + more))

    # -- names --------------------------------------------------------------------------------------------------------

    @cached_property
    def method_of(self) -> I64Array:
        """By frame. Of methods that are the same except for slashes and dots, the first."""
        numbers: dict[str, int] = {}
        first = np.array([numbers.setdefault(name, number) for number, name in enumerate(self.methods)], np.int64)
        of_frames = np.append(np.asarray(self._recording.column("frame_method")), self._bare_methods)
        return first[of_frames.astype(np.int64)]

    @cached_property
    def methods(self) -> Sequence[str]:
        """Labels of all methods, also of those that only rows name. Old agents print slashes."""
        return [method_label(bytes(text)) for text in self._recording.texts("method")]

    def line(self, frame: int) -> str:
        """Returns the text of a frame's line number, for side panes and labels."""
        if frame >= self._recording.rows("frame"):
            return ""
        line = self._recording.column("frame_line")[frame]
        if line < FIRST_SPECIAL_LINE:
            return f":{line}"
        return {NATIVE_METHOD: "native", COMPILED_METHOD: "compiled"}.get(line, "")

    def trace_title(self, trace: int) -> str:
        """Returns the number and thread of a trace."""
        if trace >= self.traces:
            return "no trace recorded"
        column = self._recording.column
        title = f"TRACE {column('trace_serial')[trace]}"
        if column("trace_flags")[trace] & IS_MISSING:
            return f"{title}, which the file lacks"
        thread = column("trace_thread")[trace]
        return title if thread == NONE else f"{title}  {self._thread_names.get(thread, f'thread {thread}')}"

    def trace_ref(self, trace: int) -> str:
        """Returns the REF of a trace by its number; of a row without a trace its method."""
        if trace >= self.traces:
            return f"method:{self.methods[int(self._bare_methods[trace - self.traces])]}"
        return self._recording.trace_ref(trace)

    def trace_of(self, ref: str) -> int | None:
        """Returns the last trace of that number."""
        return self._recording.trace_named(ref)

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _is_site(self, profile: Profile) -> bool:
        return profile.table == "site"

    def row_badges(self, profile: Profile, row: int) -> Mapping[str, Badge]:
        """Returns rank and accumulated share, as printed; none for rows of compared dumps."""
        table, number = profile.table, int(profile.origin[row])
        if any(value.name == "before" for value in profile.values):
            return {}
        column = self._recording.column
        return {"rank": column(f"{table}_number")[number], "accum": column(f"{table}_accum")[number] / 100}

    def row_label(self, profile: Profile, row: int) -> str | None:
        """Returns the class of a site; None for other rows."""
        number = int(profile.origin[row])
        if self._is_site(profile):
            return decode(self._recording.word(self._recording.column("site_class")[number]))
        return None

    def groups(self, profile: Profile) -> Sequence[RowGrouping]:
        """Returns the groups of sites: the class of the objects, its package, the trace."""
        if not self._is_site(profile):
            return ()
        column = np.asarray(self._recording.column("site_class"))
        words, of_rows = np.unique(column[profile.origin] if len(column) else column, return_inverse=True)
        labels = [decode(self._recording.word(word)) for word in words.tolist()]
        packages, of_class = numbered(map(_package, labels))
        traces, of_trace = np.unique(profile.traces, return_inverse=True)
        tops = [self._trace_label(trace) for trace in traces.tolist()]
        return (
            RowGrouping("by class", "class", of_rows.reshape(-1), labels),
            RowGrouping("by package", "package", of_class[of_rows.reshape(-1)], packages),
            RowGrouping("by trace", "trace", of_trace.reshape(-1), tops),
        )

    def _trace_label(self, trace: int) -> str:
        """Returns the title and the top method of a trace."""
        frames = self.stacks.of(trace)
        top = f": {self.methods[int(self.method_of[frames[0]])]}" if len(frames) else ""
        return f"{self.trace_title(trace)}{top}"

    def notes(self, wanted: ProfileQuery) -> Sequence[SectionRow]:
        """Returns notes: the base of percents; the part below a cutoff; missing details."""
        profile = self.profile(wanted)
        value = profile.values[0]
        rows = []
        if value.name in ("samples", "time_ms"):
            missing = self.below_cutoff(wanted)
            if missing:
                share = 100 * missing / profile.bases[0]
                what = (
                    f"{counted(missing, 'sample')} ({share:.1f} %) are"
                    if value.name == "samples"
                    else f"{share:.1f} % is"
                )
                rows.append(SectionRow("cutoff", f"{what} below it: not in the file"))
            rows.append(SectionRow("percent", "of all that was recorded"))
        if value.name == "samples" and len(self._bare_methods):
            # A share has two decimals.
            error = round(profile.bases[0] / 20_000)
            precision = f", each to within {error:,}" if error else ""
            rows.append(SectionRow("counts", f"computed from the printed shares: the file has no counts{precision}"))
        elif value.name == "live_bytes":
            rows.append(SectionRow("percent", "of about all live bytes of the program"))
        if wanted.dump in WHOLE and value.name == "samples" and (text := self._cumulative_text(wanted.dump)):
            rows.append(SectionRow("dumps", text))
        if len(self.threads) == 1 and value.name == "samples":
            rows.append(SectionRow("threads", "not distinguished: recorded without thread=y"))
        return rows

    def _cumulative_text(self, dump: str) -> str:
        """Explains how the samples of all dumps are added, if that is unusual; else empty."""
        if cumulative_sections(self._recording).known:
            return "requested over a socket, which resets no counters: each is counted once"
        if not cumulative_sections(self._recording).possible:
            return ""
        if dump == CUMULATIVE:
            return "counted as answers of a socket: what the next dump may hold is left out"
        return f"added up; if they were requested over a socket, choose dump={CUMULATIVE}"


def compared(before: Profile, after: Profile, keys: Sequence[I64Array]) -> Profile:
    """Returns two dumps as one profile: the increase of each row, and its values in both.

    keys  of the rows of both: rows of one key are the same
    """
    value = after.values[0]
    rows = len(before.traces) + len(after.traces)
    is_after = np.arange(rows) >= len(before.traces)
    weight = np.concatenate([before.weights[0], after.weights[0]])
    _, first, place = np.unique(np.concatenate(keys), return_index=True, return_inverse=True)
    was, now = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    np.add.at(was, place[~is_after], weight[~is_after])
    np.add.at(now, place[is_after], weight[is_after])
    order = np.argsort(was - now, kind="stable")
    first, was, now = first[order], was[order], now[order]
    bases = [before.bases[0], after.bases[0]]
    return Profile(
        stacks=after.stacks,
        method_of=after.method_of,
        methods=after.methods,
        traces=np.concatenate([before.traces, after.traces])[first],
        weights=[now - was, was, now],
        values=tuple(replace(value, name=each, title=each, noun=value.title) for each in ("change", "before", "after")),
        origin=np.concatenate([before.origin, after.origin])[first],
        table=after.table,
        wholes=[bases[0], *bases],
    )


def dump_names(first: Sequence[str], dumps: Sequence[int]) -> Sequence[str]:
    """Returns some names; each dump; each one compared with the next; of more than two the last one with the first.

    dumps  two or more, by their numbers from 0: there may be very many
    """
    count = len(dumps)

    def name(index: int) -> str:
        pair = index - len(first) - count
        if pair < 0:
            return first[index] if index < len(first) else str(dumps[pair] + 1)
        before, after = (pair, pair + 1) if pair < count - 1 else (0, -1)
        return f"{dumps[before] + 1}{ARROW}{dumps[after] + 1}"

    return LazyItems(len(first) + 2 * count - (count == 2), name)


def _package(label: str) -> str:
    """Returns the package of a class; of an array that of its elements."""
    name = element_type(label)
    return "(primitive arrays)" if name in PRIMITIVES else package_of(name) or NO_PACKAGE
