"""The view "Strings" of binary heap dumps: texts by waste, the Strings that have them, searching in contents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Answer
from heap_dumps import BYTES, COMPACT, TRUTH, WITH_HEAP, compact, sample_path, string_dump, text_array
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.hprof.dump.graph.text_rows import TextRows
from parsers.io.cache import Cache
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.runtime.opening import open_report

Run = Callable[..., Answer]
SAMPLE = sample_path("jdk17.hprof")


@pytest.fixture(scope="module")
def folder(shared_cache: Path) -> str:
    return str(shared_cache / "coffeetree")


@pytest.fixture
def ask(coffeetree: Run, folder: str) -> Run:
    """Asks with JSON as the answer."""
    return lambda command, *words: coffeetree(command, "--json", "--cache-dir", folder, *words)


@pytest.mark.parametrize("name", WITH_HEAP)
def test_the_texts_that_most_strings_have_are_those_of_the_truth(name: str, ask: Run) -> None:
    words = ("tree", "--view", "Strings", "--depth", "0", "--sort", "objects", "--limit", "100")
    texts = {row["label"]: row["badges"]["objects"] for row in ask(*words, sample_path(name)).rows}
    for each in TRUTH[name]["most_repeated_strings"]:
        if each["text"].isprintable() and len(each["text"]) < 1000:
            assert texts[each["text"]] == each["count"]


@pytest.mark.parametrize("name", WITH_HEAP)
def test_texts_are_as_many_as_the_truth_counts_and_have_all_strings(name: str, folder: str) -> None:
    with closing(open_report([str(sample_path(name))], cache=Cache(folder))) as report:
        report.wait()
        view: Any = report.view("Strings")
        rows = view.tops()
        objects, lengths = (view.numbers_of(column, np.arange(len(rows))) for column in ("objects", "length"))
        totals = TRUTH[name]["totals"]
        assert sum(objects) == totals.get("strings", 0)
        assert sum(length is not None for length in lengths) == totals.get("strings_distinct", 0)
        for place in range(0, len(rows), max(len(rows) // 100, 1)):
            badges = view.tree.row(int(rows[place])).badges
            assert (badges["objects"], badges.get("length")) == (objects[place], lengths[place])


@pytest.mark.parametrize("name", WITH_HEAP)
def test_texts_that_are_read_together_are_those_that_are_read_alone(name: str, folder: str) -> None:
    with closing(open_report([str(sample_path(name))], cache=Cache(folder))) as report:
        report.wait()
        view: Any = report.view("Strings")
        strings = np.asarray(view._strings, np.int64)[:2000]
        assert view.reader.texts(strings, 50) == [view.graph.text(string, 50) for string in strings.tolist()]


def test_texts_that_waste_most_are_first_with_their_strings_below(ask: Run) -> None:
    rows = ask("tree", "--view", "Strings", "--depth", "0", "--limit", "100", SAMPLE).rows
    waste = [row["badges"]["wasted"] for row in rows]
    assert waste == sorted(waste, reverse=True)
    first = rows[0]
    below = ask("tree", "--view", "Strings", "--at", first["ref"], SAMPLE).rows[1:]
    assert {row["label"] for row in below} == {"java.lang.String"}
    # All of them share one array, so that the Strings alone are waste.
    assert first["badges"]["wasted"] == sum(row["badges"]["bytes"] for row in below[1:])


def test_contents_are_searched_by_text_and_by_expression(ask: Run) -> None:
    found = ask("find", "--view", "Strings", "--regex", SAMPLE, "^SHIPP?ED$").rows
    assert [row["label"] for row in found] == ["SHIPPED"]
    assert ask("find", "--view", "Strings", "--count", SAMPLE, "SKU70").json["count"] > 1


def test_a_text_is_found_by_its_name_and_a_string_by_its_id(ask: Run) -> None:
    (by_name, *_) = ask("tree", "--view", "Strings", "--depth", "0", "--at", "name:SHIPPED", SAMPLE).rows
    (by_id, *_) = ask("tree", "--view", "Strings", "--depth", "0", "--at", "object:0xe0423af8", SAMPLE).rows
    assert by_name == by_id
    assert by_name["label"] == "SHIPPED"


def test_the_side_pane_of_a_text_lists_referrers_of_its_strings(ask: Run) -> None:
    answer = ask("show", "--view", "Strings", SAMPLE, "node:0").json
    sections = {section["title"]: section["rows"] for section in answer["sections"]}
    assert sections["Text"][0]["text"] == '"emoji 😀 city"'
    referring = sections["Referred to by"][0]
    assert (referring["label"], referring["text"]) == ("337", "ObjectGraph$Address city")
    assert sections["All Strings"][0]["text"] == f"{TRUTH['jdk17.hprof']['totals']['strings']:,}"


def test_references_to_a_text_are_those_to_its_strings(ask: Run) -> None:
    rows = ask("refs", "--view", "Strings", SAMPLE, "node:0").rows
    assert Counter(row["label"] for row in rows).most_common(1) == [("ObjectGraph$Address city", 337)]


@given(st.lists(st.integers(2, 5), max_size=5), st.integers(0, 4), st.integers(0, 3), st.data())
def test_rows_are_texts_and_their_strings(several: list[int], alone: int, rest: int, data: st.DataObject) -> None:
    firsts = np.cumsum([0, *several]).tolist()
    rows = TextRows(firsts, len(several) + alone, sum(several) + alone + rest)
    leaves = [*several, *[0] * alone, *([rest] if rest else [])]
    expected = GroupedPreorder([0] * len(leaves), leaves)
    nodes = range(expected.rows)
    assert rows.rows == expected.rows
    for ask in ("place", "depth", "end", "parent"):
        assert [getattr(rows, ask)(node) for node in nodes] == [getattr(expected, ask)(node) for node in nodes]
    start, stop = sorted(data.draw(st.tuples(st.integers(0, rows.rows), st.integers(0, rows.rows))))
    assert rows.depths(start, stop).tolist() == expected.depths(start, stop).tolist()
    assert [rows.node(*rows.place(node)) for node in nodes] == list(nodes)
    if rows.rows:
        assert rows.tops(0, rows.rows).tolist() == [node for node in nodes if not rows.depth(node)]
    strings = [rows.string(*rows.place(node)) for node in nodes if rows.depth(node) or rows.end(node) == node + 1]
    assert strings == list(range(sum(several) + alone + rest))
    texts = len(several) + alone
    assert rows.strings(0, texts).tolist() == [rows.string(group, -1) for group in range(texts)]


def test_whatever_a_text_holds_is_shown_and_harms_nothing(ask: Run, coffeetree: Run, tmp_path: Path) -> None:
    texts = ["\x1b]0;title\x07", "two\nlines", "\ud800", "\u202eabc", "", "\0"]
    path = tmp_path / "hostile.hprof"
    strings = [compact(32 + 8 * place, 1024 + 64 * place, 1) for place in range(len(texts))]
    arrays = [
        text_array(1024 + 64 * place, BYTES, text.encode("utf-16-le", "surrogatepass"))
        for place, text in enumerate(texts)
    ]
    path.write_bytes(string_dump(COMPACT, *strings, *arrays))
    assert [row["label"] for row in ask("tree", "--view", "Strings", path).rows] == texts
    printed = coffeetree("tree", "--view", "Strings", "--no-cache", path).out
    assert len(printed.splitlines()) == 2 + len(texts)
    assert printed.replace("\n", "").isprintable()
    for node in range(len(texts)):
        assert coffeetree("show", "--view", "Strings", "--no-cache", path, f"node:{node}").status == 0
