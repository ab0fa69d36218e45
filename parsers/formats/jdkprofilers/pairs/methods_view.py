"""The view "Methods" of a `java.prof`: each method with the sums of its pairs, its callers and callees below.

Callers have their callers below them and callees their callees, to any depth.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from parsers.formats.jdkprofilers.array_view import share, shown
from parsers.formats.jdkprofilers.pairs.recording import PairRecording
from parsers.formats.jdkprofilers.pairs.table import PairTable
from parsers.formats.jdkprofilers.pairs.view import CALLS, TIME
from parsers.formats.jdkprofilers.texts import method_of
from parsers.model.names.patterns import Patterns, Subject, methods_pattern
from parsers.model.names.ref_number import ref_number
from parsers.model.row import Badge, Column, Link, Row, Section, SectionRow, counted
from parsers.model.trees.unfolding import ClosingTree
from parsers.model.view import References, UnknownReference, View

if TYPE_CHECKING:
    from parsers.formats.jdkprofilers.pairs.report import PairReport

OWN = Column("own", "Own ms", "ms", width=9, priority=3)
TITLES = ("called by", "calls")
GROUPS = ("callers", "callees")
"""Kinds of the two groups below a method."""
MOST_DUMPS = 100
"""Maximum dumps in the side pane."""


class PairMethodsView(View):
    """A `View` that unfolds a graph. Its nodes are the methods, then a group of callers and one of callees of each.

    With n methods, node n + m is the callers of method m, 2n + m its callees. A site is a pair, by its caller, or
    (from the number of pairs on) by its callee; from twice that number on it is a group.
    """

    name = "Methods"
    sorted_by = "count"
    description = "Methods with calls and time"
    columns: tuple[Column, ...] = (CALLS, TIME, OWN)
    orders: tuple[str, ...] = ("count", "time", "own", "name")

    def __init__(self, report: PairReport) -> None:
        self.report = report
        self._of: PairRecording | None = None
        self._tree = ClosingTree(self)
        self._patterns = Patterns()
        self._opened: frozenset[int] = frozenset()

    def suppress(self, options: Mapping[str, str], opened: Collection[int] = ()) -> None:
        """Closes the methods that match the patterns, except nodes that the user opened."""
        self._patterns, self._opened = Patterns.from_options(options), frozenset(opened)

    def is_suppressed(self, node: int) -> bool:
        """True if a node is closed by a pattern."""
        if not self._patterns or node in self._opened:
            return False
        site = self.tree.site(node)
        if site is not None and site >= 2 * self.recording.pairs:
            return False
        method = method_of(self.recording.methods.texts[self.method_of(node)])
        return self._patterns.is_suppressed_method(method.label) or self._patterns.is_suppressed_type(method.holder)

    @property
    def recording(self) -> PairRecording:
        """The recording."""
        return self.report.recording

    @property
    def table(self) -> PairTable:
        """The sums."""
        return self.report.table

    @property
    def tree(self) -> ClosingTree:
        """The methods and their unfolded graph."""
        if self._of is not self.recording:
            self._of = self.recording
            self._tree = ClosingTree(self)
        return self._tree

    @property
    def is_ready(self) -> bool:
        """True if all pairs are read: node numbers are assigned once."""
        return self.report.is_complete

    @property
    def root_count(self) -> int | None:
        """Number of known methods."""
        return len(self.table.known)

    # -- the graph ----------------------------------------------------------------------------------------------------

    @property
    def _methods(self) -> int:
        return len(self.recording.methods.texts)

    @property
    def vertices(self) -> int:
        """Number of methods and their two groups."""
        return 3 * self._methods

    @property
    def roots(self) -> Sequence[int]:
        """The methods, those with the most calls first."""
        return self.table.methods

    def sites(self, vertex: int) -> Sequence[int]:
        """Returns the groups of a method, or the pairs of a group."""
        part, method = divmod(vertex, self._methods)
        pairs = self.recording.pairs
        if part == 0:
            groups = (self.table.as_callee(method), self.table.as_caller(method))
            return [2 * pairs + (1 + place) * self._methods + method for place, of in enumerate(groups) if len(of)]
        if part == 1:
            return self.table.merged(self.table.as_callee(method))
        return [pairs + pair for pair in self.table.merged(self.table.as_caller(method))]

    def has_sites(self, vertex: int) -> bool:
        """True if a method is in any pair."""
        part, method = divmod(vertex, self._methods)
        return bool((part != 2 and self.table.as_callee(method)) or (part != 1 and self.table.as_caller(method)))

    def vertex_at(self, site: int) -> int:
        """Returns the group of callers or callees that a pair leads to; of a group itself."""
        pairs = self.recording.pairs
        if site < pairs:
            return self._methods + self.recording.callers[site]
        if site < 2 * pairs:
            return 2 * self._methods + self.recording.callees[site - pairs]
        return site - 2 * pairs

    def sort_keys(self, order: str, nodes: Sequence[int]) -> list[int | str]:
        """Returns the keys of an order."""
        rows = [self.row(node) for node in nodes]
        if order == "name":
            return [row.label for row in rows]
        values = [row.badges.get(f"{order}_unwrapped", row.badges.get(order)) for row in rows]
        return [min(value, 1 << 62) if isinstance(value, int) else -1 for value in values]

    # -- rows ---------------------------------------------------------------------------------------------------------

    def method_of(self, node: int) -> int:
        """Returns the method of a node."""
        return self.tree.vertex(node) % self._methods

    def pair_of(self, node: int) -> int | None:
        """Returns the pair of a node below a group."""
        site, pairs = self.tree.site(node), self.recording.pairs
        return site % pairs if site is not None and site < 2 * pairs else None

    def row(self, node: int) -> Row:
        """Returns the row of a method, a group, or a caller or callee."""
        tree, recording = self.tree, self.recording
        method, pair = self.method_of(node), self.pair_of(node)
        name = method_of(recording.methods.texts[method])
        # Nodes in the unfolded graph have no permanent name, so all rows of a method have its REF.
        ref = self.report.method_ref(method) or f"node:{method}"
        has_children = tree.has_children(node)
        flags: tuple[str, ...] = ("unknown",) if self.table.is_unknown(method) else ()
        if self.is_suppressed(node):
            flags += ("suppressed",)
        kind, label, spans, line, offset = "method", name.label, name.spans, None, None
        badges: dict[str, Badge]
        bars: Mapping[str, float] = {}
        if pair is not None:
            site = tree.site(node)
            kind = "caller" if site is not None and site < recording.pairs else "callee"
            row = recording.pair_rows[pair]
            line, offset = recording.rows.lines[row], recording.rows.offsets[row]
            dumps = self.table.in_all_dumps(pair)
            badges = {"count": self.table.calls(pair), "time": self.table.time(pair)}
            if len(dumps) > 1:
                badges["pairs"] = len(dumps)
            of = self.table.cost(recording.callees[pair]).calls
            bars = {"count": max(0.0, min(1.0, self.table.calls(pair) / of)) if of else 0.0}
            flags += recording.rows.words(row)
            if tree.is_recursive(node):
                flags += ("recursive",)
        elif tree.site(node) is not None:
            place = tree.vertex(node) // self._methods - 1
            pairs = self.table.as_caller(method) if place else self.table.as_callee(method)
            kind, label, spans = GROUPS[place], TITLES[place], ()
            badges = {
                "pairs": len(pairs),
                "methods": len(self.table.merged(pairs)),
                "count": sum(map(recording.count, pairs)),
            }
        else:
            cost = self.table.cost(method)
            badges = {
                "count": cost.calls,
                "time": cost.time,
                "own": cost.own,
                "callers": cost.callers,
                "callees": cost.callees,
            }
            bars = {"count": cost.calls / self.table.most_calls}
        return Row(
            node=node,
            kind=kind,
            label=label,
            depth=tree.depth(node),
            badges=badges,
            flags=flags,
            ref=ref,
            line=line,
            offset=offset,
            has_children=has_children,
            spans=spans,
            bars=bars,
        )

    def remark(self, row: Row) -> str:
        """Returns the number of methods of a group."""
        return shown(row.badges["methods"]) if row.kind in GROUPS else ""

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def resolve_all(self, ref: str) -> Sequence[int]:
        """Returns all nodes of a REF. Raises `UnknownReference`."""
        if not self.is_ready:
            raise UnknownReference(f"{ref}: known when all of the file has been read")
        kind, _, value = ref.partition(":")
        if kind == "run":
            kind, _, value = value.partition("/")[2].partition(":")
        if kind == "node":
            number = ref_number(value)
            if number is not None and self._is_node(number):
                return [number]
            raise UnknownReference(f"{ref}: no such node in {self.name}")
        found = self.table.by_label.get(value, []) if kind in ("method", "name") else []
        if not found:
            raise UnknownReference(f"{ref}: no method of that name in {self.name}")
        return found

    def _is_node(self, number: int) -> bool:
        if number < self.vertices:
            return number < self._methods
        try:
            return self.tree.run(number) is not None
        except IndexError:
            return False

    def key(self, node: int) -> Hashable | None:
        """Returns the method as a key."""
        return ("method", self.table.label(self.method_of(node)))

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a method."""
        match key:
            case ("method", str(label)) if self.is_ready:
                return next(iter(self.table.by_label.get(label, ())), None)
        return None

    # -- the side pane ------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the costs of a method, its callers, its callees, and their changes from dump to dump.

        Of an unknown method only its callees.
        """
        method, table, listed = self.method_of(node), self.table, self.report.list_section
        if table.is_unknown(method):
            return (listed("Calls", table.as_caller(method), is_callers=False),)
        sections = [
            Section("Method", tuple(self._costs(method))),
            listed("Called by", table.as_callee(method), is_callers=True),
            listed("Calls", table.as_caller(method), is_callers=False),
        ]
        if len(self.recording.dumps) > 1:
            sections.append(self._dumps(method))
        return [section for section in sections if section.rows]

    def _costs(self, method: int) -> list[SectionRow]:
        """Returns its costs, and the effect of recursion on them."""
        table, recording = self.table, self.recording
        cost = table.cost(method)
        all_calls = sum(dump.calls for dump in recording.dumps)
        rows = [
            SectionRow("calls", f"{cost.calls:,}, {share(cost.calls, all_calls)} % of all"),
            SectionRow("time", f"{cost.time:,} ms with all that it called"),
            SectionRow("own time", f"{cost.own:,} ms: less what it called took"),
            SectionRow("callers", f"{cost.callers:,}"),
            SectionRow("callees", f"{cost.callees:,}"),
        ]
        if any(recording.callers[pair] == method for pair in table.as_callee(method)):
            rows.append(SectionRow("recursion", "it calls itself: the time of such calls is left out"))
        if cost.ring > 1:
            others = "another method" if cost.ring == 2 else f"{cost.ring - 1:,} other methods"
            rows.append(SectionRow("ring", f"it and {others} call each other: its time is at most this, its own exact"))
        return rows

    def _dumps(self, method: int) -> Section:
        """Returns calls and time of a method by dump, and the change from the previous one."""
        recording = self.recording
        calls, times = [0] * len(recording.dumps), [0] * len(recording.dumps)
        for pair in self.table.as_callee(method):
            dump = recording.pair_dumps[pair]
            calls[dump] += recording.count(pair)
            times[dump] += recording.time(pair) if recording.callers[pair] != method else 0
        rows = [
            SectionRow(
                f"dump {dump + 1}",
                f"{counted(calls[dump], 'call')}, {times[dump]:,} ms" + (changes(calls, times, dump) if dump else ""),
                f"run:{dump + 1}",
                "Caller pairs",
            )
            for dump in range(min(len(calls), MOST_DUMPS))
        ]
        return Section("Dumps", tuple(rows), len(calls) - len(rows))

    def links(self, node: int) -> Sequence[Link]:
        """Returns links to its class, and to the line of a pair."""
        pair, name = self.pair_of(node), method_of(self.recording.methods.texts[self.method_of(node)])
        links = []
        if pair is not None:
            line = self.recording.rows.lines[self.recording.pair_rows[pair]]
            links.append(Link("the pair", f"line:{line}", "Caller pairs"))
            ref = self.report.method_ref(self.method_of(node))
            if ref is not None:
                links.append(Link("the method", ref, self.name))
        if name.holder:
            links.append(Link("the class", f"class:{name.holder}", "Classes"))
        return links

    def references(self, node: int) -> References:
        """Returns the pairs in which the method is called."""
        return self.report.callers_of(self.method_of(node))

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns a pattern that matches all methods of the class."""
        return methods_pattern(method_of(self.recording.methods.texts[self.method_of(node)]).holder)


def changes(calls: Sequence[int], times: Sequence[int], dump: int) -> str:
    """Describes the change from the previous dump."""
    before = calls[dump - 1]
    percent = f", {100 * (calls[dump] - before) / before:+,.0f} %" if before else ""
    return f"  ({calls[dump] - before:+,} calls{percent}; {times[dump] - times[dump - 1]:+,} ms)"
