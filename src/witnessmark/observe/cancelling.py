"""Cancelling a request of the client's ourselves, where policy asks for it.

basic/utilities/cancellation, every revision over stdio: `notifications/cancelled` with the id of the request. Tasks are cancelled
by a request of their own (2025-11-25), which we do not send. Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Final

from witnessmark.model.evidence import CallCancelled, Fact
from witnessmark.observe.channel import Channel
from witnessmark.observe.memory import Memory
from witnessmark.observe.pairing import Part

BY: Final = "witness"
"""Who cancelled, in the evidence."""


def cancelled_by_us(memory: Memory, channel: Channel, id_: str) -> tuple[bytes, list[Fact]] | None:
    """The line to the server and the fact of it; None where no call of this id is open, or its id was too long to be kept."""
    open_ = channel.client.open.values()
    request = next((one for one in open_ if one.part is Part.CALL and one.id == id_), None)
    if request is None or request.token.startswith("#"):
        return None
    channel.client.cancel(request.token)
    # A token is the id's own JSON text (wire.jsonrpc.id_token).
    line = (
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":'
        + request.token.encode()
        + b',"reason":"deadline passed (witnessmark, by policy)"}}\n'
    )
    return line, [CallCancelled(server=memory.server, channel=request.channel, peer=request.peer, id=request.id, by=BY)]
