"""Counts, sequences and torn keys: what a row of key presses leads to."""

from __future__ import annotations

import pytest
from stage import textual_key

from tui.input.keys.keymap import Drop, Keymap, KeyReader, whole_key
from tui.input.keys.name import key_of_event, parse_sequence
from tui.input.keys.registry import Command


def command(name: str, *keys: str) -> Command:
    return Command(name, keys, name, name, "test", frozenset({"browser"}), lambda target, call: None)


COMMANDS = [
    command("down", "j", "Down"),
    command("right", "l", "Right"),
    command("first", "^", "0"),
    command("goto", "g"),
    command("middle", "zz"),
    command("fold", "z{1-9}"),
    command("mark", "m{letter}"),
    command("next-mark", "]m"),
    command("previous-mark", "[m"),
    command("page", "PgDn", "^f"),
    command("alone", "O"),
    command("quit", "Q"),
    command("help", "F1"),
    command("mouse", "F2"),
    command("cancel", "Esc"),
]


def press(text: str, pause: float = 0.05) -> list[str]:
    """The commands that keys separated by blanks lead to; `1.5s` waits."""
    reader = KeyReader(Keymap(COMMANDS))
    now, found = 100.0, []
    for word in text.split():
        if word.endswith("s") and word[:-1].replace(".", "").isdigit():
            now += float(word[:-1])
            outcomes = reader.tick(now)
        else:
            now += pause
            outcomes = reader.feed(word, now)
        for outcome in outcomes:
            if isinstance(outcome, Drop):
                found.append(f"dropped {outcome.pressed}")
            else:
                call = outcome.call
                found.append(f"{'' if call.count is None else call.count}{outcome.command.name}{call.letter}")
    return found


@pytest.mark.parametrize(
    ("keys", "commands"),
    [
        ("j", ["down"]),
        ("5 j", ["5down"]),
        ("1 2 0 g", ["120goto"]),
        ("0", ["first"]),
        ("1 0 j j", ["10down", "down"]),
        ("z z", ["middle"]),
        ("z 3", ["fold3"]),
        ("4 z 3", ["4fold3"]),
        ("m a", ["marka"]),
        ("m 1", ["dropped m1"]),
        ("z 30s z", ["middle"]),
        ("z Esc j", ["down"]),
        ("5 Esc j", ["down"]),
        ("z q j", ["dropped zq", "down"]),
        ("] m", ["next-mark"]),
        ("[ m", ["previous-mark"]),
        ("[ C", ["dropped [C"]),
        ("Y", ["dropped Y"]),
    ],
)
def test_keys_become_commands(keys: str, commands: list[str]) -> None:
    assert press(keys) == commands


@pytest.mark.parametrize(
    ("keys", "commands"),
    [
        ("Esc [ B", ["cancel", "down"]),
        ("Esc 0.4s [ B", ["cancel", "down"]),
        ("Esc 1.5s [ m", ["cancel", "previous-mark"]),
        ("Esc [ 6 ~", ["cancel", "page"]),
        ("Esc [ 1 ; 5 C", ["cancel"]),
        ("Esc [ 1 ; 5 C j", ["cancel", "down"]),
        ("Esc [ < 0 ; 1 0 ; 2 0 M j", ["cancel", "down"]),
        ("Esc [ 1 1.2s j", ["cancel", "down"]),
        ("Esc [ Down", ["cancel", "down"]),
        ("Esc O P", ["cancel", "help"]),
        ("Esc O Q", ["cancel", "mouse"]),
        ("Esc O 1.2s", ["cancel", "alone"]),
        ("Esc O j", ["cancel", "alone", "down"]),
        ("Esc [ 2 0 0 ~ Q z z Esc j", ["cancel", "cancel", "down"]),
        ("Esc [ 2 0 0 ~ Q 2s j", ["cancel", "down"]),
        ("Esc [ [ A", ["cancel", "help"]),
    ],
)
def test_a_torn_key_acts_as_the_key_it_was(keys: str, commands: list[str]) -> None:
    assert press(keys) == commands


def test_a_torn_key_of_no_end_is_given_up() -> None:
    assert press("Esc [ " + "1 " * 60 + "0.1s Esc Esc j")[-1] == "down"


def test_the_keys_that_can_follow_are_known() -> None:
    reader = KeyReader(Keymap(COMMANDS))
    assert reader.hints == []
    reader.feed("z", 0.0)
    assert [(keys, command.name) for keys, command in reader.hints] == [("z", "middle"), ("{1-9}", "fold")]
    assert reader.pressed == "z"


def test_a_count_has_a_longest_form() -> None:
    assert press("9 " * 40 + "j") == ["9" * 15 + "down"]


@pytest.mark.parametrize("keys", [("j", "j"), ("zz", "z"), ("z", "zz")])
def test_no_key_is_bound_twice(keys: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match=r"bound twice|begins with"):
        Keymap([command("one", keys[0]), command("two", keys[1])])


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        ("j", ("j",)),
        ("^f", ("^f",)),
        ("^", ("^",)),
        ("pgdn", ("PgDn",)),
        ("Shift+Tab", ("Shift+Tab",)),
        ("F5", ("F5",)),
        ("zz", ("z", "z")),
        ("m{letter}", ("m", "{letter}")),
        ("]m", ("]", "m")),
        ("''", ("'", "'")),
    ],
)
def test_written_keys_are_read(written: str, keys: tuple[str, ...]) -> None:
    assert parse_sequence(written) == keys


@pytest.mark.parametrize("written", ["", "\x1b", "a b"])
def test_an_invalid_key_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="not a key"):
        parse_sequence(written)


@pytest.mark.parametrize("key", ["j", "J", "$", "{", "^f", "PgDn", "Space", "Esc", "Shift+Tab", "F5", "é"])
def test_names_of_the_terminal_and_ours_agree(key: str) -> None:
    assert key_of_event(*textual_key(key)) == key


def test_torn_sequences_that_are_no_keys_are_swallowed() -> None:
    assert [whole_key(torn) for torn in ("1;5C", "999~", "?1;2c", "B")] == [None, None, None, "Down"]
