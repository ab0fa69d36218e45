"""Text, numbers and side pane sections of objects of a heap, the same in all views."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

from parsers.heapdump.graph.columns import CLASS_OBJECT, IS_MISSING, OBJECT_ARRAY, PLAIN_OBJECT, PRIMITIVE_ARRAY, STRING
from parsers.heapdump.graph.elements import LOST, NULL
from parsers.heapdump.graph.labels import NO_OBJECT, HeapDump, ObjectMember, ReferenceLabel, Root
from parsers.heapdump.paths.reachability import FROM_ROOT, NO_ROW, NOT_REACHED
from parsers.heapdump.paths.shortest_paths import steps_to_root
from parsers.heapdump.text_dumps.recorded import RecordedTraces
from parsers.model.lookup import places_by
from parsers.model.names.java_name import class_spans, short_class
from parsers.model.row import Badge, Link, Section, SectionRow, Span, counted
from parsers.model.view import UnknownReference
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.heapdump.collections.contents import Contents
    from parsers.heapdump.graph.object_graph import ObjectGraph
    from parsers.heapdump.graph.text_finder import PlacesTexts
    from parsers.model.arrays import I64Array

CLASSES_VIEW, ROOTS_VIEW, OBJECTS_VIEW, REFERRERS_VIEW = "Classes", "Roots", "Objects", "Referrers"
PATHS_VIEW = "Paths"
TRACES_VIEW = "Traces"
BOOT_LOADER = "boot"
KNOWN_LOADERS = {
    "sun.misc.Launcher$AppClassLoader": "app",
    "sun.misc.Launcher$ExtClassLoader": "extension",
    "jdk.internal.loader.ClassLoaders$AppClassLoader": "app",
    "jdk.internal.loader.ClassLoaders$PlatformClassLoader": "platform",
}
"""Names of JDK loaders by class; since JDK 9 loaders have names of their own, too."""
NOT_THERE = {NULL: "null", NO_OBJECT: "an object that the dump lacks", LOST: "not found, though it is said to be there"}
KEPT_CLASSES = 1 << 16
KEPT_CONTENTS = 256
"""Collections whose contents are cached as far as they have been read."""
SHOWN = 8
"""Initial number of referrers in a side pane."""
SHOWN_ENTRIES = 8
"""Initial number of collection entries in a side pane."""
SHOWN_FRAMES = 32
SHOWN_STEPS = 24
"""Steps of a path from a root in a side pane."""
SHOWN_IN_LINE = 3
"""Steps of such a path in one line."""
MOST_STEPS = 2000
"""Maximum of steps searched in one go."""
MOST_ID = 0xFFFF_FFFF_FFFF_FFFF


class FormatsNumbers(Protocol):
    """Format of objects by their fields of primitive types."""

    @property
    def signs(self) -> frozenset[str]:
        """All characters in such texts."""
        ...

    def texts(self, graph: Any, objects: I64Array, known: str) -> tuple[I64Array, list[str]]:
        """Returns which of many objects of a class, based on the class `known`, have a value, and the values."""
        ...


class HeapObjects:
    """Objects of one file as text."""

    none_unreachable = "dumps of live objects hold none (jcmd PID GC.heap_dump -all FILE keeps them)"
    """Reason why a dump may have no unreachable objects."""

    def __init__(self, graph: ObjectGraph, recording: RecordedTraces | None, thread_name: Callable[[int], str]) -> None:
        """
        recording    stack traces and threads; None: objects have none in files of this format
        thread_name  returns the name of a thread by its id
        """
        self.graph = graph
        self._recording = recording
        self._thread_name = thread_name
        self._loader_labels: dict[int, str] = {}

    # -- labels -------------------------------------------------------------------------------------------------------

    def type_name(self, object: int) -> str:
        """Returns the class name; for a class object that of the class it represents."""
        return self.graph.type_name(self.graph.type(object))

    def label(self, object: int) -> str:
        """Returns the label in rows."""
        name = self.type_name(object)
        kind = self.graph.kind(object)
        if kind == CLASS_OBJECT:
            return f"class {name}"
        return f"{name}[]" if kind == PRIMITIVE_ARRAY and not name.endswith("]") else name

    def counted_type(self, object: int) -> int:
        """Returns its class in "Classes": class objects are under java.lang.Class, if the dump has that."""
        graph = self.graph
        of_classes: int = graph.table("heap_dump_classes")[graph.dump_of(object).number]
        is_class = graph.kind(object) == CLASS_OBJECT and of_classes != NO_ROW
        return of_classes if is_class else graph.type(object)

    def loader_label(self, loader: int) -> str:
        """Returns the label of a class loader: known name, class, id; for NO_OBJECT that of the JVM itself."""
        if loader == NO_OBJECT:
            return BOOT_LOADER
        found = self._loader_labels.get(loader)
        if found is None:
            name = self.type_name(loader)
            known = self._loader_name(loader) or KNOWN_LOADERS.get(name, "")
            found = f"{f'{known}: ' if known else ''}{name} {self.id_text(loader)}"
            if self.graph.has_references:
                # Its name is the target of a reference.
                self._loader_labels[loader] = found
        return found

    def _loader_name(self, loader: int) -> str:
        """Returns a loader's own name."""
        return ""

    def types_named(self, name: str) -> Sequence[int]:
        """Returns the classes of a name; several loaders may define one. `name@hex` selects by class object."""
        found = self._types_by_name.get(name)
        if found is None and "@" in name:
            found = [type for type in range(self.graph.types) if self.graph.type_text(type) == name]
        return found or ()

    @cached_property
    def _types_by_name(self) -> dict[str, list[int]]:
        return places_by(self.graph.type_names())

    def spans(self, label: str, start: int = 0) -> tuple[Span, ...]:
        """Returns the spans of a label that begins at `start` of the row's label."""
        name = label[start:]
        before = len("class ") if name.startswith("class ") else 0
        return tuple(class_spans(name[before:], start + before))

    def labelled(self, holder: str, label: ReferenceLabel) -> tuple[str, tuple[Span, ...]]:
        """Returns a reference as text, after its owner, and the spans of that."""
        text, spans = label.behind(holder), self.spans(holder)
        if not label.text:
            return text, spans
        return text, (*spans, Span(len(holder) + 1, len(text), "index" if label.kind == "element" else "name"))

    def kind(self, object: int) -> str:
        """Returns the word for the kind of a row."""
        kind = self.graph.kind(object)
        return {PLAIN_OBJECT: "object", CLASS_OBJECT: "class object"}.get(kind, "array")

    def look(self, object: int) -> str:
        """Returns the kind that determines the mark of a row."""
        return "garbage" if self.is_garbage(object) else self.kind(object)

    def is_garbage(self, object: int) -> bool:
        """True if it is unreachable; False if unknown, in a truncated dump."""
        graph = self.graph
        return graph.has("paths") and graph.reached_by(object) == NOT_REACHED and graph.dump_of(object).is_whole

    def remark(self, object: int) -> str:
        """Returns the remark after its label: its value, if it has one, and its identity."""
        return "  ".join(filter(None, (self.value(object), self.identity(object))))

    def identity(self, object: int) -> str:
        """Returns its id, its dump if there are several, and a remark for garbage."""
        words = [self.id_text(object)]
        if len(self.graph.dumps) > 1:
            words.append(f"dump {self.graph.dump_of(object).run}")
        if self.is_garbage(object):
            words.append("garbage")
        return " ".join(words)

    def badges(self, object: int) -> dict[str, Badge]:
        """Returns its numbers, by column."""
        graph = self.graph
        badges: dict[str, Badge] = {"object": self.id_text(object)}
        kind = graph.kind(object)
        if kind != CLASS_OBJECT:
            badges["bytes"] = graph.size(object)
            if not graph.has_retained_sizes:
                # Only text has printed sizes.
                badges["printed"] = graph.printed_size(object)
        if kind == OBJECT_ARRAY or (kind == PRIMITIVE_ARRAY and self._has_length(object)):
            badges["elements"] = graph.elements(object)
        if self.is_garbage(object):
            badges["garbage"] = graph.size(object)
        if graph.has("references"):
            badges["referrers"] = graph.referrer_count(object)
        if len(graph.dumps) > 1:
            badges["dump"] = graph.dump_of(object).run
        return badges

    def _has_length(self, object: int) -> bool:
        """True if the length of a primitive array is printed: it is 0 for arrays that the agent did not follow."""
        return self.graph.elements(object) > 0 or not self.graph.printed_size(object)

    def flags(self, object: int) -> tuple[str, ...]:
        """Returns the flags of a row."""
        return ("truncated",) if self.graph.is_cut(object) else ()

    def list_row(self, object: int, badges: Mapping[str, Badge], before: str = "", **others: Any) -> ListRow:
        """Returns a row of an object. before: beginning of its label; others: fields that are not the usual ones"""
        label = before + self.label(object)
        usual: dict[str, Any] = {
            "kind": self.kind(object),
            "label": label,
            "badges": badges,
            "ref": self.ref(object),
            "offset": self.graph.offset(object),
            "links": (Link("the object", self.ref(object), OBJECTS_VIEW),),
            "key": self.key(object),
            "spans": self.spans(label, len(before)),
            "look": self.look(object),
        }
        return ListRow(**usual | others)

    # -- contents and values ------------------------------------------------------------------------------------------

    def contents(self, object: int) -> tuple[Contents, str] | None:
        """Returns the contents of a collection and the known class; None for other objects."""
        is_known = self.graph.kind(object) == PLAIN_OBJECT and self._known_class(self.graph.type(object))
        return self._contents_of(object) if is_known else None

    @cached_property
    def _known_class(self) -> Callable[[int], str | None]:
        from parsers.heapdump.collections.known import known_class

        return lru_cache(KEPT_CLASSES)(lambda type: known_class(self.graph, type))

    @cached_property
    def _contents_of(self) -> Callable[[int], tuple[Contents, str] | None]:
        from parsers.heapdump.collections.known import contents_of

        return lru_cache(KEPT_CONTENTS)(lambda object: contents_of(self.graph, object))

    def below(self, object: int) -> Sequence[int]:
        """Returns the sites below an object: its references. Binary dumps add primitive values."""
        return self.graph.sites(object)

    def has_below(self, object: int) -> bool:
        """True if there are any."""
        return len(self.below(object)) > 0

    def place_below(self, object: int, site: int) -> int:
        """Returns the index of a reference among these."""
        sites = self.below(object)
        return site - sites[0] if site < self.graph.references else len(sites) - 1

    def own_members(self, object: int, known: str) -> Sequence[int]:
        """Returns sites that subclasses of a known collection class add: unknown in text dumps."""
        return ()

    def member(self, object: int, place: int) -> ObjectMember:
        """Returns a member by its index: text dumps have references only."""
        raise LookupError(object)

    def value(self, object: int, most: int = 0) -> str:
        """Returns the value of an object as text of at most `most` characters: text dumps have no values."""
        return ""

    def may_have_value(self, type: int) -> bool:
        """True if objects of a class may have a value."""
        return False

    def text_reader(self, type: int) -> PlacesTexts | None:
        """Returns a bulk reader for texts of Strings of a class; None if they can only be read one by one."""
        return None

    def number_format(self, type: int) -> tuple[FormatsNumbers, str] | None:
        """Returns the number format for objects of a class, and the superclass it belongs to; None if there is none."""
        return None

    def is_fully_shown(self, object: int) -> bool:
        """True if its row shows all of it."""
        return self.graph.kind(object) == CLASS_OBJECT or bool(self.value(object))

    def is_fully_shown_text(self, object: int) -> bool:
        """True if it is a text that its row shows whole."""
        return False

    def is_box(self, object: int) -> bool:
        """True if it is a boxed primitive."""
        return False

    def target_text(self, target: int) -> str:
        """Returns an object as the target in a row: its class and its value."""
        if target < 0:
            return NOT_THERE[target]
        value = self.value(target)
        if not value:
            return self.label(target)
        return value if self.type_name(target) == STRING else f"{self.label(target)} {value}"

    def target_spans(self, target: int, start: int) -> tuple[Span, ...]:
        """Returns the spans of that, at `start` of a label."""
        if self.type_name(target) == STRING and self.value(target):
            return ()
        label = self.label(target)
        return self.spans(" " * start + label, start)

    def key_text(self, target: int) -> str:
        """Returns a map key as text: its value, or its class and id."""
        if target < 0:
            return NOT_THERE[target]
        return self.value(target) or self.label(target) + (
            "" if self.is_fully_shown(target) else f" {self.id_text(target)}"
        )

    def target_row(self, name: str, target: int) -> SectionRow:
        """Returns a pane row with a link to an object."""
        if target < 0:
            return SectionRow(name, NOT_THERE[target])
        return SectionRow(name, self.target_text(target), self.ref(target), OBJECTS_VIEW)

    # -- REFs and keys -------------------------------------------------------------------------------------------------

    def key(self, object: int) -> Hashable:
        """Returns the key that identifies an object in all views."""
        return ("object", object)

    def of_key(self, key: Hashable, dump: HeapDump | None = None) -> int | None:
        """Returns the object of a key, in any dump or in one; None if there is none."""
        match key:
            case ("object", int(object)) if object in (range(self.graph.objects) if dump is None else dump.objects):
                return object
        return None

    def run(self, dump: HeapDump) -> str:
        """Returns the prefix of REFs of a dump, if there are several."""
        return f"run:{dump.run}/" if len(self.graph.dumps) > 1 else ""

    def ref(self, object: int) -> str:
        """Returns the REF of an object."""
        return f"{self.run(self.graph.dump_of(object))}object:{self.id_text(object)}"

    def id_text(self, object: int) -> str:
        """Returns the id of an object as text."""
        return self.written_id(self.graph.id(object))

    def written_id(self, id: int) -> str:
        """Formats an id."""
        return f"0x{id:x}"

    def read_id(self, text: str) -> int | None:
        """Parses an id; None for other text."""
        try:
            id = int(text.removeprefix("0x"), 16) if text.isalnum() and text.isascii() else -1
        except ValueError:
            return None
        return id if 0 <= id <= MOST_ID else None

    def split(self, ref: str) -> tuple[Sequence[HeapDump], str]:
        """Returns the dumps that a REF may mean, the last one first, and the rest of it. Raises `UnknownReference`."""
        dumps = self.graph.dumps
        if not ref.startswith("run:"):
            return dumps[::-1], ref
        number, _, rest = ref.removeprefix("run:").partition("/")
        found = [dump for dump in dumps if str(dump.run) == number]
        if not found:
            raise UnknownReference(f"{ref}: no heap dump is part of run {number}")
        return found, rest

    def resolve(self, ref: str) -> int | None:
        """Returns the object of a REF; None for other kinds of REFs. Raises `UnknownReference`."""
        dumps, rest = self.split(ref)
        kind, _, value = rest.partition(":")
        if kind != "object":
            return None
        id = self.read_id(value)
        if id is None:
            raise UnknownReference(f"{ref}: an object is named by its id: object:{self.written_id(0x50000012)}")
        for dump in dumps:
            object = self.graph.find(id, dump)
            if object != NO_OBJECT:
                return object
        raise UnknownReference(f"{ref}: no object has this id")

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections(self, object: int) -> Sequence[Section]:
        """Returns its identity, allocation trace, path from a root, referrers."""
        sections = [self._facts(object), *self._contents_sections(object), *self._trace(object)]
        if self.graph.has("paths"):
            sections.append(self._path_section(object))
        if self.graph.has("references"):
            sections.append(self._referrers(object))
        return sections

    def _facts(self, object: int) -> Section:
        graph = self.graph
        name, kind, dump = self.label(object), graph.kind(object), graph.dump_of(object)
        rows = [SectionRow("class", name.removeprefix("class "), *self._class_link(object))]
        rows.append(SectionRow("id", self.id_text(object)))
        if kind != CLASS_OBJECT:
            size, printed = graph.size(object), graph.printed_size(object)
            rows.append(SectionRow("shallow", f"{size:,}"))
            if size != printed:
                rows.append(SectionRow("sz", f"{printed:,} as printed: without the header"))
        if kind == PRIMITIVE_ARRAY and self._has_length(object):
            rows.append(SectionRow("elements", f"{graph.elements(object):,}"))
        elif kind == OBJECT_ARRAY:
            rows.append(SectionRow("elements", self.elements_text(object)))
        if graph.has("references"):
            rows.append(SectionRow("references", f"{len(graph.sites(object)):,}"))
        if len(graph.dumps) > 1:
            rows.append(SectionRow("dump", f"{dump.run}, {dump.date}"))
            rows += self._in_other_dumps(object, dump)
        of_class = name.removeprefix("class ")
        return Section(name.removesuffix(of_class) + short_class(of_class), tuple(rows))

    def _in_other_dumps(self, object: int, dump: HeapDump) -> list[SectionRow]:
        """Returns the same object in the dumps before and after: numbers are stable while an object lives."""
        graph, rows = self.graph, []
        for other in graph.dumps[max(dump.number - 1, 0) : dump.number + 2]:
            if other.number == dump.number:
                continue
            found, name = graph.find(graph.id(object), other), f"in dump {other.run}"
            if found != NO_OBJECT and graph.type(found) == graph.type(object):
                rows.append(SectionRow(name, counted(graph.size(found), "byte"), self.ref(found), OBJECTS_VIEW))
            else:
                rows.append(SectionRow(name, "not there"))
        return rows

    def _contents_sections(self, object: int) -> list[Section]:
        """Returns the contents of a collection: number of entries, the first ones, damage."""
        known = self.contents(object)
        if known is None:
            return []
        found = known[0]
        rows = [SectionRow("entries" if found.kind == "map" else "elements", f"{found.size:,}")]
        if found.capacity is not None:
            rows.append(SectionRow("capacity", self.capacity_text(found)))
        if found.damage:
            rows.append(SectionRow("damaged", found.damage))
        shown = 0 if found.is_empty else min(len(found), SHOWN_ENTRIES)
        for place in range(shown):
            row = self.target_row(f"[{place}]", found.values[place])
            key = "" if found.keys is None else f"{self.key_text(found.keys[place])} = "
            rows.append(replace(row, text=key + row.text))
        return [Section("Contents", tuple(rows), max(found.size - shown, 0))]

    def capacity_text(self, contents: Contents) -> str:
        """Returns capacity and fill ratio of a collection."""
        capacity, size = contents.capacity or 0, contents.size
        if contents.kind != "list" or not capacity:
            return f"{capacity:,} places in its table"
        return f"for {capacity:,}: {max(capacity - size, 0):,} unused"

    def elements_text(self, object: int) -> str:
        """Returns the number of elements of an array: text dumps only list those that are not null."""
        elements = self.graph.elements(object)
        return f"up to [{elements - 1}], the rest is null" if elements else "all null, or not printed"

    def _class_link(self, object: int) -> tuple[str | None, str | None]:
        graph = self.graph
        dump = graph.dump_of(object)
        of = graph.class_object(graph.type(object), dump) if graph.kind(object) != CLASS_OBJECT else NO_OBJECT
        return (self.ref(of), OBJECTS_VIEW) if of != NO_OBJECT else (None, None)

    def _trace(self, object: int) -> list[Section]:
        trace = self.graph.trace(object)
        return [] if trace is None else self.trace_sections("Allocated at", trace)

    def trace_sections(self, title: str, trace: int) -> list[Section]:
        """Returns a trace with its frames; empty without one."""
        recording = self._recording
        if recording is None:
            return []
        serial = recording.column("trace_serial")[trace]
        if recording.column("trace_flags")[trace] & IS_MISSING:
            return [Section(title, (SectionRow("trace", f"{serial}: not in the file"),))]
        frames = recording.stack(trace)
        if not len(frames):
            return []
        rows = [SectionRow("", recording.frame_label(frame)) for frame in frames[:SHOWN_FRAMES]]
        link = SectionRow("trace", str(serial), recording.trace_ref(trace), TRACES_VIEW)
        return [Section(title, (link, *rows), len(frames) - len(rows))]

    def _path_section(self, object: int) -> Section:
        graph = self.graph
        if graph.reached_by(object) == NOT_REACHED:
            if graph.dump_of(object).is_whole:
                reason = "none: it was garbage when the dump was made"
            else:
                reason = "none in this dump, which lacks its end: classes and their statics are missing"
            return Section("Path from a root", (SectionRow("", reason),))
        steps, at = self._steps_to_root(object)
        rows = [self._step_row(site) for site in steps[:SHOWN_STEPS]]
        if graph.reached_by(at) != FROM_ROOT:
            return Section("Path from a root", (*rows, SectionRow("", f"more than {MOST_STEPS:,} steps")))
        root = SectionRow("root", self.roots_text(at), self.ref(at), ROOTS_VIEW)
        return Section("Path from a root", (*rows, root), len(steps) - len(rows))

    def _step_row(self, site: int) -> SectionRow:
        """Returns a reference with its owner."""
        owner = self.graph.owner(site)
        return SectionRow(self.graph.label(site).named, f"of {self.label(owner)}", self.ref(owner), OBJECTS_VIEW)

    def _steps_to_root(self, object: int) -> tuple[list[int], int]:
        """Returns the sites of the shortest path from a root, the nearest one first, and the last owner reached."""
        steps = [*islice(steps_to_root(self.graph, object), MOST_STEPS)]
        return steps, self.graph.owner(steps[-1]) if steps else object

    def path_text(self, object: int) -> str:
        """Returns the shortest path from a root in a line, the nearest step first; omitted middle steps are counted."""
        steps, at = self._steps_to_root(object)
        words = [self._step_text(site) for site in steps[:SHOWN_IN_LINE]]
        if len(steps) > SHOWN_IN_LINE:
            words.append(f"… {len(steps) - SHOWN_IN_LINE:,} more …")
        reached_by = self.graph.reached_by(at)
        words.append(
            "garbage" if reached_by == NOT_REACHED else self.roots_text(at) if reached_by == FROM_ROOT else "…"
        )
        return "← " + " ← ".join(words)

    def _step_text(self, site: int) -> str:
        """Returns a reference as owner and name."""
        owner = self.graph.owner(site)
        return self.graph.label(site).behind(short_class(self.label(owner)))

    def roots_text(self, object: int) -> str:
        """Returns the roots of an object, equal ones counted."""
        counts = Counter(map(self.root_text, self.graph.roots_to(object, MOST_STEPS)))
        words = [text if count == 1 else f"{text} ({counted(count, 'time')})" for text, count in counts.items()]
        return ", ".join(words[:3]) + ("" if len(words) <= 3 else f" and {len(words) - 3:,} more")

    def frame_text(self, root: Root) -> str:
        """Returns the frame of a root, where the dump has the stack of its thread."""
        return ""

    def root_text(self, root: Root) -> str:
        """Returns a root as text."""
        words = [root.kind]
        if root.frame is not None:
            place = self.frame_text(root)
            words.append(f"frame {root.frame}{f', {place},' if place else ''}")
        if root.thread is not None:
            words.append(f"of {self.thread_text(root.thread)}")
        return " ".join(words)

    def root_sections(self, root: Root) -> list[Section]:
        """Returns a root, its object, and its stack trace."""
        rows = [SectionRow("kind", root.kind)]
        if root.name:
            rows.append(SectionRow("name", root.name))
        if root.thread is not None:
            link = self.thread_links(root.thread)
            destination = (link[0].ref, link[0].view) if link else (None, None)
            rows.append(SectionRow("thread", self.thread_text(root.thread), *destination))
        if root.frame is not None:
            rows.append(SectionRow("frame", f"{root.frame} {self.frame_text(root)}".rstrip()))
        if root.object != NO_OBJECT:
            rows.append(SectionRow("object", self.label(root.object), self.ref(root.object), OBJECTS_VIEW))
        else:
            rows.append(SectionRow("object", f"{self.written_id(root.id)}: not in the dump"))
        title = "Trace of the thread" if root.kind == "thread" else "Trace"
        return [Section("Root", tuple(rows)), *(() if root.trace is None else self.trace_sections(title, root.trace))]

    def thread_links(self, id: int | None) -> tuple[Link, ...]:
        """Returns a link to a thread; empty where the file has no record of it, as for threads of the VM itself."""
        recording = self._recording
        is_known = recording is not None and id is not None and recording.thread_row(id) is not None
        return (Link("the thread", f"thread:{id}", "Threads"),) if is_known else ()

    def thread_text(self, id: int) -> str:
        """Returns name and id of a thread."""
        name = self._thread_name(id)
        return f"{name} ({id})" if name else f"thread {id}"

    def _referrers(self, object: int) -> Section:
        graph = self.graph
        first = graph.references + graph.objects
        sites = [site for site in graph.referrers(object)[: 2 * SHOWN] if site < first]
        roots = len(graph.roots_of(object))
        count = graph.referrer_count(object) - roots
        rows = tuple(self._step_row(site) for site in sites[:SHOWN])
        return Section(f"Referrers ({count:,})", rows or (SectionRow("", "none"),), count - len(rows))

    def dump_links(self, dump: HeapDump) -> list[Link]:
        """Returns links from a dump, of several, to views of its dominators."""
        ref = self.run(dump).rstrip("/")
        targets = (
            ("its roots", "Roots"),
            ("what holds most", "Dominators"),
            ("what is held by nothing", "Unreachable"),
        )
        return [Link(title, ref, view) for title, view in targets]

    def type_links(self, type: int, dump: HeapDump) -> list[Link]:
        """Returns links from a class to other views."""
        return []

    def links(self, object: int) -> list[Link]:
        """Returns links from an object: itself, its class, its referrers, its allocation trace."""
        graph = self.graph
        ref = self.ref(object)
        links = [Link("the object", ref, OBJECTS_VIEW), Link("referrers", ref, REFERRERS_VIEW)]
        of, view = self._class_link(object)
        if of is not None:
            links.append(Link("object of its class", of, view))
        links.append(Link("objects of its class", ref, CLASSES_VIEW))
        trace, recording = graph.trace(object), self._recording
        if trace is not None and recording is not None and recording.column("trace_frames")[trace]:
            links.append(Link("allocated at", recording.trace_ref(trace), TRACES_VIEW))
        return links
