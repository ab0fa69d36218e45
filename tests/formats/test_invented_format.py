"""A new format is its own folder and one line in the registry: an invented one has everything that others have."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, TESTS
from terminal.pseudo import Pseudo

FOLDER = TESTS / "invented"
SITE = """\
import parsers.formats.registry as registry
from outline.format import FORMATS
registry.FORMATS += FORMATS
"""
"""The line in the registry, for each process of the test."""
FIRST = "OUTLINE 1\nfruit 9\n\tapple 5\n\tpear 4\nbread 2\n"
SECOND = "OUTLINE 1\nfruit 12\n\tapple 8\n\tpear 4\nbread 2\ncheese 1\n"


class Program:
    """Coffeetree with the invented format."""

    def __init__(self, folder: Path) -> None:
        (folder / "sitecustomize.py").write_text(SITE)
        paths = os.pathsep.join(map(str, (folder, FOLDER, ROOT)))
        self.environment = {**os.environ, "PYTHONPATH": paths, "XDG_CACHE_HOME": str(folder / "cache")}
        self.first, self.second = folder / "first.txt", folder / "second.txt"
        self.first.write_text(FIRST)
        self.second.write_text(SECOND)

    def __call__(self, *words: str | Path, status: int = 0) -> str:
        line = [sys.executable, "-m", "tui", *map(str, words)]
        done = subprocess.run(line, env=self.environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == status, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return Program(tmp_path_factory.mktemp("invented"))


def test_it_is_recognised_and_indexed_by_a_child_with_a_kernel(program: Program) -> None:
    info = json.loads(program("info", "--json", program.first))
    assert info["format"] == "outline"
    assert info["totals"] == {"lines": 4}
    assert [view["name"] for view in info["views"]] == ["Items", "Largest"]


def test_its_tree_and_its_table_are_printed_sorted_and_as_json(program: Program) -> None:
    rows = [json.loads(line) for line in program("tree", "--json", program.first).splitlines()]
    assert [(row["label"], row["depth"], row["badges"]["amount"]) for row in rows] == [
        ("fruit", 0, 9),
        ("apple", 1, 5),
        ("pear", 1, 4),
        ("bread", 0, 2),
    ]
    ranked = program("tree", "--json", "--view", "Largest", program.first)
    assert [json.loads(line)["label"] for line in ranked.splitlines()] == ["fruit", "apple", "pear", "bread"]


def test_its_rows_are_queried_with_sql(program: Program) -> None:
    answer = program("sql", program.first, "SELECT label, amount FROM item WHERE depth = 1", "--csv")
    assert answer.splitlines() == ["label,amount", "apple,5", "pear,4"]


def test_it_is_searched_and_its_rows_are_shown(program: Program) -> None:
    assert "apple" in program("find", program.first, "pp")
    assert json.loads(program("show", "--json", program.first, "item:pear"))["row"]["label"] == "pear"


def test_two_of_them_are_compared(program: Program) -> None:
    changes = program("diff", program.first, program.second, status=1)
    assert "cheese" in changes
    assert "12 (+3)  fruit" in changes
    assert "bread" not in changes


def test_rules_are_checked(program: Program, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[[forbid]]\nname = "no bread"\nview = "Items"\npattern = "bread"\n')
    answer = program("check", program.first, "--rules", rules, status=1)
    assert "bread" in answer


def test_it_is_exported(program: Program) -> None:
    lines = program("export", "--to", "csv", program.first, "-").splitlines()
    assert len(lines) == 5
    assert any("pear" in line and "4" in line for line in lines)


def test_it_is_shown_searched_and_filtered_in_the_browser(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in program.environment.items():
        monkeypatch.setenv(name, value)
    with Pseudo([sys.executable, "-m", "tui", str(program.first)], columns=80, rows=12) as browser:
        browser.wait_for("pear")
        browser.press("/pear\r")
        browser.wait_for("fruit ▸ pear")
        browser.wait_for("1 match")
        browser.press("&app\r")
        browser.wait_for(lambda: "bread" not in browser.text)
        browser.press("q")
        assert browser.status() == 0


def test_messages_name_it(program: Program, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("something else\n")
    done = subprocess.run(
        [sys.executable, "-m", "tui", "info", other], env=program.environment, capture_output=True, text=True
    )
    assert "or an outline (plain" in done.stderr
