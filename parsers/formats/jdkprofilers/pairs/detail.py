"""The side pane of a method of a `java.prof`: its costs, callers and callees, dump by dump."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.formats.jdkprofilers.array_view import share
from parsers.model.row import Section, SectionRow, counted

if TYPE_CHECKING:
    from parsers.formats.jdkprofilers.pairs.report import PairReport

MOST_DUMPS = 100


def method_sections(report: PairReport, method: int) -> Sequence[Section]:
    """Returns the sections of one method; of an unknown one only its callees."""
    table, recording = report.table, report.recording
    if table.is_unknown(method):
        return (report.list_section("Calls", table.as_caller(method), is_callers=False),)
    sections = [
        Section("Method", tuple(_costs(report, method))),
        report.list_section("Called by", table.as_callee(method), is_callers=True),
        report.list_section("Calls", table.as_caller(method), is_callers=False),
    ]
    if len(recording.dumps) > 1:
        sections.append(_dumps(report, method))
    return [section for section in sections if section.rows]


def _costs(report: PairReport, method: int) -> list[SectionRow]:
    """Returns its costs, and the effect of recursion on them."""
    table, recording = report.table, report.recording
    cost = table.cost(method)
    all_calls = sum(dump.calls for dump in recording.dumps)
    rows = [
        SectionRow("calls", f"{cost.calls:,}, {share(cost.calls, all_calls)} % of all"),
        SectionRow("time", f"{cost.time:,} ms with all that it called"),
        SectionRow("own time", f"{cost.own:,} ms: less what it called took"),
        SectionRow("callers", f"{cost.callers:,}"),
        SectionRow("callees", f"{cost.callees:,}"),
    ]
    if any(recording.callers[pair] == method for pair in table.as_callee(method)):
        rows.append(SectionRow("recursion", "it calls itself: the time of such calls is left out"))
    if cost.ring > 1:
        others = "another method" if cost.ring == 2 else f"{cost.ring - 1:,} other methods"
        rows.append(SectionRow("ring", f"it and {others} call each other: its time is at most this, its own exact"))
    return rows


def _dumps(report: PairReport, method: int) -> Section:
    """Returns calls and time of a method by dump, and the change from the previous one."""
    recording = report.recording
    calls, times = [0] * len(recording.dumps), [0] * len(recording.dumps)
    for pair in report.table.as_callee(method):
        dump = recording.pair_dumps[pair]
        calls[dump] += recording.count(pair)
        times[dump] += recording.time(pair) if recording.callers[pair] != method else 0
    rows = [
        SectionRow(
            f"dump {dump + 1}",
            f"{counted(calls[dump], 'call')}, {times[dump]:,} ms" + (changes(calls, times, dump) if dump else ""),
            f"run:{dump + 1}",
            "Caller pairs",
        )
        for dump in range(min(len(calls), MOST_DUMPS))
    ]
    return Section("Dumps", tuple(rows), len(calls) - len(rows))


def changes(calls: Sequence[int], times: Sequence[int], dump: int) -> str:
    """Describes the change from the previous dump."""
    before = calls[dump - 1]
    percent = f", {100 * (calls[dump] - before) / before:+,.0f} %" if before else ""
    return f"  ({calls[dump] - before:+,} calls{percent}; {times[dump] - times[dump - 1]:+,} ms)"
