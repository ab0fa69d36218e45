"""Compiles or loads the kernels of HPROF text by reading a tiny file."""

from __future__ import annotations

import os
import tempfile

from parsers.heapdump import warm as heapdump
from parsers.index.store import BUILDING

PROFILE = """\
TRACE 1:
\ta.B.m(B.java:1)
HEAP DUMP BEGIN (1 objects, 8 bytes) Sat Nov 21 02:26:20 2026
OBJ 50000001 (sz=8, trace=1, class=a.B@50000002)
\tb\t\t50000001
HEAP DUMP END
"""


def warm() -> None:
    """Calls each kernel of HPROF text."""
    with tempfile.TemporaryDirectory(prefix="coffeetree-") as folder:
        warm_profile_text(folder)


def warm_profile_text(folder: str) -> None:
    """Loads or compiles the kernels of HPROF text. folder: for temporary files"""
    from parsers.formats.hprof.text.build import KernelText
    from parsers.index.writer import Writer
    from parsers.io.identity import Identity

    data = PROFILE.encode()
    writer = Writer(folder, "hprof-text", Identity(0, 0, 0, 0, ""), f"{BUILDING}-first")
    try:
        with open(os.path.join(writer.path, "profile"), "w+b", buffering=0) as file:
            file.write(data)
            reading = KernelText(writer, file.fileno(), len(data))
            reading.read()
            reading.tables.larger_slots()
    finally:
        writer.abandon()
    heapdump.warm()
