"""The side pane of a row of the view "Tasks": decoded facts, related rows elsewhere, the text as written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from parsers.formats.hotspot.bytecode import BYTECODES
from parsers.formats.hotspot.names import decode
from parsers.formats.hotspot.tasks.rows import label as task_label
from parsers.formats.hotspot.tasks.rows.row import (
    compile_ms,
    event_row_flags,
    in_flight_rows,
    number,
    queued_ms,
    task_badges,
    task_method,
    task_row_flags,
    wait_ms,
)
from parsers.formats.hotspot.tasks.rows.rows import TaskRows
from parsers.model.none import NONE
from parsers.model.row import Link, Section, SectionRow, capitalized, counted

if TYPE_CHECKING:
    from parsers.formats.hotspot.tasks.joins import TaskJoins
    from parsers.formats.hotspot.tasks.nodes import TaskNode
    from parsers.formats.hotspot.tasks.tree import TaskTree

VIEW = "Tasks"

SHOWN = 8
"""Maximum compilations that a side pane lists."""

MOST_LINES = 40
MOST_BYTES = 8000
"""Maximum bytes of a text that is shown as written."""

LEVELS = {
    0: "interpreter or native",
    1: "C1 without profiling",
    2: "C1 with counters",
    3: "C1 with full profiling",
    4: "C2",
}
"""Descriptions of the tiers. Source: CompLevel in HotSpot's compilerDefinitions.hpp."""


def sections(joins: TaskJoins, node: int, unread: str = "") -> Sequence[Section]:
    """Returns the sections of the side pane for a node. unread: the reason why logs are not known yet"""
    place = joins.nodes.place(node)
    if place.event >= 0:
        return _of_event(joins, place)
    if place.has_events:
        return [_events(joins, place.task)]
    if place.log_file >= 0:
        file = joins.nodes.log_file_of(place.log_file) or "a file of its own"
        tasks = unread or f"in {file}, which is not here: give it with the main log"
        return [Section("Compiler thread", (SectionRow("tasks", tasks),))]
    if place.task < 0:
        return [_of_thread(joins, place)]
    tree = joins.nodes.cache.tree(place.task)
    if place.row:
        return [*_of_row(joins, place, tree), *_repairs(tree, place.row), *_raw(tree, place.row)]
    found = [_of_task(joins, place.task, tree), _events(joins, place.task), _others(joins, place.task)]
    return [*(section for section in found if section.rows), *_repairs(tree, 0), *_raw(tree, 0)]


def _of_thread(joins: TaskJoins, place: TaskNode) -> Section:
    nodes = joins.nodes
    threads = [place.thread] if place.run < 0 else nodes.threads(place.run)
    tasks = [task for thread in threads for task in nodes.tasks(thread)]
    times = [found for task in tasks if (found := compile_ms(joins.log, task)) is not None]
    sizes = [found for task in tasks if (found := number(joins.log, "task_code", task)) is not None]
    in_flight = ("task_run", place.run) if place.run >= 0 else ("task_thread", place.thread)
    rows = [
        SectionRow("tasks", f"{len(tasks):,}"),
        *in_flight_rows(joins.log.in_flight_where(*in_flight)),
        SectionRow("compiled", f"{sum(times):,} ms"),
        SectionRow("code", counted(sum(sizes), "byte")),
    ]
    if times:
        longest = max(tasks, key=lambda task: compile_ms(joins.log, task) or 0)
        text = f"{max(times):,} ms · {task_method(joins.log, longest).short}"
        rows.append(SectionRow("longest", text, joins.ref_of_task(longest), VIEW))
    return Section("Run" if place.run >= 0 else "Compiler thread", tuple(rows))


def _of_task(joins: TaskJoins, task: int, tree: TaskTree) -> Section:
    log, slice = joins.log, tree.task
    badges = task_badges(log, task)
    level = badges.get("level")
    outcome = f"{badges['outcome']}: {badges['reason']}" if "reason" in badges else str(badges["outcome"])
    rows = [SectionRow("outcome", outcome)]
    if isinstance(level, int):
        rows.append(SectionRow("tier", f"{level} · {LEVELS.get(level, 'unknown')}"))
    if "osr_bci" in badges:
        rows.append(SectionRow("loop", f"entered at bytecode index {badges['osr_bci']} (OSR)"))
    rows += _times(joins, task)
    if "nmsize" in badges:
        rows.append(SectionRow("code", counted(badges["nmsize"], "byte")))
    inlined = badges.get("inlined_bytes")
    sizes = [f"{slice.get(0, 'bytes')} bytes of bytecode"] if slice.has(0, "bytes") else []
    sizes += [f"{inlined:,} more inlined"] if inlined else []
    rows.append(SectionRow("method", ", ".join(sizes)))
    counts = [f"{name.replace('_', ' ')} {slice.get(0, name)}" for name in ("count", "backedge_count", "decompiles")
              if slice.has(0, name)]  # fmt: skip
    counts += [f"{name} {text}" for name, text in slice.attributes(0) if name.endswith("_traps")]
    rows.append(SectionRow("counts", ", ".join(counts)))
    calls = [call for call in tree.calls.values() if call.element >= tree.last_attempt]
    if calls:
        outcomes = [call.outcome for call in calls]
        words = [f"{outcomes.count(each)} {each}" for each in dict.fromkeys(outcomes)]
        rows.append(SectionRow("calls", ", ".join(words)))
    if tree.attempts:
        rows.append(SectionRow("attempts", f"{len(tree.attempts)} thrown away before"))
    for element in slice.elements:
        if element.tag == "code_cache":
            free = task_label.whole(element.get("free_code_cache") or "")
            rows.append(
                SectionRow("code cache", f"{counted(free, 'byte')} free" if isinstance(free, int) else str(free))
            )
    if task_row_flags(log, task):
        rows.append(SectionRow("damaged", "a tag of it, or its task_queued or nmethod, has lost attributes"))
    rows.append(SectionRow("log", f"{counted(badges['bytes'], 'byte')}, {counted(len(slice.elements), 'element')}"))
    return Section("Task", tuple(row for row in rows if row.text))


def _times(joins: TaskJoins, task: int) -> list[SectionRow]:
    log = joins.log
    begun, queued = number(log, "task_begun", task), queued_ms(log, task)
    wait, took = wait_ms(log, task), compile_ms(log, task)
    rows = []
    event = number(log, "task_queued", task)
    if event is not None and queued is None and event_row_flags(log, event):
        rows.append(SectionRow("queued", "time unknown: its task_queued is damaged"))
    if queued is not None:
        rows.append(SectionRow("queued", f"{queued / 1000:.3f} s" + (f", waited {wait:,} ms" if wait else "")))
    if begun is not None:
        rows.append(
            SectionRow("started", f"{begun / 1000:.3f} s" + (f", took {took:,} ms" if took is not None else ""))
        )
    return rows


def _events(joins: TaskJoins, task: int) -> Section:
    return _happened(joins, "Events", joins.nodes.events(task), joins.nodes.about.label)


def _happened(joins: TaskJoins, title: str, events: Sequence[int], label: Callable[[int], str]) -> Section:
    rows = []
    for event in events[:SHOWN]:
        seconds = joins.nodes.about.seconds(event)
        when = f"{seconds:.3f} s" if seconds is not None else ""
        rows.append(SectionRow(when, label(event), _ref(joins, joins.nodes.of_event(event)), VIEW))
    return Section(f"{title} ({len(events):,})", tuple(rows), len(events) - len(rows))


def _others(joins: TaskJoins, task: int) -> Section:
    tasks = [other for other in joins.compilations(task_method(joins.log, task).label) if other != task]
    return _listed(joins, "Other compilations", tasks)


def _listed(joins: TaskJoins, title: str, tasks: Sequence[int]) -> Section:
    rows = [SectionRow("", compilation(joins, task), joins.ref_of_task(task), VIEW) for task in tasks[:SHOWN]]
    return Section(f"{title} ({len(tasks):,})", tuple(rows), len(tasks) - len(rows))


def compilation(joins: TaskJoins, task: int) -> str:
    """Summarises a task: id, tier, outcome, why its code is no longer entered."""
    badges = task_badges(joins.log, task)
    end = joins.nodes.about.end(task)
    loop = f"loop at {badges['osr_bci']}" if "osr_bci" in badges else ""
    parts = [
        f"task {badges.get('compile_id', '?')}",
        f"tier {badges['level']}" if "level" in badges else "",
        loop,
        str(badges["outcome"]) if badges["outcome"] != "ok" else "",
        f"not entrant: {joins.nodes.about.reason(end)}" if end is not None else "",
    ]
    return ", ".join(part for part in parts if part)


def _of_row(joins: TaskJoins, place: TaskNode, tree: TaskTree) -> list[Section]:
    row = place.row
    if row < 0:
        return [Section("Elements", (SectionRow("", f"{len(tree.details[row]):,} {tree.tag(row)}"),))]
    rows = _call_rows(joins, place, tree) if row in tree.calls else _element_rows(tree, row)
    code = tree.code_of(row)
    bci = tree.bci_of(row)
    if code and tree.method_of(code):
        short = tree.names.method(tree.method_of(code)).short
        ref = _ref(joins, joins.nodes.of_task(place.task, code))
        rows.append(SectionRow("at", f"{short} @ {bci}" if bci else short, ref, VIEW))
    bytecode = tree.bytecodes.get(row, -1)
    if bytecode >= 0:
        name = BYTECODES.get(tree.task.get(bytecode, "code"))
        if name is not None:
            rows.append(SectionRow("bytecode", name))
    found = [Section(capitalized(task_label.kind_of(tree, row).replace("_", " ")), tuple(rows))]
    if row in tree.calls:
        found.append(_listed(joins, "Own code", joins.callee_tasks(place)))
    if tree.tag(row) == "uncommon_trap":
        found.append(_happened(joins, "Fired", joins.fired(place), lambda _: "reached"))
    found.append(_jvms(tree, row))
    return [section for section in found if section.rows]


def _element_rows(tree: TaskTree, row: int) -> list[SectionRow]:
    """Returns attributes with their ids resolved, and those of the element's end."""
    rows = [
        SectionRow(name.replace("_", " "), task_label.meaning(tree, name, text).label)
        for name, text in tree.task.attributes(row)
        if name not in ("stamp", "bci", "debug_id")
    ]
    took = task_label.duration(tree, row)
    if took is not None:
        rows.append(SectionRow("took", f"{took:,} ms"))
    end = tree.ends.get(row, -1)
    if end >= 0:
        rows += [
            SectionRow(f"{name} then", text) for name, text in tree.task.attributes(end) if name in task_label.NUMBERS
        ]
    return rows


def _call_rows(joins: TaskJoins, place: TaskNode, tree: TaskTree) -> list[SectionRow]:
    call, task, names = tree.calls[place.row], tree.task, tree.names
    rows = [SectionRow("outcome", call.outcome)]
    reason = call.reason if call.intrinsic is None else call.intrinsic
    if reason:
        rows.append(SectionRow("reason", reason))
    method = names.method(tree.method_of(place.row))
    rows.append(SectionRow("class", method.holder))
    if tree.method_of(place.row) != call.method:
        rows.append(SectionRow("called as", names.method(call.method).label))
    at = names.definitions.get(tree.method_of(place.row), -1)
    if at >= 0 and task.has(at, "bytes"):
        rows.append(SectionRow("bytes", f"{task.get(at, 'bytes')} of bytecode"))
    if at >= 0 and task.has(at, "unloaded"):
        rows.append(SectionRow("class", "not loaded"))
    element = call.element
    count = task.get(element, "count")
    if count:
        rows.append(SectionRow("count", "no profile" if count == "-1" else _grouped(count)))
    for name in ("receiver", "receiver2"):
        if task.has(element, name):
            seen = _grouped(task.get(element, f"{name}_count"))
            rows.append(SectionRow("receiver", f"{names.type(task.get(element, name))} · {seen} times"))
    if call.predicted >= 0:
        how = {"0": "by the class", "1": "exactly"}.get(task.get(call.predicted, "exact"), "")
        rows.append(SectionRow("predicted", f"{names.type(task.get(call.predicted, 'klass'))} {how}".strip()))
    for name in ("prof_factor", "instr"):
        if task.has(element, name):
            rows.append(SectionRow(name.replace("_", " "), task.get(element, name).strip()))
    if call.is_late or call.late >= 0:
        rows.append(SectionRow("when", "after parsing (late inline)"))
    end = tree.ends.get(call.parse, -1)
    if end >= 0 and task.has(end, "nodes"):
        rows.append(SectionRow("nodes", f"{_grouped(task.get(end, 'nodes'))} when its parse ended"))
    own = joins.own_code(place)
    if own is not None:
        rows.append(SectionRow("own code", compilation(joins, own), joins.ref_of_task(own), VIEW))
    return rows


def _grouped(text: str) -> str:
    value = task_label.whole(text)
    return f"{value:,}" if isinstance(value, int) else text


def _jvms(tree: TaskTree, row: int) -> Section:
    """Returns the position in the inlined code, innermost method first."""
    inner = [each for each in tree.task.inside(row) if each.tag == "jvms"]
    rows = [
        SectionRow(f"@ {each.get('bci')}", tree.names.method(each.get("method") or "").label) for each in inner[:SHOWN]
    ]
    return Section("Where", tuple(rows), len(inner) - len(rows))


def _of_event(joins: TaskJoins, place: TaskNode) -> list[Section]:
    about, event = joins.nodes.about, place.event
    raw = joins.log.event_bytes(event)
    seconds = about.seconds(event)
    rows = [SectionRow(name.replace("_", " "), str(badge)) for name, badge in about.badges(event).items()
            if name not in ("stamp_s", "compile_id")]  # fmt: skip
    if seconds is not None:
        rows.insert(0, SectionRow("at", f"{seconds:.3f} s"))
    if about.method(event):
        rows.append(SectionRow("method", about.method(event)))
    if event_row_flags(joins.log, event):
        rows.append(SectionRow("damaged", "its tag has lost attributes"))
    rows.append(SectionRow("task", compilation(joins, place.task), joins.ref_of_task(place.task), VIEW))
    return [Section(capitalized(about.kind(event).replace("_", " ")), tuple(rows)), _text(raw)]


def _repairs(tree: TaskTree, row: int) -> list[Section]:
    """Returns the repairs in the text of a row."""
    task = tree.task
    start, end = (0, len(task.raw)) if not row else (task.starts[abs(row)], task.end(abs(row)))
    found = [repair for repair in task.repairs if start <= repair.start < end or not row]
    if not found:
        return []
    rows = tuple(SectionRow(f"+{repair.start:,}", f"{repair.what} ({counted(repair.end - repair.start, 'byte')})")
                 for repair in found[:SHOWN])  # fmt: skip
    return [Section("Repaired, at byte of the task", rows, len(found) - len(rows))]


def _raw(tree: TaskTree, row: int) -> list[Section]:
    task, number = tree.task, abs(row)
    start, end = task.starts[number], task.end(number)
    found = [_text(task.raw[start:end])]
    call = tree.calls.get(row)
    if call is not None:
        behind = [each for each in range(number + 1, len(tree.shown)) if tree.shown[each] == row][:1]
        stop = task.starts[call.parse] if call.parse > number else None
        if behind and stop is None:
            last = number
            while last + 1 < len(tree.shown) and tree.shown[last + 1] == row:
                last += 1
            stop = task.end(last)
        if stop is not None and stop > end:
            found = [_text(task.raw[start:stop])]
    return found


def _text(raw: bytes) -> Section:
    """Returns some lines as they are in the file, and the number of bytes not shown."""
    title = "As written"
    lines = raw[:MOST_BYTES].rstrip(b"\n").split(b"\n")[:MOST_LINES]
    size = sum(map(len, lines)) + len(lines)
    if size < len(raw.rstrip(b"\n")):
        title = f"{title}, first {size:,} of {counted(len(raw), 'byte')}"
    return Section(title, tuple(SectionRow("", decode(line)) for line in lines))


def _ref(joins: TaskJoins, node: int) -> str:
    return TaskRows(joins).row(node, joins.nodes.place(node)).ref


def links(joins: TaskJoins, view_names: Sequence[str], node: int) -> Sequence[Link]:
    """Returns all links of a row, the most used first."""
    place, nodes = joins.nodes.place(node), joins.nodes
    if place.task < 0:
        return ()
    found = []
    names = {each.lower() for each in view_names}
    if place.event >= 0:
        found.append(Link("task", joins.ref_of_task(place.task), VIEW))
        for row in joins.emitted(place)[:SHOWN]:
            found.append(Link("compiled in", _ref(joins, nodes.of_task(place.task, row)), VIEW))
    elif place.row:
        tree = nodes.cache.tree(place.task)
        if place.row in tree.calls:
            own = joins.own_code(place)
            if own is not None:
                found.append(Link("its own code then", joins.ref_of_task(own), VIEW))
            for task in joins.callee_tasks(place)[:SHOWN]:
                if task != own:
                    found.append(Link(f"its own code: {compilation(joins, task)}", joins.ref_of_task(task), VIEW))
        code = tree.code_of(place.row)
        if code:
            found.append(Link("enclosing code", _ref(joins, nodes.of_task(place.task, code)), VIEW))
        for event in joins.fired(place)[:SHOWN] if tree.tag(place.row) == "uncommon_trap" else ():
            found.append(Link("fired", _ref(joins, nodes.of_event(event)), VIEW))
        found.append(Link("task", joins.ref_of_task(place.task), VIEW))
    else:
        for event in nodes.events(place.task)[:SHOWN]:
            found.append(Link(nodes.about.kind(event).replace("_", " "), _ref(joins, nodes.of_event(event)), VIEW))
        for task in joins.compilations(task_method(joins.log, place.task).label):
            if task != place.task and len(found) < 3 * SHOWN:
                found.append(Link(f"compiled again: {compilation(joins, task)}", joins.ref_of_task(task), VIEW))
    label = joins.method(place).label
    found += [Link(word, f"method:{label}", name) for word, name in OTHER_VIEWS if name.lower() in names]
    thread = joins.log.column("task_thread")[place.task]
    if thread != NONE:
        found.append(Link("thread", _ref(joins, nodes.of_thread(thread)), VIEW))
    return found


OTHER_VIEWS = (("method", "Methods"), ("story", "Story"))
"""Views of methods, if a report has them."""
