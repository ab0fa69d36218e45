"""Arrays of the index of a recording.

Numbers of events are their *rows*, in file order. Names of types, methods and so on are texts; the table of a text is
that of its first column. NONE means missing. Times are nanoseconds since 1970.
"""

from __future__ import annotations

NOTHING = -1
"""No duration."""

LOST_STACK = 0
"""The stack of events whose stack trace is not in the file: it has no frames."""

BLOCKS: dict[str, str] = {
    "event_place": "u8",  # offset in the file
    "event_start": "i8",
    "event_duration": "i8",  # NOTHING: the type has none
    "event_thread": "u4",  # a row; NONE
    "event_stack": "u4",  # a row; LOST_STACK; NONE
    "event_type": "u4",  # a row
    "stack_frame": "u4",  # by stack its frames, rows of them, the innermost first
}
"""Columns in blocks (`bitpacked.blocks`), with the types of their numbers."""

COUNTS = ("events", "timed", "sum", "least", "longest", "stacked", "frames", "deepest", "truncated")
"""Numbers of a type, `type_` and name, in the order of `loops.read_events`."""
CHUNKS: dict[str, str] = {
    "chunk_offset": "u8",
    "chunk_size": "u8",  # bytes that were read as this chunk
    "chunk_first": "u8",  # its first event
    "chunk_start": "i8",
    "chunk_ticks": "i8",  # start, in ticks
    "chunk_frequency": "i8",  # ticks a second
    "chunk_metadata": "u4",  # number of its metadata
}
TABLES: dict[str, str] = {
    # Types of events by name, in the order in which chunks declare them, those with events only; texts `type_name`.
    **dict.fromkeys((f"type_{name}" for name in COUNTS), "i8"),
    "type_bytes": "u8",
    **CHUNKS,
    # Different metadata: the ends of their bodies (`event_body`), and those.
    "metadata_ends": "u8",
    "metadata_bytes": "u1",
    # Constants of one type in one chunk, in the order of chunks and ids. The last one ends all.
    "pool_chunk": "u4",
    "pool_type": "i8",  # id of the type in the chunk
    "pool_first": "u8",  # first constant
    # Constants besides stack traces.
    "constant_key": "i8",  # ascending within a pool
    "constant_place": "u8",  # offset of the value in the file
    # Different threads; texts `thread`: names, `thread_group`: paths of groups.
    "thread_os_id": "i8",  # 0: none
    "thread_java_id": "i8",  # 0: none
    "thread_flags": "u1",  # IS_VIRTUAL, IS_UNKNOWN, HAS_JAVA_NAME
    # Different stacks.
    "stack_end": "u8",  # end of its frames in `stack_frame`
    "stack_cut": "u1",  # 1: its outermost frames are missing
    # Different frames.
    "frame_method": "u4",  # a text of `method`: class.name(descriptor)
    "frame_line": "i8",
    "frame_kind": "u1",  # a text of `kind`: Interpreted, Inlined …
    "frame_hidden": "u1",  # 1: the method is hidden, such as those of lambda forms
    # Frames of all events by kind; texts `kind`.
    "kind_frames": "i8",
    # First start and last end of an event.
    "span": "i8",
}
"""Arrays that are not packed, with their types."""
IS_VIRTUAL, IS_UNKNOWN, HAS_JAVA_NAME = 1, 2, 4
"""Flags of threads."""
