"""Lines of monitors: events of waiting threads, and monitor dumps."""

from __future__ import annotations

from parsers.formats.hprof.data.columns import EXIT, IS_CUT, IS_RAW, IS_UNOWNED, SLEEP, WAIT_KINDS
from parsers.formats.hprof.data.tables import A_MONITOR, NOTHING, ReadingState
from parsers.formats.hprof.text import lines
from parsers.model.none import NONE


class MonitorLines:
    """Reads lines of monitors, in sections and outside."""

    def __init__(self, text: ReadingState) -> None:
        self._text = text

    def event(self, line: bytes, offset: int, is_cut: bool) -> bool:
        """Reads a WAIT, WAITED, SLEEP or EXIT; False for any other line."""
        tables = self._text.tables
        if is_cut:
            cut = lines.CUT_WAIT.fullmatch(line)
            if cut is None:
                return False
            tables.add("wait", offset, 0, tables.number("word", cut[2]), NONE, kind_of(cut[1]), IS_CUT)
        elif (found := lines.WAIT.fullmatch(line)) is not None:
            name = tables.number("word", found[2])
            tables.add("wait", offset, int(found[3]), name, int(found[4]), kind_of(found[1]), 0)
        elif (found := lines.SLEEP.fullmatch(line)) is not None:
            tables.add("wait", offset, int(found[1]), NONE, int(found[2]), SLEEP, 0)
        elif (found := lines.EXIT.fullmatch(line)) is not None:
            tables.add("wait", offset, 0, tables.number("word", found[1]), int(found[2]), EXIT, 0)
        else:
            return False
        self._text.open = NOTHING
        return True

    def record(self, line: bytes, offset: int, is_cut: bool) -> bool:
        """Reads a THREAD or a MONITOR of a monitor dump; False for any other line."""
        text, tables = self._text, self._text.tables
        found = None if is_cut else lines.DUMPED.fullmatch(line)
        if found is not None:
            trace, status = tables.trace(int(found[2])), tables.number("word", found[3])
            tables.add("dumped", offset, int(found[1]), trace, status)
            text.open = NOTHING
            return True
        found = (lines.CUT_MONITOR if is_cut else lines.MONITOR).fullmatch(line)
        if found is None:
            return False
        is_unowned = not is_cut and found[3] is not None
        flags = (IS_CUT if is_cut else 0) | (IS_RAW if found[1] else 0) | (IS_UNOWNED if is_unowned else 0)
        tables.add("monitor", offset, 0, tables.number("word", found[2]), NONE, tables.length("waiter"), 0, 0, flags)
        text.open = A_MONITOR
        return True

    def detail(self, line: bytes) -> bool:
        """Reads a line with details of the last monitor; False for any other line."""
        text, tables = self._text, self._text.tables
        if text.open != A_MONITOR:
            return False
        last = tables.length("monitor") - 1
        owner = lines.OWNER.fullmatch(line)
        if owner is not None:
            tables.set("monitor_owner", last, int(owner[1]) if owner[1] else NONE)
            tables.set("monitor_entries", last, int(owner[3]))
            return True
        found = lines.WAITERS.fullmatch(line)
        if found is None:
            return False
        threads = [int(id) for id in lines.WAITER.findall(found[2])]
        for id in threads:
            tables.add("waiter", id)
        column = "monitor_entering" if found[1] == b"enter" else "monitor_notified"
        tables.set(column, last, tables.get(column, last) + len(threads))
        return True


def kind_of(name: bytes) -> int:
    """Returns the number of a kind of events."""
    return WAIT_KINDS.index(name.decode())
