"""CPU SAMPLES whose counters were not reset: a later section includes the samples of an earlier one.

A dump that the agent writes by itself (at a quit signal, at the end of the program) resets the counters, so the
sections of a file add up. A section that was requested over a socket leaves them, so the next one includes its samples,
too. A stream that was received here has its steps stored with it, which list the requests. The bytes don't show it.
Source: format pages of HPROF text (section 3) and of its socket (section 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from parsers.formats.hprof.columns import CPU_SAMPLES

if TYPE_CHECKING:
    from parsers.formats.hprof.recording import ProfileRecording


@dataclass(frozen=True, slots=True)
class CumulativeSections:
    """Sections of CPU SAMPLES, by their rows, whose samples are included in the next section of that kind."""

    known: frozenset[int] = frozenset()
    """Sections that are cumulative by the steps of the stream."""
    possible: frozenset[int] = frozenset()
    """Sections that could be answers of a socket, in a file without steps: no trace has fewer samples in the next."""


def cumulative_sections(recording: ProfileRecording) -> CumulativeSections:
    """Returns the sections that must not be added to the next one, and those for which that is unknown."""
    pairs = list(pairwise(recording.sections(CPU_SAMPLES)))
    if not pairs:
        return CumulativeSections()
    from parsers.formats.hprof.profiles.stored_steps import samples_requests

    requests = samples_requests(recording.path)
    if requests is None:
        return CumulativeSections(
            possible=frozenset(each for each, after in pairs if _can_continue(recording, each, after))
        )
    offsets, answers = recording.column("section_offset"), {answer.start: answer for answer in requests}
    return CumulativeSections(
        frozenset(
            each
            for each, after in pairs
            if (answer := answers.get(offsets[each])) is not None and answer.may_be_included_until(offsets[after])
        )
    )


def _can_continue(recording: ProfileRecording, section: int, following: int) -> bool:
    totals = recording.column("section_total")
    before, after = _counts(recording, section), _counts(recording, following)
    if not before or totals[following] < totals[section]:
        return False
    # Counts that are too small for the table may be missing.
    least = min(after.values(), default=0)
    return all(after[row] >= count if row in after else count < least for row, count in before.items())


def _counts(recording: ProfileRecording, section: int) -> dict[tuple[int, int], int]:
    """Returns samples by trace and method: rows of IBM have no trace."""
    rows = recording.section_range(section)
    columns = (recording.column(f"rank_{name}")[rows.start : rows.stop] for name in ("trace", "name", "count"))
    return {(trace, name): count for trace, name, count in zip(*columns, strict=True)}
