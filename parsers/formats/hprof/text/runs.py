"""Runs of records that are read at once: whole sections with their rows, rows of a section, threads.

A run has only lines that are certainly read alike one by one (see `plain_text`): its expressions match fewer lines than
those in `lines`. Its records are added to the tables column by column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.data.columns import (
    CPU_SAMPLES,
    CPU_TIME,
    CUT,
    IS_RAW,
    IS_UNOWNED,
    MANY_DUMPS,
    MONITOR_DUMP,
    MONITOR_TIME,
    NOWHERE,
    SECTION_KINDS,
    SITES_KIND,
)
from parsers.formats.hprof.text import lines
from parsers.heapdump.graph.columns import HAS_END, HEAP_DUMP
from parsers.io.adjacent_matches import adjacent_matches, run_of
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hprof.data.tables import ProfileTables

RANKED = (CPU_SAMPLES, CPU_TIME, MONITOR_TIME)
TABLE_OF = {**dict.fromkeys(RANKED, "rank"), SITES_KIND: "site"}
WORDS_OF = (MONITOR_TIME, SITES_KIND)
"""Kinds of sections whose rows name words; others name methods."""
ORDER = {MONITOR_DUMP: 0, MONITOR_TIME: 1, HEAP_DUMP: 2, SITES_KIND: 3, CPU_SAMPLES: 4, CPU_TIME: 5}
"""Order of the sections of one dump: `hprof_init.c`, reset_all_data and its callers."""
MOST_HEAP_DUMPS = 100
"""Most heap dumps of a file with tables of their own; the objects of further ones are added to the last of these."""
Lines = Sequence[Sequence[bytes]]
"""Groups of each line."""


def _short(expression: re.Pattern[bytes]) -> bytes:
    """Returns the expression of those of its lines that are shorter than `MOST_PIECE` and have a line end."""
    pattern = expression.pattern.replace(b" *", b" {0,40}+").replace(b" +", b" {1,40}+")
    return pattern.replace(b"(.*)", rb"([^\r\n]{0,400}+)") + rb"\r?\n"


_ROW = {kind: _short(lines.RANK) for kind in RANKED} | {SITES_KIND: _short(lines.SITE)}
ROWS = {kind: re.compile(row) for kind, row in _ROW.items()}
_TITLE = rb"(?:%b)\r?\n" % lines.RANK_TITLE.pattern
_SITE_TITLE = rb"(?:%b)\r?\n" % lines.SITE_TITLE.pattern
# The name in a rank begins so that no row is also a site.
_RANK = _ROW[CPU_SAMPLES].replace(rb"([^\r\n]{0,400}+)", rb"((?![-\d ])[^\r\n]{0,400}+)")
_BEGIN = rb"(%b)(?: \(ms\))? BEGIN(?: \((?!\d+ samples,)([^()\r\n]{0,200})\))?(?: ([^()\r\n]{1,200}))?\r?\n"
_END = rb"%b(?: \(ms\))? (END)\r?\n"
_MONITOR = rb"    (RAW )?MONITOR ([^ \r\n][^\r\n]{0,300}?)( unowned)?\r?\n"
_DUMPED = rb"    THREAD (\d{1,20}), trace (\d{1,20}), status: ([^\r\n]{0,300})\r?\n"
_OWNER = rb"\towner: (?:thread (\d{1,20})|<unknown thread>), entry count: (-?\d{1,20})\r?\n"
_WAITERS = rb"\twaiting to (enter|be notified):([^\r\n]{0,800})\r?\n"
_OBJECT = rb"OBJ ([0-9a-fA-F]{1,16}) \(sz=(\d{1,9}), trace=(\d{1,9}), class=([^\r\n]{0,400})\)\r?\n"
_NAMES = [name.encode() for name in SECTION_KINDS]
_ANY_BEGIN = _BEGIN % b"|".join(_NAMES)
_CONTENTS = {
    **dict.fromkeys(RANKED, rb"(?>%b)*+(?>%b)*+" % (_TITLE, _RANK)),
    SITES_KIND: rb"(?>%b)*+(?>%b)*+" % (_SITE_TITLE, _ROW[SITES_KIND]),
    MONITOR_DUMP: rb"(?>%b|%b(?>%b|%b)*+)*+" % (_DUMPED, _MONITOR, _OWNER, _WAITERS),
    HEAP_DUMP: rb"(?>%b){0,20}+" % _OBJECT,
}
"""Lines of sections. Kernels read heap dumps of more objects."""


def _sections(*kinds: int) -> re.Pattern[bytes]:
    """Returns the expression of sections with all their rows. One without its end is followed by another one."""
    each = (
        (_BEGIN % name) + _CONTENTS[kind] + rb"(?:%b|(?=%b))" % (_END % (name + b"S?" * (kind == CPU_TIME)), _ANY_BEGIN)
        for kind in kinds
        for name in (_NAMES[kind],)
    )
    return run_of(b"|".join(each))


SECTIONS, SECTIONS_AND_DUMPS = _sections(*TABLE_OF, MONITOR_DUMP), _sections(*TABLE_OF, MONITOR_DUMP, HEAP_DUMP)
LINE = re.compile(
    b"(%b)"
    % b"|".join(
        (
            _ANY_BEGIN,
            _END % (b"(?:%b)S?" % b"|".join(_NAMES)),
            _OBJECT,
            _MONITOR,
            _DUMPED,
            _OWNER,
            _WAITERS,
            _ROW[SITES_KIND],
            _RANK,
            _SITE_TITLE,
            _TITLE,
        )
    )
)
"""A line of such sections."""
(TEXT, KIND, PRINTED, DATE, END, OBJECT, RAW, MONITOR, DUMPED, OWNER, ENTRIES, WAITERS, SITE, RANK, GROUPS) = (
    *(0, 1, 2, 3, 4, 5, 9, 10, 12, 15, 16, 17, 19, 28, 34),
)
"""Groups of a line: itself; of its BEGIN the kind, the text in its brackets, date; END; of an object id, size, trace,
class; of a monitor RAW, name, `unowned`; of a thread id, trace, status; of an owner id, entries; of waiting threads
reason, ids; of a row those of SITE or RANK.
"""
KIND_OF = {name: kind for kind, name in enumerate(_NAMES)}
GROUP_OF = {**dict.fromkeys(RANKED, RANK), SITES_KIND: SITE, MONITOR_DUMP: MONITOR}
"""First group of a row, by kind of section."""
ROW_TABLES = {RANK: "rank", SITE: "site", MONITOR: "monitor", DUMPED: "dumped"}
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
        self.snapshot = -1
        """Number of the dump that the last section belongs to."""
        self.last_order = -1
        """Place in `ORDER` of the last section."""
        self.heap_rows: list[int] = []
        """Rows of heap dumps."""

    @property
    def has_many_dumps(self) -> bool:
        """True if further heap dumps are added to the last one."""
        return len(self.heap_rows) >= MOST_HEAP_DUMPS

    def next_snapshot(self, kind: int) -> int:
        """Returns the number of the dump that a section of a kind belongs to, which is the next one."""
        self.snapshot += ORDER[kind] <= self.last_order or self.snapshot < 0
        self.last_order = ORDER[kind]
        return self.snapshot

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
            tables.traces([*map(int, serials)]),
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

    def read_sections(self, data: bytes, at: int, base: int) -> int:
        """Reads whole sections, from data[at] on; returns the position behind them."""
        found = (SECTIONS_AND_DUMPS if self.has_many_dumps else SECTIONS).match(data, at)
        if found is None:
            return at
        of_lines = LINE.findall(data, at, found.end())
        offsets = list(accumulate((len(each[TEXT]) for each in of_lines), initial=base + at))
        starts = [place for place, each in enumerate(of_lines) if each[KIND]]
        ranges = list(pairwise((*starts, len(of_lines))))
        kinds = [KIND_OF[of_lines[start][KIND]] for start in starts]
        self._tables.find_all(CUT, [offsets[stop] for _, stop in ranges if not of_lines[stop - 1][END]])
        dumps = [of for kind, of in zip(kinds, ranges, strict=True) if kind == HEAP_DUMP]
        if dumps:
            self._add_dumps(dumps, of_lines, offsets)
        if len(dumps) < len(kinds):
            self._add_sections(kinds, ranges, of_lines, offsets)
        return found.end()

    def _add_dumps(self, ranges: Sequence[tuple[int, int]], of_lines: Lines, offsets: Sequence[int]) -> None:
        """Adds heap dumps to the last one, by the ranges of their lines."""
        tables, last, stop = self._tables, self.heap_rows[-1], ranges[-1][1]
        tables.find_all(MANY_DUMPS, [offsets[start] for start, _ in ranges])
        if places := [place for place, each in enumerate(of_lines) if each[OBJECT]]:
            ids, sizes, traces, classes = zip(*(of_lines[place][OBJECT:RAW] for place in places), strict=True)
            tables.add_objects(
                [int(id, 16) for id in ids],
                [offsets[place] for place in places],
                [*map(int, sizes)],
                [*map(int, traces)],
                classes,
            )
        tables.set("section_end", last, offsets[stop])
        tables.set("section_rows", last, tables.length("object") - tables.get("section_first", last))
        tables.set("section_flags", last, HAS_END if of_lines[stop - 1][END] else 0)

    def _add_sections(
        self, kinds: Sequence[int], ranges: Sequence[tuple[int, int]], of_lines: Lines, offsets: Sequence[int]
    ) -> None:
        """Adds sections with their rows, by their kinds and the ranges of their lines; heap dumps are skipped."""
        tables = self._tables
        line_kinds = [kind for kind, of in zip(kinds, ranges, strict=True) for _ in range(*of)]
        self._number_words(line_kinds, of_lines)
        listed = [(kind, *of) for kind, of in zip(kinds, ranges, strict=True) if kind != HEAP_DUMP]
        kinds, starts, stops = zip(*listed, strict=True)
        groups = np.array([GROUP_OF[kind] for kind in kinds])
        places, ranges_of = dict[int, list[int]](), np.zeros((4, len(kinds)), np.int64)
        for group in {*groups.tolist()} | ({DUMPED} if MONITOR_DUMP in kinds else set()):
            places[group] = [place for place, each in enumerate(of_lines) if each[group]]
            begin, end = np.searchsorted(places[group], (starts, stops))
            at, of = (2, MONITOR) if group == DUMPED else (0, group)
            found = np.where(groups == of, (begin + tables.length(ROW_TABLES[group]), end - begin), 0)
            ranges_of[at : at + 2] += found
        printed, dates = ([of_lines[start][group] for start in starts] for group in (PRINTED, DATE))
        totals = {text: total_of(text) for text in {*printed}}
        words = [*{*dates} - {b""}]
        number_of = dict(zip(words, tables.numbers("word", words), strict=True))
        tables.extend(
            "section",
            [offsets[start] for start in starts],
            [offsets[stop] for stop in stops],
            [totals[text] for text in printed],
            *ranges_of.tolist(),
            tables.numbers("word", printed),
            [number_of.get(date, NONE) for date in dates],
            [self.next_snapshot(kind) for kind in kinds],
            kinds,
            [HAS_END if of_lines[stop - 1][END] else 0 for stop in stops],
        )
        if MONITOR in places:
            self._add_monitors(of_lines, offsets)
        for group, stop in ((SITE, RANK), (RANK, GROUPS)):
            for kind, of_kind in groupby(places.get(group, ()), line_kinds.__getitem__):
                chosen = [*of_kind]
                self.add_rows(
                    kind, [of_lines[place][group:stop] for place in chosen], [*map(offsets.__getitem__, chosen)]
                )

    def _number_words(self, kinds: Sequence[int], of_lines: Lines) -> None:
        """Numbers the words of lines in their order. kinds: by line that of its section"""
        words = list[bytes]()
        for kind, each in zip(kinds, of_lines, strict=True):
            if each[KIND]:
                if kind != HEAP_DUMP:
                    words += each[PRINTED:END] if each[DATE] else (each[PRINTED],)
            elif each[RANK]:
                if kind == MONITOR_TIME:
                    words.append(_name(kind, each[GROUPS - 1]))
            elif each[SITE]:
                words.append(each[RANK - 1])
            elif each[MONITOR] or each[DUMPED]:
                words.append(each[MONITOR] or each[OWNER - 1])
        self._tables.numbers("word", words)

    def _add_monitors(self, of_lines: Sequence[Sequence[bytes]], offsets: Sequence[int]) -> None:
        """Adds monitors and threads of monitor dumps, by the groups of lines."""
        tables = self._tables
        words = [each[MONITOR] or each[OWNER - 1] for each in of_lines if each[MONITOR] or each[DUMPED]]
        names = iter(tables.numbers("word", words))
        dumped, monitors, waiters = list[tuple[int, ...]](), list[list[int]](), list[int]()
        waiting = tables.length("waiter")
        for offset, each in zip(offsets, of_lines, strict=False):
            raw, name, unowned, thread, trace, _, owner, entries, reason, ids = each[RAW:SITE]
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
