"""Signals, ends, exit codes and standard error: as if the proxy were not there."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from peers.raw_client import RawClient, process_is_gone

Start = Callable[..., list[str]]
MIB = 1024 * 1024


@pytest.mark.parametrize("code", [0, 1, 3, 64, 126, 127, 255])
def test_the_exit_code_is_the_servers(behaves: Start, code: int) -> None:
    with RawClient(behaves("exit", str(code))) as client:
        assert client.finish(close=False) == code


@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL", "SIGSEGV", "SIGABRT", "SIGINT", "SIGPIPE"])
def test_a_death_by_signal_is_passed_on_as_such(behaves: Start, name: str) -> None:
    with RawClient(behaves("die", name)) as client:
        assert client.finish(close=False) == -signal.Signals[name]


def test_a_command_that_is_not_there_ends_as_in_a_shell(behind: Start) -> None:
    with RawClient(behind("witnessmark-no-such-server")) as client:
        assert client.finish() == 127
        assert client.out == b""
        assert b"witnessmark-no-such-server" in client.err
        assert b"not found" in client.err


@pytest.mark.parametrize("mode", [0o644, 0o755])
def test_a_file_that_cannot_run_ends_as_in_a_shell(behind: Start, tmp_path: Path, mode: int) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"\x7fNOT A PROGRAM")
    program.chmod(mode)
    with RawClient(behind(str(program))) as client:
        assert client.finish() == 126
        assert b"cannot be run" in client.err


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGCONT"])
def test_a_signal_to_the_proxy_alone_reaches_the_server_once(behaves: Start, name: str) -> None:
    with RawClient(behaves("traps")) as client:
        client.wait_for(b"ready\n")
        client.process.send_signal(signal.Signals[name])
        client.wait_for(name.encode())
        assert client.finish() == 0
        assert client.out == b"ready\n" + name.encode() + b"\n"


def test_a_terminals_interrupt_reaches_the_server_once(behaves: Start) -> None:
    import pty

    pid, controller = pty.fork()
    if pid == 0:  # pragma: no cover - another process
        # A session of its own with a controlling terminal: the proxy is its foreground group.
        command = behaves("traps")
        os.execvp(command[0], command)
    got = b""

    def read_until(text: bytes) -> None:
        nonlocal got
        while text not in got:
            assert select.select([controller], [], [], 30)[0], got
            got += os.read(controller, 4096)

    read_until(b"ready")
    os.write(controller, b"\x03")
    read_until(b"SIGINT")
    os.write(controller, b"\x04")
    assert os.waitpid(pid, 0)[1] == 0
    try:
        while piece := os.read(controller, 4096):
            got += piece
    except OSError:
        pass  # Linux answers EIO at the end of a terminal
    assert got.count(b"SIGINT") == 1
    os.close(controller)


def test_stop_and_continue_stop_and_continue_both(behaves: Start) -> None:
    # A parent in the same session but another group: else the kernel drops SIGTSTP for an orphaned group.
    process = subprocess.Popen(behaves("copy"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, process_group=0)
    assert process.stdin is not None
    assert process.stdout is not None
    with process, process.stdin as stdin, process.stdout as stdout:
        stdin.write(b"one\n")
        stdin.flush()
        assert stdout.readline() == b"one\n"
        process.send_signal(signal.SIGTSTP)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        process.send_signal(signal.SIGCONT)
        stdin.write(b"two\n")
        stdin.flush()
        assert stdout.readline() == b"two\n"
        stdin.close()
        assert process.wait(30) == 0


def test_a_signal_ignored_from_the_start_stays_ignored(behaves: Start) -> None:
    command = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *behaves("copy")]
    with RawClient(command) as client:
        client.send(b"up\n")
        client.wait_for(b"up\n")
        os.killpg(client.process.pid, signal.SIGHUP)
        client.send(b"still up\n")
        client.wait_for(b"still up\n")
        assert client.finish() == 0


def test_the_server_stays_in_the_clients_process_group_and_session(behaves: Start) -> None:
    with RawClient(behaves("identity")) as client:
        pid, group, session = map(int, client.line().split())
        assert pid != client.process.pid
        assert (group, session) == (client.process.pid, client.process.pid)
        assert client.finish() == 0


def test_the_server_gets_three_descriptors_and_what_the_client_left_open(behaves: Start) -> None:
    with RawClient(behaves("descriptors")) as client:
        assert client.line() == b"0 1 2\n"
        assert client.finish() == 0


def test_end_of_file_from_the_client_closes_the_server_and_its_last_words_arrive(behaves: Start) -> None:
    with RawClient(behaves("copy")) as client:
        client.send(b"last\n" * 40_000)
        assert client.finish() == 0
        assert client.out == b"last\n" * 40_000


def test_a_server_that_ends_first_has_its_output_delivered(behaves: Start) -> None:
    with RawClient(behaves("last", "9")) as client:
        assert client.finish(close=False) == 9
        assert client.out == b"last words"


def test_a_server_that_closes_its_output_but_lives_is_seen_closed(behaves: Start) -> None:
    with RawClient(behaves("mute")) as client:
        client.pump(until=lambda: client.out_ended)
        assert client.process.poll() is None
        assert client.finish() == 5


def test_a_server_that_closes_its_input_breaks_the_clients_pipe(behaves: Start) -> None:
    with RawClient(behaves("deaf")) as client:
        client.wait_for(b"deaf\n")
        pipe = select.poll()
        pipe.register(client._in.fileno(), 0)
        assert pipe.poll(30_000) == [(client._in.fileno(), select.POLLERR)]
        client.process.send_signal(signal.SIGTERM)
        assert client.finish() == -signal.SIGTERM


def test_a_client_that_stops_reading_breaks_the_servers_pipe(behaves: Start) -> None:
    with RawClient(behaves("slow", str(4 * MIB))) as client:
        client.read_out(10)
        client.close_stdout()
        assert client.finish(close=False) in {1, -signal.SIGPIPE}  # a Python server says BrokenPipeError


def test_a_client_that_dies_ends_everything(behaves: Start, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    client_program = (
        "import os, subprocess, sys\n"
        "child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "child.stdin.write(b'up\\n'); child.stdin.flush(); child.stdout.readline()\n"
        "open(sys.argv[1], 'w').write(str(child.pid))\n"
        "os.kill(os.getpid(), 9)\n"
    )
    client = subprocess.Popen([sys.executable, "-c", client_program, str(pids), *behaves("copy")])
    assert client.wait(60) == -signal.SIGKILL
    assert process_is_gone(int(pids.read_text()), parent=client.pid)


def test_a_killed_proxy_leaves_no_orphan(behaves: Start) -> None:
    with RawClient(behaves("identity")) as client:
        server = int(client.line().split()[0])
        client.process.kill()
        client.wait()
        assert process_is_gone(server, parent=client.process.pid)


def test_a_group_kill_takes_the_server_along(behaves: Start) -> None:
    with RawClient(behaves("stubborn")) as client:
        server = int(client.line().split()[1])
        os.killpg(client.process.pid, signal.SIGKILL)
        client.wait()
        assert process_is_gone(server, parent=client.process.pid)


def test_a_server_that_ignores_the_end_is_as_stubborn_behind_the_proxy(behaves: Start) -> None:
    with RawClient(behaves("stubborn")) as client:
        client.wait_for(b"ready")
        client.close_stdin()
        client.process.send_signal(signal.SIGTERM)
        client.process.send_signal(signal.SIGUSR1)
        assert client.finish(close=False) == 3


def test_a_grandchild_that_holds_the_pipes_holds_nobody_up(behaves: Start) -> None:
    with RawClient(behaves("grandchild")) as client:
        client.wait_for(b"left")
        try:
            assert client.wait() == 4
            assert client.out == b"left\n"
        finally:
            os.killpg(client.process.pid, signal.SIGKILL)


def test_standard_error_passes_whole_when_it_is_read(behaves: Start) -> None:
    with RawClient(behaves("flood", str(3 * MIB))) as client:
        client.wait_for(b"flooded")
        assert client.finish() == 0
        assert client.err == b"e" * (3 * MIB) or b"witnessmark: dropped" in client.err


def test_a_standard_error_that_nobody_reads_stops_nobody(behaves: Start) -> None:
    with RawClient(behaves("flood", str(10 * MIB))) as client:
        client.pump(until=lambda: b"flooded\n" in client.out, read_stderr=False)
        client.pump(b"on with it\n", until=lambda: b"on with it\n" in client.out, read_stderr=False)
        assert client.finish() == 0
        note = re.compile(rb"\nwitnessmark: dropped (\d+) bytes of the server's standard error, which nobody read\n")
        dropped = sum(map(int, note.findall(bytes(client.err))))
        passed = len(note.sub(b"", bytes(client.err)))
        assert dropped > 8 * MIB
        assert dropped + passed == 10 * MIB


def test_a_standard_error_that_is_closed_stops_nobody(behaves: Start) -> None:
    with RawClient(["sh", "-c", 'exec "$@" 2>&-', "sh", *behaves("flood", str(MIB))]) as client:
        client.wait_for(b"flooded\n")
        assert client.finish() == 0


@pytest.mark.full
def test_two_hundred_starts_and_stops_leave_no_process_and_no_descriptor(behaves: Start) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for number in range(200):
        with RawClient(behaves("identity")) as client:
            server = int(client.line().split()[0])
            if number % 3 == 0:
                client.process.send_signal(signal.SIGTERM)
            if number % 3 == 1:
                client.process.kill()
            client.finish()
            assert process_is_gone(server, parent=client.process.pid)
    assert len(os.listdir("/proc/self/fd")) == before
