"""Sections of CPU samples that may be included in the next one, compared with a plain reader of each pair."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.hprof.data.columns import CPU_SAMPLES
from parsers.formats.hprof.data.recording import ProfileRecording
from parsers.formats.hprof.data.tables import ProfileTables
from parsers.formats.hprof.profiles.cumulative_sections import cumulative_sections
from parsers.io.plain import PlainBytes

Row = tuple[int, int, int]
"""Trace, name of the method, samples."""
ROWS = st.lists(st.tuples(st.sampled_from((0, 1, 0xFFFF_FFFF)), st.integers(0, 2), st.integers(0, 4)), max_size=4)


def possible(sections: Sequence[Sequence[Row]], totals: Sequence[int]) -> frozenset[int]:
    """Sections that could be answers of a socket, in a file whose steps are unknown."""
    rows = [row for section in sections for row in section]
    lengths = [len(section) for section in sections]
    columns: dict[str, Any] = {
        "section_kind": np.full(len(sections), CPU_SAMPLES, np.uint8),
        "section_first": np.array([sum(lengths[:number]) for number in range(len(sections))], np.uint32),
        "section_rows": np.array(lengths, np.uint32),
        "section_total": np.array(totals, np.int64),
        "rank_trace": np.array([row[0] for row in rows], np.uint32),
        "rank_name": np.array([row[1] for row in rows], np.uint32),
        "rank_count": np.array([row[2] for row in rows], np.int64),
    }
    tables = SimpleNamespace(columns=columns, texts={})
    recording = ProfileRecording(cast(PlainBytes, None))
    recording.take_plain(cast(ProfileTables, tables))
    return cumulative_sections(recording).possible


def continues(section: Sequence[Row], following: Sequence[Row]) -> bool:
    before, after = ({(trace, name): count for trace, name, count in rows} for rows in (section, following))
    least = min(after.values(), default=0)
    return bool(before) and all(
        after.get(row, count if count < least else -1) >= count for row, count in before.items()
    )


@given(st.lists(st.tuples(ROWS, st.integers(0, 3)), min_size=2, max_size=6))
def test_sections_continue_in_the_next_one_if_each_pair_alone_does(sections: list[tuple[list[Row], int]]) -> None:
    rows, totals = [each[0] for each in sections], [each[1] for each in sections]
    expected = {
        number
        for number in range(len(rows) - 1)
        if totals[number + 1] >= totals[number] and continues(rows[number], rows[number + 1])
    }
    assert possible(rows, totals) == expected


def test_counts_below_the_least_of_the_next_section_may_be_missing_there() -> None:
    assert possible([[(1, 0, 1)], [(2, 0, 2)]], [1, 2]) == {0}
    assert possible([[(1, 0, 2)], [(2, 0, 2)]], [2, 2]) == frozenset()
