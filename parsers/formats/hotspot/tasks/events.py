"""Events of the main log about a task: queued, installed, traps that fired, made not entrant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.formats.hotspot.grouped import Grouped
from parsers.formats.hotspot.log.columns import COMPILED_IN_AS, EVENT_KINDS, IS_ZOMBIE, NO_WORD, NOT_ENTRANT, EventKind
from parsers.formats.hotspot.names import method_of, value
from parsers.model.none import NONE
from parsers.model.row import Badge, Kind

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.log import Log

EVENT_MARKS = (
    Kind("events", "≡", "=", "events: entries of the main log about this compilation"),
    Kind("task_queued", "▹", ")", "queued for compilation"),
    Kind("nmethod", "◉", "N", "nmethod: the installed code"),
    Kind("make_not_entrant", "⊘", "0", "made not entrant: the code is not entered any more"),
    Kind("make_unloaded", "⊘", "0", "unloaded"),
    Kind("deoptimized", "⇤", "<", "deoptimized: an activation went back to the interpreter"),
    Kind("make_not_compilable", "⊘", "0", "made not compilable"),
)


class TaskEvents:
    """Events by their task; known when the log is complete."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._by_task = Grouped()

    def of_task(self, task: int) -> Sequence[int]:
        """Returns the events of a task, in the order of the log."""
        if not self._log.is_complete:
            return ()
        return self._by_task.of(self._log.column("event_task"), task)

    def kind(self, event: int) -> str:
        """Returns the name of its element."""
        return EVENT_KINDS[self._log.column("event_kind")[event]]

    def label(self, event: int) -> str:
        """Returns the label of an event: a trap's reason, else the element and its reason."""
        reason = self.reason(event)
        kind = self.kind(event).replace("_", " ")
        if self._log.column("event_flags")[event] & IS_ZOMBIE:
            return f"{kind}: zombie"
        if self._log.column("event_kind")[event] == EventKind.UNCOMMON_TRAP:
            return reason or kind
        return f"{kind}: {reason}" if reason else kind

    def reason(self, event: int) -> str:
        """Returns the reason in the log, else the one that follows from the events around it."""
        log = self._log
        word = log.column("event_reason")[event]
        if word != NO_WORD:
            return value(log.word(word))
        if self._ends_code(event):
            why: int = log.column("event_action")[event]
            return NOT_ENTRANT[why].replace("_", " ") if why < len(NOT_ENTRANT) else ""
        return ""

    def action(self, event: int) -> str:
        """Returns the action of a trap."""
        log = self._log
        if log.column("event_kind")[event] != EventKind.UNCOMMON_TRAP or log.column("event_action")[event] == NO_WORD:
            return ""
        return value(log.word(log.column("event_action")[event]))

    def method(self, event: int) -> str:
        """Returns the label of its method; of a trap the innermost one."""
        number = self._log.column("event_method")[event]
        return method_of(value(self._log.method(number))).label if number != NONE else ""

    def seconds(self, event: int) -> float | None:
        """Returns the time of the event."""
        stamp = self._log.column("event_stamp")[event]
        return stamp / 1000 if stamp != NONE else None

    def badges(self, event: int) -> dict[str, Badge]:
        """Returns the badges of an event that have a value in the log."""
        log = self._log
        kind = log.column("event_kind")[event]
        bci, number, id = (log.column(f"event_{name}")[event] for name in ("bci", "value", "id"))
        why = log.column("event_action")[event]
        badges: dict[str, Badge] = {
            "compile_id": id if id != NONE else None,
            "bci": bci if bci != NONE and kind == EventKind.UNCOMMON_TRAP else None,
            "stamp_s": self.seconds(event),
            "size": number if kind == EventKind.NMETHOD and number != NONE else None,
            "count": number if kind == EventKind.UNCOMMON_TRAP and number != NONE else None,
            "action": self.action(event) or None,
            "why": NOT_ENTRANT[why] if kind == EventKind.MAKE_NOT_ENTRANT and why < len(NOT_ENTRANT) else None,
            "reason": None if kind in (EventKind.TASK_QUEUED, EventKind.UNCOMMON_TRAP) else self.reason(event) or None,
        }
        return {name: badge for name, badge in badges.items() if badge is not None}

    def fired(self, task: int, reason: str, bci: str, method: str) -> list[int]:
        """Returns the events in which a trap of a task's code fired."""
        log = self._log
        return [
            event
            for event in self.of_task(task)
            if log.column("event_kind")[event] == EventKind.UNCOMMON_TRAP
            and reason in (self.reason(event), COMPILED_IN_AS.get(self.reason(event)))
            and str(log.column("event_bci")[event]) == bci
            and (not method or self.method(event) == method)
        ]

    def end(self, task: int) -> int | None:
        """Returns the event that made a task's code not entrant; None if it still was entrant when the log ended."""
        return next(filter(self._ends_code, self.of_task(task)), None)

    def _ends_code(self, event: int) -> bool:
        """True if an event makes code not entrant, for the first time."""
        is_zombie = self._log.column("event_flags")[event] & IS_ZOMBIE
        return self._log.column("event_kind")[event] == EventKind.MAKE_NOT_ENTRANT and not is_zombie
