"""The index of an object tree, built by kernels in tiny chunks, against plain Python over the whole, on any bytes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import plain_bytes, sample_path, samples, truth_of
from hypothesis import given
from hypothesis import strategies as st
from test_object_kernel import bodies

from parsers.formats.graalvm.objects.index.build import ObjectEnd
from parsers.formats.graalvm.objects.index.plain import object_tree
from parsers.formats.graalvm.objects.index.types import object_arrays
from parsers.formats.graalvm.text.read.build import TextBuild
from parsers.formats.graalvm.text.read.kernel import OBJECT
from parsers.index.writer import Writer
from parsers.io.charset import boxes_of, detect
from parsers.io.source import Identity

NOBODY = Identity(0, 0, 0, 0, "")
TYPES = {
    **{f"types.{name}": np.uint32 for name in ("names", "firsts", "roots", "rows")},
    **{f"types.{name}": np.uint64 for name in ("references", "weights")},
}


def built(data: bytes, chunk: int) -> tuple[dict[str, int], dict[str, Any], list[Any], int, dict[str, list[int]]]:
    """Totals, facts, problems, their number, and the arrays of types, of an index built by kernels."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report")
        path.write_bytes(data)
        descriptor = os.open(path, os.O_RDONLY)
        writer = Writer(folder, "graalvm-object-tree", NOBODY)
        try:
            build = TextBuild(writer, descriptor, len(data), boxes_of(detect(data[: 1 << 16])), OBJECT, chunk)
            build.read()
            end = ObjectEnd(build)
            end.run()
            totals = end.totals()
            lines = data.replace(b"\r\n", b"\n")
            problems, count = end.problems(lines.endswith(b"\n\n") or lines == b"\n")
            files = {name: Path(writer.path, name) for name in TYPES}
            arrays = {
                name: np.fromfile(files[name], type).tolist() if files[name].exists() else []
                for name, type in TYPES.items()
            }
            return totals, end.facts(totals), sorted(problems), count, arrays
        finally:
            writer.abandon()
            os.close(descriptor)


def assert_equal(data: bytes, *chunks: int) -> dict[str, int]:
    """Compares indexes built in chunks of some sizes; returns their totals."""
    tree = object_tree(data)
    summary = tree.summary
    for chunk in chunks:
        totals, facts, problems, count, arrays = built(data, chunk)
        assert totals == summary.totals
        assert {name: facts[name] for name in summary.facts} == summary.facts
        assert [problem.as_problem() for problem in problems] == list(summary.problems)
        assert count == summary.problem_count
        assert arrays == {name: values.tolist() for name, values in object_arrays(tree).items()}
    return totals


@pytest.mark.parametrize(("case", "name"), samples("graalvm-object-tree"))
def test_a_sample_is_indexed_as_plain_code_reads_it(case: str, name: str) -> None:
    totals = assert_equal(plain_bytes(sample_path(case, name)), 4096, 2 << 20)
    assert totals == truth_of(case)[name]["totals"]


pieces = st.one_of(
    st.tuples(st.integers(0, 5), bodies).map(lambda row: b"\xe2\x94\x82   " * row[0] + "├── ".encode() + row[1]),
    st.sampled_from([b"", b"at x", b"at a.B value:", b"at a id-ref=1 toString=x", b"log", b"\r", b"\x00\x7f"]),
    st.builds(
        lambda depth, body, id: b"    " * depth + "└── ".encode() + body % id,
        st.integers(0, 4),
        st.sampled_from([b"T id=%d toString=x fields:", b"U id=%d toString= (no fields)", b"T id-ref=%d toString="]),
        st.integers(0, 5),
    ),
)


@given(st.lists(pieces, max_size=30), st.sampled_from([b"\n", b"\r\n"]), st.integers(1, 300), st.booleans())
def test_any_lines_are_indexed_as_plain_code_reads_them(
    lines: list[bytes], line_end: bytes, chunk: int, is_cut: bool
) -> None:
    text = line_end.join([b"Heap roots", *lines])
    assert_equal(text if is_cut else text + 2 * line_end, chunk)
