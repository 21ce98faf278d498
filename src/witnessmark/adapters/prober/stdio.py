"""A probe's own pipe to a server: one request at a time, each with a time limit, everything in between sorted by the inbox.

(Specification, basic/transports, stdio: one message a line.) Lines that are no JSON are counted and passed over: servers write
banners there (seen; the specification forbids it).
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Mapping
from typing import Any, Final

from witnessmark.adapters.prober.ending import EndCode, NoAnswer, ProbeEnded, ServerGone
from witnessmark.adapters.prober.inbox import LISTEN_ID, Answer, Inbox, encode
from witnessmark.adapters.prober.limits import ProbeLimits
from witnessmark.adapters.prober.process import ServerProcess
from witnessmark.model.capture import Profile
from witnessmark.wire.lines import BigLineStarted, Line, LineReader, Truncated

READ_BYTES: Final = 1 << 18
"""Bytes taken from the pipe at once: four times what a Linux pipe holds."""

SUBSCRIBED_S: Final = 2.0
"""How long a subscription may take: without it no signal is heard, and the walk still counts."""

_GONE: Final = select.POLLHUP | select.POLLERR | select.POLLNVAL


class StdioLink:
    """A server started for us. `version` is the protocol version in force, "" before it is known."""

    transport: Final = "stdio"

    def __init__(self, process: ServerProcess, profile: Profile, limits: ProbeLimits, deadline: float) -> None:
        self.version = ""
        self.inbox = Inbox(profile, limits)
        self._process = process
        self._limits = limits
        self._deadline = deadline
        self._lines = LineReader(buffer_limit_bytes=limits.max_answer_bytes)
        self._out = bytearray()
        self._poll = select.poll()
        self._poll.register(process.stdout, select.POLLIN)
        self._poll.register(process.stderr, select.POLLIN)
        self._writing = False
        self._over = False

    @property
    def signals(self) -> int:
        """Change signals so far."""
        return self.inbox.signals

    def ask(self, method: str, params: Mapping[str, Any], limit_s: float) -> Answer:
        """The answer to one request; NoAnswer after `limit_s`, ServerGone at the end of its output, ProbeEnded at any other limit."""
        request = self.inbox.next_id()
        self._send({"jsonrpc": "2.0", "id": request, "method": method, "params": params})
        until = min(time.monotonic() + limit_s, self._deadline)
        while self.inbox.answer is None:
            if self._over:
                raise ServerGone(EndCode.ENDED, f"the server ended before it answered {method}")
            left = until - time.monotonic()
            if left <= 0:
                raise self._too_late(method, limit_s)
            self._turn(left)
        return self.inbox.answer

    def tell(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send a notification; it leaves with the next request at the latest."""
        self._send({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def subscribe(self, params: Mapping[str, Any]) -> None:
        """Ask for signals by `subscriptions/listen` (2026-07-28) and wait until that is acknowledged, or for SUBSCRIBED_S."""
        self._send({"jsonrpc": "2.0", "id": LISTEN_ID, "method": "subscriptions/listen", "params": params})
        until = min(time.monotonic() + SUBSCRIBED_S, self._deadline)
        while not self.inbox.subscription_settled and not self._over and (left := until - time.monotonic()) > 0:
            self._turn(left)

    def settle(self, limit_s: float) -> None:
        """Read what comes within `limit_s` without having asked for anything."""
        until = min(time.monotonic() + limit_s, self._deadline)
        self._turn(0)
        while not self._over and (left := until - time.monotonic()) > 0:
            self._turn(left)

    def close(self) -> int | None:
        """End the server with its whole group; its exit code."""
        return self._process.stop()

    def _send(self, message: Mapping[str, Any]) -> None:
        self._out += encode(message) + b"\n"
        self._write()

    def _turn(self, left_s: float) -> None:
        """Wait once and do what can be done."""
        for descriptor, event in self._poll.poll(left_s * 1000):
            if descriptor == self._process.stderr:
                if not self._process.drain():
                    self._poll.unregister(descriptor)
            elif descriptor == self._process.stdout:
                self._read()
            elif event & _GONE:
                self._stop_writing(forget=True)  # it no longer listens; what it has said is still read
            else:
                self._write()

    def _read(self) -> None:
        try:
            chunk = os.read(self._process.stdout, READ_BYTES)
        except BlockingIOError:
            return
        frames = self._lines.feed(chunk) if chunk else self._lines.close()
        self.inbox.count(len(chunk))
        for frame in frames:
            if isinstance(frame, Line):
                self.inbox.take(frame.data)
            elif isinstance(frame, BigLineStarted):
                raise self.inbox.too_long()
            elif not isinstance(frame, Truncated):
                self.inbox.junk += 1
        for reply in self.inbox.replies:
            self._out += reply + b"\n"
        if self.inbox.replies:
            self.inbox.replies.clear()
            self._write()
        if not chunk:
            self._over = True
            self._poll.unregister(self._process.stdout)

    def _write(self) -> None:
        try:
            while self._out:
                del self._out[: os.write(self._process.stdin, self._out)]
        except BlockingIOError:
            if not self._writing:
                self._poll.register(self._process.stdin, select.POLLOUT)
                self._writing = True
            return
        except OSError:  # it closed its input: its output will end, or stay silent, and then the reason is that
            self._out.clear()
        self._stop_writing(forget=False)

    def _stop_writing(self, *, forget: bool) -> None:
        if forget:
            self._out.clear()
        if self._writing:
            self._poll.unregister(self._process.stdin)
            self._writing = False

    def _too_late(self, method: str, limit_s: float) -> ProbeEnded:
        if time.monotonic() >= self._deadline:
            return ProbeEnded(EndCode.TIME, f"the capture took more than {self._limits.overall_s:g} s")
        junk = f" ({self.inbox.junk} messages that are none came instead)" if self.inbox.junk else ""
        return NoAnswer(EndCode.TIME, f"no answer to {method} within {limit_s:g} s{junk}")
