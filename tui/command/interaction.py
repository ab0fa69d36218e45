"""Everything that commands need to know beside the browser's screen: one object a browser, delegating to its parts.

Jumps, marks, search, filters, lists and copying live in modules of their own; here is where they meet the screen.
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parsers.report import Document, Row, UnknownReference, View
from tui.command.keyboard import CommandError
from tui.command.screen_interaction import ScreenInteraction, Setup
from tui.command.target import place_of
from tui.filtering import Filtering
from tui.history import Jumps, Place
from tui.marks import Mark, Marks, fingerprint
from tui.sanitise import safe
from tui.searching import Search

if TYPE_CHECKING:
    from parsers.job import FindJob, Job, SelectJob
    from parsers.search import Pattern
    from parsers.selection import Filters
    from parsers.worker import Worker
    from tui.browser import Browser
    from tui.lists import Lists
    from tui.yank import Yank

STRIP_SECONDS = 0.25
"""Between two looks at where matches lie, while they are being found."""

SLICE_SECONDS = 0.006
"""How long looking for a row holds the event loop at a time."""


class Interaction(ScreenInteraction):
    """The state of commands of one browser."""

    context = "browser"

    def __init__(self, browser: Browser, setup: Setup, patterns: Mapping[str, str] | None = None) -> None:
        super().__init__(browser, setup)
        self.browser = browser
        self.jumps = Jumps()
        self.search = Search(self)
        self.filters = Filtering(self, patterns or {})
        self._marks: Marks | None = None
        self._cleared_tags: list[Mark] = []
        self._occurrence: tuple[object, Sequence[int]] | None = None
        self._strip_at = 0.0
        self._kept_signs: tuple[str, dict[int, str]] | None = None
        self.names_wanted: Callable[[list[Job]], object] | None = None
        """Who waits for names, while they are typed."""
        self._looking: asyncio.Task[None] | None = None
        self._is_index_told = False
        self._is_following = False

    # -- life ---------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """The browser is on the screen."""
        tree = self.browser.tree_view
        tree.marks_of = self._sign_of
        tree.viewport.margin = self.options.scrolloff
        self.apply_options([name for name in ("number", "percent", "follow") if getattr(self.options, name)])
        if self.setup.wrong:
            more = f"  (+{len(self.setup.wrong) - 1} more, see :help)" if len(self.setup.wrong) > 1 else ""
            self.browser.say(f"{self.setup.wrong[0]}{more}", "problem")
        if not self.filters.state.is_empty:
            self.filters.apply()

    def stop(self) -> None:
        """The browser goes away."""
        if self._looking is not None:
            self._looking.cancel()
        if self.browser.worker is not None:
            self.browser.worker.close()
            self.browser.worker = None

    def progressed(self) -> None:
        """The report has followed its index."""
        worker = self.browser.worker
        if self.browser.report.is_complete and worker is not None and not self._is_index_told:
            self._is_index_told = True
            worker.index_is_ready()
        if self._is_following:
            self.browser.tree_view.move_to_row(-1)

    # -- the worker ---------------------------------------------------------------------------------------------------

    @property
    def worker(self) -> Worker:
        """The child that searches and filters; started when it is first needed."""
        if self.browser.worker is None:
            from parsers.worker import Worker

            source: Any = getattr(self.browser.report, "source", None)
            if source is None:
                raise CommandError("this report can't be searched")
            worker = Worker()
            worker.attach(asyncio.get_running_loop(), self._news)
            self._is_index_told = self.browser.report.is_complete
            folder = source.cache.folder
            worker.open([source.stored_path], self.browser.report.format, folder, is_ready=self._is_index_told)
            self.browser.worker = worker
        return self.browser.worker

    def find(self, pattern: Pattern) -> FindJob:
        """Look for a pattern in the file."""
        source: Any = getattr(self.browser.report, "source", None)
        if source is None or not source.is_whole:
            raise CommandError("the file is still being unpacked: search again when its rows are there")
        return self.worker.find(source.plain_path, pattern, self.browser.report.encoding)

    def select(self, filters: Filters, matches: FindJob | None) -> SelectJob:
        """What filters leave of the file's rows."""
        return self.worker.select(filters, matches)

    def _news(self, jobs: list[Job]) -> None:
        self.search.news()
        self.filters.news(jobs)
        if self.names_wanted is not None:
            self.names_wanted(jobs)

    # -- places -------------------------------------------------------------------------------------------------------

    @property
    def is_document_view(self) -> bool:
        """Whether the file itself is shown."""
        return self.browser.view is self.browser.report.views[0]

    def is_shown(self, node: int) -> bool:
        """Whether no filter hides the node."""
        selection = self.browser.tree_view.selection
        return selection is None or selection.position_of(node) is not None

    def here(self) -> Place | None:
        """Where the cursor of the tree is."""
        return self._place(self.browser.tree_view.cursor_node)

    def _place(self, node: int | None) -> Place | None:
        if node is None:
            return None
        return Place(self.browser.view.name, node, self.browser.tree_view.row(node).ref)

    def leave(self) -> None:
        """The cursor is about to jump: remember the place."""
        self.leave_from(self.browser.tree_view.cursor_node)

    def leave_from(self, node: int | None) -> None:
        """The cursor has jumped away from a node of the present view."""
        place = self._place(node)
        if place is not None:
            self.jumps.leave(place)

    def jump(self, view: View, node: int) -> bool:
        """Go to a node, closing lists; False (and a line says why) if a filter hides it."""
        self.leave()
        return self._go(view, node)

    def _go(self, view: View, node: int) -> bool:
        browser = self.browser
        self.close_lists()
        if view is not browser.view:
            browser.show_view(view.name, node)
            if self.is_document_view:
                self.filters.show_again()
        if not self.is_shown(node):
            browser.say("that row is hidden by a filter: ff takes the filters off", "problem")
            return False
        browser.tree_view.focus()
        return browser.tree_view.jump(node)

    def close_lists(self) -> None:
        """Back to the tree."""
        while self.browser.has_list:
            self.browser.close_pane()

    def go_to_place(self, place: Place | None, where: str) -> None:
        """Go to a place of the history, by its REF where the node is no more."""
        if place is None:
            raise CommandError(f"no place {where}")
        self._go(self.browser.report.view(place.view), place.node)

    def back(self, count: int) -> None:
        """`<`"""
        for _ in range(min(count, 1000)):
            here = self.here()
            self.go_to_place(self.jumps.back(here) if here else None, "to go back to")

    def forward(self, count: int) -> None:
        """`>`"""
        for _ in range(min(count, 1000)):
            here = self.here()
            self.go_to_place(self.jumps.forward(here) if here else None, "to go forward to")

    def swap_places(self) -> None:
        """`''`"""
        here = self.here()
        self.go_to_place(self.jumps.swap(here) if here else None, "before this one")

    def locate(self, text: str) -> tuple[View, int]:
        """View and node of a REF as it is typed: `id:85`, `id 85`, `123` (a row). Raises UnknownReference."""
        words = text.strip()
        if words.replace(",", "").isascii() and words.replace(",", "").isdecimal():
            return self._document_row(int(words.replace(",", "")[:18]))
        kind, blank, value = words.partition(" ")
        ref = words if ":" in kind or not blank else f"{kind}:{value.strip()}"
        report: Any = self.browser.report
        if hasattr(report, "locate"):
            place: tuple[View, int]
            try:
                place = report.locate(ref, self.browser.view.name)
            except UnknownReference:
                place = report.locate(ref)
            return place
        return self.browser.view, self.browser.view.resolve(ref)

    def _document_row(self, number: int) -> tuple[View, int]:
        """The row of that number, from 1, in the view that is shown if it has positions, else in the file."""
        views = [self.browser.view, self.browser.report.views[0]]
        view = next((view for view in views if view.tree.preorder is not None), None)
        if view is None or view.tree.preorder is None:
            raise UnknownReference("this view has no numbered rows")
        rows = view.tree.preorder.rows
        if not 1 <= number <= rows:
            more = "" if view.tree.preorder.is_complete else " so far"
            raise UnknownReference(f"row {number:,}: there are rows 1 to {rows:,}{more}")
        return view, number - 1

    def go_to(self, text: str) -> None:
        """`:goto`"""
        self.jump(*self.locate(text))

    def go_to_document_row(self, number: int) -> None:
        """`NG`"""
        self.jump(*self._document_row(number))

    def go_to_line(self, line: str) -> bool:
        """Take a command line as a place: a number, a REF, or its kind and value."""
        kind = line.partition(" ")[0].partition(":")[0]
        is_number = line.replace(",", "").isascii() and line.replace(",", "").isdecimal()
        if not is_number and (not kind.isalpha() or kind == line):
            return False
        try:
            self.go_to(line)
        except UnknownReference as error:
            self.browser.say(safe(str(error)), "problem")
        return True

    def enter(self) -> None:
        """Enter, at once: the next key may be waiting already."""
        browser, pane = self.browser, self.browser.pane
        node = getattr(pane, "cursor_node", None)
        if pane is browser.detail:
            line = browser.detail.cursor_line
            if line is not None and line.row is not None and line.row.ref is not None:
                self.follow_ref(line.row.ref, line.row.view)
        elif node is None:
            pane.activate()
        elif pane is browser.tree_view:
            self.activate(node)
        else:
            self.jump(*place_of(browser))

    def activate(self, node: int) -> None:
        """Enter on a row of the tree: follow its link, else fold or open."""
        tree = self.browser.tree_view
        link = tree.row(node).link
        if link is not None:
            report: Any = self.browser.report
            self.jump(*(report.locate(link) if hasattr(report, "locate") else self.locate(link)))
        elif not self.filters.open_by_hand(tree):
            tree.toggle()

    def follow_ref(self, ref: str, view: str | None) -> None:
        """Go where a link of a list or the detail pane leads."""
        report: Any = self.browser.report
        self.jump(*(report.locate(ref, view) if hasattr(report, "locate") else self.locate(ref)))

    # -- undo ---------------------------------------------------------------------------------------------------------

    def undo(self, count: int) -> None:
        """`u`: the last fold, else the last filter."""
        for _ in range(min(count, 1000)):
            if not self.browser.tree_view.undo() and not self.filters.undo():
                self.browser.say("nothing to undo")
                break

    def redo(self, count: int) -> None:
        """`U`"""
        for _ in range(min(count, 1000)):
            if not self.browser.tree_view.redo() and not self.filters.redo():
                self.browser.say("nothing to do again")
                break

    # -- search -------------------------------------------------------------------------------------------------------

    def open_search(self) -> None:
        """`/`"""
        if self.browser.pane in (self.browser.tree_view, self.browser.detail):
            self.search.open()
        else:
            super().open_search()

    def next_match(self, count: int) -> None:
        """`n`, `N`"""
        if self.browser.pane in (self.browser.tree_view, self.browser.detail):
            self.search.walk(count)
        else:
            super().next_match(count)

    def search_name(self, count: int) -> None:
        """`*`, `#`"""
        view, node = place_of(self.browser)
        name = row_name(view.tree.row(node))
        if not name.strip():
            raise CommandError("this row has no name")
        self.close_lists()
        self.search.start(rf"\C{name}", 1 if count > 0 else -1, "text")

    def name_completions(self, text: str) -> list[str]:
        """What a search begun could become: texts searched for before."""
        entries = self.setup.typed.entries("search")
        return [entry for entry in reversed(entries) if entry.startswith(text) and entry != text]

    def show_strip(self) -> None:
        """Matches and marks in the strip at the right edge, not too often."""
        found = self.search.found
        now = time.monotonic()
        if found is not None and not found.has_ended and now - self._strip_at < STRIP_SECONDS:
            return
        self._strip_at = now
        marks: dict[str, Callable[[int], Iterable[int]] | Sequence[int]] = {}
        if found is not None and found.count:
            marks["match"] = found.pieces
        nodes = self._mark_nodes()
        if nodes:
            marks["mark"] = nodes
        self.browser.tree_view.set_marks(marks)

    def open_names(self, text: str) -> None:
        """`o`"""
        from tui.names_list import open_names

        open_names(self, text)

    def open_filter(self) -> None:
        """`&`"""
        from tui.prompt import Purpose

        self.open_prompt(
            Purpose(
                "show only: ",
                accept=self._accept_filter,
                complete=self.name_completions,
                history="search",
                text=self.filters.state.pattern,
            )
        )

    def _accept_filter(self, text: str) -> None:
        self.setup.typed.add("search", text)
        self._perform(lambda: self.filters.set_pattern(text))

    def open_patterns(self, verb: str, text: str) -> None:
        """`fs` and its like: patterns from the command line, or a prompt that proposes the row's."""
        subject, proposal = self._proposal(verb)
        option = verb if verb.endswith("_roots") else f"{verb}_{subject}"
        if text:
            self.filters.set_patterns(option, text)
            return
        from tui.prompt import Purpose

        given = self.filters.state.patterns.get(option, "")
        if proposal and proposal not in given.split(","):
            given = f"{given},{proposal}" if given else proposal
        self.open_prompt(
            Purpose(
                f"{option.replace('_', ' ')}: ",
                accept=lambda typed: self._accept_patterns(option, typed.strip()),
                history=f"patterns-{verb}",
                text=given,
            )
        )

    def _accept_patterns(self, option: str, text: str) -> None:
        self.setup.typed.add(f"patterns-{option.rpartition('_')[0]}", text)
        self._perform(lambda: self.filters.set_patterns(option, text))

    def _proposal(self, verb: str) -> tuple[str, str]:
        """What patterns of this report are about, and the one that fits the row under the cursor."""
        place = self.browser.pane.place()
        view: Any = place[0] if place is not None else self.browser.view
        patterns: Mapping[str, str] = {}
        if place is not None and hasattr(view, "patterns"):
            patterns = view.patterns(place[1])
        if verb.endswith("_roots"):
            return "roots", patterns.get("roots", "")
        is_of_types = "types" in patterns or self.browser.report.format.endswith("object-tree")
        subject = "types" if is_of_types else "methods"
        return subject, patterns.get(subject, "")

    def pattern_of_row(self) -> str:
        """`yx`: a pattern that fits the row."""
        return self._proposal("suppress")[1]

    def _perform(self, action: Callable[[], object]) -> None:
        """Do what a prompt was for, and say what can't be done."""
        try:
            action()
        except (CommandError, UnknownReference) as error:
            self.browser.say(safe(str(error)), "problem")

    # -- walking ------------------------------------------------------------------------------------------------------

    def walk_nodes(self, nodes: Sequence[int], count: int, what: str) -> None:
        """To the next of some ascending nodes of the present view; round the end, and say so."""
        if not nodes:
            raise CommandError(f"no {what}")
        cursor = self.browser.tree_view.cursor_node or 0
        index = bisect_right(nodes, cursor) + count - 1 if count > 0 else bisect_left(nodes, cursor) + count
        if not 0 <= index < len(nodes):
            self.browser.say(f"{what}: round the end")
        index %= len(nodes)
        self.jump(self.browser.view, nodes[index])
        self.browser.set_search_text(None)

    def walk_occurrences(self, count: int) -> None:
        """`]r`, `[r`"""
        node = self.browser.tree_view.cursor_node
        if node is None:
            raise CommandError("no row")
        view = self.browser.view
        key = view.key(node)
        if self._occurrence is None or self._occurrence[0] != (view.name, key):
            self._occurrence = ((view.name, key), self._occurrences(view, node))
        nodes = self._occurrence[1]
        if len(nodes) < 2:
            raise CommandError("this is the only row of it")
        self.walk_nodes(nodes, count, "occurrence")

    def _occurrences(self, view: View, node: int) -> Sequence[int]:
        """All rows of the present view that show or refer to the same thing, ascending."""
        references = view.references(node)
        nodes = set(references.nodes) if references.view == view.name else set()
        key = view.key(node)
        declaration = view.find_key(key) if key is not None else None
        return sorted(nodes | {node} | ({declaration} if declaration is not None else set()))

    def walk_problems(self, count: int) -> None:
        """`]p`, `[p`"""
        view: Any = self.browser.report.views[0]
        if not isinstance(view, Document):
            raise CommandError("problems have no rows here")
        offsets = [problem.offset for problem in self.browser.report.problems if problem.offset is not None]
        nodes = sorted({node for offset in offsets if (node := view.node_at(offset)) is not None})
        if not self.is_document_view and nodes:
            raise CommandError(f"problems lie in the view {self.browser.report.views[0].name}  (v)")
        self.walk_nodes(nodes, count, "problem with a row")

    def walk_kind(self, count: int) -> None:
        """`]k`, `[k`"""
        row = self.browser.pane.row_at_cursor()
        if row is None:
            raise CommandError("no row")
        kind = row.kind
        self.walk_rows(count, f"row of the kind {kind}", lambda each: each.kind == kind)

    def walk_rows(self, count: int, what: str, is_wanted: Callable[[Row], bool]) -> None:
        """To the next row of a kind, looking in slices between frames; the next key or Esc stops it."""
        tree = self.browser.tree_view
        start = tree.cursor_node
        if start is None:
            raise CommandError("no row")
        self.stop_looking()
        preorder = self.browser.view.tree.preorder
        step = 1 if count > 0 else -1
        if preorder is not None and tree.order is None:
            selection: Any = tree.selection
            if selection is None:
                numbers = range(start + step, preorder.rows if step > 0 else -1, step)
                nodes: Callable[[int], int] = lambda number: number  # noqa: E731  as the other branch has it
            else:
                here = selection.position_near(start)
                numbers = range(here + step, selection.rows if step > 0 else -1, step)
                nodes = selection.node_at
        else:
            outline = tree.outline
            assert outline is not None
            numbers = range(tree.cursor_row + step, len(outline) if step > 0 else -1, step)
            nodes = outline.node_at
        loop = asyncio.get_running_loop()
        self._looking = loop.create_task(self._look(numbers, nodes, abs(count), what, is_wanted))

    async def _look(
        self, numbers: range, nodes: Callable[[int], int], count: int, what: str, is_wanted: Callable[[Row], bool]
    ) -> None:
        view = self.browser.view
        found: int | None = None
        until = time.monotonic() + SLICE_SECONDS
        for number in numbers:
            node = nodes(number)
            if is_wanted(view.tree.row(node)):
                found, count = node, count - 1
                if not count:
                    break
            if time.monotonic() > until:
                self.browser.say(f"looking for a {what} … {number:,}")
                await asyncio.sleep(0)
                until = time.monotonic() + SLICE_SECONDS
        self._looking = None
        if self.browser.view is not view:
            return
        if found is None:
            self.browser.say(f"no further {what}")
        else:
            self.browser.say("")
            self.jump(view, found)

    def stop_looking(self) -> bool:
        """Stop looking for a row; False if nothing was looked for."""
        if self._looking is None:
            return False
        self._looking.cancel()
        self._looking = None
        return True

    # -- marks --------------------------------------------------------------------------------------------------------

    @property
    def marks(self) -> Marks:
        """The marks of this report, read when they are first needed."""
        if self._marks is None:
            files = self.browser.report.files
            name = fingerprint(files[0]) if files and files[0] != "-" else ""
            self._marks = Marks(self.setup.state, name)
        return self._marks

    def set_mark(self, letter: str) -> None:
        """`m` and a letter."""
        mark = self._mark_here()
        self.marks.set(letter, mark)
        self._marks_changed()
        self.browser.say(f"mark {letter} at {mark.ref}")

    def go_to_mark(self, letter: str) -> None:
        """`'` and a letter."""
        mark = self.marks.letters.get(letter)
        if mark is None:
            raise CommandError(f"no mark {letter}: m{letter} sets it, M lists them all")
        self.go_to_marked(mark)

    def go_to_marked(self, mark: Mark) -> None:
        """Go to a mark or tag, and say so if something else is there now."""
        view, node = self.locate_mark(mark)
        self.jump(view, node)
        if view.tree.row(node).label != mark.label:
            self.browser.say(f"{mark.ref} was {safe(mark.label[:80])} when it was marked", "problem")

    def locate_mark(self, mark: Mark) -> tuple[View, int]:
        """View and node of a mark. Raises UnknownReference."""
        try:
            view = self.browser.report.view(mark.view)
        except KeyError:
            raise UnknownReference(f"this report has no view {mark.view}") from None
        return view, view.resolve(mark.ref)

    def toggle_tag(self) -> None:
        """`t`"""
        mark = self._mark_here()
        is_tagged = self.marks.toggle_tag(mark)
        self._marks_changed()
        self.browser.say(f"{'tagged' if is_tagged else 'no longer tagged'}: {len(self.marks.tags):,} in all  (M, yt)")

    def clear_tags(self) -> None:
        """`T`: all away; once more: back again."""
        if self.marks.tags:
            self._cleared_tags = list(self.marks.tags)
            count = self.marks.clear_tags()
            self.browser.say(f"{count:,} tag{'' if count == 1 else 's'} cleared  (T brings them back)")
        elif self._cleared_tags:
            for mark in self._cleared_tags:
                self.marks.toggle_tag(mark)
            self._cleared_tags = []
            self.browser.say(f"{len(self.marks.tags):,} tagged again")
        else:
            raise CommandError("no tags: t tags a row")
        self._marks_changed()

    def walk_marks(self, count: int) -> None:
        """`]m`, `[m`"""
        self.walk_nodes(self._nodes_of(self.marks.letters.values()), count, "mark in this view")

    def walk_tags(self, count: int) -> None:
        """`]t`, `[t`"""
        self.walk_nodes(self._nodes_of(self.marks.tags), count, "tag in this view")

    def _mark_here(self) -> Mark:
        view, node = place_of(self.browser)
        row = view.tree.row(node)
        return Mark(view.name, row.ref, row.label)

    def _nodes_of(self, marks: Iterable[Mark]) -> list[int]:
        """The nodes in the present view of some marks, ascending."""
        name = self.browser.view.name
        nodes = set()
        for mark in marks:
            if mark.view == name:
                try:
                    nodes.add(self.browser.view.resolve(mark.ref))
                except UnknownReference:
                    continue
        return sorted(nodes)

    def _mark_nodes(self) -> list[int]:
        if self._marks is None or self.browser.view.tree.preorder is None:
            return []
        return self._nodes_of([*self.marks.letters.values(), *self.marks.tags])

    def _sign_of(self, node: int) -> str:
        """The letter of a mark, or the sign of a tag, in front of a row."""
        if self._marks is None:
            return ""
        return self._signs.get(node, "")

    @property
    def _signs(self) -> dict[int, str]:
        view = self.browser.view.name
        kept = self._kept_signs
        if kept is None or kept[0] != view:
            tags = dict.fromkeys(self._nodes_of(self.marks.tags), "+" if self.options.ascii else "•")
            for letter, mark in self.marks.letters.items():
                tags.update(dict.fromkeys(self._nodes_of([mark]), letter))
            kept = self._kept_signs = (view, tags)
        return kept[1]

    def _marks_changed(self) -> None:
        self._kept_signs = None
        self.show_strip()
        self.browser.tree_view.redraw()

    # -- views --------------------------------------------------------------------------------------------------------

    def show_view(self, name: str) -> None:
        """Another view, with the cursor on the same thing where that is there."""
        view = self.browser.report.view(name)
        if not view.is_ready:
            raise CommandError(f"{view.name} needs the finished index: it is at {self._indexed()}")
        self.close_lists()
        if view is self.browser.view:
            return
        self.leave()
        node = self._same_thing(view)
        self.browser.show_view(name, node)
        if self.is_document_view:
            self.filters.show_again()
        else:
            self.browser.set_filters_text("")
        self.search.clear()
        self.browser.set_search_text(None)
        self._kept_signs = None

    def _same_thing(self, view: View) -> int | None:
        here = self.browser.tree_view.cursor_node
        key = None if here is None else self.browser.view.key(here)
        return None if key is None else view.find_key(key)

    def _indexed(self) -> str:
        progress = self.browser.report.progress
        return f"{100 * progress.done // progress.total} %" if progress.total else "the beginning"

    def previous_view(self) -> None:
        """`V`"""
        before = self.browser.previous_view
        if before is None:
            raise CommandError("no view before this one")
        self.show_view(before.name)

    def sort(self, name: str) -> None:
        """`s`: the next key of the view, at last document order; or the named one."""
        orders = [None, *self.browser.view.orders]
        now = self.browser.tree_view.order
        if name:
            wanted = next((order for order in orders if order and order.lower() == name.lower()), None)
            if wanted is None and name.lower() not in ("document", "none"):
                raise CommandError(
                    f"no sort key {safe(name)}: there are {', '.join(self.browser.view.orders)}, document"
                )
        else:
            if len(orders) < 2:
                raise CommandError("this view has document order only")
            plain = now.removeprefix("-") if now else None
            wanted = orders[(orders.index(plain) + 1) % len(orders)] if plain in orders else orders[0]
        self._sort_by(wanted)

    def sort_reverse(self) -> None:
        """`S`"""
        now = self.browser.tree_view.order
        if now is None:
            raise CommandError("rows are in document order: s sorts them")
        self._sort_by(now.removeprefix("-") if now.startswith("-") else f"-{now}")

    def _sort_by(self, order: str | None) -> None:
        browser = self.browser
        if self.filters.selection is not None and self.is_document_view:
            raise CommandError("filtered rows stay in document order: ff takes the filters off")
        node = browser.tree_view.cursor_node
        browser.tree_view.show(browser.report, browser.view, order=order)
        if node is not None:
            browser.tree_view.jump(node)
        words = "document order" if order is None else f"sorted by {order.removeprefix('-')}"
        browser.say(words + (", reversed" if order and order.startswith("-") else ""))

    def toggle_short_names(self) -> None:
        """`a`"""
        tree = self.browser.tree_view
        tree.short_names = not tree.short_names
        tree.redraw()
        self.browser.say("class names short" if tree.short_names else "class names in full")

    def choose_columns(self, names: Sequence[str]) -> None:
        """`:columns`"""
        columns = self.browser.view.columns
        known = {column.name.lower(): column.name for column in columns}
        unknown = [name for name in names if name.lower() not in known]
        if unknown:
            raise CommandError(f"no column {safe(unknown[0])}: there are {', '.join(known.values()) or 'none'}")
        self.browser.tree_view.show_columns(tuple(known[name.lower()] for name in names) or None)

    # -- the file -----------------------------------------------------------------------------------------------------

    def toggle_follow(self) -> None:
        """`F`"""
        self._is_following = not self._is_following
        self.options.follow = self._is_following
        if self._is_following:
            self.browser.tree_view.move_to_row(-1)
            self.browser.say("following: any move up pauses")
        else:
            self.browser.say("no longer following")

    def pause_following(self) -> None:
        """The cursor was moved up."""
        if self._is_following:
            self._is_following = self.options.follow = False
            self.browser.say("paused: F follows again")

    def apply_options(self, names: Sequence[str]) -> None:
        """Let options that have changed take effect."""
        super().apply_options(names)
        tree = self.browser.tree_view
        if "scrolloff" in names:
            tree.viewport.margin = self.options.scrolloff
        if "number" in names:
            tree.show_numbers = self.options.number
        if "follow" in names:
            self._is_following = self.options.follow
        tree.redraw()

    # -- stopping -----------------------------------------------------------------------------------------------------

    def stop_running(self) -> bool:
        """Stop the search, the filter or the walk that runs; False if none does."""
        return self.search.stop() or self.filters.stop() or self.stop_looking()

    def cancel(self) -> None:
        """Esc: running work, then a popup, then the colours of matches; one a press."""
        if not self.stop_running() and not (self.browser.has_list and self.browser.close_pane()):
            self.search.forget()

    # -- parts ---------------------------------------------------------------------------------------------------------

    @property
    def lists(self) -> Lists:
        """The lists that commands open."""
        from tui.lists import Lists

        return Lists(self)

    @property
    def yank(self) -> Yank:
        """Copying, printing and writing."""
        from tui.yank import Yank

        return Yank(self)


def row_name(row: Row) -> str:
    """The part of a label that tells what it is: class and method without arguments, the class of a type; else all."""
    named = [span for span in row.spans if span.role in ("package", "class", "name")]
    if not named:
        return row.label
    return row.label[named[0].start : named[-1].end]
