"""`sql` and the tables of `export`: forms of output, schemas, errors, files."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow.ipc
import pytest
from conftest import ROOT, TESTS, Answer
from small_trees import CALL_TREE, OBJECT_TREE

from parsers.reporting.sql.database import quoted
from parsers.runtime.opening import open_report

Run = Callable[..., Answer]
HOSTILE = "com.example.\x1b[31mEvil\u202e.=cmd|'/c calc'!A1(java.lang.String):void"
HEAP = TESTS / "corpus" / "hprof" / "heap" / "jdk25-virtual-threads.hprof.xz"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    path = tmp_path / "call_tree_evil_20230401_101500.txt"
    path.write_text(f"VM Entry Points\n└── entry {HOSTILE} id=0 \n\n", "utf-8")
    return path


def test_rows_are_aligned_columns_of_text(call_tree: Path, coffeetree: Run):
    answer = coffeetree("sql", call_tree, "SELECT kind, line FROM call ORDER BY line LIMIT 2")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.splitlines()[0].split() == ["kind", "line"]
    assert len(answer.out.splitlines()) == 3
    assert len({line.rindex(line.split()[-1][-1]) for line in answer.out.splitlines()}) == 1


def test_rows_as_json_and_csv_are_the_same(call_tree: Path, coffeetree: Run):
    query = "SELECT name, calls_in, loader, 0.5 AS half, line AS name FROM method ORDER BY method_id"
    rows = coffeetree("sql", "--json", call_tree, query).rows
    assert list(rows[0]) == ["name", "calls_in", "loader", "half", "name_2"]
    assert (rows[0]["loader"], rows[0]["half"]) == (None, 0.5)
    found = list(csv.reader(io.StringIO(coffeetree("sql", "--csv", call_tree, query).out)))
    assert found[0] == ["name", "calls_in", "loader", "half", "name"]
    assert [row[0] for row in found[1:]] == [row["name"] for row in rows]


def test_the_schema_is_listed(call_tree: Path, coffeetree: Run):
    tables = coffeetree("sql", "--json", call_tree, ".tables").rows
    assert {"method", "call", "entry", "class", "package", "file", "fact", "problem"} <= {
        row["table"] for row in tables
    }
    columns = coffeetree("sql", "--json", call_tree, ".schema call").rows
    assert {(row["column"], row["key"]) for row in columns} >= {("call_id", ""), ("caller_id", "method")}
    assert coffeetree("sql", call_tree, ".schema nothing").status == 2


def test_several_reports_are_schemas(call_tree: Path, coffeetree: Run):
    query = "SELECT count(*) AS n FROM call_tree.method JOIN call_tree_2.method USING (name)"
    other = call_tree.with_name("call_tree_app_20230402_101500.txt")
    other.write_text(CALL_TREE, "utf-8")
    (row,) = coffeetree("sql", "--json", call_tree, other, query).rows
    named = query.replace("call_tree_2", "new").replace("call_tree", "old")
    assert coffeetree("sql", "--json", f"old={call_tree}", f"new={other}", named).rows == [row]


def test_a_query_is_read_from_a_file_or_a_pipe(call_tree: Path, coffeetree: Run, tmp_path: Path):
    path = tmp_path / "query.sql"
    path.write_text("-- rows\nSELECT 7 AS n\n")
    assert coffeetree("sql", "--json", call_tree, path).json == {"n": 7}
    piped = subprocess.run(
        [sys.executable, "-m", "tui", "sql", str(call_tree), "-", "--json"],
        input="SELECT 8 AS n", capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    assert (piped.returncode, piped.stdout, piped.stderr) == (0, '{"n": 8}\n', "")


def test_an_error_has_its_place_and_status(call_tree: Path, coffeetree: Run):
    answer = coffeetree("sql", call_tree, "SELECT\n  nam FROM method")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.splitlines()[-2:] == ["LINE 2:   nam FROM method", "          ^^^"]
    assert coffeetree("sql", call_tree, "DROP TABLE method").status == 2


def test_a_damaged_report_is_answered_with_its_problems(tmp_path: Path, coffeetree: Run):
    path = tmp_path / "call_tree_app_20230401_101500.txt"
    path.write_text("VM Entry Points\n└── entry a.B.c():void id=0", "utf-8")
    answer = coffeetree("sql", "--json", path, "SELECT count(*) AS n FROM problem")
    assert (answer.status, answer.json) == (3, {"n": 2})
    assert answer.err


def test_hostile_names_are_harmless_on_every_way_out(hostile: Path, coffeetree: Run, tmp_path: Path):
    query = "SELECT name FROM method"
    text = coffeetree("sql", hostile, query).out
    assert "\x1b" not in text and "\u202e" not in text
    assert coffeetree("sql", "--json", hostile, query).json == {"name": HOSTILE}
    assert next(csv.reader(io.StringIO(coffeetree("sql", "--csv", hostile, query).out.split("\n", 1)[1]))) == [HOSTILE]
    formula = coffeetree("sql", "--csv", "--safe", hostile, "SELECT '=1+1' AS n").out
    assert formula.split() == ["n", "'=1+1"]
    parquet, arrow = tmp_path / "rows.parquet", tmp_path / "rows.arrow"
    assert coffeetree("sql", hostile, query, "--to", "parquet", parquet).status == 0
    assert coffeetree("sql", hostile, query, "--to", "arrow", arrow).status == 0
    assert duckdb.read_parquet(str(parquet)).fetchall() == [(HOSTILE,)]
    assert pyarrow.ipc.open_file(arrow).read_all().to_pylist() == [{"name": HOSTILE}]


def test_a_file_is_written_completely_or_not_at_all(call_tree: Path, coffeetree: Run, tmp_path: Path):
    out = tmp_path / "rows.parquet"
    assert coffeetree("sql", call_tree, "SELECT nam FROM method", "--to", "parquet", out).status == 2
    assert list(tmp_path.iterdir()) == [call_tree]
    assert coffeetree("sql", call_tree, "FROM method", "--to", "parquet", out).status == 0
    assert coffeetree("sql", call_tree, "FROM method", "--to", "parquet", out).status == 2
    assert coffeetree("sql", call_tree, "FROM method", "--to", "parquet", out, "--force").status == 0
    assert sorted(tmp_path.iterdir()) == sorted([call_tree, out])
    assert coffeetree("sql", call_tree, "FROM method", "--to", "json", call_tree, "--force").status == 2


def test_exported_tables_are_those_of_the_report(coffeetree: Run, tmp_path: Path):
    folder = tmp_path / "tables"
    assert coffeetree("export", HEAP, "--to", "parquet", folder).status == 0
    report = open_report([str(HEAP)])
    report.wait()
    for table in report.tables.values():
        names = [column.name for column in table.columns]
        read = duckdb.read_parquet(str(folder / table.name / "*.parquet"))
        assert read.columns == ["build", "image", "created", *names]
        listed = ", ".join(map(quoted, names))
        found = duckdb.sql(f"SELECT {listed} FROM read ORDER BY {quoted(names[0])}").fetchall()
        expected = list(zip(*(table.numpy(name).tolist() for name in names), strict=True))
        assert found == expected
    report.close()


def test_each_report_of_a_pattern_is_exported_also_beside_an_unreadable_one(
    call_tree: Path, coffeetree: Run, tmp_path: Path
):
    folder, builds = tmp_path / "tables", tmp_path / "builds"
    for month in ("04", "05"):
        place = builds / month / f"call_tree_app_2023{month}01_101500.txt"
        place.parent.mkdir(parents=True)
        place.write_text(CALL_TREE, "utf-8")
    (builds / "call_tree_other.txt").write_text("nothing", "utf-8")
    answer = coffeetree("export", "--each", builds / "**" / "*.txt", "--to", "parquet", folder)
    assert answer.status == 2
    assert "call_tree_other.txt" in answer.err
    rows = coffeetree("sql", "--json", folder, "SELECT build FROM package GROUP BY build ORDER BY build").rows
    assert [row["build"] for row in rows] == ["app_20230401_101500", "app_20230501_101500"]
    assert coffeetree("export", "--each", call_tree, "--to", "parquet", folder).status == 2
    assert coffeetree("export", "--each", builds / "*.log", "--to", "parquet", folder, "--append").status == 2
    assert coffeetree("export", "--each", call_tree, "--to", "csv", tmp_path / "rows.csv").status == 2


def test_reports_of_one_build_lie_in_one_folder(call_tree: Path, coffeetree: Run, tmp_path: Path):
    folder, other = tmp_path / "builds", call_tree.with_name("object_tree_app_20230401_101500.txt")
    other.write_text(OBJECT_TREE, "utf-8")
    for report in (call_tree, other):
        assert coffeetree("export", report, "--to", "parquet", folder, "--append").status == 0
    rows = coffeetree("sql", "--json", folder, "SELECT build, name FROM file ORDER BY name").rows
    assert [(row["build"], Path(row["name"]).name) for row in rows] == [
        ("app_20230401_101500", call_tree.name),
        ("app_20230401_101500", other.name),
    ]


def test_many_builds_lie_in_one_folder(call_tree: Path, coffeetree: Run, tmp_path: Path):
    folder = tmp_path / "builds"
    other = call_tree.with_name("call_tree_app_20230501_101500.txt")
    other.write_text(CALL_TREE, "utf-8")
    assert coffeetree("export", call_tree, "--to", "parquet", folder, "--tables", "package,class").status == 0
    assert coffeetree("export", other, "--to", "parquet", folder).status == 2
    assert coffeetree("export", other, "--to", "parquet", folder, "--append").status == 0
    assert coffeetree("export", other, "--to", "parquet", folder, "--append").status == 2
    query = "SELECT build, image, created, count(*) AS packages FROM package GROUP BY ALL ORDER BY build"
    rows = coffeetree("sql", "--json", folder, query).rows
    assert [(row["build"], row["image"], row["created"]) for row in rows] == [
        ("app_20230401_101500", "app", "2023-04-01 10:15:00"),
        ("app_20230501_101500", "app", "2023-05-01 10:15:00"),
    ]
    of_report = "SELECT count(*) AS n FROM app.package, call_tree.package"
    assert coffeetree("sql", "--json", f"app={folder}", call_tree, of_report).json["n"] == 2 * rows[0]["packages"] ** 2
    assert coffeetree("export", call_tree, "--to", "parquet", folder, "--tables", "nothing").status == 2
