"""What the views of a heap ask of text and binary dumps: objects by number, what they refer to, what leads to them.

Objects are numbered through all heap dumps of a file, and so are references, types (classes by name and loader) and
roots. A *site* is one step between two objects:

    0 … references-1                                  a reference: a field, an element, a static, a superclass …
    references … references+objects-1                 the class of the object `site - references`
    references+objects … references+objects+roots-1   a root, which leads to an object from outside of the heap

The plain meaning of all this is in `tests/plain_heap.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.heapdump.collections.contents import Instance
    from parsers.heapdump.graph.elements import Elements
    from parsers.heapdump.paths.path_to_root import Held

NO_OBJECT = -1
"""In place of an object: the dump has none of that id, or a root leads there from outside."""


@value_class
class Dump:
    """One heap dump of a file."""

    number: int
    """From 0."""
    run: int
    """Number of the snapshot that it is part of, as a REF has it: from 1."""
    objects: range
    roots: range
    offset: int
    date: str
    printed: str
    """What the file says of its size."""
    is_whole: bool
    process: int = 0
    """Of which of the processes it is whose data the file holds: dumps of others have nothing in common with it."""


@value_class
class Label:
    """What a reference is of its object."""

    kind: str
    """"field", "element", "static", "constant", "super", "loader", "signers", "domain" or "class"; empty: not told."""
    text: str
    """As a row has it before the object: `next`, `[17]`, `static instance`, `super` …"""
    times: int = 1
    """How many equal ones there are, where nothing tells them apart."""

    @property
    def named(self) -> str:
        """The text, or that it is a reference and nothing else."""
        return self.text or f"reference{self.counted}"

    @property
    def counted(self) -> str:
        """What stands behind either of its objects: how many there are, where these are several."""
        return f" ({self.times:,} times)" if self.times > 1 else ""

    def behind(self, holder: str) -> str:
        """A reference behind the object that it is of."""
        return f"{holder} {self.text}" if self.text else f"{holder}{self.counted}"


@value_class
class Root:
    """What holds an object from outside of the heap."""

    kind: str
    object: int
    id: int
    thread: int | None
    """Id of the thread that it is of."""
    frame: int | None
    trace: int | None
    """Row of the trace that is printed with it."""
    name: str
    """Of a system class, or all that stands in a root of an unknown kind."""
    offset: int


class ObjectGraph(Protocol):
    """The objects of a file. Whatever is asked of one object costs the same in any heap."""

    dumps: Sequence[Dump]
    """Where an index is built in stages, what a stage makes is not known before it is whole: see `has`."""
    objects: int
    references: int
    roots: int
    root_kinds: Sequence[str]
    types: int

    def has(self, stage: str) -> bool:
        """Whether what a stage of the index makes is known: "references" both ways, "ways" …"""
        ...

    def follow(self) -> None:
        """More stages are whole."""
        ...

    def dump_of(self, object: int) -> Dump:
        """The dump that an object is of."""
        ...

    def id(self, object: int) -> int:
        """As printed."""
        ...

    def find(self, id: int, dump: Dump) -> int:
        """The object of an id, NO_OBJECT if the dump has none."""
        ...

    def kind(self, object: int) -> int:
        """PLAIN_OBJECT, OBJECT_ARRAY, PRIMITIVE_ARRAY, CLASS_OBJECT of `columns`."""
        ...

    def type(self, object: int) -> int:
        """Its class; of a class object the class that it is the object of."""
        ...

    def type_name(self, type: int) -> str:
        """As Java writes it, `int[]` for arrays."""
        ...

    def type_text(self, type: int) -> str:
        """The name with what tells it from others of that name: `name@id`, the id of its class object."""
        ...

    def class_object(self, type: int, dump: Dump) -> int:
        """The object of a class, NO_OBJECT if the dump has none."""
        ...

    def loader(self, type: int, dump: Dump) -> int:
        """The object of the loader of a class, NO_OBJECT where the JVM itself loaded it."""
        ...

    def of_heap(self, objects: Any) -> Any:
        """Those of many, as numpy array, that are objects of the heap, and not only named by some."""
        ...

    @property
    def tells_loaders(self) -> bool:
        """Whether it is told who loaded classes."""
        ...

    @property
    def tells_retained(self) -> bool:
        """Whether there are retained sizes, now or later."""
        ...

    def retained_by(self, grouping: str, type: int, dump: Dump) -> int | None:
        """Bytes that all objects of a "type", its "package" or its "loader" retain; None where that isn't known."""
        ...

    def size(self, object: int) -> int:
        """Bytes in the heap."""
        ...

    def printed_size(self, object: int) -> int:
        """Bytes as the file says."""
        ...

    def elements(self, object: int) -> int:
        """Of an array how many, as the file says."""
        ...

    def trace(self, object: int) -> int | None:
        """Row of the trace that allocated it."""
        ...

    def made_at(self, trace: int) -> Sequence[int]:
        """The objects that a trace allocated, in all dumps."""
        ...

    def offset(self, object: int) -> int | None:
        """Byte of the file where it is."""
        ...

    def is_cut(self, object: int) -> bool:
        """Whether its class lost the end of its name in the file."""
        ...

    def sites(self, object: int) -> Sequence[int]:
        """Its references; and its class, where nothing else leads from a root to that."""
        ...

    def target(self, site: int) -> int:
        """Where a site leads."""
        ...

    def owner(self, site: int) -> int:
        """The object that a site is of, NO_OBJECT for a root."""
        ...

    def label(self, site: int) -> Label:
        """What a reference is of its owner."""
        ...

    def supers(self, type: int) -> Sequence[str]:
        """Names of a class and of those above it, as far as they are known."""
        ...

    def instance(self, object: int, since: str = "") -> Instance:
        """The fields of an object by name, those of classes below `since` left out where that is known."""
        ...

    def array(self, object: int) -> Elements:
        """The elements of an array of objects; none of anything else."""
        ...

    def referrers(self, object: int) -> Sequence[int]:
        """The sites that lead to it: roots first."""
        ...

    def roots_of(self, object: int) -> Sequence[int]:
        """The sites of the roots that lead to it."""
        ...

    def referrer_count(self, object: int) -> int:
        """How many these are."""
        ...

    def root(self, root: int) -> Root:
        """One root."""
        ...

    def root_column(self, name: str) -> memoryview:
        """Of all roots their "kind" (place in `root_kinds`), "object", "thread" or "id"; all bits set for none."""
        ...

    def way(self, object: int) -> int:
        """The site by which the shortest way from a root comes to it, NOT_REACHED or FROM_ROOT."""
        ...

    def table(self, name: str) -> Any:
        """A table of `heap_tables`: numbers by place."""
        ...

    def sizes(self, start: int, stop: int) -> Any:
        """`size` of a range of objects, as numpy array."""
        ...

    def column(self, name: str, objects: Any) -> Any:
        """Of many objects (a range or numpy array) a column of numbers, as numpy array.

        "bytes", "printed" (sizes), "elements", "references", "referrers", "type", "first" (its first reference),
        "offset", or "retained" where that is told.
        """
        ...

    @property
    def has_weak(self) -> bool:
        """Whether there are references that keep nothing alive, which ways take only where there is no other."""
        ...

    def is_weak(self, site: int) -> bool:
        """Whether a reference keeps nothing alive."""
        ...

    def held(self, takes_weak: bool = False) -> Held:
        """All ways by arrays: see `parsers.heapdump.paths.path_to_root`. takes_weak: those through any references"""
        ...

    def ids(self, objects: Any) -> Any:
        """`id` of many objects, as numpy array."""
        ...

    def targets(self, sites: Any) -> Any:
        """`target` of many sites, as numpy array."""
        ...
