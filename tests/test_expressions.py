"""Regular expressions of the program: they match the same in all supported versions of Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\})\+")
"""The end of a group that is repeated possessively."""


def opening(text: str, end: int) -> int:
    """The position of the parenthesis that the one at `end` closes."""
    depth = 0
    for at in range(end, -1, -1):
        if text[at] in "()" and text[at - 1] != "\\":
            depth += 1 if text[at] == ")" else -1
            if not depth:
                return at
    raise AssertionError("no group ends there")


@pytest.mark.parametrize("folder", ["parsers", "tui"])
def test_groups_that_are_repeated_possessively_are_atomic(folder: str) -> None:
    """Python before 3.11.5 continues after what it read of the repetition that failed, unless the group is atomic."""
    others = [
        f"{path}: {text[opening(text, found.start()) : found.end()]}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for text in [path.read_text("utf-8")]
        for found in POSSESSIVE_GROUP.finditer(text)
        if not text.startswith("(?>", opening(text, found.start()))
    ]
    assert others == []
