"""CSV call trees made up: small random graphs as tables of either layout, in any order, and damaged."""

from __future__ import annotations

import random

HEADERS = {
    "methods": b"Id,Name,Type,Parameters,Return,Display,Flags",
    "virtual_methods": b"Id,Name,Type,Parameters,Return,Display,Flags",
    "vm": b"Id,Name",
    "entry_points": b"Id",
    "direct_edges": b"StartId,EndId,BytecodeIndexes",
    "virtual_edges": b"StartId,EndId,BytecodeIndexes",
    "override_by_edges": b"StartId,EndId",
    "invokes": b"Id,MethodId,BytecodeIndexes,TargetId,IsDirect",
    "targets": b"InvokeId,TargetId",
}
NAMES = ("<init>", "run", "get", "a, b", "x,y.x", "toString", "wert-1", "f(g)", "é", "m):x")
TYPES = ("a.B", "a.B$$Lambda/0x1", "a.b.C", "D", "a.T, x$1", "a.B$Größe", "")
PARAMETERS = ("empty", "int", "a.B int", "x.y.Z[] a.B", "java.lang.String long", "b.B int", "c.(D) e")


def method_row(chance: random.Random, id: int, more: str) -> bytes:
    """A row of a table of methods."""
    name, type = chance.choice(NAMES), chance.choice(TYPES)
    return f"{id},{name},{type},{chance.choice(PARAMETERS)},{chance.choice(('void', 'a.B'))},D.{name}{more}".encode()


def bci(chance: random.Random) -> bytes:
    """Bytecode indexes, most of them plain."""
    plain = str(chance.randrange(70_000 if chance.random() < 0.1 else 30))
    return chance.choice((plain, plain, plain, "-6", "3->5", "7->-1->2", "07", "12345678901234567890123")).encode()


def made_set(seed: int, is_three: bool) -> dict[str, bytes]:
    """By table its bytes: a random graph whose ids may have gaps."""
    chance = random.Random(seed)
    count = chance.choice((1, 4, 12, 40))
    ids = sorted(chance.sample(range(2 * count + 2), count))
    calls = range(chance.choice((0, count, 4 * count)))
    if is_three:
        invokes = sorted(chance.sample(range(2 * len(calls) + 1), len(calls)))
        rows = {
            "methods": [
                method_row(chance, id, f",p,{'true' if place < 2 else 'false'}") for place, id in enumerate(ids)
            ],
            "invokes": [
                b"%d,%d,%b,%d,%b"
                % (id, chance.choice(ids), bci(chance), chance.choice(ids), chance.choice((b"true", b"false")))
                for id in invokes
            ],
            "targets": [
                b"%d,%d" % (id, chance.choice(ids)) for id in invokes for _ in range(chance.choice((0, 1, 1, 3)))
            ],
        }
    else:
        targets = range(2 * count + 2, 2 * count + 2 + chance.choice((1, 5)))
        rows = {
            "methods": [method_row(chance, id, ",p") for id in ids],
            "virtual_methods": [method_row(chance, id, ",a") for id in targets],
            "vm": [b"0,VM"],
            "entry_points": [b"%d" % id for id in chance.sample(ids, min(len(ids), 2))],
            "direct_edges": [b"%d,%d,%b" % (chance.choice(ids), chance.choice(ids), bci(chance)) for _ in calls],
            "virtual_edges": [b"%d,%d,%b" % (chance.choice(ids), chance.choice(targets), bci(chance)) for _ in calls],
            "override_by_edges": [
                b"%d,%d" % (id, chance.choice(ids)) for id in targets for _ in range(chance.choice((0, 1, 4)))
            ],
        }
    if chance.random() < 0.5:
        for table in rows.values():
            chance.shuffle(table)
    header = {"methods": HEADERS["methods"] + b",IsEntryPoint"} if is_three else {}
    end = chance.choice((b"\n", b"\n", b"\r\n"))
    start = chance.choice((b"", b"", b"\xef\xbb\xbf"))
    return {
        table: start + b"".join(row + end for row in [header.get(table, HEADERS[table]), *lines])
        for table, lines in rows.items()
    }


def damaged(tables: dict[str, bytes], seed: int) -> dict[str, bytes]:
    """The same set with something broken: rows that are lost, joined, cut, doubled; bytes that are others."""
    chance = random.Random(seed)
    tables = dict(tables)
    for _ in range(chance.randrange(1, 4)):
        table = chance.choice(list(tables))
        header, _, body = tables[table].partition(b"\n")
        lines = body.split(b"\n")
        place = chance.randrange(len(lines))
        match chance.randrange(8):
            case 0:
                del tables[table]
                if not tables:
                    return {"methods": HEADERS["methods"] + b"\n"}
                continue
            case 1:
                lines[place] = b""
            case 2:
                lines.insert(place, lines[chance.randrange(len(lines))])
            case 3:
                lines[place] = lines[place][: chance.randrange(len(lines[place]) + 1)]
            case 4:
                number = chance.choice((b"999", b"123456789012345678", b"9" * 30, b"", b"-1", b"x"))
                lines[place] = number + b"," + lines[place].partition(b",")[2]
            case 5:
                at = chance.randrange(len(body) + 1)
                lines = (body[:at] + bytes([chance.randrange(256)]) + body[at + 1 :]).split(b"\n")
            case 6:
                lines = body[: chance.randrange(len(body) + 1)].split(b"\n")
            case 7:
                lines[place] = lines[place].replace(b",", b",,", 1)
        tables[table] = header + b"\n" + b"\n".join(lines)
    return tables
