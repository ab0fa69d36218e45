"""Facts of a profile that are not in its tables, as JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.formats.hprof.agent_binary.records import date_of

if TYPE_CHECKING:
    from parsers.formats.hprof.agent_binary.profile import BinaryProfile
    from parsers.formats.hprof.text.plain_text import PlainText


def facts_of(text: PlainText) -> dict[str, Any]:
    """Returns counts and findings of a file that was read to its end."""
    return {
        "version": text.version.decode("utf-8", "replace"),
        "created": None if text.created is None else text.created.decode("utf-8", "replace"),
        "headers": text.headers,
        "foreign_lines": text.foreign_lines,
        "cut_lines": text.cut_lines,
        "threads_ended": text.runs.threads_ended,
        "traces_empty": text.traces_empty,
        "is_truncated": text.is_truncated,
        "lines": text.newlines + (not text.has_last_end),
        "size": text.size,
        "finding_counts": list(text.tables.finding_counts),
    }


def facts_of_binary(profile: BinaryProfile) -> dict[str, Any]:
    """Returns the same for a binary file; `records` are counts of its records."""
    counts = profile.counts
    return {
        "version": profile.version.decode("ascii", "replace"),
        "created": date_of(profile.created_ms),
        "created_ms": profile.created_ms,
        "is_truncated": bool(counts["truncated"]),
        "finding_counts": list(profile.tables.finding_counts),
        "records": {**counts, "threads_started": len(profile.serials)},
    }
