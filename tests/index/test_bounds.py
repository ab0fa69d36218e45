"""Kernels that check each index: what they report, and that none of them is taken for one that doesn't check."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from conftest import ROOT

from parsers.kernels.groups import CHECKS, PREFIX, VARIABLE

PROGRAM = """\
import numpy as np
from parsers.kernels.decorators import apart, kernel, part
from parsers.kernels.vector import copy64, equal64, load64

@part
def inner(data, index):
    return data[index]  # line 7

@apart
def outer(data, index):
    data[index] = 1  # line 11

@kernel
def reads(data, index):
    return inner(data, index)

@kernel
def writes(data, index):
    outer(data, index)

@kernel
def table(data, row, column):
    data[row, column] += 1  # line 23

@kernel
def unsigned(data, index):
    return data[index - np.uint64(1)]  # line 27

@kernel
def word(data, index):
    return load64(data, index)  # line 31

@kernel
def vector(data, index):
    return equal64(data, index, 0)  # line 35

@kernel
def copied(target, data):
    copy64(target, 0, data, 0)  # line 39

def tried(kernel, *arguments):
    try:
        kernel(*arguments)
        print("ok")
    except IndexError as error:
        print(error)

data, square, full, less = np.zeros(8), np.zeros((2, 3)), np.zeros(64, np.uint8), np.zeros(63, np.uint8)
inside = [(reads, data, 0), (reads, data, 7), (writes, data, 7), (table, square, 1, 2), (word, full, 56)]
inside += [(vector, full, 0), (copied, full, full)]
outside = [(reads, data, 8), (reads, data, -1), (writes, data, -8), (table, square, 0, 3), (table, square, -1, 0)]
outside += [(unsigned, data, np.uint64(0)), (word, full, 57), (word, full, -1), (vector, less, 0), (vector, full, 64)]
outside += [(copied, full, less), (copied, less, full)]
for calls in (inside, outside):
    for call in calls:
        tried(*call)
    print(*sorted({line.rstrip() for line in open("reports")}), sep=", ")
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Output of the program, in a process with checked kernels."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "made.py").write_text(PROGRAM)
    reports, home = folder / "reports", folder / "kernels"
    reports.touch()
    home.mkdir(mode=0o700)
    environment = {**os.environ, CHECKS: str(reports), VARIABLE: str(home), "PYTEST_CURRENT_TEST": "here"}
    environment["PYTHONPATH"] = str(ROOT)
    done = subprocess.run(
        [sys.executable, "made.py"], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_the_first_and_the_last_item_are_inside(said: list[str]) -> None:
    assert said[:8] == ["ok"] * 7 + [""]


def test_an_index_outside_is_reported_with_its_line_and_with_the_test(said: list[str]) -> None:
    lines = [7, 7, 11, 23, 23, 27, 31, 31, 35, 35, 39, 39]
    assert said[8:-1] == [f"index out of bounds: made.py:{line}" for line in lines]
    assert said[-1] == ", ".join(f"made.py:{line} here" for line in (11, 23, 27, 31, 35, 39, 7))


def test_kernels_that_check_are_in_folders_of_their_own() -> None:
    program = "from parsers.kernels.groups import PREFIX; print(PREFIX)"
    for variable in ({}, {CHECKS: "reports"}):
        environment = {name: value for name, value in os.environ.items() if name != CHECKS} | variable
        given = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        assert given.stdout.startswith("checked-" if variable else "kernels-")
    assert PREFIX.startswith("checked-") == (CHECKS in os.environ)
