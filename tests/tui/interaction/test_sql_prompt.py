"""The SQL prompt: completion, the schema, results as views, errors with their place, queries that are stopped."""

from __future__ import annotations

import csv
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from stage import Stage, browsing

from parsers.reporting.sql.result_view import ResultView
from tui.interaction.sql import sql_prompt
from tui.interaction.sql.sql_prompt import place_of_error

ENDLESS = "SELECT a.i FROM range(10000000000) a(i), range(1000000) b(i) WHERE a.i + b.i = -1"
DEAF = "SELECT length(repeat('x', 1500000000))"
"""A query that DuckDB does not interrupt."""
HOSTILE = "com.example.\x1b[31mEvil\u202e.[bold]x(java.lang.String):void"


@asynccontextmanager
async def querying(path: Path, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Stage]:
    """A browser whose report is indexed."""
    async with browsing(path, size=size) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        yield stage


@pytest.fixture
async def stage(call_tree: Path) -> AsyncIterator[Stage]:
    """A browser with the sample."""
    async with querying(call_tree) as stage:
        yield stage


async def prompt(stage: Stage) -> None:
    """Opens the prompt, and waits for the tables."""
    await stage.press(";")
    await stage.until(lambda: "problem" in stage.screen())


async def query(stage: Stage, text: str) -> None:
    """Runs a query from the prompt."""
    await stage.press(";")
    await stage.type(text)
    await stage.press("Enter")


async def result(stage: Stage, text: str) -> ResultView:
    """Runs a query, and returns its complete result when that is shown."""
    before = stage.browser.view.name
    await query(stage, text)
    await stage.until(
        lambda: stage.browser.view.name != before and not stage.browser.interaction.sql.queries.is_running
    )
    await stage.quiet()
    view = stage.browser.view
    assert isinstance(view, ResultView)
    return view


def labels(stage: Stage) -> list[str]:
    """The labels that are shown."""
    tree = stage.browser.tree_view
    assert tree.outline is not None
    return [tree.row(node).label for node in tree.outline.nodes(0, tree.row_count)]


async def test_a_result_is_a_view_and_enter_goes_to_the_row_of_its_ref(stage: Stage) -> None:
    view = await result(stage, "SELECT line, name, ref FROM method WHERE line > 2 ORDER BY line DESC")
    rows = [view.tree.row(node) for node in range(view.row_count or 0)]
    assert [row.badges["line"] for row in rows] == sorted((row.badges["line"] for row in rows), reverse=True)
    assert rows[0].ref == rows[0].link == f"line:{rows[0].badges['line']}"
    assert "Enter row of the report" in stage.keys
    await stage.press("Enter")
    assert (stage.browser.view.name, stage.row.line) == ("Call tree", rows[0].badges["line"])
    await stage.press("<")
    assert stage.browser.view is view
    await stage.press("V")
    assert stage.browser.view.name == "Call tree"


async def test_rows_are_sorted_searched_filtered_and_copied_as_in_other_views(stage: Stage) -> None:
    await result(stage, "SELECT i, 'row ' || i AS name, i * 10 AS tens FROM range(30) t(i)")
    await stage.press(": s o r t Space t e n s Enter")
    assert labels(stage)[:2] == ["row 29", "row 28"]
    await stage.press("s s")
    assert labels(stage)[:3] == ["row 0", "row 1", "row 10"]
    await stage.press('/ "17" Enter')
    await stage.until(lambda: stage.row.label == "row 17")
    await stage.press('Esc & "row" Space "2" Enter')
    await stage.until(lambda: stage.browser.tree_view.row_count == 11)
    await stage.press("g yy")
    assert stage.copied[0].split() == ["row", "2", "2", "20"]


@pytest.mark.parametrize("suffix", ["csv", "json"])
async def test_a_result_is_written_with_its_own_columns(call_tree: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"rows.{suffix}"
    async with querying(call_tree) as stage:
        await result(
            stage, "SELECT i AS n, NULL AS none, sum(i) AS total FROM range(3) t(i) GROUP BY i ORDER BY i DESC"
        )
        await stage.enter(f"w {path}")
        await stage.until(path.exists)
    expected = [(2, None, 2), (1, None, 1), (0, None, 0)]
    if suffix == "json":
        assert [tuple(json.loads(line).values()) for line in path.read_text().splitlines()] == expected
    else:
        rows = list(csv.reader(path.open()))
        assert rows == [["n", "none", "total"], *([str(n), "", str(total)] for n, _, total in expected)]


async def test_an_error_opens_the_prompt_again_with_the_cursor_at_its_place(stage: Stage) -> None:
    await query(stage, "SELECT nam FROM method WHERE line > 1")
    await stage.until(lambda: "^^^" in stage.screen())
    lines = stage.lines()
    mark = next(number for number, line in enumerate(lines) if "^^^" in line)
    assert lines[mark - 1][lines[mark].index("^") :].startswith("nam FROM")
    opened = stage.browser.interaction.prompt
    assert opened is not None
    assert (opened.text[: opened.line.cursor], opened.purpose.sign) == ("SELECT ", "SQL: ")
    await stage.press("Right Right Right e Enter")
    await stage.until(lambda: stage.browser.view.name == "SQL 1")


async def test_the_cursor_is_on_the_first_line_of_an_error_and_no_query_is_running(stage: Stage) -> None:
    await query(stage, "SELECT nam FROM method WHERE line > 1")
    await stage.until(lambda: "^^^" in stage.screen())
    assert next(line for line in stage.lines() if line.startswith("█")).startswith("█ Binder Error")
    assert stage.status.startswith("1 of ")


async def test_what_is_no_query_of_the_report_is_refused(stage: Stage) -> None:
    for text in ("", "DROP VIEW largest_packages", "SELECT 1; SELECT 2", "FROM '/etc/passwd'", "'", "/*"):
        await query(stage, text)
        if text:
            await stage.until(lambda: "can't be run" in stage.screen())
        else:
            assert stage.browser.interaction.prompt is None
        await stage.press("Esc")
        assert "can't be run" not in stage.screen()
        assert not stage.browser.has_list
        assert stage.browser.view.name == "Call tree"


@pytest.mark.parametrize("text", [ENDLESS, DEAF], ids=["interrupted", "killed"])
async def test_an_endless_query_is_stopped_and_the_next_one_runs(stage: Stage, text: str) -> None:
    await query(stage, text)
    await stage.until(lambda: "Esc stops it" in stage.status)
    await stage.press("Esc")
    assert stage.keys.startswith(f"SQL: {text}")
    await stage.press("Esc")
    assert await result(stage, "SELECT 1 AS one")
    assert stage.row.label == "1"


async def test_a_query_that_needs_too_much_memory_is_an_error(stage: Stage) -> None:
    await query(stage, "SELECT length(repeat('x', 4000000000))")
    await stage.until(lambda: "Out of Memory" in stage.screen())
    await stage.press("Esc")
    assert await result(stage, "SELECT 2 AS two")


async def test_the_browser_answers_keys_while_rows_arrive_and_esc_keeps_them(stage: Stage) -> None:
    await query(stage, "SELECT i FROM range(1000000000000) t(i) WHERE i < 100 OR i > 10000000000000")
    await stage.press("q")
    await stage.press("j")
    assert stage.browser.interaction.sql.queries.is_running
    await stage.press("Esc")
    assert not stage.browser.interaction.sql.queries.is_running


async def test_a_result_that_is_cut_says_so(stage: Stage) -> None:
    view = await result(stage, "SELECT i FROM range(1000001) t(i)")
    assert view.row_count == 1_000_000
    assert "at most 1,000,000 rows" in stage.screen()
    await stage.press("G")
    assert (stage.row.label, "cut" in stage.status) == ("999,999", True)


async def test_hostile_names_are_harmless(tmp_path: Path) -> None:
    path = tmp_path / "call_tree_evil_20230401_101500.txt"
    path.write_bytes(f"VM Entry Points\n└── entry {HOSTILE} id=0 \n\n".encode().replace(b"x(", b"x\xff("))
    async with querying(path, size=(120, 24)) as stage:
        view = await result(stage, """SELECT name, 'a' AS "[red]\x07", name || chr(10) || 'b' AS two FROM method""")
        assert view.tree.row(0).label == HOSTILE.replace("x(", "x\ufffd(")
        shown = stage.screen()
        assert "Evil" in shown and "[bold]x" in shown
        assert not any(character in shown for character in "\x1b\u202e\x07")
        await stage.press("yy")
        assert "\x1b" not in stage.copied[0]


async def test_tab_completes_tables_columns_and_functions(stage: Stage) -> None:
    await prompt(stage)
    await stage.type("sel")
    await stage.press("Tab Space")
    await stage.type("calls_i")
    await stage.press("Tab")
    assert stage.keys.startswith("SQL: select calls_i  ")
    assert "No completions" in stage.status
    await stage.type(" from meth")
    await stage.press("Tab")
    assert stage.keys.startswith("SQL: select calls_i from method")
    await stage.press("Left " * len(" from method"))
    await stage.press("Tab")
    assert stage.keys.startswith("SQL: select calls_in from method")
    await stage.type(", approx_co")
    await stage.press("Tab")
    assert stage.keys.startswith("SQL: select calls_in, approx_count_distinct( from method")


async def test_the_schema_shows_the_columns_of_the_tables_in_the_query(stage: Stage) -> None:
    await prompt(stage)
    assert "Methods, by first mention" in stage.screen()
    await stage.type("FROM method")
    assert "calls_in" in stage.screen() and "call sites of the method" in stage.screen()
    top = stage.browser.pane.viewport.top
    await stage.press("PgDn")
    assert stage.browser.pane.viewport.top > top


async def test_queries_are_remembered(call_tree: Path) -> None:
    async with querying(call_tree) as stage:
        await result(stage, "SELECT 1 AS one")
        await stage.press("; Up")
        assert stage.keys.startswith("SQL: SELECT 1 AS one")
    async with querying(call_tree) as stage:
        await stage.press("; Up")
        assert stage.keys.startswith("SQL: SELECT 1 AS one")


async def test_pasted_lines_are_joined_without_comments(stage: Stage) -> None:
    await prompt(stage)
    stage.browser.interaction.paste("SELECT 1 -- one\n  AS n, '--' /* two\n*/ AS m\n")
    assert stage.keys.startswith("SQL: SELECT 1 AS n, '--' AS m")


async def test_without_duckdb_a_line_says_how_to_install_it(call_tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_prompt, "find_spec", lambda name: None)
    async with querying(call_tree) as stage:
        await stage.press(";")
        assert stage.status == "SQL needs DuckDB: pip install 'coffeetree[sql]'"
        assert stage.browser.interaction.prompt is None


async def test_results_stay_when_the_report_is_read_again(stage: Stage) -> None:
    await result(stage, "SELECT 'kept' AS name")
    await stage.press("R")
    await stage.until(lambda: stage.status == "read again")
    assert (stage.browser.view.name, stage.row.label) == ("SQL 1", "kept")
    await stage.until(lambda: stage.browser.report.is_complete)
    await result(stage, "SELECT count(*) AS n FROM method")
    assert stage.browser.view.name == "SQL 2"


async def test_the_oldest_of_many_results_is_dropped(call_tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.interaction.sql.queries.MOST_RESULTS", 2)
    async with querying(call_tree) as stage:
        first = await result(stage, "SELECT 1 AS one")
        for number in (2, 3):
            await result(stage, f"SELECT {number} AS one")
        assert [name for name in stage.browser.report.views.names if name.startswith("SQL")] == ["SQL 2", "SQL 3"]
        assert not list(Path(first.stored_at).parent.glob(f"{Path(first.stored_at).name}.*"))
        await stage.press("< <")
        assert stage.browser.view.name == "Call tree"


async def test_every_key_does_no_harm_in_a_result(stage: Stage) -> None:
    await result(stage, "SELECT name, line, ref FROM method")
    for keys in (
        "r Esc",
        "W Esc",
        "L Esc",
        "* Esc",
        "# Esc",
        "X",
        "B",
        "m a",
        "' a",
        "t",
        "yp",
        "yb",
        "u",
        "h",
        "l",
    ):
        await stage.press(keys)
    await stage.press("] k [ k z M E C { } = q ! q i |")
    assert stage.browser.view.name == "SQL 1"


@pytest.mark.parametrize(
    ("query", "lines", "place"),
    [
        ("SELECT * FORM x", ["Parser Error", "LINE 1: SELECT * FORM x", "                      ^"], 14),
        ("SELECT long, nam", ["Binder Error", "LINE 1: ...long, nam", "                 ^^^"], 13),
        ("SELECT 1", ["Out of Memory"], None),
        ("SELECT 1", ["", "LINE 1: another query", "        ^"], None),
    ],
)
def test_the_place_of_an_error_is_that_of_its_mark(query: str, lines: list[str], place: int | None) -> None:
    assert place_of_error(query, lines) == place
