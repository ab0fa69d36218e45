"""How texts are cut into the lines of the side pane."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from parsers.model.row import Section, SectionRow
from tui.screen.detail import lines_of, lines_of_row, wrapped


def shown(row: SectionRow, width: int) -> list[str]:
    return ["".join(piece.text for piece in line.pieces) for line in lines_of_row(row, width, {})]


def test_a_number_stays_whole() -> None:
    assert shown(SectionRow("garbage", "17,521 objects, 1,042,360 bytes"), 31) == [
        "garbage   17,521 objects, ",
        "          1,042,360 bytes",
    ]


def test_a_text_without_name_is_indented_slightly() -> None:
    assert shown(SectionRow("", "<parse method='1250' uses='3'>"), 24) == ["<parse method='1250' ", "  uses='3'>"]


@given(st.text(st.characters(codec="ascii", exclude_categories=("Cc",)), max_size=200), st.integers(8, 40))
def test_no_character_is_lost(text: str, width: int) -> None:
    first, rest = wrapped(text, width, width)
    assert "".join((first, *rest)) == text
    assert all(len(line) <= width for line in (first, *rest))


def drawn(sections: list[Section], is_low: bool) -> list[str]:
    return ["".join(piece.text for piece in line.pieces) for line in lines_of((), sections, 30, {}, is_low=is_low)]


def test_a_low_pane_has_no_blank_lines() -> None:
    sections = [Section("One", (SectionRow("a", "b"),)), Section("Two", (SectionRow("c", "d"),))]
    assert drawn(sections, False) == ["One", "a         b", "", "Two", "c         d"]
    assert drawn(sections, True) == ["One", "a         b", "Two", "c         d"]


def test_the_sign_of_a_command_stays_with_its_word() -> None:
    assert wrapped("past the end the parent  :next-sibling", 26, 26)[1] == [":next-sibling"]


def test_a_long_heading_of_a_section_continues_in_the_next_line() -> None:
    section = Section("Entered from (1,909 calls, 1 entry point)", (SectionRow("a", "b"),))
    assert drawn([section], True) == ["Entered from (1,909 calls, 1 ", "entry point)", "a         b"]
