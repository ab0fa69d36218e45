"""Progress of the index of a binary heap dump: complete stages, and the share of the next one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

SHARES = {"classes": 0.11, "objects": 0.07, "references": 0.2, "paths": 0.08, "strings": 0.08, "dominators": 0.46}
"""Stages in order, with their shares of the work."""
KNOWN_CLASSES, OBJECTS, REFERRED, PATHS, STRINGS, DOMINATORS = SHARES
READING = "reading"
"""Reported instead of the first stage if later ones are already complete."""


class StageProgress:
    """Reports progress. Stages may run in parallel; the first incomplete one is reported."""

    def __init__(self, report_progress: Callable[[Mapping[str, Any]], None], size: int, folder: str) -> None:
        self._report_progress = report_progress
        self._size = size
        self._folder = folder
        self._started = time.perf_counter()
        self._done = dict.fromkeys(SHARES, 0.0)
        self._complete: list[str] = []
        self._known: dict[str, Any] = {}
        self._lock = threading.Lock()
        self.rows = 0
        """Number of known objects."""
        self.is_second = False
        """True if an earlier build got so far that readers already have all that is read."""

    def share(self, stage: str, share: float) -> None:
        """Sets the share of a stage that is done."""
        with self._lock:
            self._done[stage] = max(self._done[stage], min(share, 1.0))
            self._report()

    def announce(self, lengths: Mapping[str, int], types: Mapping[str, str]) -> None:
        """Announces arrays that readers may use until the first stage is complete."""
        with self._lock:
            self._known = {"lengths": dict(lengths), "types": dict(types)}
            self._done[KNOWN_CLASSES] = 1.0
            self._report()

    def complete(self, *stages: str) -> None:
        """Announces complete stages, whose arrays and header are written."""
        with self._lock:
            self._complete += stages
            self._known = {}
            self._done |= dict.fromkeys((KNOWN_CLASSES, *stages), 1.0)
            self._report()

    def _report(self) -> None:
        stage = next((name for name, done in self._done.items() if done < 1), DOMINATORS)
        done = int(self._size * sum(SHARES[name] * share for name, share in self._done.items()))
        self._report_progress(
            {
                "state": "indexing",
                "done": min(done, self._size - 1),
                "total": self._size,
                "rows": self.rows,
                "seconds": round(time.perf_counter() - self._started, 4),
                "stage": READING if stage == KNOWN_CLASSES and self.is_second else stage,
                "share": round(self._done[stage], 3),
                "folder": self._folder,
                "whole": list(self._complete),
                **self._known,
            }
        )
