"""The threads of a recording: labels, and REFs that name them by their ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.jfr.data.columns import IS_VIRTUAL
from parsers.formats.jfr.read.interning import thread_of
from parsers.formats.jfr.read.values import Key
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import ChunkData, FieldColumn, RecordedData
    from parsers.formats.jfr.read.metadata import Field
    from parsers.model.arrays import I64Array

NO_NAME = "(no name)"
NO_THREAD = "(no thread)"


class RecordedThreads:
    """Threads by row. A thread that changed its name has a row for each name."""

    def __init__(self, data: RecordedData) -> None:
        self._data = data

    @cached_property
    def names(self) -> Sequence[str]:
        """Names; empty: none."""
        return self._data.strings("thread")

    @cached_property
    def groups(self) -> Sequence[str]:
        """Paths of thread groups; empty: none."""
        return self._data.strings("thread_group")

    @cached_property
    def java_ids(self) -> Sequence[int]:
        """Ids of Java; 0: none."""
        return self._numbers("java_id")

    @cached_property
    def os_ids(self) -> Sequence[int]:
        """Ids of the operating system; 0: none."""
        return self._numbers("os_id")

    @cached_property
    def flags(self) -> Sequence[int]:
        """Flags of `columns`."""
        return self._numbers("flags")

    def _numbers(self, column: str) -> list[int]:
        found: list[int] = self._data.column(f"thread_{column}").tolist()
        return found

    def __len__(self) -> int:
        return len(self._data.column("thread_flags"))

    def is_virtual(self, thread: int) -> bool:
        """True for a virtual thread."""
        return bool(self.flags[thread] & IS_VIRTUAL)

    @cached_property
    def unnamed(self) -> Sequence[int]:
        """Virtual threads without names, ascending."""
        virtual = (self._data.column("thread_flags") & IS_VIRTUAL).nonzero()[0]
        return [thread for thread in virtual.tolist() if not self.names[thread]]

    def label(self, thread: int) -> str:
        """Returns the name of a thread."""
        return NO_THREAD if thread == NONE else self.names[thread] or NO_NAME

    @cached_property
    def refs(self) -> Sequence[str]:
        """REFs: `thread:ID of Java`, `thread:os-ID`; several with one id are counted from 2: `thread:7/2`."""
        found, counts = [], dict[str, int]()
        for java, os in zip(self.java_ids, self.os_ids, strict=True):
            ref = f"thread:{java}" if java else f"thread:os-{os}" if os else "thread:unknown"
            counts[ref] = counts.get(ref, 0) + 1
            found.append(ref if counts[ref] == 1 else f"{ref}/{counts[ref]}")
        return found

    @cached_property
    def of_ref(self) -> Mapping[str, int]:
        """Threads by REF."""
        return {ref: thread for thread, ref in enumerate(self.refs)}

    @cached_property
    def _of_values(self) -> Mapping[tuple[str, str, int, int, int], int]:
        values = zip(self.names, self.groups, self.os_ids, self.java_ids, self.flags, strict=True)
        return {each: thread for thread, each in enumerate(values)}

    def of_field(self, column: FieldColumn) -> I64Array:
        """Returns the threads that a field of events refers to; NONE for none."""

        def thread(values: ChunkData, field: Field | None, key: int) -> int:
            if field is None or not key:
                return NONE
            return self._of_values.get(thread_of(values, Key(field.type, key)), NONE)

        found, places = self._data.different(column, thread)
        return np.array(found, np.int64)[places]


def threads_of(data: RecordedData) -> RecordedThreads:
    """Returns the threads of a recording."""
    return data.computed("threads", lambda: RecordedThreads(data))
