"""Which members of a wire tool are its contract.

Pure: no I/O, no clock. Normative: contracts.md, "Contract and digest". Member names: specification revision
2025-11-25 (`execution` is new there) and 2026-07-28; older revisions have a subset.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

PROJECTION_VERSION: Final = 1

# Order is for readers only: the canonical form sorts names.
PROJECTED_MEMBERS: Final = (
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "execution",
)


def project(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Projection 1 of a wire tool: its contract members literally as sent; an absent member stays absent.

    The values are the tool's own objects, not copies: do not change them.
    """
    return {member: tool[member] for member in PROJECTED_MEMBERS if member in tool}


def extended(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Everything the wire tool has, `icons`, `_meta` and unknown members included: compared, never gated on."""
    return dict(tool)
