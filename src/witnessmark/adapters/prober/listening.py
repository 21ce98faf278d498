"""A stream on which a server signals changes, read in a thread of its own while the walk goes on.

To 2025-11-25 it is a GET (basic/transports), in 2026-07-28 the answer to `subscriptions/listen`. A server may have none: then
no signal can be heard, and none was (verdicts.md section 2).
"""

from __future__ import annotations

import contextlib
import http.client
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

from witnessmark.adapters.prober.connections import Connections, Response
from witnessmark.adapters.prober.ending import ProbeEnded
from witnessmark.adapters.prober.inbox import Inbox
from witnessmark.wire.sse import SseEvent, SseReader

STOP_S: Final = 1.0
"""How long the thread may take to notice that its socket is cut."""
EVENT_BYTES: Final = 1 << 20
"""Bytes of one event here: signals have 100, requests of servers some thousands."""


class Listener:
    """One stream. `inbox.signals` counts; requests of the server are answered by `reply`."""

    def __init__(self, connections: Connections, inbox: Inbox, reply: Callable[[bytes], None]) -> None:
        self.inbox = inbox
        self._connections = connections
        self._reply = reply
        self._response: Response | None = None
        self._ready = threading.Event()
        self._stopped = False
        self._thread: threading.Thread | None = None

    def start(self, method: str, headers: Mapping[str, str], body: bytes | None, limit_s: float) -> None:
        """Open the stream; returns once it is open, refused, or after `limit_s` seconds."""
        self._thread = threading.Thread(target=self._run, args=(method, headers, body), daemon=True)
        self._thread.start()
        self._ready.wait(limit_s)

    def stop(self) -> None:
        """Cut the stream and wait for the thread, a moment."""
        self._stopped = True
        if self._response is not None:
            self._response.cut()
        if self._thread is not None:
            self._thread.join(STOP_S)

    def _run(self, method: str, headers: Mapping[str, str], body: bytes | None) -> None:
        # Whatever goes wrong here, the walk does not depend on it.
        with contextlib.suppress(ProbeEnded, OSError, http.client.HTTPException, ValueError, AttributeError):
            left = self._connections.deadline - time.monotonic()
            self._response = self._connections.exchange(method, self._connections.url, headers, body, left)
            try:
                if self._response.status == http.client.OK and self._response.media == "text/event-stream":
                    if method == "GET":
                        self._ready.set()
                    self._read(self._response)
            finally:
                self._response.close()
        self._ready.set()

    def _read(self, response: Response) -> None:
        reader = SseReader(buffer_limit_bytes=EVENT_BYTES)
        while not self._stopped:
            chunk = response.read(self._connections.deadline - time.monotonic())
            if not chunk:
                return
            self.inbox.count(len(chunk))
            for item in reader.feed(chunk):
                if isinstance(item, SseEvent) and item.data:
                    self.inbox.take(item.data)
            if self.inbox.subscription_settled:
                self._ready.set()
            replies, self.inbox.replies = self.inbox.replies, []
            for reply in replies:
                self._reply(reply)
