"""Every total that counts rows, or adds up a column, is reproduced by a query, for every sample.

One query reads each table once. Totals that are no such sums are listed, so that a new total needs one or the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import CORPUS, sample_path, samples

from parsers.model.report import Report
from parsers.reporting.sql.database import Database, quoted
from parsers.runtime.opening import open_report

FILES = CORPUS.parent
Sums = Mapping[str, Mapping[str, str]]
"""By table: aggregates of its rows, by the name of the total."""


def kinds(**names: str) -> dict[str, str]:
    """Numbers of rows of a kind."""
    return counts("kind", **names)


def counts(column: str, **values: str) -> dict[str, str]:
    """Numbers of rows with a value."""
    return {total: f"count(*) FILTER ({column} = '{value}')" for total, value in values.items()}


def flat(prefix: str, totals: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Totals by name; parts of nested ones are joined by dots."""
    for name, value in totals.items():
        if isinstance(value, Mapping):
            yield from flat(f"{prefix}{name}.", value)
        else:
            yield prefix + name, value


def check(
    report: Report,
    sums: Sums,
    more: Mapping[str, tuple[str, str]] | None = None,
    others: frozenset[str] | set[str] = frozenset(),
    totals: Mapping[str, Any] | None = None,
    by_value: Mapping[str, str] | None = None,
) -> None:
    """Compares the totals with the sums.

    more      queries over several tables, each with the tables
    others    beginnings of the names of totals that are no sums of rows
    by_value  queries of totals by some value
    """
    named = dict(flat("", report.totals if totals is None else totals))
    asked = {name for aggregates in sums.values() for name in aggregates} | {*(more or {})}
    assert [name for name in named if name not in asked and not name.startswith(tuple(others))] == []
    found: dict[str, Any] = {}
    database = Database({"report": report.tables})
    for table, aggregates in sums.items():
        wanted = {name: each for name, each in aggregates.items() if name in named}
        if table not in report.tables or not wanted:
            found |= dict.fromkeys(wanted, 0)
            continue
        selected = ", ".join(f"coalesce({each}, 0)" for each in wanted.values())
        ((*values,),) = database.run(f"SELECT {selected} FROM {quoted(table)}").rows()
        found |= dict(zip(wanted, values, strict=True))
    for name, (query, names) in (more or {}).items():
        if name in named:
            is_there = all(each in report.tables for each in names.split())
            ((found[name],),) = database.run(query).rows() if is_there else [(0,)]
    for name, query in (by_value or {}).items():
        assert dict(database.run(query).rows()) == report.totals.get(name, {})
    database.close()
    assert {name: float(value) for name, value in found.items()} == {name: float(named[name]) for name in found}


def opened(*paths: Path) -> Report:
    """A complete report."""
    report = open_report([str(path) for path in paths])
    report.wait()
    return report


# -- GraalVM ----------------------------------------------------------------------------------------------------------

DECLARED = "FILTER (line IS NOT NULL)"
CALLS: Sums = {
    "entry": {**kinds(entries="entry"), "parsing_reasons": "count(reason)"},
    "call": {
        **kinds(
            direct_calls="direct call",
            virtual_calls="virtual call",
            interface_calls="interface call",
            overridden_by="overridden by",
            implemented_by="implemented by",
            unknown_rows="unknown",
        ),
        "id_refs": "count(*) FILTER (is_reference)",
        "virtual_without_callees": "count(*) FILTER (kind IN ('virtual call', 'interface call') AND rows_below = 0)",
        "negative_bci": "count(*) FILTER (bci LIKE '-%')",
        "chained_bci": "count(*) FILTER (bci LIKE '%->%')",
    },
    "method": {
        "ids": f"count(id) {DECLARED}",
        "max_id": f"coalesce(max(id) {DECLARED}, -1)",
        "id_gaps": f"max(id) {DECLARED} + 1 - count(DISTINCT id) {DECLARED}",
        "call_sites": "sum(calls_in) FILTER (id IS NOT NULL)",
        "max_distance": f"coalesce(max(distance) {DECLARED}, -1)",
        "unique_names": "count(DISTINCT name)",
    },
    "class": {"classes": "count(*)"},
    "package": {"packages": "count(*)"},
}
OVER_CALLS = {
    "rows": ("SELECT (SELECT count(*) FROM entry) + (SELECT count(*) FROM call)", "entry call"),
    "max_depth": (
        "SELECT max(depth) FROM (SELECT depth FROM call UNION SELECT 0 FROM entry UNION SELECT -1)",
        "entry call",
    ),
    "duplicate_ids": (
        """SELECT (SELECT count(*) FROM call WHERE is_declaration) + (SELECT count(*) FROM entry WHERE is_declaration)
        - (SELECT count(line) FROM method)""",
        "call entry method",
    ),
    "forward_refs": (
        """SELECT count(*) FROM call JOIN method ON callee_id = method_id
        WHERE is_reference AND call.line < method.line""",
        "call method",
    ),
    "dangling_refs": (
        "SELECT count(*) FROM call JOIN method ON callee_id = method_id WHERE is_reference AND method.line IS NULL",
        "call method",
    ),
    "edges": (
        """SELECT count(*) FROM (SELECT DISTINCT caller_id, callee_id FROM call
        JOIN method ON callee_id = method_id WHERE id IS NOT NULL AND caller_id IS NOT NULL)""",
        "call method",
    ),
}  # fmt: skip
OF_LINES = {"bytes", "lines", "blank_lines", "max_line_bytes", "continuation_lines", "stray_lines"}
"""Totals about the lines of a file."""


@pytest.mark.parametrize(("case", "name"), samples("graalvm-call-tree"))
def test_totals_of_a_call_tree_are_sums_over_its_tables(case: str, name: str):
    report = opened(sample_path(case, name))
    check(report, CALLS, OVER_CALLS, OF_LINES | {"max_children"})
    report.close()


@pytest.mark.parametrize(("case", "name"), samples("graalvm-call-tree-csv"))
def test_totals_of_tables_as_csv_are_sums_over_those_of_the_tree(case: str, name: str):
    report = opened(*sorted((CORPUS / case / "reports").glob(f"{name}*")))
    # The names of all methods of the files, of which some are in no row.
    printed = {name: each for name, each in report.facts["as_tree"].items() if name != "unique_names"}
    check(report, CALLS, OVER_CALLS, OF_LINES | {"max_children"}, printed)
    report.close()


OBJECTS: Sums = {
    "root": {
        "roots": "count(*)",
        "roots_expanded": "count(*) FILTER (contents IN ('value', 'open'))",
        "roots_ref": "count(*) FILTER (contents IS NULL)",
        **counts("contents", roots_suppressed="suppressed"),
    },
    "object": {
        "objects": "count(line)",
        **counts(
            "contents",
            with_fields="fields",
            no_fields="no_fields",
            with_elements="elements",
            no_elements="no_elements",
        ),
        "max_id": f"coalesce(max(id) {DECLARED}, -1)",
        "id_gaps": f"max(id) {DECLARED} + 1 - count(id) {DECLARED}",
    },
    "type": {"types": "count(*)"},
    "field": {
        "fields": "count(*)",
        **counts("contents", fields_null="null", fields_value="value", fields_suppressed="suppressed"),
    },
    "reference": {
        "elements": "count(*) FILTER (is_element)",
        "elements_suppressed": "count(*) FILTER (is_element AND kind = 'value')",
        "values_suppressed": "count(*) FILTER (NOT is_element AND kind = 'value')",
    },
}
OVER_OBJECTS = {
    "suppressed": (
        """SELECT (SELECT count(*) FROM reference WHERE kind = 'value')
        + (SELECT count(*) FROM field WHERE contents = 'suppressed')
        + (SELECT count(*) FROM root WHERE contents = 'suppressed')""",
        "reference field root",
    ),
    "id_refs": (
        """SELECT (SELECT count(*) FROM reference WHERE is_reference)
        + (SELECT count(*) FROM root WHERE contents IS NULL)""",
        "reference root",
    ),
}  # fmt: skip
NOT_OF_OBJECTS = {
    "rows", "null_rows", "unknown_rows", "duplicate_ids", "forward_refs", "dangling_refs", "max_depth", "max_children",
    "nul_bytes", "control_characters",
}  # fmt: skip
"""Totals about rows that are in no table, damage, and characters of the file."""


@pytest.mark.parametrize(("case", "name"), samples("graalvm-object-tree"))
def test_totals_of_an_object_tree_are_sums_over_its_tables(case: str, name: str):
    report = opened(sample_path(case, name))
    check(report, OBJECTS, OVER_OBJECTS, OF_LINES | NOT_OF_OBJECTS)
    report.close()


SIDE: dict[str, tuple[str, dict[str, str]]] = {
    "analysis_heap_histogram": ("heap_histogram", {"objects": "sum(count)"}),
    "used_classes": ("used_class", {}),
    "used_methods": ("used_method", {}),
    "used_packages": ("used_package", {}),
    "class_initialization_report": ("class_initialization", {}),
    "class_initialization_configuration": ("class_initialization_configuration", {}),
    "class_initialization_dependencies": (
        "class_initialization_dependency",
        {
            "classes": "count(*) FILTER (kind = 'class')",
            "unsafe": "count(*) FILTER (safety = 'unsafe' AND kind = 'class')",
            "dependencies": "count(*) FILTER (depth = 1)",
        },
    ),
    "substitutions": ("substitution", {}),
    "feature_report": ("feature", {}),
    "target_info": ("target_info", {}),
    "native_library_info": ("native_library_info", {}),
    "trace_types": ("trace", {}),
}
"""By the beginning of the file's name: the table, and its totals besides `rows`."""
SIDE_FILES = [path for name in SIDE for path in sorted(CORPUS.glob(f"*/reports/{name}_*"))]


@pytest.mark.parametrize("path", SIDE_FILES, ids=lambda path: f"{path.parent.parent.name}-{path.name}")
def test_totals_of_a_list_are_sums_over_its_table(path: Path):
    report = opened(path)
    table, totals = SIDE[next(name for name in SIDE if path.name.startswith(f"{name}_"))]
    check(report, {table: {"rows": "count(*)", **totals}}, others={"bytes", "lines"})
    report.close()


# -- HPROF ------------------------------------------------------------------------------------------------------------

HPROF = FILES / "hprof"
SECTIONS = {
    f"{kind.lower().replace(' ', '_')}_{total}": f"{each} FILTER (kind = '{kind}')"
    for kind in ("CPU SAMPLES", "CPU TIME", "SITES", "HEAP DUMP", "MONITOR TIME", "MONITOR DUMP")
    for total, each in (("sections", "count(*)"), ("total", "sum(total)"))
}
ROWS_OF_SECTIONS = {
    "cpu_samples_rows": "sum(rows) FILTER (kind = 'CPU SAMPLES')",
    "cpu_time_rows": "sum(rows) FILTER (kind = 'CPU TIME')",
}
HEAP = {
    "object": {
        "objects": "count(*) FILTER (kind <> 'class object')",
        "heap_dump_rows": "count(*) FILTER (kind <> 'class object')",
        "shallow_bytes": "sum(shallow) FILTER (kind <> 'class object')",
        "class_bytes": "sum(shallow) FILTER (kind = 'class object')",
        "classes_with_instances": "count(DISTINCT class_id) FILTER (kind <> 'class object')",
        "references": "sum(references_out)",
        "reachable_objects": "count(*) FILTER (is_reachable)",
        "reachable_bytes": "sum(shallow) FILTER (is_reachable)",
        "unreachable_objects": "count(*) FILTER (is_reachable IS NOT TRUE)",
        "strings": "count(*) FILTER (class = 'java.lang.String')",
    },
    "root": {
        "roots": "count(*)",
        "roots_dangling": "count(*) FILTER (object_id IS NULL AND address <> '0x0')",
        "root_objects": "count(DISTINCT object_id)",
        "threads": "count(*) FILTER (kind = 'thread' AND object_id IS NOT NULL)",
    },
    "reference": {
        **kinds(references_fields="field", references_elements="element"),
        "references_classes": "count(*) FILTER (kind NOT IN ('field', 'element'))",
        "references_dangling": "count(*) FILTER (to_id IS NULL)",
    },
    "string": {"strings_distinct": "count(*)"},
}
PROFILE: Sums = {
    **HEAP,
    "thread": {"threads_started": "count(start)"},
    "frame": {"frames": "count(*)"},
    "wait": kinds(waits="wait", waits_ended="waited", sleeps="sleep", monitor_exits="exit"),
    "section": {**SECTIONS, **ROWS_OF_SECTIONS},
    "allocation_site": {"sites_rows": "count(*)"},
    "contention": {"monitor_time_rows": "count(*)"},
}
NOT_OF_PROFILES = OF_LINES | {
    "cut_lines", "foreign_lines", "truncated", "threads_ended", "traces", "monitor_dump_rows",
}  # fmt: skip
"""Totals about lines and damage; ends of threads without name; rows of monitor dumps, which are never counted."""
RECORDS = {
    "utf8", "load_class", "unload_class", "frame", "trace", "alloc_sites", "heap_summary", "heap_dump", "cpu_samples",
    "control_settings", "unknown", "damaged_records", "truncated", "dumps", "class_dump", "instance_dump",
    "object_array_dump", "primitive_array_dump", "duplicate_ids", "null_ids", "objects_without_class", "start_thread",
    "end_thread", "threads_started",
}  # fmt: skip
"""Totals about records of a binary file, some of which are repeated or damaged."""


@pytest.mark.parametrize("path", sorted((HPROF / "text").glob("*")), ids=lambda path: path.name)
def test_totals_of_a_text_profile_are_sums_over_its_tables(path: Path):
    report = opened(path)
    check(report, PROFILE, others=NOT_OF_PROFILES)
    report.close()


BINARY = [*sorted(HPROF.glob("*/*.hprof*")), HPROF / "heap" / "jdk25-virtual-threads.hprof.xz"]


@pytest.mark.parametrize("path", BINARY, ids=lambda path: path.name)
def test_totals_of_a_heap_dump_are_sums_over_its_tables(path: Path):
    report = opened(path)
    check(report, HEAP, others=RECORDS)
    report.close()


# -- HotSpot ----------------------------------------------------------------------------------------------------------

LOG: Sums = {
    "task": {
        "tasks_listed": "count(*)",
        "tasks": "count(*) FILTER (result <> 'in a fragment')",
        "tasks_in_fragments": "count(*) FILTER (result = 'in a fragment')",
        **counts("result", tasks_ok="ok", tasks_failed="failed"),
        "tasks_unfinished": "count(*) FILTER (NOT is_finished AND result <> 'in a fragment')",
    },
    "queue": {"queued": "count(*)"},
    "nmethod": {"nmethods": "count(*)"},
    "deoptimization": {
        "not_entrant": "count(*) FILTER (kind = 'make_not_entrant' AND NOT is_zombie)",
        "not_entrant_zombie": "count(*) FILTER (kind = 'make_not_entrant' AND is_zombie)",
        **kinds(make_unloaded="make_unloaded", fired_traps="uncommon_trap", deoptimized="deoptimized"),
    },
}
TASKS = "FROM task WHERE result <> 'in a fragment' GROUP BY 1"
BY_VALUE = {
    "by_kind": f"SELECT if(is_osr, 'osr', 'normal'), count(*) {TASKS}",
    "failure_reasons": "SELECT failure, count(*) FROM task WHERE result = 'failed' GROUP BY 1",
    "queue_comments": "SELECT comment, count(*) FROM queue GROUP BY 1",
    "fired_trap_reasons": "SELECT reason, count(*) FROM deoptimization WHERE kind = 'uncommon_trap' GROUP BY 1",
    "deoptimized_reasons": """SELECT coalesce(reason, 'null'), count(*) FROM deoptimization
        WHERE kind = 'deoptimized' GROUP BY 1""",
}
"""Queries of totals by some value."""


@pytest.mark.parametrize("path", sorted((FILES / "hotspot").glob("*.log.xz")), ids=lambda path: path.name)
def test_totals_of_a_log_are_sums_over_its_tables(path: Path):
    report = opened(path)
    others = {name for name, _ in flat("", report.totals)} - {name for sums in LOG.values() for name in sums}
    check(report, LOG, others=others, by_value=BY_VALUE)
    report.close()


# -- recordings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted((FILES / "jfr").glob("*.jfr.xz")), ids=lambda path: path.name)
def test_totals_of_a_recording_are_sums_over_its_tables(path: Path):
    report = opened(path)
    totals, tables = report.totals, report.tables
    database = Database({"recording": tables})

    def by(query: str) -> dict[str, tuple[Any, ...]]:
        return {name: tuple(values) for name, *values in database.run(query).rows()}

    def told(name: str, *keys: str) -> dict[str, tuple[Any, ...]]:
        return {type: tuple(each[key] for key in keys) for type, each in totals.get(name, {}).items()}

    assert by("SELECT type, count(*) FROM event GROUP BY 1") == {type: (n,) for type, n in totals["events"].items()}
    assert (tables["event"].rows, tables["thread"].rows) == (totals["total"], totals["threads"])
    durations = "count(*), sum(duration), min(duration), max(duration)"
    assert by(f"SELECT type, {durations} FROM event WHERE duration IS NOT NULL GROUP BY 1") == told(
        "durations", "count", "sum_ns", "min_ns", "max_ns"
    )
    stacks = """SELECT type, sum(frames), max(frames) FROM event JOIN stack USING (stack_id)
        GROUP BY 1 HAVING max(frames) > 0"""
    expected = {type: numbers for type, numbers in told("stacks", "frames", "deepest").items() if numbers[1]}
    assert by(stacks) == expected
    if "allocation" in tables:
        sums = {
            type: (sum(each["count"] for each in of_class.values()), sum(each["weight"] for each in of_class.values()))
            for type, of_class in totals["allocation"].items()
            if type.startswith("jdk.")
        }
        assert by("SELECT kind, count(*), sum(bytes) FROM allocation GROUP BY 1") == sums
    for kind, type in (("waiting for lock", "jdk.JavaMonitorEnter"), ("parked", "jdk.ThreadPark")):
        if type in totals.get("locks", {}):
            locks = f"SELECT class, count(*), sum(took), max(took) FROM state WHERE kind = '{kind}' GROUP BY 1"
            expected = [
                tuple(each[key] for key in ("count", "sum_ns", "max_ns")) for each in totals["locks"][type].values()
            ]
            assert sorted(by(locks).values()) == sorted(expected)
    database.close()
    report.close()
    for type, events in totals["events"].items():
        assert type not in tables or tables[type].rows == events


TRACE: Sums = {
    "thread": {"threads": "count(*)"},
    "collection": {"collections": "count(*)"},
    "call": {"calls": "count(*) FILTER (has_entry)"},
    "object": {"dumps": "count(DISTINCT dump)"},
}


@pytest.mark.parametrize("path", sorted((FILES / "tptp").glob("*.trcxml*")), ids=lambda path: path.name)
def test_totals_of_a_trace_are_sums_over_its_tables(path: Path):
    report = opened(path)
    # Recorded objects are no rows: tables have those of heap dumps.
    check(report, TRACE, others={"sessions", "elements", "deadlocks", "objects_"})
    report.close()


# -- old profilers ----------------------------------------------------------------------------------------------------

OLD: Sums = {
    "caller_pair": {
        **kinds(old_rows="pair"),
        "old_calls": "sum(count) FILTER (kind = 'pair')",
        **{f"java_prof.{name}": each for name, each in kinds(rows="pair").items()},
        "java_prof.calls_if_unwrapped": "sum(count) FILTER (kind = 'pair')",
    },
    "thread": {
        **{f"xprof.{name}": each for name, each in kinds(blocks_total="thread", rows_total="method").items()},
        "xprof.ticks_total": "sum(ticks) FILTER (kind = 'thread')",
    },
}
OLD_FILES = [path for name in ("[!S]*.xz", "xprof_*") for path in sorted((FILES / "jdkprofilers").glob(name))]
"""Those without damaged rows, which count although they are no pairs."""


@pytest.mark.parametrize("path", OLD_FILES, ids=lambda path: path.name)
def test_totals_of_old_profiles_are_sums_over_their_tables(path: Path):
    report = opened(path)
    others = {name for name, _ in flat("", report.totals)} - {name for sums in OLD.values() for name in sums}
    check(report, OLD, others=others)
    report.close()


def test_totals_of_allocated_classes_are_sums_over_their_table():
    report = opened(FILES / "jdkprofilers" / "SYNTH_xaprof.txt")
    ((table,),) = (report.totals["xaprof"]["tables"],)
    asked = {"rows": "count(*)", "bytes": "sum(bytes)", "instances": "sum(instances)"}
    sums = {"class": {name: f"{each} FILTER (kind = 'class')" for name, each in asked.items()}}
    check(report, sums, totals={name: table[name] for name in asked})
    report.close()
