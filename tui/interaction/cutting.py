"""Cuts in a graph, and paths between nodes, computed in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from parsers.model.capabilities import HasGraph
from parsers.model.names.patterns import advice
from parsers.model.report import ReportError
from parsers.model.row import counted
from parsers.model.view import UnknownReference
from parsers.views.collection import own_view, owner_of
from tui.input.keys.keyboard import CommandError
from tui.interaction.target import place_of, report_of, shown_view
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from parsers.graph.cuts import Cuts, SavedCut
    from parsers.graph.graph_model import GraphModel
    from parsers.graph.views.between_view import BetweenView
    from parsers.graph.views.cut_view import CutView
    from parsers.model.report import Report
    from tui.interaction.filters.filter_set import FilterSet
    from tui.interaction.navigation.marking import Marking
    from tui.interaction.report_screen import ReportScreen
    from tui.interaction.viewing import Viewing

VIEW, BETWEEN = "Cut", "Between"

SOON = 0.1
"""Seconds after which a message reports a running computation."""


class Cutting:
    """The cuts of one browser's report."""

    def __init__(self, browser: ReportScreen, filters: FilterSet, viewing: Viewing, marking: Marking) -> None:
        self.browser = browser
        self.filters = filters
        self.viewing = viewing
        self.marking = marking
        self._change_lock = asyncio.Lock()
        self._was_cleared = False
        self._saved_cuts: dict[tuple[str, ...], Sequence[SavedCut]] = {}
        """By files: the marks of the report last opened from them."""
        self._is_restoring = False

    @property
    def _graph(self) -> GraphModel:
        """The graph of the report. Raises `CommandError`."""
        report = report_of(self.browser)
        if not isinstance(report, HasGraph):
            raise CommandError("Cuts and paths between rows are for call trees and object trees.")
        if not report.graph.is_known:
            raise CommandError("Cuts need the finished index.")
        return report.graph

    def toggle(self) -> None:
        """Cuts the row, or removes its cut (`X`)."""
        graph = self._graph
        view, at = place_of(self.browser)

        def change() -> None:
            node = graph.cut_of(own_view(view), at)
            if node is None:
                raise ReportError("This row cannot be cut.")
            graph.cuts.toggle(node)

        self._change(change)

    def cut(self, patterns: str) -> None:
        """Cuts what matches the patterns (`:cut PATTERNS`)."""
        graph = self._graph
        self._change(lambda: graph.cuts.cut(patterns))

    def clear(self) -> None:
        """Removes all cuts, or restores them (`:uncut`)."""
        cuts = self._graph.cuts
        if cuts:
            self._was_cleared = True
            self._change(cuts.clear)
        elif self._was_cleared:
            self._was_cleared = False
            self._change(cuts.undo)
        else:
            raise CommandError("No cuts. X cuts what the row shows.")

    def undo(self) -> None:
        """Undoes the last change of cuts (`:undo-cut`)."""
        cuts = self._graph.cuts
        if not cuts.can_undo:
            raise CommandError("No cut to undo. X cuts what the row shows.")
        self._change(cuts.undo)

    def show(self) -> None:
        """Shows the effect of the cuts (`D`)."""
        _ = self._graph
        shown = shown_view(self.browser, report_of(self.browser).view(VIEW))
        if self.browser.view is shown:
            self.viewing.previous_view()
        else:
            self.viewing.show_view(shown.name)

    def between(self, words: str) -> None:
        """Shows the paths between nodes (`B`, `:between A -> B`)."""
        graph, report = self._graph, report_of(self.browser)
        view = cast("BetweenView", report.view(BETWEEN))
        if words:
            begin, arrow, end = words.partition("->")
            if not arrow:
                raise CommandError("Type two names, for example :between a.Main* -> b.List*")
            ask: Callable[[], object] = partial(view.ask, begin.strip(), end.strip())
        else:
            here = place_of(self.browser)
            places = map(self.marking.locate_mark, self.marking.marks.tags)
            # Tags may also be on rows of other reports of a build.
            tagged = [place for place in places if owner_of(self.browser.report, place[0]) is report]

            def ask() -> object:
                end_node = graph.cut_of(own_view(here[0]), here[1])
                if end_node is None:
                    raise ReportError("No path to this row.")
                begin = [graph.cut_of(own_view(tagged_in), node) for tagged_in, node in tagged]
                return view.of_nodes([node for node in begin if node is not None], end_node)

        self.browser.show_message("searching for paths …")
        self.browser.app.run_worker(self._asked(report, view, ask))

    async def _asked(self, report: Report, view: BetweenView, ask: Callable[[], object]) -> None:
        browser = self.browser
        async with self._change_lock:
            try:
                await browser.app.work.start(ask)
            except (ReportError, UnknownReference) as error:
                browser.show_message(safe(str(error.args[0])), "problem")
                return
        if not browser.is_there or report_of(self.browser) is not report:
            return
        shown = shown_view(self.browser, view)
        if browser.view is shown:
            browser.progressed()
        else:
            self.viewing.show_view(shown.name)
        self._refilter(BETWEEN)
        if view.nearest is not None:
            browser.tree_view.jump(view.nearest)
        browser.show_message(safe(view.summary()))

    def summary(self) -> str:
        """Number of cuts in words, with the key; empty: none."""
        report = report_of(self.browser)
        count = len(report.graph.cuts.marks) if isinstance(report, HasGraph) else 0
        return f"{counted(count, 'cut')}  (D)" if count else ""

    def is_cut(self, node: int) -> bool:
        """True if a row of the shown view is cut."""
        self.adopt_marks()
        report = report_of(self.browser)
        graph = report.graph if isinstance(report, HasGraph) else None
        view = own_view(self.browser.view)
        return bool(graph is not None and graph.cuts and graph.cuts.is_cut(graph.cut_of(view, node)))

    def _change(self, change: Callable[[], object] | None) -> None:
        self.browser.app.run_worker(self._changed(report_of(self.browser), self._graph, change))

    async def _changed(self, report: Report, graph: GraphModel, change: Callable[[], object] | None) -> None:
        """Changes the marks and computes their effect, one change after the other.

        change: None only takes over the marks of an earlier opening
        """
        browser = self.browser
        async with self._change_lock:
            saved = self._saved_cuts.get(tuple(report.files))
            work = browser.app.work.start(_work_out, report, graph.cuts, saved, change)
            if change is not None and not (await asyncio.wait([work], timeout=SOON))[0] and browser.is_there:
                browser.show_message("computing the effect of the cut …")
            try:
                missed = await work
            except (ReportError, UnknownReference) as error:
                browser.show_message(safe(str(error.args[0])), "problem")
                return
            finally:
                if change is None:
                    self._is_restoring = False
            self._saved_cuts[tuple(report.files)] = graph.cuts.saved
            if not browser.is_there or report_of(self.browser) is not report:
                return
            self._show_change()
            if not missed:
                browser.show_message(safe(graph.cuts.summary()))
            elif change is not None:
                browser.show_message(safe(f"no match for {', '.join(missed)}{advice(missed[0])}"), "problem")
            else:
                more = f" and {len(missed) - 1:,} more" if len(missed) > 1 else ""
                words = f"no longer cut, as it is not there any more: {safe(missed[0])}{more}"
                browser.show_message(words, "problem")

    def _show_change(self) -> None:
        shown = shown_view(self.browser, report_of(self.browser).view(VIEW))
        if shown is not self.browser.view:
            # The view on the screen renews itself.
            shown.renew()
        self.marking.forget_signs()
        self.browser.progressed()
        self.browser.tree_view.redraw()
        self._refilter(VIEW)

    def _refilter(self, name: str) -> None:
        """Applies the filters of a view again, as it has other rows."""
        self.filters.refilter(shown_view(self.browser, report_of(self.browser).view(name)).name)

    # -- other openings of the report ---------------------------------------------------------------------------------

    def adopt_marks(self) -> None:
        """Takes over the marks if the shown report is another opening of one with marks."""
        if not self._is_restoring and self.cut_restorer(report_of(self.browser)) is not None:
            self._is_restoring = True
            self._change(None)

    def cut_restorer(self, report: Report) -> Callable[[], list[str]] | None:
        """A function that copies the marks of an earlier opening to a report, in any thread; None: no marks."""
        saved, graph = self._saved_cuts.get(tuple(report.files)), report.graph if isinstance(report, HasGraph) else None
        if not saved or graph is None or not graph.is_known or graph.cuts.state:
            return None
        return partial(_work_out, report, graph.cuts, saved)


def _work_out(
    report: Report, cuts: Cuts, saved: Sequence[SavedCut] | None, change: Callable[[], object] | None = None
) -> list[str]:
    """In a thread: copies earlier marks and changes them. Returns patterns without match, and marks not found."""
    missed = cuts.restore(saved) if saved and not cuts.state else []
    found = None if change is None else change()
    cast("CutView", report.view(VIEW)).prepare()
    return [*missed, *found] if isinstance(found, list) else missed
