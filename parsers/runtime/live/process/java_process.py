"""The JVMs of this machine, their users, and the `jcmd` of their own JDK."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from parsers.model.report import ReportError
from parsers.runtime.live.process.trusted_program import find_intruder, user_name

PROCESSES = "/proc"
"""The folder with a folder for each process. Source: proc(5)."""
LIBRARY = b"/libjvm.so"
"""Library loaded by HotSpot and OpenJ9, whatever program started them."""
WITH_VALUE = ("-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules", "--upgrade-module-path")
"""Options of `java` whose value is the next word. Source: its manual."""
MOST_WORDS = 1 << 16


@dataclass(frozen=True, slots=True)
class JavaProcess:
    """One running JVM."""

    number: int
    program: str
    """Main class, module or jar; empty: unknown."""
    executable: str
    """The program file; empty: unknown."""


def java_processes() -> list[JavaProcess]:
    """The visible JVMs, by process id."""
    if not _has_processes():
        return list(_listed_by_jcmd())
    numbers = sorted(int(name) for name in os.listdir(PROCESSES) if name.isdigit())
    return [_process(number) for number in numbers if _is_jvm(number)]


def find_process(number: int) -> JavaProcess:
    """The JVM of a process id. Raises `ReportError` if there is none, or it belongs to another user.

    Root is refused too: the files that `jcmd` makes the JVM write are under its user's control.
    """
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        raise ReportError(f"there is no process {number}") from None
    except PermissionError:
        pass
    if not _has_processes():
        return JavaProcess(number, "", "")
    try:
        others = _users(number) - {os.geteuid()}
        if others:
            user = user_name(max(others))
            how = f": sudo -u {user} coffeetree dump {number}" if os.geteuid() == 0 else ""
            raise ReportError(f"process {number} is {user}'s: only that user can have it dump its heap{how}")
        if not _is_jvm(number):
            raise ReportError(f"process {number} ({_name(number)}) is no JVM: `coffeetree dump` lists those there are")
        if os.readlink(f"{PROCESSES}/{number}/ns/mnt") != os.readlink(f"{PROCESSES}/self/ns/mnt"):
            raise ReportError(f"process {number} runs in a container, with files of its own: use jcmd in there")
    except OSError as error:
        raise ReportError(f"process {number}: {(error.strerror or str(error)).lower()}") from error
    return _process(number)


def jcmd_for(process: JavaProcess, environment: Mapping[str, str]) -> str:
    """The `jcmd` of the same JDK, else the one of $JAVA_HOME or $PATH, without symbolic links. Raises `ReportError`.

    One that others can change is skipped: started by root it would run their code.
    """
    refused = []
    for place in _places(process, environment):
        if os.access(place, os.X_OK) and os.path.isfile(place):
            file = os.path.realpath(place)
            intruder = find_intruder(file)
            if not intruder:
                return file
            refused.append(f"{file} is not started: {intruder}")
    if refused:
        raise ReportError(f"there is no jcmd that is safe to start: {refused[0]}; set $JAVA_HOME to another JDK")
    where = f" beside {process.executable}" if process.executable else ""
    raise ReportError(f"there is no jcmd{where}, in $JAVA_HOME or $PATH: a JRE has none, its JDK does")


def _places(process: JavaProcess, environment: Mapping[str, str]) -> Iterator[str]:
    """Possible paths of `jcmd`, in the order in which they are tried."""
    if process.executable:
        folder = os.path.dirname(process.executable)
        yield os.path.join(folder, "jcmd")
        inside = os.path.dirname(folder)
        if os.path.basename(inside) == "jre":
            # JDK 5 to 8 contain a JRE, whose java is the one that runs.
            yield os.path.join(os.path.dirname(inside), "bin", "jcmd")
    if environment.get("JAVA_HOME"):
        yield os.path.join(environment["JAVA_HOME"], "bin", "jcmd")
    yield from (os.path.join(folder, "jcmd") for folder in environment.get("PATH", "").split(os.pathsep) if folder)


def _has_processes() -> bool:
    return os.path.isdir(f"{PROCESSES}/self")


def _users(number: int) -> set[int]:
    """The users whose rights a process has or can take: real, effective, saved and of files.

    The owner of its folder is not enough: that is root for all unreadable processes, whoever started them.
    """
    with open(f"{PROCESSES}/{number}/status", "rb") as status:
        return {int(word) for line in status if line.startswith(b"Uid:") for word in line.split()[1:]}


def _is_jvm(number: int) -> bool:
    try:
        with open(f"{PROCESSES}/{number}/maps", "rb") as maps:
            return any(line.rstrip().endswith(LIBRARY) for line in maps)
    except OSError:
        return False


def _process(number: int) -> JavaProcess:
    try:
        with open(f"{PROCESSES}/{number}/cmdline", "rb") as file:
            words = [word.decode("utf-8", "replace") for word in file.read(MOST_WORDS).split(b"\0")[:-1]]
        executable = os.readlink(f"{PROCESSES}/{number}/exe")
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
    with open(f"{PROCESSES}/{number}/comm", encoding="utf-8", errors="replace") as file:
        return file.read().strip()
