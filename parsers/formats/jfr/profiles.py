"""Profiles of a recording: events with stacks, weighted by count, time or bytes.

Sources: types of events in `metadata.xml` of HotSpot, and those of async-profiler.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.jfr.data.columns import LOST_STACK
from parsers.formats.jfr.data.method_names import class_label
from parsers.formats.jfr.data.time_ranges import RANGE
from parsers.formats.jfr.tables.field_values import TOP, top_frames
from parsers.formats.jfr.thread_states.threads import threads_of
from parsers.formats.jfr.totals import ALLOCATIONS, names_of
from parsers.formats.jfr.totals import SAMPLES as SAMPLE_TYPES
from parsers.model.lookup import numbered
from parsers.model.none import NONE
from parsers.model.row import SectionRow, counted
from parsers.model.view import Switch
from parsers.profile.merge import ProfileTree
from parsers.profile.profile import Profile, Value
from parsers.profile.source import ALL, ProfileQuery, ProfileSource

if TYPE_CHECKING:
    from parsers.formats.jfr.read.interning import ChunkConstants
    from parsers.formats.jfr.read.values import Key
    from parsers.formats.jfr.report import JfrReport
    from parsers.model.arrays import BoolArray, I64Array

KEPT = 4
"""Number of cached profiles."""
KEPT_AMOUNTS = 2
"""Types of events whose weights are kept."""
SAMPLES, CPU_TIME, WALL, NATIVE = "samples", "CPU time", "wall clock", "native samples"
BOTH = "samples and native samples"
ALLOCATED, EXCEPTIONS, MONITORS, PARKED = "allocated bytes", "exceptions", "monitor time", "parked time"
LOST = "jdk.CPUTimeSamplesLost"
PLATFORM, VIRTUAL, UNNAMED = "platform threads", "virtual threads", "virtual threads without names"
"""Choices of threads."""
GROUP = Switch("group", "g", "thread group", (ALL,))
STATE = Switch("state", "a", "thread state", (ALL,))
FRAME = Switch("frame", "y", "innermost frame", (ALL,))
"""Filters of events."""


@dataclass(frozen=True, slots=True)
class Weight:
    """A choice of events, and the weight of each."""

    types: tuple[str, ...]
    """All of these that the file has."""
    value: Value
    fields: tuple[str, ...] = ()
    """The field with the weight: the first that a type has; none: each event counts 1."""
    is_duration: bool = False
    """True if the weight is the duration."""
    of_class: str = ""
    """The field with the class of the object that an event is about."""
    count: Value | None = None
    """The number of events, if that is not the weight itself."""


COUNT = Value("samples", "samples")
EVENTS = Value("events", "events")
NS = Value("time_ns", "time", "ns")
BYTES = Value("allocated_bytes", "allocated", "bytes")
WEIGHTS: Mapping[str, Weight] = {
    SAMPLES: Weight(("jdk.ExecutionSample",), COUNT),
    CPU_TIME: Weight(("jdk.CPUTimeSample",), Value("cpu_ns", "CPU time", "ns"), ("samplingPeriod",), count=COUNT),
    WALL: Weight(("profiler.WallClockSample",), COUNT, ("samples",)),
    NATIVE: Weight(("jdk.NativeMethodSample",), COUNT),
    BOTH: Weight(("jdk.ExecutionSample", "jdk.NativeMethodSample"), COUNT),
    ALLOCATED: Weight(("jdk.ObjectAllocationSample",), BYTES, ("weight",), of_class="objectClass", count=COUNT),
    EXCEPTIONS: Weight(
        ("jdk.JavaExceptionThrow", "jdk.JavaErrorThrow"), Value("exceptions", "exceptions"), of_class="thrownClass"
    ),
    MONITORS: Weight(("jdk.JavaMonitorEnter",), NS, is_duration=True, of_class="monitorClass", count=EVENTS),
    PARKED: Weight(("jdk.ThreadPark",), NS, is_duration=True, of_class="parkedClass", count=EVENTS),
}  # fmt: skip
"""Weights by name; the first one of which a file has events is the default."""
TLAB = Weight(
    ("jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB"), BYTES, ("tlabSize", "allocationSize"),
    of_class="objectClass", count=COUNT,
)  # fmt: skip
"""Allocations of files without samples of them: both kinds in one file would count the same bytes twice."""


@dataclass(frozen=True)
class RecordedProfile(Profile):
    """A profile whose truncated traces are known."""

    cuts: BoolArray | None = None
    """By trace: True if its outermost frames are missing."""

    @property
    def cut(self) -> BoolArray:
        """As `cuts`, which are recorded."""
        assert self.cuts is not None
        return self.cuts


class RecordedProfiles(ProfileSource):
    """Profiles of the events with stacks."""

    dumps: Sequence[str] = (ALL,)

    def __init__(self, report: JfrReport) -> None:
        self._data, self._ranges, self._of_threads = report.data, report.ranges, threads_of(report.data)
        self.whole_trees: dict[str, tuple[Hashable, Profile, ProfileTree]] = {}
        self._profile_of = lru_cache(KEPT)(self._make)
        self._amounts = lru_cache(KEPT_AMOUNTS)(self._amounts_of)
        self._classes_of = lru_cache(KEPT_AMOUNTS)(self._classes)

    @property
    def is_ready(self) -> bool:
        """True if the index is finished."""
        return self._data.is_complete

    @cached_property
    def _weights(self) -> Mapping[str, Weight]:
        """Weights of the types in the file: the usual ones, then the events of each other type with stacks."""
        stacked = self._data.column("type_stacked").tolist()
        there = {name for name, number in self._data.type_numbers.items() if stacked[number]}
        usual = dict(WEIGHTS)
        if not there.intersection(usual[ALLOCATED].types):
            usual[ALLOCATED] = TLAB
        found = {name: weight for name, weight in usual.items() if there.intersection(weight.types)}
        if not there.issuperset(WEIGHTS[BOTH].types):
            found.pop(BOTH, None)
        known = {type for weight in found.values() for type in weight.types} | {*ALLOCATIONS}
        timed = self._data.column("type_timed").tolist()
        for name in sorted(there - known):
            found[name] = Weight((name,), EVENTS)
            if timed[self._data.type_numbers[name]]:
                found[f"{name} time"] = Weight((name,), NS, is_duration=True, count=EVENTS)
        return found

    @property
    def weights(self) -> Sequence[str]:
        """Names of the weights: those of samples first."""
        return list(self._weights)

    # -- filters ------------------------------------------------------------------------------------------------------

    @cached_property
    def _thread_choices(self) -> Mapping[str, Sequence[int]]:
        """The threads of each choice, as rows of the index: of samples, waits and allocations."""
        threads = self._of_threads
        rows = np.concatenate([np.zeros(0, np.int64), *(self._rows(weight) for weight in self._usual)])
        numbers = self._data.events("thread", rows) if len(rows) else rows
        used = np.flatnonzero(np.bincount(numbers[numbers != NONE], minlength=len(threads))).tolist()
        virtual = [each for each in used if threads.is_virtual(each)]
        unnamed = [each for each in virtual if not threads.names[each]]
        found: dict[str, Sequence[int]] = {}
        if virtual:
            found[PLATFORM] = sorted(set(used) - set(virtual))
            found[VIRTUAL] = virtual
        if unnamed:
            found[UNNAMED] = unnamed
        for each in used:
            if not threads.is_virtual(each) or threads.names[each]:
                ref = threads.refs[each].removeprefix("thread:")
                found[f"{threads.label(each)} {ref}"] = [each]
        return found

    @cached_property
    def threads(self) -> Sequence[str]:
        """All threads of usual events, to choose from: virtual ones together, each one with a name apart."""
        return (ALL, *self._thread_choices)

    def own_switches(self, weight: str) -> Sequence[Switch]:
        """Returns the filters by thread group, state of the thread, kind of the innermost frame, and time range."""
        groups = sorted({path for path in self._of_threads.groups if path})
        states: tuple[str, ...] = ()
        if set(self._weight(weight).types) <= {*SAMPLE_TYPES}:
            states = tuple(sorted({name for type in self._weight(weight).types for name in self._states(type)[0]}))
        choices = ((GROUP, groups), (STATE, states), (FRAME, sorted(self._data.strings("kind"))))
        found = [replace(switch, choices=(ALL, *names)) for switch, names in choices if len(names) > 1]
        return [*found, self._ranges.switch]

    def meant(self, name: str, text: str) -> str | None:
        """Returns the time range that a text means."""
        return self._ranges.meant(text) if name == RANGE.name else None

    def _weight(self, name: str) -> Weight:
        return self._weights.get(name or next(iter(self._weights), SAMPLES), WEIGHTS[SAMPLES])

    @lru_cache(4)  # noqa: B019
    def _states(self, type: str) -> tuple[Sequence[str], I64Array]:
        """Returns the names of the states of threads in samples, and the number of the state of each."""
        rows = self._data.rows_of(type)
        if not len(rows):
            return (), np.zeros(0, np.int64)
        return names_of(self._data, self._data.columns(type, [("state",)])[0], self._state_name)

    @staticmethod
    def _state_name(values: ChunkConstants, key: Key) -> str:
        return values.text(key) or f"unknown #{key.key}"

    def _is_kept(self, type: str, rows: I64Array, wanted: ProfileQuery) -> BoolArray | None:
        """Returns, by event of a type, True if the filters leave it; None: they leave all."""
        chosen, data = dict(wanted.chosen), self._data
        masks = []
        span = self._ranges.span(chosen.get(RANGE.name, ""))
        if span is not None:
            masks.append(data.in_span(span, rows))
        groups, group = self._of_threads.groups, chosen.get(GROUP.name, ALL)
        if wanted.thread != ALL or group != ALL:
            is_chosen = np.ones(len(groups) + 1, np.bool_)
            if wanted.thread != ALL:
                is_chosen[:] = False
                is_chosen[self._thread_choices.get(wanted.thread, [])] = True
            if group != ALL:
                is_chosen[:-1] &= np.array([path == group or path.startswith(f"{group}/") for path in groups], np.bool_)
            is_chosen[-1] = False
            masks.append(is_chosen[np.minimum(data.events("thread", rows), len(groups)).astype(np.int64)])
        if chosen.get(STATE.name, ALL) != ALL:
            names, states = self._states(type)
            masks.append(states == (names.index(chosen[STATE.name]) if chosen[STATE.name] in names else -1))
        if wanted.of_class != ALL:
            names, classes = self._classes_of(type, self._weight(wanted.weight).of_class)
            masks.append(classes == (names.index(wanted.of_class) if wanted.of_class in names else -1))
        return np.logical_and.reduce(masks) if masks else None

    def _stacks_of_kind(self, kind: str) -> BoolArray:
        """Returns, by stack, True if its innermost frame has a kind."""
        frames, kinds = top_frames(self._data, TOP), self._data.column("frame_kind")
        found: BoolArray = frames >= 0
        found[found] = kinds[frames[found]] == self._data.strings("kind").index(kind)
        return found

    @property
    def _usual(self) -> list[Weight]:
        return [weight for name, weight in self._weights.items() if name in WEIGHTS]

    def _rows(self, weight: Weight) -> I64Array:
        found = [self._data.rows_of(type) for type in weight.types]
        return np.sort(np.concatenate(found)) if len(found) > 1 else found[0]

    @cached_property
    def has_cut_traces(self) -> bool:
        """True if stacks are truncated."""
        return bool(self._data.column("stack_cut").any())

    def classes(self, weight: str) -> Sequence[str]:
        """Returns the classes of the objects that events are about; none if they are about no objects."""
        of_class = self._weight(weight).of_class
        if not of_class:
            return ()
        names = {name for type in self._weight(weight).types for name in self._classes_of(type, of_class)[0]}
        return (ALL, *sorted(names))

    def _classes(self, type: str, field: str) -> tuple[list[str], I64Array]:
        """Returns the classes in a field of events, and the number of the class of each event."""
        if not len(self._data.rows_of(type)):
            return [], np.zeros(0, np.int64)
        names, numbers = names_of(self._data, self._data.columns(type, [(field,)])[0], class_label)
        return names, numbers

    @property
    def traces(self) -> int:
        """Number of different stacks."""
        return len(self._data.column("stack_end"))

    @property
    def frames(self) -> int:
        """Number of frames of all stacks."""
        return len(self._data.stacks.frames)

    def profile(self, wanted: ProfileQuery) -> Profile:
        """Returns the different stacks of events, with the sums of their weights."""
        return self._profile_of(wanted)

    def _make(self, wanted: ProfileQuery) -> Profile:
        weight = self._weight(wanted.weight)
        values = (weight.value, *(() if weight.count is None else (weight.count,)))
        sums = [np.zeros(max(self.traces, 1), np.int64) for _ in values]
        counts = sums[-1] if weight.count is not None or not (weight.fields or weight.is_duration) else None
        for type in weight.types:
            rows = self._data.rows_of(type)
            stacks = self._data.events("stack", rows).astype(np.int64)
            # Events without a stack count, too: they have no frames.
            stacks[stacks == NONE] = LOST_STACK
            is_kept = self._is_kept(type, rows, wanted)
            stacks = stacks if is_kept is None else stacks[is_kept]
            if counts is not None:
                counts += np.bincount(stacks, minlength=len(counts))
            if counts is not sums[0]:
                amounts = self._amounts(type, weight)
                np.add.at(sums[0], stacks, amounts if is_kept is None else amounts[is_kept])
        kind = dict(wanted.chosen).get(FRAME.name, ALL)
        if kind != ALL:
            is_kind = self._stacks_of_kind(kind)
            for each in sums:
                each[: len(is_kind)][~is_kind] = 0
        used = np.flatnonzero(np.logical_or.reduce([each != 0 for each in sums]))
        return RecordedProfile(
            stacks=self._data.stacks,
            method_of=self.method_of,
            methods=len(self.methods),
            traces=used,
            weights=[each[used] for each in sums],
            values=values,
            origin=used,
            cuts=self._data.column("stack_cut") != 0,
        )

    def _amounts_of(self, type: str, weight: Weight) -> I64Array:
        """Returns the weights of the events of a type."""
        rows = self._data.rows_of(type)
        if weight.is_duration:
            return self._data.durations(rows)
        amounts = np.ones(len(rows), np.int64)
        if weight.fields and len(rows):
            for column in reversed(self._data.columns(type, [(name,) for name in weight.fields])):
                amounts = np.where(column.is_known, column.numbers, amounts)
        return amounts

    @cached_property
    def _labels(self) -> tuple[list[str], I64Array]:
        """Returns the different labels of methods, and the number of the label of each method of the index."""
        return numbered(self._data.method_labels())

    @cached_property
    def method_of(self) -> I64Array:
        """By frame: its method."""
        return self._labels[1][self._data.column("frame_method").astype(np.int64)]

    @property
    def methods(self) -> Sequence[str]:
        """The methods, as `class.method(types):type`; hidden classes without the address in their names."""
        return self._labels[0]

    @cached_property
    def hidden_methods(self) -> Collection[int]:
        """The methods that the JVM hides from programs, such as those of lambda forms."""
        return frozenset(self.method_of[self._data.column("frame_hidden") != 0].tolist())

    def chosen_for(self, ref: str) -> Mapping[str, str]:
        """Returns the choice of a thread or stack, and the first weight of which it has events."""
        thread = self._of_threads.of_ref.get(ref)
        if thread is not None:
            found = [name for name, threads in self._thread_choices.items() if thread in threads]
            for name in self._weights if found else ():
                if len(self.profile(ProfileQuery(name, thread=found[-1])).traces):
                    return {"weight": name, "thread": found[-1]}
            return {}
        trace = self.trace_of(ref)
        for name in () if trace is None else self._weights:
            if trace in self.profile(ProfileQuery(name)).traces:
                return {"weight": name, "thread": ALL}
        return {}

    def line(self, frame: int) -> str:
        """Returns the line number of a frame after a colon; empty if unknown."""
        line = int(self._data.column("frame_line")[frame])
        return f":{line}" if line > 0 else ""

    def trace_title(self, trace: int) -> str:
        """Returns the title of a stack."""
        return "[constants lost]" if trace == LOST_STACK else f"Stack {trace}"

    def trace_ref(self, trace: int) -> str:
        """Returns the REF of a stack."""
        return f"stack:{trace}"

    def trace_of(self, ref: str) -> int | None:
        """Returns the stack of a REF."""
        kind, _, number = ref.partition(":")
        is_number = kind == "stack" and number.isascii() and number.isdecimal()
        return int(number) if is_number and int(number) < self.traces else None

    @cached_property
    def _cpu_notes(self) -> Sequence[SectionRow]:
        """The samples of CPU time that are lost, and those that were taken late."""
        data, found = self._data, []
        if len(data.rows_of(LOST)):
            lost = int(data.columns(LOST, [("lostSamples",)])[0].numbers.sum())
            found.append(SectionRow("lost", f"{counted(lost, 'sample')} of CPU time"))
        biased = int(data.columns(WEIGHTS[CPU_TIME].types[0], [("biased",)])[0].numbers.sum())
        if biased:
            found.append(SectionRow("biased", f"{counted(biased, 'sample')}, taken at a safepoint"))
        return found

    def notes(self, wanted: ProfileQuery) -> Sequence[SectionRow]:
        """Returns how events are weighed, where sums are no totals."""
        name = wanted.weight or next(iter(self._weights), SAMPLES)
        if name in (SAMPLES, NATIVE, BOTH):
            return (SectionRow("samples", "of a few threads at a time: shares, not seconds"),)
        if name == ALLOCATED:
            return (SectionRow("bytes", "what a thread allocated since its sample before"),)
        if name == CPU_TIME:
            return self._cpu_notes
        return ()
