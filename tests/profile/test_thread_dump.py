"""Thread dumps as text: threads, states, locks, and who waits for whom."""

from __future__ import annotations

from textwrap import dedent

from parsers.profile.threads.thread_dump import ThreadDump


def dump(text: str) -> ThreadDump:
    return ThreadDump(dedent(text).lstrip("\n"))


TWO = """
    2026-11-22 11:06:00
    Full thread dump OpenJDK 64-Bit Server VM (25.0.3+9-LTS mixed mode, sharing):

    "left" #30 [17457] daemon prio=5 os_prio=0 cpu=0.48ms tid=0x00007f7c60ed8d20 nid=17457 waiting for monitor entry
       java.lang.Thread.State: BLOCKED (on object monitor)
    \tat demo.Stuck.both(Stuck.java:18)
    \t- waiting to lock <0x02> (a demo.Right)
    \t- locked <0x01> (a demo.Left)

    "right" #31 prio=5 os_prio=0 tid=0x00007f7c60eda650 nid=0x442a waiting for monitor entry
       java.lang.Thread.State: BLOCKED (on object monitor)
    \tat demo.Stuck.both(Stuck.java:18)
    \t- waiting to lock <0x01> (a demo.Left)
    \t- locked <0x02> (a demo.Right)

    "behind" #34 prio=5 os_prio=0 tid=0x00007f7c60edf190 nid=17464 waiting for monitor entry
       java.lang.Thread.State: BLOCKED (on object monitor)
    \t- waiting to lock <0x01> (a demo.Left)

    "VM Thread" os_prio=0 cpu=3.49ms elapsed=5.18s tid=0x00007f7c600a9a30 nid=17433 runnable

    JNI global refs: 38, weak refs: 3
"""


def test_threads_have_name_id_state_and_lines() -> None:
    left, _, _, machine = dump(TWO).threads
    assert (left.name, left.id, left.state, left.remark) == (
        "left", 30, "BLOCKED", "on object monitor"
    )  # fmt: skip
    assert left.lines[1] == "at demo.Stuck.both(Stuck.java:18)"
    assert (machine.name, machine.id, machine.state, machine.lines) == ("VM Thread", None, "", ())


def test_monitors_of_others_make_a_deadlock_with_victims() -> None:
    found = dump(TWO)
    (ring,) = found.graph.rings
    assert [found.thread_text(thread) for thread in ring.threads] == ["left", "right"]
    assert [found.thread_text(thread) for thread in ring.victims] == ["behind"]
    assert found.graph.wait_text(found, 0) == "demo.Right <0x02>, which right owns"


def test_a_thread_in_object_wait_has_given_up_its_monitor() -> None:
    found = dump("""
        "waiter" #1 prio=5 tid=0x1 nid=0x1 in Object.wait()
           java.lang.Thread.State: WAITING (on object monitor)
        \tat java.lang.Object.wait(Object.java:389)
        \t- waiting on <0x01> (a demo.Queue)
        \tat demo.Queue.take(Queue.java:5)
        \t- locked <0x01> (a demo.Queue)

        "other" #2 prio=5 tid=0x2 nid=0x2 waiting for monitor entry
           java.lang.Thread.State: BLOCKED (on object monitor)
        \t- waiting to lock <0x01> (a demo.Queue)
        """)
    assert not found.graph.waits


def test_owners_of_locks_are_known_from_their_list_of_synchronizers() -> None:
    found = dump("""
        "waiter" #1 prio=5 tid=0x1 nid=0x1 waiting on condition
           java.lang.Thread.State: WAITING (parking)
        \tat sun.misc.Unsafe.park(Native Method)
        \t- parking to wait for  <0x0a> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)

           Locked ownable synchronizers:
        \t- None

        "owner" #2 prio=5 tid=0x2 nid=0x2 runnable
           java.lang.Thread.State: RUNNABLE
        \tat demo.Main.run(Main.java:1)

           Locked ownable synchronizers:
        \t- <0x0a> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)
        """)
    assert found.graph.waits == {0: (1, 0)}


def test_owners_of_locks_are_known_from_the_list_of_deadlocks() -> None:
    found = dump("""
        "a" #1 prio=5 tid=0x1 nid=0x1 waiting on condition
           java.lang.Thread.State: WAITING (parking)
        \t- parking to wait for  <0x0a> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)

        "b" #2 prio=5 tid=0x2 nid=0x2 waiting on condition
           java.lang.Thread.State: WAITING (parking)
        \t- parking to wait for  <0x0b> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)

        Found one Java-level deadlock:
        =============================
        "a":
          waiting for ownable synchronizer 0x0a, (a java.util.concurrent.locks.ReentrantLock$NonfairSync),
          which is held by "b"
        "b":
          waiting for ownable synchronizer 0x0b, (a java.util.concurrent.locks.ReentrantLock$NonfairSync),
          which is held by "a"

        Java stack information for the threads listed above:
        ===================================================
        "a":
        \t- parking to wait for  <0x0a> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)
        """)
    assert [ring.threads for ring in found.graph.rings] == [(0, 1)]
    assert len(found.threads) == 2


def test_a_name_may_have_quotes_and_cut_text_ends_quietly() -> None:
    assert [thread.name for thread in dump('"a "b" c" #7 prio=5 tid=0x1 nid=0x1 runnable').threads] == ['a "b" c']
    for length in range(0, len(TWO), 7):
        assert dump(TWO[:length]).graph.rings is not None
