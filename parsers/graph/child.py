"""`python -m parsers.graph.child FOLDER ROWS PART...`: computes parts of a graph from an index and stores them there.

A separate process, because loading compiled functions takes 250 ms, for which a screen would have to wait.
"""

from __future__ import annotations

import gc
import os
import pkgutil
import sys
import time

from parsers.graph.graph_cache import EDGES, folder_of, make_part, open_part
from parsers.index.store import BUILDING, LOCK, READY, IndexReader, read_header
from parsers.index.writer import Writer
from parsers.io.cache import locked
from parsers.io.identity import Identity


def main(folder: str, rows: str, *parts: str) -> int:
    """Computes the missing parts; the exit status is 1 if there is no index.

    rows: `module:name` of the function that makes the `Rows` of an index from its `IndexReader`
    """
    # All objects live until the end, so garbage collection finds nothing.
    gc.disable()
    path = os.path.join(folder, READY)
    header = read_header(path)
    if header is None:
        return 1
    reader = IndexReader(path, header)
    # Locked while it is written: folders without a lock are removed.
    with locked(os.path.join(folder, LOCK)):
        for each in dict.fromkeys((EDGES, *parts)):
            if open_part(folder, each, header.identity) is None:
                _make(folder, each, reader, rows)
    return 0


def _make(folder: str, part: str, reader: IndexReader, rows_of_index: str) -> None:
    from parsers.graph.adjacency import Edges

    assert reader.header is not None
    began = time.perf_counter()
    identity = reader.header.identity
    writer = Writer(folder, reader.header.format, Identity(**identity), f"{BUILDING}-{folder_of(part)}")
    try:
        rows = pkgutil.resolve_name(rows_of_index)(reader)
        found = make_part(part, rows, lambda: Edges(**(open_part(folder, EDGES, identity) or {})))._asdict()
        for name, values in found.items():
            writer.save(name, values)
        seconds = time.perf_counter() - began
        writer.finish(reader.header.size, reader.rows, {}, {}, (), 0, seconds, folder_of(part))
    except BaseException:
        writer.abandon()
        raise


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
