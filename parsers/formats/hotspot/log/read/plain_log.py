"""Reads a log by plain code: no numpy, no kernels. For small logs, for the first screen, and as twin of the kernels.

`PlainLog` gets the tags of all files of a run in order (`tags.tags`) and makes rows of the columns (`columns`).
"""

from __future__ import annotations

import codecs
import re
from array import array
from typing import TYPE_CHECKING

from parsers.formats.hotspot.log.columns import (
    COLUMNS,
    EVENTS,
    HAS_LEVEL,
    IN_FRAGMENT,
    IS_BLOCKING,
    IS_DAMAGED,
    IS_FINISHED,
    IS_NATIVE,
    IS_OK,
    IS_OSR,
    IS_ZOMBIE,
    NO_LEVEL,
    NO_WORD,
    TASKS,
    EventKind,
)
from parsers.formats.hotspot.log.part import KEPT_PROBLEMS, LINE_BLOCK, NUL_GAP, LogFile
from parsers.formats.hotspot.log.read import tags
from parsers.formats.hotspot.log.read.tags import LONGEST, MARGIN, Tag, milliseconds, names_in_mid_line, number
from parsers.index.texts import UniqueTexts
from parsers.model.none import NONE

if TYPE_CHECKING:
    from collections.abc import Callable

# Members of an enumeration are slow to access.
NMETHOD, UNCOMMON_TRAP, DEOPTIMIZED = map(int, (EventKind.NMETHOD, EventKind.UNCOMMON_TRAP, EventKind.DEOPTIMIZED))
DEPENDENCY_FAILED, MAKE_NOT_COMPILABLE = int(EventKind.DEPENDENCY_FAILED), int(EventKind.MAKE_NOT_COMPILABLE)
THREAD_LOGFILE, OTHER = int(EventKind.THREAD_LOGFILE), int(EventKind.OTHER)

CODES = {"u1": "B", "u2": "H", "u4": "I", "u8": "Q"}
BLOCK = 1 << 20
"""Bytes that are read at a time, apart from those after them in which a tag may end."""
BEFORE = 64
"""Bytes before a block that are read with it."""
MOST = (1 << 64) - 2
_MARK = re.compile(rb"\]\]>\r?\n?\Z")
_NULS = re.compile(rb"\A\0+|(?<!\0)(?:\0{%d,}|\0++\Z)" % NUL_GAP)


class PlainLog:
    """The columns of a run while it is read. Only the rows of the last task and the last event may still change."""

    def __init__(self) -> None:
        self.columns: dict[str, array[int]] = {name: array(CODES[type]) for name, type in COLUMNS.items()}
        self.methods = UniqueTexts(most=NONE, none=NONE)
        self.words = UniqueTexts(most=NO_WORD, none=NO_WORD)
        self.parts: list[LogFile] = []
        self.lines: array[int] = array("I")
        """Line ends before each block of each file, counted within the file."""
        self._writers: dict[int, int] = {}
        self._base = 0
        self._task = -1
        """The open task."""
        self._event = -1
        """The event whose children may follow."""
        self._thread = NONE
        self._writer = NONE
        self._stamp = NONE
        self._in_fragment = False
        self._in_tty = False

    @property
    def open_rows(self) -> tuple[int, int]:
        """The task and the event that may still change; -1 where there is none."""
        return self._task, self._event

    # -- reading ------------------------------------------------------------------------------------------------------

    def begin(self, size: int) -> None:
        """Begins the next file."""
        columns = self.columns
        base = self.parts[-1].base + self.parts[-1].size if self.parts else 0
        counts = (len(columns["task_id"]), len(columns["event_id"]), len(columns["thread_id"]))
        self.parts.append(LogFile(base, size, *counts, len(self.lines)))
        self._base = base
        self._gaps = Gaps(self.parts[-1])
        self._thread = self._writer = self._stamp = NONE
        self._in_fragment = self._in_tty = False

    def feed(self, read: Callable[[int, int], bytes], start: int, stop: int, size: int) -> None:
        """Reads a range of the current file."""
        first = max(start - BEFORE, 0)
        data = read(min(stop + LONGEST + MARGIN, size) - first, first)
        self._count(data[: stop - first], start - first, first)
        for tag in tags.tags(data, start - first, stop - first):
            self._add(tag, first, data)

    def end(self) -> None:
        """Ends the current file."""
        part = self.parts[-1]
        self._close(self._base + part.size)
        self._event = -1
        self._gaps.close()
        part.fragment_is_open = self._in_fragment

    def _count(self, data: bytes, start: int, place: int) -> None:
        """Counts lines, NULs and the like over all bytes; those before `start` were counted."""
        part = self.parts[-1]
        for at in range(start, len(data), LINE_BLOCK):
            self.lines.append(part.newlines)
            part.newlines += data.count(b"\n", at, at + LINE_BLOCK)
        nuls = data.count(b"\0", start)
        part.nul_bytes += nuls
        if nuls:
            self._gaps.add(nul_runs(data, start), place)
        if part.first_bad_utf8_byte < 0 and not data.isascii():
            bad = first_bad_byte(data, start, place + len(data) == part.size)
            part.first_bad_utf8_byte = place + bad if bad >= 0 else -1
        for at, name in names_in_mid_line(data):
            if at >= start:
                part.mid_line_count += 1
                if len(part.mid_line) < KEPT_PROBLEMS:
                    part.mid_line.append((place + at, name.decode()))

    # -- tags ---------------------------------------------------------------------------------------------------------

    def _add(self, tag: Tag, place: int, data: bytes) -> None:
        """Adds one tag; positions in it are relative to `place` of the current file."""
        kind, part = tag.kind, self.parts[-1]
        start = self._base + place + tag.start
        if kind in (tags.FRAGMENT, tags.COMPILATION_LOG):
            self._close(start)
        if not self._in_fragment or kind in (tags.FRAGMENT, tags.COMMENT):
            part.kinds[kind] += 1
        if self._task < 0 and kind != tags.TASK and kind <= tags.UNKNOWN:
            name = self._word(self.words.number(tag.name)) if kind == tags.UNKNOWN else tags.KEPT[kind]
            (part.outside_in_fragments if self._in_fragment else part.outside)[name] += 1
        if tag.is_torn and tag.end < len(data):
            part.torn_count += 1
            if len(part.torn) < KEPT_PROBLEMS:
                part.torn.append((place + tag.start, name_of(kind)))
        elif tag.is_torn:
            part.ends_in = place + tag.start
        if kind == tags.JVMS:
            self._add_caller(tag, place)
            return
        if kind in (tags.END_TRAP, tags.END_DEOPTIMIZED):
            if self._event >= 0:
                self.columns["event_end"][self._event] = self._base + place + tag.end
        elif kind < OTHER:
            self._add_event(kind, tag, start)
            return
        elif kind == tags.UNKNOWN:
            if self._in_tty and self._task < 0 and not self._in_fragment:
                self._add_event(OTHER, tag, start)
            return
        elif kind == tags.COMMENT:
            return
        else:
            self._structure(kind, tag, start, place, data)
        self._event = -1

    def _structure(self, kind: int, tag: Tag, start: int, place: int, data: bytes) -> None:
        part, columns = self.parts[-1], self.columns
        if kind == tags.TASK:
            self._add_task(tag, start)
        elif kind == tags.END_TASK:
            if self._task >= 0:
                columns["task_flags"][self._task] |= IS_FINISHED
                self._close(self._base + place + tag.end)
        elif kind == tags.TASK_DONE:
            self._end_task(tag)
        elif kind == tags.FAILURE:
            self._fail(tag)
        elif kind == tags.FRAGMENT:
            self._in_fragment = True
        elif kind == tags.END_FRAGMENT:
            # `]]>` ends the text of the last task.
            mark = _MARK.search(data, max(tag.start - 5, 0), tag.start)
            self._close(start - len(mark[0]) if mark is not None else start)
            self._in_fragment = False
        elif kind in (tags.COMPILATION_LOG, tags.END_COMPILATION_LOG):
            self._close(start)
            self._in_fragment = self._in_tty = False
            self._thread = NONE
        elif kind == tags.START:
            self._start_thread(tag, start)
        elif kind == tags.TTY:
            self._in_tty = True
            if part.tty[0] < 0:
                part.tty = (place + tag.start, part.tty[1])
        elif kind == tags.END_TTY:
            self._in_tty = False
            part.tty = (part.tty[0], place + tag.start)
        elif kind == tags.WRITER:
            self._writer = self._number_of_writer(number(tag.attributes.get(b"thread"), 0, MOST))
        elif kind == tags.LOG and len(part.headers) < 8:
            process = number(tag.attributes.get(b"process"), NONE, NONE - 1)
            part.headers.append((place + tag.start, process, number(tag.attributes.get(b"time_ms"), 0, 1 << 62)))

    def _close(self, end: int) -> None:
        """Ends the open task, if there is one."""
        if self._task >= 0:
            self.columns["task_end"][self._task] = end
            self._task = -1

    def _add_task(self, tag: Tag, start: int) -> None:
        self._close(start)
        attributes, columns = tag.attributes, self.columns
        self._task = len(columns["task_id"])
        level = level_of(attributes.get(b"level"))
        flags = IS_OSR if attributes.get(b"compile_kind") == b"osr" else 0
        flags |= IS_BLOCKING if attributes.get(b"blocking") == b"1" else 0
        flags |= IN_FRAGMENT if self._in_fragment else 0
        flags |= IS_DAMAGED if tag.is_torn else 0
        flags |= HAS_LEVEL if level != NO_LEVEL else 0
        row = {
            "task_start": start,
            "task_end": start,
            "task_id": number(attributes.get(b"compile_id"), NONE, NONE - 1),
            "task_method": self.methods.number(attributes.get(b"method")),
            "task_thread": self._thread,
            "task_begun": milliseconds(attributes.get(b"stamp"), NONE),
            "task_bci": number(attributes.get(b"osr_bci"), NONE, NONE - 1),
            "task_reason": NO_WORD,
            "task_level": level,
            "task_flags": flags,
            "task_run": 0,
        }
        for name in TASKS:
            columns[name].append(row.get(name, NONE))

    def _end_task(self, tag: Tag) -> None:
        task, columns = self._task, self.columns
        if task < 0:
            return
        columns["task_done"][task] = milliseconds(tag.attributes.get(b"stamp"), NONE)
        columns["task_code"][task] = number(tag.attributes.get(b"nmsize"), NONE, NONE - 1)
        columns["task_inlined"][task] = number(tag.attributes.get(b"inlined_bytes"), NONE, NONE - 1)
        if tag.attributes.get(b"success") == b"1":
            columns["task_flags"][task] |= IS_OK
        if tag.is_torn:
            columns["task_flags"][task] |= IS_DAMAGED

    def _fail(self, tag: Tag) -> None:
        reason = self.words.number(_reason(tag.attributes))
        if self._task >= 0 and b"phase" not in tag.attributes:
            self.columns["task_reason"][self._task] = reason
        if self._task >= 0 and tag.is_torn:
            self.columns["task_flags"][self._task] |= IS_DAMAGED

    def _word(self, word: int) -> str:
        return self.words.texts[word].decode("utf-8", "replace") if word != NO_WORD else ""

    def _start_thread(self, tag: Tag, start: int) -> None:
        attributes, columns = tag.attributes, self.columns
        self._thread = len(columns["thread_id"])
        columns["thread_offset"].append(start)
        columns["thread_id"].append(number(attributes.get(b"thread"), 0, MOST))
        columns["thread_process"].append(number(attributes.get(b"process"), NONE, NONE - 1))
        columns["thread_stamp"].append(milliseconds(attributes.get(b"stamp"), NONE))
        columns["thread_name"].append(self.words.number(attributes.get(b"name")))
        flags = (IN_FRAGMENT if self._in_fragment else 0) | (IS_DAMAGED if tag.is_torn else 0)
        columns["thread_flags"].append(flags)
        columns["thread_run"].append(0)

    # -- events -------------------------------------------------------------------------------------------------------

    def _add_event(self, kind: int, tag: Tag, start: int) -> None:
        attributes, columns = tag.attributes, self.columns
        if self._in_fragment:
            return
        if kind == DEPENDENCY_FAILED and self._task >= 0 and not _is_named(attributes):
            type = self.words.number(_reason(attributes))
            self.parts[-1].failed_dependencies[self._word(type)] += 1
            return
        stamp = milliseconds(attributes.get(b"stamp"), NONE)
        if stamp != NONE:
            self._stamp = stamp
        elif not tag.is_torn:
            stamp = self._stamp
        compile_kind = attributes.get(b"compile_kind")
        flags = IS_OSR if compile_kind == b"osr" else 0
        if kind == MAKE_NOT_COMPILABLE and attributes.get(b"osr") == b"1":
            flags = IS_OSR
        flags |= IS_NATIVE if kind == NMETHOD and compile_kind not in (None, b"osr") else 0
        flags |= IS_BLOCKING if attributes.get(b"blocking") == b"1" else 0
        flags |= IS_ZOMBIE if attributes.get(b"zombie") == b"1" else 0
        flags |= IS_DAMAGED if tag.is_torn else 0
        writer = self._writer
        if b"thread" in attributes and kind != THREAD_LOGFILE:
            writer = self._number_of_writer(number(attributes[b"thread"], 0, MOST))
        row = {
            "event_start": start,
            "event_end": start + tag.end - tag.start,
            "event_id": number(attributes.get(b"compile_id"), NONE, NONE - 1),
            "event_method": self.methods.number(attributes.get(b"method")),
            "event_bci": number(attributes.get(b"osr_bci"), NONE, NONE - 1),
            "event_stamp": stamp,
            "event_thread": writer,
            "event_value": _value(kind, attributes),
            "event_reason": self.words.number(tag.name if kind == OTHER else _reason(attributes)),
            "event_action": self.words.number(attributes.get(b"action")),
            "event_compiler": self.words.number(attributes.get(b"compiler")),
            "event_kind": kind,
            "event_level": level_of(attributes.get(b"level")),
            "event_flags": flags,
            "event_run": 0,
        }
        self._event = len(columns["event_id"]) if kind in (UNCOMMON_TRAP, DEOPTIMIZED) else -1
        for name in EVENTS:
            columns[name].append(row.get(name, NONE))
        if writer != NONE:
            columns["writer_events"][writer] += 1

    def _add_caller(self, tag: Tag, place: int) -> None:
        """Adds a `jvms`: the first one below an event is the place where it happened."""
        event, columns = self._event, self.columns
        if event < 0:
            return
        if columns["event_method"][event] == NONE and columns["event_bci"][event] == NONE:
            columns["event_method"][event] = self.methods.number(tag.attributes.get(b"method"))
            columns["event_bci"][event] = number(tag.attributes.get(b"bci"), NONE, NONE - 1)
        if tag.is_torn:
            columns["event_flags"][event] |= IS_DAMAGED
        columns["event_end"][event] = self._base + place + tag.end

    def _number_of_writer(self, id: int) -> int:
        found = self._writers.get(id)
        if found is None:
            found = self._writers[id] = len(self._writers)
            self.columns["writer_id"].append(id)
            self.columns["writer_events"].append(0)
        return found


def _is_named(attributes: dict[bytes, bytes]) -> bool:
    """True if a dependency names its class, as in the main log: inside tasks classes are numbers."""
    return number(attributes.get(b"ctxk", b"0"), -1, MOST) < 0


def name_of(kind: int) -> str:
    """Returns the name of a torn tag."""
    if kind < tags.UNKNOWN:
        return tags.KEPT[kind]
    return f"/{tags.ENDS[kind - tags.END_TASK]}" if kind >= tags.END_TASK else "?"


def _reason(attributes: dict[bytes, bytes]) -> bytes | None:
    for name in (b"reason", b"comment", b"type", b"state", b"filename"):
        if name in attributes:
            return attributes[name]
    return None


def _value(kind: int, attributes: dict[bytes, bytes]) -> int:
    if kind == NMETHOD:
        return number(attributes.get(b"size"), NONE, NONE - 1)
    if kind == UNCOMMON_TRAP:
        return number(attributes.get(b"count"), NONE, NONE - 1)
    free = number(attributes.get(b"free_code_cache"), NONE << 10, (NONE << 10) - 1)
    return free >> 10


def level_of(text: bytes | None) -> int:
    """Returns a level as written: one digit."""
    return text[0] - 48 if text is not None and len(text) == 1 and text.isdigit() else NO_LEVEL


def first_bad_byte(data: bytes, start: int, is_end: bool) -> int:
    """Returns where data[start:] stops being UTF-8, -1 if nowhere. Characters may cross `start` and the end."""
    # Begin at a character of several bytes before `start`, if it may end after `start`.
    first = next((at for at in range(start - 1, max(start - 4, -1), -1) if data[at] & 0xC0 != 0x80), start)
    if first < start and data[first] < 0xC0:
        first = start
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    try:
        decoder.decode(data[first:], is_end)
    except UnicodeDecodeError as error:
        return first + error.start
    return -1


def nul_runs(data: bytes, start: int) -> list[tuple[int, int]]:
    """Returns the runs of NULs in data[start:] that may be gaps: the long ones, and those at its start and end."""
    return [(start + match.start(), start + match.end()) for match in _NULS.finditer(data[start:])]


class Gaps:
    """Runs of NULs of one file joined to gaps if long, independent of the blocks in which the file is read."""

    def __init__(self, part: LogFile) -> None:
        self._part = part
        self._first = self._end = -1

    def add(self, runs: list[tuple[int, int]], place: int) -> None:
        """Adds runs in order; they are relative to `place`."""
        for first, end in runs:
            if first + place == self._end:
                self._end = end + place
            else:
                self.close()
                self._first, self._end = first + place, end + place

    def close(self) -> None:
        """Ends the last run."""
        if self._end - self._first >= NUL_GAP and len(self._part.gaps) < KEPT_PROBLEMS:
            self._part.gaps.append((self._first, self._end))
        self._first = self._end = -1
