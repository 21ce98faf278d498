"""What a server says, sorted: answers to us, change signals, requests that want a reply, junk. One for each channel.

Nothing here does I/O: a link feeds texts in and sends the replies that come out. A server's requests are answered so that
nothing happens: it gets no roots, no sampling and no person (client/roots, client/sampling, client/elicitation of the
revisions 2024-11-05 to 2025-11-25; 2026-07-28 has no requests of servers).
"""

from __future__ import annotations

import math
from typing import Any, Final

import msgspec

from witnessmark.adapters.prober.ending import EndCode, ProbeEnded
from witnessmark.adapters.prober.limits import ProbeLimits
from witnessmark.model.capture import Profile
from witnessmark.wire.bigframe import BigFrameScanner
from witnessmark.wire.jsonrpc import Batch, Error, Invalid, Notification, Request, Result, coerced_equal, id_token, parse
from witnessmark.wire.revisions import CODE_INVALID_REQUEST, CODE_METHOD_NOT_FOUND
from witnessmark.wire.strictjson import JsonFinding, JsonLimits, decode

TOOLS_CHANGED: Final = "notifications/tools/list_changed"
ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"

LISTEN_ID: Final = "listen"
"""The id of the one request whose answer is not waited for: the subscription to change signals."""
_LISTEN_TOKEN: Final = id_token(LISTEN_ID)
_NO_ID_OF_SDK_1: Final = '"server-error"'

DECLINED: Final = -1
"""The code that client/sampling gives to a person's refusal."""

_UNCLEAR_NUMBERS: Final = frozenset((JsonFinding.NOT_A_NUMBER, JsonFinding.NUMBER_OUT_OF_RANGE))

encode: Final = msgspec.json.Encoder().encode


class Answer(msgspec.Struct, frozen=True):
    """The answer to one request. `code` is None for a result. `repeated_names` is the text where a name stood twice in it.

    `unreadable` says what is wrong with a text that is an answer by its envelope and cannot be decoded.
    """

    result: Any = None
    code: int | None = None
    data: Any = None
    repeated_names: bytes | None = None
    unclear_numbers: bool = False
    unreadable: str = ""


class Inbox:
    """Takes texts one by one; `replies` holds what is to be sent back. One request is open at a time: the last one."""

    def __init__(self, profile: Profile, limits: ProbeLimits) -> None:
        self.replies: list[bytes] = []
        self.signals = 0
        self.junk = 0
        self.subscription_settled = False
        self._profile = profile
        self._limits = limits
        self._json = JsonLimits(max_bytes=limits.max_answer_bytes)
        self._bytes = 0
        self._last_id = 0
        self._answer: Answer | None = None

    def next_id(self) -> int:
        """An id that was not used before on this channel; from now on its answer is waited for and no other."""
        self._last_id += 1
        self._answer = None
        return self._last_id

    @property
    def answer(self) -> Answer | None:
        """The answer to the last request, if it came."""
        return self._answer

    def count(self, size: int) -> None:
        """Take note of `size` bytes that arrived; ProbeEnded beyond the limit."""
        self._bytes += size
        if self._bytes > self._limits.max_bytes:
            raise ProbeEnded(EndCode.BYTES, f"the server said more than {self._limits.max_bytes} bytes")

    def too_long(self) -> ProbeEnded:
        """What to raise for a text longer than one answer may be."""
        return ProbeEnded(EndCode.BYTES, f"one message has more than {self._limits.max_answer_bytes} bytes")

    def take(self, text: bytes) -> None:
        """Sort one text: a line of a pipe, the data of an event, a body."""
        if not text.strip():
            return
        decoded = decode(text, self._json)
        if not decoded.has_value:
            if any(finding.kind is JsonFinding.TOO_LARGE for finding in decoded.findings):
                raise self.too_long()
            self._sort_unreadable(text, decoded.findings[-1].kind)
            return
        kinds = {finding.kind for finding in decoded.findings}
        repeated = text if JsonFinding.DUPLICATE_NAME in kinds else None
        unclear = not kinds.isdisjoint(_UNCLEAR_NUMBERS)
        message = parse(decoded.value)
        for one in message.members if isinstance(message, Batch) else (message,):
            self._sort(one, repeated, unclear=unclear)

    def _sort(self, message: Request | Notification | Result | Error | Invalid, repeated: bytes | None, *, unclear: bool) -> None:
        if isinstance(message, Result):
            self._answered(message.id, Answer(message.result, None, None, repeated, unclear))
        elif isinstance(message, Error):
            self._answered(message.id, Answer(None, message.code, message.data))
        elif isinstance(message, Request):
            if not message.id.startswith("#"):  # an id too long to be kept cannot be answered
                self.replies.append(encode(self._reply(message)))
        elif isinstance(message, Notification):
            if message.method == TOOLS_CHANGED:
                self.signals += 1
            elif message.method == ACKNOWLEDGED:
                self.subscription_settled = True
        elif message.has_result or message.has_error:
            self._answered(message.id, Answer(None, CODE_INVALID_REQUEST))
        else:
            self.junk += 1

    def _sort_unreadable(self, text: bytes, kind: JsonFinding) -> None:
        """A text that cannot be decoded (broken UTF-8, nested too deeply) may still say whose answer it is."""
        scanner = BigFrameScanner()
        scanner.feed(text)
        message = scanner.envelope().message()
        if isinstance(message, Result | Error):
            self._answered(message.id, Answer(unreadable=kind.value))
        else:
            self.junk += 1

    def _answered(self, token: str | None, answer: Answer) -> None:
        """Keep the answer to the last request: by its id, by one that an SDK turned from 7 into "7", or by none.

        An error without an id speaks of a request that could not be read (SDK 1.x writes "server-error" there).
        """
        if token == _LISTEN_TOKEN:
            self.subscription_settled = True
            return
        wanted = id_token(self._last_id)
        if token is None or token in {wanted, _NO_ID_OF_SDK_1}:
            mine = answer.code is not None or token == wanted
        else:
            mine = coerced_equal(token, wanted)
        if mine and self._answer is None:
            self._answer = answer
        else:
            self.junk += 1

    def _reply(self, request: Request) -> dict[str, Any]:
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": msgspec.Raw(request.id.encode())}
        asked = request.method
        if asked == "ping":
            reply["result"] = {}
        elif self._profile == "full" and asked == "roots/list":
            reply["result"] = {"roots": []}
        elif self._profile == "full" and asked == "elicitation/create":
            reply["result"] = {"action": "decline"}
        elif self._profile == "full" and asked == "sampling/createMessage":
            reply["error"] = {"code": DECLINED, "message": "This client only reads the catalog; it samples nothing."}
        else:
            reply["error"] = {"code": CODE_METHOD_NOT_FOUND, "message": "This client only reads the catalog."}
        return reply


def is_finite(value: Any) -> bool:
    """Whether no number in a decoded value is NaN or infinite; its depth is bounded by the decoder's limit."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(is_finite(member) for member in value.values())
    return all(is_finite(item) for item in value) if isinstance(value, list) else True
