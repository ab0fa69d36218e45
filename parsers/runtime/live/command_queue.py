"""The ordered commands of one JVM: which may be sent now, and which of them a record answers.

Answers don't name their command. So of commands with the same answer only one is sent at a time, and all commands wait
behind a waiting one. The agent reads them in order: an answer also means that all commands before it are done. Records
that were not requested are news.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from parsers.runtime.live.command import LiveCommand


@dataclass(frozen=True, slots=True)
class Asked:
    """A requested command."""

    command: LiveCommand
    text: str = ""
    """Its argument."""
    answer: str = ""
    """The record that answers it; empty: none."""
    is_heartbeat: bool = False
    """True if it was sent automatically, to make the agent send its buffer."""


class CommandQueue:
    """The commands requested and not answered yet."""

    def __init__(self) -> None:
        self._sent: deque[Asked] = deque()
        self._waiting: deque[Asked] = deque()

    @property
    def waiting(self) -> list[Asked]:
        """All unfinished commands, in order; no heartbeats."""
        return [asked for asked in (*self._sent, *self._waiting) if not asked.is_heartbeat]

    def is_running(self, answer: str) -> bool:
        """True if a command was sent that such a record answers."""
        return bool(answer) and any(asked.answer == answer for asked in self._sent)

    def ask(self, asked: Asked) -> None:
        """Adds a command."""
        self._waiting.append(asked)

    def ready(self) -> Iterator[Asked]:
        """Yields the commands to be sent now; they count as sent."""
        while self._waiting and not self.is_running(self._waiting[0].answer):
            asked = self._waiting.popleft()
            self._sent.append(asked)
            yield asked

    def send(self, asked: Asked) -> None:
        """Adds a command that is sent without waiting; its answer also completes unanswered commands before it."""
        self._sent.append(asked)

    def forget(self, asked: Asked) -> None:
        """Removes a command that has no answer."""
        self._sent.remove(asked)

    def take(self, record: str) -> Asked | None:
        """The command that a record answers; None: it is news. All commands sent before it are done."""
        if not self.is_running(record):
            return None
        while True:
            asked = self._sent.popleft()
            if asked.answer == record:
                return asked

    def clear(self) -> None:
        """Removes all commands: there will be no more answers."""
        self._sent.clear()
        self._waiting.clear()
