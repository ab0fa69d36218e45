"""The view "Old objects": samples of objects that live long, with their paths to GC roots.

Source: `OldObjectSample`, `OldObject`, `Reference` and `OldObjectGcRoot` in `metadata.xml` of HotSpot.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from parsers.formats.jfr.data.columns import LOST_STACK
from parsers.formats.jfr.tables.field_values import APPLICATION, frame_label, top_frames
from parsers.formats.jfr.time_range import RangedView
from parsers.model.names.java_method import class_name
from parsers.model.names.java_name import class_spans
from parsers.model.none import NONE
from parsers.model.row import Badge, Column, Link, Section, SectionRow, counted
from parsers.model.time_text import nanos_text
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.view import StrangeReference, Switch
from parsers.views.grouped_view import GroupedView
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import ChunkData
    from parsers.formats.jfr.read.values import Fields, Key

TYPE = "jdk.OldObjectSample"
COLUMNS = (
    Column("samples", "samples", width=9, priority=5, adds_up=True),
    Column("size", "size", "bytes", width=13, priority=4, adds_up=True),
    Column("age", "age", "ns", width=13, priority=3),
    Column("steps", "steps", width=7, priority=2),
    Column("heap", "heap then", "bytes", width=15, priority=1),
)
BY_CLASS, BY_HOLDER, BY_ROOT, BY_SITE = "by class", "by holder", "by root", "by site"
GROUP_BY = Switch("merge", "m", "group by", (BY_CLASS, BY_HOLDER, BY_ROOT, BY_SITE))
LONGEST_PATH = 100_000
"""Steps of a path that are followed."""
NO_ROOT = "(no path recorded)"
STATIC = "Class Name: "
"""Text before the class whose static field holds an object."""


@dataclass(frozen=True, slots=True)
class ReferenceStep:
    """An object on the path, and what refers from the one after it to this one."""

    class_name: str
    description: str
    reference: str
    """Field or index in the object after this one; empty: the path ends here."""
    skipped: int
    """Steps left out between this object and the next."""

    @property
    def is_static(self) -> bool:
        """True for a class: its static fields refer to objects."""
        return self.description.startswith(STATIC)

    @property
    def shown(self) -> str:
        """The class; of a class itself its name."""
        return self.description.removeprefix(STATIC) if self.is_static else self.class_name

    @property
    def remark(self) -> str:
        """The recorded description."""
        return "static" if self.is_static else self.description


@dataclass(frozen=True)
class OldObject:
    """One sample."""

    row: int
    steps: tuple[ReferenceStep, ...]
    """From the object to the last holder."""
    root: str
    """System and type of the root; empty: none was recorded."""
    numbers: Mapping[str, int]

    @property
    def holder(self) -> str:
        """The static field next to the object, else the class of the last object of the path."""
        for step, holder in pairwise(self.steps):
            if holder.is_static:
                return f"{holder.shown}{step.reference}"
        return self.steps[-1].class_name

    @cached_property
    def rows(self) -> list[tuple[str, str]]:
        """Kind and text of each row of the path: holders with the reference to the object above, gaps, the root."""
        rows = []
        for step, holder in pairwise(self.steps):
            if step.skipped:
                rows.append(("value", f"… {counted(step.skipped, 'step')} left out"))
            rows.append(("object", f"{holder.shown}{step.reference}  {holder.remark}".rstrip()))
        rows.append(("value", f"GC root: {self.root}" if self.root else NO_ROOT))
        return rows


class OldObjectsView(RangedView, GroupedView):
    """Samples by class, holder, root or site; below each the path to its root."""

    name = "Old objects"
    description = "Samples of objects that live long, with paths to GC roots"
    columns = COLUMNS
    orders = ("samples", "size", "age", "steps", "name")
    group_kinds = ("class", "method", "root")

    @property
    def own_switches(self) -> tuple[Switch, ...]:
        """The choice of groups."""
        return (GROUP_BY,)

    @property
    def note(self) -> str:
        """The remark about samples."""
        return "Samples are drawn with a chance in proportion to their size: candidates, no measure of the heap"

    @cached_property
    def samples(self) -> Sequence[OldObject]:
        """The samples of the last moment at which they were written, the oldest object first."""
        rows = self.rows_of(TYPE)
        starts = self._data.events("start", rows)
        last = rows[starts == starts.max()].tolist() if len(rows) else []
        return sorted(map(self._sample, last), key=lambda sample: -sample.numbers.get("age", 0))

    def _sample(self, row: int) -> OldObject:
        chunk, type, values, _ = self._data.values(row)
        numbers = {
            name: values[field]
            for name, field in (("size", "objectSize"), ("heap", "lastKnownHeapUsage"))
            if isinstance(values.get(field), int) and values[field] >= 0
        }
        if type is not None and isinstance(values.get("objectAge"), int):
            numbers["age"] = int(values["objectAge"] / chunk.ticks_per_ns)
        root = chunk.fields(values.get("root"))
        texts = [chunk.text(root.get(name)) for name in ("system", "type")]
        described = chunk.text(root.get("description"))
        shown = ", ".join(text for text in (*texts, described) if text and text != "<unknown>")
        return OldObject(row, tuple(path_of(chunk, values.get("object"))), shown, numbers)

    def _group_of(self, sample: OldObject) -> str:
        by = self.choice("merge")
        if by == BY_SITE:
            stack = self._data.event("stack", sample.row)
            frame = -1 if stack in (NONE, LOST_STACK) else int(top_frames(self._data, APPLICATION)[stack])
            return frame_label(self._data, frame)
        if by == BY_CLASS:
            return sample.steps[0].class_name
        if not sample.root:
            return NO_ROOT
        return sample.root if by == BY_ROOT else sample.holder

    # -- rows ---------------------------------------------------------------------------------------------------------

    @cached_property
    def _groups(self) -> list[tuple[str, list[OldObject]]]:
        found: dict[str, list[OldObject]] = {}
        for sample in self.samples:
            found.setdefault(self._group_of(sample), []).append(sample)
        return sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))

    @cached_property
    def _places(self) -> list[tuple[str, Sequence[OldObject], OldObject | None]]:
        """Groups and samples in document order."""
        return [
            (label, samples, sample) for label, samples in self._groups for sample in (None, *samples)
        ]  # fmt: skip

    def make_rows(self) -> GroupedPreorder:
        """Returns groups, samples below them, and the steps of their paths."""
        depths = [int(sample is not None) for _, _, sample in self._places]
        leaves = [0 if sample is None else len(sample.rows) for _, _, sample in self._places]
        return GroupedPreorder(depths, leaves)

    def group(self, group: int) -> ListRow:
        """Returns the row of a group or sample."""
        label, samples, sample = self._places[group]
        if sample is None:
            badges: dict[str, Badge] = {"samples": len(samples)}
            if any("size" in each.numbers for each in samples):
                badges["size"] = sum(each.numbers.get("size", 0) for each in samples)
            badges["age"] = max(each.numbers.get("age", 0) for each in samples)
            kind = {BY_SITE: "method", BY_ROOT: "group"}.get(self.choice("merge"), "class")
            spans = tuple(class_spans(label)) if kind == "class" and " " not in label else ()
            return ListRow(kind, label, badges=badges, key=("old objects", self.choice("merge"), label), spans=spans)
        badges = {**sample.numbers, "steps": len(sample.steps) - 1 + sum(each.skipped for each in sample.steps)}
        first = sample.steps[0]
        spans = tuple(class_spans(first.class_name))
        text = f"{first.class_name}  {first.description}".rstrip()
        ref = self._events.ref(sample.row)
        return ListRow("object", text, badges=badges, ref=ref, key=self._events.key(sample.row), spans=spans)

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of a step."""
        sample = self._places[group][2]
        assert sample is not None
        kind, text = sample.rows[leaf]
        return ListRow(kind, text)

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns the fields of a sample's event, the numbers of a group."""
        label, samples, sample = self._places[group]
        if sample is not None:
            return self._events.sections(sample.row)
        ages = [each.numbers.get("age", 0) for each in samples]
        rows = (
            SectionRow("", label),
            SectionRow("samples", f"{len(samples):,}"),
            SectionRow("ages", f"{nanos_text(min(ages))} to {nanos_text(max(ages))}"),
        )
        return (Section("Old objects", rows),)

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns the links of a sample's event."""
        sample = self._places[group][2]
        if sample is None:
            return ()
        return (Link("event", self._events.ref(sample.row), "Events"), *self._events.links(sample.row))

    def link_of(self, node: int, entry: ListRow) -> str | None:
        """Returns None: Enter opens a group or path."""
        return None

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a group or sample."""
        for group in range(len(self._places)):
            if self.group(group).key == key:
                return self.rows.node(group)
        return None

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns the node of `event:TYPE#N`, of `class:NAME` and `name:LABEL`."""
        kind, _, value = ref.partition(":")
        found = []
        for group, (label, _, sample) in enumerate(self._places):
            is_named = sample is None and kind in ("name", "class", "method") and label == value
            if is_named or (sample is not None and kind == "event" and self._events.ref(sample.row) == ref):
                found.append(self.rows.node(group))
        if not found:
            raise StrangeReference(f"{ref}: nothing of that name in {self.name}")
        return found


def path_of(chunk: ChunkData, key: Key | None) -> list[ReferenceStep]:
    """Returns the objects from a sampled one to its last holder."""
    found: list[ReferenceStep] = []
    seen = set()
    while key not in seen and len(found) < LONGEST_PATH:
        seen.add(key)
        fields = chunk.fields(key)
        referrer = chunk.fields(fields.get("referrer"))
        name = class_name(chunk.class_name(fields.get("type"))) or "[unknown]"
        following = referrer.get("object")
        is_last = not chunk.fields(following)
        reference = "" if is_last else reference_text(chunk, referrer)
        skipped = referrer.get("skip") or 0
        found.append(ReferenceStep(name, chunk.text(fields.get("description")), reference, 0 if is_last else skipped))
        if is_last:
            break
        key = following
    return found


def reference_text(chunk: ChunkData, referrer: Fields) -> str:
    """Returns the field or array element that refers to an object."""
    array, field = chunk.fields(referrer.get("array")), chunk.fields(referrer.get("field"))
    if array:
        return f"[{array.get('index')}] of {array.get('size'):,}"
    return f".{chunk.text(field.get('name'))}" if field else ""
