"""Binary heap dumps: every number of the samples' `truth.json`, by the headless commands and by the reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import Answer
from heap_dumps import TRUTH, WITH_HEAP, Built, sample, sample_path

from parsers.formats.hprof.dump.index.sizes import UNIT
from parsers.formats.hprof.dump.index.tables import add_heap, class_objects
from parsers.heapdump.graph.columns import CLASS_OBJECT
from parsers.model.none import NONE

Run = Callable[..., Answer]


def without_zeros(totals: dict[str, Any]) -> dict[str, Any]:
    """Returns counts without zeros, which may be missing."""
    return {name: value for name, value in totals.items() if value}


@pytest.mark.parametrize("name", TRUTH)
def test_info_shows_all_totals_and_damage(name: str, coffeetree: Run) -> None:
    answer = coffeetree("info", "--json", sample_path(name))
    info, truth = answer.json, TRUTH[name]
    assert info["format"] == "hprof-binary"
    assert f"JAVA PROFILE {info['format_version']}" == truth["format"]
    assert info["bytes"] == truth["bytes"]
    assert without_zeros(info["totals"]) == without_zeros(truth["totals"])
    assert [problem["offset"] for problem in info["problems"]] == [problem["offset"] for problem in truth["problems"]]
    assert answer.status == (3 if truth["problems"] else 0)


@pytest.fixture(scope="module", params=WITH_HEAP)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    found = Built(sample(request.param), tmp_path_factory.mktemp("dump"), by_kernels=True)
    found.name = request.param  # type: ignore[attr-defined]  # which sample it is
    found.references = found.steps.references(found.heap, lambda share: None)  # type: ignore[attr-defined]  # made once
    yield found
    found.close()


def test_the_layout_explains_as_many_distances_as_it_should(built: Any) -> None:
    truth, layout = TRUTH[built.name], built.measured.layout
    assert {
        "reference": layout.reference,
        "object_header": layout.object_header,
        "array_header": layout.array_header,
        "alignment": layout.alignment,
        "fields": layout.fields,
        "class_object_base": layout.class_object_base,
    } == truth["layout"]
    assert built.measured.java_version == truth["java_version"]
    if "layout_fit" in truth:
        assert [layout.matches, layout.groups, layout.next_best] == list(truth["layout_fit"].values())


def test_classes_with_most_bytes_are_those_of_the_truth(built: Any) -> None:
    heap, measured = built.heap, built.measured
    sizes = built.steps.sizes(heap, measured).units.astype(np.int64) * UNIT
    objects, sums = Counter[int](), Counter[int]()
    for kind, type, size in zip(heap.kinds.tolist(), heap.types.tolist(), sizes.tolist(), strict=True):
        if kind != CLASS_OBJECT:
            objects[type] += 1
            sums[type] += size
    rows = [{"class": class_label(built, type), "instances": objects[type], "bytes": sums[type]} for type in objects]
    rows.sort(key=lambda row: (-row["bytes"], row["class"]))
    assert rows[:30] == TRUTH[built.name]["histogram"]


def class_label(built: Any, type: int) -> str:
    """A type as the truth has it."""
    arrays = ("boolean[]", "char[]", "float[]", "double[]", "byte[]", "short[]", "int[]", "long[]")
    return arrays[type] if type < len(arrays) else str(built.measured.type_names[type])


def test_objects_with_most_retained_bytes_are_those_of_the_truth(built: Any) -> None:
    heap, measured, steps = built.heap, built.measured, built.steps
    units = steps.sizes(heap, measured).units
    roots = add_heap(built.file.profile, heap, measured)
    found = steps.dominate(heap, built.references, class_objects(heap), roots, units, lambda share: None)
    reached = np.flatnonzero(found.dominators != NONE)
    order = sorted(reached.tolist(), key=lambda number: (-found.retained[number], heap.ids[number]))
    rows = [
        {"object": f"0x{heap.ids[n]:x}", "shallow": int(units[n]) * UNIT, "retained": int(found.retained[n]) * UNIT}
        for n in order[:10]
    ]
    truth = TRUTH[built.name]["retained_top"]
    assert rows == [{key: row[key] for key in ("object", "shallow", "retained")} for row in truth]
    from_roots = found.dominators == NONE - 1
    assert (
        found.retained[from_roots].sum() * UNIT == found.size * UNIT == TRUTH[built.name]["totals"]["reachable_bytes"]
    )


def test_strings_and_the_most_repeated_texts_are_those_of_the_truth(built: Any) -> None:
    heap, measured, steps, truth = built.heap, built.measured, built.steps, TRUTH[built.name]
    units = steps.sizes(heap, measured).units
    arrays, totals = steps.strings(heap, measured, built.references, units)
    assert totals == {each: truth["totals"].get(each, 0) for each in ("strings", "strings_distinct")}
    # Behind the texts that several Strings have are those that one has.
    several = arrays["string_first"].tolist()
    firsts = np.array([*several, *range(several[-1] + 1, several[-1] + totals["strings_distinct"] - len(several) + 2)])
    counts = np.diff(firsts)
    most = np.flatnonzero(counts >= np.sort(counts)[-5:].min(initial=1))
    strings = heap.ids[arrays["string_object"][firsts[most]]].tolist()
    texts = zip(map(measured.values.text, strings), counts[most].tolist(), strict=True)
    found = [{"text": text, "count": count} for text, count in sorted(texts, key=lambda item: (-item[1], item[0]))]
    assert found[:5] == truth["most_repeated_strings"]
