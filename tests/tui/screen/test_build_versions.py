"""The GraalVM version of a report that is known only from other files of its build."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer
from stage import browsing

from parsers.formats.graalvm.versions import narrowed

Run = Callable[..., Answer]

CALL_TREE = """\
VM Entry Points
└── entry app:a.Main.main():void id=0, parsing reason:  root method\x20

"""
OBJECT_TREE = "Heap roots\n└── root a.Main.map:java.util.Map id-ref=0 toString=HashMap@7\n\n"
STAMP = "app_20250916_101500"


def write_text_tree(folder: Path, stamp: str = STAMP) -> Path:
    path = folder / f"call_tree_{stamp}.txt"
    path.write_text(CALL_TREE, "utf-8")
    return path


def write_tables(folder: Path, is_entry: str, invokes: tuple[int, ...] = (0,), stamp: str = STAMP) -> None:
    columns = "Id,Name,Type,Parameters,Return,Display,Flags,IsEntryPoint"
    methods = f"{columns}\n0,main,a.Main,empty,void,a.M.main,s,{is_entry}\n"
    calls = "".join(f"{invoke},0,1,0,true\n" for invoke in invokes)
    targets = "".join(f"{invoke},0\n" for invoke in invokes)
    (folder / f"call_tree_methods_{stamp}.csv").write_text(methods)
    (folder / f"call_tree_invokes_{stamp}.csv").write_text(f"Id,MethodId,BytecodeIndexes,TargetId,IsDirect\n{calls}")
    (folder / f"call_tree_targets_{stamp}.csv").write_text(f"InvokeId,TargetId\n{targets}")


def write_build_output(path: Path, name: str = "app", **versions: str) -> None:
    path.write_text(json.dumps({"general_info": {"name": name, **versions}, "analysis_results": {}}))


def version_of(coffeetree: Run, path: Path, *words: str) -> Any:
    return coffeetree("info", "--json", *words, path).json["format_version"]


@pytest.mark.parametrize(
    ("versions", "left"),
    [
        (["24.2+", "25"], "25"),
        (["24.2+", "24.1-24.2"], "24.2"),
        (["24.1+", "24.2+"], "24.2+"),
        (["19-24.1", "20.1-24.0", None], "20.1-24.0"),
        (["20.1-24.0", "21.3.0-21.3.1"], "21.3.0-21.3.1"),
        (["20.1-24.0", "24.0-24.1"], "24.0"),
        (["24.2+", "19-20.0"], None),
        ([None], None),
        ([], None),
    ],
)
def test_the_rest_of_some_ranges(versions: list[str | None], left: str | None) -> None:
    assert narrowed(versions) == left
    assert narrowed(reversed(versions)) == left


def test_tables_of_the_same_build_decide_the_version_of_a_text_tree(tmp_path: Path, coffeetree: Run) -> None:
    path = write_text_tree(tmp_path)
    assert version_of(coffeetree, path) == "24.2+"
    write_tables(tmp_path, is_entry="true")
    assert version_of(coffeetree, path) == "25"
    assert version_of(coffeetree, tmp_path) == "25"
    each = coffeetree("info", "--json", "--each", tmp_path).rows
    assert {row["format"]: row["format_version"] for row in each} == {
        "graalvm-call-tree": "25",
        "graalvm-call-tree-csv": "25",
    }


def test_older_tables_of_the_same_build_decide_too(tmp_path: Path, coffeetree: Run) -> None:
    path = write_text_tree(tmp_path)
    write_tables(tmp_path, is_entry="false", invokes=(0, 2))
    assert version_of(coffeetree, path) == "24.2"


def test_tables_of_another_image_or_time_decide_nothing(tmp_path: Path, coffeetree: Run) -> None:
    path = write_text_tree(tmp_path)
    write_tables(tmp_path, is_entry="true", stamp="other_20250916_101500")
    write_tables(tmp_path, is_entry="true", stamp="app_20250917_101500")
    assert version_of(coffeetree, path) == "24.2+"


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ({"vendor_version": "Oracle GraalVM 25+37.1", "java_version": "25+37-LTS-jvmci-b01"}, "25"),
        ({"vendor_version": "GraalVM CE 25.0.1+8.1"}, "25"),
        ({"vendor_version": "local", "graalvm_version": "local", "java_version": "24.0.2+11"}, "24.2"),
        ({"graalvm_version": "Mandrel-24.2.1.0-Final"}, "24.2"),
        ({"java_version": "26+35"}, "25+"),
        ({"java_version": "17.0.15+6"}, "24.2+"),
        ({"java_version": "unknown"}, "24.2+"),
        ({"name": "other", "java_version": "25+37"}, "24.2+"),
    ],
)
def test_the_build_output_decides_the_version(
    versions: dict[str, str], expected: str, tmp_path: Path, coffeetree: Run
) -> None:
    reports = tmp_path / "reports"
    reports.mkdir()
    path = write_text_tree(reports)
    write_build_output(tmp_path / "build-output.json", **versions)
    assert version_of(coffeetree, path) == expected
    assert version_of(coffeetree, tmp_path) == expected


def test_all_reports_of_a_build_narrow_the_version_of_the_whole(tmp_path: Path, coffeetree: Run) -> None:
    path = tmp_path / f"object_tree_{STAMP}.txt"
    path.write_text(OBJECT_TREE, "utf-8")
    (tmp_path / f"used_classes_{STAMP}.txt").write_text("a.Main\n")
    (tmp_path / f"call_tree_{STAMP}.txt").write_text(CALL_TREE.replace("app:", ""), "utf-8")
    assert version_of(coffeetree, tmp_path) == "24.1"
    assert version_of(coffeetree, path) == "19-24.1"


def test_files_that_contradict_each_other_leave_the_version_as_it_is(tmp_path: Path, coffeetree: Run) -> None:
    path = write_text_tree(tmp_path)
    write_build_output(tmp_path / "build-output.json", vendor_version="GraalVM CE 22.3.1")
    assert version_of(coffeetree, path) == "24.2+"


def test_unreadable_neighbour_files_are_ignored(tmp_path: Path, coffeetree: Run) -> None:
    path = write_text_tree(tmp_path)
    write_tables(tmp_path, is_entry="true")
    (tmp_path / f"call_tree_invokes_{STAMP}.csv").write_bytes(b"\0\xff")
    (tmp_path / f"used_methods_{STAMP}.txt").symlink_to(tmp_path / "nowhere")
    (tmp_path / f"used_classes_{STAMP}.txt").mkdir()
    assert version_of(coffeetree, path) == "24.2+"
    shutil.copy(path, tmp_path / "renamed")
    assert version_of(coffeetree, tmp_path / "renamed") == "24.2+"


async def test_the_title_shows_what_the_build_output_names(tmp_path: Path) -> None:
    path = write_text_tree(tmp_path)
    write_build_output(tmp_path / "build-output.json", java_version="25+37")
    async with browsing(path) as stage:
        await stage.until(lambda: "GraalVM call tree 25 " in stage.screen())
