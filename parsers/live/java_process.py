"""JVMs that run on this machine: which there are, whose they are, and the `jcmd` of their own JDK."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from parsers.report import ReportError

LIBRARY = b"/libjvm.so"
"""What HotSpot and OpenJ9 load, whatever program started them."""
WITH_VALUE = ("-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules", "--upgrade-module-path")
"""Options of `java` whose value is the next word. Source: its manual."""
MOST_WORDS = 1 << 16


@dataclass(frozen=True, slots=True)
class JavaProcess:
    """One of them."""

    number: int
    program: str
    """Main class, module or jar; empty: not known."""
    executable: str
    """The program file; empty: not known."""


def java_processes() -> list[JavaProcess]:
    """The JVMs that can be seen, by number."""
    if not os.path.isdir("/proc/self"):
        return list(_listed_by_jcmd())
    numbers = sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
    return [_process(number) for number in numbers if _is_jvm(number)]


def find_process(number: int) -> JavaProcess:
    """The JVM of a process number. Raises `ReportError` where there is none, or it is somebody else's."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        raise ReportError(f"there is no process {number}") from None
    except PermissionError:
        pass
    if not os.path.isdir("/proc/self"):
        return JavaProcess(number, "", "")
    try:
        owner = os.stat(f"/proc/{number}").st_uid
        if owner != os.geteuid() and os.geteuid() != 0:
            raise ReportError(f"process {number} is {_user(owner)}'s: only that user can have it dump its heap")
        if not _is_jvm(number):
            raise ReportError(f"process {number} ({_name(number)}) is no JVM: `coffeetree dump` lists those there are")
        if os.readlink(f"/proc/{number}/ns/mnt") != os.readlink("/proc/self/ns/mnt"):
            raise ReportError(f"process {number} runs in a container, with files of its own: use jcmd in there")
    except OSError as error:
        raise ReportError(f"process {number}: {(error.strerror or str(error)).lower()}") from error
    return _process(number)


def jcmd_for(process: JavaProcess, environment: Mapping[str, str]) -> str:
    """The `jcmd` of the same JDK, else the one of $JAVA_HOME or $PATH. Raises `ReportError`."""
    for place in _places(process, environment):
        if os.access(place, os.X_OK) and os.path.isfile(place):
            return place
    found = shutil.which("jcmd", path=environment.get("PATH", ""))
    if found is None:
        where = f" beside {process.executable}" if process.executable else ""
        raise ReportError(f"there is no jcmd{where}, in $JAVA_HOME or $PATH: a JRE has none, its JDK does")
    return found


def _places(process: JavaProcess, environment: Mapping[str, str]) -> Iterator[str]:
    if process.executable:
        folder = os.path.dirname(process.executable)
        yield os.path.join(folder, "jcmd")
        inside = os.path.dirname(folder)
        if os.path.basename(inside) == "jre":
            # JDK 5 to 8 have a JRE inside, whose java is the one that runs.
            yield os.path.join(os.path.dirname(inside), "bin", "jcmd")
    if environment.get("JAVA_HOME"):
        yield os.path.join(environment["JAVA_HOME"], "bin", "jcmd")


def _is_jvm(number: int) -> bool:
    try:
        with open(f"/proc/{number}/maps", "rb") as maps:
            return any(line.rstrip().endswith(LIBRARY) for line in maps)
    except OSError:
        return False


def _process(number: int) -> JavaProcess:
    try:
        with open(f"/proc/{number}/cmdline", "rb") as file:
            words = [word.decode("utf-8", "replace") for word in file.read(MOST_WORDS).split(b"\0")[:-1]]
        executable = os.readlink(f"/proc/{number}/exe")
    except OSError:
        return JavaProcess(number, "", "")
    return JavaProcess(number, main_of(words), executable.removesuffix(" (deleted)"))


def main_of(words: list[str]) -> str:
    """The program of a command line of `java`: class, module or jar."""
    at = 1
    while at < len(words):
        word = words[at]
        if word in ("-jar", "-m", "--module"):
            return words[at + 1] if at + 1 < len(words) else ""
        if not word.startswith("-"):
            return word
        at += 2 if word in WITH_VALUE else 1
    return words[0] if words else ""


def _listed_by_jcmd() -> Iterator[JavaProcess]:
    jcmd = jcmd_for(JavaProcess(0, "", ""), os.environ)
    listed = subprocess.run([jcmd, "-l"], capture_output=True, text=True, errors="replace", check=False)
    for line in listed.stdout.splitlines():
        number, _, program = line.partition(" ")
        if number.isdigit() and "sun.tools.jcmd.JCmd" not in program:
            yield JavaProcess(int(number), program, "")


def _name(number: int) -> str:
    with open(f"/proc/{number}/comm", encoding="utf-8", errors="replace") as file:
        return file.read().strip()


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"
