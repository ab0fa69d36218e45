"""Lists of names of two builds: told apart by hashes where they are long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.graalvm.builds.name_blocks import hashes_of, hashes_of_list
from parsers.formats.graalvm.builds.normalised import normalised
from parsers.formats.graalvm.side import lines as side_lines
from parsers.formats.graalvm.side.layouts import LAYOUTS
from parsers.reporting.comparison.hashes import differing, having
from parsers.reporting.comparison.text_numbers import texts_of
from parsers.runtime.opening import open_compared, open_report

NAMES = (
    "a.B.c():void",
    "app:a.B.c(int):void",
    ":a.B.none():void",
    "a.B$$Lambda$12/0x0000000800c8a000.run():void",
    "null:a.B$$Lambda/0x77.run():void",
    "a.B$$Lambda$12/345.run():void",
    "com.sun.proxy.$Proxy12.m():int",
    "jdk.internal.reflect.GeneratedMethodAccessor7.invoke():int",
    "a.Accessor.get():int",
    f"a.B.enter_{'0a' * 20}(a.C):int",
    "a.B.deopt%%D():void",
    "a.B.é():void",
    "a.Lambda$1.x%y():L",
    f"a.{'long' * 40}.x():void",
)


def write(folder: Path, name: str, lines: Sequence[str], end: str = "\n") -> str:
    path = folder / f"used_methods_{name}.txt"
    path.write_bytes("".join(f"{line}{end}" for line in lines).encode())
    return str(path)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
def test_rows_have_the_hashes_of_their_normalised_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr("parsers.formats.graalvm.builds.name_blocks.READ", 300)
    report: Any = open_report([write(tmp_path, "demo", NAMES, end)])
    wanted = hashes_of(texts_of([normalised(name).encode() for name in NAMES]))
    assert hashes_of_list(report).tolist() == wanted.tolist()
    report.close()


def test_a_line_that_is_longer_than_a_block_is_read_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parsers.formats.graalvm.builds.name_blocks.READ", 64)
    monkeypatch.setattr("parsers.formats.graalvm.builds.name_blocks.LONGEST", 64)
    names = ["a.B.c():void", f"a.{'x' * 500}.m():void", "a.D.e():void"]
    report: Any = open_report([write(tmp_path, "demo", names)])
    wanted = hashes_of(texts_of([name.encode()[:64] for name in names]))
    assert hashes_of_list(report).tolist() == wanted.tolist()
    report.close()


@pytest.mark.parametrize("few", [0, 1000], ids=["by hashes", "by plain code"])
def test_long_lists_are_compared_like_short_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr("parsers.formats.graalvm.side.list_differences.FEW", few)
    old = write(
        tmp_path, "old", ["a.A.went():int", "a.B$$Lambda$1/0x12.run():void", "a.C.twice():int", "a.D.same():int"]
    )
    new = write(
        tmp_path, "new", ["a.B$$Lambda$7/0x99.run():void", "a.C.twice():int", "a.C.twice():int", "a.D.same():int"]
    )
    report = open_compared(old, new)
    report.wait()
    view: Any = report.views[0]
    changes = [view.change(row) for row in range(view.row_count)]
    assert [(each.change, each.line.label, each.old, each.new) for each in changes] == [
        ("changed", "a.C.twice():int", {"rows": 1}, {"rows": 2}),
        ("removed", "a.A.went():int", {"rows": 1}, None),
    ]
    assert [view.resolve(ref) for ref in ("line:2", "run:1/line:1", "name:a.A.went():int")] == [0, 1, 1]
    assert [link.ref for link in view.links(0)] == ["line:2", "line:3"]
    report.close()


HASHES = st.lists(st.integers(0, 5), max_size=20).map(lambda found: np.array(found, np.uint64) << np.uint64(1))


@given(HASHES, HASHES)
def test_hashes_differ_as_by_counting(old: Any, new: Any) -> None:
    counts = [Counter(side.tolist()) for side in (old, new)]
    wanted = sorted(hash for hash in counts[0] | counts[1] if counts[0][hash] != counts[1][hash])
    differs = differing(old, new)
    assert differs.tolist() == wanted
    assert having(new, differs).tolist() == [place for place, hash in enumerate(new.tolist()) if hash in wanted]


@given(st.lists(st.sampled_from(["a.B.c():int", "", "\r", "x\r", "é"]), max_size=30), st.integers(1, 40), st.booleans())
def test_lines_found_by_arrays_are_those_that_plain_code_finds(lines: list[str], block: int, is_whole: bool) -> None:
    data = "\n".join(lines).encode() + b"\n" * is_whole
    found = []
    for large in (len(data), -1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(side_lines, "BLOCK", block)
            patch.setattr(side_lines, "LARGE", large)
            read = side_lines.read_lines(lambda count, at: data[at : at + count], len(data), True, LAYOUTS[0], "x")
        found.append((list(read.starts), list(read.numbers), read.stop, read.lines, read.is_cut))
    assert found[0] == found[1]
