"""Links from a row of a recording to other views; only links with a target."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.columns import NOWHERE
from parsers.model.row import Link
from parsers.model.view import UnknownReference

if TYPE_CHECKING:
    from parsers.formats.tptp.report import TraceReport

ELEMENTS_VIEW = "Elements"


def leads(report: TraceReport, ref: str, name: str) -> bool:
    """True if there is a view of a name and it contains the target of a REF."""
    if not report.views.has(name):
        return False
    try:
        report.view(name).resolve(ref)
    except UnknownReference:
        return False
    return True


def first_leading(report: TraceReport, ref: str, names: Iterable[str]) -> str | None:
    """Returns the first of some views that contains the target of a REF."""
    return next((name for name in names if leads(report, ref, name)), None)


def element_link(offset: int) -> list[Link]:
    """Returns the link to the element at an offset, as written in the file."""
    return [] if offset >= NOWHERE else [Link("the element in the file", f"element:{offset}", ELEMENTS_VIEW)]
