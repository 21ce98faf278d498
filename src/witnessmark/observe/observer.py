"""The observer of one MCP server: messages in, facts out.

It is fed what passes in both directions, in order, and gives the facts that may be stored; it keeps what it needs to pair
and to compare, and nothing else. It changes nothing, answers nothing and knows no time.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from witnessmark.model.evidence import CallArriving, Fact, SessionClosed, SessionOpened, Side, SubscriptionEnded
from witnessmark.observe.answering import Body, answered_by_client, answered_by_server, unpaired
from witnessmark.observe.asking import asked_by_client, asked_by_server
from witnessmark.observe.calling import parse_pointer
from witnessmark.observe.cancelling import cancelled_by_us
from witnessmark.observe.channel import Channel
from witnessmark.observe.exchange import http_request, http_response, says_session
from witnessmark.observe.large import SKIMMED_BYTES, read_large
from witnessmark.observe.memory import MAX_CHANNELS_REMEMBERED, Memory
from witnessmark.observe.notifying import LIST_CHANGED, catalog_changed, notified_by_client, notified_by_server
from witnessmark.observe.pairing import Part
from witnessmark.observe.redact import Redactor
from witnessmark.observe.served import ServedTools
from witnessmark.observe.wirefaults import (
    BATCH_NOT_ALLOWED,
    CONTENT_LENGTH_FRAMING,
    CRLF_LINE_END,
    TRUNCATED_LINE,
    advisories,
    doubtful,
    holds_mark,
    junk,
    malformed,
    unreadable,
)
from witnessmark.wire.envelope import Envelope
from witnessmark.wire.jsonrpc import Batch, EnvelopeFinding, Error, Invalid, Message, Notification, Request, Result, parse
from witnessmark.wire.revisions import lookup
from witnessmark.wire.strictjson import JsonFinding, decode

_encode = msgspec.json.Encoder().encode

# A request whose params have the wrong shape is still a request: it was sent, and it will be answered.
_STILL_A_REQUEST = frozenset({EnvelopeFinding.PARAMS_BY_POSITION, EnvelopeFinding.PARAMS_NOT_STRUCTURED})


class Observer:
    """One server as it is seen from the wire, whatever the number of its channels."""

    __slots__ = ("_channel", "_memory", "_reads", "configured_name")

    def __init__(self, server: str, redactor: Redactor, *, transport: str = "stdio", client: str = "") -> None:
        self._memory = Memory(redactor.name(server), redactor, transport, redactor.name(client))
        self._channel: Channel | None = None
        self._reads: set[str] = set()
        self.configured_name = server

    @property
    def stdio(self) -> bool:
        """True if the server is reached over pipes."""
        return self._memory.stdio

    @property
    def server(self) -> str:
        """The server's name as facts hold it."""
        return self._memory.server

    @property
    def served(self) -> ServedTools:
        """The contracts that were served so far."""
        return self._memory.served

    def declare_key(self, tool: str, pointer: str) -> None:
        """Says where the operation key of a tool stands in its arguments; ValueError if it is no JSON Pointer.

        A declaration after a call gives that call no key: its arguments are gone.
        """
        self._memory.keys[tool] = parse_pointer(pointer)

    def declare_no_key(self, tool: str) -> None:
        """Takes back the operation key of a tool."""
        self._memory.keys.pop(tool, None)

    def declare_effect(self, tool: str, effect: str) -> None:
        """Says what the operator declared of a tool: read | write | destructive."""
        (self._reads.add if effect == "read" else self._reads.discard)(tool)

    def declared_read_only(self, tool: str) -> bool:
        """Whether the operator declared that a tool only reads."""
        return tool in self._reads

    def is_open(self, channel: str) -> bool:
        """True if the channel has been seen and has not ended."""
        return channel in self._memory.channels

    def _of(self, name: str) -> Channel:
        """The channel of this name; the last one used is at hand, because frames come in runs."""
        channel = self._channel
        if channel is not None and channel.name == name:
            return channel
        memory = self._memory
        channel = memory.channels.get(name)
        if channel is None:
            channel = memory.channels[name] = Channel(name, stdio=memory.stdio)
            if len(memory.channels) > MAX_CHANNELS_REMEMBERED:
                del memory.channels[next(iter(memory.channels))]
        self._channel = channel
        return channel

    def cancel(self, name: str, id_: str) -> tuple[bytes, list[Fact]] | None:
        """The line that cancels the client's open call of this id, and its facts; None where none is open or its id is not known
        as it was sent. From here on its answer is late.
        """
        return cancelled_by_us(self._memory, self._of(name), id_)

    # --- channels -----------------------------------------------------------------------------------------------------

    def opened(self, name: str, *, listening: bool = True) -> list[Fact]:
        """The fact that a channel was opened; `listening` says that it can carry unsolicited notifications."""
        memory = self._memory
        channel = self._of(name)
        channel.stream = channel.stream or listening
        return [
            SessionOpened(
                server=memory.server, channel=name, peer=channel.peer, transport=memory.transport, client=memory.client, listening=listening
            )
        ]

    def closed(self, name: str, by: str, exit_code: int | None = None) -> list[Fact]:
        """The facts of a channel's end: subscriptions that dropped with it, and the end itself."""
        memory = self._memory
        channel = self._of(name)
        facts: list[Fact] = [
            SubscriptionEnded(server=memory.server, channel=name, peer=request.peer, id=request.id, how="dropped")
            for request in channel.client.open.values()
            if request.part is Part.SUBSCRIBE
        ]
        facts.append(
            SessionClosed(server=memory.server, channel=name, peer=channel.peer, transport=memory.transport, by=by, exit=exit_code)
        )
        if memory.stdio or not channel.unanswered():
            self._forget(channel)
        if memory.stdio:
            # A new process is a new peer: what it accepts is worth a fact of its own.
            for keys in (memory.offered, memory.accepted):
                for key in [key for key in keys if key[0] == name]:
                    del keys[key]
        return facts

    def _forget(self, channel: Channel) -> None:
        self._memory.channels.pop(channel.name, None)
        self._channel = None

    # --- HTTP ---------------------------------------------------------------------------------------------------------

    def http_request(self, name: str, http: Mapping[str, Any]) -> list[Fact]:
        """Takes the head of a request: its session, its version header. It gives no fact by itself."""
        http_request(self._memory, self._of(name), http)
        return []

    def http_response(self, name: str, http: Mapping[str, Any], *, body: bool, not_json: bool = False) -> list[Fact]:
        """The facts in the head of a response; `body` says that a JSON-RPC message follows in it (feed it to `message` next).

        `not_json` says that it has a body of another kind, which nobody can read as an answer.
        """
        channel = self._of(name)
        facts = http_response(self._memory, channel, http, body=body, not_json=not_json)
        if not body:
            channel.status = None
            self._forget_if_idle(channel)
        return facts

    def http_done(self, name: str) -> None:
        """Ends the observation of a response whose head was given with `body`."""
        channel = self._of(name)
        channel.status = None
        self._forget_if_idle(channel)

    def _forget_if_idle(self, channel: Channel) -> None:
        if not channel.stdio and channel.idle:
            self._forget(channel)

    # --- frames -------------------------------------------------------------------------------------------------------

    def line(self, name: str, side: Side, data: bytes, *, crlf: bool = False) -> list[Fact]:
        """The facts of one line of a stdio pipe, without its end."""
        facts = self.message(name, side, data)
        if crlf:
            channel = self._of(name)
            if channel.advise_once(side, CRLF_LINE_END):
                facts.append(malformed(self._memory.server, channel, side, CRLF_LINE_END, fatal=False))
        return facts

    def message(self, name: str, side: Side, data: bytes) -> list[Fact]:
        """The facts of one frame: one JSON-RPC message or batch as text, or what was there instead."""
        channel = self._of(name)
        if len(data) > SKIMMED_BYTES:
            large = self._large(channel, side, data)
            if large is not None:
                return large
        decoded = decode(data)
        if not decoded.has_value:
            return list[Fact](unreadable(self._memory.server, channel, side, data, decoded.findings))
        message = parse(decoded.value)
        if not decoded.findings:
            kind = type(message)
            if kind is Request:
                facts = self._request(channel, side, message, len(data), whole=True)  # type: ignore[arg-type]  # `kind` narrows it
            elif kind is Notification:
                facts = self._notification(channel, side, message)  # type: ignore[arg-type]  # as above
            else:
                facts = self._response(channel, side, message, Body(data, len(data)), decoded.value)
        else:
            repeated = any(finding.kind is JsonFinding.DUPLICATE_NAME for finding in decoded.findings)
            facts = list[Fact](doubtful(self._memory.server, channel, side, len(data), decoded.findings))
            facts += self._any(channel, side, message, Body(data, len(data), repeated), decoded.value)
        if not channel.stdio and side == "server":
            self._forget_if_idle(channel)
        return facts

    def _large(self, channel: Channel, side: Side, data: bytes) -> list[Fact] | None:
        """The facts of a large frame that is not decoded whole; None for one that is."""
        read = read_large(channel, side, data)
        if read is None or isinstance(read, Envelope):
            return self.big_line(channel.name, side, read) if read is not None else None
        facts = self._response(channel, side, read, Body(data, len(data)), None)
        if not channel.stdio:
            self._forget_if_idle(channel)
        return facts

    def arriving(self, name: str, side: Side, size: int) -> list[Fact]:
        """The fact that a large frame has begun to arrive and is being forwarded."""
        channel = self._of(name)
        return [CallArriving(server=self._memory.server, channel=name, peer=channel.peer, side=side, size_bytes=size)]

    def big_line(self, name: str, side: Side, envelope: Envelope) -> list[Fact]:
        """The facts of a frame that was too big to decode: what its envelope says, and that the rest was not read."""
        channel = self._of(name)
        facts = list[Fact](doubtful(self._memory.server, channel, side, envelope.size, envelope.findings))
        message = envelope.message()
        if not envelope.closed or envelope.batch or (type(message) is Invalid and message.id is None):
            if not any(finding.at_envelope for finding in envelope.findings):
                facts.append(malformed(self._memory.server, channel, side, JsonFinding.TOO_LARGE.value, fatal=True, size=envelope.size))
            return facts
        return facts + self._any(channel, side, message, Body(None, envelope.size), envelope.skeleton)

    def header_line(self, name: str, side: Side, size: int) -> list[Fact]:
        """The fact of a line of header framing, which is not the protocol's (said once: everything after it is lost)."""
        channel = self._of(name)
        if not channel.advise_once(side, CONTENT_LENGTH_FRAMING):
            return []
        return [malformed(self._memory.server, channel, side, CONTENT_LENGTH_FRAMING, fatal=True, size=size)]

    def truncated(self, name: str, side: Side, data: bytes | None, size: int) -> list[Fact]:
        """The facts of a last line without its end: a message if it is complete, else lost bytes."""
        channel = self._of(name)
        if data is not None:
            if decode(data).has_value:
                return self.message(name, side, data)
            if not holds_mark(data) and not data.lstrip().startswith(b"{"):
                return list[Fact](junk(self._memory.server, channel, side, size))
        return [malformed(self._memory.server, channel, side, TRUNCATED_LINE, fatal=True, size=size)]

    # --- messages -----------------------------------------------------------------------------------------------------

    def _any(self, channel: Channel, side: Side, message: Message, body: Body, value: Any) -> list[Fact]:
        if type(message) is Request:
            return self._request(channel, side, message, body.size, whole=body.data is not None)
        if type(message) is Notification:
            return self._notification(channel, side, message)
        return self._response(channel, side, message, body, value)

    def _request(self, channel: Channel, side: Side, message: Request, size: int, *, whole: bool) -> list[Fact]:
        facts = list[Fact](advisories(self._memory.server, channel, side, message.advisories)) if message.advisories else []
        if side == "client":
            asked = asked_by_client(self._memory, channel, message.id, message.method, message.params, size, whole=whole)
        else:
            asked = asked_by_server(self._memory, channel, message.id, message.method, message.params)
        return facts + asked if facts else asked

    def _notification(self, channel: Channel, side: Side, message: Notification) -> list[Fact]:
        facts = list[Fact](advisories(self._memory.server, channel, side, message.advisories)) if message.advisories else []
        if side == "client":
            return facts + notified_by_client(self._memory, channel, message.method, message.params)
        if message.method == LIST_CHANGED and EnvelopeFinding.PARAMS_NULL in message.advisories:
            return [*facts, catalog_changed(self._memory, channel, {}, malformed=True)]
        return facts + notified_by_server(self._memory, channel, message.method, message.params)

    def _response(self, channel: Channel, side: Side, message: Message, body: Body, value: Any) -> list[Fact]:
        """The facts of everything that is neither request nor notification."""
        if type(message) is Batch:
            return self._batch(channel, side, message, body, value)
        assert type(message) is Result or type(message) is Error or type(message) is Invalid
        if type(message) is Invalid and (message.method is not None or message.id is None or not _may_be_message(message, body)):
            return self._invalid(channel, side, message, body)
        if type(message) is Error and message.id is None and message.advisories and not _marked(body):
            return list[Fact](junk(self._memory.server, channel, side, body.size))
        facts = list[Fact](advisories(self._memory.server, channel, side, message.advisories)) if message.advisories else []
        if side == "server":
            answer = answered_by_server(
                self._memory, channel, message, body, said_lost=type(message) is Error and says_session(value, channel)
            )
        elif message.id is None:
            answer = [unpaired(self._memory, channel, side, None, "null_id")]
        else:
            code = message.code if type(message) is Error else None
            answer = answered_by_client(self._memory, channel, message.id, code, body)
        return facts + answer if facts else answer

    def _batch(self, channel: Channel, side: Side, batch: Batch, body: Body, value: Any) -> list[Fact]:
        """The facts of a batch's members, one by one. Only 2025-03-26 knows batches."""
        facts: list[Fact] = []
        ids = [message.id for message in batch.members if type(message) is Result or type(message) is Error]
        revision = lookup((channel.version_asked(ids) if side == "server" else "") or self._memory.version_of(channel))
        if revision is None or not revision.batches_allowed:
            # A server of another revision may refuse the batch, and answers if it does not; a client would not read one.
            fatal = side == "server" and revision is not None
            facts.append(malformed(self._memory.server, channel, side, BATCH_NOT_ALLOWED, fatal=fatal, size=body.size))
        for message, member in zip(batch.members, value, strict=True):
            data = _member_text(member)
            facts += self._any(channel, side, message, Body(data, len(data), body.repeated_names), member)
        return facts

    def _invalid(self, channel: Channel, side: Side, message: Invalid, body: Body) -> list[Fact]:
        """The facts of what is no message: a signal that can still be told, a request that will be answered, or a loss."""
        server = self._memory.server
        if message.method == LIST_CHANGED and side == "server":
            return [catalog_changed(self._memory, channel, {}, malformed=True)]
        if message.method is not None and message.id is not None and message.reason in _STILL_A_REQUEST:
            facts: list[Fact] = [malformed(server, channel, side, message.reason.value, fatal=False, size=body.size)]
            return facts + self._request(channel, side, Request(message.id, message.method, {}), body.size, whole=side == "server")
        if not _marked(body):
            return list[Fact](junk(server, channel, side, body.size))
        return [malformed(server, channel, side, message.reason.value, fatal=True, size=body.size)]


def _marked(body: Body) -> bool:
    """True if the frame holds the mark of a message (or was too big to be looked at)."""
    return body.data is None or holds_mark(body.data)


def _may_be_message(message: Invalid, body: Body) -> bool:
    """True if an envelope that is none was meant to be a response, and is no program's log line."""
    return message.has_result or message.has_error or _marked(body)


def _member_text(member: Any) -> bytes:
    """The text of one member of a batch, for its size and for telling equal answers."""
    try:
        return _encode(member)
    except (UnicodeEncodeError, msgspec.MsgspecError, ValueError, TypeError):
        return repr(member).encode("ascii", "backslashreplace")
