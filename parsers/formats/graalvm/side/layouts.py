"""Tables beside the trees, each with the layout of its lines.

Sources: the printers of oracle/graal 20.1 to 25 (`CallTreePrinter.printUsedMethods` and its like,
`AnalysisHeapHistogramPrinter`, `ClassInitializationFeature`, `SubstitutionReportFeature`, `FeatureHandler`) and real
files of 23.0. Fields are joined without quoting, so each line is parsed from the side without names.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from parsers.formats.graalvm.calls.label import method_spans
from parsers.formats.graalvm.side.layout import LineCells, TableLayout
from parsers.model.names.java_name import class_spans
from parsers.model.row import Column, Span

COUNT = Column("count", "Objects", badges=(("count", ""),), width=19, priority=3, adds_up=True, bar=8)
INITIALIZATION = Column("initialization", "Initialized", "text", (("initialization", ""),), width=11, priority=3)
REQUIRED = Column("required", "Requires", badges=(("required", ""),), width=8, priority=2)
CATEGORY = Column("category", "Category", "text", (("category", ""),), width=8, priority=3)

_HISTOGRAM = re.compile(r" *([0-9]{1,18}) +(\S.*?) ?", re.DOTALL)
_OBJECTS = re.compile(rb" *([0-9]{1,18}) +\S.*", re.DOTALL)


def loader_end(label: str) -> int:
    """Returns the start of a name after its loader, which 24.2 and newer print; 0 without one."""
    opening = label.find("(")
    colon = label.find(":", 0, opening if opening >= 0 else len(label))
    return colon + 1


def used_method(text: str) -> LineCells:
    """Parses `holder.name(types):type`, perhaps after a loader."""
    start = loader_end(text)
    return LineCells("method" if "." in text else "unknown", text, text[start:])


def used_name(kind: str, text: str) -> LineCells:
    """Parses a class or package, perhaps after a loader; a class of the default package is its own package."""
    return LineCells(kind, text, text[loader_end(text) :])


def named_spans(cells: LineCells) -> tuple[Span, ...]:
    """Returns the spans of a method or class, or one span of a package, after its loader."""
    start = len(cells.label) - len(cells.name)
    if cells.kind == "method":
        return method_spans(cells.label, start)
    loader = (Span(0, start - 1, "loader"),) if start else ()
    own = class_spans(cells.name, start) if cells.kind != "package" else [Span(start, len(cells.label), "class")]
    return (*loader, *own)


def histogram_row(text: str) -> LineCells | None:
    """Parses a count and a type in eight columns each, right-aligned, a blank after both."""
    found = _HISTOGRAM.fullmatch(text)
    if found is None:
        return None
    return LineCells("class", found[2], found[2], {"count": int(found[1])})


def histogram_count(line: bytes) -> tuple[str, int] | None:
    """Returns the number of objects of a line."""
    found = _OBJECTS.match(line)
    return None if found is None else ("objects", int(found[1]))


def initialization_row(text: str) -> LineCells | None:
    """Parses a class or package, the time of its initialization, and the reason, which may contain commas."""
    parts = text.split(", ", 2)
    if len(parts) < 3 or not parts[0]:
        return None
    name, kind, reason = parts
    badges = {"initialization": kind, "reason": reason}
    return LineCells("class", name, name, badges, reason)


def initialization_kind(line: bytes) -> tuple[str, int] | None:
    """Time of initialization of the class of a line."""
    parts = line.split(b", ", 2)
    return None if len(parts) < 3 or not parts[0] else (parts[1].decode("utf-8", "replace"), 1)


def substitution_row(text: str) -> LineCells | None:
    """Parses the replaced element, the replacement, and its place, which is quoted and may contain anything."""
    end = text.rfind("',")
    fields = text[end + 2 :].split(",")
    if not text.startswith("'") or end < 1 or len(fields) < 3:
        return None
    category, original, annotated = fields[0], fields[1], ",".join(fields[2:])
    badges = {"category": category, "annotated": annotated, "location": text[1:end]}
    return LineCells(category, original, original, badges, f"← {annotated}")


def substitution_category(line: bytes) -> tuple[str, int] | None:
    """Returns the kind of element that a line replaces."""
    fields = line[line.rfind(b"',") + 2 :].split(b",")
    fits = line.startswith(b"'") and line.rfind(b"',") >= 1 and len(fields) >= 3
    return (fields[0].decode("utf-8", "replace"), 1) if fits else None


def feature_row(text: str) -> LineCells | None:
    """Parses a feature and those that it requires."""
    name, _, inside = text.removesuffix("]").rpartition(", [")
    if not name or not text.endswith("]"):
        return None
    required = inside.split(", ") if inside else []
    links = tuple(("requires", other) for other in required)
    return LineCells("feature", name, name, {"required": len(required)}, links=links)


def feature_count(line: bytes) -> tuple[str, int] | None:
    """Count of features: only well-formed lines."""
    return ("", 0) if b", [" in line and line.rstrip().endswith(b"]") else None


def member_spans(cells: LineCells) -> tuple[Span, ...]:
    """Returns the spans of a class, or of `class#member`."""
    holder, mark, _ = cells.name.partition("#")
    member = (Span(len(holder) + 1, len(cells.name), "name"),) if mark else ()
    return (*class_spans(holder), *member)


CLASS_INITIALIZATION = TableLayout(
    "graalvm-class-initialization",
    "Class initialization",
    "class",
    initialization_row,
    named_spans,
    header=(b"Class Name, Initialization Kind, Reason for Initialization",),
    columns=(INITIALIZATION,),
    before=b"\n",
    after=b", ",
    tally=initialization_kind,
    has_kinds=True,
)
LAYOUTS = (
    *(
        TableLayout(f"graalvm-used-{names}", f"Used {names}", kind, parse, named_spans, has_loaders=True)
        for names, kind, parse in (
            ("methods", "method", used_method),
            ("classes", "class", partial(used_name, "class")),
            ("packages", "package", partial(used_name, "package")),
        )
    ),
    TableLayout(
        "graalvm-heap-histogram",
        "Heap histogram",
        "class",
        histogram_row,
        named_spans,
        header=(b"Heap histogram", b"   Count Class"),
        columns=(COUNT,),
        before=b" ",
        after=b" ",
        tally=histogram_count,
        totals=("objects",),
    ),
    CLASS_INITIALIZATION,
    replace(
        CLASS_INITIALIZATION,
        format="graalvm-class-initialization-configuration",
        view="Initialization configuration",
        header=(b"Class or Package Name, Initialization Kind, Reasons",),
    ),
    TableLayout(
        "graalvm-substitutions",
        "Substitutions",
        "class",
        substitution_row,
        member_spans,
        header=(b"location, category (type/method/field), original, annotated",),
        columns=(CATEGORY,),
        before=b",",
        after=b",",
        tally=substitution_category,
        has_kinds=True,
        sections={"annotated": "replaced by"},
    ),
    TableLayout(
        "graalvm-features",
        "Features",
        "feature",
        feature_row,
        named_spans,
        header=(b"Feature, Required Features",),
        columns=(REQUIRED,),
        before=b"\n",
        after=b", ",
        tally=feature_count,
        has_links=True,
    ),
)
"""All layouts."""
