"""Answers of the commands, as JSON and as text, on small reports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Answer
from small_trees import CALL_TREE, OBJECT_TREE
from tiny_records import tiny_records

Run = Callable[..., Answer]


# -- info -------------------------------------------------------------------------------------------------------------


def test_info_lists_a_bounded_number_of_choices(coffeetree: Run, tmp_path: Path) -> None:
    path = tmp_path / "dumps.txt"
    path.write_bytes(tiny_records("text: samples of a row", 150_000))
    switches = {
        each["name"]: each for view in coffeetree("info", "--json", path).json["views"] for each in view["switches"]
    }
    dumps = switches["dump"]
    assert (len(dumps["choices"]), dumps["choices"][-1]) == (1_000, "999")
    # All, each of the dumps, each with the next one, and the first with the last.
    assert dumps["more_choices"] + 1_000 == 1 + 2 * path.read_bytes().count(b"BEGIN")
    assert [name for name, each in switches.items() if "more_choices" in each] == ["dump"]


def test_info_as_json(call_tree: Path, coffeetree: Run) -> None:
    info = coffeetree("info", "--json", call_tree).json
    assert list(info) == [
        "format", "format_version", "encoding", "line_end", "title", "bytes", "files", "facts", "views", "totals",
        "runs", "problems", "problem_count",
    ]  # fmt: skip
    assert (info["title"], info["bytes"]) == ("call_tree_app_20230401_101500.txt", len(CALL_TREE.encode()))
    assert info["files"] == [{"file": str(call_tree), "bytes": info["bytes"], "totals": info["totals"]}]
    assert [view["name"] for view in info["views"]][:5] == [
        "Call tree",
        "Callers",
        "Entry points",
        "Packages",
        "Dominators",
    ]
    assert (info["views"][0]["rows"], info["views"][0]["roots"]) == (7, 2)
    assert info["views"][1]["rows"] is None
    assert {"name", "title", "unit"} == set(info["views"][0]["columns"][0])
    assert info["totals"]["rows"] == 7


def test_info_as_text(call_tree: Path, coffeetree: Run) -> None:
    text = coffeetree("info", call_tree).out
    assert text.startswith("call_tree_app_20230401_101500.txt\nGraalVM call tree 20.1-24.0, utf-8, lf, ")
    assert "\nrows                     7\n" in text and "rows · " not in text
    assert "\nView               Rows  Roots  Switches\nCall tree             7      2\n" in text
    assert "\nCallers       unbounded\n" in text
    assert text.index("Totals") < text.index("View ")


def test_a_series_of_numbers_is_a_line_in_info(call_tree: Path, coffeetree: Run) -> None:
    series = next(line for line in coffeetree("info", call_tree).out.splitlines() if line.startswith("depth rows"))
    assert series.split(maxsplit=3)[3] == "0 to 3, most at 0: 2"
    assert coffeetree("info", "--json", call_tree).json["facts"]["depth_rows"] == [2, 2, 1, 2]


def test_info_of_a_folder_describes_the_report_that_tree_opens(
    call_tree: Path, object_tree: Path, coffeetree: Run
) -> None:
    call_tree.parent.joinpath("used_packages_app_20230401_101501.txt").write_text("a\n")
    answer = coffeetree("info", "--json", call_tree.parent)
    assert (answer.status, answer.err) == (0, "")
    assert (answer.json["format"], answer.json["totals"]["reports"]) == ("graalvm-build", 3)
    assert [Path(each["file"]).name for each in answer.json["files"]] == [
        call_tree.name,
        object_tree.name,
        "used_packages_app_20230401_101501.txt",
    ]
    views = {view["name"]: view["rows"] for view in answer.json["views"]}
    assert (views["Call tree"], views["Used packages"]) == (7, 1)
    for view in ("Call tree", "Used packages"):
        printed = coffeetree("tree", "--json", "--depth", "all", "--view", view, call_tree.parent)
        assert len(printed.rows) == views[view]
    assert coffeetree("info", call_tree.parent).out.startswith("app\nGraalVM build 20.1-24.0, utf-8, lf, ")


def test_info_of_each_report_of_a_folder(call_tree: Path, object_tree: Path, coffeetree: Run) -> None:
    call_tree.parent.joinpath("used_packages_app_20230401_101501.txt").write_text("a\n")
    expected = {"graalvm-call-tree": 7, "graalvm-object-tree": 7, "graalvm-used-packages": 1}
    for words in ([call_tree.parent], [call_tree, object_tree, packages_beside(call_tree)]):
        rows = coffeetree("info", "--json", "--each", *words).rows
        assert {row["format"]: row["totals"].get("rows") for row in rows} == expected
    text = coffeetree("info", "--each", call_tree.parent).out
    assert "call_tree_app_20230401_101500.txt\nGraalVM call tree 20.1-24.0, utf-8, lf, " in text
    assert "object_tree_app_20230401_101500.txt\nGraalVM object tree 19-24.1, " in text


def packages_beside(path: Path) -> Path:
    return path.parent / "used_packages_app_20230401_101501.txt"


def test_info_of_a_folder_of_several_builds_lists_each_report_and_shows_it(call_tree: Path, coffeetree: Run) -> None:
    call_tree.with_name("call_tree_app_20230501_101500.txt").write_text(CALL_TREE, "utf-8")
    answer = coffeetree("info", "--json", call_tree.parent)
    assert (answer.status, [row["format"] for row in answer.rows]) == (0, ["graalvm-call-tree"] * 2)
    assert "2 reports of several builds: each is listed separately" in answer.err
    assert "  call_tree_app_20230501_101500.txt\n" in coffeetree("info", call_tree.parent).out


def test_info_of_a_folder_with_damage_ends_with_3(call_tree: Path, coffeetree: Run) -> None:
    call_tree.write_text(CALL_TREE[:-1])
    answer = coffeetree("info", "--json", call_tree.parent)
    assert (answer.status, len(answer.rows)) == (3, 1)
    assert "cut at byte" in answer.err


# -- tree -------------------------------------------------------------------------------------------------------------


def labels(answer: Answer) -> list[str]:
    return [row["label"] for row in answer.rows]


def test_a_row_as_json(call_tree: Path, coffeetree: Run) -> None:
    assert coffeetree("tree", "--json", call_tree).rows[1] == {
        "ref": "line:3",
        "line": 3,
        "offset": CALL_TREE.encode().index("│   ├── directly".encode()),
        "depth": 1,
        "kind": "direct call",
        "label": "a.Main.run():void",
        "badges": {"id": 2, "bci": "3"},
        "flags": [],
        "children": 1,
        "rows_below": 3,
        "link": None,
    }


def test_tree_as_text(call_tree: Path, coffeetree: Run) -> None:
    assert coffeetree("tree", call_tree).out == (
        "Call tree: 7 rows, 2 roots\n"
        "REF     @bci  #id ↩ref  Rows below  Kind           Call tree\n"
        "line:2              #0           5  entry          a.Main.main(java.lang.String[]):void\n"
        "line:3    @3        #2           3  direct call      a.Main.run():void\n"
        "line:4    @5                     2  virtual call       java.lang.Runnable.run():void\n"
        "line:5              ↩1              overridden by        a.Job.run():void\n"
        "line:6              #3           0  overridden by        a.Other.run():void\n"
        "line:7    @9        ↩2              direct call      a.Main.run():void\n"
        "line:8              #1           0  entry          a.Job.run():void\n"
    )


@pytest.mark.parametrize(
    ("options", "lines", "said"),
    [
        ([], [2, 3, 4, 5, 6, 7, 8], ""),
        (["--depth", "0"], [2, 8], "5 of 7 rows not shown (--depth 0; all lifts it)\n"),
        (["--depth", "1"], [2, 3, 7, 8], "3 of 7 rows not shown (--depth 1; all lifts it)\n"),
        (["--limit", "2"], [2, 3], "5 of 7 rows not shown (--depth 3, --limit 2; all lifts it)\n"),
        (["--limit", "2", "--depth", "all"], [2, 3], "5 of 7 rows not shown (--limit 2; all lifts it)\n"),
        (["--limit", "0"], [], "7 of 7 rows not shown (--depth 3, --limit 0; all lifts it)\n"),
        (["--depth", "all", "--limit", "all"], [2, 3, 4, 5, 6, 7, 8], ""),
        (["--at", "id:2"], [3, 4, 5, 6], ""),
        (["--sort", "rows_below"], [2, 3, 4, 5, 6, 7, 8], ""),
        (["--sort", "-rows_below"], [8, 2, 7, 3, 4, 5, 6], ""),
        (["--at", "line:4", "--depth", "0"], [4], "2 of 3 rows not shown (--depth 0; all lifts it)\n"),
        (
            ["--at", "node:0", "--limit", "3"],
            [2, 3, 4],
            "3 of 6 rows not shown (--depth 3, --limit 3; all lifts it)\n",
        ),
        (["--at", "name:a.Job.run():void"], [8], ""),
    ],
)
def test_which_rows_of_a_tree(
    options: list[str], lines: list[int], said: str, call_tree: Path, coffeetree: Run
) -> None:
    answer = coffeetree("tree", "--json", *options, call_tree)
    assert ([row["line"] for row in answer.rows], answer.err, answer.status) == (lines, said, 0)


def test_an_unknown_sort_key_is_reported_with_the_known_ones(call_tree: Path, coffeetree: Run) -> None:
    answer = coffeetree("tree", "--sort", "size", call_tree)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err == "coffeetree: Call tree can't be sorted by 'size': there are rows_below, name\n"


def test_rows_are_sorted_by_the_heading_of_a_column_as_by_its_key(call_tree: Path, coffeetree: Run) -> None:
    for key, heading in (("rows_below", "Rows below"), ("-rows_below", "-rows")):
        by_key, by_heading = (coffeetree("tree", "--json", "--sort", each, call_tree) for each in (key, heading))
        assert by_key.out == by_heading.out != ""


def test_a_view_is_named_in_any_case(call_tree: Path, coffeetree: Run) -> None:
    answer = coffeetree("tree", "--json", "--view", "ENTRY points", call_tree)
    assert labels(answer) == ["a.Main.main(java.lang.String[]):void", "a.Job.run():void"]


def test_callers_have_no_end(call_tree: Path, coffeetree: Run) -> None:
    answer = coffeetree("tree", "--json", "--view", "Callers", "--at", "id:3", "--depth", "all", call_tree)
    assert labels(answer)[:2] == ["a.Other.run():void", "a.Main.run():void"]
    assert answer.rows[0]["rows_below"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--view", "Nonsense"], "coffeetree: no view is called 'Nonsense': there are Call tree, Callers"),
        (["--at", "line:1"], "coffeetree: line:1: no row is printed on line 1"),
        (["--at", "id:99"], "coffeetree: id:99: no row declares id 99"),
        (["--at", "nonsense"], "coffeetree: nonsense: "),
    ],
)
def test_a_missing_file_ends_with_2(words: list[str], said: str, call_tree: Path, coffeetree: Run) -> None:
    answer = coffeetree("tree", *words, call_tree)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(said)


def test_suppressed_rows_hide_their_descendants(call_tree: Path, coffeetree: Run) -> None:
    answer = coffeetree("tree", "--json", "--suppress-methods", "a.Main.run*", call_tree)
    assert [row["line"] for row in answer.rows] == [2, 3, 7, 8]
    row = answer.rows[1]
    assert (row["flags"], row["children"], row["rows_below"]) == (["suppressed"], 0, 0)


def test_expand_wins_over_suppress(object_tree: Path, coffeetree: Run) -> None:
    words = ("tree", "--json", "--depth", "all", "--suppress-types", "java.*")
    assert len(coffeetree(*words, object_tree).rows) == 3
    assert len(coffeetree(*words, "--expand-types", "java.util.HashMap", object_tree).rows) == 5


# -- find -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["a.Job"], [5, 8]),
        (["A.JOB"], []),
        (["-i", "A.JOB"], [5, 8]),
        (["run():"], [3, 4, 5, 6, 7, 8]),
        (["--regex", r"id=[13] "], [6, 8]),
        (["--regex", "^VM"], [1]),
        (["VM Entry"], [1]),
        (["--limit", "1", "a.Job"], [5]),
        (["--name", "run"], [3, 4, 6, 8]),
        (["--name", "--regex", "^a.*run"], [3, 6, 8]),
        (["--name", "id="], []),
        (["--view", "Entry points", "Job"], [8]),
    ],
)
def test_matches_of_find(words: list[str], lines: list[int], call_tree: Path, coffeetree: Run) -> None:
    answer = coffeetree("find", "--json", *words[:-1], call_tree, words[-1])
    assert [row["line"] for row in answer.rows] == lines
    assert answer.status == (0 if lines else 1)


@pytest.mark.parametrize(
    ("words", "count"),
    [(["a.Job"], 2), (["nowhere"], 0), (["o"], 8), (["--regex", "."], 8), (["--name", "run"], 4), (["-i", "vm"], 1)],
)
def test_find_counts_as_grep_does(words: list[str], count: int, call_tree: Path, coffeetree: Run) -> None:
    text = coffeetree("find", "-c", *words[:-1], call_tree, words[-1])
    assert (text.out, text.status) == (f"{count}\n", 0 if count else 1)
    assert coffeetree("find", "-c", "--json", *words[:-1], call_tree, words[-1]).json == {"count": count}


def test_a_line_that_is_no_row(call_tree: Path, coffeetree: Run) -> None:
    call_tree.write_text(CALL_TREE.replace("│   └── directly", "stray\tline\n│   └── directly"), "utf-8")
    assert coffeetree("find", "--json", call_tree, "stray").rows == [
        {
            "ref": "line:7", "line": 7, "offset": CALL_TREE.encode().index("│   └── directly".encode()), "depth": 0,
            "kind": "line", "label": "stray\tline", "badges": {}, "flags": [], "children": 0, "rows_below": 0,
            "link": None,
        }
    ]  # fmt: skip
    assert coffeetree("find", call_tree, "stray").out == "REF     Call tree\nline:7  stray␉line\n"


def test_rows_omitted_by_limit_are_reported(call_tree: Path, coffeetree: Run) -> None:
    answer = coffeetree("find", "--limit", "2", call_tree, "run()")
    assert (answer.out.count("\n"), answer.err) == (3, "4 more matches not shown (--limit 2; all lifts it)\n")


def test_a_pattern_that_is_no_expression(call_tree: Path, coffeetree: Run) -> None:
    answer = coffeetree("find", "--regex", call_tree, "(")
    assert answer.status == 2
    assert answer.err.count("\n") == 1


def test_a_text_with_anything_in_it_is_taken_as_it_is(object_tree: Path, coffeetree: Run) -> None:
    for text in ("Node[2]{a, b}", "(no fields)", "!x", r"\v", "Map$", "toString="):
        lines = sum(text in line for line in OBJECT_TREE.splitlines())
        assert coffeetree("find", "-c", object_tree, text).out == f"{lines}\n"


# -- show, refs, why --------------------------------------------------------------------------------------------------


def test_show(object_tree: Path, coffeetree: Run) -> None:
    shown = coffeetree("show", "--json", object_tree, "id:2").json
    assert set(shown) == {"row", "path", "sections", "links"}
    assert [row["line"] for row in shown["path"]] == [2, 3, 4, 5, 6]
    assert shown["path"][-1] == shown["row"]
    assert {"title", "rows"} <= set(shown["sections"][0])
    assert all({"label", "ref"} <= set(link) for link in shown["links"])


def test_every_link_of_show_has_a_target(call_tree: Path, coffeetree: Run) -> None:
    shown = coffeetree("show", "--json", call_tree, "line:4").json
    rows = [row for section in shown["sections"] for row in section["rows"]]
    links = [(each["ref"], each["view"]) for each in [*rows, *shown["links"]] if each["ref"]]
    assert links
    for ref, view in links:
        options = ["--view", view] if view else []
        assert coffeetree("show", "--json", *options, call_tree, ref).status == 0


def test_show_as_text(object_tree: Path, coffeetree: Run) -> None:
    text = coffeetree("show", object_tree, "line:7").out
    assert text.startswith("field keySet:java.util.Set\nline:7\n\nREF     ")
    assert text.splitlines()[4].startswith("line:2 ")


@pytest.mark.parametrize(
    ("ref", "lines", "status"),
    [("id:2", [3, 7], 0), ("line:7", [3, 7], 0), ("id:0", [], 1), ("id:99", [], 1), ("line:1", [], 1)],
)
def test_references_to_a_method(ref: str, lines: list[int], status: int, call_tree: Path, coffeetree: Run) -> None:
    answer = coffeetree("refs", "--json", call_tree, ref)
    assert ([row["line"] for row in answer.rows], answer.status) == (lines, status)


def test_a_reference_shows_who_refers(call_tree: Path, coffeetree: Run) -> None:
    rows = coffeetree("refs", "--json", call_tree, "id:2").rows
    owners = [row["from"]["label"] for row in rows]
    assert owners == [coffeetree("show", "--json", call_tree, row["from"]["ref"]).json["row"]["label"] for row in rows]
    assert all(owner != row["label"] for owner, row in zip(owners, rows, strict=True))
    text = coffeetree("refs", call_tree, "id:2").out.splitlines()
    assert text[0] == "2 references to a.Main.run():void"
    assert [line.partition("  from ")[2].split("  ")[0] for line in text[2:]] == owners


def test_an_unknown_ref_is_refused_by_a_view_with_such_refs(call_tree: Path, coffeetree: Run) -> None:
    assert "method:a.B.c: no method has exactly this name" in coffeetree("show", call_tree, "method:a.B.c").err
    assert "stray:1: nothing of that name in any view" in coffeetree("show", call_tree, "stray:1").err


def test_references_to_an_object(object_tree: Path, coffeetree: Run) -> None:
    assert [row["line"] for row in coffeetree("refs", "--json", object_tree, "id:2").rows] == [8]


def test_a_word_that_is_no_ref(call_tree: Path, coffeetree: Run) -> None:
    answer = coffeetree("refs", call_tree, "a.Main")
    assert (answer.status, "is no REF" in answer.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        (["id:3"], [[2, 3, 4, 6]]),
        (["line:5"], [[8]]),
        (["line:7"], [[2, 3]]),
        (["a.Other"], [[2, 3, 4, 6]]),
        (["run"], [[2, 3], [2, 3, 4], [2, 3, 4, 6], [8]]),
        (["a.Other*"], [[2, 3, 4, 6]]),
        (["--limit", "1", "run"], [[2, 3]]),
        (["--all", "id:2"], [[2, 3], [2, 7]]),
        (["--all", "id:0"], [[2]]),
    ],
)
def test_why(words: list[str], paths: list[list[int]], call_tree: Path, coffeetree: Run) -> None:
    answer = coffeetree("why", "--json", *words[:-1], call_tree, words[-1])
    assert [[row["line"] for row in each["path"]] for each in answer.rows] == paths
    assert all(each["match"] == each["path"][-1] for each in answer.rows)
    assert answer.status == 0


@pytest.mark.parametrize("pattern", ["nowhere", "Other*", "id:99", "name:nowhere"])
def test_why_of_nothing_shows_it(pattern: str, call_tree: Path, coffeetree: Run) -> None:
    answer = coffeetree("why", call_tree, pattern)
    assert (answer.status, answer.out) == (1, "")
    assert pattern in answer.err


def test_why_as_text(call_tree: Path, coffeetree: Run) -> None:
    assert coffeetree("why", "--all", call_tree, "id:2").out == (
        "REF     @bci  #id ↩ref  Rows below  Kind         Call tree\n"
        "line:2              #0           5  entry        a.Main.main(java.lang.String[]):void\n"
        "line:3    @3        #2           3  direct call    a.Main.run():void\n"
        "\n"
        "line:2              #0           5  entry        a.Main.main(java.lang.String[]):void\n"
        "line:7    @9        ↩2              direct call    a.Main.run():void\n"
    )


def test_the_first_of_several_of_a_name_is_reported(call_tree: Path, coffeetree: Run) -> None:
    call_tree.write_text(CALL_TREE.replace("a.Other.run", "a.Job.run"), "utf-8")
    answer = coffeetree("show", "--json", call_tree, "name:a.Job.run():void")
    assert answer.json["row"]["line"] == 8
    assert answer.err == "name:a.Job.run():void: the first of 2 of that name\n"


# -- index ------------------------------------------------------------------------------------------------------------


def test_index_of_a_small_report_needs_none(call_tree: Path, coffeetree: Run) -> None:
    answer = coffeetree("index", "--json", call_tree).json
    assert list(answer) == ["bytes", "seconds", "bytes_per_second", "index_bytes", "peak_rss", "cached"]
    assert (answer["bytes"], answer["index_bytes"], answer["cached"]) == (len(CALL_TREE.encode()), 0, False)


# -- hostile texts in files -------------------------------------------------------------------------------------------


def test_text_of_a_report_is_made_printable(call_tree: Path, coffeetree: Run) -> None:
    call_tree.write_text(CALL_TREE.replace("a.Job.run", "a.J\x1b[31m\u202e\x9b\x00b.run"), "utf-8")
    for words in (["tree"], ["find", "run"], ["why", "run"], ["show", "line:5"], ["refs", "line:5"]):
        text = coffeetree(words[0], call_tree, *words[1:])
        assert all(line.isprintable() for line in text.out.splitlines())
        assert coffeetree(words[0], "--json", call_tree, *words[1:]).out.isascii()
