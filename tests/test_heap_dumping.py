"""Heap dumps of running JVMs: by a `jcmd` that the tests write, which does and says what a real one was seen to."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Answer

from parsers.live.heap_dumping import dump_heap, quoted
from parsers.live.java_process import JavaProcess, find_process, jcmd_for, main_of
from parsers.report import ReportError

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


def test_garbage_compression_and_blanks_are_said_as_jcmd_wants_them(tmp_path: Path) -> None:
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
def test_what_jcmd_says_is_told_where_no_dump_came(
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


def test_a_process_that_is_no_jvm_or_not_there_is_said() -> None:
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
    monkeypatch.setattr("tui.headless.dump.find_process", lambda number: JavaProcess(number, "Main", ""))
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
    monkeypatch.setattr("tui.main.has_terminal", lambda environment: True)
    monkeypatch.setattr("tui.headless.dump.find_process", lambda number: JavaProcess(number, "Main", ""))
    monkeypatch.setattr("tui.start.browse", lambda paths, arguments: opened.append(paths) or 0)
    answer = coffeetree("dump", "4242", "--into", tmp_path)
    assert (answer.status, answer.out) == (0, "")
    assert [[Path(path).parent for path in paths] for paths in opened] == [[tmp_path]]
    assert answer.err == f"{opened[0][0]}\n"
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    answer = coffeetree("dump", "4242", "--into", tmp_path)
    assert answer.status == 2 and "there is no jcmd" in answer.err and len(opened) == 1


def test_dump_alone_lists_jvms(coffeetree: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.headless.dump.java_processes", lambda: [JavaProcess(7, "com.Main", "/opt/jdk/bin/java")])
    assert coffeetree("dump").out == "       7  com.Main  /opt/jdk/bin/java\n"
    assert coffeetree("dump", "--json").rows == [{"pid": 7, "program": "com.Main", "executable": "/opt/jdk/bin/java"}]
    monkeypatch.setattr("tui.headless.dump.java_processes", lambda: [])
    assert coffeetree("dump").status == 1


@pytest.mark.parametrize("words", [["dump", "x"], ["dump", "0"], ["dump", "1", "2"], ["dump", "1", "--gz", "10"]])
def test_wrong_words_are_said(words: list[str], coffeetree: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.headless.dump.find_process", lambda number: JavaProcess(number, "", ""))
    assert coffeetree(*words).status == 2
