"""Contents of a `java.prof`: pairs of callee and caller as arrays, their dumps, and the heap part."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from parsers.formats.jdkprofilers.line_rows import LinesRecording
from parsers.index.texts import UniqueTexts


class PairKind:
    """Kinds of rows: a header, a pair, the heap part with its three kinds of lines, and other lines."""

    DUMP, PAIR, HEAP, ARRAYS, TABLE, INSTANCES, OUTPUT, LINE = range(8)
    words = ("dump", "pair", "heap", "type", "table", "class", "output", "line")
    """By kind: the name of such rows."""


WRAP = 1 << 32


@dataclass(slots=True)
class PairDump:
    """One table of pairs, from a header line on. The agent's counters restart with each."""

    row: int
    header: bytes
    pairs: int = 0
    calls: int = 0
    """As printed; `time` too."""
    time: int = 0


@dataclass(slots=True)
class HeapPart:
    """The heap part that JDK 1.0 and 1.1 print after the pairs. High-water marks: handles, and bytes."""

    row: int
    handles_used: int = 0
    handles_free: int = 0
    used: int = 0
    free: int = 0
    tables: int = 0


class PairRecording(LinesRecording):
    """All of a file. Numbers are 32 bits wide in the file and may have overflowed; they are stored as printed."""

    def __init__(self) -> None:
        super().__init__()
        self.methods = UniqueTexts()
        """Callees and callers, unknown ones too."""
        self.callees = array("I")
        self.callers = array("I")
        self.counts = array("q")
        self.times = array("q")
        self.pair_dumps = array("H")
        self.pair_rows = array("I")
        """The row of each pair."""
        self.dumps: list[PairDump] = []
        self.heaps: list[HeapPart] = []
        self.signatures = UniqueTexts()
        """Types of the heap part."""
        self.heap_rows = array("I")
        """The row of each line of the heap part: arrays of a primitive type, or instances or arrays of a class."""
        self.heap_signatures = array("I")
        self.heap_counts = array("q")
        self.heap_sizes = array("q")
        self.heap_indexes: dict[int, int] = {}
        """By line of a primitive type: the number of the type."""
        self.foreign_lines = 0
        self.unreadable = 0
        self.cut_lines = 0
        self.without_callee = 0

    @property
    def pairs(self) -> int:
        """Number of rows of all dumps."""
        return len(self.counts)

    def unwrapped(self, number: int) -> int:
        """Returns the true value of a number that has overflowed 31 bits."""
        return number + WRAP if -WRAP // 2 <= number < 0 else number

    def count(self, pair: int) -> int:
        """Returns the calls of a pair, unwrapped."""
        return self.unwrapped(self.counts[pair])

    def time(self, pair: int) -> int:
        """Returns the milliseconds of a pair with all that its callee called, unwrapped."""
        return self.unwrapped(self.times[pair])
