"""Cycles of methods that call each other (rings): no total of theirs can exceed the time of the calls from outside.

Times of pairs include all that was called. A method that is called again below itself, through others, is in the times
of several of its pairs at once, and the file doesn't contain how often. What is sure: it is always below a call that
enters its ring from outside, and no such call is below another one.
"""

from __future__ import annotations

from collections.abc import Sequence


def rings(callees: Sequence[Sequence[int]]) -> list[int]:
    """Returns each method's ring number, the same for methods that reach each other. One alone is a ring, too.

    callees  by method: the methods that it calls

    Tarjan's strongly connected components, with an explicit stack as files may call a million deep.
    """
    count = len(callees)
    ring = [-1] * count
    number = [-1] * count
    low = [0] * count
    open_methods: list[int] = []
    numbers = found = 0
    for start in range(count):
        if number[start] >= 0:
            continue
        path = [(start, 0)]
        number[start] = low[start] = numbers
        numbers += 1
        open_methods.append(start)
        while path:
            method, place = path.pop()
            if place < len(callees[method]):
                path.append((method, place + 1))
                callee = callees[method][place]
                if number[callee] < 0:
                    number[callee] = low[callee] = numbers
                    numbers += 1
                    open_methods.append(callee)
                    path.append((callee, 0))
                elif ring[callee] < 0:
                    low[method] = min(low[method], number[callee])
                continue
            if low[method] == number[method]:
                while True:
                    member = open_methods.pop()
                    ring[member] = found
                    if member == method:
                        break
                found += 1
            if path:
                caller = path[-1][0]
                low[caller] = min(low[caller], low[method])
    return ring
