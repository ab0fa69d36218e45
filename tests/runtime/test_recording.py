"""Recordings of running JVMs: by a `jcmd` that the tests write, and by a real one where there is a JDK."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Answer

from parsers.model.report import ReportError
from parsers.runtime.live.process.java_process import JavaProcess
from parsers.runtime.live.process.recording import record, seconds_of

Run = Callable[..., Answer]
JCMD = """\
words = sys.argv[1:]
with open({seen!r}, "a") as seen:
    seen.write(" ".join(words) + "\\n")
if words[1] == "JFR.start":
    open(words[-1].removeprefix("filename="), "xb").write(b"FLR\\0")
    print(words[0] + ":\\nStarted recording 1. The result will be written to:")
"""
REFUSES = 'print(sys.argv[1] + ":")\nprint("java.lang.IllegalArgumentException: Unknown diagnostic command")\n'
WAITS = """\
public class Waits {
    public static void main(String[] words) throws Exception {
        System.out.println("runs");
        System.in.read();
    }
}
"""
JAVA = shutil.which("java") if shutil.which("jcmd") else None


def jdk(folder: Path, body: str) -> dict[str, str]:
    """An environment whose $JAVA_HOME has a `jcmd` of that body."""
    bin = folder / "jdk" / "bin"
    bin.mkdir(parents=True)
    (bin / "jcmd").write_text(f"#!{sys.executable}\nimport sys\n{body}")
    (bin / "jcmd").chmod(0o755)
    return {"JAVA_HOME": str(folder / "jdk"), "PATH": ""}


@pytest.mark.parametrize(
    ("text", "seconds"), [("30s", 30), ("30", 30), ("500ms", 0.5), ("500 ms", 0.5), ("2m", 120), ("1.5h", 5_400)]
)
def test_durations_are_read_with_their_units(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "0s", "-1s", "3x", "1e3s", "99999h"])
def test_other_texts_are_no_durations(text: str) -> None:
    with pytest.raises(ReportError, match="such as 30s or 5m"):
        seconds_of(text)


def test_a_recording_is_started_and_stopped_by_its_name(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    process = JavaProcess(os.getpid(), "Main", "")
    path = record(process, str(tmp_path), jdk(tmp_path, JCMD.format(seen=str(seen))), 0.01)
    assert Path(path).read_bytes() == b"FLR\0"
    started, stopped = (line.split() for line in seen.read_text().splitlines())
    assert started[1:] == ["JFR.start", started[2], "settings=profile", "dumponexit=true", f"filename={path}"]
    assert stopped[1:] == ["JFR.stop", started[2]]


def test_a_jvm_that_refuses_to_record_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"recorded nothing: java.*Unknown diagnostic command"):
        record(JavaProcess(4242, "Main", ""), str(tmp_path), jdk(tmp_path, REFUSES), 1)


def test_options_of_heap_dumps_are_refused(coffeetree: Run) -> None:
    answer = coffeetree("dump", "--jfr", "1s", "--gz", "1", "1")
    assert answer.status == 2


@pytest.mark.skipif(JAVA is None, reason="there is no JDK")
def test_a_running_jvm_is_recorded(tmp_path: Path, coffeetree: Run) -> None:
    source = tmp_path / "Waits.java"
    source.write_text(WAITS)
    assert JAVA is not None
    quick = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    with subprocess.Popen([JAVA, *quick, str(source)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as jvm:
        assert jvm.stdout is not None and jvm.stdout.readline() == b"runs\n"
        answer = coffeetree("dump", "--jfr", "1s", "--into", tmp_path, "--json", str(jvm.pid))
        jvm.communicate(b"\n")
    assert answer.json["format"] == "jfr"
    rows = coffeetree("tree", "--json", "--view", "jvm-information", "--depth", "0", answer.json["file"]).rows
    assert any("Waits" in str(row["badges"].get("value")) for row in rows)
