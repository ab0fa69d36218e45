"""Stored state: marks, tags, typed texts, and the history of one session."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tui.interaction.navigation.history import CursorPosition, Jumps, Typed
from tui.interaction.navigation.marks import Mark, Marks, fingerprint
from tui.settings.state_folder import StateFolder, state_path


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / "state")


MAIN = Mark("Call tree", "line:2", "Shell.main")
CLOSE = Mark("Call tree", "line:9", "Connection.close")


def test_marks_are_there_when_the_report_is_opened_again(folder: StateFolder) -> None:
    marks = Marks(folder, "report")
    marks.set("a", MAIN)
    marks.toggle_tag(CLOSE)
    again = Marks(folder, "report")
    assert again.letters == {"a": MAIN}
    assert again.tags == [CLOSE]
    assert Marks(folder, "another").letters == {}


def test_a_second_tag_takes_the_first_away(folder: StateFolder) -> None:
    marks = Marks(folder, "report")
    assert [marks.toggle_tag(MAIN), marks.toggle_tag(CLOSE), marks.toggle_tag(MAIN)] == [True, True, False]
    assert marks.tags == [CLOSE]
    assert marks.clear_tags() == 1


@pytest.mark.parametrize(
    "damaged",
    ["", "{", "[]", "null", '{"marks": 3, "tags": []}', '{"marks": {"a": {"view": 1}}, "tags": [7]}', "[" * 100_000],
)
def test_a_damaged_file_of_marks_is_no_marks(folder: StateFolder, damaged: str) -> None:
    folder.write("marks/report.json", damaged)
    marks = Marks(folder, "report")
    assert (marks.letters, marks.tags) == ({}, [])


def test_state_is_private_and_written_whole(folder: StateFolder) -> None:
    assert folder.write("marks/report.json", "text")
    assert folder.path is not None
    file = folder.path / "marks" / "report.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["report.json"]


def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not StateFolder(tmp_path / "file" / "state").write("name", "text")


def test_a_report_is_known_by_its_name_and_start(tmp_path: Path) -> None:
    one, two = tmp_path / "a" / "report.txt", tmp_path / "b" / "report.txt"
    for file, text in ((one, "same start"), (two, "same start")):
        file.parent.mkdir()
        file.write_text(text)
    assert fingerprint(str(one)) == fingerprint(str(two))
    two.write_text("other start")
    assert fingerprint(str(one)) != fingerprint(str(two))
    assert fingerprint(str(tmp_path / "none")) == ""


def test_state_is_in_the_folder_of_the_environment() -> None:
    assert state_path({"XDG_STATE_HOME": "/x", "HOME": "/h"}) == Path("/x/coffeetree")
    assert state_path({"XDG_STATE_HOME": "relative", "HOME": "/h"}) == Path("/h/.local/state/coffeetree")


def test_typed_texts_are_kept_once_each_newest_last(folder: StateFolder) -> None:
    typed = Typed(folder)
    for text in ("one", "two", "one", " ", "bad\x1b"):
        typed.add("search", text)
    assert Typed(folder).entries("search") == ["two", "one"]
    assert Typed(folder).entries("command") == []


def places(*nodes: int) -> list[CursorPosition]:
    return [CursorPosition("Call tree", node) for node in nodes]


def test_jumps_go_back_and_forward() -> None:
    jumps = Jumps()
    one, two, three = places(1, 2, 3)
    jumps.add(one)
    jumps.add(two)
    assert jumps.back(three) == two
    assert jumps.back(two) == one
    assert jumps.back(one) is None
    assert jumps.forward(one) == two
    assert jumps.forward(two) == three


def test_a_new_jump_clears_the_forward_history() -> None:
    jumps = Jumps()
    one, two, three = places(1, 2, 3)
    jumps.add(one)
    jumps.back(two)
    jumps.add(three)
    assert jumps.forward(one) is None


def test_the_last_place_and_the_present_one_change_about() -> None:
    jumps = Jumps()
    one, two = places(1, 2)
    jumps.add(one)
    assert jumps.swap(two) == one
    assert jumps.swap(one) == two
