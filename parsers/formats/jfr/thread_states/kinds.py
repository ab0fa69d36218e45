"""States of threads, and the types of events that they are derived from. Source: `metadata.xml` of HotSpot."""

from __future__ import annotations

from collections.abc import Mapping

from parsers.model.row import Kind
from parsers.views.timelines.timeline_view import LaneState

LANE_STATES = (
    LaneState("nothing", "", "none"),
    LaneState("alive", "", "there"),
    LaneState("sample", "", "mark"),
    LaneState("waiting for lock", "L", "held", "lock"),
    LaneState("waiting for object", "W", "waiting", "object"),
    LaneState("parked", "P", "waiting"),
    LaneState("sleeping", "S", "idle", "sleeps"),
    LaneState("file access", "F", "other", "file"),
    LaneState("socket access", "N", "other", "socket"),
    LaneState("pinned", "V", "held"),
    LaneState("GC pause", "C", "other", "GC"),
    LaneState("safepoint", "Y", "other"),
    LaneState("deadlocked", "D", "stuck", "deadlock"),
)
ALIVE, SAMPLED, FOR_LOCK, FOR_OBJECT, PARKED, SLEEPING, FILE, SOCKET, PINNED, COLLECTING, SAFEPOINT, DEADLOCKED = range(
    1, 13
)
"""Indices in LANE_STATES."""
WAITS: Mapping[str, int] = {
    "jdk.JavaMonitorEnter": FOR_LOCK,
    "jdk.JavaMonitorWait": FOR_OBJECT,
    "jdk.ThreadPark": PARKED,
    "jdk.ThreadSleep": SLEEPING,
    "jdk.FileRead": FILE,
    "jdk.FileWrite": FILE,
    "jdk.FileForce": FILE,
    "jdk.SocketRead": SOCKET,
    "jdk.SocketWrite": SOCKET,
    "jdk.SocketConnect": SOCKET,
    "jdk.SocketAccept": SOCKET,
    "jdk.VirtualThreadPinned": PINNED,
}
"""States by type of event."""
PAUSE, SAFEPOINT_BEGIN, SAFEPOINT_END = "jdk.GCPhasePause", "jdk.SafepointBegin", "jdk.SafepointEnd"
LANES: Mapping[str, tuple[str, int]] = {PAUSE: ("GC pauses", COLLECTING), SAFEPOINT_BEGIN: ("Safepoints", SAFEPOINT)}
"""Lanes that concern all threads: label and state by type of event."""
KINDS = (
    *(Kind(state.name, state.letter, state.letter, f"thread state: {state.name}") for state in LANE_STATES[FOR_LOCK:]),
    Kind("sample", "•", "*", "sample of a thread"),
    Kind("deadlock", "↻", "@", "threads that wait for each other in a ring"),
    Kind("victim", "→", ">", "thread that waits for one in a ring"),
    Kind("pauses", "●", "*", "pauses of all threads"),
)
"""Kinds of rows of the time line."""
