"""Recognition of logs, the files of a run, and the facts of its VM."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from subprocess import run
from typing import Any

import pytest
from conftest import TESTS, Answer

from parsers.formats.folder import find_reports
from parsers.formats.format import Confidence
from parsers.formats.hotspot.format import sniff
from parsers.formats.hotspot.log.read.strict_xml import strictly
from parsers.formats.hotspot.log.virtual_machine import read_virtual_machine
from parsers.io.cache import Cache
from parsers.model.names.secrets import MASK, masked_words
from parsers.model.report import ReportError
from parsers.runtime.opening import open_report

Run = Callable[..., Answer]

CORPUS = TESTS / "corpus" / "hotspot"

HEAD = """<?xml version='1.0' encoding='UTF-8'?>
<hotspot_log version='160 1' process='{process}' time_ms='1795227452486'>
<vm_version>
<name>
Demo VM
</name>
<release>
17.0.1+3
</release>
<info>
Demo VM (17.0.1+3) for linux-amd64 JRE (17.0.1+3), built on May 1 2025 by &quot;me&quot;
</info>
</vm_version>
<vm_arguments>
<args>
-Xmx1g -Ddb.password=hunter2 -Dapi.token=a&amp;b -Dname=ok </args>
<command>
Main --password geheim --user me jdbc:demo://me:secret@host/db
</command>
<properties>
my.secret=xyz
sun.java.command=Main --password geheim
java.version=17.0.1
</properties>
</vm_arguments>
<tty>
<writer thread='{process}1'/>
<thread_logfile thread='{process}2' filename='/nowhere/hs_c{process}2_pid{process}.log'/>
<task_queued compile_id='1' method='a.B m ()V' level='3' stamp='0.1'/>
"""
LEFT_OVER = """<start_compile_thread name='C1 CompilerThread0' thread='{process}2' process='{process}' stamp='0.05'/>
<task compile_id='1' method='a.B m ()V' level='3' stamp='0.11'>
<task_done success='1' nmsize='33' count='2' stamp='0.12'/>
</task>
"""


def write_run(folder: Path, process: int = 42) -> tuple[Path, Path]:
    main, left_over = folder / f"hotspot_pid{process}.log", folder / f"hs_c{process}2_pid{process}.log"
    main.write_text(HEAD.format(process=process))
    left_over.write_text(LEFT_OVER.format(process=process))
    return main, left_over


@pytest.mark.parametrize(
    ("head", "confidence"),
    [
        (b"<?xml version='1.0' encoding='UTF-8'?>\n<hotspot_log version='160 1' process='1'", Confidence.SURE),
        (b"Hello from the program\n<?xml version='1.0'?>\n<hotspot_log version='160 1'", Confidence.SURE),
        (b"<start_compile_thread name='C2 CompilerThread0' thread='1'", Confidence.SURE),
        (b"<task compile_id='7' method='a.B m ()V'", Confidence.LIKELY),
        (b"<?xml version='1.0'?>\n<project name='x'>", Confidence.NO),
        (b"text that mentions <hotspot_log version='160 1'", Confidence.NO),
        (b"", Confidence.NO),
    ],
)
def test_a_log_is_recognised_by_its_first_tags(head: bytes, confidence: Confidence) -> None:
    assert sniff(head, "any name") is confidence


def test_one_file_of_a_run_finds_the_others(tmp_path: Path, coffeetree: Run) -> None:
    main, left_over = write_run(tmp_path)
    write_run(tmp_path, process=43)
    for given in ([main], [left_over], [left_over, main]):
        info = coffeetree("info", "--json", *given).json
        assert [file["file"] for file in info["files"]] == [str(main), str(left_over)]
        assert (info["totals"]["tasks"], info["totals"]["queued_without_task"]) == (1, 0)


def test_a_file_of_another_process_is_not_taken(tmp_path: Path, coffeetree: Run) -> None:
    main, left_over = write_run(tmp_path)
    left_over.write_text(LEFT_OVER.format(process=77))
    info = coffeetree("info", "--json", main).json
    assert [file["file"] for file in info["files"]] == [str(main)]
    assert "no tasks" in {problem["kind"] for problem in info["problems"]}


MORE_TASKS = """<task compile_id='2' method='a.B n ()V' level='3' stamp='0.13'>
<task_done success='1' nmsize='33' count='2' stamp='0.14'/>
</task>
"""


@pytest.mark.parametrize("longer", ["copy", "original", "neither"])
def test_a_copied_file_of_a_compiler_thread_counts_once(longer: str, tmp_path: Path, coffeetree: Run) -> None:
    (tmp_path / "copies").mkdir()
    main, copy = write_run(tmp_path / "copies")
    original = tmp_path / copy.name
    original.write_text(copy.read_text() + (MORE_TASKS if longer == "original" else ""))
    if longer == "copy":
        copy.write_text(copy.read_text() + MORE_TASKS)
    main.write_text(main.read_text().replace("/nowhere/", f"{tmp_path}/"))

    info = coffeetree("info", "--json", main, copy).json

    kept, left_out = (original, copy) if longer == "original" else (copy, original)
    assert [file["file"] for file in info["files"]] == [str(main), str(kept)]
    assert info["totals"]["tasks"] == (1 if longer == "neither" else 2)
    (problem,) = [problem for problem in info["problems"] if problem["kind"] == "copy"]
    assert problem["file"] == str(left_out)
    assert str(kept) in problem["what"] and f"{kept.stat().st_size:,} bytes" in problem["done"]


def test_files_of_two_compiler_threads_are_both_read(tmp_path: Path, coffeetree: Run) -> None:
    main, left_over = write_run(tmp_path)
    other = left_over.read_text().replace("thread='422'", "thread='423'").replace("compile_id='1'", "compile_id='2'")
    (tmp_path / "hs_c423_pid42.log").write_text(other)

    info = coffeetree("info", "--json", main).json

    assert (len(info["files"]), info["totals"]["tasks"]) == (3, 2)
    assert "copy" not in {problem["kind"] for problem in info["problems"]}


def test_a_compressed_copy_beside_its_file_counts_once(tmp_path: Path, coffeetree: Run) -> None:
    main, left_over = write_run(tmp_path)
    (tmp_path / f"{left_over.name}.gz").write_bytes(gzip.compress(left_over.read_bytes()))

    info = coffeetree("info", "--json", main).json

    assert [file["file"] for file in info["files"]] == [str(main), str(left_over)]
    assert info["totals"]["tasks"] == 1


def test_files_named_by_a_log_are_opened_only_if_they_belong_to_the_run(tmp_path: Path, coffeetree: Run) -> None:
    main, left_over = write_run(tmp_path)
    left_over.unlink()
    os.mkfifo(left_over)
    assert len(coffeetree("info", "--json", main).json["files"]) == 1


def test_files_of_two_processes_are_no_run(tmp_path: Path) -> None:
    main, _ = write_run(tmp_path)
    _, other = write_run(tmp_path, process=43)
    with pytest.raises(ReportError, match="is of process 43, not 42"):
        open_report([str(main), str(other)], cache=Cache(keep=False))


def test_the_files_of_a_killed_run_are_one_report_of_a_folder(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache"))
    folder = tmp_path / "logs"
    folder.mkdir()
    main, left_over = write_run(folder)
    (found,) = find_reports(str(folder), cache)
    assert (found.path, found.files) == (str(main), (str(main), str(left_over)))
    assert found.bytes == main.stat().st_size + left_over.stat().st_size and found.index_rows is None
    report = open_report([str(folder)], cache=cache)
    report.wait()
    assert list(report.files) == list(found.files)
    report.close()
    (found,) = find_reports(str(folder), cache)
    assert found.index_rows is not None
    ended = main.read_text() + "<hotspot_log_done stamp='1'/>\n</hotspot_log>\n"
    main.write_text(ended)
    assert [each.path for each in find_reports(str(folder))] == [str(main), str(left_over)]


def test_a_main_log_alone_shows_where_its_tasks_are(tmp_path: Path) -> None:
    main, left_over = write_run(tmp_path)
    left_over.unlink()
    report = open_report([str(main)], cache=Cache(str(tmp_path / "cache")))
    report.wait()
    view: Any = report.views[0]
    (node,) = view.tree.roots()
    row = view.tree.row(node)
    assert (row.kind, row.label, row.is_growing, row.has_children) == ("thread", "compiler thread 422", False, False)
    assert view.remark(row) == "log not found"
    assert view.sections(node)[0].rows[0].text.startswith("in hs_c422_pid42.log, which is not here")
    assert view.resolve(row.ref) == node and view.path(node) == [node]
    report.close()


def test_main_logs_of_one_number_of_process_stay_apart(tmp_path: Path) -> None:
    main, left_over = write_run(tmp_path)
    other = tmp_path / "other.log"
    other.write_bytes(main.read_bytes())
    assert {each.path for each in find_reports(str(tmp_path))} == {str(main), str(left_over), str(other)}


def test_the_head_shows_the_vm_and_masks_secrets() -> None:
    vm = read_virtual_machine(HEAD.format(process=42).encode())
    assert vm is not None
    assert (vm.jdk, vm.release, vm.process, vm.started) == ("17", "17.0.1+3", 42, "2026-11-21 02:17:32.486 UTC")
    assert vm.info.endswith('by "me"')
    assert vm.arguments == ("-Xmx1g", f"-Ddb.password={MASK}", f"-Dapi.token={MASK}", "-Dname=ok")
    assert vm.command == f"Main --password {MASK} --user me jdbc:demo://me:{MASK}@host/db"
    assert dict(vm.properties) == {
        "my.secret": MASK,
        "sun.java.command": f"Main --password {MASK}",
        "java.version": "17.0.1",
    }


def test_no_secret_reaches_an_answer(tmp_path: Path, coffeetree: Run) -> None:
    main, _ = write_run(tmp_path)
    for command in (["info"], ["info", "--json"], ["tree", "--view", "VM"], ["tree", "--json", "--view", "VM"]):
        answer = coffeetree(*command, main)
        assert not [secret for secret in ("hunter2", "geheim", "xyz", "a&b", "me:secret") if secret in answer.out]


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("-Dpassword=x", f"-Dpassword={MASK}"),
        ("--api-key=x", f"--api-key={MASK}"),
        ("-javaagent:a.jar=token=x,port=1", f"-javaagent:a.jar=token={MASK}"),
        ("-Djava.security.auth.login.config=a", "-Djava.security.auth.login.config=a"),
        ("-XX:+UseG1GC", "-XX:+UseG1GC"),
        ("-cp", "-cp"),
    ],
)
def test_words_of_a_command_line(word: str, shown: str) -> None:
    assert masked_words([word]) == [shown]


@pytest.mark.parametrize(
    ("line", "are_options", "shown"),
    [
        ("-Dauthorization=Bearer abc -Xmx1g", True, f"-Dauthorization={MASK} {MASK} -Xmx1g"),
        ("-Dpassword=two words more -Xmx1g", True, f"-Dpassword={MASK} {MASK} {MASK} -Xmx1g"),
        ("Main password=x next", False, f"Main password={MASK} next"),
        ("Main Authorization: Bearer abc next", False, f"Main Authorization: {MASK} {MASK} next"),
        ("Main --header=Authorization:Bearer abc next", False, f"Main --header=Authorization:{MASK} {MASK} next"),
        ("Main ghp_abcdefghijklmnop1234 next", False, f"Main {MASK} next"),
        ("-Dgit=ghp_abcdefghijklmnop1234 -Dmy_pat=x", True, f"-Dgit={MASK} -Dmy_pat={MASK}"),
        ("-Dpath=a -Dpattern=b", True, "-Dpath=a -Dpattern=b"),
    ],
)
def test_lines_with_secrets(line: str, are_options: bool, shown: str) -> None:
    assert " ".join(masked_words(line.split(), are_options)) == shown


def piece(data: bytes, count: int, offset: int) -> bytes:
    return data[offset : offset + count]


def test_names_of_views_are_had_without_making_them(tmp_path: Path) -> None:
    main, _ = write_run(tmp_path)
    code = (
        "import sys; from parsers.io.cache import Cache; from parsers.runtime.opening import open_report\n"
        f"report = open_report([{str(main)!r}], cache=Cache(keep=False)); report.views[0]\n"
        "print([(name, *report.views.state(name)) for name in report.views.names], 'numpy' in sys.modules)"
    )
    said = run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "('Methods', False, None)" in said and "('VM', True, None)" in said and said.endswith("False\n")


def test_an_unknown_encoding_is_no_strict_xml() -> None:
    for name in (b"UTstampF-8", b"inf", b"zlib", b"utf-7"):
        data = b"<?xml version='1.0' encoding='%b'?>\n<hotspot_log version='160 1'></hotspot_log>" % name
        found = strictly(partial(piece, data), len(data))
        assert not found["well_formed"], name


def test_the_code_cache_is_seen_getting_full(coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Code cache", CORPUS / "full_25.log.xz").rows
    assert [row["kind"] for row in rows] == [
        "group",
        "code_cache",
        "code_cache",
        "code_cache",
        "group",
        "code_cache_full",
    ]
    assert rows[2]["badges"] == {"free": 17_408, "start_s": 6.843}


def test_threads_have_their_tasks(coffeetree: Run) -> None:
    rows = coffeetree("tree", "--json", "--view", "Threads", CORPUS / "work_c1only_17.log.xz").rows
    assert sum(row["badges"]["tasks"] for row in rows if row["kind"] == "thread") == 418
    assert {row["kind"] for row in rows} == {"thread", "writer"}
