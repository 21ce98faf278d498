"""What the observer remembers of one channel: its two lanes, and what was negotiated on it.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from witnessmark.observe.pairing import Lane, Part

MAX_JUNK_FACTS: Final = 1_000
"""Facts about junk lines of one side of a channel; after them one fact stands for as many lines: a chatty server must not
fill the log, and a thousand and one say no more than a thousand."""


class Channel:
    """A pipe, an HTTP exchange or a stream. `peer` and `version` are those of its handshake, "" while unknown; `asked_by` is the
    peer of the newest request on it, which is another one where requests of 2026-07-28 pass.

    `status` is the HTTP status of the response that is being observed, None outside HTTP.
    """

    __slots__ = (
        "advised", "asked_by", "client", "headers_version", "http_method", "junk", "junk_bytes", "name", "peer", "server",
        "session_sent", "status", "stdio", "stream", "version",
    )  # fmt: skip

    def __init__(self, name: str, *, stdio: bool) -> None:
        self.name = name
        self.stdio = stdio
        self.peer = name if stdio else ""
        self.asked_by = self.peer
        self.version = ""
        self.client = Lane()
        self.server = Lane()
        self.advised: set[str] = set()
        self.junk = {"client": 0, "server": 0}
        self.junk_bytes = {"client": 0, "server": 0}
        self.status: int | None = None
        self.http_method = ""
        self.headers_version = ""
        self.session_sent = False
        self.stream = False

    def advise_once(self, side: str, finding: str) -> bool:
        """True the first time this finding is met on this side of the channel."""
        mark = f"{side}:{finding}"
        if mark in self.advised:
            return False
        self.advised.add(mark)
        return True

    def count_junk(self, side: str, size: int) -> int | None:
        """The bytes that a fact about this junk line shall state, None where no fact is due yet."""
        self.junk[side] += 1
        self.junk_bytes[side] += size
        count = self.junk[side]
        if count > MAX_JUNK_FACTS and count % MAX_JUNK_FACTS:
            return None
        stated, self.junk_bytes[side] = self.junk_bytes[side], 0
        return stated

    def version_asked(self, ids: Sequence[str | None]) -> str:
        """The version of the first open request that one of these answers; "" if there is none."""
        asked = (self.client.open.get(token) for token in ids if token is not None)
        return next((request.version for request in asked if request is not None), "")

    def unanswered(self) -> bool:
        """Ends the exchange; True where requests of it may still be answered on a resumed stream (2025-03-26 to 2025-11-25)."""
        self.stream = False
        self.server.open.clear()
        for token in [token for token, request in self.client.open.items() if request.modern or request.part is Part.SUBSCRIBE]:
            del self.client.open[token]
        return not self.idle

    @property
    def idle(self) -> bool:
        """True where nothing is open and no stream hangs on it: an exchange that need not be remembered."""
        return not (self.client.open or self.server.open or self.stream)
