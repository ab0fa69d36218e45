"""Moments and ranges of time as they are typed."""

from __future__ import annotations

import pytest

from parsers.views.timelines.moments import exact_seconds, typed_last, typed_range
from parsers.views.timelines.timeline_view import SECOND


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1.5-3.25", (1_500_000_000, 3_250_000_000)),
        ("1.5-3.25 s", (1_500_000_000, 3_250_000_000)),
        ("1 s to 2 s", (SECOND, 2 * SECOND)),
        ("1:02.5-1:00:00", (62_500_000_000, 3600 * SECOND)),
        ("3-", (3 * SECOND, None)),
        ("-3", (0, 3 * SECOND)),
        ("3-2", None),
        ("2-2", None),
        ("-", None),
        ("", None),
        ("3", None),
        ("a-b", None),
    ],
)
def test_a_range_is_two_moments_of_which_one_may_be_missing(text: str, found: tuple[int, int | None] | None) -> None:
    assert typed_range(text) == found


@pytest.mark.parametrize("nanos", [0, 1, 999_999_999, SECOND, 62_500_000_000, 10**18 + 7])
def test_seconds_are_written_with_all_their_digits(nanos: int) -> None:
    assert typed_range(f"{exact_seconds(nanos)}-") == (nanos, None)


@pytest.mark.parametrize(
    ("text", "nanos"),
    [("last 5", 5 * SECOND), ("last 2.5 s", SECOND * 5 // 2), ("last 1:00", 60 * SECOND), ("5", None), ("last", None)],
)
def test_a_range_at_the_end_is_typed_by_its_length(text: str, nanos: int | None) -> None:
    assert typed_last(text) == nanos
