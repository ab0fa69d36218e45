"""Distances from the roots of a heap: those of a breadth-first search, by the kernel and in plain Python."""

from __future__ import annotations

import random

import numpy as np
import pytest
from engines import engine

from parsers.heapdump.paths.reachability import NO_ROW, NOT_REACHED, compute_reached_by, distances_of


@pytest.mark.parametrize("has_kernels", [False, True], ids=["plain", "kernel"])
@pytest.mark.parametrize("seed", range(20))
def test_distances_are_those_of_a_breadth_first_search(seed: int, has_kernels: bool):
    draw = random.Random(seed)
    objects, types = draw.randrange(1, 40), 3
    targets = [[draw.choice([NO_ROW, *range(objects)]) for _ in range(draw.randrange(4))] for _ in range(objects)]
    of = [draw.randrange(types) for _ in range(objects)]
    classes = [draw.choice([NO_ROW, *range(objects)]) for _ in range(types)]
    roots = [draw.randrange(objects) for _ in range(draw.randrange(3))]

    firsts = np.cumsum([0, *map(len, targets)]).astype(np.uint32)
    referred = np.array([target for each in targets for target in each], np.uint32)
    arrays = np.array(of, np.uint32), [np.array(classes, np.uint32)], [np.array(roots, np.uint32)]
    with engine(has_kernels):
        reached_by = compute_reached_by(firsts, referred, *arrays)
        is_reached = (reached_by != NOT_REACHED).tolist()
        # Arrays of an index are read-only.
        firsts.flags.writeable = referred.flags.writeable = False
        found = distances_of(firsts, referred, reached_by).tolist()

    expected = distances(targets, [classes[type] for type in of], roots)
    assert {place: found[place] for place in range(objects) if is_reached[place]} == expected


def distances(targets: list[list[int]], class_of: list[int], roots: list[int]) -> dict[int, int]:
    """Distances of reachable objects. Classes are reached from their objects only where no reference leads on."""
    found = dict.fromkeys(roots, 0)
    queue, with_class = list(found), 0
    done = 0
    while with_class < len(queue):
        while done < len(queue):
            step(targets[queue[done]], queue[done], found, queue)
            done += 1
        while with_class < done:
            step([class_of[queue[with_class]]], queue[with_class], found, queue)
            with_class += 1
    return found


def step(targets: list[int], owner: int, found: dict[int, int], queue: list[int]) -> None:
    for target in targets:
        if target != NO_ROW and target not in found:
            found[target] = found[owner] + 1
            queue.append(target)
