"""`check` with rules that are queries: rows that prove a breach, baselines, mistakes and limits of the query."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer
from lxml import etree
from small_trees import CALL_TREE, OBJECT_TREE

from parsers.io.cache import Cache
from parsers.reporting.rules.query_rows import stored
from parsers.reporting.sql.stored_rows import StoredRows

Run = Callable[..., Answer]
Rules = Callable[[str], Path]

CALLED_TWICE = '''\
[[forbid]]
name = "called twice"
reason = "call it once"
sql = """
SELECT name, calls_in AS calls, ref
FROM method
WHERE calls_in > 1
ORDER BY name
"""
'''


def test_rows_of_a_query_prove_a_breach_by_the_path_to_their_ref(call_tree: Path, rules: Rules, coffeetree: Run):
    path = rules(CALLED_TWICE)
    answer = coffeetree("check", call_tree, "--rules", path)
    assert answer.status == 1
    assert answer.out.splitlines() == [
        f"BROKEN  called twice  (forbid, {path}:1)",
        "  call it once",
        "  call_tree_app_20230401_101500.txt: 1 row: none allowed",
        "",
        "REF     @bci  #id ↩ref  Rows below  Kind         Call tree",
        "line:2              #0           5  entry        a.Main.main(java.lang.String[]):void",
        "line:3    @3        #2           3  direct call    a.Main.run():void",
        "line:3                              row              a.Main.run():void  calls=2",
        "",
        "0 of 1 rules kept, 1 broken",
    ]


def test_json_has_the_values_of_the_rows_and_counts_all(call_tree: Path, rules: Rules, coffeetree: Run):
    path = rules('[[forbid]]\nname = "x"\nsql = "SELECT kind, line, 1.5 AS half, ref FROM call ORDER BY line"\n')
    (row,) = coffeetree("check", call_tree, "--rules", path, "--limit", "1", "--json").rows
    assert (row["passed"], row["value"], row["more"]) == (False, 5, 4)
    (match,) = row["matches"]
    assert match["match"]["badges"] == {"kind": "direct call", "line": 3, "half": 1.5}
    assert (match["match"]["ref"], match["match"]["label"]) == ("line:3", "direct call")
    assert [step["ref"] for step in match["path"]] == ["line:2", "line:3"]


@pytest.mark.parametrize(
    ("table", "passed", "value"),
    [
        ("[[forbid]]\nsql = \"FROM call WHERE kind = 'nothing'\"", True, 0),
        ('[[forbid]]\nsql = "FROM largest_packages"', False, 1),
        ('[[require]]\nsql = "FROM entry"', True, 2),
        ('[[require]]\nsql = "WITH e AS (FROM entry) FROM e LIMIT 0; -- none"', False, 0),
        ('[[limit]]\nsql = "FROM method"\nat-most = 4', False, 5),
        ('[[limit]]\nsql = "SELECT name, calls_in FROM method"\ncolumn = "calls_in"\nat-most = 5', True, 5),
        ('[[limit]]\nsql = "SELECT calls_in AS rows_below FROM method"\ncolumn = "rows_below"\nat-most = 4', False, 5),
        ('[[limit]]\nsql = "SELECT calls_in n FROM method"\ncolumn = "n"\ntake = "each"\nat-most = 2', True, 2),
    ],
)  # fmt: skip
def test_a_query_replaces_the_rows_of_any_rule(
    table: str, passed: bool, value: int, call_tree: Path, rules: Rules, coffeetree: Run
):
    path = rules(table.replace("]]", ']]\nname = "x"', 1) + "\n")
    (row,) = coffeetree("check", call_tree, "--rules", path, "--json").rows
    assert (row["passed"], row["value"]) == (passed, value)


def test_a_baseline_has_the_texts_of_the_rows(call_tree: Path, rules: Rules, coffeetree: Run, tmp_path: Path):
    query = "SELECT caller_package, kind FROM call"
    path = rules(f'[[forbid]]\nname = "no new kinds"\nnew = true\nsql = "{query}"\n')
    baseline = tmp_path / "baseline.toml"
    assert coffeetree("check", call_tree, "--rules", path, "--save", baseline).status == 0
    assert '"a  overridden by × 2",' in baseline.read_text()
    call_tree.write_text(CALL_TREE.replace("directly calls a.Main.run():void id-ref=2", "virtually calls b.C.d():void"))
    (row,) = coffeetree("check", call_tree, "--rules", path, "--baseline", baseline, "--json").rows
    assert [match["match"]["label"] for match in row["matches"]] == ["a  virtual call"]


def test_files_for_ci_have_the_rows(call_tree: Path, rules: Rules, coffeetree: Run, tmp_path: Path):
    junit, sarif = tmp_path / "junit.xml", tmp_path / "check.sarif"
    coffeetree("check", call_tree, "--rules", rules(CALLED_TWICE), "--junit", junit, "--sarif", sarif)
    (failure,) = etree.parse(str(junit)).iter("failure")
    assert failure.get("message") == "1 row: none allowed"
    assert failure.text.splitlines()[-1] == "      row a.Main.run():void  line:3"
    (result,) = json.loads(sarif.read_text())["runs"][0]["results"]
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    lines = [step["location"].get("physicalLocation", {}).get("region", {}).get("startLine") for step in steps]
    assert lines == [2, 3, None]


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        (CALLED_TWICE.replace("calls_in > 1", "call_in > 1"), 7, "sql line 3: Binder Error: Referenced column"),
        (CALLED_TWICE.replace("ORDER", "ODER"), 8, "sql line 4: Parser Error: syntax error"),
        ('[[forbid]]\nname = "x"\nsql = "FROM methods"', 3, "sql: no report has a table 'methods': call_tree_app"),
        ('[[forbid]]\nname = "x"\nsql = "DROP VIEW method"', 3, "sql: a query is one SELECT"),
        ('[[forbid]]\nname = "x"\nsql = "FROM read_text(\'/etc/hosts\')"', 3, "sql: Permission Error: Cannot access"),
        ('[[forbid]]\nname = "x"\nsql = 7', 3, "sql: expected a text, not 7"),
        ('[[forbid]]\nname = "x"\nkind = "a"\nsql = "FROM call"', 3, "kind: belongs to view: a query has its own"),
        ('[[forbid]]\nname = "x"\nview = "Types"\nsql = "FROM call"', 4, "not view and sql"),
        ('[[limit]]\nname = "x"\nsql = "FROM call"\ncolumn = "kind"\nat-most = 1', 4, "column: Query has no number"),
        ('[[forbid]]\nname = "x"\nsql = "SELECT error(kind) FROM call"', 3, "sql: Invalid Input"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_query_has_its_place(
    text: str, line: int, expected: str, call_tree: Path, rules: Rules, coffeetree: Run
):
    path = rules(f"{text}\n")
    answer = coffeetree("check", call_tree, "--rules", path)
    assert (answer.status, answer.out) == (2, "")
    (message,) = answer.err.splitlines()
    assert message.startswith(f"coffeetree: {path}:{line}: [[")
    assert expected in message


def test_a_mistake_is_found_before_the_report_is_read(
    call_tree: Path, rules: Rules, coffeetree: Run, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("tui.headless.given_reports.GivenReports.know", lambda *_: pytest.fail("the report was read"))
    assert coffeetree("check", call_tree, "--rules", rules(CALLED_TWICE.replace("FROM", "FORM"))).status == 2


def test_each_report_with_the_tables_answers(call_tree: Path, rules: Rules, coffeetree: Run, tmp_path: Path):
    heap = tmp_path / "object_tree_app_20230401_101500.txt"
    heap.write_text(OBJECT_TREE, "utf-8")
    text = '[[require]]\nname = "{0}"\nsql = "FROM {0}"\n'
    path = rules("".join(map(text.format, ("call", "type", "fact"))))
    rows = coffeetree("check", call_tree, heap, "--rules", path, "--json").rows
    formats = [(row["rule"], row["format"]) for row in rows]
    assert formats == [
        ("call", "graalvm-call-tree"),
        ("type", "graalvm-object-tree"),
        ("fact", "graalvm-call-tree"),
        ("fact", "graalvm-object-tree"),
    ]


def test_results_outlive_the_start_of_another_program(
    call_tree: Path, rules: Rules, coffeetree: Run, monkeypatch: pytest.MonkeyPatch
):
    def stored_beside_another(*given: Any) -> StoredRows:
        other = Cache(keep=False)
        assert other.temporary_folder()
        other.close()
        return stored(*given)

    monkeypatch.setattr("parsers.reporting.rules.rule_queries.stored", stored_beside_another)
    (row,) = coffeetree("check", call_tree, "--rules", rules(CALLED_TWICE), "--json").rows
    assert row["value"] == 1


def test_queries_over_a_damaged_report_are_not_judged(call_tree: Path, rules: Rules, coffeetree: Run):
    call_tree.write_text(CALL_TREE.rpartition("└──")[0], "utf-8")
    (row,) = coffeetree("check", call_tree, "--rules", rules(CALLED_TWICE), "--json").rows
    assert (row["passed"], row["value"]) == (None, 1)
    assert "cut" in row["lost"]


def test_an_endless_query_ends_with_its_limit(call_tree: Path, rules: Rules, coffeetree: Run):
    endless = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r) SELECT count(*) FROM r"
    path = rules(f'[[forbid]]\nname = "x"\nsql = "{endless}"\n')
    answer = coffeetree("check", call_tree, "--rules", path, "--timeout", "1")
    assert (answer.status, answer.err.count(f"{path}:3: [[forbid]] 'x': sql: the query takes longer")) == (2, 1)


def test_without_duckdb_a_line_says_how_to_get_it(
    call_tree: Path, rules: Rules, coffeetree: Run, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    answer = coffeetree("check", call_tree, "--rules", rules(CALLED_TWICE))
    assert (answer.status, answer.err) == (2, "coffeetree: SQL needs DuckDB: pip install 'coffeetree[sql]'\n")
    assert coffeetree("check", call_tree, "--rules", rules('[[require]]\nname = "x"\nmethods = "*"\n')).status == 0
