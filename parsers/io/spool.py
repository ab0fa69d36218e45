"""A pipe or socket as a file: its bytes are kept in a private file that is removed at the end.

A pipe can't be read twice and may give gigabytes, so a thread stores it while others read what is stored.
"""

from __future__ import annotations

import contextlib
import os
import threading
from typing import TYPE_CHECKING

from parsers.io.archives.unpack import BLOCK
from parsers.io.archives.unpacked import MOST_BYTES, RESERVED_BYTES
from parsers.io.cache import Cache, create_private, write_all
from parsers.io.source import HEAD, Change, Identity, Source
from parsers.model.report import Problem, ReportError

if TYPE_CHECKING:
    from collections.abc import Callable

    from parsers.io.archives.contents import Place


class SpooledSource(Source):
    """A pipe that is being read, or was read to its end. Its index can't be used again, so its cache isn't kept."""

    def __init__(self, path: str, pipe: int, place: Place | None = None) -> None:
        cache = Cache(keep=False)
        stored_path = os.path.join(cache.folder, "spool")
        self._spool = _Spool(pipe, create_private(stored_path), cache.folder)
        try:
            self._spool.wait_for(HEAD)
            if self._spool.failure is not None and not self._spool.count:
                raise ReportError(f"{path}: {self._spool.failure}")
            super().__init__(path, os.open(stored_path, os.O_RDONLY | os.O_CLOEXEC), cache, stored_path, None, place)
        except BaseException:
            self._spool.stop()
            cache.close()
            raise
        self._is_final = False

    @property
    def is_spooling(self) -> bool:
        """True if more bytes may follow."""
        return not self._spool.is_done

    @property
    def identity(self) -> Identity:
        """Identity of the bytes stored so far; final once the pipe has ended."""
        self._finish()
        return super().identity

    @property
    def size(self) -> int:
        """Plain bytes stored now."""
        if self._kind is None and self._descriptor >= 0:
            return os.fstat(self._descriptor).st_size
        return super().size

    def unpack(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Waits for the end of the pipe, then unpacks its bytes if they are an archive."""
        while not self._spool.wait_for(self._spool.count + BLOCK, 0.1):
            if progress is not None:
                progress(self._spool.count, 0)
        self._finish()
        super().unpack(progress)
        self.problems += self._spool_problems()

    def change(self) -> Change:
        """Returns "grown" if more was stored than was accepted, else "same"."""
        return "grown" if os.fstat(self._descriptor).st_size > self._identity.size else "same"

    def close(self) -> None:
        """Stops reading the pipe and removes the stored bytes."""
        self._spool.stop()
        super().close()
        self.cache.close()

    def _finish(self) -> None:
        """Accepts the file as final once the pipe has ended."""
        if self._spool.is_done and not self._is_final:
            self._is_final = True
            self.accept()

    def _spool_problems(self) -> tuple[Problem, ...]:
        failure = self._spool.failure
        if failure is None or any(problem.what == failure for problem in self.problems):
            return ()
        count = self._spool.count
        return (Problem("cut", failure, f"read the {count:,} bytes before it", self.path, count),)


class _Spool:
    """The thread that reads a pipe, and its progress."""

    def __init__(self, pipe: int, output: int, folder: str) -> None:
        self.count = 0
        self.failure: str | None = None
        self.is_done = False
        self._pipe = pipe
        self._output = output
        self._folder = folder
        self._news = threading.Condition()
        self._wake = os.pipe()
        self._thread = threading.Thread(target=self._run, name="spool", daemon=True)
        self._thread.start()

    def wait_for(self, count: int, seconds: float | None = None) -> bool:
        """Waits until that many bytes are stored or the pipe has ended; False after `seconds` without either."""
        with self._news:
            self._news.wait_for(lambda: self.is_done or self.count >= count, seconds)
            return self.is_done or (seconds is None and self.count >= count)

    def stop(self) -> None:
        """Stops reading."""
        if self._thread.is_alive():
            with contextlib.suppress(OSError):
                os.write(self._wake[1], b"x")
            self._thread.join()

    def _run(self) -> None:
        import select

        # poll, not select: descriptors may be above 1,024.
        ready = select.poll()
        ready.register(self._pipe, select.POLLIN | select.POLLHUP | select.POLLERR)
        ready.register(self._wake[0], select.POLLIN)
        try:
            while not any(descriptor == self._wake[0] for descriptor, _ in ready.poll()):
                block = os.read(self._pipe, BLOCK)
                if not block:
                    break
                if self._is_too_much(len(block)):
                    self.failure = f"more than {self.count:,} bytes can't be kept of a pipe"
                    break
                write_all(self._output, block)
                with self._news:
                    self.count += len(block)
                    self._news.notify_all()
        except OSError as error:
            self.failure = f"reading the pipe failed: {error.strerror}"
        finally:
            with self._news:
                self.is_done = True
                self._news.notify_all()
            for descriptor in (self._pipe, self._output, *self._wake):
                os.close(descriptor)

    def _is_too_much(self, count: int) -> bool:
        status = os.statvfs(self._folder)
        return self.count + count > MOST_BYTES or status.f_bavail * status.f_frsize < RESERVED_BYTES + count
