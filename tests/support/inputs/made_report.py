"""A small report made from a drawing, for tests of the screen.

    made('''
    a
      b
        c
    d
    ''')

Two blanks a level. A line may go on with `#5` (its id), `^5` (it refers to id 5) and `!flag`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from textwrap import dedent
from typing import Any

from parsers.model.report import Progress, Report
from parsers.model.row import Column, Kind, Row, Section, SectionRow, Span
from parsers.model.view import References, UnknownReference, View
from parsers.model.views import Views


class MadeTree:
    """Rows of a drawing as a preorder, and as a tree."""

    def __init__(self, lines: Sequence[str]) -> None:
        bodies = [line.lstrip(" ") for line in lines]
        self.all_depths = array("H", [(len(line) - len(body)) // 2 for line, body in zip(lines, bodies, strict=True)])
        self.texts = [body.split(" ^")[0].split(" #")[0].split(" !")[0] for body in bodies]
        self.bodies = bodies
        self.rows = len(lines)
        self.has_preorder = True
        self.read = 0
        """Number of requested rows: only visible ones should be requested."""

    @property
    def preorder(self) -> MadeTree | None:
        return self if self.has_preorder else None

    @property
    def is_complete(self) -> bool:
        return self.rows == len(self.all_depths)

    def depth(self, node: int) -> int:
        return self.all_depths[node]

    def depths(self, start: int, stop: int) -> memoryview:
        return memoryview(self.all_depths)[start:stop]

    def end(self, node: int) -> int:
        for row in range(node + 1, self.rows):
            if self.all_depths[row] <= self.all_depths[node]:
                return row
        return self.rows

    def parent(self, node: int) -> int | None:
        for row in range(node - 1, -1, -1):
            if self.all_depths[row] < self.all_depths[node]:
                return row
        return None

    def roots(self, order: str | None = None) -> Sequence[int]:
        return self._sorted([row for row in range(self.rows) if not self.all_depths[row]], order)

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        depth, found, child = self.all_depths[node] + 1, [], node + 1
        while child < self.end(node):
            if self.all_depths[child] == depth:
                found.append(child)
            child = self.end(child)
        return self._sorted(found, order)

    def has_children(self, node: int) -> bool:
        return node + 1 < self.rows and self.all_depths[node + 1] > self.all_depths[node]

    def _sorted(self, nodes: list[int], order: str | None) -> list[int]:
        return nodes if order is None else sorted(nodes, key=lambda node: self.texts[node])

    def row(self, node: int) -> Row:
        self.read += 1
        body, text = self.bodies[node], self.texts[node]
        badges: dict[str, Any] = {}
        link = None
        if " #" in body:
            badges["id"] = int(body.split(" #")[1].split()[0])
        if " ^" in body:
            badges["id_ref"] = int(body.split(" ^")[1].split()[0])
            link = f"id:{badges['id_ref']}"
        flags = tuple(word[1:] for word in body.split() if word.startswith("!"))
        end = self.end(node)
        return Row(
            node=node,
            kind="call" if self.all_depths[node] else "entry",
            label=text,
            depth=self.all_depths[node],
            badges=badges,
            flags=flags,
            ref=f"line:{node + 2}",
            line=node + 2,
            rows_below=end - node - 1,
            is_growing=not self.is_complete and end >= self.rows,
            has_children=self.has_children(node),
            link=link,
            spans=spans_of(text),
        )


def spans_of(text: str) -> tuple[Span, ...]:
    """Spans of `package.Class.name(package.Type):package.Type`, as far as a label is one."""
    opening = text.find("(")
    if opening < 0:
        return ()
    spans = []
    name = text.rfind(".", 0, opening) + 1
    holder = text.rfind(".", 0, max(0, name - 1)) + 1
    if holder:
        spans.append(Span(0, holder - 1, "package"))
    if name:
        spans.append(Span(holder, name - 1, "class"))
    spans.append(Span(name, opening, "name"))
    closing = text.find(")", opening)
    if closing < 0:
        return tuple(spans)
    spans += type_spans(text, opening + 1, closing, "argument")
    if text.startswith(":", closing + 1):
        spans += type_spans(text, closing + 2, len(text), "result")
    return tuple(spans)


def type_spans(text: str, start: int, end: int, role: str) -> list[Span]:
    """A type with its package."""
    if start >= end:
        return []
    dot = text.rfind(".", start, end)
    if dot < 0:
        return [Span(start, end, role)]
    return [Span(start, dot, f"{role} package"), Span(dot + 1, end, role)]


class MadeView(View):
    """The one view of a drawing."""

    name = "Made"
    shape = "tree"
    columns = (
        Column("id", "#id", badges=(("id", "#"), ("id_ref", "↩")), width=5, priority=2),
        Column("rows_below", "below", width=5, priority=1),
    )
    orders = ("label",)
    is_ready = True

    def __init__(self, tree: MadeTree) -> None:
        self.tree = tree

    @property
    def row_count(self) -> int | None:
        return self.tree.rows if self.tree.is_complete else None

    @property
    def root_count(self) -> int | None:
        return len(self.tree.roots()) if self.tree.is_complete else None

    def resolve(self, ref: str) -> int:
        kind, _, value = ref.partition(":")
        for node in range(self.tree.rows):
            row = self.tree.row(node)
            if (kind == "line" and row.ref == ref) or (kind == "id" and row.badges.get("id") == int(value)):
                return node
        raise UnknownReference(f"{ref}: no such row")

    def key(self, node: int) -> object:
        return self.tree.texts[node]

    def find_key(self, key: object) -> int | None:
        return next((node for node in range(self.tree.rows) if self.tree.texts[node] == key), None)

    def sections(self, node: int) -> Sequence[Section]:
        facts = (SectionRow("line", str(node + 2)), SectionRow("below", f"{self.tree.end(node) - node - 1} rows"))
        callers = tuple(SectionRow(self.tree.texts[above], ref=f"line:{above + 2}") for above in self.path(node)[:-1])
        return [Section("Row", facts), Section("Above", callers)] if callers else [Section("Row", facts)]

    def references(self, node: int) -> References:
        return References("references", "Made", [])


class MadeReport(Report):
    """A report of one view."""

    format = "made"
    format_title = "made report"
    format_version: str | None = None
    encoding = "utf-8"
    line_end = "lf"
    size = 54_000_000
    files: Sequence[str] = ("drawing.txt",)
    facts: Mapping[str, Any] = {}
    totals: Mapping[str, Any] = {}
    problems: Sequence[Any] = ()
    kinds: Mapping[str, Kind] = {
        "entry": Kind("entry", "●", "*", "entry point"),
        "call": Kind("call", "→", ">", "call"),
    }

    def __init__(self, tree: MadeTree, title: str = "drawing.txt") -> None:
        self.title = title
        self.tree = tree
        self.views = Views({"Made": lambda: MadeView(tree)})
        self.says: Callable[[], Progress] | None = None

    @property
    def problem_count(self) -> int:
        return len(self.problems)

    @property
    def is_complete(self) -> bool:
        return self.tree.is_complete

    @property
    def progress(self) -> Progress:
        rows, total = self.tree.rows, len(self.tree.all_depths)
        done = self.size * rows // max(1, total)
        return Progress(done, self.size, rows, 0.05, "ready" if self.is_complete else "indexing")

    def view(self, name: str) -> MadeView:
        if name.lower() != "made":
            raise KeyError(name)
        return self.views[0]

    def locate(self, ref: str, view: str | None = None) -> tuple[MadeView, int]:
        return self.views[0], self.views[0].resolve(ref)

    def start_index(self) -> None:
        pass

    def fileno(self) -> int | None:
        return None

    def follow(self) -> bool:
        return False

    def wait(self, progress: Any = None) -> None:
        pass

    def why(self, view: str, node: int) -> Sequence[int]:
        return self.views[0].path(node)

    def close(self) -> None:
        pass


def lines(drawing: str) -> list[str]:
    """The lines of a drawing without its common indentation."""
    return [line for line in dedent(drawing).splitlines() if line.strip()]


def made(drawing: str, rows: int | None = None) -> MadeReport:
    """Returns the report of a drawing. rows: number of known rows, as of a growing report"""
    tree = MadeTree(lines(drawing))
    if rows is not None:
        tree.rows = rows
    return MadeReport(tree)
