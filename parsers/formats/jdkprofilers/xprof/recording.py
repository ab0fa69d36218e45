"""Contents of `-Xprof` and `-Xaprof` in a program's output: blocks of threads, their sections and rows, tables."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from parsers.formats.jdkprofilers.line_rows import LinesRecording
from parsers.index.texts import UniqueTexts
from parsers.model.value import value_class


class RowKind:
    """Kinds of rows. Each is a line of the file, except `ELIDED` and `UNLISTED`: the part of a total that rows lack."""

    BLOCK, SECTION, METHOD, ELIDED, TOTAL, LABELS, LABEL, BYTECODES, BYTECODE, GLOBAL = range(10)
    TABLE, CLASS, UNLISTED, TABLE_TOTAL, OUTPUT, LINE = range(10, 16)
    words = (
        *("thread", "section", "method", "elided", "total", "group", "ticks", "group", "bytecode", "global"),
        *("table", "class", "elided", "total", "output", "line"),
    )
    """By kind: the name of such rows."""


SECTION_KINDS = ("Interpreted", "Compiled", "Stub", "Runtime stub", "Unknown")
UNTITLED = len(SECTION_KINDS) - 1
"""The kind of a section whose title was lost."""

BLOCKED = b"Blocked (of total)"
"""The one label whose percentage is of all ticks of a thread, not of its active ones."""


@dataclass(slots=True)
class ThreadProfile:
    """The flat profile of a thread."""

    row: int
    name: bytes
    seconds: float
    ticks: int
    sections: list[int] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    blocked: int = 0
    has_head: bool = True
    """False if its head was lost: name and seconds are unknown, ticks are those of its sections and labels."""

    @property
    def active(self) -> int:
        """Ticks in which it was not blocked: the base of all percentages but one."""
        return max(0, self.ticks - self.blocked)


@dataclass(slots=True)
class CodeSection:
    """One kind of code of a thread."""

    row: int
    block: int
    kind: int
    rows: int = 0
    code: int = 0
    native: int = 0
    """Sums of its rows, as `code` is."""
    total: tuple[float, int, int] | None = None
    """Percent, ticks in code and in native code, as printed below its rows."""
    is_elided: bool = False

    @property
    def ticks(self) -> int:
        """Ticks of the total if there is one, else of its rows."""
        return self.code + self.native if self.total is None else self.total[1] + self.total[2]

    @property
    def elided(self) -> int:
        """Ticks in rows that were omitted; negative if rows were misread."""
        return self.ticks - self.code - self.native


@value_class
class TickLabel:
    """Ticks outside of methods, in the thread `block`; -1: in the global summary."""

    row: int
    block: int
    name: bytes
    percent: float
    ticks: int


@dataclass(slots=True)
class GlobalSummary:
    """The global summary."""

    row: int
    seconds: float
    labels: list[int] = field(default_factory=list)


@dataclass(slots=True)
class AllocationTable:
    """An allocation profile."""

    row: int
    title: bytes
    cutoff: int | None
    rows: int = 0
    size: int = 0
    instances: int = 0
    """Sums of its rows, as `size` is."""
    total: tuple[int, int, int] | None = None
    """Size, instances, average as printed."""


class OutputRecording(LinesRecording):
    """All tables and rows of a file."""

    def __init__(self) -> None:
        super().__init__()
        self.texts = UniqueTexts()
        """Names of methods and classes."""
        self.blocks: list[ThreadProfile] = []
        self.sections: list[CodeSection] = []
        self.labels: list[TickLabel] = []
        self.summaries: list[GlobalSummary] = []
        self.bytecodes: list[tuple[int, int, bytes]] = []
        self.tables: list[AllocationTable] = []
        self.method_rows = array("I")
        """By row of a method: its row in the document, as `method_texts` its name, `method_sections` its section."""
        self.method_texts = array("I")
        self.method_sections = array("I")
        self.codes = array("q")
        self.natives = array("q")
        self.percents = array("d")
        self.notes: dict[int, bytes] = {}
        """Text in brackets after the name of a stub."""
        self.class_rows = array("I")
        self.class_texts = array("I")
        self.sizes = array("q")
        self.instances = array("q")
        self.averages = array("q")
        self.class_tables = array("I")
        self.output_lines = 0

    def ticks(self, number: int) -> int:
        """Returns the ticks of a row of a method."""
        return self.codes[number] + self.natives[number]
