"""The view "Methods": costs of each method by thread; also grouped by class, package or thread."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from parsers.formats.tptp.calls.flow_view import FLOW_VIEW, FlowView
from parsers.formats.tptp.calls.method_table import MethodTable
from parsers.formats.tptp.schema.columns import NEVER, NOWHERE
from parsers.formats.tptp.views.links import element_link
from parsers.formats.tptp.views.recorded_view import RecordedView
from parsers.model.distinct import distinct
from parsers.model.lookup import numbered
from parsers.model.names.java_name import NO_PACKAGE, class_spans, method_spans
from parsers.model.names.patterns import Subject, methods_pattern
from parsers.model.names.ref_number import ref_number
from parsers.model.none import NONE
from parsers.model.row import Badge, Column, Link, Section, SectionRow, SortKey
from parsers.model.time_text import nanos_text
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.view import References, Switch
from parsers.profile.method_name import holder_of, package_of, short_method
from parsers.query.selection.method_filters import MethodFilters
from parsers.views.grouped_view import GroupedView
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array

METHODS_VIEW, CLASSES_VIEW = "Methods", "Classes"
BAR = 8
BASE = Column("base", "base", "ns", width=11, priority=6, adds_up=True)
SHARE = Column("base_percent", "base %", "percent", width=8 + BAR, priority=7, bar=BAR)
CUMULATIVE = Column("cumulative", "cumulative", "ns", width=11, priority=5)
CALLS = Column("calls", "calls", width=10, priority=4, adds_up=True)
RETURNED = Column("returned", "returned", width=10, priority=1, adds_up=True)
OVERHEAD = Column("overhead", "overhead", "ns", width=11, priority=2, adds_up=True)
COUNT = Column("count", "count", width=10, priority=3, adds_up=True)
NEGATIVE = Column("negative", "negative", "ns", width=11, priority=6, adds_up=True)
"""Part of the base time that belongs to calls with negative times."""

BY_METHOD, BY_CLASS, BY_PACKAGE, BY_THREAD = "by method", "by class", "by package", "by thread"
ROWS = Switch("rows", "m", "group by", (BY_METHOD, BY_CLASS, BY_PACKAGE, BY_THREAD))
KINDS = {BY_METHOD: "method", BY_CLASS: "class", BY_PACKAGE: "package", BY_THREAD: "thread"}
NEGATIVES = {"negative": "of base below zero", "negative_cumulative": "of cumulative below zero"}
"""Names of these columns in the side pane."""
SHOWN = 12
"""Number of callers, callees and calls listed in the side pane."""


class TraceMethodsView(RecordedView, GroupedView):
    """Groups are methods, classes, packages or threads. Leaves are the threads of a method, else methods."""

    name = METHODS_VIEW
    pattern_subject = "methods"
    sorted_by = "base"
    description = "Methods with calls, self and total time"
    orders: tuple[str, ...] = ("base", "cumulative", "calls", "returned", "overhead", "count", "name")

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The switch for the kind of rows."""
        return (ROWS,) if self.is_ready else ()

    @property
    def mode(self) -> str:
        """The chosen kind of rows."""
        return self.choice("rows")

    @property
    def columns(self) -> tuple[Column, ...]:
        """Times if calls were recorded; counts if only counts were."""
        if not self.is_ready:
            return (BASE, SHARE, CUMULATIVE, CALLS)
        has_counts = bool(self.table.sums["count"].any())
        negative = (NEGATIVE,) if "negative" in self.table.sums else ()
        timed = (BASE, *negative, SHARE, CUMULATIVE, CALLS, RETURNED, OVERHEAD)
        is_timed = bool(self.recording.rows("call")) or not has_counts
        return (*(timed if is_timed else ()), *((COUNT,) if has_counts else ()))

    @cached_property
    def table(self) -> MethodTable:
        """The numbers of all methods."""
        return MethodTable(self.recording, self.names)

    # -- groups -------------------------------------------------------------------------------------------------------

    @cached_property
    def _grouped(self) -> tuple[list[tuple[int, int | str]], AnyArray, AnyArray]:
        """Groups as (session, subject), the first leaf of each group, and the leaves: units or pairs."""
        table, mode = self.table, self.mode
        base = table.sums["base"] if mode != BY_THREAD else table.pairs[1]["base"]
        if mode == BY_METHOD:
            base = table.pairs[1]["base"]
            order = np.lexsort((-base, table.pair_units))
            first = np.searchsorted(table.pair_units[order], np.arange(table.units + 1))
            numbers, of = table.sums, table.sessions
            ranked = np.lexsort((*(-numbers[name] for name in ("count", "calls", "cumulative", "base")), of))
            return list(zip(of[ranked].tolist(), ranked.tolist(), strict=True)), *_regrouped(first, order, ranked)
        if mode == BY_THREAD:
            threads = distinct(table.pair_threads)
            order = np.lexsort((-base, table.pair_threads))
            first = np.searchsorted(table.pair_threads[order], np.append(threads, np.iinfo(np.int64).max))
            sums = np.add.reduceat(base[order], first[:-1]) if len(threads) else base[:0]
            of = self.recording.sessions_of("thread", threads)
            ranked = np.lexsort((-sums, of))
            keys = list(zip(of[ranked].tolist(), threads[ranked].tolist(), strict=True))
            return keys, *_regrouped(first, order, ranked)
        named: dict[tuple[int, str], list[int]] = {}
        heaviest = np.argsort(-base, kind="stable")
        for unit, session in zip(heaviest.tolist(), table.sessions[heaviest].tolist(), strict=True):
            named.setdefault((session, self._holder(unit)), []).append(unit)
        keys = sorted(named, key=lambda key: (key[0], -int(base[named[key]].sum())))
        first = np.concatenate([[0], np.cumsum([len(named[key]) for key in keys])]).astype(np.int64)
        leaves = np.array([unit for key in keys for unit in named[key]], np.int64)
        return [(key[0], key[1]) for key in keys], first, leaves

    def _holder(self, unit: int) -> str:
        """Returns the class or package of a unit."""
        return _holder_of(self.table.label(unit), KINDS[self.mode])

    @cached_property
    def _heads(self) -> list[tuple[int, int]]:
        """Heads by group of the rows: (session, -1) or (session, index in `_grouped`)."""
        heads: list[tuple[int, int]] = []
        last = -1 if self.recording.sessions > 1 else 0
        for place, (session, _) in enumerate(self._grouped[0]):
            if session != last:
                last = session
                heads.append((session, -1))
            heads.append((session, place))
        return heads

    def make_rows(self) -> GroupedPreorder:
        """Builds the rows: sessions if there are several, groups, leaves."""
        first = self._grouped[1]
        counts = np.diff(first).tolist()
        lower = int(self.recording.sessions > 1)
        heads = self._heads
        return GroupedPreorder(
            [lower if place >= 0 else 0 for _, place in heads],
            [counts[place] if place >= 0 else 0 for _, place in heads],
        )

    def _of_leaf(self, group: int, leaf: int) -> tuple[int, int]:
        """Returns unit and pair of a leaf; pair is -1 if it is none."""
        place = self._heads[group][1]
        number = int(self._grouped[2][int(self._grouped[1][place]) + leaf])
        if self.mode in (BY_METHOD, BY_THREAD):
            return int(self.table.pair_units[number]), number
        return number, -1

    def group(self, group: int) -> ListRow:
        """Returns the row of a session, method, class, package or thread."""
        session, place = self._heads[group]
        if place < 0:
            return ListRow(
                "session", self.names.session_label(session), ref=f"session:{session + 1}", key=("session", session)
            )
        group_key = self._grouped[0][place][1]
        kind = KINDS[self.mode]
        if kind == "method":
            return self._method_entry(int(group_key), self._unit_badges([int(group_key)]))
        if kind == "thread":
            pairs = self._leaves(place)
            label, ref = self.names.thread_label(int(group_key)), self.names.ref("thread", int(group_key))
            return ListRow(kind, label, badges=self._pair_badges(pairs), ref=ref, key=("thread", int(group_key)))
        spans = tuple(class_spans(str(group_key))) if kind == "class" else ()
        badges = self._unit_badges(self._leaves(place).tolist())
        for name in ("cumulative", "negative_cumulative"):
            badges.pop(name, None)
        return ListRow(
            kind,
            str(group_key),
            badges=badges,
            ref=f"{kind}:{group_key}",
            spans=spans,
            key=(kind, group_key),
            bars=self._bars(badges),
        )

    def _leaves(self, place: int) -> I64Array:
        _, first, leaves = self._grouped
        return leaves[int(first[place]) : int(first[place + 1])]

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of a thread of a method, or of a method."""
        unit, pair = self._of_leaf(group, leaf)
        if self.mode == BY_METHOD:
            thread = int(self.table.pair_threads[pair])
            badges = self._pair_badges(np.array([pair]))
            label = self.names.thread_label(thread)
            links = (Link("thread", self.names.ref("thread", thread), "Threads"),)
            return ListRow("thread", label, badges=badges, links=links, key=("thread", thread), bars=self._bars(badges))
        badges = self._unit_badges([unit]) if pair < 0 else self._pair_badges(np.array([pair]))
        return self._method_entry(unit, badges, has_ref=pair < 0)

    def _method_entry(self, unit: int, badges: dict[str, Badge], has_ref: bool = True) -> ListRow:
        label, key = self.table.label(unit), ("method", self.table.label(unit))
        flags = ("unknown",) if label.endswith("(not defined)") else ()
        ref = f"method:{label}" if has_ref else ""
        return ListRow(
            "method", label, 0, badges, ref, flags=flags, key=key, spans=method_spans(label), bars=self._bars(badges)
        )

    # -- numbers ------------------------------------------------------------------------------------------------------

    @cached_property
    def _whole(self) -> int:
        """Base time of all methods, the base of shares; without its sign, as clocks may step back."""
        return abs(int(self.table.sums["base"].sum()))

    def _unit_badges(self, units: list[int]) -> dict[str, Badge]:
        sums = self.table.sums
        found = {name: int(values[units].sum()) for name, values in sums.items()}
        return self._badges(found)

    def _pair_badges(self, pairs: I64Array) -> dict[str, Badge]:
        return self._badges({name: int(values[pairs].sum()) for name, values in self.table.pairs[1].items()})

    def _badges(self, sums: dict[str, int]) -> dict[str, Badge]:
        badges: dict[str, Badge] = {
            name: value for name, value in sums.items() if value or name not in (*NEGATIVES, "count", "no_entry")
        }
        badges["base_percent"] = round(100 * sums["base"] / self._whole, 2) if self._whole else 0.0
        unfinished = sums["calls"] - sums["returned"]
        if unfinished > 0:
            badges["unfinished"] = unfinished
        return badges

    @staticmethod
    def _bars(badges: Mapping[str, Badge]) -> dict[str, float]:
        share = badges.get("base_percent")
        return {"base_percent": min(1.0, max(0.0, share / 100))} if isinstance(share, int | float) else {}

    def remark_of(self, group: int, leaf: int) -> str:
        """Returns a remark on calls that did not return, or began before the recording."""
        badges = self.at(group, leaf).badges
        words = []
        if badges.get("unfinished"):
            words.append(f"{badges['unfinished']:,} unfinished")
        if badges.get("no_entry"):
            words.append(f"{badges['no_entry']:,} without entry")
        return ", ".join(words)

    def keys_of_leaves(self, order: str, group: int, leaves: range) -> Sequence[SortKey] | None:
        """Returns sort keys of methods or pairs."""
        place = self._heads[group][1]
        numbers = self._leaves(place)[leaves.start : leaves.stop]
        sums = self.table.pairs[1] if self.mode in (BY_METHOD, BY_THREAD) else self.table.sums
        return sums[order][numbers].tolist() if order in sums else None

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns the nodes of methods by label or id, of threads, classes, packages. Raises `UnknownReference`."""
        run, _, rest = ref.rpartition("/") if ref.startswith("run:") else ("", "", ref)
        kind, _, value = rest.partition(":")
        key: tuple[str, int | str] = (kind, value)
        found = self.names.find(ref)
        if found is not None and found[0] in ("method", "class"):
            label = self.names.method_label if found[0] == "method" else self.names.class_label
            key, run = (found[0], label(found[1])), f"run:{self.recording.session_of(*found) + 1}"
        elif found is not None and found[0] == "thread":
            key = found
        elif kind == "session" and (number := ref_number(value)) is not None:
            key = ("session", number - 1)
        elif kind == "name":
            found_by_kind = [self._nodes_of_key.get((each, value), []) for each in ("method", "class", "package")]
            return [node for several in found_by_kind for node in several]
        if kind not in ("method", "class", "package", "thread", "session", "name", "run"):
            return super().nodes_of(ref)
        nodes = self._nodes_of_key.get(key) or self._methods_of(key)
        return [node for node in nodes if f"run:{self._session(node) + 1}" == run] if run else nodes

    def _methods_of(self, key: tuple[str, int | str]) -> Sequence[int]:
        """Returns the methods of a class or package that has no row of its own."""
        match key:
            case (("class" | "package") as kind, str(name)):
                rows = self._nodes_of_key.items()
                return [
                    node
                    for (of, label), nodes in rows
                    if of == "method" and _holder_of(str(label), kind) == name
                    for node in nodes
                ]
        return ()

    def _session(self, node: int) -> int:
        """Returns the session of a row."""
        return self._heads[self.rows.place(node)[0]][0]

    def chosen_for(self, ref: str) -> Mapping[str, str]:
        """Returns the choice with which a class, package or thread has a row."""
        kind = ref.rpartition("/")[2].partition(":")[0]
        wanted = next((mode for mode, of in KINDS.items() if of == kind and of != "method"), None)
        return {} if wanted is None or not self.is_ready else {ROWS.name: wanted}

    @cached_property
    def _nodes_of_key(self) -> Mapping[tuple[str, int | str], list[int]]:
        """Rows by key, those of groups first."""
        found: dict[tuple[str, int | str], list[int]] = {}
        for group, (session, place) in enumerate(self._heads):
            key: tuple[str, int | str] = ("session", session)
            if place >= 0:
                group_key = self._grouped[0][place][1]
                key = (KINDS[self.mode], self.table.label(int(group_key)) if self.mode == BY_METHOD else group_key)
            found.setdefault(key, []).append(self.rows.node(group))
        if self.mode != BY_METHOD:
            for group, (_, place) in enumerate(self._heads):
                for leaf, number in enumerate(self._leaves(place).tolist() if place >= 0 else ()):
                    unit = int(self.table.pair_units[number]) if self.mode == BY_THREAD else number
                    found.setdefault(("method", self.table.label(unit)), []).append(self.rows.node(group) + 1 + leaf)
        return found

    def find_key(self, key: Hashable) -> int | None:
        """Returns the first row of a method, class or thread."""
        if not self.is_ready:
            return None
        nodes = self._nodes_of_key.get(key) if isinstance(key, tuple) and len(key) == 2 else None
        if nodes is None and isinstance(key, tuple) and key[0] == "call" and isinstance(key[1], int):
            label = self.names.method_label(self.recording.column("call_method")[key[1]])
            nodes = self._nodes_of_key.get(("method", label))
        return nodes[0] if nodes else None

    # -- side pane ----------------------------------------------------------------------------------------------------

    def _unit(self, group: int, leaf: int) -> int | None:
        """Returns the method of a row."""
        _, place = self._heads[group]
        if place < 0:
            return None
        if leaf >= 0:
            return self._of_leaf(group, leaf)[0]
        group_key = self._grouped[0][place][1]
        return int(group_key) if self.mode == BY_METHOD else None

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns the numbers in words; for a method also its definition, callers, callees and longest calls."""
        entry, unit = self.at(group, leaf), self._unit(group, leaf)
        found = [Section(entry.label, tuple(self._facts(entry.badges)))]
        if unit is None:
            return found
        found.append(self._definition(unit))
        table = self.table
        for title, listed in (("Callers", table.callers(unit)), ("Callees", table.callees(unit))):
            rows = [self._related(*each) for each in listed[:SHOWN]]
            if rows:
                found.append(Section(f"{title} ({len(listed):,})", tuple(rows), len(listed) - len(rows)))
        found += self._longest(unit)
        return found

    def _facts(self, badges: Mapping[str, Badge]) -> Iterator[SectionRow]:
        numbers = {name: value for name, value in badges.items() if isinstance(value, int)}
        for name in ("base", "cumulative", "overhead", *NEGATIVES):
            if name in numbers:
                yield SectionRow(NEGATIVES.get(name, name), nanos_text(numbers[name]))
        for name in ("calls", "returned", "unfinished", "no_entry", "count"):
            if numbers.get(name) or (name == "calls" and name in numbers):
                yield SectionRow(name.replace("_", " "), f"{numbers[name]:,}")
        if "cumulative" in numbers and numbers.get("returned"):
            yield SectionRow("a call", nanos_text(numbers["cumulative"] // numbers["returned"]))

    def _definition(self, unit: int) -> Section:
        column, rows = self.recording.column, []
        for row in self.table.rows(unit):
            first, last = int(column("method_first_line")[row]), int(column("method_last_line")[row])
            holder = int(column("method_class")[row])
            source = self.names.word(column("class_source")[holder]) if holder != NONE else ""
            lines = "native, or lines not recorded" if first == NONE else f"{source}:{first} to {last}"
            offset = int(column("method_offset")[row])
            ref = None if offset == NOWHERE else f"element:{offset}"
            rows.append(SectionRow(f"id {self.names.id_text(int(column('method_id')[row]))}", lines, ref, "Elements"))
        return Section("Defined", tuple(rows[:SHOWN]), max(0, len(rows) - SHOWN))

    def _related(self, unit: int, calls: int, took: int) -> SectionRow:
        if unit < 0:
            return SectionRow("nothing that was seen", f"{calls:,} × {nanos_text(took)}")
        label = self.table.label(unit)
        return SectionRow(short_method(label), f"{calls:,} × {nanos_text(took)}", f"method:{label}", METHODS_VIEW)

    def _longest(self, unit: int) -> list[Section]:
        calls = self.table.calls(unit)
        if not len(calls):
            return []
        start, end = (self.recording.numbers(name, calls) for name in ("call_start", "call_end"))
        is_known = (start != NEVER) & (end != NEVER)
        took = np.where(is_known, end - start, NEVER)
        rows, several = [], np.arange(len(took))
        if len(took) > SHOWN:
            several = np.flatnonzero(took >= np.partition(took, len(took) - SHOWN)[len(took) - SHOWN])
        for at in several[np.argsort(-took[several], kind="stable")][:SHOWN].tolist():
            text = nanos_text(int(took[at])) if is_known[at] else "unfinished, or without entry"
            thread = int(self.recording.column("call_thread")[calls[at]])
            name = "" if thread == NONE else self.names.thread_label(thread)
            rows.append(SectionRow(text, name, self.names.ref("call", int(calls[at])), FLOW_VIEW))
        return [Section(f"Calls ({len(calls):,}), the longest first", tuple(rows), len(calls) - len(rows))]

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns links to the method in other views."""
        unit, entry = self._unit(group, leaf), self.at(group, leaf)
        if unit is None:
            return [*entry.links, *self._class_link(group)]
        table, row = self.table, self.table.rows(unit)[0]
        targets = [("called here most", "Call tree"), ("who calls it", "Callers")] if table.sums["calls"][unit] else []
        if len(table.calls(unit)):
            targets.append(("its first call", FLOW_VIEW))
        found = [*entry.links, *(Link(title, f"method:{table.label(unit)}", view) for title, view in targets)]
        holder = int(self.recording.column("method_class")[row])
        if holder != NONE and self.names.has_objects(holder):
            found.append(Link("objects of its class", self.names.ref("class", holder), CLASSES_VIEW))
        return [*found, *element_link(self.names.offset("method", row))]

    def _class_link(self, group: int) -> list[Link]:
        """Returns the link from a class to its objects."""
        place = self._heads[group][1]
        if place < 0 or self.mode != BY_CLASS:
            return []
        units = self._leaves(place).tolist()
        holders = self.recording.column("method_class")
        rows = [int(holders[self.table.rows(unit)[0]]) for unit in units]
        row = next((each for each in rows if each != NONE and self.names.has_objects(each)), None)
        return [] if row is None else [Link("its objects", self.names.ref("class", row), CLASSES_VIEW)]

    def references(self, node: int) -> References:
        """Returns the calls of a method, the longest first."""
        unit = self._unit(*self.rows.place(node))
        if unit is None or not self.recording.rows("call"):
            return super().references(node)
        flow = cast(FlowView, self.report.view(FLOW_VIEW))
        found = flow.find_key(("method", self.table.label(unit)))
        return (
            References(f"calls of {self.table.label(unit)}", FLOW_VIEW, ()) if found is None else flow.references(found)
        )

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns a pattern that matches all methods of the row's class."""
        group, leaf = self.rows.place(node)
        entry = self.at(group, leaf)
        holder = entry.label if entry.kind == "class" else holder_of(entry.label) if entry.kind == "method" else ""
        return methods_pattern(holder)

    def row_filters(self) -> MethodFilters:
        """Returns the filter data of all rows."""
        labels, places = numbered(self.labels(0, self.rows.rows))
        return MethodFilters(self, places, labels)


def _holder_of(label: str, kind: str) -> str:
    """Returns the class or package of a method."""
    holder = holder_of(label)
    return holder if kind == "class" else package_of(holder) or NO_PACKAGE


def _regrouped(first: I64Array, leaves: I64Array, groups: I64Array) -> tuple[I64Array, I64Array]:
    """Returns the groups in another order: the first leaf of each, and the leaves."""
    counts = np.diff(first)[groups] if len(groups) else np.zeros(0, np.int64)
    begins = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    places = (
        np.arange(int(begins[-1])) + np.repeat(first[:-1][groups] - begins[:-1], counts) if len(groups) else leaves[:0]
    )
    return begins, leaves[places]
