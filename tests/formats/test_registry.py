"""Detection of formats: by content first, and never two formats."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Any

import pytest
from conftest import CORPUS, sample_path, truth_of
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.format import Confidence
from parsers.formats.registry import FORMATS, accepted, detect, format_named
from parsers.io.archives.unpack import without_suffix
from parsers.io.cache import Cache
from parsers.io.open_source import open_source
from parsers.model.report import ReportError
from parsers.runtime.opening import description_of, open_report


def all_samples() -> list[tuple[str, str, str | None]]:
    """Case, file name and format of every file that truth speaks of; of a CSV set each table."""
    found = []
    for truth in sorted(CORPUS.glob("**/truth.json")):
        case = str(truth.parent.relative_to(CORPUS))
        for name, expected in truth_of(case).items():
            found += [(case, file, expected["format"]) for file in expected.get("files", [name])]
    return found


SAMPLES = all_samples()
every_sample = pytest.mark.parametrize(("case", "name", "format"), SAMPLES, ids=[f"{c}/{n}" for c, n, _ in SAMPLES])


def head_of(case: str, name: str) -> bytes:
    path = sample_path(case, name)
    with lzma.open(path) if path.suffix == ".xz" else open(path, "rb") as file:
        return file.read(64 << 10)


NAMED_ONLY = ("class_initialization_dependencies_", "native_library_info_", "target_info_")
"""Free text without truth: named for the picker nevertheless."""


@every_sample
def test_every_sample_is_recognised(case: str, name: str, format: str | None, cache: Cache) -> None:
    source = open_source(str(sample_path(case, name)), cache)
    found = detect(source.head, source.name)
    assert (found.name if found else None) == format or (format is None and name.startswith(NAMED_ONLY))
    source.close()


@every_sample
def test_no_two_formats_are_sure_of_one_file(case: str, name: str, format: str | None) -> None:
    head = head_of(case, name)
    sure = [each.name for each in FORMATS if each.sniff(head, name) is Confidence.SURE]
    assert len(sure) <= 1
    assert sure in ([], [format])


NAMED = ("used-", "trace", "dependencies", "info", "components", "universe", "error")


@every_sample
def test_the_name_of_a_file_means_nothing_where_content_speaks(case: str, name: str, format: str | None) -> None:
    if format is None or any(part in format for part in NAMED):
        return
    for other in ("x", "object_tree_a_20200101_000000.txt", "used_methods_a_20200101_000000.txt"):
        found = detect(head_of(case, name), other)
        assert found is not None and found.name == format


def test_a_byte_order_mark_is_skipped() -> None:
    found = detect(b"\xef\xbb\xbfHeap roots\r\n", "x")
    assert found is not None and found.name == "graalvm-object-tree"


@pytest.mark.parametrize(
    ("head", "format"),
    [
        (b"VM Entry Points", "graalvm-call-tree"),
        (b"VM Entry Points \t\r\n", "graalvm-call-tree"),
        (b"VM Entry Points of mine\n", None),
        (b"\nVM Entry Points\n", None),
        (b"vm entry points\n", None),
        (b"Heap roots\n", "graalvm-object-tree"),
        (b"Heap histogram\n", "graalvm-heap-histogram"),
        (b"Id,Name\r\n0,VM\r\n", "graalvm-call-tree-csv"),
        (b"Id\n12\n", "graalvm-call-tree-csv"),
        (b'{"total_reachable_types": 3}', "graalvm-analysis-statistics"),
        (b'{"a": 3}', None),
        (b"", None),
        (b"\0" * 1000, None),
    ],
)
def test_first_lines(head: bytes, format: str | None) -> None:
    found = detect(head, "x")
    assert (found.name if found else None) == format


def test_a_name_alone_is_believed_only_of_text() -> None:
    name = "used_methods_demo_20230401_101500.txt"
    found = detect(b"java.lang.Object.toString():String\n", name)
    assert found is not None and found.name == "graalvm-used-methods"
    assert detect(b"java\0lang", name) is None
    assert detect(b"", name) is None


@given(st.binary(max_size=300), st.text(max_size=40))
def test_detection_takes_any_bytes_and_any_name(head: bytes, name: str) -> None:
    sure = [each for each in FORMATS if each.sniff(head, name) is Confidence.SURE]
    assert len(sure) <= 1
    detect(head, name)


def test_names_and_titles_are_all_different() -> None:
    assert len({each.name for each in FORMATS}) == len(FORMATS)
    assert len({each.title for each in FORMATS}) == len(FORMATS)
    assert all(format_named(each.name) is each for each in FORMATS)


# -- what can't be opened ---------------------------------------------------------------------------------------------


def refusal(path: object, **options: Any) -> str:
    with pytest.raises(ReportError) as error:
        open_report([str(path)], cache=Cache(keep=False), **options)
    text = str(error.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"hello\n", "is no known report (it begins with 'hello')"),
        (b"\n\n", "is no known report (its first line is empty)"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0", "is binary"),
        (bytes(range(1, 30)), "is binary"),
        (b"PK\x03\x04aaaa", "is a zip archive"),
        (b"\xff\xfeV\0M\0", "is UTF-16 text"),
        (b"BZh91AY", "is a bzip2 archive"),
        (b"\x1f\x8b\x08\0", "is an archive of which nothing could be unpacked"),
        (b"\x1b[31m\xe2\x80\xae", "is no known report"),
    ],
)
def test_an_unknown_file_is_reported_with_the_known_formats(data: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    text = refusal(path)
    assert text.startswith(f"{path}: {words}")
    assert text.endswith(accepted())


def test_only_recognised_formats_are_named(tmp_path: Path) -> None:
    path = tmp_path / "universe_demo_20240917_101500.txt"
    path.write_text("all types\n")
    assert "GraalVM universe: recognised, but not read yet" in refusal(path)


def test_a_format_that_there_is_not() -> None:
    said = refusal("x", format="foo")
    assert said.startswith("no format is called 'foo': there are graalvm-call-tree, graalvm-object-tree, ")
    readable = {each.name for each in FORMATS if each.open is not None}
    assert set(said.partition(": there are ")[2].split(", ")) == readable


def test_a_format_can_be_forced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"No header\n")
    report = open_report([str(path)], format="graalvm-call-tree", cache=Cache(keep=False))
    assert report.format == "graalvm-call-tree"
    report.close()


def test_several_files_of_one_run(corpus: Path) -> None:
    call_tree = str(next(corpus.glob("v19/reports/call_tree*")))
    other = str(next(corpus.glob("v24.1/reports/call_tree*")))
    with pytest.raises(ReportError, match="give one at a time"):
        open_report([call_tree, other], cache=Cache(keep=False))
    objects = str(next(corpus.glob("v20_to_24.0/reports/object_tree*")))
    with pytest.raises(ReportError, match="no parts of one run"):
        open_report([call_tree, objects], cache=Cache(keep=False))


def test_a_folder_with_one_report_is_that_report(corpus: Path) -> None:
    report = open_report([str(corpus / "v19")], cache=Cache(keep=False))
    assert report.format == "graalvm-call-tree"
    report.close()


def test_a_folder_with_several_reports_of_a_build_is_all_of_them(corpus: Path) -> None:
    report = open_report([str(corpus / "v24.2_and_25")], cache=Cache(keep=False))
    assert report.format == "graalvm-build"
    report.close()
    report = open_report([str(corpus / "v24.2_and_25")], format="graalvm-object-tree", cache=Cache(keep=False))
    assert report.format == "graalvm-object-tree"
    report.close()


def test_a_folder_without_report(tmp_path: Path) -> None:
    assert "no report in it can be opened" in refusal(tmp_path)


def test_a_source_is_described_by_its_content(tmp_path: Path, cache: Cache) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"a" * 100_000)
    assert description_of(open_source(str(path), cache)) == f"is no known report (it begins with {'a' * 60!r})"


def test_suffixes_of_archives() -> None:
    table: dict[str, str] = {"a.txt.gz": "a.txt", "a.xz": "a", "a.ZST": "a", "a.txt": "a.txt", ".gz": ".gz", "": ""}
    assert {name: without_suffix(name) for name in table} == table
