"""Kernels read binary heap dumps as plain code does: whole samples, and bytes that are damaged anywhere."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples import more_examples
from heap_dumps import (
    NODE,
    WITH_HEAP,
    Built,
    array,
    class_dump,
    header,
    names,
    node,
    numbers,
    read_plainly,
    record,
    root,
    sample,
)
from hypothesis import given
from hypothesis import strategies as st
from random_dumps import RandomDump

from parsers.formats.hprof.dump.read import scan as dump_scan
from parsers.formats.hprof.dump.references import kernel_references as dump_refer
from parsers.formats.hprof.dump.references.references import weak_fields

BASE = (
    header()
    + names()
    + record(0x1C, class_dump() + b"".join(node(32 + 8 * place, 40 + 8 * place) for place in range(20)))
    + record(0x1C, array(400, 32, 0, 48, 7) + numbers(408, 1, 2, 3) + node(416, 400) + root(NODE) + root(99))
    + record(0x2C)
)


def facts(built: Built) -> dict[str, Any]:
    """All that kernels and plain code must agree on."""
    heap = built.heap
    heap.weak = weak_fields(heap, built.measured.names, built.measured.texts)
    references = built.steps.references(heap, lambda share: None)
    transposed = built.steps.transpose(references, heap.objects)
    sizes = built.steps.sizes(heap, built.measured)
    strings, totals = built.steps.strings(heap, built.measured, references, sizes.units)
    return {
        "arrays": [each.tolist() for each in (heap.ids, heap.offsets, heap.kinds, heap.types, heap.lengths)],
        "types": heap.type_ids,
        "classes": list(heap.classes.items()),
        "roots": [getattr(heap.roots, name).tolist() for name in ("offsets", "tags", "ids", "threads", "second")],
        "also": heap.also,
        "counts": built.file.counts,
        "problems": built.file.problems,
        "references": [references.firsts.tolist(), references.targets.tolist()],
        "weak": [heap.weak, references.weak.tolist()],
        "reference counts": [references.fields, references.elements, references.of_classes],
        "referrers": [transposed.firsts.tolist(), transposed.referrers.tolist()],
        "sizes": [sizes.units.tolist(), sizes.counts.tolist()],
        "strings": {name: array.tolist() for name, array in strings.items()},
        "string totals": totals,
    }


def both(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for by_kernels in (True, False):
            built = Built(data, Path(folder), by_kernels)
            found.append(facts(built))
            built.close()
    return found[0], found[1]


@pytest.mark.parametrize("name", WITH_HEAP)
def test_samples(name: str) -> None:
    by_kernels, plain = both(sample(name))
    assert by_kernels == plain


@more_examples(2)
@given(
    st.integers(31 + 60, len(BASE)),
    st.lists(st.tuples(st.integers(31, len(BASE) - 1), st.integers(0, 255)), max_size=3),
)
def test_damaged_dumps(length: int, changes: list[tuple[int, int]]) -> None:
    data = bytearray(BASE)
    for place, value in changes:
        data[place] = value
    if read_plainly(bytes(data[:length])).heap is not None:
        by_kernels, plain = both(bytes(data[:length]))
        assert by_kernels == plain


@pytest.mark.parametrize("seeds", [range(start, start + 40) for start in range(0, 200, 40)], ids=str)
def test_random_dumps(seeds: range) -> None:
    for seed in seeds:
        data = RandomDump(seed).data()
        if read_plainly(data).heap is not None:
            by_kernels, plain = both(data)
            assert by_kernels == plain, f"seed {seed}"


def test_pieces_smaller_than_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump_scan, "PIECE", 512)
    monkeypatch.setattr(dump_scan, "BUFFER", 1 << 12)
    monkeypatch.setattr(dump_scan, "OBJECT_CAPACITY", 7)
    monkeypatch.setattr(dump_refer, "PIECE", 512)
    by_kernels, plain = both(sample("two-dumps.hprof"))
    assert by_kernels == plain
    by_kernels, plain = both(BASE)
    assert by_kernels == plain


def test_a_large_array_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump_refer, "PIECE", 256)
    monkeypatch.setattr(dump_refer, "LARGE", 64)
    elements = [32, 0, 40, 0] * 50
    heap = class_dump() + node(32, 40) + array(48, *elements) + numbers(56, *range(100)) + node(40, 48)
    data = header() + names() + record(0x1C, heap) + record(0x2C)
    by_kernels, plain = both(data)
    assert by_kernels == plain
    assert plain["reference counts"][1] == 100


def test_classes_that_nothing_announces() -> None:
    heap = b"".join(class_dump(1000 - 8 * place) for place in range(40)) + node(32, 0)
    by_kernels, plain = both(header() + record(0x0C, heap))
    assert by_kernels == plain
    # The last one is java.lang.Class, which the dump lacks.
    assert plain["types"][8:] == [NODE, *sorted(1000 - 8 * place for place in range(40)), (1 << 64) - 1]


def test_weak_references_are_marked(tmp_path: Path) -> None:
    built = Built(sample("jdk25-virtual-threads.hprof"), tmp_path, by_kernels=True)
    assert len(facts(built)["weak"][1]) > 100
    built.close()


def test_units_are_of_eight_bytes() -> None:
    by_kernels, _ = both(BASE)
    assert np.array(by_kernels["sizes"][0]).min() >= 2
