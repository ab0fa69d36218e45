"""Builds the index of a report, for example in a build script.

    python -m parsers.runtime.indexer [--cache-dir DIR] [--format NAME] REPORT


Writes a line of JSON to standard output whenever there is news: `state` ("unpacking", "indexing", "ready", "failed"),
`done` and `total` in bytes, `rows`, `seconds`. While indexing it includes the lengths that readers may use. If another
process builds the index already, its news are repeated. With `--with-parent` it ends when its standard input does.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import gc
import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from parsers.index.memory import return_freed_memory
from parsers.index.niceness import be_nice, make_session_nice
from parsers.index.store import FULL_DISK, LOCK, PROGRESS, finished
from parsers.io.cache import Cache, create_private, open_private, read_private
from parsers.io.group import SourceGroup
from parsers.model.report import ReportError

if TYPE_CHECKING:
    from parsers.formats.format import Format
    from parsers.index.build import FileBuild

EVERY = 0.03
"""Seconds between two lines of progress."""
PROGRESS_BYTES = 8192


class ProgressReporter:
    """Reports the news on standard output and, for other processes, in a file."""

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder
        self._last = 0.0
        self._descriptor = -1

    def __call__(self, news: Mapping[str, Any]) -> None:
        """Reports progress, unless the last report was just now."""
        now = time.monotonic()
        if now - self._last >= EVERY or news["done"] >= news["total"]:
            self._last = now
            self.report(news)

    def report(self, news: Mapping[str, Any]) -> None:
        """Reports in any case."""
        line = json.dumps(news).encode() + b"\n"
        if self._folder is not None and len(line) <= PROGRESS_BYTES:
            if self._descriptor < 0:
                path = os.path.join(self._folder, PROGRESS)
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
                self._descriptor = create_private(path)
            os.pwrite(self._descriptor, line.ljust(PROGRESS_BYTES), 0)
        try:
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            os._exit(1)


def main(arguments: list[str] | None = None) -> int:
    """Builds an index; the exit status is 2 if the report can't be read, an `errno` if the disk is full."""
    # Loaded objects stay to the end, so collecting garbage would waste a quarter of the start-up. Memory in large pages
    # is slow on first use. And there is no algebra that would need threads.
    gc.disable()
    return_freed_memory()
    os.environ |= {"NUMPY_MADVISE_HUGEPAGE": "0", "OPENBLAS_NUM_THREADS": "1"}
    parser = argparse.ArgumentParser(
        prog="python -m parsers.runtime.indexer", description="Build the index of a report."
    )
    parser.add_argument("--cache-dir", help="the cache folder (default: coffeetree in the user's cache)")
    parser.add_argument("--format", help="name of the report's format (default: by its content)")
    parser.add_argument("--identity", help=argparse.SUPPRESS)
    parser.add_argument("--known", type=int, nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--end", type=int, help="read the file up to this offset only: it is still being written")
    parser.add_argument("--with-parent", action="store_true", help="end when standard input ends")
    parser.add_argument("--nice", action="store_true", help="run at lower priority: a user works meanwhile")
    parser.add_argument("--nice-session", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("report", nargs="+", help="the files of one run")
    options = parser.parse_args(arguments)
    work = _Work()
    if options.nice:
        be_nice()
    if options.nice_session:
        threading.Thread(target=make_session_nice, daemon=True).start()
    if options.with_parent:
        threading.Thread(target=work.watch_parent, daemon=True).start()
    try:
        work.run(options)
    except ReportError as error:
        return _fail(str(error))
    except OSError as error:
        if error.errno in FULL_DISK:
            return error.errno
        return _fail(f"{options.report[0]}: {(error.strerror or str(error)).lower()}")
    except Exception as error:
        return _fail(f"{options.report[0]}: the indexer failed: {type(error).__name__}: {error}")
    return 0


def _fail(says: str) -> int:
    ProgressReporter().report({"state": "failed", "says": says})
    return 2


class _Work:
    """The build of this process, and its clean-up if it has to end early."""

    def __init__(self) -> None:
        self._build: FileBuild | None = None

    def watch_parent(self) -> None:
        """Ends the process when standard input does."""
        with contextlib.suppress(OSError):
            while os.read(0, 4096):
                pass
        if self._build is not None:
            self._build.abandon()
        os._exit(1)

    def run(self, options: argparse.Namespace) -> None:
        """Opens the report and builds its index, unless there is one."""
        from parsers.formats.registry import detect, format_named
        from parsers.runtime.opening import note_settings, open_run

        cache = Cache(options.cache_dir)
        source = SourceGroup([open_run(path, cache, options.end) for path in options.report])
        try:
            format = format_named(options.format) if options.format else detect(source.head, source.name)
            if format is None:
                raise ReportError(f"{source.path}: is no report that is known here")
            if options.identity is None and format.whole is not None:
                # With an identity, the caller has listed all files of the report.
                source = SourceGroup(format.whole(source.sources, cache))
            note_settings(source.sources, format)
            if options.known is not None and len(source.sources) == 1:
                # The file may have grown since the parent opened it.
                source.sources[0].restrict_to(*options.known)
            if options.identity is not None and source.identity.key != options.identity:
                raise ReportError(f"{options.report[0]}: the file has changed")
            folder = cache.index_folder(source.identity, format.name)
            self._index(source, cache, folder, format)
        finally:
            source.close()

    def _index(self, source: SourceGroup, cache: Cache, folder: str, format: Format) -> None:
        from parsers.index.build import ChangedReport
        from parsers.index.leftover import clear_all

        clear_all(cache.folder)
        if format.index is None:
            raise ReportError(f"{source.path}: reports of format {format.name} have no index")
        path = os.path.join(folder, LOCK)
        with contextlib.suppress(FileExistsError):
            os.close(create_private(path))
        lock = open_private(path, os.O_RDWR)
        try:
            _wait_for(lock, folder)
            header = finished(folder, source.identity)
            if header is None:
                fcntl.flock(lock, fcntl.LOCK_EX)
                report_progress = ProgressReporter(folder)
                if not source.is_whole:
                    source.unpack(lambda done, total: report_progress(_news("unpacking", done, total)))
                # What builds the index may have to be compiled before it reads anything.
                report_progress.report(_news("indexing", 0, source.size))
                self._build = format.index(source, folder, format.name, report_progress)
                try:
                    header = self._build.run()
                except BaseException as error:
                    self._build.abandon()
                    if isinstance(error, ChangedReport):
                        raise ReportError(f"{source.path}: the file has changed while it was read") from error
                    raise
            ProgressReporter(folder).report(
                {"state": "ready", "done": header.size, "total": header.size, "rows": header.rows}
                | {"seconds": round(header.seconds, 4)}
            )
        finally:
            os.close(lock)


def _news(state: str, done: int, total: int) -> dict[str, Any]:
    return {"state": state, "done": done, "total": total, "rows": 0, "seconds": 0.0}


def _wait_for(lock: int, folder: str) -> None:
    """Takes the lock; while another process has it, its news are repeated."""
    last = b""
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            pass
        with contextlib.suppress(OSError):
            line = read_private(os.path.join(folder, PROGRESS), PROGRESS_BYTES).rstrip() + b"\n"
            if line != last and b'"indexing"' in line:
                last = line
                sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()
        time.sleep(EVERY)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # At once: a normal exit frees objects one by one, which takes as long as loading them did.
    os._exit(status)
