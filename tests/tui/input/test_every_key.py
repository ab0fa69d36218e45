"""Every key in the help does what the help says: a key that has no line here fails, and so does a line without effect.

Each line has the start row, the keys to press (the key itself, if none) and a condition afterwards. Rows are
those of the sample, numbered from 0; all of it is open at first:

     0  ● Config.<clinit>              9    ⇢ PrintStream.println        22    ⇢ Supplier.get
     1    → Größe.wert                10      = PrintStream.println #7   23      = Main$$Lambda.get
     2    → Config.<init> #6          11        ⇢ PrintStream.print      ..
     3      → String.valueOf #14      12    → Config.<init> ↩6           30  ● IsolateEnterStub.JavaMainWrapper
     4        ⇢ Object.toString       13    ⇢ Object.toString            31    → JavaMainWrapper.run
     5..7       = … ↩8 ↩9 ↩4          14      = Object.toString #8       32      → Main.main ↩1
     8  ● Main.main #1                19..20  = … ↩4                     33  (last) ● $Proxy17.toString
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from stage import Stage, browsing

from tui.input.keys.keymap import Keymap
from tui.input.keys.name import FORBIDDEN, parse_sequence
from tui.input.keys.registry import Context, every_command
from tui.interaction.target import close_lists
from tui.list.list_pane import ListPane
from tui.tree.tree_view import TreeView

REGISTRY = every_command()


@dataclass(frozen=True)
class Effect:
    """The effect of a key on a row."""

    start: int
    keys: str
    happens: Callable[[Stage], object]


def on(start: int, happens: Callable[[Stage], object], keys: str = "") -> Effect:
    """The effect of a key, or of some keys, on a row."""
    return Effect(start, keys, happens)


def at(node: int) -> Callable[[Stage], object]:
    """The cursor is on that row."""
    return lambda stage: stage.browser.tree_view.cursor_node == node and not stage.browser.has_list


def is_open(node: int, wanted: bool = True) -> Callable[[Stage], object]:
    """A row is open, or folded."""
    return lambda stage: stage.browser.tree_view.outline.is_open(node) is wanted


def shown(rows: int) -> Callable[[Stage], object]:
    """So many rows are shown."""
    return lambda stage: stage.browser.tree_view.row_count == rows


def top(row: int) -> Callable[[Stage], object]:
    """That row is the first one on the screen."""
    return lambda stage: stage.browser.tree_view.viewport.top == row


def says(*words: str) -> Callable[[Stage], object]:
    """Condition: the screen shows all these texts."""
    return lambda stage: all(word in stage.screen() for word in words)


def lists(*words: str) -> Callable[[Stage], object]:
    """Condition: a list is open, and the screen shows all these texts."""
    return lambda stage: isinstance(stage.browser.pane, ListPane) and says(*words)(stage)


def asks(sign: str, text: str = "") -> Callable[[Stage], object]:
    """A prompt is open, with that sign and text."""
    return lambda stage: (
        (prompt := stage.browser.interaction.prompt) is not None
        and prompt.purpose.sign.startswith(sign)
        and prompt.text == text
    )


def copied(text: str) -> Callable[[Stage], object]:
    """The last text that was copied begins so."""
    return lambda stage: stage.copied and stage.copied[-1].startswith(text)


def printed(text: str) -> Callable[[Stage], object]:
    """The last text that was printed begins so."""
    return lambda stage: stage.printed and stage.printed[-1].startswith(text)


def both(*checks: Callable[[Stage], object]) -> Callable[[Stage], object]:
    """All of these are so."""
    return lambda stage: all(check(stage) for check in checks)


def app_is(name: str, value: object) -> Callable[[Stage], object]:
    """Condition: an attribute of the stage, set instead of an action of the app, has a value."""
    return lambda stage: getattr(stage, name) == value


MOVING = {
    "j": on(3, at(4)),
    "Down": on(3, at(6), "3 Down"),
    "k": on(3, at(2)),
    "Up": on(3, at(0), "9 Up"),
    "h": on(3, is_open(3, False)),
    "Left": on(5, at(4)),
    "l": on(3, at(4)),
    "Right": on(3, is_open(3), "h Right"),
    "H": on(4, both(at(3), is_open(3))),
    "J": on(1, at(2)),
    "K": on(2, at(1)),
    "^": on(7, at(5)),
    "0": on(7, at(5)),
    "$": on(5, at(7)),
    "w": on(5, at(8)),
    "b": on(7, at(4)),
    "{": on(5, at(0)),
    "}": on(5, at(8)),
    "PgDn": on(0, lambda stage: (stage.browser.tree_view.cursor_node or 0) > 8),
    "^f": on(0, lambda stage: (stage.browser.tree_view.cursor_node or 0) > 8),
    "PgUp": on(33, lambda stage: (stage.browser.tree_view.cursor_node or 0) < 25),
    "^b": on(33, lambda stage: (stage.browser.tree_view.cursor_node or 0) < 25),
    "^d": on(0, at(5), "5 ^d"),
    "^u": on(20, at(15), "5 ^u"),
    "^e": on(5, both(at(5), top(1)), "g ' ' ^e"),
    "^y": on(5, both(at(5), top(0)), "g ' ' ^e ^y"),
    "g": on(5, at(0)),
    "Home": on(5, at(0)),
    "G": on(5, at(20), "2 1 G"),
    "End": on(5, at(33)),
    "%": on(5, at(17), "5 0 %"),
    "zz": on(20, lambda stage: abs(stage.browser.tree_view.viewport.screen_row - 10) < 3),
    "zt": on(16, lambda stage: stage.browser.tree_view.viewport.screen_row <= 7),
    "zb": on(20, lambda stage: stage.browser.tree_view.viewport.screen_row >= 14),
    ",": on(0, lambda stage: stage.browser.tree_view.left == 2, "1 0 . 8 ,"),
    ".": on(0, lambda stage: stage.browser.tree_view.left == 10, "1 0 ."),
    "ze": on(0, lambda stage: stage.browser.tree_view.left == 0, "ze ze"),
}

FOLDING = {
    "Space": on(3, is_open(3, False)),
    "c": on(1, is_open(2, False)),
    "e": on(1, is_open(2), "c e"),
    "C": on(2, both(is_open(2, False), is_open(3, False))),
    "E": on(2, both(is_open(2), is_open(3), is_open(4)), "C E"),
    "z{1-9}": on(3, shown(13), "z 1"),
    "zM": on(3, shown(4)),
    "zR": on(3, shown(34), "zM zR"),
    "x": on(2, both(at(4), is_open(4)), "C x"),
    "u": on(2, shown(34), "C u"),
    "U": on(2, is_open(2, False), "C u U"),
}

LINKS = {
    "Enter": on(12, at(2)),
    "L": on(3, lists("links of", "called in Config.<init>")),
    "r": on(3, lists("references to", "2", "StringBuilder.append")),
    "W": on(3, lambda stage: isinstance(stage.browser.pane, TreeView) and stage.browser.pane.row_count == 3),
    "<": on(12, at(12), "Enter <"),
    "Backspace": on(12, at(12), "Enter Backspace"),
    "^o": on(12, at(12), "Enter ^o"),
    ">": on(12, at(2), "Enter < >"),
    "''": on(12, at(12), "Enter ' '"),
    "]r": on(2, at(12)),
    "[r": on(12, at(2)),
    "]m": on(5, at(5), "m a g ] m"),
    "[m": on(5, at(5), "m a G [ m"),
    "]t": on(5, at(5), "t g ] t"),
    "[t": on(5, at(5), "t G [ t"),
    "]p": on(5, says("no problem with a row")),
    "[p": on(5, says("no problem with a row")),
    "]f": on(2, at(11)),
    "[f": on(20, at(11)),
    "]k": on(0, at(8)),
    "[k": on(8, at(0)),
}

SEARCH = {
    "/": on(0, both(at(3), asks("/", "valueOf")), '/ "valueOf"'),
    "n": on(0, at(4), '/ "toString" Enter WAIT n N'),
    "N": on(0, both(at(33), says("from the bottom")), '/ "main" Enter WAIT g N'),
    "*": on(5, at(13)),
    "#": on(14, at(13)),
    "o": on(0, both(asks("go to: ", "proxy17"), says("$Proxy17.toString", "4")), 'o "proxy17"'),
    ";": on(0, both(asks("SQL: ", "FROM"), says("tables of the report")), '; "FROM"'),
}

FILTERS = {
    "&": on(0, both(shown(9), says("only valueOf")), '& "valueOf" Enter'),
    "ff": on(0, both(shown(34), says("filters off")), '& "valueOf" Enter WAIT f f'),
    "fs": on(3, both(asks("suppress methods: ", "java.lang.String.*"))),
    "fe": on(3, both(asks("expand methods: ", "java.lang.String.*"))),
    "fS": on(3, asks("suppress roots: ", "com.example.Config.<clinit>():void")),
    "fE": on(3, asks("expand roots: ", "com.example.Config.<clinit>():void")),
    "fj": on(0, says("JDK packages hidden")),
    "fl": on(0, says("lambdas and synthetic hidden")),
    "fr": on(0, both(lambda stage: stage.browser.tree_view.row_count < 34, says("references hidden"))),
    "f{letter}": on(0, says("This format has no filter fn"), "f n"),
    "fx": on(0, both(shown(34), lambda stage: "hidden" not in stage.status), "f r WAIT f x"),
    "s": on(0, both(says("sorted by rows below"), lambda stage: stage.browser.tree_view.order == "rows_below")),
    "S": on(0, lambda stage: stage.browser.tree_view.order == "-rows_below", "s S"),
    "a": on(0, says("class names short")),
}

MARKS = {
    "m{letter}": on(5, says("mark a at line:7"), "m a"),
    "'{letter}": on(5, at(5), "m a g ' a"),
    "t": on(5, says("tagged: 1 in all")),
    "T": on(5, says("1 tag cleared"), "t T"),
    "M": on(5, lists("marks and tags", "line:7"), "m a M"),
}

CUTS = {
    "X": on(1, says("1 cut: 1 of 17 methods would no longer be reached")),
    "D": on(1, both(lambda stage: stage.browser.view.name == "Cut", says("no longer reached")), "X WAIT D"),
    "B": on(
        3, both(lambda stage: stage.browser.view.name == "Between", says("outside -> ", "the shortest path takes"))
    ),
}

YANK = {
    "yy": on(3, copied("→ java.lang.String.valueOf(Object):String  @12  #14  4")),
    "yn": on(3, copied("java.lang.String.valueOf")),
    "yf": on(3, copied("null:java.lang.String.valueOf(java.lang.Object):java.lang.String")),
    "yp": on(3, copied("● com.example.Config.<clinit>():void  #0  7\n  → com.example.Config.<init>")),
    "yP": on(3, copied("    at java.lang.String.valueOf\n    at com.example.Config.<init>(bci 12)\n")),
    "yr": on(3, copied("line:5")),
    "yb": on(3, copied("→ java.lang.String.valueOf(Object):String  @12  #14  4\n  ⇢ java.lang.Object.toString")),
    "yx": on(3, copied("java.lang.String.*")),
    "yt": on(3, copied("→ java.lang.String.valueOf"), "t y t"),
    "pp": on(3, printed("→ java.lang.String.valueOf")),
    "pn": on(3, printed("java.lang.String.valueOf")),
    "pf": on(3, printed("null:java.lang.String.valueOf(java.lang.Object)")),
    "pP": on(3, printed("● com.example.Config.<clinit>")),
    "pT": on(3, printed("    at java.lang.String.valueOf")),
    "pr": on(3, printed("line:5")),
    "pb": on(3, printed("→ java.lang.String.valueOf")),
    "px": on(3, printed("java.lang.String.*")),
    "pt": on(3, printed("→ java.lang.String.valueOf"), "t p t"),
}

VIEWS = {
    "v": on(3, lists("views", "Call tree", "Callers", "Packages")),
    "V": on(3, lambda stage: stage.browser.view.name == "Call tree", "v j Enter V"),
    "Tab": on(3, lambda stage: stage.browser.pane is stage.browser.detail),
    "Shift+Tab": on(3, lambda stage: stage.browser.pane is stage.browser.detail),
    "i": on(3, lambda stage: not stage.browser.detail.display),
    "O": on(3, lambda stage: not stage.browser.detail.display),
    "+": on(3, lambda stage: stage.browser._share[True] != 33),
    "-": on(3, lambda stage: stage.browser._share[True] != 33),
    "|": on(3, lambda stage: stage.browser.detail.is_below),
    "`": on(3, both(asks("path: "), says("Left Right walk"))),
    "=": on(3, lists("facts of the report", "GraalVM call tree", "views")),
    "!": on(3, says("no problems")),
}

PROGRAM = {
    "F": on(3, both(at(33), says("Following"))),
    "R": on(3, app_is("reloads", 1)),
    "F5": on(3, app_is("reloads", 1)),
    "^l": on(3, app_is("redraws", 1)),
    ":": on(3, asks(":")),
    "d": on(3, lists("with an older report", "csv_25/reports/call_tree")),
    "^p": on(3, lists("commands", "view: Call tree")),
    "?": on(3, says("In this view: Call tree", "The next row.")),
    "F1": on(3, says("In this view: Call tree", "The next row.")),
    "F2": on(3, says("mouse off")),
    "Esc": on(3, both(at(3), lambda stage: not stage.browser.has_list), "v Esc"),
    "^c": on(3, says("Nothing is running  (q quits)")),
    "^z": on(3, app_is("suspends", 1)),
    "q": on(3, app_is("exits", 1)),
    "Q": on(3, app_is("exits", 1)),
    "ZZ": on(3, app_is("exits", 1)),
}

PROMPT = {
    "Enter": on(3, at(20), ': "21" Enter'),
    "Esc": on(3, both(at(3), lambda stage: stage.browser.interaction.prompt is None), ': "21" Esc'),
    "^c": on(3, both(at(3), lambda stage: stage.browser.interaction.prompt is None), ': "21" ^c'),
    "^g": on(3, both(at(3), lambda stage: stage.browser.interaction.prompt is None), ': "21" ^g'),
    "Left": on(3, asks(":", "axb"), ': "ab" Left "x"'),
    "^b": on(3, asks(":", "axb"), ': "ab" ^b "x"'),
    "Right": on(3, asks(":", "abx"), ': "ab" Left Right "x"'),
    "^f": on(3, asks(":", "abx"), ': "ab" Left ^f "x"'),
    "Home": on(3, asks(":", "xab"), ': "ab" Home "x"'),
    "^a": on(3, asks(":", "xab"), ': "ab" ^a "x"'),
    "End": on(3, asks(":", "abx"), ': "ab" Home End "x"'),
    "^e": on(3, asks(":", "abx"), ': "ab" Home ^e "x"'),
    "Backspace": on(3, asks(":", "a"), ': "ab" Backspace'),
    "^d": on(3, asks(":", "b"), ': "ab" Home ^d'),
    "Del": on(3, asks(":", "b"), ': "ab" Home Del'),
    "^w": on(3, asks(":", ""), ': "ab" ^w'),
    "^u": on(3, asks(":", ""), ': "ab" ^u'),
    "^k": on(3, asks(":", "a"), ': "ab" Left ^k'),
    "Up": on(3, asks(":", "3"), ': "3" Enter : Up'),
    "^p": on(3, asks(":", "3"), ': "3" Enter : ^p'),
    "Down": on(3, asks(":", "ab"), ': "3" Enter : "ab" Home ^k "ab" Up Down'),
    "^n": on(3, asks(":", ""), ': "3" Enter : Up ^n'),
    "PgDn": on(3, lambda stage: stage.browser.pane.viewport.cursor > 5, "^p PgDn"),
    "PgUp": on(3, lambda stage: not stage.browser.pane.viewport.cursor, "^p PgDn PgUp"),
    "Tab": on(3, asks(":", "redraw"), ': "redr" Tab'),
    "^r": on(3, asks(":", "line:12"), ': "line:12" Enter : "e:1" ^r'),
    "^t": on(3, both(asks("/", "a.b"), lambda stage: stage.browser.interaction.search.kind == "regex"), '/ "a.b" ^t'),
}

LIVE = {"A": on(3, says("No JVM is connected."))}

EFFECTS = {
    "browser": MOVING | FOLDING | LINKS | SEARCH | FILTERS | MARKS | CUTS | YANK | VIEWS | LIVE | PROGRAM,
    "prompt": PROMPT,
}


@pytest.mark.parametrize("context", ["browser", "prompt"])
def test_every_key_of_the_help_has_an_effect_here(context: Context) -> None:
    keys = {key for command in REGISTRY.of(context) for key in command.keys}
    assert set(EFFECTS[context]) == keys


@pytest.mark.parametrize("context", ["browser", "picker", "listening", "prompt"])
def test_no_key_is_bound_twice_in_a_context(context: Context) -> None:
    Keymap(REGISTRY.of(context))


def test_keys_that_terminals_cannot_distinguish_are_never_bound() -> None:
    keys = {key for command in REGISTRY for written in command.keys for key in parse_sequence(written)}
    assert not keys & FORBIDDEN
    assert not {key for key in keys if key.startswith("Alt")}


def test_every_command_shows_what_it_does() -> None:
    for command in REGISTRY:
        assert command.help.endswith("."), command.name
        assert len(command.help) <= 140, command.name
        assert command.title and command.group, command.name


def test_the_words_of_the_command_line_are_commands() -> None:
    words = "view goto find filter suppress expand refs why show facts problems marks sort columns set theme mouse"
    words += " follow reload redraw stop help keys q w"
    assert all(REGISTRY.get(word) is not None for word in words.split())


def test_keys_kept_for_later_are_free() -> None:
    first = {parse_sequence(key)[0] for command in REGISTRY.of("browser") for key in command.keys}
    assert not first & set('IPY~_@"')


class Rehearsal:
    """Steps on one stage, each from the same state; what the app would do to the terminal is only counted."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        for name, counter in (("exit", "exits"), ("reload", "reloads"), ("redraw", "redraws")):
            self._count(name, counter)
        self._count("action_suspend_process", "suspends")

    def _count(self, name: str, counter: str) -> None:
        def count(*_arguments: object, **_options: object) -> None:
            setattr(self.stage, counter, getattr(self.stage, counter, 0) + 1)

        setattr(self.stage.app, name, count)

    async def reset(self, start: int) -> None:
        """All rows of the first view, the cursor on one of them, nothing begun, marked or filtered."""
        stage, browser = self.stage, self.stage.browser
        interaction = browser.interaction
        if interaction.prompt is not None:
            interaction.prompt.cancel()
        interaction.keyboard.clear()
        interaction.search.clear()
        interaction.filters.stop()
        interaction.filters.state = type(interaction.filters.state)()
        interaction.filters.apply()
        interaction.filters.done.clear()
        close_lists(browser)
        interaction.marking.marks.letters.clear()
        interaction.marking.marks.tags.clear()
        browser.report.graph.cuts.clear()
        interaction.viewing.is_following = False
        if browser.view.name != "Call tree":
            browser.show_view("Call tree")
        browser.tree_view.show(browser.report, browser.view)
        browser.tree_view.short_names, browser.tree_view.left = None, 0
        browser._wants_side_by_side, browser._is_alone, browser._wants_detail = None, False, True
        browser._share = {True: 33, False: 25}
        browser._arrange()
        browser.tree_view.focus()
        browser.tree_view.open_all()
        browser.tree_view.move_to_row(start)
        browser.show_message("")
        for counter in ("exits", "reloads", "redraws", "suspends"):
            setattr(stage, counter, 0)
        stage.copied.clear()
        stage.printed.clear()
        await stage.quiet()


@pytest.mark.parametrize(
    "group", ["moving", "folding", "links", "search", "filters", "marks", "cuts", "yank", "views", "program"]
)
async def test_keys_of_a_group_do_as_described(group: str, corpus: Path) -> None:
    await rehearse(corpus, globals()[group.upper()])


async def test_keys_of_prompts_do_as_described(corpus: Path) -> None:
    await rehearse(corpus, PROMPT)


async def rehearse(corpus: Path, effects: dict[str, Effect]) -> None:
    """Plays all effects, and reports all failures at once."""
    failed: list[str] = []
    async with browsing(sample(corpus)) as stage:
        rehearsal = Rehearsal(stage)
        for key, effect in effects.items():
            await rehearsal.reset(effect.start)
            keys = effect.keys or " ".join(parse_sequence(key))
            for part in keys.split(" WAIT "):
                await stage.press(part)
                await stage.settled()
            if not await stage.comes_true(lambda effect=effect: effect.happens(stage)):
                failed.append(f"{key} ({keys}), row {stage.browser.tree_view.cursor_node}:\n{stage.screen()}")
    assert not failed, "\n\n".join(failed)


def sample(corpus: Path) -> Path:
    """The smallest report that has everything."""
    return corpus / "v24.2_and_25" / "reports" / "call_tree_demo_20250916_101500.txt"
