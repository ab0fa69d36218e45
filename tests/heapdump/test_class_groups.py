"""Groups of classes of a dump in which each object has a class of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from counted_work import Work
from tiny_records import tiny_records

from parsers.io.cache import Cache
from parsers.runtime.opening import open_report


@pytest.mark.parametrize("view", ["Classes", "Paths", "Suspects"])
def test_counting_rows_of_very_many_classes_takes_less_than_three_lines_of_code_for_each(
    view: str, tmp_path: Path, cache: Cache
) -> None:
    path, objects = tmp_path / "heap.hprof", 3000
    path.write_bytes(tiny_records("instances of unknown classes", 17 * objects))
    report = open_report([str(path)], cache=cache)
    report.wait()
    found = next(each for each in report.views if each.name == view)
    with Work() as work:
        counts = found.row_count, found.root_count
    report.close()
    assert counts in ((2 * objects + 1, 1), (None, objects), (1, 1))
    assert work.done < 3 * objects
