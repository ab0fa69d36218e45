"""Internal errors: a traceback in a log, one line for the user, and the terminal restored.

Tracebacks contain no local variables: these are contents of a report, which may be confidential.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import sys
import time
import traceback
from collections.abc import Mapping
from pathlib import Path

from tui.screen.sanitise import safe, safe_lines
from tui.settings.state_folder import state_path

INTERNAL_ERROR = 70
"""Exit status of a crash: EX_SOFTWARE of sysexits.h, different from any answer of a command."""

LARGEST = 1 << 20
"""Bytes at which a log is started again."""


class CrashLog:
    """A private file that is only written on errors."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.path = state_path(environ) / "errors.log"
        self.error: BaseException | None = None
        """The first exception that was recorded."""
        self.descriptor = open_log(self.path)

    def watch(self) -> None:
        """Makes Python record fatal errors (segmentation fault, bus error) here too."""
        with contextlib.suppress(ValueError, OSError):
            faulthandler.enable(self.descriptor)

    def note(self, error: BaseException) -> None:
        """Writes an exception's traceback."""
        if self.error is None:
            self.error = error
        lines = "".join(traceback.format_exception(error))
        self.write(f"{heading()}\n{safe_lines(lines)}\n")

    def write(self, text: str) -> None:
        """Adds a text; errors such as a full disk are ignored."""
        with contextlib.suppress(OSError):
            os.write(self.descriptor, text.encode("utf-8", "replace"))

    @property
    def message(self) -> str:
        """One line for the user, safe for a terminal."""
        what = "".join(traceback.format_exception_only(self.error)).strip() if self.error is not None else "unknown"
        first = what.splitlines()[0] if what else "unknown"
        return safe(f"coffeetree: ended by an error of its own: {first[:200]} (traceback in {self.path})")

    def close(self) -> None:
        """Stops watching; removes a log without entries."""
        faulthandler.disable()
        with contextlib.suppress(OSError):
            if os.fstat(self.descriptor).st_size == 0:
                self.path.unlink(missing_ok=True)
        os.close(self.descriptor)


def open_log(path: Path) -> int:
    """A descriptor to append to the log; the null device if that fails."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists() and path.stat().st_size > LARGEST:
            flags |= os.O_TRUNC
        return os.open(path, flags, 0o600)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)


def heading() -> str:
    """Time and environment of an entry."""
    import platform

    when = time.strftime("%Y-%m-%d %H:%M:%S")
    return f"--- {when} Python {platform.python_version()} {sys.platform} TERM={safe(os.environ.get('TERM', ''))}"
