"""Facts as lines of a list."""

from __future__ import annotations

from tui.screen.facts import flat


def test_nested_facts_are_lines_of_their_own_and_settings_are_spelled() -> None:
    facts = [
        ("options", [["MODE", "all"], ["MODE", "none"]]),
        ("agents", [{"name": "a"}]),
        ("sessions", [{"end": "closed", "options": [["k", "v"]]}, {"end": "no end tag"}]),
        ("words", ["x", "y"]),
    ]

    assert list(flat(facts)) == [
        ("options", "MODE=all, MODE=none"),
        ("agents · name", "a"),
        ("sessions 1 · end", "closed"),
        ("sessions 1 · options", "k=v"),
        ("sessions 2 · end", "no end tag"),
        ("words", "x, y"),
    ]
