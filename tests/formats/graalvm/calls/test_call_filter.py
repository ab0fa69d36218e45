"""What filters ask of a call tree: rows to hide by name, references, and methods that patterns suppress."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from parsers.formats.graalvm.calls.filter import CallFilters
from parsers.formats.graalvm.calls.tree_report import CallTreeReport
from parsers.io.cache import Cache
from parsers.model.names.java_name import is_jdk, is_synthetic
from parsers.runtime.opening import open_report

TEXT = """\
VM Entry Points
├── entry app.Main.main():void id=0
│   ├── directly calls java.util.List.size():int id=1 @bci=1
│   │   └── directly calls app.Log.write(java.lang.String, int):void id=2 @bci=1
│   ├── virtually calls java.lang.Runnable.run():void @bci=2
│   │   └── is overridden by app.Main$$Lambda/0x01.run():void id=3
│   │       └── directly calls app.Main.lambda$main$0():void id=4 @bci=1
│   └── directly calls java.util.List.size():int id-ref=1 @bci=3
├── entry javafx.App.start(java.lang.Object):void id=5
│   └── directly calls jdk.proxy2.$Proxy17.toString():java.lang.String id=6 @bci=1
└── inlined java.lang.Object.x():void id=7
    └── directly calls java.util.List.size():int id-ref=1 @bci=3

"""


@pytest.fixture
def filters(tmp_path: Path) -> CallFilters:
    """Filters of the tree above."""
    path = tmp_path / "call_tree.txt"
    path.write_text(TEXT, "utf-8")
    report = open_report([str(path)], cache=Cache(str(tmp_path / "cache")))
    assert isinstance(report, CallTreeReport)
    return report.row_filters()


def lines(mask: np.ndarray) -> list[int]:
    """Lines of the rows that a mask has."""
    return [int(row) + 2 for row in np.flatnonzero(mask)]


@pytest.mark.parametrize(
    ("mask", "hidden"),
    [
        ("jdk", [3, 5, 8, 10, 12]),
        ("synthetic", [6, 7, 10]),
        ("references", [8, 12]),
    ],
)
def test_a_mask_hides_rows_by_what_they_show(filters: CallFilters, mask: str, hidden: list[int]) -> None:
    assert lines(filters.mask(mask, 0, filters.rows)) == hidden


def test_an_unknown_mask_is_an_error(filters: CallFilters) -> None:
    with pytest.raises(KeyError):
        filters.mask("colour", 0, filters.rows)


@pytest.mark.parametrize(
    ("options", "suppressed"),
    [
        ({}, []),
        ({"suppress_methods": "java.*"}, [3, 5]),
        ({"suppress_methods": "java.*,app.Main.main():void"}, [2, 3, 5]),
        ({"suppress_methods": "*", "expand_methods": "app.*"}, [3, 5, 9]),
        ({"suppress_methods": "*(java.lang.Object)*"}, [9]),
        ({"suppress_methods": "List"}, []),
        ({"suppress_methods": "*List*"}, [3]),
        ({"suppress_types": "*"}, []),
        ({"suppress_roots": "*"}, [2, 9]),
        ({"suppress_roots": "*", "expand_roots": "app.*"}, [9]),
    ],
)
def test_a_suppressed_method_is_one_that_shows_no_rows_below_it(
    filters: CallFilters, options: dict[str, str], suppressed: list[int]
) -> None:
    assert lines(filters.suppressed(options, 0, filters.rows)) == suppressed


def test_a_pattern_with_a_comma_is_two_patterns(filters: CallFilters) -> None:
    assert (
        lines(filters.suppressed({"suppress_methods": "app.Log.write(java.lang.String, int):void"}, 0, filters.rows))
        == []
    )


def test_ranges_join_to_the_whole(filters: CallFilters) -> None:
    whole = filters.mask("jdk", 0, filters.rows)
    parts = [filters.mask("jdk", start, min(start + 5, filters.rows)) for start in range(0, filters.rows, 5)]

    assert np.concatenate(parts).tolist() == whole.tolist()
    assert filters.ends(2, 4).tolist() == [3, 6]


def test_offsets_of_lines_become_rows(filters: CallFilters) -> None:
    data = TEXT.encode()
    starts = [0, *(place + 1 for place in range(len(data)) if data[place : place + 1] == b"\n")]

    rows = filters.rows_at(np.array(starts[:4], np.uint64))

    assert rows.tolist() == [-1, 0, 1, 2]


@pytest.mark.parametrize(
    ("name", "jdk", "synthetic"),
    [
        ("java.util.List.size():int", True, False),
        ("javax.crypto.Cipher.x():void", True, False),
        ("com.sun.proxy.$Proxy3.x():void", True, True),
        ("javafx.App.start():void", False, False),
        ("app.Sun.java.x():void", False, False),
        ("app.X.f(app.$$Lambda):void", False, False),
        ("java.lang.invoke.LambdaForm$MH/0x01.invoke():void", True, True),
        ("jdk.internal.reflect.GeneratedConstructorAccessor7.newInstance():void", True, True),
        ("app.Outer.access$100():void", False, True),
    ],
)
def test_jdk_and_generated_methods_are_recognised_by_name(name: str, jdk: bool, synthetic: bool) -> None:
    assert (is_jdk(name), is_synthetic(name)) == (jdk, synthetic)


def test_a_row_proposes_a_pattern_for_its_class(tmp_path: Path) -> None:
    path = tmp_path / "call_tree.txt"
    path.write_text(TEXT, "utf-8")
    report = open_report([str(path)], cache=Cache(str(tmp_path / "cache")))
    propose = report.views[0].patterns  # type: ignore[attr-defined]

    assert propose(1) == {"methods": "java.util.List.*", "roots": "app.Main.main():void"}
    assert propose(9) == {}
