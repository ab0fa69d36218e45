"""Interface of the object graphs of text and binary dumps: objects by number, their references and referrers.

Numbers of objects run through all heap dumps of a file. So do those of references, types (classes by name and
loader) and roots. A *site* is the number of one step between two objects:

    0 … references-1                                  a reference: a field, an element, a static, a superclass …
    references … references+objects-1                 the class of the object `site - references`
    references+objects … references+objects+roots-1   a root: a reference to an object from outside of the heap

The reference implementation in plain Python is `tests/plain_heap.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from parsers.model.report import counted
from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.heapdump.collections.contents import Instance
    from parsers.heapdump.graph.elements import Elements
    from parsers.heapdump.graph.label_columns import ReferenceLabels
    from parsers.heapdump.paths.path_to_root import PathSteps

NO_OBJECT = -1
"""As an object: the dump has no object with that id, or the referrer is a root."""


@value_class
class HeapDump:
    """One heap dump of a file."""

    number: int
    """From 0."""
    run: int
    """Number of its snapshot, as in a REF: from 1."""
    objects: range
    roots: range
    offset: int
    date: str
    printed: str
    """The size as printed in the file."""
    is_whole: bool
    process: int = 0
    """Number of its process, if a file has data of several. Dumps of different processes have nothing in common."""


@value_class
class ReferenceLabel:
    """The kind and name of a reference."""

    kind: str
    """"field", "element", "static", "constant", "super", "loader", "signers", "domain" or "class"; empty: unknown."""
    text: str
    """Text before the object in a row: `next`, `[17]`, `static instance`, `super` …"""
    times: int = 1
    """Number of equal references, if nothing distinguishes them."""

    @property
    def named(self) -> str:
        """The text, or a word for a reference without a name."""
        return self.text or f"reference{self.counted}"

    @property
    def counted(self) -> str:
        """The count after the label, if there are several."""
        return f" ({counted(self.times, 'time')})" if self.times > 1 else ""

    def behind(self, holder: str) -> str:
        """Returns a reference as text, after its owner."""
        return f"{holder} {self.text}" if self.text else f"{holder}{self.counted}"


CLASS_LABEL = ReferenceLabel("class", "class")


@value_class
class Root:
    """A GC root."""

    kind: str
    object: int
    id: int
    thread: int | None
    """Id of its thread."""
    frame: int | None
    trace: int | None
    """Row of its stack trace."""
    name: str
    """Name of a system class, or the whole text of a root of an unknown kind."""
    offset: int


class ObjectGraph(Protocol):
    """The objects of a file. Any query of one object costs the same in heaps of any size."""

    dumps: Sequence[HeapDump]
    """Dumps of the file. Results of an index stage are unknown until it is complete: see `has`."""
    objects: int
    references: int
    roots: int
    root_kinds: Sequence[str]
    types: int

    def has(self, stage: str) -> bool:
        """True if a stage of the index is complete: "references" both ways, "ways" (shortest paths) …"""
        ...

    def follow(self) -> None:
        """Takes over stages that have become complete."""
        ...

    def dump_of(self, object: int) -> HeapDump:
        """Returns the dump of an object."""
        ...

    def id(self, object: int) -> int:
        """Returns the id as printed."""
        ...

    def find(self, id: int, dump: HeapDump) -> int:
        """Returns the object with an id, NO_OBJECT if the dump has none."""
        ...

    def kind(self, object: int) -> int:
        """Returns PLAIN_OBJECT, OBJECT_ARRAY, PRIMITIVE_ARRAY or CLASS_OBJECT of `columns`."""
        ...

    def type(self, object: int) -> int:
        """Returns the class of an object; for a class object the class that it represents."""
        ...

    def type_name(self, type: int) -> str:
        """Returns the name in Java syntax, `int[]` for arrays."""
        ...

    def type_names(self) -> Sequence[str]:
        """Returns `type_name` of all types."""
        ...

    def type_text(self, type: int) -> str:
        """Returns an unambiguous name: `name@id`, with the id of the class object."""
        ...

    def class_object(self, type: int, dump: HeapDump) -> int:
        """Returns the class object of a class, NO_OBJECT if the dump has none."""
        ...

    def loader(self, type: int, dump: HeapDump) -> int:
        """Returns the loader object of a class, NO_OBJECT for the bootstrap loader."""
        ...

    def of_heap(self, objects: Any) -> Any:
        """Returns those of many objects (numpy array) that have a record in the heap."""
        ...

    @property
    def has_class_loaders(self) -> bool:
        """True if the dump has the loaders of classes."""
        ...

    @property
    def has_retained_sizes(self) -> bool:
        """True if there are retained sizes, now or later."""
        ...

    def retained_by(self, grouping: str, type: int, dump: HeapDump) -> int | None:
        """Returns the bytes that all objects of a "type", its "package" or its "loader" retain; None if unknown."""
        ...

    def size(self, object: int) -> int:
        """Returns the bytes in the heap."""
        ...

    def printed_size(self, object: int) -> int:
        """Returns the bytes as printed."""
        ...

    def elements(self, object: int) -> int:
        """Returns the number of elements of an array, as printed."""
        ...

    def trace(self, object: int) -> int | None:
        """Returns the row of its allocation trace."""
        ...

    def made_at(self, trace: int) -> Sequence[int]:
        """Returns the objects that a trace allocated, in all dumps."""
        ...

    def offset(self, object: int) -> int | None:
        """Returns its byte offset in the file."""
        ...

    def is_cut(self, object: int) -> bool:
        """True if the end of its class name is missing in the file."""
        ...

    def sites(self, object: int) -> Sequence[int]:
        """Returns its references, and the step to its class if that is reachable by its instances only."""
        ...

    def target(self, site: int) -> int:
        """Returns the target of a site."""
        ...

    def owner(self, site: int) -> int:
        """Returns the owner of a site, NO_OBJECT for a root."""
        ...

    def label(self, site: int) -> ReferenceLabel:
        """Returns the kind and name of a reference."""
        ...

    def labels_of(self, sites: range, owners: Any) -> ReferenceLabels:
        """Returns `label` of a range of references. owners: int64 by reference, as `owner` returns them"""
        ...

    def supers(self, type: int) -> Sequence[str]:
        """Returns the names of a class and its known superclasses."""
        ...

    def instance(self, object: int, since: str = "") -> Instance:
        """Returns the fields of an object by name, without those of subclasses of `since` if known."""
        ...

    def array(self, object: int) -> Elements:
        """Returns the elements of an array of objects; empty for other objects."""
        ...

    def referrers(self, object: int) -> Sequence[int]:
        """Returns the sites that lead to it: roots first."""
        ...

    def roots_of(self, object: int) -> Sequence[int]:
        """Returns the sites of the roots that lead to it."""
        ...

    def referrer_count(self, object: int) -> int:
        """Returns the number of `referrers`."""
        ...

    def root(self, root: int) -> Root:
        """Returns one root."""
        ...

    def root_column(self, name: str) -> memoryview:
        """Returns "kind" (place in `root_kinds`), "object", "thread" or "id" of all roots; all bits set for none."""
        ...

    def reached_by(self, object: int) -> int:
        """Returns the last site of the shortest path from a root, NOT_REACHED or FROM_ROOT."""
        ...

    def table(self, name: str) -> Any:
        """Returns a table of `heap_tables`: numbers by place."""
        ...

    def sizes(self, start: int, stop: int) -> Any:
        """Returns `size` of a range of objects, as numpy array."""
        ...

    def column(self, name: str, objects: Any) -> Any:
        """Returns a column of numbers for many objects (a range or numpy array), as numpy array.

        "bytes", "printed" (sizes), "elements", "references", "referrers", "type", "first" (its first reference),
        "offset", or "retained" if known.
        """
        ...

    @property
    def has_weak(self) -> bool:
        """True if there are weak references, which paths take only where there is no strong one."""
        ...

    def is_weak(self, site: int) -> bool:
        """True if a reference is soft, weak, phantom or final."""
        ...

    def path_steps(self, takes_weak: bool = False) -> PathSteps:
        """Returns all paths as arrays: see `parsers.heapdump.paths.path_to_root`. takes_weak: through any references"""
        ...

    def ids(self, objects: Any) -> Any:
        """Returns `id` of many objects, as numpy array."""
        ...

    def targets(self, sites: Any) -> Any:
        """Returns `target` of many sites, as numpy array."""
        ...
