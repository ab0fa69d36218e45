"""Sizes of arrays of primitives in text heap dumps: the header is that of the JVM that the other sizes prove."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from conftest import Answer
from text_samples import read_plainly

from parsers.formats.hprof.data.recording import ProfileRecording
from parsers.formats.hprof.text.known_classes_view import HEADER_ASSUMED, KnownClassesView
from parsers.heapdump.tables import array_header
from parsers.heapdump.tables.array_header import layout_facts
from parsers.index.build import FileBuild
from parsers.views.preview_switch import PreviewSwitch

Run = Callable[..., Answer]

HEAD = "JAVA PROFILE 1.0.1, created Sat Nov 21 02:26:20 2026\n\n--------\n\nHEAP DUMP BEGIN (1 objects, 1 bytes) x\n"
BARE = "ARR 50000001 (sz=3, trace=300000, nelems=3, elem type=byte[])"
OBJECT, INTEGER, LONG = "java.lang.Object", "java.lang.Integer", "java.lang.Long"
UNPROVEN = "the dump does not show whether array headers take 12 or 16 or 24 bytes; 16 are assumed"
EITHER = "the dump does not show whether array headers take 16 or 24 bytes; 16 are assumed"
UNKNOWN = "sizes of the dump fit no known JVM; array headers of 16 bytes are assumed"


class Text:
    """A file in memory."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def pread(self, count: int, offset: int) -> bytes:
        return self.data[offset : offset + count]


def instance(number: int, name: str, size: int) -> str:
    return f"OBJ {0x50001000 + number:x} (sz={size}, trace=300000, class={name}@{0x50002000 + number:x})"


def references(size: int, elements: int) -> str:
    return f"ARR 50003000 (sz={size}, trace=300000, nelems={elements}, elem type=java.lang.String[]@50004000)"


def dump(*lines: str) -> str:
    return HEAD + "\n".join(("ROOT 50000001 (kind=<unknown>)", BARE, *lines, "HEAP DUMP END\n"))


def recording_of(text: str) -> ProfileRecording:
    recording = ProfileRecording(Text(text.encode()))
    read_plainly(recording, len(text))
    return recording


@pytest.mark.parametrize(
    ("lines", "header", "why"),
    [
        ([instance(1, OBJECT, 8)], 12, ""),
        ([instance(1, OBJECT, 16), instance(2, INTEGER, 16)], 16, ""),
        ([instance(1, LONG, 16)], 12, ""),
        ([instance(1, INTEGER, 24)], 24, ""),
        ([references(16, 1)], 12, ""),  # in 64 bits a reference needs 4 bytes more, padded to 24
        ([references(24, 3)], 12, ""),
        ([instance(1, OBJECT, 16), references(24, 2)], 16, ""),
        ([instance(1, OBJECT, 16), references(40, 2)], 16, EITHER),
        ([instance(1, OBJECT, 16)], 16, EITHER),
        ([instance(1, "a.List", 8)], 12, ""),
        ([instance(1, "a.List", 24)], 16, UNPROVEN),
        ([instance(1, INTEGER, 32)], 16, UNKNOWN),
        ([instance(1, OBJECT, 8), instance(2, OBJECT, 16)], 16, UNKNOWN),
    ],
)
def test_sizes_of_other_objects_prove_the_header_of_arrays(lines: list[str], header: int, why: str) -> None:
    assert layout_facts(recording_of(dump(*lines))) == {"array_header": header, "estimated": why}


def test_sizes_are_no_estimates_where_every_array_is_printed_with_its_header() -> None:
    text = dump(instance(1, "a.List", 24)).replace("sz=3,", "sz=24,")
    assert layout_facts(recording_of(text))["estimated"] == ""


def test_all_dumps_of_a_file_are_looked_at_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_header, "PIECE", 2)
    text = (
        dump(instance(1, "a.List", 24))
        + dump(instance(2, "a.List", 24), instance(3, OBJECT, 8)).partition("--------\n\n")[2]
    )
    assert layout_facts(recording_of(text)) == {"array_header": 12, "estimated": ""}


@pytest.mark.parametrize("by_kernels", [False, True], ids=["plain", "kernels"])
def test_views_count_the_header_of_a_jvm_of_32_bits(
    by_kernels: bool, coffeetree: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FileBuild, "uses_kernels", by_kernels)
    path = tmp_path / "java.hprof.txt"
    path.write_text(dump(instance(1, OBJECT, 8)))
    (row,) = coffeetree("tree", "--json", "--view", "Objects", "--depth", "0", path).rows[:1]
    classes = coffeetree("tree", "--json", "--view", "Classes", path).rows
    assert row["badges"]["bytes"] == 16
    assert {each["label"]: each["badges"]["bytes"] for each in classes if each["kind"] == "class"}["byte[]"] == 16
    assert "sizes" not in coffeetree("info", "--json", path).json["facts"]


def test_info_and_views_show_that_sizes_are_estimates(coffeetree: Run, tmp_path: Path) -> None:
    path = tmp_path / "java.hprof.txt"
    path.write_text(dump(instance(1, "a.List", 24)))
    assert coffeetree("info", "--json", path).json["facts"]["sizes"] == f"estimates: {UNPROVEN}"
    for view in ("Classes", "Objects"):
        assert f"sizes are estimates: {UNPROVEN}" in coffeetree("tree", path, "--view", view).err


def test_elements_of_known_classes_have_a_size_in_each_layout() -> None:
    assert all(len(layout.known) == 1 + max(array_header.KNOWN_CLASSES.values()) for layout in array_header.LAYOUTS)
    assert np.unique([layout.array_header for layout in array_header.LAYOUTS]).tolist() == [12, 16, 24]


def test_bytes_of_classes_are_estimates_while_a_text_dump_is_read() -> None:
    class Known:
        rows_known = 3

        def column(self, name: str) -> list[int]:
            return [3] if name == "known_objects" else [72]

        def texts(self, table: str) -> list[bytes]:
            return [b"byte[]"]

    view = KnownClassesView(cast(Any, Known()), HEADER_ASSUMED)
    switch = PreviewSwitch(view, cast(Any, None))
    assert switch.estimated == HEADER_ASSUMED
    assert view.sections_of(0, 0)[0].rows[1].text == f"72 so far (an estimate: {HEADER_ASSUMED})"
    assert KnownClassesView(cast(Any, Known()), "").estimated == ""
