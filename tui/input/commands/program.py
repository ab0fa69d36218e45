"""Commands of the program itself: help, options, the file, and quitting."""

from __future__ import annotations

import glob
import os
from itertools import islice
from typing import TYPE_CHECKING

from tui.input.keys.registry import EVERYWHERE, CommandCall, CommandGroup
from tui.settings.options import OPTION_HELP

if TYPE_CHECKING:
    from tui.input.commands.screen import AnyScreen, Screen
    from tui.screen.picker import Picker

GROUP = CommandGroup("Program")

MOST_NUMBERS = 1000
"""Maximum completions of the number of a run."""


def option_words(screen: AnyScreen, text: str) -> list[str]:
    """Completions of `:set`."""
    before, _, word = text.rpartition(" ")
    words = [*OPTION_HELP, *(f"no{name}" for name in OPTION_HELP)]
    return [f"{before} {found}".lstrip() for found in words if found.startswith(word)]


def on_and_off(screen: AnyScreen, text: str) -> list[str]:
    """The two states of the mouse."""
    return [word for word in ("on", "off") if word.startswith(text)]


def theme_names(screen: AnyScreen, text: str) -> list[str]:
    """Names of themes."""
    from tui.screen.palettes import PALETTES

    return [name for name in PALETTES if name.startswith(text)]


def run_numbers(browser: Screen, text: str) -> list[str]:
    """Numbers of the runs of the file."""
    count = len(browser.report.run_paths)
    numbers = (number for number in map(str, range(1, count + 1)) if number.startswith(text))
    return list(islice(numbers, MOST_NUMBERS))


def file_names(screen: AnyScreen, text: str) -> list[str]:
    """Files whose paths begin with the typed text."""
    found = glob.glob(f"{glob.escape(os.path.expanduser(text))}*")
    return sorted(f"{path}/" if os.path.isdir(path) else path for path in found)


def command_names(screen: AnyScreen, text: str) -> list[str]:
    """Names of commands."""
    return [command.name for command in screen.interaction.registry if command.name.startswith(text)]


@GROUP.command("follow", "F", "follow the file")
def follow(browser: Screen, call: CommandCall) -> None:
    """Follow a growing file: stay at its end; any move up pauses."""
    browser.interaction.viewing.toggle_follow()


@GROUP.command("reload", "R F5", "read again", contexts=EVERYWHERE)
def reload(screen: AnyScreen, call: CommandCall) -> None:
    """Read the file again, or the folder."""
    screen.reload()


@GROUP.command("run", "", "another run", argument="[N]", complete=run_numbers)
def run(browser: Screen, call: CommandCall) -> None:
    """Show another run of the file instead of this one: an earlier heap dump; without a number: show how many."""
    browser.interaction.show_run(call.text.strip())


@GROUP.command("indexing", "", "stop indexing")
def indexing(browser: Screen, call: CommandCall) -> None:
    """Pause building the index, or continue it. Complete stages are kept, also for the next opening."""
    browser.interaction.viewing.toggle_indexing()


@GROUP.command(
    "diff", "d", "compare with an older one", argument="[OLD]", complete=file_names, contexts=("browser", "picker")
)
def diff(screen: AnyScreen, call: CommandCall) -> None:
    """Changes since an older report of the same program (`:diff OLD`). Press again to go back."""
    screen.interaction.compare(call.text.strip())


@GROUP.command("mark-to-compare", "Space", "mark to compare", contexts=("picker",))
def mark_to_compare(picker: Picker, call: CommandCall) -> None:
    """Mark a report of the folder as one of two to compare, or remove the mark."""
    picker.mark()


@GROUP.command("redraw", "^l", "redraw", contexts=EVERYWHERE)
def redraw(screen: AnyScreen, call: CommandCall) -> None:
    """Draw the whole screen again."""
    screen.app.redraw()


@GROUP.command("command-line", ":", "command line", contexts=EVERYWHERE)
def command_line(screen: AnyScreen, call: CommandCall) -> None:
    """Type a command by its name, a row number or a REF; Tab completes, Up recalls."""
    screen.interaction.open_command_line(f"{call.count}" if call.count is not None else "")


@GROUP.command("palette", "^p", "palette", contexts=EVERYWHERE)
def palette(screen: AnyScreen, call: CommandCall) -> None:
    """All commands with their keys, found by a few letters."""
    from tui.interaction.prompts.palette import open_palette

    open_palette(screen.interaction)


@GROUP.command("help", "? F1", "help", argument="[WORD]", contexts=EVERYWHERE, complete=command_names)
def help_page(screen: AnyScreen, call: CommandCall) -> None:
    """This help; `/` searches in it, `q` closes it."""
    from tui.interaction.prompts.help import open_help

    open_help(screen.interaction, call.text.strip())


@GROUP.command("tour", "", "guided tour", contexts=EVERYWHERE)
def tour(screen: AnyScreen, call: CommandCall) -> None:
    """Guided tour of two minutes on a sample report, as `coffeetree tour`; `q` returns from it."""
    screen.app.show_tour()


@GROUP.command("keys", "", "keys", contexts=EVERYWHERE)
def keys(screen: AnyScreen, call: CommandCall) -> None:
    """All keys and their commands."""
    help_page(screen, CommandCall())


@GROUP.command("set", "", "options", argument="[OPTION ...]", contexts=EVERYWHERE, complete=option_words)
def set_options(screen: AnyScreen, call: CommandCall) -> None:
    """Change options: `:set number`, `:set nonumber`, `:set scrolloff=5`; without words: show all."""
    screen.interaction.set_options(call.text.strip())


@GROUP.command("theme", "", "theme", argument="[NAME]", contexts=EVERYWHERE, complete=theme_names)
def theme(screen: AnyScreen, call: CommandCall) -> None:
    """Choose the colours: dark, light, ansi-dark, ansi-light, mono; without a name: the next one."""
    screen.interaction.set_theme(call.text.strip())


@GROUP.command("mouse", "F2", "mouse on and off", argument="[on|off]", contexts=EVERYWHERE, complete=on_and_off)
def mouse(screen: AnyScreen, call: CommandCall) -> None:
    """Mouse on and off; while it is off the terminal's own selection works."""
    screen.interaction.set_mouse(call.text.strip())


@GROUP.command("cancel", "Esc", "cancel", contexts=EVERYWHERE)
def cancel(screen: AnyScreen, call: CommandCall) -> None:
    """Cancel one at a time: a running search, then a popup, then the colours of matches."""
    screen.interaction.cancel()


@GROUP.command("stop", "^c", "stop", contexts=EVERYWHERE)
def stop(screen: AnyScreen, call: CommandCall) -> None:
    """Stop running work; three times within two seconds quits."""
    screen.interaction.stop_work()


@GROUP.command("suspend", "^z", "suspend", contexts=EVERYWHERE)
def suspend(screen: AnyScreen, call: CommandCall) -> None:
    """Suspend the program; `fg` in the shell brings it back."""
    screen.app.action_suspend_process()


@GROUP.command("q", "q", "close or quit", contexts=EVERYWHERE)
def close(screen: AnyScreen, call: CommandCall) -> None:
    """Close the popup, list or pane; from the last one quit."""
    if not screen.close_pane():
        screen.leave()


@GROUP.command("quit", "Q ZZ", "quit", contexts=EVERYWHERE)
def quit_program(screen: AnyScreen, call: CommandCall) -> None:
    """Quit at once."""
    screen.app.quit()
