"""Numbers of examples of properties, relative to the usual one: `make search` tries more of all of them."""

from __future__ import annotations

from hypothesis import settings


def more_examples(times: int) -> settings:
    """Returns settings of a property whose examples are cheap, or whose inputs have many shapes."""
    return settings(max_examples=times * settings.default.max_examples)
