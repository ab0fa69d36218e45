"""Copying text out: to the clipboard through the terminal (`y`), to the normal screen (`p`), to a file (`:w`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.input.commands.program import file_names
from tui.input.keys.keyboard import CommandError
from tui.input.keys.registry import CommandCall, CommandGroup
from tui.interaction.yank import SAFE

if TYPE_CHECKING:
    from tui.input.commands.screen import Screen

GROUP = CommandGroup("Copy and print")


def target_names(browser: Screen, text: str) -> list[str]:
    """Completions of `:w`: its option, and files whose paths begin with the typed text."""
    option, _, path = text.rpartition(f"{SAFE} ")
    if text.startswith(f"{SAFE} ") and not option:
        return [f"{SAFE} {name}" for name in file_names(browser, path)]
    return [f"{SAFE} "] if text and SAFE.startswith(text) else file_names(browser, text)


@GROUP.command("yank-row", "yy", "copy the row")
def yank_row(browser: Screen, call: CommandCall) -> None:
    """Copy the row as shown."""
    browser.interaction.yank.copy("row")


@GROUP.command("yank-name", "yn", "copy the name")
def yank_name(browser: Screen, call: CommandCall) -> None:
    """Copy the name, without arguments."""
    browser.interaction.yank.copy("name")


@GROUP.command("yank-signature", "yf", "copy the signature")
def yank_signature(browser: Screen, call: CommandCall) -> None:
    """Copy the full signature."""
    browser.interaction.yank.copy("signature")


@GROUP.command("yank-path", "yp", "copy the path")
def yank_path(browser: Screen, call: CommandCall) -> None:
    """Copy the path from the root, one row a line."""
    browser.interaction.yank.copy("path")


@GROUP.command("yank-trace", "yP", "copy as stack trace")
def yank_trace(browser: Screen, call: CommandCall) -> None:
    """Copy the path as a stack trace, innermost first."""
    browser.interaction.yank.copy("stack trace")


@GROUP.command("yank-ref", "yr", "copy the REF")
def yank_ref(browser: Screen, call: CommandCall) -> None:
    """Copy the REF of the node, for the command line."""
    browser.interaction.yank.copy("REF")


@GROUP.command("yank-branch", "yb", "copy the branch")
def yank_branch(browser: Screen, call: CommandCall) -> None:
    """Copy the branch: the visible rows below this one."""
    browser.interaction.yank.copy("branch")


@GROUP.command("yank-pattern", "yx", "copy a pattern")
def yank_pattern(browser: Screen, call: CommandCall) -> None:
    """Copy a suppress or expand pattern that fits this row."""
    browser.interaction.yank.copy("pattern")


@GROUP.command("yank-tagged", "yt", "copy tagged rows")
def yank_tagged(browser: Screen, call: CommandCall) -> None:
    """Copy all tagged rows."""
    browser.interaction.yank.copy("tagged rows")


@GROUP.command("print-row", "pp", "print the row")
def print_row(browser: Screen, call: CommandCall) -> None:
    """Print the row to the normal screen, for terminals that can't copy; Enter returns."""
    browser.interaction.yank.print("row")


@GROUP.command("print-name", "pn", "print the name")
def print_name(browser: Screen, call: CommandCall) -> None:
    """Print the name to the normal screen."""
    browser.interaction.yank.print("name")


@GROUP.command("print-signature", "pf", "print the signature")
def print_signature(browser: Screen, call: CommandCall) -> None:
    """Print the full signature to the normal screen."""
    browser.interaction.yank.print("signature")


@GROUP.command("print-path", "pP", "print the path")
def print_path(browser: Screen, call: CommandCall) -> None:
    """Print the path from the root to the normal screen."""
    browser.interaction.yank.print("path")


@GROUP.command("print-trace", "pT", "print as stack trace")
def print_trace(browser: Screen, call: CommandCall) -> None:
    """Print the path as a stack trace to the normal screen."""
    browser.interaction.yank.print("stack trace")


@GROUP.command("print-ref", "pr", "print the REF")
def print_ref(browser: Screen, call: CommandCall) -> None:
    """Print the REF of the node to the normal screen."""
    browser.interaction.yank.print("REF")


@GROUP.command("print-branch", "pb", "print the branch")
def print_branch(browser: Screen, call: CommandCall) -> None:
    """Print the branch to the normal screen."""
    browser.interaction.yank.print("branch")


@GROUP.command("print-pattern", "px", "print a pattern")
def print_pattern(browser: Screen, call: CommandCall) -> None:
    """Print a suppress or expand pattern that fits this row to the normal screen."""
    browser.interaction.yank.print("pattern")


@GROUP.command("print-tagged", "pt", "print tagged rows")
def print_tagged(browser: Screen, call: CommandCall) -> None:
    """Print all tagged rows to the normal screen."""
    browser.interaction.yank.print("tagged rows")


@GROUP.command("w", "", "write to a file", argument="[--safe] FILE", complete=target_names)
def write(browser: Screen, call: CommandCall) -> None:
    """Write tagged rows, else the branch: .txt, .csv, .json, .collapsed; asks to overwrite.

    --safe puts a ' before formulas (= + - @) in .csv.
    """
    if not call.text.strip():
        raise CommandError("write where? For example :w branch.txt (or .csv, .json, .collapsed)")
    browser.interaction.yank.write(call.text.strip())
