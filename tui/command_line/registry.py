"""The registry of commands, options, REFs and topics: parsing, help, completion and the man page derive from it.

Imports no slow modules. Texts are plain ASCII and can be printed anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

VERSION = "0.1.0"


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


PATTERN_OPTIONS = (
    "suppress-types",
    "expand-types",
    "suppress-roots",
    "expand-roots",
    "suppress-methods",
    "expand-methods",
)

ALWAYS = ("verbose", "help")
READS = ("format", "no-cache", "cache-dir", *ALWAYS)
ROWS = ("private", *PATTERN_OPTIONS, *READS)

SHARED = (*ROWS, "version")
"""Options that every command accepts; its help lists those that change its answer."""


class Subcommand(NamedTuple):
    """One command. `word` is the name of its last word; empty: all its words are reports."""

    name: str
    help: str
    word: str = ""
    options: tuple[str, ...] = ()
    has_reports: bool = True
    """True if it takes reports; else it has its word only."""
    opens_reports: bool = False
    """True if it opens its reports itself; else it runs with one that is open."""
    needs_word: bool = True
    """True if the word is required."""
    is_about_one_view: bool = False
    """True if it applies to a single view. Of the reports of a folder it opens one."""
    shows_cuts: bool = False
    """True if with `--cut` it shows the effect of the cuts, unless another view is requested."""
    has_json: bool = True
    """True if it has `--json`."""
    reports: str = "REPORT..."
    """Name of its reports in the help; without dots exactly one."""
    before: str = ""
    """Name of the word before its last one; empty: none."""
    common: tuple[str, ...] = ROWS
    """Shared options that change its answer."""
    helps: Mapping[str, str] = {}
    """Help of options that mean something special to it."""
    examples: tuple[str, ...] = ()
    """Words after `coffeetree`, with REPORT for any report."""

    @property
    def usage(self) -> str:
        """Its usage line."""
        reports = self.reports if self.has_reports else ""
        return " ".join(part for part in ("coffeetree", self.name, reports, self.before, self.word) if part)


OPTIONS = (
    Option("view", "V", "the view, in any case; `info` lists them (default: the first)"),
    Option("switch", "NAME[=VALUE]", "a switch of the view, as `info` lists them; may be repeated", is_list=True),
    Option("cut", "PATTERNS", "cut all matches hypothetically; A -> B: the calls of A that lead to B"),
    Option("sort", "KEY", "order of the rows: a column's name or heading; -KEY: reversed"),
    Option("at", "REF", "begin at this node (default: all roots)"),
    Option("depth", "N", "levels below the roots, or `all`", is_count=True),
    Option("limit", "N", "at most N rows, or `all`", is_count=True),
    Option("to", "FORMAT", "collapsed, speedscope, pprof, csv, json, dot, graphml, nodes or edges"),
    Option("tables", "NAMES", "only these tables, separated by commas"),
    Option("build", "NAME", "value of the column `build` (default: from the file's name)"),
    Option("append", "", "add to the tables of other builds in the folder"),
    Option("compare", "", "compare two reports, OLD NEW: schemas old, new and diff, which has the differences"),
    Option("csv", "", "print comma-separated values"),
    Option("memory", "SIZE", "memory for the query, such as 500MB (default: 2GB)"),
    Option("timeout", "N", "stop a query after N seconds without a row (default: never)", is_count=True),
    Option("allow-external", "", "permit the query to read files and the network"),
    Option("safe", "", "put ' before texts that spreadsheets read as formulas: = + - @ (csv, nodes, edges)"),
    Option("force", "", "overwrite OUT"),
    Option("name", "", "search the unique names only"),
    Option("regex", "", "PATTERN is a Python regular expression, matched within a line"),
    Option("ignore-case", "", "ignore upper and lower case", "i"),
    Option("count", "", "print only the number of matches", "c"),
    Option("all", "", "one path for each call site or reference"),
    Option("each", "", "describe each report of a folder separately"),
    Option("once", "", "end after one build; exit status 1 if it differs from the one before"),
    Option("into", "DIR", "the folder to write to"),
    Option("jvms", "N", "end after N JVMs have ended; `all`: never (default)", is_count=True),
    Option("watch", "", "request heap summaries every second; this may change the exit status of a JVM"),
    Option("rules", "FILE", "the rules, in TOML"),
    Option("baseline", "PATH", "compare `may-grow` and `new` rules with a file of --save, or with a report"),
    Option("save", "FILE", "write the measured values as a new baseline"),
    Option("junit", "FILE", "write the results as JUnit XML"),
    Option("sarif", "FILE", "write the results as SARIF 2.1.0"),
    Option("gz", "N", "have the JVM compress the dump: 1 (fast) to 9", is_count=True),
    Option("jfr", "DURATION", "record with Flight Recorder for so long instead: 30s, 5m"),
    Option("json", "", "print JSON: one object, or one object a line"),
    Option("private", "", "show host names, addresses and paths of a recording"),
    *(
        Option(name, "PATTERNS", f"{'hide' if name.startswith('suppress') else 'still show'} rows below these {what}")
        for name, what in ((name, name.rpartition("-")[2]) for name in PATTERN_OPTIONS)
    ),
    Option("format", "NAME", "read the file as this format"),
    Option("no-cache", "", "store nothing: neither indexes nor decompressed copies"),
    Option("cache-dir", "DIR", "store indexes and decompressed copies in this folder"),
    Option("verbose", "", "report each step on standard error", "v"),
    Option("engine", "", "show which kernels are compiled, instead of a report"),
    Option("help", "", "show this help", "h"),
    Option("version", "", "show the version"),
)

BROWSE = Subcommand(
    "",
    "browse a file, the files of one run, a folder of reports, or - for a pipe",
    reports="[REPORT...]",
    is_about_one_view=True,
    has_json=False,
    examples=("REPORT", "target/reports", "jcmd.log.gz --format hotspot-compilation-log"),
)

COMMANDS = (
    Subcommand(
        "info",
        "describe a report: format, facts, totals, views and switches, problems",
        options=("each", "cut", "engine"),
        common=("private", *READS),
        examples=("info REPORT", "info REPORT --json", "info --engine"),
    ),
    Subcommand(
        "tree",
        "print a tree or a part of it",
        options=("view", "switch", "cut", "sort", "at", "depth", "limit"),
        helps={
            "depth": "levels below the roots, or `all` (default: 3)",
            "limit": "at most N rows, or `all` (default: 10000)",
        },
        is_about_one_view=True,
        shows_cuts=True,
        examples=("tree REPORT --depth 1", "tree REPORT --at node:0 --depth all", "tree REPORT --limit 20 --json"),
    ),
    Subcommand(
        "find",
        "search the lines of a report, or its names",
        "PATTERN",
        ("name", "regex", "ignore-case", "count", "limit", "view", "switch"),
        is_about_one_view=True,
        examples=("find REPORT java", "find REPORT --name --ignore-case string", "find REPORT --count java"),
    ),
    Subcommand(
        "show",
        "print one node: its row, its path from the root, its details and links",
        "REF",
        ("view", "switch", "cut"),
        is_about_one_view=True,
        examples=("show REPORT node:0", "show REPORT node:0 --json"),
    ),
    Subcommand(
        "refs",
        "print everything that refers to a node: callers, referrers, samples",
        "REF",
        ("view", "switch", "limit"),
        is_about_one_view=True,
        examples=("refs REPORT node:0", "refs REPORT node:0 --limit 20"),
    ),
    Subcommand(
        "why",
        "print the shortest path to each match, and from where a group is entered",
        "PATTERN",
        ("all", "limit", "view", "switch", "cut"),
        helps={"limit": "at most N paths, or `all` (default); sources of a group: 10 by default"},
        is_about_one_view=True,
        examples=("why REPORT node:0", "why REPORT java --limit 3", "why REPORT 'com.example.*' --limit all"),
    ),
    Subcommand(
        "between",
        "print all paths from one node to another as one tree",
        "B",
        ("limit", "cut", "to", "safe"),
        before="A",
        helps={"limit": "at most N steps, or `all` (default: 1000)", "to": "dot, graphml, nodes or edges"},
        is_about_one_view=True,
        examples=("between REPORT 'com.example.*' 'java.util.logging.*'", "between REPORT A B --to dot"),
    ),
    Subcommand(
        "export",
        "write a view for another program, or all tables; OUT - is standard output",
        "OUT",
        ("to", "view", "switch", "cut", "at", "depth", "limit", "safe", "force", "tables", "build", "append", "each"),
        helps={
            "to": "collapsed, speedscope or pprof (profiles), csv, json, or dot, graphml, nodes, edges (graphs); "
            "parquet or arrow: all tables, to a folder",
            "depth": "levels below the roots, or `all` (default)",
            "limit": "at most N rows, or `all` (default)",
            "each": "the tables of each REPORT separately, which may be a pattern such as 'builds/**/*.txt'",
        },
        is_about_one_view=True,
        shows_cuts=True,
        examples=("export REPORT --to csv --depth 2 rows.csv", "export REPORT --to json --depth 0 -"),
    ),
    Subcommand(
        "sql",
        "query the tables of reports with SQL; needs coffeetree[sql]",
        "QUERY",
        ("compare", "csv", "to", "safe", "force", "memory", "timeout", "allow-external"),
        opens_reports=True,
        common=("private", *READS),
        helps={"to": "csv, json, parquet or arrow: write to a file, whose name follows QUERY"},
        examples=(
            "sql REPORT .tables",
            "sql REPORT '.schema file'",
            "sql REPORT 'SELECT name, number FROM fact WHERE is_total'",
            "sql old=REPORT new=REPORT 'FROM old.fact EXCEPT FROM new.fact'",
            "sql --compare REPORT REPORT .tables",
        ),
    ),
    Subcommand(
        "diff",
        "print what was added, removed and changed since an older report",
        "NEW",
        ("view", "switch", "depth", "limit"),
        reports="OLD",
        common=READS,
        helps={"depth": "levels below the roots, or `all` (default)", "limit": "at most N rows, or `all` (default)"},
        examples=("diff REPORT REPORT", "diff REPORT REPORT --depth 0 --limit 20"),
    ),
    Subcommand(
        "check",
        "check reports against rules, for builds; exit status 1 if one is broken",
        options=("rules", "baseline", "save", "junit", "sarif", "limit", "memory", "timeout"),
        opens_reports=True,
        reports="REPORT... --rules FILE",
        common=("private", *READS),
        helps={"limit": "at most N rows for each rule, or `all` (default: 10)"},
        examples=("check REPORT --rules rules.toml", "check REPORT --rules rules.toml --junit results.xml"),
    ),
    Subcommand(
        "watch",
        "wait for builds, print what each adds, removes and changes",
        "FOLDER",
        ("once", "limit"),
        has_reports=False,
        common=READS,
        helps={"limit": "at most N rows for each report, or `all` (default: 100)"},
        examples=("watch target/reports", "watch target/reports --once --json"),
    ),
    Subcommand(
        "index",
        "build the index in advance; prints bytes, seconds, rate and peak memory",
        common=READS,
        examples=("index REPORT", "index REPORT --json"),
    ),
    Subcommand(
        "listen",
        "wait for JVMs started with -agentlib:hprof=net=HOST:PORT,format=b",
        "[HOST:]PORT",
        ("into", "jvms", "watch"),
        has_reports=False,
        common=("no-cache", "cache-dir", *ALWAYS),
        helps={"into": "the folder to write to (default: in the user's state folder)"},
        examples=("listen 9000", "listen 9000 --jvms 1 --json"),
    ),
    Subcommand(
        "dump",
        "dump the heap of a running local JVM or record it; without PID list them",
        "[PID]",
        ("into", "all", "gz", "jfr"),
        has_reports=False,
        needs_word=False,
        common=("no-cache", "cache-dir", *ALWAYS),
        helps={"into": "the folder to write to (default: this one)", "all": "include unreachable objects"},
        examples=("dump", "dump 4711 --into /tmp --gz 1", "dump --jfr 30s 4711"),
    ),
    Subcommand(
        "completion",
        "print a completion script for a shell",
        "bash|zsh|fish",
        has_reports=False,
        has_json=False,
        common=("help",),
        examples=(
            "completion bash >> ~/.bashrc",
            "completion zsh > ~/.zfunc/_coffeetree",
            "completion fish > ~/.config/fish/conf.d/coffeetree.fish",
        ),
    ),
    Subcommand(
        "tour",
        "show the most important keys on a sample report, in two minutes",
        has_reports=False,
        needs_word=False,
        has_json=False,
        common=("no-cache", "cache-dir", *ALWAYS),
        examples=("tour", "tour --no-cache"),
    ),
    Subcommand(
        "help",
        "explain a command, or one of the topics ref, patterns and status",
        "[COMMAND]",
        has_reports=False,
        needs_word=False,
        has_json=False,
        common=("help",),
        examples=("help tree", "help ref"),
    ),
)

EXPORTS = ("collapsed", "speedscope", "pprof", "csv", "json", "dot", "graphml", "nodes", "edges")
"""Values of `--to`."""
TABLE_FORMATS = ("parquet", "arrow")
"""More values of `--to`, for the tables of a report."""

SHELLS = ("bash", "zsh", "fish")

HIDDEN = "__complete"
"""First word of the command that completion scripts run."""

LATER = ("query",)
"""Words reserved for future commands."""


def command_named(name: str) -> Subcommand:
    """The command of that name; the browser if there is none."""
    return next((command for command in COMMANDS if command.name == name), BROWSE)


def is_of(option: Option, command: Subcommand) -> bool:
    """True if a command accepts an option."""
    return option.name in SHARED or option.name in command.options or (option.name == "json" and command.has_json)


def listed_options(command: Subcommand) -> Sequence[Option]:
    """The options that change the answer of a command, with the help for it."""
    names = {*command.options, *command.common, *(("json",) if command.has_json else ())}
    if command is BROWSE:
        names.add("version")
    return [
        option._replace(help=command.helps.get(option.name, option.help)) for option in OPTIONS if option.name in names
    ]


# -- texts ------------------------------------------------------------------------------------------------------------

INTRODUCTION = """\
Coffeetree opens the trees that JVM toolchains write, of any size, in a
terminal: call trees, object trees and build reports of GraalVM native-image,
compilation logs of HotSpot, Flight Recorder files, HPROF profiles and heap
dumps, TPTP traces, and the output of -Xprof, -Xaprof and java -prof; plain or
.gz, .xz, .zst, .zip.
"""

REFERENCES = {
    "line": ("N", "the node printed on line N of a text report"),
    "id": ("N", "the declaration id=N of a call tree or object tree"),
    "node": ("N", "any node by its number in the view: node:0 is the first"),
    "name": ("TEXT", "the first node whose name is exactly TEXT"),
    "package": ("NAME", "a package"),
    "class": ("NAME", "a class or type"),
    "method": ("NAME", "a method: holder.name(types):type"),
    "task": ("N", "the compile task with that id; N% for an OSR compilation"),
    "trace": ("N", "an HPROF stack trace"),
    "thread": ("N", "a thread"),
    "object": ("0xHEX", "an object of a heap dump or trace"),
    "run": ("N/REF", "a node of one run, if a file holds several"),
    "session": ("N", "a session of a TPTP file"),
    "state": ("N", "a state of a thread, as the view Threads lists them"),
    "monitor": ("N", "a monitor of a trace"),
    "moment": ("N", "a moment at which heap numbers were recorded"),
    "call": ("N", "a call of a trace"),
    "collection": ("N", "a garbage collection"),
    "dump": ("N", "a heap dump within a trace"),
    "element": ("N", "an XML element of a trace"),
    "event": ("TYPE#N", "an event of a recording, counted from 1 within its type"),
    "type": ("NAME", "a type of events"),
    "stack": ("N", "a stack of a recording"),
}
"""Forms of REFs: prefix, value, meaning."""

TOPICS = {
    "ref": (
        "REF: how a node is named",
        """\
A REF is KIND:VALUE. It names the same node whenever the same file is opened.
Rows begin with their REF, the browser shows it in the status line, and `yr`
copies it there. If its value is the text of the row, the row shows only KIND:
and the text: `class:  java.lang.String` is class:java.lang.String.
""",
    ),
    "patterns": (
        "PATTERNS: what --cut, --suppress-... and --expand-... match",
        """\
Patterns are separated by commas. One is TEXT (the whole name), TEXT* (its
beginning), *TEXT (its end), *TEXT* (a part of it) or * (everything), as
native-image takes them. Quote them: the shell expands * otherwise.
--suppress-types, -roots and -methods hide what is below matches;
--expand-types, -roots and -methods make exceptions.
PATTERN of `find` and `why` is plain text, found anywhere in a line or name.
""",
    ),
    "status": (
        "Exit status",
        """\
0      done
1      nothing found; `diff` found differences; `check` found a broken rule
2      wrong usage, or the report can't be opened
3      done, but the report is damaged: standard error lists the problems
128+n  ended by signal n
""",
    ),
}
"""Topics of help: title and text."""

FILES = """\
Open a file that is named like a command as ./info. FILE#2 is the second heap
dump of a file. Words after -- are no options.
"""
