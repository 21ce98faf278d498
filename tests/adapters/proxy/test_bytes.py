"""Bytes in are bytes out, in both directions, whatever they are and however they are cut."""

from __future__ import annotations

import hashlib
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from peers.raw_client import RawClient, chunked

Start = Callable[..., list[str]]

KIB = 1024
MIB = 1024 * KIB

SHAPES = {
    "nothing at all": b"",
    "a message": b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    "no final newline": b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2',
    "junk": b"Starting server...\nINFO ready\n\n\n",
    "carriage returns": b'{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n\r\n\r',
    "NUL and high bytes": bytes(range(256)) * 17 + b"\n\x00\n\xff\xfe",
    "invalid UTF-8 inside a message": b'{"jsonrpc":"2.0","id":1,"method":"\xc3\x28"}\n',
    "a byte order mark": b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    "a batch": b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]\n',
    "numbers that a decoder would change": b'{"jsonrpc":"2.0","id":9007199254740993,"method":"x","params":{"a":1.0,"b":1e400,"a":-0}}\n',
    "deep nesting": b"[" * 5000 + b"]" * 5000 + b"\n",
    "an answer that nobody asked for": b'{"jsonrpc":"2.0","id":"7","result":{}}\n',
    "a line just above the limit of a read": b'{"a":"' + b"x" * (64 * KIB) + b'"}\n',
    "a long junk line": b"j" * (300 * KIB) + b"\n",
    "a long line without an end": b'{"a":"' + b"x" * (200 * KIB),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_what_goes_in_comes_out_unchanged_in_both_directions(behaves: Start, shape: str) -> None:
    with RawClient(behaves("copy")) as client:
        client.send(SHAPES[shape])
        assert client.finish() == 0
        assert bytes(client.out) == SHAPES[shape]


@pytest.mark.parametrize("seed", range(6))
def test_random_cuts_change_nothing(behaves: Start, seed: int) -> None:
    chance = random.Random(seed)
    data = b"".join(chance.choice(list(SHAPES.values())) for _ in range(12))
    with RawClient(behaves("copy", str(chance.randint(1, 9000)))) as client:
        for piece in chunked(data, [chance.choice((1, 2, 3, 100, 4096, 70000)) for _ in range(60)]):
            client.send(piece)
        assert client.finish() == 0
        assert bytes(client.out) == data


def test_a_message_passes_before_the_next_one_is_written(behaves: Start) -> None:
    with RawClient(behaves("copy")) as client:
        for number in range(50):
            message = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % number
            client.send(message)
            assert client.line() == message
        assert client.finish() == 0


def test_frames_of_64_mib_pass_both_ways_in_bounded_memory(behaves: Start) -> None:
    sizes = 64 * MIB
    frame = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"store","arguments":{"text":"' + b"x" * sizes + b'"}}}\n'
    with RawClient(behaves("copy")) as client:
        client.send(b"warm\n")
        client.wait_for(b"warm\n")
        client.pump(frame, until=lambda: len(client.out) == len(frame) + 5)
        assert hashlib.sha256(client.out[5:]).digest() == hashlib.sha256(frame).digest()
        peak_kib = peak_memory_kib(client.process.pid)
        assert client.finish() == 0
    assert peak_kib <= 45 * 1000


def peak_memory_kib(pid: int) -> int:
    """VmHWM: the largest resident set so far, in KiB."""
    path = Path(f"/proc/{pid}/status")
    if not path.exists():
        pytest.skip("no /proc here: peak memory cannot be read")
    return int(next(line for line in path.read_text().splitlines() if line.startswith("VmHWM:")).split()[1])


def test_a_slow_reader_holds_the_server_back_instead_of_filling_memory(behaves: Start) -> None:
    size = 24 * MIB
    with RawClient(behaves("slow", str(size))) as client:
        client.read_out(1)
        # Nobody reads now. The server's writes stop once the pipes and the proxy's bound are full.
        before = -1
        while (now := written_by_the_server(client.process.pid)) != before:
            before = now
            os.sched_yield()
            signal.sigtimedwait([], 0.2)
        assert now < 2 * MIB
        assert client.finish() == 0
        assert len(client.out) == size


def written_by_the_server(proxy: int) -> int:
    """Bytes that the proxy's child has written, as the kernel counts them."""
    children = Path(f"/proc/{proxy}/task/{proxy}/children")
    if not children.exists():
        pytest.skip("no /proc here: what a process wrote cannot be read")
    io = Path(f"/proc/{children.read_text().split()[0]}/io").read_text()
    return int(next(line for line in io.splitlines() if line.startswith("wchar:")).split()[1])


def test_regular_files_serve_as_standard_streams(behaves: Start, tmp_path: Path) -> None:
    import subprocess

    data = b"".join(SHAPES.values())
    source, sink = tmp_path / "in", tmp_path / "out"
    source.write_bytes(data)
    with source.open("rb") as stdin, sink.open("wb") as stdout:
        done = subprocess.run(behaves("copy"), stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 0
    assert sink.read_bytes() == data


def test_a_terminal_serves_as_standard_streams(behaves: Start) -> None:
    import pty
    import select
    import subprocess
    import tty

    controller, terminal = pty.openpty()
    tty.setraw(terminal)
    with subprocess.Popen(behaves("copy"), stdin=terminal, stdout=terminal, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        os.close(terminal)
        os.write(controller, b"typed by hand\n")
        got = b""
        while b"typed by hand\n" not in got:
            assert select.select([controller], [], [], 30)[0]
            got += os.read(controller, 4096)
        os.close(controller)
        assert process.wait(30) == 0


def test_sockets_serve_as_standard_streams_and_end_one_by_one(behaves: Start) -> None:
    import socket
    import subprocess

    data = SHAPES["junk"] * 5000
    ours, theirs = socket.socketpair()
    with ours, subprocess.Popen(behaves("copy"), stdin=theirs.fileno(), stdout=theirs.fileno(), stderr=subprocess.DEVNULL) as process:
        theirs.close()
        ours.settimeout(30)
        got = b""
        for start in range(0, len(data), 10_000):
            ours.sendall(data[start : start + 10_000])
            got += ours.recv(65536)
        ours.shutdown(socket.SHUT_WR)
        while piece := ours.recv(65536):
            got += piece
        assert process.wait(30) == 0
    assert got == data
