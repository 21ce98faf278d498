"""A client without an SDK: one process, two pipes, and every answer checked against the text that was sent."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from typing import Any, Self

import msgspec

from bench.frames import INITIALIZED
from bench.processes import Memory, cpu_s_of, memory_of, pin

_now = time.perf_counter_ns


class _Content(msgspec.Struct):
    text: str = ""


class _Result(msgspec.Struct):
    content: list[_Content] = []
    isError: bool = False  # noqa: N815 - the protocol's name


class _Answer(msgspec.Struct):
    id: int | str | None = None
    method: str = ""
    result: _Result | None = None
    error: msgspec.Raw = msgspec.Raw(b"")


_decode = msgspec.json.Decoder(_Answer).decode
_encode = msgspec.json.Encoder().encode


class WrongAnswer(AssertionError):
    """An answer is not the one to the call that was made."""


def text_of(number: int, size: int) -> str:
    """A text of that size (at least 12) unlike that of any other number."""
    return f"{number:011d} " + "abcdefghijklmnop" * ((size - 12) // 16) + "z" * ((size - 12) % 16)


class RawClient:
    """Starts `command` on the given cores (None: any) and speaks MCP to it."""

    def __init__(self, command: Sequence[str], *, cores: Sequence[int] | None = None, env: dict[str, str] | None = None) -> None:
        self.started_ns = _now()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=env,
            preexec_fn=pin(cores),  # noqa: PLW1509 - no thread runs in a bench
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._in = self.process.stdin.fileno()
        self._out = self.process.stdout.fileno()
        self._rest = b""
        self.number = 0
        self.calls = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *unused: object) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    # --- bytes ---

    def send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._in, view) :]

    def lines(self) -> list[bytes]:
        """The next whole lines: those of one read, or of several until one ends."""
        pieces = [self._rest]
        while True:
            data = os.read(self._out, 65536)
            if not data:
                raise WrongAnswer(f"the server's output ended after {self.calls} calls, exit code {self.process.poll()}")
            pieces.append(data)
            if b"\n" in data:
                break
        *whole, self._rest = b"".join(pieces).split(b"\n")
        return whole

    # --- messages ---

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of one request."""
        self.number += 1
        self.send(_encode({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}) + b"\n")
        while True:
            for line in self.lines():
                message = msgspec.json.decode(line)
                if message.get("id") == self.number and "method" not in message:
                    if "result" not in message:
                        raise WrongAnswer(f"{method}: {message}")
                    result: dict[str, Any] = message["result"]
                    return result

    def begin(self) -> float:
        """Shake hands and read the catalog; milliseconds from the start of the process to the first answer."""
        info = {"name": "bench", "version": "1.0"}
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info})
        first_ms = (_now() - self.started_ns) / 1e6
        self.send(_encode(INITIALIZED) + b"\n")
        names = {tool["name"] for tool in self.ask("tools/list", {})["tools"]}
        if names != {"echo", "sized"}:
            raise WrongAnswer(f"tools {names}")
        return first_ms

    def end(self) -> int:
        """Close its input, read to the end, the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        while os.read(self._out, 65536):
            pass
        return self.process.wait(30)

    def memory(self) -> Memory | None:
        return memory_of(self.process.pid)

    def cpu_s(self) -> float | None:
        return cpu_s_of(self.process.pid)

    # --- calls ---

    def _request(self, size: int, *, sized: bool) -> tuple[bytes, str]:
        """A call and the text that must come back; with `sized` the request is small and the answer large."""
        self.number += 1
        number = self.number
        if sized:
            mark = f"{number:011d} "
            head = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"sized","arguments":{"mark":"%b","size":%d}}}\n'
            return head % (number, mark.encode(), size), mark + "x" * (size - len(mark))
        text = text_of(number, size)
        head = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":"%b"}}}\n'
        return head % (number, text.encode()), text

    def _check(self, line: bytes, wanted: dict[int, str]) -> bool:
        """Whether the line is an answer; WrongAnswer if it is one to nothing that was asked, or another text."""
        answer = _decode(line)
        if answer.id is None or answer.method:
            return False  # a notification or a request of a proxy's own
        text = wanted.pop(answer.id, None) if isinstance(answer.id, int) else None
        if text is None or answer.result is None or answer.result.isError or [part.text for part in answer.result.content] != [text]:
            raise WrongAnswer(f"call {answer.id}: {line[:300]!r}")
        self.calls += 1
        return True

    def round_trips(self, count: int, size: int, limit_s: float, *, sized: bool = False) -> list[float]:
        """Microseconds of up to `count` calls, one in flight, within `limit_s`; checked while the clock stands."""
        taken: list[float] = []
        until = _now() + int(limit_s * 1e9)
        while len(taken) < count and (len(taken) < 3 or _now() < until):
            request, text = self._request(size, sized=sized)
            wanted = {self.number: text}
            before = _now()
            self.send(request)
            lines = self.lines()
            while self._other(lines):
                lines += self.lines()
            taken.append((_now() - before) / 1000)
            for line in lines:
                self._check(line, wanted)
            if wanted:
                raise WrongAnswer(f"call {self.number}: {lines[-1][:300]!r}")
        return taken

    @staticmethod
    def _other(lines: list[bytes]) -> bool:
        """Whether none of the lines can be an answer. Answers of every target here begin with the same member."""
        return not any(b'"result"' in line[:64] or b'"result"' in line[-200:] or b'"error"' in line[:64] for line in lines)

    def throughput(self, count: int, in_flight: int, size: int, limit_s: float) -> float:
        """Calls a second with so many in flight; every read's answers are checked and as many new calls sent in one write."""
        wanted: dict[int, str] = {}
        before = _now()
        until = before + int(limit_s * 1e9)
        self._send_calls(min(in_flight, count), size, wanted)
        sent, done = min(in_flight, count), 0
        while wanted:
            answered = sum(self._check(line, wanted) for line in self.lines())
            done += answered
            if sent < count and _now() < until:
                more = min(answered, count - sent)
                self._send_calls(more, size, wanted)
                sent += more
        return done / ((_now() - before) / 1e9)

    def _send_calls(self, count: int, size: int, wanted: dict[int, str]) -> None:
        batch: list[bytes] = []
        for _ in range(count):
            request, text = self._request(size, sized=False)
            wanted[self.number] = text
            batch.append(request)
        self.send(b"".join(batch))
