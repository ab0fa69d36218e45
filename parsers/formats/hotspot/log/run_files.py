"""The files of a run: a main log, and the files that compiler threads of a killed VM left behind.

While a VM runs each compiler thread writes a file of its own, `hs_c<THREAD>_pid<PID>.log` in /tmp. They are appended to
the main log when the VM ends by itself; else they stay, and the main log has no task. The main log names them in
`<thread_logfile>`. A file that is found is used only if it names the same process. Sources: `compileLog.cpp` and
`compileBroker.cpp` of HotSpot.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from parsers.io.archives.unpack import SUFFIXES, without_suffix
from parsers.io.open_source import open_source
from parsers.model.report import Problem, ReportError, file_name
from parsers.model.row import counted

if TYPE_CHECKING:
    from parsers.io.cache import Cache
    from parsers.io.source import Source

TAIL = 4096
"""Bytes at the end of a main log that contain the closing tag if the VM ended by itself."""
DONE = b"<hotspot_log_done"
BLOCK = 1 << 20
MOST_READ = 256 << 20
"""Maximum bytes of a main log that are searched for names of files."""
MOST_FILES = 1000
"""Maximum files of a folder that are examined, and maximum names in a log that are followed."""

_NAMED = re.compile(rb"<thread_logfile thread='\d{1,20}' filename='([^'\n]{1,4096})'")
_LEFT_BEHIND = re.compile(r"hs_c\d+_pid(\d+)\.log")
_HEADER = re.compile(rb"<hotspot_log\b[^>\n]{0,400}?\bprocess='(\d{1,10})'")
_START = re.compile(rb"<start_compile_thread\b[^>\n]{0,400}?\bprocess='(\d{1,10})'")
_THREAD = re.compile(rb"\A<start_compile_thread\b[^>\n]{0,400}?\bthread='(\d{1,20})'[^>\n]{0,400}>")


def process_of(head: bytes) -> int | None:
    """Returns the process named in a log's first bytes."""
    found = _HEADER.search(head) or _START.search(head)
    return int(found[1]) if found is not None else None


def is_main(head: bytes) -> bool:
    """True if a log's first bytes are those of a main log."""
    return _HEADER.search(head) is not None


def part_of(path: str, head: bytes) -> tuple[str, bool] | None:
    """Returns the process of a killed VM's file, and True if it is the main log; None for a complete log."""
    process = process_of(head)
    if process is None:
        return None
    if is_main(head):
        with open(path, "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - TAIL, 0))
            return None if DONE in file.read(TAIL) else (f"process {process}", True)
    return f"process {process}", False


def gather(sources: Sequence[Source], cache: Cache) -> tuple[list[Source], list[Problem]]:
    """Returns all files of a run of which some are given: the main log first, the others by name. Opens those found.

    Copies of one file are omitted, with a problem for each. Raises `ReportError` if the given ones are of different
    processes.
    """
    mains = [source for source in sources if is_main(source.head)]
    if len(mains) > 1:
        raise ReportError(f"{mains[1].path}: is another run than {file_name(mains[0].path)}: give one at a time")
    process = process_of((mains or list(sources))[0].head)
    for source in sources:
        other = process_of(source.head)
        if process is not None and other not in (None, process):
            raise ReportError(f"{source.path}: is of process {other}, not {process}: no part of one run")
    found = list(sources)
    if process is not None and not any(source.is_spooling or source.path == "-" for source in sources):
        known = {(source.identity.device, source.identity.inode) for source in sources}
        try:
            for path in _others(mains[0] if mains else None, sources, process):
                _take(path, process, known, found, cache)
        except BaseException:
            for source in found[len(sources) :]:
                source.close()
            raise
    found, problems = _without_copies(found)
    return sorted(found, key=lambda source: (not is_main(source.head), source.name)), problems


def is_copy(first: bytes, second: bytes) -> bool:
    """True if two files of compiler threads are copies, by their first bytes: one thread, and no byte differs.

    A VM only appends to such a file, so a copy that was made earlier is a prefix of the other one.
    """
    count = min(len(first), len(second))
    return _THREAD.match(first[:count]) is not None and first[:count] == second[:count]


def _without_copies(sources: Iterable[Source]) -> tuple[list[Source], list[Problem]]:
    """Keeps the largest of several copies, the first of equal ones. Closes the others, with a problem for each."""
    kept: list[Source] = []
    problems = []
    # The size of an archive that is not unpacked yet is unknown.
    for source in sorted(sources, key=lambda source: (not source.is_whole, -source.size, -source.stored_size)):
        original = next((other for other in kept if is_copy(other.head, source.head)), None)
        if original is None:
            kept.append(source)
            continue
        what = f"begins with the same bytes as {file_name(original.path)}, of the same compiler thread: a copy of it"
        done = f"left out: the other file has {counted(original.size, 'byte')}, this one {source.size:,}"
        problems.append(Problem("copy", what, done, source.path))
        source.close()
    return kept, problems


def named_files(main: Source) -> list[str]:
    """Returns the names of the compiler threads' files in a main log, each once."""
    names: dict[str, None] = {}
    for start in range(0, min(main.size, MOST_READ), BLOCK):
        data = main.pread(BLOCK + TAIL, start)
        if b"<thread_logfile" in data:
            for match in _NAMED.finditer(data):
                names.setdefault(os.fsdecode(match[1]))
        if len(names) >= MOST_FILES:
            break
    return list(names)


def is_ended(main: Source) -> bool:
    """True if a main log's VM ended by itself, so that no file was left behind."""
    return DONE in main.pread(TAIL, max(main.size - TAIL, 0))


def _others(main: Source | None, sources: Iterable[Source], process: int) -> Iterator[str]:
    """Returns paths that may be other files of the run."""
    if main is not None and main.is_whole and is_ended(main):
        return
    folders = list(dict.fromkeys(os.path.dirname(source.stored_path) for source in sources))
    if main is not None and main.is_whole:
        for name in named_files(main):
            yield name
            yield from (os.path.join(folder, os.path.basename(name)) for folder in folders)
    for folder in folders:
        names = _names_in(folder)
        for name in names:
            matched = _LEFT_BEHIND.fullmatch(without_suffix(name))
            if matched is not None and int(matched[1]) == process:
                yield os.path.join(folder, name)
        if main is None:
            yield from (os.path.join(folder, name) for name in names if ".log" in name and "hs_c" not in name)


def _names_in(folder: str) -> list[str]:
    """Returns names of files in a folder, at most those that are examined."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry, _ in zip(entries, range(MOST_FILES * 10), strict=False))
    except OSError:
        return []


def _take(path: str, process: int, known: set[tuple[int, int]], found: list[Source], cache: Cache) -> None:
    """Opens a file that may be of a run, and keeps it if it is."""
    for candidate in (path, *(path + suffix for suffix in SUFFIXES)):
        try:
            status = os.stat(candidate)
        except (OSError, ValueError):
            continue
        if not stat.S_ISREG(status.st_mode) or (status.st_dev, status.st_ino) in known:
            continue
        try:
            source = open_source(candidate, cache)
        except ReportError:
            continue
        has_main = any(is_main(each.head) for each in found)
        is_other_main = is_main(source.head) and has_main
        if process_of(source.head) != process or is_other_main or not _looks_like_one(source.head):
            source.close()
            continue
        known.add((status.st_dev, status.st_ino))
        found.append(source)


def _looks_like_one(head: bytes) -> bool:
    from parsers.formats.format import Confidence
    from parsers.formats.hotspot.format import sniff

    return sniff(head, "") is Confidence.SURE
