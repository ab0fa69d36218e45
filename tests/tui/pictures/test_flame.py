"""Flames: positions of boxes, their texts, and following the cursor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from parsers.model.names.java_name import method_spans
from parsers.model.row import Row, Span
from tui.pictures.flame.icicle import REST, Icicle
from tui.pictures.flame.look import box_style, box_text, label_in, rest_text
from tui.screen.palettes import PALETTES


class Made:
    """A tree given as the children of each node, and widths."""

    def __init__(self, children: Mapping[int | None, list[int]], widths: Mapping[int, float]) -> None:
        self._children, self._widths = children, widths
        self.asked = 0

    def roots(self) -> Iterable[int]:
        return self._children[None]

    def children(self, node: int) -> Iterable[int]:
        for child in self._children.get(node, []):
            self.asked += 1
            yield child

    def parent(self, node: int) -> int | None:
        return next((above for above, below in self._children.items() if node in below), None)

    def width(self, node: int) -> float:
        return self._widths[node]

    def below(self, node: int) -> float:
        return sum(self._widths[child] for child in self._children.get(node, []))

    def whole(self) -> float:
        return sum(self._widths[root] for root in self._children[None])


# 0 is 8 wide with 1 (4) and 2 (2) below it; 3 is 2 wide; 4 is below 1.
SMALL = Made({None: [0, 3], 0: [1, 2], 1: [4]}, {0: 8, 1: 4, 2: 2, 3: 2, 4: 4})


def drawn(icicle: Icicle, levels: int) -> list[str]:
    """A character a cell: the number of the node, + for those too narrow."""
    lines = []
    for number in range(levels):
        line = [" "] * icicle.cells
        for box in icicle.level(number):
            line[box.start : box.stop] = ["+" if box.node == REST else str(box.node)] * (box.stop - box.start)
        lines.append("".join(line))
    return lines


def test_a_box_is_as_wide_as_its_node() -> None:
    assert drawn(Icicle(SMALL, None, 10), 4) == [
        "0000000033",
        "111122    ",
        "4444      ",
        "          ",
    ]


def test_the_base_node_of_a_picture_takes_all_cells_below_its_ancestors() -> None:
    icicle = Icicle(SMALL, 1, 4)

    assert drawn(icicle, 4) == ["0000", "1111", "4444", "    "]
    assert icicle.above == 1


def test_narrow_nodes_share_one_box_and_are_not_read() -> None:
    many = Made(
        {None: [0], 0: list(range(1, 60_001))}, {0: 100_000.0, 1: 50_001.0} | dict.fromkeys(range(2, 60_001), 0.5)
    )
    icicle = Icicle(many, None, 10)

    assert drawn(icicle, 3) == ["0000000000", "11111+++  ", "          "]
    assert many.asked == 2
    assert icicle.width_of(icicle.level(1)[1]) == pytest.approx(29_999.5)


def test_a_little_too_narrow_is_a_box_of_one_cell() -> None:
    tree = Made({None: [0, 1, 2]}, {0: 98.0, 1: 1.0, 2: 1.0})

    assert drawn(Icicle(tree, None, 10), 1) == ["0000000000"]
    assert drawn(Icicle(tree, None, 20), 1) == ["00000000000000000000"]
    assert drawn(Icicle(tree, None, 30), 1) == ["00000000000000000000000000000+"]


@pytest.mark.parametrize(("width", "text"), [(11, "… 12.3 %   "), (8, "… 12.3 %"), (7, "…      "), (2, "┆ "), (1, "┆")])
def test_a_box_of_many_shows_how_much_they_are(width: int, text: str) -> None:
    assert rest_text(width, "12.3 %", PALETTES["dark"], is_ascii=False) == text
    assert rest_text(width, "12.3 %", PALETTES["mono"], is_ascii=True) == text.replace("…", ":").replace("┆", ":")


def test_an_empty_tree_has_no_boxes() -> None:
    assert Icicle(Made({None: []}, {}), None, 10).level(0) == []


def test_a_box_is_found_by_its_node_and_by_a_cell() -> None:
    icicle = Icicle(SMALL, None, 10)

    found = icicle.at(5, 1)

    assert found is not None and found.node == 2
    assert icicle.box_of(2, 1) == found
    assert icicle.at(8, 1) is None
    assert icicle.box_of(9, 1) is None


LABEL = "org.h2.tools.Shell.main"
ROW = Row(0, "method", LABEL, spans=(Span(0, 12, "package"), Span(13, 18, "class"), Span(19, 23, "name")))
JDK_ROW = Row(
    0, "method", "java.util.Map.get", spans=(Span(0, 9, "package"), Span(10, 13, "class"), Span(14, 17, "name"))
)


@pytest.mark.parametrize(
    ("width", "text"),
    [(30, "Shell.main  12.0 %"), (18, "Shell.main  12.0 %"), (17, "Shell.main"), (9, "main  12.0 %"[:4]), (3, "ma…")],
)
def test_a_label_shows_what_fits(width: int, text: str) -> None:
    assert label_in(ROW, width, "12.0 %") == text


def method(label: str) -> Row:
    """A row as views of profiles have it."""
    return Row(0, "method", label, spans=method_spans(label))


@pytest.mark.parametrize("name", sorted(set(PALETTES) - {"mono"}))
def test_a_class_has_one_hue_in_two_tones(name: str) -> None:
    palette = PALETTES[name]
    one, other, jdk = method("a.B.one"), method("a.B.two"), method("java.util.Map.get")

    assert box_style(one, palette, 0) == box_style(other, palette, 0) != box_style(one, palette, 1)
    assert box_style(jdk, palette) not in (box_style(one, palette, 0), box_style(one, palette, 1))
    assert box_style(Row(0, "unknown", "no frames"), palette) != box_style(jdk, palette)


@pytest.mark.parametrize("name", ["dark", "light"])
def test_text_can_be_read_on_every_hue(name: str) -> None:
    for label in (*(f"a.B{number}.m" for number in range(200)), *(f"java.B{number}.m" for number in range(200)), ""):
        for tone in (0, 1):
            row = method(label) if label else Row(0, "unknown", "no frames")
            colour = box_style(row, PALETTES[name], tone).bgcolor
            assert colour is not None and colour.triplet is not None
            parts = [
                (part / 255 / 12.92) if part < 11 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour.triplet
            ]
            luminance = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
            # Of black text, by the Web Content Accessibility Guidelines, level AA.
            assert (luminance + 0.05) / 0.05 >= 4.5


@pytest.mark.parametrize("name", sorted(PALETTES))
def test_boxes_are_exactly_as_wide_as_asked_for(name: str) -> None:
    for width in (1, 2, 3, 8, 40):
        for is_ascii in (True, False):
            assert len(box_text(ROW, width, "12.0 %", PALETTES[name], is_ascii)) == width


def test_without_colours_a_filling_distinguishes_packages() -> None:
    text = box_text(ROW, 20, "", PALETTES["mono"], True)

    assert text.startswith("|Shell.main ")
    assert len(set(text[12:])) == 1 and text[12] != " "
    assert box_text(JDK_ROW, 20, "", PALETTES["mono"], True).rstrip() == "|Map.get"
