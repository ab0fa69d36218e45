"""Twice the bytes of an old profile are twice the work, whatever is in it; runs of lines need less than one a line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from counted_work import MOST_GROWTH, Work, repeated

from parsers.formats.jdkprofilers.array_view import ArrayView
from parsers.formats.jdkprofilers.lines import lines
from parsers.formats.jdkprofilers.pairs.profile_report import PairProfile
from parsers.formats.jdkprofilers.pairs.reader import PairReader
from parsers.formats.jdkprofilers.xprof.expression import METHOD_ROW
from parsers.formats.jdkprofilers.xprof.reader import OutputReader
from parsers.io.cache import Cache
from parsers.io.open_source import open_source
from parsers.model.names.java_method import class_name, class_names

HEAD = b"Flat profile of 1.00 secs (100 total ticks): main\n\n  Interpreted + native   Method                        \n"
TICKS: dict[str, Callable[[int], str]] = {
    "foreign lines": lambda n: f"x{n}\n",
    "foreign lines of one character": lambda n: "x\n",
    "empty lines": lambda n: "\n",
    "blank lines": lambda n: " \n",
    "foreign and blank lines": lambda n: "x\n" * (n % 3) + "\n" * (n % 2),
    "profiles": lambda n: f"Flat profile of 1.00 secs (100 total ticks): t{n}\n",
    "rows": lambda n: f"  1.0%     1  +     0    a.b{n}\n",
    "rows that are broken": lambda n: "  1.0%     1  +     \n",
    "rows that are torn": lambda n: "  1.0%     1 out\n +     0    a.b\n",
    "rows that are torn or whole": lambda n: "".join(
        f"  1.0%     {n}{end} +     0    a.b{n}\n" for end in ("\n", " out\n", " \n", " + out\n", " x\n", " ")
    ),
    "rows behind output": lambda n: f"out{n}  1.0%     1  +     0    a.b{n}\n",
    "rows behind a part of a head": lambda n: "x (1 total ticks): t" * (n % 3 == 1) + "  1.0%     1  +     0    a.b\n",
    "titles, rows and totals": lambda n: (
        "  Interpreted + native   Method                        \n"
        + f"  1.0%     1  +     0    a.b{n}\n" * (n % 3)
        + "  1.0%     1  +     0    Total interpreted (including elided)\n\n"
    ),
    "halves of rows": lambda n: "  1.0%     1\n" * (n % 300 == 0) + "x\n",
    "totals": lambda n: "  1.0%     1  +     0    Total interpreted\n",
    "titles": lambda n: "  Interpreted + native   Method                        \n",
    "labels": lambda n: " 1.0%     1             Blocked (of total)\n",
    "summaries": lambda n: "Global summary of 1.00 seconds:\n",
    "allocations": lambda n: "Allocation profile (sizes in bytes, cutoff = 0 bytes):\n" * (n % 400 == 0) + "x\n\n",
    "bytecodes": lambda n: "Bytecode ticks:\n" * (n % 400 == 0) + "x\n",
}
PAIR_HEAD = b"count callee caller time\n1 a.b()V c.d()V 1\n"
PAIRS: dict[str, Callable[[int], str]] = {
    "pairs": lambda n: f"1 a.b{n}()V c.d{n}()V 1\n",
    "pairs with negative numbers": lambda n: f"{n % 3 - 1} a.b()V c.d()V 1\n",
    "broken lines": lambda n: f"x a.b{n}\n",
    "broken lines of one character": lambda n: "x\n",
    "broken and blank lines": lambda n: "x\n" * (n % 3) + "\n" * (n % 2),
    "pairs and broken lines": lambda n: f"1 a.b{n % 9}()V ?.? 1\n" + "x\r\n" * (n % 500),
    "headers": lambda n: "count callee caller time\n",
    "pairs without callees": lambda n: f"1 c.d{n % 9}()V 1\n",
    "names with blanks": lambda n: f"1 a.b c{n}()V c.d()V 1\n" + "1 a.b()V c.d()V 1\n" * (n % 3),
    "rows of the heap after its table": lambda n: (
        "*** tab[1] p=1 cb=1 cnt=1 ac=1 al=1\n" * (n % 50 == 9) + " La; 1 2\n"
    ),
    "empty lines": lambda n: "\n",
    "many words": lambda n: "1 2 3 4 5 6 7 8 9 10\n",
    "rows of the heap": lambda n: f" Lc{n}; 1 2\n",
    "rows of one class of the heap": lambda n: " Lc; 1 2\n [C 1 2 3\n",
    "headers and pairs": lambda n: "count callee caller time\n1 a.b()V c.d()V 1\n",
    "methods of different classes": lambda n: f"1 p{n}/c.a()V p/d{n}.b()V 1\n",
}
SIZE = 40_000


def before_header(number: int) -> str:
    return "x\n\n" + "count callee caller time\n" * (number == 4000)


CASES = [
    *((OutputReader, HEAD, name, TICKS[name]) for name in TICKS),
    *((PairReader, PAIR_HEAD, name, PAIRS[name]) for name in PAIRS),
    (
        PairReader,
        b"",
        "lines before the header",
        before_header,
    ),
]


def bytes_of(data: bytes) -> Callable[[int, int], bytes]:
    """Reads a text in blocks of a size that is no multiple of its lines."""
    return lambda count, offset: data[offset : offset + min(count, 7001)]


@pytest.mark.parametrize(("reader", "head", "name", "line"), CASES)
def test_twice_the_bytes_are_twice_the_work(reader: Any, head: bytes, name: str, line: Callable[[int], str]) -> None:
    done = []
    for size in (1000, SIZE, 2 * SIZE):
        data = head + repeated(line, size)
        with Work() as work:
            reader().read(bytes_of(data), len(data), True)
        done.append(work.done)
    assert done[2] <= MOST_GROWTH * done[1]


@pytest.mark.parametrize(("reader", "head", "name", "line"), CASES)
def test_runs_of_lines_are_read_as_line_by_line(
    reader: Any, head: bytes, name: str, line: Callable[[int], str], monkeypatch: Any
) -> None:
    for bound in ("MOST_OUTPUT", "MOST_DOUBTS"):
        monkeypatch.setattr(f"parsers.formats.jdkprofilers.xprof.reader.{bound}", 10)
    data = head + repeated(line, SIZE // 2)
    found = reader().read(bytes_of(data), len(data), True)
    single = reader()
    for offset, text, has_end in lines(bytes_of(data), len(data)):
        single.feed(offset, text, has_end)
    single.finish(True)
    first, second = vars(found), vars(single.recording)
    assert {key: vars(value) if hasattr(value, "__dict__") else value for key, value in first.items()} == {
        key: vars(value) if hasattr(value, "__dict__") else value for key, value in second.items()
    }


@pytest.mark.parametrize("name", PAIRS)
def test_counting_the_rows_of_views_takes_twice_the_work_for_twice_the_bytes(
    name: str, tmp_path: Path, cache: Cache
) -> None:
    done = []
    for size in (1000, SIZE, 2 * SIZE):
        path = tmp_path / str(size)
        path.write_bytes(PAIR_HEAD + repeated(PAIRS[name], size))
        report = PairProfile(open_source(str(path), cache))
        with Work() as work:
            counts = [(view.row_count, view.root_count) for view in report.views]
        done.append(work.done)
        views = [view for view in report.views if isinstance(view, ArrayView)]
        assert [len(view.places.depths) for view in views] == [rows for rows, _ in counts if rows is not None]
        assert [view.places.depths.count(0) for view in views] == [roots for rows, roots in counts if rows is not None]
        report.close()
    assert done[2] <= MOST_GROWTH * done[1]


@pytest.mark.parametrize("line", ["\n", " \n", "x\n", "output of the program\n"])
@pytest.mark.parametrize(("reader", "head"), [(OutputReader, HEAD), (PairReader, PAIR_HEAD)])
def test_lines_without_data_are_not_read_one_by_one(reader: Any, head: bytes, line: str, monkeypatch: Any) -> None:
    for module, bound in (("xprof", "MOST_OUTPUT"), ("pairs", "MOST_PROBLEMS")):
        monkeypatch.setattr(f"parsers.formats.jdkprofilers.{module}.reader.{bound}", 10)
    data = head + line.encode() * 5000
    with Work() as work:
        found = reader().read(bytes_of(data), len(data), True)
    assert found.lines == data.count(b"\n")
    assert work.done < 5000


def test_no_row_is_matched_again_because_a_line_before_it_ends_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    matched = []

    class Counted:
        def scanner(self, *place: Any) -> Any:
            scanner = METHOD_ROW.scanner(*place)  # type: ignore[attr-defined]
            return SimpleNamespace(match=lambda: matched.append(1) or scanner.match())

    monkeypatch.setattr("parsers.formats.jdkprofilers.xprof.reader.METHOD_ROW", Counted())
    data = HEAD + repeated(TICKS["rows behind a part of a head"], SIZE)
    OutputReader().read(bytes_of(data), len(data), True)
    assert len(matched) <= 2 * data.count(b"\n")


@pytest.mark.parametrize(
    "texts", [[], ["a/B", "", "a.b/C$D"], ["a/B", "[La/B;", "[[I"], ["a/B", "a/C$$Lambda/0x1f", "a/D$$Lambda$1/27"]]
)
def test_class_names_converted_together_are_those_converted_alone(texts: list[str]) -> None:
    assert class_names(texts) == [*map(class_name, texts)]
