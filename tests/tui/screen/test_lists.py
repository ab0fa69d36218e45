"""Lists, pages and prompts as text screens; what Enter on their rows does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from conftest import TESTS
from stage import Stage, browsing
from textual.app import App, ComposeResult

from tui.interaction.prompts.palette import fuzzy_score
from tui.list.column_widths import column_widths
from tui.list.list_pane import FixedList, ListColumn, ListPane, PaneRow, words_matcher
from tui.list.row_order import number_in
from tui.screen.facts import series_text
from tui.screen.palettes import PALETTES
from tui.screen.theme import Palette


@pytest.fixture
def sample(corpus: Path) -> Path:
    return corpus / "v24.2_and_25" / "reports" / "call_tree_demo_20250916_101500.txt"


@pytest.fixture
async def stage(sample: Path) -> AsyncIterator[Stage]:
    """A browser with the sample."""
    async with browsing(sample) as stage:
        yield stage


def screen(stage: Stage, first: int, last: int) -> str:
    """Some lines of the screen, below an empty one as in a quoted block."""
    return "\n" + stage.screen(first, last) + "\n"


async def test_references_are_a_table_by_their_containers(sample: Path) -> None:
    async with browsing(sample, size=(100, 20)) as stage:
        await stage.press("j j j r")
        await stage.until(lambda: "references to" in stage.screen())
        assert (
            screen(stage, 3, 6)
            == """
  kind            from                                             @bci          line   rows below
█ direct call     com.example.Config.<init>(String, int):void       @12             5            4
  direct call     j.l.StringBuilder.append(Object)                   @1            19            ↩
"""
        )
        await stage.press("j Enter")
        assert stage.node == 17
        await stage.press("<")
        assert stage.node == 3


async def test_why_lists_the_cuts_that_leave_no_path(corpus: Path) -> None:
    report = next((corpus / "v24.2_and_25" / "reports").glob("object_tree*"))
    async with browsing(report) as stage:
        await stage.press("j X")
        await stage.until(lambda: "1 cut" in stage.status)
        await stage.press("j j j W")
        await stage.until(lambda: "no path from a root to [2] java.util.HashMap$Node with these cuts" in stage.screen())
        assert stage.label.startswith("java.util.HashMap")
        assert stage.status.startswith("line:3")
        await stage.press("Enter")
        assert (stage.browser.view.name, stage.row.ref) == ("Cut", "line:3")


async def test_why_is_a_tree_of_one_branch(sample: Path) -> None:
    async with browsing(sample, size=(100, 20)) as stage:
        await stage.press("9 j W")
        await stage.until(lambda: "shortest path" in stage.screen())
        assert (
            screen(stage, 2, 5)
            == """
  Call tree                                                               @bci #id ↩ref rows below
  ▾ ● com.example.Main.main(String[]):void  static root method                       #1         20
█   ▸ ⇢ java.io.PrintStream.println(String):void                            @0                   2
"""
        )
        await stage.press("l y p q")
        assert stage.copied == [
            "● com.example.Main.main(String[]):void  #1  20\n  ⇢ java.io.PrintStream.println(String):void  @0  2"
        ]
        assert not stage.browser.has_list


async def test_a_list_is_narrowed_while_typing_and_esc_widens_it_again(stage: Stage) -> None:
    await stage.press('j j j r / "builder"')
    assert stage.browser.pane.row_count == 1
    await stage.press("Enter")
    assert "1 of 2" in stage.screen()
    await stage.press("Esc")
    assert stage.browser.pane.row_count == 2
    await stage.press("Esc")
    assert not stage.browser.has_list


async def test_keys_mean_the_same_in_a_list(stage: Stage) -> None:
    await stage.press("j j j r G yr")
    assert stage.copied == ["line:19"]
    await stage.press("m b Esc ' b")
    assert stage.node == 17
    await stage.press("r c")
    assert stage.status == "This pane is not a tree  (Tab goes to the tree, q closes a list)."


async def test_links_of_a_row(stage: Stage) -> None:
    await stage.press("j j j L")
    assert "called in Config.<init>" in stage.screen()
    await stage.press("Enter")
    assert stage.node == 2


async def test_marks_and_tags_are_there_the_next_time(sample: Path) -> None:
    async with browsing(sample) as stage:
        await stage.press("9 j m a j t")
    async with browsing(sample) as stage:
        await stage.press("M")
        assert "1 mark, 1 tag" in stage.screen()
        await stage.press("Enter")
        assert stage.node == 9
        await stage.press("] t T")
        assert stage.node == 10


async def test_a_mark_whose_row_is_another_one_now_shows_it(sample: Path, tmp_path: Path) -> None:
    copy = tmp_path / sample.name
    copy.write_bytes(sample.read_bytes())
    async with browsing(copy) as stage:
        await stage.press("9 j m a g")
        marks = stage.browser.interaction.marking.marks
        marks.letters["a"] = type(marks.letters["a"])("Call tree", "line:11", "something else")
        await stage.press("' a")
        assert stage.status == "line:11 was something else when it was marked"


async def test_jumps_are_a_list(stage: Stage) -> None:
    await stage.press("5 j G g")
    await stage.type(":jumps")
    await stage.press("Enter Enter")
    assert stage.node == 33


async def test_the_views_are_listed_from_a_view_that_is_not_among_them() -> None:
    async with browsing(TESTS / "corpus" / "jfr" / "jdk25-leak.jfr.xz") as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        await stage.enter("view jdk.ObjectAllocationSample")
        await stage.press("v")
        assert stage.screen().count("█") == 1
        await stage.press("Enter")
        assert stage.browser.view is stage.browser.report.views[0]


async def test_the_views_are_a_list_and_the_cursor_stays_on_the_same_node(stage: Stage) -> None:
    await stage.press('j j j v / "callers" Enter Enter')
    assert stage.browser.view.name == "Callers"
    assert "String.valueOf" in stage.row.label
    await stage.press("V")
    assert stage.node == 3


async def test_a_view_by_the_beginning_of_its_name(stage: Stage) -> None:
    await stage.enter("view pack")
    assert stage.browser.view.name == "Packages"
    await stage.enter("view Nowhere")
    names = "Call tree, Callers, Entry points, Packages, Dominators, Cut, Between, Entered from"
    assert stage.status == f"No view Nowhere. Views: {names}"


async def test_problems_lead_to_their_rows(sample: Path, tmp_path: Path) -> None:
    damaged = tmp_path / sample.name
    lines = sample.read_bytes().split(b"\n")
    lines[4] = "│   │   └── directly kalls \x1b[31m?".encode()
    damaged.write_bytes(b"\n".join(lines))
    async with browsing(damaged) as stage:
        await stage.press("!")
        assert "problems  2" in stage.screen()
        assert "\x1b" not in stage.screen()
        await stage.press("Enter")
        assert stage.node == 3
        await stage.press("g ] p")
        assert stage.node == 3


async def test_the_crumb_bar_walks_the_path(stage: Stage) -> None:
    await stage.press("3 j ` Left Left Enter")
    assert stage.node == 0
    await stage.press('1 8 G ` "main" Enter')
    assert stage.node == 8
    await stage.press("1 8 G ` Left Left Esc")
    assert stage.node == 17
    await stage.press("` Home ` Esc g j ` Down")
    assert "beside Größe.wert" in stage.screen()
    await stage.press("j Enter")
    assert stage.node == 2


async def test_the_palette_finds_commands_by_a_few_letters(sample: Path) -> None:
    async with browsing(sample, size=(100, 20)) as stage:
        await stage.press('^p "openall"')
        await stage.until(lambda: "open all below" in stage.screen())
        await stage.press("Esc")
        assert not stage.browser.has_list
        await stage.press('^p "view:pack" Enter')
        assert stage.browser.view.name == "Packages"


async def test_the_palette_asks_for_a_required_argument(stage: Stage) -> None:
    for title, line in (("go to row or REF", ":goto "), ("write to a file", ":w "), ("show a node", ":show ")):
        await stage.press("^p")
        await stage.type(title)
        await stage.press("Enter")
        assert stage.keys.startswith(line)
        await stage.press("Esc")


async def test_the_palette_closes_with_a_message_if_no_command_fits(stage: Stage) -> None:
    await stage.press('^p "qqqq" Enter')
    assert not stage.browser.has_list
    assert stage.status == "No command fits qqqq."


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("fold", "fold siblings", "unfold"),
        ("fa", "filters off and on: facts", "fold all"),
        ("v", "view", "previous view"),
    ],
)
def test_whole_words_come_before_scattered_letters(query: str, better: str, worse: str) -> None:
    one, two = fuzzy_score(query, better), fuzzy_score(query, worse)
    assert one is not None and two is not None and one < two


def test_letters_in_another_order_fit_nothing() -> None:
    assert fuzzy_score("dlof", "fold") is None


async def test_the_help_is_searched_in(sample: Path) -> None:
    async with browsing(sample, size=(100, 20)) as stage:
        await stage.press('? / "crumb" Enter')
        pane = stage.browser.pane
        line = stage.lines()[2 + pane.viewport.screen_row]
        assert "Move along the path above" in line
        before = stage.browser.pane.cursor_row
        await stage.press("n")
        assert stage.browser.pane.cursor_row != before or len(stage.browser.pane.found) == 1
        await stage.press("q")
        assert not stage.browser.has_list


async def test_the_help_counts_its_lines_alike_before_and_after_scrolling(sample: Path) -> None:
    async with browsing(sample, size=(60, 20)) as stage:
        await stage.press("?")
        first = stage.lines()[18].split()
        await stage.press("G")
        last = stage.lines()[18].split()
        assert first == ["1", "of", last[0]]
        assert last[0] == last[2]


async def test_a_text_that_a_list_cuts_is_whole_in_the_line_below(sample: Path) -> None:
    words = "no call was recorded by this agent"
    rows = [PaneRow(("Flow", words)), PaneRow(("Threads", "short"))]
    async with browsing(sample, size=(60, 20)) as stage:
        stage.browser.show_list(ListPane(FixedList("views", (ListColumn("view", 30), ListColumn("shows")), rows)))
        await stage.press("k")
        assert stage.lines()[18].endswith(words) or words in "".join(stage.lines()[3:5])
        await stage.press("j")
        assert stage.lines()[18].strip() == "2 of 2"


async def test_the_help_is_wrapped_to_a_narrow_window(sample: Path) -> None:
    async with browsing(sample, size=(60, 20)) as stage:
        await stage.press('? / "without folding" Enter n')
        assert not [line for line in stage.lines()[2:-2] if line.endswith("…")]
        lines = [line.strip() for line in stage.lines()]
        assert "H               The parent, without folding." in lines


async def test_lists_keep_names_in_a_narrow_window(sample: Path) -> None:
    async with browsing(sample, size=(40, 12)) as stage:
        await stage.press("j j j r")
        assert stage.lines()[3].split() == ["kind", "from"]
        assert "Config.<init>" in stage.lines()[4]


async def test_long_lines_of_the_details_are_scrolled_no_further_than_their_ends(stage: Stage) -> None:
    await stage.press("j j j Tab 9 9 .")
    assert stage.browser.detail.left == stage.browser.detail.most_left
    await stage.press("g ze ze")
    assert stage.app.is_running


async def test_help_at_a_word(stage: Stage) -> None:
    await stage.enter("help expand")
    assert stage.browser.pane.found
    await stage.enter("help xyzzy")
    assert stage.status == "No matches for xyzzy in help."


async def test_a_sequence_that_waits_shows_what_can_follow(stage: Stage) -> None:
    await stage.press("z")
    await stage.until(lambda: "1…9 fold to a depth" in stage.hints)
    await stage.press("Esc")
    assert not stage.hints
    assert "not bound" not in stage.status
    await stage.press("z q")
    assert stage.status == "zq is not bound in this view  (? help)"


class Alone(App[None]):
    """One list on a screen."""

    palette: Palette = PALETTES["dark"]

    def __init__(self, pane: ListPane) -> None:
        super().__init__()
        self.pane = pane

    def compose(self) -> ComposeResult:
        yield self.pane


class Counted(FixedList):
    """A list that is longer than anybody should make rows of."""

    made = 0
    """Rows of this list that were made."""

    def __len__(self) -> int:
        return 100_000

    def row(self, index: int) -> PaneRow:
        self.made += 1
        return PaneRow((f"row {index}",))

    def text(self, index: int) -> str:
        return f"row {index}"


async def test_of_a_long_list_only_rows_on_the_screen_are_made() -> None:
    source = Counted("long", (ListColumn("row"),), ())
    pane = ListPane(source)
    async with Alone(pane).run_test(size=(40, 12)) as pilot:
        pane.move_to_row(99_999)
        await pilot.pause()
        assert pane.cursor_index == 99_999
        assert 0 < source.made < 500


async def test_a_long_list_is_narrowed_between_frames() -> None:
    pane = ListPane(Counted("long", (ListColumn("row"),), ()))
    async with Alone(pane).run_test(size=(40, 12)) as pilot:
        pane.narrow("row 9999")
        assert pane.is_narrowing
        while pane.is_narrowing:
            await pilot.pause()
        assert pane.row_count == 19
        pane.narrow("no such row")
        pane.narrow("")
        assert pane.row_count == 100_000


async def test_headings_are_passed_by() -> None:
    heading = PaneRow(("group",), is_heading=True)
    rows = [heading, PaneRow(("one",)), heading, PaneRow(("two",)), heading]
    pane = ListPane(FixedList("list", (ListColumn("row"),), rows))
    async with Alone(pane).run_test(size=(40, 12)):
        moves = []
        for step in (1, 1, 1, -1, -1, -1):
            pane.move_by(step)
            moves.append(pane.cursor_row)
        assert moves == [3, 3, 3, 1, 1, 1]


async def test_a_list_is_scrolled_sideways_until_its_longest_row_ends() -> None:
    rows = [PaneRow(("short",)), PaneRow(("x" * 60 + "end",))]
    pane = ListPane(FixedList("list", (ListColumn("row"),), rows))
    async with Alone(pane).run_test(size=(40, 12)):
        pane.scroll_sideways(1000)
        assert pane.render_line(3).text.rstrip().endswith("xend")
        pane.scroll_sideways(-1000)
        assert pane.render_line(2).text.strip() == "█ short"


async def test_an_empty_list_shows_it_and_takes_every_key() -> None:
    pane = ListPane(FixedList("list", (ListColumn("row"),), (), empty="nothing is here"))
    async with Alone(pane).run_test(size=(40, 12)) as pilot:
        for move in (pane.activate, pane.scroll_to_end, lambda: pane.move_by(1), lambda: pane.page(-1)):
            move()
        await pilot.pause()
        assert "nothing is here" in pane.render_line(2).text


async def test_hostile_text_is_shown_as_pictures() -> None:
    hostile = "\x1b]52;c;AAAA\x07[red]int[]\u202e"
    pane = ListPane(FixedList(hostile, (ListColumn("row"),), [PaneRow((hostile,))]))
    async with Alone(pane).run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        lines = [pane.render_line(y).text for y in range(3)]
        assert "␛]52;c;AAAA␇[red]int[]\ufffd" in lines[0]
        assert "␛]52;c;AAAA␇[red]int[]\ufffd" in lines[2]
        assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (5, 1), (10, 3), (300, 100)])
async def test_any_size_of_the_window_is_drawn(size: tuple[int, int]) -> None:
    pane = ListPane(FixedList("list", (ListColumn("one", 20), ListColumn("two")), [PaneRow(("a" * 50, "b" * 500))]))
    async with Alone(pane).run_test(size=size) as pilot:
        pane.scroll_to_end()
        await pilot.pause()
        assert all(pane.render_line(y).cell_length == pane.size.width for y in range(pane.size.height))


def test_words_match_anywhere_and_capitals_matter_only_if_typed() -> None:
    assert words_matcher("main shell")("Shell.main")
    assert not words_matcher("Main shell")("Shell.main")
    assert words_matcher("")("anything")


@pytest.mark.parametrize("text", ["valueOf", "String.valueOf", "java.lang.String.valueOf(jav"])
async def test_a_part_of_a_name_goes_to_its_only_match(stage: Stage, text: str) -> None:
    await stage.enter(f"goto name:{text}")
    await stage.until(lambda: stage.node == 3 and not stage.browser.has_list)
    assert stage.browser.interaction.prompt is None


async def test_a_ref_is_no_name_but_a_target(stage: Stage) -> None:
    await stage.press('o "id:14" Enter')
    assert stage.node == 3 and not stage.browser.has_list


async def test_a_part_of_several_names_lists_them(stage: Stage) -> None:
    await stage.enter("name:toString")
    await stage.until(lambda: "3 names" in stage.keys)
    assert "java.lang.Object.toString" in stage.screen()
    await stage.press("Esc")
    assert stage.node == 0 and not stage.browser.has_list


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ("M", "No marks yet. m and a letter sets one, t tags a row."),
        ("!", "no problems"),
        ("1 G r", "no references to it"),
        (': "jumps" Enter', "No jumps yet"),
    ],
)
async def test_an_empty_list_shows_it_and_closes_like_any_other(stage: Stage, keys: str, sentence: str) -> None:
    if "jumps" not in keys:
        await stage.press("G")
    await stage.press(keys)
    assert sentence in stage.screen()
    assert isinstance(stage.browser.pane, ListPane)
    await stage.press("Enter q")
    assert not stage.browser.has_list and stage.app.is_running


def test_a_row_of_numbers_is_a_small_chart() -> None:
    assert series_text((1, 8, 4)) == "▁█▄  0 to 2, most at 1: 8"
    assert series_text((1, 8, 4), is_ascii=True) == "0 to 2, most at 1: 8"
    assert len(series_text(tuple(range(10_000))).split("  ")[0]) <= 52


async def test_references_to_an_object_name_the_field_or_index_that_holds_it(corpus: Path) -> None:
    report = corpus / "v24.2_and_25" / "reports" / "object_tree_demo_20250916_101500.txt"
    async with browsing(report, size=(100, 20)) as stage:
        await stage.press(': "id:2" Enter r')
        await stage.until(lambda: "references to" in stage.screen())
        assert stage.lines()[4].split() == ["█", "reference", "[3]", "java.util.HashMap$Node.next", *REST]


REST = ["HashMap.Node@903117", "13", "↩"]


async def test_a_list_whose_rows_become_others_keeps_its_cursor_on_the_same_one() -> None:
    names = ["Call tree", "Callers"]

    def views() -> FixedList:
        return FixedList("views", (ListColumn("view"),), [PaneRow((name,)) for name in names], refill_from=views)

    class Screen(App[None]):
        palette: Palette = PALETTES["dark"]

        def compose(self) -> ComposeResult:
            yield ListPane(views(), 1)

    app = Screen()
    async with app.run_test(size=(40, 8)):
        pane = app.query_one(ListPane)
        names.insert(1, "Flame")
        pane.refresh_rows()
        assert pane.row_count == 3
        assert pane.source.row(pane.cursor_index or 0).cells == ("Callers",)


async def test_names_of_files_keep_their_ends_in_the_facts(sample: Path) -> None:
    async with browsing(sample, size=(60, 20)) as stage:
        await stage.press("=")
        (line,) = (line for line in stage.lines() if line.strip("█ ").startswith("file "))
        assert "…" in line and line.rstrip().endswith("_101500.txt")


async def test_the_key_line_of_a_list_has_the_words_of_its_title(stage: Stage) -> None:
    await stage.press("v")
    assert stage.keys.startswith("Enter show  / narrow")
    await stage.press("q =")
    assert stage.keys.startswith("/ narrow")
    await stage.press("q r")
    assert stage.keys.startswith("Enter go  / narrow")


async def test_the_key_line_shows_where_enter_leads(sample: Path) -> None:
    async with browsing(sample, size=(100, 20)) as stage:
        await stage.press("1 3 g")
        assert stage.row.link == "line:4"
        assert stage.keys.startswith("Enter declaration")
        await stage.press("g")
        assert stage.keys.startswith("Enter open")


@pytest.mark.parametrize(
    ("usual", "longest", "room", "widths"),
    [
        ([0, 10], [30, 10], 60, [46, 10]),
        ([0, 10], [30, 25], 80, [51, 25]),
        # A name that is longer than half of the width keeps that half.
        ([0, 10], [90, 50], 80, [38, 38]),
        ([12, 0, 0], [18, 40, 17], 100, [18, 59, 17]),
        ([12, 0, 0], [12, 90, 90], 100, [12, 41, 41]),
        ([0, None, 10], [30, 99, 10], 60, [46, 0, 10]),
        ([0, 10, 12], [30, 10, 12], 40, [26, 10, 0]),
    ],
)
def test_columns_are_as_wide_as_their_texts_if_they_fit(
    usual: list[int | None], longest: list[int], room: int, widths: list[int]
) -> None:
    assert column_widths(usual, longest, room) == widths


async def test_a_list_that_begins_further_down_shows_it_at_once(sample: Path) -> None:
    async with browsing(sample, size=(100, 20)) as stage:
        await stage.press(": v i e w Space P a c k a g e s Enter v")
        assert "4 of 8" in stage.screen()


# -- sorting ----------------------------------------------------------------------------------------------------------

SIZES = (ListColumn("name"), ListColumn("size", 10, is_right=True))


def sizes() -> FixedList:
    """Names with sizes, in two groups."""
    cells = [("b10", "2 MB"), ("b9", "900 KB"), ("a", ""), ("c", "1,200 B")]
    rows: list[PaneRow] = [PaneRow(each) for each in cells]
    rows.insert(2, PaneRow(("group", ""), is_heading=True))
    return FixedList("files", SIZES, rows)


def names_of(pane: ListPane) -> list[str]:
    """The first word of each line below the headings."""
    lines = [pane.render_line(2 + row).text.strip(" █") for row in range(pane.row_count)]
    return [line.split()[0] for line in lines]


async def test_a_click_on_a_heading_sorts_then_reverses_then_restores_the_order() -> None:
    pane = ListPane(sizes())
    async with Alone(pane).run_test(size=(40, 12)) as pilot:
        for heading, names in (
            ("▼size", ["b10", "b9", "c", "a"]),
            ("▲size", ["c", "b9", "b10", "a"]),
            (" size", ["b10", "b9", "group", "a", "c"]),
        ):
            await pilot.click(ListPane, offset=(35, 1))
            assert names_of(pane) == names
            assert heading in pane.render_line(1).text
        await pilot.click(ListPane, offset=(3, 1))
        assert names_of(pane) == ["a", "b9", "b10", "c"]
        assert "▲name" in pane.render_line(1).text


async def test_a_sorted_list_keeps_its_row_and_is_narrowed_and_refilled_in_its_order() -> None:
    pane = ListPane(sizes())
    async with Alone(pane).run_test(size=(40, 12)):
        pane.move_to_row(1)
        pane.sort("size")
        pane.sort("size")
        assert (pane.cursor_index, pane.cursor_row) == (1, 1)
        pane.move_to_row(2)
        assert pane.cursor_index == 0
        pane.narrow("b")
        assert names_of(pane) == ["c", "b9", "b10"]
        pane.refill(sizes())
        assert names_of(pane) == ["c", "b9", "b10"]
        pane.narrow("")
        assert names_of(pane) == ["c", "b9", "b10", "a"]


async def test_a_very_long_list_is_not_sorted_before_it_is_narrowed() -> None:
    pane = ListPane(Counted("long", (ListColumn("row"),), ()))
    async with Alone(pane).run_test(size=(40, 12)) as pilot:
        Counted.made = 0
        pane.sort("row")
        assert Counted.made < 500 and pane.cursor_index == 0
        pane.narrow("row 9999")
        while pane.is_narrowing:
            await pilot.pause()
        pane.sort("row")
        pane.sort("row")
        assert names_of(pane)[0] == "row" and pane.cursor_index == 99_999


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *[("1,234", 1234), ("9.5 KB", 9500), ("@12", 12), ("-3", -3), ("4.25 %", 4.25), ("12…", 12), ("2 ms", 0.002)],
        *[("2024-01-02 10:00", None), ("id:12", None), ("", None), ("3 reports", None)],
    ],
)
def test_numbers_of_columns_are_sorted_by_value(text: str, number: float | None) -> None:
    assert number_in(text) == number


async def test_headings_above_a_list_and_a_path_leave_the_view_below_as_it_is(corpus: Path) -> None:
    path = corpus / "v24.2_and_25" / "reports" / "call_tree_demo_20250916_101500.txt"
    async with browsing(path, (80, 24)) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        await stage.press("5 j")
        for key, y in (("W", 2), ("r", 3), ("v", 3), ("M", 3)):
            before = stage.screen(2, 12)
            await stage.press(key)
            await stage.until(lambda: stage.browser.has_list)
            for x in range(1, 79, 6):
                await stage.pilot.click(offset=(x, y))
            await stage.press("s")
            await stage.quiet()
            assert stage.browser.tree_view.order is None
            assert stage.browser.has_list
            await stage.press("q")
            assert stage.screen(2, 12) == before
