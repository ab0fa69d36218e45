"""Heap dumps of running JVMs: by a `jcmd` that the tests write, which does and says what a real one was seen to."""

from __future__ import annotations

import mmap
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import Answer

from parsers.model.report import ReportError
from parsers.runtime.live.process import java_process
from parsers.runtime.live.process.heap_dumping import dump_heap
from parsers.runtime.live.process.java_process import JavaProcess, find_process, jcmd_for, main_of
from parsers.runtime.live.process.jcmd import quoted
from parsers.runtime.live.process.trusted_program import find_intruder

Run = Callable[..., Answer]
WRITES = """\
words = sys.argv[1:]
open({seen!r}, "w").write("\\n".join(words))
path = words[-1].strip("'\\"")
open(path, "xb").write(b"JAVA PROFILE 1.0.2\\0")
print(words[0] + ":")
print("Dumping heap to " + path + " ...")
print("Heap dump file created [19 bytes in 0.001 secs]")
"""
REFUSES = """\
print(sys.argv[1] + ":")
print({says!r})
"""
PROCESS = JavaProcess(4242, "Main", "")


def jdk(folder: Path, body: str) -> dict[str, str]:
    """An environment whose $JAVA_HOME has a `jcmd` of that body."""
    bin = folder / "jdk" / "bin"
    bin.mkdir(parents=True)
    (bin / "jcmd").write_text(f"#!{sys.executable}\nimport sys\n{body}")
    (bin / "jcmd").chmod(0o755)
    return {"JAVA_HOME": str(folder / "jdk"), "PATH": ""}


def test_a_dump_is_asked_for_by_an_absolute_path_named_by_process_and_time(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    path = dump_heap(PROCESS, str(tmp_path), jdk(tmp_path, WRITES.format(seen=str(seen))))
    assert Path(path).read_bytes() == b"JAVA PROFILE 1.0.2\0"
    assert Path(path).name.startswith("java-4242-20") and path.endswith(".hprof")
    assert seen.read_text().splitlines() == ["4242", "GC.heap_dump", path]


def test_garbage_compression_and_blanks_are_passed_as_jcmd_wants_them(tmp_path: Path) -> None:
    folder, seen = tmp_path / "a folder", tmp_path / "seen"
    folder.mkdir()
    path = dump_heap(PROCESS, str(folder), jdk(tmp_path, WRITES.format(seen=str(seen))), True, 3)
    assert path.endswith(".hprof.gz")
    assert seen.read_text().splitlines() == ["4242", "GC.heap_dump", "-all", "-gz=3", f'"{path}"']


def test_nothing_is_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.strftime", lambda form: "now")
    environment = jdk(tmp_path, WRITES.format(seen=str(tmp_path / "seen")))
    paths = [dump_heap(PROCESS, str(tmp_path), environment) for _ in range(3)]
    assert [Path(path).name for path in paths] == [
        "java-4242-now.hprof",
        "java-4242-now-2.hprof",
        "java-4242-now-3.hprof",
    ]


@pytest.mark.parametrize(
    ("says", "compression", "told"),
    [
        ("Unable to create /x.hprof: Permission denied", None, "Unable to create /x.hprof: Permission denied"),
        (
            "com.sun.tools.attach.AttachNotSupportedException: x\n\tat sun.a.b(C.java:1)",
            None,
            "NotSupportedException: x",
        ),
        ("Unknown argument '-gz=1' in diagnostic command.", 1, "knows no compression"),
        ("", None, "dumped no heap"),
    ],
)
def test_output_of_jcmd_is_reported_if_there_is_no_dump(
    says: str, compression: int | None, told: str, tmp_path: Path
) -> None:
    with pytest.raises(ReportError, match=told) as raised:
        dump_heap(PROCESS, str(tmp_path), jdk(tmp_path, REFUSES.format(says=says)), compression=compression)
    assert "\n" not in str(raised.value) and "C.java" not in str(raised.value)


def test_the_jcmd_of_the_same_jdk_is_taken_also_of_the_jre_inside(tmp_path: Path) -> None:
    for folder in ("bin", "jre/bin"):
        (tmp_path / folder).mkdir(parents=True)
    jcmd = tmp_path / "bin" / "jcmd"
    jcmd.write_text("")
    jcmd.chmod(0o755)
    for java in ("bin/java", "jre/bin/java"):
        process = JavaProcess(1, "", str(tmp_path / java))
        assert os.path.samefile(jcmd_for(process, {"JAVA_HOME": "/nowhere"}), jcmd)
    with pytest.raises(ReportError, match="a JRE has none"):
        jcmd_for(JavaProcess(1, "", "/nowhere/bin/java"), {"PATH": str(tmp_path)})


def fake_processes(folder: Path, number: int, users: str, java: Path) -> str:
    """A folder like `/proc` with one JVM, whose line of users is that."""
    for name in ("self", str(number)):
        (folder / name / "ns").mkdir(parents=True)
        (folder / name / "ns" / "mnt").symlink_to("mnt:[1]")
    mine = folder / str(number)
    (mine / "status").write_text(f"Name:\tjava\nUid:\t{users}\nGid:\t0\t0\t0\t0\n")
    (mine / "maps").write_text("7f00-7f01 r-xp 00000000 08:01 1 /tmp/jdk/lib/server/libjvm.so\n")
    (mine / "cmdline").write_bytes(b"java\0Main\0")
    (mine / "exe").symlink_to(java)
    return str(folder)


USER = os.geteuid()


@pytest.mark.parametrize("users", ["{0} {0} {0} {0}", "{1} {1} {1} {1}", "{0} {1} {0} {0}", "{1} {0} {0} {0}"])
@pytest.mark.parametrize("caller", sorted({USER, 0}))
def test_a_process_that_has_the_rights_of_another_user_is_refused_to_root_too(
    users: str, caller: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = users.format(caller, 4711)
    java = tmp_path / "jdk" / "bin" / "java"
    monkeypatch.setattr(java_process, "PROCESSES", fake_processes(tmp_path / "proc", os.getpid(), line, java))
    monkeypatch.setattr(os, "geteuid", lambda: caller)
    try:
        found = find_process(os.getpid()).program
    except ReportError as error:
        found = str(error).partition(": only that user")[0]
    assert found == (f"process {os.getpid()} is user 4711's" if "4711" in line else "Main")


@contextmanager
def jvm_of(user: int, folder: Path) -> Iterator[int]:
    """A process of a user that looks like a JVM, with a `jcmd` next to its program that leaves a trace."""
    bin = folder / "jdk" / "bin"
    bin.mkdir(parents=True)
    (bin / "jcmd").write_text(f"#!/bin/sh\nid -u > {folder}/started\n")
    (bin / "jcmd").chmod(0o755)
    shutil.copy(os.path.realpath(sys.executable), bin / "java")
    for path in (bin, bin / "java", bin / "jcmd"):
        os.chown(path, user, user)
    library = folder / "libjvm.so"
    library.write_bytes(bytes(mmap.PAGESIZE))
    body = (
        "import mmap, os, sys; file = open(sys.argv[1], 'rb'); mapped = mmap.mmap(file.fileno(), 0, prot=1);"
        "os.setuid(int(sys.argv[2])); print(flush=True); input()"
    )
    words = [str(bin / "java"), "-c", body, str(library), str(user)]
    environment = {"PYTHONHOME": sys.base_prefix}
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        process.kill()


@pytest.mark.skipif(USER != 0, reason="only root can start processes of other users")
def test_root_starts_nothing_of_the_user_whose_process_it_asks(tmp_path: Path, coffeetree: Run) -> None:
    with jvm_of(65534, tmp_path) as number:
        answer = coffeetree("dump", str(number), "--into", tmp_path)
    assert (answer.status, (tmp_path / "started").exists()) == (2, False)
    assert "only that user can have it dump its heap: sudo -u" in answer.err


@pytest.mark.parametrize(
    ("mode", "part"), [(0o777, "bin"), (0o1777, "bin"), (0o777, "bin/jcmd"), (0o777, "."), (0o757, "bin")]
)
def test_a_jcmd_that_others_can_change_is_passed_by(mode: int, part: str, tmp_path: Path) -> None:
    writable, safe = tmp_path / "a", tmp_path / "b"
    jdk(writable, "")
    environment = jdk(safe, "")
    (writable / "jdk" / part).chmod(mode)
    process = JavaProcess(1, "", str(writable / "jdk" / "bin" / "java"))
    assert jcmd_for(process, environment) == str(safe / "jdk" / "bin" / "jcmd")
    with pytest.raises(ReportError, match=r"safe to start: .* can be changed by everybody; set"):
        jcmd_for(process, {"PATH": str(writable / "jdk" / "bin")})


def test_a_link_to_a_jcmd_that_others_can_change_is_passed_by(tmp_path: Path) -> None:
    jdk(tmp_path / "a", "")
    (tmp_path / "a").chmod(0o777)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "jcmd").symlink_to(tmp_path / "a" / "jdk" / "bin" / "jcmd")
    with pytest.raises(ReportError, match=f"{tmp_path}/a can be changed by everybody"):
        jcmd_for(PROCESS, {"PATH": str(tmp_path / "bin")})


def test_entries_of_a_sticky_folder_are_their_owners_own(tmp_path: Path) -> None:
    jdk(tmp_path, "")
    tmp_path.chmod(0o1777)
    assert find_intruder(f"{tmp_path}/jdk/bin/jcmd") == ""


def test_a_file_of_another_user_is_not_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jdk(tmp_path, "")
    status = os.lstat(tmp_path / "jdk")
    theirs = os.stat_result((*status[:4], 4711, *status[5:]))
    seen = os.lstat
    monkeypatch.setattr(os, "lstat", lambda path: theirs if str(path).endswith("/jdk") else seen(path))
    assert find_intruder(f"{tmp_path}/jdk/bin/jcmd") == f"{tmp_path}/jdk can be changed by user 4711"


@pytest.mark.parametrize(("name", "members", "is_safe"), [("me", [], True), ("me", ["eve"], False), ("all", [], False)])
def test_a_group_may_write_only_if_it_has_no_other_members(
    name: str, members: list[str], is_safe: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jdk(tmp_path, "")
    bin = tmp_path / "jdk" / "bin"
    bin.chmod(stat.S_IMODE(bin.stat().st_mode) | stat.S_IWGRP)
    seen = os.lstat

    def of_a_group(path: str) -> os.stat_result:
        status = seen(path)
        return os.stat_result((*status[:5], 4711, *status[6:]))

    monkeypatch.setattr(os, "lstat", of_a_group)
    monkeypatch.setattr("grp.getgrgid", lambda number: type("Group", (), {"gr_name": name, "gr_mem": members}))
    monkeypatch.setattr("parsers.runtime.live.process.trusted_program.user_name", lambda number: "me")
    assert (find_intruder(f"{bin}/jcmd") == "") is is_safe


@pytest.mark.parametrize(("path", "word"), [("/a", "/a"), ("/a b", '"/a b"'), ('/a"b', "'/a\"b'"), ("/a'b", '"/a\'b"')])
def test_a_path_is_one_word(path: str, word: str) -> None:
    assert quoted(path) == word


def test_a_path_with_both_quotation_marks_is_refused() -> None:
    with pytest.raises(ReportError):
        quoted("/'\"")


@pytest.mark.parametrize(
    ("words", "main"),
    [
        ("java -Xmx1g -cp a:b com.Main x", "com.Main"),
        ("java -jar /opt/app.jar --port 1", "/opt/app.jar"),
        ("java --module-path mods -m a/b.C", "a/b.C"),
        ("/opt/launcher", "/opt/launcher"),
        ("java -jar", ""),
    ],
)
def test_the_program_of_a_command_line_is_its_class_module_or_jar(words: str, main: str) -> None:
    assert main_of(words.split()) == main


def test_a_process_that_is_no_jvm_or_not_there_is_reported() -> None:
    with pytest.raises(ReportError, match=r"\(.+\) is no JVM"):
        find_process(os.getpid())
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    with pytest.raises(ReportError, match=f"there is no process {child.pid}"):
        find_process(child.pid)


def test_dump_prints_where_the_file_is(
    tmp_path: Path, coffeetree: Run, monkeypatch: pytest.MonkeyPatch, cache_folder: Path
) -> None:
    for name, value in jdk(tmp_path, WRITES.format(seen=str(tmp_path / "seen"))).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("tui.headless.commands.dump.find_process", lambda number: JavaProcess(number, "Main", ""))
    answer = coffeetree("dump", "4242", "--into", tmp_path, "--json")
    assert (answer.status, answer.err) == (0, "")
    assert answer.json["pid"] == 4242 and answer.json["bytes"] == 19 and answer.json["format"] == "hprof-binary"
    assert Path(answer.json["file"]).parent == tmp_path
    plain = coffeetree("dump", "4242", "--into", tmp_path)
    assert plain.out.split("  ")[1].startswith("19 bytes, ")


def test_on_a_terminal_the_dump_is_opened(tmp_path: Path, coffeetree: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[list[str]] = []
    for name, value in jdk(tmp_path, WRITES.format(seen=str(tmp_path / "seen"))).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("tui.app.main.has_terminal", lambda environment: True)
    monkeypatch.setattr("tui.headless.commands.dump.find_process", lambda number: JavaProcess(number, "Main", ""))
    monkeypatch.setattr("tui.app.start.browse", lambda paths, arguments: opened.append(paths) or 0)
    answer = coffeetree("dump", "4242", "--into", tmp_path)
    assert (answer.status, answer.out) == (0, "")
    assert [[Path(path).parent for path in paths] for paths in opened] == [[tmp_path]]
    assert answer.err == f"{opened[0][0]}\n"
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    answer = coffeetree("dump", "4242", "--into", tmp_path)
    assert answer.status == 2 and "there is no jcmd" in answer.err and len(opened) == 1


def test_dump_alone_lists_jvms(coffeetree: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "tui.headless.commands.dump.java_processes", lambda: [JavaProcess(7, "com.Main", "/opt/jdk/bin/java")]
    )
    assert coffeetree("dump").out == "PID  Program   Executable\n  7  com.Main  /opt/jdk/bin/java\n"
    assert coffeetree("dump", "--json").rows == [{"pid": 7, "program": "com.Main", "executable": "/opt/jdk/bin/java"}]
    monkeypatch.setattr("tui.headless.commands.dump.java_processes", lambda: [])
    assert coffeetree("dump").status == 1


@pytest.mark.parametrize("words", [["dump", "x"], ["dump", "0"], ["dump", "1", "2"], ["dump", "1", "--gz", "10"]])
def test_wrong_words_are_reported(words: list[str], coffeetree: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.headless.commands.dump.find_process", lambda number: JavaProcess(number, "", ""))
    assert coffeetree(*words).status == 2
