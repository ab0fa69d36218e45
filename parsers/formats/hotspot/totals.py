"""Counts of a log: of each file alone, of the whole run, and of each JVM if several wrote it.

Elements, attributes and their values are named as in the log. Tasks in fragments are counted apart; all
else in fragments is not counted. A table contains its most frequent entries.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.hotspot.decisions.build import most_frequent
from parsers.formats.hotspot.decisions.decision_tables import ELEMENT, FRAGMENT_ELEMENT
from parsers.formats.hotspot.log.columns import (
    EVENT_KINDS,
    HAS_LEVEL,
    IN_FRAGMENT,
    IS_FINISHED,
    IS_OK,
    IS_OSR,
    IS_ZOMBIE,
    NO_LEVEL,
    NO_WORD,
    NOT_ENTRANT,
    EventKind,
)
from parsers.formats.hotspot.log.join import why_not_entrant
from parsers.formats.hotspot.log.part import LogFile
from parsers.formats.hotspot.log.read import tags
from parsers.model.distinct import distinct
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hotspot.decisions.build import DecisionCounts
    from parsers.model.arrays import AnyArray, I64Array

MOST, MOST_TRAPS = 10, 20
"""Maximum entries of a table; MOST_TRAPS: of the tables of fired traps and of reasons for not entrant."""
MOST_LISTED = 20
"""Maximum threads, and maximum tags in mid-line, that are listed."""
MOST_IDS = 1000
"""Maximum ids of tasks that are listed."""


@dataclass(frozen=True, slots=True)
class RowSubset:
    """The rows of one file, or of one JVM: their numbers in the columns."""

    tasks: I64Array
    events: I64Array
    threads: I64Array


WITH_OUTSIDE = ("elements", "fragment_elements")
"""Counts that include elements outside of tasks, whose JVM is unknown."""


class Totals:
    """Counts over the columns of a finished pass 1."""

    def __init__(self, column: Callable[[str], AnyArray], words: Sequence[bytes]) -> None:
        self._column = column
        self._words = words

    def of_files(
        self, parts: Sequence[LogFile], following: LogFile | None, task_counts: DecisionCounts, release: str | None
    ) -> dict[str, Any]:
        """Returns the counts of some files in sequence, as if nothing but them was read. following: the next file"""
        stops = [len(self._column(name)) for name in ("task_id", "event_id", "thread_id")]
        if following is not None:
            stops = [following.first_task, following.first_event, following.first_thread]
        firsts = (parts[0].first_task, parts[0].first_event, parts[0].first_thread)
        rows = RowSubset(*(np.arange(first, stop) for first, stop in zip(firsts, stops, strict=True)))
        totals = self._of_bytes(parts)
        if release is not None:
            totals["release"] = release
        totals |= self._of_structure(parts, rows) | self._of_tasks(rows) | self._of_events(rows, by_run=False)
        totals |= self._of_threads(rows) | task_counts.totals()
        failed = self._words_of("reason", self._kind(rows, EventKind.DEPENDENCY_FAILED))
        for part in parts:
            failed += named(part.failed_dependencies)
        totals["dependency_failed"] = failed.total()
        totals["dependency_failed_types"] = most_frequent(failed, MOST)
        elements, in_fragments = (Counter(task_counts.tables[kind]) for kind in (ELEMENT, FRAGMENT_ELEMENT))
        for part in parts:
            elements += part.outside
            in_fragments += part.outside_in_fragments
        totals["elements"] = dict(sorted(elements.items()))
        totals["fragment_elements"] = dict(sorted(in_fragments.items()))
        return totals

    def runs(self, processes: Sequence[int], decision_counts: Mapping[int, DecisionCounts]) -> list[dict[str, Any]]:
        """Returns name and totals of each JVM, if there are several. decision_counts: counts in the tasks of each"""
        column = self._column
        count = int(max(column(f"{kind}_run").max(initial=0) for kind in ("task", "event", "thread"))) + 1
        if count < 2:
            return []
        found = []
        for run in range(count):
            rows = RowSubset(*(np.flatnonzero(column(f"{kind}_run") == run) for kind in ("task", "event", "thread")))
            of_run = column("thread_process")[rows.threads]
            process = int(of_run[0]) if len(of_run) else processes[run] if run < len(processes) else run
            totals = self._of_tasks(rows) | self._of_events(rows, by_run=True) | self._of_threads(rows)
            task_counts = decision_counts[run].totals() if run in decision_counts else {}
            totals |= {name: count for name, count in task_counts.items() if name not in WITH_OUTSIDE}
            found.append({"name": f"process {process}", "totals": totals})
        return found

    @staticmethod
    def _of_bytes(parts: Sequence[LogFile]) -> dict[str, Any]:
        base = parts[0].base
        bad = [part.base - base + part.first_bad_utf8_byte for part in parts if part.first_bad_utf8_byte >= 0]
        mid_line = [[part.base - base + at, name] for part in parts for at, name in part.mid_line]
        totals: dict[str, Any] = {
            "bytes": sum(part.size for part in parts),
            "newlines": sum(part.newlines for part in parts),
            "nul_bytes": sum(part.nul_bytes for part in parts),
            "utf8": not bad,
            "xml_comments": sum(part.kinds[tags.COMMENT] for part in parts),
            "mid_line_tags": mid_line[:MOST_LISTED],
            "mid_line_tags_count": sum(part.mid_line_count for part in parts),
        }
        if bad:
            totals["first_bad_utf8_byte"] = bad[0]
        return totals

    def _of_structure(self, parts: Sequence[LogFile], rows: RowSubset) -> dict[str, Any]:
        def count(kind: int) -> int:
            return sum(part.kinds[kind] for part in parts)

        ids = {process for part in parts for _, process, _ in part.headers} | set(
            self._column("thread_process")[rows.threads].tolist()
        )
        return {
            "headers": count(tags.LOG),
            "processes": [str(process) for process in sorted(ids - {NONE})],
            "hotspot_log_done": count(tags.LOG_DONE),
            "compilation_logs": count(tags.COMPILATION_LOG),
            "start_compile_thread": count(tags.START),
            "fragments": count(tags.FRAGMENT),
            "fragment_open_at_end": any(part.fragment_is_open for part in parts),
        }

    def _of_threads(self, rows: RowSubset) -> dict[str, Any]:
        column = self._column
        started = rows.threads[column("thread_flags")[rows.threads] & IN_FRAGMENT == 0]
        ids = column("thread_id")[started].tolist()
        listed = [
            {
                "name": self._word(int(column("thread_name")[thread])),
                "thread": str(int(column("thread_id")[thread])),
                "process": str(int(column("thread_process")[thread])),
            }
            for thread in started[:MOST_LISTED]
        ]
        return {"compiler_threads": len(set(ids)), "threads": listed}

    def _of_tasks(self, rows: RowSubset) -> dict[str, Any]:
        column = self._column
        flags = column("task_flags")[rows.tasks]
        in_fragment = flags & IN_FRAGMENT != 0
        fragments, tasks = rows.tasks[in_fragment], rows.tasks[~in_fragment]
        flags = flags[~in_fragment]
        ids, levels = column("task_id")[tasks], self._levels(tasks)
        finished, good, osr = (flags & flag != 0 for flag in (IS_FINISHED, IS_OK, IS_OSR))
        _, repeated = np.unique(ids[ids != NONE], return_counts=True)
        _, again = np.unique(column("task_method")[tasks].astype(np.int64) << 9 | levels << 1 | osr, return_counts=True)
        done = column("task_done")[tasks] != NONE
        queued = self._kind(rows, EventKind.TASK_QUEUED)
        asked, last = np.unique(column("event_id")[queued][::-1], return_index=True)
        asked_level = np.append(column("event_level")[queued][::-1][last], 0)
        place = np.searchsorted(asked, ids)
        was_asked = np.isin(ids, asked)
        compiled = column("event_id")[self._kind(rows, EventKind.NMETHOD)]
        return {
            "tasks": len(tasks),
            "tasks_finished": int(finished.sum()),
            "tasks_unfinished": int((~finished).sum()),
            "tasks_unfinished_ids": ids[~finished][:MOST_IDS].tolist(),
            "tasks_in_fragments": len(fragments),
            "tasks_listed": len(tasks) + len(fragments),
            "fragment_task_ids": column("task_id")[fragments[:MOST_IDS]].tolist(),
            "tasks_ok": int(good.sum()),
            "tasks_failed": int((done & ~good).sum()),
            "repeated_compile_ids": int((repeated > 1).sum()),
            "compiled_again_same_level": int((again > 1).sum()),
            "by_level": counted(levels, lambda level: "none" if level == NO_LEVEL else str(level)),
            "by_kind": counted(osr, lambda is_osr: "osr" if is_osr else "normal"),
            "queued": len(queued),
            "queued_without_task": int((~np.isin(asked, ids)).sum()),
            "queued_other_level": int((was_asked & (asked_level[place] != levels)).sum()),
            "queue_comments": most_frequent(self._words_of("reason", queued), MOST),
            "nmethods_without_task": len(distinct(compiled[~np.isin(compiled, ids)])),
        }

    def _levels(self, tasks: I64Array) -> I64Array:
        """Returns the attribute `level` of tasks; NO_LEVEL where there is none."""
        has_level = self._column("task_flags")[tasks] & HAS_LEVEL != 0
        return np.where(has_level, self._column("task_level")[tasks], NO_LEVEL).astype(np.int64)

    def _of_events(self, rows: RowSubset, by_run: bool) -> dict[str, Any]:
        column = self._column
        counts = np.bincount(column("event_kind")[rows.events], minlength=len(EVENT_KINDS)).tolist()
        ended = self._kind(rows, EventKind.MAKE_NOT_ENTRANT)
        is_zombie = column("event_flags")[ended] & IS_ZOMBIE != 0
        first = ended[~is_zombie]
        why = column("event_action")
        if not by_run and column("event_run").any():
            # Several JVMs wrote this file: counted as if it was one, as a program would that reads the bytes alone.
            why = why.copy()
            all_first = (column("event_kind") == EventKind.MAKE_NOT_ENTRANT) & (column("event_flags") & IS_ZOMBIE == 0)
            why[all_first] = why_not_entrant(column, np.zeros(len(why), np.uint8))
        traps, deoptimized = self._kind(rows, EventKind.UNCOMMON_TRAP), self._kind(rows, EventKind.DEOPTIMIZED)
        return {
            "nmethods": counts[EventKind.NMETHOD],
            "not_entrant": len(first),
            "not_entrant_zombie": int(is_zombie.sum()),
            "make_unloaded": counts[EventKind.MAKE_UNLOADED],
            "not_entrant_compilers": most_frequent(self._words_of("compiler", first), MOST),
            "not_entrant_reasons": most_frequent(self._words_of("reason", first), MOST_TRAPS),
            "not_entrant_derived": counted(why[first], NOT_ENTRANT.__getitem__),
            "fired_traps": counts[EventKind.UNCOMMON_TRAP],
            "fired_trap_reasons": most_frequent(self._words_of("reason", traps), MOST_TRAPS),
            "deoptimized": counts[EventKind.DEOPTIMIZED],
            "deoptimized_reasons": self._reasons(deoptimized),
            "code_cache_full": counts[EventKind.CODE_CACHE_FULL],
            "sweeper": counts[EventKind.SWEEPER],
            "thread_logfiles": counts[EventKind.THREAD_LOGFILE],
        }

    def _reasons(self, events: I64Array) -> dict[str, int]:
        """Returns the reasons of events with counts; `null` for logs without reasons (JDK 8)."""
        words = self._words_of("reason", events)
        silent = len(events) - words.total()
        return most_frequent(words + Counter({"null": silent} if silent else {}), MOST)

    def _kind(self, rows: RowSubset, kind: int) -> I64Array:
        """Returns the events of a kind."""
        return np.asarray(rows.events[self._column("event_kind")[rows.events] == kind])

    def _words_of(self, name: str, events: I64Array) -> Counter[str]:
        """Counts each word in a column of events."""
        found: Counter[str] = Counter()
        numbers, counts = np.unique(self._column(f"event_{name}")[events], return_counts=True)
        for word, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            if word != NO_WORD:
                found[self._word(word)] += count
        return found

    def _word(self, word: int) -> str:
        return html.unescape(bytes(self._words[word]).decode("utf-8", "replace")) if word != NO_WORD else ""


def named(counts: Counter[str]) -> Counter[str]:
    """Returns the same counts under unescaped names."""
    found: Counter[str] = Counter()
    for name, count in counts.items():
        found[html.unescape(name)] += count
    return found


def counted(numbers: AnyArray, name: Callable[[int], str]) -> dict[str, int]:
    """Counts each number, by name, most frequent first."""
    unique, counts = np.unique(numbers, return_counts=True)
    return most_frequent(Counter(dict(zip(map(name, unique.tolist()), counts.tolist(), strict=True))))
