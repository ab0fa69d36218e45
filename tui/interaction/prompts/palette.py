"""The palette: every command with its keys, the views and the themes, found by a few letters anywhere in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tui.input.keys.name import shown_key
from tui.interaction.actions import actions_of, open_action
from tui.interaction.prompts.prompt import Purpose
from tui.list.list_pane import FixedList, ListColumn, ListPane, PaneRow
from tui.screen.sanitise import safe
from tui.tree.piece import Piece

if TYPE_CHECKING:
    from tui.interaction.report_screen import ShownScreen
    from tui.interaction.screen_interaction import ScreenInteraction

COLUMNS = (ListColumn("command", 28), ListColumn("keys", 16), ListColumn("what it does"))


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """One choice of the palette."""

    title: str
    keys: str
    help: str
    run: Callable[[], object]


def entries(interaction: ScreenInteraction) -> list[PaletteEntry]:
    """All entries: first views of the report, as the most frequent choice, then links of the row under the cursor,
    requests to a connected JVM, and commands of the screen's context."""
    screen = interaction.screen
    found: list[PaletteEntry] = []
    for name in screen.report.views.names if screen.report is not None else ():
        found.append(
            PaletteEntry(f"view: {name}", "", "show this view", partial(interaction.keyboard.run, "view", name))
        )
    for link in interaction.links:
        found.append(PaletteEntry(f"link: {link.label}", "", f"go to {link.ref}", partial(interaction.follow, link)))
    for action in actions_of(screen):
        help = f"ask the JVM; first: {action.asks}" if action.asks else "ask the JVM"
        found.append(PaletteEntry(f"JVM: {action.title}", "", help, partial(open_action, interaction, action.name)))
    for command in interaction.registry.of(interaction.context):
        keys = "  ".join(shown_key(key) for key in command.keys)
        found.append(
            PaletteEntry(command.title, keys, command.help, _chooser(interaction, command.name, command.argument))
        )
    return found


def _chooser(interaction: ScreenInteraction, name: str, argument: str) -> Callable[[], object]:
    """A function that runs a command; one that requires an argument, outside of brackets, is typed as a line first."""
    if argument.rpartition("]")[2]:
        return lambda: interaction.open_command_line(f"{name} ")
    return partial(interaction.keyboard.run, name)


def fuzzy_score(query: str, text: str) -> int | None:
    """Score of how well letters match a text, lower is better; None if they do not all occur in this order.

    A text that contains the whole query ranks before one that only has its letters; starts of words rank first.
    """
    wanted, text = query.lower(), text.lower()
    at = text.find(wanted)
    if at >= 0:
        starts_word = at == 0 or not text[at - 1].isalnum()
        return at if starts_word else 200 + at
    place, first = -1, -1
    for letter in wanted.replace(" ", ""):
        place = text.find(letter, place + 1)
        if place < 0:
            return None
        first = place if first < 0 else first
    return 1000 + (place - first) * 4 + first


def fitting_entries(found: Sequence[PaletteEntry], query: str) -> list[PaletteEntry]:
    """The matching entries, best first. Matches of titles rank before those of help."""
    if not query:
        return list(found)
    ranked: list[tuple[int, int, PaletteEntry]] = []
    for index, entry in enumerate(found):
        score = fuzzy_score(query, entry.title)
        in_help = entry.help.lower().find(query.lower())
        if score is None and in_help >= 0:
            score = 500 + in_help
        if score is not None:
            ranked.append((score, index, entry))
    return [entry for _, _, entry in sorted(ranked, key=lambda each: each[:2])]


def palette_list(screen: ShownScreen, shown: Sequence[PaletteEntry]) -> FixedList:
    """The entries as a list; Enter closes it and performs the entry."""

    def choose(index: int) -> None:
        screen.close_pane()
        shown[index].run()

    rows = [PaneRow((safe(entry.title), [Piece(entry.keys, "key")], [Piece(entry.help, "quiet")])) for entry in shown]
    keys = (("Enter", "do it"), ("Esc", "back"))
    return FixedList("commands", COLUMNS, rows, choose, keys=keys, empty="no command fits")


def open_palette(interaction: ScreenInteraction) -> None:
    """Shows the palette with its prompt."""
    screen, found = interaction.screen, entries(interaction)
    pane = ListPane(palette_list(screen, found))
    screen.show_list(pane)

    def change(text: str) -> None:
        pane.refill(palette_list(screen, fitting_entries(found, text.strip())))
        pane.move_to_row(0)

    def accept(text: str) -> None:
        if pane.row_count:
            pane.activate()
        else:
            screen.close_pane()
            screen.show_message(f"No command fits {safe(text)}.", "problem")

    interaction.open_prompt(
        Purpose(
            "palette: ",
            accept=accept,
            change=change,
            cancel=screen.close_pane,
            move=pane.move_by,
            page=pane.page,
        )
    )
