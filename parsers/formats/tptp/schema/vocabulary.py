"""Names of elements and attributes of a TPTP trace and the slots of their values: data that a user can extend.

Sources: XML4Profiling and trace.dtd (2004), recorded files of TPTP 4.x, the design papers of its agents. Names that
other writers use are in ALIASES.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from parsers.io.digest import blake2b

SLOTS = 8
"""Numbers in an event; the meaning of a slot depends on the element."""
THREAD, TIME, OBJECT, CLASS, METHOD, TICKET, DEPTH, OVERHEAD = range(SLOTS)
TARGET = OWNER = USED_OBJECTS = METHOD
SIZE = TIMEOUT = USED_BYTES = DUMP = COUNT = TICKET
IS_ARRAY = ROOT_TYPE = TOTAL_BYTES = FIRST_LINE = DEPTH
LAST_LINE = OVERHEAD
THREAD_NAME, THREAD_GROUP, THREAD_PARENT = METHOD, TICKET, DEPTH
CLASS_NAME, CLASS_SOURCE = METHOD, TICKET
METHOD_NAME, METHOD_SIGNATURE = TICKET, OBJECT
DUMP_NAME = METHOD

NUMBER, ID, SECONDS, TRUTH, ROOT_WORD, WORD, IGNORED, TEXT = range(8)
"""Kinds of values: an integer; an id, mostly an integer; seconds with a point, stored as nanoseconds; a boolean; one
of ROOT_TYPES, else a word; a word; a value that is not needed; any text, which has no slot.
"""


class Attribute(NamedTuple):
    """Kind and slot of an attribute's value."""

    kind: int
    slot: int = SLOTS
    """Slot of its number; SLOTS: none."""


ATTRIBUTES: dict[str, Attribute] = {
    "threadId": Attribute(ID, THREAD),
    "threadIdRef": Attribute(ID, THREAD),
    "time": Attribute(SECONDS, TIME),
    "objId": Attribute(ID, OBJECT),
    "objIdRef": Attribute(ID, OBJECT),
    "srcIdRef": Attribute(ID, OBJECT),
    "newObjId": Attribute(ID, TARGET),
    "targetIdRef": Attribute(ID, TARGET),
    "threadOwner": Attribute(ID, OWNER),
    "classId": Attribute(ID, CLASS),
    "classIdRef": Attribute(ID, CLASS),
    "methodId": Attribute(ID, METHOD),
    "methodIdRef": Attribute(ID, METHOD),
    "ticket": Attribute(NUMBER, TICKET),
    "stackDepth": Attribute(NUMBER, DEPTH),
    "overhead": Attribute(SECONDS, OVERHEAD),
    "count": Attribute(NUMBER, COUNT),
    "startLineNumber": Attribute(NUMBER, FIRST_LINE),
    "endLineNumber": Attribute(NUMBER, LAST_LINE),
    "isArray": Attribute(TRUTH, IS_ARRAY),
    "size": Attribute(NUMBER, SIZE),
    "usedObjects": Attribute(NUMBER, USED_OBJECTS),
    "usedObjSpace": Attribute(NUMBER, USED_BYTES),
    "totalObjSpace": Attribute(NUMBER, TOTAL_BYTES),
    "heapDumpId": Attribute(ID, DUMP),
    "heapDumpIdRef": Attribute(ID, DUMP),
    "type": Attribute(ROOT_WORD, ROOT_TYPE),
    "timeout": Attribute(NUMBER, TIMEOUT),
    "threadName": Attribute(WORD, THREAD_NAME),
    "groupName": Attribute(WORD, THREAD_GROUP),
    "parentName": Attribute(WORD, THREAD_PARENT),
    "sourceName": Attribute(WORD, CLASS_SOURCE),
    "signature": Attribute(WORD, METHOD_SIGNATURE),
    "collationValue": Attribute(IGNORED),
    "traceIdRef": Attribute(IGNORED),
}
"""Attributes that have a slot or are not needed. Any other is text."""
NAMES = {"classDef": CLASS_NAME, "methodDef": METHOD_NAME, "heapDumpDef": DUMP_NAME}
"""Slots of the attribute `name`, a word, of elements that have it."""
OF_ANY = "threadIdRef time collationValue traceIdRef"
"""Attributes that any element may have."""

ELEMENTS: dict[str, str] = {
    "TRACE": "",
    "node": "",
    "processCreate": "",
    "agentCreate": "",
    "traceStart": "",
    "traceEnd": "",
    "agentDestroy": "",
    "filter": "",
    "option": "",
    "runtimeInitDone": "",
    "runtimeShutdown": "",
    "processSuspend": "",
    "processResume": "",
    "threadStart": "threadId objIdRef threadName groupName parentName",
    "threadEnd": "",
    "classDef": "classId objIdRef name sourceName",
    "classUnload": "classIdRef",
    "methodDef": "methodId classIdRef name signature startLineNumber endLineNumber",
    "methodEntry": "methodIdRef classIdRef objIdRef ticket stackDepth",
    "methodExit": "methodIdRef classIdRef objIdRef ticket stackDepth overhead",
    "methodCount": "methodIdRef classIdRef count",
    "agMethodEntry": "methodIdRef classIdRef",
    "agMethodExit": "methodIdRef classIdRef",
    "objAlloc": "objId size classIdRef isArray",
    "objDef": "objId size classIdRef isArray",
    "objFree": "objIdRef size classIdRef",
    "objMove": "objIdRef newObjId",
    "gcStart": "",
    "gcFinish": "usedObjects usedObjSpace totalObjSpace",
    "heapDumpDef": "heapDumpId name",
    "gcRoot": "heapDumpIdRef objIdRef type",
    "objectReference": "heapDumpIdRef srcIdRef targetIdRef",
    "monContendedEnter": "objIdRef classIdRef threadOwner timeout",
    "monContendedEntered": "objIdRef classIdRef threadOwner timeout",
    "monContendedExit": "objIdRef classIdRef threadOwner timeout",
    "monWait": "objIdRef classIdRef threadOwner timeout",
    "monWaited": "objIdRef classIdRef threadOwner timeout",
    "methodCall": "",
    "methodReturn": "",
    "methodBody": "",
    "method": "",
    "invocationContext": "",
    "value": "",
    "tag": "",
    "code": "",
    "line": "",
    "throw": "",
    "catch": "",
}
"""Known elements and which of their attributes have a slot; an event whose attributes all have one has no texts."""
CODES: dict[str, int] = {name: code for code, name in enumerate(ELEMENTS, 1)}
"""Numbers of elements, from 1."""
SESSION_ELEMENTS = frozenset(
    (
        *("TRACE", "node", "processCreate", "agentCreate", "traceStart", "traceEnd", "agentDestroy", "filter"),
        "option",
    )
)
"""Elements with facts of the session: all their attributes are stored."""
UNKNOWN = 0
"""Code of an unknown element."""
NOTHING = 255
"""Code of a row that is no event."""

ALIASES: dict[str, str] = {
    "objReference": "objectReference",
    "sourceIdRef": "srcIdRef",
    "srcObjIdRef": "srcIdRef",
    "ownerIdRef": "srcIdRef",
    "tgtIdRef": "targetIdRef",
    "refIdRef": "targetIdRef",
    "ownerThreadIdRef": "threadOwner",
    "threadOwnerIdRef": "threadOwner",
}
"""Other names of elements and attributes."""
SECOND = "transient"
"""Prefix of relocatable ids: `transientObjIdRef` is used if there is no `objIdRef`."""

ROOT_TYPES = (
    "THREAD",
    "JNI_GLOBAL",
    "JNI_LOCAL",
    "STACK_LOCAL",
    "NATIVE_STACK",
    "SYSTEM_CLASS",
    "THREAD_BLOCK",
    "MONITOR",
    "OTHER",
    "UNKNOWN",
)
"""Types of roots that are stored as their index here; any other is text."""
TRUTHS: dict[str, int] = {"false": 0, "true": 1, "0": 0, "1": 1}

TEXTS = frozenset(
    (
        *("nodeId", "hostname", "ipaddress", "timezone", "processId", "pid", "nodeIdRef", "agentId", "version"),
        *("processIdRef", "agentName", "agentType", "agentParameters", "traceId", "agentIdRef", "pattern", "mode"),
        *("genericPattern", "methodPattern", "methodMode", "methodGenericPattern", "key", "value", "name"),
    )
)
"""Attributes that are texts, in all or some elements."""

USERS_FILE = "tptp-names"
"""Name of a file in the folder `coffeetree` of the configuration: lines `their name = our name`."""
MOST_USERS_BYTES = 64 << 10
MOST_OWN = 100
"""Maximum lines of that file that are used."""


@dataclass(frozen=True)
class Vocabulary:
    """All names with the aliases of a user. Create it with `vocabulary`."""

    aliases: Mapping[str, str]
    own: tuple[tuple[str, str], ...] = ()
    """Names added by the user."""

    @property
    def digest(self) -> str:
        """Hash of the user's additions; empty if there are none."""
        text = "\n".join(f"{name}={meaning}" for name, meaning in self.own)
        return blake2b(text.encode(), digest_size=8).hexdigest() if self.own else ""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All spellings of known elements, those of `ELEMENTS` first."""
        return (*ELEMENTS, *(name for name, meaning in self.aliases.items() if meaning in ELEMENTS))

    @cached_property
    def codes(self) -> dict[str, int]:
        """Codes of known elements by spelling."""
        return {name: CODES[self.aliases.get(name, name)] for name in self.names}

    @cached_property
    def attributes(self) -> dict[int, dict[str, Attribute]]:
        """Attributes with a kind other than text, by our names, by element code."""
        return {code: _attributes_of(name) for name, code in CODES.items()}

    @cached_property
    def spelled(self) -> dict[int, dict[str, Attribute]]:
        """The same by spelling, with aliases, without those of `second`."""
        found: dict[int, dict[str, Attribute]] = {}
        for code, known in self.attributes.items():
            others = {name: known[meaning] for name, meaning in self.aliases.items() if meaning in known}
            found[code] = {**others, **known}
        return found

    @cached_property
    def second(self) -> dict[int, dict[str, Attribute]]:
        """Attributes that are only used where others have no valid value, by spelling, by element code."""
        found: dict[int, dict[str, Attribute]] = {}
        for code, known in self.attributes.items():
            spelled = {f"{SECOND}{name[:1].upper()}{name[1:]}": known[name] for name in known if name in ATTRIBUTES}
            found[code] = {name: each for name, each in spelled.items() if name not in self.aliases}
        return found


def _attributes_of(element: str) -> dict[str, Attribute]:
    known = {name: ATTRIBUTES[name] for name in f"{OF_ANY} {ELEMENTS[element]}".split() if name in ATTRIBUTES}
    return known if element not in NAMES else {**known, "name": Attribute(WORD, NAMES[element])}


PLAIN = Vocabulary(ALIASES)
"""The vocabulary without a user's additions."""


def vocabulary(path: str | None = None) -> Vocabulary:
    """Returns all names with those of the user's file; only ours if it cannot be read."""
    try:
        with open(path or users_file(), "rb") as file:
            lines = file.read(MOST_USERS_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return PLAIN
    own = tuple(islice(_pairs(lines), MOST_OWN))
    return Vocabulary({**ALIASES, **dict(own)}, own) if own else PLAIN


def users_file() -> str:
    """Returns the path of the file with a user's own names."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(home, "coffeetree", USERS_FILE)


def _pairs(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Yields the pairs from lines that name one of our elements or attributes; ignores other lines."""
    for line in lines:
        name, mark, meaning = (part.strip() for part in line.partition("#")[0].partition("="))
        is_new = mark and name and name not in ELEMENTS and name not in ATTRIBUTES
        if is_new and (meaning in ELEMENTS or meaning in ATTRIBUTES or meaning in TEXTS):
            yield name, meaning
