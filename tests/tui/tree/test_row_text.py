"""One row as a line: roles, shortening, columns, cutting, and text that would do harm."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from made_report import MadeReport, MadeTree, spans_of

from parsers.model.names.java_name import class_spans
from parsers.model.row import Column, Row, Span
from tui.screen.palettes import PALETTES
from tui.tree.column_text import column_text, rows_below_text, titled
from tui.tree.indentation import fitting
from tui.tree.label import (
    BRIEF,
    FULL,
    PLAIN,
    SHORT,
    fitted_label,
    label_pieces,
    short_package,
    whole_label,
    without_parent_type,
)
from tui.tree.piece import Piece, cut, cut_middle, drop_cells, pad, width_of
from tui.tree.row_text import (
    LEAST_LABEL,
    RowLayout,
    RowState,
    column_pieces,
    fitting_columns,
    own_value,
    remark_pieces,
    row_segments,
)

METHOD = "org.h2.jdbc.JdbcConnection.close(java.lang.String):java.lang.Object"
COLUMNS = (
    Column("bci", "at", "text", (("bci", "@"),), width=6, priority=3),
    Column("id", "id", "count", (("id", "#"), ("id_ref", "↩")), width=8, priority=2),
    Column("rows_below", "rows below", "count", width=9, priority=1),
)


def row(label: str, **more: object) -> Row:
    return Row(0, "entry", label, spans=spans_of(label), **more)  # type: ignore[arg-type]


def text_of(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def drawn(a_row: Row, width: int, state: RowState | None = None, **layout: object) -> str:
    state = state or RowState(depth=a_row.depth)
    kind = MadeReport.kinds.get(a_row.kind)
    line = row_segments(a_row, kind, state, RowLayout(width, COLUMNS, **layout), PALETTES["dark"])  # type: ignore[arg-type]
    return "".join(segment.text for segment in line)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (FULL, METHOD),
        (PLAIN, "org.h2.jdbc.JdbcConnection.close(String):Object"),
        (SHORT, "o.h2.jdbc.JdbcConnection.close(String)"),
        (BRIEF, "o.h2.jdbc.JdbcConnection.close(…)"),
    ],
)
def test_names_get_shorter_in_steps(names, expected):
    assert text_of(label_pieces(row(METHOD), names)) == expected


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        (47, "org.h2.jdbc.JdbcConnection.close(String):Object"),
        (46, "o.h2.jdbc.JdbcConnection.close(String)"),
        (37, "o.h2.jdbc.JdbcConnection.close(…)"),
        (32, "o.h2.j.JdbcConnection.close(…)"),
        (29, "JdbcConnection.close(…)"),
        (22, "…bcConnection.close(…)"),
        (12, "…on.close(…)"),
    ],
)
def test_a_label_fills_the_available_width_and_its_method_is_cut_last(room, expected):
    assert text_of(fitted_label(row(METHOD), PLAIN, room)) == expected


def test_a_match_in_what_would_be_left_out_brings_it_back():
    start = METHOD.index("java.lang.Object")
    pieces = fitted_label(row(METHOD), PLAIN, 100, [(start, start + 4)])
    assert text_of(pieces) == METHOD
    assert [piece.text for piece in pieces if piece.role == "match"] == ["java"]


def test_a_match_behind_the_edge_is_brought_into_sight():
    start = METHOD.index("java.lang.Object")
    pieces = fitted_label(row(METHOD), PLAIN, 40, [(start, start + 16)])
    assert text_of(pieces) == "close…java.lang.String):java.lang.Object"
    assert "".join(piece.text for piece in pieces if piece.role == "match") == "java.lang.Object"


def test_a_match_that_is_in_sight_moves_nothing():
    pieces = fitted_label(row(METHOD), PLAIN, 40, [(0, 3)])
    assert text_of(pieces) == "org.h2.jdbc.JdbcConnection.close(String):Object"


def test_a_match_over_several_spans_is_marked_in_each():
    start, end = METHOD.index("JdbcC"), METHOD.index("(")
    pieces = label_pieces(row(METHOD), FULL, [(start, end)], is_current=True)
    assert [piece.text for piece in pieces if piece.role == "current-match"] == ["JdbcConnection", ".", "close"]


@pytest.mark.parametrize(
    ("package", "short"),
    [
        ("org.h2.tools", "o.h2.tools"),
        ("java.sql", "j.s"),
        ("com.sun.tools.javac.comp", "c.s.tools.javac.comp"),
        ("demo", "d"),
        ("", ""),
    ],
)
def test_packages_become_short(package, short):
    assert short_package(package) == short


def test_the_pane_shows_a_name_whole_but_for_its_loader():
    from parsers.model.row import Span

    label = "app:a.B.c():void"
    spans = (Span(0, 3, "loader"), Span(4, 5, "package"), Span(6, 7, "class"), Span(8, 9, "name"))
    assert text_of(whole_label(Row(0, "entry", label, spans=spans))) == "a.B.c():void"


def test_the_pane_omits_a_package_that_it_shows_anyway_and_nothing_before_it():
    from parsers.model.row import Span

    row = Row(
        0, "object", "static cache: a.b.C", spans=(Span(0, 12, "name"), Span(14, 17, "package"), Span(18, 19, "class"))
    )
    assert text_of(whole_label(row, {"a.b.C"})) == "static cache: C"
    assert text_of(whole_label(row)) == "static cache: a.b.C"


def test_a_row_fills_its_line_and_columns_are_at_the_right_edge():
    line = drawn(row("a.B.c():void", badges={"bci": "4", "id": 1021}, rows_below=81015), 72)
    assert line == "    ● a.B.c():void".ljust(46) + "     @4    #1021    81,015"
    assert len(line) == 72


def test_columns_stay_where_names_scroll_sideways():
    still = drawn(row("a.B.c():void", badges={"id": 7}), 72)
    scrolled = drawn(row("a.B.c():void", badges={"id": 7}), 72, left=4)
    assert scrolled.startswith("  a.B.c():void")
    assert still[46:] == scrolled[46:]


def test_columns_go_one_by_one_and_the_label_stays():
    assert [column.name for column in fitting_columns(COLUMNS, LEAST_LABEL + 26)] == ["bci", "id", "rows_below"]
    assert [column.name for column in fitting_columns(COLUMNS, LEAST_LABEL + 25)] == ["bci", "id"]
    assert [column.name for column in fitting_columns(COLUMNS, LEAST_LABEL + 7)] == ["bci"]


def test_the_most_important_column_stays_while_a_label_of_16_cells_fits():
    assert [column.name for column in fitting_columns(COLUMNS, 16 + 7)] == ["bci"]
    assert fitting_columns(COLUMNS, 16 + 6) == ()


def test_bars_go_before_one_of_the_three_most_important_columns():
    columns = (*COLUMNS, Column("size", "size", "bytes", width=20, priority=9, bar=8), Column("n", "n", priority=-1))
    shown = fitting_columns(columns, LEAST_LABEL + 7 + 9 + 21)
    assert [(column.name, column.bar) for column in shown] == [("bci", 0), ("id", 0), ("size", 8)]
    shown = fitting_columns(columns, LEAST_LABEL + 7 + 9 + 12)
    assert [(column.name, column.bar, column.width) for column in shown][-1] == ("size", 0, 11)


@pytest.mark.parametrize(
    ("title", "unit", "expected"),
    [
        ("Retained", "bytes", "Retained, B"),
        ("Live bytes", "bytes", "Live bytes"),
        ("Time ms", "ms", "Time ms"),
        ("waited", "ms", "waited, ms"),
        ("took", "ns", "took"),
        ("Live bytes/s", "bytes/s", "Live bytes/s"),
    ],
)
def test_a_title_has_the_unit_that_the_numbers_do_not_show(title, unit, expected):
    assert titled(Column("x", title, unit)) == expected


def test_the_column_by_which_rows_are_sorted_goes_last() -> None:
    assert [column.name for column in fitting_columns(COLUMNS, LEAST_LABEL + 25, "rows_below")] == ["bci", "rows_below"]


def test_a_view_whose_labels_need_more_cells_has_fewer_columns() -> None:
    shown = fitting_columns(COLUMNS, LEAST_LABEL + 26, label_width=LEAST_LABEL + 1)
    assert [column.name for column in shown] == ["bci", "id"]


def test_a_value_beside_a_name_is_whole_if_the_short_name_leaves_room() -> None:
    state = RowState(depth=0, remark="0xe0490158")
    name = "java.util.concurrent.ConcurrentHashMap"
    table = Row(0, "entry", name, spans=tuple(class_spans(name)), badges={"bci": 5})
    line = drawn(table, 66, state)
    assert "ConcurrentHashMap  0xe0490158 " in line


def test_flags_have_a_sign_and_stay_when_the_label_is_cut():
    line = drawn(row("a" * 90, flags=("damaged",), badges={"bci": 5}), 72)
    assert "aaa…  !damaged " in line


def test_a_label_fills_the_columns_beside_it_that_are_blank() -> None:
    assert drawn(row("a" * 50), 72) == f"    ● {'a' * 50}".ljust(72)
    assert drawn(row("a" * 90), 72) == f"    ● {'a' * 65}…"
    # 16 cells of the columns `at` and `id`, and a blank before the number.
    assert drawn(row("a" * 90, rows_below=7), 72) == f"    ● {'a' * 55}…".ljust(71) + "7"
    assert drawn(row("a" * 90, badges={"bci": 5}), 72) == f"    ● {'a' * 39}…     @5".ljust(72)


def test_numbers_that_may_still_rise_show_it():
    assert rows_below_text(row("a", rows_below=268031, is_growing=True)) == "268,031…"
    assert rows_below_text(row("a", rows_below=None, is_growing=True)) == "…"
    assert rows_below_text(row("a", rows_below=16_271_234, is_growing=True), 9) == "16.27 M…"


def test_a_number_wider_than_its_column_is_shown_in_millions():
    with_bar = Column("bytes", "Bytes", "bytes", width=14, bar=3)
    text = "".join(piece.text for piece in column_pieces(row("a", badges={"bytes": 12_345_678_901}), [with_bar]))
    assert text.startswith(" 12,345.7 M ") and len(text) == 15
    kept = "".join(piece.text for piece in column_pieces(row("a", badges={"bytes": 45_678_901}), [with_bar]))
    assert kept.startswith(" 45,678,901 ")


def test_a_remark_follows_the_label_if_it_fits():
    state = RowState(depth=0, remark="SECONDS " * 20)
    assert drawn(row("a", badges={"bci": 5}), 72, state).startswith("    ● a  SECONDS SECONDS SECONDS SECONDS SECO…")
    assert "SECONDS" not in drawn(row("a" * 40, badges={"bci": 5}), 72, state)


def test_zero_rows_below_are_shown_for_declarations_only():
    assert rows_below_text(row("a", rows_below=0)) == ""
    assert rows_below_text(row("a", rows_below=0, badges={"id": 4})) == "0"
    assert rows_below_text(row("a", rows_below=0, badges={"id": 4}, link="line:7")) == ""


def test_a_reference_has_its_sign_in_ascii_too():
    a_row = row("a", badges={"id_ref": 1471})
    assert column_text(a_row, COLUMNS[1]) == "↩1471"
    assert column_text(a_row, COLUMNS[1], is_ascii=True) == "^1471"


def test_ascii_rows_are_ascii():
    line = drawn(
        row("a.B.c():void", badges={"id_ref": 3}),
        72,
        RowState(depth=1, fold="+", is_cursor=True),
        is_ascii=True,
    )
    assert line.startswith(">   + * a.B.c():void")
    assert line.isascii()


def test_indentation_ends_at_the_deepest_level_that_is_drawn():
    def first(depth: int) -> int:
        return drawn(row("x"), 200, RowState(depth=depth)).index("x")

    assert first(40) == first(41) == first(3000) > first(39)


def test_text_of_a_file_cannot_act_on_the_terminal():
    line = drawn(row("a\x1b[31mb\x07\u202ec[bold]d\u200b"), 72)
    assert line.isprintable()
    assert "a␛[31mb␇\ufffdc[bold]d\ufffd" in line


def test_a_name_of_a_megabyte_is_cut_before_it_is_measured():
    line = drawn(row("\u0301" * 1_000_000), 72)
    assert len(line) < 1000
    assert "characters" in text_of(label_pieces(row("x" * 1_000_000), PLAIN))


@given(st.text(max_size=60), st.integers(1, 90), st.integers(0, 50), st.integers(0, 60))
def test_every_line_is_exactly_as_wide_as_asked_for(label, width, left, depth):
    line = drawn(row(label, badges={"id": 5}, flags=("partial",)), width, RowState(depth=depth), left=left)
    columns = 0 if width > 26 else 26
    assert width_of(line) == max(width, columns + 1)
    assert line.isprintable()


@given(st.lists(st.text(max_size=20), max_size=5), st.integers(0, 40), st.integers(0, 30))
@example(["\U0001f3fb", "0"], 0, 0)
@example(["a", "\U0001f3fb", "0"], 1, 0)
def test_cutting_never_gives_more_cells_than_asked_for(texts, width, left):
    pieces = [Piece("".join(c for c in text if c.isprintable())) for text in texts]
    assert sum(width_of(piece.text) for piece in cut(pieces, width, left)) <= width


def test_half_of_a_wide_character_becomes_a_blank():
    assert drop_cells("日本", 1) == " 本"
    assert text_of(cut([Piece("日本語")], 4)) == "日 …"
    assert text_of(pad([Piece("ab")], 4)) == "ab  "


def test_rows_of_the_drawing_are_read_as_drawn():
    tree = MadeTree(["a #5", "  b ^5 !partial"])
    assert (tree.row(0).badges, tree.row(1).badges, tree.row(1).flags) == ({"id": 5}, {"id_ref": 5}, ("partial",))


def test_signs_taken_for_narrow_are_one_cell_wide():
    from rich.cells import cell_len

    from tui.tree.piece import is_narrow

    narrow = [chr(code) for code in range(32, 0x3000) if is_narrow(chr(code))]
    assert [sign for sign in narrow if sign.isprintable() and cell_len(sign) != 1] == []
    assert is_narrow("  ▾ ● ⇢ ↩ … █ ▐ ○ • ▪ é")


@pytest.mark.parametrize(
    ("depths", "cursor", "room", "cells"),
    [
        ((0, 6), 6, 50, 12),
        ((0, 13), 13, 50, 26),
        ((0, 14), 14, 50, 14),
        ((0, 36), 0, 50, 0),
        ((0, 36), 30, 50, 22),
        ((20, 24), 22, 50, 12),
        ((0, 3000), 3000, 50, 24),
        ((0, 3), 3, 10, 3),
    ],
)
def test_a_name_is_seen_at_any_depth(depths, cursor, room, cells):
    assert fitting(*depths, cursor, room).cells(cursor) == cells


def test_rows_too_deep_for_the_screen_are_indented_like_the_last_level():
    indentation = fitting(0, 36, 0, 50)
    assert (indentation.cells(26), indentation.cells(27), indentation.cells(36)) == (26, 26, 26)


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (70, "java.util.HashMap.get(Object):Object  (expansion suppressed)"),
        (46, "j.u.HashMap.get(…)  (expansion suppressed)"),
        (44, "HashMap.get(…)  (expansion suppressed)"),
        (40, "j.u.HashMap.get(Object)  +suppressed"),
        (28, "j.u.HashMap.get(…) +"),
        (14, "…get(…) +"),
    ],
)
def test_a_suppressed_row_shows_it_in_full_words_if_they_fit(width, shown):
    suppressed = row("java.util.HashMap.get(java.lang.Object):java.lang.Object", flags=("suppressed",))
    segments = row_segments(suppressed, None, RowState(0), RowLayout(width, ()), PALETTES["dark"])
    assert "".join(segment.text for segment in segments).strip() == shown


@pytest.mark.parametrize(
    ("wanted", "room", "shown"),
    [
        ("JdbcConnection.close", 50, "org.h2.jdbc.JdbcConnection.close(String):Object"),
        ("JdbcConnection.close", 25, "JdbcConnection.close(…)"),
        ("JdbcConnection.close", 38, "o.h2.jdbc.JdbcConnection.close(String)"),
        ("h2.jdbc", 25, "org.h2.jdbc.JdbcConnection.close(String):Object"),
        ("String", 38, "o.h2.jdbc.JdbcConnection.close(String)"),
    ],
)
def test_a_name_is_shortened_around_its_match_if_that_stays_whole(wanted: str, room: int, shown: str) -> None:
    start = METHOD.rindex(wanted) if wanted == "String" else METHOD.index(wanted)
    pieces = fitted_label(row(METHOD), PLAIN, room, [(start, start + len(wanted))])
    assert text_of(pieces) == shown


SITE = "a.b.FileViews$Basic.readAttributes(String, int) @ a.b.FileSystemProvider.read:23"
SITE_SPANS = (
    Span(0, 3, "package"),
    Span(4, 19, "class"),
    Span(20, 34, "name"),
    Span(35, 41, "argument"),
    Span(43, 46, "argument"),
    Span(47, 50, "place"),
    Span(50, 53, "package"),
    Span(54, 80, "place"),
)


@pytest.mark.parametrize(
    ("room", "shown"),
    [
        (80, SITE),
        (70, "a.b.FileViews$Basic.readAttributes(…) @ a.b.FileSystemProvider.read:23"),
        (60, "FileViews$Basic.readAttributes @ FileSystemProvider.read:23"),
        (50, "…Basic.readAttributes @ FileSystemProvider.read:23"),
        (44, "…readAttributes @ FileSystemProvider.read:23"),
        (34, "…readAttributes @ …rovider.read:23"),
        (28, "…readAttributes @ …r.read:23"),
    ],
)
def test_the_call_position_is_cut_after_arguments_and_class(room, shown):
    assert text_of(fitted_label(Row(0, "call", SITE, spans=SITE_SPANS), PLAIN, room)) == shown


MEMBER = "a.b.Shop.order():void"


def test_a_type_is_not_repeated_in_the_rows_of_its_members():
    parent, child = row("a.b.Shop"), row(MEMBER)
    parent = replace(parent, spans=(Span(0, 3, "package"), Span(4, 8, "class")))
    shown, removed = without_parent_type(child, parent, has_remark=False)
    assert (shown.label, removed) == ("order():void", len("a.b.Shop."))
    assert "".join(piece.text for piece in label_pieces(shown, FULL)) == "order():void"
    assert without_parent_type(row("a.b.Shopping.order():void"), parent, has_remark=False)[1] == 0
    assert without_parent_type(row(MEMBER), row(MEMBER), has_remark=True)[1] == 0


def test_a_type_is_left_out_of_its_objects_only_if_they_have_a_value():
    parent = replace(row("a.b.Shop"), spans=(Span(0, 3, "package"), Span(4, 8, "class")))
    assert without_parent_type(parent, parent, has_remark=False)[0].label == "a.b.Shop"
    assert without_parent_type(parent, parent, has_remark=True)[0].label == ""


def test_an_object_is_shown_by_its_number_beside_its_class():
    node = replace(row("HashMap$Node"), spans=(Span(0, 12, "class"),))
    assert own_value(node, "HashMap.Node@1607") == "@1607"
    assert own_value(node, "Other@1607") == "Other@1607"


def test_values_are_cut_in_their_middle_and_sentences_at_their_end():
    assert "".join(piece.text for piece in cut_middle([Piece("abcdefghij")], 7)) == "abc…hij"
    assert "".join(piece.text for piece in remark_pieces("0x7f00aa00bb", 10)) == "  0x7…00bb"
    assert "".join(piece.text for piece in remark_pieces("waiting for a lock", 10)) == "  waiting…"


def test_a_value_keeps_cells_beside_a_long_class():
    name = "BoundMethodHandle$Species_LLLL"
    long = replace(row(name), spans=(Span(0, len(name), "class"),))
    for value in ("@1523999310", "@1523999311"):
        state = RowState(1, remark=value)
        line = row_segments(long, None, state, RowLayout(46, ()), PALETTES["dark"])
        assert value in "".join(segment.text for segment in line)
