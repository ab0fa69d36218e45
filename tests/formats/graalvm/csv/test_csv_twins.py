"""Kernels and plain code make the same index of a CSV call tree, whatever is in its tables."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import sample_path, samples, truth_of
from made_csv import damaged, made_set

from parsers.formats.graalvm.csv.build import PLAIN_COLUMNS, csv_arrays
from parsers.formats.graalvm.csv.read.kernel_build import build
from parsers.formats.graalvm.csv.set import layout_of, table_of
from parsers.formats.graalvm.csv.tree import tree_of
from parsers.formats.graalvm.text.read.plain_index import PlainIndex
from parsers.index.store import READY
from parsers.index.writer import Writer
from parsers.io.cache import Cache
from parsers.io.identity import Identity
from parsers.io.open_source import open_source
from parsers.io.source import Source
from parsers.model.report import ReportError

OPEN = ("listed_row", "listed_end", "name_slots")
"""Arrays of a growing tree, and the hash table, which kernels lay out in another size."""


def arrays_of(writer: Writer, told: tuple[Any, ...], size: int) -> dict[str, Any]:
    rows, totals, facts, problems, count = told
    header = writer.finish(size, rows, totals, facts, problems, count, 0.0)
    folder = os.path.join(os.path.dirname(writer.path), READY)
    found: dict[str, Any] = {}
    for name, array in header.arrays.items():
        if name not in OPEN:
            path = os.path.join(folder, name)
            values = np.fromfile(path, np.dtype(array.type)) if array.length else np.zeros(0, np.dtype(array.type))
            found[name] = (array.type, values[: array.length].tolist())
    return found


def both(sources: list[Source], folder: Path, chunk: int) -> tuple[Any, Any]:
    """Results of plain code and of kernels for a set."""
    tree = tree_of(sources)
    size = sum(source.size for source in sources)
    (folder / "plain").mkdir(parents=True)
    (folder / "kernels").mkdir()
    writer = Writer(str(folder / "plain"), "csv", Identity(0, 0, 0, 0, ""))
    PlainIndex(writer, tree, PLAIN_COLUMNS).finish(csv_arrays)
    summary = tree.summary
    told = (tree.rows, summary.totals, summary.facts, summary.problems, summary.problem_count)
    plain = told, arrays_of(writer, told, size)
    files = {table_of(source): source for source in sources}
    writer = Writer(str(folder / "kernels"), "csv", Identity(0, 0, 0, 0, ""))
    told = build(writer, files, all(table in files for table in layout_of(list(files))), None, chunk)
    return plain, (told, arrays_of(writer, told, size))


def compare(tables: dict[str, bytes], folder: Path, chunk: int) -> None:
    folder.mkdir(parents=True)
    cache = Cache(str(folder / "cache"))
    for table, data in tables.items():
        (folder / f"call_tree_{table}_x_20240101_101010.csv").write_bytes(data)
    sources = [open_source(str(path), cache) for path in sorted(folder.glob("*.csv"))]
    (told, arrays), (told_by_kernels, arrays_by_kernels) = both(sources, folder / "index", chunk)
    for source in sources:
        source.close()
    cache.close()
    names = ("rows", "totals", "facts", "problems", "problem count")
    for name, plain, kernels in zip(names, told, told_by_kernels, strict=True):
        assert (name, plain) == (name, kernels)
    assert sorted(arrays) == sorted(arrays_by_kernels)
    for name in arrays:
        assert (name, *arrays[name]) == (name, *arrays_by_kernels[name])


@pytest.mark.parametrize("is_three", [False, True], ids=["seven tables", "three tables"])
@pytest.mark.parametrize("seed", range(12))
def test_of_random_sets(seed: int, is_three: bool, tmp_path: Path) -> None:
    for each, chunk in enumerate((64, 300, 2 << 20)):
        compare(made_set(100 * seed + each, is_three), tmp_path / str(each), chunk)


@pytest.mark.parametrize("is_three", [False, True], ids=["seven tables", "three tables"])
@pytest.mark.parametrize("deepest", range(2, 8))
def test_sets_beyond_the_maximum_depth(
    deepest: int, is_three: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("csv.tree", "csv.read.index"):
        monkeypatch.setattr(f"parsers.formats.graalvm.{place}.DEEPEST", deepest)
    for each in range(5):
        compare(made_set(1000 * deepest + each, is_three), tmp_path / str(each), 300)


def test_a_chain_of_more_calls_than_there_are_depths(tmp_path: Path) -> None:
    count = 65_600
    tables = {
        "methods": "Id,Name,Type,Parameters,Return,Display,Flags,IsEntryPoint\n"
        + "".join(f"{id},f{id},a.B,empty,void,a.B.f,s,{str(not id).lower()}\n" for id in range(count)),
        "invokes": "Id,MethodId,BytecodeIndexes,TargetId,IsDirect\n"
        + "".join(f"{id},{id},1,{id + 1},true\n" for id in range(count - 1)),
        "targets": "InvokeId,TargetId\n" + "".join(f"{id},{id + 1}\n" for id in range(count - 1)),
    }
    cache, files = Cache(str(tmp_path / "cache")), {}
    for table, text in tables.items():
        path = tmp_path / f"call_tree_{table}_x_20240101_101010.csv"
        path.write_text(text)
        files[table] = open_source(str(path), cache)
    writer = Writer(str(tmp_path), "csv", Identity(0, 0, 0, 0, ""))
    told = build(writer, files, True, None)
    arrays = arrays_of(writer, told, sum(source.size for source in files.values()))
    depths, vertices = arrays["depth"][1], arrays["vertex"][1]
    # The call at level 65,534 is a reference; its callees begin again at the top.
    assert depths == [*range(65_535), 0, *range(1, count - 65_534)]
    assert vertices == [*range(65_534), 65_534, 65_534, *range(65_535, count)]
    assert [problem.kind for problem in told[3]] == ["too deep"]
    assert told[1]["max_distance"] == count - 1
    for source in files.values():
        source.close()
    cache.close()


@pytest.mark.parametrize("is_three", [False, True], ids=["seven tables", "three tables"])
@pytest.mark.parametrize("seed", range(16))
def test_of_damaged_sets(seed: int, is_three: bool, tmp_path: Path) -> None:
    for each, chunk in enumerate((64, 300, 2 << 20)):
        number = 100 * seed + each
        compare(damaged(made_set(number, is_three), number), tmp_path / str(each), chunk)


@pytest.mark.parametrize("times", [1, 40])
def test_a_tree_of_more_rows_than_there_may_be_is_none(times: int, tmp_path: Path) -> None:
    # Each call may mean each of the methods; 40 times that would not even be numbers of 32 bits.
    calls, overrides = 2_800 * times, 24_000 * times
    tables = {
        "entry_points": b"Id\n0\n",
        "virtual_edges": b"StartId,EndId,BytecodeIndexes\n" + b"0,2,7\n" * calls,
        "override_by_edges": b"StartId,EndId\n" + b"2,1\n" * overrides,
    }
    cache = Cache(str(tmp_path / "cache"))
    files = {}
    for table, data in tables.items():
        path = tmp_path / f"call_tree_{table}_x_20240101_101010.csv"
        path.write_bytes(data)
        files[table] = open_source(str(path), cache)
    writer = Writer(str(tmp_path), "csv", Identity(0, 0, 0, 0, ""))
    with pytest.raises(ReportError, match="more than 67,108,864 rows"):
        build(writer, files, False, None)
    writer.abandon()
    for source in files.values():
        source.close()
    cache.close()


SEVEN, THREE = made_set(1, False), made_set(2, True)
ODD = {
    "bytecode indexes beyond 64 bits": {**SEVEN, "virtual_edges": b"StartId,EndId,BytecodeIndexes\n"
        + b"".join(b"1,1,%b\n" % (b"9" * digits) for digits in range(17, 24))},
    "nothing but a byte order mark": {**SEVEN, "entry_points": b"\xef\xbb\xbf"},
    "a first line without end": {**SEVEN, "virtual_methods": SEVEN["virtual_methods"][:38] + b"q" * 70_000},
    "tables of both layouts": {**THREE, "direct_edges": SEVEN["direct_edges"], "vm": SEVEN["vm"]},
    "one table of the newer layout": {**SEVEN, "targets": THREE["targets"]},
}  # fmt: skip


@pytest.mark.parametrize("case", ODD)
def test_of_odd_sets(case: str, tmp_path: Path) -> None:
    compare(ODD[case], tmp_path / "set", 100)


SMALL = [(case, name) for case, name in samples("graalvm-call-tree-csv") if not case.startswith("real")]


@pytest.mark.parametrize(("case", "name"), SMALL, ids=[case for case, _ in SMALL])
def test_of_samples(case: str, name: str, tmp_path: Path) -> None:
    paths = [sample_path(case, file) for file in truth_of(case)[name]["files"]]
    compare({table(path): path.read_bytes() for path in paths}, tmp_path / "set", 200)


def table(path: Path) -> str:
    from parsers.io.report_name import split_name

    return split_name(path.name).table
