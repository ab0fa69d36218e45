"""The caller's side of a child that queries reports with SQL: its worker and its jobs."""

from __future__ import annotations

from collections.abc import Callable

from parsers.runtime.worker.job import Job, JobMessage
from parsers.runtime.worker.worker import Worker


class SchemaJob(Job):
    """Tables, views and functions."""

    def __init__(self, worker: Worker, id: int) -> None:
        super().__init__(worker, id)
        self.tables: list[JobMessage] = []
        """`schema`, `name`, `about`, and `columns`: lists of name, type, unit, key and description."""
        self.functions: list[str] = []
        self.reserved: list[str] = []
        """Words that are no names unless in quotes."""
        self.wrong = ""
        """Reason why there are none; may have several lines."""

    def take(self, message: JobMessage) -> None:
        """Applies a message of the child."""
        super().take(message)
        self.tables = message.get("tables", self.tables)
        self.functions = message.get("functions", self.functions)
        self.reserved = message.get("reserved", self.reserved)
        self.wrong = message.get("wrong", self.wrong)


class QueryJob(Job):
    """A query; `count` is the number of rows so far, which are in files (`reporting.sql.stored_rows`)."""

    can_be_left = True

    def __init__(self, worker: Worker, id: int, path: Callable[[str], str], query: str) -> None:
        super().__init__(worker, id)
        self.query = query
        self.prefix = path(f"{id}.rows")
        """Beginning of the paths of the files."""
        self.has_columns = False
        """True if the columns of the result are known, and stored."""
        self.cut = ""
        """Reason why further rows were not fetched; empty: all were."""
        self.wrong = ""
        """Error in the query, with its place: lines of text."""

    def take(self, message: JobMessage) -> None:
        """Applies a message of the child."""
        super().take(message)
        self.has_columns = message.get("has_columns", self.has_columns)
        self.cut = message.get("cut", self.cut)
        self.wrong = message.get("wrong", self.wrong)

    def restart(self) -> None:
        """Restarts without results."""
        super().restart()
        self.has_columns, self.cut, self.wrong = False, "", ""


class QueryWorker(Worker):
    """The caller's side of one child that queries reports."""

    module = "parsers.runtime.worker.query_child"
    noun = "query"

    def describe(self) -> SchemaJob:
        """Asks for the tables and functions."""
        job = SchemaJob(self, self.next_id())
        self.submit(job, "schema", {})
        return job

    def query(self, query: str) -> QueryJob:
        """Runs one SELECT."""
        job = QueryJob(self, self.next_id(), self.path, query)
        self.submit(job, "query", {"query": query})
        return job
