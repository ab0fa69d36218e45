"""Texts, marks and columns of the view of monitors."""

from __future__ import annotations

from parsers.formats.hprof.data.names import decode
from parsers.model.names.java_method import class_name
from parsers.model.row import Column, Kind

MONITOR_KINDS = (
    Kind("deadlock", "✖", "!", "deadlock: threads that wait for each other in a ring"),
    Kind("monitor", "◉", "o", "monitor, by the class of its object"),
    Kind("contention", "↯", "%", "where threads requested a monitor that another one owned"),
    Kind("wait", "◷", "w", "a call of Object.wait"),
)
MS = Column("ms", "ms", "ms", width=18, priority=5, adds_up=True, bar=8)
TIMES = Column("times", "Times", width=8, priority=4, adds_up=True)
SHARE = Column("share", "Share", "percent", width=7, priority=3, adds_up=True)
THREADS = Column("threads", "Threads", width=8, priority=4)
"""Number of threads that wait to enter a monitor, are in a deadlock, or in a state."""
TRACE = Column("trace", "Trace", "text", width=8, priority=1)
THREAD = Column("thread", "Thread", "text", width=8, priority=2)


def monitor_label(name: bytes) -> str:
    """Returns a monitor's class from its signature; for JDK 1.2 to 1.4 the class with its id, or a name."""
    text = decode(name)
    if text.startswith("[") or (text.startswith("L") and text.endswith(";")):
        return class_name(text) if text.startswith("[") else text[1:-1].replace("/", ".")
    return text if text.startswith('"') else text.replace("/", ".")
