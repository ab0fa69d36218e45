"""Reads the contents of tasks in plain Python, tag by tag. Twin of `tables_kernel`; the only reader for small logs.

A tag begins with `<`, perhaps `/`, and a name that a blank, `/` or `>` follows; attributes `name='value'` follow. A
value contains no `'`, and no `<` with which a tag begins: one at the start of a line, one with an attribute, an end
tag. Where that ends without `>` the tag is torn: it counts, but has no content, and reading continues right there. So a
tag that another one was printed into loses nothing but itself. Comments were removed before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hotspot.decisions.decision_tables import (
    CATEGORIES,
    DEPENDENCY,
    ELEMENT,
    ELEMENTS,
    FAIL,
    FAILED,
    FAILURE,
    FRAGMENT_ELEMENT,
    INLINED,
    INTRINSIC,
    INTRINSICS,
    LONGEST_METHOD,
    MOST_DEPTH,
    MOST_IDS,
    MOST_PARSES,
    MOST_PATHS,
    MOST_WORDS,
    PATH,
    PLACE,
    SCALARS,
    SITE,
    SUCCESS,
    THROWN_AWAY,
    TIMES,
    TRAP,
    TRAP_SITE,
    TRAPS_WITH_METHOD,
    UNKNOWN_IDS,
    ReaderResult,
    TaskCounts,
)
from parsers.formats.hotspot.decisions.tasks import LONGEST_TASK, Tasks
from parsers.formats.hotspot.log.columns import NO_LEVEL
from parsers.formats.hotspot.log.read.tags import ANY_TAG, milliseconds
from parsers.index.texts import UniqueTexts
from parsers.model.names.java_method import PRIMITIVES
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import U32Array

TAG = re.compile(
    rb"<(/?)([A-Za-z][A-Za-z0-9_]*+)(?=[ \t\r\n/>])"
    rb"((?>[ \t\r\n]++[A-Za-z0-9_]++='[^'<]*+(?><(?!" + ANY_TAG + rb")[^'<]*+)*+')*+)[ \t\r\n]*+(/?>)?"
)
ATTRIBUTE = re.compile(rb"([A-Za-z0-9_]+)='([^']*)'")
DIGITS = re.compile(rb"[0-9]+")

DESCRIPTORS = {name.encode(): letter.encode() for letter, name in PRIMITIVES.items()}


def number(text: bytes) -> int:
    """Returns the number at the start of a text, 0 if there is none; NONE - 1 at most."""
    match = DIGITS.match(text)
    return min(int(match[0]), NONE - 1) if match and len(match[0]) < 20 else NONE - 1 if match else 0


def stamp_of(attributes: Mapping[bytes, bytes]) -> int:
    """Returns the stamp of a tag in milliseconds; 0 if there is none."""
    stamp = milliseconds(attributes.get(b"stamp"), NONE)
    return 0 if stamp == NONE else stamp


def descriptor_of_class(name: bytes) -> bytes:
    """Returns a class as in signatures: `Ljava/lang/String;`, `[I`; beyond ASCII as the log writes signatures."""
    name = name.replace(b".", b"/")
    if any(byte >= 0x80 for byte in name):
        name = _escaped(name)
    return name if name.startswith(b"[") else b"L" + name + b";"


def _escaped(text: bytes) -> bytes:
    """Writes characters of two and three bytes as `\\u00e9`; other bytes stay."""
    found, at = bytearray(), 0
    while at < len(text):
        lead = text[at]
        length = 2 if 0xC0 <= lead < 0xE0 else 3 if 0xE0 <= lead < 0xF0 else 1
        rest = text[at + 1 : at + length]
        if length == 1 or len(rest) < length - 1 or any(byte & 0xC0 != 0x80 for byte in rest):
            found.append(lead)
            at += 1
            continue
        value = lead & (0x1F if length == 2 else 0x0F)
        for byte in rest:
            value = value << 6 | byte & 0x3F
        found += b"\\u%04x" % value
        at += length
    return bytes(found)


class OpenElement:
    """An open element."""

    __slots__ = (
        *("around", "bci", "call", "has_jvms", "method", "name"),
        *("parse", "parses", "path", "profile_count", "stamp"),
    )

    def __init__(self, name: bytes, above: OpenElement | None) -> None:
        self.name = name
        self.parse: OpenElement = self if above is None else above.parse
        """The innermost parse around its content; the task itself, if there is none."""
        self.around: OpenElement | None = None if above is None else above.parse
        """The parse around it."""
        self.parses: int = 0 if above is None else above.parses
        self.path: int = -1 if above is None else above.path
        self.stamp = 0
        self.has_jvms = False
        self.set_bytecode(NONE, NONE)

    def set_bytecode(self, method: int, bci: int) -> None:
        """Sets method and bytecode of what follows; its call is unknown yet."""
        self.method = method
        self.bci = bci
        self.call = NONE
        self.profile_count = 0


class PlainDecisionReader:
    """Collects the contents of tasks. Twin: `tables_thread.KernelDecisionReader`."""

    def __init__(self, tasks: Tasks, run: int = 0) -> None:
        self._tasks = tasks
        self._run = run
        self.words = UniqueTexts(ELEMENTS, MOST_WORDS)
        self._methods = UniqueTexts(tasks.method_texts)
        self._method_bytes = [NONE] * tasks.known
        self._method_holder = [NONE] * tasks.known
        self._sites: dict[tuple[int, int, int, int, int], list[int]] = {}
        self._places: list[tuple[int, int]] = []
        self._paths: dict[tuple[int, int], int] = {}
        self._phases: dict[tuple[int, int], list[int]] = {}
        self._counts: dict[int, tuple[dict[tuple[int, int], int], list[int]]] = {}

    def read(self, file: int, first: int, last: int, free: U32Array, inlined: U32Array, failed: U32Array) -> None:
        """Reads the tasks from `first` to `last` of a file; by task the last three are filled."""
        tasks = self._tasks
        begin, length = tasks.span(first, last)
        data = bytearray(length)
        tasks.read_into(memoryview(data), begin)
        words, scalars = self._counts.setdefault(file, ({}, [0] * SCALARS))
        for task in range(first, last):
            start = int(tasks.starts[task]) - begin
            stop = min(int(tasks.ends[task]) - begin, start + LONGEST_TASK)
            one = _Task(self, tasks.text(int(tasks.methods[task])), bool(tasks.fragments[task]), words, scalars)
            one.read(tasks.without_comments(file, bytes(data[start:stop])))
            if not tasks.fragments[task]:
                self._keep(one, task, int(tasks.levels[task]))
            kinds = [kind for kind, *_ in one.calls]
            place = task - first
            free[place], inlined[place], failed[place] = one.free, kinds.count(INLINED), kinds.count(FAILED)

    def _keep(self, one: _Task, task: int, level: int) -> None:
        for kind, reason, caller, bci, callee, profile_count in one.calls:
            key = kind, reason, caller, bci, callee
            entry = self._sites.setdefault(key, [len(self._sites), 0, 0, NONE])
            entry[1] += 1
            entry[2] = max(entry[2], profile_count)
            if entry[3] != task:
                entry[3] = task
                self._places.append((entry[0], task))
        for path, taken in one.phases:
            times = self._phases.setdefault((path, level if level < 7 else NO_LEVEL), [0, 0, -1, 0])
            times[0] += 1
            times[1] += taken
            if taken > times[2]:
                times[2:] = taken, task

    def found(self) -> ReaderResult:
        """Returns all that was read."""
        counts = {}
        for file, (words, scalars) in self._counts.items():
            array = np.zeros((CATEGORIES, len(self.words.texts)), np.int64)
            for (category, word), count in words.items():
                array[category, word] = count
            counts[file] = TaskCounts(array, np.array(scalars, np.int64))
        return ReaderResult(
            words=self.words.texts,
            methods=self._methods.texts[self._tasks.known :],
            method_bytes=np.array(self._method_bytes, np.uint32),
            method_holder=np.array(self._method_holder, np.uint32),
            sites=np.array([(*key, *facts) for key, (_, *facts) in self._sites.items()], SITE),
            places=np.array(self._places, PLACE),
            paths=np.array(list(self._paths), PATH),
            times=np.array([(*key, *times) for key, times in self._phases.items()], TIMES),
            counts=counts,
            run=self._run,
        )

    def method(self, text: bytes, code: int = NONE, holder: int = NONE) -> int:
        """Returns the number of a method's text; code: bytes of its bytecode, holder: of its class, if known."""
        number = self._methods.number(text[:LONGEST_METHOD])
        if number == len(self._method_bytes):
            self._method_bytes.append(NONE)
            self._method_holder.append(NONE)
        if holder != NONE:
            self._method_holder[number] = min(self._method_holder[number], holder, LONGEST_METHOD)
        if code != NONE:
            known = self._method_bytes[number]
            self._method_bytes[number] = code if known == NONE else max(code, known)
        return number

    def path(self, above: int, name: int) -> int:
        """Returns the number of a phase by the path of its parent (-1: none); `above` if there are too many."""
        found = self._paths.get((above, name))
        if found is None:
            if len(self._paths) >= MOST_PATHS:
                return above
            found = self._paths[above, name] = len(self._paths)
        return found


class _Task:
    """One task while it is read. `calls` (with traps) and `phases` count when it ends."""

    def __init__(
        self, all: PlainDecisionReader, method: bytes | None, is_fragment: bool, words: dict[tuple[int, int], int],
        scalars: list[int],
    ) -> None:  # fmt: skip
        """method: text of the method that it compiles; words, scalars: counts of its file, added to"""
        self.calls: list[tuple[int, int, int, int, int, int]] = []
        self.phases: list[tuple[int, int]] = []
        self.free = NONE
        self._all = all
        self._words = words
        self._scalars = scalars
        self._is_fragment = is_fragment
        self._definitions: dict[int, tuple[bytes, dict[bytes, bytes]]] = {}
        self._numbers: dict[int, int] = {}
        self._root = OpenElement(b"task", None)
        self._method = self._root.method = NONE if method is None else all.method(method)
        self._stack = [self._root]

    def read(self, data: bytes) -> None:
        """Reads all tags. The first one is the task's own."""
        at, depth = 0, 1
        match = TAG.search(data)
        element = FRAGMENT_ELEMENT if self._is_fragment else ELEMENT
        while match is not None:
            is_end, name, attributes, end = match[1], match[2], match[3], match[4]
            at = match.end()
            if is_end:
                self._close(name)
            else:
                self._count(element, self._all.words.number(name))
                does = DOES.get(name)
                opens = end == b">" and match.start() > 0
                frame = self._stack[-1]
                if opens:
                    self._stack.append(OpenElement(name, frame))
                if match.start() > 0:
                    depth = max(depth, len(self._stack) + (not opens))
                if does is not None:
                    does(self, dict(ATTRIBUTE.findall(attributes)), self._stack[-1] if opens else None, frame)
                if name == b"dependency_failed":
                    # The names in it are not escaped.
                    line_end = data.find(b"\n", at)
                    at = len(data) if line_end < 0 else line_end
            match = TAG.search(data, at)
        if not self._is_fragment:
            self._scalars[MOST_DEPTH] = max(self._scalars[MOST_DEPTH], depth)

    def _close(self, name: bytes) -> None:
        for place in range(len(self._stack) - 1, 0, -1):
            if self._stack[place].name == name:
                del self._stack[place:]
                return

    def _count(self, category: int, word: int) -> None:
        self._words[category, word] = self._words.get((category, word), 0) + 1

    def _count_text(self, category: int, text: bytes) -> int:
        word = self._all.words.number(text)
        if not self._is_fragment:
            self._count(category, word)
        return word

    # -- definitions --------------------------------------------------------------------------------------------------

    def define(self, kind: bytes, attributes: Mapping[bytes, bytes]) -> None:
        """Defines an id."""
        id = number(attributes.get(b"id", b""))
        if b"id" in attributes and id < MOST_IDS:
            self._definitions[id] = kind, dict(attributes)
            self._numbers.pop(id, None)

    def _descriptor(self, id: int) -> bytes:
        kind, attributes = self._definitions.get(id, (b"", {}))
        name = attributes.get(b"name", b"")
        if kind == b"type":
            return DESCRIPTORS.get(name, name)
        return descriptor_of_class(name) if kind == b"klass" else b"?"

    def method(self, text: bytes | None) -> int:
        """Returns the number of the method of an id; NONE if there is no id or it is unknown."""
        if text is None:
            return NONE
        id = number(text)
        found = self._numbers.get(id)
        if found is None:
            kind, attributes = self._definitions.get(id, (b"", {}))
            if kind != b"method":
                if not self._is_fragment:
                    self._scalars[UNKNOWN_IDS] += 1
                return NONE
            holder = self._definitions.get(number(attributes.get(b"holder", b"")), (b"", {}))[1].get(b"name", b"?")
            arguments = b"".join(
                self._descriptor(number(argument)) for argument in DIGITS.findall(attributes.get(b"arguments", b""))
            )
            result = self._descriptor(number(attributes[b"return"])) if b"return" in attributes else b"V"
            code = number(attributes[b"bytes"]) if b"bytes" in attributes else NONE
            text = holder + b" " + attributes.get(b"name", b"?") + b" (" + arguments + b")" + result
            found = self._numbers[id] = self._all.method(text, code, len(holder))
        return found

    # -- elements -----------------------------------------------------------------------------------------------------

    def on_parse(self, attributes: Mapping[bytes, bytes], opened: OpenElement | None, frame: OpenElement) -> None:
        """Handles a method's body."""
        if opened is not None:
            opened.parse = opened
            opened.parses += 1
            opened.method = self.method(attributes.get(b"method"))
            if not self._is_fragment:
                self._scalars[MOST_PARSES] = max(self._scalars[MOST_PARSES], opened.parses)

    def on_bc(self, attributes: Mapping[bytes, bytes], opened: OpenElement | None, frame: OpenElement) -> None:
        """Sets the bytecode of the elements that follow."""
        frame.parse.set_bytecode(frame.parse.method, number(attributes[b"bci"]) if b"bci" in attributes else NONE)

    def on_call(self, attributes: Mapping[bytes, bytes], opened: OpenElement | None, frame: OpenElement) -> None:
        """Handles a call, whose decision follows."""
        frame.parse.call = self.method(attributes.get(b"method"))
        frame.parse.profile_count = number(attributes.get(b"count", b""))

    def on_success(self, attributes: Mapping[bytes, bytes], opened: OpenElement | None, frame: OpenElement) -> None:
        """Records that the call is inlined."""
        self._decide(INLINED, self._count_text(SUCCESS, attributes.get(b"reason", b"")), frame)

    def on_fail(self, attributes: Mapping[bytes, bytes], opened: OpenElement | None, frame: OpenElement) -> None:
        """Records that the call is not inlined."""
        self._decide(FAILED, self._count_text(FAIL, attributes.get(b"reason", b"")), frame)

    def on_intrinsic(self, attributes: Mapping[bytes, bytes], opened: OpenElement | None, frame: OpenElement) -> None:
        """Records that the call is replaced by an intrinsic."""
        self._decide(INTRINSIC, self._count_text(INTRINSICS, attributes.get(b"id", b"")), frame)

    def _decide(self, kind: int, reason: int, frame: OpenElement) -> None:
        parse = frame.parse
        self.calls.append((kind, reason, parse.method, parse.bci, parse.call, parse.profile_count))

    def on_trap(self, attributes: Mapping[bytes, bytes], opened: OpenElement | None, frame: OpenElement) -> None:
        """Records a trap that is compiled in; one with a thread fired, and only a torn log has it here."""
        if b"thread" in attributes:
            return
        reason = self._count_text(TRAP, attributes.get(b"reason", b""))
        action = self._all.words.number(attributes.get(b"action", b""))
        bci = number(attributes[b"bci"]) if b"bci" in attributes else NONE
        around = frame.parse.around
        # JDK 8 checks a receiver in the parse that is inlined, before its first bytecode: part of the code that calls.
        is_at_call = around is not None and frame.parse.bci == NONE != bci == around.bci
        method = around.method if is_at_call and around is not None else frame.parse.method
        if b"method" in attributes:
            method = self.method(attributes[b"method"])
            if not self._is_fragment:
                self._scalars[TRAPS_WITH_METHOD] += 1
        self.calls.append((TRAP_SITE, reason, method, bci, action, 0))

    def on_phase(self, attributes: Mapping[bytes, bytes], opened: OpenElement | None, frame: OpenElement) -> None:
        """Begins a phase."""
        if opened is not None:
            opened.path = self._all.path(frame.path, self._all.words.number(attributes.get(b"name", b"")))
            opened.stamp = stamp_of(attributes)

    def on_phase_done(self, attributes: Mapping[bytes, bytes], opened: OpenElement | None, frame: OpenElement) -> None:
        """Ends a phase."""
        if frame.name == b"phase" and b"stamp" in attributes and frame.path >= 0:
            self.phases.append((frame.path, max(stamp_of(attributes) - frame.stamp, 0)))

    def on_failure(self, attributes: Mapping[bytes, bytes], opened: OpenElement | None, frame: OpenElement) -> None:
        """Records a failure. With a phase: only what follows is in the installed code."""
        if b"phase" not in attributes:
            self._count_text(FAILURE, attributes.get(b"reason", b""))
            return
        self._count_text(THROWN_AWAY, attributes.get(b"reason", b""))
        self.calls.clear()
        self._root.set_bytecode(self._method, NONE)

    def on_jvms(self, attributes: Mapping[bytes, bytes], opened: OpenElement | None, frame: OpenElement) -> None:
        """Handles a caller: the first one in a late_inline is the call site of what follows outside of parses."""
        if frame.name == b"late_inline" and not frame.has_jvms:
            frame.has_jvms = True
            bci = number(attributes[b"bci"]) if b"bci" in attributes else NONE
            self._root.set_bytecode(self.method(attributes.get(b"method")), bci)

    def on_code_cache(self, attributes: Mapping[bytes, bytes], opened: OpenElement | None, frame: OpenElement) -> None:
        """Stores the free space at the end of the task."""
        if b"free_code_cache" in attributes:
            self.free = number(attributes[b"free_code_cache"]) // 1024

    def on_dependency(self, attributes: Mapping[bytes, bytes], opened: OpenElement | None, frame: OpenElement) -> None:
        """Counts a dependency: a loaded class broke an assumption of this task."""
        self._count_text(DEPENDENCY, attributes.get(b"type", b""))


def _definer(kind: bytes) -> Callable[..., None]:
    def define(task: _Task, attributes: Mapping[bytes, bytes], opened: OpenElement | None, frame: OpenElement) -> None:
        task.define(kind, attributes)

    return define


DOES: dict[bytes, Callable[[_Task, Mapping[bytes, bytes], OpenElement | None, OpenElement], None]] = {
    b"parse": _Task.on_parse,
    b"phase": _Task.on_phase,
    b"phase_done": _Task.on_phase_done,
    b"bc": _Task.on_bc,
    b"type": _definer(b"type"),
    b"klass": _definer(b"klass"),
    b"method": _definer(b"method"),
    b"call": _Task.on_call,
    b"inline_success": _Task.on_success,
    b"inline_fail": _Task.on_fail,
    b"intrinsic": _Task.on_intrinsic,
    b"uncommon_trap": _Task.on_trap,
    b"failure": _Task.on_failure,
    b"jvms": _Task.on_jvms,
    b"code_cache": _Task.on_code_cache,
    b"dependency_failed": _Task.on_dependency,
}
