"""`witnessmark proxy --listen`: bytes pass as they came, in both directions; what must not pass is answered; the evidence knows."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import zlib
from pathlib import Path
from typing import Any

import pytest

from http_bench import PROXY, RawServer, exchange, listening, ok, post, read, saying, wait_until

CALL: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a", "arguments": {"secret": "canary-1"}}}
ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"canary-2"}]}}'
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
EVENTS = b": hello\r\n\r\nid: 1\r\nretry: 5\r\ndata:\r\n\r\nid: 2\ndata: " + ANSWER + b"\n\n"


def body_of(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


# --- what passes ----------------------------------------------------------------------------------------------------------


def test_a_request_and_its_answer_pass_with_fields_in_order_case_and_number(tmp_path: Path) -> None:
    fields = ["X-B: 1", "x-a: 2", "X-B: 3", "Mcp-Session-Id: s", "Authorization: Bearer canary-3", "Keep-Alive: 5", "X-Hop: 4"]
    head = b"HTTP/1.1 201 Made It\r\nSet-Cookie: a\r\nx-Y: \xe9\r\nset-cookie: b\r\nConnection: X-Gone\r\nX-Gone: 1\r\n"
    server = RawServer(saying(head + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(ANSWER) + ANSWER))
    with listening(server.port, tmp_path) as proxy:
        answer = proxy.post(CALL, *fields, "Connection: X-Hop")
        assert proxy.end() == 0
        (request,) = server.received
        lines = request.split(b"\r\n\r\n")[0].split(b"\r\n")
        assert lines[0] == b"POST /mcp HTTP/1.1"
        assert lines[1] == b"Host: 127.0.0.1:%d" % server.port
        assert [line for line in lines if line[:2].lower() == b"x-"] == [b"X-B: 1", b"x-a: 2", b"X-B: 3"]
        assert lines[-1].startswith(b"Via: 1.1 witnessmark-")
        assert body_of(request) == json.dumps(CALL).encode()
        expected = b"HTTP/1.1 201 Made It\r\nSet-Cookie: a\r\nx-Y: \xe9\r\nset-cookie: b\r\nContent-Type: application/json\r\n"
        assert answer.startswith(expected)
        assert body_of(answer) == ANSWER
        assert b"X-Gone" not in answer
        kinds = proxy.kinds()
        assert ("call.started" in kinds, "call.answered" in kinds) == (True, True)
        assert kinds.index("call.started") < kinds.index("call.answered")


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("kind,body", [("application/json", ANSWER), ("text/event-stream", EVENTS)])
def test_a_body_passes_byte_for_byte_however_it_is_framed(tmp_path: Path, kind: str, body: bytes, chunked: bool) -> None:
    framed = b"".join(b"%x\r\n%b\r\n" % (1, body[at : at + 1]) for at in range(len(body))) + b"0\r\nX-T: 1\r\n\r\n"
    if chunked:
        data = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + framed
    else:
        data = ok(body, kind=kind)
    server = RawServer(saying(data))
    with listening(server.port, tmp_path) as proxy:
        answer = proxy.post(CALL)
        proxy.end()
        if chunked:
            pieces, rest = [], body_of(answer)
            while not rest.startswith(b"0\r\n"):
                size, _, rest = rest.partition(b"\r\n")
                pieces.append(rest[: int(size, 16)])
                rest = rest[int(size, 16) + 2 :]
            assert b"".join(pieces) == body
            assert rest == b"0\r\nX-T: 1\r\n\r\n"
        else:
            assert body_of(answer) == body
        assert "call.answered" in proxy.kinds()


def test_events_go_on_as_they_come_and_not_when_the_stream_ends(tmp_path: Path) -> None:
    go = threading.Event()

    def speak(connection: socket.socket, _: bytes) -> None:
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n: one\r\n\r\n\r\n"
        )
        assert go.wait(30)
        connection.sendall(b"7\r\n: two\n\n\r\n0\r\n\r\n")

    server = RawServer(speak)
    with listening(server.port, tmp_path) as proxy, socket.create_connection(("127.0.0.1", proxy.port)) as client:
        client.sendall(f"GET /mcp HTTP/1.1\r\nHost: {proxy.host}\r\nAccept: text/event-stream\r\n\r\n".encode())
        assert b": one" in read(client, b": one")
        go.set()
        assert b": two" in read(client, b"0\r\n\r\n")


def test_a_request_in_any_cutting_is_one_request(tmp_path: Path) -> None:
    server = RawServer(saying(ok(ANSWER)))
    with listening(server.port, tmp_path) as proxy:
        data = post(CALL, host=proxy.host)
        for pieces in ([data], [data[at : at + 1] for at in range(len(data))], [data[:40], data[40:200], data[200:]]):
            assert body_of(exchange(proxy.port, b"", pieces=pieces)) == ANSWER
        assert len({body_of(request) for request in server.received}) == 1


def test_a_chunked_request_stays_one(tmp_path: Path) -> None:
    server = RawServer(saying(ok(ANSWER)))
    text = json.dumps(CALL).encode()
    with listening(server.port, tmp_path) as proxy:
        head = f"POST /mcp HTTP/1.1\r\nHost: {proxy.host}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n".encode()
        body = b"5\r\n%b\r\n%x;e=1\r\n%b\r\n0\r\nX-T: 1\r\n\r\n" % (text[:5], len(text) - 5, text[5:])
        assert body_of(exchange(proxy.port, head + body)) == ANSWER
        assert body_of(server.received[0]) == b"%x\r\n%b\r\n0\r\nX-T: 1\r\n\r\n" % (len(text), text)


def test_connections_are_kept_and_pipelined_requests_are_answered_in_order(tmp_path: Path) -> None:
    server = RawServer(lambda connection, request: connection.sendall(ok(body_of(request))))
    with listening(server.port, tmp_path) as proxy, socket.create_connection(("127.0.0.1", proxy.port)) as client:
        bodies = [json.dumps({**CALL, "id": number}).encode() for number in range(5)]
        client.sendall(b"".join(post(body, host=proxy.host, close=False) for body in bodies))
        found = read(client, bodies[-1])
        assert [found.index(body) for body in bodies] == sorted(found.index(body) for body in bodies)
        client.sendall(post(CALL, host=proxy.host))
        assert json.dumps(CALL).encode() in read(client)


@pytest.mark.parametrize("method,status", [("HEAD", b"200 OK"), ("OPTIONS", b"200 OK"), ("DELETE", b"200 OK"), ("PUT", b"200 OK")])
def test_other_methods_pass(tmp_path: Path, method: str, status: bytes) -> None:
    def speak(connection: socket.socket, request: bytes) -> None:
        answer = ok(b"{}")
        connection.sendall(answer[:-2] if request.startswith(b"HEAD") else answer)

    server = RawServer(speak)
    with listening(server.port, tmp_path) as proxy:
        answer = exchange(proxy.port, f"{method} /mcp?x=1 HTTP/1.1\r\nHost: {proxy.host}\r\nConnection: close\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 " + status)
        assert b"Content-Length: 2" in answer
        assert server.received[0].startswith(f"{method} /mcp?x=1 HTTP/1.1\r\n".encode())


def test_an_old_client_gets_what_it_can_read(tmp_path: Path) -> None:
    server = RawServer(saying(JSON + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"))
    with listening(server.port, tmp_path) as proxy:
        answer = exchange(proxy.port, f"GET / HTTP/1.0\r\nHost: {proxy.host}\r\n\r\n".encode())
        assert (body_of(answer), b"chunked" in answer) == (b"{}", False)


def test_a_body_that_ends_with_the_connection_does_so_for_the_client(tmp_path: Path) -> None:
    def speak(connection: socket.socket, _: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + ANSWER)
        connection.shutdown(socket.SHUT_RDWR)

    server = RawServer(speak)
    with listening(server.port, tmp_path) as proxy:
        assert body_of(proxy.post(CALL)) == ANSWER


def test_a_client_that_waits_for_a_word_gets_it(tmp_path: Path) -> None:
    server = RawServer(saying(ok(ANSWER)))
    with listening(server.port, tmp_path) as proxy, socket.create_connection(("127.0.0.1", proxy.port)) as client:
        head, _, body = post(CALL, "Expect: 100-continue", host=proxy.host).partition(b"\r\n\r\n")
        client.sendall(head + b"\r\n\r\n")
        assert read(client, b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(body)
        assert body_of(read(client)) == ANSWER
        assert b"xpect" not in server.received[0]


@pytest.mark.parametrize("size", [65_536, 5 << 20, 100 << 20])
def test_large_bodies_pass_both_ways_in_bounded_memory(tmp_path: Path, size: int) -> None:
    server = RawServer(lambda connection, request: connection.sendall(ok(body_of(request))))
    big = json.dumps({**CALL, "params": {"name": "a", "arguments": {"text": "x" * size}}}).encode()
    with listening(server.port, tmp_path) as proxy:
        assert body_of(proxy.post(big)) == big
        status = Path(f"/proc/{proxy.process.pid}/status").read_text()
        assert int(status.split("VmHWM:")[1].split()[0]) < 120 * 1024, "kB"


def test_a_compressed_answer_passes_as_it_is_and_is_read_all_the_same(tmp_path: Path) -> None:
    packed = zlib.compress(ANSWER)
    server = RawServer(saying(ok(packed, "Content-Encoding: deflate")))
    with listening(server.port, tmp_path) as proxy:
        assert body_of(proxy.post(CALL)) == packed
        proxy.end()
        assert "call.answered" in proxy.kinds()


@pytest.mark.parametrize("packed", [b"\x28\xb5\x2f\xfd not for us", zlib.compress(b"0" * (200 << 20))], ids=["zstd", "a bomb"])
def test_what_cannot_be_read_of_an_answer_is_a_gap(tmp_path: Path, packed: bytes) -> None:
    coding = "zstd" if packed.startswith(b"\x28") else "deflate"
    server = RawServer(saying(ok(packed, f"Content-Encoding: {coding}")))
    with listening(server.port, tmp_path) as proxy:
        assert body_of(proxy.post(CALL)) == packed
        proxy.end()
        gaps = [event["data"]["reason"] for event in proxy.events() if event["type"] == "witnessmark.evidence.gap"]
        assert gaps == ["content_encoding"]


# --- ends -------------------------------------------------------------------------------------------------------------------


def test_a_client_that_goes_ends_the_servers_connection(tmp_path: Path) -> None:
    gone = threading.Event()

    def speak(connection: socket.socket, _: bytes) -> None:
        connection.sendall(STREAM)
        connection.settimeout(30)
        try:
            if not connection.recv(1):
                gone.set()
        except ConnectionResetError:
            gone.set()

    server = RawServer(speak)
    with listening(server.port, tmp_path) as proxy:
        with socket.create_connection(("127.0.0.1", proxy.port)) as client:
            client.sendall(post(CALL, host=proxy.host))
            read(client, b"\r\n\r\n")
        assert gone.wait(30)
        proxy.end()
        closed = [event["data"] for event in proxy.events() if event["type"] == "witnessmark.session.closed"]
        assert [each["by"] for each in closed] == ["client"]


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"])
def test_a_server_that_goes_is_not_made_into_an_answer(tmp_path: Path, sent: bytes) -> None:
    def speak(connection: socket.socket, _: bytes) -> None:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_RDWR)

    server = RawServer(speak)
    with listening(server.port, tmp_path) as proxy:
        assert not body_of(proxy.post(CALL)).endswith(b"}")
        assert len(server.received) == 1, "nothing is sent twice"
        proxy.end()
        said = proxy.says("judge", "--run", "last")
        assert said.startswith("effect_unknown"), said


def test_a_connection_that_the_server_closed_meanwhile_is_not_used(tmp_path: Path) -> None:
    def speak(connection: socket.socket, _: bytes) -> None:
        connection.sendall(ok(ANSWER))
        connection.shutdown(socket.SHUT_RDWR)

    server = RawServer(speak)
    with listening(server.port, tmp_path) as proxy:
        for _ in range(5):
            assert body_of(proxy.post(CALL)) == ANSWER
        assert len(server.received) == 5


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_what_passed_is_recorded_however_the_proxy_ends(tmp_path: Path, by: signal.Signals) -> None:
    server = RawServer(saying(ok(ANSWER)))
    with listening(server.port, tmp_path) as proxy:
        proxy.post(CALL)
        assert proxy.end(by) == (0 if by is not signal.SIGKILL else -signal.SIGKILL)
        assert {"call.started", "call.answered"} <= set(proxy.kinds())


# --- what is refused ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        b"Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
        b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        b"Transfer-Encoding: xchunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
        b"Content-Length: +3\r\n\r\nabc",
        b"X-A: b\r\n c\r\n\r\n",
        b"X-A : b\r\n\r\n",
        b"X-A: b\x00c\r\n\r\n",
        b"X-A: " + b"x" * 70_000 + b"\r\n\r\n",
        b"".join(b"X-%d: 1\r\n" % number for number in range(300)) + b"\r\n",
    ],
)
def test_what_two_readers_may_cut_in_two_ways_does_not_pass(tmp_path: Path, damage: bytes) -> None:
    server = RawServer(saying(ok(ANSWER)))
    with listening(server.port, tmp_path) as proxy:
        answer = exchange(proxy.port, f"POST /mcp HTTP/1.1\r\nHost: {proxy.host}\r\n".encode() + damage, shut=True)
        assert answer[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 431")
        assert b"witnessmark: " in answer
        assert server.received == []
        assert body_of(proxy.post(CALL)) == ANSWER, "nobody else is harmed"


@pytest.mark.parametrize(
    "fields,status,reason",
    [
        (["Host: evil.example"], 421, "host"),
        (["Host: 127.0.0.1"], 421, "host"),
        (["Host: {host}", "Origin: https://evil.example"], 403, "origin"),
        (["Host: {host}", "Origin: null"], 403, "origin"),
        (["Host: {host}", "Origin: http://localhost.evil.example:80"], 403, "origin"),
        (["Host: {host}", "Origin: http://localhost:6274"], 200, ""),
        (["Host: {host}", "Origin: http://{host}"], 200, ""),
        (["Host: {host}", "Origin: https://allowed.example"], 200, ""),
    ],
)
def test_pages_of_strangers_may_not_call(tmp_path: Path, fields: list[str], status: int, reason: str) -> None:
    server = RawServer(saying(ok(ANSWER)))
    with listening(server.port, tmp_path, "--allow-origin", "https://allowed.example") as proxy:
        text = json.dumps(CALL)
        head = "\r\n".join(field.format(host=proxy.host) for field in fields)
        answer = exchange(
            proxy.port, f"POST /mcp HTTP/1.1\r\n{head}\r\nConnection: close\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode()
        )
        assert answer.startswith(b"HTTP/1.1 %d" % status)
        assert len(server.received) == (status == 200)
        if status == 200 and "Origin: http://{host}" in fields:
            assert b"Origin: http://127.0.0.1:%d\r\n" % server.port in server.received[0], "our own origin stands for the server's"


def test_a_token_is_asked_of_everybody_and_never_reaches_the_server(tmp_path: Path) -> None:
    server = RawServer(saying(ok(ANSWER)))
    with listening(server.port, tmp_path, "--token", "env:T", env={"T": "canary-token"}) as proxy:
        assert proxy.post(CALL).startswith(b"HTTP/1.1 403")
        assert proxy.post(CALL, "Witnessmark-Token: wrong").startswith(b"HTTP/1.1 403")
        assert body_of(proxy.post(CALL, "Witnessmark-Token: canary-token")) == ANSWER
        assert b"canary-token" not in b"".join(server.received)


@pytest.mark.parametrize(
    "words,said",
    [
        (["--listen", "0.0.0.0:0", "--upstream", "http://127.0.0.1:1/"], "no token is asked"),
        (["--listen", "127.0.0.1:0"], "--listen goes with --upstream"),
        (["--listen", "nowhere", "--upstream", "http://127.0.0.1:1/"], "is no address"),
        (["--listen", "127.0.0.1:0", "--upstream", "ftp://x/"], "none of http or https"),
        (["--listen", "127.0.0.1:0", "--upstream", "http://u:p@x/"], "holds credentials"),
        (["--listen", "127.0.0.1:0", "--upstream", "http://x/", "--token", "env:NOT_SET"], "is not set"),
        (["--listen", "127.0.0.1:{taken}", "--upstream", "http://x/"], "cannot listen there"),
        ([], "name the server"),
    ],
)
def test_what_must_not_start_says_why(tmp_path: Path, words: list[str], said: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        words = [word.format(taken=taken.getsockname()[1]) for word in words]
        ran = subprocess.run([str(PROXY), "proxy", "--store", str(tmp_path / "e.db"), *words], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_listener_that_is_its_own_server_does_not_start(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    words = ["--listen", f"127.0.0.1:{port}", "--upstream", f"http://127.0.0.1:{port}/mcp"]
    ran = subprocess.run([str(PROXY), "proxy", "--store", str(tmp_path / "e.db"), *words], capture_output=True, text=True, check=False)
    assert (ran.returncode, "own" in ran.stderr) == (2, True)


def test_a_loop_over_another_proxy_is_cut(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    (tmp_path / "b").mkdir()
    words = [str(PROXY), "proxy", "--listen", f"127.0.0.1:{port}", "--store", str(tmp_path / "b" / "e.db"), "--upstream"]
    with (
        listening(port, tmp_path) as first,
        subprocess.Popen([*words, f"http://127.0.0.1:{first.port}/mcp"], stderr=subprocess.PIPE) as second,
    ):
        assert second.stderr is not None
        second.stderr.readline()
        answer = first.post(CALL)
        second.kill()
        assert answer.startswith(b"HTTP/1.1 508")


def test_a_server_that_is_down_is_an_error_in_the_clients_protocol(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    with listening(port, tmp_path) as proxy:
        answer = proxy.post(CALL)
        assert answer.startswith(b"HTTP/1.1 502")
        error = json.loads(body_of(answer))
        assert (error["id"], error["error"]["code"], error["error"]["data"]["reason"]) == (1, 71_002, "unreachable")
        assert error["error"]["data"]["sent"] is False
        proxy.end()
        assert "call.started" in proxy.kinds()


@pytest.mark.parametrize("answer", [b"<html>", b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", JSON + b"A: " + b"b" * 99_999])
def test_a_server_that_speaks_no_http_ends_the_exchange(tmp_path: Path, answer: bytes) -> None:
    server = RawServer(saying(answer))
    with listening(server.port, tmp_path) as proxy:
        assert proxy.post(CALL) == b""
        assert proxy.process.poll() is None


def test_a_certificate_that_nobody_signed_is_refused(tmp_path: Path) -> None:
    cert, key = tmp_path / "c.pem", tmp_path / "k.pem"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "1",
        "-subj",
        "/CN=127.0.0.1",
        "-keyout",
        key,
        "-out",
        cert,
    ]
    subprocess.run([str(word) for word in command], check=True, capture_output=True)
    program = (
        "import http.server, ssl, sys\n"
        "s = http.server.HTTPServer(('127.0.0.1', 0), http.server.BaseHTTPRequestHandler)\n"
        "c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); c.load_cert_chain(sys.argv[1], sys.argv[2])\n"
        "s.socket = c.wrap_socket(s.socket, server_side=True)\n"
        "print(s.server_port, flush=True)\ns.serve_forever()\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(cert), str(key)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as tls:
        try:
            assert tls.stdout is not None
            with listening(f"https://127.0.0.1:{int(tls.stdout.readline())}/mcp", tmp_path) as proxy:
                error = json.loads(body_of(proxy.post(CALL)))["error"]["data"]
                assert error["reason"] == "certificate"
        finally:
            tls.kill()


# --- many servers, many clients ------------------------------------------------------------------------------------------------


def test_servers_of_a_configuration_are_mounted_with_their_credentials(tmp_path: Path) -> None:
    servers = [RawServer(saying(ok(ANSWER))) for _ in range(2)]
    configuration = tmp_path / "witnessmark.toml"
    configuration.write_text(
        f'[servers.one]\nurl = "http://127.0.0.1:{servers[0].port}/a/mcp"\nheaders = {{ Authorization = "Bearer env:SECRET" }}\n'
        f'[servers.two]\nurl = "http://127.0.0.1:{servers[1].port}/mcp"\n'
    )
    words = ["--config", str(configuration), "--token", "env:T"]
    with listening("", tmp_path, *words, env={"T": "t", "SECRET": "canary-4"}) as proxy:
        for path in ("/mcp/one", "/mcp/two", "/mcp/one/more?x=1"):
            assert body_of(proxy.post(CALL, "Witnessmark-Token: t", "Authorization: Bearer the-clients-own", path=path)) == ANSWER
        assert proxy.post(CALL, "Witnessmark-Token: t", path="/mcp/oneness").startswith(b"HTTP/1.1 404")
        assert [request.split(b" ")[1] for request in servers[0].received] == [b"/a/mcp", b"/a/mcp/more?x=1"]
        assert b"Authorization: Bearer canary-4" in servers[0].received[0]
        assert b"the-clients-own" not in servers[0].received[0]
        assert b"canary-4" not in servers[1].received[0]
        proxy.end()
        assert b"canary-4" not in b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.name.startswith("evidence"))


def test_credentials_without_a_token_do_not_start(tmp_path: Path) -> None:
    configuration = tmp_path / "witnessmark.toml"
    configuration.write_text('[servers.one]\nurl = "http://127.0.0.1:1/"\nheaders = { Authorization = "Bearer env:S" }\n')
    command = [str(PROXY), "proxy", "--listen", "127.0.0.1:0", "--config", str(configuration), "--store", str(tmp_path / "e.db")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "S": "s"})
    assert (ran.returncode, "credentials are added" in ran.stderr) == (2, True)


def initialize(client: str) -> dict[str, Any]:
    info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": client, "version": "1"}}
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": info}


def test_each_client_session_is_a_run_of_its_own(tmp_path: Path) -> None:
    number = iter(range(100))

    def speak(connection: socket.socket, request: bytes) -> None:
        fields = [f"Mcp-Session-Id: s{next(number)}"] if b"initialize" in request else []
        connection.sendall(ok(b'{"jsonrpc":"2.0","id":0,"result":{}}', *fields))

    server = RawServer(speak)
    with listening(server.port, tmp_path) as proxy:
        for client in ("a", "b", "c"):
            proxy.post(initialize(client))
        for session in (0, 1, 2, 0):
            proxy.post({**CALL, "id": 0}, f"Mcp-Session-Id: s{session}")
        proxy.end()
        runs = json.loads(proxy.says("runs", "--format", "json"))
        calls = sorted([proxy.says("export", each["run"]).count('"witnessmark.call.started"') for each in runs])
        assert calls == [1, 1, 2]


def test_the_modern_revision_is_told_apart_by_client_and_authorization_and_not_by_connection(tmp_path: Path) -> None:
    server = RawServer(saying(ok(ANSWER)))

    def modern(name: str) -> dict[str, Any]:
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"},
        }
        return {**CALL, "params": {**CALL["params"], "_meta": meta}}

    with listening(server.port, tmp_path) as proxy:
        for name, authorization in (("a", "x"), ("a", "x"), ("b", "x"), ("a", "y")):
            proxy.post(modern(name), f"Authorization: Bearer {authorization}")
        proxy.end()
        runs = json.loads(proxy.says("runs", "--format", "json"))
        assert sorted(proxy.says("export", each["run"]).count('"witnessmark.call.started"') for each in runs) == [1, 1, 2]


def test_a_challenge_makes_the_run_need_authorization_until_one_is_accepted(tmp_path: Path) -> None:
    challenge = 'WWW-Authenticate: Bearer error="insufficient_scope", scope="files:write", resource_metadata="https://x.example/canary-5"'

    def speak(connection: socket.socket, request: bytes) -> None:
        if b"Bearer good" in request:
            connection.sendall(ok(ANSWER))
        else:
            connection.sendall(f"HTTP/1.1 403 Forbidden\r\n{challenge}\r\nContent-Length: 0\r\n\r\n".encode())

    server = RawServer(speak)
    with listening(server.port, tmp_path, "--run", "r1") as proxy:
        proxy.post(CALL)
        said = proxy.says("judge", "--run", "r1")
        assert said.startswith("needs_auth")
        assert "files:write" in said
        proxy.post({**CALL, "id": 1}, "Authorization: Bearer good")
        proxy.end()
        assert not proxy.says("judge", "--run", "r1").startswith("needs_auth")
        assert "canary-5" not in json.dumps(proxy.events())


def test_no_value_of_a_body_or_a_field_is_kept(tmp_path: Path) -> None:
    server = RawServer(saying(ok(ANSWER, "Set-Cookie: canary-7", "Mcp-Session-Id: canary-8")))
    with listening(server.port, tmp_path) as proxy:
        proxy.post(CALL, "Authorization: Bearer canary-3", "Cookie: canary-6", "Mcp-Param-X: canary-9", path="/mcp?token=canary-10")
        proxy.end()
        kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert b"canary" not in kept


def test_a_store_that_cannot_be_written_is_a_gap_or_a_refusal(tmp_path: Path) -> None:
    server = RawServer(saying(ok(ANSWER)))
    (tmp_path / "evidence.db").mkdir()
    with listening(server.port, tmp_path) as proxy:
        assert body_of(proxy.post(CALL)) == ANSWER
    with listening(server.port, tmp_path, "--on-store-failure", "refuse") as proxy:
        answer = proxy.post(CALL)
        assert answer.startswith(b"HTTP/1.1 503")
        assert len(server.received) == 1


def test_a_thousand_idle_streams_are_held(tmp_path: Path) -> None:
    streams = 1_000
    server = RawServer(saying(STREAM + b"5\r\n: a\n\n\r\n"))
    with listening(server.port, tmp_path) as proxy:
        clients = [socket.create_connection(("127.0.0.1", proxy.port)) for _ in range(streams)]
        try:
            for number, client in enumerate(clients):
                client.sendall(f"GET /mcp HTTP/1.1\r\nHost: {proxy.host}\r\nMcp-Session-Id: s{number % 50}\r\n\r\n".encode())
            for client in clients:
                assert b": a" in read(client, b": a")
            status = Path(f"/proc/{proxy.process.pid}/status").read_text()
            assert int(status.split("VmHWM:")[1].split()[0]) < 120 * 1024, "kB"
        finally:
            for client in clients:
                client.close()
        proxy.end()


def test_a_reader_that_reads_slowly_does_not_fill_our_memory(tmp_path: Path) -> None:
    piece = b"%x\r\n%b\r\n" % (1 << 20, b":" + b"y" * ((1 << 20) - 3) + b"\n\n")
    sent: list[int] = []

    def speak(connection: socket.socket, _: bytes) -> None:
        connection.sendall(STREAM)
        for number in range(200):
            connection.sendall(piece)
            sent.append(number)

    server = RawServer(speak)
    with listening(server.port, tmp_path) as proxy, socket.create_connection(("127.0.0.1", proxy.port)) as client:
        client.sendall(f"GET /mcp HTTP/1.1\r\nHost: {proxy.host}\r\n\r\n".encode())
        wait_until(lambda: bool(sent))
        status = Path(f"/proc/{proxy.process.pid}/status").read_text()
        assert int(status.split("VmHWM:")[1].split()[0]) < 120 * 1024, "kB"
        assert len(sent) < 200
