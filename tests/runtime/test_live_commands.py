"""Commands that can end a JVM, judged by its stream, and the warnings before they are sent."""

from __future__ import annotations

import pytest

from parsers.runtime.live.command import COMMANDS, END, JvmFacts, danger
from parsers.runtime.live.command_queue import Asked, CommandQueue

SITES, CPU = 1, 2
BINARY, SAMPLING, TEXT = JvmFacts("binary", SITES), JvmFacts("binary", CPU), JvmFacts("text")


@pytest.mark.parametrize(
    ("name", "known", "says"),
    [
        ("exit", BINARY, "ends at once"),
        ("exit", TEXT, "ends at once"),
        ("leave", BINARY, "This JVM accepts no requests afterwards"),
        ("heap-dump", BINARY, "aborts (status 9) when it exits, after all its data has come"),
        ("heap-dump", SAMPLING, "ends this JVM at once (status 9): that was started without heap=dump"),
        ("heap-dump", JvmFacts("binary", SITES, heap_dumps=1), "ends this JVM at once (status 9): in binary HPROF"),
        ("heap-dump", JvmFacts("binary", SITES, is_dump_asked=True), "a JVM can dump its heap once"),
        ("heap-dump", TEXT, "unless that was started with heap=dump or heap=all"),
        ("heap-dump", JvmFacts("binary", SITES, heap="sites"), "that was started without heap=dump"),
        ("heap-dump", JvmFacts("text", heap="sites"), "that was started without heap=dump"),
        ("heap-dump", JvmFacts("binary", SITES, heap="all"), "after all its data has come."),
        ("allocation-on", JvmFacts("text", heap=""), "started without any heap option"),
        ("allocation-on", SAMPLING, "ends this JVM at once (status 9)"),
        ("allocation-on", TEXT, "unless that was started with heap=sites"),
    ],
)
def test_requests_that_can_end_a_jvm_have_a_warning(name: str, known: JvmFacts, says: str) -> None:
    assert says in danger(COMMANDS[name], known)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("heap-dump", JvmFacts("text", heap_dumps=1)),
        ("heap-dump", JvmFacts("text", heap="dump")),
        ("heap-dump", JvmFacts("binary", SITES, heap="dump", dumps_at_exit=False)),
        ("allocation-on", BINARY),
        ("allocation-on", JvmFacts("text", heap="sites")),
    ],
)
def test_harmless_requests_need_no_confirmation(name: str, known: JvmFacts) -> None:
    assert danger(COMMANDS[name], known) == ""


@pytest.mark.parametrize("known", [BINARY, SAMPLING, TEXT])
def test_all_others_do_no_harm(known: JvmFacts) -> None:
    asks = {name for name, command in COMMANDS.items() if danger(command, known)}
    assert asks <= {"exit", "leave", "heap-dump", "allocation-on"}


def test_the_body_of_each_command_is_as_long_as_its_tag_wants() -> None:
    sizes = {1: 0, 2: 0, 3: 6, 4: 0, 5: 0, 6: 0, 7: 6}
    of_switch = {1: 0, 2: 0, 3: 4, 4: 4, 5: 0, 6: 0, 7: 2}
    for command in COMMANDS.values():
        data = command.bytes(1)
        if data == END:
            continue
        body = data[9:]
        wanted = 2 + of_switch[body[1]] if data[0] == 8 else sizes[data[0]]
        assert len(body) == wanted == int.from_bytes(data[5:9], "big"), command.name


def asked(name: str) -> Asked:
    return Asked(COMMANDS[name], "", COMMANDS[name].binary_answer)


def names(queue: CommandQueue) -> list[str]:
    return [each.command.name for each in queue.ready()]


def test_commands_wait_for_one_with_the_same_answer() -> None:
    queue = CommandQueue()
    for name in ("samples", "sites", "sites-changed", "gc"):
        queue.ask(asked(name))
    assert names(queue) == ["samples", "sites"]
    assert queue.take("alloc_sites") == asked("sites")
    # The agent reads in order, so the samples were finished before, without result.
    assert names(queue) == ["sites-changed", "gc"]
    assert queue.take("cpu_samples") is None


def test_a_request_without_answer_ends_with_the_next_one() -> None:
    queue = CommandQueue()
    for name in ("gc", "clear-samples", "samples"):
        queue.ask(asked(name))
    assert names(queue) == ["gc", "clear-samples", "samples"]
    assert [each.command.name for each in queue.waiting] == ["gc", "clear-samples", "samples"]
    assert queue.take("heap_summary") is None
    queue.take("cpu_samples")
    assert queue.waiting == []
