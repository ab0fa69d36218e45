"""Reads the elements of a task into a `TaskTree`: the calls that parses belong to, and the rows.

A nested parse belongs to a call since the last `bc` of its parent: the nearest one of the same method, else the nearest
without a parse. Source: logs of JDK 8, 17 and 25. One pass over the elements, not recursive.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from parsers.formats.hotspot.tasks.call import EMITTED, CallSite, TaskDefinitions
from parsers.formats.hotspot.tasks.slice import TaskSlice
from parsers.formats.hotspot.tasks.tree import TaskTree

DEFINITIONS = frozenset(("type", "klass", "method", "symbol", "unknown"))

PARTS = frozenset(("jvms", "code_cache", "regalloc", "inline_level_discount"))
"""Elements that describe the one around them or before them."""

IN_PLACE = frozenset(
    (
        "phase",
        "parse",
        "call",
        "uncommon_trap",
        "late_inline",
        "failure",
        "intrinsic",
        "hot_throw",
        "cast_up",
        "assert_null",
        "dependency_failed",
        "loop",
    )
)
"""Elements whose rows are in file order; all others are details."""

NO_NEWS = "evol_method"
"""A dependency that JDK 25 prints for every inlined method."""


@dataclass(slots=True, eq=False)
class Scope:
    """The calls in a parse, or in the task."""

    bytecode: int = -1
    recent: list[CallSite] = field(default_factory=list)
    """Calls since the last `bc`."""
    calls: list[CallSite] = field(default_factory=list)
    method: str = ""
    late: int = -1
    """A `late_inline` before its parse or call is read."""


def read_tree(task: TaskSlice) -> TaskTree:
    """Returns the tree of a task; never fails."""
    return _Reading(task).tree


class _Reading:
    """The state of one pass."""

    def __init__(self, task: TaskSlice) -> None:
        self.task = task
        self.tree = tree = TaskTree(task, TaskDefinitions(task))
        self.shown = [-1] * len(task.elements)
        self.shown[0] = 0
        tree.rows_below[0] = []
        self.kept = 0
        """Rows of the task before the attempt that is being read."""
        self.above = [element.parent for element in task.elements]
        self._begin_attempt()
        self._read()
        if self.threw_away >= 0:
            self._end_attempt(len(task.elements))
        self._gather()
        self._complete()
        tree.shown = self.shown

    def _begin_attempt(self) -> None:
        top = Scope()
        self.scopes: dict[int, Scope] = {0: top}
        """By element: the scope of its children; a phase shares that of its parent."""
        self.roots: list[Scope] = []
        """Scopes of parses that are not nested."""
        self.boxes: dict[int, int] = {0: 0}
        """By element: the parent row of the rows in it."""
        self.inline_ids: dict[str, CallSite] = {}
        self.threw_away = -1
        """The failure that ended the attempt, once it is read."""

    def _end_attempt(self, end: int) -> None:
        """Moves the rows of the attempt below that of its failure."""
        tree, failure = self.tree, self.threw_away
        rows = tree.rows_below[0]
        tree.rows_below[failure] = inside = [row for row in rows[self.kept :] if row != failure]
        for row in inside:
            tree.parents[row] = failure
        rows[self.kept :] = [failure]
        tree.parents[failure] = 0
        self.shown[failure] = failure
        self.kept = len(rows)
        tree.attempts.append(failure)
        tree.last_attempt = end
        self._begin_attempt()

    def _read(self) -> None:
        tree = self.tree
        definitions = tree.names.definitions
        for number, element in enumerate(self.task.elements):
            if not number:
                continue
            tag, parent = element.tag, self.above[number]
            if self.threw_away >= 0 and not parent:
                self._end_attempt(number)
            scope = self.scopes.get(parent)
            if scope is None:
                scope = self.scopes[0]
            if tag in DEFINITIONS and (id := element.get("id")) is not None:
                definitions[id] = number
            elif tag == "bc":
                scope.bytecode = number
                scope.recent = []
            elif tag == "call":
                self._call(number, scope)
            elif tag == "parse":
                self._parse(number, scope)
            elif tag == "phase":
                self._phase(number, scope)
            elif tag == "late_inline":
                scope.late, scope.bytecode, scope.recent = number, -1, []
                self._add(number)
            elif tag in ("parse_done", "phase_done"):
                tree.ends[parent] = number
                self.shown[number] = self._box(parent)
            elif tag == "task_done":
                self.shown[number] = 0
            elif tag == "failure":
                self._failure(number)
            elif tag in PARTS:
                self.shown[number] = self._box(parent)
            elif not self._adds_to_call(tag, number, scope) and not (
                tag == "dependency" and element.get("type") == NO_NEWS
            ):
                tree.bytecodes[number] = scope.bytecode
                self._add(number)
                if next(self.task.inside(number), None) is not None:
                    self.boxes[number] = number

    def _box(self, element: int) -> int:
        """Returns the parent row of an element's children."""
        return self.boxes.get(element, 0)

    def _add(self, number: int, box: int = -1) -> None:
        """Adds a row for an element below `box`, by default below the row of its parent."""
        if box < 0:
            box = self._box(self.above[number])
        self.tree.rows_below.setdefault(box, []).append(number)
        self.tree.parents[number] = box
        self.shown[number] = number

    def _call(self, number: int, scope: Scope) -> None:
        element, bytecode = self.task.elements[number], scope.bytecode
        bci = self.task.get(bytecode, "bci") if bytecode >= 0 else ""
        call = CallSite(number, element.get("method") or "", bci)
        self.tree.calls[number] = call
        self.tree.bytecodes[number] = bytecode
        scope.recent.append(call)
        scope.calls.append(call)
        if scope.late < 0:
            self._add(number)
            return
        # The call of a method handle: its target was resolved later.
        host = self._late_host(scope.late)
        if host is not None:
            call.bci = call.bci or host.bci
            host.late_calls.append(call)
            host.late = scope.late
        self._add(number, self._late_box(scope.late, host))

    def _parse(self, number: int, scope: Scope) -> None:
        method = self.task.elements[number].get("method") or ""
        inner = self.scopes[number] = Scope(method=method)
        host = _host(scope.recent, method)
        if host is None and scope.late >= 0:
            host = self._late_host(scope.late)
            box = self._late_box(scope.late, host)
            if host is not None and host.parse < 0:
                host.is_late, host.late = True, scope.late
            else:
                # Not found, or it has a parse already: the row of the late_inline represents it.
                host = None
                self.boxes[number] = box
                self.shown[number] = box
                scope.late = -1
                return
            scope.late = -1
        if host is None:
            if scope is self.scopes[0]:
                self.roots.append(inner)
            self._add(number)
            self.boxes[number] = number
            return
        host.parse = number
        self.boxes[number] = self.shown[number] = host.element

    def _phase(self, number: int, scope: Scope) -> None:
        self.scopes[number] = scope
        parent = self.above[number]
        if self.task.elements[parent].tag == "parse":
            # JDK 17 wraps the content of a parse in a phase; the rows are the parse's.
            self.boxes[number] = self.shown[number] = self._box(parent)
            return
        self._add(number)
        self.boxes[number] = number

    def _failure(self, number: int) -> None:
        is_thrown_away = self.task.elements[number].get("phase") is not None
        if is_thrown_away and self.scopes.get(self.above[number]) is self.scopes[0]:
            self.threw_away = number
            return
        self._add(number)

    def _adds_to_call(self, tag: str, number: int, scope: Scope) -> bool:
        """Stores what an element adds to the last call; False if it needs a row of its own."""
        call = scope.recent[-1] if scope.recent else None
        if call is None:
            return False
        element = self.task.elements[number]
        if tag == "inline_success":
            call.success = self.task.get(number, "reason")
        elif tag == "inline_fail":
            call.failure = self.task.get(number, "reason")
        elif tag == "inline_id":
            call.inline_id = element.get("id") or ""
            self.inline_ids[call.inline_id] = call
        elif tag == "intrinsic" and call.intrinsic is None:
            call.intrinsic = self.task.get(number, "id")
        elif tag in EMITTED and call.emitted is None:
            call.emitted = EMITTED[tag]
        elif tag == "predicted_call":
            call = next((each for each in scope.recent if each.success is not None and each.predicted < 0), call)
            call.predicted = number
        else:
            if tag == "uncommon_trap" and element.get("method") is None:
                call.has_trap = True
            return False
        self.shown[number] = call.element
        return True

    def _late_host(self, late: int) -> CallSite | None:
        """Returns the call that a `late_inline` refers to: by its number, else by the chain of its `jvms`."""
        element = self.task.elements[late]
        id = element.get("inline_id")
        if id is not None and id in self.inline_ids:
            return self.inline_ids[id]
        chain = [
            (each.get("bci") or "", each.get("method") or "") for each in self.task.inside(late) if each.tag == "jvms"
        ]
        found: CallSite | None = None
        scopes = [scope for scope in self.roots if not chain or scope.method == chain[-1][1]]
        for level in range(len(chain) - 1, -1, -1):
            bci, wanted = chain[level][0], chain[level - 1][1] if level else element.get("method")
            here = [call for scope in scopes for call in scope.calls if call.bci == bci]
            exact = [call for call in here if call.method == wanted or self._parsed(call) == wanted]
            if level:
                scopes = [self.scopes[call.parse] for call in exact if call.parse >= 0]
            else:
                free = [call for call in exact or here if call.parse < 0]
                found = free[0] if free else None
        return found

    def _parsed(self, call: CallSite) -> str | None:
        return self.task.elements[call.parse].get("method") if call.parse >= 0 else None

    def _late_box(self, late: int, host: CallSite | None) -> int:
        """Returns the parent row for the rows of a `late_inline`; its own row only if its call wasn't found."""
        if host is None or (host.parse >= 0 and not host.is_late):
            self.boxes[late] = late
            return late
        if self.shown[late] == late:
            rows = self.tree.rows_below[self.tree.parents.pop(late)]
            del rows[len(rows) - 1 - rows[::-1].index(late)]
        self.shown[late] = self.boxes[late] = host.element
        return host.element

    def _gather(self) -> None:
        """Moves the details of each row after its other rows, several of one name below a group row."""
        tree, elements = self.tree, self.task.elements
        for box, rows in list(tree.rows_below.items()):
            by_tag: dict[str, list[int]] = {}
            for row in rows:
                element = elements[row]
                tag = element.tag
                if row in tree.attempts or (tag in IN_PLACE and (tag != "uncommon_trap" or not element.get("method"))):
                    continue
                by_tag.setdefault(tag, []).append(row)
            if not by_tag:
                continue
            moved = {row for each in by_tag.values() for row in each}
            rows[:] = [row for row in rows if row not in moved]
            for each in by_tag.values():
                if len(each) == 1:
                    rows += each
                    continue
                group = -each[0]
                rows.append(group)
                tree.details[group] = each
                tree.parents[group] = box
                for row in each:
                    tree.parents[row] = group

    def _complete(self) -> None:
        """Assigns each element without a row to that of the next sibling, else to that of its parent."""
        shown, above = self.shown, self.above
        for number in range(len(shown) - 1, 0, -1):
            if shown[number] < 0:
                behind = number + 1
                if behind < len(shown) and above[behind] == above[number]:
                    shown[number] = shown[behind]
                else:
                    shown[number] = self._row_around(above[number])

    def _row_around(self, element: int) -> int:
        while element and self.shown[element] < 0:
            element = self.above[element]
        return self.shown[element]


def _host(calls: list[CallSite], method: str) -> CallSite | None:
    """Returns the recent call that a parse of a method belongs to."""
    free = [call for call in reversed(calls) if call.parse < 0 and call.failure is None]
    return next((call for call in free if call.method == method), free[0] if free else None)
