"""A compiled kernel that nobody waits for: loaded beside, in a thread, while another way is taken.

Loading takes a quarter of a second, compiling on the very first run takes one or two. Until then `get` gives None.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class LazyKernel:
    """load  imports the kernel, calls it once with nothing to do (so that it is compiled), and returns it"""

    def __init__(self, load: Callable[[], Any]) -> None:
        self._load = load
        self._kernel: Any = None
        self._thread: threading.Thread | None = None

    def get(self) -> Any:
        """The kernel if it is there; else None, and it is on its way."""
        if self._kernel is None and self._thread is None:
            self._thread = threading.Thread(target=self._run, name="load kernel", daemon=True)
            self._thread.start()
        return self._kernel

    @property
    def is_loading(self) -> bool:
        """Whether it is on its way."""
        return self._thread is not None and self._thread.is_alive()

    def wait(self) -> Any:
        """The kernel, however long that takes; None if it can't be had."""
        self.get()
        if self._thread is not None:
            self._thread.join()
        return self._kernel

    def _run(self) -> None:
        try:
            self._kernel = self._load()
        except Exception:  # Whatever numba can't do here, the other way goes on.
            self._kernel = None
