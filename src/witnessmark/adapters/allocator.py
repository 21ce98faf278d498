"""Keeps freed memory of large frames for the next one, where the C library can be told to.

glibc gives blocks above 128 KiB back to the system when they are freed, so that a frame of a megabyte costs 250 page faults each
time it is copied: half of the time that such a frame took.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Final

KEPT_BYTES: Final = 16 * 1024 * 1024
"""What may stay unused, and the largest block that is kept. A frame that is decoded whole (4 MiB at most) is held four times over
for a moment; the peak is the same with 6 MiB and with 24."""

_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3
"""Parameters of mallopt(3)."""


def keep_freed_memory() -> None:
    """Ask glibc to keep up to KEPT_BYTES; does nothing where there is no mallopt (musl, macOS)."""
    if sys.platform != "linux":
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    mallopt(_M_MMAP_THRESHOLD, KEPT_BYTES)
    mallopt(_M_TRIM_THRESHOLD, KEPT_BYTES)
