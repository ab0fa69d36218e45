"""Names that match a pattern, and the nodes with these names: for `find --name` and `why`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from parsers.model.capabilities import FindsNames, HasNames
from parsers.model.names.patterns import matches
from parsers.model.report import ReportError
from parsers.views.collection import name_view
from tui.headless.patience import patiently

FEW = 50_000
"""Places up to which searching one by one is quicker than building one text of all names."""

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.model.view import View
    from parsers.query.search.pattern import Kind, Pattern
    from tui.command_line.arguments import Arguments
    from tui.headless.session import CommandSession


def pattern_of(arguments: Arguments) -> Pattern:
    """The pattern of the command line: plain text unless `--regex`. Raises `ReportError`."""
    from parsers.query.search.pattern import PatternError, exact_pattern

    kind: Kind = "regex" if arguments.is_given("regex") else "text"
    try:
        return exact_pattern(arguments.word, kind, arguments.is_given("ignore-case"))
    except PatternError as error:
        raise ReportError(str(error)) from error


def has_name(report: HasNames, pattern: Pattern, encoding: str) -> bool:
    """True if some name of a report matches a pattern."""
    return bool(_numbers(report.names, pattern, encoding))


def nodes_named(session: CommandSession, prefers_whole: bool = False) -> list[tuple[View, int]]:
    """A node for each matching name, in document order, with its view.

    prefers_whole  returns only names equal to the pattern, if there are any

    The names are those of the requested view, if it has its own; else those of the report, or of the first view with
    names.
    """
    known, pattern, encoding = _known_names(session), pattern_of(session.arguments), session.report.encoding
    numbers = _numbers(known.names, pattern, encoding)
    if not numbers and pattern.kind == "text" and "::" in pattern.text:
        # The form in logs; names have a dot there.
        numbers = _numbers(known.names, replace(pattern, text=pattern.text.replace("::", ".")), encoding)
    if not numbers and pattern.kind == "text" and pattern.text.strip("*") != pattern.text:
        # The form of patterns for native-image.
        part = replace(pattern, text=pattern.text.strip("*"))
        numbers = [
            number
            for number in (_numbers(known.names, part, encoding) if part.text else ())
            if matches(pattern.text, _as_text(bytes(known.names[number])))
        ]
    if prefers_whole and pattern.kind == "text":
        whole = pattern.text.encode("utf-8", "surrogatepass")
        numbers = [number for number in numbers if bytes(known.names[number]) == whole] or numbers
    report, nodes = session.report, dict[str, list[int]]()
    for number in numbers:
        view = name_view(report, number) if known is cast(object, report) else cast("View", known)
        nodes.setdefault(view.name, []).extend(map(int, known.name_nodes(number)))
    views = [report.view(name) for name in report.views.names if name in nodes]
    return [(view, node) for view in views for node in sorted(set(nodes[view.name]))]


def _known_names(session: CommandSession) -> HasNames:
    report = session.report
    asked = [session.view] if session.arguments.is_given("view") else []
    for each in (*asked, report, *report.views):
        if isinstance(each, HasNames):
            return each
    raise ReportError(f"{report.format_title} has no names to be searched")


def _numbers(names: Sequence[bytes], pattern: Pattern, encoding: str) -> list[int]:
    """Numbers of the names that match a pattern."""
    from parsers.query.search.names import NameSearch

    few = _few_numbers(names, pattern, encoding)
    if few is not None:
        return few
    search = NameSearch(names, _as_text)
    found: list[int] = patiently(lambda: search.matching(pattern, encoding)).tolist()
    return found


def _as_text(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _few_numbers(names: Sequence[bytes], pattern: Pattern, encoding: str) -> list[int] | None:
    """Numbers of the names that contain a plain text; None unless the index finds them at once and they are few."""
    if not isinstance(names, FindsNames) or pattern.kind != "text" or pattern.ignores_case or encoding != "utf-8":
        return None
    if "\ufffd" in pattern.text:
        # Replaces bytes that can't be restored from it.
        return None
    try:
        return names.containing(pattern.text.encode(), FEW)
    except UnicodeEncodeError:
        return []
