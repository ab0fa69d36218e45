"""Side pane of a call tree: parts of the method, its callers, targets of a virtual call."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.index.row import ENTRY, INTERFACE, KINDS, UNKNOWN, VIRTUAL, method_parts
from parsers.formats.graalvm.calls.label import CallText, short_method
from parsers.formats.graalvm.calls.sites import owner_row, virtual_row
from parsers.formats.graalvm.text.subtree import below, id_row
from parsers.model.row import Link, Section, SectionRow, capitalized, counted

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.report import CallReport

SHOWN = 8
"""Callers and targets that a side pane shows initially."""

MOST_LINKS = 200
"""Maximum targets of a virtual call that are listed as links."""


def sections(report: CallReport, row: int) -> Sequence[Section]:
    """Returns the sections of the side pane for a row."""
    text = report.parsed(row)
    found = [Section(capitalized(KINDS[text.kind]), tuple(_method_rows(report, row, text)))]
    if text.reason is not None:
        found.append(Section("Entry because", tuple(SectionRow("", line) for line in text.reason.split("\n"))))
    if text.kind in (VIRTUAL, INTERFACE):
        found.append(_targets(report, row))
    found.append(_callers(report, row, text))
    found += report.notes(row)
    return [section for section in found if section.rows or section.more]


def _method_rows(report: CallReport, row: int, text: CallText) -> list[SectionRow]:
    tree = report.tree
    rows = []
    if text.kind != UNKNOWN:
        rows.append(SectionRow("class", text.method[slice(*method_parts(text.method).holder)]))
    if text.loader is not None:
        rows.append(SectionRow("loader", text.loader))
    above, bci = virtual_row(tree, row), bci_of(report, row)
    if above is not None:
        called = report.parsed(above)
        word = "implements" if KINDS[text.kind] == "implemented by" else "overrides"
        rows.append(SectionRow(word, called.method[: called.method.find("(")], f"line:{tree.line(above)}"))
    if bci is not None:
        rows.append(SectionRow("at", f"bytecode index {bci}"))
    rows.append(id_row(tree, row, text, tree.vertex(row), (row,)))
    rows += _distance(report, row)
    rows.append(SectionRow("below", below(tree, row)))
    return rows


def _distance(report: CallReport, row: int) -> list[SectionRow]:
    tree = report.tree
    vertex = tree.vertex(row)
    if not tree.is_complete or vertex < 0 or tree.vertex_id(vertex) is None:
        return []
    distance = tree.distance(vertex)
    if distance is None:
        return [SectionRow("distance", "no path from an entry")]
    if not distance:
        return []
    return [SectionRow("distance", f"{counted(distance, 'call')} from an entry")]


def _callers(report: CallReport, row: int, text: CallText) -> Section:
    """Returns the section of the first call sites of the method."""
    tree = report.tree
    word = "Called the same way from" if text.kind in (VIRTUAL, INTERFACE) else "Called from"
    if not tree.is_complete:
        return Section(f"{word} (…)", (SectionRow("", "known when the index is finished"),))
    vertex = tree.vertex(row)
    if vertex < 0:
        return Section(word, ())
    sites = report.call_sites(vertex)
    rows = tuple(caller_row(report, site) for site in map(int, islice(sites, SHOWN)))
    return Section(
        f"{word} ({len(sites):,})", rows or (SectionRow("", "nowhere in this tree"),), len(sites) - len(rows)
    )


def caller_row(report: CallReport, site: int) -> SectionRow:
    """Returns a call site by its calling method."""
    tree = report.tree
    owner = owner_row(tree, site)
    label = "no method" if owner is None else title_of(report.parsed(owner))
    bci = bci_of(report, site)
    return SectionRow(label, "", f"line:{tree.line(site)}", "Call tree", {} if bci is None else {"bci": bci})


def title_of(text: CallText) -> str:
    """`Class.name` of a row's method."""
    return text.label if text.kind == UNKNOWN else short_method(text.method)


def bci_of(report: CallReport, site: int) -> str | None:
    """Bytecode index of a call in the calling method; for an implementation that of the virtual call above it."""
    bci = report.parsed(site).bci
    if bci is None:
        above = virtual_row(report.tree, site)
        bci = report.parsed(above).bci if above is not None else None
    return bci


def _targets(report: CallReport, row: int) -> Section:
    """Returns the section of possible targets of a virtual call."""
    tree = report.tree
    children = report.views[0].tree.children(row)
    rows = tuple(
        SectionRow(title_of(report.parsed(child)), "", link_of(report, child), "Call tree")
        for child in islice(children, SHOWN)
    )
    if not rows and tree.is_complete:
        return Section("May call (0)", (SectionRow("", "no method of the image"),))
    is_open = not tree.is_complete and tree.end(row) >= tree.rows
    return Section(f"May call ({len(children):,}{'…' if is_open else ''})", rows, len(children) - len(rows))


def link_of(report: CallReport, row: int) -> str:
    """Returns the REF of the row that declares the method of this row; of the row itself without one."""
    tree = report.tree
    vertex = tree.vertex(row)
    declaration = tree.declaration(vertex) if vertex >= 0 else -1
    return f"line:{tree.line(declaration if declaration >= 0 else row)}"


def links(report: CallReport, row: int) -> Sequence[Link]:
    """Returns the links from a row, the most used first."""
    tree, text = report.tree, report.parsed(row)
    vertex = tree.vertex(row)
    ref = f"line:{tree.line(row)}"
    found = []
    declaration = tree.declaration(vertex) if vertex >= 0 else -1
    if declaration >= 0 and declaration != row:
        found.append(Link("declaration", f"line:{tree.line(declaration)}", "Call tree"))
    owner = owner_row(tree, row)
    if owner is not None:
        found.append(Link(f"called in {title_of(report.parsed(owner))}", f"line:{tree.line(owner)}", "Call tree"))
    above = virtual_row(tree, row)
    if above is not None:
        found.append(Link(f"as {title_of(report.parsed(above))}", f"line:{tree.line(above)}", "Call tree"))
    if vertex >= 0:
        found.append(Link("callers", ref, "Callers"))
    if declaration >= 0 and tree.kind(declaration) != UNKNOWN:
        found.append(Link("package", ref, "Packages"))
    if declaration >= 0 and tree.kind(declaration) == ENTRY:
        found.append(Link("entry point", ref, "Entry points"))
    if text.kind in (VIRTUAL, INTERFACE):
        for child in islice(report.views[0].tree.children(row), MOST_LINKS):
            found.append(Link(f"target {title_of(report.parsed(child))}", link_of(report, child), "Call tree"))
    return found
