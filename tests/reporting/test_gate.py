"""`check`: results of rules that are kept, broken, or can't be judged; by exit status, text, JSON and files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import CORPUS, Answer, sample_path, truth_of
from lxml import etree
from small_trees import CALL_TREE, OBJECT_TREE

from parsers.reporting.rules.evaluation import Evaluator, RuleResult
from parsers.reporting.rules.question import Question
from parsers.reporting.rules.sarif import uri

Run = Callable[..., Answer]

FORBID_JOBS = '[[forbid]]\nname = "no jobs"\nreason = "they are slow"\nclasses = "a.Job"\n'
LIMIT_ALL = '[[limit]]\nname = "size"\nmethods = "*"\nat-most = {}\n'


Rules = Callable[..., Path]

# -- kept and broken rules --------------------------------------------------------------------------------------------


def test_a_breach_is_printed_with_its_reason_and_a_path(call_tree: Path, rules: Rules, coffeetree: Run) -> None:
    path = rules('[[forbid]]\nname = "no others"\nreason = """they are\nslow"""\nmethods = "a.Other.*"\n')
    answer = coffeetree("check", call_tree, "--rules", path)
    assert answer.status == 1
    assert answer.out.splitlines() == [
        f"BROKEN  no others  (forbid, {path}:1)",
        "  they are",
        "  slow",
        "  call_tree_app_20230401_101500.txt: 1 method matches a.Other.*: none allowed",
        "",
        "REF     @bci  #id ↩ref  Rows below  Kind           Call tree",
        "line:2              #0           5  entry          a.Main.main(java.lang.String[]):void",
        "line:3    @3        #2           3  direct call      a.Main.run():void",
        "line:4    @5                     2  virtual call       java.lang.Runnable.run():void",
        "line:6              #3           0  overridden by        a.Other.run():void",
        "",
        "0 of 1 rules kept, 1 broken",
    ]
    assert not answer.err


def test_forbidden_classes_are_shown_by_a_path_to_each(call_tree: Path, rules: Rules, coffeetree: Run) -> None:
    path = rules('[[forbid]]\nname = "none"\nclasses = ["a.Job", "a.Other"]\n')
    job, other = coffeetree("check", call_tree, "--rules", path).out.split("\n\n")[1:3]
    assert [line.split()[0] for line in job.splitlines()] == ["REF", "line:8", "class:"]
    assert [line.split()[0] for line in other.splitlines()] == ["line:2", "line:3", "line:4", "line:6", "class:"]


def test_rules_that_are_kept_are_counted(call_tree: Path, rules: Rules, coffeetree: Run) -> None:
    answer = coffeetree("check", call_tree, "--rules", rules(FORBID_JOBS.replace("a.Job", "b.*") + LIMIT_ALL.format(4)))
    assert (answer.status, answer.out, answer.err) == (0, "2 of 2 rules kept\n", "")


def test_json_has_a_line_a_rule(call_tree: Path, rules: Rules, coffeetree: Run) -> None:
    text = FORBID_JOBS + LIMIT_ALL.format(3) + '[[require]]\nname = "main"\nmethods = "*.main(*"\n'
    answer = coffeetree("check", call_tree, "--rules", rules(text), "--json")
    told = [[row[key] for key in ("rule", "passed", "value", "limit", "more")] for row in answer.rows]
    assert told == [["no jobs", False, 1, 0, 0], ["size", False, 4, 3, 0], ["main", True, 1, 1, 0]]
    (match,) = answer.rows[0]["matches"]
    assert match["match"]["ref"] == "class:a.Job"
    assert [row["label"] for row in match["path"]] == ["a.Job.run():void"]
    assert answer.rows[1]["says"] == "4 methods: at most 3 allowed"


@pytest.mark.parametrize(
    ("table", "passed", "value"),
    [
        ('[[require]]\nclasses = "a.Job"', True, 1),
        ('[[require]]\nclasses = "a.Nothing"', False, 0),
        ('[[require]]\nmethods = "a.*"\nat-least = 4', True, 4),
        ('[[require]]\nmethods = "a.*"\nat-least = 5', False, 4),
        ('[[forbid]]\nmethods = "a.*"\nexcept = "a.*"', True, 0),
        ('[[forbid]]\nmethods = "java.lang.Runnable.*"', True, 0),
        ('[[limit]]\nclasses = "a.*"\nat-most = 3', True, 3),
        ('[[limit]]\nclasses = "a.*"\nat-most = 2', False, 3),
        ('[[limit]]\npackages = "*"\nat-most = 1', True, 1),
        ('[[limit]]\nentries = "*"\nat-most = 1', False, 2),
        ('[[limit]]\nclasses = "a.*"\ncolumn = "call sites"\nat-most = 3', False, 4),
        ('[[limit]]\nclasses = "a.*"\ncolumn = "call_sites"\nat-most = 2\ntake = "each"', True, 2),
        ('[[limit]]\nview = "call tree"\nkind = "overridden by"\nat-most = 1', False, 2),
        ('[[limit]]\nview = "Call tree"\nkind = "*"\nat-most = 6', False, 7),
        ('[[limit]]\nview = "Call tree"\nat-most = 2', True, 2),
        ('[[forbid]]\nview = "Call tree"\nkind = "*"\nwhere = { at = "9", id = "2" }', False, 1),
        ('[[limit]]\nclasses = "*"\nwhere = { methods = "1" }\ncolumn = "call_sites"\nat-most = 1', False, 2),
        ('[[forbid]]\nview = "Call tree"\nkind = "*"\nwhere = { flags = "dangling" }', True, 0),
        ('[[require]]\nclasses = "a.*"\ncolumn = "call_sites"\ntake = "each"\nat-least = 2', False, 1),
        ('[[require]]\nclasses = "b.*"\ncolumn = "call_sites"\nat-least = 0', True, 0),
    ],
)
def test_rules_count_matching_rows(
    table: str, passed: bool, value: int, call_tree: Path, rules: Rules, coffeetree: Run
) -> None:
    path = rules(table.replace("]]", ']]\nname = "x"', 1) + "\n")
    answer = coffeetree("check", call_tree, "--rules", path, "--json")
    assert (answer.rows[0]["passed"], answer.rows[0]["value"], answer.status) == (passed, value, int(not passed))


def test_types_and_objects_of_the_image_heap(object_tree: Path, rules: Rules, coffeetree: Run) -> None:
    text = """\
[[forbid]]
name = "no nodes"
types = "java.util.HashMap$Node"

[[limit]]
name = "objects"
objects = "java.*"
at-most = 2
"""
    answer = coffeetree("check", object_tree, "--rules", rules(text), "--json")
    nodes, objects = answer.rows
    assert (nodes["value"], nodes["matches"][0]["match"]["label"]) == (1, "java.util.HashMap$Node[]")
    assert (objects["value"], objects["passed"]) == (3, False)


def test_rows_that_reach_the_others_are_listed_first(tmp_path: Path, rules: Rules, coffeetree: Run) -> None:
    tree = ["VM Entry Points", "├── entry a.Main.main():void id=0 "]
    for depth in range(1, 5):
        tree.append(f"{'│   ' * depth}└── directly calls x.C{10 - depth}.m():void id={depth} @bci=0 ")
    path = tmp_path / "tree.txt"
    path.write_text("\n".join([*tree, "", ""]), "utf-8")
    text = '[[forbid]]\nname = "no x"\nmethods = "x.*"\n'
    answer = coffeetree("check", path, "--rules", rules(text), "--json", "--limit", "1")
    (match,) = answer.rows[0]["matches"]
    assert match["match"]["label"] == "x.C9.m():void"
    assert answer.rows[0]["more"] == 3


# -- what can't be asked ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (
            'view = "Clases"',
            "view: no report has a view 'Clases': {title} has Call tree, Callers, Entry points, Packages",
        ),
        ('types = "a"', "types: no report lists them: {title} has Call tree"),
        ('view = "Call tree"\nkind = "cow"', "kind: no row of {title} is a 'cow': there are class, direct call"),
        ('classes = "a"\nreport = "hprof*"', "report: no report is hprof*: there are graalvm-call-tree ({title})"),
    ],
)
def test_a_rule_that_no_report_can_answer_is_never_kept(
    table: str, says: str, call_tree: Path, rules: Rules, coffeetree: Run
) -> None:
    answer = coffeetree("check", call_tree, "--rules", rules(f'[[forbid]]\nname = "x"\n{table}\n'))
    assert (answer.status, answer.out) == (2, "")
    assert says.format(title=call_tree.name) in answer.err
    line = 3 + table.count("\n")
    assert f"rules.toml:{line}: [[forbid]] 'x': " in answer.err


def test_views_of_a_report_that_is_not_read_are_possible_ones(rules: Rules, coffeetree: Run) -> None:
    path = CORPUS.parent / "hprof" / "text" / "quit-samples.txt.xz"
    answer = coffeetree("check", path, "--rules", rules('[[forbid]]\nname = "x"\nview = "Clases"\n'))
    assert "quit-samples.txt may have CPU samples, CPU time, " in answer.err


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (
            'column = "wight"\nat-most = 1',
            "column: Packages has no number 'wight': there are methods, call_sites",
        ),
        (
            'where = { wight = "1" }\nat-most = 1',
            "where: Packages has no column 'wight': there are methods, call_sites",
        ),
        ('column = "weight"\nat-most = "1 MB"', "at-most: the column weight is in count"),
        ("may-grow = 1", "may-grow: needs a baseline: there is none: expected baseline = PATH in the rules"),
    ],
)
def test_a_limit_that_can_not_be_measured(
    table: str, says: str, call_tree: Path, rules: Rules, coffeetree: Run
) -> None:
    answer = coffeetree("check", call_tree, "--rules", rules(f'[[limit]]\nname = "x"\nclasses = "*"\n{table}\n'))
    assert (answer.status, answer.out) == (2, "")
    assert says in answer.err


def test_all_mistakes_are_reported_at_once_on_the_lines_of_their_keys(
    call_tree: Path, rules: Rules, coffeetree: Run
) -> None:
    text = """\
[[forbid]]
name = "a"
view = "Packages"
kind = "cow"
where = { colour = "red", size = "1" }

[[limit]]
name = "b"
methods = "*"
column = "wait"
at-most = 1
may-grow = 2

[[forbid]]
name = "c"
methods = "*"
new = true
"""
    answer = coffeetree("check", call_tree, "--rules", rules(text))
    told = [line.split("rules.toml:")[1] for line in answer.err.splitlines()]
    assert [each[: each.index(":", 20)] for each in told] == [
        "4: [[forbid]] 'a': kind",
        "5: [[forbid]] 'a': where",
        "5: [[forbid]] 'a': where",
        "10: [[limit]] 'b': column",
        "12: [[limit]] 'b': may-grow",
        "17: [[forbid]] 'c': new",
    ]


def test_without_rules_there_is_nothing_to_check(call_tree: Path, rules: Rules, coffeetree: Run) -> None:
    assert coffeetree("check", call_tree).status == 2
    assert "check needs --rules FILE" in coffeetree("check", call_tree).err
    assert "rules.toml: No such file" in coffeetree("check", call_tree, "--rules", "rules.toml").err
    assert "holds no rules" in coffeetree("check", call_tree, "--rules", rules("")).err


# -- several reports --------------------------------------------------------------------------------------------------


def test_each_report_answers_what_it_can(
    call_tree: Path, object_tree: Path, rules: Rules, coffeetree: Run, tmp_path: Path
) -> None:
    text = FORBID_JOBS + '[[forbid]]\nname = "no maps"\ntypes = "java.util.HashMap"\n'
    for given in ([call_tree, object_tree], [tmp_path], [call_tree, call_tree, object_tree]):
        answer = coffeetree("check", *given, "--rules", rules(text, "rules"), "--json")
        told = [(row["rule"], row["format"], row["passed"]) for row in answer.rows]
        assert told == [("no jobs", "graalvm-call-tree", False), ("no maps", "graalvm-object-tree", False)]


def test_joined_views_of_a_folder_are_asked_of_the_build(
    call_tree: Path, object_tree: Path, rules: Rules, coffeetree: Run, tmp_path: Path
) -> None:
    text = '[[limit]]\nname = "x"\nview = "Classes"\npattern = "a.*"\ncolumn = "methods"\nat-most = 4\nmay-grow = 0\n'
    saved, old = tmp_path / "saved" / "base.toml", tmp_path / "old"
    for folder in (saved.parent, old):
        folder.mkdir()
    for tree in (call_tree, object_tree):
        (old / tree.name).write_bytes(tree.read_bytes())
    given = ("check", tmp_path, "--rules", rules(text, "rules"))
    assert coffeetree(*given, "--save", saved).status == 0
    for baseline in (saved, old):
        (row,) = coffeetree(*given, "--baseline", baseline, "--json").rows
        assert [row[key] for key in ("format", "value", "baseline", "passed")] == ["graalvm-build", 4, 4, True]


def test_a_rule_for_files_of_a_name_is_asked_of_no_other(call_tree: Path, rules: Rules, coffeetree: Run) -> None:
    other = call_tree.with_name("call_tree_tool_20230401_101500.txt")
    other.write_bytes(call_tree.read_bytes())
    text = FORBID_JOBS + 'report = "call_tree_tool_*"\n'
    answer = coffeetree("check", call_tree, other, "--rules", rules(text), "--json")
    assert [row["report"] for row in answer.rows] == [other.name]
    both = coffeetree("check", call_tree, other, "--rules", rules(FORBID_JOBS), "--json")
    assert [row["report"] for row in both.rows] == [call_tree.name, other.name]


# -- damage -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def cut(call_tree: Path) -> Path:
    """The call tree without its end: the last entry is missing."""
    text = call_tree.read_text("utf-8")
    call_tree.write_text(text[: text.index("└── entry a.Job") + 8], "utf-8")
    return call_tree


@pytest.mark.parametrize(
    ("table", "passed", "status"),
    [
        ('[[forbid]]\nmethods = "b.*"', None, 3),
        ('[[forbid]]\nmethods = "a.*"', False, 1),
        ('[[require]]\nmethods = "b.*"', None, 3),
        ('[[require]]\nmethods = "a.*"', True, 0),
        ('[[limit]]\nmethods = "a.*"\nat-most = 9', None, 3),
        ('[[limit]]\nmethods = "a.*"\nat-most = 1', False, 1),
        ('[[limit]]\nclasses = "*"\ncolumn = "weight"\nat-most = 1', None, 3),
    ],
)
def test_on_a_damaged_report_only_certain_results_are_evaluated(
    table: str, passed: bool | None, status: int, cut: Path, rules: Rules, coffeetree: Run
) -> None:
    path = rules(table.replace("]]", ']]\nname = "x"', 1) + "\n")
    answer = coffeetree("check", cut, "--rules", path, "--json")
    assert (answer.rows[0]["passed"], answer.status) == (passed, status)
    assert "cut" in answer.err
    assert ("is damaged: " in answer.rows[0]["lost"]) == (passed is None)


@pytest.mark.parametrize("lost", [3, 2000])
def test_a_cut_tree_is_reported_as_cut_however_many_references_lead_after_its_end(
    lost: int, call_tree: Path, rules: Rules, coffeetree: Run
) -> None:
    calls = "".join(f"│   ├── directly calls b.B.f{id}():void id-ref={id} @bci=1 \n" for id in range(7, 7 + lost))
    text = "VM Entry Points\n├── entry a.Main.main():void id=0 \n" + calls
    call_tree.write_text(text, "utf-8")
    size = f"{len(text[: text.rindex('│')].encode()):,}"
    answer = coffeetree("check", call_tree, "--rules", rules('[[forbid]]\nname = "x"\nmethods = "c.*"\n'))
    assert answer.status == 3
    assert f"is damaged: cut at byte {size}, dangling reference ({min(lost, 999)})" in answer.out
    assert ("1,001 more that are not listed" in answer.out) == (lost == 2000)
    assert f"cut at byte {size}" in answer.err
    problems = coffeetree("info", "--json", call_tree).json["problems"]
    assert [each["kind"] for each in problems[-2:]] == ["dangling reference", "cut"]
    assert len(problems) == min(lost + 1, 1000)
    accepted = 'accept-problems = ["dangling reference"]\n[[forbid]]\nname = "x"\nmethods = "c.*"\n'
    assert f"is damaged: cut at byte {size}" in coffeetree("check", call_tree, "--rules", rules(accepted)).out


def test_problems_that_do_not_matter_can_be_accepted(call_tree: Path, rules: Rules, coffeetree: Run) -> None:
    call_tree.write_text(CALL_TREE.replace("└── entry a.Job", "# a line of a log\n└── entry a.Job"), "utf-8")
    text = '[[forbid]]\nname = "x"\nmethods = "b.*"\n'
    answer = coffeetree("check", call_tree, "--rules", rules(text))
    assert answer.status == 3
    assert "UNKNOWN  x" in answer.out
    assert "can't be judged: call_tree_app_20230401_101500.txt is damaged: stray line, first at byte" in answer.out
    accepted = coffeetree("check", call_tree, "--rules", rules('accept-problems = ["stray line"]\n' + text))
    assert (accepted.status, accepted.out) == (0, "1 of 1 rules kept\n")


def test_of_many_problems_the_first_of_each_kind_are_listed(call_tree: Path, rules: Rules, coffeetree: Run) -> None:
    call_tree.write_text(CALL_TREE.replace("└── entry a.Job", "# a line of a log\n" * 9 + "└── entry a.Job"), "utf-8")
    answer = coffeetree("check", call_tree, "--rules", rules(FORBID_JOBS))
    assert answer.err.count("stray line at byte") == 3
    assert answer.err.splitlines()[-1] == f"{call_tree.name}: more of these: stray line (6)"


def test_a_report_that_is_written_meanwhile_is_not_judged(
    call_tree: Path, rules: Rules, coffeetree: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def evaluate(self: Evaluator, question: Question) -> RuleResult:
        call_tree.write_text(GROWN, "utf-8")
        return judged(self, question)

    judged = Evaluator.evaluate
    monkeypatch.setattr(Evaluator, "evaluate", evaluate)
    answer = coffeetree("check", call_tree, "--rules", rules(FORBID_JOBS))
    assert (answer.status, answer.out) == (3, "")
    assert "was written while it was read" in answer.err


def test_measurements_of_kept_rules_can_be_printed(call_tree: Path, rules: Rules, coffeetree: Run) -> None:
    answer = coffeetree("check", call_tree, "--rules", rules(LIMIT_ALL.format(4)), "-v")
    assert f"kept: size: {call_tree.name}: 4 methods: at most 4 allowed" in answer.err.splitlines()


# -- baselines --------------------------------------------------------------------------------------------------------

GROWING = """\
baseline = "baseline.toml"

[[limit]]
name = "size"
methods = "*"
may-grow = "25 %"

[[forbid]]
name = "nothing new"
classes = "*"
new = true
"""

GROWN = CALL_TREE.replace(
    "└── entry a.Job",
    "├── entry b.New$$Lambda$7/0x00ff.run():void id=7 \n├── entry b.More.run():void id=8 \n└── entry a.Job",
)


def test_a_baseline_is_saved_and_compared(call_tree: Path, rules: Rules, coffeetree: Run) -> None:
    path = rules(GROWING)
    saved = path.with_name("baseline.toml")
    assert "--save" in coffeetree("check", call_tree, "--rules", path).err
    assert coffeetree("check", call_tree, "--rules", path, "--save", saved).status == 0
    assert saved.read_text("utf-8").splitlines() == [
        "# What rules measured: `coffeetree check REPORT... --rules FILE --save FILE` writes it.",
        "version = 1",
        "",
        "[[measured]]",
        'rule = "nothing new"',
        'report = "graalvm-call-tree"',
        "value = 3",
        "names = [",
        '    "a.Job",',
        '    "a.Main",',
        '    "a.Other",',
        "]",
        "",
        "[[measured]]",
        'rule = "size"',
        'report = "graalvm-call-tree"',
        "value = 4",
    ]
    assert coffeetree("check", call_tree, "--rules", path).status == 0
    call_tree.write_text(GROWN, "utf-8")
    answer = coffeetree("check", call_tree, "--rules", path, "--json")
    size, new = answer.rows
    assert (size["passed"], size["value"], size["limit"], size["baseline"]) == (False, 6, 5, 4)
    assert size["says"] == "6 methods: at most 25 % more than the baseline, which has 4"
    assert (new["value"], [each["match"]["label"] for each in new["matches"]]) == (
        2,
        ["b.New$$Lambda$7/0x00ff", "b.More"],
    )


def test_an_older_report_is_a_baseline_too(call_tree: Path, rules: Rules, coffeetree: Run, tmp_path: Path) -> None:
    old = tmp_path / "old" / call_tree.name
    old.parent.mkdir()
    gone = "├── entry b.More.run():void id=8 \n"
    old.write_text(GROWN.replace(gone, "").replace("$$Lambda$7/0x00ff", "$$Lambda$1/0x00aa"), "utf-8")
    call_tree.write_text(GROWN, "utf-8")
    for baseline in (old, old.parent):
        answer = coffeetree("check", call_tree, "--rules", rules(GROWING), "--baseline", baseline, "--json")
        size, new = answer.rows
        # The lambda is the same one, whatever this build calls it.
        assert (size["baseline"], size["limit"], size["passed"]) == (5, 6.25, True)
        assert [each["match"]["label"] for each in new["matches"]] == ["b.More"]


def test_a_baseline_distinguishes_reports_of_one_format_by_their_images(
    call_tree: Path, rules: Rules, coffeetree: Run, tmp_path: Path
) -> None:
    tool = call_tree.with_name("call_tree_tool_20230401_101500.txt")
    tool.write_text(GROWN, "utf-8")
    path, saved = rules(GROWING, "rules"), tmp_path / "saved.toml"
    assert coffeetree("check", tmp_path, "--rules", path, "--save", saved).status == 0
    named = [line for line in saved.read_text("utf-8").splitlines() if line.startswith(("of", "value"))]
    assert named == [
        'of = "app"',
        "value = 3",
        'of = "tool"',
        "value = 5",
        'of = "app"',
        "value = 4",
        'of = "tool"',
        "value = 6",
    ]
    later = tool.with_name("call_tree_tool_20230501_101500.txt")
    tool.rename(later)
    for given in ([tmp_path], [later], [call_tree, later]):
        assert coffeetree("check", *given, "--rules", path, "--baseline", saved).status == 0
    call_tree.write_text(GROWN, "utf-8")
    answer = coffeetree("check", tmp_path, "--rules", path, "--baseline", saved, "--json")
    told = [(row["rule"], row["report"], row["passed"]) for row in answer.rows]
    assert told == [
        ("size", later.name, True),
        ("size", call_tree.name, False),
        ("nothing new", later.name, True),
        ("nothing new", call_tree.name, False),
    ]
    assert "several builds" not in answer.err


def test_an_older_folder_answers_for_each_image(call_tree: Path, rules: Rules, coffeetree: Run, tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    for image, text in (("app", CALL_TREE), ("tool", GROWN)):
        (old / f"call_tree_{image}_20230301_101500.txt").write_text(text, "utf-8")
    tool = call_tree.with_name("call_tree_tool_20230401_101500.txt")
    tool.write_text(GROWN, "utf-8")
    given = ("check", call_tree, tool, "--rules", rules(GROWING), "--baseline")
    assert [row["baseline"] for row in coffeetree(*given, old, "--json").rows] == [4, 6, 3, 5]
    one = coffeetree(*given, old / "call_tree_app_20230301_101500.txt")
    assert one.status == 2
    assert "the baseline has no graalvm-call-tree of tool for the rule 'size'" in one.err


def test_reports_that_no_rule_asks_are_not_read(
    call_tree: Path, object_tree: Path, rules: Rules, coffeetree: Run, tmp_path: Path, cache_folder: Path
) -> None:
    object_tree.write_text(OBJECT_TREE[:-20], "utf-8")
    answer = coffeetree("check", tmp_path, "--rules", rules(LIMIT_ALL.format(4), "rules"))
    assert (answer.status, answer.out, answer.err) == (0, "1 of 1 rules kept\n", "")


def test_damaged_reports_are_neither_saved_nor_compared(cut: Path, rules: Rules, coffeetree: Run) -> None:
    saved = cut.with_name("new.toml")
    answer = coffeetree("check", cut, "--rules", rules(GROWING), "--save", saved)
    assert not saved.exists()
    assert "is not written: call_tree_app_20230401_101500.txt is damaged" in answer.err
    whole = cut.with_name("call_tree_app_20230402_101500.txt")
    whole.write_text(CALL_TREE, "utf-8")
    held = coffeetree("check", whole, "--rules", rules(GROWING), "--baseline", cut, "--json")
    assert [row["passed"] for row in held.rows] == [None, None]
    assert held.status == 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("version = 1\n", "has nothing for the rule 'size' and a report of the format graalvm-call-tree"),
        ("", "is no baseline: expected version = 1"),
        ("version = 1\n[[measured]]\nrule = 3\n", "[[measured]], the 1. one: expected rule and report (texts), value"),
        ("[[", "is no TOML"),
    ],
)
def test_a_baseline_that_can_not_be_used(text: str, says: str, call_tree: Path, rules: Rules, coffeetree: Run) -> None:
    rules(text, "baseline.toml")
    answer = coffeetree("check", call_tree, "--rules", rules(GROWING))
    assert (answer.status, answer.out) == (2, "")
    assert says in answer.err


def test_nothing_that_is_read_is_written_over(call_tree: Path, rules: Rules, coffeetree: Run) -> None:
    path = rules(FORBID_JOBS)
    for option in ("--save", "--junit", "--sarif"):
        for file in (path, call_tree):
            answer = coffeetree("check", call_tree, "--rules", path, option, file)
            assert answer.status == 2
            assert "is read itself" in answer.err
    assert path.read_text("utf-8") == FORBID_JOBS


# -- files for CI servers ---------------------------------------------------------------------------------------------

HOSTILE = "a.\x1b[31mÜ\u202e<&\"'>\x01\ufffe"
HOSTILE_TREE = f"VM Entry Points\n├── entry {HOSTILE}.m\x00():void id=0 \n\n"

JUNIT_SCHEMA = """\
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:complexType name="message"><xs:simpleContent><xs:extension base="xs:string">
    <xs:attribute name="message" type="xs:string"/><xs:attribute name="type" type="xs:string"/>
  </xs:extension></xs:simpleContent></xs:complexType>
  <xs:attributeGroup name="counts">
    <xs:attribute name="name" type="xs:string" use="required"/>
    <xs:attribute name="tests" type="xs:int" use="required"/>
    <xs:attribute name="failures" type="xs:int" use="required"/>
    <xs:attribute name="errors" type="xs:int" use="required"/>
    <xs:attribute name="time" type="xs:decimal"/>
  </xs:attributeGroup>
  <xs:element name="testsuites"><xs:complexType>
    <xs:sequence><xs:element name="testsuite" maxOccurs="unbounded"><xs:complexType>
      <xs:sequence><xs:element name="testcase" maxOccurs="unbounded"><xs:complexType>
        <xs:choice minOccurs="0">
          <xs:element name="failure" type="message"/><xs:element name="error" type="message"/>
        </xs:choice>
        <xs:attribute name="name" type="xs:string" use="required"/>
        <xs:attribute name="classname" type="xs:string"/>
        <xs:attribute name="time" type="xs:decimal"/>
      </xs:complexType></xs:element></xs:sequence>
      <xs:attributeGroup ref="counts"/><xs:attribute name="skipped" type="xs:int"/>
    </xs:complexType></xs:element></xs:sequence>
    <xs:attributeGroup ref="counts"/>
  </xs:complexType></xs:element>
</xs:schema>
"""
"""Intersection of the schemas of Jenkins and of Ant."""


def test_junit_has_a_suite_a_report_and_a_test_a_rule(
    call_tree: Path, object_tree: Path, rules: Rules, coffeetree: Run, tmp_path: Path
) -> None:
    text = FORBID_JOBS + LIMIT_ALL.format(9) + '[[forbid]]\nname = "no nodes"\ntypes = "java.*"\n'
    out = tmp_path / "junit.xml"
    assert coffeetree("check", call_tree, object_tree, "--rules", rules(text), "--junit", out).status == 1
    document = etree.fromstring(out.read_bytes())
    etree.XMLSchema(etree.fromstring(JUNIT_SCHEMA)).assertValid(document)
    suites = [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in document]
    assert suites == [(call_tree.name, "2", "1"), (object_tree.name, "1", "1")]
    (failure,) = document[0].iter("failure")
    assert failure.getparent().get("name") == "no jobs"
    assert failure.get("message") == "1 class matches a.Job: none allowed"
    assert "they are slow" in failure.text
    assert "entry a.Job.run():void  line:8" in failure.text


def test_sarif_has_a_result_for_each_breach_with_its_path(call_tree: Path, rules: Rules, coffeetree: Run) -> None:
    out = call_tree.with_name("out.sarif")
    path = rules(LIMIT_ALL.format(1) + '[[forbid]]\nname = "x"\nmethods = "a.*"\n')
    assert coffeetree("check", call_tree, "--rules", path, "--sarif", out, "--limit", "2").status == 1
    document = json.loads(out.read_text("ascii"))
    look_at_sarif(document)
    (run,) = document["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["size", "x"]
    size, *results = run["results"]
    assert size["message"]["text"].endswith("4 methods: at most 1 allowed")
    assert [each["ruleIndex"] for each in results] == [1, 1]
    assert results[0]["locations"][0]["physicalLocation"]["region"] == {"startLine": 5}
    assert results[0]["message"]["text"].endswith("(2 more rows break it)\na.Main.main(java.lang.String[]):void")
    steps = results[0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps] == [2]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("ci/rules.toml", "ci/rules.toml"),
        ("./ci/../rules.toml", "rules.toml"),
        ("a b,#?%/\u00fc.toml", "a%20b%2C%23%3F%25/%C3%BC.toml"),
        ("a:b/c.toml", "./a%3Ab/c.toml"),
        ("{here}/ci/rules.toml", "ci/rules.toml"),
        ("/no such/rules.toml", "file:///no%20such/rules.toml"),
        ("../x/rules.toml", "file://{above}/x/rules.toml"),
    ],
)
def test_paths_are_uris_from_where_the_program_runs(
    path: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert uri(path.format(here=tmp_path)) == expected.format(above=tmp_path.parent)


def test_unevaluated_rules_are_errors_in_junit_and_open_in_sarif(
    cut: Path, rules: Rules, coffeetree: Run, tmp_path: Path
) -> None:
    junit, sarif = tmp_path / "junit.xml", tmp_path / "out.sarif"
    path = rules('[[forbid]]\nname = "x"\nmethods = "b.*"\n')
    assert coffeetree("check", cut, "--rules", path, "--junit", junit, "--sarif", sarif).status == 3
    (error,) = etree.fromstring(junit.read_bytes()).iter("error")
    assert "is damaged" in error.get("message")
    (result,) = json.loads(sarif.read_text("ascii"))["runs"][0]["results"]
    assert (result["kind"], result["level"]) == ("open", "none")


def test_hostile_names_are_sanitised(rules: Rules, coffeetree: Run, tmp_path: Path) -> None:
    tree, junit, sarif, saved = (tmp_path / name for name in ("tree.txt", "junit.xml", "out.sarif", "base.toml"))
    tree.write_text(HOSTILE_TREE, "utf-8")
    name = json.dumps("name \x1b]0;<&\"'\x02")
    path = rules(f'[[forbid]]\nname = {name}\nclasses = "*"\nnew = true\n[[forbid]]\nname = "b"\nmethods = "*"\n')
    given = ["check", tree, "--rules", path, "--junit", junit, "--sarif", sarif, "--save", saved]
    answer = coffeetree(*given)
    assert answer.status == 1
    assert (answer.out + answer.err).replace("\n", "").isprintable()
    document = etree.fromstring(junit.read_bytes())
    etree.XMLSchema(etree.fromstring(JUNIT_SCHEMA)).assertValid(document)
    look_at_sarif(json.loads(sarif.read_text("ascii")))
    held = coffeetree("check", tree, "--rules", path, "--baseline", saved, "--json")
    assert [row["passed"] for row in held.rows] == [True, False]


def look_at_sarif(document: dict[str, Any]) -> None:
    """Asserts that a document satisfies the schema of SARIF 2.1.0 for the objects in it."""
    assert set(document) == {"$schema", "version", "runs"}
    assert document["version"] == "2.1.0"
    for run in document["runs"]:
        assert set(run) <= {"tool", "results", "columnKind"}
        assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
        driver = run["tool"]["driver"]
        assert set(driver) <= {"name", "semanticVersion", "rules"}
        ids = [rule["id"] for rule in driver["rules"]]
        assert len(ids) == len(set(ids))
        for rule in driver["rules"]:
            assert set(rule) <= {"id", "shortDescription", "fullDescription", "defaultConfiguration"}
            assert all(isinstance(rule[key]["text"], str) for key in rule if key.endswith("Description"))
        for result in run["results"]:
            assert ids[result["ruleIndex"]] == result["ruleId"]
            assert (result["kind"], result["level"]) in (("fail", "error"), ("open", "none"))
            assert result["message"]["text"]
            assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
            for location in result["locations"]:
                look_at_location(location)
            for flow in result.get("codeFlows", []):
                for thread in flow["threadFlows"]:
                    assert thread["locations"]
                    for step in thread["locations"]:
                        look_at_location(step["location"])


def look_at_location(location: dict[str, Any]) -> None:
    """The same of one location."""
    assert set(location) <= {"physicalLocation", "logicalLocations", "message"}
    place = location.get("physicalLocation")
    if place is not None:
        uri = place["artifactLocation"]["uri"]
        assert uri.isascii()
        assert " " not in uri
        assert place["region"]["startLine"] >= 1
    for each in location.get("logicalLocations", []):
        assert set(each) <= {"fullyQualifiedName", "kind"}


# -- real reports -----------------------------------------------------------------------------------------------------


def test_a_real_build_is_judged_as_truth_has_it(coffeetree: Run, rules: Rules) -> None:
    case = "real_23.0_second_build"
    name, truth = next(
        (name, report) for name, report in truth_of(case).items() if report["format"] == "graalvm-call-tree"
    )
    totals = truth["totals"]
    far = max((each for each in truth["methods"] if each["path_lines"]), key=lambda each: each["path_rows"])
    text = f"""\
[[limit]]
name = "methods"
methods = "*"
at-most = {totals["ids"]}
[[limit]]
name = "methods, one less"
methods = "*"
at-most = {totals["ids"] - 1}
[[limit]]
name = "packages"
packages = "*"
at-most = {totals["packages"]}
[[limit]]
name = "classes, one less"
classes = "*"
at-most = {totals["classes"] - 1}
[[forbid]]
name = "far"
methods = [{json.dumps(far["label"])}]
[[limit]]
name = "few more"
methods = "*"
may-grow = 0
[[forbid]]
name = "none new"
methods = "*"
new = true
"""
    old = next(
        sample_path("real_23.0_first_build", each)
        for each, report in truth_of("real_23.0_first_build").items()
        if report["format"] == "graalvm-call-tree"
    )
    given = ["check", sample_path(case, name), "--rules", rules(text), "--baseline", old, "--json", "--limit", "all"]
    answer = coffeetree(*given)
    found = {row["rule"]: row for row in answer.rows}
    assert {name: row["passed"] for name, row in found.items()} == {
        "methods": True,
        "methods, one less": False,
        "packages": True,
        "classes, one less": False,
        "far": False,
        "few more": True,
        "none new": False,
    }
    (match,) = found["far"]["matches"]
    assert [row["line"] for row in match["path"]] == far["path_lines"]
    differs = json.loads((CORPUS / case / "diff_to_first_build.json").read_text("utf-8"))
    new = sorted(each["match"]["label"] for each in found["none new"]["matches"])
    assert new == differs["normalised"]["names_only_new"]


@pytest.mark.parametrize("case", ["csv_22.3_to_24.0", "csv_24.1_24.2"])
def test_tables_of_a_call_tree_are_judged_as_truth_has_them(
    case: str, coffeetree: Run, rules: Rules, cache_folder: Path
) -> None:
    truth, *_ = truth_of(case).values()
    methods, entries = (
        truth["totals"]["methods"] - truth["totals"].get("call_only_targets", 0),
        truth["totals"]["entries"],
    )
    text = f"""\
[[limit]]
name = "methods"
methods = "*"
at-most = {methods}
[[limit]]
name = "methods, one less"
methods = "*"
at-most = {methods - 1}
[[limit]]
name = "entries, one less"
entries = "*"
at-most = {entries - 1}
[[forbid]]
name = "package"
packages = "java.lang"
[[require]]
name = "class"
classes = "com.example.Config"
"""
    answer = coffeetree("check", CORPUS / case / "reports", "--rules", rules(text), "--json")
    assert [row["passed"] for row in answer.rows] == [True, False, False, False, True]
    (match,) = answer.rows[3]["matches"]
    assert match["path"][0]["kind"] == "entry"
    assert match["path"][-1]["label"].startswith("java.lang.")


ANY_FORMAT = {
    "hprof/heap/two-dumps.hprof.xz": 'view = "Classes"\ncolumn = "retained"\nat-most = "100 B"',
    "hotspot/work_c1only_17.log.xz": 'view = "Tasks"\ncolumn = "compile_ms"\nat-most = "1 ms"',
    "tptp/gen_thread.trcxml": 'view = "Monitors"\ncolumn = "longest_ns"\nat-most = "1 us"',
    "jdkprofilers/xprof_mixed.txt": 'methods = "*"\ncolumn = "ticks"\nat-most = 1',
}


@pytest.mark.parametrize(("sample", "text"), ANY_FORMAT.items())
def test_a_column_of_any_format_is_limited(sample: str, text: str, rules: Rules, coffeetree: Run) -> None:
    path = CORPUS.parent / sample
    file = rules(f'[[limit]]\nname = "x"\n{text}\n')
    answer = coffeetree("check", path, "--rules", file, "--json", "--limit", "3")
    (row,) = answer.rows
    column, adds_up = row["column"], row["column"] == "compile_ms"
    tree = coffeetree("tree", path, "--view", row["view"], "--depth", "all", "--limit", "all", "--json").rows
    numbers = [each["badges"].get(column) or 0 for each in tree if each["kind"] == row["kind"]]
    assert (row["value"], row["passed"], answer.status) == (sum(numbers) if adds_up else max(numbers), False, 1)
    too_much = sorted((number for number in numbers if number > (0 if adds_up else row["limit"])), reverse=True)
    assert [each["match"]["badges"][column] for each in row["matches"]] == too_much[:3]
    assert row["more"] == len(too_much[3:])


def test_a_limit_without_rows_is_doubted(call_tree: Path, rules: Rules, coffeetree: Run) -> None:
    path = rules(LIMIT_ALL.format(9).replace("*", "com.acmee.*"))
    answer = coffeetree("check", call_tree, "--rules", path)
    assert (answer.status, answer.out) == (0, "1 of 1 rules kept\n")
    assert answer.err == f"{path}:1: [[limit]] 'size': there are no methods com.acmee.*\n"


def test_a_share_is_not_above_itself(rules: Rules, coffeetree: Run) -> None:
    path = CORPUS.parent / "jdkprofilers" / "xprof_mixed.txt"
    text = '[[limit]]\nname = "x"\nmethods = "*"\ncolumn = "share"\nat-most = {}\n'
    top = coffeetree("check", path, "--rules", rules(text.format(0)), "--json").rows[0]["value"]
    assert top != int(top)
    assert coffeetree("check", path, "--rules", rules(text.format(top))).status == 0
    assert coffeetree("check", path, "--rules", rules(text.format(f'"{top - 0.1:.1f} %"'))).status == 1


def test_of_a_very_long_path_its_ends_are_printed(tmp_path: Path, rules: Rules, coffeetree: Run) -> None:
    lines = ["VM Entry Points", "├── entry a.M.m0():void id=0 "]
    lines += [f"{'│   ' * depth}└── directly calls a.M.m{depth}():void id={depth} @bci=0 " for depth in range(1, 150)]
    path, junit = tmp_path / "tree.txt", tmp_path / "junit.xml"
    path.write_text("\n".join([*lines, "", ""]), "utf-8")
    file = rules('[[forbid]]\nname = "x"\nmethods = "a.M.m149*"\n')
    shown = coffeetree("check", path, "--rules", file, "--junit", junit).out.splitlines()[4:-2]
    assert [len(shown), shown[10].strip()] == [101, "... 50 steps ..."]
    assert shown[9].split()[0] == "line:11"
    assert shown[11].split()[0] == "line:62"
    assert "... 50 steps ..." in junit.read_text("utf-8")
    (row,) = coffeetree("check", path, "--rules", file, "--json").rows
    assert len(row["matches"][0]["path"]) == 150
