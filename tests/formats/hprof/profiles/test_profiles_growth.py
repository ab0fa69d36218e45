"""Twice the sections of a profile are twice the work for its views: counted, not timed."""

from __future__ import annotations

from pathlib import Path

import pytest
from counted_work import MOST_GROWTH, Work
from tiny_records import tiny_records

from parsers.formats.hprof.columns import CPU_SAMPLES
from parsers.formats.hprof.profiles.source import HprofProfiles
from parsers.formats.hprof.recording import open_recording
from parsers.profile.source import ALL, ProfileQuery

SIZE = 10_000


def work_of_profile(kind: str, size: int, folder: Path) -> int:
    path = folder / f"{size}.hprof.txt"
    path.write_bytes(tiny_records(kind, size))
    profiles = HprofProfiles(open_recording(str(path)), (CPU_SAMPLES,))
    with Work() as work:
        assert len(profiles.dumps) > 1
        profiles.profile(ProfileQuery(dump=ALL))
    return work.done


@pytest.mark.parametrize("kind", ["text: samples", "text: samples of a row"])
def test_twice_the_sections_of_samples_are_twice_the_work(kind: str, tmp_path: Path) -> None:
    work_of_profile(kind, SIZE // 10, tmp_path)  # Imports and other one-time work.
    once, twice = (work_of_profile(kind, size, tmp_path) for size in (SIZE, 2 * SIZE))
    assert twice <= MOST_GROWTH * once
