"""The ten states, their precedence, owner, next safe step and exit code (verdicts.md section 3; formats.md, exit codes).

Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

State = Literal[
    "needs_auth", "incompatible_session", "stale_catalog", "effect_unknown", "protocol_error",
    "tool_failed", "false_success", "working", "unproven", "healthy",
]  # fmt: skip
CatalogVerdict = Literal["stale", "incomplete", "unverifiable", "converged"]
Layer = Literal["session", "catalog", "request", "effect", "outcome"]
Status = Literal["true", "false", "unknown"]

LAYERS: Final[tuple[Layer, ...]] = ("session", "catalog", "request", "effect", "outcome")


class Route(NamedTuple):
    """Who moves next, what is safe, and what must not be done automatically."""

    owner: str
    next: str
    forbidden: tuple[str, ...]
    exit_code: int


ROUTES: Final[dict[State, Route]] = {
    "needs_auth": Route(
        "credential owner",
        "show the challenged resource and scope names to the credential owner; never token values",
        ("retry", "show token values", "touch a credential"),
        1,
    ),
    "incompatible_session": Route(
        "integration owner",
        "hand both versions and the negotiated features to the integration owner",
        ("retry", "assume features that were not negotiated"),
        1,
    ),
    "stale_catalog": Route(
        "integration owner",
        "stop choosing the affected definitions; one bounded rediscovery; a second stale_catalog after it opens an incident",
        ("call the affected tools", "treat page one as the catalog"),
        1,
    ),
    "effect_unknown": Route(
        "operator",
        "block automatic retry; reconcile by operation key or destination query",
        ("retry",),
        1,
    ),
    "protocol_error": Route(
        "client implementer",
        "look at method, request id and error class; retry nothing whose effect is unknown",
        ("retry before reconciliation",),
        1,
    ),
    "tool_failed": Route(
        "tool owner",
        "follow the tool's retry policy only if the failure is known to be reversible",
        ("retry before reconciliation",),
        1,
    ),
    "false_success": Route(
        "task owner",
        "open an outcome incident although MCP completed",
        ("retry", "report success"),
        1,
    ),
    "working": Route("nobody", "stay silent", ("retry", "alert"), 4),
    "unproven": Route(
        "whoever declared the run",
        "bring the missing receipt that the reasons name",
        ("report success",),
        3,
    ),
    "healthy": Route("nobody", "continue", (), 0),
}
"""In order of precedence: the first state whose condition holds decides the run."""

PRECEDENCE: Final[tuple[State, ...]] = tuple(ROUTES)
RANK: Final[dict[State, int]] = {state: rank for rank, state in enumerate(PRECEDENCE)}


class CatalogRoute(NamedTuple):
    """The next safe step of a convergence verdict, what never happens automatically, and the exit code."""

    next: str
    forbidden: tuple[str, ...]
    exit_code: int


CATALOG_ROUTES: Final[dict[CatalogVerdict, CatalogRoute]] = {
    "stale": CatalogRoute(
        "stop choosing the affected definitions; one bounded refresh; check again before work resumes",
        ("call the affected tools",),
        1,
    ),
    "incomplete": CatalogRoute(
        "resume from the expected cursor if the client can, else restart the traversal once",
        ("treat page one as the catalog",),
        3,
    ),
    "unverifiable": CatalogRoute(
        "report the missing signal; reconnect or schedule a bounded refresh by policy",
        ("assume no change",),
        3,
    ),
    "converged": CatalogRoute("continue; call, effect and outcome keep their own checks", (), 0),
}
"""In order of precedence (verdicts.md section 2)."""

LIMITS: Final[tuple[str, ...]] = (
    "Protocol evidence cannot establish user intent.",
    "A valid output schema proves shape, not truth.",
    "A destination receipt proves an effect, not that the effect was wise.",
    "Monotonic progress proves that the server reports motion, not that the work is useful.",
    "A converged catalog does not establish that the next call succeeds, credentials are valid, or the tool is correct.",
)
"""Stated wherever a verdict is shown (verdicts.md section 5)."""
