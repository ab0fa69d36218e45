"""Tables of an image heap: objects, references, fields, roots and types of an object tree."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.graalvm.objects.detail import via
from parsers.formats.graalvm.objects.index.row import (
    ELEMENT,
    FIELD_SUPPRESSED,
    FIELD_VALUE,
    KINDS,
    OBJECT_FIELDS,
    ROOT_OPEN,
    TAGS,
    VALUE,
)
from parsers.formats.graalvm.text.columns_of_rows import OfRows, RowsOfTree, known, of_places
from parsers.formats.graalvm.text.indexed_tree import DECLARES, signed
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.tables.column_values import (
    Known,
    Named,
    TableColumn,
    TextArrays,
    Values,
    gathered,
    headed,
    text_arrays,
    unless,
    whole,
)
from parsers.model.tables.table import SqlView, Table, Tables, TableSet, TableType

if TYPE_CHECKING:
    from parsers.formats.graalvm.objects.report import ObjectReport
    from parsers.model.arrays import BoolArray, I64Array, U8Array, U32Array

ROOT_OWNER = 0xFFFFFFFE

OBJECT = TableType(
    "object",
    "Objects of the image heap, by first mention; also values without an id, whose expansion was suppressed.",
    (
        TableColumn("object_id", "BIGINT", "number of the object"),
        TableColumn("id", "BIGINT", "id in the report", is_nullable=True),
        TableColumn("type_id", "INTEGER", "its type, if it is declared", is_nullable=True, key="type"),
        TableColumn("type", "VARCHAR", "name of the type", is_nullable=True),
        TableColumn(
            "contents", "VARCHAR", "fields, no_fields, elements, no_elements", is_nullable=True, is_interned=True
        ),
        TableColumn("text", "VARCHAR", "its `toString`; read from the file", is_nullable=True),
        TableColumn("references_in", "BIGINT", "rows that refer to it"),
        TableColumn(
            "retained_objects", "BIGINT", "objects reachable only through it, itself included", is_nullable=True
        ),
        TableColumn("rows_below", "BIGINT", "rows below its declaration", is_nullable=True),
        TableColumn("line", "BIGINT", "line of its declaration", is_nullable=True),
        TableColumn("ref", "VARCHAR", "REF of its declaration, else of the first row that names it"),
    ),
)
REFERENCE = TableType(
    "reference",
    "Rows that show what a field or element refers to, in the order of the tree.",
    (
        TableColumn("reference_id", "BIGINT", "number of the reference"),
        TableColumn("from_id", "BIGINT", "its owner; none below a root", is_nullable=True, key="object"),
        TableColumn("to_id", "BIGINT", "its target", is_nullable=True, key="object"),
        TableColumn("kind", "VARCHAR", "object, if it is declared here; reference; value", is_interned=True),
        TableColumn("is_element", "BOOLEAN", "true for elements of arrays"),
        TableColumn("is_reference", "BOOLEAN", "true if the row refers to a declaration elsewhere"),
        TableColumn(
            "field", "VARCHAR", "name of the field, index of the element; read from the file", is_nullable=True
        ),
        TableColumn("depth", "INTEGER", "depth of the row in the tree, from 0"),
        TableColumn("line", "BIGINT", "line of the row"),
        TableColumn("ref", "VARCHAR", "REF of the row"),
    ),
)
FIELD = TableType(
    "field",
    "Fields of objects, also those that are null.",
    (
        TableColumn("field_id", "BIGINT", "number of the field"),
        TableColumn("object_id", "BIGINT", "its object", is_nullable=True, key="object"),
        TableColumn("contents", "VARCHAR", "value, null or suppressed", is_interned=True),
        TableColumn("name", "VARCHAR", "name; read from the file"),
        TableColumn("type", "VARCHAR", "declared type; read from the file"),
        TableColumn("line", "BIGINT", "line of the row"),
        TableColumn("ref", "VARCHAR", "REF of the row"),
    ),
)
ROOT = TableType(
    "root",
    "Roots of the image heap.",
    (
        TableColumn("root_id", "BIGINT", "number of the root"),
        TableColumn("object_id", "BIGINT", "the object that it leads to", is_nullable=True, key="object"),
        TableColumn(
            "contents", "VARCHAR", "value, suppressed, open (several lines)", is_nullable=True, is_interned=True
        ),
        TableColumn("source", "VARCHAR", "field, method or position; read from the file"),
        TableColumn("rows_below", "BIGINT", "rows below it"),
        TableColumn("line", "BIGINT", "line of the row"),
        TableColumn("ref", "VARCHAR", "REF of the row"),
    ),
)
TYPE = TableType(
    "type",
    "Types of declared objects, those with most objects first.",
    (
        TableColumn("type_id", "INTEGER", "number of the type"),
        TableColumn("name", "VARCHAR", "name"),
        TableColumn("objects", "BIGINT", "objects"),
        TableColumn("roots", "BIGINT", "roots that reach them first"),
        TableColumn("references_in", "BIGINT", "rows that refer to them"),
        TableColumn("rows_below", "BIGINT", "rows below their declarations, each counted once"),
        TableColumn("ref", "VARCHAR", "REF of the type"),
    ),
)
VIEWS = (
    SqlView(
        "largest_types",
        "types by number of objects, as the view Types",
        "SELECT name, objects, roots, references_in, rows_below, ref FROM type ORDER BY type_id",
    ),
    SqlView(
        "dominating_objects",
        "objects by the number of objects reachable only through them, as the view Dominators",
        "SELECT type, retained_objects, ref FROM object WHERE retained_objects IS NOT NULL"
        " ORDER BY retained_objects DESC, object_id",
    ),
)
OBJECT_TABLES = TableSet(
    (OBJECT, REFERENCE, FIELD, ROOT, TYPE),
    VIEWS,
    (
        (
            "Which roots have the most rows below them?",
            "SELECT source, rows_below, ref FROM root ORDER BY rows_below DESC, root_id LIMIT 10",
        ),
        (
            "Objects of which types refer to most strings?",
            "SELECT owner.type, count(*) AS refs FROM reference JOIN object AS owner ON from_id = owner.object_id"
            " JOIN object AS target ON to_id = target.object_id WHERE target.type = 'java.lang.String'"
            " GROUP BY ALL ORDER BY refs DESC, owner.type LIMIT 10",
        ),
        (
            "Which texts have several Strings?",
            "SELECT text, count(*) AS strings FROM object WHERE type = 'java.lang.String' AND text IS NOT NULL"
            " GROUP BY text HAVING count(*) > 1 ORDER BY strings DESC, text LIMIT 10",
        ),
    ),
)


def object_tables(report: ObjectReport) -> Tables:
    """Returns the tables of an object tree."""
    return _ObjectTables(report).tables()


class _ObjectTables(RowsOfTree):
    """Columns of the tables, each made on first use."""

    report: ObjectReport

    def tables(self) -> Tables:
        """Returns the tables."""
        return Tables((self._objects(), self._references(), self._fields(), self._roots(), self._types()), VIEWS)

    # -- objects ------------------------------------------------------------------------------------------------------

    def _objects(self) -> Table:
        def texts(start: int, stop: int) -> Values:
            parsed = map(self.report.parsed, self.first_rows[start:stop].tolist())
            return text_arrays([each.text for each in parsed])

        columns = {
            "id": whole(lambda: known(self.tree.ids())),
            "type_id": lambda start, stop: known(self._type_of(start, stop)),
            "type": lambda start, stop: Named(signed(self.array("vertex_name")[start:stop]), self.names),
            "contents": self._contents,
            "text": texts,
            "references_in": whole(self._references_in),
            "retained_objects": whole(self.retained),
            "rows_below": lambda start, stop: self.below(self.array("declaration")[start:stop]),
            "line": lambda start, stop: self.lines(self.array("declaration")[start:stop]),
            "ref": lambda start, stop: self.refs(self.first_rows[start:stop]),
        }
        return Table(OBJECT, lambda: self.tree.vertices, columns)

    @cached_property
    def _types_of_names(self) -> I64Array:
        found = np.full(len(self.array("name_starts")), -1, np.int64)
        names = self.array("types.names")
        found[names] = np.arange(len(names))
        return found

    def _type_of(self, start: int, stop: int) -> I64Array:
        types = of_places(self._types_of_names, self.array("vertex_name")[start:stop])
        return np.where(self.array("declaration")[start:stop] == NONE, -1, types)

    def _contents(self, start: int, stop: int) -> Values:
        declarations = self.array("declaration")[start:stop]
        kinds = of_places(self.kinds_of(slice(None)), declarations)
        return Named(_tags(kinds), _tag_texts())

    def _references_in(self) -> I64Array:
        vertices = self.array("vertex")
        refers = (vertices != NONE) & (self.array("kind") < DECLARES)
        return np.bincount(vertices[refers], minlength=self.tree.vertices)

    # -- rows ---------------------------------------------------------------------------------------------------------

    @cached_property
    def _owners(self) -> U32Array:
        """By row the object that contains it: ROOT_OWNER below a root, NONE for a root itself."""
        from parsers.formats.graalvm.text.graph.rows import NO_KIND, owners_of_rows

        vertices = self.array("vertex")
        # Rows without an object never declare one: theirs is not used.
        return owners_of_rows(self.tree, np.where(vertices == NONE, np.uint32(0), vertices), NO_KIND, ROOT_OWNER)

    def _owner(self, rows: U32Array) -> Known:
        owners = self._owners[rows]
        return Known(owners, owners < ROOT_OWNER)

    def _references(self) -> Table:
        own: dict[str, OfRows] = {
            "from_id": self._owner,
            "to_id": lambda rows: unless(self.array("vertex")[rows], NONE),
            "kind": lambda rows: Named(self.kinds_of(rows), text_arrays(KINDS)),
            "is_element": lambda rows: self.kinds_of(rows) >= OBJECT_FIELDS + ELEMENT,
            "field": lambda rows: text_arrays(via(self.report, row) or None for row in rows.tolist()),
        }
        return self.table_of_rows(REFERENCE, lambda kinds: _is_within(kinds, OBJECT_FIELDS, VALUE), own)

    def _fields(self) -> Table:
        def part(place: int) -> OfRows:
            return lambda rows: text_arrays(self.report.parsed(row).field[place] for row in rows.tolist())

        own = {"object_id": self._owner, "contents": self._tags_of, "name": part(0), "type": part(1)}
        return self.table_of_rows(FIELD, lambda kinds: (kinds >= FIELD_VALUE) & (kinds <= FIELD_SUPPRESSED), own)

    def _tags_of(self, rows: U32Array) -> Named:
        return Named(_tags(self.kinds_of(rows)), _tag_texts())

    def _roots(self) -> Table:
        def objects(rows: U32Array) -> Values:
            """The object of a reference is in the row, that of a value in the row below it."""
            asked, vertices = rows.astype(np.int64), self.array("vertex")
            below = np.minimum(asked + 1, max(self.tree.rows - 1, 0))
            has_below = self.tree.ends_of(asked) > asked + 1 if len(asked) else np.zeros(0, bool)
            return unless(
                np.where(vertices[asked] == NONE, np.where(has_below, vertices[below], NONE), vertices[asked]), NONE
            )

        def sources(rows: U32Array) -> Values:
            return text_arrays(self.report.parsed(row).label for row in rows.tolist())

        own = {"object_id": objects, "contents": self._tags_of, "source": sources}
        return self.table_of_rows(ROOT, lambda kinds: kinds <= ROOT_OPEN, own)

    # -- types --------------------------------------------------------------------------------------------------------

    def _types(self) -> Table:
        firsts = self.array("types.firsts").astype("i8")
        columns = {
            "name": whole(lambda: self._type_names),
            "objects": whole(lambda: firsts[1:] - firsts[:-1] - 1),
            "roots": whole(lambda: self.array("types.roots")),
            "references_in": whole(lambda: self.array("types.references")),
            "rows_below": whole(lambda: self.array("types.weights")),
            "ref": whole(lambda: headed("class:", self._type_names)),
        }
        return Table(TYPE, lambda: len(firsts) - 1, columns)

    @cached_property
    def _type_names(self) -> TextArrays:
        return gathered(Named(self.array("types.names").astype("i8"), self.names))


_TAGS = tuple(dict.fromkeys(tag for tag in TAGS if tag is not None))


def _tag_texts() -> TextArrays:
    """The tags of rows as texts."""
    return text_arrays(_TAGS)


def _tags(kinds: I64Array) -> I64Array:
    """By kind of a row the number of its tag in `_TAGS`; -1 without one, and for the kind -1."""
    numbers = [_TAGS.index(tag) if tag is not None else -1 for tag in (*TAGS, None)]
    return np.array(numbers, np.int64)[kinds]


def _is_within(kinds: U8Array, first: int, last: int) -> BoolArray:
    """True for kinds of a range, also of elements."""
    return ((kinds >= first) & (kinds <= last)) | ((kinds >= first + ELEMENT) & (kinds <= last + ELEMENT))
