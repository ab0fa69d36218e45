"""Answers as text for people: columns, headings, widths, ASCII marks, progress, and the examples of the help."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import CORPUS, Answer, sample_path
from made_report import spans_of

from parsers.model.row import Column, Row
from tui.command_line.registry import COMMANDS
from tui.headless.row_table import FIRST, RowTable
from tui.headless.session import Remarks
from tui.headless.text_row import Painter, badge_words
from tui.terminal.ascii import ascii_cells, ascii_text, is_ascii

Run = Callable[..., Answer]

COLUMNS = (
    Column("bytes", "Bytes", "bytes", priority=2),
    Column("id", "id", badges=(("id", "#"), ("id_ref", "↩")), priority=1),
    Column("state", "State", "text", priority=3),
)


class Lines(list[str]):
    """The lines written by a table."""

    def table(self, width: int = 0, is_ascii: bool = False) -> RowTable:
        return RowTable(self.append, Painter(False), width, is_ascii)


def row(label: str, ref: str = "line:1", kind: str = "method", **badges: int | str) -> Row:
    return Row(0, kind, label, ref=ref, badges=badges)


def test_numbers_are_aligned_under_their_headings():
    lines = Lines()
    table = lines.table()
    table.add("View", COLUMNS, row("a", bytes=1234567, id=3), 0)
    table.add("View", COLUMNS, row("b", "line:100", bytes=5, id_ref=3, more=1000), 1)
    table.end()
    assert lines == [
        "REF           Bytes  Id  Kind    View",
        "line:1    1,234,567  #3  method  a",
        "line:100          5  ↩3  method    b  more=1,000",
    ]


def test_a_name_is_not_printed_twice():
    lines = Lines()
    table = lines.table()
    table.add("View", (), row("java.util", "package:java.util", "package"), 0)
    table.add("View", (), row("java.util.Map", "class:java.util.Map", "class", object="java.util.Map"), 1)
    table.add("View", (), row("Map", "object:0xe0", "object", object="0xe0"), 2)
    table.end()
    assert lines == [
        "REF          View",
        "package:     java.util",
        "class:         java.util.Map",
        "object:0xe0      Map",
    ]


def test_columns_without_values_are_left_out_and_a_later_value_is_named():
    lines = Lines()
    table = lines.table()
    for number in range(FIRST):
        table.add("View", COLUMNS, row(str(number), bytes=1), 0)
    assert len(lines) == 1 + FIRST
    table.add("View", COLUMNS, row("last", bytes=1, state="late", id=1234), 0)
    assert lines[0].split() == ["REF", "Bytes", "Kind", "View"]
    assert lines[-1].split() == ["line:1", "1", "method", "last", "state=late", "id=1234"]


def test_a_column_that_repeats_the_refs_is_left_out():
    lines = Lines()
    table = lines.table()
    for number in (7, 8):
        table.add("View", COLUMNS, row("a", f"id:{number}", "id", id=number, bytes=number), 0)
    table.end()
    assert lines == ["REF   Bytes  View", "id:7      7  a", "id:8      8  a"]


def test_the_least_important_columns_go_first_on_a_narrow_terminal():
    lines = Lines()
    table = lines.table(width=52)
    table.add("View", COLUMNS, row("a", bytes=1, id=3, state="x"), 0)
    table.end()
    table = lines.table(width=58)
    table.add("View", COLUMNS, row("a", bytes=1, id=3, state="x"), 0)
    table.end()
    assert [line.split() for line in lines] == [
        ["REF", "State", "Kind", "View"], ["line:1", "x", "method", "a"],
        ["REF", "Bytes", "State", "Kind", "View"], ["line:1", "1", "x", "method", "a"],
    ]  # fmt: skip


def test_names_fit_a_terminal_and_are_whole_in_a_pipe() -> None:
    label = "org.h2.jdbc.JdbcConnection.close(java.lang.String):java.lang.Object"
    method = Row(0, "method", label, ref="line:1", spans=spans_of(label), rows_below=12)
    for width, expected in (
        (0, label),
        (76, "org.h2.jdbc.JdbcConnection.close(String):Object"),
        (67, "o.h2.jdbc.JdbcConnection.close(String)"),
        (52, "JdbcConnection.close(…)"),
    ):
        lines = Lines()
        table = lines.table(width)
        table.add("View", (), method, 0)
        table.add("View", (), method, 30)
        table.end()
        assert lines[1] == f"line:1  method  {expected}  (12 below)"
        assert lines[2].endswith("  (12 below)") and (not width or len(lines[2]) <= width)


def test_long_texts_in_columns_are_cut_in_the_middle():
    lines = Lines()
    table = lines.table()
    table.add("View", COLUMNS, row("a", state="beginning" + "x" * 100 + "end"), 0)
    table.end()
    assert len(lines[1].split()[1]) == 32
    assert lines[1].split()[1].startswith("beginning") and lines[1].split()[1].endswith("end")


def test_another_view_begins_another_table_and_lines_keep_their_place():
    lines = Lines()
    table = lines.table()
    table.line("title")
    table.add("One", (), row("a"), 0)
    table.line("between")
    table.add("Two", (), row("b"), 0)
    table.end()
    assert lines == ["title", "REF     Kind    One", "line:1  method  a", "between", "REF     Kind    Two",
                     "line:1  method  b"]  # fmt: skip


def test_numbers_that_are_names_are_not_grouped():
    assert badge_words({"bytes": 1234, "compile_id": 1234, "thread": 5678, "tag": "x", "none": None}) == [
        "bytes=1,234", "compile_id=1234", "thread=5678", "tag=x",
    ]  # fmt: skip


# -- without UTF-8 ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "encoding", "expected"),
    [
        ({}, "utf-8", False),
        ({"LANG": "de_DE.UTF-8"}, "utf-8", False),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, "utf-8", True),
        ({"LC_ALL": "", "LC_CTYPE": "C.utf8", "LANG": "C"}, "utf-8", False),
        ({"LANG": "de_DE.ISO-8859-1"}, "utf-8", True),
        ({"LANG": "C.UTF-8"}, "ascii", True),
    ],
)
def test_the_locale_decides_about_ascii(environment: dict[str, str], encoding: str, expected: bool):
    stream = io.TextIOWrapper(io.BytesIO(), encoding)
    assert is_ascii(environment, stream) == expected


def test_ascii_replaces_the_signs_of_the_program():
    assert ascii_text("1 … 2 → 3 µs ↩4") == "1 ... 2 -> 3 us ^4"
    assert ascii_text("Größe") == "Größe"


def test_on_the_screen_every_character_keeps_its_cells():
    assert ascii_cells("a…→µ") == "a.>u"
    assert ascii_cells("Größe 名 \x1b[1m") == "Gro_e __ \x1b[1m"


def test_every_command_answers_in_an_ascii_locale():
    report = sample_path("v24.2_and_25", "call_tree_demo_20250916_101500.txt")
    environment = os.environ | {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    for words in (["info", report], ["tree", report], ["show", report, "id:6"], ["find", report, "wert"], ["help"]):
        answer = subprocess.run(
            [sys.executable, "-m", "tui", *map(str, words)], capture_output=True, timeout=60, env=environment
        )
        assert answer.returncode == 0
        assert answer.stdout.isascii() and answer.stderr.isascii()
        assert b"?" not in answer.stdout and b"\\u2" not in answer.stdout


# -- progress ---------------------------------------------------------------------------------------------------------


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_is_a_bar_of_constant_width_and_gone_before_a_message(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    screen = Screen()
    remarks = Remarks(screen, False)
    for done in (0, 50, 100):
        remarks.bar("searching", done, 100)
    remarks.show_message("done")
    shown = screen.getvalue().split("\r\x1b[K")[1:]
    assert [text.count("█") for text in shown] == [0, 12, 24, 0]
    assert [text[-5:] for text in shown[:3]] == ["  0 %", " 50 %", "100 %"]
    assert len({len(text) for text in shown[:3]}) == 1
    assert shown[3] == "done\n"


def test_progress_is_ascii_without_utf8_and_nothing_without_a_terminal(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LC_ALL", "C")
    screen, pipe = Screen(), io.StringIO()
    for stream in (screen, pipe):
        Remarks(stream, False).bar("indexing", 1, 2)
    assert screen.getvalue().endswith("indexing  ############------------  50 %")
    assert pipe.getvalue() == ""


# -- examples ---------------------------------------------------------------------------------------------------------

REPORTS = (
    sample_path("v24.2_and_25", "call_tree_demo_20250916_101500.txt"),
    sample_path("v24.2_and_25", "object_tree_demo_20250916_101500.txt"),
    *(
        CORPUS.parent / path
        for path in (
            "hotspot/odd_ltgt_17.log.xz",
            "hprof/text/profiletest-samples-thread.txt.xz",
            "hprof/heap/two-dumps.hprof.xz",
            "jdkprofilers/xprof_mixed.txt",
            "tptp/gen_all_two_members_zip.trcxml",
        )
    ),
)

EXAMPLES = [example for command in COMMANDS for example in command.examples if "REPORT" in example]


@pytest.mark.parametrize("report", REPORTS, ids=[path.name.partition(".")[0] for path in REPORTS])
def test_the_examples_of_the_help_work_on_any_report(
    report: Path, coffeetree: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("rules.toml").write_text('[[forbid]]\nname = "none"\nmethods = "no.such.*"\n')
    for example in EXAMPLES:
        if example.startswith(("between", "check")):
            # Paths need a graph, rules need views with what they name.
            continue
        answer = coffeetree(*(word.replace("REPORT", str(report)) for word in shlex.split(example)))
        assert answer.status in (0, 1), (example, answer.err)
        assert not answer.err.startswith("coffeetree: "), (example, answer.err)
        assert answer.out or answer.err or "rows.csv" in example or example.startswith("diff"), example
