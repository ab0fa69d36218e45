"""The filters of views: a pattern, suppressed and expanded nodes, hidden kinds of rows; with undo.

The worker computes the remaining rows; until then the screen does not change. All filters together are one frozen
value, so undo is a list of them. Each view has its own filters: narrowing a table of packages hides nothing of the
file. A view that unfolds a graph has none, as it is unbounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeGuard

from parsers.model.capabilities import AsksAgain, Filterable, FoldsFrames, HasSwitches, StoresRows, Suppresses
from parsers.query.selection.selection import Filters
from parsers.views.collection import chosen_for, family_of
from tui.input.keys.keyboard import CommandError
from tui.interaction.search.typed_pattern import typed_pattern
from tui.interaction.target import close_lists, report_of
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from parsers.model.view import Position, Switch, View
    from parsers.query.search.pattern import Pattern
    from parsers.query.selection.selection import Selection
    from parsers.runtime.worker.job import FindJob, Job, SelectJob
    from tui.interaction.report_screen import ReportScreen
    from tui.interaction.workers import Workers
    from tui.settings.options import Options

MASK_WORDS = {
    "jdk": ("JDK packages hidden", "fj"),
    "synthetic": ("lambdas and synthetic hidden", "fl"),
    "references": ("references hidden", "fr"),
}
"""Text for the status line, and the key that removes the filter."""

OPTION_KEYS = {
    "suppress_types": "fs",
    "expand_types": "fe",
    "suppress_methods": "fs",
    "expand_methods": "fe",
    "suppress_roots": "fS",
    "expand_roots": "fE",
}

MOST_UNDO = 200

MOST_NAMED = 4
"""Maximum views named in a message."""

MOST_NAMED_CHOICES = 20
"""Maximum choices named in a message."""


@dataclass(frozen=True, slots=True)
class FilterState:
    """The state of all filters at one time."""

    pattern: str = ""
    hide: frozenset[str] = frozenset()
    patterns: Mapping[str, str] = field(default_factory=dict)
    """Suppress and expand patterns by option, as `suppress_types`."""
    opened: frozenset[int] = frozenset()
    """Suppressed nodes that were opened by hand."""
    is_off: bool = False
    chosen: Mapping[str, str] = field(default_factory=dict)
    """Choices of switches that differ from the defaults, by the name of the switch."""

    @property
    def is_empty(self) -> bool:
        """True if all rows are shown."""
        return self.is_off or self.has_none

    @property
    def has_none(self) -> bool:
        """True if no filter is set, active or inactive."""
        return not (self.pattern or self.hide or any(self.patterns.values()))

    @property
    def filters(self) -> Filters:
        """The filters for the worker, without the pattern."""
        patterns = {name: value for name, value in self.patterns.items() if value}
        return Filters(tuple(sorted(self.hide)), patterns, tuple(sorted(self.opened)))

    def description(self, words_of: Mapping[str, tuple[str, str]] = MASK_WORDS, switches: Iterable[Switch] = ()) -> str:
        """Describes the filters, each with its key. switches: those of the view, for their titles and keys."""
        named = {switch.name: switch for switch in switches}
        chosen = [(named[name], choice) for name, choice in self.chosen.items() if name in named]
        words = [f"{switch.title}: {choice}  (f{switch.letter})" for switch, choice in chosen]
        if self.has_none:
            return "   ".join(words)
        if self.is_off:
            return "   ".join([*words, "filters off  (ff)"])
        words += [f"only {self.pattern}  (&)"] if self.pattern else []
        for name, value in self.patterns.items():
            if value:
                verb, _, subject = name.partition("_")
                roots = " roots" if subject == "roots" else ""
                words.append(f"{verb}ed{roots}: {value}  ({OPTION_KEYS.get(name, 'fs')})")
        for name in sorted(self.hide):
            text, key = words_of.get(name, (f"{name} hidden", "f"))
            words.append(f"{text}  ({key})")
        return "   ".join(words)


@dataclass(eq=False)
class Filtering:
    """The filters of one view of one browser."""

    browser: ReportScreen
    workers: Workers
    options: Options
    _share: Callable[[str, str], None]
    """Called with name and choice of each shared switch."""
    view: str
    state: FilterState = FilterState()
    selection: Selection | None = None
    """The rows shown of the view; None: all."""
    done: list[FilterState] = field(default_factory=list)
    """Earlier states, for undo."""
    undone: list[FilterState] = field(default_factory=list)
    """Undone states."""
    _shown: FilterState = FilterState()
    _find: FindJob | None = None
    """The search for the row pattern, whose matches `_select` needs."""
    _select: SelectJob | None = None
    _selected: SelectJob | None = None
    """The job with the rows of the selection."""

    # -- commands -----------------------------------------------------------------------------------------------------

    def set_pattern(self, text: str) -> None:
        """Sets the row pattern (`&`)."""
        pattern = typed_pattern(self.options, text)
        self._change(replace(self.state, pattern="" if pattern.is_empty else text, is_off=False))

    def set_patterns(self, option: str, text: str) -> None:
        """Sets GraalVM's comma-separated patterns (`fs` etc.); an empty text removes them."""
        browser = self.browser
        views = family_of(browser.report, browser.view)
        if option.endswith("_roots") and self.view != views[0].name:
            raise CommandError(f"roots are suppressed and expanded in the view {views[0].name}  (v)")
        patterns = {**self.state.patterns, option: text}
        self._change(replace(self.state, patterns=patterns, opened=frozenset(), is_off=False))

    def toggle(self, mask: str) -> None:
        """Hides or shows a kind of rows (`fj`, `fl`, `fr`)."""
        self._change(replace(self.state, hide=self.state.hide ^ {mask}, is_off=False))

    def toggle_all(self) -> None:
        """Turns all filters off or on again (`ff`)."""
        if self.state.has_none:
            raise CommandError(self._no_filters())
        self._change(replace(self.state, is_off=not self.state.is_off))

    def clear(self) -> None:
        """Removes all filters (`fx`)."""
        if self.state.has_none:
            raise CommandError(self._no_filters())
        self._change(FilterState(chosen=self.state.chosen))

    def _no_filters(self) -> str:
        """The message of commands for filters if there are none; choices of the view are not filters."""
        switches = {switch.name: switch for switch in self.browser.report.view(self.view).switches}
        chosen = [(switches[name], choice) for name, choice in self.state.chosen.items() if name in switches]
        if not chosen:
            return "No filters. & shows only matching rows, f and a letter hides rows."
        named = ", ".join(f"{switch.title}: {safe(choice)} (f{switch.letter} changes it)" for switch, choice in chosen)
        return f"No filters; {named}."

    def choose(self, switch: Switch, choice: str = "") -> None:
        """Selects the next or the named choice of a switch of the view (`f`)."""
        view = self.browser.report.view(self.view)
        assert isinstance(view, HasSwitches)
        now = self.state.chosen.get(switch.name, switch.choices[0])
        at = switch.choices.index(now) if now in switch.choices else 0
        wanted = view.meant(switch.name, choice or switch.choices[(at + 1) % len(switch.choices)])
        if wanted is None:
            there = ", ".join((*switch.choices[:MOST_NAMED_CHOICES], *filter(None, (switch.typed,))))
            raise CommandError(f"no {switch.title} {safe(choice)}: there are {safe(there)}")
        self._choose({**self.state.chosen, switch.name: wanted}, view)

    def choose_for(self, ref: str) -> None:
        """Selects the choices with which the view contains the node of a REF."""
        view = self.browser.report.view(self.view)
        wanted = chosen_for(view, ref)
        if wanted:
            self._choose({**self.state.chosen, **wanted}, view)

    def take_choice(self, name: str, choice: str) -> None:
        """Selects the choice of a shared switch, if the view has it."""
        view = self.browser.report.view(self.view)
        if name in view.chosen:
            self._choose({**self.state.chosen, name: choice}, view)

    def _choose(self, chosen: Mapping[str, str], view: View) -> None:
        """Selects all of these choices; defaults are not stored."""
        first = {switch.name: switch.choices[0] for switch in view.switches}
        others = {name: choice for name, choice in chosen.items() if first.get(name) != choice}
        self._change(replace(self.state, chosen=others, opened=frozenset()))

    def open_by_hand(self, pane: object) -> bool:
        """Opens the suppressed node under the cursor; False if it is not suppressed."""
        browser = self.browser
        tree = browser.tree_view
        node = tree.cursor_node
        if pane is not tree or node is None:
            return False
        if suppresses_itself(browser.view):
            is_closed = browser.view.is_suppressed(node)
            if is_closed:
                self._change(replace(self.state, opened=self.state.opened | {node}))
                tree.open_or_child()
            return is_closed
        selection = self.selection
        if selection is None or tree.selection is not selection or not selection.is_suppressed(node):
            return False
        self._change(replace(self.state, opened=self.state.opened | {node}))
        return True

    def undo(self) -> bool:
        """Restores the previous state; False if there is none."""
        return self._step(self.done, self.undone)

    def redo(self) -> bool:
        """Restores the next state."""
        return self._step(self.undone, self.done)

    def _step(self, source: list[FilterState], target: list[FilterState]) -> bool:
        if not source:
            return False
        target.append(self.state)
        self.state = source.pop()
        self.apply()
        return True

    def require_bounded(self) -> None:
        """Raises `CommandError` in an unbounded view that does not even close rows itself: it has no filters."""
        report = self.browser.report
        view = report.view(self.view)
        if view.tree.preorder is None and not suppresses_itself(view):
            raise CommandError(f"{self.view} is unbounded: {_where(report.views)}")

    def _change(self, state: FilterState) -> None:
        report = self.browser.report
        view = report.view(self.view)
        if suppresses_itself(view):
            if state.pattern or state.hide:
                # Rows below a closed node are unknown, so no remaining rows can be computed.
                raise CommandError(f"{self.view} is read as it is opened: {_where(report.views)}; here fs, fe and /")
        elif replace(state, chosen=self.state.chosen) != self.state:
            # Switches of the view still apply.
            self.require_bounded()
        if view.partial:
            raise CommandError(f"{self.view} is partial: filters work when it is whole ({view.partial} so far)")
        if state == self.state:
            return
        self.done.append(self.state)
        del self.done[:-MOST_UNDO]
        self.undone.clear()
        self.state = state
        self.apply()

    # -- the answer ---------------------------------------------------------------------------------------------------

    def apply(self) -> None:
        """Starts the computation of the remaining rows, and shows them when they are complete."""
        self._stop()
        self._show_text()
        view = self.browser.report.view(self.view)
        if isinstance(view, HasSwitches):
            self._rebuild(view)
        for switch in view.switches:
            if switch.is_shared:
                self._share(switch.name, view.chosen[switch.name])
        if isinstance(view, FoldsFrames) and (not self.state.pattern or self.state.is_off):
            self._take(None)
            return
        if suppresses_itself(view):
            view.suppress({} if self.state.is_empty else self.state.filters.suppress, self.state.opened)
            self._shown = self.state
            if self._is_shown:
                self.browser.tree_view.progressed()
            return
        if self.state.is_empty:
            self._take(None)
            return
        if isinstance(view, Filterable):
            filters = Filters() if isinstance(view, FoldsFrames) else self.state.filters
            self._select = self.workers.select(filters, self.view, None, self._settings(view))
        elif (pattern := self._pattern) is not None:
            self._find = self.workers.find(pattern)
        else:
            self._select = self.workers.select(self.state.filters, self.view, None)
        self._show_text()

    def apply_choices(self, view: View) -> bool:
        """Sets a view's switches, perhaps in another opening of the report, to the choices. False: unchanged."""
        is_other = isinstance(view, HasSwitches) and view.choose_all(self.state.chosen)
        if isinstance(view, FoldsFrames):
            is_off = self.state.is_off
            is_other |= view.fold_frames(
                {} if is_off else self.state.filters.suppress, () if is_off else self.state.hide
            )
        return bool(is_other)

    def _rebuild(self, view: View) -> None:
        """Rebuilds the view for the filters; if it is shown, the cursor stays on the same node."""
        browser = self.browser
        tree = browser.tree_view
        node = tree.cursor_node if self._is_shown else None
        position = None if node is None else view.position(node)
        if self._is_shown:
            # Open lists have rows of the view as it is before.
            close_lists(browser)
        if not self.apply_choices(view):
            return
        self.selection = None
        self._keep_rows_of(None)
        if not self._is_shown:
            return
        places = view.renew()
        if places is not None:
            # The view maps its earlier nodes, so open nodes stay open.
            browser.renewed(places)
            return
        if browser.preparing.begin(view, lambda: self._show_rebuilt(position)):
            tree.show(browser.report, view)
        else:
            order = tree.order if tree.order is None or tree.order.removeprefix("-") in view.orders else None
            tree.show(browser.report, view, order=order)
            self._show_rebuilt(position)

    def _show_rebuilt(self, position: Position | None) -> None:
        """Handles the rebuilt view: the cursor goes to its earlier place."""
        browser = self.browser
        if self._is_shown and position is not None:
            node = browser.view.find_position(position)
            if node is not None:
                browser.tree_view.arrive(node)

    def _settings(self, view: View) -> Mapping[str, object]:
        """Choices of the view, for the worker's own view, and for matches of labels."""
        pattern = self._pattern
        return {
            "chosen": dict(view.chosen),
            "patterns": dict(self.state.filters.suppress),
            "hide": sorted(self.state.hide),
            "pattern": None if pattern is None else pattern.to_json(),
            "asked": view.asked if isinstance(view, AsksAgain) else None,
            "stored": {"at": view.stored_at, "rows": view.row_count} if isinstance(view, StoresRows) else None,
        }

    def jobs_progressed(self, jobs: list[Job]) -> None:
        """Handles progress or the end of jobs."""
        find, select = self._find, self._select
        job = self._job
        if job is None or job not in jobs:
            return
        if job.has_ended and not job.is_done:
            self._fall_back()
            self.browser.show_message(f"Not filtered: {safe(job.error or 'stopped')}", "problem")
        elif job.has_ended and select is not None:
            self._done(select)
        elif job.has_ended:
            self._select = self.workers.select(self.state.filters, self.view, find)
        self._show_text()

    def stop(self) -> bool:
        """Cancels the computation; the filters return to those shown. False: nothing was running."""
        if not self.is_busy:
            return False
        self._fall_back()
        self._show_text()
        return True

    @property
    def is_busy(self) -> bool:
        """True if a computation is running."""
        return self._job is not None

    @property
    def _job(self) -> FindJob | SelectJob | None:
        """The running job."""
        return self._select or self._find

    def _fall_back(self) -> None:
        """Cancels the computation; the filters return to those shown."""
        self._stop()
        self.state = self._shown

    def refresh(self) -> None:
        """Discards selections of the old report after the files were read again."""
        self.selection = None
        self.state = replace(self.state, opened=frozenset())
        if not self.state.is_empty or self.state.chosen:
            self.apply()

    def show_again(self) -> None:
        """Applies the filters to a view that is shown again."""
        if self.selection is not None:
            self._show(self.selection)
        self._show_text()

    def _done(self, select: SelectJob) -> None:
        preorder = self.browser.report.view(self.view).tree.preorder
        assert preorder is not None
        selection = select.selection(preorder)
        if not selection.rows:
            wanted = self._message().removeprefix("only ")
            self._fall_back()
            self.browser.show_message(f"No matches for {safe(wanted)}. The filters are unchanged.", "problem")
            return
        self._select = None
        self._stop()
        is_other = self.state.patterns != self._shown.patterns and any(self.state.patterns.values())
        if is_other and not selection.suppressed.count:
            self.browser.show_message("No row with descendants is suppressed: all rows are shown.")
        self._take(selection)
        self._keep_rows_of(select)

    def _take(self, selection: Selection | None) -> None:
        is_other = selection is not None or self.selection is not None
        self.selection = selection
        self._shown = self.state
        if is_other and self._is_shown:
            self._show(selection)
        if selection is None:
            self._keep_rows_of(None)

    def _keep_rows_of(self, select: SelectJob | None) -> None:
        """Replaces the job with the rows of the selection."""
        if self._selected is not None:
            self._selected.close()
        self._selected = select

    @property
    def _words(self) -> Mapping[str, tuple[str, str]]:
        """Texts and keys of rows that can be hidden, in any format and in this one."""
        masks = report_of(self.browser).masks
        return {**MASK_WORDS, **{name: (f"{words} hidden", f"f{letter}") for letter, (name, words) in masks.items()}}

    def _message(self) -> str:
        view = self.browser.report.view(self.view)
        return self.state.description(self._words, view.switches if self.state.chosen else ())

    @property
    def _pattern(self) -> Pattern | None:
        """The row pattern; None: there is none."""
        text = self.state.pattern
        return typed_pattern(self.options, text) if text else None

    @property
    def _is_shown(self) -> bool:
        return self.browser.view.name == self.view

    def _show(self, selection: Selection | None) -> None:
        """Shows the selection; the cursor stays on its row, or the nearest ancestor in the selection.

        All matches of a row pattern are shown. What is hidden or suppressed leaves the rest folded as it is.
        """
        browser = self.browser
        tree, node = browser.tree_view, browser.tree_view.cursor_node
        has_matches = tree.selection is not None and tree.filter_pattern is not None
        keeps_folds = not has_matches and self._pattern is None
        tree.filter_pattern = self._pattern
        tree.show(browser.report, browser.view, selection=selection, order=tree.order, keeps_folds=keeps_folds)
        if node is None:
            return
        if selection is not None:
            node = selection.node_at(selection.position_near(node))
        tree.jump(node)

    def _stop(self) -> None:
        for job in (self._find, self._select):
            if job is not None:
                job.close()
        self._find = self._select = None

    def _show_text(self) -> None:
        text = self._message()
        job = self._job
        if job is not None:
            wait = job.says if job.state == "waiting" else f"{int(job.fraction * 100)} %"
            text = f"filtering {wait} …   {text}"
        if self._is_shown:
            self.browser.set_filters_text(text)


def suppresses_itself(view: View) -> TypeGuard[Suppresses]:
    """True if an unbounded view closes nodes that match suppress patterns itself, when it is opened."""
    return view.tree.preorder is None and isinstance(view, Suppresses)


def _where(views: Sequence[View]) -> str:
    """Names the views that have filters."""
    names = [view.name for view in views if view.is_ready and view.tree.preorder is not None]
    more = " …" if len(names) > MOST_NAMED else ""
    return f"filters work in {', '.join(names[:MOST_NAMED])}{more}  (v)"
