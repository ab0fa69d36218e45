"""The view "Threads" of a heap dump: threads, their stacks, and in each frame its local objects."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

from parsers.formats.hprof.data.names import frame_label, method_spans
from parsers.formats.hprof.dump.graph.thread_stacks import Stack, stacks_of
from parsers.heapdump.graph.heap_context import HeapContext
from parsers.heapdump.graph.heap_object import ROOTS_VIEW
from parsers.heapdump.views.kinds import FRAMES, LOCALS, RETAINED, SIZE
from parsers.heapdump.views.object_rows import GroupedObjects
from parsers.model.names.ref_number import ref_number
from parsers.model.row import Badge, Column, Link, Section, SectionRow
from parsers.model.trees.grouped_preorder import ITSELF, GroupedPreorder
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording
    from parsers.formats.hprof.dump.graph.graph import DumpGraph
    from parsers.model.arrays import I64Array

THREADS_VIEW = "Threads"
STATES = (
    (0x0400, "blocked"),
    (0x0010, "waiting"),
    (0x0020, "waiting for a time"),
    (0x0002, "terminated"),
    (0x0004, "runnable"),
)
"""Bits of `threadStatus` in the order of the tests in `jdk.internal.misc.VM.toThreadState`."""
MOST_NAME = 200
"""Most characters of a name."""


class HeapThreadsView(GroupedObjects):
    """Threads in file order."""

    name = THREADS_VIEW
    description = "Threads with stacks and local variables"
    begins_at_roots = True
    columns: tuple[Column, ...] = (RETAINED, SIZE, FRAMES, LOCALS)
    orders: tuple[str, ...] = ("retained", "bytes", "frames", "locals", "name")

    def __init__(self, heap: HeapContext, recording: ProfileRecording) -> None:
        super().__init__(heap)
        self._recording = recording

    @property
    def graph(self) -> DumpGraph:
        """The graph of a binary dump."""
        return cast("DumpGraph", self.objects.graph)

    # -- rows ---------------------------------------------------------------------------------------------------------

    @cached_property
    def _stacks(self) -> tuple[list[Stack], I64Array]:
        return stacks_of(self.graph, self._recording)

    def make_rows(self) -> GroupedPreorder:
        """Builds threads and frames, with locals as leaves."""
        stacks = self._stacks[0]
        return GroupedPreorder([int(each.frame >= 0) for each in stacks], [each.locals for each in stacks])

    def _thread(self, root: int) -> tuple[int, int]:
        """Returns the serial and the object of a thread."""
        return self.graph.root_column("thread")[root], self.graph.root_column("object")[root]

    def _name(self, root: int) -> str:
        serial, object = self._thread(root)
        name = self.graph.text_of(self.graph.instance(object).reference("name"), MOST_NAME)
        return name or f"thread {serial}"

    @cached_property
    def _numbers(self) -> dict[int, tuple[int, int]]:
        """Numbers of frames and of all their locals, by root of a thread."""
        found: dict[int, tuple[int, int]] = {}
        for each in self._stacks[0]:
            frames, locals = found.get(each.root, (0, 0))
            found[each.root] = frames + (each.frame >= 0), locals + each.locals
        return found

    def thread_rows(self) -> list[tuple[int | str, ...]]:
        """Returns all threads: number, name, object, number of frames, and of the objects that they refer to."""
        found = list[tuple[int | str, ...]]()
        for each in self._stacks[0]:
            if each.frame < 0:
                serial, object = self._thread(each.root)
                found.append((serial, self._name(each.root), object, *self._numbers[each.root]))
        return found

    def frame_rows(self) -> list[tuple[int | str, ...]]:
        """Returns all frames: number, name and object of the thread, depth, method, locals, REF of the thread."""
        names: dict[int, str] = {}
        found = list[tuple[int | str, ...]]()
        for each in self._stacks[0]:
            if each.frame >= 0:
                serial, object = self._thread(each.root)
                if each.root not in names:
                    names[each.root] = self._name(each.root)
                label = frame_label(self._recording.frame(each.frame))
                row = serial, names[each.root], object, each.number, label, each.locals, f"thread:{serial}"
                found.append(row)
        return found

    def group(self, group: int) -> ListRow:
        """Returns the row of a thread or a frame."""
        each = self._stacks[0][group]
        if each.frame >= 0:
            label = frame_label(self._recording.frame(each.frame))
            badges: dict[str, Badge] = {"frame": each.number, "locals": each.locals}
            return ListRow("frame", label, badges=badges, spans=method_spans(label, 0, label.rfind("(")))
        serial, object = self._thread(each.root)
        frames, locals = self._numbers[each.root]
        badges = {"thread": serial, "frames": frames, "locals": locals, "class": self.objects.label(object)}
        numbers = self.objects.badges(object)
        badges |= {name: numbers[name] for name in ("object", "bytes", "retained") if name in numbers}
        return ListRow("thread", self._name(each.root), badges=badges, ref=f"thread:{serial}", key=("thread", serial))

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of a local of a frame, or of another root of a thread."""
        root = self.graph.root(self._root(group, leaf))
        before = "" if root.kind == "Java stack" else f"{root.kind}: "
        badges: dict[str, Badge] = {"kind": root.kind}
        if root.object < 0:
            label = f"{before}0x{root.id:x}, which the dump lacks"
            return ListRow("root", label, badges=badges, offset=root.offset, flags=("dangling",))
        objects = self.objects
        is_first = self._first_nodes.get(root.object) == self.rows.node(group, leaf)
        return objects.list_row(
            root.object,
            {**badges, **objects.badges(root.object)},
            before,
            ref=objects.ref(root.object) if is_first else "",
            offset=root.offset,
        )

    def _root(self, group: int, leaf: int) -> int:
        return int(self._stacks[1][self._stacks[0][group].first + leaf])

    def remark_of(self, group: int, leaf: int) -> str:
        """Returns state and class of a thread, or value and id of a local."""
        each = self._stacks[0][group]
        if leaf >= 0:
            object = self.graph.root_column("object")[self._root(group, leaf)]
            return self.objects.remark(object) if object < self.graph.objects else ""
        if each.frame >= 0:
            return ""
        _, object = self._thread(each.root)
        return ", ".join(word for word in (self._state(object), self.objects.label(object)) if word)

    def _state(self, object: int) -> str:
        """Returns the state of a platform thread; empty for a virtual one, which has other states."""
        status = self._field(object, "threadStatus")
        if status is None:
            return ""
        return next((word for bit, word in STATES if status & bit), "new" if not status & 1 else "runnable")

    def _field(self, object: int, name: str) -> int | None:
        """Returns a numeric field of a thread; since JDK 19 it is in the object of its field `holder`."""
        thread = self.graph.instance(object)
        holder = thread.reference("holder")
        found = thread.number(name)
        return found if found is not None or holder < 0 else self.graph.instance(holder).number(name)

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    @cached_property
    def _first_nodes(self) -> dict[int, int]:
        """First row of each object that is a local, by object."""
        targets, found = self.graph.root_column("object"), dict[int, int]()
        for group, each in enumerate(self._stacks[0]):
            first = self.rows.node(group) + 1
            for leaf in range(each.locals):
                found.setdefault(targets[self._root(group, leaf)], first + leaf)
        return found

    @cached_property
    def _of_serial(self) -> dict[int, int]:
        """Row of a thread by serial."""
        groups = enumerate(self._stacks[0])
        return {self._thread(each.root)[0]: self.rows.node(group) for group, each in groups if each.frame < 0}

    @cached_property
    def _of_object(self) -> dict[int, int]:
        groups = enumerate(self._stacks[0])
        return {self._thread(each.root)[1]: self.rows.node(group) for group, each in groups if each.frame < 0}

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns nodes of threads; of objects that are locals or threads. Raises `UnknownReference`."""
        object = self.objects.resolve(ref)
        if object is not None:
            # A thread is mostly a local of its own frames; those rows have no other REF.
            node = self._first_nodes.get(object, self._of_object.get(object))
            return () if node is None else [node]
        kind, _, value = ref.partition(":")
        if kind == "thread" and (number := ref_number(value)) is not None:
            return [self._of_serial[number]] if number in self._of_serial else ()
        if kind != "name":
            return super().nodes_of(ref)
        groups = enumerate(self._stacks[0])
        return [self.rows.node(group) for group, each in groups if each.frame < 0 and self._name(each.root) == value]

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a thread, or of an object."""
        if not self.is_ready:
            return None
        match key:
            case ("thread", int(serial)):
                return self._of_serial.get(serial)
            case ("object", int(object)):
                return self._of_object.get(object, self._first_nodes.get(object))
        return None

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns the facts of a thread and its object; of a frame; of a local and its object."""
        each, objects = self._stacks[0][group], self.objects
        if leaf >= 0:
            root = self.graph.root(self._root(group, leaf))
            own = objects.root_sections(root)[:1]
            return own if root.object < 0 else [*own, *objects.sections(root.object)]
        if each.frame >= 0:
            entry = self.group(group)
            rows = (SectionRow("", entry.label), SectionRow("locals", f"{each.locals:,}"))
            return (Section(f"Frame {each.number} of {self._name(each.root)}", rows),)
        return [self._thread_section(each.root), *objects.sections(self._thread(each.root)[1])]

    def _thread_section(self, root: int) -> Section:
        serial, object = self._thread(root)
        frames, locals = self._numbers[root]
        rows = [SectionRow("number", str(serial))]
        state = self._state(object)
        if state:
            rows.append(SectionRow("state", state))
        for name, title in (("daemon", "daemon"), ("priority", "priority")):
            number = self._field(object, name)
            if number is not None:
                rows.append(SectionRow(title, ("no", "yes")[number] if name == "daemon" else str(number)))
        rows += [SectionRow("frames", f"{frames:,}"), SectionRow("locals", f"{locals:,}")]
        return Section(self._name(root), tuple(rows))

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns links to the object of a thread or a local, and to its row among roots."""
        each = self._stacks[0][group]
        if leaf < 0 and each.frame >= 0:
            return ()
        object = self.object_of(group, leaf)
        if object < 0:
            return ()
        ref = self.objects.ref(object)
        return [Link("root", ref, ROOTS_VIEW), *self.objects.links(object)]

    def object_of(self, group: int, leaf: int) -> int:
        """Returns the object of a row, -1 if it has none."""
        each = self._stacks[0][group]
        if leaf == ITSELF:
            return self._thread(each.root)[1] if each.frame < 0 else -1
        return self.graph.root(self._root(group, leaf)).object
