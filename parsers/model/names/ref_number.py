"""Numbers that are names: those of nodes, lines, threads, in REFs and in columns."""

from __future__ import annotations

import re

from parsers.model.view import UnknownReference

MOST = 10**18
"""Upper bound of numbers in REFs."""
NUMBERED = ("id", "ref", "bci", "line", "process", "pid", "thread", "trace", "monitor", "owner", "serial", "session")
"""Last words of the names of numbers that are names of something, not amounts."""
LAST_WORD = re.compile("[A-Z]*[a-z]*$")


def is_number_of(name: str) -> bool:
    """True if numbers of this name are names of something, not amounts: `task id`, `thread_id`, `compileId`."""
    last = LAST_WORD.search(name)
    return last is not None and last.group().lower() in NUMBERED


def ref_number(text: str, stop: int = MOST) -> int | None:
    """Returns the number that a text is, if it is less than `stop`; None for any other text."""
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        return None
    number = int(text)
    return number if number < stop else None


def numbered_node(ref: str, nodes: int, word: str = "nodes") -> int | None:
    """Returns the node of a REF `node:N`; None for other REFs. Raises `UnknownReference` if there is no such node.

    nodes  their number; word: their name in the message
    """
    kind, _, value = ref.partition(":")
    if kind != "node":
        return None
    node = ref_number(value, nodes)
    if node is None:
        raise UnknownReference(f"{ref}: there are {nodes:,} {word}, counted from 0")
    return node
