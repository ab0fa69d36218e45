"""Facts as rows of a list: a name and a value each, numbers grouped in thousands, series of numbers as bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from parsers.model.report import View
from tui.list.list_pane import PaneRow
from tui.screen.sanitise import safe
from tui.settings.pairs import is_pairs
from tui.tree.piece import Piece

WIDEST_FACT = 24

BARS = " ▁▂▃▄▅▆▇█"
"""Bars in eighths of the largest number."""

MOST_BARS = 52
"""Maximum cells of a series of numbers."""


def rows_of(view: View) -> int | str | None:
    """Number of rows of a view; None while it is unknown, or the view is not prepared."""
    if not view.is_ready or not view.is_prepared:
        return None
    return "no end" if view.row_count is None else view.row_count


def fact_row(name: str, value: object, is_ascii: bool = False) -> PaneRow:
    """Row of a name and a value: numbers grouped in thousands, a series as a small chart."""
    if value is None:
        text = "…"
    elif isinstance(value, bool):
        text = "yes" if value else "no"
    elif isinstance(value, tuple):
        text = series_text(value, is_ascii)
    else:
        text = f"{value:,}" if isinstance(value, int) else str(value)
    return PaneRow(([Piece(safe(name.replace("_", " ")), "label")], safe(text)))


def flat(facts: Any, before: str = "") -> Iterator[tuple[str, object]]:
    """Flattens nested facts: `kinds · root`. Facts are nested a few levels at most."""
    stack: list[tuple[str, Any]] = [(before + str(name), value) for name, value in facts][::-1]
    while stack:
        name, value = stack.pop()
        if isinstance(value, Mapping):
            stack += [(f"{name} · {inner}", each) for inner, each in value.items()][::-1]
        elif is_pairs(value):
            yield name, ", ".join(f"{key}={each}" for key, each in value)
        elif isinstance(value, list | tuple) and value and all(isinstance(each, Mapping) for each in value):
            numbered = (
                [(name, value[0])] if len(value) == 1 else [(f"{name} {at}", of) for at, of in enumerate(value, 1)]
            )
            stack += numbered[::-1]
        elif isinstance(value, list | tuple) and len(value) > 1 and all(type(each) is int for each in value):
            yield name, tuple(value)
        elif isinstance(value, list | tuple):
            yield name, ", ".join(map(str, value[:20])) + (" …" if len(value) > 20 else "")
        else:
            yield name, value


def series_text(numbers: Sequence[int], is_ascii: bool = False) -> str:
    """A series of numbers as bars (not in ASCII), with its range and the position of the largest."""
    largest = max(numbers)
    at = numbers.index(largest)
    words = f"0 to {len(numbers) - 1:,}, most at {at:,}: {largest:,}"
    if is_ascii or largest <= 0:
        return words
    # Neighbours share a bar where there are too many; its height is their maximum.
    step = -(-len(numbers) // MOST_BARS)
    groups = [max(numbers[start : start + step]) for start in range(0, len(numbers), step)]
    return "".join(BARS[-(-8 * max(0, number) // largest)] for number in groups) + f"  {words}"
