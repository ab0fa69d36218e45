"""The words of the command line: command, reports, options. Imports no slow modules.

Help texts are built from the same tables that check the words, so they always agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

VERSION = "0.1.0"

ALL = -1
"""Value of `--depth` and `--limit` for `all`."""


class UsageError(Exception):
    """The command line is invalid; the text is the reason, in one line."""


class Option(NamedTuple):
    """One option. `value` is the name of its value in the help; empty: it has none."""

    name: str
    value: str
    help: str
    short: str = ""
    is_count: bool = False
    """True if its value is a number or `all`."""
    is_list: bool = False
    """True if it may be given several times."""


class Subcommand(NamedTuple):
    """One command. `word` is the name of its last word; empty: all its words are reports."""

    name: str
    help: str
    word: str = ""
    options: tuple[str, ...] = ()
    has_reports: bool = True
    """True if it takes reports; else it has its word only."""
    needs_word: bool = True
    """True if the word is required."""
    reports: str = "REPORT..."
    """Name of its reports in the help; without dots exactly one."""
    before: str = ""
    """Name of the word before its last one; empty: none."""


OPTIONS = (
    Option("view", "V", "the view, by its name as `info` lists it (default: the first)"),
    Option(
        "switch",
        "NAME[=VALUE]",
        "how the view is made (`info` lists its switches); may be repeated",
        is_list=True,
    ),
    Option("cut", "PATTERNS", "cut all matches hypothetically; A -> B: the calls of A that lead to B"),
    Option("sort", "KEY", "the order of rows, by a key of the view; -KEY the other way round"),
    Option("at", "REF", "the node to begin with (default: all roots)"),
    Option("depth", "N", "levels below the roots, or `all` (default: 3, of diff all)", is_count=True),
    Option(
        "limit",
        "N",
        "rows (paths, matches) at most, or `all` (default: tree 10000, between 1000, a rule 10)",
        is_count=True,
    ),
    Option("to", "FORMAT", "collapsed, speedscope, csv or json; of graphs dot, graphml, nodes, edges"),
    Option("safe", "", "of csv, nodes, edges: texts that begin with = + - @, formulas to spreadsheets, get a '"),
    Option("force", "", "write over OUT if it is there"),
    Option("name", "", "look only through the unique names"),
    Option("regex", "", "PATTERN is a regular expression of Python, matched within a line"),
    Option("ignore-case", "", "upper and lower case are the same", "i"),
    Option("count", "", "print only how many there are", "c"),
    Option("all", "", "why: one path for each call site or reference; dump: objects that are garbage, too"),
    Option("each", "", "each report of a folder by itself (default: the report that `tree` opens)"),
    Option("once", "", "end after one build; 1 if it differs from the one before"),
    Option("into", "DIR", "the folder to write to (of listen else the user's state folder, of dump this one)"),
    Option("jvms", "N", "end once so many JVMs have ended (default: all)", is_count=True),
    Option("watch", "", "ask for heap summaries all the time, though it may cost a JVM its exit status"),
    Option("rules", "FILE", "the rules, in TOML"),
    Option("baseline", "PATH", "what `may-grow` and `new` rules compare with: a file of --save, or a report"),
    Option("save", "FILE", "write what the rules measure now, as a baseline to be kept"),
    Option("junit", "FILE", "write the results of the rules as JUnit XML"),
    Option("sarif", "FILE", "write the results of the rules as SARIF 2.1.0"),
    Option("gz", "N", "have the JVM compress the dump, from 1 (fast) to 9", is_count=True),
    Option("json", "", "JSON: one object, or one a line"),
    Option("private", "", "print names and addresses of hosts, and paths, that a recording contains"),
    Option("format", "NAME", "read the file as this format, whatever it looks like"),
    Option("suppress-types", "PATTERNS", "hide what is below values of these types"),
    Option("expand-types", "PATTERNS", "... but not of these"),
    Option("suppress-roots", "PATTERNS", "hide what is below these roots"),
    Option("expand-roots", "PATTERNS", "... but not below these"),
    Option("suppress-methods", "PATTERNS", "hide what is below these methods"),
    Option("expand-methods", "PATTERNS", "... but not below these"),
    Option("no-cache", "", "keep nothing: no index, no unpacked copy"),
    Option("cache-dir", "DIR", "keep indexes and unpacked copies in this folder"),
    Option("verbose", "", "say on standard error what is being done", "v"),
    Option("help", "", "show this help", "h"),
    Option("version", "", "show the version"),
)

PATTERN_OPTIONS = (
    "suppress-types",
    "expand-types",
    "suppress-roots",
    "expand-roots",
    "suppress-methods",
    "expand-methods",
)

SHARED = ("private", "format", *PATTERN_OPTIONS, "no-cache", "cache-dir", "verbose", "help", "version")
"""Options of every command and of the browser."""

BROWSE = Subcommand("", "browse a file, a folder of reports, or - for a pipe")

COMMANDS = (
    Subcommand("info", "what it is: format, version, files, facts, views, totals, problems", options=("each", "cut")),
    Subcommand(
        "tree", "print a tree or a part of it", options=("view", "switch", "cut", "sort", "at", "depth", "limit")
    ),
    Subcommand(
        "find",
        "search the lines, or with --name the names",
        "PATTERN",
        ("name", "regex", "ignore-case", "count", "limit", "view", "switch"),
    ),
    Subcommand(
        "show", "one node: its row, its path from the root, its sections, its links", "REF", ("view", "switch", "cut")
    ),
    Subcommand("refs", "everything that points to it", "REF", ("view", "switch", "limit")),
    Subcommand(
        "why", "the shortest path from a root to what matches", "PATTERN", ("all", "limit", "view", "switch", "cut")
    ),
    Subcommand(
        "between",
        "all paths from one node to another as one small tree",
        "B",
        ("limit", "cut", "to", "safe"),
        before="A",
    ),
    Subcommand(
        "export",
        "write a view for another program; OUT - is standard output",
        "OUT",
        ("to", "view", "switch", "cut", "at", "depth", "limit", "safe", "force"),
    ),
    Subcommand(
        "diff",
        "what was added, removed and changed since an older report",
        "NEW",
        ("view", "switch", "depth", "limit"),
        reports="OLD",
    ),
    Subcommand(
        "check",
        "check reports against rules, for builds; 1 if one is broken",
        options=("rules", "baseline", "save", "junit", "sarif", "limit"),
        reports="REPORT... --rules FILE",
    ),
    Subcommand(
        "watch",
        "wait for builds, show what each has that the one before had not",
        "FOLDER",
        ("once", "limit"),
        has_reports=False,
    ),
    Subcommand("index", "build the index now; prints bytes, seconds, rate, peak memory"),
    Subcommand(
        "listen",
        "wait for JVMs started with -agentlib:hprof=net=HOST:PORT,format=b",
        "[HOST:]PORT",
        ("into", "jvms", "watch"),
        has_reports=False,
    ),
    Subcommand(
        "dump",
        "take a heap dump of a running local JVM; without PID list those there are",
        "[PID]",
        ("into", "all", "gz"),
        has_reports=False,
        needs_word=False,
    ),
)

LATER = ("query",)
"""Words reserved for future commands."""

INTRODUCTION = """\
Coffeetree opens the trees that a JVM toolchain writes, at any size, in a terminal.
It reads call trees and object trees of GraalVM native-image, HotSpot's compilation logs, HPROF profiles, TPTP traces
and what the old JDK profilers print, plain or as .gz, .xz, .zst.
"""

STATUSES = """\
REF names a node: line:N, id:N, task:N, trace:N, thread:N, object:0xHEX, package:NAME, class:NAME, method:NAME,
name:TEXT, or node:N, its number in the view; of one run of several run:2/task:N.
PATTERNS are separated by commas; one is text, *text, text*, *text* or *, as native-image takes them.
A file that is called like a command is ./info. FILE#2 is the second heap dump of a file. -- ends the options.

Exit status: 0 done; 1 nothing found, diff found something, or check a broken rule; 2 wrong usage, or no report that can
be read; 3 done, but the report is damaged (problems on standard error); 128+n after signal n.
"""


class Arguments:
    """The parsed command line. Options that were not given have their defaults."""

    def __init__(self, command: str = "", reports: Sequence[str] = (), word: str = "") -> None:
        self.command = command
        """Name of the command; empty: browse."""
        self.reports = list(reports)
        self.word = word
        """PATTERN or REF of the commands that have one."""
        self.before = ""
        """The first of the two words of the commands that have two."""
        self.given: dict[str, str | int | bool | list[str]] = {}

    def text(self, name: str) -> str | None:
        """The value of an option."""
        value = self.given.get(name)
        return value if isinstance(value, str) else None

    def texts(self, name: str) -> list[str]:
        """The values of an option that may be given several times."""
        values = self.given.get(name)
        return values if isinstance(values, list) else []

    def is_given(self, name: str) -> bool:
        """True if an option without value was given."""
        return name in self.given

    def count(self, name: str, default: int) -> int | None:
        """The number of an option; None: all."""
        value = self.given.get(name, default)
        return None if value == ALL or not isinstance(value, int) else value

    @property
    def patterns(self) -> dict[str, str]:
        """The given suppress and expand patterns, by names such as `suppress_types`."""
        given = ((name, self.text(name)) for name in PATTERN_OPTIONS)
        return {name.replace("-", "_"): value for name, value in given if value is not None}


def parse(words: Sequence[str]) -> Arguments:
    """Parses the words after the program's name. Raises `UsageError`."""
    words = list(words)
    place = _first_plain(words)
    first = words[place] if place is not None else ""
    if first in LATER:
        raise UsageError(f"the command {first} is still to come; a file of that name is ./{first}")
    command = next((command for command in COMMANDS if first == command.name), BROWSE)
    if place is not None and command is not BROWSE:
        del words[place]
    arguments = Arguments(command.name)
    plain = _take_options(words, command, arguments)
    if arguments.is_given("help") or arguments.is_given("version"):
        return arguments
    if not command.has_reports:
        if len(plain) > 1 or (command.needs_word and not plain):
            raise UsageError(f"{command.name} takes one word: {usage(command)}")
        arguments.word = plain[0] if plain else ""
        return arguments
    if command.word:
        words_after = [word for word in (command.before, command.word) if word]
        if len(plain) <= len(words_after):
            named = " and ".join(f"{'an' if word[0] in 'AEIOU' else 'a'} {word}" for word in words_after)
            raise UsageError(f"{command.name} needs a report and {named}: {usage(command)}")
        arguments.word = plain.pop()
        if command.before:
            arguments.before = plain.pop()
    if not plain:
        raise UsageError(f"no report was given: {usage(command)}")
    if len(plain) > 1 and "..." not in command.reports:
        raise UsageError(f"{command.name} takes one {command.reports} and one {command.word}: {usage(command)}")
    arguments.reports = plain
    return arguments


def usage(command: Subcommand) -> str:
    """Usage line of a command."""
    reports = command.reports if command.has_reports else ""
    return " ".join(part for part in ("coffeetree", command.name, reports, command.before, command.word) if part)


def help_text(name: str = "") -> str:
    """Help of a command; without a name, of the whole program."""
    command = next((command for command in COMMANDS if command.name == name), BROWSE)
    lines = []
    if not command.name:
        lines += [INTRODUCTION, f"  {usage(BROWSE):42} {BROWSE.help}"]
        lines += [f"  {usage(each):42} {each.help}" for each in COMMANDS]
        lines += ["", "Each of the commands takes --json, and --help for details. Common options:"]
        lines += [_option_line(option) for option in OPTIONS if option.name in SHARED]
        return "\n".join([*lines, "", STATUSES])
    lines += [f"{usage(command)}   {command.help}", ""]
    lines += [_option_line(option) for option in OPTIONS if _is_of(option, command)]
    return "\n".join([*lines, "", STATUSES])


def _option_line(option: Option) -> str:
    names = f"-{option.short}, --{option.name}" if option.short else f"    --{option.name}"
    return f"  {names + (' ' + option.value if option.value else ''):31} {option.help}"


def _is_of(option: Option, command: Subcommand) -> bool:
    return option.name in SHARED or option.name in command.options or (option.name == "json" and command is not BROWSE)


def _first_plain(words: Sequence[str]) -> int | None:
    """Index of the first word that is neither an option nor the value of one; None: none before `--`."""
    with_value = {f"--{option.name}" for option in OPTIONS if option.value}
    place = 0
    while place < len(words) and words[place] != "--":
        if not words[place].startswith("-") or words[place] == "-":
            return place
        place += 2 if words[place] in with_value else 1
    return None


def _take_options(words: list[str], command: Subcommand, arguments: Arguments) -> list[str]:
    """Moves the options into `arguments`; returns the other words in order."""
    plain: list[str] = []
    words.reverse()
    while words:
        word = words.pop()
        if word == "--":
            plain += reversed(words)
            break
        if not word.startswith("-") or word == "-":
            plain.append(word)
        elif word.startswith("--"):
            name, has_value, value = word[2:].partition("=")
            option = _find(command, word, [option for option in OPTIONS if option.name == name])
            _take(option, value if has_value else None, words, arguments)
        else:
            for letter in word[1:]:
                option = _find(command, word, [option for option in OPTIONS if option.short == letter])
                _take(option, None, words, arguments)
    return plain


def _find(command: Subcommand, word: str, options: Sequence[Option]) -> Option:
    """The option, if this command has it. Raises `UsageError`."""
    help_word = f"coffeetree {command.name} --help".replace("  ", " ")
    if not options:
        raise UsageError(f"there is no option {word.partition('=')[0]}: see {help_word}")
    if not _is_of(options[0], command):
        what = f"{command.name} has" if command.name else "the browser has"
        raise UsageError(f"{what} no option --{options[0].name}: see {help_word}")
    return options[0]


def _take(option: Option, value: str | None, words: list[str], arguments: Arguments) -> None:
    """Stores an option, with its own value or the next word."""
    if not option.value:
        if value is not None:
            raise UsageError(f"--{option.name} takes no value")
        arguments.given[option.name] = True
        return
    if value is None:
        if not words:
            raise UsageError(f"--{option.name} needs a value: --{option.name} {option.value}")
        value = words.pop()
    if option.is_list:
        arguments.given[option.name] = [*arguments.texts(option.name), value]
    else:
        arguments.given[option.name] = _number(option, value) if option.is_count else value


def _number(option: Option, value: str) -> int:
    if value == "all":
        return ALL
    if not value.isascii() or not value.isdigit() or len(value) > 15:
        raise UsageError(f"--{option.name} takes a number or all, not {value!r}")
    return int(value)
