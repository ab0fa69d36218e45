"""The tables that `jfr view` of JDK 25 prints of the samples, under the same names, equal up to its rounding."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pytest
from conftest import TESTS, Answer

from parsers.formats.jfr.tables.declarations import aliases

CORPUS = TESTS / "corpus" / "jfr"
Run = Callable[..., Answer]
UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0, "kB": 1024.0, "MB": 1024.0**2, "bytes": 1.0, "%": 1.0}
SECTION = re.compile(r"##### jfr view --width 180 (?P<view>\S+)(?: \((?P<sample>\S+)\))?")
NUMBER = re.compile(r"(?P<number>-?[\d,]+(?:\.\d+)?) ?(?P<unit>s|ms|us|ns|kB|MB|bytes|%)?")


def printed() -> dict[tuple[str, str], list[str]]:
    """Lines by view and sample."""
    found: dict[tuple[str, str], list[str]] = {}
    for line in (CORPUS / "views.txt").read_text("utf-8").splitlines():
        if section := SECTION.match(line):
            lines = found[section["view"], section["sample"] or "jdk25-profile"] = []
        else:
            lines.append(line)
    return found


PRINTED = printed()


def table_of(lines: Sequence[str]) -> list[dict[str, str]]:
    """Rows of a printed table by heading: columns are where the dashes are."""
    dashes = next(place for place, line in enumerate(lines) if set(line) == {"-", " "} or set(line) == {"-"})
    spans = [match.span() for match in re.finditer("-+", lines[dashes])]
    heading = [lines[dashes - 1][start:end].strip() for start, end in spans]
    rows = [[line[start:end].strip() for start, end in spans] for line in lines[dashes + 1 :] if line.strip()]
    return [dict(zip(heading, row, strict=True)) for row in rows]


def form_of(lines: Sequence[str]) -> dict[str, str]:
    """Values of a printed form by label."""
    pairs = (line.partition(": ") for line in lines)
    return {label.strip(): value.strip() for label, colon, value in pairs if colon}


def short(label: str) -> str:
    """A method as the JDK prints it: types without packages, no result."""
    front, bracket, rest = label.partition("(")
    types = [each.rpartition(".")[2] for each in rest.partition(")")[0].split(", ")]
    return f"{front}({', '.join(types)})" if bracket else front


def is_close(shown: str, value: Any) -> bool:
    """True if a printed value is a rounded one."""
    number = NUMBER.fullmatch(shown)
    if number is None or isinstance(value, str | None):
        return shown.replace("N/A", "") == (value or "")
    wanted = float(number["number"].replace(",", "")) * UNITS.get(number["unit"], 1)
    step = 10.0 ** -len(number["number"].partition(".")[2]) * UNITS.get(number["unit"], 1)
    return abs(wanted - value) <= max(step, abs(wanted) * 0.006)


class View(NamedTuple):
    """A printed table, and the columns that are compared."""

    name: str
    label: str
    """Heading of the labels."""
    columns: Mapping[str, str]
    """Our column by heading."""
    sample: str = "jdk25-profile"
    depth: int = 0
    """Depth of our rows."""
    prefix: str = ""
    """Text before the label in ours."""


CONTENTION = {"Count": "count", "P90": "p90", "Max.": "longest"}
LATENCY = {"Count": "count", "Average": "average", "P 99": "p99", "Longest": "longest", "Total": "total"}
PHASES = {"Average": "average", "P95": "p95", "Longest": "longest", "Count": "count", "Total": "total"}
SETTINGS = {
    name: name.lower() for name in ("Enabled", "Threshold", "Stack Trace", "Period", "Cutoff", "Throttle")
}  # fmt: skip
LEAKS = {"Object Age": "age", "Heap Usage": "heap"}
TIMING = {
    "Invocations": "invocations", "Minimum Time": "minimum", "Average Time": "average", "Maximum Time": "maximum",
}  # fmt: skip
GC = {"Heap Before GC": "heap_before", "Heap After GC": "heap_after", "Longest Pause": "longest_pause", "Type": "type"}
VIEWS = (
    View("hot-methods", "Method", {"Samples": "samples", "Percent": "share"}),
    View("native-methods", "Method", {"Samples": "samples"}),
    View("allocation-by-class", "Object Type", {"Allocation Pressure": "share"}),
    View("allocation-by-site", "Method", {"Allocation Pressure": "share"}),
    View("allocation-by-thread", "Thread", {"Allocation Pressure": "share"}),
    View("contention-by-class", "Lock Class", {**CONTENTION, "Avg.": "average"}),
    View("contention-by-thread", "Thread", {**CONTENTION, "Avg": "average"}),
    View("contention-by-site", "StackTrace", {"Count": "count", "Avg.": "average", "Max.": "longest"}),
    View("latencies-by-type", "Event Type", LATENCY),
    View("exception-by-type", "Class", {"Count": "count"}),
    View("exception-by-site", "Method", {"Count": "count"}),
    View("file-reads-by-path", "Path", {"Reads": "count", "Total Read": "bytes"}),
    View("socket-reads-by-host", "Host", {"Reads": "count", "Total Read": "bytes"}),
    View("gc", "GC ID", GC, prefix="GC "),
    View("gc-pause-phases", "Name", PHASES),
    View("deoptimizations-by-reason", "Reason", {"Count": "count"}),
    View("thread-allocation", "Thread", {"Allocated": "allocated"}),
    View("memory-leaks-by-class", "Object Class", LEAKS),
    View("class-loaders", "Class Loader", {"Hidden Classes": "hidden", "Classes": "classes"}),
    View("active-settings", "Event Type", SETTINGS),
    View("events-by-count", "Event Type", {"Count": "events"}),
    View("cpu-time-hot-methods", "Method", {"Samples": "samples", "Percent": "share"}, "jdk25-cputime"),
    View("method-timing", "Timed Method", TIMING, "jdk25-methods"),
    View("method-calls", "Caller", {"Invocations": "invocations"}, "jdk25-methods", 1),
    View(
        "pinned-threads", "Method",
        {"Pinned Count": "count", "Longest Pinning": "longest", "Total Time Pinned": "total"}, "jdk25-light",
    ),
    View("memory-leaks-by-class", "Object Class", LEAKS, "jdk25-leak"),
    View("memory-leaks-by-site", "Application Method", LEAKS, "jdk25-leak"),
)  # fmt: skip
FORMS = {
    ("gc-pauses", "jdk25-profile"): {
        "Total Pause Time": "total", "Number of Pauses": "count", "Minimum Pause Time": "least",
        "Median Pause Time": "p50", "Average Pause Time": "average", "P90 Pause Time": "p90",
        "P95 Pause Time": "p95", "P99 Pause Time": "p99", "P99.9% Pause Time": "p999",
        "Maximum Pause Time": "longest",
    },
    ("cpu-time-statistics", "jdk25-cputime"): {
        "Successful Samples": "successful", "Failed Samples": "failed", "Biased Samples": "biased",
        "Total Samples": "total", "Lost Samples": "lost",
    },
    ("recording", "jdk25-profile"): {"Event Count": "events", "Dump Reason": "dump reason"},
}  # fmt: skip
APART = {"longest-compilations", "thread-start"}
"""Views with tests of their own."""


def rows_of(coffeetree: Run, view: str, sample: str, depth: int = 0) -> list[dict[str, Any]]:
    """The rows of a view at a depth."""
    rows = coffeetree("tree", "--json", "--view", view, "--depth", str(depth), CORPUS / f"{sample}.jfr.xz").rows
    return [row for row in rows if row["depth"] == depth]


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: f"{view.name} {view.sample}")
def test_the_rows_of_a_view_are_those_of_the_jdk(view: View, coffeetree: Run) -> None:
    ours: dict[str, list[dict[str, Any]]] = {}
    for row in rows_of(coffeetree, view.name, view.sample, view.depth):
        ours.setdefault(short(row["label"]), []).append(row["badges"])
    expected = table_of(PRINTED[view.name, view.sample])
    assert expected
    for row in expected:
        found = ours.get(view.prefix + row[view.label], [])
        values = {heading: row[heading] for heading in view.columns}
        assert any(
            all(is_close(shown, badges.get(view.columns[heading])) for heading, shown in values.items())
            for badges in found
        ), (row, found)


@pytest.mark.parametrize(("name", "sample"), FORMS)
def test_the_values_of_a_form_are_those_of_the_jdk(name: str, sample: str, coffeetree: Run) -> None:
    rows = rows_of(coffeetree, name, sample)
    ours = rows[0]["badges"] if len(rows) == 1 else {row["label"]: row["badges"].get("value") for row in rows}
    for label, shown in form_of(PRINTED[name, sample]).items():
        if label in FORMS[name, sample]:
            value = ours[FORMS[name, sample][label]]
            assert is_close(shown, value) or shown == value, label


def test_the_longest_compilations_are_those_of_the_jdk(coffeetree: Run) -> None:
    badges = [row["badges"] for row in rows_of(coffeetree, "longest-compilations", "jdk25-profile")]
    for place, row in enumerate(table_of(PRINTED["longest-compilations", "jdk25-profile"])):
        assert is_close(row["Duration"], badges[place]["duration"])
        assert short(badges[place]["method"]) == row["Method"]
        assert (f"{badges[place]['level']}", badges[place]["succeeded"]) == (row["Compilation Level"], row["Succeeded"])


def test_threads_live_as_long_as_the_jdk_says(coffeetree: Run) -> None:
    lives: dict[str, list[Any]] = {}
    for row in rows_of(coffeetree, "thread-start", "jdk25-profile"):
        lives.setdefault(row["label"], []).append(row["badges"].get("life"))
    for row in table_of(PRINTED["thread-start", "jdk25-profile"]):
        wanted = "" if row["Duration"] == "Indefinite" else row["Duration"]
        # The JDK spoils characters outside of the basic plane.
        assert "\ufffd" in row["Thread"] or any(is_close(wanted, life) for life in lives[row["Thread"]]), row


def test_every_printed_view_is_compared() -> None:
    compared = {view.name for view in VIEWS} | {name for name, _ in FORMS} | APART
    assert {name for name, _ in PRINTED} == compared


def test_every_named_view_of_jdk_25_exists() -> None:
    names = """
        blocked-by-system-gc gc-concurrent-phases class-modifications gc-configuration longest-compilations
        compiler-configuration gc-cpu-time native-memory-committed compiler-phases gc-parallel-phases
        native-memory-reserved compiler-statistics gc-pause-phases safepoints deoptimizations-by-reason gc-pauses
        tlabs deoptimizations-by-site gc-references vm-operations gc heap-configuration jvm-information
        active-recordings cpu-load native-library-failures active-settings cpu-load-samples network-utilization
        container-configuration cpu-tsc recording container-cpu-throttling environment-variables
        system-information container-cpu-usage events-by-count system-processes container-io-usage events-by-name
        system-properties container-memory-usage jvm-flags
        allocation-by-class exception-by-site method-timing allocation-by-site exception-by-type modules
        allocation-by-thread exception-count monitor-inflation class-loaders file-reads-by-path native-methods
        contention-by-address file-writes-by-path object-statistics contention-by-class finalizers pinned-threads
        contention-by-site hot-methods socket-reads-by-host contention-by-thread latencies-by-type
        socket-writes-by-host cpu-time-hot-methods longest-class-loading thread-allocation cpu-time-statistics
        memory-leaks-by-class thread-count deprecated-methods-for-removal memory-leaks-by-site thread-cpu-load
        exception-by-message method-calls thread-start
    """
    assert set(names.split()) <= set(aliases())
