"""Texts about JVMs that connect: how to start one, its facts, its requests and their answers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tui.screen.frame import size_text

if TYPE_CHECKING:
    from parsers.runtime.live.address import Address
    from parsers.runtime.live.client import LiveEvent
    from parsers.runtime.live.stream.live_stream import LiveStream

OPTIONS = (
    ("cpu=samples", "CPU time by method"),
    ("heap=sites,depth=8", "allocation sites"),
    ("heap=dump", "the heap, dumped on request or when the JVM exits"),
)
"""Common uses of an agent with their options."""

HEAP_FLAG, SAMPLES_FLAG = 1, 2
"""Flags of CONTROL_SETTINGS."""

TITLES = {"heap_summary": "heap summary", "cpu_samples": "CPU samples", "alloc_sites": "allocation sites"}
"""Names of records that are not words themselves."""


def command_line(address: Address, options: str = OPTIONS[0][0]) -> str:
    """The command that starts a JVM that connects."""
    return f"java -agentlib:hprof=net={address},format=b,{options} …"


def name_text(stream: LiveStream) -> str:
    """Name of a JVM: program and process if it runs on this machine, else its address."""
    return f"{stream.program} {stream.process}" if stream.program else stream.peer


def options_text(stream: LiveStream) -> str:
    """The known options of a JVM."""
    if stream.options is None:
        return ""
    words = [word for flag, word in ((HEAP_FLAG, "heap"), (SAMPLES_FLAG, "samples")) if stream.options & flag]
    depth = f" depth {stream.depth}" if stream.depth else ""
    return ("+".join(words) or "none") + depth


def heap_text(stream: LiveStream) -> str:
    """Live size of the heap when last reported."""
    return size_text(stream.summaries[-1].live_bytes) if stream.summaries else ""


def state_text(stream: LiveStream) -> str:
    """State of a JVM in a word or two."""
    if stream.trouble:
        return stream.trouble
    if stream.state == "ended":
        cut = f", cut in {stream.half}" if stream.half else ""
        return f"ended: {stream.ending}{cut}" if stream.ending else f"ended{cut}"
    if stream.waiting:
        return f"asked for {', '.join(stream.waiting)}"
    return "commands ended" if stream.state == "left" else "connected"


def last_text(stream: LiveStream) -> str:
    """Its last answer, or its most frequent records."""
    if stream.answers:
        answer = stream.answers[-1]
        return TITLES.get(answer.record, answer.record.replace("_", " ").lower())
    return ""


def event_text(event: LiveEvent) -> str:
    """Status line text for an event; empty: not worth showing."""
    stream = event.stream
    if stream is None:
        return event.text
    facts = event.facts
    if event.kind == "connected":
        return f"{name_text(stream)} has connected"
    if event.kind == "ended":
        return f"{name_text(stream)} has {state_text(stream)}"
    if event.kind == "left":
        return f"{name_text(stream)}: it accepts no more requests; its data is stored until it ends"
    if event.kind == "record" and facts.get("command") and not facts.get("is_heartbeat"):
        record = str(facts["record"])
        fact_text = ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in facts["facts"].items())
        return f"{name_text(stream)} answered: {TITLES.get(record, record.replace('_', ' '))}" + (
            f", {fact_text}" if fact_text else ""
        )
    if event.kind in ("refused", "trouble"):
        return f"{name_text(stream)}: {event.text}"
    return ""


def started_text(stream: LiveStream) -> str:
    """Time of its connection."""
    return time.strftime("%H:%M:%S", time.localtime(stream.started))


def title_text(stream: LiveStream) -> str:
    """Title text of a JVM's report."""
    return f"JVM {name_text(stream)}: {state_text(stream)}"
