"""The counts of `-Xprof` and `-Xaprof`, named as on the format page."""

from __future__ import annotations

from collections import Counter
from typing import Any

from parsers.formats.jdkprofilers.texts import text_of
from parsers.formats.jdkprofilers.xprof.recording import OutputRecording


def output_totals(recording: OutputRecording) -> dict[str, Any]:
    """Returns counts of the file; in `xprof` those of the flat profiles, in `xaprof` each table of allocations."""
    totals: dict[str, Any] = {"lines_of_program_output": recording.output_lines}
    if recording.blocks or recording.summaries:
        totals["xprof"] = _of_profiles(recording)
    if recording.tables:
        totals["xaprof"] = {
            "tables": [
                {
                    "cutoff": table.cutoff,
                    "rows": table.rows,
                    "bytes": table.size,
                    "instances": table.instances,
                    "total_row": list(table.total) if table.total is not None else None,
                }
                for table in recording.tables
            ]
        }
    return totals


def _of_profiles(recording: OutputRecording) -> dict[str, Any]:
    names = Counter(text_of(block.name) for block in recording.blocks)
    summary = recording.summaries[-1] if recording.summaries else None
    labels = [recording.labels[number] for number in summary.labels] if summary is not None else []
    return {
        "blocks_total": len(recording.blocks),
        "thread_names_that_repeat": {name: count for name, count in names.items() if count > 1},
        "rows_total": len(recording.codes),
        "ticks_total": sum(block.ticks for block in recording.blocks),
        "elided_sections": sum(section.is_elided for section in recording.sections),
        "global_summary": summary
        and {
            "secs": summary.seconds,
            "rows": [[label.percent, label.ticks, text_of(label.name)] for label in labels],
        },
        "bytecode_ticks": [[first, second, text_of(name)] for first, second, name in recording.bytecodes] or None,
    }
