"""Text of a file must not act on the terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.screen.sanitise import safe, safe_lines

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_the_output_is_printable_and_of_equal_length(text: str) -> None:
    assert safe(text).isprintable()
    assert len(safe(text)) == len(text)


@given(ANY_TEXT)
def test_printable_characters_stay_where_they_are(text: str) -> None:
    assert all(was == now for was, now in zip(text, safe(text), strict=True) if was.isprintable())


@given(ANY_TEXT)
def test_making_safe_twice_changes_nothing_more(text: str) -> None:
    assert safe(safe(text)) == safe(text)


@given(ANY_TEXT)
def test_the_output_can_be_encoded(text: str) -> None:
    safe(text).encode("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Map$Entry.<init>(int[]):void", "Map$Entry.<init>(int[]):void"),
        ("[bold]x[/bold] [@click=app.quit]y", "[bold]x[/bold] [@click=app.quit]y"),
        ("日本語 é ▾ ●", "日本語 é ▾ ●"),
        ("a\tb\x00c\x1b[31m", "a␉b␀c␛[31m"),
        ("\x1b]52;c;Zm9v\x07", "␛]52;c;Zm9v␇"),
        ("\x7f \x9b1m \x90q", "\ufffd \ufffd1m \ufffdq"),
        ("\u202eevil\u2066 \u200b \ufeff \u00ad", "\ufffdevil\ufffd \ufffd \ufffd \ufffd"),
        ("a\u2028b\u00a0c", "a\ufffdb\ufffdc"),
        ("\ud800 \ue000 \U000e0001", "\ufffd \ufffd \ufffd"),
        ("a\r\nb", "a␍␊b"),
    ],
)
def test_each_kind_of_dangerous_character(text: str, shown: str) -> None:
    assert safe(text) == shown
    assert shown.isprintable()


def test_printable_text_is_not_copied() -> None:
    text = "java.lang.String.length():int"
    assert safe(text) is text


def test_lines_keep_their_line_feeds_only() -> None:
    assert safe_lines("a\n\x1bb\r\n\n") == "a\n␛b␍\n\n"
