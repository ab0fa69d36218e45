"""What is said of JVMs that connect: how to start one, what is known of it, what it was asked and has answered."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tui.screen.frame import size_text

if TYPE_CHECKING:
    from parsers.runtime.live.address import Address
    from parsers.runtime.live.client import Event
    from parsers.runtime.live.stream.live_stream import LiveStream

OPTIONS = (
    ("cpu=samples", "where time goes"),
    ("heap=sites,depth=8", "what allocates"),
    ("heap=dump", "the heap, dumped when it is asked for or the JVM exits"),
)
"""What an agent is mostly wanted for, and its options."""

HEAP_FLAG, SAMPLES_FLAG = 1, 2
"""Of CONTROL_SETTINGS."""

TITLES = {"heap_summary": "heap summary", "cpu_samples": "CPU samples", "alloc_sites": "allocation sites"}
"""Records by their names, where those are not words."""


def command_line(address: Address, options: str = OPTIONS[0][0]) -> str:
    """How a JVM is started that connects."""
    return f"java -agentlib:hprof=net={address},format=b,{options} …"


def name_text(stream: LiveStream) -> str:
    """What a JVM is called: its program and its process where it runs on this machine, else where it connects from."""
    return f"{stream.program} {stream.process}" if stream.program else stream.peer


def options_text(stream: LiveStream) -> str:
    """What is known of the options that a JVM was started with."""
    if stream.options is None:
        return ""
    words = [word for flag, word in ((HEAP_FLAG, "heap"), (SAMPLES_FLAG, "samples")) if stream.options & flag]
    depth = f" depth {stream.depth}" if stream.depth else ""
    return ("+".join(words) or "none") + depth


def heap_text(stream: LiveStream) -> str:
    """What lived in the heap when that was last told."""
    return size_text(stream.summaries[-1].live_bytes) if stream.summaries else ""


def state_text(stream: LiveStream) -> str:
    """How a JVM is, in a word or two."""
    if stream.trouble:
        return stream.trouble
    if stream.state == "ended":
        cut = f", cut in {stream.half}" if stream.half else ""
        return f"ended: {stream.ending}{cut}" if stream.ending else f"ended{cut}"
    if stream.waiting:
        return f"asked for {', '.join(stream.waiting)}"
    return "commands ended" if stream.state == "left" else "connected"


def last_text(stream: LiveStream) -> str:
    """What it answered last, or the records there are most of."""
    if stream.answers:
        answer = stream.answers[-1]
        return TITLES.get(answer.record, answer.record.replace("_", " ").lower())
    return ""


def event_text(event: Event) -> str:
    """What the status line says of something that has happened; empty: nothing that is worth it."""
    stream = event.stream
    if stream is None:
        return event.text
    facts = event.facts
    if event.kind == "connected":
        return f"{name_text(stream)} has connected"
    if event.kind == "ended":
        return f"{name_text(stream)} has {state_text(stream)}"
    if event.kind == "left":
        return f"{name_text(stream)}: its commands are ended; what it sends is stored to its end"
    if event.kind == "record" and facts.get("command") and not facts.get("is_heartbeat"):
        record = str(facts["record"])
        told = ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in facts["facts"].items())
        return f"{name_text(stream)} answered: {TITLES.get(record, record.replace('_', ' '))}" + (
            f", {told}" if told else ""
        )
    if event.kind in ("refused", "trouble"):
        return f"{name_text(stream)}: {event.text}"
    return ""


def started_text(stream: LiveStream) -> str:
    """When it connected."""
    return time.strftime("%H:%M:%S", time.localtime(stream.started))


def title_text(stream: LiveStream) -> str:
    """What the title of its report says of a JVM."""
    return f"JVM {name_text(stream)}: {state_text(stream)}"
