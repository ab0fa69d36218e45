"""Texts of facts: numbers grouped in thousands, series of numbers as bars, nested facts one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard

from tui.screen.sanitise import safe

BARS = " ▁▂▃▄▅▆▇█"
"""Bars in eighths of the largest number."""

MOST_BARS = 52
"""Maximum cells of a series of numbers."""


def fact_text(value: object, is_ascii: bool = False) -> str:
    """A value: numbers grouped in thousands, a series as a small chart."""
    if value is None:
        return "..." if is_ascii else "…"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return series_text(value, is_ascii)
    return safe(f"{value:,}" if isinstance(value, int) else str(value))


def flat(facts: Iterable[tuple[object, object]]) -> Iterator[tuple[str, object]]:
    """Flattens nested facts: `kinds · root`. Facts are nested a few levels at most."""
    stack: list[tuple[str, object]] = [(str(name), value) for name, value in facts][::-1]
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
            yield name, ", ".join(map(_item_text, value[:20])) + (" …" if len(value) > 20 else "")
        else:
            yield name, value


def _item_text(item: object) -> str:
    return " ".join(map(str, item)) if isinstance(item, list | tuple) else str(item)


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


def is_pairs(value: object) -> TypeGuard[list[tuple[str, str]]]:
    """True if a fact is a list of pairs of texts."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, (list, tuple)) and len(each) == 2 for each in value)
        and all(isinstance(text, str) for each in value for text in each)
    )
