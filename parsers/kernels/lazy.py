"""A compiled kernel that is loaded in a thread while callers use an alternative.

Loading takes a quarter of a second, compiling on the very first run takes one or two. Until then `get` returns None.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class LazyKernel:
    """load  imports the kernel, calls it once without work (so that it is compiled), and returns it"""

    def __init__(self, load: Callable[[], Any]) -> None:
        self._load = load
        self._kernel: Any = None
        self._thread: threading.Thread | None = None

    def get(self) -> Any:
        """The kernel if it is loaded; else None, and loading starts."""
        if self._kernel is None and self._thread is None:
            self._thread = threading.Thread(target=self._run, name="load kernel", daemon=True)
            self._thread.start()
        return self._kernel

    @property
    def is_loading(self) -> bool:
        """True while it is being loaded."""
        return self._thread is not None and self._thread.is_alive()

    def wait(self) -> Any:
        """Waits for the kernel; None if it can't be loaded."""
        self.get()
        if self._thread is not None:
            self._thread.join()
        return self._kernel

    def _run(self) -> None:
        try:
            self._kernel = self._load()
        except Exception:  # Whatever fails in numba, the alternative still works.
            self._kernel = None
