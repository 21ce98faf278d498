"""How a large frame is read: skimmed, by its envelope, or whole. Pure: no I/O, no clock."""

from __future__ import annotations

from typing import Final

from witnessmark.model.evidence import Side
from witnessmark.observe.channel import Channel
from witnessmark.observe.pairing import Part
from witnessmark.wire.bigframe import BigFrameScanner
from witnessmark.wire.envelope import Envelope
from witnessmark.wire.jsonrpc import Result, parse
from witnessmark.wire.skim import skim_answer
from witnessmark.wire.strictjson import MAX_FRAME_BYTES

SKIMMED_BYTES: Final = 64 * 1024
"""From here on the answer of a call is skimmed: it is on its way already, and what is built of it only costs time."""
DECODED_BYTES: Final = 1024 * 1024
"""No other frame than a page of tools is decoded whole beyond this: a MiB of small objects takes 30 MiB of memory."""


def read_large(channel: Channel, side: Side, data: bytes) -> Result | Envelope | None:
    """A call's answer whose content nobody asks for, as skimmed; a larger frame by its envelope; None: decode it whole.

    What its tool declares an output schema for, and a page of tools, are decoded whole up to their limits.
    """
    if side == "server":
        message = parse(skim_answer(data))
        if type(message) is Result:
            request = channel.client.open.get(message.id)
            if request is not None and request.part is Part.CALL and request.output_schema is None:
                return message
    if len(data) <= DECODED_BYTES:
        return None
    scanner = BigFrameScanner()
    scanner.feed(data)
    envelope = scanner.envelope()
    answered = envelope.message()
    if side == "server" and type(answered) is Result and len(data) <= MAX_FRAME_BYTES:
        request = channel.client.open.get(answered.id)
        if request is not None and request.part is Part.LIST:
            return None
    return envelope
