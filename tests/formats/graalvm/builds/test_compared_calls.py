"""Comparison of call trees of two builds: added, removed and moved methods, and the methods that introduced them."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from conftest import CORPUS, Answer, sample_path
from hypothesis import given
from hypothesis import strategies as st
from stage import browsing

from parsers.formats.graalvm.builds.compared_methods import ComparedMethods
from parsers.formats.graalvm.builds.methods import BuildMethods
from parsers.formats.graalvm.builds.normalised import normalised
from parsers.formats.graalvm.calls.index.arrays import call_arrays
from parsers.formats.graalvm.calls.index.package_table import PackageTable
from parsers.formats.graalvm.calls.index.plain import call_tree
from parsers.formats.graalvm.text.indexed_tree import IndexedTree
from parsers.formats.graalvm.text.read.plain_index import index_in_memory
from parsers.io.cache import Cache
from parsers.model.trees.tree import walk
from parsers.reporting.comparison.text_numbers import FEW, EncodedTexts, number_together
from parsers.runtime.opening import open_compared, open_report
from parsers.views.collection import places_of
from tui.interaction.comparing import offers

Run = Callable[..., Answer]

OLD = """\
VM Entry Points
├── entry a.Main.main():void id=0
│   ├── directly calls a.Main.parse():void id=1 @bci=1
│   │   └── directly calls b.Text.trim():void id=3 @bci=2
│   ├── directly calls a.Main.gone():void id=2 @bci=5
│   └── directly calls a.Main$$Lambda$7/0x0001.run():void id=4 @bci=9
└── entry a.Main.stop():void id=5
    └── directly calls a.Main.parse():void id-ref=1 @bci=1

"""
NEW = """\
VM Entry Points
├── entry a.Main.main():void id=0
│   ├── directly calls a.Main.parse():void id=2 @bci=1
│   │   └── virtually calls c.Codec.read():void @bci=3
│   │       ├── is overridden by c.Json.read():void id=4
│   │       │   ├── directly calls c.Json.token():void id=6 @bci=4
│   │       │   │   └── directly calls b.Text.trim():void id=7 @bci=2
│   │       │   └── directly calls c.Json.<init>():void id=8 @bci=2
│   │       └── is overridden by d.Xml.read():void id=5
│   ├── directly calls a.Main$$Lambda$3/0x0009.run():void id=3 @bci=9
│   └── directly calls a.Main$$Lambda$4/0x000a.run():void id=9 @bci=12
└── entry c.Start.begin():void id=1

"""


@pytest.fixture
def both(tmp_path: Path) -> tuple[Path, Path]:
    """Two small trees."""
    paths = tmp_path / "call_tree_a_20240101_100000.txt", tmp_path / "call_tree_a_20240102_100000.txt"
    for path, text in zip(paths, (OLD, NEW), strict=True):
        path.write_text(text, "utf-8")
    return paths


def told(answer: Answer) -> list[str]:
    """Depth, label, change, growth and introducing method of each row."""
    return [
        f"{'  ' * row['depth']}{row['label']} {row['change']} {row['badges'].get('methods_change', 0):+}"
        + ("" if row["via"] is None else f" via {row['via']}")
        + (" moved" if row["badges"].get("moved") else "")
        for row in answer.rows
    ]


def test_methods_are_listed_by_package_and_class_with_their_introducers(
    coffeetree: Run, cache_folder: Path, both: tuple[Path, Path]
) -> None:
    answer = coffeetree("diff", "--json", *both)
    assert answer.status == 1
    assert told(answer) == [
        "c added +4",
        "  c.Json added +3",
        "    c.Json.<init>():void added +1 via a.Main.parse():void",
        "    c.Json.read():void added +1 via a.Main.parse():void",
        "    c.Json.token():void added +1 via a.Main.parse():void",
        "  c.Start added +1",
        "    c.Start.begin():void added +1",
        "d added +1",
        "  d.Xml added +1",
        "    d.Xml.read():void added +1 via a.Main.parse():void",
        "a changed -1",
        "  a.Main changed -2",
        "    a.Main.gone():void removed -1",
        "    a.Main.stop():void removed -1",
        "  a.Main$$Lambda changed +1",
        "    a.Main$$Lambda.run():void changed +1 via a.Main.main():void",
        "b changed +0 moved",
        "  b.Text changed +0 moved",
        "    b.Text.trim():void changed +0 via a.Main.parse():void moved",
    ]


def test_methods_that_introduced_most_are_first_with_paths_to_added_methods(
    coffeetree: Run, cache_folder: Path, both: tuple[Path, Path]
) -> None:
    rows = coffeetree("diff", "--json", "--view", "let in by", *both).rows
    assert [f"{'  ' * row['depth']}{row['label']} {row['badges'].get('let_in', '')}".rstrip() for row in rows] == [
        "a.Main.parse():void 4",
        "  c.Json.read():void 2",
        "    c.Json.token():void",
        "    c.Json.<init>():void",
        "  d.Xml.read():void",
        "a.Main.main():void 1",
        "  a.Main$$Lambda.run():void",
        "(added entry points) 1",
        "  c.Start.begin():void",
    ]


def test_entry_points_are_listed_separately(coffeetree: Run, cache_folder: Path, both: tuple[Path, Path]) -> None:
    rows = coffeetree("diff", "--json", "--view", "Entry points", *both).rows
    assert [(row["label"], row["change"]) for row in rows] == [
        ("c.Start.begin():void", "added"),
        ("a.Main.stop():void", "removed"),
    ]


def test_text_lists_the_same_and_names_merged_by_normalising(
    coffeetree: Run, cache_folder: Path, both: tuple[Path, Path]
) -> None:
    answer = coffeetree("diff", *both)
    line = next(line for line in answer.out.splitlines() if "c.Json.token" in line)
    assert line.split() == ["+", "line:6", "1", "(+1)", "a.Main.parse():void", "method", "c.Json.token():void"]
    totals, heading = answer.out.splitlines()[:2]
    assert heading.split(maxsplit=1)[0] == "REF" and heading.index("Introduced by") == line.index("a.Main.parse")
    assert totals == "4 in both, 6 added, 2 removed, 1 rerouted, 1 of the new names merged"
    assert not answer.err


def test_refs_lead_to_the_row_of_their_report(cache: Cache, both: tuple[Path, Path]) -> None:
    report: Any = open_compared(*map(str, both), cache=cache)
    report.wait()
    for view in report.views:
        for node, _ in walk(view.tree):
            row = view.tree.row(node)
            assert view.resolve(row.ref) == node
            assert view.find_key(view.key(node)) is not None
            side, ref = (report.old, row.ref[6:]) if row.ref.startswith("run:1/") else (report.new, row.ref)
            if ref.startswith("line:"):
                shown = side.views[0].tree.row(side.views[0].resolve(ref))
                assert normalised(shown.label) == row.label
    report.close()


def test_the_pane_shows_the_shortest_path_now_and_before(cache: Cache, both: tuple[Path, Path]) -> None:
    report: Any = open_compared(*map(str, both), cache=cache)
    report.wait()
    view = report.views[0]
    _, now, before = view.sections(view.resolve("name:b.Text.trim():void"))
    assert [row.text for row in now.rows] == [
        "  Main.main",
        "  Main.parse",
        "+ Json.read",
        "+ Json.token",
        "  Text.trim",
    ]
    assert [row.text for row in before.rows] == ["  Main.main", "  Main.parse", "  Text.trim"]
    _, by, _ = view.sections(view.resolve("name:c.Json.token():void"))
    assert (by.title, by.rows[0].text) == ("Introduced by", "a.Main.parse():void")
    report.close()


def test_links_lead_to_the_rows_of_both_reports(cache: Cache, both: tuple[Path, Path]) -> None:
    report: Any = open_compared(*map(str, both), cache=cache)
    report.wait()
    for view in report.views:
        for node, _ in walk(view.tree):
            row = view.tree.row(node)
            assert (row.link is None) == row.has_children
            for link in view.links(node):
                side = report.new if link.report == str(both[1]) else report.old
                there, places = places_of(side.views, link.ref)
                assert normalised(there.tree.row(places[0]).label) == row.label
            for section in view.sections(node):
                assert all(view.resolve(each.ref) >= 0 for each in section.rows if each.ref)
    report.close()


def test_methods_that_move_with_their_ancestors_are_listed_on_request(
    coffeetree: Run, cache_folder: Path, tmp_path: Path
) -> None:
    path = "├── entry a.B.{}():void id={} \n"
    below = "│   └── directly calls a.C.f():void id=2 @bci=1 \n│       └── directly calls a.C.g():void id=3 @bci=1 \n"
    first, second = path.format("x", 0), path.format("y", 1)
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text(f"VM Entry Points\n{first}{below}{second}\n", "utf-8")
    new.write_text(f"VM Entry Points\n{first}{second}{below}\n", "utf-8")
    moved = [row["label"] for row in coffeetree("diff", "--json", old, new).rows if row["kind"] == "method"]
    assert moved == ["a.C.f():void"]
    words = ("--switch", "moved=anywhere on their way")
    moved = [row["label"] for row in coffeetree("diff", "--json", *words, old, new).rows if row["kind"] == "method"]
    assert moved == ["a.C.f():void", "a.C.g():void"]


# -- the two real builds ----------------------------------------------------------------------------------------------


def differing(rows: list[Any], sign: int) -> dict[str, int]:
    """By label how many methods there are more, or fewer."""
    growth = {row["label"]: sign * row["badges"]["methods_change"] for row in rows if row["kind"] == "method"}
    return {label: number for label, number in growth.items() if number > 0}


def test_two_builds_of_one_program_differ_as_the_samples_say(coffeetree: Run) -> None:
    truth = json.loads((CORPUS / "real_23.0_second_build" / "diff_to_first_build.json").read_text("utf-8"))
    paths = sample_path("real_23.0_first_build", truth["old"]), sample_path("real_23.0_second_build", truth["new"])
    wanted, answer = truth["normalised"], coffeetree("diff", "--json", *paths)
    added, removed = (differing(answer.rows, sign) for sign in (1, -1))
    assert (sum(added.values()), sum(removed.values())) == (wanted["only_new"], wanted["only_old"])
    assert (sorted(added), sorted(removed)) == (wanted["names_only_new"], wanted["names_only_old"])
    assert f"{wanted['common']:,} in both, " in answer.err

    wanted, answer = truth["as_printed"], coffeetree("diff", "--json", "--switch", "names=as printed", *paths)
    added, removed = (differing(answer.rows, sign) for sign in (1, -1))
    assert (sum(added.values()), sum(removed.values())) == (wanted["only_new"], wanted["only_old"])
    assert f"{wanted['common']:,} in both, " in answer.err


def test_text_and_tables_of_one_program_give_the_same(coffeetree: Run, cache_folder: Path) -> None:
    text = sample_path("v20_to_24.0", "call_tree_demo_20230401_101500.txt")
    table = sample_path("csv_22.3_to_24.0", "call_tree_methods_demo_20230401_101500.csv")
    for paths in ((text, table), (table, text)):
        answer = coffeetree("diff", *paths)
        assert (answer.status, answer.out) == (0, "")


def test_of_text_and_seven_tables_only_certain_moves_are_shown(
    coffeetree: Run, cache_folder: Path, tmp_path: Path
) -> None:
    text = sample_path("v20_to_24.0", "call_tree_demo_20230401_101500.txt").read_text("utf-8")
    table = sample_path("csv_22.3_to_24.0", "call_tree_methods_demo_20230401_101500.csv")
    call = "│   └── directly calls com.example.Größe.wert-JR5F0z0(long):long id=6 @bci=-6 \n"
    entry = "├── entry com.example.Main.main(java.lang.String[]):void id=1 \n"
    # Another method calls it, and another path of the tables is printed.
    moved = text.replace(call, "").replace(entry, entry + call)
    swapped = moved.replace("id-ref=14 ", "id=14 ").replace(
        "valueOf(java.lang.Object):java.lang.String id=14 @bci=12",
        "valueOf(java.lang.Object):java.lang.String id-ref=14 @bci=12",
    )
    (tmp_path / "moved.txt").write_text(swapped, "utf-8")
    for paths, which in (((tmp_path / "moved.txt", table), "new"), ((table, tmp_path / "moved.txt"), "old")):
        answer = coffeetree("diff", "--json", *paths)
        told = [row["label"] for row in answer.rows if row["badges"].get("moved") and row["kind"] == "method"]
        assert told == ["com.example.Größe.wert-JR5F0z0(long):long"]
        assert f"in the {which} build: only methods that are certainly rerouted are shown as rerouted" in answer.err
    assert "rerouted or introduced because of calls that don't exist" in coffeetree("diff", table, table).err


def test_an_equally_short_path_is_no_move(coffeetree: Run, cache_folder: Path, tmp_path: Path) -> None:
    first, second = "├── entry a.B.x():void id=0\n", "├── entry a.B.y():void id=1\n"
    called = "│   └── directly calls a.C.f():void {}=2 @bci=1\n"
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text(f"VM Entry Points\n{first}{called.format('id')}{second}{called.format('id-ref')}\n", "utf-8")
    new.write_text(f"VM Entry Points\n{first}{called.format('id-ref')}{second}{called.format('id')}\n", "utf-8")
    assert coffeetree("diff", old, new).status == 0


def test_an_added_or_removed_equally_short_path_moves_nothing(
    coffeetree: Run, cache_folder: Path, tmp_path: Path
) -> None:
    first, second = "├── entry a.B.x():void id=0\n", "├── entry a.B.y():void id=1\n"
    called = "│   └── directly calls a.C.f():void {}=2 @bci=1\n"
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text(f"VM Entry Points\n{first}{second}{called.format('id')}\n", "utf-8")
    two.write_text(f"VM Entry Points\n{first}{called.format('id')}{second}{called.format('id-ref')}\n", "utf-8")
    assert [coffeetree("diff", *paths).status for paths in ((one, two), (two, one))] == [0, 0]


# -- against plain code -----------------------------------------------------------------------------------------------


class Tree:
    """A completely read tree, as far as comparisons need it."""

    def __init__(self, forest: list[tuple[int, int]]) -> None:
        """forest: of each method the one that calls it, -1 of an entry, and its name"""
        self.names_of = [f"a.B$$Lambda${name}/0x1.f{name % 3}():void" for _, name in forest]
        self.callers = [min(caller, place - 1) for place, (caller, _) in enumerate(forest)]
        self.tree = call_tree(self._printed().encode())

    def _printed(self) -> str:
        below: dict[int, list[int]] = {}
        for place, caller in enumerate(self.callers):
            below.setdefault(caller, []).append(place)
        lines, left = ["VM Entry Points"], [(place, 0) for place in reversed(below.get(-1, []))]
        while left:
            place, depth = left.pop()
            word, bci = ("entry", "") if not depth else ("directly calls", "@bci=1 ")
            lines.append(f"{'│   ' * depth}├── {word} {self.names_of[place]} id={place} {bci}")
            left += [(each, depth + 1) for each in reversed(below.get(place, []))]
        return "\n".join([*lines, "", ""])

    def path(self, place: int) -> list[int]:
        found = [place]
        while self.callers[found[-1]] >= 0:
            found.append(self.callers[found[-1]])
        return found

    def steps(self) -> Counter[tuple[str, str]]:
        """Number of methods of a name called by one of another."""
        names = [normalised(name) for name in self.names_of]
        return Counter(
            (name, names[caller] if caller >= 0 else "") for name, caller in zip(names, self.callers, strict=True)
        )


FORESTS = st.lists(st.tuples(st.integers(-1, 8), st.integers(0, 5)), max_size=9)


@given(old=FORESTS, new=FORESTS)
def test_arrays_equal_counting(old: list[tuple[int, int]], new: list[tuple[int, int]]) -> None:
    trees = Tree(old), Tree(new)
    both = ComparedMethods(*(BuildMethods(cast(Any, Report(tree)), False) for tree in trees))
    counts = [Counter(map(normalised, tree.names_of)) for tree in trees]
    labels = {both.label(name): name for name in range(both.count) if both.old_counts[name] or both.new_counts[name]}
    assert {label: int(both.old_counts[name]) for label, name in labels.items()} == {n: counts[0][n] for n in labels}
    assert {label: int(both.new_counts[name]) for label, name in labels.items()} == {n: counts[1][n] for n in labels}
    back = ComparedMethods(*(BuildMethods(cast(Any, Report(tree)), False) for tree in reversed(trees)))
    assert {back.label(int(name)) for name in np.flatnonzero(back.is_moved)} == {
        both.label(int(name)) for name in np.flatnonzero(both.is_moved)
    }
    assert [back.summary[name] for name in ("went", "came")] == [both.summary[name] for name in ("came", "went")]
    assert both.summary["came"] == (counts[1] - counts[0]).total()
    assert both.summary["went"] == (counts[0] - counts[1]).total()

    steps = [tree.steps() for tree in trees]
    others = {name for name, _ in (steps[0] - steps[1]) + (steps[1] - steps[0])}
    # Each method is called once here, so another last step is another path.
    moved = {name for name in others if counts[0][name] == counts[1][name]}
    assert {label for label, name in labels.items() if both.is_moved[name]} == moved

    places = _places(both.new)
    added = {places[method] for method in np.flatnonzero(both.added)}
    nearest = [next((each for each in trees[1].path(place)[1:] if each not in added), -1) for place in places]
    assert [places[method] if method >= 0 else -1 for method in both.introduced_by.tolist()] == nearest


class Report:
    """Fake report for comparisons."""

    is_inexact = False

    encoding, format = "utf-8", "graalvm-call-tree"

    def __init__(self, tree: Tree) -> None:
        self.tree: Any = SimpleNamespace(behind=tree.tree, vertices=tree.tree.vertices)
        self.names = tree.tree.names
        self.indexed = IndexedTree(index_in_memory(tree.tree, call_arrays))

    def package_table(self) -> PackageTable:
        return PackageTable(self.indexed.array)


def _places(build: Any) -> list[int]:
    """By method its number in the forest, which is its id."""
    return [build.report.tree.behind.vertex_id(int(vertex)) for vertex in build.vertices]


def test_kernels_number_texts_as_plain_code_does(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = (
        EncodedTexts(
            np.append(0, np.cumsum([len(text) for text in texts])), np.frombuffer("".join(texts).encode(), np.uint8)
        )
        for texts in (["a", "", "bc", "a"], ["bc", "d" * 200, "", "d" * 199])
    )
    assert old.count + new.count <= FEW
    plain = number_together(old, new)
    monkeypatch.setattr("parsers.reporting.comparison.text_numbers.FEW", 0)
    compiled = number_together(old, new)
    assert (plain[0].tolist(), plain[1].tolist(), plain[2]) == ([0, 1, 2, 0], [2, 3, 1, 4], 5)
    assert (compiled[0].tolist(), compiled[1].tolist(), compiled[2]) == (plain[0].tolist(), plain[1].tolist(), plain[2])


# -- the browser ------------------------------------------------------------------------------------------------------


async def test_d_shows_additions_since_an_older_build_and_their_introducers(both: tuple[Path, Path]) -> None:
    async with browsing(both[1]) as stage:
        await stage.until(lambda: stage.browser.report.is_complete)
        await stage.press("d")
        await stage.until(lambda: "with an older report" in stage.screen())
        await stage.press("Enter")
        await stage.until(lambda: "methods ±" in stage.screen() and "+4" in stage.screen())
        assert [view.name for view in stage.browser.report.views] == ["Packages", "Let in by", "Entry points"]
        assert [view.description for view in stage.browser.report.views] == [
            "Methods added, removed or rerouted",
            "Added methods by what introduced them",
            "Changes in entry points",
        ]
        assert "rerouted" in stage.screen()
        assert (stage.row.kind, stage.row.label) == ("package", "c")
        await stage.press(":")
        await stage.type("view let in by")
        await stage.press("Enter")
        await stage.until(lambda: "introduced" in stage.screen() and stage.row.label == "a.Main.parse():void")
        await stage.press("Space j Space j Enter")
        await stage.until(lambda: "→" not in stage.lines()[0] and stage.browser.report.is_complete)
        assert (stage.row.label, stage.row.line) == ("c.Json.token():void", 6)


def test_tables_are_offered_for_a_text_tree_and_vice_versa(cache: Cache, tmp_path: Path) -> None:
    folder = tmp_path / "alone"
    folder.mkdir()
    for file in (CORPUS / "csv_22.3_to_24.0" / "reports").glob("*_demo_*"):
        shutil.copy(file, folder)
    text = sample_path("v20_to_24.0", "call_tree_demo_20230401_101500.txt")
    shutil.copy(text, folder)
    tables = folder / "call_tree_direct_edges_demo_20230401_101500.csv"
    for shown, other in ((folder / text.name, tables), (tables, folder / text.name)):
        report = open_report([str(shown)], cache=cache)
        assert [offer.files[0] for offer in offers(report)] == [str(other)]
        report.close()
