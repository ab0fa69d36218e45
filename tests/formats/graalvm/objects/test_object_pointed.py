"""Roots and fields by patterns of what is called `Class.field`: against rows taken apart one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import sample_path, samples
from hypothesis import given
from hypothesis import strategies as st

from parsers.formats.graalvm.calls.group_names import holder_lengths
from parsers.formats.graalvm.calls.index.row import method_parts
from parsers.formats.graalvm.objects.holder import field_row, root_row
from parsers.formats.graalvm.objects.pointed import field_pattern, root_patterns
from parsers.io.cache import Cache
from parsers.model.names.patterns import PatternSet, matches
from parsers.runtime.opening import open_report

NAMES = st.lists(st.sampled_from(["a", "b", "ab", "$c"]), min_size=1, max_size=3).map(".".join)


@given(
    type=NAMES,
    field=st.sampled_from(["a", "b", "ab", "this$0"]),
    core=NAMES | st.sampled_from([".a", "a.", "", "."]),
    form=st.sampled_from(["{}", "{}*", "*{}", "*{}*"]),
)
def test_a_pattern_matches_a_field_if_its_parts_match_type_and_name(
    type: str, field: str, core: str, form: str
) -> None:
    pattern = form.format(core)
    types, names = field_pattern(pattern)
    # If the type itself matches, all its objects match, regardless of fields.
    if not matches(pattern, type):
        assert (type in types and field in names) == matches(pattern, f"{type}.{field}")


def test_a_static_field_matches_without_its_type() -> None:
    patterns = root_patterns(PatternSet(("a.B.MAP", "*.list")), has_loaders=False)
    assert "a.B.MAP:java.util.Map" in patterns
    assert "a.C.list:java.util.List" in patterns
    assert "x.Y.f:a.B.MAP" not in patterns
    assert "app:a.B.MAP:java.util.Map" in root_patterns(PatternSet(("a.B.MAP",)), has_loaders=True)
    assert "app:x.Y.f:a.B.MAP" not in root_patterns(PatternSet(("a.B.MAP",)), has_loaders=True)


@pytest.mark.parametrize(("case", "name"), samples("graalvm-object-tree")[::5])
def test_roots_and_fields_match_as_in_their_rows(case: str, name: str, cache: Cache) -> None:
    report: Any = open_report([str(sample_path(case, name))], cache=cache)
    report.wait()
    graph, tree = report.graph, report.tree
    edges = graph.cache.edges
    sources = [report.parsed(root_row(tree, int(row))).source for row in edges.root_rows]
    rows = [(edge, field_row(tree, row)) for edge, row in enumerate(edges.rows.tolist())]
    owners = np.searchsorted(edges.starts, np.arange(len(rows)), "right") - 1
    holders = [
        (edge, graph.name(int(owners[edge])), report.parsed(row).field[0]) for edge, row in rows if row is not None
    ]
    for pattern in ("*", "*java.util.*", "*.CACHE", "*.value", "*.tab*"):
        patterns = PatternSet((pattern,))

        roots, fields = graph.matching_edges(patterns)

        widened = root_patterns(patterns, report.has_loaders)
        assert roots.tolist() == [place for place, source in enumerate(sources) if source in widened], pattern
        types, names = field_pattern(pattern)
        assert fields.tolist() == [edge for edge, type, name in holders if type in types and name in names], pattern
    report.close()


@given(st.lists(st.text("ab.():$", max_size=12).map(str.encode), max_size=5))
def test_classes_of_many_methods_are_those_of_each(methods: list[bytes]) -> None:
    begins = np.cumsum([0, *map(len, methods)]).astype(np.int64)
    text = np.frombuffer(b"".join(methods), np.uint8)
    expected = [method_parts(method).holder[1] for method in methods]
    assert holder_lengths(begins, text).tolist() == expected
