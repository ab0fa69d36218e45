"""Marks, columns and orders of the rows of compile tasks and their contents."""

from __future__ import annotations

from parsers.formats.hotspot.log.read.tags import KEPT, MORE_NAMES
from parsers.formats.hotspot.tasks.events import EVENT_MARKS
from parsers.model.row import Column, Kind

TASK_KINDS = (
    Kind("run", "■", "R", "run: one JVM of several that wrote to this log"),
    Kind("thread", "▣", "T", "compiler thread"),
    Kind("task", "✓", "v", "task: compiled and installed"),
    Kind("failed task", "✗", "x", "task that failed: nothing was installed"),
    Kind("open task", "…", "~", "task without end: in flight when the log ended, or cut off"),
    Kind("phase", "◷", "%", "phase of the compiler, with its time"),
    Kind("parse", "▪", "#", "parse: the bytecodes of a method as the compiler read them"),
    Kind("call", "→", ">", "call: emitted as a call, or without a decision"),
    Kind("inlined", "⊕", "+", "call that was inlined; its rows are those of the callee"),
    Kind("late inlined", "⊞", "&", "call that was inlined after parsing"),
    Kind("intrinsic", "◆", "*", "call that the compiler replaced by code of its own"),
    Kind("failed", "✗", "x", "call that was not inlined, and why"),
    Kind("virtual call", "⇢", "~", "call: emitted as a virtual call"),
    Kind("dropped", "○", "o", "call that was to be inlined, but has no code"),
    Kind("trap", "↯", "!", "call that is never reached in this code"),
    Kind("uncommon_trap", "↯", "!", "trap: code that was left out; reaching it leaves the compiled code"),
    Kind("late_inline", "⊞", "&", "late inline whose call was not found"),
    Kind("failure", "✗", "x", "why the compiler gave up"),
    Kind("attempt", "↺", "@", "attempt that was thrown away: nothing of it is in the installed code"),
    Kind("hot_throw", "⇡", "^", "exception that is thrown often"),
    Kind("group", "≡", "=", "elements of one name"),
    *EVENT_MARKS,
)

KNOWN_NAMES = frozenset((*KEPT, *MORE_NAMES, "attempt", "group"))
"""Kinds of rows that are not marked as unknown."""

RESULT = Column(
    "result",
    "result",
    "text",
    (("result", ""), ("reason", ""), ("action", ""), ("outcome", ""), ("elements", "")),
    width=22,
    priority=5,
    shows_text=True,
)
"""Outcome of a task, call or trap, as the log spells it."""
PLACE = Column("at", "at", "text", (("compile_id", "#"), ("bci", "@")), width=8, priority=4, heading="#id @bci")
LEVEL = Column("level", "tier", "count", width=4, priority=2)
COMPILE_MS = Column("compile_ms", "ms", "ms", width=7, priority=1, adds_up=True)
NMSIZE = Column("nmsize", "code", "bytes", width=8, priority=0, adds_up=True)
INLINED_BYTES = Column("inlined_bytes", "inlined", "bytes", width=10, priority=-1, adds_up=True)
WAIT_MS = Column("wait_ms", "waited", "ms", width=10, priority=-2, adds_up=True)
START = Column("start_s", "start", "s", width=8, priority=-3)

TASK_COLUMNS = (RESULT, PLACE, LEVEL, COMPILE_MS, NMSIZE, INLINED_BYTES, WAIT_MS, START)
TASK_ORDERS = ("start_s", "compile_ms", "nmsize", "inlined_bytes", "wait_ms", "level", "name")
