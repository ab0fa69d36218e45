"""Runs of records of one kind, which are read at once: whole sections of ranked rows, rows of a section, threads.

A run has only lines that are certainly read alike one by one (see `plain_text`): its expressions match fewer lines than
those in `lines`. Its records are added to the tables column by column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from parsers.formats.hprof.columns import (
    CPU_SAMPLES,
    CPU_TIME,
    CUT,
    IS_RAW,
    IS_UNOWNED,
    MONITOR_DUMP,
    MONITOR_TIME,
    NOWHERE,
    SECTION_KINDS,
    SITES_KIND,
)
from parsers.formats.hprof.text import lines
from parsers.heapdump.graph.columns import HAS_END, NONE
from parsers.io.adjacent_matches import adjacent_matches, run_of

if TYPE_CHECKING:
    from parsers.formats.hprof.tables import ProfileTables

RANKED = (CPU_SAMPLES, CPU_TIME, MONITOR_TIME)
TABLE_OF = {**dict.fromkeys(RANKED, "rank"), SITES_KIND: "site"}
WORDS_OF = (MONITOR_TIME, SITES_KIND)
"""Kinds of sections whose rows name words; others name methods."""


def _short(expression: re.Pattern[bytes]) -> bytes:
    """Returns the expression of those of its lines that are shorter than `MOST_PIECE` and have a line end."""
    pattern = expression.pattern.replace(b" *", b" {0,40}+").replace(b" +", b" {1,40}+")
    return pattern.replace(b"(.*)", rb"([^\r\n]{0,400}+)") + rb"\r?\n"


_ROW = {kind: _short(lines.RANK) for kind in RANKED} | {SITES_KIND: _short(lines.SITE)}
_TITLE = dict.fromkeys(RANKED, lines.RANK_TITLE.pattern) | {SITES_KIND: lines.SITE_TITLE.pattern}
_BEGIN = rb"%b(?: \(ms\))? (BEGIN)(?: \((?!\d+ samples,)([^()\r\n]{0,200})\))?(?: ([^()\r\n]{1,200}))?\r?\n"
_END = rb"%b(?: \(ms\))? END\r?\n"
_MONITOR = rb"    (RAW )?MONITOR ([^ \r\n][^\r\n]{0,300}?)( unowned)?\r?\n"
_DUMPED = rb"    THREAD (\d{1,20}), trace (\d{1,20}), status: ([^\r\n]{0,300})\r?\n"
_OWNER = rb"\towner: (?:thread (\d{1,20})|<unknown thread>), entry count: (-?\d{1,20})\r?\n"
_WAITERS = rb"\twaiting to (enter|be notified):([^\r\n]{0,800})\r?\n"


def _sections(kind: int) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Returns the expressions of sections of a kind with all their rows, and of one of their lines.

    A section without its end is followed by another one of its kind.
    """
    name = SECTION_KINDS[kind].encode()
    begin, end = _BEGIN % name, _END % (name + b"S?" * (kind == CPU_TIME))
    if kind == MONITOR_DUMP:
        rows = rb"(?:%b|%b(?:%b|%b)*+)*+" % (_DUMPED, _MONITOR, _OWNER, _WAITERS)
        each = b"|".join((begin, _MONITOR, _DUMPED, _OWNER, _WAITERS, end))
    else:
        title = rb"(?:%b)\r?\n" % _TITLE[kind]
        rows, each = rb"(?:%b)*+(?:%b)*+" % (title, _ROW[kind]), b"|".join((begin, _ROW[kind], end, title))
    return run_of(rb"%b%b(?:%b|(?=%b))" % (begin, rows, end, begin)), re.compile(rb"(%b)" % each)


ROWS = {kind: re.compile(row) for kind, row in _ROW.items()}
SECTIONS = {kind: _sections(kind) for kind in (*TABLE_OF, MONITOR_DUMP)}
"""By kind. Groups of a line: itself, BEGIN, the text in its brackets, date; of a row those of RANK or SITE; of a
monitor RAW, name, `unowned`; of a thread id, trace, status; of an owner id, entries; of waiting threads reason, ids.
"""
_TEXT = rb'="([^"\r\n]{0,300})"'
THREAD = re.compile(
    rb"THREAD (?:START \(obj=([0-9a-fA-F]{1,16}), id = (\d{1,20}), name%b, group%b\)|END \(id = (\d{1,20})\))\r?\n"
    % (_TEXT, _TEXT)
)


class Runs:
    """Adds records to tables."""

    def __init__(self, tables: ProfileTables) -> None:
        self._tables = tables
        self.threads: dict[int, int] = {}
        """Rows of threads that have not ended, by their ids."""
        self.threads_ended = 0

    def add_rows(self, kind: int, rows: Sequence[Sequence[bytes]], offsets: Sequence[int], flags: int = 0) -> None:
        """Adds rows of a section of a kind, by their groups of `RANK` or `SITE`."""
        tables = self._tables
        ranks, own, accumulated, *counts, serials, names = zip(*rows, strict=True)
        tables.extend(
            TABLE_OF[kind],
            offsets,
            *(list(map(int, each)) for each in counts),
            list(map(percent, own)),
            list(map(percent, accumulated)),
            [tables.trace(int(serial)) for serial in serials],
            tables.numbers("word" if kind in WORDS_OF else "method", [_name(kind, name) for name in names]),
            list(map(int, ranks)),
            [flags] * len(rows),
        )

    def read_rows(self, kind: int, data: bytes, at: int, base: int) -> int:
        """Reads rows of the open section of a kind, from data[at] on; returns the position behind them."""
        if rows := [*adjacent_matches(ROWS[kind], data, at)]:
            self.add_rows(kind, [row.groups(b"") for row in rows], [base + row.start() for row in rows])
            return rows[-1].end()
        return at

    def read_sections(self, kind: int, data: bytes, at: int, base: int, snapshot: int) -> int:
        """Reads whole sections of a kind, from data[at] on; returns the position behind them.

        snapshot  number of the dump that the first one belongs to; each further one is in the next dump
        """
        run, line = SECTIONS[kind]
        found = run.match(data, at)
        if found is None:
            return at
        tables, of_lines = self._tables, line.findall(data, at, found.end())
        # Texts have numbers in the order of the file.
        texts = list[bytes]()
        for each in of_lines:
            if each[1]:
                texts += each[2:4] if each[3] else each[2:3]
            elif kind in WORDS_OF and each[4]:
                texts.append(_name(kind, each[-1]))
            elif kind == MONITOR_DUMP and (each[5] or each[7]):
                texts.append(each[5] or each[9])
        tables.numbers("word", texts)
        offsets = list(accumulate((len(each[0]) for each in of_lines), initial=base + at))
        begins = [place for place, each in enumerate(of_lines) if each[1]]
        starts = [*begins, len(of_lines)]
        _, _, printed, dates = zip(*(of_lines[place][:4] for place in begins), strict=True)

        def ranges(table: str, group: int) -> tuple[list[int], list[int]]:
            """Returns the first row in a table and the number of rows of each section, by a group that rows have."""
            before = list(accumulate((bool(each[group]) for each in of_lines), initial=tables.length(table)))
            return [before[start] for start in begins], [
                before[stop] - before[start] for start, stop in pairwise(starts)
            ]

        totals = {text: total_of(text) for text in set(printed)}
        count, name = len(begins), SECTION_KINDS[kind].encode()
        lasts = (of_lines[stop - 1] for stop in starts[1:])
        is_ended = [not is_begin and text.startswith(name) for text, is_begin, *_ in lasts]
        tables.find_all(CUT, [offsets[stop] for stop, ended in zip(starts[1:], is_ended, strict=True) if not ended])
        tables.extend(
            "section",
            [offsets[place] for place in begins],
            [offsets[place] for place in starts[1:]],
            [totals[text] for text in printed],
            *(ranges("monitor", 5) if kind == MONITOR_DUMP else ranges(TABLE_OF[kind], 4)),
            *(ranges("dumped", 7) if kind == MONITOR_DUMP else ([0] * count, [0] * count)),
            tables.numbers("word", printed),
            [tables.number("word", date) if date else NONE for date in dates],
            range(snapshot, snapshot + count),
            [kind] * count,
            [HAS_END if ended else 0 for ended in is_ended],
        )
        if kind == MONITOR_DUMP:
            self._add_monitors(of_lines, offsets)
        elif rows := [place for place, each in enumerate(of_lines) if each[4]]:
            self.add_rows(kind, [of_lines[place][4:] for place in rows], [offsets[place] for place in rows])
        return found.end()

    def _add_monitors(self, of_lines: Sequence[Sequence[bytes]], offsets: Sequence[int]) -> None:
        """Adds monitors and threads of monitor dumps, by the groups of lines."""
        tables = self._tables
        names = iter(tables.numbers("word", [each[5] or each[9] for each in of_lines if each[5] or each[7]]))
        dumped, monitors, waiters = list[tuple[int, ...]](), list[list[int]](), list[int]()
        waiting = tables.length("waiter")
        for offset, each in zip(offsets, of_lines, strict=False):
            raw, name, unowned, thread, trace, _, owner, entries, reason, ids = each[4:]
            if name:
                flags = (IS_RAW if raw else 0) | (IS_UNOWNED if unowned else 0)
                monitors.append([offset, 0, next(names), NONE, waiting + len(waiters), 0, 0, flags])
            elif thread:
                dumped.append((offset, int(thread), tables.trace(int(trace)), next(names)))
            elif entries:
                monitors[-1][1], monitors[-1][3] = int(entries), int(owner) if owner else NONE
            elif reason:
                threads = lines.WAITER.findall(ids)
                waiters += map(int, threads)
                monitors[-1][5 if reason == b"enter" else 6] += len(threads)
        for table, rows in (("dumped", dumped), ("monitor", monitors), ("waiter", [(id,) for id in waiters])):
            if rows:
                tables.extend(table, *zip(*rows, strict=True))

    def add_threads(self, records: Sequence[Sequence[bytes]], offsets: Sequence[int], flags: int = 0) -> None:
        """Adds starts and ends of threads. Groups of each: object, id, name and group of a start, id of an end."""
        tables = self._tables
        first, rows = tables.length("thread"), list[list[int]]()
        names = iter(tables.numbers("word", [text for each in records if each[1] for text in each[2:4]]))
        for offset, (object, id, _, _, ended) in zip(offsets, records, strict=True):
            if id:
                self.threads[int(id)] = first + len(rows)
                rows.append([offset, NOWHERE, int(object, 16), int(id), next(names), next(names), flags])
                continue
            self.threads_ended += 1
            row = self.threads.pop(int(ended), None)
            if row is None:
                rows.append([NOWHERE, offset, NOWHERE, int(ended), NONE, NONE, 0])
            elif row < first:
                tables.set("thread_end", row, offset)
            else:
                rows[row - first][1] = offset
        if rows:
            tables.extend("thread", *zip(*rows, strict=True))

    def read_threads(self, data: bytes, at: int, base: int) -> int:
        """Reads starts and ends of threads, from data[at] on; returns the position behind them."""
        if records := [*adjacent_matches(THREAD, data, at)]:
            self.add_threads([each.groups(b"") for each in records], [base + each.start() for each in records])
            return records[-1].end()
        return at


def _name(kind: int, name: bytes) -> bytes:
    """Returns the name in a row: of a Java monitor without its mark."""
    return name.removesuffix(b" (Java)") if kind == MONITOR_TIME else name


def total_of(printed: bytes) -> int:
    """Returns the total in the brackets of a section's first line; 0 if there is none."""
    total = lines.TOTAL.match(printed)
    return int(total[1] or total[2]) if total is not None else 0


def percent(text: bytes) -> int:
    """Converts `12.34` to hundredths."""
    return int(text.replace(b".", b""))
