"""Writing an index: growing arrays in files, in a folder that becomes the index by one rename."""

from __future__ import annotations

import contextlib
import mmap
import os
import shutil
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.index.store import (
    BUILDING,
    HEADER,
    READY,
    Array,
    Header,
    begun,
    check_of,
    code_version,
    remove_rest,
    write_header,
)
from parsers.io.cache import create_private
from parsers.model.value import fields_of

if TYPE_CHECKING:
    from parsers.io.source import Identity
    from parsers.model.arrays import AnyArray, U64Array
    from parsers.model.report import Problem

SMALLEST = 1 << 16
"""Initial capacity of a growing array, in entries."""


class GrowingArray:
    """An array in a file that kernels write to. It is mapped, so it counts as the file's memory, not the process's.

    Growing maps the longer file again; users of the older mapping still see the same bytes.
    """

    def __init__(self, path: str, type: str, capacity: int = SMALLEST, is_kept: bool = True) -> None:
        self.type = type
        self.is_kept = is_kept
        self.length = 0
        """Number of valid entries; set by the code that writes them."""
        self._descriptor = create_private(path)
        if not is_kept:
            os.unlink(path)
        self.array: Any = None
        self._map(max(capacity, 1))

    def ensure(self, capacity: int) -> bool:
        """Ensures the capacity in entries; True if `array` was replaced."""
        if capacity <= len(self.array):
            return False
        self._map(max(capacity, 2 * len(self.array)))
        return True

    def put(self, place: int, values: AnyArray) -> None:
        """Writes a piece of the array, which is cheaper than writing to new pages of the mapping."""
        write_at(self._descriptor, values, place * int(self.type[1:]))

    def end_with(self, start: int, values: AnyArray) -> None:
        """Writes values from entry `start` on, which are the last valid ones then; grows if necessary."""
        self.length = start + len(values)
        self.ensure(self.length + 1)
        self.array[start : self.length] = values

    def close(self, is_cut: bool = True) -> None:
        """Cuts the file to the valid entries and closes it; a temporary file is freed with its last mapping.

        is_cut  False for a file that will be removed: readers may still use it, and a mapped page after the end of its
                file kills the process that reads it
        """
        self.array = None
        if self._descriptor >= 0:
            if self.is_kept and is_cut:
                os.ftruncate(self._descriptor, self.length * int(self.type[1:]))
            os.close(self._descriptor)
            self._descriptor = -1

    def _map(self, capacity: int) -> None:
        size = capacity * int(self.type[1:])
        os.ftruncate(self._descriptor, size)
        self.array = np.frombuffer(mmap.mmap(self._descriptor, size), np.dtype(self.type))


class Writer:
    """The folder of one index during its build.

    With stages, an array is complete after `save`, or after it was written and `length` was called.
    """

    def __init__(
        self, folder: str, format: str, identity: Identity, name: str = BUILDING, continues: bool = False
    ) -> None:
        """continues: continue after the finished stages of an earlier build, if there are any"""
        self.format = format
        self.identity = identity
        self._folder = folder
        self.path = os.path.join(folder, name)
        self.begun: Header | None = begun(folder, identity) if continues else None
        """Header of the finished stages."""
        if self.begun is None:
            make_empty(self.path)
        else:
            remove_rest(self.path, self.begun)
        self._descriptors: dict[str, int] = {}
        self._types: dict[str, str] = {}
        self._lengths: dict[str, int] = {}
        self._growing: dict[str, GrowingArray] = {}
        self._scratch: dict[str, GrowingArray] = {}
        self._dropped: set[str] = set()
        self._passing: set[str] = set()
        """Temporary arrays written in pieces."""
        self._whole: set[str] = set()
        self._is_abandoned = False

    def open(self, name: str, type: str, is_kept: bool = True) -> None:
        """Creates an array that is written in pieces, in any order; a temporary one is removed at the end."""
        path = self._path_of(name)
        assert name not in self._types
        self._descriptors[name] = create_private(path)
        self._types[name] = type
        self._lengths[name] = 0
        if not is_kept:
            os.unlink(path)
            self._passing.add(name)

    def _path_of(self, name: str) -> str:
        """The path of a new array. Raises `ValueError` if the build was abandoned, so that its threads stop."""
        if self._is_abandoned:
            raise ValueError("the index was abandoned")
        return os.path.join(self.path, name)

    def put(self, name: str, place: int, values: AnyArray) -> None:
        """Writes a piece of an array, from entry `place` on."""
        write_at(self._descriptors[name], values, place * int(self._types[name][1:]))

    def grow(self, name: str, type: str, capacity: int = SMALLEST, is_kept: bool = True) -> GrowingArray:
        """Creates an array that kernels write to; a temporary one is removed at the end."""
        before = self._scratch.pop(name, None)
        if before is not None:
            before.close()
        growing = GrowingArray(self._path_of(name), type, capacity, is_kept)
        (self._growing if is_kept else self._scratch)[name] = growing
        return growing

    def scratch_array(self, name: str, type: str, length: int) -> AnyArray:
        """Creates an array of zeros in a file that is removed together with the array."""
        growing = GrowingArray(self._path_of(name), type, length, is_kept=False)
        array: AnyArray = growing.array[:length]
        growing.close()
        return array

    def save(self, name: str, values: Any) -> None:
        """Writes a complete array. An empty one gets no file: a file costs as much as writing 300 KB."""
        array: AnyArray = np.ascontiguousarray(values)
        type = array.dtype.str[1:]
        if len(array):
            self.open(name, type)
            self.put(name, 0, array.view(np.uint8))
        self._types[name] = type
        self.length(name, len(array))

    def save_as(self, name: str, type: str, values: U64Array) -> None:
        """Writes a complete array as another type, piece by piece: a copy of a large one costs memory."""
        self.open(name, type)
        for start in range(0, len(values), SMALLEST):
            self.put(name, start, values[start : start + SMALLEST].astype(np.dtype(type)))
        self.length(name, len(values))

    def column(self, name: str, length: int) -> AnyArray:
        """An array for reading that was written in pieces or by kernels, or belongs to a finished stage."""
        if name in self._growing:
            grown: AnyArray = self._growing[name].array[:length]
            return grown
        whole = self.begun.arrays.get(name) if self.begun is not None else None
        type = self._types[name] if whole is None else whole.type
        if not length:
            return np.empty(0, np.dtype(type))
        with contextlib.ExitStack() as opened:
            if whole is None:
                descriptor = self._descriptors[name]
            else:
                descriptor = os.open(os.path.join(self.path, name), os.O_RDONLY | os.O_CLOEXEC)
                opened.callback(os.close, descriptor)
            mapped = mmap.mmap(descriptor, length * int(type[1:]), access=mmap.ACCESS_READ)
            return np.frombuffer(mapped, np.dtype(type))

    def has(self, name: str) -> bool:
        """True if an array belongs to a finished stage."""
        return self.begun is not None and name in self.begun.arrays

    def drop(self, name: str) -> None:
        """Marks an array that the finished index replaces by others: until then readers may use it."""
        self._dropped.add(name)

    def forget(self, name: str) -> None:
        """Removes a saved array at once; processes that have mapped it can still read it."""
        del self._types[name], self._lengths[name]
        self._whole.discard(name)
        if name in self._descriptors:
            os.close(self._descriptors.pop(name))
            os.unlink(os.path.join(self.path, name))

    def give_up(self, name: str) -> None:
        """Closes a temporary array: its file is freed with its last mapping."""
        self._passing.remove(name)
        del self._types[name], self._lengths[name]
        os.close(self._descriptors.pop(name))

    def length(self, name: str, length: int) -> None:
        """Sets the number of entries of an array that was written in pieces or by kernels."""
        if name in self._growing:
            self._growing[name].length = length
        else:
            self._lengths[name] = length
        self._whole.add(name)

    def stage(
        self, name: str, size: int, rows: int, totals: Mapping[str, Any], facts: Mapping[str, Any],
        problems: tuple[Problem, ...], seconds: float,
    ) -> None:  # fmt: skip
        """Finishes a stage: readers may use all complete arrays, and a later build need not make them again."""
        before = self.begun
        stages = (*(() if before is None else before.stages), name)
        header = self._header(size, rows, totals, facts, problems, len(problems), seconds, self._close_whole())
        self.begun = replace(header, stages=stages, is_finished=False)
        write_header(self.path, self.begun)

    def _close_whole(self) -> dict[str, Array]:
        """Closes the complete arrays; returns their descriptions and those of earlier stages."""
        arrays = {} if self.begun is None else dict(self.begun.arrays)
        while self._whole:
            name = self._whole.pop()
            if name in self._passing or name in self._dropped:
                continue
            if name in self._growing:
                growing = self._growing.pop(name)
                growing.close()
                self._types[name], self._lengths[name] = growing.type, growing.length
            arrays[name] = self._seal(name)
        return arrays

    def _seal(self, name: str) -> Array:
        """Cuts an array's file to the valid entries, and closes it."""
        type, length = self._types.pop(name), self._lengths.pop(name)
        descriptor = self._descriptors.pop(name, -1)
        if descriptor < 0 and not length:
            return Array(type, 0, 0, 0)
        if descriptor < 0:
            descriptor = os.open(os.path.join(self.path, name), os.O_RDWR | os.O_CLOEXEC)
        os.ftruncate(descriptor, length * int(type[1:]))
        # An hour ago, so that any later time differs, however coarse the clock of the file system.
        stamp = int(time.time()) - 3600
        os.utime(descriptor, (stamp, stamp))
        changed = os.fstat(descriptor).st_mtime_ns
        check = check_of(descriptor, length * int(type[1:]))
        os.close(descriptor)
        return Array(type, length, check, changed)

    def close(self) -> dict[str, Array]:
        """Closes all arrays; returns their descriptions for the header."""
        for scratch in self._scratch.values():
            scratch.close()
        for name in self._passing:
            self._types.pop(name)
            os.close(self._descriptors.pop(name))
        for name in self._dropped:
            self._types.pop(name, None)
            descriptor = self._descriptors.pop(name, -1)
            if descriptor >= 0:
                os.close(descriptor)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self.path, name))
        for name, growing in self._growing.items():
            growing.close(is_cut=name not in self._dropped)
            if name not in self._dropped:
                self._types[name], self._lengths[name] = growing.type, growing.length
        self._growing.clear()
        whole = {} if self.begun is None else self.begun.arrays
        return {**whole, **{name: self._seal(name) for name in list(self._types)}}

    def finish(
        self,
        size: int,
        rows: int,
        totals: Mapping[str, Any],
        facts: Mapping[str, Any],
        problems: tuple[Problem, ...],
        problem_count: int,
        seconds: float,
        name: str = READY,
    ) -> Header:
        """Closes all arrays and makes the folder the report's index, or an additional one stored under `name`."""
        header = self._header(size, rows, totals, facts, problems, problem_count, seconds, self.close())
        if self.begun is not None:
            header = replace(header, stages=self.begun.stages)
        write_header(self.path, header)
        ready = os.path.join(self._folder, name)
        remove(ready)
        os.rename(self.path, ready)
        return header

    def _header(
        self, size: int, rows: int, totals: Mapping[str, Any], facts: Mapping[str, Any],
        problems: tuple[Problem, ...], problem_count: int, seconds: float, arrays: Mapping[str, Array],
    ) -> Header:  # fmt: skip
        return Header(
            self.format, fields_of(self.identity), size, rows, arrays, totals, facts, problems, problem_count, seconds,
            code_version(self.format),
        )  # fmt: skip

    def abandon(self, keeps_stages: bool = False) -> None:
        """Closes all arrays and removes what was written; finished stages may stay for the next build."""
        self._is_abandoned = True
        for growing in (*self._growing.values(), *self._scratch.values()):
            growing.close(is_cut=False)
        while self._descriptors:
            os.close(self._descriptors.popitem()[1])
        if keeps_stages and self.begun is not None:
            remove_rest(self.path, self.begun)
        else:
            self.begun = None
            remove(self.path)


def write_at(descriptor: int, values: Any, offset: int) -> None:
    """Writes all bytes of an array at a byte offset of a file."""
    data = memoryview(values).cast("B")
    while len(data):
        written = os.pwrite(descriptor, data, offset)
        offset += written
        data = data[written:]


def make_empty(path: str) -> None:
    """Makes an empty folder. An old one that can't be removed, because a process still writes to it, is renamed."""
    while True:
        remove(path)
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            aside = f"{path}-{os.getpid()}"
            remove(aside)
            with contextlib.suppress(FileNotFoundError):
                os.rename(path, aside)
        else:
            return


def remove(path: str) -> None:
    """Removes a folder of an index, its header first, so that a half removed index is never valid."""
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(path, HEADER))
    shutil.rmtree(path, ignore_errors=True)
    with contextlib.suppress(OSError):
        os.unlink(path)
