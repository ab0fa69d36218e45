"""States of threads that don't run: words, badges, and symbols in lanes."""

from __future__ import annotations

from parsers.formats.tptp.schema.columns import FOR_LOCK, FOR_OBJECT, SLEEPING, STATE_KINDS
from parsers.model.row import Kind
from parsers.views.timelines.timeline_view import LaneState

KINDS = (
    Kind(STATE_KINDS[FOR_LOCK], "L", "L", "waits for a lock that another thread has"),
    Kind(STATE_KINDS[FOR_OBJECT], "W", "W", "waits to be notified"),
    Kind(STATE_KINDS[SLEEPING], "S", "S", "sleeps"),
    Kind("collection", "C", "C", "garbage collection"),
    Kind("collections", "●", "*", "all collections"),
    Kind("monitor", "●", "*", "object that threads wait for"),
    Kind("deadlock", "↻", "@", "threads that wait for each other in a ring"),
    Kind("victim", "→", ">", "thread that waits for one in a ring"),
)
"""Row kinds that only the views of threads have."""

LANE_STATES = (
    LaneState("nothing", "", "none"),
    LaneState("running", "", "going"),
    LaneState(STATE_KINDS[FOR_LOCK], "L", "held", "lock"),
    LaneState(STATE_KINDS[FOR_OBJECT], "W", "waiting", "object"),
    LaneState(STATE_KINDS[SLEEPING], "S", "idle", "sleeps"),
    LaneState("deadlocked", "D", "stuck", "deadlock"),
    LaneState("collection", "C", "other", "GC"),
    LaneState("there", "", "there"),
    LaneState("in calls", "M", "going"),
    LaneState("not recorded", "", "pause"),
)
RUNNING, FIRST_KIND, DEADLOCKED, COLLECTING, THERE, IN_CALLS, NOT_RECORDED = 1, 2, 5, 6, 7, 8, 9
"""Indices in LANE_STATES; that of a state's kind is FIRST_KIND higher."""

STILL = "still waiting when the data end"
