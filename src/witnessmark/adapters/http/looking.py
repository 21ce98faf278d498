"""An answer that is looked at before it goes on (`enforce`): a stream block by block, a JSON answer whole where a list may be in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from witnessmark.adapters.http.events import EventSplitter
from witnessmark.adapters.http.head import Field, end_to_end
from witnessmark.gate.withholding import MAX_LIST_BYTES

if TYPE_CHECKING:
    from witnessmark.adapters.http.gate import SessionGate


class Looking:
    """One answer. `stream`: it goes on block by block; `whole`: only when it came whole; neither: nothing in it has to be looked at."""

    def __init__(self, gate: SessionGate) -> None:
        self._gate = gate
        self._splitter = EventSplitter()
        self._pieces: list[bytes] = []
        self._size = 0
        self._head: tuple[int, bytes, list[Field]] = (0, b"", [])
        self.stream = False
        self.whole = False

    def begin(self, status: int, reason: bytes, fields: list[Field], *, stream: bool, json: bool) -> bool:
        """Choose by the head; False where it is compressed, which was not asked for: then it cannot be looked at."""
        self.stream = stream
        self.whole = not stream and json and self._gate.looks
        self._head = (status, reason, [(name, value) for name, value in fields if name.lower() != b"content-length"])
        coded = any(name.lower() == b"content-encoding" and value.lower() != b"identity" for name, value in fields)
        return not (coded and (self.stream or self.whole))

    def blocks(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The blocks that are whole: what is to be recorded of each, and after that what the client gets. What is ours stays here.

        ValueError for a block that is too large.
        """
        for block in self._splitter.feed(data):
            if block.data and self._gate.gate.mine(block.data):
                self._gate.answer(block.data)
                continue
            yield block.raw, b""
            said = self._gate.answer(block.data) if block.data else block.data
            yield b"", block.raw if said is block.data else block.saying(said)

    def rest(self) -> bytes:
        """What is left of a stream: a block that never ended."""
        return self._splitter.rest()

    def add(self, data: bytes) -> bool:
        """A piece of an answer that is looked at whole; False where it becomes too large."""
        self._pieces.append(data)
        self._size += len(data)
        return self._size <= MAX_LIST_BYTES

    def said(self) -> tuple[int, bytes, list[Field], bytes]:
        """What the client gets of an answer that came whole: status, reason, fields and body."""
        body = self._gate.answer(b"".join(self._pieces))
        status, reason, fields = self._head
        return status, reason, [*end_to_end(fields), (b"Content-Length", b"%d" % len(body))], body
