"""kill -9 of a process that writes: what was acknowledged is there, in order, and its chain holds."""

from __future__ import annotations

import random
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from recorded_sessions import START_US
from witnessmark.adapters.store.location import open_store
from witnessmark.adapters.store.protocol import Durability
from witnessmark.adapters.store.writer import SessionWriter
from witnessmark.model.chain import Recorder
from witnessmark.model.evidence import CallStarted
from witnessmark.state.chain_check import verify_chain

INSTANTS = 36

# Each byte on the pipe acknowledges one more batch; sizes vary, so that the kill falls into single and batched appends.
_CHILD = """
import itertools, os, sys
sys.path[:0] = sys.argv[3:]
from recorded_sessions import START_US
from witnessmark.adapters.store.location import open_store
from witnessmark.adapters.store.writer import SessionWriter
from witnessmark.model.chain import Recorder
from witnessmark.model.evidence import CallStarted
os.write(1, b"0")
store = open_store(sys.argv[1], durability=sys.argv[2])
writer = SessionWriter(store, Recorder("proxy:files", "s1", "run-1"), server="files", opened_us=START_US)
number = 0
for turn in itertools.count():
    size = (1, 1, 3, 16)[turn % 4]
    writer.write([CallStarted(server="files", id=str(number + i), tool="t" * 50) for i in range(size)], START_US + turn)
    number += size
    os.write(1, bytes([size]))
"""
_PATHS = [str(Path(__file__).parents[2]), str(Path(__file__).parents[3] / "src")]


@pytest.mark.crash
@pytest.mark.parametrize("durability", ["process", "power"])
def test_every_acknowledged_event_outlives_the_writer_at_any_instant(tmp_path: Path, durability: Durability) -> None:
    chance = random.Random(20_260_728)
    for instant in range(INSTANTS // 2):
        path = tmp_path / f"{instant}.sqlite"
        command = [sys.executable, "-c", _CHILD, str(path), durability, *_PATHS]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0)
        assert child.stdout is not None
        assert child.stdout.read(1) == b"0"
        # Some die while they make the file, some in the first events, some after a checkpoint of the write-ahead log.
        acknowledged = 0
        for _ in range(chance.choice([0, 1, 2, chance.randrange(200), chance.randrange(2000)])):
            acknowledged += child.stdout.read(1)[0]
        select.select([], [], [], chance.random() / 100)
        child.send_signal(signal.SIGKILL)
        child.wait()
        acknowledged += sum(child.stdout.read())
        child.stdout.close()

        store = open_store(path)
        events = list(store.logged("run-1"))
        assert len(events) >= acknowledged
        assert [event.fact for event in events] == [CallStarted(server="files", id=str(n), tool="t" * 50) for n in range(len(events))]
        # A successor goes on with the same session, and the whole is one chain.
        key = store.open_session(source="proxy:files", session="s1", run="run-1", server="files", opened_us=START_US)
        head = store.head(key)
        assert head.events == len(events)
        recorder = Recorder("proxy:files", "s1", "run-1", sequence=head.events, head=head.hash)
        SessionWriter(store, recorder, server="files", opened_us=START_US).close(START_US + 10**6)
        assert list(verify_chain(store.logged("run-1"))) == []
        store.close()
