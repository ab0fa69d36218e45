"""Compiles or loads the kernels of text trees by indexing tiny ones."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

import numpy as np

from parsers.index.store import BUILDING

if TYPE_CHECKING:
    from parsers.formats.graalvm.text_format import TextFormat

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
TREES = {"graalvm-call-tree": CALLS, "graalvm-object-tree": OBJECTS}


def warm() -> None:
    """Compiles or loads the kernels of call trees and object trees."""
    from parsers.formats.graalvm.text_format import FORMATS
    from parsers.kernels.id_table import larger_ids, new_ids
    from parsers.kernels.text_table import larger_slots

    with tempfile.TemporaryDirectory(prefix="coffeetree-") as folder:
        for format in FORMATS.values():
            warm_tree(format, folder)
    larger_ids(new_ids(), 1)
    larger_slots(np.zeros(2, np.uint64), 1, np.zeros(2, np.uint64), np.zeros(2, np.uint8))


def warm_tree(format: TextFormat, folder: str) -> None:
    """Loads or compiles the kernels that every tree of a format needs. folder: for temporary files."""
    from parsers.formats.graalvm.text.read.build import TextBuild
    from parsers.index.writer import Writer
    from parsers.io.charset import CHARSETS
    from parsers.io.identity import Identity

    data = TREES[format.name].encode()
    writer = Writer(folder, format.name, Identity(0, 0, 0, 0, ""), f"{BUILDING}-first")
    try:
        with open(os.path.join(writer.path, "report"), "w+b", buffering=0) as file:
            file.write(data)
            build = TextBuild(writer, file.fileno(), len(data), CHARSETS[0], format.number)
            build.read()
        end = format.load(format.end)(build)
        end.run()
        end.totals()
    finally:
        writer.abandon()
