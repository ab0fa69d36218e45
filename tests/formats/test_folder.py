"""The reports of a folder, and which of them one build wrote."""

from __future__ import annotations

import lzma
import os
import socket
from datetime import datetime
from pathlib import Path

import pytest

from parsers.formats.folder import FoundReport, find_reports, group_runs
from parsers.io.cache import Cache
from parsers.io.report_name import split_name
from parsers.model.report import ReportError
from parsers.runtime.opening import open_report

CALL_TREE = b"VM Entry Points\n\n"
OBJECT_TREE = b"Heap roots\n\n"
TIME = datetime(2023, 4, 1, 10, 15)


def put(folder: Path, *names: str, data: bytes = CALL_TREE) -> None:
    for name in names:
        folder.joinpath(name).write_bytes(data)


def runs(folder: Path) -> list[tuple[str, list[str]]]:
    return [(run.image, [report.name for report in run.reports]) for run in group_runs(find_reports(str(folder)))]


@pytest.mark.parametrize(
    ("name", "report", "table", "image", "written"),
    [
        ("call_tree_demo_20230401_101500.txt", "call_tree", "", "demo", TIME),
        ("call_tree_my_own_app_20230401_101500.txt.xz", "call_tree", "", "my_own_app", TIME),
        ("call_tree_a_20200101_000000_20230401_101500.txt", "call_tree", "", "a_20200101_000000", TIME),
        ("object_tree_demo_20230401_101500.txt.gz", "object_tree", "", "demo", TIME),
        ("call_tree_methods_demo_20230401_101500.csv", "call_tree", "methods", "demo", TIME),
        ("csv_call_tree_virtual_methods_demo_20230401_101500.csv", "call_tree", "virtual_methods", "demo", TIME),
        ("call_tree_vm_20230401_101500.txt", "call_tree", "", "vm", TIME),
        ("class_initialization_report_20230401_101500.csv", "class_initialization_report", "", "", TIME),
        ("trace_types_demo_20230401_101500.txt", "trace_types", "", "demo", TIME),
        ("call_tree_demo_20239999_101500.txt", "call_tree", "", "demo", None),
        ("call_tree_demo.txt", "call_tree", "", "demo", None),
        ("build-output.json", "build-output", "", "", None),
        ("mine.txt.zst", "", "", "mine", None),
        ("\udcff\n_20230401_101500.txt", "", "", "\udcff\n", TIME),
        ("", "", "", "", None),
    ],
)
def test_names_are_taken_apart_from_both_ends(
    name: str, report: str, table: str, image: str, written: datetime | None
) -> None:
    found = split_name(name)
    assert (found.report, found.table, found.image, found.written) == (report, table, image, written)


def test_reports_whose_times_differ_a_little_are_one_run(tmp_path: Path) -> None:
    put(tmp_path, "call_tree_demo_20230401_101500.txt")
    put(tmp_path, "object_tree_demo_20230401_101712.txt", data=OBJECT_TREE)
    assert runs(tmp_path) == [("demo", ["call_tree_demo_20230401_101500.txt", "object_tree_demo_20230401_101712.txt"])]


def test_two_builds_a_minute_apart_are_two_runs(tmp_path: Path) -> None:
    put(tmp_path, "call_tree_demo_20230401_101500.txt", "call_tree_demo_20230401_101640.txt")
    put(
        tmp_path,
        "object_tree_demo_20230401_101502.txt",
        "object_tree_demo_20230401_101638.txt",
        data=OBJECT_TREE,
    )
    assert runs(tmp_path) == [
        ("demo", ["call_tree_demo_20230401_101640.txt", "object_tree_demo_20230401_101638.txt"]),
        ("demo", ["call_tree_demo_20230401_101500.txt", "object_tree_demo_20230401_101502.txt"]),
    ]


def test_images_are_kept_apart_and_the_newest_is_first(tmp_path: Path) -> None:
    put(tmp_path, "call_tree_a_20230401_101500.txt", "call_tree_b_20240401_101500.txt")
    assert runs(tmp_path) == [
        ("b", ["call_tree_b_20240401_101500.txt"]),
        ("a", ["call_tree_a_20230401_101500.txt"]),
    ]


def test_reports_without_image_go_with_the_build_that_ended_next(corpus: Path) -> None:
    found = group_runs(find_reports(str(corpus / "real_23.0_helloworld_csv" / "reports")))
    assert len(found) == 1
    names = [report.format.name for report in found[0].reports]
    assert "graalvm-features" in names and "graalvm-class-initialization" in names


def test_the_tables_of_a_csv_call_tree_are_one_report(corpus: Path) -> None:
    (found,) = find_reports(str(corpus / "csv_25" / "reports"))
    assert found.name == "call_tree_*_demo_20250916_101500.csv"
    assert len(found.files) == 3
    assert found.bytes == sum(os.path.getsize(file) for file in found.files)
    assert found.can_be_opened


def test_a_dangling_link_is_no_error(corpus: Path) -> None:
    (found,) = find_reports(str(corpus / "quirks" / "dangling_symlink"))
    assert found.name == "call_tree_*_demo_20220120_101500.csv"


def test_links_to_reports_elsewhere_count_and_second_names_do_not(tmp_path: Path, corpus: Path) -> None:
    target = next(corpus.glob("v19/reports/call_tree*"))
    os.symlink(target, tmp_path / "link.txt")
    put(tmp_path, "call_tree_demo_20230401_101500.txt")
    os.symlink("call_tree_demo_20230401_101500.txt", tmp_path / "call_tree_latest.txt")
    assert {report.name for report in find_reports(str(tmp_path))} == {
        "link.txt",
        "call_tree_demo_20230401_101500.txt",
    }


def test_packed_reports_are_recognised(corpus: Path) -> None:
    found = {report.format.name for report in find_reports(str(corpus / "real_23.0_h2" / "reports"))}
    assert {"graalvm-call-tree", "graalvm-object-tree", "graalvm-used-methods"} <= found


def test_all_else_in_a_folder_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "notes.txt", "empty.txt", data=b"")
    put(tmp_path, "image.png", data=b"\x89PNG\r\n\x1a\n")
    put(tmp_path, "cut.txt.gz", data=b"\x1f\x8b\x08\0\0")
    put(tmp_path, "cut.txt.xz", data=lzma.compress(CALL_TREE)[:20])
    tmp_path.joinpath("folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    os.symlink("loop", tmp_path / "loop")
    with socket.socket(socket.AF_UNIX) as listener:
        monkeypatch.chdir(tmp_path)
        listener.bind("socket")
    assert find_reports(str(tmp_path)) == []


def test_a_folder_that_holds_only_the_folder_reports(corpus: Path) -> None:
    (found,) = find_reports(str(corpus / "v19"))
    assert found.format.name == "graalvm-call-tree"


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="can't be read: no such file"):
        find_reports(str(tmp_path / "nowhere"))


def test_names_of_any_bytes(tmp_path: Path) -> None:
    for name in (b"call_tree_\xff\x1b[31m_20230401_101500.txt", b"\n.txt", "call_tree_\u202e.txt".encode()):
        with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
            file.write(CALL_TREE)
    assert len(find_reports(str(tmp_path))) == 3


def test_thousands_of_files_are_grouped(tmp_path: Path) -> None:
    for number in range(1500):
        minute, second = divmod(number, 60)
        put(tmp_path, f"call_tree_demo_20230401_{minute // 60:02}{minute % 60:02}{second:02}.txt")
    found: list[FoundReport] = find_reports(str(tmp_path))
    assert len(group_runs(found)) == 1500


def test_which_reports_have_an_index(tmp_path: Path, cache: Cache) -> None:
    rows = "".join(f"├── entry a.B.c{number}():void id={number} \n" for number in range(3000))
    put(tmp_path, "call_tree_large_20230401_101500.txt", data=f"VM Entry Points\n{rows}\n".encode())
    put(tmp_path, "call_tree_small_20230401_101500.txt")
    put(tmp_path, "used_packages_large_20230401_101500.txt", data=b"a\n")
    large = str(tmp_path / "call_tree_large_20230401_101500.txt")

    def states() -> dict[str, tuple[bool, int | None]]:
        found = find_reports(str(tmp_path), cache)
        return {f"{each.named.report} {each.named.image}": (each.needs_index, each.index_rows) for each in found}

    before = {"call_tree large": (True, None), "call_tree small": (False, None), "used_packages large": (False, None)}
    assert states() == before
    report = open_report([large], cache=cache)
    report.wait()
    report.close()
    assert states() == before | {"call_tree large": (True, 3000)}
    with open(large, "a") as file:
        file.write("stray\n")
    assert states() == before
