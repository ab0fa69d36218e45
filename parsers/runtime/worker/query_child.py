"""The child of a `QueryWorker`: reads jobs as JSON lines from standard input, answers on standard output.

Its memory is limited: a query that needs more fails, or ends this process alone.

    python -m parsers.runtime.worker.query_child FOLDER
"""

from __future__ import annotations

import os
import resource
import sys

from parsers.runtime.worker.child import Child
from parsers.runtime.worker.query_jobs import QueryJobs

MOST_MEMORY = 4 << 30
"""Maximum bytes of private writable memory of the process, on a machine with at least twice as much."""


def memory_limit() -> int:
    """Returns the limit in bytes: half the memory of the machine at most."""
    return min(MOST_MEMORY, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)


def limit_memory(most: int) -> None:
    """Limits private writable memory; mapped files of an index don't count. Source: getrlimit(2), RLIMIT_DATA."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


if __name__ == "__main__":
    most = memory_limit()
    limit_memory(most)
    # DuckDB leaves out what Python allocates, such as columns that a table computes.
    Child(sys.argv[1], QueryJobs(sys.argv[1], most // 2)).run()
