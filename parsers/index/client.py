"""The reader's side of an index: an existing one, or one being built by a child process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from dataclasses import replace
from typing import Any

from parsers.index.niceness import has_nice_sessions
from parsers.index.store import BUILDING, FULL_DISK, READY, IndexReader, begun, finished, open_index
from parsers.io.cache import Cache
from parsers.io.channel import Channel
from parsers.io.group import SourceGroup
from parsers.io.source import Source
from parsers.model.report import Progress


class IndexClient:
    """Finds the index of a report, or starts a child that builds it and ends with this process. For one thread."""

    def __init__(self, source: Source | SourceGroup, cache: Cache, format: str, steps_back: bool = False) -> None:
        """steps_back: the child runs at lower priority, because a user works meanwhile"""
        self.reader: IndexReader | None = None
        """The available part of the index; None until there is one."""
        self.progress = Progress(0, source.size, 0, 0.0, "waiting")
        self._source = source
        self._cache = cache
        self._format = format
        self._steps_back = steps_back
        self._child: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        self._is_stopping = False

    def start(self) -> None:
        """Opens the existing index, or starts the child. Does nothing if called again."""
        if self._child is not None or self.reader is not None:
            return
        try:
            folder = self._cache.index_folder(self._source.identity, self._format)
        except OSError as error:
            says = f"no room for the index: {error.filename or 'cache folder'}: {error.strerror or error}"
            self.progress = replace(self.progress, state="failed", says=says)
            return
        found = self._cache.index_folders(self._source.identity, self._format)
        reader = next(filter(None, (open_index(place, self._source.identity) for place in found)), None)
        if reader is not None and reader.header is not None:
            self.reader = reader
            size = reader.header.size
            self.progress = Progress(size, size, reader.rows, 0.0, "ready")
            return
        if finished(folder, self._source.identity) is not None:
            # Its header is valid but its arrays are not: removed, so that the child doesn't accept it.
            self.forget()
        header = begun(folder, self._source.identity)
        if header is not None:
            # An earlier build has finished these stages.
            self._take_stages(os.path.join(folder, BUILDING), list(header.stages))
        self._start_child()

    def _start_child(self) -> None:
        command = [sys.executable, "-P", "-m", "parsers.runtime.indexer", "--cache-dir", self._cache.folder]
        command += ["--format", self._format, "--identity", self._source.identity.key, "--with-parent"]
        known = self._source.identity
        command += ["--known", str(known.size), str(known.mtime_ns)]
        has_session = self._steps_back and has_nice_sessions()
        if self._steps_back:
            command.append("--nice")
        if has_session:
            command.append("--nice-session")
        if self._source.end is not None:
            command += ["--end", str(self._source.end)]
        self._child = subprocess.Popen(
            [*command, "--", *self._source.stored_paths],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            # Ctrl+C and Ctrl+Z must not reach the child, so it has at least its own process group.
            process_group=None if has_session else 0,
            start_new_session=has_session,
        )
        assert self._child.stdin is not None and self._child.stdout is not None
        self._channel = Channel(self._child.stdout, self._child.stdin)

    def forget(self) -> None:
        """Removes the finished index; readers that have opened it can still read it."""
        from parsers.index.writer import remove

        remove(os.path.join(self._cache.index_folder(self._source.identity, self._format, create=False), READY))

    def fileno(self) -> int | None:
        """A descriptor that becomes readable when there is news; None if no child runs."""
        return None if self._channel is None else self._channel.source.fileno()

    def follow(self) -> Progress:
        """Reads the messages of the child. Never waits."""
        channel = self._channel
        if channel is None:
            return self.progress
        messages = channel.take()
        if messages:
            # Each message is complete, and each one taken maps arrays again, so only the last is used.
            with contextlib.suppress(ValueError):
                self._take(messages[-1])
        if not channel.is_open:
            child = self._child
            self.stop()
            if self.progress.state != "ready":
                self._clear_away()
            if self._is_stopping and self.progress.state != "ready":
                self._is_stopping = False
                self.progress = replace(self.progress, state="stopped", says="")
            elif self.progress.state not in ("ready", "failed"):
                status = None if child is None else child.returncode
                self.progress = replace(self.progress, state="failed", says=self._why_early(status))
        return self.progress

    def _clear_away(self) -> None:
        """Removes the files of a dead child; published arrays stay readable, because they are mapped."""
        from parsers.index.leftover import remove_leftovers

        with contextlib.suppress(OSError):
            remove_leftovers(self._cache.index_folder(self._source.identity, self._format, create=False))

    def _why_early(self, status: int | None) -> str:
        """Reason for the end of a child that reported none."""
        if status == -signal.SIGBUS or status in FULL_DISK:
            # SIGBUS: a page of a mapped file could not be allocated.
            return f"no room for the index in {self._cache.folder} (--cache-dir names another folder)"
        if status is not None and status < 0:
            return f"the indexer was ended by signal {-status}"
        return "the indexer ended early"

    def pause(self) -> None:
        """Asks the child to end, without waiting. Finished stages stay; `resume` continues after them."""
        if self._child is not None and self._child.stdin is not None:
            self._is_stopping = True
            self._child.stdin.close()

    def resume(self) -> None:
        """Starts a child again, after one that was stopped or that died."""
        if self._child is None and self.progress.state in ("stopped", "failed"):
            self.progress = replace(self.progress, state="waiting", says="")
            self._start_child()

    def stop(self) -> None:
        """Ends the child, if it runs."""
        child, self._child = self._child, None
        channel, self._channel = self._channel, None
        if child is None or channel is None:
            return
        channel.close()
        try:
            child.wait(0.2)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    def _take(self, news: dict[str, Any]) -> None:
        state = news["state"]
        if state == "failed":
            self.progress = replace(self.progress, state="failed", says=news.get("says", ""))
            return
        now = Progress(
            news["done"], news["total"], news["rows"], news["seconds"], state, news.get("says", ""),
            news.get("stage", ""), news.get("share", 0.0),
        )  # fmt: skip
        if state == "ready":
            self._take_finished(now)
            return
        self.progress = now
        if news.get("whole"):
            self._take_stages(news["folder"], news["whole"])
        elif "lengths" in news and news["rows"]:
            if self.reader is None:
                self.reader = IndexReader(news["folder"])
            self.reader.advance(news["rows"], news["lengths"], news["types"], news["folder"])

    def _take_stages(self, folder: str, whole: list[str]) -> None:
        """Reads the header of finished stages, if it is not known yet."""
        if self.reader is not None and set(whole) <= set(self.reader.stages):
            return
        header = begun(os.path.dirname(folder), self._source.identity, is_new=self._child is not None)
        if header is not None:
            self.reader = self.reader or IndexReader(folder)
            self.reader.take_stages(folder, header)

    def _take_finished(self, now: Progress) -> None:
        folder = self._cache.index_folder(self._source.identity, self._format, create=False)
        header = finished(folder, self._source.identity)
        if header is None:
            self.progress = replace(now, state="failed", says="the index is gone already")
            return
        path = os.path.join(folder, READY)
        reader = self.reader if self.reader is not None else IndexReader(path)
        try:
            reader.finish(path, header)
        except OSError as error:
            self.progress = replace(now, state="failed", says=f"the index can't be read: {error.strerror}")
            return
        self.reader = reader
        self.progress = now
