"""The view "Strings": texts, those with the most bytes wasted by duplicate Strings first."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from parsers.formats.hprof.dump.graph.graph import DumpGraph
from parsers.formats.hprof.dump.graph.text_reader import TextReader
from parsers.formats.hprof.dump.graph.text_rows import NO_TEXT, TextRows
from parsers.heapdump.graph.columns import STRING
from parsers.heapdump.graph.heap_object import OBJECTS_VIEW, REFERRERS_VIEW
from parsers.heapdump.graph.labels import NO_OBJECT, HeapDump
from parsers.heapdump.views.kinds import OBJECTS, SIZE
from parsers.heapdump.views.object_rows import GroupedObjects
from parsers.index.bitpacked.columns import Packed, numbers
from parsers.model.row import Badge, Column, Link, Section, SectionRow, SortKey, counted
from parsers.model.view import References
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array
    from parsers.query.search.pattern import Pattern
    from parsers.query.search.row_finder import RowFinder
    from parsers.reporting.rules.array_rows import ArrayRows

STRINGS_VIEW = "Strings"
WASTED = Column("wasted", "Wasted", "bytes", width=12, priority=6, adds_up=True)
LENGTH = Column("length", "Length", width=9, priority=4)
LONGEST_LABEL = 1000
"""Most characters of a text in a row."""
LOOKED_THROUGH = 1 << 16
"""Most characters of a text that are searched."""
LONGEST_TEXT = 2000
"""Most characters of a text in a side pane."""
READ_TOGETHER = 1 << 14
"""Texts read together."""
SAMPLED, MOST_REFERRERS, SHOWN_REFERRERS = 500, 4, 10
"""Strings of one text whose referrers are queried, references queried for each, kinds of referrers shown."""


class StringsView(GroupedObjects):
    """Texts; a text of several Strings has these Strings below it."""

    name = STRINGS_VIEW
    sorted_by = "wasted"
    description = "Strings by text, with their duplicates"
    group_kinds = ("dump", "string")
    needs = "strings"
    columns: tuple[Column, ...] = (WASTED, replace(OBJECTS, priority=5), LENGTH, replace(SIZE, priority=1))
    orders: tuple[str, ...] = ("wasted", "objects", "length")

    @property
    def graph(self) -> DumpGraph:
        """The graph of a binary dump."""
        return cast(DumpGraph, self.objects.graph)

    @cached_property
    def reader(self) -> TextReader:
        """Reader of the texts."""
        return TextReader(self.graph, self.graph.table("string_layout"))

    @cached_property
    def _strings(self) -> memoryview | Packed:
        """String objects in the order of their texts."""
        found: memoryview | Packed = self.graph.table("string_object")
        return found

    def make_rows(self) -> TextRows:  # type: ignore[override]  # with a group for each text
        """Builds texts, and Strings as leaves."""
        table = self.graph.table
        return TextRows(table("string_first"), len(table("string_length")), len(self._strings))

    @property
    def _texts(self) -> TextRows:
        return cast(TextRows, self.rows)

    @property
    def text_count(self) -> int:
        """Number of texts."""
        return self._texts.texts

    @property
    def group_count(self) -> int:
        """Number of texts, and of the group of Strings without one."""
        return self._texts.groups

    def first_strings(self, start: int, stop: int) -> I64Array:
        """Returns the first String of each of some texts: int64."""
        return np.asarray(numbers(self._strings, self._texts.strings(start, stop)), np.int64)

    def object_of(self, group: int, leaf: int) -> int:
        """Returns the String object of a row; the first one for a text."""
        return int(self._strings[self._texts.string(group, leaf)])

    def _text(self, group: int, most: int) -> str:
        (text,) = self.reader.texts(np.array([self.object_of(group, -1)], np.int64), most)
        return text or ""

    # -- rows ---------------------------------------------------------------------------------------------------------

    def group(self, group: int) -> ListRow:
        """Returns the row of a text."""
        rows = self._texts
        if group == rows.texts:
            return ListRow("string", NO_TEXT, badges={"objects": rows.without_text})
        table, string = self.graph.table, self.object_of(group, -1)
        badges: dict[str, Badge] = {"length": int(table("string_length")[group])}
        if group >= rows.shared:
            badges |= {"objects": 1, "bytes": self.graph.size(string)}
        else:
            badges |= {"wasted": int(table("string_waste")[group]), "objects": rows.leaves(group)}
        return ListRow(
            "string",
            _shortened(self._text(group, LONGEST_LABEL + 1)),
            badges=badges,
            ref=self.objects.ref(string) if group >= rows.shared else "",
            key=("object", string) if group >= rows.shared else None,
            offset=self.graph.offset(string) if group >= rows.shared else None,
        )

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of a String."""
        string, objects = self.object_of(group, leaf), self.objects
        return objects.list_row(string, {"bytes": self.graph.size(string)}, links=tuple(objects.links(string)))

    def remark_of(self, group: int, leaf: int) -> str:
        """Returns the id of a String; for the empty text, a note that it is empty."""
        if leaf >= 0:
            string = self.object_of(group, leaf)
            return f"0x{self.graph.id(string):x}" + (" garbage" if self.objects.is_garbage(string) else "")
        is_empty = group < self._texts.texts and not self.graph.table("string_length")[group]
        return "empty" if is_empty else ""

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns texts of a range of nodes; for Strings their class."""
        places, strings, without_text = self.texts_between(start, stop)
        found = [STRING] * (min(stop, self._texts.rows) - start)
        for place, text in zip(places.tolist(), self.reader.texts(strings, LOOKED_THROUGH), strict=True):
            found[place] = text or ""
        for place in without_text.tolist():
            found[place] = NO_TEXT
        return found

    def texts_between(self, start: int, stop: int) -> tuple[I64Array, I64Array, I64Array]:
        """Returns, for a range of nodes: which are texts, the first String of each; which is the group without text."""
        rows = self._texts
        tops = np.flatnonzero(np.frombuffer(rows.depths(start, stop), np.uint16) == 0)
        first = rows.place(start + int(tops[0]))[0] if len(tops) else 0
        last = min(first + len(tops), rows.texts)
        places = tops[: last - first]
        strings = numbers(self._strings, rows.strings(first, last)).astype(np.int64)
        return places, strings, tops[len(places) :]

    @property
    def vertices(self) -> int:
        """Number of rows that can be searched in bulk: all, see `HasFinder`."""
        return self._texts.rows if self.is_ready else 0

    def finder(self, pattern: Pattern, is_patient: bool = False) -> RowFinder:
        """Returns a finder for a pattern among texts."""
        from parsers.formats.hprof.dump.graph.strings_finder import StringsFinder

        return StringsFinder(self.reader, self.texts_between, pattern, LOOKED_THROUGH, is_patient)

    def named_rows(self, kind: str) -> ArrayRows | None:
        """Returns texts, for rules; see `parsers.reporting.rules.named_rows`."""
        from parsers.query.selection.texts_met import MatchedTexts
        from parsers.reporting.rules.array_rows import ArrayRows

        if kind not in ("", "string"):
            return None
        tops = self.tops()
        return ArrayRows(
            lambda: MatchedTexts.of_texts(self._labels_of_tops()),
            np.arange(len(tops)),
            tops,
            lambda column, asked: self.numbers_of(column.name, tops.searchsorted(asked)),
        )

    def tops(self) -> I64Array:
        """Returns the rows of all texts, and of the group of Strings without one: int64."""
        return self._texts.all_tops() if self._texts.rows else np.zeros(0, np.int64)

    def _labels_of_tops(self) -> Iterator[str]:
        rows = self._texts
        for start in range(0, rows.texts, READ_TOGETHER):
            firsts = rows.strings(start, min(start + READ_TOGETHER, rows.texts))
            strings = numbers(self._strings, firsts).astype(np.int64)
            yield from (_shortened(text or "") for text in self.reader.texts(strings, LONGEST_LABEL + 1))
        yield from [NO_TEXT] * (rows.groups - rows.texts)

    def numbers_of(self, column: str, tops: I64Array) -> list[int | None]:
        """Returns the values of some of these in a column, by their indices; None if a row shows no number."""
        rows = self._texts
        is_text, is_shared = tops < rows.texts, tops < rows.shared
        found = np.zeros(len(tops), np.int64)
        if column == "bytes":
            is_known = is_text & ~is_shared
            alone = tops[is_known] - rows.shared + int(self.graph.table("string_first")[rows.shared])
            found[is_known] = self.graph.column("bytes", numbers(self._strings, alone).astype(np.int64))
        else:
            is_known = {"wasted": is_shared, "length": is_text}.get(column, np.ones(len(tops), bool))
            found[is_known] = np.asarray(self.sort_keys(column, range(rows.groups)))[tops[is_known]]
        return [number if known else None for number, known in zip(found.tolist(), is_known.tolist(), strict=True)]

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns the keys of an order: from tables for texts, all equal for Strings of one text."""
        rows = self._texts
        if len(nodes) != rows.groups:
            return super().sort_keys(order, nodes)
        alone, rest = rows.texts - rows.shared, rows.groups - rows.texts
        if order == "length":
            keys = [np.asarray(self.graph.table("string_length")), np.zeros(rest, np.int64)]
        elif order == "objects":
            firsts = np.asarray(self.graph.table("string_first"), np.int64)
            keys = [np.diff(firsts), np.ones(alone, np.int64), np.full(rest, rows.without_text)]
        else:
            keys = [np.asarray(self.graph.table("string_waste")), np.zeros(alone + rest, np.int64)]
        return cast(Sequence[Any], np.concatenate(keys).astype(np.int64))

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    key_kinds = ()

    def why_absent(self, object: int) -> str:
        """Returns that an object is no String."""
        return "no String"

    def nodes_named(self, dumps: Sequence[HeapDump], kind: str, name: str) -> Sequence[int]:
        """Returns the row of a text by its full text."""
        return [self._texts.node(group) for group in self._groups_of(name)] if kind == "name" else ()

    def node_of(self, object: int) -> int | None:
        """Returns the row of a String; None for other objects."""
        found = np.flatnonzero(np.asarray(self._strings) == object)
        return self._texts.node(*self._place_of(int(found[0]))) if len(found) else None

    def _place_of(self, string: int) -> tuple[int, int]:
        """Returns the group and the leaf of a String, by its number among Strings."""
        firsts, rows = self.graph.table("string_first"), self._texts
        if string < firsts[rows.shared]:
            group = bisect_right(firsts, string) - 1
            return group, string - firsts[group]
        group = rows.shared + string - firsts[rows.shared]
        return (group, -1) if group < rows.texts else (rows.texts, group - rows.texts)

    def _groups_of(self, text: str) -> list[int]:
        """Returns the group of a text, if it exists."""
        alike = np.flatnonzero(np.asarray(self.graph.table("string_length")) == len(text.encode("utf-16-le")) // 2)
        return [group for group in alike.tolist() if self._text(group, len(text) + 1) == text][:1]

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns the facts of a String; of a text with its referrers; the total waste."""
        if leaf >= 0 or self._texts.shared <= group < self._texts.texts:
            return self.objects.sections(self.object_of(group, leaf))
        if group == self._texts.texts:
            return (self._all(),)
        table, count = self.graph.table, self._texts.leaves(group)
        text = self._text(group, LONGEST_TEXT + 1)
        rows = (
            SectionRow("text", f'"{text[:LONGEST_TEXT]}{"…" if len(text) > LONGEST_TEXT else ""}"'),
            SectionRow("length", f"{int(table('string_length')[group]):,}"),
            SectionRow("Strings", f"{count:,}"),
            SectionRow("wasted", f"{counted(int(table('string_waste')[group]), 'byte')}: one of them would do"),
        )
        return (Section("Text", rows), self._referring(group, count), self._all())

    def _referring(self, group: int, count: int) -> Section:
        """Returns the referrers of the Strings of a text, by class and field."""
        graph, objects = self.graph, self.objects
        found, examples = Counter[str](), dict[str, int]()
        for leaf in range(min(count, SAMPLED)):
            for site in graph.referrers(self.object_of(group, leaf))[:MOST_REFERRERS]:
                owner, label, root = graph.owner(site), graph.label(site), graph.root_of(site)
                name = "[…]" if label.kind == "element" else label.text
                text = f"{objects.label(owner)} {name}" if root is None else f"root: {root.kind}"
                found[text] += 1
                examples.setdefault(text, owner)
        rows = []
        for text, times in found.most_common(SHOWN_REFERRERS):
            owner = examples[text]
            link = (objects.ref(owner), OBJECTS_VIEW) if owner != NO_OBJECT else (None, None)
            rows.append(SectionRow(f"{times:,}", text, *link))
        of = f"of the first {SAMPLED:,}" if count > SAMPLED else ""
        return Section(f"Referred to by {of}".rstrip(), tuple(rows), len(found) - len(rows))

    def _all(self) -> Section:
        rows, wasted = self._texts, int(np.asarray(self.graph.table("string_waste")).sum())
        return Section(
            "All Strings",
            (
                SectionRow("Strings", f"{len(self._strings):,}"),
                SectionRow("texts", f"{rows.texts:,}, {rows.shared:,} of them several times"),
                SectionRow("wasted", counted(wasted, "byte")),
            ),
        )

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns links from a String."""
        if leaf < 0 and not self._texts.shared <= group < self._texts.texts:
            return ()
        return self.objects.links(self.object_of(group, leaf))

    def references(self, node: int) -> References:
        """Returns the referrers of a String, or of the first Strings of a text."""
        group, leaf = self.rows.place(node)
        count = 1 if leaf >= 0 else min(max(self._texts.leaves(group), 1), SAMPLED)
        found = [self.referrers_of(self.object_of(group, max(leaf, 0) + each)) for each in range(count)]
        if count == 1:
            return found[0]
        nodes = [each for one in found for each in one.nodes]
        return References(f"referrers of {self.group(group).label}", REFERRERS_VIEW, nodes, True)


def _shortened(text: str) -> str:
    """Returns the label of a text."""
    return text if len(text) <= LONGEST_LABEL else f"{text[:LONGEST_LABEL]}…"
