"""The lists that commands open: references, links, marks, jumps, views, crumbs, facts, problems, and why as a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parsers.report import Row, Switch, UnknownReference, View
from parsers.views import view_names, view_state, way_to
from tui.command.keyboard import CommandError
from tui.list.list_pane import Fitting, FixedList, ListColumn, ListPane, ListRow, cell_text
from tui.sanitise import safe
from tui.tree.label import PLAIN, fitted_label, label_pieces
from tui.tree.piece import Piece, line_width
from tui.tree.row_text import column_text, remark_pieces, rows_below_text
from tui.tree.tree_view import remark_of

if TYPE_CHECKING:
    from tui.interaction.interaction import Interaction

KIND = ListColumn("kind", 14)
LINE = ListColumn("line", 12, is_right=True)
BELOW = ListColumn("below", 11, is_right=True)

LEFT_OUT = ("id", "rows_below")
"""Columns of a view that a list shows in its own way."""

MOST_REMARK = 1_000
"""Characters of a remark that narrowing looks at."""

MOST_ABOVE = 40
"""Rows above a reference among which the one that it stands in is looked for."""

WIDEST_FACT = 24

BACK = (("/", "narrow"), ("q", "back"))
"""Keys of a list whose rows lead nowhere."""

BARS = " ▁▂▃▄▅▆▇█"
"""By eighths of the largest number."""

MOST_BARS = 52
"""Cells of a row of numbers."""


@dataclass(frozen=True)
class Label(Fitting):
    """The label of a row as a cell: shorter where there is less room, as in the tree."""

    row: Row
    via: str = ""
    """The place in it that is meant: a field, an index."""
    remark: str = ""
    """What the view says of it beside its label."""

    @property
    def pieces(self) -> Sequence[Piece]:
        """All of it that a tree would show."""
        remark = [Piece(f"  {safe(self.remark[:MOST_REMARK])}", "quiet")] if self.remark else []
        return [*label_pieces(self.row, PLAIN), *self._via, *remark]

    def fitted(self, width: int) -> Sequence[Piece]:
        """What tells it from others in so many cells."""
        label = [*fitted_label(self.row, PLAIN, width - line_width(self._via)), *self._via]
        return [*label, *remark_pieces(self.remark, width - line_width(label))]

    @property
    def _via(self) -> list[Piece]:
        return [Piece(safe(self.via), "name")] if self.via else []


class NodeList:
    """Nodes of a view as a list, each by its own label; rows are only made when they are shown."""

    keys = (("/", "narrow"), ("Enter", "go"), ("q", "back"))
    empty = "nothing here"

    def __init__(self, title: str, view: View, nodes: Sequence[int], go: Callable[[View, int], object]) -> None:
        self.title = title
        self.note = f"{len(nodes):,}"
        self.view = view
        self.nodes = nodes
        self._go = go
        self._numbers = [column for column in view.columns if column.name not in LEFT_OUT]
        numbers = [ListColumn(column.title, column.width, is_right=True) for column in self._numbers]
        self.columns = (KIND, ListColumn("row"), *numbers, LINE, BELOW)

    def __len__(self) -> int:
        return len(self.nodes)

    def row(self, index: int) -> ListRow:
        """The kind, the label and the numbers of a node."""
        row = self.view.tree.row(self.nodes[index])
        return self._line(row, row, [column_text(row, column) for column in self._numbers])

    def _line(self, row: Row, named: Row, numbers: Sequence[str], via: str = "") -> ListRow:
        line = "" if row.line is None else f"{row.line:,}"
        below = "↩" if row.link is not None else rows_below_text(row)
        return ListRow((safe(row.kind), Label(named, via, remark_of(self.view, named)), *numbers, line, below))

    def text(self, index: int) -> str:
        """What narrowing looks at."""
        return " ".join(map(cell_text, self.row(index).cells))

    def place(self, index: int) -> tuple[View, int]:
        """The node."""
        return self.view, self.nodes[index]

    def choose(self, index: int) -> None:
        """Go to the node."""
        self._go(self.view, self.nodes[index])


class ReferenceList(NodeList):
    """Nodes that refer to a thing, each by the row that it stands in: its own label is always that of the thing."""

    empty = "nothing points here"

    def __init__(self, title: str, view: View, nodes: Sequence[int], go: Callable[[View, int], object]) -> None:
        super().__init__(title, view, nodes, go)
        self.columns = (KIND, ListColumn("from"), *self.columns[2:])

    def row(self, index: int) -> ListRow:
        """The kind of the reference, the row that it stands in, and its numbers or those of the rows between."""
        tree = self.view.tree
        node = self.nodes[index]
        row = tree.row(node)
        numbers = [column_text(row, column) for column in self._numbers]
        owner, above, between = row, tree.parent(node), [row]
        for _ in range(MOST_ABOVE):
            if above is None:
                break
            owner = tree.row(above)
            if owner.badges.get("id") is not None or owner.kind == row.kind == "method":
                break
            texts = (column_text(owner, column) for column in self._numbers)
            numbers = [number or text for number, text in zip(numbers, texts, strict=True)]
            between.append(owner)
            above = tree.parent(above)
        # Numbers tell where in its owner a reference stands; where there are none, fields and indexes do.
        if between[-1] is owner:
            between.pop()
        via = "" if self._numbers else "".join(map(place_in_owner, reversed(between)))
        return self._line(row, owner, numbers, via)


def place_in_owner(row: Row) -> str:
    """A field as `.name`, an element as `[3]`; empty for other rows."""
    role = next((span.role for span in row.spans if span.role in ("index", "name")), "")
    text = next((row.label[span.start : span.end] for span in row.spans if span.role == role), "")
    return "" if not text else text if role == "index" else f".{text}"


class PathTree:
    """A tree of one branch: each node of a path has the next one as its only child; the last one keeps its own."""

    preorder = None

    def __init__(self, view: View, path: Sequence[int]) -> None:
        self._tree = view.tree
        self._path = tuple(path)
        self._following = dict(zip(self._path, self._path[1:], strict=False))
        self._above = {child: parent for parent, child in self._following.items()}

    def roots(self, order: str | None = None) -> Sequence[int]:
        """The start of the path."""
        return self._path[:1]

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        """The next node of the path; behind its end the children of the view."""
        following = self._following.get(node)
        return self._tree.children(node, order) if following is None else (following,)

    def has_children(self, node: int) -> bool:
        """Whether opening the node would show anything."""
        return node in self._following or self._tree.has_children(node)

    def parent(self, node: int) -> int | None:
        """The node before on the path; of a node below its end the view's parent."""
        if node == self._path[0]:
            return None
        return self._above[node] if node in self._above else self._tree.parent(node)

    def row(self, node: int) -> Row:
        """What the line of the node shows, wherever it stands."""
        return self._tree.row(node)


class PathView:
    """A view that shows one path of another view; everything but the tree is that view's."""

    orders: tuple[str, ...] = ()

    def __init__(self, view: View, path: Sequence[int]) -> None:
        self._view = view
        self._path_nodes = tuple(path)
        self.name = view.name
        self.shape = view.shape
        self.columns = view.columns
        self.tree = PathTree(view, path)
        self.is_ready = True
        self.row_count: int | None = len(self._path_nodes)
        self.root_count: int | None = 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self._view, name)

    def path(self, node: int) -> Sequence[int]:
        """From the start of the path to the node."""
        nodes, above = [node], self.tree.parent(node)
        while above is not None:
            nodes.append(above)
            above = self.tree.parent(above)
        return nodes[::-1]


class Lists:
    """Opens lists on a browser."""

    def __init__(self, interaction: Interaction) -> None:
        self.interaction = interaction
        self.browser = interaction.browser

    def references(self, view: View, node: int) -> None:
        """`r`: everything that points to what the row shows or refers to."""
        references = view.references(node)
        of = self.browser.report.view(references.view)
        kind = NodeList if references.have_labels else ReferenceList
        self._show(kind(references.title, of, references.nodes, self.interaction.places.jump))

    def nodes(self, title: str, view: View, nodes: Sequence[int], cursor: int = 0) -> None:
        """Any nodes of a view."""
        self._show(NodeList(title, view, nodes, self.interaction.places.jump), cursor)

    def links(self, view: View, node: int) -> None:
        """`L`: all links of the row."""
        links = view.links(node)
        rows = [ListRow((safe(link.label), safe(link.ref), safe(link.view or ""))) for link in links]
        columns = (ListColumn("link"), ListColumn("REF", 28), ListColumn("view", 14))
        title = f"links of {short_label(view.tree.row(node))}"

        def go(index: int) -> None:
            self.interaction.places.follow_ref(links[index].ref, links[index].view)

        self._show(FixedList(title, columns, rows, go, empty="this row leads nowhere else"))

    def why(self, view: View, node: int) -> None:
        """`W`: the shortest path from a root, as a tree of one branch."""
        from tui.tree.tree_view import TreeView

        way = way_to(self.browser.report, view, node)
        path = way.nodes
        if not len(path):
            title = f"why {short_label(view.tree.row(node))}"
            self._show(FixedList(title, (ListColumn(""),), (), keys=BACK, empty="no way leads here from a root"))
            return
        pane = TreeView()
        path_view: Any = PathView(self.browser.report.view(way.view), path)
        pane.show(self.browser.report, path_view)
        pane.jump(path[-1])
        self.browser.show_list(pane)
        steps = len(path) - 1
        self.browser.say(
            f"the shortest way from a root: {steps:,} step{'' if steps == 1 else 's'}  (q back, yp copies it)"
        )

    def jumps(self) -> None:
        """The places that were jumped from, newest first."""
        places = self.interaction.places.jumps.before[::-1]
        rows = []
        for place in places:
            row = self.browser.report.view(place.view).tree.row(place.node)
            rows.append(ListRow((Label(row), safe(place.ref), safe(place.view))))
        columns = (ListColumn("place"), ListColumn("REF", 16), ListColumn("view", 14))

        def at(index: int) -> tuple[View, int]:
            return self.browser.report.view(places[index].view), places[index].node

        def go(index: int) -> None:
            self.interaction.places.jump(*at(index))

        self._show(FixedList("jumps", columns, rows, go, at, empty="nothing was jumped from yet"))

    def marks(self) -> None:
        """`M`: marks by letter, then tags."""
        kept = self.interaction.marking.marks
        shown = [*sorted(kept.letters.items()), *(("•", tag) for tag in kept.tags)]
        rows = [
            ListRow(([Piece(sign, "mark-sign")], safe(mark.label), safe(mark.ref), safe(mark.view)))
            for sign, mark in shown
        ]
        columns = (ListColumn("", 2), ListColumn("row"), ListColumn("REF", 16), ListColumn("view", 14))

        def at(index: int) -> tuple[View, int] | None:
            try:
                return self.interaction.marking.locate_mark(shown[index][1])
            except UnknownReference:
                return None

        note = f"{counted(len(kept.letters), 'mark')}, {counted(len(kept.tags), 'tag')}"
        empty = "no marks yet: m and a letter sets one, t tags a row"

        def go(index: int) -> None:
            self._go_to_mark(shown[index][1])

        self._show(FixedList("marks and tags", columns, rows, go, at, note=note, empty=empty))

    def _go_to_mark(self, mark: Any) -> None:
        try:
            self.interaction.marking.go_to_marked(mark)
        except UnknownReference as error:
            self.browser.say(safe(str(error)), "problem")

    def views(self) -> None:
        """`v`: the views of this report."""
        views = self.browser.report.views
        names, rows = view_names(views), []
        for name in names:
            is_ready, count = view_state(views, name)
            says = "" if is_ready else "needs the finished index"
            role = "text" if is_ready else "quiet"
            rows.append(ListRow((safe(name), "" if count is None else f"{count:,}", says), role))
        columns = (ListColumn("view", 24), ListColumn("rows", 14, is_right=True), ListColumn(""))

        def go(index: int) -> None:
            try:
                self.interaction.viewing.show_view(names[index])
            except CommandError as error:
                self.browser.say(str(error), "problem")

        keys = (("/", "narrow"), ("Enter", "show"), ("q", "back"))
        self._show(FixedList("views", columns, rows, go, keys=keys), names.index(self.browser.view.name))

    def choices(self, switch: Switch, choose: Callable[[str], object]) -> None:
        """How the view can be made."""
        chosen = getattr(self.interaction.browser.view, "chosen", {}).get(switch.name, switch.choices[0])
        rows = [ListRow(("now" if each == chosen else "", safe(each))) for each in switch.choices]
        columns = (ListColumn("", 4), ListColumn(switch.title))
        title = f"{switch.title} of {self.interaction.browser.view.name}"
        self._show(
            FixedList(title, columns, rows, lambda index: choose(switch.choices[index])),
            switch.choices.index(chosen),
        )

    def problems(self) -> None:
        """`!`: what was wrong in the file."""
        report = self.browser.report
        problems = report.problems
        view: Any = self.interaction.document_view
        rows = []
        for problem in problems:
            offset = "" if problem.offset is None else f"{problem.offset:,}"
            line = "" if problem.line is None else f"{problem.line:,}"
            kind = [Piece(safe(problem.kind), "problem")]
            rows.append(ListRow((kind, offset, line, safe(problem.what), safe(problem.done))))
        columns = (
            ListColumn("kind", 12),
            ListColumn("byte", 15, is_right=True),
            ListColumn("line", 12, is_right=True),
            ListColumn("what"),
            ListColumn("what was done"),
        )

        def at(index: int) -> tuple[View, int] | None:
            offset = problems[index].offset
            node = view.node_at(offset) if offset is not None and view is not None else None
            return None if node is None else (view, node)

        def go(index: int) -> None:
            place = at(index)
            if place is None:
                self.browser.say("no row is there", "problem")
            else:
                self.interaction.places.jump(*place)

        more = report.problem_count - len(problems)
        note = f"{report.problem_count:,}" + (f", the first {len(problems):,} listed" if more > 0 else "")
        empty = "no problems" if report.is_complete else "no problems so far"
        self._show(FixedList("problems", columns, rows, go, at, note=note, empty=empty))

    def facts(self) -> None:
        """`=`: format, files, facts, totals, problems."""
        report = self.browser.report
        version = f" {report.format_version}" if report.format_version else ""
        facts: list[tuple[str, object]] = [
            ("format", f"{report.format_title}{version}"),
            *(("file", file) for file in report.files),
            ("bytes", report.size),
            ("encoding", report.encoding),
            ("line ends", report.line_end.upper()),
            *report.facts.items(),
            ("problems", f"{report.problem_count:,}" + ("  (!)" if report.problem_count else "")),
        ]
        is_ascii = self.interaction.options.ascii
        rows = [fact_row(name, value, is_ascii) for name, value in flat(facts)]
        rows.append(ListRow((), is_heading=True))
        rows.append(ListRow(([Piece("views", "pane-title")], ""), is_heading=True))
        rows += [fact_row(view.name, _rows_of(view)) for view in report.views]
        rows.append(ListRow((), is_heading=True))
        rows.append(ListRow(([Piece("totals", "pane-title")], ""), is_heading=True))
        totals = list(flat(report.totals.items()))
        later = [ListRow(("…", "known when the index is finished"))]
        rows += [fact_row(name, value, is_ascii) for name, value in totals] or later
        columns = (ListColumn("", WIDEST_FACT + 8), ListColumn(""))
        self._show(FixedList("facts of the report", columns, rows, keys=BACK))

    def _show(self, source: Any, cursor: int = 0) -> None:
        self.browser.show_list(ListPane(source, cursor))


def _rows_of(view: View) -> int | str | None:
    """The rows of a view; None while they aren't known, or would have to be made."""
    if not view.is_ready or not getattr(view, "is_made", True):
        return None
    return "no end" if view.row_count is None else view.row_count


def fact_row(name: str, value: object, is_ascii: bool = False) -> ListRow:
    """A name and a value: numbers grouped for people, a row of numbers as a small chart."""
    if value is None:
        text = "…"
    elif isinstance(value, bool):
        text = "yes" if value else "no"
    elif isinstance(value, tuple):
        text = series_text(value, is_ascii)
    else:
        text = f"{value:,}" if isinstance(value, int) else str(value)
    return ListRow(([Piece(safe(name.replace("_", " ")), "label")], safe(text)))


def flat(facts: Any, before: str = "") -> Iterator[tuple[str, object]]:
    """Facts with those inside of others beside them: `kinds · root`. Facts are nested a few levels at most."""
    stack: list[tuple[str, Any]] = [(before + str(name), value) for name, value in facts][::-1]
    while stack:
        name, value = stack.pop()
        if isinstance(value, Mapping):
            stack += [(f"{name} · {inner}", each) for inner, each in value.items()][::-1]
        elif isinstance(value, list | tuple) and len(value) > 1 and all(type(each) is int for each in value):
            yield name, tuple(value)
        elif isinstance(value, list | tuple):
            yield name, ", ".join(map(str, value[:20])) + (" …" if len(value) > 20 else "")
        else:
            yield name, value


def series_text(numbers: Sequence[int], is_ascii: bool = False) -> str:
    """Numbers one behind the other as bars, as far as there are signs for them, and in words where the largest is."""
    largest = max(numbers)
    at = numbers.index(largest)
    words = f"0 to {len(numbers) - 1:,}, most at {at:,}: {largest:,}"
    if is_ascii or largest <= 0:
        return words
    # Neighbours share a bar where there are too many; a bar is as high as the largest of them.
    step = -(-len(numbers) // MOST_BARS)
    groups = [max(numbers[start : start + step]) for start in range(0, len(numbers), step)]
    return "".join(BARS[-(-8 * max(0, number) // largest)] for number in groups) + f"  {words}"


def short_label(row: Row) -> str:
    """A label for a title."""
    return safe(row.label[:120])


def counted(count: int, word: str) -> str:
    """A number and its word."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"
