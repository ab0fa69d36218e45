"""Outcome of a call inside a task, and the classes and methods that its ids mean.

Source: logs of JDK 8, 17 and 25. Every id is defined in its task before its first use, and valid in that task only.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from parsers.formats.hotspot.names import Method, class_name
from parsers.formats.hotspot.tasks.slice import TaskSlice

EMITTED = {"direct_call": "direct call", "virtual_call": "virtual call", "warm_call": "direct call"}
"""Elements that show how a call was emitted."""

WITHOUT_PARSE = ("intrinsic", "accessor")
"""Reasons of an inline_success after which C1 writes no parse of the callee."""


@dataclass(slots=True, eq=False)
class CallSite:
    """A `call` with all elements about it. Elements are numbers in the slice, -1 where there is none."""

    element: int
    method: str
    """Id of the callee."""
    bci: str
    parse: int = -1
    """Parse of the callee, if it was inlined."""
    is_late: bool = False
    success: str | None = None
    failure: str | None = None
    inline_id: str | None = None
    intrinsic: str | None = None
    emitted: str | None = None
    has_trap: bool = False
    predicted: int = -1
    late: int = -1
    """The `late_inline` that refers to the call."""
    late_calls: list[CallSite] = field(default_factory=list)
    """Calls that replaced it when it was to be inlined late."""

    @property
    def outcome(self) -> str:
        """Inlined, late inlined, intrinsic, failed, direct call, virtual call, trap, dropped or none."""
        if self.parse >= 0:
            return "late inlined" if self.is_late else "inlined"
        if self.intrinsic is not None:
            return "intrinsic"
        last = self.late_calls[-1] if self.late_calls else None
        if last is not None and last.outcome in ("inlined", "intrinsic"):
            return "late inlined" if last.outcome == "inlined" else "intrinsic"
        if self.failure is not None or (last is not None and last.failure is not None):
            return "failed"
        if self.success is not None and self.emitted is None and self.inline_id is None:
            if self.success not in WITHOUT_PARSE:
                return "dropped"
            return "intrinsic" if self.success == "intrinsic" else "inlined"
        if self.emitted is not None:
            return self.emitted
        if self.success is not None:
            return "dropped"
        return "trap" if self.has_trap else "none"

    @property
    def reason(self) -> str | None:
        """The reason for the outcome, as the log spells it."""
        if self.failure is None and self.parse < 0 and self.late_calls and self.late_calls[-1].failure is not None:
            return self.late_calls[-1].failure
        return self.failure if self.failure is not None and self.parse < 0 else self.success


class TaskDefinitions:
    """The classes and methods that the ids of one task mean; an undefined id is shown as it is."""

    def __init__(self, task: TaskSlice) -> None:
        self._task = task
        self.definitions: dict[str, int] = {}
        """The element that defines an id."""
        self._methods: dict[str, Method] = {}

    def method(self, id: str) -> Method:
        """Returns the method of an id."""
        known = self._methods.get(id)
        if known is None:
            known = self._methods[id] = self._read(id)
        return known

    def _read(self, id: str) -> Method:
        task, at = self._task, self.definitions.get(id, -1)
        if at < 0 or not task.has(at, "name"):
            return Method("", f"method {id}")
        holder, name = self.type(task.get(at, "holder")), task.get(at, "name")
        if not task.has(at, "return"):
            return Method(holder, name)
        parameters = tuple(self.type(each) for each in task.get(at, "arguments").split())
        return Method(holder, name, parameters, self.type(task.get(at, "return")))

    def type(self, id: str) -> str:
        """Returns the class or type of an id."""
        at = self.definitions.get(id, -1)
        return class_name(self._task.get(at, "name")) if at >= 0 else id
