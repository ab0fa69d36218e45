"""Nothing in a file acts on the terminal: the whole browser on reports full of escape sequences and markup."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .pseudo import COFFEETREE, Pseudo

PROBES = [
    "\x1b[31mred",
    "\x1b]0;title\x07",
    "\x1b]52;c;Y2xpcA==\x07",
    "\x1b]8;;http://x\x1b\\link",
    '\x1bP$q"p\x1b\\',
    "\x9b2J",
    "\x9d0;c1\x9c",
    "\x90q\x9c",
    "\u202eevil\u202c\u2066x\u2069",
    "\u200b\ufeff\u00ad\u2028",
    "nul\x00\x07\x08\x0b\x7f",
    "[bold]x[/bold]",
    "[@click=app.quit]y[/]",
    "[/z]",
    "$(x)`y`",
]

ESCAPE = "\x1b"

LONG = 20_000
"""Characters of the longest names."""

OURS = re.compile(
    r"\x1b\[(?:\d*(?:;\d*)*[mBCDHKX]|6n|2J|\?\d+[hl]|\?\d+\$p|<u)"  # looks, moves, erasing, questions, modes
    r"|\x1bD|\x08+|\r"  # short moves; the probe with these two also has other controls
)
"""All that the browser itself may send."""


def call_tree() -> str:
    lines = ["VM Entry Points"]
    for number, probe in enumerate(PROBES):
        name = f"com.ex{probe}ample.Cl{probe}ass.me{probe}thod(java.la{probe}ng.String):vo{probe}id"
        lines.append(f"├── entry {name} id={3 * number} ")
        lines.append(f"│   ├── directly calls a.B.c{probe}():void id={3 * number + 1} @bci={number} ")
        lines.append(f"│   ├── what is {probe} this")
        lines.append(f"│   └── virtually calls x.Y.z():void @bci={number} ")
        lines.append(f"│       └── is overridden by {name} id-ref={3 * number} ")
    lines.append(f"└── entry big.{'N' * LONG}.m\x1b[31m():void id=900 ")
    return "\n".join(lines) + "\n"


def object_tree() -> str:
    lines = ["Heap roots"]
    for number, probe in enumerate(PROBES):
        lines.append(f"├── root com.Ex{probe}.field{probe}:java.la{probe}ng.String value:")
        lines.append(f"│   └── java.lang.Str{probe}ing id={number} toString={probe} text {probe} fields:")
        lines.append(f"│       ├── ha{probe}sh:java.lang.Str{probe}ing value:")
        lines.append(f"│       │   └── java.lang.Str{probe}ing id-ref={number} toString={probe}")
        lines.append(f"│       └── no{probe}ne:java.lang.Object value=null")
    lines.append("└── root com.Big.s:java.lang.String value:")
    lines.append(f"    └── java.lang.String id=999 toString={'S' * LONG}\x1b[31m")
    return "\n".join(lines) + "\n"


TOURS = {
    "moves": ["j", "j", "j", "\x06", "G", "g", "l", "h", "}", "zR", "ze", "ze", "."],
    "panes": ["\t", "j", "j", "\t", "i", "i", "O", "O", "+", "|", "a", "a"],
    "lists": ["ma", "r", "q", "M", "j", "q", "!", "j", "\r", "=", "q", "?", "G", "q", "W", "q"],
    "views": ["v", "\x1b", "v", "j", "\r", "V", "v", "j", "j", "\r", "V"],
    "prompts": [
        "/",
        "e",
        "x",
        "\r",
        "n",
        "n",
        "N",
        "*",
        "o",
        "e",
        "x",
        "\x1b",
        "&",
        "e",
        "x",
        "\r",
        "fx",
        "\x10",
        "\x1b",
    ],
    "paste": [
        "/",
        "\x1b[200~\x1b]0;x\x07[bold]\x1b[201~",
        "\r",
        "\x1b",
        ":",
        "\x1b[200~\x9b31m[/x]\x1b[201~",
        "\r",
        "\x1b",
    ],
    "words": [":", "find", " ", "\u202e[@click=app.quit]", "\r", ":", "nonsense[/b]", "\r", "\x1b"],
    "copies": ["ma", "t", "yy", "yp", "yb", "yt", "'a", "fs", "\r", "fx"],
}


def check(sent: bytes) -> None:
    """Every byte that was sent is printable text or one of our own sequences."""
    text = re.sub(r"\x1b\]52;c;[A-Za-z0-9+/=]*\x07", "", sent.decode("utf-8"))
    rest = OURS.sub("", text)
    bad = [ascii(rest[max(0, at - 20) : at + 30]) for at, character in enumerate(rest) if not character.isprintable()]
    assert bad == []


@pytest.mark.parametrize(
    "tours", [("moves", "panes", "lists"), ("views", "prompts"), ("paste", "words", "copies")], ids="-".join
)
@pytest.mark.parametrize(("name", "make"), [("call_tree", call_tree), ("object_tree", object_tree)])
def test_no_control_byte_of_a_file_reaches_the_terminal(
    tmp_path: Path, name: str, make: Callable[[], str], tours: tuple[str, ...]
) -> None:
    path = tmp_path / f"{name}_\x1b[31m\u202e[bold]_20260101_000000.txt"
    path.write_text(make(), "utf-8")
    command = [COFFEETREE, "--cache-dir", str(tmp_path / "cache"), str(path)]
    with Pseudo(command, columns=110, rows=30) as program:
        program.wait_for(lambda: "line:2" in program.text)
        for key in [key for tour in tours for key in (*TOURS[tour], ESCAPE)]:
            program.press(key)
            program.settle(0.25 if key.endswith(ESCAPE) else 0.05)
            assert program.process.poll() is None, f"ended by {key!r}:\n{program.text}"
        check(program.sent)
        program.press("Q")
        assert program.status() == 0
        assert program.is_restored()


def test_no_control_byte_of_a_result_reaches_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "call_tree_evil_20260101_000000.txt"
    path.write_text(call_tree(), "utf-8")
    command = [COFFEETREE, "--cache-dir", str(tmp_path / "cache"), str(path)]
    with Pseudo(command, columns=80, rows=24) as program:
        program.wait_for(lambda: "line:2" in program.text)
        program.press(";")
        program.wait_for(lambda: "Methods, by first mention" in program.text)
        program.press("SELECT name, name || chr(27) AS again, ref FROM method\r")
        program.wait_for(lambda: "SQL 1" in program.text)
        program.settle(0.25)
        check(program.sent)
        program.press("Q")
        assert program.status() == 0
        assert program.is_restored()
