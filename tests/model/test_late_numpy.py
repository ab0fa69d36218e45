"""Tests of the names of numpy that are imported when they are used."""

from __future__ import annotations

import subprocess
import sys

import numpy
import pytest

from parsers.model.late import numpy as late_numpy


def test_names_are_those_of_numpy() -> None:
    assert late_numpy.zeros is numpy.zeros
    assert late_numpy.int64 is numpy.int64


def test_a_name_that_numpy_lacks_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = late_numpy.no_such_name  # type: ignore[attr-defined]  # what the test is about


def test_numpy_is_imported_with_the_first_use_of_a_name() -> None:
    code = (
        "import sys; from parsers.model.late import numpy as np; before = 'numpy' in sys.modules;"
        "_ = np.zeros; print(before, 'numpy' in sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["False", "True"]
