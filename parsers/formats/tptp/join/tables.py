"""The tables of a recording while plain code reads it: arrays that grow, and unique words by number."""

from __future__ import annotations

from array import array

from parsers.formats.tptp.join.name_table import FIRST_WORDS
from parsers.formats.tptp.schema.columns import COLUMNS, KEPT_FINDINGS, NEVER, NOWHERE, OF_SESSIONS, TABLES
from parsers.formats.tptp.schema.counters import FINDING_KINDS
from parsers.index.store import CODES
from parsers.index.texts import UniqueTexts
from parsers.model.none import NONE

AT_THE_END = frozenset(
    (
        "thread_first_state",
        "thread_first_call",
        "monitor_first_state",
        "node_is_outermost",
        "dump_first_edge",
        "dump_first_root",
    )
)
"""Columns that are filled after all rows are known."""
NAMES = {table: tuple(name for name in columns if name not in AT_THE_END) for table, columns in TABLES.items()}
MOST = {"B": 0xFF, "H": 0xFFFF, "I": NONE, "Q": NOWHERE, "q": (1 << 63) - 1}
"""Largest numbers of column types."""


class TraceTables:
    """All tables, empty at first. `columns` are as in `columns.COLUMNS`."""

    def __init__(self) -> None:
        self.columns: dict[str, array[int]] = {name: array(CODES[type]) for name, type in COLUMNS.items()}
        self.words = UniqueTexts(FIRST_WORDS)
        self.finding_counts = [0] * len(FINDING_KINDS)

    def length(self, table: str) -> int:
        """Returns the number of rows of a table."""
        return len(self.columns[NAMES[table][0]])

    def add(self, table: str, *values: int) -> int:
        """Appends a row, values in the table's column order; returns its number. Values out of range are clipped to
        the nearest that does.
        """
        names = NAMES[table]
        assert len(names) == len(values), f"{table} has {len(names)} columns"
        for name, value in zip(names, values, strict=True):
            column = self.columns[name]
            try:
                column.append(value)
            except OverflowError:
                column.append(fitting(column.typecode, value))
        return len(self.columns[names[0]]) - 1

    def set(self, column: str, row: int, value: int) -> None:
        """Changes one value."""
        try:
            self.columns[column][row] = value
        except OverflowError:
            self.columns[column][row] = fitting(self.columns[column].typecode, value)

    def plus(self, column: str, row: int, value: int) -> None:
        """Adds to one value."""
        self.set(column, row, self.columns[column][row] + value)

    def begin_session(self) -> None:
        """Begins a session. At the end of the input, records the end of the last one."""
        for table in OF_SESSIONS:
            self.columns[f"session_first_{table}"].append(self.length(table))

    def find(self, kind: int, offset: int, value: int = 0) -> None:
        """Records a finding."""
        self.finding_counts[kind] += 1
        if self.finding_counts[kind] <= KEPT_FINDINGS:
            self.add("finding", offset, value, kind)


def fitting(typecode: str, value: int) -> int:
    """Clips a value to the range of a column."""
    return max(min(value, MOST[typecode]), NEVER if typecode == "q" else 0)
