"""The lists that commands open: references, links, marks, jumps, views, crumbs, facts, problems, and why as a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parsers.model.capabilities import HasGraph
from parsers.model.report import file_name
from parsers.model.row import Row, counted
from parsers.model.view import UnknownReference, View
from parsers.views.collection import path_from_root, problem_finder
from tui.input.keys.keyboard import CommandError
from tui.interaction.cutting import VIEW as CUT
from tui.interaction.target import report_of, shown_view
from tui.list.list_pane import FixedList, ListColumn, ListPane, ListSource, PaneRow, RowLabel, heading_row
from tui.list.node_list import NodeList, ReferenceList
from tui.list.path_view import PathView
from tui.screen.facts import fact_text, flat
from tui.screen.sanitise import safe
from tui.tree.piece import Piece
from tui.tree.tree_view import TreeView

if TYPE_CHECKING:
    from tui.interaction.navigation.marking import Marking
    from tui.interaction.navigation.places import Navigation
    from tui.interaction.report_screen import ReportScreen
    from tui.interaction.screen_interaction import ScreenInteraction
    from tui.interaction.viewing import Viewing
    from tui.settings.options import Options

BACK = (("/", "narrow"), ("q", "back"))
"""Keys of a list whose rows have no targets."""


NAME_WIDTH = 32
"""Cells of the names of facts."""


@dataclass(eq=False)
class Lists:
    """Opens lists on a browser."""

    browser: ReportScreen
    options: Options
    navigation: Navigation
    viewing: Viewing
    marking: Marking

    def references(self, view: View, node: int) -> None:
        """Lists everything that points to the object of the row (`r`)."""
        references = view.references(node)
        of = self.browser.report.view(references.view)
        kind = NodeList if references.have_labels else ReferenceList
        source = kind(references.title, of, references.nodes, self.navigation.jump)
        if view.tree.parent(node) is not None:
            source.empty = "no references but from the row above it"
        self._show(source)

    def nodes(self, title: str, view: View, nodes: Sequence[int], cursor: int = 0) -> None:
        """Lists any nodes of a view."""
        self._show(NodeList(title, view, nodes, self.navigation.jump), cursor)

    def links(self, view: View, node: int) -> None:
        """Lists all links of the row (`L`)."""
        links = view.links(node)
        rows = [PaneRow((safe(link.label), safe(link.ref), safe(link.view or ""))) for link in links]
        columns = (ListColumn("link"), ListColumn("REF", 28), ListColumn("view", 14))
        title = f"links of {short_label(view.tree.row(node))}"

        def go(index: int) -> None:
            self.navigation.follow(links[index])

        self._show(FixedList(title, columns, rows, go, empty="This row has no links"))

    def why(self, view: View, node: int) -> None:
        """Shows the shortest path from a root, as a tree of one branch (`W`)."""
        answer = path_from_root(self.browser.report, view, node)
        path = answer.nodes
        there = self.browser.report.view(answer.view)
        if answer.continues and self.browser.preparing.begin(there, lambda: self.why(view, node)):
            self.browser.show_message(f"{safe(answer.title)} …")
            return
        if not len(path):
            if not self.browser.report.is_complete:
                raise CommandError("The path needs the finished index.")
            self._show_no_path(short_label(view.tree.row(node)))
            return
        path_view = PathView(self.browser.report.view(answer.view), path)
        pane = TreeView(self.browser.report, path_view)
        pane.show(self.browser.report, path_view)
        pane.jump(path[-1])
        self.browser.show_list(pane)
        message = f": {counted(len(path), 'row')}  (q back, yp copies it)"
        if answer.continues:
            message = "  (q back)"
            pane.open_or_child()
        self.browser.show_message(f"{safe(answer.title)}{message}")

    def jumps(self) -> None:
        """Lists the places of earlier jumps, newest first."""
        places = self.navigation.jumps.before[::-1]
        rows = []
        for place in places:
            row = self.browser.report.view(place.view).tree.row(place.node)
            rows.append(PaneRow((RowLabel(row), safe(place.ref), safe(place.view))))
        columns = (ListColumn("place"), ListColumn("REF", 16), ListColumn("view", 14))

        def at(index: int) -> tuple[View, int]:
            return self.browser.report.view(places[index].view), places[index].node

        def go(index: int) -> None:
            self.navigation.jump(*at(index))

        self._show(FixedList("jumps", columns, rows, go, at, empty="No jumps yet"))

    def marks(self) -> None:
        """Lists marks by letter, then tags (`M`)."""
        kept = self.marking.marks
        shown = [*sorted(kept.letters.items()), *(("•", tag) for tag in kept.tags)]
        rows = [
            PaneRow(([Piece(sign, "mark-sign")], safe(mark.label), safe(mark.ref), safe(mark.view)))
            for sign, mark in shown
        ]
        columns = (ListColumn("", 2), ListColumn("row"), ListColumn("REF", 16), ListColumn("view", 14))

        def at(index: int) -> tuple[View, int] | None:
            try:
                return self.marking.locate_mark(shown[index][1])
            except UnknownReference:
                return None

        note = f"{counted(len(kept.letters), 'mark')}, {counted(len(kept.tags), 'tag')}"
        empty = "No marks yet. m and a letter sets one, t tags a row."

        def go(index: int) -> None:
            self.marking.go_to_marked(shown[index][1])

        self._show(FixedList("marks and tags", columns, rows, go, at, note=note, empty=empty))

    def views(self) -> None:
        """Lists the views of this report (`v`). The cursor is on the shown one, if it is listed."""
        names, shown = self.browser.report.views.names, self.browser.view.name
        self._show(self._views(), names.index(shown) if shown in names else 0)

    def _views(self) -> FixedList:
        """The present list of views."""
        views = self.browser.report.views
        names, rows = views.names, []
        for name in names:
            is_ready, count = views.state(name)
            about = [Piece(safe(views.description(name)))]
            if not is_ready:
                about = [Piece(f"{safe(self.viewing.waiting_text(name))}  ", "progress"), *about]
            role = "text" if is_ready else "quiet"
            rows.append(PaneRow((safe(name), "" if count is None else f"{count:,}", about), role))
        report = self.browser.report
        missing = report.missing_views
        rows += [PaneRow((safe(name), "", safe(why)), "quiet") for name, why in missing.items()]
        columns = (ListColumn("view", 20), ListColumn("rows", 10, is_right=True, least=60), ListColumn("shows"))

        def go(index: int) -> None:
            if index >= len(names):
                name, why = list(missing.items())[index - len(names)]
                self.browser.show_message(safe(f"{name}: {why}"))
                return
            self.viewing.show_view(names[index])

        keys = (("/", "narrow"), ("Enter", "show"), ("q", "back"))
        return FixedList("views", columns, rows, go, keys=keys, refill_from=self._views)

    def _show_no_path(self, label: str) -> None:
        """Lists the cuts that leave no path from a root to a node; without cuts an empty list."""
        report = report_of(self.browser)
        if isinstance(report, HasGraph) and report.graph.cuts:
            view = shown_view(self.browser, report.view(CUT))
            self.nodes(f"no path from a root to {label} with these cuts", view, view.tree.children(0))
        else:
            self._show(FixedList(f"why {label}", (ListColumn(""),), (), keys=BACK, empty="No path from a root"))

    def problems(self) -> None:
        """Lists the problems of the file (`!`)."""
        self._show(self._problems())

    def _problems(self) -> FixedList:
        """The present list of problems."""
        report = report_of(self.browser)
        problems = report.problems
        finder = problem_finder(report, self.browser.view)
        rows = []
        for problem in problems:
            offset = "" if problem.offset is None else f"{problem.offset:,}"
            line = "" if problem.line is None else f"{problem.line:,}"
            kind = [Piece(safe(problem.kind), "problem")]
            rows.append(PaneRow((kind, offset, line, safe(problem.what), safe(problem.done))))
        columns = (
            ListColumn("kind", 12),
            ListColumn("byte", 15, is_right=True),
            ListColumn("line", 12, is_right=True),
            ListColumn("what"),
            ListColumn("what was done"),
        )

        def at(index: int) -> tuple[View, int] | None:
            if finder is None:
                return None
            view, find = finder
            node = find(problems[index])
            return None if node is None else (view, node)

        def go(index: int) -> None:
            place = at(index)
            if place is None:
                self.browser.show_message("No row for this problem.", "problem")
            else:
                self.navigation.jump(*place)

        more = report.problem_count - len(problems)
        note = f"{report.problem_count:,}" + (f", the first {len(problems):,} listed" if more > 0 else "")
        empty = "no problems" if report.is_complete else "no problems so far"
        return FixedList("problems", columns, rows, go, at, note=note, empty=empty, refill_from=self._problems)

    def facts(self) -> None:
        """Lists format, files, facts, totals and problems (`=`)."""
        self._show(self._facts())

    def _facts(self) -> FixedList:
        """The present list of facts."""
        report = self.browser.report
        version = f" {report.format_version}" if report.format_version else ""
        facts: list[tuple[str, object]] = [
            ("format", f"{report.format_title}{version}"),
            *(("file", file_name(file)) for file in report.files),
            ("bytes", report.size),
            ("encoding", report.encoding),
            *([("line ends", report.line_end.upper())] if report.line_end != "none" else []),
            *report.facts.items(),
            ("problems", f"{report.problem_count:,}" + ("  (!)" if report.problem_count else "")),
        ]
        is_ascii = self.options.ascii
        rows = [fact_row(name, value, is_ascii) for name, value in flat(facts)]
        blank = PaneRow((), is_heading=True)
        rows += [blank, heading_row("views", ""), *(fact_row(view.name, rows_of(view)) for view in report.views)]
        rows += [blank, heading_row("totals", "")]
        totals = list(flat(report.totals.items()))
        later = [PaneRow(("…", "known when the index is finished"))]
        rows += [fact_row(name, value, is_ascii) for name, value in totals] or later
        columns = (ListColumn("", NAME_WIDTH), ListColumn("", keeps_end=True))
        return FixedList("facts of the report", columns, rows, keys=BACK, refill_from=self._facts)

    def _show(self, source: ListSource, cursor: int = 0) -> None:
        self.browser.show_list(ListPane(source, cursor))


def rows_of(view: View) -> int | str | None:
    """Number of rows of a view; None while it is unknown, or the view is not prepared."""
    if not view.is_ready or not view.is_prepared:
        return None
    return "unbounded" if view.row_count is None else view.row_count


def fact_row(name: str, value: object, is_ascii: bool = False) -> PaneRow:
    """Row of a name and a value: numbers grouped in thousands, a series as a small chart."""
    return PaneRow(([Piece(safe(name.replace("_", " ")), "label")], fact_text(value, is_ascii)))


def short_label(row: Row) -> str:
    """Shortens a label for a title."""
    return safe(row.label[:120])


def open_actions(interaction: ScreenInteraction) -> None:
    """Lists the requests to the JVM that writes the report."""
    from tui.interaction.actions import actions_of, open_action

    screen = interaction.screen
    found = actions_of(screen)
    rows = [
        PaneRow((safe(each.title), safe(each.name), [Piece("asks first" if each.asks else "", "flag")]))
        for each in found
    ]
    columns = (ListColumn("request"), ListColumn("name", 18, least=60), ListColumn("", 12))

    def choose(index: int) -> None:
        screen.close_pane()
        open_action(interaction, found[index].name)

    keys = (("/", "narrow"), ("Enter", "ask"), ("q", "back"))
    screen.show_list(ListPane(FixedList("ask", columns, rows, choose, keys=keys)))
