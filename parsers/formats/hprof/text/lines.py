"""The records of HPROF text as regular expressions, each anchored at both ends of its line; cut lines have their own.

Source: `hprof_io.c`, `hprof_trace.c`, `hprof_site.c`, `hprof_monitor.c` of JDK 8, which print them, and their ancestors
of JDK 1.2 to 1.4; checked on recorded output of JDK 8.
"""

from __future__ import annotations

import re

from parsers.formats.hprof.data.columns import COMPILED_METHOD, IS_CUT_LINE, NATIVE_METHOD, NO_LINE, UNKNOWN_LINE

# Numbers have a maximum length: longer ones are no records, and take no time to convert.

MOST_PIECE = 1023
"""Bytes of one piece of text that the agent formats: longer text is cut there, with its line end."""
MOST_PRELUDE = 64 << 10
"""Bytes after the header that are searched for the line of dashes that ends the prelude."""

HEADER = re.compile(rb"JAVA PROFILE (\d[\w.]*)(?:, created (.*))?")
PRELUDE_END = re.compile(rb"^--------\r?\n", re.MULTILINE)

THREAD_START = re.compile(
    rb'THREAD START \(obj=([0-9a-fA-F]+), id = (\d{1,20}), name="(.*)", group="(.*)"\)', re.DOTALL
)
CUT_THREAD_START = re.compile(rb'THREAD START \(obj=([0-9a-fA-F]+), id = (\d{1,20}), name="(.*)', re.DOTALL)
THREAD_STOP = re.compile(rb'"\)\r?\n')
THREAD_END = re.compile(rb"THREAD END \(id = (\d{1,20})\)")

TRACE = re.compile(rb"TRACE (\d{1,20}):(?: \(thread=(\d{1,20})\))?(?: \(from (\w+) phase of JVM\))?")
FRAME = re.compile(rb"(.+)\.([^.(]+)\((.*)\)", re.DOTALL)
"""A line of a stack after its tab."""
PLACE = re.compile(rb"(.*):(\d{1,20}|Unknown line|Native method|Compiled method)", re.DOTALL)
"""Text in the brackets of a frame."""
EMPTY = b"\t<empty>"
EMPTY_LINES = re.compile(rb"\n+")

BEGIN = re.compile(
    rb"(CPU SAMPLES|CPU TIME|SITES|HEAP DUMP|MONITOR TIME|MONITOR DUMP)(?: \(ms\))? BEGIN(?: \((.*?)\))?(?: (.*))?"
)
END = re.compile(rb"(CPU SAMPLES|CPU TIMES?|SITES|HEAP DUMP|MONITOR TIME|MONITOR DUMP)(?: \(ms\))? END")
LATE_END = b"HEAP DUMP END"
"""Follows half a line where the agent lost the rest of a dump of more than 4 GiB."""
TOTAL = re.compile(rb"total = (-?\d{1,20})|(\d{1,20}) (?:samples|objects)")
TICKS = re.compile(rb"(\d{1,20}) samples, (\d{1,20}) ticks")
"""Inside the brackets of IBM's CPU SAMPLES; the shares of its rows are shares of the ticks."""

RANK = re.compile(rb" *(\d{1,20}) +(-?\d{1,20}\.\d\d)% +(-?\d{1,20}\.\d\d)% +(-?\d{1,20}) +(\d{1,20})(?: (.*))?")
"""A row of CPU SAMPLES, CPU TIME or MONITOR TIME."""
RANK_PREFIX = re.compile(rb" *\d{1,20} +-?\d{1,20}\.\d\d% +-?\d{1,20}\.\d\d% +-?\d{1,20} +\d{1,20}(?= )")
RANK_TITLE = re.compile(rb"rank +self +accum +count +trace +(?:method|monitor) *")
SHARE = re.compile(rb" *(\d{1,20}) +(-?\d{1,20}\.\d\d)% +(-?\d{1,20}\.\d\d)% +(\S.*?) *")
"""A row of IBM's CPU SAMPLES: no count, no trace; a signature may follow the method after a blank."""
SHARE_TITLE = re.compile(rb"rank +self +accum +method *")
SITE = re.compile(
    rb" *(\d{1,20}) +(-?\d{1,20}\.\d\d)% +(-?\d{1,20}\.\d\d)%"
    rb" +(-?\d{1,20}) +(-?\d{1,20}) +(-?\d{1,20}) +(-?\d{1,20}) +(\d{1,20})(?: (.*))?"
)
SITE_TITLE = re.compile(
    rb" *percent +live +alloc'ed +stack +class *| *rank +self +accum +bytes +objs +bytes +objs +trace +name *"
)

OBJECT = re.compile(rb"OBJ ([0-9a-fA-F]{1,16}) \(sz=(\d{1,20}), trace=(\d{1,20}), class=(.*)\)")
ARRAY = re.compile(rb"ARR ([0-9a-fA-F]{1,16}) \(sz=(\d{1,20}), trace=(\d{1,20}), nelems=(\d{1,20}), elem type=(.*)\)")
CLASS = re.compile(rb"CLS ([0-9a-fA-F]{1,16}) \(name=(.*), trace=(\d{1,20})\)")
CUT_OBJECT = re.compile(rb"OBJ ([0-9a-fA-F]{1,16}) \(sz=(\d{1,20}), trace=(\d{1,20}), class=(.*)", re.DOTALL)
CUT_ARRAY = re.compile(
    rb"ARR ([0-9a-fA-F]{1,16}) \(sz=(\d{1,20}), trace=(\d{1,20}), nelems=(\d{1,20}), elem type=(.*)", re.DOTALL
)
CUT_CLASS = re.compile(rb"CLS ([0-9a-fA-F]{1,16}) \(name=(.*)", re.DOTALL)
CLASS_ID = re.compile(rb"(.*)@([0-9a-fA-F]{1,16})", re.DOTALL)
REFERENCE = re.compile(rb"\t(.*?)\t+([0-9a-fA-F]{1,16})")
INDEX = re.compile(rb"\[(\d{1,20})\]")
CONSTANT = re.compile(rb"(?:constant pool entry |constant\[)(\d{1,20})\]?")

ROOT = re.compile(rb"ROOT ([0-9a-fA-F]{1,16}) \(kind=<(.*?)>(.*)\)")
CUT_ROOT = re.compile(rb"ROOT ([0-9a-fA-F]{1,16}) \(kind=<(.*?)>(.*)", re.DOTALL)
ROOT_FIELD = re.compile(rb", (id|trace|thread|frame)=([0-9a-fA-F]{1,16})")
ROOT_NAME = re.compile(rb", name=(.*)", re.DOTALL)

WAIT = re.compile(rb"(WAIT|WAITED): MONITOR (.*), (?:timeout|time_waited)=(-?\d{1,20}), thread (\d{1,20})")
SLEEP = re.compile(rb"SLEEP: timeout=(-?\d{1,20}), thread (\d{1,20})")
EXIT = re.compile(rb"EXIT: MONITOR (.*), thread (\d{1,20})")
CUT_WAIT = re.compile(rb"(WAIT|WAITED|EXIT): MONITOR (.*)", re.DOTALL)

DUMPED = re.compile(rb"    THREAD (\d{1,20}), trace (\d{1,20}), status: (.*)")
MONITOR = re.compile(rb"    (RAW )?MONITOR (.*?)( unowned)?")
CUT_MONITOR = re.compile(rb"    (RAW )?MONITOR (.*)", re.DOTALL)
OWNER = re.compile(rb"\towner: (?:thread (\d{1,20})|(<unknown thread>)), entry count: (-?\d{1,20})")
WAITERS = re.compile(rb"\twaiting to (enter|be notified):(.*)", re.DOTALL)
WAITER = re.compile(rb"thread (\d{1,20})")

BEGINS = re.compile(
    rb"^(CPU SAMPLES|CPU TIME|SITES|HEAP DUMP|MONITOR TIME|MONITOR DUMP)(?: \(ms\))? BEGIN(?: \([^\n]*)?\r?$",
    re.MULTILINE,
)
ENDS = re.compile(
    rb"^(CPU SAMPLES|CPU TIME|SITES|HEAP DUMP|MONITOR TIME|MONITOR DUMP)S?(?: \(ms\))? END\r?$", re.MULTILINE
)
"""First and last lines of sections, anywhere in a text."""

HEAP_RECORDS = re.compile(rb"^(?:OBJ|ARR|CLS) [0-9a-fA-F]{1,16} \((?:sz|name)=", re.MULTILINE)
"""Records of a heap dump, anywhere in a text."""

STRANGE_RUN = re.compile(rb"(?>[^TWSECHMJ\t\r\n][^\n]{0,1000}+\n)++")
STRANGE_RUN_IN_SECTION = re.compile(
    rb"(?>[^TWSECHMJOAR\d \t\r\npr][^\n]{0,1000}+(?<!HEAP DUMP END)(?<!HEAP DUMP END\r)\n)++"
)
"""Lines that are no records by their first letters: of a megabyte there may be half as many."""

SPECIAL_LINES = {
    b"Unknown line": UNKNOWN_LINE,
    b"Native method": NATIVE_METHOD,
    b"Compiled method": COMPILED_METHOD,
}


def split_frame(text: bytes) -> tuple[bytes, bytes | None, int]:
    """Returns method (`class.method`), source and line of a frame; a cut one is all method, without a source."""
    found = FRAME.fullmatch(text)
    if found is None:
        return text.partition(b"(")[0], None, IS_CUT_LINE
    method = text[: found.end(2)]
    place = PLACE.fullmatch(found[3])
    if place is None:
        return method, found[3], NO_LINE
    line = SPECIAL_LINES.get(place[2])
    return method, place[1], min(int(place[2]), IS_CUT_LINE - 1) if line is None else line
