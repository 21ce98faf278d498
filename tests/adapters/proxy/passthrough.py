"""The loop alone: `python passthrough.py COMMAND ARG...` proxies without looking. Shows what the process side does by itself."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from witnessmark.adapters.child import end_like, spawn
from witnessmark.adapters.descriptors import claim_standard_streams
from witnessmark.adapters.signals import SignalPipe
from witnessmark.adapters.stdio_proxy import Ender, Side, StdioProxy
from witnessmark.errors import WorldError

OTHER: dict[Side, Side] = {"client": "server", "server": "client"}


class PassThrough:
    def receive(self, side: Side, data: bytes) -> Iterable[tuple[Side, bytes]]:
        return [(OTHER[side], data)]

    def eof(self, side: Side) -> Iterable[tuple[Side, bytes]]:
        return []

    def idle(self) -> None: ...

    due_us = None
    unsettled = False

    def settle(self) -> None: ...

    def wake(self) -> Iterable[tuple[Side, bytes]]:
        return []

    def exited(self, code: int | None, by: Ender) -> None: ...


def main() -> int:
    claim_standard_streams()
    signals = SignalPipe()
    try:
        child = spawn(tuple(sys.argv[1:]), mask=signals.original_mask)
    except WorldError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    signals.start()
    return end_like(StdioProxy(child, signals, PassThrough()).run())


if __name__ == "__main__":
    sys.exit(main())
