"""Twice the sections of a profile are twice the work for its views: counted, not timed."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from counted_work import MOST_GROWTH, Work
from text_samples import open_recording
from tiny_records import tiny_records

from parsers.formats.hprof.data.columns import CPU_SAMPLES
from parsers.formats.hprof.data.recording import ProfileRecording
from parsers.formats.hprof.profiles.source import HprofProfiles
from parsers.formats.hprof.report import HprofReport
from parsers.io.cache import Cache
from parsers.profile.source import ALL, ProfileQuery
from parsers.runtime.opening import open_report

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


@pytest.mark.parametrize("kind", ["text: started threads", "text: ended threads", "text: threads that start and end"])
def test_the_rows_of_threads_are_made_without_reading_the_file_again(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache
) -> None:
    path = tmp_path / "threads.hprof.txt"
    path.write_bytes(tiny_records(kind, SIZE))
    with closing(open_report([str(path)], cache=cache)) as report:
        assert isinstance(report, HprofReport)
        report.wait()
        view, work = report.view("Threads"), Work()
        work.count_bytes(ProfileRecording, "pread", monkeypatch)
        assert view.row_count and work.done == 0
        assert [row.label for row in view.sections(0)[0].rows[-2:]] == ["started", "ended"]
        assert work.done > 0
