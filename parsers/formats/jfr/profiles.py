"""Profiles of a recording: events with stacks, weighted by count, time or bytes.

Source: format page of JFR, sections 4 and 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.jfr.columns import LOST_STACK, NONE
from parsers.formats.jfr.totals import ALLOCATIONS
from parsers.model.java_method import Method, signature_types
from parsers.model.report import Badge, Column, Link, SectionRow
from parsers.profile.profile import Profile, ProfileTree, Value
from parsers.profile.source import ALL, ProfileQuery, RowGrouping
from parsers.profile.stacks import Stacks

if TYPE_CHECKING:
    from parsers.formats.jfr.recorded_data import RecordedData
    from parsers.model.arrays import BoolArray, I64Array

KEPT = 4
"""Number of cached profiles."""
SAMPLES, CPU_TIME, WALL, NATIVE = "samples", "CPU time", "wall clock", "native samples"
ALLOCATED, EXCEPTIONS, MONITORS, PARKED = "allocated bytes", "exceptions", "monitor time", "parked time"


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


COUNT = Value("samples", "samples")
NS = Value("time_ns", "time", "ns")
WEIGHTS: Mapping[str, Weight] = {
    SAMPLES: Weight(("jdk.ExecutionSample",), COUNT),
    CPU_TIME: Weight(("jdk.CPUTimeSample",), Value("cpu_ns", "CPU time", "ns"), ("samplingPeriod",)),
    WALL: Weight(("profiler.WallClockSample",), COUNT, ("samples",)),
    NATIVE: Weight(("jdk.NativeMethodSample",), COUNT),
    ALLOCATED: Weight(
        ("jdk.ObjectAllocationSample",), Value("allocated_bytes", "allocated", "bytes"), ("weight",)
    ),
    EXCEPTIONS: Weight(("jdk.JavaExceptionThrow", "jdk.JavaErrorThrow"), Value("exceptions", "exceptions")),
    MONITORS: Weight(("jdk.JavaMonitorEnter",), NS, is_duration=True),
    PARKED: Weight(("jdk.ThreadPark",), NS, is_duration=True),
}  # fmt: skip
TLAB = Weight(
    ("jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB"), WEIGHTS[ALLOCATED].value,
    ("tlabSize", "allocationSize"),
)  # fmt: skip
"""Allocations of files without samples of them: both kinds in one file would count the same bytes twice."""


@dataclass(frozen=True)
class RecordedProfile(Profile):
    """A profile whose truncated traces are known."""

    cuts: Any = None
    """bool by trace."""

    @property
    def cut(self) -> BoolArray:
        """By trace: True if its outermost frames are missing."""
        found: BoolArray = self.cuts
        return found


class RecordedProfiles:
    """A `ProfileSource` over the events with stacks."""

    row_columns: tuple[Column, ...] = ()
    dumps: Sequence[str] = (ALL,)
    is_of_trees = True

    def __init__(self, data: RecordedData) -> None:
        self._data = data
        self._profile_of = lru_cache(KEPT)(self._make)

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
        known = {type for weight in found.values() for type in weight.types} | {*ALLOCATIONS}
        value = Value("events", "events")
        return found | {name: Weight((name,), value) for name in sorted(there - known)}

    @property
    def weights(self) -> Sequence[str]:
        """Names of the weights: samples first."""
        return list(self._weights)

    @cached_property
    def _thread_numbers(self) -> Mapping[str, int]:
        java, os = (self._data.column(f"thread_{name}_id").tolist() for name in ("java", "os"))
        names = [text.decode("utf-8", "surrogatepass") or "(no name)" for text in self._data.texts("thread")]
        numbers = enumerate(zip(names, java, os, strict=True))
        return {f"{name} {java_id or os_id}": number for number, (name, java_id, os_id) in numbers}

    @cached_property
    def threads(self) -> Sequence[str]:
        """All threads of samples, to choose from."""
        rows = np.concatenate([np.zeros(0, np.int64), *(self._rows(weight) for weight in self._usual)])
        used = set(np.unique(self._data.events("thread", rows)).tolist()) if len(rows) else set()
        return (ALL, *(name for name, number in self._thread_numbers.items() if number in used))

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
        """Returns none: rows have no class."""
        return ()

    @property
    def traces(self) -> int:
        """Number of different stacks."""
        return len(self._data.column("stack_end"))

    @property
    def frames(self) -> int:
        """Number of frames of all stacks."""
        return len(self._data.stack_frames)

    def profile(self, wanted: ProfileQuery) -> Profile:
        """Returns the different stacks of events, with the sums of their weights."""
        return self._profile_of(wanted)

    def _make(self, wanted: ProfileQuery) -> Profile:
        name = wanted.weight or next(iter(self._weights), SAMPLES)
        weight = self._weights.get(name, WEIGHTS[SAMPLES])
        sums = np.zeros(max(self.traces, 1), np.int64)
        for type in weight.types:
            rows, amounts = self._data.rows_of(type), self._amounts(type, weight)
            stacks = self._data.events("stack", rows)
            is_kept = stacks != NONE
            if wanted.thread != ALL:
                is_kept &= self._data.events("thread", rows) == self._thread_numbers.get(wanted.thread, NONE)
            np.add.at(sums, stacks[is_kept].astype(np.int64), amounts[is_kept])
        used = np.flatnonzero(sums)
        return RecordedProfile(
            stacks=self.stacks,
            method_of=self.method_of,
            methods=len(self.methods),
            traces=used,
            weights=[sums[used]],
            values=(weight.value,),
            origin=used,
            cuts=self._data.column("stack_cut") != 0,
        )

    def _amounts(self, type: str, weight: Weight) -> I64Array:
        """Returns the weights of the events of a type."""
        rows = self._data.rows_of(type)
        if weight.is_duration:
            durations: I64Array = np.maximum(self._data.events("duration", rows), 0)
            return durations
        amounts = np.ones(len(rows), np.int64)
        if weight.fields and len(rows):
            for column in reversed(self._data.columns(type, [(name,) for name in weight.fields])):
                amounts = np.where(column.is_known, column.numbers, amounts)
        return amounts

    def stored_tree(self, wanted: ProfileQuery, is_down: bool) -> ProfileTree | None:
        """Returns None: no trees are stored."""
        return None

    def below_cutoff(self, wanted: ProfileQuery) -> int:
        """Returns 0: nothing is left out."""
        return 0

    def groups(self, profile: Profile) -> Sequence[RowGrouping]:
        """Returns none."""
        return ()

    @cached_property
    def stacks(self) -> Stacks:
        """All different stacks."""
        first = np.concatenate([np.zeros(1, np.int64), self._data.column("stack_end").astype(np.int64)])
        return Stacks(first, self._data.stack_frames)

    @cached_property
    def method_of(self) -> I64Array:
        """By frame: its method."""
        found: I64Array = self._data.column("frame_method").astype(np.int64)
        return found

    @cached_property
    def methods(self) -> Sequence[str]:
        """The methods, as `class.method(types):type`."""
        return [method_label(text.decode("utf-8", "surrogatepass")) for text in self._data.texts("method")]

    def method_links(self, method: int) -> Sequence[Link]:
        """Returns none."""
        return ()

    def chosen_for(self, ref: str) -> Mapping[str, str]:
        """Returns none."""
        return {}

    def line(self, frame: int) -> str:
        """Returns the line of a frame, and its kind if it is not interpreted or compiled code of its own."""
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

    def row_badges(self, profile: Profile, row: int) -> Mapping[str, Badge]:
        """Returns none."""
        return {}

    def row_label(self, profile: Profile, row: int) -> str | None:
        """Returns None: rows are stacks."""
        return None

    def notes(self, wanted: ProfileQuery) -> Sequence[SectionRow]:
        """Returns how events are weighed, where sums are no totals."""
        name = wanted.weight or next(iter(self._weights), SAMPLES)
        if name in (SAMPLES, NATIVE):
            return (SectionRow("samples", "of a few threads at a time: shares, not seconds"),)
        if name == ALLOCATED:
            return (SectionRow("bytes", "what a thread allocated since its sample before"),)
        return ()


def method_label(text: str) -> str:
    """Returns a method of the index, `class.name(descriptor)`, as it is shown."""
    front, bracket, descriptor = text.partition("(")
    holder, _, name = front.rpartition(".")
    types = signature_types(bracket + descriptor)
    if types is None:
        return text.removesuffix("()L;").lstrip(".")
    return Method(holder, name, *types).label
