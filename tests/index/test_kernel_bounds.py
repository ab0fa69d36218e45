"""All kernels that build indexes, for all samples, damaged ones and the densest files: no index is outside its array.

Runs where kernels check that, by `make bounds`: files that are small are read by kernels here, too.
"""

from __future__ import annotations

import lzma
import os
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random

import pytest
from conftest import TESTS

from parsers.formats.graalvm.csv.build import CsvBuild
from parsers.formats.graalvm.text.read.chunk import CHUNK
from parsers.formats.registry import detect, format_named
from parsers.formats.tptp.build import TraceBuild
from parsers.index.build import FileBuild
from parsers.io.cache import Cache
from parsers.io.group import SourceGroup
from parsers.io.open_source import open_source
from parsers.kernels.groups import CHECKS
from parsers.model.report import ReportError

if CHECKS not in os.environ:
    pytest.skip("kernels check indexes in `make bounds`", allow_module_level=True)

CORPUS = TESTS / "corpus"
LARGEST = 60_000
"""Bytes of samples, packed, that are read."""
LIMITS = {
    "MANY": ("formats.tptp.calls.merged_trees", "formats.tptp.join.saving"),
    "MOST": ("formats.hotspot.build",),
}
"""Sizes up to which plain code does the work, and the modules that have them."""


@pytest.fixture(autouse=True)
def _all_by_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    for build in (FileBuild, CsvBuild, TraceBuild):
        monkeypatch.setattr(build, "small", -1)
    for name, modules in LIMITS.items():
        for module in modules:
            monkeypatch.setattr(import_module(f"parsers.{module}"), name, -1)


def text_of(path: Path) -> bytes:
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def format_of(path: Path) -> str | None:
    format = detect(text_of(path)[: 1 << 16], path.name.removesuffix(".xz"))
    return format.name if format is not None and format.index is not None else None


def indexed() -> Iterator[Path]:
    for path in sorted(CORPUS.rglob("*")):
        is_small = path.is_file() and path.stat().st_size < LARGEST
        if is_small and path.suffix in (".xz", ".trcxml", ".csv", ".txt") and format_of(path) is not None:
            yield path


SAMPLES = [path.relative_to(CORPUS).as_posix() for path in indexed()]


def build(folder: Path, name: str, data: bytes, format: str, beside: Path | None = None) -> None:
    """Builds the index of some bytes by kernels. beside: other files of the set"""
    files = folder / "files"
    files.mkdir()
    if beside is not None:
        for path in beside.iterdir():
            if path.is_file():
                (files / path.name.removesuffix(".xz")).write_bytes(text_of(path))
    (files / name).write_bytes(data)
    cache = Cache(str(folder / "cache"))
    source = SourceGroup([open_source(str(files / name), cache)])
    try:
        whole = format_named(format).whole
        if whole is not None:
            source = SourceGroup(whole(source.sources, cache))
        source.unpack(lambda done, total: None)
        make = format_named(format).index
        assert make is not None
        work = make(source, cache.index_folder(source.identity, format), format, lambda news: None)
        try:
            work.run()
        except BaseException:
            work.abandon()
            raise
    except ReportError:
        pass
    finally:
        source.close()
        cache.close()
        shutil.rmtree(files)


NUMBERS = (b"0", b"-1", b"65536", b"4294967295", b"2147483648", b"9223372036854775807", b"18446744073709551615")
SIGNS = (b"\n", b"\r\n", b"<", b">", b"'", b'"', b",", b"\t", b"\0", b"\xff", b"=", b"&", b"-")


def damaged(data: bytes, chance: Random) -> bytes:
    """The bytes with some of them changed, lost, doubled or in another place."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 3, 10, 60))):
        at = chance.randrange(len(changed) or 1)
        match chance.randrange(7):
            case 0:
                changed[at : at + 1] = bytes((chance.randrange(256),))
            case 1:
                del changed[at : at + chance.choice((1, 2, 8, 50, 1000))]
            case 2:
                changed[at:at] = changed[at : at + chance.choice((1, 4, 30, 400, 5000))]
            case 3:
                there = chance.randrange(len(changed) or 1)
                changed[at:at] = changed[there : there + chance.choice((4, 40, 400))]
            case 4:
                changed[at:at] = chance.choice((*SIGNS, *NUMBERS))
            case 5:
                size = chance.choice((1, 2, 4, 8))
                changed[at : at + size] = chance.choice((b"\xff", b"\0", b"\x7f")) * size
            case _:
                end = at
                while end < len(changed) and 48 <= changed[end] <= 57:
                    end += 1
                changed[at:end] = chance.choice(NUMBERS)
    return bytes(changed)


@pytest.mark.parametrize("sample", SAMPLES)
def test_samples_whole_and_damaged(sample: str, tmp_path: Path) -> None:
    path, chance = CORPUS / sample, Random(sample)
    data, format = text_of(path), format_of(path)
    assert format is not None
    beside = path.parent if format == "graalvm-call-tree-csv" else None
    for number, each in enumerate((data, damaged(data, chance), damaged(data, chance))):
        folder = tmp_path / str(number)
        folder.mkdir()
        build(folder, path.name.removesuffix(".xz"), each, format, beside)


CALLS = "graalvm/real_23.0_helloworld_csv/reports/call_tree_"
DENSE = [
    ("hotspot-compilation-log", b"<tty>\n", b"<a\n"),
    ("hotspot-compilation-log", b"<tty>\n", b"<!--"),
    ("hotspot-compilation-log", b"<compilation_log>\n", b"<task>\n"),
    ("hotspot-compilation-log", b"<compilation_log>\n<task>\n", b"<bc\n<b><bc>"),
    ("hprof-text", b"JAVA PROFILE 1.0.1\n\n--------\nHEAP DUMP BEGIN\nOBJ 1 (sz=1, trace=1, class=a@1)\n", b"\ta\t1\n"),
    ("hprof-text", b"JAVA PROFILE 1.0.1\n\n--------\nHEAP DUMP BEGIN\n", b"OBJ 1 (sz=1, trace=1, class=a@1)\n"),
    ("hprof-text", b"JAVA PROFILE 1.0.1\n\n--------\nHEAP DUMP BEGIN\n", b"CLS 1 (name=, trace=1)\n"),
    ("hprof-text", b"JAVA PROFILE 1.0.1\n\n--------\n", b"TRACE 1:\n\ta\t1\n\n"),
    ("graalvm-call-tree", b"VM Entry Points\n", "\u251c\u2500\u2500 \n".encode()),
    ("graalvm-call-tree", b"VM Entry Points\n", b"|-- \n"),
    ("graalvm-call-tree", b"VM Entry Points\n", b"\n"),
    ("graalvm-call-tree", b"VM Entry Points\n", b"??? \n"),
    ("graalvm-object-tree", b"Heap roots\n", b"??? \n"),
    ("tptp-trace", b"<TRACE>", b"<a/>"),
    ("tptp-trace", b"<TRACE>", b"<gcStart/>"),
    ("tptp-trace", b"<TRACE>", b'<objAlloc objId="1"/>'),
]


@pytest.mark.parametrize(("format", "head", "unit"), DENSE)
def test_chunks_of_nothing_but_the_shortest(format: str, head: bytes, unit: bytes, tmp_path: Path) -> None:
    size = CHUNK if format.startswith("graalvm") else CHUNK // 2
    build(tmp_path, "report", head + unit * (size // len(unit) + 1), format)


@pytest.mark.parametrize("unit", [b"0\n", b"\n", b"0,0\n", b"0,0,00\n", b"0,,,,,\n", b"0,,,,,,,\n", b"x\n"])
@pytest.mark.parametrize("table", ["vm", "methods", "virtual_methods", "entry_points", "direct_edges", "invokes"])
def test_tables_of_nothing_but_the_shortest_rows(table: str, unit: bytes, tmp_path: Path) -> None:
    beside = (CORPUS / CALLS).parent
    for path in sorted(beside.glob(f"call_tree_{table}_*.xz")):
        head = text_of(path).splitlines(keepends=True)[0]
        data = head + unit * (300_000 // len(unit))
        build(tmp_path, path.name.removesuffix(".xz"), data, "graalvm-call-tree-csv", beside)
