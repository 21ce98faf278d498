"""`witnessmark proxy --listen` beside a direct connection and nginx, in interleaved rounds; and what the gate adds."""

from __future__ import annotations

import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from bench.figures import Figure, at_least, at_most, figure, percentile
from bench.machine import ROOT
from bench.processes import memory_of, run, witnessmark
from bench.raw_client import RawClient, WrongAnswer, text_of

PART: Final = "HTTP proxy"
GATE: Final = "gate"
ADDED_BUDGET: Final = at_most(220)
RATE_BUDGET: Final = at_least(4_000)
FIRST_BUDGET: Final = at_most(1.0)
IDLE_BUDGET: Final = at_most(120)
GATE_BUDGET: Final = at_most(30)
LIST_BUDGET: Final = at_most(5)

SMALL_BYTES: Final = 100
OURS: Final = "witnessmark"


class Amounts(NamedTuple):
    """How much is measured."""

    rounds: int = 5
    small: int = 3_000
    flying: int = 8_000
    streams: int = 1_000
    firsts: int = 200


TINY: Final = Amounts(rounds=1, small=30, flying=64, streams=10, firsts=3)


def request(number: int, size: int) -> bytes:
    """A call over HTTP whose text is unlike that of any other number."""
    body = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":"%b"}}}' % (
        number,
        text_of(number, size).encode(),
    )
    head = b"POST /mcp HTTP/1.1\r\nHost: %b\r\nContent-Type: application/json\r\nMcp-Session-Id: s\r\nContent-Length: %d\r\n\r\n"
    return head % (b"{host}", len(body)) + body


class Caller:
    """One keep-alive connection."""

    def __init__(self, port: int) -> None:
        self.host = b"127.0.0.1:%d" % port
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.held = b""

    def send(self, number: int) -> None:
        self.socket.sendall(request(number, SMALL_BYTES).replace(b"{host}", self.host))

    def hear(self, number: int) -> None:
        """The answer; WrongAnswer unless it is the one to that call."""
        while b"\r\n\r\n" not in self.held:
            self.held += self.socket.recv(65_536)
        head, _, rest = self.held.partition(b"\r\n\r\n")
        found = re.search(rb"(?i)content-length: (\d+)", head)
        if found is None:
            raise WrongAnswer(head)
        length = int(found[1])
        while len(rest) < length:
            rest += self.socket.recv(65_536)
        body, self.held = rest[:length], rest[length:]
        if b'"id":%d,' % number not in body or text_of(number, SMALL_BYTES).encode() not in body:
            raise WrongAnswer(body)


@contextmanager
def _started(command: Sequence[str], pattern: bytes, *, stderr: bool) -> Iterator[tuple[int, int]]:
    """A process that says its port: (port, pid)."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT if stderr else subprocess.DEVNULL, cwd=ROOT, start_new_session=True
    )
    assert process.stdout is not None
    try:
        found = None
        while found is None:
            line = process.stdout.readline()
            if not line:
                raise AssertionError(f"{command[0]} ended before it listened")
            found = re.search(pattern, line)
        yield int(found[1]), process.pid
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


@contextmanager
def _nginx(upstream: int, folder: Path) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    text = (
        f"daemon off; worker_processes 1; error_log /dev/null; pid {folder}/pid; events {{ worker_connections 4096; }}\n"
        f"http {{ access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f; "
        f"uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s; keepalive_requests 1000000; "
        f"upstream u {{ server 127.0.0.1:{upstream}; keepalive 64; keepalive_requests 1000000; }} "
        f"server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://u; proxy_http_version 1.1; "
        f'proxy_set_header Connection ""; proxy_buffering off; }} }} }}\n'
    )
    (folder / "nginx.conf").write_text(text)
    process = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")], stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.01)
        yield port
    finally:
        process.terminate()
        process.wait()


def _latencies(port: int, calls: int, first: int) -> list[float]:
    caller = Caller(port)
    taken = []
    with caller.socket:
        for number in range(first, first + calls):
            before = time.perf_counter_ns()
            caller.send(number)
            caller.hear(number)
            taken.append((time.perf_counter_ns() - before) / 1000)
    return taken[len(taken) // 10 :]


def _rate(port: int, calls: int, flight: int, first: int) -> float:
    """Calls a second with that many connections, each with one call in flight, driven in turn."""
    callers = [Caller(port) for _ in range(flight)]
    before = time.perf_counter()
    for at, caller in enumerate(callers):
        caller.send(first + at)
    for number in range(flight, calls):
        caller = callers[number % flight]
        caller.hear(first + number - flight)
        caller.send(first + number)
    for number in range(calls - flight, calls):
        callers[number % flight].hear(first + number)
    taken = time.perf_counter() - before
    for caller in callers:
        caller.socket.close()
    return calls / taken


def _first_events(port: int, times: int) -> list[float]:
    """Milliseconds from asking for a stream to its first event."""
    taken = []
    for _ in range(times):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            before = time.perf_counter_ns()
            connection.sendall(b"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nMcp-Session-Id: s\r\n\r\n" % port)
            found = b""
            while b"data: {}" not in found:
                found += connection.recv(65_536)
            taken.append((time.perf_counter_ns() - before) / 1e6)
    return taken


def _idle_mib(port: int, pid: int, streams: int) -> float:
    connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(streams)]
    try:
        for connection in connections:
            connection.sendall(b"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nMcp-Session-Id: s\r\n\r\n" % port)
        for connection in connections:
            found = b""
            while b"data: {}" not in found:
                found += connection.recv(65_536)
        memory = memory_of(pid)
        return memory.now if memory is not None else 0.0
    finally:
        for connection in connections:
            connection.close()


def http_figures(amounts: Amounts, folder: Path) -> list[Figure]:
    """Direct, nginx if it is there, and ours, in interleaved rounds."""
    with ExitStack() as stack:
        server, _ = stack.enter_context(_started([sys.executable, "-m", "bench.http_server"], rb"(\d+)", stderr=False))
        words = ["proxy", "--listen", "127.0.0.1:0", "--upstream", f"http://127.0.0.1:{server}/mcp", "--server", "bench"]
        command = witnessmark(*words, "--store", str(folder / "http.sqlite"))
        ours, pid = stack.enter_context(_started(command, rb"127\.0\.0\.1:(\d+)/mcp", stderr=True))
        ports = {"direct": server, OURS: ours}
        if shutil.which("nginx"):
            place = folder / "nginx"
            place.mkdir()
            ports["nginx"] = stack.enter_context(_nginx(server, place))
        latency: dict[str, list[list[float]]] = {name: [] for name in ports}
        rates: dict[str, list[float]] = {name: [] for name in ports}
        firsts: dict[str, list[float]] = {name: [] for name in ports}
        first = 1
        for number in range(amounts.rounds):
            names = list(ports)
            for name in names[number % len(names) :] + names[: number % len(names)]:
                latency[name].append(_latencies(ports[name], amounts.small, first))
                first += amounts.small
                rates[name].append(_rate(ports[name], amounts.flying, 16, first))
                first += amounts.flying
                firsts[name].append(statistics.median(_first_events(ports[name], amounts.firsts)))
        figures = []
        p50 = {name: [percentile(sorted(values), 0.5) for values in found] for name, found in latency.items()}
        for name in ports:
            figures.append(figure(PART, f"100 B, {name}, p50", p50[name], "us"))
            figures.append(figure(PART, f"16 in flight, {name}", rates[name], "calls/s", budget=RATE_BUDGET if name == OURS else None))
        for name in [name for name in ports if name != "direct"]:
            added = [one - base for one, base in zip(p50[name], p50["direct"], strict=True)]
            figures.append(figure(PART, f"100 B, added p50, {name}", added, "us", budget=ADDED_BUDGET if name == OURS else None))
            late = [one - base for one, base in zip(firsts[name], firsts["direct"], strict=True)]
            figures.append(figure(PART, f"first event, added, {name}", late, "ms", budget=FIRST_BUDGET if name == OURS else None))
        figures.append(
            figure(
                PART, f"memory with {amounts.streams:,} idle streams", [_idle_mib(ours, pid, amounts.streams)], "MiB", budget=IDLE_BUDGET
            )
        )
        return figures


# --- what the gate adds over stdio -----------------------------------------------------------------------------------------


def gate_figures(amounts: Amounts, folder: Path) -> list[Figure]:
    """A call from fresh evidence beside one that is only observed, and what a list before a call costs for each 100 tools."""
    from bench.contracts import Catalog, a_tool

    echo = [sys.executable, str(ROOT / "bench" / "echo_server.py")]
    lockfile = folder / "gate.lock"
    done = run(witnessmark("lock", "--lockfile", str(lockfile), "--server", "bench", "--profile", "both", "--", *echo))
    if done.code != 0:
        raise AssertionError(f"lock said {done.code}: {done.out!r}")
    policy = folder / "gate.toml"
    policy.write_text('[gate]\nverify = "max_age=1h"\n', encoding="utf-8")
    common = ["proxy", "--server", "bench"]
    enforce = ["--mode", "enforce", "--lockfile", str(lockfile), "--config", str(policy)]
    modes = {"observe": [], "enforce, fresh evidence": enforce}
    taken: dict[str, list[float]] = {name: [] for name in modes}
    for number in range(amounts.rounds):
        names = list(modes)
        for name in names[number % 2 :] + names[: number % 2]:
            store = folder / f"gate-{len(taken[name])}-{len(name)}.sqlite"
            with RawClient(witnessmark(*common, *modes[name], "--store", str(store), "--", *echo)) as client:
                client.begin()
                client.round_trips(min(100, amounts.small), SMALL_BYTES, 10)
                taken[name].append(percentile(sorted(client.round_trips(amounts.small, SMALL_BYTES, 20)), 0.5))
                client.end()
    added = [one - base for one, base in zip(taken["enforce, fresh evidence"], taken["observe"], strict=True)]
    figures = [figure(GATE, f"100 B, {name}, p50", values, "us") for name, values in taken.items()]
    figures.append(figure(GATE, "a decision from fresh evidence, added p50", added, "us", budget=GATE_BUDGET))
    place = folder / "gate-catalog"
    place.mkdir()
    catalog = Catalog(place, [a_tool(number) for number in range(1_000)])
    catalog.write(0)
    figures.append(
        figure(
            GATE, "a list before a call, for each 100 tools, beyond its round trips", _list_ms(catalog, amounts), "ms", budget=LIST_BUDGET
        )
    )
    return figures


def _list_ms(catalog: object, amounts: Amounts) -> list[float]:
    """What the gate does with the pages of a list: milliseconds for each 100 tools, in process, without the wire."""
    from bench.contracts import PAGE_TOOLS, Catalog
    from gate_scene import GateScene, lock

    assert isinstance(catalog, Catalog)
    scene = GateScene(*catalog.tools, locked=lock(*catalog.tools), page_size=PAGE_TOOLS).begun()
    found = []
    for number in range(max(3, amounts.rounds)):
        before = time.perf_counter_ns()
        scene.call(number + 1, catalog.tools[0]["name"], field_0="x")
        found.append((time.perf_counter_ns() - before) / 1e6 / (len(catalog.tools) / 100))
    return found


def measure(amounts: Amounts, *, folder: Path | None = None) -> list[Figure]:
    """All figures of the HTTP proxy and of the gate."""
    sys.path.insert(0, os.fspath(ROOT / "tests"))
    with tempfile.TemporaryDirectory(prefix="witnessmark-bench-", dir=folder) as place:
        return [*http_figures(amounts, Path(place)), *gate_figures(amounts, Path(place))]
