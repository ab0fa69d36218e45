"""Fields that HotSpot adds to classes of the JDK, and fields that it keeps apart in memory: neither is in a heap dump.

Source: `*_INJECTED_FIELDS` in `javaClasses.hpp` of JDK 6, 7, 8, 11, 17, 21 and 25, and the annotation `@Contended` in
the class files of JDK 8, 11, 17, 21 and 25. A JDK between two of them is treated as the lower one. Checked against
`jcmd GC.class_histogram` of JDK 8, 11, 17, 21 and 25 with 64 bits and of JDK 8, 17 and 21 with 32 bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

REFERENCE, ADDRESS = -1, -2
"""Special widths of a field: a reference, a machine address."""

STACK = "jdk.internal.vm.StackChunk"
"""The stack of a virtual thread that is not running. Its frames follow its fields; `size` is their number of words."""
_NAMED_METHOD, _RESOLVED = "java.lang.invoke.MemberName", "java.lang.invoke.ResolvedMethodName"
_CALL_SITE_CONTEXT = "java.lang.invoke.MethodHandleNatives$CallSiteContext"

_IN_6: Mapping[str, tuple[int, ...]] = {"java.lang.Class": (REFERENCE,) * 3}
_IN_7 = {"java.lang.Class": (*[REFERENCE] * 3, 4, 4), _NAMED_METHOD: (ADDRESS, REFERENCE)}
_IN_8 = {
    "java.lang.Class": (ADDRESS, ADDRESS, 4, 4, *[REFERENCE] * 3),
    "java.lang.ClassLoader": (ADDRESS,),
    _NAMED_METHOD: (ADDRESS, ADDRESS, REFERENCE),
}
_IN_9 = {
    **_IN_8,
    "java.lang.Module": (ADDRESS,),
    "java.lang.StackFrameInfo": (2,),
    _CALL_SITE_CONTEXT: (ADDRESS,),
}
_IN_11 = {**_IN_9, _NAMED_METHOD: (ADDRESS,), _RESOLVED: (ADDRESS, REFERENCE)}
_IN_15 = {
    **_IN_11,
    "java.lang.String": (1,),
    "java.lang.InternalError": (1,),
    _CALL_SITE_CONTEXT: (ADDRESS, 8),
}
_IN_21 = {
    **_IN_15,
    "java.lang.Thread": (ADDRESS, 4, 2, 1),
    STACK: (REFERENCE, ADDRESS, 4, 1),
}
_IN_25 = {
    **_IN_21,
    "java.lang.Class": (ADDRESS, ADDRESS, 4, 4, *[REFERENCE] * 2),
    _RESOLVED: (ADDRESS,),
    "java.lang.VirtualThread": (ADDRESS,),
    STACK: (REFERENCE, ADDRESS, 4, 1, 1),
}
_INJECTED = (
    (25, _IN_25), (21, _IN_21), (15, _IN_15), (11, _IN_11), (9, _IN_9), (8, _IN_8), (7, _IN_7), (1, _IN_6), (0, _IN_8),
)  # fmt: skip
"""Fields from a JDK on; an unknown JDK is treated as 8."""
CALL_SITE = "java.lang.invoke.CallSite"
IN_CALL_SITE = (ADDRESS, 8)
"""Added to that class if it has no `context`: since 25, and where JDK-8347564 was backported."""


class Contended(NamedTuple):
    """Fields of a class with cache lines of their own."""

    is_whole: bool
    """True if it is all of its fields together."""
    names: frozenset[bytes] = frozenset()
    """Fields that are a group of their own."""


_CONCURRENT = "java.util.concurrent."
_POOL, _QUEUE = f"{_CONCURRENT}ForkJoinPool", f"{_CONCURRENT}ForkJoinPool$WorkQueue"
_NODE, _SLOT = f"{_CONCURRENT}Exchanger$Node", f"{_CONCURRENT}Exchanger$Slot"
_WHOLE = Contended(True)


def _group(*names: str) -> Contended:
    return Contended(False, frozenset(name.encode() for name in names))


_APART_8: Mapping[str, Contended] = {
    "java.lang.Thread": _group("threadLocalRandomSeed", "threadLocalRandomProbe", "threadLocalRandomSecondarySeed"),
    f"{_CONCURRENT}ConcurrentHashMap$CounterCell": _WHOLE,
    f"{_CONCURRENT}atomic.Striped64$Cell": _WHOLE,
    _NODE: _WHOLE,
    _POOL: _WHOLE,
    _QUEUE: _WHOLE,
}
_APART_9 = {
    **_APART_8,
    _POOL: _group("ctl"),
    f"{_CONCURRENT}SubmissionPublisher$BufferedSubscription": Contended(True, frozenset((b"demand", b"waiting"))),
}
_APART_17 = {**_APART_9, _QUEUE: _group("top", "source", "nsteals")}
_APART_21 = {
    **{name: found for name, found in _APART_17.items() if name != "java.lang.Thread"},
    _POOL: _group("ctl", "parallelism"),
    _QUEUE: _group("top", "access", "phase", "source", "nsteals"),
}
_APART_25 = {
    **{name: found for name, found in _APART_21.items() if name != _NODE},
    _SLOT: _WHOLE,
    _QUEUE: _group("top", "phase", "stackPred", "source", "nsteals", "parking"),
}
_APART: tuple[tuple[int, Mapping[str, Contended]], ...] = (
    (25, _APART_25), (21, _APART_21), (17, _APART_17), (9, _APART_9), (8, _APART_8), (1, {}), (0, _APART_8),
)  # fmt: skip


def injected(jdk: int) -> Mapping[str, tuple[int, ...]]:
    """Returns, by class, the bytes of each field that the JVM adds, or REFERENCE, or ADDRESS."""
    return next(found for since, found in _INJECTED if jdk >= since)


def contended(jdk: int) -> Mapping[str, Contended]:
    """Returns the contended fields by class."""
    return next(found for since, found in _APART if jdk >= since)
