"""Signatures that a run has noted, added to those that are listed."""

from __future__ import annotations

from typing import Any

import pytest

from kernel_build.record import with_signature


def rows_of(*fields: str) -> dict[str, Any]:
    """The description of an array of records."""
    dtype = {"fields": [[name, "<u4", 4 * place] for place, name in enumerate(fields)], "size": 4 * len(fields)}
    return {"array": dtype, "ndim": 1, "writes": True}


def test_a_signature_of_other_types_is_added() -> None:
    before, new = [rows_of("start"), "int64"], [rows_of("start"), "float64"]
    assert with_signature([before], new) == [before, new]


@pytest.mark.parametrize("before", [[rows_of("start"), "int64"], [rows_of("start", "end")]])
def test_a_signature_replaces_those_of_other_fields_or_numbers_of_arguments(before: list[Any]) -> None:
    new = [rows_of("start", "end"), "int64"]
    assert with_signature([before], new) == [new]


def test_a_signature_whose_array_is_only_read_serves_written_ones_too() -> None:
    read = [{**rows_of("start"), "writes": False}]
    assert with_signature([[rows_of("start")]], read) == [read]
