"""Columns of the tables of a profile: a row for each trace, thread, section, sample, object …

Numbers are as printed; texts are numbers of unique texts. There are four tables of texts. A *method* is `class.method`
of a frame or of a row. A *frame* is a whole line of a stack. A *class* is `name@id` of a heap dump (or `int[]` alone,
without id). A *word* is anything else: sources, names of threads, groups, monitors, fields, classes of sites. All are
bytes as in the file. NONE means missing. Offsets are bytes of the decompressed file.

References to traces are *rows of traces* everywhere (`*_trace`). Numbers without a TRACE record in the file have rows
of their own, after all others, with the flag IS_MISSING; so every row of traces exists.

Rows of a table are in file order. The rows of a section are a range: see SECTIONS.
"""

from __future__ import annotations

from parsers.heapdump.graph.columns import CUT_OBJECTS, HEAP, REFERENCES, REFERRERS, ROOTS
from parsers.model.none import NONE

NOWHERE = 0xFFFF_FFFF_FFFF_FFFF
"""No offset, no id, in columns of 64 bits."""

TRACES: dict[str, str] = {
    "trace_offset": "u8",  # of its TRACE line; NOWHERE for those that are missing
    "trace_serial": "u4",  # the number printed
    "trace_thread": "u4",  # id of the thread; NONE without thread=y
    "trace_first": "u4",  # its first frame in `stack`
    "trace_frames": "u4",  # number of its frames
    "trace_phase": "u1",  # index in PHASES
    "trace_flags": "u1",
}
HAS_CUT, IS_EMPTY, IS_REPEATED = 1, 2, 8
"""Bits of `trace_flags`, besides IS_MISSING: a frame is cut; `<empty>` is printed; an earlier trace has the number."""
PHASES = (b"", b"onload", b"primordial", b"start", b"live", b"dead")

STACK: dict[str, str] = {"stack": "u4"}
"""Frames (rows of FRAMES) of all traces, trace by trace, the innermost frame first."""

FRAMES: dict[str, str] = {
    "frame_method": "u4",
    "frame_source": "u4",  # a word: the text in the brackets before the last colon
    "frame_line": "u4",  # its number, or one of the following
}
UNKNOWN_LINE, NATIVE_METHOD, COMPILED_METHOD, NO_LINE, IS_CUT_LINE = (NONE - number for number in range(5))
"""`Unknown line`, `Native method`, `Compiled method`; brackets without a colon; the line is cut before its end."""
FIRST_SPECIAL_LINE = IS_CUT_LINE
"""Numbers from here on are not line numbers."""

THREADS: dict[str, str] = {
    "thread_start": "u8",  # offset of THREAD START; NOWHERE if there is none
    "thread_end": "u8",  # offset of THREAD END; NOWHERE if there is none
    "thread_object": "u8",
    "thread_id": "u4",
    "thread_name": "u4",  # a word
    "thread_group": "u4",  # a word
    "thread_flags": "u1",  # IS_CUT
}
"""A row for each START, and for each END without a START before it."""
IS_CUT = 1
"""Bit of all `*_flags`: a text is truncated in the file."""

SECTIONS: dict[str, str] = {
    "section_offset": "u8",  # of its BEGIN line
    "section_end": "u8",  # after its END line, or after its last line if there is none
    "section_total": "i8",  # printed after `total =`; IBM: samples; HEAP DUMP: objects; 0 if not printed
    "section_first": "u4",  # its first row in its table
    "section_rows": "u4",
    "section_more": "u4",  # HEAP DUMP: its first row in ROOTS; MONITOR DUMP: in DUMPED
    "section_more_rows": "u4",
    "section_printed": "u4",  # a word: the text in the brackets of BEGIN
    "section_date": "u4",  # a word; NONE if not printed
    "section_snapshot": "u4",  # number of its dump, from 0
    "section_kind": "u1",  # index in SECTION_KINDS
    "section_flags": "u1",  # HAS_END
}
SECTION_KINDS = ("CPU SAMPLES", "CPU TIME", "SITES", "HEAP DUMP", "MONITOR TIME", "MONITOR DUMP")
CPU_SAMPLES, CPU_TIME, SITES_KIND, MONITOR_TIME, MONITOR_DUMP = 0, 1, 2, 4, 5
"""Tables of their rows: RANKS for CPU SAMPLES, CPU TIME and MONITOR TIME; SITES; HEAP (OBJ, ARR, CLS); MONITORS."""

RANKS: dict[str, str] = {
    "rank_offset": "u8",
    "rank_count": "i8",  # as printed; if not printed, the nearest integer for its share
    "rank_self": "i8",  # in 1/100 %
    "rank_accum": "i8",  # in 1/100 %
    "rank_trace": "u4",  # NONE in CPU SAMPLES of IBM, whose rows have neither count nor trace
    "rank_name": "u4",  # a method, of IBM with its signature; in MONITOR TIME a word
    "rank_number": "u4",  # the rank printed
    "rank_flags": "u1",  # IS_CUT
}
"""Rows of CPU SAMPLES, CPU TIME and MONITOR TIME."""
HUNDREDTHS = 10_000
"""Units of `rank_self` and `rank_accum` in 100 %."""

SITES: dict[str, str] = {
    "site_offset": "u8",
    "site_live_bytes": "i8",
    "site_live_objects": "i8",
    "site_allocated_bytes": "i8",
    "site_allocated_objects": "i8",
    "site_self": "i8",  # in 1/100 %
    "site_accum": "i8",
    "site_trace": "u4",
    "site_class": "u4",  # a word
    "site_number": "u4",  # the rank printed
    "site_flags": "u1",  # IS_CUT
}

SUMMARIES: dict[str, str] = {
    "summary_offset": "u8",
    "summary_micros": "u8",  # since the time of the header
    "summary_live_bytes": "i8",
    "summary_live_objects": "i8",
    "summary_allocated_bytes": "i8",
    "summary_allocated_objects": "i8",
}
"""HEAP_SUMMARY records of binary files; text files have no equivalent."""

WAITS: dict[str, str] = {
    "wait_offset": "u8",
    "wait_millis": "i8",  # timeout, or duration of the wait
    "wait_monitor": "u4",  # a word; NONE for SLEEP
    "wait_thread": "u4",  # id
    "wait_kind": "u1",  # index in WAIT_KINDS
    "wait_flags": "u1",  # IS_CUT
}
"""Waits that monitor=y prints while the program runs."""
WAIT_KINDS = ("WAIT", "WAITED", "SLEEP", "EXIT")
WAIT, WAITED, SLEEP, EXIT = range(len(WAIT_KINDS))

DUMPED: dict[str, str] = {
    "dumped_offset": "u8",
    "dumped_thread": "u4",  # id
    "dumped_trace": "u4",
    "dumped_status": "u4",  # a word
}
"""THREAD lines of monitor dumps."""

MONITORS: dict[str, str] = {
    "monitor_offset": "u8",
    "monitor_entries": "i8",
    "monitor_name": "u4",  # a word, as printed: a signature; of the JVMPI agent with its id
    "monitor_owner": "u4",  # thread id; NONE if unowned
    "monitor_first": "u4",  # its first waiter in `waiter`
    "monitor_entering": "u4",  # number of threads waiting to enter: the first ones
    "monitor_notified": "u4",  # number of threads waiting to be notified: the next ones
    "monitor_flags": "u1",  # IS_CUT, IS_UNOWNED, IS_RAW
}
"""MONITOR blocks of monitor dumps, including repeated ones."""
IS_UNOWNED, IS_RAW = 2, 4

WAITERS: dict[str, str] = {"waiter": "u4"}
"""Ids of threads that wait for a monitor."""

PROBLEMS: dict[str, str] = {
    "problem_offset": "u8",
    "problem_value": "u8",  # MISSING_TRACE, REPEATED_TRACE: the number; else 0
    "problem_kind": "u1",  # index in PROBLEM_KINDS
}
"""Problems: the first KEPT_PROBLEMS of each kind, unordered."""
PROBLEM_KINDS = (
    "foreign line",
    "no row",
    "missing trace",
    "repeated trace",
    "cut",
    "second header",
    "overflow",
    "no profile",
    "many dumps",
)
(
    FOREIGN_LINE,
    NO_ROW,
    MISSING_TRACE,
    REPEATED_TRACE,
    CUT,
    SECOND_HEADER,
    OVERFLOW,
    NO_PROFILE,
    MANY_DUMPS,
) = range(len(PROBLEM_KINDS))
KEPT_PROBLEMS = 1000

TABLES: dict[str, dict[str, str]] = {
    "trace": TRACES,
    "stack": STACK,
    "frame": FRAMES,
    "thread": THREADS,
    "section": SECTIONS,
    "rank": RANKS,
    "site": SITES,
    "summary": SUMMARIES,
    "wait": WAITS,
    "dumped": DUMPED,
    "monitor": MONITORS,
    "waiter": WAITERS,
    "object": HEAP,
    "cut": CUT_OBJECTS,
    "reference": REFERENCES,
    "referrer": REFERRERS,
    "root": ROOTS,
    "problem": PROBLEMS,
}
"""All tables. The length of a table is that of its first column."""
COLUMNS: dict[str, str] = {name: type for columns in TABLES.values() for name, type in columns.items()}
"""All columns by name, with their numpy types."""

TEXT_TABLES = ("method", "frame", "class", "word")
TEXTS: dict[str, str] = {
    name: type for table in TEXT_TABLES for name, type in ((f"{table}_starts", "u8"), (f"{table}_bytes", "u1"))
}
"""Unique texts: the start of each, and the end of the last one; the bytes."""

KNOWN: dict[str, str] = {"known_objects": "u8", "known_bytes": "u8", "known_printed": "u8"}
"""By class, while an index is built: objects of the dump being read, their bytes in the heap, their sz."""

LINE_BLOCK = 64 << 10
"""Bytes of a block; `lines` has the number of line ends before each block."""
LINES: dict[str, str] = {"lines": "u4"}

PUBLISHED: dict[str, str] = {**TRACES, **STACK, **KNOWN, **TEXTS}
"""Arrays that readers may use while they grow. Rows of traces and frames are final; for classes see KNOWN."""
