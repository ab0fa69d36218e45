"""What rules are held against: what they measured before, kept in a small file, or an older report asked the same.

The file is TOML that people can read and review: in the order of names, one name a line, without times and paths, so
that it changes only when what was measured does.

    version = 1

    [[measured]]
    rule = "size of the image"
    report = "graalvm-call-tree"
    value = 11_001

    [[measured]]
    rule = "no new packages"
    report = "graalvm-call-tree"
    value = 2
    names = [
        "com.acme",
        "java.lang",
    ]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from parsers.gate.judge import Measured, Measurement, Rows, lost_in
from parsers.gate.question import Question, question_of
from parsers.gate.rule_file import RuleError, parse_toml, read_toml

if TYPE_CHECKING:
    from parsers.report import Report

VERSION = 1
"""Of the file's form."""

HEAD = "# What rules measured: `coffeetree check REPORT... --rules FILE --save FILE` writes it."

TIMES = " × "
"""Between a name and how many rows have it, where these are several."""


class SavedBaseline:
    """What a file says that `saved` has made."""

    def __init__(self, path: str) -> None:
        """Raises `ReportError`, `OSError`."""
        self._path = path
        fields = parse_toml(read_toml(path), path)
        if fields.get("version") != VERSION:
            raise RuleError(f"{path}: is no baseline: expected version = {VERSION}, as --save writes it")
        self._measured: dict[tuple[str, str], Measured] = {}
        tables = fields.get("measured", [])
        for place, table in enumerate(tables if isinstance(tables, list) else [None], 1):
            key, measured = self._entry(table, place)
            self._measured[key] = measured

    def _entry(self, table: Any, place: int) -> tuple[tuple[str, str], Measured]:
        fields = table if isinstance(table, dict) else {}
        rule, report, value, names = (fields.get(key) for key in ("rule", "report", "value", "names"))
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and value == value
        is_list = names is None or (isinstance(names, list) and all(isinstance(name, str) for name in names))
        if not isinstance(rule, str) or not isinstance(report, str) or value is None or not is_number or not is_list:
            raise RuleError(
                f"{self._path}: [[measured]], the {place}. one: expected rule and report (texts), value (a number) and "
                "perhaps names (a list of texts)"
            )
        return (rule, report), Measured(value, None if names is None else Counter(dict(map(_counted, names))))

    def measured(self, question: Question) -> Measured:
        """What it has for a question. Raises `RuleError` if that is nothing."""
        rule = question.rule
        found = self._measured.get((rule.name, question.report.format))
        if found is None or (rule.is_new and found.names is None):
            raise RuleError(
                f"{self._path}: has nothing for the rule {rule.name!r} and a report of the format "
                f"{question.report.format}: --save writes it anew"
            )
        return found


class ReportBaseline:
    """Older reports, which are asked what the new ones are asked."""

    def __init__(self, reports: Sequence[Report], rows: Rows, accepted: Collection[str]) -> None:
        self._reports = reports
        self._rows = rows
        self._accepted = accepted

    def measured(self, question: Question) -> Measured:
        """What the first report of that format has. Raises `RuleError` if there is none."""
        for report in self._reports:
            if report.format == question.report.format:
                asked = question_of(question.rule, report)
                if asked is not None:
                    found = self._rows.measure(asked)
                    return Measured(found.value, found.names, lost_in(report, self._accepted))
        there = ", ".join(f"{report.format} ({report.title})" for report in self._reports)
        raise RuleError(
            f"the baseline has no {question.report.format} for the rule {question.rule.name!r}: there are {there}"
        )


def saved(questions: Iterable[Question], measure: Callable[[Question], Measurement]) -> str:
    """The text of a baseline: of each limit what it measures, of what must not be new the names.

    Raises `RuleError` where two reports of one format would be told apart by nothing.
    """
    entries: dict[tuple[str, str], list[str]] = {}
    for question in questions:
        rule, format = question.rule, question.report.format
        if rule.wish != "limit" and not rule.is_new:
            continue
        if (rule.name, format) in entries:
            raise RuleError(f"--save: there are several reports of the format {format}: give one of them at a time")
        found = measure(question)
        lines = [f"rule = {quoted(rule.name)}", f"report = {quoted(format)}", f"value = {found.value!r}"]
        if rule.is_new:
            lines += ["names = [", *(f"    {quoted(name)}," for name in _written(found.names)), "]"]
        entries[rule.name, format] = lines
    tables = ("\n".join(("", "[[measured]]", *entries[key], "")) for key in sorted(entries))
    return "".join([f"{HEAD}\nversion = {VERSION}\n", *tables])


def _written(names: Counter[str]) -> Iterator[str]:
    for name in sorted(names):
        count = names[name]
        yield name if count == 1 and not name.rpartition(TIMES)[2].isdigit() else f"{name}{TIMES}{count}"


def _counted(written: str) -> tuple[str, int]:
    name, times, count = written.rpartition(TIMES)
    is_counted = bool(times) and count.isascii() and count.isdigit() and len(count) <= 18
    return (name, int(count)) if is_counted else (written, 1)


def quoted(text: str) -> str:
    """A text as TOML writes it: whatever can't be seen, or isn't text, is escaped."""
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    code = ord(character)
    if 0xD800 <= code < 0xE000:
        # Half of a pair is no text in TOML: shown as it would be.
        return "\ufffd"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def is_saved(path: str) -> bool:
    """Whether a path is of a file that --save wrote, and not of a report."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(1 << 12)
    except OSError:
        return path.endswith(".toml")
    return path.endswith(".toml") or head.startswith(HEAD.encode()[:20])
