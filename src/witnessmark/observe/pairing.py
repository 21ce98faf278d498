"""Which response answers which request, by exact id token, for one direction of one channel.

Two tables. What is open is kept until it is answered, cancelled or lost with its channel; what was answered or cancelled
is remembered up to a limit, so that a second, a late and a stray response can be told apart. Server and client count
their ids independently (JSON-RPC 2.0), so each direction has a lane of its own.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from witnessmark.contract.validating import SchemaFit

MAX_ANSWERED_PER_LANE: Final = 1_024
"""Answered ids that are remembered: a repeated answer follows at once, or after a resumed stream has replayed its last page."""

MAX_OPEN_PER_LANE: Final = 16_384
"""Requests that may be open at once; beyond it the oldest is given up, and its answer will be a response to nobody."""


class Part(Enum):
    """What a request is to the observer: which facts its answer gives."""

    OTHER = 0
    CALL = 1
    LIST = 2
    INITIALIZE = 3
    DISCOVER = 4
    SUBSCRIBE = 5
    TASK = 6
    PERSON = 7


class OpenRequest:
    """A request that waits for its answer; `id`, `method`, `tool`, `task` are in the form in which facts hold them."""

    __slots__ = (
        "accept_key", "channel", "id", "method", "modern", "output_schema", "part", "peer", "session_id", "task", "token", "tool",
        "version",
    )  # fmt: skip

    def __init__(self, token: str, shown_id: str, method: str, part: Part, channel: str, peer: str, version: str, *, modern: bool) -> None:
        self.token = token
        self.id = shown_id
        self.method = method
        self.part = part
        self.channel = channel
        self.peer = peer
        self.version = version
        self.modern = modern
        self.accept_key: tuple[str, str, str] | None = None
        self.session_id = False
        self.tool = ""
        self.task = ""
        self.output_schema: SchemaFit | None = None


class Lane:
    """Open and answered requests of one direction of one channel."""

    __slots__ = ("answered", "cancelled", "open")

    def __init__(self) -> None:
        self.open: dict[str, OpenRequest] = {}
        self.answered: dict[str, int] = {}
        self.cancelled: dict[str, OpenRequest] = {}

    def ask(self, request: OpenRequest) -> bool:
        """Notes a request; True where its id is still in flight, so that two requests share one answer."""
        token = request.token
        taken = token in self.open
        if self.answered:
            self.answered.pop(token, None)  # 2026-07-28 basic: an id may be used again once it was answered
        if self.cancelled:
            self.cancelled.pop(token, None)
        self.open[token] = request
        if len(self.open) > MAX_OPEN_PER_LANE:
            del self.open[next(iter(self.open))]
        return taken

    def answer(self, token: str, body: int) -> OpenRequest | None:
        """The open request of this token, which is then answered by content `body` (a hash of it); None if there is none."""
        request = self.open.pop(token, None)
        if request is not None:
            self.remember(token, body)
        return request

    def remember(self, token: str, body: int) -> None:
        """Notes that an id was answered; the oldest such note is dropped beyond the limit."""
        answered = self.answered
        answered[token] = body
        if len(answered) > MAX_ANSWERED_PER_LANE:
            del answered[next(iter(answered))]

    def cancel(self, token: str) -> OpenRequest | None:
        """Takes an open request out because its asker gave it up; a response to it is late from now on."""
        request = self.open.pop(token, None)
        if request is not None:
            self.cancelled[token] = request
            if len(self.cancelled) > MAX_ANSWERED_PER_LANE:
                del self.cancelled[next(iter(self.cancelled))]
        return request

    def answer_late(self, token: str, body: int) -> OpenRequest | None:
        """The cancelled request of this token, which is answered all the same; None if there is none."""
        request = self.cancelled.pop(token, None)
        if request is not None:
            self.remember(token, body)
        return request

    def why_unpaired(self, token: str, body: int) -> str:
        """Why no open request has this token: id_type | late | repeated | duplicate | nobody (ResponseUnpaired.reason)."""
        # Common SDKs coerce 7 and "7" into one another; on the wire they are two ids (JSON-RPC 2.0 section 4).
        if _other_type(token) in self.open:
            return "id_type"
        if token in self.cancelled:
            return "late"
        before = self.answered.get(token)
        if before is None:
            return "nobody"
        return "repeated" if before == body else "duplicate"

    def only_open(self) -> OpenRequest | None:
        """The open request, if exactly one is open."""
        return next(iter(self.open.values())) if len(self.open) == 1 else None


def _other_type(token: str) -> str:
    """The token of the same characters with the other type: `"7"` for `7`."""
    return token[1:-1] if token[:1] == '"' else f'"{token}"'
