"""Commands for connected JVMs: requests to them, and how others connect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.input.keys.keyboard import CommandError
from tui.input.keys.registry import CommandCall, CommandGroup

if TYPE_CHECKING:
    from tui.input.commands.screen import AnyScreen
    from tui.live.listen_screen import ListenScreen

GROUP = CommandGroup("JVMs that are connected")


def action_names(screen: AnyScreen, text: str) -> list[str]:
    """Names of requests that begin with the typed text."""
    from tui.interaction.actions import actions_of

    return [action.name for action in actions_of(screen) if action.name.startswith(text)]


@GROUP.command(
    "ask", "", "ask the JVM", argument="[NAME [ARGUMENT]]", contexts=("browser", "listening"), complete=action_names
)
def ask(screen: AnyScreen, call: CommandCall) -> None:
    """Ask the JVM that is connected for a heap dump, samples, sites … (`:ask samples 0.01`); without words: a list."""
    from tui.interaction.actions import actions_of, open_action
    from tui.interaction.prompts.lists import open_actions

    name, _, text = call.text.strip().partition(" ")
    if name:
        open_action(screen.interaction, name, text.strip())
    elif actions_of(screen):
        open_actions(screen.interaction)
    else:
        raise CommandError("No JVM is connected." if screen.writer is None else "This JVM accepts no more requests.")


@GROUP.command("ask-list", "A", "ask the JVM …", contexts=("browser", "listening"))
def ask_list(screen: AnyScreen, call: CommandCall) -> None:
    """Requests that the connected JVM accepts, as a list: heap dump, samples, sites, traces, switches."""
    ask(screen, CommandCall())


@GROUP.command("copy-command", "yy", "copy the command", contexts=("listening",))
def copy_command(screen: ListenScreen, call: CommandCall) -> None:
    """Copy the options with which a JVM connects."""
    screen.copy_command()


@GROUP.command("print-command", "pp", "print the command", contexts=("listening",))
def print_command(screen: ListenScreen, call: CommandCall) -> None:
    """Print the options with which a JVM connects to the normal screen; Enter returns."""
    screen.print_command()
