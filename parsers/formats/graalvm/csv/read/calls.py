"""Calls, lists of their possible targets, and roots of a CSV set, from its tables as arrays. Twin: `graph`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.csv.read.call_kernel import (
    expand_calls,
    find_first,
    take_calls,
)
from parsers.formats.graalvm.csv.read.graph import SAMPLE, version_of_three
from parsers.formats.graalvm.csv.read.name_kernel import NONE
from parsers.formats.graalvm.csv.read.names import CallTable
from parsers.formats.graalvm.csv.read.order_kernel import count_broken, sort_calls, sort_members
from parsers.formats.graalvm.csv.read.table_problems import placed
from parsers.formats.graalvm.csv.read.tables import CsvKernelTables
from parsers.formats.graalvm.csv.summary import CsvProblem, CsvProblemKind
from parsers.formats.graalvm.text.read.line import LONGEST
from parsers.formats.graalvm.text.summary import KEPT_PROBLEMS
from parsers.io.ordered_pipeline import in_parallel
from parsers.kernels.large_pages import large
from parsers.kernels.places import sorted_places
from parsers.model.distinct import begins, distinct

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array, U8Array, U32Array

PARTS = 8
"""Number of parts into which work is divided for threads."""


@dataclass
class CsvCalls:
    """All data from which the tree is printed."""

    table: CallTable
    """Calls by calling method, in printed order."""
    first: U32Array
    """uint32 by method: its first call."""
    list_first: U32Array
    members: U32Array
    """uint32: possible targets of calls, list by list, and the start of each list."""
    roots: U32Array
    """Root methods, in the order of their ids."""
    shown: BoolArray
    """bool by method: True if it is printed although it is unreachable."""
    totals: dict[str, int]
    version: str | None = None
    problems: list[CsvProblem] = field(default_factory=list)
    found: int = 0
    """Problems of calls, and their total number."""


def calls_of(tables: CsvKernelTables, is_whole: bool) -> CsvCalls:
    """Builds the calls of a set, and releases its rows. is_whole: True if the set has all its tables"""
    is_of_three = {"invokes", "targets"} & tables.files.keys()
    calls = _of_three(tables, is_whole) if is_of_three else _of_seven(tables)
    tables.forget_rows()
    return calls


def parts_of(count: int) -> list[tuple[int, int]]:
    """Divides a count into ranges."""
    bounds = np.linspace(0, count, PARTS + 1).astype(np.int64).tolist()
    return [(begin, end) for begin, end in pairwise(bounds) if begin < end]


def new_sort_keys() -> U8Array:
    """Allocates the sort keys of two methods."""
    return np.empty((2, 3 * LONGEST), np.uint8)


def _work_array(first: U32Array) -> U32Array:
    """Allocates a place for each call of the method with the most. first: uint32[m+1], the calls by method"""
    return np.empty(int(np.diff(first).max(initial=0)), np.uint32)


def _strange(tables: CsvKernelTables) -> dict[str, AnyArray]:
    lengths = np.array([len(text) for text in tables.strange], np.int64)
    data = np.frombuffer(b"".join(tables.strange), np.uint8).copy()
    return {
        "strange": data if len(data) else np.zeros(1, np.uint8),
        "strange_start": np.append(0, np.cumsum(lengths)).astype(np.int64),
        "strange_first": tables.strange_first if len(tables.strange_first) else np.zeros(1, np.int64),
    }


def listed_methods(tables: CsvKernelTables, table: str) -> BoolArray:
    """bool by method of a table: True if the table has it, and it is the first of its id."""
    found: BoolArray = tables.methods[table].of("name") != NONE
    found[len(found) - len(tables.lost[table]) :] = False
    return found


def _sorting_lists(tables: CsvKernelTables, first: U32Array, members: U32Array) -> list[Callable[[], None]]:
    """Jobs that sort all lists."""
    methods, names = tables.methods["methods"], tables.names.table

    def job(begin: int, end: int) -> Callable[[], None]:
        return lambda: sort_members(
            names, methods.of("name"), methods.of("id"), first, members, begin, end, new_sort_keys()
        )

    return [job(*part) for part in parts_of(len(first) - 1)]


def _of_seven(tables: CsvKernelTables) -> CsvCalls:
    methods, targets = tables.methods["methods"], tables.methods["virtual_methods"]
    edges, direct, overrides = tables.rows_of("direct_edges"), tables.direct, tables.rows_of("override_by_edges")
    callers, to = edges.columns
    target_names, target = targets.of("name"), to[direct:]
    table = CallTable(to, large("u4", len(to)), edges.bci, **_strange(tables))
    is_root = np.zeros(methods.count, np.bool_)
    is_root[tables.rows_of("entry_points").columns[0]] = True
    roots = np.flatnonzero(is_root).astype(np.uint32)
    roots = roots[np.argsort(methods.of("id")[roots], kind="stable")]
    lists: list[U32Array] = []
    ordered: list[U32Array] = []
    by_bci: list[bool] = []

    def group_lists() -> None:
        list_first, order = sorted_places(overrides.columns[0], targets.count)
        lists.extend((list_first, overrides.columns[1][order]))

    def name_targets() -> None:
        table.list[:direct] = NONE
        table.list[direct:] = target
        target[:] = target_names[target]

    in_parallel([lambda: ordered.extend(sorted_places(callers, methods.count)), name_targets, group_lists])
    (list_first, members), (first, order) = lists, ordered

    def look() -> None:
        by_bci.append(_is_by_bci(tables, table, first, order, (roots, overrides.columns[1])))

    in_parallel([look, *_sorting_lists(tables, list_first, members)])
    is_target = listed_methods(tables, "virtual_methods")
    return CsvCalls(
        _sorted_calls(tables, table, first, order, by_bci[0]),
        first,
        list_first,
        members,
        roots,
        methods.of("name") != NONE,
        {
            "virtual_methods": int(is_target.sum()),
            "direct_edges": tables.sums.rows.get("direct_edges", 0),
            "virtual_edges": tables.sums.rows.get("virtual_edges", 0),
            "override_edges": tables.sums.rows.get("override_by_edges", 0),
            "virtual_without_callees": int((is_target & (list_first[1:] == list_first[:-1])).sum()),
        },
    )


def _taking(table: CallTable, order: U32Array) -> tuple[CallTable, Callable[[int, int], None]]:
    """Calls in another order that is not known yet, and the function that fills a range of them once it is."""
    to, list, bci = (large("u4", len(order)) for _ in range(3))
    taken = table._replace(to=to, list=list, bci=bci)
    return taken, lambda begin, end: take_calls(table, order, to, list, bci, begin, end)


def _is_by_bci(
    tables: CsvKernelTables, table: CallTable, first: U32Array, order: U32Array, others: tuple[AnyArray, ...]
) -> bool:
    """Returns True if the printer sorted calls by bytecode index, as shown by the ids.

    others  methods that may be reached first by other than direct calls
    """
    methods, names = tables.methods["methods"], tables.names.table
    name_of, id_of = methods.of("name"), methods.of("id")
    is_other = np.zeros(methods.count, np.uint8)
    for each in others:
        is_other[each] = 1
    broken = np.zeros(2, np.int64)
    count_broken(
        table,
        names,
        name_of,
        id_of,
        is_other,
        first,
        order,
        np.full(methods.count, np.iinfo(np.int64).max),
        SAMPLE,
        _work_array(first),
        _work_array(first),
        new_sort_keys(),
        broken,
    )
    return bool(broken[1] < broken[0])


def _sorted_calls(
    tables: CsvKernelTables, table: CallTable, first: U32Array, order: U32Array, by_bci: bool
) -> CallTable:
    """Returns the calls by method, sorted within a method as the printer did."""
    methods, names = tables.methods["methods"], tables.names.table
    name_of = methods.of("name")
    taken, take = _taking(table, order)

    def job(begin: int, end: int) -> Callable[[], None]:
        def run() -> None:
            sort_calls(table, names, name_of, first, order, begin, end, by_bci, _work_array(first), new_sort_keys())
            take(int(first[begin]), int(first[end]))

        return run

    in_parallel([job(*part) for part in parts_of(methods.count)])
    return taken


def _of_three(tables: CsvKernelTables, is_whole: bool) -> CsvCalls:
    methods = tables.methods["methods"]
    invokes, targets = tables.rows_of("invokes"), tables.rows_of("targets")
    ids = invokes.columns[0]
    order = None if _ascends(ids) else np.argsort(ids, kind="stable")
    if order is not None:
        ids = ids[order]
    is_new = begins(ids)
    problems, found = _repeated(tables, ids, order, is_new)
    chosen = np.flatnonzero(is_new) if order is None else order[is_new]
    if len(chosen) == len(ids) and order is None:
        caller, target, bci, flag = *invokes.columns[1:], invokes.bci, invokes.flag
    else:
        ids = ids[is_new]
        caller, target = (column[chosen] for column in invokes.columns[1:])
        bci, flag = invokes.bci[chosen], invokes.flag[chosen]
    call, callee, more, count = _known_calls(tables, targets.columns, ids)
    problems, found = problems + more, found + count
    list_first, by_call = sorted_places(call, len(ids))
    members = callee
    if not _ascends(call):
        members = callee[by_call]
        in_parallel(_sorting_lists(tables, list_first, members))
    first_place = np.full(methods.count, NONE, np.uint32)
    find_first(members, first_place)
    is_member = first_place != NONE
    is_method, flags = listed_methods(tables, "methods"), methods.of("flag") != 0
    highest = int(ids[-1]) if len(ids) else -1
    gaps, without = highest + 1 - len(ids), int((list_first[1:] == list_first[:-1]).sum())
    method_ids = methods.of("id")
    known = np.flatnonzero(is_method)
    is_flagged = bool(len(known)) and bool(flags[known[np.argmin(method_ids[known])]])
    version = version_of_three(gaps, without, is_flagged)
    roots: AnyArray = np.flatnonzero(is_method & flags)
    if version != "25":
        roots = distinct(np.concatenate((roots, _first_roots(first_place, is_method, method_ids))))
    roots = roots[np.argsort(method_ids[roots], kind="stable")].astype(np.uint32)
    reached = is_member.copy()
    reached[roots] = True
    table, callers = _expanded(tables, caller, target, bci, flag, list_first, members)
    first, by_caller = sorted_places(callers, methods.count)
    if not _ascends(callers):
        table, take = _taking(table, by_caller)
        take(0, len(by_caller))
    shown = methods.of("name") != NONE
    if is_whole:
        has_calls = np.zeros(methods.count, np.bool_)
        has_calls[caller] = True
        shown &= ~is_method | reached | has_calls
    direct = int(np.count_nonzero(flag))
    return CsvCalls(
        table,
        first,
        list_first,
        members,
        roots,
        shown,
        {
            "flagged_entry_points": int((is_method & flags).sum()),
            "reachable_methods": int((is_method & reached).sum()),
            "call_only_targets": int((is_method & ~reached).sum()),
            "invokes": tables.sums.rows.get("invokes", 0),
            "direct_invokes": direct,
            "virtual_invokes": len(ids) - direct,
            "invokes_without_targets": without,
            "max_invoke_id": highest,
            "invoke_id_gaps": gaps,
            "targets": tables.sums.rows.get("targets", 0),
        },
        version if is_whole else "24.1+",
        problems,
        found,
    )


def _ascends(numbers: AnyArray) -> bool:
    """Returns True if no number is lower than the one before it."""
    return bool((numbers[1:] >= numbers[:-1]).all())


def _repeated(
    tables: CsvKernelTables, ids: I64Array, order: I64Array | None, is_new: BoolArray
) -> tuple[list[CsvProblem], int]:
    """Returns the problems for invokes with a repeated id."""
    places = np.flatnonzero(~is_new)
    rows = np.sort(places if order is None else order[places])
    all_ids = tables.rows_of("invokes").columns[0] if len(rows) else ids
    pairs = [(int(row), int(all_ids[row])) for row in rows[:KEPT_PROBLEMS]]
    return placed(tables, "invokes", CsvProblemKind.DUPLICATE_ID, pairs), len(rows)


def _known_calls(
    tables: CsvKernelTables, columns: list[AnyArray], ids: I64Array,
) -> tuple[U32Array, U32Array, list[CsvProblem], int]:  # fmt: skip
    """For the rows of `targets`, the number of the call, uint32, and the method; without rows of no call."""
    wanted, callee = columns
    highest = int(ids[-1]) if len(ids) else -1
    if highest < 4 * len(ids) + 1024:
        numbers = np.full(highest + 2, NONE, np.uint32)
        numbers[ids] = np.arange(len(ids), dtype=np.uint32)
        # Beyond the last id, too, there is NONE.
        found = np.take(numbers, wanted, mode="clip")
    else:
        places = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
        found = np.where(ids[places] == wanted, places, NONE).astype(np.uint32)
    is_known = found != NONE
    lost = np.flatnonzero(~is_known)
    if not len(lost):
        return found, callee, [], 0
    pairs = [(int(row), int(wanted[row])) for row in lost[:KEPT_PROBLEMS]]
    return found[is_known], callee[is_known], placed(tables, "targets", CsvProblemKind.UNKNOWN_CALL, pairs), len(lost)


def _first_roots(place: U32Array, is_method: BoolArray, ids: I64Array) -> I64Array:
    """Methods with ids lower than those assigned while calls were followed.

    place: uint32 by method, place of its first call, or NONE
    """
    matched = np.flatnonzero(is_method & (place != NONE))
    if not len(matched):
        return matched
    if not _ascends(ids[matched]):
        matched = matched[np.argsort(ids[matched])]
    found, places = ids[matched], place[matched]
    breaks = np.flatnonzero((found[1:] != found[:-1] + 1) | (places[1:] <= places[:-1]))
    lowest = found[breaks[-1] + 1] if len(breaks) else found[0]
    return np.flatnonzero(is_method & (ids < lowest))


def _expanded(
    tables: CsvKernelTables,
    caller: U32Array,
    target: U32Array,
    bci: U32Array,
    flag: U8Array,
    list_first: U32Array,
    members: U32Array,
) -> tuple[CallTable, U32Array]:
    """Calls as printed, a direct call once for each target, and the caller of each."""
    # A direct call counts for each of its targets.
    total = int(np.where(flag, np.diff(list_first), 1).sum(dtype=np.int64))
    callers, to, list, code = (large("u4", total) for _ in range(4))
    expand_calls(
        caller, target, bci, flag, list_first, members, tables.methods["methods"].of("name"), callers, to, list, code
    )
    return CallTable(to, list, code, **_strange(tables)), callers
