"""Groupings of frames when traces are merged: methods, lines, classes, packages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from parsers.model.late import numpy as np
from parsers.model.lookup import numbered
from parsers.model.names.java_name import NO_PACKAGE
from parsers.profile.method_name import holder_of, package_of

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray
    from parsers.profile.source import ProfileSource

BY = ("by method", "by line", "by class", "by package")
KINDS: Mapping[str, str] = {"by line": "frame", "by class": "class", "by package": "package"}
"""Kinds of rows by grouping; otherwise "method"."""


def grouped_frames(source: ProfileSource, by: str) -> tuple[AnyArray, Sequence[str]]:
    """Returns the group of each frame, and the names of groups."""
    method_of, methods = source.method_of, source.methods
    if by == "by line":
        labels = [f"{methods[method]} {source.line(frame)}".rstrip() for frame, method in enumerate(method_of.tolist())]
        return np.arange(len(method_of)), labels
    if by in ("by class", "by package"):
        holders = map(holder_of, methods)
        names, of_method = numbered(
            holders if by == "by class" else (package_of(holder) or NO_PACKAGE for holder in holders)
        )
        return of_method[method_of] if len(methods) else method_of, names
    return method_of, methods
