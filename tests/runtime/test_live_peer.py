"""The process of a connection, and the agent options in its command line."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from parsers.runtime.live.address import Address, address_of
from parsers.runtime.live.process.peer import Peer, agent_options, find_peer, peer_of

TABLE = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1E61 0100007F:BC34 01 00000000:00000000 00:00000000 00000000     0        0 1111 1
   1: 0100007F:BC34 0100007F:1E61 01 00000000:00000000 00:00000000 00000000     0        0 2222 1
"""


@pytest.mark.parametrize(
    ("words", "peer"),
    [
        ("java -agentlib:hprof=net=h:1,format=b,heap=sites -cp a Main x", Peer(7, "Main", "sites")),
        ("java -Xrunhprof:net=h:1,cpu=samples -jar a.jar", Peer(7, "a.jar", "")),
        ("java -agentlib:hprof=net=h:1,heap=dump,doe=n Main", Peer(7, "Main", "dump", False)),
        ("java -agentlib:hprof=net=h:1 Main", Peer(7, "Main", "all")),
        ("java -agentlib:hprof=net=h:1,monitor=y Main", Peer(7, "Main", "")),
        ("java Main", Peer(7, "Main", None)),
    ],
)
def test_a_command_line_has_program_and_options(words: str, peer: Peer) -> None:
    assert peer_of(7, words.split()) == peer


def test_options_may_be_in_the_environment() -> None:
    variable = "JAVA_TOOL_OPTIONS=-Xmx1g -agentlib:hprof=net=h:1,heap=dump"
    assert peer_of(7, ["java", "Main"], [variable]) == Peer(7, "Main", "dump")


def test_options_are_names_and_values() -> None:
    assert agent_options("-agentlib:hprof=net=h:1,format=b,help") == {"net": "h:1", "format": "b", "help": ""}
    assert agent_options("-agentlib:jdwp=transport=x") == {}


def test_of_other_machines_and_tables_nothing_is_known(tmp_path: Path) -> None:
    table = tmp_path / "tcp"
    table.write_text(TABLE)
    ours = Address("127.0.0.1", 0x1E61)
    # The connection is there, but no process with the agent has it.
    assert find_peer(Address("127.0.0.1", 0xBC34), ours, str(table)) == Peer()
    assert find_peer(Address("192.0.2.1", 0xBC34), ours, str(table)) == Peer()
    assert find_peer(Address("::1", 0xBC34), Address("::1", 1), str(table)) == Peer()
    assert find_peer(Address("127.0.0.1", 0xBC34), ours, str(tmp_path / "missing")) == Peer()


def test_a_connection_of_this_process_is_of_no_jvm() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        end, place = listener.accept()
        assert find_peer(address_of(place), address_of(end.getsockname())) == Peer()
        for each in (client, end):
            each.close()
