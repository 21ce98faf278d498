"""The wall clock, in the unit that evidence uses."""

from __future__ import annotations

import time


def now_us() -> int:
    """Microseconds since the Unix epoch, by the wall clock: a clock that steps back is the Recorder's business."""
    return time.time_ns() // 1000
