"""Ways from a row of a recording to other views: none that leads nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from parsers.formats.tptp.schema.columns import NOWHERE
from parsers.model.report import Link, UnknownReference, View
from parsers.views.collection import view_names

ELEMENTS_VIEW = "Elements"


class Viewed(Protocol):
    """What is asked of a report."""

    @property
    def views(self) -> Sequence[View]:
        """Those that there are."""
        ...

    def view(self, name: str) -> View:
        """A view of a name."""
        ...


def leads(report: Viewed, ref: str, name: str) -> bool:
    """Whether there is a view of a name, and it has what a REF names."""
    if name not in view_names(report.views):
        return False
    try:
        report.view(name).resolve(ref)
    except UnknownReference:
        return False
    return True


def first_leading(report: Viewed, ref: str, names: Iterable[str]) -> str | None:
    """The first of some views that has what a REF names."""
    return next((name for name in names if leads(report, ref, name)), None)


def element_link(offset: int) -> list[Link]:
    """The way to the element at an offset, as it is written."""
    return [] if offset >= NOWHERE else [Link("the element in the file", f"element:{offset}", ELEMENTS_VIEW)]
