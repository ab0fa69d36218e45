"""The commands of one JVM in their order: which may be sent now, and which of them a record answers.

Nothing in an answer names the command, so of commands with the same answer one is under way at a time, and all wait
behind one that waits. The agent reads them in order: an answer also tells that all before it are done. What comes
without having been asked for is news.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from parsers.runtime.live.command import Command


@dataclass(frozen=True, slots=True)
class Asked:
    """A command that somebody asked for."""

    command: Command
    text: str = ""
    """Its argument."""
    answer: str = ""
    """The record that answers it; empty: none does."""
    is_heartbeat: bool = False
    """Nobody asked for it: it has the agent send what it keeps."""


class CommandQueue:
    """What was asked for and not answered yet."""

    def __init__(self) -> None:
        self._sent: deque[Asked] = deque()
        self._waiting: deque[Asked] = deque()

    @property
    def waiting(self) -> list[Asked]:
        """All that are not done, in their order; no heartbeats."""
        return [asked for asked in (*self._sent, *self._waiting) if not asked.is_heartbeat]

    def is_under_way(self, answer: str) -> bool:
        """Whether something was sent that such a record answers."""
        return bool(answer) and any(asked.answer == answer for asked in self._sent)

    def ask(self, asked: Asked) -> None:
        """Another command."""
        self._waiting.append(asked)

    def ready(self) -> Iterator[Asked]:
        """The commands to be sent now; they count as sent."""
        while self._waiting and not self.is_under_way(self._waiting[0].answer):
            asked = self._waiting.popleft()
            self._sent.append(asked)
            yield asked

    def send(self, asked: Asked) -> None:
        """Counts a command as sent that waits for no other: should an earlier answer be missing, its own tells so."""
        self._sent.append(asked)

    def forget(self, asked: Asked) -> None:
        """Nothing will tell that this one is done."""
        self._sent.remove(asked)

    def take(self, record: str) -> Asked | None:
        """The command that a record answers; None: it is news. All that were sent before are done."""
        if not self.is_under_way(record):
            return None
        while True:
            asked = self._sent.popleft()
            if asked.answer == record:
                return asked

    def clear(self) -> None:
        """Nothing more will be answered."""
        self._sent.clear()
        self._waiting.clear()
