"""What the observer of one server remembers between messages. Bounded by what is open, and by named limits.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Final

from witnessmark.observe.calling import Pointer
from witnessmark.observe.channel import Channel
from witnessmark.observe.pairing import OpenRequest
from witnessmark.observe.redact import Redactor
from witnessmark.observe.served import ServedTools
from witnessmark.observe.tasks import TaskOrigins

MAX_PEERS_REMEMBERED: Final = 1_024
"""Sessions, and modern clients, whose version is remembered for one server; the oldest are asked anew."""

MAX_CHANNELS_REMEMBERED: Final = 16_384
"""Exchanges with something open in them; beyond it the oldest is given up, and its answer will be a response to nobody."""

MAX_ANSWERED_REMEMBERED: Final = 1_024
"""Answered ids that are remembered over all exchanges of a server: a resumed stream replays its last page."""

AcceptKey = tuple[str, str, str]
"""Channel (stdio) or "" (HTTP), version, client: what one modern acceptance is said once for."""


class Memory:
    """Channels, sessions, served tools and tasks of one server."""

    __slots__ = (
        "accepted",
        "answered",
        "channels",
        "client",
        "keys",
        "offered",
        "redact",
        "served",
        "server",
        "stdio",
        "tasks",
        "transport",
        "versions",
    )

    def __init__(self, server: str, redact: Redactor, transport: str, client: str) -> None:
        self.server = server
        self.redact = redact
        self.transport = transport
        self.stdio = transport == "stdio"
        self.client = client
        self.served = ServedTools()
        self.tasks = TaskOrigins()
        self.keys: dict[str, Pointer] = {}
        self.channels: dict[str, Channel] = {}
        self.versions: dict[str, str] = {}
        self.offered: dict[AcceptKey, None] = {}
        self.accepted: dict[AcceptKey, None] = {}
        self.answered: dict[tuple[str, str], int] = {}

    def note_version(self, channel: Channel, peer: str, version: str) -> None:
        """Notes what an `initialize` settled, for this channel or (HTTP) this session."""
        if self.stdio:
            channel.version = version
            return
        self.versions[peer] = version
        if len(self.versions) > MAX_PEERS_REMEMBERED:
            del self.versions[next(iter(self.versions))]

    def version_of(self, channel: Channel) -> str:
        """The version that a legacy request on this channel is under, "" if it is not known."""
        if self.stdio:
            return channel.version
        return channel.headers_version or self.versions.get(channel.peer, "")

    def elsewhere(self, token: str, channel: Channel) -> tuple[Channel, OpenRequest] | None:
        """The open request of this token on another exchange of the server: a resumed stream, or the stream of 2024-11-05.

        Among several, one of the same session; None where that leaves a choice.
        """
        found = [
            (other, other.client.open[token]) for other in self.channels.values() if other is not channel and token in other.client.open
        ]
        if len(found) > 1:
            found = [(other, request) for other, request in found if request.peer == channel.peer]
        return found[0] if len(found) == 1 else None

    def cancelled_elsewhere(self, token: str, channel: Channel) -> Channel | None:
        """The other exchange of the same session on which a request of this token was cancelled."""
        return next((other for other in self.channels.values() if token in other.client.cancelled and other.peer == channel.peer), None)

    def in_flight(self, token: str, channel: Channel, peer: str) -> bool:
        """True where a request of this session and token is open on another exchange; without a session, of the named client."""
        if self.stdio or not (peer or self.client):
            return False
        for other in self.channels.values():
            if other is not channel:
                request = other.client.open.get(token)
                if request is not None and request.peer == peer:
                    return True
        return False

    def note_answer(self, peer: str, token: str, body: int) -> None:
        """Notes that an id of a session was answered by this content: a resumed stream may replay it on another exchange."""
        self.answered[peer, token] = body
        if len(self.answered) > MAX_ANSWERED_REMEMBERED:
            del self.answered[next(iter(self.answered))]

    def why_unpaired(self, peer: str, token: str, body: int) -> str:
        """Why no exchange waits for this answer: repeated | duplicate | nobody (ResponseUnpaired.reason)."""
        before = self.answered.get((peer, token))
        if before is None and not peer and any(id_ == token and seen == body for (_, id_), seen in self.answered.items()):
            return "repeated"  # on a stream whose session was not seen
        if before is None:
            return "nobody"
        return "repeated" if before == body else "duplicate"

    def forget_acceptance(self) -> None:
        """After a refusal or a challenge the next accepted answer is worth a fact again."""
        self.accepted.clear()


def note(memory: dict[AcceptKey, None], key: AcceptKey) -> None:
    """Adds a key, dropping the oldest beyond the limit."""
    memory[key] = None
    if len(memory) > MAX_PEERS_REMEMBERED:
        del memory[next(iter(memory))]
