"""Sessions, their threads, and the waits of these: rows that several views show.

Groups are sessions (if there are several) and threads; leaves are states, in file order. A recording may have millions
of states, so only the columns of the recording are in memory.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from parsers.formats.tptp.threads.state_view import StateView
from parsers.formats.tptp.views.links import element_link
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.row import Link, Section, SortKey
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.view import References
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array


class StateGroup(NamedTuple):
    """A row that may have others below it."""

    kind: str
    row: int
    """Row of the thread or the session."""
    session: int


class StateRowsView(StateView):
    """A `View` over threads and states. Subclasses may add groups before the threads of a session."""

    group_kinds = ("session", "thread")

    def leading(self, session: int) -> Sequence[tuple[StateGroup, int]]:
        """Returns the groups before the threads of a session, each with the number of its leaves."""
        return ()

    # -- rows ---------------------------------------------------------------------------------------------------------

    @cached_property
    def _counted(self) -> tuple[list[StateGroup], list[int]]:
        """Groups in the order of their rows, and the number of leaves of each."""
        groups, counts = list[StateGroup](), list[int]()
        firsts = self.recording.numbers("thread_first_state")
        leaves = firsts[1:] - firsts[:-1]
        for session in range(self.recording.sessions):
            if self.recording.sessions > 1:
                groups.append(StateGroup("session", session, session))
                counts.append(0)
            for group, count in self.leading(session):
                groups.append(group)
                counts.append(count)
            mine = self.recording.session_rows(session, "thread")
            groups += map(StateGroup._make, zip(repeat("thread"), mine, repeat(session), strict=False))
            counts += leaves[mine.start : mine.stop].tolist()
        return groups, counts

    @property
    def groups(self) -> list[StateGroup]:
        """Groups in the order of their rows."""
        return self._counted[0]

    @cached_property
    def group_of(self) -> dict[tuple[str, int], int]:
        """Groups by kind and row."""
        return {(group.kind, group.row): number for number, group in enumerate(self.groups)}

    def make_rows(self) -> GroupedPreorder:
        """Builds the rows: sessions above all others, if there are several."""
        below = self.recording.sessions > 1
        depths = [int(below and group.kind != "session") for group in self.groups]
        return GroupedPreorder(depths, self._counted[1])

    def state(self, group: int, leaf: int) -> int:
        """Returns the row of states for a leaf of a thread."""
        recording = self.recording
        return int(
            recording.column("state_of_thread")[recording.column("thread_first_state")[self.groups[group].row] + leaf]
        )

    def node_of_thread(self, thread: int) -> int | None:
        """Returns the node of a thread."""
        return self.node_of_group(self.group_of.get(("thread", thread)))

    def node_of_state(self, state: int) -> int | None:
        """Returns the node of a state."""
        column = self.recording.column
        thread = int(column("state_thread")[state])
        places = self.recording.of_thread("state", thread)
        place = bisect_left(column("state_of_thread"), state, places.start, places.stop)
        group = self.group_of.get(("thread", thread))
        return None if group is None else self.rows.node(group, place - places.start)

    # -- contents of rows ---------------------------------------------------------------------------------------------

    def group(self, group: int) -> ListRow:
        """Returns the row of a session or a thread."""
        each = self.groups[group]
        if each.kind == "session":
            return self.session_entry(each.row)
        return self.thread_entry(each.row)

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of a state."""
        return self.state_entry(self.state(group, leaf))

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns labels of a range of nodes, without the other parts of their rows."""
        found = []
        for node in range(start, stop):
            group, leaf = self.rows.place(node)
            is_state = leaf >= 0 and self.groups[group].kind == "thread"
            found.append(self.facts.label(self.state(group, leaf)) if is_state else self.at(group, leaf).label)
        return found

    def remark_of(self, group: int, leaf: int) -> str:
        """Returns a remark for a state that had not ended; for a thread, its state when the data end."""
        if leaf >= 0:
            return self.facts.ending_word(self.state(group, leaf)) if self.groups[group].kind == "thread" else ""
        each = self.groups[group]
        return self.facts.at_end(each.row) if each.kind == "thread" else ""

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns nodes of threads, states, sessions."""
        kind, _, value = ref.partition(":")
        if kind in ("session", "run") and value.isascii() and value.isdigit() and len(value) < 9:
            group = self.group_of.get(("session", int(value) - 1))
            return () if group is None else (self.rows.node(group),)
        if kind == "name":
            labels = ((self.rows.node(number), group) for number, group in enumerate(self.groups))
            return [node for node, group in labels if group.kind == "thread" and self.row(node).label == value]
        found = self.facts.names.find(ref)
        node: int | None = None
        if found is not None and found[0] == "thread":
            node = self.node_of_thread(found[1])
        elif found is not None and found[0] == "state":
            node = self.node_of_state(found[1])
        return () if node is None else (node,)

    def find_key(self, key: Hashable) -> int | None:
        """Returns the node of a thread, a state or a session."""
        if not self.is_ready:
            return None
        match key:
            case ("thread", int(row)):
                return self.node_of_thread(row)
            case ("state", int(row)) if row < self.recording.rows("state"):
                return self.node_of_state(row)
            case ("session", int(number)):
                return self.node_of_group(self.group_of.get(("session", number - 1)))
        return None

    # -- links --------------------------------------------------------------------------------------------------------

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns all links from a row."""
        each = self.groups[group]
        if leaf >= 0 or each.kind != "thread":
            return self.at(group, leaf).links
        ref, column = self.facts.names.ref("thread", each.row), self.recording.column
        others = [name for name in ("Threads", "Time line") if name != self.name and self.has_view(name)]
        links = [Link(f"in {name}", ref, name) for name in others]
        if column("thread_calls")[each.row] and self.has_view("Flow"):
            links += [Link("its calls in order", ref, "Flow"), Link("its calls together", ref, "Call tree")]
        return [
            *links,
            *element_link(int(column("thread_offset")[each.row])),
        ]

    def references(self, node: int) -> References:
        """Returns, for a thread, the waits of others for it; for a state, those for the same monitor."""
        group, leaf = self.rows.place(node)
        each = self.groups[group]
        if each.kind != "thread":
            return super().references(node)
        column = self.recording.column
        if leaf < 0:
            title, states = (
                f"waited for {self.row(node).label}",
                np.flatnonzero(self.recording.numbers("state_owner") == each.row),
            )
        else:
            monitor = int(column("state_monitor")[self.state(group, leaf)])
            title = f"waited for {self.facts.monitor_text(self.state(group, leaf)) or 'nothing'}"
            states = np.flatnonzero((self.recording.numbers("state_monitor") == monitor) & (monitor != NONE))
        nodes = [self.node_of_state(int(state)) for state in states]
        return References(title, self.name, [node for node in nodes if node is not None], True)

    def state_at(self, node: int) -> tuple[int, int] | None:
        """Returns the state of a row, and a moment of it; for a thread that waits when the data end, that state."""
        group, leaf = self.rows.place(node)
        each = self.groups[group]
        if each.kind != "thread":
            return None
        last = self.facts.last(each.session)
        state = self.facts.at(each.row, last) if leaf < 0 else self.state(group, leaf)
        if state is None:
            return None
        start, end, is_open = self.facts.reach(state)
        return state, last if is_open else max(start, end - 1)

    def why(self, node: int) -> References:
        """Returns the threads that block a thread: the owner of its monitor, that owner's wait then, and so on."""
        found = self.state_at(node)
        if found is None:
            return References(f"the path to {self.row(node).label}", self.name, self.tree.path(node))
        state: int | None = found[0]
        threads, chain, column = list[int](), list[int | None](), self.recording.column
        while state is not None:
            threads.append(int(column("state_thread")[state]))
            chain += [self.node_of_state(state), self.node_of_thread(threads[-1])]
            owner = int(column("state_owner")[state])
            if owner == NONE or owner in threads:
                break
            state = self.facts.at(owner, found[1])
            if state is None:
                chain.append(self.node_of_thread(owner))
        nodes = [each for each in reversed(chain) if each is not None]
        return References(f"who keeps {self.facts.names.thread_label(threads[0])} waiting", self.name, nodes, True)

    def keys_of_leaves(self, order: str, group: int, leaves: range) -> Sequence[SortKey] | I64Array | None:
        """Returns sort keys of states."""
        if self.groups[group].kind != "thread":
            return None
        if order == "name":
            return [self.facts.label(self.state(group, leaf)) for leaf in leaves]
        if order not in ("start_ns", "time_ns"):
            return np.full(len(leaves), -1)
        column = self.recording.column
        first = int(column("thread_first_state")[self.groups[group].row])
        rows = self.recording.numbers("state_of_thread", range(first + leaves.start, first + leaves.stop))
        starts, ends = self.facts.reaches(rows)
        return starts if order == "start_ns" else ends - starts

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns the facts of the thread, or of the state and its owner's state then."""
        each = self.groups[group]
        if each.kind == "session":
            return self.session_sections(each.row)
        return self.state_sections(self.state(group, leaf)) if leaf >= 0 else self.thread_sections(each.row)
