"""Object trees of two builds: roots with what they reach first, types with the fields that hold objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Answer, sample_path, truth_of

from parsers.formats.graalvm.builds.comparable_objects import root_sources
from parsers.formats.graalvm.builds.name_blocks import root_texts
from parsers.formats.graalvm.builds.normalised import normalised_source
from parsers.formats.graalvm.objects.index.row import parse_object_row
from parsers.formats.graalvm.objects.label import source_parts
from parsers.io.cache import Cache
from parsers.runtime.opening import open_report

Run = Callable[..., Answer]

OLD = """\
Heap roots
├── root a.Main.cache:java.util.Map value:
│   └── java.util.HashMap id=0 toString=HashMap@1 fields:
│       ├── table:java.lang.Object[] value:
│       │   └── java.lang.Object[] id=1 toString=Object[2]{} elements (excluding null):
│       │       └── [0] a.Entry id=2 toString=Entry@2 (no fields)
│       └── keySet:java.util.Set value=null
├── root a.$Proxy7.m0:java.lang.reflect.Method value:
│   └── java.lang.reflect.Method id=3 toString=Method@4 (no fields)
├── root a.Main.gone:java.lang.Object id-ref=2 toString=Entry@2
└── root a.Main.same:java.lang.Object id-ref=2 toString=Entry@2

"""
NEW = """\
Heap roots
├── root a.Main.cache:java.util.Map value:
│   └── java.util.HashMap id=0 toString=HashMap@9 fields:
│       ├── table:java.lang.Object[] value:
│       │   └── java.lang.Object[] id=1 toString=Object[2]{} elements (excluding null):
│       │       ├── [0] a.Entry id=2 toString=Entry@8 (no fields)
│       │       └── [1] a.Entry id=4 toString=Entry@7 (no fields)
│       └── keySet:java.util.Set value:
│           └── a.Keys id=5 toString=Keys@3 (no fields)
├── root a.$Proxy3.m0:java.lang.reflect.Method value:
│   └── java.lang.reflect.Method id=3 toString=Method@6 (no fields)
├── root a.Main.come:java.lang.Object id-ref=2 toString=Entry@8
└── root a.Main.same:java.lang.Object id-ref=2 toString=Entry@8

"""


def told(answer: Answer) -> list[str]:
    return [
        f"{'  ' * row['depth']}{row['label']} {row['change']} {row['badges']['objects_change']:+}"
        for row in answer.rows
    ]


@pytest.fixture
def both(tmp_path: Path) -> tuple[Path, Path]:
    """Two small trees."""
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text(OLD, "utf-8")
    new.write_text(NEW, "utf-8")
    return old, new


def test_roots_are_identified_by_what_they_reach_first(
    coffeetree: Run, cache_folder: Path, both: tuple[Path, Path]
) -> None:
    answer = coffeetree("diff", "--json", *both)
    assert told(answer) == [
        "a.Main.cache:java.util.Map changed +2",
        "a.Main.come:java.lang.Object added +0",
        "a.Main.gone:java.lang.Object removed +0",
    ]
    assert [row["ref"] for row in answer.rows] == ["line:2", "line:12", "run:1/line:10"]


def test_proxies_are_others_as_they_are_printed(coffeetree: Run, cache_folder: Path, both: tuple[Path, Path]) -> None:
    rows = coffeetree("diff", "--json", "--switch", "names=as printed", *both).rows
    assert {"a.$Proxy7.m0:java.lang.reflect.Method", "a.$Proxy3.m0:java.lang.reflect.Method"} <= {
        row["label"] for row in rows
    }


def test_types_are_listed_with_the_fields_that_hold_their_objects(
    coffeetree: Run, cache_folder: Path, both: tuple[Path, Path]
) -> None:
    assert told(coffeetree("diff", "--json", "--view", "Types", *both)) == [
        "a.Entry changed +1",
        "  java.lang.Object[] elements changed +1",
        "a.Keys added +1",
        "  java.util.HashMap.keySet added +1",
    ]


def test_equal_trees_differ_in_nothing(coffeetree: Run, cache_folder: Path, both: tuple[Path, Path]) -> None:
    for view in ("Heap roots", "Types"):
        assert coffeetree("diff", "--view", view, both[0], both[0]).status == 0


@pytest.mark.parametrize(
    ("case", "name"),
    [
        ("real_23.0_second_build", "object_tree_pointsto_HelloWorld_20261121_023933.txt"),
        ("v24.2_and_25", "object_tree_demo_20250916_101500.txt"),
        ("quirks", "object_tree_24.1_multiline_root_20240917_101500.txt"),
    ],
)
def test_sources_read_at_once_are_those_of_the_rows(
    cache: Cache, monkeypatch: pytest.MonkeyPatch, case: str, name: str
) -> None:
    monkeypatch.setattr("parsers.formats.graalvm.builds.comparable_objects.FEW", 0)
    monkeypatch.setattr("parsers.formats.graalvm.builds.name_blocks.READ", 1000)
    report: Any = open_report([str(sample_path(case, name))], cache=cache)
    report.wait()
    rows, sources = root_sources(report, keeps_loaders=False)
    wanted = [report.parsed(int(row)).source for row in rows]
    assert [sources.text(number) for number in range(len(rows))] == [
        source[source_parts(source).holder[0] :].replace("\n", " ") for source in wanted
    ]
    report.close()


ROOTS = (
    "a.B.c:int value:",
    "app:a.B.c:int value:",
    "null:a.B.c(x:y):int value:",
    "app:a.B.m(a:int) id-ref=12 toString=D@1 id-ref=3 toString=x",
    "a.B.c:int id-ref=x toString=D@1",
    "a.B.c:int toString=D@1 (expansion suppressed)",
    "a.B.value: value:",
    "at a.B.c(B.java:12) [bci: 7] value:",
    ":a.B.c:int value:",
    " value:",
)


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_roots_cut_out_by_kernels_are_those_that_plain_code_takes_apart(end: str) -> None:
    lines = [f"├── root {root}{end}".encode() for root in ROOTS]
    begins = np.append(0, np.cumsum([len(line) for line in lines]))[:-1]
    bodies = [parse_object_row(f"root {root}".encode()) for root in ROOTS]
    forms, data = np.array([body.kind for body in bodies], np.uint8), b"".join(lines)
    texts, doubtful = root_texts(lambda count, at: data[at : at + count], begins, forms, len("├── ".encode()), True)
    wanted = [root[body.start - 5 : body.end - 5] for root, body in zip(ROOTS, bodies, strict=True)]
    assert {row: texts.text(row) for row in range(len(ROOTS)) if row not in doubtful} == {
        row: wanted[row][source_parts(wanted[row]).holder[0] :] for row in KNOWN if end
    }


KNOWN = (0, 1, 2, 3, 6, 7, 8)
"""Those that nothing more has to be asked of."""


def test_types_and_roots_of_two_real_builds_add_up(coffeetree: Run) -> None:
    names = ("object_tree_helloworld_20261121_024454.txt", "object_tree_pointsto_HelloWorld_20261121_023933.txt")
    cases = ("real_23.0_first_build", "real_23.0_second_build")
    paths = [sample_path(case, name) for case, name in zip(cases, names, strict=True)]
    old, new = (truth_of(case)[name]["totals"] for case, name in zip(cases, names, strict=True))
    roots = coffeetree("diff", "--json", *paths).rows
    assert sum(row["badges"]["roots_change"] for row in roots) == new["roots"] - old["roots"]
    assert sum(row["badges"]["objects_change"] for row in roots) == new["objects"] - old["objects"]
    assert Counter(row["label"] for row in roots).most_common(1)[0][1] == 1
    assert all(row["label"] == normalised_source(row["label"]) for row in roots)
    types = coffeetree("diff", "--json", "--view", "Types", *paths).rows
    for depth in (0, 1):
        growth = sum(row["badges"]["objects_change"] for row in types if row["depth"] == depth)
        assert growth == new["objects"] - old["objects"]
