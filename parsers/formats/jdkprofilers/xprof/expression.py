"""The lines of `-Xprof` and `-Xaprof` as regular expressions, to be searched for: text of the program may be anywhere.

Sources: `fprofiler.cpp` and `aprofiler.cpp` of HotSpot, JDK 7 and 8.
"""

from __future__ import annotations

import re

from parsers.formats.jdkprofilers.xprof.recording import BLOCKED

NUMBER = rb"\d{1,18}"
PERCENT = rb"(100\.0|\d{1,2}\.\d)%"
HEAD = re.compile(rb"Flat profile of (\d{1,12}\.\d+) secs \((%b) total ticks\): (.*)" % NUMBER)
PART_OF_HEAD = re.compile(rb"Flat profile of \d|(?:^|\s|\()%b total ticks\): (.+)" % NUMBER)
SUMMARY = re.compile(rb"Global summary of (\d{1,12}\.\d+) seconds:")
TITLE = re.compile(rb"(Interpreted|Compiled|Runtime stub|Stub)(.{0,200}?)( ?\+ native   Method *)")
ROW = re.compile(rb"%b +(%b) +\+ +(%b) {4}(\S.*)" % (PERCENT, NUMBER, NUMBER))
START = re.compile(rb"%b (?=[ \d]{5})( *%b)(?!\d)" % (PERCENT, NUMBER))
NATIVE = re.compile(rb"\+(?<![^ ]\+) (?=[ \d]{5})( *%b)(?!\d)" % NUMBER)
"""A row or label is printed in pieces, between which the program may print: `%5.1f%% %5d`, of rows ` + %5d `, blanks up
to column 25, and a name."""
TICKS_WIDTH = 5
MOST_BLANKS = 25 - len(b"100.0% ") - TICKS_WIDTH
"""Blanks before the name of a label whose ticks have no more than five digits."""
LAST_WORD = re.compile(rb"(.*\s)([A-Za-z_$\x80-\xff]\S*)", re.DOTALL)
TOTAL_LAST = re.compile(
    rb"(.*?)(Total (?:interpreted|compiled|stub|runtime stubs)(?: \(including elided\))?)", re.DOTALL
)
TOTAL_NAME = re.compile(rb"Total (interpreted|compiled|stub|runtime stubs)( \(including elided\))?")
TOTAL_KINDS = {b"interpreted": 0, b"compiled": 1, b"stub": 2, b"runtime stubs": 3}
TOTAL_NAMES = tuple(b"Total %b%b" % (kind, end) for kind in TOTAL_KINDS for end in (b"", b" (including elided)"))
_LEGAL_METHOD = rb"[^\s.;\[/:]++(?:[./][^\s.;\[/:]++)*\.[^\s.;\[/:]++"
LEGAL_METHOD = re.compile(_LEGAL_METHOD)
TITLE_OR_TOTAL = re.compile(
    rb" *(?:(Interpreted|Compiled|Runtime stub|Stub) \+ native   Method|%b +(%b) +\+ +(%b) {4}(%b))[ \t]*\r?\n"
    % (PERCENT, NUMBER, NUMBER, TOTAL_NAME.pattern)
)
"""A line that is a title or a total, without output of the program: kind of code; or as of a row, and the words of the
name."""
NOTE = re.compile(rb"  (\(.*\))\Z")
"""The symbol after a stub, with `+ProfileVM`."""

LABEL_ROW = re.compile(rb"%b +(%b)( {2,})(\S.*)" % (PERCENT, NUMBER))
LABEL_NAMES = (
    BLOCKED,
    b"Class loader",
    b"Extra",
    b"Interpreter",
    b"Compilation",
    b"Unknown: vtable stubs",
    b"Unknown: null method",
    b"Unknown: running frame",
    b"Unknown: calling frame",
    b"Unknown: no pc",
    b"Unknown: no last frame",
    b"Unknown: thread_state",
    b"Received ticks",
    b"Received GC ticks",
    b"Deoptimization",
    b"Other VM operations",
    b"Unknown code",
    b"Lost ticks",
    b"classloader",
)
"""Names of labels, in JDK 8 and (`classloader`) in 1.3."""
LABEL_LAST = re.compile(rb"(.*?)(%b)(.*)" % b"|".join(map(re.escape, LABEL_NAMES)), re.DOTALL)
"""A known label after blanks and output of the program, perhaps with more of that after it."""

LABEL_BLANKS = 8
"""Blanks before an unknown label: they fill up to column 25."""

BYTECODE_ROW = re.compile(rb"(?:^|\s)(%b) +(%b) = (\S+)\s*\Z" % (NUMBER, NUMBER))
TABLE_HEAD = re.compile(
    rb"Allocation profile \(sizes in bytes, cutoff = (\d{1,18}) bytes\):|Allocation profile for system classes"
    rb"|Permanent generation dump"
)
TABLE_TITLE = re.compile(rb"_+Size__Instances__Average__Class_+")
CLASS_ROW = re.compile(rb"(?:^|\s)(%b) +(%b) +(%b) {2}(\S.*)" % (NUMBER, NUMBER, NUMBER))
LEGAL_CLASS = re.compile(rb"\[+[BCDFIJSZ]|\[+L[^\s;]+;|[^\s;\[]+")
TABLE_END = b"--total--"

_KEYWORD = (
    rb"Flat profile of |\)(?<= total ticks\)): |Global summary of |Thread-local ticks:|Bytecode ticks:|native   Method"
    rb"|Allocation profile|Permanent generation dump"
)
KEYWORD_OF_PART = re.compile(_KEYWORD)
"""Texts that occur in each line with which a part of a profile begins. None begins with a blank: that would be slow."""
METHOD_ROW = re.compile(
    rb"( *+|(?:(?!%b)[^%%\n]){0,400}?)%b +(%b) +\+ +(%b) {4}(%b)[ \t]*\r?\n"
    % (_KEYWORD, PERCENT, NUMBER, NUMBER, _LEGAL_METHOD)
)
"""A line with the row of a method: blanks or output of the program, percent, ticks in code and in native code, name."""
SPLIT_ROW = re.compile(
    rb"(?:(?!%b)[^%%+\n]){0,400}?%b (?=[ \d]{5})( *%b)(?!\d)((?:(?!%b|\+ [ \d])[^%%\n]){0,400})\n"
    rb"()(?:[^%%+\n]{0,400} )?\+ (?=[ \d]{5})( *%b)(?!\d)[ \t]*(%b)[ \t]*\r?\n"
    % (_KEYWORD, PERCENT, NUMBER, _KEYWORD, NUMBER, _LEGAL_METHOD)
)
"""Two lines with the row of a method, split by the end of a line, mostly behind output of the program. Groups:
percent, ticks in code, that output, the second line's begin, ticks in native code, name."""
KEYWORD = re.compile(rb"%|" + _KEYWORD)
"""Texts that occur in each relevant line outside of tables."""
PIECE = re.compile(rb"%%|\+ [ \d]|\d  \S|_Size__| = |%b|%b" % (_KEYWORD, b"|".join(map(re.escape, LABEL_NAMES))))
"""The same, with those of second halves of rows and labels, of bytecodes and of tables."""
