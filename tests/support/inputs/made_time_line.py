"""A small time line made from a drawing, a character a second.

    drawn_report('''
    main   :---LLL---
    worker : --SS
    ''')

`-` is running, L, W and S are states with rows of their own, a blank is nothing; `|` is a pause in all lanes, `*` a
sample in nothing.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import groupby
from typing import Any

import numpy as np
from made_report import MadeReport, lines, made

from parsers.model.row import Column, Section, SectionRow
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.views import Views
from parsers.views.list_view import ListRow
from parsers.views.timelines.lane_view import LaneView
from parsers.views.timelines.timeline_view import SECOND, Lane, LaneState, LaneStates

STATES = (
    LaneState("nothing", "", "none"),
    LaneState("running", "", "going"),
    LaneState("waiting for lock", "L", "held", "lock"),
    LaneState("waiting for object", "W", "waiting", "object"),
    LaneState("sleeping", "S", "idle"),
    LaneState("deadlocked", "D", "stuck"),
    LaneState("not recorded", "", "pause"),
)
SIGNS = " -LWSD"


class DrawnTimeLine:
    """The lanes of a drawing."""

    first = 0
    title = ""

    def __init__(self, drawing: str) -> None:
        named = [line.split(":", 1) for line in lines(drawing)]
        rows = [row for _, row in named]
        self.length = max(map(len, rows)) * SECOND
        self.spans: list[list[tuple[int, int, int]]] = []
        """By lane: state, start and end of each of its rows."""
        self._pieces: list[LaneStates] = []
        self._marks: list[list[int]] = []
        self.lanes: list[Lane] = []
        node = 0
        paused = sorted({second for row in rows for second, sign in enumerate(row) if sign == "|"})
        for name, row in named:
            self.lanes.append(Lane(name.strip(), node))
            starts, states, nodes, spans = [], [], [], []
            for sign, run in groupby(enumerate(row.replace("|", "-").replace("*", " ")), key=lambda each: each[1]):
                seconds = [second for second, _ in run]
                starts.append(seconds[0] * SECOND)
                states.append(SIGNS.index(sign))
                if sign in " -":
                    nodes.append(node)
                else:
                    spans.append((SIGNS.index(sign), seconds[0] * SECOND, (seconds[-1] + 1) * SECOND))
                    nodes.append(node + len(spans))
            self.spans.append(spans)
            self._marks.append([second * SECOND for second, sign in enumerate(row) if sign == "*"])
            self._pieces.append(made_pieces(starts, states, nodes, len(row) * SECOND))
            node += 1 + len(spans)
        self.shown = sorted({int(state) for pieces in self._pieces for state in pieces.states} - {0})
        self.pauses = None
        if paused:
            starts = [0, paused[0] * SECOND, (paused[-1] + 1) * SECOND]
            self.pauses = made_pieces(starts, [0, 6, 0], [0, 0, 0], self.length)

    def pieces(self, lane: int) -> LaneStates:
        return self._pieces[lane]

    def marks(self, lane: int) -> Any:
        return np.array(self._marks[lane], np.int64)


def made_pieces(starts: list[int], states: list[int], nodes: list[int], end: int) -> LaneStates:
    return LaneStates(np.array(starts, np.int64), np.array(states, np.uint8), np.array(nodes, np.int64), end)


class DrawnView(LaneView):
    """The view of a drawing."""

    name = "Made"
    states = STATES
    is_ready = True
    columns = (Column("seconds", "Seconds", "s", badges=(("seconds", ""),)),)
    orders = ("seconds",)

    def __init__(self, line: Any) -> None:
        super().__init__()
        self.line = line

    def make_rows(self) -> GroupedPreorder:
        return GroupedPreorder([0] * len(self.line.lanes), [len(spans) for spans in self.line.spans])

    def group(self, group: int) -> ListRow:
        return ListRow("thread", self.line.lanes[group].label, ref=f"thread:{group}", key=("thread", group))

    def leaf(self, group: int, leaf: int) -> ListRow:
        state, start, end = self.line.spans[group][leaf]
        return ListRow("state", STATES[state].name, badges={"seconds": (end - start) // SECOND}, key=("state", start))

    def find_key(self, key: Hashable) -> int | None:
        return next((node for node in range(self.rows.rows) if self.key(node) == key), None)

    def sections_of(self, group: int, leaf: int) -> list[Section]:
        return [Section(f"At {self.moment}", (SectionRow("lane", str(group)),))]

    def time_line(self, node: int) -> Any:
        return self.line

    def lane_of(self, node: int) -> int:
        return self.rows.place(node)[0]

    def span(self, node: int) -> tuple[int, int] | None:
        group, leaf = self.rows.place(node)
        return None if leaf < 0 else self.line.spans[group][leaf][1:]


def drawn_report(drawing: str) -> MadeReport:
    """A report with the time line of a drawing as its one view."""
    report = made("a")
    report.views = Views({DrawnView.name: lambda: DrawnView(DrawnTimeLine(drawing))})
    return report
