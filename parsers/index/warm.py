"""Makes every kernel compile, by building the indexes of tiny reports that need them all."""

from __future__ import annotations

import os
import tempfile
from importlib import import_module

import numpy as np

CALLS = """\
VM Entry Points
├── entry app:a.B.main():void id=0, parsing reason:  root method
│   ├── directly calls a.B.x():void id-ref=1 @bci=1
│   ├── directly calls a.B.y():void id-ref=1 @bci=-1->2
│   └── virtually calls a.B.z():void @bci=3
│       └── is overridden by app:a.C.z():void id=123456789012
└── entry a.B.x():void id=1
    └── directly calls a.C.z():void id=123456789012 @bci=1

"""
OBJECTS = """\
Heap roots
├── root a.B.c:a.D value:
│   └── a.D id=0 toString=D@1 fields:
│       └── e:java.lang.Object value=null
└── root a.B.d:a.D id-ref=0 toString=D@1

"""


def warm() -> None:
    """Builds an index of each format; a different one for each kernel signature would cost, so there is but one."""
    from parsers.graalvm.charset import CHARSETS
    from parsers.graalvm.join_kernel import move_big_ids
    from parsers.graalvm.text_build import TextBuild, larger_table
    from parsers.index.format import FORMATS
    from parsers.index.writer import Writer
    from parsers.input.source import Identity

    for format, text in zip(FORMATS.values(), (CALLS, OBJECTS), strict=True):
        data = text.encode()
        with tempfile.TemporaryDirectory(prefix="coffeetree-") as folder:
            path = os.path.join(folder, "report")
            with open(path, "wb") as file:
                file.write(data)
            descriptor = os.open(path, os.O_RDONLY)
            writer = Writer(folder, format.name, Identity(0, 0, 0, 0, ""))
            build = TextBuild(writer, descriptor, len(data), CHARSETS[0], format.number)
            build.read()
            whole = build.whole
            larger_table(whole.name_slots, 100, whole.name_starts, whole.name_bytes)
            move_big_ids(whole.big_id, whole.big_thing, np.full(64, -1, np.int64), np.zeros(64, np.uint32))
            end = format.load(format.end)(build)
            end.run()
            end.totals()
            os.close(descriptor)
    warm_others()


def warm_others() -> None:
    """Kernels that search; each of these functions compiles one by using it."""
    for module in ("parsers.search.line_finder", "parsers.search.state_finder", "parsers.search.names"):
        import_module(module)._load_kernel()
