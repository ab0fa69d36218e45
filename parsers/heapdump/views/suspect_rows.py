"""Rows of the view "Suspects": a suspect as text, the path to it, its contents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from parsers.graph.dominator_tree.semi_nca import ROOTS
from parsers.heapdump.graph.columns import CLASS_OBJECT, OBJECT_ARRAY
from parsers.heapdump.graph.dominated_graph import DominatedGraph
from parsers.heapdump.graph.dominated_object import DOMINATORS_VIEW
from parsers.heapdump.graph.heap_object import CLASSES_VIEW, OBJECTS_VIEW, PATHS_VIEW, ROOTS_VIEW, HeapObjects
from parsers.heapdump.graph.labels import NO_OBJECT
from parsers.heapdump.graph.suspects import LEAST_SHARE, DumpSuspects, RetainedClass, Suspect
from parsers.heapdump.paths.shortest_paths import steps_from_root
from parsers.model.distinct import distinct
from parsers.model.row import Badge, Link, Section, SectionRow, Span, counted
from parsers.views.list_view import ListRow

SHOWN_STEPS = 24
"""Maximum of rows of a path: the first and the last steps."""
SAMPLED = 1000
"""Objects of a class whose referrers are examined."""
SHOWN_REFERRERS = 5
MOST_ROOTS = 10_000
"""Maximum of roots of one object that are examined."""
MOST_REFERRERS = 8
"""Maximum of references to each object that are examined."""
Step = tuple[str, str, tuple[Span, ...]]
"""A referrer: the kind of a row, its label, and the spans of that."""


def _joined(objects: HeapObjects, pieces: Sequence[tuple[str, str]]) -> tuple[str, tuple[Span, ...]]:
    """Joins texts, each followed by a class, to a label."""
    label, spans = "", list[Span]()
    for text, name in pieces:
        start = len(label) + len(text)
        label += text + name
        spans += objects.spans(label, start) if name else ()
    return label, tuple(spans)


class SuspectRows:
    """Rows in order, as they are built."""

    def __init__(self, graph: DominatedGraph, objects: HeapObjects, finder: DumpSuspects) -> None:
        self.entries: list[ListRow] = []
        self.vertices: list[int] = []
        """By row its object, NO_OBJECT where there is none."""
        self._graph, self._objects = graph, objects
        self._whole = max(finder.reachable, 1)
        self._finder = finder

    # -- rows of all kinds --------------------------------------------------------------------------------------------

    def _add(self, vertex: int, entry: ListRow) -> None:
        # A REF leads to its first row.
        if entry.ref and any(each.ref == entry.ref for each in self.entries):
            entry = replace(entry, ref="")
        self.vertices.append(vertex)
        self.entries.append(entry)

    def _heading(self, text: str) -> None:
        self._add(NO_OBJECT, ListRow("finding", text, 1))

    def _share(self, bytes: int) -> float:
        return round(100 * bytes / self._whole, 1)

    def _object(self, object: int, depth: int, before: str = "") -> None:
        """Adds a row of an object. before: prefix of its label"""
        objects, retained = self._objects, self._graph.retained(object)
        numbers: dict[str, Badge] = {"retained": retained}
        if self._share(retained):
            numbers["share"] = self._share(retained)
        if self._graph.kind(object) != CLASS_OBJECT:
            numbers["bytes"] = self._graph.size(object)
        row = objects.list_row(object, numbers, before, depth=depth, links=tuple(objects.links(object)))
        name = (Span(0, len(before) - 2, "name"),) if before else ()
        self._add(object, replace(row, spans=(*name, *row.spans)))

    def _class(self, retained_class: RetainedClass, depth: int) -> None:
        name = self._graph.type_name(retained_class.type)
        badges: dict[str, Badge] = {"bytes": retained_class.bytes, "objects": retained_class.objects}
        if self._share(retained_class.bytes):
            badges["share"] = self._share(retained_class.bytes)
        link = Link("objects of this class", f"class:{name}", CLASSES_VIEW)
        spans = self._objects.spans(name)
        self._add(
            NO_OBJECT, ListRow("class", name, depth, badges=badges, links=(link,), key=("class", name), spans=spans)
        )

    # -- a suspect ----------------------------------------------------------------------------------------------------

    def add_suspect(self, suspect: Suspect) -> None:
        """Adds a suspect and all its descendants."""
        label, spans = self._headline(suspect)
        self._add(
            suspect.object if suspect.type < 0 else NO_OBJECT,
            ListRow(
                "suspect",
                label,
                badges={
                    "retained": suspect.bytes,
                    "share": self._share(suspect.bytes),
                    "objects": suspect.total,
                },
                ref="" if suspect.type >= 0 else self._objects.ref(suspect.object),
                links=self._links(suspect),
                key=("class", self._graph.type_name(suspect.type))
                if suspect.type >= 0
                else self._objects.key(suspect.object),
                spans=spans,
                sections=(self._summary(suspect),),
            ),
        )
        if suspect.type < 0:
            self._heading("the shortest path from a root")
            self._add_path(suspect.object)
        else:
            self._heading("what refers to them")
            self._referring(suspect.type)
        if suspect.classes:
            self._heading("what it holds, by class" if suspect.type < 0 else "what they hold, by class")
        for retained_class in suspect.classes:
            self._class(retained_class, 2)
        if suspect.largest:
            self._heading("the largest directly in it" if suspect.type < 0 else "the largest of them")
            for object in suspect.largest:
                self._object(object, 2)

    def _links(self, suspect: Suspect) -> tuple[Link, ...]:
        if suspect.type >= 0:
            ref = f"class:{self._graph.type_name(suspect.type)}"
            return (Link("paths to all of them", ref, PATHS_VIEW), Link("objects of this class", ref, CLASSES_VIEW))
        ref = self._objects.ref(suspect.object)
        return (Link("what it retains", ref, DOMINATORS_VIEW), *self._objects.links(suspect.object))

    def _headline(self, suspect: Suspect) -> tuple[str, tuple[Span, ...]]:
        """Returns a suspect in one line: the owner, the field, the class that accumulates."""
        objects, graph = self._objects, self._graph
        holder, retainer, container, object = suspect.holder, suspect.retainer, suspect.container, suspect.object
        pieces: list[tuple[str, str]]
        if suspect.type >= 0:
            pieces = [(f"{suspect.objects:,} ", graph.type_name(suspect.type)), (" that no single object holds", "")]
            return _joined(objects, pieces)
        shown = {holder}
        thread, root = self._thread(holder), ""
        if not suspect.is_own and not thread and graph.kind(holder) != CLASS_OBJECT:
            root = objects.roots_text(self._top(holder))
        pieces = [(f"{root}: " if root else "", objects.label(holder)), (f" {thread}" if thread else "", "")]
        if suspect.is_own and retainer != NO_OBJECT:
            field = self._field(holder, retainer)
            pieces += [(f", {field}: ", objects.label(retainer))] if field else []
            shown.add(retainer)
        pieces += [(", ", objects.label(container))] if container not in shown else []
        if suspect.of is not None:
            pieces.append((f", {suspect.of.objects:,} ", graph.type_name(suspect.of.type)))
        elif object not in shown:
            pieces += [(", ", objects.label(object)), (f" of {counted(graph.size(object), 'byte')}", "")]
        return _joined(objects, pieces)

    def _top(self, object: int) -> int:
        """Returns the top dominator of an object."""
        while self._graph.dominator(object) < ROOTS:
            object = self._graph.dominator(object)
        return object

    def _named(self, object: int) -> str:
        """Returns an object as text, with its name if it is a thread."""
        label, thread = self._objects.label(object), self._thread(object)
        return f"{label} {thread}" if thread else label

    def _thread(self, object: int) -> str:
        for root in self._graph.roots_to(object, MOST_ROOTS):
            if root.kind == "thread" and root.thread is not None:
                return self._objects.thread_text(root.thread)
        return ""

    def _field(self, owner: int, target: int) -> str:
        """Returns the first reference from one object to another one, as text."""
        graph = self._graph
        sites = graph.sites(owner)
        if isinstance(sites, range):
            found = np.flatnonzero(graph.targets(sites) == target)
            return graph.label(sites[int(found[0])]).text if len(found) else ""
        return next((graph.label(site).text for site in sites if graph.target(site) == target), "")

    def _summary(self, suspect: Suspect) -> Section:
        """Returns the suspect as sentences."""
        whole = f"{self._share(suspect.bytes)} % of the {counted(self._whole, 'byte')} that roots reach"
        rows = [SectionRow("holds", f"{counted(suspect.bytes, 'byte')} in {counted(suspect.total, 'object')}, {whole}")]
        if suspect.type >= 0:
            name = self._graph.type_name(suspect.type)
            rows.append(SectionRow("who", f"{counted(suspect.objects, 'object')} of {name}, none of which holds much"))
            return Section("Suspect", tuple(rows))
        holder, object = suspect.holder, suspect.object
        others = int(self._graph.retained(holder)) - suspect.bytes
        if others > 0:
            rows.append(SectionRow("retained", f"{counted(others, 'byte')} more, which are suspects of their own"))
        if holder != object:
            rows.append(SectionRow("held by", self._named(holder), self._objects.ref(holder), OBJECTS_VIEW))
        rows.append(SectionRow("piles up in", self._objects.label(object), self._objects.ref(object), OBJECTS_VIEW))
        if suspect.of is not None:
            of = suspect.of
            rows.append(
                SectionRow("of", f"{of.objects:,} {self._graph.type_name(of.type)}, {counted(of.bytes, 'byte')}")
            )
        return Section("Suspect", tuple(rows))

    # -- owners -------------------------------------------------------------------------------------------------------

    def _add_path(self, object: int) -> None:
        graph, objects = self._graph, self._objects
        steps = steps_from_root(graph, object)
        first = graph.owner(steps[0]) if steps else object
        texts = Counter(map(objects.root_text, graph.roots_to(first, MOST_ROOTS)))
        link = Link("the root", objects.ref(first), ROOTS_VIEW)
        for text, count in texts.most_common(2):
            label = text if count == 1 else f"{text} ({counted(count, 'time')})"
            self._add(NO_OBJECT, ListRow("root", label, 2, links=(link,)))
        self._object(first, 2)
        for place, site in enumerate(steps):
            if SHOWN_STEPS // 2 <= place < len(steps) - SHOWN_STEPS // 2:
                if place == SHOWN_STEPS // 2:
                    self._add(NO_OBJECT, ListRow("finding", f"{len(steps) - SHOWN_STEPS:,} more steps", 2))
                continue
            name = graph.label(site).text
            self._object(graph.target(site), 2, f"{name}: " if name else "")

    def _referring(self, type: int) -> None:
        """Adds the referrers, by class and field, of the largest objects of a class that no single object dominates."""
        graph, finder = self._graph, self._finder
        mine = finder.tops[graph.column("type", finder.tops) == type]
        largest = mine[np.argsort(-graph.column("retained", mine), kind="stable")[:SAMPLED]]
        counts, first, threads = Counter[Step](), dict[Step, tuple[int, int]](), dict[Step, set[int]]()
        found = [(site, object) for object in largest.tolist() for site in graph.referrers(object)[:MOST_REFERRERS]]
        known = self._known_referrers([site for site, _ in found])
        for site, object in found:
            step, thread = known.get(site) or self._referrer(site)
            counts[step] += 1
            first.setdefault(step, (site, object))
            if thread is not None:
                threads.setdefault(step, set()).add(thread)
        for step, count in counts.most_common(SHOWN_REFERRERS):
            of = f" of {counted(len(threads[step]), 'thread')}" if step in threads else ""
            kind, label, spans = step
            links = (self._link(*first[step]),)
            self._add(NO_OBJECT, ListRow(kind, label + of, 2, badges={"objects": count}, links=links, spans=spans))
        more = len(counts) - SHOWN_REFERRERS
        if more > 0:
            self._add(NO_OBJECT, ListRow("finding", f"{more:,} other fields or roots", 2))

    def _known_referrers(self, sites: Sequence[int]) -> dict[int, tuple[Step, int | None]]:
        """Returns `_referrer` of all references among some sites: one of each field of a class is described."""
        graph = self._graph
        references = distinct(np.array([site for site in sites if site < graph.references], np.int64))
        owners = graph.owners(references)
        kinds = graph.column("kind", owners)
        has_fields, labels = kinds != OBJECT_ARRAY, np.full(len(references), -1)
        labels[has_fields] = graph.labels_of(references[has_fields], owners[has_fields]).numbers
        steps = np.stack((kinds, graph.column("type", owners), labels))
        _, examples, steps_of = np.unique(steps, axis=1, return_index=True, return_inverse=True)
        described = [*map(self._referrer, references[examples].tolist())]
        return {
            site: described[step] for site, step in zip(references.tolist(), steps_of.ravel().tolist(), strict=True)
        }

    def _referrer(self, site: int) -> tuple[Step, int | None]:
        """Returns a referrer: a kind of root, or a field of a class; and the thread of a root."""
        graph = self._graph
        root = graph.root_of(site)
        if root is not None:
            return ("root", root.kind, ()), root.thread
        label = graph.label(site)
        if label.kind == "constant":
            return ("reference", "constants of classes", ()), None
        label = replace(label, text="[…]" if label.kind == "element" else label.text, times=1)
        return ("reference", *self._objects.labelled(self._objects.label(graph.owner(site)), label)), None

    def _link(self, site: int, object: int) -> Link:
        """Returns the link to a referrer."""
        graph, ref = self._graph, self._objects.ref
        if graph.owner(site) == NO_OBJECT:
            return Link("the root", ref(object), ROOTS_VIEW)
        return Link("the first that refers", ref(graph.owner(site)), OBJECTS_VIEW)

    # -- no suspects --------------------------------------------------------------------------------------------------

    def add_none(self) -> None:
        """Adds the row for no suspects."""
        largest = self._finder.largest
        if largest is None:
            self._add(NO_OBJECT, ListRow("finding", "no root is in the file, so what holds what is not known"))
            return
        share = f"{LEAST_SHARE * 100:.0f} %"
        self._add(
            NO_OBJECT, ListRow("finding", f"nothing to suspect: no object and no class holds {share} of the heap")
        )
        self._add(NO_OBJECT, ListRow("finding", "the object that retains most", 0))
        self._object(largest, 1)
