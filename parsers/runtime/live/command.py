"""The commands of the HPROF socket: their bytes, their answers, and which of them can end a JVM.

`u1 tag, u4 serial, u4 length, body`, big-endian; the end of commands is the one byte FF. The agent ignores serial and
length and reads as many bytes of a body as the tag requires. So one wrong body shifts all that follows, and an unknown
command ends the JVM. Source: `hprof_listener.c` of JDK 8; measured with its agent.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from parsers.model.report import Action, ReportError

Layout = Literal["", "binary", "text", "unknown"]
"""The layout of a stream; empty until its first bytes have arrived."""

HEAP_OPTIONS = 1
"""Flag of CONTROL_SETTINGS: heap=sites, heap=dump or heap=all; it doesn't distinguish them."""
END = b"\xff"
"""End of commands: the agent reads no more of them, and the JVM runs to its end."""
LEAVE = "leave"
SUMMARY = "summary"
HEAP_DUMP = "heap-dump"
EXIT = "exit"
ALLOCATION_ON = "allocation-on"
MOST_DEPTH = 0x7FFF

CUTOFF = "CUTOFF"
DEPTH = "DEPTH"

ENDS = "A heap dump ends this JVM at once (status 9)"
COUNTING_ENDS = "Counting allocations ends this JVM at once (status 9)"
ABORTS_AT_EXIT = (
    "A JVM that dumps its heap in binary HPROF aborts (status 9) when it exits, after all its data has come"
)


@dataclass(frozen=True, slots=True)
class JvmFacts:
    """Knowledge about a JVM from the stream that it sends, and from its process."""

    layout: Layout = ""
    options: int | None = None
    """Flags of CONTROL_SETTINGS, which only binary streams have."""
    heap_dumps: int = 0
    """Number of heap dumps received: a JVM that sent one was started with heap=dump or heap=all."""
    is_dump_asked: bool = False
    """True if a heap dump was requested that has not arrived yet."""
    heap: str | None = None
    """The option `heap` of its start; empty: none; None: unknown."""
    dumps_at_exit: bool = True
    """True if it writes all its data again at its exit."""

    @property
    def has_heap_options(self) -> bool | None:
        """True if it was started with any heap option; None: unknown."""
        if self.options is not None:
            return bool(self.options & HEAP_OPTIONS)
        return None if self.heap is None else bool(self.heap)

    @property
    def can_dump(self) -> bool | None:
        """True if its options allow heap dumps; None: unknown."""
        if self.heap is not None:
            return self.heap in ("dump", "all")
        if self.heap_dumps:
            return True
        return None if self.has_heap_options is not False else False


@dataclass(frozen=True, slots=True)
class LiveCommand:
    """One command."""

    name: str
    title: str
    tag: int
    body: Callable[[float], bytes] = lambda number: b""
    binary_answer: str = ""
    """Name of the record that answers it, as in `counts`; empty: none."""
    text_answer: str = ""
    argument: str = ""
    default: str = ""

    def bytes(self, serial: int, text: str = "") -> bytes:
        """The bytes to send. Raises `ReportError` for an invalid argument."""
        if self.name == LEAVE:
            return END
        body = self.body(self._number(text.strip() or self.default))
        return struct.pack(">BII", self.tag, serial, len(body)) + body

    def answer(self, layout: Layout) -> str:
        """The record that answers it in a stream of that layout."""
        return self.text_answer if layout == "text" else self.binary_answer

    def is_for(self, known: JvmFacts) -> bool:
        """True if it is useful: text streams have no heap summary."""
        return bool(self.answer(known.layout)) or not (self.binary_answer or self.text_answer)

    def _number(self, text: str) -> float:
        if not self.argument:
            if text:
                raise ReportError(f"{self.name} takes no argument")
            return 0.0
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if self.argument == CUTOFF and 0 <= number <= 1:
            return number
        if self.argument == DEPTH and 0 <= number <= MOST_DEPTH and number == int(number):
            return number
        wanted = "a share from 0 to 1" if self.argument == CUTOFF else f"a number from 0 to {MOST_DEPTH:,}"
        raise ReportError(f"{self.name}: {text!r} is no {self.argument}: {wanted}")


def _sites(flags: int) -> Callable[[float], bytes]:
    return lambda cutoff: struct.pack(">Hf", flags, cutoff)


def _switch(number: int, more: bytes = b"") -> Callable[[float], bytes]:
    return lambda _: struct.pack(">H", number) + more


EVERY_THREAD = bytes(4)
"""Id of a thread, in the byte order of the JVM's machine: only 0 is the same in all."""
SITES_ANSWER = {"binary_answer": "alloc_sites", "text_answer": "SITES", "argument": CUTOFF, "default": "0"}

COMMANDS: Mapping[str, LiveCommand] = {
    each.name: each
    for each in (
        LiveCommand("samples", "CPU samples so far", 7, lambda cutoff: struct.pack(">Hf", 0, cutoff),
                "cpu_samples", "CPU SAMPLES", CUTOFF, "0"),
        LiveCommand("sites", "allocation sites so far", 3, _sites(0), **SITES_ANSWER),
        LiveCommand("sites-allocated", "allocation sites, by what was ever allocated", 3, _sites(2), **SITES_ANSWER),
        LiveCommand("sites-changed", "allocation sites that have changed", 3, _sites(1), **SITES_ANSWER),
        LiveCommand("sites-collected", "allocation sites, after a garbage collection", 3, _sites(4), **SITES_ANSWER),
        LiveCommand(HEAP_DUMP, "heap dump", 2, binary_answer="heap_dump", text_answer="HEAP DUMP"),
        LiveCommand(SUMMARY, "heap summary", 4, binary_answer="heap_summary"),
        LiveCommand("traces", "traces that were not sent yet", 6),
        LiveCommand("gc", "collect garbage", 1),
        LiveCommand(ALLOCATION_ON, "count allocations", 8, _switch(1)),
        LiveCommand("allocation-off", "count no allocations", 8, _switch(2)),
        LiveCommand("sampling-on", "take CPU samples of all threads", 8, _switch(3, EVERY_THREAD)),
        LiveCommand("sampling-off", "take no CPU samples (agents of JDK 8 continue)", 8, _switch(4, EVERY_THREAD)),
        LiveCommand("clear-samples", "reset CPU samples", 8, _switch(5)),
        # Its manual has a depth after it, which the agent would misread as an unknown command.
        LiveCommand("clear-sites", "reset allocation sites", 8, _switch(6)),
        LiveCommand("depth", "most frames of new traces", 8, lambda depth: struct.pack(">HH", 7, int(depth)),
                argument=DEPTH, default="16"),
        LiveCommand(LEAVE, "end of commands: the JVM continues, and is stored to its end", 0xFF),
        LiveCommand(EXIT, "end the JVM", 5),
    )
}  # fmt: skip
"""All commands by name. Nothing else can be sent."""


def danger(command: LiveCommand, known: JvmFacts) -> str:
    """Warning to confirm before a command is sent to such a JVM, in sentences; empty: it does no harm."""
    if command.name == EXIT:
        return "The JVM ends at once, without its final output, and its program's work is lost."
    if command.name == LEAVE:
        return "This JVM accepts no requests afterwards; its data is stored to its end."
    if command.name == ALLOCATION_ON:
        return _danger_of_counting(known)
    return _danger_of_dump(known) if command.name == HEAP_DUMP else ""


def _danger_of_counting(known: JvmFacts) -> str:
    """The agent may not count in a JVM that it didn't prepare for that. Observed with that of JDK 8."""
    if known.has_heap_options:
        return ""
    if known.has_heap_options is None:
        return f"{COUNTING_ENDS}, unless that was started with heap=sites, heap=dump or heap=all."
    return f"{COUNTING_ENDS}: that was started without any heap option."


def _danger_of_dump(known: JvmFacts) -> str:
    if known.can_dump is False:
        return f"{ENDS}: that was started without heap=dump or heap=all."
    if known.layout == "text":
        return "" if known.can_dump else f"{ENDS}, unless that was started with heap=dump or heap=all."
    if known.heap_dumps or known.is_dump_asked:
        return f"{ENDS}: in binary HPROF a JVM can dump its heap once, and this one did."
    if known.can_dump:
        return f"{ABORTS_AT_EXIT}." if known.dumps_at_exit else ""
    return f"{ABORTS_AT_EXIT}; one that was started with heap=sites ends at once."


def action(command: LiveCommand, known: JvmFacts) -> Action:
    """The command as a general `Action`."""
    return Action(command.name, command.title, danger(command, known), command.argument, command.default)


def flush_command(layout: Layout, depth: int | None) -> bytes:
    """A command that changes nothing and has no answer, but makes the agent send its buffer.

    Binary: the current depth; text: a heap summary, to which text has no answer.
    """
    if layout == "text":
        return COMMANDS[SUMMARY].bytes(0)
    return COMMANDS["depth"].bytes(0, str(depth)) if depth is not None else b""


def is_known_jvm(known: JvmFacts) -> bool:
    """True if the peer is known to be a JVM: others are sent only the request by which a JVM identifies itself."""
    return known.layout in ("binary", "text")
