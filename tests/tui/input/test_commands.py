"""The command line, options, copying and writing, reading again: on a real report."""

from __future__ import annotations

import csv
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS, Answer
from stage import Stage, browsing
from textual.screen import Screen

COLLECTIONS = TESTS / "corpus" / "hprof" / "collections" / "jdk17.hprof.xz"


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives each test its own stored state and configuration."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def sample(corpus: Path) -> Path:
    return corpus / "v24.2_and_25" / "reports" / "call_tree_demo_20250916_101500.txt"


@pytest.fixture
async def stage(sample: Path) -> AsyncIterator[Stage]:
    """A browser with the sample."""
    async with browsing(sample) as stage:
        yield stage


@pytest.fixture
async def heap() -> AsyncIterator[Stage]:
    """A browser with a heap dump, whose columns have headings that differ from their keys."""
    async with browsing(COLLECTIONS) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        yield stage


TARGETS = [
    ("12", 11),
    ("1", 0),
    ("line 7", 5),
    ("line:7", 5),
    ("id 14", 3),
    ("id:14", 3),
    ("node:8", 8),
    ("goto line:7", 5),
    ("goto 12", 11),
    ("name:java.lang.String.valueOf(java.lang.Object):java.lang.String", 3),
    ("  12  ", 11),
]


async def test_a_number_or_ref_goes_to_its_row(stage: Stage) -> None:
    for line, row in TARGETS:
        await stage.press("G zM")
        await stage.enter(line)
        assert (line, stage.node) == (line, row)


IMPOSSIBLE = [
    ("0", "row 0: there are rows 1 to 34"),
    ("35", "row 35: there are rows 1 to 34"),
    ("99999999999999999999", "row 999,999,999,999,999,999: there are rows 1 to 34"),
    ("line 1", "line:1: no row is printed on line 1"),
    ("id 999", "id:999: no row declares id 999"),
    ("id x", "id:x: 'x' is no number"),
    ("xyzzy", "No command xyzzy. :help lists all; a number or REF goes to its row."),
    ("xyzzy a", "No command xyzzy. :help lists all; a number or REF goes to its row."),
    ("goto", "No target given. For example :goto 123, :goto line:12, :goto id:85"),
    ("w", "No file given. For example :w branch.txt (or .csv, .json, .collapsed)"),
    ("w branch.xml", "branch.xml: the name must end in .txt, .text, .csv, .json, .collapsed"),
    ("w --safe branch.txt", "--safe quotes formulas of spreadsheets: the name must end in .csv"),
    ("mark 5", "A mark is one letter: a to z, A to Z."),
    ("sort colour", "No sort key colour. Keys: rows below; name; document"),
    ("columns colour", "No column colour. Columns: bci, id, rows_below"),
    ("theme pink", "No theme pink. Themes: dark, light, ansi-dark, ansi-light, mono"),
    ("set speed", "no option 'speed': there are number, ignorecase"),
    ("fold-to x", "x is no depth. For example :fold-to 2"),
    ("fold-to", "No depth given. For example :fold-to 2"),
    ("goto-mark z", "No mark z. mz sets it, M lists all."),
]


async def test_an_impossible_command_is_reported_in_a_line(stage: Stage) -> None:
    for line, says in IMPOSSIBLE:
        await stage.enter(line)
        assert stage.status.startswith(says)
        assert (line, stage.node) == (line, 0)


async def test_commands_have_words_and_their_beginnings(stage: Stage) -> None:
    await stage.enter("last-sibling")
    assert stage.node == 33
    await stage.enter("previous-sib")
    assert stage.node == 29
    await stage.enter("refs id:14")
    assert "references to" in stage.screen()
    await stage.enter("q")
    assert not stage.browser.has_list
    await stage.enter("find println")
    await stage.settled()
    await stage.until(lambda: stage.name == "PrintStream.println")


ORDERS = [
    ("bytes", "bytes"),
    ("Shallow, B", "bytes"),
    ("shallow", "bytes"),
    ("GARB", "garbage"),
    ("-objects", "-objects"),
]


async def test_rows_are_sorted_by_a_key_a_heading_or_its_beginning(heap: Stage) -> None:
    for text, order in ORDERS:
        await heap.enter("sort document")
        assert heap.browser.tree_view.order is None
        await heap.enter(f"sort {text}")
        assert (text, heap.browser.tree_view.order) == (text, order)


async def test_sort_is_completed_with_the_headings_on_the_screen(heap: Stage) -> None:
    await heap.type(":sort ")
    await heap.press("Tab")
    assert "Shallow, B  Retained, B  Objects  Garbage, B" in heap.keys
    await heap.press("Esc")
    await heap.type(":sort gar")
    await heap.press("Tab")
    assert heap.keys.startswith(":sort Garbage, B")
    await heap.press("Esc v")
    await heap.type(":sort ro")
    await heap.press("Tab Enter")
    assert heap.status == "sorted by rows"


async def test_a_page_has_no_order_to_complete(stage: Stage) -> None:
    await stage.press("?")
    await stage.type(":sort ")
    await stage.press("Tab")
    assert stage.keys.startswith(":sort ")


async def test_a_command_line_with_control_characters_is_harmless(stage: Stage) -> None:
    stage.browser.interaction.run_line("x\x1b]0;title\x07 y")
    assert "\x1b" not in stage.status and "\x07" not in stage.status


async def test_options_change_the_screen(stage: Stage) -> None:
    await stage.enter("set number")
    assert any(line.startswith("   2 ") for line in stage.lines())
    await stage.enter("set nonumber scrolloff=7 ascii")
    assert stage.browser.tree_view.viewport.margin == 7
    assert "> - * com.example" in stage.screen()
    await stage.enter("set noascii percent")
    await stage.press("G")
    assert "100 %" in stage.status
    await stage.enter("set")
    assert "nonumber" in stage.status and "scrolloff=7" in stage.status


async def test_case_can_be_left_out_of_all_searches(stage: Stage) -> None:
    await stage.enter("set ignorecase")
    await stage.press('/ "PRINTLN" Enter')
    await stage.settled()
    await stage.until(lambda: stage.name == "PrintStream.println")


async def test_themes_are_chosen_or_walked(stage: Stage) -> None:
    await stage.enter("theme light")
    assert stage.app.palette.name == "light"
    await stage.enter("theme")
    assert stage.app.palette.name == "ansi-dark"
    await stage.enter("set mono")
    assert stage.app.palette.is_mono
    await stage.enter("set nomono theme=dark")
    assert stage.app.palette.name == "dark"


async def test_the_configuration_gives_options_and_keys(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "config" / "coffeetree").mkdir(parents=True)
    config = tmp_path / "config" / "coffeetree" / "config.toml"
    config.write_text('[options]\nnumber = true\ntheme = "light"\n[keys]\ndown = ["X", "Down"]\nup = "^s"\n')
    async with browsing(sample) as stage:
        await stage.until(lambda: stage.app.palette.name == "light")
        assert "can't be bound" in stage.status
        await stage.press("X X")
        assert stage.node == 2
        await stage.press("j")
        assert stage.status == "j is not bound in this view  (? help)"
        await stage.press("?")
        assert "X  Down" in stage.screen()


async def test_columns_are_chosen(stage: Stage) -> None:
    await stage.enter("columns id")
    assert "@3" not in stage.screen() and "#6" in stage.screen()
    await stage.enter("columns")
    assert "@3" in stage.screen()
    await stage.enter("columns #ID rows")
    assert "@3" not in stage.screen() and "#6" in stage.screen()
    await stage.type(":columns id b")
    await stage.press("Tab Enter")
    assert "@3" in stage.screen() and "#6" in stage.screen()


@pytest.mark.parametrize("suffix", ["txt", "csv", "json", "collapsed"])
async def test_a_branch_is_written_in_the_form_of_the_suffix(
    sample: Path, tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    target = Path(f"branch.{suffix}")
    async with browsing(sample) as stage:
        await stage.press("j j")
        await stage.enter(f"w {target}")
        assert stage.status == f"6 rows of the branch written to {target}"
    text = target.read_text()
    if suffix == "txt":
        assert text.splitlines()[1].startswith(
            "  null:java.lang.String.valueOf(java.lang.Object):java.lang.String  @12"
        )
    elif suffix == "csv":
        table = list(csv.DictReader(text.splitlines()))
        assert (table[1]["depth"], table[1]["kind"], table[1]["ref"]) == ("1", "direct call", "line:5")
    elif suffix == "json":
        assert json.loads(text.splitlines()[1])["badges"] == {"id": 14, "bci": "12"}
    else:
        assert text.splitlines()[1].endswith(":java.lang.String 1") and text.splitlines()[1].count(";") == 1


async def test_numbers_of_a_written_table_are_those_that_export_writes(
    tmp_path: Path, coffeetree: Callable[..., Answer]
) -> None:
    log, target = TESTS / "corpus" / "hotspot" / "full_25.log.xz", tmp_path / "free.csv"
    async with browsing(log) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        await stage.enter("view Code cache")
        await stage.enter(f"w {target}")
        assert stage.status.startswith("4 rows of the branch written to")
    written = list(csv.DictReader(target.read_text().splitlines()))
    assert coffeetree("export", "--to", "csv", "--view", "Code cache", log, tmp_path / "all.csv").status == 0
    exported = csv.DictReader((tmp_path / "all.csv").read_text().splitlines())
    assert [row["free"] for row in written] == [row["free"] for row in exported][:4]
    assert written[1]["free"] == "3991552"


FORMULAS = """VM Entry Points
├── entry =cmd.X.a():void id=1\x20
│   ├── directly calls -x.Y.b():int id=2 @bci=4\x20
│   └── directly calls a.Y.c():int id=3 @bci=8\x20

"""
"""Labels of a call tree that spreadsheets would run, and one that they would not."""


@pytest.mark.parametrize(
    ("line", "labels"),
    [
        ("w {}", ["=cmd.X.a():void", "-x.Y.b():int", "a.Y.c():int"]),
        ("w --safe {}", ["'=cmd.X.a():void", "'-x.Y.b():int", "a.Y.c():int"]),
    ],
)
async def test_safe_escapes_the_formulas_of_a_written_table(tmp_path: Path, line: str, labels: list[str]) -> None:
    report, target = tmp_path / "call_tree_demo_20230401_101500.txt", tmp_path / "branch.csv"
    report.write_text(FORMULAS)
    async with browsing(report) as stage:
        await stage.enter(line.format(target))
        assert stage.status.startswith("3 rows of the branch written to")
    table = list(csv.DictReader(target.read_text().splitlines()))
    assert [row["label"] for row in table] == labels


async def test_safe_is_completed_and_its_files_too(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("branch.csv").touch()
    async with browsing(sample) as stage:
        await stage.press(": w space - - s Tab b r Tab Enter")
        assert "branch.csv exists: overwrite?" in stage.keys


async def test_a_file_is_only_overwritten_when_asked(sample: Path, tmp_path: Path) -> None:
    target = tmp_path / "branch.txt"
    target.write_text("mine")
    async with browsing(sample) as stage:
        await stage.enter(f"w {target}")
        assert "exists: overwrite?" in stage.keys
        await stage.press("n Enter")
        assert (stage.status, target.read_text()) == ("Cancelled.", "mine")
        await stage.enter(f"w {target}")
        await stage.press("y Enter")
        assert target.read_text() != "mine"
        assert sorted(path.name for path in tmp_path.glob("branch*")) == ["branch.txt"]


async def test_tagged_rows_are_written_before_the_branch(stage: Stage, tmp_path: Path) -> None:
    await stage.press("t 5 j t")
    await stage.enter(f"w {tmp_path / 'tags.txt'}")
    assert stage.status.startswith("2 tagged rows written")


async def test_a_folder_that_can_not_be_written_is_reported(stage: Stage) -> None:
    await stage.enter("w /nonexistent/branch.txt")
    assert stage.status == "/nonexistent/branch.txt: No such file or directory"


async def test_reading_again_keeps_the_position_and_clears_matches(sample: Path, tmp_path: Path) -> None:
    copy = tmp_path / sample.name
    copy.write_bytes(sample.read_bytes())
    async with browsing(copy) as stage:
        await stage.press('/ "println" Enter')
        await stage.settled()
        await stage.press("f r")
        await stage.settled()
        await stage.press("R")
        await stage.settled()
        assert stage.name == "PrintStream.println"
        assert stage.browser.interaction.search.found is None
        assert stage.browser.tree_view.row_count < 34
        await stage.press("n")
        await stage.settled()
        assert stage.name == "PrintStream.println"


async def test_three_interrupts_quit(stage: Stage) -> None:
    await stage.press("^c ^c")
    assert stage.app.is_running
    await stage.press("^c")
    await stage.until(lambda: not stage.app.is_running)
    assert stage.app.return_code == 0


async def test_undo_of_a_search_esc_leaves_folds_as_they_were(stage: Stage) -> None:
    await stage.press('zM / "StringBuilder"')
    await stage.until(lambda: stage.browser.tree_view.row_count > 4)
    await stage.press("Esc")
    assert stage.browser.tree_view.row_count == 4
    await stage.press("u")
    assert stage.browser.tree_view.row_count == 34


async def test_hostile_names_are_copied_printable(tmp_path: Path) -> None:
    report = tmp_path / "call_tree_x_20250101_010101.txt"
    name = "a.B.\x1b]52;c;QQ==\x07[red]x\u202e()"
    report.write_text(f"VM Entry Points\n├── entry {name}:void id=0 \n└── entry a.C.d():void id=1 \n", "utf-8")
    async with browsing(report) as stage:
        await stage.press("y y y f y n y p y P y b m a t M")
        assert all(text.isprintable() or "\n" in text for text in stage.copied)
        assert not any(sign in text for text in stage.copied for sign in "\x1b\x07\u202e")
        assert all(line.isprintable() for line in stage.lines())
        await stage.press("q r q W q L q * # = q !")
        assert all(line.isprintable() for line in stage.lines())


async def test_a_prompt_opens_and_closes_without_a_layout_of_the_screen(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layouts: list[object] = []
    refresh_layout = Screen._refresh_layout

    def counted(screen: Screen[object], *sizes: Any, **more: Any) -> None:
        layouts.append(sizes)
        refresh_layout(screen, *sizes, **more)

    async with browsing(sample) as stage:
        await stage.press(": Esc")
        monkeypatch.setattr(Screen, "_refresh_layout", counted)
        for keys in (': "line" Esc', '/ "Map" Esc Esc', "& Esc", "fs Esc"):
            await stage.press(keys)
        assert layouts == []
        await stage.press("i")
        assert layouts


async def test_a_long_message_goes_on_in_the_line_of_the_keys_until_the_next_key(sample: Path):
    async with browsing(sample, size=(80, 24)) as stage:
        keys = stage.browser.key_line.text
        stage.browser.show_message("a " * 50 + "last", "problem")
        shown = f"{stage.browser.status_line.text.strip()} {stage.browser.key_line.text.strip()}"
        assert shown == "a " * 50 + "last"
        stage.browser.show_message("a " * 90 + "last")
        assert stage.browser.key_line.text.rstrip().endswith("a …")
        await stage.press("j")
        assert stage.browser.key_line.text == keys
