"""Twice the bytes of a report of native-image are twice the work, whatever is in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from counted_work import MOST_GROWTH, Work, repeated, work_of_index

from parsers.formats.graalvm.csv.build import CsvBuild
from parsers.formats.graalvm.side.opening import open_side_report
from parsers.formats.graalvm.text.build import TextTreeBuild
from parsers.index.build import FileBuild
from parsers.io.cache import Cache
from parsers.io.open_source import open_source

TITLE = b"VM Entry Points\n"
ENTRY = "├── entry a.B.m():void id=1\n".encode()
TREES: dict[str, Callable[[int], str]] = {
    "empty lines": lambda n: "\n",
    "lines of one character": lambda n: "x\n",
    "titles": lambda n: "VM Entry Points\n",
    "entries": lambda n: f"├── entry a.B{n}.m{n}():void id={n + 2}\n",
    "calls": lambda n: f"│   ├── directly calls a.B{n}.m{n}():void id={n + 2} @bci={n}\n",
    "references": lambda n: "│   ├── directly calls a.B.m():void id-ref=1 @bci=1\n",
    "references without target": lambda n: f"├── entry a.B.m():void id-ref={n + 5}\n",
    "broken lines": lambda n: "├── entry a.B.\n",
    "branches": lambda n: "│\n",
    "branches without line end": lambda n: "│   ",
    "deep calls": lambda n: "│   " * min(n, 30) + f"└── directly calls a.B.m{n}():void id={n + 2} @bci=1\n",
}
METHODS = b"Id,Name,Type,Parameters,Return,Display,Flags\n"
INVOKES = b"Id,MethodId,BytecodeIndexes,TargetId,IsDirect\n"
TARGETS = b"InvokeId,TargetId\n"
MANY_COLUMNS = "a," * 500 + "\n"


def a_method(number: int) -> str:
    return f"{number},m{number},a.B{number},empty,void,m{number},\n"


TABLES: dict[str, tuple[Callable[[int], str], Callable[[int], str], Callable[[int], str]]] = {
    "methods": (a_method, lambda n: "", lambda n: ""),
    "empty lines": (lambda n: "\n", lambda n: "\n", lambda n: "\n"),
    "lines of one character": (lambda n: "x\n", lambda n: "x\n", lambda n: "x\n"),
    "semicolons": (lambda n: ";", lambda n: ";\n", lambda n: ";\n"),
    "commas": (lambda n: ",", lambda n: ",\n", lambda n: ","),
    "quotes that are open": (lambda n: f'{n},"m{n},a,\n', lambda n: '1,"1,1,2,true\n', lambda n: '"\n'),
    "columns": (lambda n: MANY_COLUMNS, lambda n: MANY_COLUMNS, lambda n: MANY_COLUMNS),
    "methods of one id": (lambda n: "1,m,a.B,empty,void,m,\n", lambda n: "1,1,1,1,true\n", lambda n: "1,1\n"),
    "calls of nothing": (a_method, lambda n: f"{n},{n + 10**6},1,{n + 10**6},true\n", lambda n: f"{n + 10**6},{n}\n"),
    "targets": (a_method, lambda n: f"{n},{n % 9},{n},,false\n", lambda n: f"{n % 9},{n % 99}\n"),
    "methods with commas in their names": (lambda n: f"{n},a,b,c,d,e,f,g\n", lambda n: "", lambda n: ""),
    "invokes without method": (
        lambda n: "1,m,a.B,empty,void,m,\n",
        lambda n: f"{n},{n + 10**6},1,1,true\n",
        lambda n: "",
    ),
    "unknown ids behind others": (a_method, lambda n: "1,1,1,1,true\n", lambda n: "1,1\n" if n % 5000 else "2,2\n"),
    "deep calls": (a_method, lambda n: f"{n},{n},1,{n + 1},true\n", lambda n: ""),
}
SIDES: dict[str, tuple[str, bytes, Callable[[int], str]]] = {
    f"{format} {name}": (format, head, line)
    for format, head in (
        ("graalvm-class-initialization", b"Class Name, Initialization Kind, Reason for Initialization\n"),
        ("graalvm-trace", b"a.B\n"),
        ("graalvm-heap-histogram", b"Heap histogram\n   Count Class \n"),
        ("graalvm-used-methods", b"a.B.c():void\n"),
        ("graalvm-features", b"Feature, Required Features\n"),
        ("graalvm-target-info", b"a: b\n"),
    )
    for name, line in (
        ("empty lines", lambda n: "\n"),
        ("lines of one character", lambda n: "x\n"),
        ("names", lambda n: f"a.B{n}.c{n}\n"),
        ("columns", lambda n: "a, " * 300 + "\n"),
        ("open quotes", lambda n: '"a, \n'),
        ("indents", lambda n: "    " * (n % 50) + f"a.B{n}\n"),
    )
} | {
    f"graalvm-analysis-statistics {name}": ("graalvm-analysis-statistics", b"{\n", line)
    for name, line in (
        ("empty lines", lambda n: "\n"),
        ("members", lambda n: f'"a{n}": {n},\n'),
        ("groups", lambda n: f'"a{n}": ' + "{\n"),
        ("lists", lambda n: "["),
        ("open quotes", lambda n: '"a\n'),
        ("numbers", lambda n: "1"),
    )
}
SIZE = 3_000


def growth(work: Callable[[int], int]) -> float:
    """Work of twice the bytes in that of once; what is done once, such as imports, is done before."""
    _, once, twice = (work(size) for size in (1000, SIZE, 2 * SIZE))
    return twice / once


def set_engine(make: type[FileBuild], by_kernels: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make, "small", 0 if by_kernels else 1 << 40)


@pytest.mark.parametrize("by_kernels", [False, True], ids=["plain", "kernels"])
@pytest.mark.parametrize("name", TREES)
def test_twice_the_bytes_of_a_tree_are_twice_the_work(
    name: str, by_kernels: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache
) -> None:
    set_engine(TextTreeBuild, by_kernels, monkeypatch)

    def work(size: int) -> int:
        files = {"call_tree.txt": TITLE + ENTRY + repeated(TREES[name], size)}
        return work_of_index(TextTreeBuild, files, tmp_path / str(size), "graalvm-call-tree", Work(size >= SIZE), cache)

    assert growth(work) <= MOST_GROWTH


@pytest.mark.parametrize("by_kernels", [False, True], ids=["plain", "kernels"])
@pytest.mark.parametrize("name", TABLES)
def test_twice_the_bytes_of_tables_are_twice_the_work(
    name: str, by_kernels: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache
) -> None:
    set_engine(CsvBuild, by_kernels, monkeypatch)
    methods, invokes, targets = TABLES[name]

    def lines(line: Callable[[int], str], size: int) -> bytes:
        return repeated(line, size) if line(0) else b""

    def work(size: int) -> int:
        files = {
            "call_tree_methods.csv": METHODS + lines(methods, size),
            "call_tree_invokes.csv": INVOKES + lines(invokes, size),
            "call_tree_targets.csv": TARGETS + lines(targets, size),
        }
        return work_of_index(CsvBuild, files, tmp_path / str(size), "graalvm-call-tree-csv", Work(size >= SIZE), cache)

    assert growth(work) <= MOST_GROWTH


@pytest.mark.parametrize("name", SIDES)
def test_twice_the_bytes_of_a_side_report_are_twice_the_work(name: str, tmp_path: Path, cache: Cache) -> None:
    format, head, line = SIDES[name]

    def work(size: int) -> int:
        path = tmp_path / str(size)
        path.write_bytes(head + repeated(line, size))
        source = open_source(str(path), cache)
        with Work(size >= SIZE) as work:
            report = open_side_report(format, "", source)
            report.start_index()
            report.wait()
        report.close()
        return work.done

    assert growth(work) <= MOST_GROWTH
