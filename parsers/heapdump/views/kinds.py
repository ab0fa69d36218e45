"""Marks and columns of the views of a heap."""

from __future__ import annotations

from parsers.model.row import Column, Kind

HEAP_KINDS = (
    Kind("dump", "▤", "D", "heap dump or monitor dump"),
    Kind("package", "▪", "#", "package"),
    Kind("loader", "⊙", "L", "class loader"),
    Kind("class", "○", "o", "class"),
    Kind("object", "◆", "*", "object"),
    Kind("array", "▦", "[", "array"),
    Kind("class object", "◎", "@", "object of a class: its statics, its loader, its superclass"),
    Kind("garbage", "◇", "~", "object that no root reaches: garbage when the dump was made"),
    Kind("root", "●", "^", "root: what holds an object from outside of the heap"),
    Kind("field", "•", "-", "field"),
    Kind("element", "·", ".", "element of an array"),
    Kind("entry", "⇒", "&", "entry of a map: key = value"),
    Kind("static", "▸", ":", "static field of a class"),
    Kind("constant", "≡", "=", "constant of a class"),
    Kind("string", '"', '"', "text that Strings have"),
    Kind("suspect", "▲", "!", "suspect: what holds a large part of the heap"),
    Kind("finding", "┄", "-", "a fact about a suspect"),
    Kind("reference", "→", ">", "reference: an object that is shown above already"),
)

OBJECTS = Column("objects", "Objects", width=9, priority=4, adds_up=True)
BYTES = Column("bytes", "Bytes", "bytes", width=20, priority=5, adds_up=True, bar=8, heading="Shallow")
CHANGE = Column("change", "Change", "bytes", width=11, priority=5, adds_up=True)
"""Change in bytes since the previous dump."""
SIZE = Column("bytes", "Bytes", "bytes", width=11, priority=5, adds_up=True, heading="Shallow")
PRINTED = Column("printed", "sz", "bytes", width=11, priority=1, adds_up=True)
GARBAGE = Column("garbage", "Garbage", "bytes", width=11, priority=2, adds_up=True)
RETAINED = Column("retained", "Retained", "bytes", width=12, priority=5)
ELEMENTS = Column("elements", "Elements", width=9, priority=1)
REFERRERS = Column("referrers", "Referrers", width=9, priority=2)
ROOTS = Column("roots", "Roots", width=8, priority=4, adds_up=True)
FRAMES = Column("frames", "Frames", width=8, priority=3, adds_up=True)
LOCALS = Column("locals", "Locals", width=8, priority=4, adds_up=True)
FRAME = Column("frame", "Frame", width=6, priority=1)
