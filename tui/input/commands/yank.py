"""Copying text out: to the clipboard through the terminal (`y`), to the normal screen (`p`), to a file (`:w`)."""

from __future__ import annotations

from functools import partial
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


def copy(what: str, browser: Screen, call: CommandCall) -> None:
    """Copies a text of the row to the clipboard."""
    browser.interaction.yank.copy(what)


def print_text(what: str, browser: Screen, call: CommandCall) -> None:
    """Prints a text of the row to the normal screen."""
    browser.interaction.yank.print(what)


TO = "to the normal screen"
TEXTS = (
    ("row", "y", "p", "the row", "Copy the row as shown.",
        f"the row {TO}, for terminals that can't copy; Enter returns"),
    ("name", "n", "n", "the name", "Copy the name, without arguments.", f"the name {TO}"),
    ("signature", "f", "f", "the signature", "Copy the full signature.", f"the full signature {TO}"),
    ("path", "p", "P", "the path", "Copy the path from the root, one row a line.", f"the path from the root {TO}"),
    ("trace", "P", "T", "as stack trace", "Copy the path as a stack trace, innermost first.",
        f"the path as a stack trace {TO}"),
    ("ref", "r", "r", "the REF", "Copy the REF of the node, for the command line.", f"the REF of the node {TO}"),
    ("branch", "b", "b", "the branch", "Copy the branch: the visible rows below this one.", f"the branch {TO}"),
    ("pattern", "x", "x", "a pattern", "Copy a suppress or expand pattern that fits this row.",
        f"a suppress or expand pattern that fits this row {TO}"),
    ("tagged", "t", "t", "tagged rows", "Copy all tagged rows.", f"all tagged rows {TO}"),
)  # fmt: skip
"""Last words of the two commands, their second keys, the title, the help of copying, and of printing."""

WHAT = {"trace": "stack trace", "ref": "REF", "tagged": "tagged rows"}
"""The name that `Yank` has for a text where it differs from the command's last word."""

for name, key, _, title, help, _ in TEXTS:
    GROUP.command(f"yank-{name}", f"y{key}", f"copy {title}", help=help)(partial(copy, WHAT.get(name, name)))
for name, _, key, title, _, help in TEXTS:
    prints = partial(print_text, WHAT.get(name, name))
    GROUP.command(f"print-{name}", f"p{key}", f"print {title}", help=f"Print {help}.")(prints)


@GROUP.command("w", "", "write to a file", argument="[--safe] FILE", complete=target_names)
def write(browser: Screen, call: CommandCall) -> None:
    """Write tagged rows, else the branch: .txt, .csv, .json, .collapsed; asks to overwrite.

    --safe puts a ' before formulas (= + - @) in .csv.
    """
    if not call.text.strip():
        raise CommandError("No file given. For example :w branch.txt (or .csv, .json, .collapsed)")
    browser.interaction.yank.write(call.text.strip())
