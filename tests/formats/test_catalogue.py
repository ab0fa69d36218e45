"""Properties of every report, whatever its format, tested with commands on each small call tree and object tree."""

from __future__ import annotations

import gzip
import lzma
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer, sample_path, samples

try:
    from compression import zstd
except ImportError:
    from backports import zstd

SMALL = [sample for sample in samples("graalvm-call-tree", "graalvm-object-tree") if "real" not in sample[0]]

Run = Callable[..., Answer]

REF = re.compile(r"[a-z]+:\S")
"""The beginning of a printed row, unlike titles and headings."""


@pytest.fixture(params=SMALL, ids=[f"{case}/{name}" for case, name in SMALL])
def sample(request: pytest.FixtureRequest) -> Path:
    return sample_path(*request.param)


def counted(info: dict[str, Any]) -> dict[str, Any]:
    """Removes parts that depend on the path of a report."""
    names = ("format", "format_version", "encoding", "line_end", "bytes", "views", "totals")
    problems = [{**problem, "file": ""} for problem in info["problems"]]
    return {name: info[name] for name in names} | {"problems": problems}


def test_another_name_changes_nothing(sample: Path, tmp_path: Path, coffeetree: Run) -> None:
    renamed = tmp_path / "unknown"
    renamed.write_bytes(sample.read_bytes())
    assert counted(coffeetree("info", "--json", renamed).json) == counted(coffeetree("info", "--json", sample).json)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, zstd.compress], ids=["gz", "xz", "zst"])
def test_packing_changes_nothing(pack: Callable[[bytes], bytes], sample: Path, tmp_path: Path, coffeetree: Run) -> None:
    packed = tmp_path / "unknown"
    packed.write_bytes(pack(sample.read_bytes()))
    assert counted(coffeetree("info", "--json", packed).json) == counted(coffeetree("info", "--json", sample).json)


def test_a_pipe_changes_nothing(sample: Path, tmp_path: Path, coffeetree: Run) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(sample.read_bytes()))
    writer.start()
    answer = coffeetree("info", "--json", pipe)
    writer.join()
    assert counted(answer.json) == counted(coffeetree("info", "--json", sample).json)


def test_a_byte_order_mark_changes_only_offsets(sample: Path, tmp_path: Path, coffeetree: Run) -> None:
    marked = tmp_path / "marked.txt"
    marked.write_bytes(b"\xef\xbb\xbf" + sample.read_bytes())
    plain, answer = coffeetree("tree", "--json", sample).rows, coffeetree("tree", "--json", marked).rows
    assert [{**row, "offset": row["offset"] - 3} for row in answer] == plain


def test_other_line_ends_change_only_offsets(sample: Path, tmp_path: Path, coffeetree: Run) -> None:
    data = sample.read_bytes()
    other = data.replace(b"\r\n", b"\n") if b"\r\n" in data else data.replace(b"\n", b"\r\n")
    changed = tmp_path / "changed.txt"
    changed.write_bytes(other)
    before, after = (coffeetree("info", "--json", path).json for path in (sample, changed))
    assert {before["line_end"], after["line_end"]} == {"lf", "crlf"}
    assert {**before["totals"], "bytes": 0} == {**after["totals"], "bytes": 0}
    plain, answer = coffeetree("tree", "--json", sample).rows, coffeetree("tree", "--json", changed).rows
    assert [{**row, "offset": 0} for row in answer] == [{**row, "offset": 0} for row in plain]


def test_cut_at_any_line_it_shows_all_before(sample: Path, tmp_path: Path, coffeetree: Run) -> None:
    data = sample.read_bytes()
    whole = coffeetree("tree", "--json", "--depth", "all", sample).rows
    cut = tmp_path / "cut.txt"
    borders = [place for place, byte in enumerate(data) if byte == 10]
    for border in borders[:-1]:
        cut.write_bytes(data[: border + 1])
        answer = coffeetree("tree", "--json", "--depth", "all", cut)
        expected = [row["line"] for row in whole if row["offset"] <= border]
        assert [row["line"] for row in answer.rows] == expected
        assert (answer.status, "cut at byte" in answer.err) == (3, True)


def test_text_and_json_are_the_same_rows(sample: Path, coffeetree: Run) -> None:
    for words, question in ((["tree"], []), (["find"], ["a"]), (["refs"], ["id:1"]), (["why"], ["java"])):
        as_text = coffeetree(*words, sample, *question)
        as_json = coffeetree(*words, "--json", sample, *question)
        rows = [row for each in as_json.rows for row in each.get("path", [each])]
        printed = [line.split()[0] for line in as_text.out.splitlines() if REF.match(line)]
        assert printed == [row["ref"] for row in rows]
        assert as_text.status == as_json.status


def test_every_ref_finds_its_node_again(sample: Path, coffeetree: Run) -> None:
    names = [view["name"] for view in coffeetree("info", "--json", sample).json["views"]]
    for name in names:
        rows = coffeetree("tree", "--json", "--view", name, "--depth", "1", "--limit", "60", sample).rows
        for row in rows[::7]:
            if row["depth"] == 0 or name == names[0]:
                found = coffeetree("show", "--json", "--view", name, sample, row["ref"]).json["row"]
                assert (found["ref"], found["label"]) == (row["ref"], row["label"])


def test_every_link_leads_somewhere(sample: Path, coffeetree: Run) -> None:
    links = set[tuple[str, str | None]]()
    for row in coffeetree("tree", "--json", "--depth", "all", sample).rows[::3]:
        shown = coffeetree("show", "--json", sample, row["ref"]).json
        rows = [each for section in shown["sections"] for each in section["rows"]]
        links.update((each["ref"], each["view"]) for each in [*rows, *shown["links"]] if each["ref"])
        links.update([(row["link"], None)] if row["link"] else [])
    for ref, view in links:
        answer = coffeetree("show", *(["--view", view] if view else []), sample, ref)
        assert (ref, view, answer.status in (0, 3)) == (ref, view, True)
