"""Tables of a compilation log: tasks, decisions in them, and the events of the virtual machine about compiled code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.formats.hotspot.aggregates.deoptimisation_table import FIRED, NEVER
from parsers.formats.hotspot.decisions.compile_decisions import CompileDecisions
from parsers.formats.hotspot.decisions.decision_tables import FAILED, INLINED, INTRINSIC
from parsers.formats.hotspot.log.columns import (
    EVENT_KINDS,
    IN_FRAGMENT,
    IS_FINISHED,
    IS_NATIVE,
    IS_OK,
    IS_OSR,
    IS_ZOMBIE,
    NO_LEVEL,
    NO_WORD,
    NOT_ENTRANT,
    EventKind,
)
from parsers.formats.hotspot.names import value
from parsers.formats.hotspot.tasks.joins import TaskJoins
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.tables.column_values import (
    Known,
    Named,
    ReadColumn,
    TableColumn,
    TextArrays,
    Values,
    gathered,
    headed,
    python_texts,
    text_arrays,
    unless,
    whole,
)
from parsers.model.tables.table import SqlView, Table, Tables, TableSet, TableType

if TYPE_CHECKING:
    from parsers.formats.hotspot.report import HotSpotReport
    from parsers.model.arrays import I64Array

    OfEvents = Callable[[str], I64Array]

REF_OF_TASK = TableColumn("ref", "VARCHAR", "REF of its task", is_nullable=True)
REF_OF_EVENT = TableColumn("ref", "VARCHAR", "REF of its task, else of its method", is_nullable=True)
RUN = TableColumn("run", "INTEGER", "virtual machine, from 1, if several wrote the log")
ABOUT_CODE = (
    TableColumn("compile_id", "BIGINT", "compile id", is_nullable=True),
    TableColumn("task_id", "BIGINT", "its task", is_nullable=True, key="task"),
    TableColumn("method", "VARCHAR", "method", is_nullable=True),
    TableColumn("level", "INTEGER", "tier, if it is written", is_nullable=True),
    TableColumn("stamp", "BIGINT", "time since the start of the virtual machine", "ms", is_nullable=True),
    TableColumn("position", "BIGINT", "offset in the files of the run, one after the other", "bytes"),
    RUN,
    REF_OF_EVENT,
)
TASK = TableType(
    "task",
    "Compile tasks, in the order of the files.",
    (
        TableColumn("task_id", "BIGINT", "number of the task"),
        TableColumn("compile_id", "BIGINT", "compile id", is_nullable=True),
        TableColumn("method", "VARCHAR", "compiled method", is_nullable=True),
        TableColumn("level", "INTEGER", "tier", is_nullable=True),
        TableColumn("is_osr", "BOOLEAN", "true for on-stack replacement"),
        TableColumn("result", "VARCHAR", "ok, failed, unfinished; or in a fragment", is_interned=True),
        TableColumn("is_finished", "BOOLEAN", "true if its end is in the log"),
        TableColumn("failure", "VARCHAR", "reason of the failure", is_nullable=True),
        TableColumn("thread", "BIGINT", "id of its compiler thread", is_nullable=True),
        TableColumn(
            "queued", "BIGINT", "time of queueing since the start of the virtual machine", "ms", is_nullable=True
        ),
        TableColumn("begun", "BIGINT", "time of its begin", "ms", is_nullable=True),
        TableColumn("done", "BIGINT", "time of its end", "ms", is_nullable=True),
        TableColumn("took", "BIGINT", "compile time", "ms", is_nullable=True),
        TableColumn("code_bytes", "BIGINT", "size of the code", "bytes", is_nullable=True),
        TableColumn("inlined_bytes", "BIGINT", "bytecode that was inlined", "bytes", is_nullable=True),
        TableColumn("position", "BIGINT", "offset in the files of the run, one after the other", "bytes"),
        RUN,
        TableColumn("ref", "VARCHAR", "REF of the task"),
    ),
)
INLINING = TableType(
    "inlining",
    "Call sites with an outcome of inlining, all compilations of a site together.",
    (
        TableColumn("inlining_id", "BIGINT", "number of the row"),
        TableColumn("decision", "VARCHAR", "failed, inlined or intrinsic", is_interned=True),
        TableColumn("reason", "VARCHAR", "reason, as the compiler writes it", is_interned=True),
        TableColumn("caller", "VARCHAR", "calling method"),
        TableColumn("bci", "BIGINT", "bytecode of the call", is_nullable=True),
        TableColumn("callee", "VARCHAR", "called method"),
        TableColumn("count", "BIGINT", "decisions in installed code"),
        TableColumn("executions", "BIGINT", "highest number of executions that a compiler knew"),
        TableColumn("task_id", "BIGINT", "a task that contains it", is_nullable=True, key="task"),
        RUN,
        REF_OF_TASK,
    ),
)
TRAP = TableType(
    "trap",
    "Bytecodes with uncommon traps that were compiled in, or fired.",
    (
        TableColumn("trap_id", "BIGINT", "number of the row"),
        TableColumn("reason", "VARCHAR", "reason", is_interned=True),
        TableColumn("action", "VARCHAR", "action when it fires", is_interned=True),
        TableColumn("method", "VARCHAR", "method with the trap", is_nullable=True),
        TableColumn("bci", "BIGINT", "bytecode", is_nullable=True),
        TableColumn("fired", "BIGINT", "times that it fired"),
        TableColumn("compiled_in", "BIGINT", "times that it is in installed code"),
        TableColumn("recompiled", "BIGINT", "compilations of the method since, at the same level"),
        RUN,
        TableColumn("ref", "VARCHAR", "REF of the method", is_nullable=True),
    ),
)
DEOPTIMIZATION = TableType(
    "deoptimization",
    "Events that ended compiled code, or may: traps that fired, code made not entrant, failed dependencies …",
    (
        TableColumn("deoptimization_id", "BIGINT", "number of the event"),
        TableColumn("kind", "VARCHAR", "name of the element", is_interned=True),
        TableColumn("reason", "VARCHAR", "reason", is_nullable=True),
        TableColumn("action", "VARCHAR", "action of a trap; cause of code made not entrant", is_nullable=True),
        TableColumn("bci", "BIGINT", "bytecode of a trap", is_nullable=True),
        TableColumn("is_zombie", "BOOLEAN", "true for code that was swept"),
        *ABOUT_CODE,
    ),
)
QUEUE = TableType(
    "queue",
    "Requests to compile.",
    (
        TableColumn("queue_id", "BIGINT", "number of the request"),
        TableColumn("comment", "VARCHAR", "comment", is_nullable=True),
        TableColumn("is_osr", "BOOLEAN", "true for on-stack replacement"),
        *ABOUT_CODE,
    ),
)
CODE = TableType(
    "nmethod",
    "Compiled code that was installed.",
    (
        TableColumn("nmethod_id", "BIGINT", "number of the code"),
        TableColumn("compiler", "VARCHAR", "compiler", is_nullable=True),
        TableColumn("size", "BIGINT", "size", "bytes", is_nullable=True),
        TableColumn("is_native", "BOOLEAN", "true for wrappers of native methods"),
        *ABOUT_CODE,
    ),
)
PHASE = TableType(
    "phase",
    "Phases of compilers by tier.",
    (
        TableColumn("phase_id", "BIGINT", "number of the row"),
        TableColumn("name", "VARCHAR", "name, after those of the phases around it"),
        TableColumn("level", "INTEGER", "tier", is_nullable=True),
        TableColumn("count", "BIGINT", "times it ran"),
        TableColumn("total", "BIGINT", "time of all", "ms"),
        TableColumn("longest", "BIGINT", "longest time", "ms"),
        TableColumn("task_id", "BIGINT", "the task with the longest time", is_nullable=True, key="task"),
        REF_OF_TASK,
    ),
)
VIEWS = (
    SqlView(
        "inlining_failures",
        "reasons why calls were not inlined, as the view Inlining failures",
        "SELECT reason, sum(executions) AS count, sum(count) AS failed, count(*) AS sites FROM inlining"
        " WHERE decision = 'failed' GROUP BY reason ORDER BY count DESC, reason",
    ),
    SqlView(
        "fired_traps",
        "traps by reason, as the view Deoptimisations",
        "SELECT reason, action, sum(fired) AS fired, sum(compiled_in) AS compiled_in FROM trap GROUP BY ALL"
        " ORDER BY fired DESC, compiled_in DESC, reason, action",
    ),
    SqlView(
        "compile_times",
        "compile time by tier, as the view Compile time",
        "SELECT level, count(*) AS tasks, coalesce(sum(took), 0) AS took, coalesce(sum(code_bytes), 0) AS code_bytes"
        " FROM task GROUP BY level ORDER BY took DESC, level",
    ),
)
LOG_TABLES = TableSet(
    (TASK, INLINING, TRAP, DEOPTIMIZATION, QUEUE, CODE, PHASE),
    VIEWS,
    (
        (
            "Which tasks took longest?",
            "SELECT method, level, took, code_bytes, ref FROM task ORDER BY took DESC NULLS LAST, task_id LIMIT 10",
        ),
        (
            "Which methods were compiled again and again?",
            "SELECT method, level, count(*) AS tasks FROM task WHERE NOT is_osr GROUP BY ALL HAVING count(*) > 1"
            " ORDER BY tasks DESC, method LIMIT 10",
        ),
        (
            "Why was code made not entrant, after how long?",
            "SELECT coalesce(deoptimization.reason, action) AS cause, count(*) AS events,"
            " avg(deoptimization.stamp - task.done) AS lived FROM deoptimization JOIN task USING (task_id)"
            " WHERE kind = 'make_not_entrant' GROUP BY ALL ORDER BY events DESC, cause",
        ),
    ),
)
ENDINGS = (
    EventKind.UNCOMMON_TRAP,
    EventKind.MAKE_NOT_ENTRANT,
    EventKind.DEOPTIMIZED,
    EventKind.DEPENDENCY_FAILED,
    EventKind.MAKE_UNLOADED,
    EventKind.MAKE_NOT_COMPILABLE,
)
STORED = {
    "compile_id": "id",
    "position": "start",
    "code_bytes": "code",
    "inlined_bytes": "inlined",
    "executions": "profile_count",
    "size": "value",
}
"""Stored names of columns that have other names for SQL."""
RESULTS = ("ok", "failed", "unfinished", "in a fragment")
DECISIONS = {FAILED: "failed", INLINED: "inlined", INTRINSIC: "intrinsic"}


def log_tables(report: HotSpotReport) -> Tables:
    """Returns the tables of a log."""
    return _LogTables(report).tables()


class _LogTables:
    """Columns of the tables."""

    def __init__(self, report: HotSpotReport) -> None:
        self._log = report.log
        self._joins = TaskJoins(report.log)
        assert report.log.tables is not None
        self._decisions = CompileDecisions(report.log, report.log.tables)

    def tables(self) -> Tables:
        """Returns the tables."""
        found = (self._tasks(), self._inlining(), self._traps(), self._endings(), self._queue(), self._code())
        return Tables((*found, self._phases()), VIEWS)

    def _column(self, name: str) -> I64Array:
        return np.asarray(self._decisions.column(name)).astype(np.int64)

    # -- texts --------------------------------------------------------------------------------------------------------

    @cached_property
    def _methods(self) -> TextArrays:
        decisions = self._decisions
        return text_arrays(decisions.method(method).label for method in range(decisions.methods))

    @cached_property
    def _words(self) -> TextArrays:
        return text_arrays(map(value, self._log.words))

    @cached_property
    def _own_words(self) -> TextArrays:
        count = len(self._decisions.column("decisions_word_starts")) - 1
        return text_arrays(self._decisions.word(word) for word in range(count))

    def _method(self, numbers: I64Array) -> TextArrays:
        return gathered(Named(np.where(numbers == NONE, -1, numbers), self._methods))

    def _known_method(self, numbers: I64Array) -> TextArrays:
        """Methods; `?` for one that the log does not name."""
        found = text_arrays([*_listed(self._methods), "?"])
        return gathered(Named(np.where(numbers == NONE, len(found.starts) - 2, numbers), found))

    def _word(self, numbers: I64Array) -> TextArrays:
        return gathered(Named(np.where(numbers == NO_WORD, -1, numbers), self._words))

    def _refs(self, tasks: I64Array) -> TextArrays:
        refs = self._task_refs
        return text_arrays(refs[task] if task != NONE else None for task in tasks.tolist())

    @cached_property
    def _task_refs(self) -> list[str]:
        return [self._joins.ref_of_task(task) for task in range(self._log.tasks)]

    def _table(
        self, type: TableType, prefix: str, own: Mapping[str, Callable[[], Values]], rows: int | I64Array
    ) -> Table:
        """Returns a table of stored columns, whose names have a prefix, and of its own columns.

        rows  numbers of the stored rows that the table has; or the number of all
        """

        def stored(column: TableColumn) -> ReadColumn:
            name = STORED.get(column.name, column.name.removesuffix("_id"))
            return whole(lambda: as_declared(column, self._column(f"{prefix}_{name}")[slice(None) if is_all else rows]))

        is_all = isinstance(rows, int)
        count = rows if isinstance(rows, int) else len(rows)
        return Table(type, lambda: count, {name: whole(make) for name, make in own.items()}, other=stored)

    # -- tasks --------------------------------------------------------------------------------------------------------

    def _tasks(self) -> Table:
        def took() -> Values:
            begun, done = self._column("task_begun"), self._column("task_done")
            return Known(np.maximum(done - begun, 0), (begun != NONE) & (done != NONE))

        def results() -> Values:
            flags = self._column("task_flags")
            kinds = np.where(flags & IS_OK != 0, 0, np.where(flags & IS_FINISHED != 0, 1, 2))
            return Named(np.where(flags & IN_FRAGMENT != 0, 3, kinds), text_arrays(RESULTS))

        def queued() -> Values:
            stamps = np.append(self._column("event_stamp"), NONE)
            events = self._column("task_queued")
            return unless(stamps[np.minimum(events, len(stamps) - 1)], NONE)

        def threads() -> Values:
            ids, numbers = self._column("thread_id"), self._column("task_thread")
            is_known = numbers < len(ids)
            return Known(np.append(ids, 0)[np.where(is_known, numbers, -1)], is_known)

        own = {
            "method": lambda: self._method(self._column("task_method")),
            "is_osr": lambda: self._column("task_flags") & IS_OSR != 0,
            "result": results,
            "is_finished": lambda: self._column("task_flags") & IS_FINISHED != 0,
            "failure": lambda: self._word(self._column("task_reason")),
            "thread": threads,
            "queued": queued,
            "took": took,
            "ref": lambda: text_arrays(self._task_refs),
        }
        return self._table(TASK, "task", own, self._log.tasks)

    # -- decisions ----------------------------------------------------------------------------------------------------

    def _sites(self, kinds: Sequence[int]) -> I64Array:
        return np.flatnonzero(np.isin(self._column("decisions_site_kind"), kinds))

    def _inlining(self) -> Table:
        rows = self._sites(list(DECISIONS))

        def of(name: str) -> I64Array:
            return self._column(f"decisions_site_{name}")[rows]

        def decisions() -> Values:
            return Named(of("kind"), text_arrays(DECISIONS[kind] for kind in sorted(DECISIONS)))

        own: dict[str, Callable[[], Values]] = {
            "decision": decisions,
            "reason": lambda: Named(of("reason"), self._own_words),
            "caller": lambda: self._known_method(of("caller")),
            "callee": lambda: self._known_method(of("callee")),
            "task_id": lambda: unless(self._task_of_sites(rows), NONE),
            "ref": lambda: self._refs(self._task_of_sites(rows)),
        }
        return self._table(INLINING, "decisions_site", own, rows)

    def _task_of_sites(self, rows: I64Array) -> I64Array:
        """The first task of each site; NONE without one."""
        firsts, tasks = self._column("decisions_site_first"), np.append(self._column("decisions_site_task"), NONE)
        return np.where(firsts[rows] < firsts[rows + 1], tasks[firsts[rows]], NONE)

    def _traps(self) -> Table:
        """Places of the reasons of traps, from the tables of the view "Deoptimisations"."""

        def owners(name: str, rows: I64Array) -> I64Array:
            """By child the entry that it belongs to, by the first child of each entry."""
            return np.searchsorted(self._column(name), rows, "right") - 1

        places = np.arange(len(self._column("deopt_bci")))
        methods = owners("deopt_method_first", places)
        groups = owners("deopt_first", methods)
        is_trap = np.isin(self._column("deopt_type")[groups], (FIRED, NEVER))
        places, methods, groups = places[is_trap], methods[is_trap], groups[is_trap]

        def of(name: str) -> I64Array:
            return self._column(f"deopt_{name}")

        def refs() -> Values:
            labels = python_texts(self._method(of("method")[methods]))
            return text_arrays(None if label is None else f"method:{label}" for label in labels)

        own: dict[str, Callable[[], Values]] = {
            "reason": lambda: Named(of("reason")[groups], self._own_words),
            "action": lambda: Named(of("action")[groups], self._own_words),
            "method": lambda: self._method(of("method")[methods]),
            "fired": lambda: of("place_fired")[places],
            "compiled_in": lambda: of("place_emitted")[places],
            "recompiled": lambda: of("place_again")[places],
            "run": lambda: of("run")[groups] + 1,
            "ref": refs,
        }
        return self._table(TRAP, "deopt", own, places)

    def _phases(self) -> Table:
        def names() -> Values:
            parents, words = (self._column(f"decisions_phase_{name}").tolist() for name in ("parent", "name"))
            paths: list[str] = []
            for parent, word in zip(parents, words, strict=True):
                name = self._decisions.word(word)
                paths.append(name if parent < 0 or parent >= len(paths) else f"{paths[parent]} / {name}")
            return text_arrays(paths[path] for path in self._column("decisions_time_path").tolist())

        own = {"name": names, "ref": lambda: self._refs(self._column("decisions_time_task"))}
        return self._table(PHASE, "decisions_time", own, len(self._column("decisions_time_path")))

    # -- events -------------------------------------------------------------------------------------------------------

    def _events(self, type: TableType, kinds: Sequence[int], more: Callable[[OfEvents], Mapping[str, Any]]) -> Table:
        """A table of events of some kinds. more: returns its own columns; it gets a reader of stored columns"""
        rows = np.flatnonzero(np.isin(self._column("event_kind"), kinds))

        def of(name: str) -> I64Array:
            return self._column(f"event_{name}")[rows]

        own = {
            "method": lambda: self._method(of("method")),
            "ref": lambda: self._event_refs(of("task"), of("method")),
        }
        return self._table(type, "event", {**more(of), **own}, rows)

    def _event_refs(self, tasks: I64Array, methods: I64Array) -> TextArrays:
        """REFs of tasks; of an event without one that of its method."""
        labels, refs = self._methods, self._task_refs
        named = _listed(headed("method:", labels))
        pairs = zip(tasks.tolist(), methods.tolist(), strict=True)
        return text_arrays(
            refs[task] if task != NONE else named[method] if method != NONE else None for task, method in pairs
        )

    def _endings(self) -> Table:
        return self._events(
            DEOPTIMIZATION,
            ENDINGS,
            lambda of: {
                "kind": lambda: Named(of("kind"), text_arrays(EVENT_KINDS)),
                "reason": lambda: self._word(of("reason")),
                "action": lambda: self._actions(of("kind"), of("action")),
                "is_zombie": lambda: of("flags") & IS_ZOMBIE != 0,
            },
        )

    def _actions(self, kinds: I64Array, actions: I64Array) -> TextArrays:
        """Actions of traps are words; the causes of code made not entrant are numbers of NOT_ENTRANT."""
        words, ended = _listed(self._words), int(EventKind.MAKE_NOT_ENTRANT)
        return text_arrays(
            None if action == NO_WORD else NOT_ENTRANT[action] if kind == ended else words[action]
            for kind, action in zip(kinds.tolist(), actions.tolist(), strict=True)
        )

    def _queue(self) -> Table:
        return self._events(
            QUEUE,
            [EventKind.TASK_QUEUED],
            lambda of: {
                "comment": lambda: self._word(of("reason")),
                "is_osr": lambda: of("flags") & IS_OSR != 0,
            },
        )

    def _code(self) -> Table:
        return self._events(
            CODE,
            [EventKind.NMETHOD],
            lambda of: {
                "compiler": lambda: self._word(of("compiler")),
                "is_native": lambda: of("flags") & IS_NATIVE != 0,
            },
        )


def as_declared(column: TableColumn, numbers: I64Array) -> Values:
    """Returns stored numbers as those of a column: NULL where there is none, runs from 1."""
    if column is RUN:
        return numbers + 1
    return unless(numbers, NO_LEVEL if column.name == "level" else NONE) if column.is_nullable else numbers


def _listed(texts: TextArrays) -> list[str]:
    return [text or "" for text in python_texts(texts)]
