"""Marks and columns of the views that aggregate all tasks."""

from __future__ import annotations

from parsers.model.row import Column, Kind

PROFILE_COUNT = Column("count", "executed", "count", width=18, priority=6, bar=6)
TIMES = Column("failed", "failed", "count", width=8, priority=5, adds_up=True)
SITES = Column("sites", "sites", "count", width=7, priority=5)
TASK_COUNT = Column("tasks", "tasks", "count", width=7, priority=3)
BYTECODE = Column("bytecode", "bytecode", "bytes", width=8, priority=-1)

FIRED_COUNT = Column("fired", "times", "count", width=7, priority=3, adds_up=True)
EMITTED = Column("emitted", "emitted", "count", width=11, priority=1, adds_up=True, heading="compiled in")
RECOMPILED = Column("recompiled", "again", "count", width=10, priority=2, heading="recompiled")
STORM_COLUMN = Column("storm", "storm", "text", width=6, priority=4)
WHEN = Column("stamp_s", "at s", "s", width=9, priority=0)

MERGED_KINDS = (
    Kind("reason", "↯", "!", "reason: why code was left or ended"),
    Kind("place", "·", ".", "place: a bytecode of a method"),
    Kind("method", "●", "*", "method"),
    Kind("class", "○", "o", "class"),
)

CODE_CACHE_KINDS = (
    Kind("code_cache", "▤", "c", "free space of the code cache"),
    Kind("code_cache_full", "█", "F", "the code cache was full"),
    Kind("sweeper", "≈", "~", "the sweeper went through the code cache"),
)
