"""Commands of the program itself: help, options, the file, and quitting."""

from __future__ import annotations

import glob
import os
from itertools import islice
from typing import TYPE_CHECKING

from parsers.model.report import HasRuns
from tui.input.keys.registry import EVERYWHERE, CommandCall, CommandGroup
from tui.settings.options import OPTION_HELP

if TYPE_CHECKING:
    from tui.input.commands.screen import Screen
    from tui.screen.picker import Picker

GROUP: CommandGroup[Screen] = CommandGroup("Program")

MOST_NUMBERS = 1000
"""Maximum completions of the number of a run."""


def option_words(browser: Screen, text: str) -> list[str]:
    """Completions of `:set`."""
    before, _, word = text.rpartition(" ")
    words = [*OPTION_HELP, *(f"no{name}" for name in OPTION_HELP)]
    return [f"{before} {found}".lstrip() for found in words if found.startswith(word)]


def on_and_off(browser: Screen, text: str) -> list[str]:
    """The two states of the mouse."""
    return [word for word in ("on", "off") if word.startswith(text)]


def theme_names(browser: Screen, text: str) -> list[str]:
    """Names of themes."""
    from tui.screen.palettes import PALETTES

    return [name for name in PALETTES if name.startswith(text)]


def run_numbers(browser: Screen, text: str) -> list[str]:
    """Numbers of the runs of the file."""
    count = len(browser.report.run_paths) if isinstance(browser.report, HasRuns) else 0
    numbers = (number for number in map(str, range(1, count + 1)) if number.startswith(text))
    return list(islice(numbers, MOST_NUMBERS))


def file_names(browser: Screen, text: str) -> list[str]:
    """Files whose paths begin with the typed text."""
    found = glob.glob(f"{glob.escape(os.path.expanduser(text))}*")
    return sorted(f"{path}/" if os.path.isdir(path) else path for path in found)


def command_names(browser: Screen, text: str) -> list[str]:
    """Names of commands."""
    return [command.name for command in browser.interaction.registry if command.name.startswith(text)]


# fmt: off
GROUP.add("follow", "F", "follow the file", "Follow a growing file: stay at its end; any move up pauses.",
    lambda browser, call: browser.interaction.viewing.toggle_follow())
GROUP.add("reload", "R F5", "read again", "Read the file again, or the folder.",
    lambda browser, call: browser.reload(), contexts=EVERYWHERE)
GROUP.add("run", "", "another run",
    "Show another run of the file instead of this one: an earlier heap dump; without a number: show how many.",
    lambda browser, call: browser.interaction.show_run(call.text.strip()), argument="[N]", complete=run_numbers)
GROUP.add("indexing", "", "stop indexing",
    "Pause building the index, or continue it. Complete stages are kept, also for the next opening.",
    lambda browser, call: browser.interaction.viewing.toggle_indexing())
GROUP.add("diff", "d", "compare with an older one",
    "Changes since an older report of the same program (`:diff OLD`). Press again to go back.",
    lambda browser, call: browser.interaction.compare(call.text.strip()),
    argument="[OLD]", complete=file_names, contexts=("browser", "picker"))
# fmt: on


@GROUP.command("mark-to-compare", "Space", "mark to compare", contexts=("picker",))
def mark_to_compare(picker: Picker, call: CommandCall) -> None:
    """Mark a report of the folder as one of two to compare, or remove the mark."""
    picker.mark()


# fmt: off
GROUP.add("redraw", "^l", "redraw", "Draw the whole screen again.",
    lambda browser, call: browser.redraw(), contexts=EVERYWHERE)
GROUP.add("command-line", ":", "command line",
    "Type a command by its name, a row number or a REF; Tab completes, Up recalls.",
    lambda browser, call: browser.interaction.open_command_line(f"{call.count}" if call.count is not None else ""),
    contexts=EVERYWHERE)
# fmt: on


@GROUP.command("palette", "^p", "palette", contexts=EVERYWHERE)
def palette(browser: Screen, call: CommandCall) -> None:
    """All commands with their keys, found by a few letters."""
    from tui.interaction.prompts.palette import open_palette

    open_palette(browser.interaction)


@GROUP.command("help", "? F1", "help", argument="[WORD]", contexts=EVERYWHERE, complete=command_names)
def help_page(browser: Screen, call: CommandCall) -> None:
    """This help; `/` searches in it, `q` closes it."""
    from tui.interaction.prompts.help import open_help

    open_help(browser.interaction, call.text.strip())


@GROUP.command("tour", "", "guided tour", contexts=EVERYWHERE)
def tour(browser: Screen, call: CommandCall) -> None:
    """Guided tour of two minutes on a sample report, as `coffeetree tour`; `q` returns from it."""
    browser.app.show_tour()


@GROUP.command("keys", "", "keys", contexts=EVERYWHERE)
def keys(browser: Screen, call: CommandCall) -> None:
    """All keys and their commands."""
    from tui.interaction.prompts.help import open_help

    open_help(browser.interaction)


# fmt: off
GROUP.add("set", "", "options",
    "Change options: `:set number`, `:set nonumber`, `:set scrolloff=5`; without words: show all.",
    lambda browser, call: browser.interaction.set_options(call.text.strip()),
    argument="[OPTION ...]", contexts=EVERYWHERE, complete=option_words)
GROUP.add("theme", "", "theme",
    "Choose the colours: dark, light, ansi-dark, ansi-light, mono; without a name: the next one.",
    lambda browser, call: browser.interaction.set_theme(call.text.strip()),
    argument="[NAME]", contexts=EVERYWHERE, complete=theme_names)
GROUP.add("mouse", "F2", "mouse on and off", "Mouse on and off; while it is off the terminal's own selection works.",
    lambda browser, call: browser.interaction.set_mouse(call.text.strip()),
    argument="[on|off]", contexts=EVERYWHERE, complete=on_and_off)
GROUP.add("cancel", "Esc", "cancel",
    "Cancel one at a time: a running search, then a popup, then the colours of matches.",
    lambda browser, call: browser.interaction.cancel(), contexts=EVERYWHERE)
GROUP.add("stop", "^c", "stop", "Stop running work; three times within two seconds quits.",
    lambda browser, call: browser.interaction.stop_work(), contexts=EVERYWHERE)
GROUP.add("suspend", "^z", "suspend", "Suspend the program; `fg` in the shell brings it back.",
    lambda browser, call: browser.suspend(), contexts=EVERYWHERE)
# fmt: on


@GROUP.command("q", "q", "close or quit", contexts=EVERYWHERE)
def close(browser: Screen, call: CommandCall) -> None:
    """Close the popup, list or pane; from the last one quit."""
    if not browser.close_pane():
        browser.leave()


@GROUP.command("quit", "Q ZZ", "quit", contexts=EVERYWHERE)
def quit_program(browser: Screen, call: CommandCall) -> None:
    """Quit at once."""
    browser.app.quit()
