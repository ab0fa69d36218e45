"""Dominators and retained sizes by another algorithm than the program's.

Source: Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm", 2001.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from parsers.graph.dominator_tree.semi_nca import NOT_REACHED, ROOTS


def dominators(successors: Sequence[Sequence[int]], roots: Iterable[int]) -> list[int]:
    """Returns the dominator of each object, or ROOTS, or NOT_REACHED.

    successors  by object the objects it refers to; in any order, may repeat
    """
    order = list(_postorder(successors, roots))
    place = {object: number for number, object in enumerate(order)}
    top = len(order)
    predecessors: list[list[int]] = [[] for _ in order]
    for object in order:
        for target in successors[object]:
            predecessors[place[target]].append(place[object])
    for root in set(roots):
        predecessors[place[root]].append(top)
    found: list[int | None] = [None] * top + [top]
    is_changed = True
    while is_changed:
        is_changed = False
        for number in range(top - 1, -1, -1):
            best: int | None = None
            for source in predecessors[number]:
                if found[source] is not None:
                    best = source if best is None else _nearest(found, source, best)
            if best != found[number]:
                found[number] = best
                is_changed = True
    dominated = [NOT_REACHED] * len(successors)
    for number, object in enumerate(order):
        above = found[number]
        assert above is not None
        dominated[object] = ROOTS if above == top else order[above]
    return dominated


def retained_sizes(dominated: Sequence[int], sizes: Sequence[int]) -> list[int]:
    """Returns the retained bytes of each object, its own included; 0 for unreachable objects."""
    left = [0] * len(dominated)
    for above in dominated:
        if above < ROOTS:
            left[above] += 1
    retained = [0 if above == NOT_REACHED else size for above, size in zip(dominated, sizes, strict=True)]
    ready = [object for object, count in enumerate(left) if not count]
    while ready:
        object = ready.pop()
        above = dominated[object]
        if above < ROOTS:
            retained[above] += retained[object]
            left[above] -= 1
            if not left[above]:
                ready.append(above)
    return retained


def _nearest(found: Sequence[int | None], one: int, other: int) -> int:
    """Returns the nearest common dominator."""
    while one != other:
        while one < other:
            above = found[one]
            assert above is not None
            one = above
        while other < one:
            above = found[other]
            assert above is not None
            other = above
    return one


def _postorder(successors: Sequence[Sequence[int]], roots: Iterable[int]) -> Iterator[int]:
    """Yields reachable objects in depth-first postorder."""
    seen: set[int] = set()
    for root in roots:
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(successors[root]))]
        while stack:
            object, targets = stack[-1]
            for target in targets:
                if target not in seen:
                    seen.add(target)
                    stack.append((target, iter(successors[target])))
                    break
            else:
                stack.pop()
                yield object
