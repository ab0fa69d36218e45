"""Elements of tasks whose start tags were overwritten: counted, and said where they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Answer

from parsers.formats.hotspot.decisions.decision_tables import ELEMENT, FAIL, FAILURE, TRAP
from parsers.formats.hotspot.log import stray
from parsers.formats.hotspot.log.part import LogFile
from parsers.formats.hotspot.log.read import tags

Run = Callable[..., Answer]

TASK = """<task compile_id='{id}' method='a.B m ()V' level='3' stamp='0.{id}1'>
<klass id='1' name='a.B' flags='1'/>
<method id='2' holder='1' name='m' bytes='9'/>
<parse method='2' stamp='0.{id}1'>
<bc code='182' bci='1'/>
<call method='2' instr='invokevirtual'/>
<inline_fail reason='too big'/>
<uncommon_trap bci='4' reason='unstable_if' action='reinterpret'/>
<parse_done stamp='0.{id}1'/>
</parse>
<failure reason='stale task'/>
<code_cache total_blobs='1' free_code_cache='2048'/>
<task_done success='1' nmsize='33' count='2' stamp='0.{id}2'/>
</task>
"""
THREAD = """<compilation_log thread='{process}2'>
<start_compile_thread name='C1 CompilerThread0' thread='{process}2' process='{process}' stamp='0.05'/>
{tasks}</compilation_log>
"""
HEAD = "<?xml version='1.0' encoding='UTF-8'?>\n<hotspot_log version='160 1' process='42' time_ms='1000'>\n<tty>\n"
START = TASK.partition("\n")[0].format(id=2)


def made_log(tasks: str, other: int = 43) -> str:
    """A log of two JVMs: three tasks of the first one, and these of the second."""
    first = "".join(TASK.format(id=id) for id in (1, 2, 3))
    threads = THREAD.format(process=42, tasks=first) + THREAD.format(process=other, tasks=tasks)
    return f"{HEAD}<writer thread='421'/>\n</tty>\n{threads}<hotspot_log_done stamp='0.9'/>\n</hotspot_log>\n"


def info_of(coffeetree: Run, path: Path, text: str) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
    path.write_text(text)
    info = coffeetree("info", "--json", path).json
    return info["totals"], [problem for problem in info["problems"] if problem["kind"] == "task without start"]


def written(text: str) -> Counter[str]:
    """Start tags by name, at any position."""
    return Counter(re.findall(r"<([a-z_]+)[ />]", text))


@pytest.mark.parametrize(
    "rest", ["", "<bl<nmethod compile_id='9' method='a.B m ()V' stamp='0.1'/>\n", "\n", "x' stamp='0.21'>\n"]
)
def test_elements_of_a_task_whose_start_is_overwritten_count(rest: str, tmp_path: Path, coffeetree: Run) -> None:
    torn = "".join(TASK.format(id=id) for id in (1, 2, 3)).replace(f"{START}\n", rest)
    text = made_log(torn)

    totals, problems = info_of(coffeetree, tmp_path / "two.log", text)

    assert totals["tasks"] == 5
    assert totals["elements"] == written(text)
    assert (totals["inline_fail"], totals["compiled_in_traps"], totals["failures"]) == (6, 6, 6)
    assert totals["inline_fail_top"] == {"too big": 6}
    (problem,) = problems
    start = text.index(f"</task>\n{rest}<klass") + len(f"</task>\n{rest}")
    assert problem["offset"] == start
    assert problem["what"].startswith("11 elements of tasks up to byte ")
    assert f"byte {text.index('</task>', start) + len('</task>'):,} " in problem["what"]


def test_many_lost_tasks_are_reported_in_few_lines(tmp_path: Path, coffeetree: Run) -> None:
    lost = TASK.format(id=1).replace(START.replace("'2'", "'1'").replace("0.21", "0.11"), "")
    text = made_log(TASK.format(id=1) + lost * 500)
    path = tmp_path / "two.log"

    totals, problems = info_of(coffeetree, path, text)

    assert totals["elements"] == written(text)
    assert [problem["what"].partition(" up to ")[0] for problem in problems] == ["5,500 elements of tasks"]


def test_a_task_that_lost_all_but_its_end_is_reported(tmp_path: Path, coffeetree: Run) -> None:
    done = TASK[TASK.index("<task_done") :].format(id=2)

    totals, problems = info_of(coffeetree, tmp_path / "one.log", made_log(TASK.format(id=1) + done, other=42))

    assert (totals["tasks"], totals["elements"]["task_done"]) == (4, 5)
    assert [problem["what"].partition(" up to ")[0] for problem in problems] == ["1 element of tasks"]


def test_elements_of_tasks_in_the_part_of_events_count(tmp_path: Path, coffeetree: Run) -> None:
    inside = TASK.format(id=7).partition("\n")[2].partition("</task>")[0]
    text = made_log(TASK.format(id=1)).replace("</tty>", f"<writer thread='9'/>\n{inside}<writer thread='9'/>\n</tty>")

    totals, problems = info_of(coffeetree, tmp_path / "two.log", text)

    assert totals["elements"] == written(text)
    assert totals["inline_fail"] == 5
    assert len(problems) == 1


def test_a_log_that_lost_nothing_has_no_such_problem(tmp_path: Path, coffeetree: Run) -> None:
    text = made_log(TASK.format(id=4) + "<fragment>\n<![CDATA[\n" + TASK.format(id=5)[:200] + "]]>\n</fragment>\n", 42)

    totals, problems = info_of(coffeetree, tmp_path / "one.log", text)

    assert problems == []
    assert (totals["tasks"], totals["tasks_in_fragments"], totals["elements"]["bc"]) == (4, 1, 4)


@pytest.mark.parametrize("block", [128, 1000, 1 << 20])
def test_stretches_do_not_depend_on_blocks(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stray, "BLOCK", block)
    inside = TASK.format(id=7).partition("\n")[2]
    fragment = f"<fragment>\n<![CDATA[\n{inside}]]>\n</fragment>\n"
    data = (inside + "-" * 5000 + "\n<bc code='1' bci='2'/>\n" + fragment + inside[:38]).encode()

    found = list(stray.stretches(iter([(0, len(data))]), lambda count, offset: data[offset : offset + count]))

    assert [each.elements for each in found] == [11, 1, 1]
    assert [data[each.start : each.end].splitlines()[-1] for each in found] == [
        b"</task>",
        b"<bc code='1' bci='2'/>",
        b"<klass id='1' name='a.B' flags='1'/>",
    ]


@pytest.mark.parametrize("has_kernels", [False, True])
def test_elements_without_a_task_are_counted_by_plain_code_and_by_kernels(has_kernels: bool) -> None:
    inside = TASK.format(id=7).partition("\n")[2].replace("too big", "too <!-- safepoint while printing -->\nbig")
    data = (inside + "-" * 5000 + inside).encode()
    part = LogFile(0, len(data))
    part.kinds[tags.END_TASK] = 2
    columns = {
        "task_start": np.zeros(0, np.uint64),
        "task_end": np.zeros(0, np.uint64),
        "task_flags": np.zeros(0, np.uint8),
    }

    found = stray.find_strays(
        columns, part, None, 1, lambda count, offset: data[offset : offset + count], lambda: has_kernels
    )

    assert found is not None
    assert (found.tables[FAIL], found.tables[TRAP], found.tables[FAILURE]) == (
        {"too big": 2},
        {"unstable_if": 2},
        {"stale task": 2},
    )
    assert (found.tables[ELEMENT]["bc"], found.tables[ELEMENT]["task_done"], found.max_inlining_depth) == (2, 0, 0)
    assert [count for _, _, count in part.strays] == [11, 11]
    assert part.stray_count == 22
