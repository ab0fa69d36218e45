"""Names that hold a pattern, and the rows of what is called so: for `find --name` and `why`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.report import HasNames, ReportError
from tui.headless.patience import patiently

FEW = 50_000
"""Places up to which walking from one to the next is quicker than making one text of all names."""

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.search.pattern import Kind, Pattern
    from tui.headless.session import Session


def typed_pattern(session: Session) -> Pattern:
    """The pattern of the command line, taken as it is: plain text unless `--regex`. Raises `ReportError`."""
    from parsers.search.pattern import PatternError, exact_pattern

    arguments = session.arguments
    kind: Kind = "regex" if arguments.is_given("regex") else "text"
    try:
        return exact_pattern(arguments.word, kind, arguments.is_given("ignore-case"))
    except PatternError as error:
        raise ReportError(str(error)) from error


def nodes_named(session: Session) -> list[int]:
    """A node of the first view for each thing whose name holds the pattern, in document order."""
    from parsers.search.names import NameSearch

    report = session.report
    if not isinstance(report, HasNames):
        raise ReportError(f"{report.format_title} has no names to be searched")
    pattern = typed_pattern(session)
    numbers = _few_numbers(report.names, pattern, report.encoding)
    if numbers is None:
        search = NameSearch(report.names, _as_text)
        numbers = patiently(lambda: search.matching(pattern, report.encoding)).tolist()
    return sorted(int(node) for number in numbers for node in report.name_nodes(number))


def _as_text(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _few_numbers(names: Sequence[bytes], pattern: Pattern, encoding: str) -> list[int] | None:
    """Numbers of the names that hold a plain text, where the index can tell them at once and they are few."""
    containing = getattr(names, "containing", None)
    if containing is None or pattern.kind != "text" or pattern.ignores_case or encoding != "utf-8":
        return None
    if "\ufffd" in pattern.text:
        # Stands for bytes that can't be had back from it.
        return None
    try:
        found: list[int] | None = containing(pattern.text.encode(), FEW)
    except UnicodeEncodeError:
        return []
    return found
