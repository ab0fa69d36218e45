"""Commands that edit the text of a prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.input.keys.registry import CommandCall, CommandGroup

if TYPE_CHECKING:
    from tui.interaction.prompts.prompt import Prompt

GROUP = CommandGroup("In a prompt", ("prompt",))


@GROUP.command("prompt-accept", "Enter", "do it")
def accept(prompt: Prompt, call: CommandCall) -> None:
    """Accept the typed text."""
    prompt.accept()


@GROUP.command("prompt-cancel", "Esc ^c ^g", "cancel")
def cancel(prompt: Prompt, call: CommandCall) -> None:
    """Close the prompt and undo its effects."""
    prompt.cancel()


@GROUP.command("prompt-left", "Left ^b", "character left")
def left(prompt: Prompt, call: CommandCall) -> None:
    """A character to the left."""
    prompt.step(-1)


@GROUP.command("prompt-right", "Right ^f", "character right")
def right(prompt: Prompt, call: CommandCall) -> None:
    """A character to the right."""
    prompt.step(1)


@GROUP.command("prompt-home", "Home ^a", "start of the line")
def home(prompt: Prompt, call: CommandCall) -> None:
    """To the start of the line."""
    prompt.edit(lambda line: line.home())


@GROUP.command("prompt-end", "End ^e", "end of the line")
def end(prompt: Prompt, call: CommandCall) -> None:
    """To the end of the line."""
    prompt.edit(lambda line: line.end())


@GROUP.command("prompt-delete-left", "Backspace", "delete left")
def delete_left(prompt: Prompt, call: CommandCall) -> None:
    """Delete the character before the cursor; in an empty prompt: cancel."""
    if prompt.text:
        prompt.edit(lambda line: line.delete_left())
    else:
        prompt.cancel()


@GROUP.command("prompt-delete", "^d Del", "delete")
def delete(prompt: Prompt, call: CommandCall) -> None:
    """Delete the character under the cursor."""
    prompt.edit(lambda line: line.delete_right())


@GROUP.command("prompt-delete-word", "^w", "delete word")
def delete_word(prompt: Prompt, call: CommandCall) -> None:
    """Delete the word before the cursor."""
    prompt.edit(lambda line: line.delete_word())


@GROUP.command("prompt-delete-to-start", "^u", "delete to the start")
def delete_to_start(prompt: Prompt, call: CommandCall) -> None:
    """Delete everything before the cursor."""
    prompt.edit(lambda line: line.delete_to_start())


@GROUP.command("prompt-delete-to-end", "^k", "delete to the end")
def delete_to_end(prompt: Prompt, call: CommandCall) -> None:
    """Delete everything from the cursor on."""
    prompt.edit(lambda line: line.delete_to_end())


@GROUP.command("prompt-older", "Up ^p", "older or up")
def older(prompt: Prompt, call: CommandCall) -> None:
    """Up in the list, else the text typed before."""
    prompt.walk(-1)


@GROUP.command("prompt-newer", "Down ^n", "newer or down")
def newer(prompt: Prompt, call: CommandCall) -> None:
    """Down in the list, else the text typed after."""
    prompt.walk(1)


@GROUP.command("prompt-complete", "Tab", "complete")
def complete(prompt: Prompt, call: CommandCall) -> None:
    """Complete the word. Press again for the next possibility."""
    prompt.complete()


@GROUP.command("prompt-search-history", "^r", "search the history")
def search_history(prompt: Prompt, call: CommandCall) -> None:
    """The last typed text that contains the current one."""
    prompt.search_history()


@GROUP.command("prompt-kind", "^t", "kind of pattern")
def kind(prompt: Prompt, call: CommandCall) -> None:
    """Another kind of pattern: automatic, regular expression, plain text."""
    prompt.other_kind()
