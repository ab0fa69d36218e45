"""The member of a combined report to which a command applies."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from parsers.model.capabilities import HasNames
from parsers.model.names.suggestion import suggestion
from parsers.model.report import ReportError
from parsers.model.view import UnknownReference
from parsers.reports.members import MembersReport
from parsers.views.collection import own_view, owner_of, places_of
from tui.command_line.registry import TABLE_FORMATS, command_named
from tui.headless.names import has_name, pattern_of
from tui.headless.session import is_reference

if TYPE_CHECKING:
    from parsers.model.report import Report
    from tui.command_line.arguments import Arguments
    from tui.headless.session import Invocation


def asked_of(invocation: Invocation, report: Report) -> tuple[Arguments, Report]:
    """Returns the member report of a command, and the arguments for it.

    It is the owner of the requested view; without a view the first member with the REF or name, else the first.
    Raises `ReportError` for an unknown view, `UnknownReference` for a REF that no member has.
    """
    arguments = invocation.arguments
    is_about_one = command_named(arguments.command).is_about_one_view and arguments.text("to") not in TABLE_FORMATS
    is_about_one = is_about_one or arguments.is_given("cut")
    if not isinstance(report, MembersReport) or not is_about_one:
        return arguments, report
    name = arguments.text("view")
    if name is None:
        return arguments, _first(invocation, report)
    try:
        view = report.view(name)
    except KeyError:
        why = report.why_not(name)
        there = suggestion(name, [view.name for view in report.views])
        raise ReportError(f"{why or f'no view is called {name!r}'}: {there}") from None
    asked = copy(arguments)
    asked.given = {**arguments.given, "view": own_view(view).name}
    return asked, owner_of(report, view)


def _named(invocation: Invocation, report: MembersReport) -> Report | None:
    """The first member with a matching name; None if there is none."""
    pattern = pattern_of(invocation.arguments)
    for member in report.members:
        member.report.wait(invocation.remarks.progress)
        if isinstance(member.report, HasNames) and has_name(member.report, pattern, member.report.encoding):
            return member.report
    return None


def _first(invocation: Invocation, report: MembersReport) -> Report:
    """The first member with the requested REF or name, else the first one. Raises `UnknownReference`."""
    arguments, first = invocation.arguments, report.members[0].report
    by_name = arguments.command == "why" or (arguments.command == "find" and arguments.is_given("name"))
    if by_name and not is_reference(arguments.word):
        return _named(invocation, report) or first
    takes_ref = arguments.command == "why" or command_named(arguments.command).word == "REF"
    ref = arguments.word if takes_ref and is_reference(arguments.word) else arguments.text("at")
    if ref is None:
        return first
    refused: UnknownReference | None = None
    for member in report.members:
        found = member.report
        found.wait(invocation.remarks.progress)
        try:
            places_of(found.views, ref)
            return found
        except UnknownReference as error:
            refused = refused or error
    raise refused or UnknownReference(f"{ref}: nothing is called so")
