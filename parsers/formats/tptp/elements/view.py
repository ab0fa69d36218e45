"""The view "Elements": the elements of the file by name, each as written; options, filters, missing parts.

Elements are located in the file when their rows are shown. A separate group has all elements in file order; text search
and problems lead there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.read.decoding import codec_of, decode
from parsers.formats.tptp.read.scanner import attributes_of
from parsers.formats.tptp.schema.columns import IS_UNKNOWN_ELEMENT, SESSION_ENDS
from parsers.formats.tptp.schema.counters import FINDING_KINDS
from parsers.formats.tptp.schema.vocabulary import vocabulary
from parsers.formats.tptp.summary.facts import missing_parts, session_facts, shown_attributes, shown_option
from parsers.formats.tptp.views.links import ELEMENTS_VIEW, element_link, first_leading
from parsers.model.late import numpy as np
from parsers.model.late.cached import forget
from parsers.model.names.ref_number import ref_number
from parsers.model.row import Column, Link, Section, SectionRow, capitalized
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.trees.preorder import PreorderTree
from parsers.model.value import value_class
from parsers.model.view import UnknownReference
from parsers.views.grouped_view import GroupedView
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.tptp.elements.blocks import ElementBlocks
    from parsers.formats.tptp.elements.filters import ElementFilters
    from parsers.formats.tptp.elements.places import ElementPosition, HeadElements
    from parsers.formats.tptp.report import TraceReport
    from parsers.model.arrays import I64Array

COUNT = Column("count", "count", width=13, priority=5, adds_up=True)
IN_ORDER = "all elements in their order"
MOST_SHOWN = 4_000
"""Most bytes of an element that its row shows."""
LINKS = {
    "threadId": "thread",
    "threadIdRef": "thread",
    "threadOwner": "thread",
    "classId": "class",
    "classIdRef": "class",
    "methodId": "method",
    "methodIdRef": "method",
    "objId": "object",
    "objIdRef": "object",
    "newObjId": "object",
    "srcIdRef": "object",
    "targetIdRef": "object",
}
"""Tables that ids in attributes refer to, by attribute."""
SHOWN_IN = {
    "thread": ("Threads",),
    "class": ("Classes", "Methods", "Dumps"),
    "method": ("Methods",),
    "object": ("Objects", "Classes"),
}
"""Views that may have a row of a table, by table, the best one first."""
EVENTS = {
    "methodEntry": ("call", "Flow"),
    "monContendedEnter": ("state", "Threads"),
    "monWait": ("state", "Threads"),
    "gcStart": ("collection", "Collections"),
}
"""Elements that begin something that other views show."""
ENDS = {
    "methodExit": ("call", "Flow"),
    "monContendedEntered": ("state", "Threads"),
    "monWaited": ("state", "Threads"),
    "gcFinish": ("collection", "Collections"),
}
"""Elements that end it."""


@value_class
class ElementGroup:
    """A row with leaves."""

    label: str
    count: int
    number: int = -1
    """For elements of one name: the number of the name."""
    leaves: Sequence[ListRow] = ()
    """Its leaves, if they are not elements."""
    flags: tuple[str, ...] = ()


class ElementsView(GroupedView):
    """A `Document`. Groups are names of elements, and lists of facts of the recording."""

    name = ELEMENTS_VIEW
    description = "Elements of the file as they were written"
    columns: tuple[Column, ...] = (COUNT,)
    orders: tuple[str, ...] = ("count", "name")

    def __init__(self, report: TraceReport) -> None:
        self.report = report
        self._recording = report.recording
        self._last_renewed: tuple[GroupedPreorder, int] | None = None
        """Result of the last `renew`: the rows, and the group with all elements."""

    @property
    def is_ready(self) -> bool:
        """True: the elements of the head are shown until all counts are known."""
        return True

    @cached_property
    def blocks(self) -> ElementBlocks | HeadElements:
        """Positions of elements; those of the head while the file is being read."""
        if not self._recording.is_complete:
            from parsers.formats.tptp.elements.places import HeadElements

            return HeadElements(self.report.source.head)
        from parsers.formats.tptp.elements.blocks import ElementBlocks

        return ElementBlocks(self._recording, self.report.source.pread)

    @cached_property
    def _made(self) -> tuple[bool, GroupedPreorder]:
        groups = self._groups
        return self._recording.is_complete, GroupedPreorder([0] * len(groups), [group.count for group in groups])

    @property
    def rows(self) -> GroupedPreorder:
        """The rows as known now."""
        self._forget()
        return self._made[1]

    def _forget(self) -> None:
        """Discards the rows once all is known, so that they are rebuilt."""
        made = self.__dict__.get("_made")
        if made is not None and made[0] != self._recording.is_complete:
            forget(self, ElementsView._made, ElementsView._groups, ElementsView.blocks, ElementsView._tree)

    @property
    def tree(self) -> PreorderTree:
        """The rows as a tree."""
        self._forget()
        return self._tree

    def renew(self) -> Callable[[int], int | None] | None:
        """Maps rows to the new rows: the lists of the whole file begin with those of the head."""
        before, self._last_renewed = self._last_renewed, (self.rows, self._ordered_group)
        if before is None or before[0] is self.rows:
            return None
        rows, ordered = before

        def place(node: int) -> int | None:
            group, leaf = rows.place(node)
            group = self._ordered_group if group == ordered else group
            return self.rows.node(group, leaf) if leaf < self.rows.leaves(group) else None

        return place

    @property
    def partial(self) -> str:
        """The part of the file that is shown."""
        return "" if self._recording.is_complete else "the beginning of the file"

    # -- groups -------------------------------------------------------------------------------------------------------

    @cached_property
    def _groups(self) -> list[ElementGroup]:
        blocks, unknown = self.blocks, self._unknown()
        groups = [
            ElementGroup(name, int(blocks.counts[number]), number, flags=("unknown",) if name in unknown else ())
            for number, name in enumerate(blocks.names)
        ]
        groups.append(ElementGroup(IN_ORDER, blocks.total))
        if not self._recording.is_complete:
            return groups
        listed = {
            "options": self._options(),
            "filters": self._filters(),
            "agents": self._agents(),
            "not recorded": self._missing(),
            "noted": self._noted(),
            "sessions": self._sessions(),
        }
        return groups + [ElementGroup(name, len(rows), leaves=rows) for name, rows in listed.items() if rows]

    def _unknown(self) -> set[str]:
        """Returns the names that are not in the vocabulary."""
        names, flags = (self._recording.column(f"element_{name}") for name in ("name", "flags"))
        return {
            self._recording.text(int(word))
            for word, each in zip(names, flags, strict=False)
            if each & IS_UNKNOWN_ELEMENT
        }

    def _recorded(self, name: str) -> Iterator[tuple[str, Any]]:
        """Yields the facts of a name, each with the session if there are several."""
        sessions = session_facts(self._recording)
        for number, facts in enumerate(sessions, 1):
            before = f"session {number}: " if len(sessions) > 1 else ""
            yield from ((before, fact) for fact in facts.get(name, ()))

    def _options(self) -> list[ListRow]:
        """Returns keys and values; a key may occur several times."""
        return [
            ListRow("option", f"{before}{key} = {shown_option(value, self.report.is_private_shown)}")
            for before, (key, value) in self._recorded("options")
        ]

    def _filters(self) -> list[ListRow]:
        """Returns the filters of classes and methods; the first match decides."""
        found = []
        for before, each in self._recorded("filters"):
            name = _with_wildcard(each.get("pattern", ""), each.get("genericPattern", ""))
            method = _with_wildcard(each.get("methodPattern", ""), each.get("methodGenericPattern", ""))
            found.append(ListRow("filter", f"{before}{each.get('mode', '')} {name} {method}".rstrip()))
        return found

    def _agents(self) -> list[ListRow]:
        found = []
        for before, agent in self._recorded("agents"):
            shown = shown_attributes(agent, self.report.is_private_shown).items()
            found.append(ListRow("agent", before + ", ".join(f"{name} {value}" for name, value in shown)))
        return found

    def _missing(self) -> list[ListRow]:
        """Returns views without data, and the reasons."""
        return [ListRow("missing", text) for text in missing_parts(self._recording)]

    def _noted(self) -> list[ListRow]:
        """Returns the findings, each with its element."""
        column = self._recording.column
        rows = zip(column("finding_offset"), column("finding_kind"), column("finding_value"), strict=True)
        return [
            ListRow(
                "finding",
                FINDING_KINDS[kind],
                badges={"value": int(value)} if value > 0 else {},
                offset=int(offset),
                links=(Link("element", f"element:{offset}", ELEMENTS_VIEW),),
            )
            for offset, kind, value in sorted(rows)
        ]

    def _sessions(self) -> list[ListRow]:
        """Returns the start of each session, and how it ends."""
        names, column = self.report.names_of, self._recording.column
        found = []
        for number in range(self._recording.sessions):
            end = SESSION_ENDS[int(column("session_state")[number])]
            label = f"{names.session_label(number)}, {end}"
            offset = int(column("session_offset")[number])
            found.append(ListRow("session", label, ref=f"session:{number + 1}", offset=offset, key=("session", number)))
        return found

    def group(self, group: int) -> ListRow:
        """Returns the row of a name with its count, or of another list."""
        each = self._groups[group]
        return ListRow("group", each.label, badges={"count": each.count}, flags=each.flags, ref=f"name:{each.label}")

    # -- elements -----------------------------------------------------------------------------------------------------

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns an element as written, or a row of a list."""
        each = self._groups[group]
        if each.leaves:
            return each.leaves[leaf]
        place = self._element(each, leaf)
        if place is None:
            return ListRow("unknown", "the file has changed")
        ref = "" if each.number >= 0 else f"element:{place.start}"
        label, key = self.text(place), ("element", place.start)
        return ListRow(place.name, label, ref=ref, offset=place.start, key=key, look="element")

    def text(self, place: ElementPosition, most: int = MOST_SHOWN) -> str:
        """Returns an element as written, on one line, without private parts."""
        raw = self.report.source.pread(min(place.end - place.start, most), place.start)
        text = " ".join(decode(raw, self._codec(place.start))[0].split())
        if not self.report.is_private_shown:
            attributes = dict(attributes_of(text))
            for name, value in shown_attributes(attributes, False).items():
                if value != attributes[name]:
                    text = _hide(text, name, value)
        return text if place.end - place.start <= most else f"{text} …"

    def _session_at(self, offset: int) -> int:
        offsets = self._recording.column("session_offset")
        return max(sum(1 for each in offsets if each <= offset) - 1, 0)

    def _codec(self, offset: int) -> str | None:
        recorded_facts = session_facts(self._recording)
        session = self._session_at(offset)
        return codec_of(recorded_facts[session].get("declared")) if session < len(recorded_facts) else None

    def _place(self, group: int, leaf: int) -> ElementPosition | None:
        """Returns the element of a row."""
        if leaf < 0:
            return None
        each = self._groups[group]
        if each.leaves:
            offset = each.leaves[leaf].offset
            number = None if offset is None else self.blocks.number_at(offset)
            return None if number is None else self.blocks.nth(number)
        return self._element(each, leaf)

    def _element(self, group: ElementGroup, leaf: int) -> ElementPosition | None:
        return self.blocks.nth_of_name(group.number, leaf) if group.number >= 0 else self.blocks.nth(leaf)

    @property
    def _ordered_group(self) -> int:
        return next(place for place, group in enumerate(self._groups) if group.label == IN_ORDER)

    def node_at(self, offset: int) -> int | None:
        """Returns the row of the element that a byte belongs to; None before the first one."""
        self._forget()
        number = self.blocks.number_at(offset)
        return None if number is None else self.rows.node(self._ordered_group, number)

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns elements by offset, names, sessions. Raises `UnknownReference`."""
        kind, _, value = ref.partition(":")
        if kind == "element" and (offset := ref_number(value)) is not None:
            node = self.node_at(offset)
            if node is None:
                raise UnknownReference(f"{ref}: no element is at that byte")
            return [node]
        if kind in ("name", "session"):
            return [
                self.rows.node(place, leaf)
                for place, group in enumerate(self._groups)
                for leaf, entry in ((-1, self.group(place)), *enumerate(group.leaves))
                if entry.ref == ref
            ]
        return super().nodes_of(ref)

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of an element, or of the defining element of a key."""
        match key:
            case ("element", int(offset)):
                return self.node_at(offset)
            case (("thread" | "object" | "call" | "state" | "dump" | "collection") as table, int(row)):
                offset = int(self._recording.column(f"{table}_offset")[row])
                return self.node_at(offset) if offset < self.report.size else None
        return None

    # -- bulk access --------------------------------------------------------------------------------------------------

    def listed_nodes(self) -> Iterator[int]:
        """Yields rows that are not elements."""
        for place, group in enumerate(self._groups):
            yield self.rows.node(place)
            yield from (self.rows.node(place, leaf) for leaf in range(len(group.leaves)))

    def group_nodes(self) -> tuple[int, I64Array]:
        """Returns the row of all elements in order, and the rows of names."""
        named = [self.rows.node(place) for place, group in enumerate(self._groups) if group.number >= 0]
        return self.rows.node(self._ordered_group), np.array(named, np.int64)

    def row_filters(self) -> ElementFilters:
        """Returns the filter data of all rows."""
        from parsers.formats.tptp.elements.filters import ElementFilters

        self._forget()
        return ElementFilters(self, self.report, self.blocks, self.listed_nodes, self.group_nodes)

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns the attributes of an element, with ids as links; the count of a name."""
        place = self._place(group, leaf)
        if place is None:
            entry = self.at(group, leaf)
            each = self._groups[group]
            rows = [SectionRow("", entry.label)]
            if leaf < 0:
                rows = [SectionRow("count", f"{each.count:,}")]
                if each.flags:
                    rows.append(SectionRow("unknown", "not in the vocabulary: kept, counted and shown"))
            return (Section(entry.label if leaf < 0 else capitalized(entry.kind), tuple(rows)),)
        rows = [
            self._attribute(place, name, value)
            for name, value in shown_attributes(self._attributes(place), self.report.is_private_shown).items()
        ]
        where = SectionRow("bytes", f"{place.start:,} to {place.end:,}")
        found = [Section(place.name, (*rows, where))]
        node = self.rows.node(group, leaf)
        if self._groups[group].leaves:
            found.insert(0, Section("", (SectionRow("", self.row(node).label),)))
        return found

    def _attributes(self, place: ElementPosition) -> dict[str, str]:
        raw = self.report.source.pread(place.end - place.start, place.start)
        return dict(attributes_of(decode(raw, self._codec(place.start))[0]))

    def _attribute(self, place: ElementPosition, name: str, value: str) -> SectionRow:
        table = LINKS.get(self._aliases.get(name, name), "")
        return SectionRow(name, value, *self._target(table, value, place) if table and value != "0" else ())

    @cached_property
    def _aliases(self) -> dict[str, str]:
        return dict(vocabulary().aliases)

    def _target(self, table: str, value: str, place: ElementPosition) -> tuple[str, str] | tuple[()]:
        """Returns the REF that an id denotes at an element, and a view that has it; else the defining element."""
        recording = self._recording
        id = self.report.names_of.id_of(value)
        row = None if id is None else recording.row_at(table, id, place.start, self._session_at(place.start))
        if row is None:
            return ()
        ref = self.report.names_of.ref(table, row)
        view = first_leading(self.report, ref, SHOWN_IN[table])
        if view is not None:
            return ref, view
        offset = int(recording.column(f"{table}_offset")[row])
        return next(((each.ref, ELEMENTS_VIEW) for each in element_link(offset) if offset != place.start), ())

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns links to the event that an element begins, and to the targets of its ids."""
        entry, place = self.at(group, leaf), self._place(group, leaf)
        if place is None or self._groups[group].leaves:
            return entry.links
        found = []
        event, view = EVENTS.get(place.name) or ENDS.get(place.name) or ("", "")
        happened = self._event(event, place) if event else None
        if happened is not None:
            found.append(Link(event, self.report.names_of.ref(event, happened), view))
        for name, value in self._attributes(place).items():
            row = self._attribute(place, name, value)
            if row.ref is not None:
                found.append(Link(f"{name} {value}", row.ref, row.view))
        if self._groups[group].number >= 0:
            found.append(Link("in the order of the file", f"element:{place.start}", ELEMENTS_VIEW))
        return found

    def _event(self, event: str, place: ElementPosition) -> int | None:
        """Returns the row of the event that an element begins or ends."""
        names, recording = self.report.names_of, self._recording
        begun = names.find(f"{event}:{place.start}")
        if begun is not None or place.name in EVENTS:
            return None if begun is None else begun[1]
        if event == "state":
            rows = recording.rows_with("state_end_offset", place.start)
        elif event == "call":
            ticket = names.id_of(self._attributes(place).get("ticket", ""))
            calls = [] if ticket is None else recording.rows_with("call_ticket", ticket)
            session = self._session_at(place.start)
            rows = [row for row in calls if self._recording.session_of("call", row) == session]
        else:
            mine = self._recording.session_rows(self._session_at(place.start), "collection")
            offsets = recording.column("collection_offset")
            rows = [row for row in mine if offsets[row] <= place.start][-1:]
        return rows[0] if rows else None


def _with_wildcard(pattern: str, generic: str) -> str:
    """Returns a filter pattern with its wildcard at the end it applies to."""
    return {"PREFIX": f"*{pattern}", "SUFFIX": f"{pattern}*"}.get(generic, pattern)


def _hide(text: str, name: str, shown: str) -> str:
    """Returns the text of an element with another value of an attribute."""
    return re.sub(rf"""(\b{re.escape(name)}\s*=\s*)(?:"[^"]*"|'[^']*')""", lambda found: f'{found[1]}"{shown}"', text)
