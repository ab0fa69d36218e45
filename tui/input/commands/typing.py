"""Commands that edit the text of a prompt."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tui.input.keys.registry import CommandCall, CommandGroup

if TYPE_CHECKING:
    from tui.interaction.prompts.prompt import Prompt

GROUP = CommandGroup("In a prompt", ("prompt",))


def delete_left(prompt: Prompt) -> None:
    """Deletes a character, or closes an empty prompt."""
    if prompt.text:
        prompt.edit(lambda line: line.delete_left())
    else:
        prompt.cancel()


COMMANDS: tuple[tuple[str, str, str, str, Callable[[Prompt], object]], ...] = (
    ("accept", "Enter", "do it", "Accept the typed text.", lambda prompt: prompt.accept()),
    ("cancel", "Esc ^c ^g", "cancel", "Close the prompt and undo its effects.", lambda prompt: prompt.cancel()),
    ("left", "Left ^b", "character left", "A character to the left.", lambda prompt: prompt.step(-1)),
    ("right", "Right ^f", "character right", "A character to the right.", lambda prompt: prompt.step(1)),
    ("home", "Home ^a", "start of the line", "To the start of the line.",
        lambda prompt: prompt.edit(lambda line: line.home())),
    ("end", "End ^e", "end of the line", "To the end of the line.",
        lambda prompt: prompt.edit(lambda line: line.end())),
    ("delete-left", "Backspace", "delete left",
        "Delete the character before the cursor; in an empty prompt: cancel.", delete_left),
    ("delete", "^d Del", "delete", "Delete the character under the cursor.",
        lambda prompt: prompt.edit(lambda line: line.delete_right())),
    ("delete-word", "^w", "delete word", "Delete the word before the cursor.",
        lambda prompt: prompt.edit(lambda line: line.delete_word())),
    ("delete-to-start", "^u", "delete to the start", "Delete everything before the cursor.",
        lambda prompt: prompt.edit(lambda line: line.delete_to_start())),
    ("delete-to-end", "^k", "delete to the end", "Delete everything from the cursor on.",
        lambda prompt: prompt.edit(lambda line: line.delete_to_end())),
    ("older", "Up ^p", "older or up", "Up in the list, else the text typed before.", lambda prompt: prompt.walk(-1)),
    ("newer", "Down ^n", "newer or down", "Down in the list, else the text typed after.",
        lambda prompt: prompt.walk(1)),
    ("page-down", "PgDn", "page down", "A page down in the list above the prompt.", lambda prompt: prompt.page(1)),
    ("page-up", "PgUp", "page up", "A page up in the list above the prompt.", lambda prompt: prompt.page(-1)),
    ("complete", "Tab", "complete", "Complete the word. Press again for the next possibility.",
        lambda prompt: prompt.complete()),
    ("search-history", "^r", "search the history", "The last typed text that contains the current one.",
        lambda prompt: prompt.search_history()),
    ("kind", "^t", "kind of pattern", "Another kind of pattern: automatic, regular expression, plain text.",
        lambda prompt: prompt.other_kind()),
)  # fmt: skip
"""Name, keys, title, help and action of each."""


def run(action: Callable[[Prompt], object], prompt: Prompt, call: CommandCall) -> None:
    """Performs an action."""
    action(prompt)


for name, keys, title, help, action in COMMANDS:
    GROUP.command(f"prompt-{name}", keys, title, help=help)(partial(run, action))
