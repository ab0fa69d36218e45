"""Navigation to a name: fuzzy search of the typed text among the unique names, with numbers of occurrences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.model.capabilities import HasNames
from parsers.model.row import counted
from parsers.views.collection import name_view
from tui.interaction.prompts.prompt import Purpose
from tui.interaction.target import report_of, shown_view
from tui.list.list_pane import FixedList, ListColumn, ListPane, PaneRow
from tui.screen.frame import progress_piece
from tui.screen.sanitise import safe
from tui.tree.piece import Piece

if TYPE_CHECKING:
    from parsers.model.view import View
    from parsers.query.search.names import NameMatch
    from parsers.runtime.worker.job import Job, NamesJob
    from tui.interaction.prompts.lists import Lists
    from tui.interaction.screen_interaction import ScreenInteraction
    from tui.interaction.workers import Workers

COLUMNS = (ListColumn("name"), ListColumn("rows", 11, is_right=True))
KEYS = (("Enter", "go"), ("Tab", "all of that name"), ("Esc", "back"))
MOST = 200
"""Maximum names listed; the count includes all matches."""

ASK_AGAIN = 0.5
"""Seconds until the same request is repeated while the fuzzy search is being loaded."""


class NameList:
    """The list above the prompt, and the running request."""

    def __init__(
        self, interaction: ScreenInteraction, workers: Workers, lists: Lists, text: str, jumps_at_once: bool
    ) -> None:
        """Opens the list and its prompt with a text (`o`).

        jumps_at_once: goes directly to a single name that ends or begins with the text
        Raises `CommandError` if the report can't be searched.
        """
        self.interaction = interaction
        self.browser = lists.browser
        self.workers, self._worker = workers, workers.shown
        self.lists = lists
        self._jumps_at_once = jumps_at_once
        self.names: Sequence[NameMatch] = ()
        self._job: NamesJob | None = None
        self._query = ""
        self._is_accepted = False
        self.pane = ListPane(self._list())
        self.browser.show_list(self.pane)
        self.prompt = interaction.open_prompt(
            Purpose(
                "go to: ",
                self.accept,
                change=self.change,
                cancel=self.close,
                complete=self.list_all,
                move=self.move,
                history="name",
                text=text,
            )
        )
        if text:
            self.change(text)

    def change(self, text: str) -> None:
        """Requests matching names; an outdated answer is not shown."""
        self._jumps_at_once = self._jumps_at_once and not self._query
        self._query = text.strip()
        if self._job is not None:
            self._job.cancel()
            self._job = None
        if self._query:
            self._ask()
        else:
            self._show(())

    def _ask(self) -> None:
        self._job = self._worker.names(self._query, is_fuzzy=not self._jumps_at_once, limit=MOST)
        self.workers.names_receiver = self.jobs_progressed

    def jobs_progressed(self, jobs: list[Job]) -> None:
        """Handles an answer."""
        job = self._job
        if job is None or job not in jobs:
            return
        if self._is_accepted and job.has_ended and self.pane.is_attached:
            self._is_accepted = False
            self.browser.show_message("")
            self._show(job.names)
            self.accept(self._query)
        elif job.error:
            self._show(())
        elif job.is_done and self._jumps_at_once:
            self._go(job)
        elif job.is_done:
            self._show(job.names)
            if not job.is_fuzzy and len(self._query) > 1:
                # The fuzzy search is still being loaded; matches of substrings are shown meanwhile.
                query = self._query
                self.browser.set_timer(ASK_AGAIN, lambda: self._ask_again(query))
            self._report(job)
        elif job.state == "waiting":
            self.prompt.show_status([Piece(f"{safe(job.says)} ", "progress")])

    def _go(self, job: NamesJob) -> None:
        """Goes to the single intended name; else lists names that contain the typed text, or similar ones."""
        self._jumps_at_once = False
        self._show(job.names)
        meant = matching_names(self._query, [name.text for name in job.names])
        if len(meant) == 1 and job.count <= MOST:
            self.prompt.finish()
            self.choose(meant[0])
        elif job.count:
            self._report(job)
        else:
            self._ask()

    def _report(self, job: NamesJob) -> None:
        self.prompt.show_status([Piece(f"{counted(job.count, 'name')} ", "status")])

    def _ask_again(self, query: str) -> None:
        if query == self._query and self.pane.is_attached and self.interaction.prompt is self.prompt:
            self._ask()

    def accept(self, text: str) -> None:
        """Goes to the name under the cursor; while a request is running, to the best answer.

        Also accepts a REF.
        """
        kind, _, number = text.strip().partition(":")
        if kind.isalpha() and (number.isdecimal() or number.startswith("0x")):
            # No name matches: it is a REF.
            self.close()
            self.interaction.go_to_line(text.strip())
            return
        if self._job is not None and not self._job.has_ended:
            self._is_accepted = True
            is_complete = report_of(self.browser).is_complete
            self.browser.show_message("searching …" if is_complete else "Opens when the index is ready. Esc cancels.")
            return
        if not self.names:
            self.browser.show_message("No matches", "problem")
            self.close()
            return
        self.choose(self.pane.cursor_index or 0)

    def choose(self, index: int) -> None:
        """Goes to the node with this name; if there are several, lists them."""
        ref = self.names[index].ref
        if ref:
            self.close()
            self.interaction.setup.typed.add("name", self._query)
            self.interaction.go_to_line(ref)
            return
        view, nodes = self._in_shown_view(self.names[index].text, *self._nodes(index))
        if not nodes:
            self.browser.show_message("No row has this name.", "problem")
        elif (node := self._declared(view, nodes)) is not None:
            self.lists.navigation.jump(view, node)
        else:
            self.lists.nodes(self.names[index].text, view, nodes)

    def list_all(self, text: str) -> Sequence[str]:
        """Handles Tab: lists all nodes with the name under the cursor."""
        index = self.pane.cursor_index
        if self.names and index is not None:
            self.prompt.finish()
            if self.names[index].ref:
                self.choose(index)
            else:
                self.lists.nodes(self.names[index].text, *self._nodes(index))
        return [text]

    def _nodes(self, index: int) -> tuple[View, Sequence[int]]:
        """Closes the list; returns the view and a row for each node with the name."""
        self.close()
        self.interaction.setup.typed.add("name", self._query)
        report = report_of(self.browser)
        assert isinstance(report, HasNames)
        number = self.names[index].number
        return shown_view(self.browser, name_view(report, number)), report.name_nodes(number)

    def _in_shown_view(self, name: str, view: View, nodes: Sequence[int]) -> tuple[View, Sequence[int]]:
        """The row of the shown view for the method of that name, or for what nodes of another view show.

        These nodes if the view has none.
        """
        shown = self.browser.view
        if shown is view or not shown.is_ready:
            return view, nodes
        keys = [("method", name), *(view.key(node) for node in nodes[:1])]
        found = (shown.find_key(key) for key in keys if key is not None)
        node = next((node for node in found if node is not None), None)
        return (view, nodes) if node is None else (shown, (node,))

    @staticmethod
    def _declared(view: View, nodes: Sequence[int]) -> int | None:
        """The only row that declares the name; None if there is not exactly one. Others are only possible calls."""
        if len(nodes) == 1:
            return nodes[0]
        declared = [node for node in nodes[:MOST] if view.tree.row(node).badges.get("id") is not None]
        return declared[0] if len(declared) == 1 and len(nodes) <= MOST else None

    def close(self) -> None:
        """Closes the list."""
        if self._job is not None:
            self._job.cancel()
        self.workers.names_receiver = None
        if self.pane.is_attached:
            self.browser.close_pane()

    def move(self, direction: int) -> bool:
        """Handles Up and Down in the list."""
        if self.names:
            self.pane.move_by(direction)
        return bool(self.names)

    def _show(self, names: Sequence[NameMatch]) -> None:
        self.names = names
        self.pane.refill(self._list())
        self.pane.move_to_row(0)

    def _list(self) -> FixedList:
        """The present list of names."""
        rows = [PaneRow((name_pieces(name), f"{name.count:,}")) for name in self.names]
        return FixedList(
            "go to a name", COLUMNS, rows, self.choose, keys=KEYS, empty=self._empty, refill_from=self._list
        )

    @property
    def _empty(self) -> str:
        """The reason why no names are listed."""
        report, job = report_of(self.browser), self._job
        if not report.is_complete:
            return f"names need the finished index: {progress_piece(report.progress).text}"
        if job is None:
            return "type a part of a name, or some of its letters"
        return safe(job.error or "No matches") if job.has_ended else "searching …"


def name_pieces(name: NameMatch) -> list[Piece]:
    """A name as pieces, with the typed characters highlighted."""
    text, pieces, position = safe(name.text), [], 0
    for start, end in name.spans:
        pieces += [Piece(text[position:start]), Piece(text[start:end], "match")]
        position = end
    pieces.append(Piece(text[position:]))
    if name.ref:
        pieces.append(Piece(f"  {name.ref.partition(':')[0]}", "package"))
    return [piece for piece in pieces if piece.text]


def matching_names(text: str, names: Sequence[str]) -> list[int]:
    """Indexes of names that a part may refer to: those that end with it before their arguments, else begin with it."""
    plain = [name.partition("(")[0] for name in names]
    ending = [index for index, name in enumerate(plain) if f".{name}".endswith(f".{text}")]
    return ending or [index for index, name in enumerate(names) if name.startswith(text)]
