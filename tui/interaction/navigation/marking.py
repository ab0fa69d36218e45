"""Marks and tags on the rows of a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parsers.model.row import counted
from parsers.model.view import UnknownReference, View
from tui.input.keys.keyboard import CommandError
from tui.interaction.navigation.marks import Mark, Marks, fingerprint
from tui.interaction.target import place_of
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from tui.interaction.navigation.next_row import Movement
    from tui.interaction.navigation.places import Navigation
    from tui.interaction.report_screen import ReportScreen
    from tui.interaction.setup import Setup


@dataclass(eq=False)
class Marking:
    """Sets, shows and finds the marks of one browser."""

    browser: ReportScreen
    setup: Setup
    navigation: Navigation
    movement: Movement
    _show_marks: Callable[[], object]
    """Called when marks or tags have changed."""
    _marks: Marks | None = None
    _cleared_tags: Sequence[Mark] = ()
    _kept_signs: tuple[str, dict[int, str]] | None = None

    @property
    def marks(self) -> Marks:
        """The marks of this report, read when first needed."""
        if self._marks is None:
            files = self.browser.report.files
            name = fingerprint(files[0]) if files and files[0] != "-" else ""
            self._marks = Marks(self.setup.state, name)
        return self._marks

    def set_mark(self, letter: str) -> None:
        """Sets a mark (`m` and a letter)."""
        mark = self._mark_here()
        self.marks.set(letter, mark)
        self._marks_changed()
        self.browser.show_message(f"mark {letter} at {mark.ref}")

    def go_to_mark(self, letter: str) -> None:
        """Goes to a mark (`'` and a letter)."""
        mark = self.marks.letters.get(letter)
        if mark is None:
            raise CommandError(f"No mark {letter}. m{letter} sets it, M lists all.")
        self.go_to_marked(mark)

    def go_to_marked(self, mark: Mark) -> None:
        """Goes to a mark or tag; shows a message if its row has another label now."""
        view, node = self.locate_mark(mark)
        self.navigation.jump(view, node)
        if view.tree.row(node).label != mark.label:
            self.browser.show_message(f"{mark.ref} was {safe(mark.label[:80])} when it was marked", "problem")

    def locate_mark(self, mark: Mark) -> tuple[View, int]:
        """View and node of a mark. Raises UnknownReference."""
        try:
            view = self.browser.report.view(mark.view)
        except KeyError:
            raise UnknownReference(f"this report has no view {mark.view}") from None
        return view, view.resolve(mark.ref)

    def toggle_tag(self) -> None:
        """Tags or untags the row (`t`)."""
        mark = self._mark_here()
        is_tagged = self.marks.toggle_tag(mark)
        self._marks_changed()
        self.browser.show_message(
            f"{'tagged' if is_tagged else 'no longer tagged'}: {len(self.marks.tags):,} in all  (M, yt)"
        )

    def clear_tags(self) -> None:
        """Removes all tags, or restores them (`T`)."""
        if self.marks.tags:
            self._cleared_tags = list(self.marks.tags)
            count = self.marks.clear_tags()
            self.browser.show_message(f"{counted(count, 'tag')} cleared  (T restores them)")
        elif self._cleared_tags:
            for mark in self._cleared_tags:
                self.marks.toggle_tag(mark)
            self._cleared_tags = ()
            self.browser.show_message(f"{len(self.marks.tags):,} tagged again")
        else:
            raise CommandError("No tags. t tags a row.")
        self._marks_changed()

    def walk_marks(self, count: int) -> None:
        """Goes to the next or previous mark (`]m`, `[m`)."""
        self.movement.walk_nodes(self._nodes_of(self.marks.letters.values()), count, "mark in this view")

    def walk_tags(self, count: int) -> None:
        """Goes to the next or previous tag (`]t`, `[t`)."""
        self.movement.walk_nodes(self._nodes_of(self.marks.tags), count, "tag in this view")

    def _mark_here(self) -> Mark:
        view, node = place_of(self.browser)
        row = view.tree.row(node)
        return Mark(view.name, row.ref, row.label)

    def _nodes_of(self, marks: Iterable[Mark]) -> list[int]:
        """Nodes of some marks in the present view, ascending."""
        name = self.browser.view.name
        nodes = set()
        for mark in marks:
            if mark.view == name:
                try:
                    nodes.add(self.browser.view.resolve(mark.ref))
                except UnknownReference:
                    continue
        return sorted(nodes)

    def nodes(self) -> list[int]:
        if self._marks is None or self.browser.view.tree.preorder is None:
            return []
        return self._nodes_of([*self.marks.letters.values(), *self.marks.tags])

    def sign_of(self, node: int) -> str:
        """Sign before a row: the letter of a mark, or the sign of a tag."""
        return "" if self._marks is None else self._signs.get(node, "")

    @property
    def _signs(self) -> dict[int, str]:
        view = self.browser.view.name
        kept = self._kept_signs
        if kept is None or kept[0] != view:
            tags = dict.fromkeys(self._nodes_of(self.marks.tags), "+" if self.setup.options.ascii else "•")
            for letter, mark in self.marks.letters.items():
                tags.update(dict.fromkeys(self._nodes_of([mark]), letter))
            kept = self._kept_signs = (view, tags)
        return kept[1]

    def forget(self) -> None:
        """Forgets the marks when the report was read again."""
        self._marks = None
        self.forget_signs()

    def forget_signs(self) -> None:
        """Forgets the signs when another view is shown or the report was read again."""
        self._kept_signs = None

    def _marks_changed(self) -> None:
        self.forget_signs()
        self._show_marks()
        self.browser.tree_view.redraw()
