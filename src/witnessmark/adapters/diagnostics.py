"""Words of ours on the standard error that we share with the client: few, marked as ours, and never waited for."""

from __future__ import annotations

import os
import select

from witnessmark.adapters.descriptors import STDERR


def say(text: str) -> bool:
    """Write `witnessmark: text` if standard error takes it at once; False where it does not, and the words are lost.

    A pipe that nobody reads must not stop the traffic, so nothing waits here. At most PIPE_BUF bytes.
    """
    line = f"witnessmark: {text}\n".encode("utf-8", "backslashreplace")[: select.PIPE_BUF]
    poll = select.poll()
    poll.register(STDERR, select.POLLOUT)
    try:
        if not any(event & select.POLLOUT for _, event in poll.poll(0)):
            return False
        os.write(STDERR, line)
    except OSError:
        return False
    return True
