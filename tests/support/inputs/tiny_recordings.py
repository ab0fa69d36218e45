"""Flight Recorder files of one tiny part, again and again: chunks, events, checkpoints, constants, types."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache

LONG, TEXT, THREAD, STACK, FRAME, SAMPLE, METHOD, BOOL = range(101, 109)
"""Ids of types."""
Field = tuple[str, int, str]
"""Name, id of the type, and `c` if it is a constant, `a` if it is an array."""
NAMES = {LONG: "long", TEXT: "java.lang.String", BOOL: "boolean"}
CONSTANTS: dict[int, tuple[str, Sequence[Field]]] = {
    THREAD: ("java.lang.Thread", [("osName", TEXT, ""), ("osThreadId", LONG, "")]),
    STACK: ("jdk.types.StackTrace", [("truncated", BOOL, ""), ("frames", FRAME, "a")]),
    FRAME: ("jdk.types.StackFrame", [("method", METHOD, "c"), ("lineNumber", LONG, "")]),
    METHOD: ("jdk.types.Method", [("name", TEXT, "")]),
}
EVENT_FIELDS = [("startTime", LONG, ""), ("sampledThread", THREAD, "c"), ("stackTrace", STACK, "c")]


def number(value: int) -> bytes:
    """A number of variable length."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def numbers(*values: int) -> bytes:
    return b"".join(map(number, values))


def text(value: str) -> bytes:
    return b"\3" + number(len(value)) + value.encode()


def event(type: int, payload: bytes) -> bytes:
    """An event; its size takes four bytes, as that of large ones."""
    size = 4 + len(number(type)) + len(payload)
    return bytes([size & 127 | 128, size >> 7 & 127 | 128, size >> 14 & 127 | 128, size >> 21]) + number(type) + payload


def sample(type: int, time: int = 1, thread: int = 0, stack: int = 0) -> bytes:
    return event(type, numbers(time, thread, stack))


def checkpoint(*pools: tuple[int, Sequence[tuple[int, bytes]]]) -> bytes:
    """A checkpoint of constants by type, each with its key."""
    body = [numbers(1, 0, 0) + b"\0" + number(len(pools))]
    body += [
        numbers(type, len(values)) + b"".join(number(key) + value for key, value in values) for type, values in pools
    ]
    return event(1, b"".join(body))


def metadata(events: Sequence[tuple[int, str, Sequence[Field]]]) -> bytes:
    """The event that declares the types."""
    strings: dict[str, int] = {}

    def element(name: str, values: dict[str, str], children: Sequence[bytes] = ()) -> bytes:
        items = [strings.setdefault(each, len(strings)) for pair in values.items() for each in pair]
        head = numbers(strings.setdefault(name, len(strings)), len(values), *items, len(children))
        return head + b"".join(children)

    def a_class(id: int, name: str, fields: Sequence[Field], more: dict[str, str]) -> bytes:
        made = []
        for field, type, how in fields:
            extra = {"c": {"constantPool": "true"}, "a": {"dimension": "1"}, "": {}}[how]
            made.append(element("field", {"name": field, "class": str(type)} | extra))
        return element("class", {"id": str(id), "name": name} | more, made)

    classes = [a_class(id, name, [], {}) for id, name in NAMES.items()]
    classes += [a_class(id, name, fields, {}) for id, (name, fields) in CONSTANTS.items()]
    classes += [a_class(id, name, fields, {"superType": "jdk.jfr.Event"}) for id, name, fields in events]
    root = element("root", {}, [element("metadata", {}, classes), element("region", {})])
    return event(0, numbers(1, 0, 1, len(strings)) + b"".join(map(text, strings)) + root)


ONE_TYPE = metadata([(SAMPLE, "jdk.ExecutionSample", EVENT_FIELDS)])


def header(size: int, at_metadata: int = 68, state: int = 0, flags: int = 1) -> bytes:
    times = (1_700_000_000 * 10**9, 1, 1, 10**9)
    return struct.pack(">4sHHQQQqqqqBBH", b"FLR\0", 2, 1, size, 0, at_metadata, *times, state, 0, flags)


def chunk(body: bytes, declared: bytes = ONE_TYPE, **changes: int) -> bytes:
    """A whole chunk: header, metadata, other events."""
    size = changes.pop("size", 68 + len(declared) + len(body))
    return header(size, **changes) + declared + body


def stack_of(number: int, depth: int) -> bytes:
    """The value of a stack trace whose frames no other one has."""
    return b"\0" + numbers(depth, *(each for line in range(depth) for each in (number, number + line)))


def copy_of_header(number: int) -> bytes:
    return event(1, numbers(1, 0, 0) + b"\2" + bytes(17) + header(68 + number))


CHUNKS: dict[str, Callable[[int], bytes]] = {
    "chunks": lambda n: chunk(b""),
    "chunks of one sample": lambda n: chunk(
        checkpoint((THREAD, [(n + 1, text(f"t{n}") + b"\1")])) + sample(SAMPLE, n, n + 1)
    ),
    "chunks of different types": lambda n: chunk(b"", metadata([(SAMPLE, f"a.B{n}", EVENT_FIELDS)])),
    "chunks without metadata": lambda n: chunk(sample(SAMPLE), b""),
    "headers": lambda n: header(68),
    "headers of unfinished chunks": lambda n: header(0, state=1),
    "headers with a wrong size": lambda n: header(99),
    "headers without compression": lambda n: header(68, flags=0),
    "unfinished chunks": lambda n: chunk(sample(SAMPLE, n), size=0, state=3),
    "noise between chunks": lambda n: chunk(b"") + b"noise",
}
"""Parts between chunks."""
EVENTS: dict[str, Callable[[int], bytes]] = {
    "samples": lambda n: sample(SAMPLE, n),
    "samples of unknown threads and stacks": lambda n: sample(SAMPLE, n, n + 1, n + 1),
    "events of undeclared types": lambda n: sample(1000 + n),
    "empty events": lambda n: event(SAMPLE, b""),
    "tiny events": lambda n: bytes([2, SAMPLE]),
    "threads": lambda n: checkpoint((THREAD, [(n + 1, text(f"t{n}") + b"\1")])) + sample(SAMPLE, n, n + 1),
    "stacks": lambda n: checkpoint((STACK, [(n + 1, stack_of(n, 1))])) + sample(SAMPLE, n, 0, n + 1),
    "deep stacks": lambda n: checkpoint((STACK, [(n + 1, stack_of(n, 2048))])) + sample(SAMPLE, n, 0, n + 1),
    "methods": lambda n: checkpoint((METHOD, [(n, text(f"m{n}"))]), (STACK, [(n + 1, stack_of(n, 1))])),
    "strings": lambda n: checkpoint((TEXT, [(n, text(f"s{n}"))])),
    "empty checkpoints": lambda n: checkpoint(),
    "empty pools": lambda n: checkpoint(*[(THREAD, [])] * 50),
    "damaged checkpoints": lambda n: event(1, numbers(1, 0, 0) + b"\0\1" + numbers(THREAD, 9)),
    "pools of undeclared types": lambda n: checkpoint((999, [(n, b"\1")])),
    "copies of headers": copy_of_header,
    "copies of headers and damage": lambda n: copy_of_header(n) + bytes(3),
    "metadata": lambda n: ONE_TYPE,
    "zeros": lambda n: bytes(9),
    "events that are too long": lambda n: event(SAMPLE, b"")[:1] + b"\xff\xff\xff\x7f" + number(SAMPLE),
}
"""Parts inside one chunk."""
TYPES: dict[str, Callable[[int], tuple[int, str, Sequence[Field]]]] = {
    "types": lambda n: (1000 + n, f"a.B{n}", EVENT_FIELDS),
    "types of one name": lambda n: (1000 + n, "a.B", EVENT_FIELDS),
    "types of many fields": lambda n: (1000 + n, f"a.B{n}", [(f"f{each}", LONG, "") for each in range(500)]),
    "types with themselves as a field": lambda n: (1000 + n, f"a.B{n}", [("f", 1000 + n, "")]),
    "types with the next one as a field": lambda n: (1000 + n, f"a.B{n}", [("f", 1001 + n, ""), ("g", 1001 + n, "")]),
}
"""Types of one chunk, each with an event."""


def parts(make: Callable[[int], bytes], size: int) -> bytes:
    found, filled = list[bytes](), 0
    while filled < size:
        found.append(make(len(found)))
        filled += len(found[-1])
    return b"".join(found)


@lru_cache
def bytes_of_type(kind: str) -> int:
    """Bytes of metadata for each type of a kind, on average."""
    return len(metadata([TYPES[kind](number) for number in range(100)])) // 100


def tiny_recording(kind: str, size: int) -> bytes:
    """Returns a file of at least so many bytes of one kind of parts."""
    if kind in CHUNKS:
        return parts(CHUNKS[kind], size)
    if kind in EVENTS:
        return chunk(parts(EVENTS[kind], size))
    count = size // bytes_of_type(kind) + 1
    types = [TYPES[kind](number) for number in range(count)]
    return chunk(b"".join(sample(id) for id, _, _ in types), metadata(types))
