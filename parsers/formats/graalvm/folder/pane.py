"""Side pane of a class or package of a build: the part of each report, with links to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from parsers.formats.graalvm.calls.label import short_method
from parsers.formats.graalvm.folder.format import CALL_TREES
from parsers.formats.graalvm.folder.table import METHODS, OBJECTS
from parsers.model.names.java_name import short_class
from parsers.model.row import Section, SectionRow, counted

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.package_view import PackagesView
    from parsers.formats.graalvm.calls.tree_report import CallTreeReport
    from parsers.formats.graalvm.folder.joined import JoinedReport
    from parsers.reports.members import ReportMember

SHOWN = 8
"""Most methods and classes that are listed."""

MOST_STEPS = 24
"""Most steps of a path that are shown."""

OBJECT_TREE = "graalvm-object-tree"


def class_sections(report: JoinedReport, name: str) -> list[Section]:
    """Sections of a class: initialization, objects, methods, path to the nearest, other rows naming the class."""
    return [
        Section("Class", (SectionRow("", name),)),
        *_initialization(report, name),
        *_objects(report, name),
        *_methods(report, "class", name),
        *_others(report, name),
        *_not_here(report, "Call tree", "Heap histogram", "Heap roots", "Class initialization"),
    ]


def package_sections(report: JoinedReport, name: str) -> list[Section]:
    """Returns the sections of a package: its size in each report, its largest classes, and the path to it."""
    joined = report.made.value
    numbers = joined.packages.of(name)
    titles = {"call_sites": "call sites", "tree_objects": "objects in the tree"}
    found = called(report, "package", name)
    where = (None, None) if found is None else (f"package:{name}", found[0].shown_name("Packages"))
    rows = [SectionRow("", name)]
    rows += [
        SectionRow(titles.get(what, what), f"{count:,}", *(where if what == METHODS else ()))
        for what, count in numbers.items()
    ]
    used = report.build.member("graalvm-used-packages")
    if used is not None:
        rows.append(_place("used packages", used, "package", name, "listed"))
    classes = joined.classes_of(name)
    largest = sorted(classes, key=lambda each: _size(joined.classes.of(each)), reverse=True)[:SHOWN]
    shown = tuple(
        SectionRow(short_class(each), _summary(joined.classes.of(each)), f"class:{each}", "Classes") for each in largest
    )
    largest_section = Section(f"Classes ({len(classes):,})", shown, len(classes) - len(shown))
    return [
        Section("Package", tuple(rows)),
        largest_section,
        *_methods(report, "package", name, is_listed=False),
        *_not_here(report, "Call tree", "Heap histogram", "Heap roots"),
    ]


def _size(numbers: dict[str, int]) -> tuple[int, int]:
    return numbers.get(METHODS, 0), numbers.get(OBJECTS, 0)


def _summary(numbers: dict[str, int]) -> str:
    amounts = ((METHODS, "method"), (OBJECTS, "object"))
    return ", ".join(counted(numbers[what], noun) for what, noun in amounts if numbers.get(what))


def _not_here(report: JoinedReport, *views: str) -> Iterator[Section]:
    """Missing reports with more data, with the options that write them."""
    missing = report.build.missing
    rows = tuple(SectionRow(view.lower(), missing[view]) for view in views if view in missing)
    if rows:
        yield Section("Not written", rows)


def _place(label: str, member: ReportMember, kind: str, name: str, says: str) -> SectionRow:
    """Link to a class or package in a view of a side report, if it is there."""
    view = member.report.views[0]
    if view.find_key((kind, name)) is None:
        return SectionRow(label, "none")
    return SectionRow(label, says, f"{kind}:{name}", member.shown_name(None))


def _initialization(report: JoinedReport, name: str) -> Iterator[Section]:
    member = report.build.member("graalvm-class-initialization")
    if member is None:
        return
    found = report.made.value.initialized.get(name)
    if found is None:
        yield Section("Initialization", (SectionRow("", "the report of class initialization doesn't name it"),))
        return
    when = SectionRow("initialized", found[0], f"class:{name}", member.shown_name(None))
    yield Section("Initialization", (when, SectionRow("reason", found[1])))


def _objects(report: JoinedReport, name: str) -> Iterator[Section]:
    """Returns the numbers of objects of the class in the image, from the histogram and from the object tree."""
    numbers = report.made.value.classes.of(name)
    rows = []
    histogram, tree = report.build.member("graalvm-heap-histogram"), report.build.member(OBJECT_TREE)
    if histogram is not None:
        rows.append(_place("heap histogram", histogram, "class", name, f"{numbers.get('objects', 0):,}"))
    if tree is not None:
        count, view = numbers.get("tree_objects", 0), tree.shown_name("Types")
        where = (f"class:{name}", view) if count else (None, None)
        rows.append(SectionRow("object tree", f"{count:,}" if count else "none", *where))
    if rows:
        yield Section("Objects in the image", tuple(rows))


def called(report: JoinedReport, kind: str, name: str) -> tuple[ReportMember, PackagesView, int] | None:
    """The call tree, its view of packages, and the node there of a class or package; None if it is not there."""
    member = report.build.member(*CALL_TREES)
    if member is None:
        return None
    view = cast("PackagesView", member.report.view("Packages"))
    node = view.find_key((kind, name))
    return None if node is None else (member, view, node)


def _methods(report: JoinedReport, kind: str, name: str, is_listed: bool = True) -> Iterator[Section]:
    """Returns the methods in the image, by rows first reached through them, descending, and the path to the nearest."""
    member = report.build.member(*CALL_TREES)
    if member is None:
        return
    found = called(report, kind, name)
    if found is None:
        yield Section("Methods", (SectionRow("", "none is in the call tree"),))
        return
    _, view, node = found
    first = member.shown_name(None)
    if is_listed:
        methods = view.tree.children(node, "weight")
        rows = [view.row(int(each)) for each in methods[:SHOWN]]
        shown = tuple(
            SectionRow(
                short_method(row.label).partition(".")[2] or row.label,
                ref=row.ref,
                view=first,
                badges={"call_sites": row.badges["call_sites"]},
            )
            for row in rows
        )
        everywhere = SectionRow("all of them", "", f"{kind}:{name}", member.shown_name("Packages"))
        left = len(methods) - len(shown)
        yield Section(f"Methods ({len(methods):,}), call sites", (*shown, everywhere) if left else shown, left)
    yield _path_section(cast("CallTreeReport", member.report), view.row_of(node), first)


def _path_section(calls: CallTreeReport, row: int, view: str) -> Section:
    """Returns the path to a method from an entry, one row for each step."""
    path: Sequence[int] = calls.why(calls.views[0].name, row)
    rows = []
    for each in path[-MOST_STEPS:]:
        text = calls.parsed(each)
        rows.append(SectionRow("", short_method(text.method), f"line:{calls.tree.line(each)}", view))
    return Section("Reached first through", tuple(rows), max(0, len(path) - MOST_STEPS))


def _others(report: JoinedReport, name: str) -> Iterator[Section]:
    """Other rows that name the class."""
    rows = tuple(_other_rows(report, name))
    if rows:
        yield Section("In other reports", rows)


def _other_rows(report: JoinedReport, name: str) -> Iterator[SectionRow]:
    for format, label in (
        ("graalvm-class-initialization-configuration", "configured"),
        ("graalvm-class-initialization-dependencies", "initializer"),
        ("graalvm-substitutions", "substituted"),
        ("graalvm-trace", "trace"),
    ):
        member = report.build.member(format)
        if member is None:
            continue
        view = member.report.views[0]
        node = view.find_key(("class", name)) if view.is_ready else None
        if node is not None:
            badges = view.tree.row(node).badges
            says = next((str(badges[each]) for each in ("initialization", "annotated", "safety") if each in badges), "")
            yield SectionRow(label, says, f"class:{name}", member.shown_name(None))
