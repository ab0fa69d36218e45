"""The editing keys of a prompt, and walking through what was typed before."""

from __future__ import annotations

import pytest

from tui.interaction.prompts.line_editor import LONGEST, LineEditor, Recall


def edit(text: str, *steps: str) -> str:
    """Returns the text after some steps, with `|` at the cursor."""
    line = LineEditor(text)
    for step in steps:
        name, _, argument = step.partition(" ")
        if name == "insert":
            line.insert(argument)
        elif name == "move":
            line.move(int(argument))
        else:
            getattr(line, name)()
    return line.text[: line.cursor] + "|" + line.text[line.cursor :]


@pytest.mark.parametrize(
    ("text", "steps", "result"),
    [
        ("abc", [], "abc|"),
        ("abc", ["move -1", "insert X"], "abX|c"),
        ("abc", ["home", "insert X"], "X|abc"),
        ("abc", ["move -99", "move 1"], "a|bc"),
        ("abc", ["home", "end"], "abc|"),
        ("abc", ["delete_left"], "ab|"),
        ("abc", ["home", "delete_left"], "|abc"),
        ("abc", ["home", "delete_right"], "|bc"),
        ("abc", ["delete_right"], "abc|"),
        ("one two  ", ["delete_word"], "one |"),
        ("one", ["delete_word"], "|"),
        ("one two", ["move -2", "delete_word"], "one |wo"),
        ("one two", ["move -3", "delete_to_start"], "|two"),
        ("one two", ["move -3", "delete_to_end"], "one |"),
        ("", ["insert a\x1b[31m\nb\u202e"], "a[31mb|"),
    ],
)
def test_editing_keys(text: str, steps: list[str], result: str) -> None:
    assert edit(text, *steps) == result


def test_a_paste_has_an_end() -> None:
    line = LineEditor()
    line.insert("x" * (LONGEST + 1))
    assert len(line.text) == LONGEST


def test_older_texts_come_newest_first_and_the_begun_text_comes_back() -> None:
    recall = Recall(["alpha", "beta", "alphabet"])
    assert recall.older("") == "alphabet"
    assert recall.older("alphabet") == "beta"
    assert recall.newer("beta") == "alphabet"
    assert recall.newer("alphabet") == ""


def test_a_text_begun_chooses_those_that_begin_with_it() -> None:
    recall = Recall(["alpha", "beta", "alphabet"])
    assert recall.older("al") == "alphabet"
    assert recall.older("alphabet") == "alpha"
    assert recall.older("alpha") == "alpha"
    assert recall.newer("alpha") == "alphabet"
    assert recall.newer("alphabet") == "al"


def test_history_search_finds_the_text_anywhere() -> None:
    recall = Recall(["Shell.main", "close", "runShell"])
    assert recall.containing("shell") == "runShell"
    assert recall.containing("runShell") == "Shell.main"
    assert recall.containing("Shell.main") is None
