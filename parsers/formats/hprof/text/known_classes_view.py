"""The view "Classes" while a heap dump is being read: the classes so far, without packages and objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.heapdump.tables.class_names import readable_class
from parsers.heapdump.views.kinds import BYTES, OBJECTS, PRINTED
from parsers.model.names.java_name import class_spans
from parsers.model.row import Badge, Column, Row, Section, SectionRow
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.trees.preorder import FlatPreorder, PreorderTree
from parsers.views.grouped_view import GroupedView
from parsers.views.list_view import ListRow
from parsers.views.preview_switch import FirstView

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording

FEW = 2000
"""Maximum classes that are sorted again whenever more is known."""
GROWTH = 1.1
"""More classes are sorted again when the known rows have grown by this factor: that reads all of them."""

HEADER_ASSUMED = "array headers of 16 bytes are assumed until all of the dump is read"
"""Reason why bytes of text dumps are estimates meanwhile: the sizes of all objects prove the header."""


class KnownClassesView(FirstView, GroupedView):
    """Classes by bytes, the largest first; their order changes while more is read."""

    name = "Classes"
    description = "Classes that the file names"
    columns: tuple[Column, ...] = (BYTES, OBJECTS, PRINTED)
    orders: tuple[str, ...] = ("bytes", "objects", "printed", "name")

    def __init__(self, recording: ProfileRecording, estimated: str) -> None:
        """estimated: the reason why bytes are estimates; empty if they are not"""
        self._recording = recording
        self._estimated = estimated
        self._ranked: list[int] = []
        self._rows = GroupedPreorder((), ())
        self._ranked_at = 0

    @property
    def estimated(self) -> str:
        """Reason why bytes are estimates; empty if they are not."""
        return self._estimated

    @property
    def is_ready(self) -> bool:
        """True if any are known."""
        return self._recording.rows_known > 0

    @property
    def ranked(self) -> list[int]:
        """Numbers of classes that have objects, by their bytes; when all is known, the last order."""
        known = self._recording.rows_known
        growth = 1.0 if len(self._ranked) <= FEW else GROWTH
        if known and (known > self._ranked_at * growth or known < self._ranked_at):
            self._ranked_at = known
            objects, bytes = (self._recording.column(f"known_{name}") for name in ("objects", "bytes"))
            classes = [number for number, count in enumerate(objects) if count]
            self._ranked = sorted(classes, key=bytes.__getitem__, reverse=True)
            self._rows = GroupedPreorder((0,) * len(classes), (0,) * len(classes))
        return self._ranked

    @property
    def rows(self) -> GroupedPreorder:
        """A row for each class."""
        return self._rows if self.ranked else GroupedPreorder((), ())

    @cached_property
    def _tree(self) -> PreorderTree:
        return PreorderTree(FlatPreorder(lambda: len(self.ranked), lambda: False), self.row, self.sort_keys)

    def row(self, node: int) -> Row:
        """Returns the row of a class, whose numbers may still grow."""
        return replace(super().row(node), rows_below=None, is_growing=True)

    def ref(self, node: int) -> str:
        """Returns the REF of a class: its name."""
        return f"class:{self._name(node)}"

    def _name(self, node: int) -> str:
        return readable_class(self._recording.texts("class")[self.ranked[node]])

    def group(self, group: int) -> ListRow:
        """Returns the row of a class."""
        number, name = self.ranked[group], self._name(group)
        badges: dict[str, Badge] = {each: self._known(each, number) for each in ("bytes", "objects", "printed")}
        largest = max(self._known("bytes", self.ranked[0]), 1)
        return ListRow(
            "class",
            name,
            badges=badges,
            ref=self.ref(group),
            flags=("partial",),
            spans=tuple(class_spans(name, 0)),
            bars={"bytes": min(self._known("bytes", number) / largest, 1.0)},
            key=("class", name),
        )

    def _known(self, name: str, number: int) -> int:
        return self._recording.column(f"known_{name}")[number]

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns the row of a class by its name."""
        kind, _, value = ref.partition(":")
        if kind not in ("class", "name"):
            return super().nodes_of(ref)
        texts = self._recording.texts("class")
        return [node for node, number in enumerate(self.ranked) if readable_class(texts[number]) == value]

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns sums, and a note on what is not read yet."""
        entry = self.group(group)
        why = f" (an estimate: {self.estimated})" if self.estimated else ""
        rows = [
            SectionRow("objects", f"{entry.badges['objects']:,} so far"),
            SectionRow("bytes", f"{entry.badges['bytes']:,} so far{why}"),
            SectionRow("", "objects, garbage and references are known when all of the file has been read"),
        ]
        return (Section(entry.label, tuple(rows)),)
