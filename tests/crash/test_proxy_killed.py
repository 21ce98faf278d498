"""kill -9 of the proxy at many instants: what passed is recorded, what was not answered is found open, the store opens."""

from __future__ import annotations

import random
import select
import sys
from pathlib import Path

import pytest

from peers.raw_client import RawClient, process_is_gone
from witnessmark.adapters.store.location import open_store
from witnessmark.model.evidence import CallAnswered, CallStarted
from witnessmark.state.call import CallPhase
from witnessmark.state.chain_check import verify_chain
from witnessmark.state.fold import fold

pytestmark = pytest.mark.crash

COUNTING = Path(__file__).parents[1] / "peers" / "servers" / "counting.py"
PROXY = Path(sys.executable).with_name("witnessmark")
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}


def call(number: int, size: int) -> bytes:
    text = "x" * size
    return b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"note","arguments":{"text":"%s"}}}\n' % (number, text.encode())


@pytest.mark.parametrize("instant", range(24))
def test_a_killed_proxy_has_recorded_whatever_it_let_pass(tmp_path: Path, instant: int) -> None:
    chance = random.Random(instant)
    store_path, noted = tmp_path / "evidence.db", tmp_path / "noted"
    command: list[str | Path] = [
        PROXY,
        "proxy",
        "--store",
        store_path,
        "--run",
        "R",
        "--server",
        "notes",
        "--",
        sys.executable,
        COUNTING,
        noted,
    ]
    with RawClient(command) as client:
        client.ask({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": HELLO})
        client.ask({"jsonrpc": "2.0", "id": "list", "method": "tools/list"})
        calls = chance.randint(0, 60)
        # Some die between a call and its answer, some while many calls are under way, some at rest.
        together = chance.choice([1, 1, 4, 16])
        heard = len(client.out)
        for first in range(0, calls, together):
            client.send(b"".join(call(number, chance.choice([10, 10, 3000, 70_000])) for number in range(first, first + together)))
            if first + together < calls or chance.random() < 0.3:
                client.pump(until=lambda: client.out.count(b"noted", heard) >= first + together)  # noqa: B023 - called at once
        select.select([], [], [], chance.random() / 50)  # the instant
        server = int(Path(f"/proc/{client.process.pid}/task/{client.process.pid}/children").read_text().split()[0])
        client.process.kill()
        client.pump(until=lambda: client.out_ended)
        client.wait()
        assert process_is_gone(server, parent=client.process.pid)
        answered_to_client = client.out.count(b'"text": "noted"')

    executed = {int(line) for line in noted.read_text().split()} if noted.exists() else set()
    store = open_store(store_path)
    facts = [event.fact for event in store.events("R")]
    assert [found.problem for found in verify_chain(store.logged("R"))] == ["unattested"]
    started = {int(fact.id) for fact in facts if isinstance(fact, CallStarted)}
    answered = {int(fact.id) for fact in facts if isinstance(fact, CallAnswered)}
    # A request is recorded before it is forwarded, an answer before the client has it.
    assert executed <= started
    assert len(answered) >= answered_to_client
    state = fold(store.events("R"))
    still_open = {int(one.id) for one in state.calls.held.values() if one.phase is CallPhase.OPEN}
    assert still_open == started - answered
    store.close()
