"""Fields of many instances at a time are those of each; large hash tables hold what is found chain by chain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import TESTS
from heap_dumps import sample_path

from parsers.heapdump.collections import contents
from parsers.heapdump.collections import walk as contents_walk
from parsers.heapdump.collections.known import contents_of, known_class
from parsers.heapdump.graph.columns import PLAIN_OBJECT
from parsers.io.cache import Cache
from parsers.runtime.opening import open_report

COLLECTIONS = TESTS / "corpus" / "hprof" / "collections"


@pytest.fixture(scope="module", params=["jdk25.hprof.xz", "jdk8-no-compressed-oops.hprof", "contradictions.hprof"])
def graph(request: pytest.FixtureRequest, shared_cache: Path) -> Iterator[Any]:
    """The objects of a dump."""
    path = COLLECTIONS / request.param if request.param.endswith(".xz") else sample_path(request.param)
    report: Any = open_report([str(path)], cache=Cache(str(shared_cache / "coffeetree")))
    report.start_index()
    report.wait()
    yield report.view("Objects").objects.graph
    report.close()


def instances(graph: Any) -> list[int]:
    return [object for object in range(graph.objects) if graph.kind(object) == PLAIN_OBJECT]


def test_many_at_a_time_refer_to_what_each_refers_to(graph: Any) -> None:
    chosen = instances(graph)[::-3]
    names = ("key", "value", "next", "name", "elementData")
    found = graph.many_references(np.array(chosen, np.int64), names)
    for name, targets in zip(names, found, strict=True):
        assert targets.tolist() == [graph.instance(object).reference(name) for object in chosen]


def held(graph: Any, object: int) -> Any:
    found = contents_of(graph, object)
    if found is None:
        return None
    contents = found[0]
    keys = None if contents.keys is None else sorted(contents.keys)
    return keys, sorted(contents.values), contents.damage


def test_a_table_holds_the_same_by_pieces_and_chain_by_chain(graph: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {type for type in range(graph.types) if known_class(graph, type)}
    chosen = [object for object in instances(graph) if graph.type(object) in known][:300]
    one_by_one = [held(graph, object) for object in chosen]
    monkeypatch.setattr(contents_walk, "LARGE", 1)
    monkeypatch.setattr(contents_walk, "FEWEST", 1)
    monkeypatch.setattr(contents_walk, "ONE_BY_ONE", 1)
    monkeypatch.setattr(contents, "FIRST_PIECE", 2)
    assert [held(graph, object) for object in chosen] == one_by_one


def test_lengths_of_many_arrays_are_those_of_each(graph: Any) -> None:
    every = range(graph.objects)
    lengths = [graph.elements(object) for object in every]
    assert graph.column("elements", every).tolist() == lengths
    chosen = np.array(every[::-7], np.int64)
    assert graph.column("elements", chosen).tolist() == [lengths[object] for object in chosen]
