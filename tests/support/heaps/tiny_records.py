"""Files of one tiny record or sub-record, again and again: what takes a reader longest for its size."""

from __future__ import annotations

import struct
from collections.abc import Callable

Make = Callable[[int], bytes]
"""One record by its number."""


def record(tag: int, body: bytes = b"", length: int | None = None) -> bytes:
    return struct.pack(">BII", tag, 0, len(body) if length is None else length) + body


def u4(*values: int) -> bytes:
    return struct.pack(f">{len(values)}I", *values)


def a_class(id: int, above: int = 0, fields: bytes = b"\0\0") -> bytes:
    return b"\x20" + u4(id, 0, above, 0, 0, 0, 0, 0, 0) + bytes(4) + fields


def instance(id: int, of: int, values: bytes = b"") -> bytes:
    return b"\x21" + u4(id, 0, of, len(values)) + values


def no_bytes(id: int) -> bytes:
    return b"\x23" + u4(id, 0, 0) + b"\x08"


RECORDS: dict[str, Make] = {
    "empty segments": lambda number: record(0x1C),
    "ends of dumps": lambda number: record(0x2C),
    "segments and ends": lambda number: record(0x1C) + record(0x2C),
    "empty dumps": lambda number: record(0x0C),
    "dumps of one object": lambda number: record(0x0C, no_bytes(number + 1)),
    "segments of one object": lambda number: record(0x1C, no_bytes(number + 1)),
    "segments of one class": lambda number: record(0x1C, a_class(number + 1)),
    "segments of one root": lambda number: record(0x1C, b"\x05" + u4(number)),
    "segments of unknown tags": lambda number: record(0x1C, b"\x77"),
    "cut segments": lambda number: record(0x1C, b"\x21"),
    "segments inside segments": lambda number: record(0x1C, length=4),
    "segments that are too long": lambda number: record(0x1C, b"\x05" + u4(number), 30) + record(0x2C),
    "headers inside segments": lambda number: record(
        0x1C, b"\x05" + u4(number) + record(0x1C, b"\x05" + u4(number)), 40
    ),
    "segments that are too short": lambda number: record(0x1C, no_bytes(number + 1), 5),
    "segments without length": lambda number: record(0x1C, b"\x05" + u4(number), 0) + record(0x2C),
    "damaged segments by turns": lambda number: record(0x1C, b"\x21") + record(0x1C, b"\x77"),
    "traces": lambda number: record(0x05, u4(number, 1, 0)),
    "equal traces": lambda number: record(0x05, u4(1, 1, 0)),
    "cut traces": lambda number: record(0x05),
    "traces of one frame": lambda number: record(0x05, u4(number, 1, 1, number)),
    "traces that are too short": lambda number: record(0x05, u4(number, 1, 100, 1)),
    "frames": lambda number: record(0x04, u4(number, 1, 1, 1, 1, 1)),
    "names": lambda number: record(0x01, u4(number) + b"%d" % number),
    "equal names": lambda number: record(0x01, u4(number + 1) + b"x"),
    "one name": lambda number: record(0x01, u4(1) + b"x"),
    "cut names": lambda number: record(0x01),
    "names that are too long": lambda number: record(0x01, u4(number) + b"ab", 40),
    "names that are too short": lambda number: record(0x01, u4(number) + b"abcdefgh" * 4, 8),
    "wrong lengths between right records": lambda number: (
        record(0x01, u4(number) + b"ab", 40) + record(0x2C) * 2 + record(0x0B, u4(number))
    ),
    "zeros between right records": lambda number: bytes(20) + record(0x0B, u4(number)) * 3,
    "classes that are loaded": lambda number: record(0x02, u4(number, number + 1, 0, 1)),
    "one class that is loaded": lambda number: record(0x02, u4(1, 1, 0, 1)),
    "classes that are unloaded": lambda number: record(0x03, u4(number)),
    "started threads": lambda number: record(0x0A, u4(number, number, 0, 1, 1, 1)),
    "ended threads": lambda number: record(0x0B, u4(number)),
    "samples": lambda number: record(0x0D, u4(1, 1, 1, number)),
    "samples without rows": lambda number: record(0x0D, u4(number, 0)),
    "samples at many times": lambda number: b"\x0d" + u4(number * 7919 << 12 & 0xFFFF_FFFF, 16, 1, 1, 1, number),
    "sites": lambda number: record(0x06, bytes(34) + b"\x02" + u4(number, number, 1, 1, 1, 1)),
    "summaries": lambda number: record(0x07, bytes(24)),
    "settings": lambda number: record(0x0E, bytes(6)),
    "unknown records": lambda number: record(0x77),
    "unknown records by turns": lambda number: record(0x77) + record(0x78),
    "zeros": lambda number: bytes(9),
}
"""By name, of files with ids of four bytes."""
SUB_RECORDS: dict[str, Make] = {
    "roots": lambda number: b"\x05" + u4(number),
    "threads": lambda number: b"\x08" + u4(number, number, number),
    "instances": lambda number: instance(number + 1, 1),
    "equal instances": lambda number: instance(1, 1),
    "instances of id 0": lambda number: instance(0, 1),
    "instances of unknown classes": lambda number: instance(number + 1, 0x7F00_0000 + number),
    "classes": lambda number: a_class(number + 1),
    "equal classes": lambda number: a_class(1),
    "classes with a field": lambda number: a_class(number + 1, 0, b"\0\1" + u4(number) + b"\2"),
    "a chain of superclasses": lambda number: a_class(number + 1, number, b"\0\1" + u4(number) + b"\2"),
    "a chain of subclasses": lambda number: a_class(number + 1, number + 2),
    "a chain with instances": lambda number: (
        a_class(2 * number + 2, 2 * number, b"\0\1" + u4(1) + b"\2") + instance(2 * number + 3, 2 * number + 2, u4(1))
    ),
    "classes in pairs": lambda number: a_class(number + 1, number + 2 - 2 * (number % 2)),
    "classes that are objects, too": lambda number: a_class(number + 1) + instance(number + 1, 1),
    "arrays": lambda number: b"\x22" + u4(number + 1, 0, 1, 1, number + 2),
    "arrays of unknown classes": lambda number: b"\x22" + u4(number + 1, 0, 0, 0x7F00_0000 + number),
    "arrays of numbers": lambda number: no_bytes(number + 1),
    "names of heaps": lambda number: b"\xfe" + u4(number, 1),
}
"""Inside one heap record."""

TEXT_HEADER = "JAVA PROFILE 1.0.1, created Sat Nov 21 03:01:05 2026\n\n--------\n\n"
TEXTS: dict[str, Callable[[int], str]] = {
    "text: traces": lambda number: f"TRACE {number}:\n",
    "text: equal traces": lambda number: "TRACE 1:\n",
    "text: frames": lambda number: f"TRACE {number}:\n\ta.b(c:{number})\n",
    "text: started threads": lambda number: f'THREAD START (obj={number:x}, id = {number}, name="x", group="m")\n',
    "text: ended threads": lambda number: f"THREAD END (id = {number})\n",
    "text: samples": lambda number: "CPU SAMPLES BEGIN (total = 1) x\nCPU SAMPLES END\n",
    "text: samples without end": lambda number: "CPU SAMPLES BEGIN (total = 1) x\n",
    "text: samples of a row": lambda number: (
        f"CPU SAMPLES BEGIN (total = 1) x\n   1 50.00% 50.00%       1 {number} a.b{number % 99}\nCPU SAMPLES END\n"
    ),
    "text: rows of samples": lambda number: (
        "CPU SAMPLES BEGIN (total = 1) x\n" * (number == 0) + f"   1 50.00% 50.00%       1 {number} a.b{number}\n"
    ),
    "text: threads that start and end": lambda number: (
        f'THREAD START (obj=5, id = {number}, name="t{number}", group="m")\nTHREAD END (id = {number})\n'
    ),
    "text: sites": lambda number: "SITES BEGIN (ordered by live bytes) x\nSITES END\n",
    "text: dumps": lambda number: (
        f"HEAP DUMP BEGIN (1 objects, 1 bytes) x\nOBJ {number + 1:x} (sz=8, trace=1, class=A@1)\nHEAP DUMP END\n"
    ),
    "text: dumps without end": lambda number: "HEAP DUMP BEGIN (1 objects, 1 bytes) x\n",
    "text: dumps and sites by turns": lambda number: (
        f"HEAP DUMP BEGIN (1 objects, 1 bytes) x\nOBJ {number + 1:x} (sz=8, trace=1, class=A{number}@{number:x})\n"
        "SITES BEGIN (ordered by live bytes) x\nSITES END\n"
    ),
    "text: repeated traces": lambda number: f"TRACE {number % 7}:\n\ta.b(c:{number})\n",
    "text: classes": lambda number: (
        "HEAP DUMP BEGIN (1 objects, 1 bytes) x\n" * (number == 0)
        + f"OBJ {number + 1:x} (sz=8, trace=1, class=A{number}@1)\n"
    ),
    "text: torn objects": lambda number: (
        "HEAP DUMP BEGIN (1 objects, 1 bytes) x\n" * (number == 0) + f"OBJ {number + 1:x} (sz=8, trace=\n"
    ),
    "text: monitors": lambda number: (
        f"MONITOR DUMP BEGIN\n    THREAD {number}, trace {number}, status: R\n    MONITOR A({number})\n"
        f"\towner: thread {number}, entry count: 1\nMONITOR DUMP END\n"
    ),
    "text: foreign lines": lambda number: "x\n",
    "text: headers": lambda number: TEXT_HEADER,
}


def tiny_records(kind: str, size: int) -> bytes:
    """Returns a file of at least so many bytes of one kind of records."""
    if kind in TEXTS:
        one = TEXTS[kind]
        return (TEXT_HEADER + "".join(map(one, range(size // len(one(size)) + 1)))).encode()
    make = RECORDS[kind] if kind in RECORDS else SUB_RECORDS[kind]
    parts, filled = list[bytes](), 0
    while filled < size:
        parts.append(make(len(parts)))
        filled += len(parts[-1])
    body = b"".join(parts)
    header = b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 4, 0)
    return header + (body if kind in RECORDS else record(0x1C, body) + record(0x2C))
