"""Output to terminals of all kinds: its size, and the resulting screen."""

from __future__ import annotations

import random
import re

import pytest

from .pseudo import Pseudo, Start


def cells(program: Pseudo) -> list[tuple[object, ...]]:
    """All that can be seen of the emulated screen."""
    screen = program.screen
    shown = [screen.buffer[y][x] for y in range(screen.lines) for x in range(screen.columns)]
    return [(cell.data, cell.bg, cell.reverse) + ((cell.fg, cell.bold) if cell.data.strip() else ()) for cell in shown]


def test_few_bytes_a_move_and_a_page(start: Start) -> None:
    program = start(columns=120, rows=40, environ={"COLORTERM": "truecolor"})
    assert len(program.sent) < 30_000
    assert max(program.bytes_of("j") for _ in range(3)) <= 1_000
    assert max(program.bytes_of("f") for _ in range(2)) <= 20_000


def test_the_sparing_screen_is_the_plain_one_cell_for_cell(start: Start) -> None:
    program = start(columns=60, rows=12)
    keys = random.Random(7)
    for _ in range(3):
        program.press("".join(keys.choices("jkf", [5, 3, 2], k=25)))
        program.settle()
        sparing = cells(program)
        program.paint_anew()
        assert cells(program) == sparing


def test_without_colours_no_colour_code_is_sent(start: Start) -> None:
    for environ in ({"NO_COLOR": "1"}, {"TERM": "vt100"}):
        program = start(environ=environ)
        program.press("jf")
        program.settle()
        codes = [code for codes in re.findall(rb"\x1b\[([0-9;]*)m", program.sent) for code in codes.split(b";")]
        assert {int(code) for code in codes if code} <= {0, 1, 2, 4, 7, 22, 24, 27}
        assert any(cell[2] for cell in cells(program))


@pytest.mark.parametrize("term", ["xterm", "linux", "screen"])
def test_sixteen_colours_where_there_are_no_more(start: Start, term: str) -> None:
    program = start(environ={"TERM": term})
    assert not re.search(rb"[34]8;[25];", program.sent)


def test_colours_by_number_over_ssh(start: Start) -> None:
    program = start(environ={"SSH_CONNECTION": "1 2 3 4"})
    assert b"38;5;" in program.sent
    assert b"38;2;" not in program.sent


def test_only_needed_modes_are_enabled(start: Start) -> None:
    program = start()
    assert {number for number, is_set in program.modes().items() if is_set} == {
        "1049",
        "1000",
        "1002",
        "1006",
        "1004",
        "2004",
    }
    assert b"\x1b[>" not in program.sent


def test_a_mute_terminal_works(start: Start) -> None:
    program = start(columns=120, is_mute=True)
    program.press("jj")
    program.wait_for(lambda: "nothing" in program.screen.display[2], 3)
    program.press("j" * 30)
    program.wait_for("Map32.")
    program.press("y")
    program.wait_for("answers nothing")
    assert b"]52" not in program.sent
    assert program.sent.count(b"\x1b[6n") <= 2


def test_frames_are_synchronised_where_the_terminal_can(start: Start) -> None:
    program = start()
    program.press("\x1b[?2026;2$y")
    program.press("j")
    program.wait_for(lambda: b"\x1b[?2026h" in program.sent)
    program.settle()
    assert program.sent.count(b"\x1b[?2026h") == program.sent.count(b"\x1b[?2026l")


def test_a_storm_of_resizes_ends_in_the_right_picture(start: Start) -> None:
    program = start(columns=80, rows=24)
    for columns, rows in [(1, 1), (2, 2), (5, 1), (200, 60), (10, 3), (300, 100), (79, 23), (80, 24)] * 2:
        program.resize(columns, rows)
        program.read(0.01)
    program.settle()
    program.press("j")
    program.settle()
    last = cells(program)
    assert program.text.startswith("→ java.util.Map0.get(Object):Object")
    program.paint_anew()
    assert cells(program) == last


def test_a_size_that_comes_back_before_anybody_looked_is_painted_anyway(start: Start) -> None:
    program = start()
    before = program.text
    program.resize(40, 10)
    program.resize(80, 24)
    program.wait_for(lambda: program.text == before)


def test_bytes_that_are_no_text_do_no_harm(start: Start) -> None:
    program = start()
    program.press(b"\xff\xfe\xe9\xc3(\x80j")
    program.press("z")
    program.wait_for("key z")


def test_keys_torn_by_a_slow_line_are_put_together(start: Start) -> None:
    program = start(environ={"SSH_CONNECTION": "1 2 3 4"})
    program.press("\x1b")
    program.read(0.13)
    program.press("[B")
    program.wait_for(lambda: "nothing" in program.screen.display[1])


def test_pastes_come_whole(start: Start) -> None:
    program = start()
    program.press("\x1b[200~a jjj b\x1b[201~")
    program.wait_for("paste a jjj b")


def test_the_mouse_can_be_left_to_the_terminal(start: Start) -> None:
    program = start()
    assert program.modes()["1000"]
    program.press("\x1bOQ")
    program.wait_for("mouse False")
    assert not program.modes()["1000"]
    program.press("\x1bOQ")
    program.wait_for("mouse True")
    assert program.modes()["1000"]


def test_copying_goes_through_the_terminal(start: Start) -> None:
    program = start()
    program.press("y")
    program.wait_for("sent to the terminal")
    assert b"\x1b]52;c;amF2YS51dGlsLk1hcA==\x07" in program.sent
    assert b"Ptmux" not in program.sent


def test_copying_inside_a_tmux_that_does_not_answer_uses_both_sequences(start: Start) -> None:
    program = start(environ={"TMUX": "/no-such-folder/default,1,0", "TERM": "tmux-256color"})
    program.press("y")
    program.wait_for("sent to tmux")
    program.wait_for(lambda: b"\x1b]52;c;amF2YS51dGlsLk1hcA==\x07" in program.sent)
    program.wait_for(lambda: b"\x1bPtmux;\x1b\x1b]52;c;amF2YS51dGlsLk1hcA==\x07\x1b\\" in program.sent)
