"""How far a probe goes before it gives up: every limit with its unit, and why it stands where it stands."""

from __future__ import annotations

import msgspec

MIB = 1 << 20


class ProbeLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one capture. Whichever is reached first ends it as incomplete and is named in the reason."""

    max_pages: int = 1_000
    """The largest real catalog that was seen has 20 pages; a server that pages by one tool still fits."""

    max_tools: int = 20_000
    """Ten times the largest catalog of the benchmark; no model takes a hundredth of it."""

    max_empty_pages: int = 5
    """Pages without a tool one after another: an honest filter may empty some; an endless walk has nothing else."""

    max_answer_bytes: int = 16 * MIB
    """One answer as text: 10,000 tools of the usual 1.3 kB in a single page. Decoded it takes up to ten times that in memory."""

    max_bytes: int = 32 * MIB
    """All that a server may say in one capture, junk and answers together: two answers of the largest size."""

    overall_s: float = 120.0
    """A whole capture, start and every page: what a person in front of a terminal still waits for."""

    answer_s: float = 20.0
    """One answer of a server that has already answered: a third of what the common SDKs grant a tool call."""

    start_s: float = 60.0
    """The first answer of a new process, its start included: `npx` and `uvx` may have to fetch the package first."""

    discover_s: float = 10.0
    """The answer to `server/discover`: what the official SDK waits before it takes a silent server for a legacy one."""

    max_traversals: int = 3
    """Walks in one capture where a signal tore the one before: the second is a server that still starts, the third one that never rests."""
