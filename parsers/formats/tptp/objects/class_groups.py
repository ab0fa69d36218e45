"""Sessions, packages and classes of a recording, with sums of their objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from parsers.formats.tptp.objects.class_sums import (
    ACTIVE_SIZE,
    DEFINED,
    GENERATIONS,
    LIVE,
    OLDEST,
    SUMS,
    TOTAL,
    TOTAL_SIZE,
)
from parsers.heapdump.tables.class_names import package_of
from parsers.model.late import numpy as np
from parsers.model.names.java_name import NO_PACKAGE
from parsers.model.none import NONE
from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.formats.tptp.store.names import TraceNames
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.model.arrays import I64Array

BY_PACKAGE, ALONE, BY_ID = "by package", "classes alone", "by id"
GROUPINGS = (BY_PACKAGE, ALONE, BY_ID)
"""Parents of class rows. By id: the classes of one name from several loaders have separate rows."""


@value_class
class TraceClassGroup:
    """A row that has objects or other rows below it."""

    kind: str
    """"session", "package", "class", or "finding" for a remark under the table."""
    label: str
    session: int
    classes: Sequence[int]
    """Rows of classes; higher numbers are the entries per session for objects without a class."""
    sums: Sequence[int]
    """Sums as in `class_sums.SUMS`."""
    depth: int = 0
    largest: int = 1
    """Bytes shown by the longest bar."""


def groups_of(
    recording: TraceRecording, names: TraceNames, sums: I64Array, grouping: str, sessions: Iterable[int]
) -> list[TraceClassGroup]:
    """Returns groups in the order of their rows: those with the largest objects first.

    sums  int64[SUMS, …], see `class_sums`
    """
    found: list[TraceClassGroup] = []
    classes, depth = recording.rows("class"), int(recording.sessions > 1)
    counted: dict[int, list[int]] = {}
    rows = ((sums[TOTAL] != 0) | (sums[DEFINED] != 0)).nonzero()[0]
    own = rows[rows < classes]
    of = [*recording.sessions_of("class", own).tolist(), *(rows[len(own) :] - classes).tolist()]
    for row, session in zip(rows.tolist(), of, strict=True):
        counted.setdefault(session, []).append(row)
    for session in sessions:
        mine = counted.get(session, [])
        each = _of_session(names, classes, sums, grouping, session, mine, depth)
        if depth and each:
            tops = [group.sums for group in each if group.depth == depth]
            found.append(TraceClassGroup("session", names.session_label(session), session, (), _added(tops)))
        found += each
    return found


def _of_session(
    names: TraceNames, classes: int, sums: I64Array, grouping: str, session: int, rows: Sequence[int], depth: int
) -> list[TraceClassGroup]:
    own = [row for row in rows if row < classes]
    labels = [*names.labels("class", np.array(own, np.int64)), *[names.class_label(NONE)] * (len(rows) - len(own))]
    by_name: dict[str, list[int]] = {}
    for row, label in zip(rows, labels, strict=True):
        by_name.setdefault(label, []).append(row)
    parts = [(name, [row]) for name, each in by_name.items() for row in each] if grouping == BY_ID else by_name.items()
    of_row = dict(zip(rows, sums[:, rows].T.tolist(), strict=True))
    members = [(name, each, _added([of_row[row] for row in each])) for name, each in parts]
    if grouping != BY_PACKAGE:
        return _ranked("class", session, members, depth)
    packages: dict[str, list[_Member]] = {}
    for member in members:
        packages.setdefault(package_of(member[0]) or NO_PACKAGE, []).append(member)
    added = [(name, (), _added([sums for _, _, sums in each])) for name, each in packages.items()]
    tops = _ranked("package", session, added, depth)
    return [
        row for top in tops for row in (top, *_ranked("class", session, packages[top.label], depth + 1, top.largest))
    ]


def _added(sums: Sequence[Sequence[int]]) -> Sequence[int]:
    """Merges sums: age of the oldest, and the largest number of ages, which is a lower bound."""
    if len(sums) == 1:
        return sums[0]
    places = enumerate(zip(*sums, strict=True))
    return [(max if place in (OLDEST, GENERATIONS) else sum)(each) for place, each in places] or [0] * len(SUMS)


_Member = tuple[str, Sequence[int], Sequence[int]]
"""Label, rows of classes, sums."""


def _ranked(kind: str, session: int, members: Sequence[_Member], depth: int, largest: int = 0) -> list[TraceClassGroup]:
    largest = largest or max((sums[ACTIVE_SIZE] for _, _, sums in members), default=1) or 1

    def key(member: _Member) -> tuple[int, int, int, str]:
        label, _, sums = member
        return -sums[ACTIVE_SIZE], -sums[TOTAL_SIZE], -sums[LIVE], label

    return [
        TraceClassGroup(kind, label, session, classes, sums, depth, largest)
        for label, classes, sums in sorted(members, key=key)
    ]
